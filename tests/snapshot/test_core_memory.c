/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a core's memory is never written: segments that the ELF declares read-only, but for each
 * 4 KiB of them in which a dump or another segment holds other bytes, or a writable one lies.
 */
#include "model.h"

#include "elf_bytes.h"

enum { PAGE = 4096, ELF_SIZE = 4 * PAGE, FIRST_OFFSET = 512 };

#define LAST_PAGE UINT64_C(0xfffffffffffff000)

/* The model's core with two images, each of up to two segments, and dumps. */
struct fixture {
	struct model *model;
	char paths[2][PATH_MAX];
	struct image_option images[2];
	size_t image_count;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	void *model;

	assert_non_null(f);
	assert_int_equal(model_set_up(&model), 0);
	f->model = model;
	scratch_text(&f->model->scratch, "cpu_0.ini", MODEL_CORE);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	void *model = f->model;

	assert_int_equal(model_tear_down(&model), 0);
	free(f);
	return 0;
}

/* An image whose segments show bytes of one file from FIRST_OFFSET on: zeros but for `odd_at`. */
static void add_image(struct fixture *f, const struct elf_part *parts, uint16_t count,
                      size_t odd_at)
{
	static const char *const names[] = {"x.elf", "y.elf"};
	static uint8_t elf[ELF_SIZE];
	size_t i = f->image_count++;

	elf_build(elf, sizeof(elf), &(struct elf_form){true, false, EM_AARCH64}, parts, count);
	if (odd_at > 0)
		elf[odd_at] = 0x77;
	scratch_write(&f->model->scratch, names[i], elf, sizeof(elf));
	f->images[i].path = str_of(scratch_path(&f->model->scratch, names[i], f->paths[i]));
}

static void open_all(struct fixture *f)
{
	struct snapshot_options options = {.images = f->images, .image_count = f->image_count};

	assert_int_equal(snapshot_open(f->model->scratch.folder, &options, &f->model->diags,
	                               &f->model->snapshot),
	                 STATUS_OK);
	assert_diags(&f->model->diags, "");
}

/* 'r' if the byte is never written, 'w' if it may have been, '-' if it is not there. */
static char kind_at(const struct fixture *f, uint64_t address)
{
	struct mem_span span;

	if (memmap_find(f->model->snapshot->cores[0].memory, SPACE_ANY, address, &span) !=
	    STATUS_OK)
		return '-';
	return span.region->read_only ? 'r' : 'w';
}

/* The kinds of the bytes around each border, in order. */
static void assert_kinds(const struct fixture *f, const uint64_t *borders, const char *expected)
{
	for (size_t i = 0; expected[2 * i]; i++) {
		char found[3] = {kind_at(f, borders[i] - 1), kind_at(f, borders[i]), '\0'};

		if (memcmp(found, expected + 2 * i, 2) != 0)
			fail_msg("at 0x%llx: \"%s\", expected \"%.2s\"",
			         (unsigned long long)borders[i], found, expected + 2 * i);
	}
}

static void memory_of_a_segment_is_never_written(void **state)
{
	static const struct elf_part part = {PF_R | PF_X, FIRST_OFFSET, 0x10100, 2 * PAGE + 5,
	                                     2 * PAGE + 5};
	static const uint64_t borders[] = {0x10100, 0x12105};
	struct fixture *f = *state;

	add_image(f, &part, 1, 0);
	open_all(f);
	assert_kinds(f, borders, "-rr-");
}

