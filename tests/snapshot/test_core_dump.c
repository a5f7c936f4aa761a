/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core file as a snapshot: registers of all notes by name, for each thread its own, and the
 * memory that they share. Layouts: Linux, struct elf_prstatus of arm64 and arm,
 * asm-generic/siginfo.h.
 */
#include "model.h"

#include "elf_bytes.h"
#include "snapshot/memmap.h"

enum {
	SIZE = 4096,
	NOTES = 512, /* where they begin in the file */
	CODE = 256,  /* the segment's eight bytes */
	CODE_ADDRESS = 0x400400,
	PT_NOTE_TYPE = 4,
	ET_CORE_TYPE = 4,
};

struct maker {
	uint8_t file[SIZE];
	struct elf_writer w;
	bool is_64bit;
};

static void put_note(struct maker *m, const char *name, uint32_t type, size_t size)
{
	size_t length = strlen(name) + 1;

	elf_put(&m->w, 4, length);
	elf_put(&m->w, 4, size);
	elf_put(&m->w, 4, type);
	memcpy(m->w.at, name, length);
	m->w.at += (length + 3) / 4 * 4;
}

/* With X1 or R1 the thread's number; the kernel writes the signal into that of each thread. */
static void put_status(struct maker *m, uint32_t tid)
{
	size_t registers = m->is_64bit ? 112 : 72;
	size_t word = m->is_64bit ? 8 : 4;
	size_t size = registers + (m->is_64bit ? 34 : 18) * word + word;
	uint8_t *end;

	put_note(m, "CORE", 1, size);
	end = m->w.at + size;
	m->w.at[0] = 11;
	m->w.at[m->is_64bit ? 32 : 24] = (uint8_t)tid;
	m->w.at[registers + word] = (uint8_t)tid;
	m->w.at = end;
}

static void put_siginfo(struct maker *m)
{
	uint8_t *end;

	put_note(m, "CORE", 0x53494749, 128);
	end = m->w.at + 128;
	elf_put(&m->w, 4, 11);
	elf_put(&m->w, 4, 0);
	elf_put(&m->w, 4, 2);
	if (m->is_64bit)
		elf_put(&m->w, 4, 0);
	elf_put(&m->w, m->is_64bit ? 8 : 4, 0x1234);
	m->w.at = end;
}

static void put_words(struct maker *m, uint32_t type, size_t count, uint64_t first)
{
	unsigned int word = m->is_64bit ? 8 : 4;

	put_note(m, "LINUX", type, count * word);
	for (size_t i = 0; i < count; i++)
		elf_put(&m->w, word, first + i);
}

static void begin(struct maker *m, bool is_64bit)
{
	const struct elf_form form = {is_64bit, false, is_64bit ? 183 : 40};
	const struct elf_part parts[] = {{5, CODE, CODE_ADDRESS, 8, 8},
	                                 {4, NOTES, 0, SIZE - NOTES, SIZE - NOTES}};

	*m = (struct maker){.is_64bit = is_64bit};
	elf_build(m->file, SIZE, &form, parts, 2);
	m->file[16] = ET_CORE_TYPE;
	m->file[is_64bit ? 64 + 56 : 52 + 32] = PT_NOTE_TYPE;
	memcpy(m->file + CODE, "12345678", 8);
	m->w = (struct elf_writer){m->file + NOTES, false};
}

/* The file ends where the notes do. */
static void open_core(struct model *model, struct maker *m)
{
	char path[PATH_MAX];
	size_t size = (size_t)(m->w.at - m->file);
	uint8_t *at = m->file + (m->is_64bit ? 64 + 56 + 32 : 52 + 32 + 16);

	m->w.at = at;
	elf_put(&m->w, 4, size - NOTES);
	scratch_write(&model->scratch, "core", m->file, size);
	assert_int_equal(snapshot_open(scratch_path(&model->scratch, "core", path), NULL,
	                               &model->diags, &model->snapshot),
	                 STATUS_OK);
	assert_diags(&model->diags, "");
}

static void assert_register(const struct model *model, size_t core, const char *name,
                            uint64_t expected)
{
	const struct snap_register *reg =
	        snap_device_register(model->snapshot->cores[core].device, str_of(name));

	assert_non_null(reg);
	assert_int_equal(snap_register_value(reg), expected);
}

static void assert_none(const struct model *model, size_t core, const char *name)
{
	assert_null(snap_device_register(model->snapshot->cores[core].device, str_of(name)));
}

static void assert_memory(const struct model *model, size_t core)
{
	struct mem_span span;

	assert_int_equal(
	        memmap_find(model->snapshot->cores[core].memory, SPACE_EL1N, CODE_ADDRESS, &span),
	        STATUS_OK);
	assert_int_equal(bytes_left(&span.bytes), 8);
	assert_memory_equal(span.bytes.pos, "12345678", 8);
	assert_int_equal(span.region->kind, REGION_DUMP);
}

static void each_thread_of_arm64_has_its_notes(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, true);
	put_status(&m, 41);
	put_siginfo(&m);
	put_words(&m, 0x401, 1, 0x5500);
	put_words(&m, 0x406, 2, 0x7f);
	put_status(&m, 42);
	put_words(&m, 0x401, 1, 0x6600);
	open_core(model, &m);
	assert_int_equal(model->snapshot->core_count, 2);
	assert_int_equal(model->snapshot->cores[1].arch, CORE_A64);
	assert_register(model, 0, "X1", 41);
	assert_register(model, 0, "SI_SIGNO", 11);
	assert_register(model, 0, "SI_CODE", 2);
	assert_register(model, 0, "SI_ADDR", 0x1234);
	assert_register(model, 0, "TPIDR_EL0", 0x5500);
	assert_register(model, 0, "PAC_DATA_MASK", 0x7f);
	assert_register(model, 0, "PAC_CODE_MASK", 0x80);
	assert_register(model, 1, "X1", 42);
	assert_register(model, 1, "TPIDR_EL0", 0x6600);
	assert_none(model, 1, "SI_SIGNO");
	assert_none(model, 1, "SI_ADDR");
	assert_none(model, 1, "PAC_DATA_MASK");
	assert_none(model, 1, "FPSR");
	for (size_t i = 0; i < 2; i++)
		assert_memory(model, i);
}

static void threads_are_one_cluster(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, true);
	put_status(&m, 41);
	put_status(&m, 42);
	open_core(model, &m);
	assert_int_equal(model->snapshot->cluster_count, 1);
	assert_int_equal(model->snapshot->clusters[0].device_count, 2);
}

static void arm_has_tls(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, false);
	put_status(&m, 7);
	put_siginfo(&m);
	put_words(&m, 0x401, 1, 0x5500);
	open_core(model, &m);
	assert_int_equal(model->snapshot->cores[0].arch, CORE_A32);
	assert_register(model, 0, "R1", 7);
	assert_register(model, 0, "TPIDRURO", 0x5500);
	assert_register(model, 0, "SI_ADDR", 0x1234);
	assert_none(model, 0, "D0");
	assert_memory(model, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(each_thread_of_arm64_has_its_notes, model_set_up,
	                                        model_tear_down),
	        cmocka_unit_test_setup_teardown(threads_are_one_cluster, model_set_up,
	                                        model_tear_down),
	        cmocka_unit_test_setup_teardown(arm_has_tls, model_set_up, model_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
