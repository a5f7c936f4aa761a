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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