/* Pages count from the segment's start. */
static void memory_in_which_a_dump_differs_is_written_by_the_page(void **state)
{
	static const struct elf_part part = {PF_R | PF_X, FIRST_OFFSET, 0x10000, 3 * PAGE,
	                                     3 * PAGE};
	static const uint64_t borders[] = {0x10000, 0x11000, 0x12000, 0x13000};
	static const uint8_t zeros[PAGE + 2];
	uint8_t bytes[PAGE + 2] = {0};
	struct fixture *f = *state;

	add_image(f, &part, 1, 0);
	/* From the last byte of the first page to the first of the last, all equal. */
	scratch_text(&f->model->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0x10fff\n");
	scratch_write(&f->model->scratch, "mem.bin", zeros, sizeof(zeros));
	open_all(f);
	assert_kinds(f, borders, "-rrrrrr-");
	snapshot_destroy(f->model->snapshot);
	bytes[0] = 1;
	scratch_write(&f->model->scratch, "mem.bin", bytes, sizeof(bytes));
	open_all(f);
	assert_kinds(f, borders, "-wwrrrr-");
	snapshot_destroy(f->model->snapshot);
	bytes[0] = 0;
	bytes[PAGE] = 1;
	scratch_write(&f->model->scratch, "mem.bin", bytes, sizeof(bytes));
	open_all(f);
	assert_kinds(f, borders, "-rrwwrr-");
	snapshot_destroy(f->model->snapshot);
	bytes[PAGE + 1] = 1;
	scratch_write(&f->model->scratch, "mem.bin", bytes, sizeof(bytes));
	open_all(f);
	assert_kinds(f, borders, "-rrwwww-");
	snapshot_destroy(f->model->snapshot);
	bytes[0] = 1;
	bytes[PAGE] = 0;
	scratch_write(&f->model->scratch, "mem.bin", bytes, sizeof(bytes));
	open_all(f);
	assert_kinds(f, borders, "-wwrrww-");
}

/* A dump that lies beside a segment says nothing of it. */
static void memory_beside_a_dump_is_never_written(void **state)
{
	static const struct elf_part part = {PF_R, FIRST_OFFSET, 0x10000, PAGE, PAGE};
	static const uint64_t borders[] = {0x10000, 0x11000, 0x11040};
	struct fixture *f = *state;

	add_image(f, &part, 1, 0);
	/* mem.bin is not zeros. */
	scratch_text(&f->model->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0x11000\n"
	                        "[dump1]\nfile=mem.bin\naddress=0xffc0\n");
	open_all(f);
	assert_kinds(f, borders, "wrrww-");
	snapshot_destroy(f->model->snapshot);
	/* One byte of it does: the last of the dump on the first of the segment. */
	scratch_text(&f->model->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0xffc1\n");
	open_all(f);
	assert_kinds(f, borders, "www---");
}

/* The order of segments in an image says nothing. */
static void memory_under_a_later_segment_is_written(void **state)
{
	static const struct elf_part parts[] = {
	        {PF_R | PF_X, FIRST_OFFSET, 0x10000, 2 * PAGE, 2 * PAGE},
	        {PF_R | PF_W, FIRST_OFFSET, 0x11800, 8, 8},
	};
	static const uint64_t borders[] = {0x10000, 0x11000, 0x12000};
	struct fixture *f = *state;

	add_image(f, parts, 2, 0);
	open_all(f);
	assert_kinds(f, borders, "-rrww-");
}

static void memory_of_a_segment_at_the_last_address_is_told(void **state)
{
	static const struct elf_part part = {PF_R, FIRST_OFFSET, LAST_PAGE - PAGE, 2 * PAGE,
	                                     2 * PAGE};
	static const uint64_t borders[] = {LAST_PAGE - PAGE, LAST_PAGE, UINT64_MAX};
	struct fixture *f = *state;

	add_image(f, &part, 1, 0);
	open_all(f);
	assert_kinds(f, borders, "-rrrrr");
	assert_int_equal(kind_at(f, 0), '-');
	snapshot_destroy(f->model->snapshot);
	scratch_text(&f->model->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0xffffffffffffffff\noffset=1\n"
	                        "length=1\n");
	open_all(f);
	assert_kinds(f, borders, "-rrwww");
}

/* What a writable segment covers is written, in .bss too; what another one shows must agree. */
static void memory_under_other_segments_is_written(void **state)
{
	static const struct elf_part code = {PF_R | PF_X, FIRST_OFFSET, 0x10000, 3 * PAGE,
	                                     3 * PAGE};
	static const struct elf_part others[] = {
	        /* One byte of data and a .bss that ends in the second page. */
	        {PF_R | PF_W, FIRST_OFFSET, 0xff00, 1, PAGE + 0x101},
	        /* Equal to the last page. */
	        {PF_R, FIRST_OFFSET, 0x12000, 8, 8},
	};
	static const uint64_t borders[] = {0x11000, 0x12000, 0x13000};
	struct fixture *f = *state;

	add_image(f, &code, 1, 0);
	add_image(f, others, 2, 0);
	open_all(f);
	assert_kinds(f, borders, "wwwrr-");
	assert_int_equal(kind_at(f, 0xff00), 'w');
	assert_int_equal(kind_at(f, 0x10000), 'w');
	snapshot_destroy(f->model->snapshot);
	f->image_count = 1;
	add_image(f, others, 2, FIRST_OFFSET + 7);
	open_all(f);
	/* Neither is believed. */
	assert_kinds(f, borders, "wwwww-");
}

/* Stretches that overlap, touch or lie apart, in any order of the images. */
static void memory_of_segments_that_meet_is_joined(void **state)
{
	static const struct elf_part high[] = {{PF_R, FIRST_OFFSET, 0x13000, 0x100, 0x100},
	                                       {PF_R, FIRST_OFFSET, 0x12000, 0x10, 0x10}};
	static const struct elf_part low[] = {{PF_R, FIRST_OFFSET, 0x11000, PAGE, PAGE},
	                                      {PF_R, FIRST_OFFSET, 0x12800, 0x840, 0x840}};
	static const uint64_t borders[] = {0x11000, 0x12000, 0x12010, 0x12800,
	                                   0x13000, 0x13040, 0x13100};
	struct fixture *f = *state;
	static uint8_t zeros[3 * PAGE];
	uint8_t byte;

	zeros[0x22f0] = 0x66; /* after all segments */
	add_image(f, high, 2, 0);
	add_image(f, low, 2, 0);
	scratch_write(&f->model->scratch, "mem.bin", zeros, sizeof(zeros));
	scratch_text(&f->model->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0x10f00\nlength=0x2300\n");
	open_all(f);
	assert_kinds(f, borders, "wrrrrwwrrrrrrw");
	assert_int_equal(kind_at(f, 0x10f00), 'w');
	assert_int_equal(kind_at(f, 0x131ff), 'w');
	assert_int_equal(kind_at(f, 0x13200), '-');
	assert_int_equal(
	        memmap_read(f->model->snapshot->cores[0].memory, SPACE_ANY, 0x131f0, &byte, 1), 1);
	assert_int_equal(byte, 0x66);
	assert_int_equal(
	        memmap_read(f->model->snapshot->cores[0].memory, SPACE_ANY, 0x130f0, &byte, 1), 1);
	assert_int_equal(byte, 0);
}

#define TWO_CORES "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=cpu_1.ini\n"

/* A second core, with a dump of the same three pages. */
static void add_core(struct fixture *f, const char *type, const char *context, uint64_t address)
{
	char text[512];

	scratch_text(&f->model->scratch, "snapshot.ini", TWO_CORES);
	for (unsigned int i = 0; i < 2; i++) {
		char name[] = "cpu_0.ini";

		name[4] = (char)('0' + i);
		assert_in_range(
		        snprintf(text, sizeof(text),
		                 "[device]\nname=cpu_%u\nclass=core\ntype=%s\n[regs]\nPC=0x1000\n"
		                 "CPSR=0x5\nCONTEXTIDR_EL1=%s\n[dump0]\nfile=mem%u.bin\n"
		                 "address=0x%llx\n",
		                 i, type, i == 0 ? "0x100" : context, i,
		                 (unsigned long long)address),
		        1, sizeof(text) - 1);
		scratch_text(&f->model->scratch, name, text);
	}
}

/* The first page is equal, in the third the last byte differs. */
static void add_pages(struct fixture *f)
{
	static uint8_t bytes[3 * PAGE];

	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 0x11;
	scratch_write(&f->model->scratch, "mem0.bin", bytes, sizeof(bytes));
	bytes[3 * PAGE - 1] = 0x77;
	scratch_write(&f->model->scratch, "mem1.bin", bytes, sizeof(bytes));
}

/* The byte that a context sees of the first core's memory, told apart by context; -1: none. */
static int byte_of_context(const struct memmap *map, uint32_t id, uint64_t address)
{
	uint32_t view =
	        memmap_view(map, SPACE_EL1N, &(struct memory_context){.has_id = true, .id = id});
	uint8_t byte;

	return memmap_read(map, view, address, &byte, 1) == 1 ? byte : -1;
}

/* Of what the first core, which halted in context 0x100, executed. */
static bool has_rival(const struct fixture *f, uint64_t first, uint64_t last, enum space space,
                      struct snap_rival *rival)
{
	const struct snapshot *snapshot = f->model->snapshot;
	const struct memory_context halted = {.has_id = true, .id = 0x100};
	struct snap_code code = {first, last, space};

	return snap_core_may_rival(&snapshot->cores[0], &halted, &snapshot->cores[1]) &&
	       snap_core_find_rival(&snapshot->cores[0], &snapshot->cores[1], &code, rival);
}

/* Pages that both cores have are everyone's; others are of the context in which a core halted. */
static void dumps_of_two_processes_are_told_apart(void **state)
{
	struct fixture *f = *state;
	const struct memory_context halted = {.has_id = true, .id = 0x100};
	const struct snap_core *core;
	struct snap_rival rival;
	struct memmap *map;
	struct memmap *sure;

	add_core(f, "Cortex-A53", "0x200", 0x10000);
	add_pages(f);
	open_all(f);
	core = &f->model->snapshot->cores[0];
	assert_false(has_rival(f, 0x10000, 0x12ffe, SPACE_EL1N, &rival));
	assert_true(has_rival(f, 0x12ffc, 0x12fff, SPACE_EL1N, &rival));
	assert_ptr_equal(rival.core, &f->model->snapshot->cores[1]);
	assert_int_equal(rival.context.id, 0x200);
	assert_int_equal(rival.address, 0x12ffc);
	assert_false(has_rival(f, 0x12ffc, 0x12fff, SPACE_EL3, &rival));
	assert_int_equal(snap_core_memory_by_context(f->model->snapshot, core, &halted, &map),
	                 STATUS_OK);
	sure = memmap_share(map, MEMMAP_SURE_OF_MANY);
	assert_non_null(sure);
	assert_int_equal(byte_of_context(sure, 0x100, 0x12fff), 0);
	assert_int_equal(byte_of_context(sure, 0x200, 0x12fff), 0x77);
	assert_int_equal(byte_of_context(sure, 0x300, 0x12fff), -1);
	assert_int_equal(byte_of_context(sure, 0x300, 0x12000), -1);
	assert_int_equal(byte_of_context(sure, 0x300, 0x10000), 0x11);
	assert_int_equal(byte_of_context(sure, 0x300, 0x11fff), 0);
	memmap_destroy(sure);
	memmap_destroy(map);
}

/* Nor where it is one context, the kernel's half, or a core without translation. */
static void dumps_that_cannot_be_of_two_processes_are_no_rivals(void **state)
{
	static const struct {
		const char *type;
		const char *context;
		uint64_t address;
	} cases[] = {{"Cortex-A53", "0x100", 0x10000},
	             {"Cortex-A53", "0x200", UINT64_C(0xffffff8000010000)},
	             {"Cortex-R7", "0x200", 0x10000},
	             {"Cortex-M3", "0x200", 0x10000}};
	struct fixture *f = *state;

	add_pages(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct snap_rival rival;

		add_core(f, cases[i].type, cases[i].context, cases[i].address);
		open_all(f);
		assert_false(has_rival(f, cases[i].address, cases[i].address + 0x2fff, SPACE_EL1N,
		                       &rival));
		snapshot_destroy(f->model->snapshot);
	}
	f->model->snapshot = NULL;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(memory_of_a_segment_is_never_written),
	        CASE(memory_in_which_a_dump_differs_is_written_by_the_page),
	        CASE(memory_beside_a_dump_is_never_written),
	        CASE(memory_under_a_later_segment_is_written),
	        CASE(memory_of_a_segment_at_the_last_address_is_told),
	        CASE(memory_under_other_segments_is_written),
	        CASE(memory_of_segments_that_meet_is_joined),
	        CASE(dumps_of_two_processes_are_told_apart),
	        CASE(dumps_that_cannot_be_of_two_processes_are_no_rivals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
