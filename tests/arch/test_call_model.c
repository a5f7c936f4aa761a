/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls write that nobody traces: Linux system calls by the prototypes of their manual pages,
 * semihosting operations by the parameter blocks of Arm's specification.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/call_model.h"
#include "arch/uop/uop_run.h"

#define A64_SVC UINT32_C(0xd4000001)
#define A64_HLT UINT32_C(0xd45e0000)
#define A32_SVC UINT32_C(0xef000000)

enum {
	T32_SVC = 0xdf00,
	BLOCK = 0x9000, /* of semihosting's parameters, in R1 */
	WORD_0 = 0x100, /* what it holds: WORD_0, WORD_0 + 1 ... */
};

/* Register i holds 0x1000 (i + 1), but the flags, which no call looks at. */
static uint64_t argument(unsigned int i)
{
	return UINT64_C(0x1000) * (i + 1);
}

static struct bits read_block(void *context, uint64_t address, unsigned int size)
{
	assert_int_equal(size, *(unsigned int *)context);
	assert_int_equal((address - BLOCK) % size, 0);
	return bits_of(WORD_0 + (address - BLOCK) / size);
}

/* Executes it with these arguments; of a block its words have `word` bytes. */
static void execute(struct uop_run *run, struct uop_builder *b, unsigned int word)
{
	static struct bits registers[REG_COUNT];
	const struct uop_memory memory = {read_block, &word};

	for (unsigned int i = 0; i < REG_COUNT; i++)
		registers[i] = bits_of(argument(i));
	if (word != 0)
		registers[1] = bits_of(BLOCK);
	registers[REG_NZCV] = (struct bits){0, 0};
	assert_true(uop_run(&b->insn, registers, &memory, run));
}

/* What is written: the access number `i` of those that are no loads. */
static const struct uop_access *write_of(const struct uop_insn *insn, unsigned int number)
{
	for (unsigned int i = 0; i < insn->access_count; i++) {
		assert_int_not_equal(insn->accesses[i].kind, ACCESS_STORE);
		if (insn->accesses[i].kind == ACCESS_CLOBBER && number-- == 0)
			return &insn->accesses[i];
	}
	return NULL;
}

static void assert_writes(const struct uop_run *run, unsigned int number, uint64_t address,
                          uint64_t length)
{
	const struct uop_access *access = write_of(run->insn, number);
	struct bits first;

	assert_non_null(access);
	first = uop_run_address(run, access);
	assert_int_equal(access->when, SLOT_NONE);
	assert_int_equal(first.known, UINT64_MAX);
	assert_int_equal(first.value, address);
	assert_int_equal(uop_run_length(run, access), length);
}

/* What a call changes that no user's code sees: of A64 what SVE has beyond the vectors. */
static bool is_unseen(unsigned int reg, bool is_a64)
{
	if (is_a64)
		return reg >= REG_SCTLR_EL1 && reg < REG_NAMED_END;
	return (reg >= REG_BANKED && reg <= REG_SP) || (reg >= REG_A32_SPSR && reg <= REG_A32_SCR);
}

/* X0 alone changes, and that. */
static void assert_defines(const struct uop_run *run, bool is_a64)
{
	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		struct bits after = uop_run_after(run, reg);
		bool changes = reg == 0 || is_unseen(reg, is_a64);

		if (reg == REG_NZCV)
			continue;
		assert_int_equal(uop_insn_after(run->insn, reg) != reg, changes);
		assert_int_equal(after.known == UINT64_MAX, !changes);
	}
	assert_int_equal(run->insn->flags, is_a64 ? 0 : UOP_AARCH32);
	assert_int_equal(uop_run_after(run, 0).known, is_a64 ? 0 : ~(uint64_t)UINT32_MAX);
}

struct call {
	uint32_t number;
	unsigned int base;   /* argument that says where */
	uint64_t length;     /* if not 0: always so many */
	unsigned int bound;  /* else the argument that says how many */
	unsigned int second; /* argument of a second place of 8 bytes, if not 0 */
};

static void check_call(struct call_site site, const struct call *call)
{
	struct uop_builder b;
	struct uop_run run;
	uint64_t length = call->length != 0 ? call->length : argument(call->bound);

	site.has_number = true;
	site.number = call->number;
	assert_true(call_model_system(&site, &b));
	execute(&run, &b, 0);
	assert_writes(&run, 0, argument(call->base), length);
	if (call->second != 0)
		assert_writes(&run, 1, argument(call->second), 8);
	assert_null(write_of(run.insn, call->second != 0 ? 2 : 1));
	assert_defines(&run, site.isa == ISA_A64);
}

