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
	SIZE = 16384,
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

/* Of three parts the last is a segment that lies over the other one's second half. */
static void begin_of(struct maker *m, bool is_64bit, uint16_t count)
{
	const struct elf_form form = {is_64bit, false, is_64bit ? 183 : 40};
	const struct elf_part parts[] = {{5, CODE, CODE_ADDRESS, 8, 8},
	                                 {4, NOTES, 0, SIZE - NOTES, SIZE - NOTES},
	                                 {5, CODE, CODE_ADDRESS + 4, 8, 8}};

	*m = (struct maker){.is_64bit = is_64bit};
	elf_build(m->file, SIZE, &form, parts, count);
	m->file[16] = ET_CORE_TYPE;
	m->file[is_64bit ? 64 + 56 : 52 + 32] = PT_NOTE_TYPE;
	memcpy(m->file + CODE, "12345678", 8);
	m->w = (struct elf_writer){m->file + NOTES, false};
}

static void begin(struct maker *m, bool is_64bit)
{
	begin_of(m, is_64bit, 2);
}

/* The file ends where the notes do; of it comes one warning, or the empty text: none. */
static void open_saying(struct model *model, struct maker *m, const char *said)
{
	const char *warning;
	char *text;
	char path[PATH_MAX];
	size_t size = (size_t)(m->w.at - m->file);
	uint8_t *at = m->file + (m->is_64bit ? 64 + 56 + 32 : 52 + 32 + 16);

	m->w.at = at;
	elf_put(&m->w, 4, size - NOTES);
	scratch_write(&model->scratch, "core", m->file, size);
	assert_int_equal(snapshot_open(scratch_path(&model->scratch, "core", path), NULL,
	                               &model->diags, &model->snapshot),
	                 STATUS_OK);
	text = diags_take(&model->diags);
	warning = strstr(text, ": warning: ");
	assert_string_equal(warning ? warning + strlen(": warning: ") : text, said);
	free(text);
}

static void open_core(struct model *model, struct maker *m)
{
	open_saying(model, m, "");
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

/* With TPIDR_EL0 its number; `type` is that of what should be its NT_PRSTATUS. */
static void put_thread(struct maker *m, uint32_t tid, uint32_t type)
{
	uint8_t *at = m->w.at;

	put_status(m, tid);
	at[8] = (uint8_t)type;
	put_words(m, 0x401, 1, tid);
}

/* The kernel writes each note once a thread: a second one is of a thread that is not there. */
static void notes_of_a_lost_thread_are_of_no_other(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, true);
	put_thread(&m, 41, 1);
	put_thread(&m, 42, 3);
	put_words(&m, 0x404, 1, 9);
	put_thread(&m, 43, 1);
	open_saying(model, &m, "a thread after 41 is left out: it has notes, but no NT_PRSTATUS\n");
	assert_int_equal(model->snapshot->core_count, 2);
	assert_register(model, 0, "TPIDR_EL0", 41);
	assert_none(model, 0, "SYSTEM_CALL");
	assert_register(model, 0, "SI_SIGNO", 11);
	assert_register(model, 1, "TPIDR_EL0", 43);
}

/* The signal is not that of the next one. */
static void lost_first_thread_takes_the_signal_along(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, true);
	put_thread(&m, 41, 3);
	put_thread(&m, 42, 1);
	open_saying(model, &m, "the first thread is left out: it has notes, but no NT_PRSTATUS\n");
	assert_int_equal(model->snapshot->core_count, 1);
	assert_register(model, 0, "X1", 42);
	assert_register(model, 0, "TPIDR_EL0", 42);
	assert_none(model, 0, "SI_SIGNO");
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

/* They are all threads', and have no line. */
static void segments_that_contradict_each_other_are_named_once(void **state)
{
	struct model *model = *state;
	struct maker m;
	char *text;

	begin_of(&m, true, 3);
	put_status(&m, 41);
	put_status(&m, 42);
	open_core(model, &m);
	snapshot_check_contradictions(model->snapshot, &model->diags);
	text = diags_take(&model->diags);
	assert_non_null(strstr(text, ": error: segments \"load0\" and \"load1\" hold different "
	                             "bytes at 0x400404\n"));
	assert_null(strchr(strchr(text, '\n') + 1, '\n'));
	free(text);
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

/*
 * struct user_sve_header, then what its flags say (asm/ptrace.h). In the SVE form byte i of a
 * vector is its number plus i, and that of a predicate 0x80 more; FFR is the seventeenth.
 */
static void put_sve(struct maker *m, size_t length, bool is_sve, size_t missing)
{
	size_t predicates = 17 * length / 8;
	size_t size = 16 + (is_sve ? 32 * length + (predicates + 15) / 16 * 16 + 16 : 528);
	uint8_t *at;

	put_note(m, "LINUX", 0x405, size - missing);
	at = m->w.at;
	elf_put(&m->w, 4, size);
	elf_put(&m->w, 4, 9000);
	elf_put(&m->w, 2, length);
	elf_put(&m->w, 2, 256);
	elf_put(&m->w, 4, is_sve);
	for (size_t i = 0; i < 32 * (is_sve ? length : 16); i++)
		*m->w.at++ = (uint8_t)(i / (is_sve ? length : 16) + i % (is_sve ? length : 16));
	for (size_t i = 0; is_sve && i < predicates; i++)
		*m->w.at++ = (uint8_t)(0x80 + i / (length / 8) + i % (length / 8));
	if (is_sve)
		m->w.at += -predicates & 15;
	elf_put(&m->w, 4, 0x08000010);
	elf_put(&m->w, 4, 0x00c00000);
	m->w.at = at + (size - missing + 3) / 4 * 4;
}

/* The register has these bytes, each one more than the one before. */
static void assert_bytes(const struct model *model, size_t core, const char *name, uint8_t first,
                         size_t size)
{
	const struct snap_register *reg =
	        snap_device_register(model->snapshot->cores[core].device, str_of(name));

	assert_non_null(reg);
	assert_int_equal(reg->bits, 8 * size);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(reg->value[i], (uint8_t)(first + i));
}

/* Vectors of 64 bytes: V is the first quadword of each. */
static void arm64_has_vectors(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, true);
	put_status(&m, 41);
	put_sve(&m, 64, true, 0);
	put_note(&m, "LINUX", 0x404, 4);
	elf_put(&m.w, 4, 0xffffffff);
	put_words(&m, 0x401, 2, 0x5500);
	put_status(&m, 42);
	put_sve(&m, 64, false, 0);
	put_status(&m, 43);
	put_sve(&m, 16, true, 0);
	open_core(model, &m);
	assert_bytes(model, 0, "V0", 0, 16);
	assert_bytes(model, 0, "V31", 31, 16);
	assert_bytes(model, 0, "Z0_Q1", 16, 16);
	assert_bytes(model, 0, "Z31_Q3", 31 + 48, 16);
	assert_none(model, 0, "Z0_Q4");
	assert_bytes(model, 0, "P0", 0x80, 8);
	assert_bytes(model, 0, "P15", 0x8f, 8);
	assert_bytes(model, 0, "FFR", 0x90, 8);
	assert_register(model, 0, "SVE_VL", 64);
	assert_register(model, 0, "FPSR", 0x08000010);
	assert_register(model, 0, "FPCR", 0x00c00000);
	assert_register(model, 0, "SYSTEM_CALL", 0xffffffff);
	assert_register(model, 0, "TPIDR_EL0", 0x5500);
	assert_register(model, 0, "TPIDR2_EL0", 0x5501);
	/* A thread that has not used SVE: of its vectors nothing is known but the V registers. */
	assert_bytes(model, 1, "V31", 31, 16);
	assert_register(model, 1, "FPCR", 0x00c00000);
	assert_none(model, 1, "Z0_Q1");
	assert_none(model, 1, "P0");
	assert_none(model, 1, "SVE_VL");
	assert_none(model, 1, "SYSTEM_CALL");
	assert_none(model, 1, "TPIDR2_EL0");
	/* Vectors of 16 bytes are the V registers; predicates have two. */
	assert_bytes(model, 2, "V31", 31, 16);
	assert_none(model, 2, "Z0_Q1");
	assert_bytes(model, 2, "P15", 0x8f, 2);
}

/* 256 bytes, the longest that there are; predicates are two quadwords then. NT_PRFPREG has V. */
static void arm64_has_the_longest_vectors(void **state)
{
	struct model *model = *state;
	struct maker m;

	begin(&m, true);
	put_status(&m, 41);
	put_note(&m, "CORE", 2, 528);
	memset(m.w.at, 0x77, 528);
	m.w.at += 528;
	put_sve(&m, 256, true, 0);
	open_core(model, &m);
	assert_register(model, 0, "FPSR", 0x77777777);
	assert_bytes(model, 0, "Z1_Q15", 1 + 240, 16);
	assert_bytes(model, 0, "P1", 0x81, 16);
	assert_bytes(model, 0, "P1_Q1", 0x91, 16);
	assert_bytes(model, 0, "FFR_Q1", 0xa0, 16);
}

static void vectors_that_cannot_be_are_left_out(void **state)
{
	static const struct {
		size_t length;
		size_t missing;
		const char *said;
	} cases[] = {
	        {64, 16,
	         "NT_ARM_SVE of thread 41 is left out: 2208 bytes are too few for "
	         "what its "
	         "header says\n"},
	        {24, 0,
	         "NT_ARM_SVE of thread 41 is left out: no multiple of 16 bytes, up "
	         "to 256, is "
	         "its vector length\n"},
	        {272, 0,
	         "NT_ARM_SVE of thread 41 is left out: no multiple of 16 bytes, up "
	         "to 256, is "
	         "its vector length\n"},
	        {0, 16 + 512,
	         "NT_ARM_SVE of thread 41 is left out: no multiple of 16 bytes, up "
	         "to 256, is "
	         "its vector length\n"},
	};
	struct model *model = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct maker m;

		begin(&m, true);
		put_status(&m, 41);
		put_sve(&m, cases[i].length, cases[i].length > 0, cases[i].missing);
		open_saying(model, &m, cases[i].said);
		assert_register(model, 0, "X1", 41);
		assert_none(model, 0, "V0");
		assert_none(model, 0, "SVE_VL");
		snapshot_destroy(model->snapshot);
		model->snapshot = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(each_thread_of_arm64_has_its_notes, model_set_up,
	                                        model_tear_down),
	        cmocka_unit_test_setup_teardown(notes_of_a_lost_thread_are_of_no_other,
	                                        model_set_up, model_tear_down),
	        cmocka_unit_test_setup_teardown(lost_first_thread_takes_the_signal_along,
	                                        model_set_up, model_tear_down),
	        cmocka_unit_test_setup_teardown(threads_are_one_cluster, model_set_up,
	                                        model_tear_down),
	        cmocka_unit_test_setup_teardown(segments_that_contradict_each_other_are_named_once,
	                                        model_set_up, model_tear_down),
	        cmocka_unit_test_setup_teardown(arm64_has_vectors, model_set_up, model_tear_down),
	        cmocka_unit_test_setup_teardown(arm64_has_the_longest_vectors, model_set_up,
	                                        model_tear_down),
	        cmocka_unit_test_setup_teardown(vectors_that_cannot_be_are_left_out, model_set_up,
	                                        model_tear_down),
	        cmocka_unit_test_setup_teardown(arm_has_tls, model_set_up, model_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