/* getcwd(buf, size), read(fd, buf, count), fstat(fd, struct stat of 128 bytes) ... */
static void calls_of_a64_write_where_their_arguments_say(void **state)
{
	static const struct call calls[] = {
	        {17, 0, 0, 1, 0},    {63, 1, 0, 2, 0},    {67, 1, 0, 2, 0},    {78, 2, 0, 3, 0},
	        {79, 2, 128, 0, 0},  {80, 1, 128, 0, 0},  {113, 1, 16, 0, 0},  {134, 2, 152, 0, 0},
	        {135, 2, 128, 0, 0}, {153, 0, 32, 0, 0},  {160, 0, 390, 0, 0}, {169, 0, 16, 0, 1},
	        {278, 0, 0, 1, 0},   {61, 1, 0, 2, 0},    {114, 1, 16, 0, 0},  {123, 2, 0, 1, 0},
	        {132, 1, 24, 0, 0},  {165, 1, 144, 0, 0}, {261, 3, 16, 0, 0},  {291, 4, 256, 0, 0},
	};
	const struct call_site site = {.isa = ISA_A64, .opcode = A64_SVC};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		check_call(site, &calls[i]);
}

static void calls_of_a32_write_where_their_arguments_say(void **state)
{
	static const struct call calls[] = {
	        {3, 1, 0, 2, 0},     {43, 0, 16, 0, 0},   {78, 0, 8, 0, 1},    {85, 1, 0, 2, 0},
	        {122, 0, 390, 0, 0}, {140, 3, 8, 0, 0},   {174, 2, 20, 0, 0},  {175, 2, 128, 0, 0},
	        {180, 1, 0, 2, 0},   {183, 0, 0, 1, 0},   {195, 1, 104, 0, 0}, {196, 1, 104, 0, 0},
	        {197, 1, 104, 0, 0}, {263, 1, 8, 0, 0},   {327, 2, 104, 0, 0}, {332, 2, 0, 3, 0},
	        {384, 0, 0, 1, 0},   {397, 4, 256, 0, 0}, {403, 1, 16, 0, 0},  {77, 1, 72, 0, 0},
	        {186, 1, 12, 0, 0},  {191, 1, 8, 0, 0},   {217, 1, 0, 2, 0},   {242, 2, 0, 1, 0},
	        {264, 1, 8, 0, 0},   {369, 3, 16, 0, 0},
	};
	static const struct call_site sites[] = {
	        {.isa = ISA_A32, .opcode = A32_SVC},
	        {.isa = ISA_A32, .opcode = 0x0f000000}, /* SVCEQ */
	        {.isa = ISA_T32, .opcode = T32_SVC},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		for (size_t k = 0; k < sizeof(sites) / sizeof(sites[0]); k++)
			check_call(sites[k], &calls[i]);
	}
}

static void check_silent(struct call_site site, const uint16_t *numbers)
{
	for (; *numbers != 0; numbers++) {
		struct uop_builder b;
		struct uop_run run;

		site.has_number = true;
		site.number = *numbers;
		assert_true(call_model_system(&site, &b));
		execute(&run, &b, 0);
		assert_null(write_of(run.insn, 0));
		assert_defines(&run, site.isa == ISA_A64);
	}
}

/* faccessat, openat, close, lseek, write ... mprotect; access, kill, getppid ... of A32. */
static void calls_that_write_no_memory_return_alone(void **state)
{
	static const uint16_t a64[] = {48,  56,  57,  62,  64,  66,  68,  129, 130,
	                               131, 172, 173, 174, 175, 176, 177, 178, 226,
	                               23,  24,  34,  35,  96,  99,  0};
	static const uint16_t a32[] = {4,   5,   6,   10,  19,  20,  33,  37,  64,
	                               125, 146, 181, 199, 200, 201, 202, 224, 238,
	                               268, 322, 334, 39,  41,  256, 338, 358, 0};

	(void)state;
	check_silent((struct call_site){.isa = ISA_A64, .opcode = A64_SVC}, a64);
	check_silent((struct call_site){.isa = ISA_A32, .opcode = A32_SVC}, a32);
}

/* mmap(addr, length): where it returns, whole pages (of 64 KiB at most); brk(): all after. */
static void calls_that_map_make_pages_unknown(void **state)
{
	static const struct {
		struct call_site site;
		bool at_result;
		uint64_t length;
	} cases[] = {
	        {{ISA_A64, A64_SVC, true, 214, false, 0}, true, UINT32_MAX},
	        {{ISA_A64, A64_SVC, true, 215, false, 0}, false, 0x2000 + 0x10000},
	        {{ISA_A64, A64_SVC, true, 222, false, 0}, true, 0x2000 + 0x10000},
	        {{ISA_A64, A64_SVC, true, 233, false, 0}, false, 0x2000 + 0x10000},
	        {{ISA_A32, A32_SVC, true, 45, false, 0}, true, UINT32_MAX},
	        {{ISA_A32, A32_SVC, true, 220, false, 0}, false, 0x2000 + 0x10000},
	        {{ISA_A32, A32_SVC, true, 91, false, 0}, false, 0x2000 + 0x10000},
	        {{ISA_A32, A32_SVC, true, 192, false, 0}, true, 0x2000 + 0x10000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct uop_access *access;
		struct uop_builder b;
		struct uop_run run;

		assert_true(call_model_system(&cases[i].site, &b));
		execute(&run, &b, 0);
		access = write_of(run.insn, 0);
		assert_non_null(access);
		assert_null(write_of(run.insn, 1));
		if (cases[i].at_result) {
			assert_int_equal(access->address, uop_insn_after(run.insn, REG_X0));
			assert_int_equal(uop_run_length(&run, access), cases[i].length);
		} else {
			assert_writes(&run, 0, argument(0), cases[i].length);
		}
	}
}

/* Another instruction, number or immediate, or a number that is not known: nothing is said. */
static void call_that_is_not_in_the_tables_is_not_modelled(void **state)
{
	static const struct call_site sites[] = {
	        {ISA_A64, A64_SVC, false, 172, false, 0},
	        {ISA_A64, A64_SVC, true, 20, false, 0},
	        {ISA_A64, A64_SVC, true, 221, false, 0},
	        {ISA_A64, A64_SVC + 0x20, true, 172, false, 0},
	        {ISA_A32, A32_SVC, true, 172, false, 0},
	        {ISA_A32, A32_SVC + 1, true, 20, false, 0},
	        {ISA_A32, 0xee000000, true, 20, false, 0},
	        {ISA_A32, A32_SVC, false, 20, false, 0},
	        {ISA_T32, T32_SVC + 1, true, 20, false, 0},
	        {ISA_UNKNOWN, A64_SVC, true, 172, false, 0},
	        {ISA_TEE, T32_SVC, true, 20, false, 0},
	        {ISA_JAZELLE, T32_SVC, true, 20, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		struct uop_builder b;

		assert_false(call_model_system(&sites[i], &b));
	}
}

/* cacheflush is 0xf0002 of A32; A64 needs no call for it. */
static void call_that_may_flush_is_that_of_a32_or_of_no_known_number(void **state)
{
	static const struct {
		struct call_site site;
		bool may_flush;
	} cases[] = {
	        {{ISA_A32, A32_SVC, true, 0xf0002, false, 0}, true},
	        {{ISA_T32, T32_SVC, true, 0xf0002, false, 0}, true},
	        {{ISA_A32, A32_SVC, false, 0, false, 0}, true},
	        {{ISA_A32, A32_SVC, true, 0xf0001, false, 0}, false},
	        {{ISA_A64, A64_SVC, true, 0xf0002, false, 0}, false},
	        {{ISA_A64, A64_SVC, false, 0, false, 0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(call_model_may_flush(&cases[i].site), cases[i].may_flush);
}

/* The traps of the specification; BKPT is that of the M profile, SVC of the others. */
static void traps_are_those_of_the_specification(void **state)
{
	static const struct {
		enum isa isa;
		uint32_t opcode;
		bool is_m;
		bool is_trap;
	} cases[] = {
	        {ISA_A64, A64_HLT, false, true},      {ISA_A64, A64_HLT + 0x20, false, false},
	        {ISA_A32, 0xef123456, false, true},   {ISA_A32, 0xe10f0070, false, true},
	        {ISA_A32, 0xef123457, false, false},  {ISA_A32, 0xe10f0071, false, false},
	        {ISA_T32, 0xdfab, false, true},       {ISA_T32, 0xdfab, true, false},
	        {ISA_T32, 0xbeab, true, true},        {ISA_T32, 0xbeab, false, false},
	        {ISA_UNKNOWN, A64_HLT, false, false}, {ISA_TEE, 0xdfab, false, false},
	        {ISA_JAZELLE, 0xdfab, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct call_site site = {.isa = cases[i].isa,
		                         .opcode = cases[i].opcode,
		                         .has_operation = true,
		                         .operation = 0x10};
		struct uop_builder b;

		assert_int_equal(call_model_semihosting(&site, cases[i].is_m, &b),
		                 cases[i].is_trap);
		site.has_operation = false;
		assert_false(call_model_semihosting(&site, cases[i].is_m, &b));
	}
}

static bool semihosting(struct uop_run *run, struct uop_builder *b, uint64_t operation, bool is_a64)
{
	const struct call_site site = {.isa = is_a64 ? ISA_A64 : ISA_A32,
	                               .opcode = is_a64 ? A64_HLT : 0xef123456,
	                               .has_operation = true,
	                               .operation = operation};

	if (!call_model_semihosting(&site, false, b))
		return false;
	execute(run, b, is_a64 ? 8 : 4);
	assert_int_equal(uop_insn_after(run->insn, REG_X0) != REG_X0, true);
	assert_int_equal(run->insn->flags, is_a64 ? 0 : UOP_AARCH32);
	for (unsigned int reg = 1; reg < REG_COUNT; reg++)
		assert_int_equal(uop_insn_after(run->insn, reg), reg);
	return true;
}

/* SYS_READ, SYS_TMPNAM, SYS_GET_CMDLINE, SYS_HEAPINFO and SYS_ELAPSED are all that write. */
static void semihosting_writes_where_its_block_says(void **state)
{
	(void)state;
	for (unsigned int is_a64 = 0; is_a64 < 2; is_a64++) {
		unsigned int word = is_a64 ? 8 : 4;
		struct uop_builder b;
		struct uop_run run;

		assert_true(semihosting(&run, &b, 0x06, is_a64));
		assert_writes(&run, 0, WORD_0 + 1, WORD_0 + 2);
		assert_null(write_of(run.insn, 1));
		assert_true(semihosting(&run, &b, 0x0d, is_a64));
		assert_writes(&run, 0, WORD_0, WORD_0 + 2);
		assert_null(write_of(run.insn, 1));
		assert_true(semihosting(&run, &b, 0x15, is_a64));
		assert_writes(&run, 0, BLOCK, 2 * word);
		assert_writes(&run, 1, WORD_0, WORD_0 + 1);
		assert_null(write_of(run.insn, 2));
		assert_true(semihosting(&run, &b, 0x16, is_a64));
		assert_writes(&run, 0, WORD_0, 4 * word);
		assert_null(write_of(run.insn, 1));
		assert_true(semihosting(&run, &b, 0x30, is_a64));
		assert_writes(&run, 0, BLOCK, 8);
		assert_null(write_of(run.insn, 1));
	}
}

/* The operation is in W0: of X0 the upper half does not matter. */
static void other_semihosting_writes_no_memory_or_is_not_known(void **state)
{
	static const uint8_t silent[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0a,
	                                 0x0c, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x31};
	static const uint8_t others[] = {0x00, 0x0b, 0x14, 0x17, 0x18, 0x20, 0x2f, 0x32};
	struct uop_builder b;
	struct uop_run run;

	(void)state;
	for (size_t i = 0; i < sizeof(silent); i++) {
		assert_true(semihosting(&run, &b, silent[i], true));
		assert_int_equal(run.insn->access_count, 0);
	}
	assert_true(semihosting(&run, &b, UINT64_C(0x700000010), true));
	for (size_t i = 0; i < sizeof(others); i++)
		assert_false(semihosting(&run, &b, others[i], true));
	assert_false(semihosting(&run, &b, 0x110, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(calls_of_a64_write_where_their_arguments_say),
	        cmocka_unit_test(calls_of_a32_write_where_their_arguments_say),
	        cmocka_unit_test(calls_that_write_no_memory_return_alone),
	        cmocka_unit_test(calls_that_map_make_pages_unknown),
	        cmocka_unit_test(call_that_is_not_in_the_tables_is_not_modelled),
	        cmocka_unit_test(call_that_may_flush_is_that_of_a32_or_of_no_known_number),
	        cmocka_unit_test(traps_are_those_of_the_specification),
	        cmocka_unit_test(semihosting_writes_where_its_block_says),
	        cmocka_unit_test(other_semihosting_writes_no_memory_or_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
