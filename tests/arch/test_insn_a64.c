/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 instruction classes: against capstone over a sweep of opcodes, and where capstone 4 knows no
 * such instruction against opcodes that newer assemblers made (GNU as 2.40, LLVM 22).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>
#include <cmocka.h>

#include "arch/insn.h"
#include "tests/support/opcode_rows.h"

static const struct insn_options all_options = {true, true, true, false};
static const struct insn_options no_options = {0};

static struct insn classify(uint32_t opcode, uint64_t address)
{
	struct insn insn;

	memset(&insn, 0xa5, sizeof(insn));
	insn_a64_classify(opcode, address, &all_options, &insn);
	return insn;
}

/* ---- what capstone says ---- */

struct expected {
	const char *mnemonic; /* one that ends in a dot stands for all that start so */
	enum insn_class class;
	enum insn_subclass subclass;
	bool conditional;
	bool link;
	bool returns;
};

// clang-format off
static const struct expected expected[] = {
	{"b",    INSN_BRANCH,          INSN_SUB_NONE,     false, false, false},
	{"bl",   INSN_BRANCH,          INSN_SUB_LINK,     false, true,  false},
	{"b.",   INSN_BRANCH,          INSN_SUB_NONE,     true,  false, false},
	{"cbz",  INSN_BRANCH,          INSN_SUB_NONE,     true,  false, false},
	{"cbnz", INSN_BRANCH,          INSN_SUB_NONE,     true,  false, false},
	{"tbz",  INSN_BRANCH,          INSN_SUB_NONE,     true,  false, false},
	{"tbnz", INSN_BRANCH,          INSN_SUB_NONE,     true,  false, false},
	{"br",   INSN_BRANCH_INDIRECT, INSN_SUB_NONE,     false, false, false},
	{"blr",  INSN_BRANCH_INDIRECT, INSN_SUB_LINK,     false, true,  false},
	{"ret",  INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET,  false, false, true},
	{"eret", INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, false, false, true},
	{"isb",  INSN_ISB,             INSN_SUB_NONE,     false, false, false},
	{"dsb",  INSN_DSB_DMB,         INSN_SUB_NONE,     false, false, false},
	{"dmb",  INSN_DSB_DMB,         INSN_SUB_NONE,     false, false, false},
	{"wfe",  INSN_WFI_WFE,         INSN_SUB_NONE,     false, false, false},
	{"wfi",  INSN_WFI_WFE,         INSN_SUB_NONE,     false, false, false},
};

/*
 * Instructions that capstone 4 does not know or shows as the system register access that shares
 * their encoding. assembled_opcodes has at least one of each.
 */
static const struct {
	uint32_t mask;
	uint32_t match;
	const char *why;
} unknown_to_capstone[] = {
	{0xff000010, 0x54000010, "BC.cond: FEAT_HBC, Armv8.8"},
	{0xfe9ff800, 0xd61f0800, "BRAA, BRAAZ, BLRAA, BLRAAZ and key B: FEAT_PAuth, Armv8.3"},
	{0xfffffbff, 0xd69f0bff, "ERETAA, ERETAB: FEAT_PAuth, Armv8.3"},
	{0xfffffbe0, 0xd65f0be0, "RETAA, RETAB: FEAT_PAuth; RETAASPPC: FEAT_PAuth_LR, Armv9.5"},
	{0xffc0001f, 0x5500001f, "RETAASPPC, RETABSPPC label: FEAT_PAuth_LR"},
	{0xfffffbff, 0xd6ff03e0, "TEXIT: FEAT_TEV, Armv9.7"},
	{0x7e000000, 0x74000000, "CB<cc>, CBB<cc>, CBH<cc>: FEAT_CMPBR, Armv9.6"},
	{0xfffff3ff, 0xd503323f, "DSB nXS: FEAT_XS, Armv8.7; shown as MSR"},
	{0xffffffc0, 0xd5031000, "WFET, WFIT: FEAT_WFxT, Armv8.7; shown as MSR"},
	{0xffffffe0, 0xd5233060, "TSTART: FEAT_TME; shown as MRS"},
};
// clang-format on

static bool is_unknown_to_capstone(uint32_t opcode)
{
	for (size_t i = 0; i < sizeof(unknown_to_capstone) / sizeof(unknown_to_capstone[0]); i++) {
		if ((opcode & unknown_to_capstone[i].mask) == unknown_to_capstone[i].match)
			return true;
	}
	return false;
}

static const struct expected *expect(const cs_insn *shown)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const char *name = expected[i].mnemonic;
		size_t n = strlen(name);

		if (strcmp(shown->mnemonic, name) == 0 ||
		    (name[n - 1] == '.' && strncmp(shown->mnemonic, name, n) == 0))
			return &expected[i];
	}
	return NULL;
}

struct sweep {
	csh capstone;
	cs_insn *shown;
	size_t compared;
	size_t branches;
	size_t unknown;
};

static void check_against_capstone(struct sweep *sweep, uint32_t opcode, uint64_t address)
{
	const uint8_t code[4] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
	                         (uint8_t)(opcode >> 24)};
	const uint8_t *p = code;
	size_t size = sizeof(code);
	uint64_t next = address;
	struct insn insn = classify(opcode, address);
	const struct expected *want = NULL;

	sweep->compared++;
	if (cs_disasm_iter(sweep->capstone, &p, &size, &next, sweep->shown))
		want = expect(sweep->shown);
	if (is_unknown_to_capstone(opcode)) {
		assert_null(want);
		sweep->unknown++;
		return;
	}
	if (insn.class != (want ? want->class : INSN_OTHER))
		fail_msg("opcode 0x%08x is class %d, capstone says %s", opcode, (int)insn.class,
		         want ? want->mnemonic : "no waypoint");
	if (!want)
		return;
	sweep->branches++;
	assert_int_equal(insn.size, 4);
	assert_int_equal(insn.next_isa, ISA_A64);
	assert_int_equal(insn.subclass, want->subclass);
	assert_int_equal(insn.is_conditional, want->conditional);
	assert_int_equal(insn.is_link, want->link);
	assert_int_equal(insn.is_return, want->returns);
	if (want->class == INSN_BRANCH) {
		const char *target = strrchr(sweep->shown->op_str, '#');

		assert_non_null(target);
		assert_int_equal(insn.target, strtoull(target + 1, NULL, 0));
	}
}

static void sweep_open(struct sweep *sweep)
{
	memset(sweep, 0, sizeof(*sweep));
	assert_int_equal(cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &sweep->capstone), 0);
	sweep->shown = cs_malloc(sweep->capstone);
	assert_non_null(sweep->shown);
}

static void sweep_close(struct sweep *sweep)
{
	cs_free(sweep->shown, 1);
	cs_close(&sweep->capstone);
}

static void insn_a64_all_opcodes_by_stride_as_capstone(void **state)
{
	struct sweep sweep;

	(void)state;
	sweep_open(&sweep);
	/* An odd stride: every bit takes both values next to every other. */
	for (uint64_t opcode = 0; opcode <= UINT32_MAX; opcode += 2053)
		check_against_capstone(&sweep, (uint32_t)opcode, 0xffff000012345678);
	assert_true(sweep.branches > 120000);
	assert_true(sweep.unknown > 4000);
	sweep_close(&sweep);
}

/* Opcodes near the rows: each expected pattern with random fields and with single bits flipped. */
static void insn_a64_waypoints_with_random_fields_as_capstone(void **state)
{
	static const uint32_t seeds[] = {
	        0x14000000, 0x94000000, 0x54000000, 0x34000000, 0x35000000, 0xb4000000,
	        0xb5000000, 0x36000000, 0x37000000, 0xb6000000, 0xb7000000, 0xd61f0000,
	        0xd63f0000, 0xd65f0000, 0xd69f03e0, 0xd6bf03e0, 0xd503309f, 0xd50330bf,
	        0xd50330df, 0xd50330ff, 0xd503205f, 0xd503207f, 0xd503201f, 0xd4000001,
	        0xd4000002, 0xd4000003, 0xd4200000, 0xd4400000, 0xd5000000, 0xd6000000,
	};
	uint32_t random = 1;
	struct sweep sweep;

	(void)state;
	sweep_open(&sweep);
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		for (unsigned int bit = 0; bit < 32; bit++)
			check_against_capstone(&sweep, seeds[i] ^ UINT32_C(1) << bit, 0x400000);
		for (unsigned int n = 0; n < 4000; n++) {
			random = random * 1664525 + 1013904223;
			check_against_capstone(&sweep, seeds[i] | random >> (8 + n % 20), 0x400000);
		}
	}
	assert_true(sweep.branches > 40000);
	sweep_close(&sweep);
}

/* ---- what capstone does not know, and each row ---- */

struct assembled {
	uint32_t opcode;
	const char *text; /* as the assembler has it, at address 0x10000 */
	enum insn_class class;
	enum insn_subclass subclass;
	const char *flags; /* of c, l, r */
	uint64_t target;
};

// clang-format off
static const struct assembled assembled_opcodes[] = {
	{0x54000050, "bc.eq .+8",             INSN_BRANCH, INSN_SUB_NONE, "c", 0x10008},
	{0x5480001b, "bc.lt .-1048576",       INSN_BRANCH, INSN_SUB_NONE, "c", 0xfffffffffff10000},
	{0xd71f0822, "braa x1, x2",           INSN_BRANCH_INDIRECT, INSN_SUB_NONE, "", 0},
	{0xd71f0c7f, "brab x3, sp",           INSN_BRANCH_INDIRECT, INSN_SUB_NONE, "", 0},
	{0xd61f0bdf, "braaz x30",             INSN_BRANCH_INDIRECT, INSN_SUB_NONE, "", 0},
	{0xd61f0cff, "brabz x7",              INSN_BRANCH_INDIRECT, INSN_SUB_NONE, "", 0},
	{0xd73f0822, "blraa x1, x2",          INSN_BRANCH_INDIRECT, INSN_SUB_LINK, "l", 0},
	{0xd73f0fdd, "blrab x30, x29",        INSN_BRANCH_INDIRECT, INSN_SUB_LINK, "l", 0},
	{0xd63f081f, "blraaz x0",             INSN_BRANCH_INDIRECT, INSN_SUB_LINK, "l", 0},
	{0xd63f0e3f, "blrabz x17",            INSN_BRANCH_INDIRECT, INSN_SUB_LINK, "l", 0},
	{0xd65f0bff, "retaa",                 INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0xd65f0fff, "retab",                 INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0xd65f0be1, "retaasppcr x1",         INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0xd65f0fe5, "retabsppcr x5",         INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0x5500001f, "retaasppc .",           INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0x551fffbf, "retaasppc .-262132",    INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0x553fffbf, "retabsppc .-262132",    INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0xd69f0bff, "eretaa",                INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, "r", 0},
	{0xd69f0fff, "eretab",                INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, "r", 0},
	{0xd6ff03e0, "texit",                 INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, "r", 0},
	{0xd6ff07e0, "texit nb",              INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, "r", 0},
	{0x74000000, "cbgt w0, w0, .",        INSN_BRANCH, INSN_SUB_NONE, "", 0x10000},
	{0xf4df0021, "cbeq x1, xzr, .+4",     INSN_BRANCH, INSN_SUB_NONE, "", 0x10004},
	{0x74e01fe3, "cbne w3, w0, .+1020",   INSN_BRANCH, INSN_SUB_NONE, "", 0x103fc},
	{0x7400a001, "cbbgt w1, w0, .-1024",  INSN_BRANCH, INSN_SUB_NONE, "", 0xfc00},
	{0x7400c001, "cbhgt w1, w0, .",       INSN_BRANCH, INSN_SUB_NONE, "", 0x10000},
	{0x75200001, "cblt w1, #0, .",        INSN_BRANCH, INSN_SUB_NONE, "", 0x10000},
	{0xf51f8fe2, "cbgt x2, #63, .+508",   INSN_BRANCH, INSN_SUB_NONE, "", 0x101fc},
	{0xf5003fe0, "cbgt x0, #0, .-4",      INSN_BRANCH, INSN_SUB_NONE, "", 0xfffc},
	{0xd503323f, "dsb oshnxs",            INSN_DSB_DMB, INSN_SUB_NONE, "", 0},
	{0xd5033e3f, "dsb synxs",             INSN_DSB_DMB, INSN_SUB_NONE, "", 0},
	{0xd503309f, "ssbb",                  INSN_DSB_DMB, INSN_SUB_NONE, "", 0},
	{0xd503349f, "pssbb",                 INSN_DSB_DMB, INSN_SUB_NONE, "", 0},
	{0xd5031003, "wfet x3",               INSN_WFI_WFE, INSN_SUB_NONE, "", 0},
	{0xd503103e, "wfit x30",              INSN_WFI_WFE, INSN_SUB_NONE, "", 0},
	{0xd5233069, "tstart x9",             INSN_TSTART, INSN_SUB_NONE, "", 0},
	/* neighbours that end no run */
	{0xd5233169, "ttest x9",              INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd503307f, "tcommit",               INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd46000a0, "tcancel #5",            INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd50330ff, "sb",                    INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd503221f, "esb",                   INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd503229f, "csdb",                  INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd503233f, "paciasp",               INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd50324df, "bti jc",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd6bf03e0, "drps",                  INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0x5540001f, "not allocated",         INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0x74004000, "not allocated",         INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xf4008000, "not allocated",         INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0x75004000, "not allocated",         INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd6ff0be0, "not allocated",         INSN_OTHER, INSN_SUB_NONE, "", 0},
	/* taken by exceptions, which the trace says in packets of their own */
	{0xd4000001, "svc #0",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd4000002, "hvc #0",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd4000003, "smc #0",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd4200000, "brk #0",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0xd4400000, "hlt #0",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	{0x00000000, "udf #0",                INSN_OTHER, INSN_SUB_NONE, "", 0},
	/* rows that capstone knows */
	{0x14000002, "b .+8",                 INSN_BRANCH, INSN_SUB_NONE, "", 0x10008},
	{0x97fffffe, "bl .-8",                INSN_BRANCH, INSN_SUB_LINK, "l", 0xfff8},
	{0xb4000041, "cbz x1, .+8",           INSN_BRANCH, INSN_SUB_NONE, "c", 0x10008},
	{0x37000041, "tbnz w1, #0, .+8",      INSN_BRANCH, INSN_SUB_NONE, "c", 0x10008},
	{0xd61f0020, "br x1",                 INSN_BRANCH_INDIRECT, INSN_SUB_NONE, "", 0},
	{0xd63f0020, "blr x1",                INSN_BRANCH_INDIRECT, INSN_SUB_LINK, "l", 0},
	{0xd65f03c0, "ret",                   INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "r", 0},
	{0xd69f03e0, "eret",                  INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, "r", 0},
	{0xd503207f, "wfi",                   INSN_WFI_WFE, INSN_SUB_NONE, "", 0},
	{0xd5033bbf, "dmb ish",               INSN_DSB_DMB, INSN_SUB_NONE, "", 0},
	{0xd5033fdf, "isb",                   INSN_ISB, INSN_SUB_NONE, "", 0},
};
// clang-format on

static void insn_a64_assembled_opcodes_have_their_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(assembled_opcodes) / sizeof(assembled_opcodes[0]); i++) {
		const struct assembled *want = &assembled_opcodes[i];
		struct insn insn = classify(want->opcode, 0x10000);

		if (insn.class != want->class || insn.subclass != want->subclass ||
		    insn.target != want->target)
			fail_msg("%s: class %d, subclass %d, target 0x%llx", want->text,
			         (int)insn.class, (int)insn.subclass,
			         (unsigned long long)insn.target);
		assert_int_equal(insn.is_conditional, strchr(want->flags, 'c') != NULL);
		assert_int_equal(insn.is_link, strchr(want->flags, 'l') != NULL);
		assert_int_equal(insn.is_return, strchr(want->flags, 'r') != NULL);
		assert_int_equal(insn.size, 4);
	}
}

/* What the sweep passes over is looked at by name. */
static void insn_a64_unknown_to_capstone_is_assembled(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unknown_to_capstone) / sizeof(unknown_to_capstone[0]); i++) {
		size_t count = 0;

		for (size_t k = 0; k < sizeof(assembled_opcodes) / sizeof(assembled_opcodes[0]);
		     k++) {
			if ((assembled_opcodes[k].opcode & unknown_to_capstone[i].mask) ==
			    unknown_to_capstone[i].match)
				count++;
		}
		if (count == 0)
			fail_msg("no opcode for %s", unknown_to_capstone[i].why);
	}
}

/* ---- the rows, targets, options ---- */

static void insn_a64_rows_with_a_flow_have_their_opcodes(void **state)
{
	static bool has_opcode[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(assembled_opcodes) / sizeof(assembled_opcodes[0]); i++)
		has_opcode[opcode_find(&a64_opcodes, assembled_opcodes[i].opcode)] = true;
	for (size_t i = 0; i < a64_opcodes.count; i++) {
		if (a64_opcodes.rows[i].flow != FLOW_NONE && !has_opcode[i])
			fail_msg("no opcode for row %s", a64_opcodes.rows[i].name);
	}
}

struct extreme {
	uint32_t opcode;
	uint64_t address;
	uint64_t target;
};

static void insn_a64_target_at_extremes_is_exact(void **state)
{
	// clang-format off
	static const struct extreme extremes[] = {
		{0x15ffffff, 0x10000000, 0x17fffffc}, /* b, +128 MiB - 4 */
		{0x16000000, 0x10000000, 0x08000000}, /* b, -128 MiB */
		{0x95ffffff, 0x10000000, 0x17fffffc}, /* bl */
		{0x96000000, 0x10000000, 0x08000000},
		{0x547fffe0, 0x10000000, 0x100ffffc}, /* b.eq, +1 MiB - 4 */
		{0x54800000, 0x10000000, 0x0ff00000}, /* b.eq, -1 MiB */
		{0xb47fffff, 0x10000000, 0x100ffffc}, /* cbz */
		{0xb580001f, 0x10000000, 0x0ff00000}, /* cbnz */
		{0xb6fbffe0, 0x10000000, 0x10007ffc}, /* tbz, +32 KiB - 4 */
		{0x37fc0000, 0x10000000, 0x0fff8000}, /* tbnz, -32 KiB */
		{0x74001fe0, 0x10000000, 0x100003fc}, /* cbgt, +1 KiB - 4 */
		{0x74002000, 0x10000000, 0x0ffffc00}, /* cbgt, -1 KiB */
		{0x14000001, 0xfffffffffffffffc, 0}, /* over the end of the address space */
		{0x15ffffff, 0xfffffffffffffffc, 0x7fffff8},
		{0x17ffffff, 0, 0xfffffffffffffffc}, /* under its beginning */
		{0x54800000, 0x1000, 0xfffffffffff01000},
		{0x14000000, 0x7ffffffffffffffc, 0x7ffffffffffffffc},
		{0x14000001, 0x7ffffffffffffffc, 0x8000000000000000},
	};
	// clang-format on

	(void)state;
	for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++) {
		struct insn insn = classify(extremes[i].opcode, extremes[i].address);

		assert_int_equal(insn.class, INSN_BRANCH);
		if (insn.target != extremes[i].target)
			fail_msg("0x%08x: target 0x%llx", extremes[i].opcode,
			         (unsigned long long)insn.target);
	}
}

static void insn_a64_without_options_only_branches_and_isb(void **state)
{
	static const struct {
		uint32_t opcode;
		struct insn_options options;
		enum insn_class class;
	} cases[] = {
	        {0xd5033f9f, {.dsb_dmb_is_waypoint = true}, INSN_DSB_DMB},
	        {0xd5033fbf, {.dsb_dmb_is_waypoint = true}, INSN_DSB_DMB},
	        {0xd503205f, {.wfi_wfe_is_branch = true}, INSN_WFI_WFE},
	        {0xd503207f, {.wfi_wfe_is_branch = true}, INSN_WFI_WFE},
	        {0xd5031020, {.wfi_wfe_is_branch = true}, INSN_WFI_WFE},
	        {0xd5233060, {.tstart_is_waypoint = true}, INSN_TSTART},
	};
	struct insn insn;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		insn_a64_classify(cases[i].opcode, 0, &no_options, &insn);
		assert_int_equal(insn.class, INSN_OTHER);
		insn_a64_classify(cases[i].opcode, 0, &cases[i].options, &insn);
		assert_int_equal(insn.class, cases[i].class);
	}
	insn_a64_classify(0xd5033fdf, 0, &no_options, &insn);
	assert_int_equal(insn.class, INSN_ISB);
	insn_a64_classify(0xd65f03c0, 0, &no_options, &insn);
	assert_int_equal(insn.class, INSN_BRANCH_INDIRECT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(insn_a64_all_opcodes_by_stride_as_capstone),
	        cmocka_unit_test(insn_a64_waypoints_with_random_fields_as_capstone),
	        cmocka_unit_test(insn_a64_assembled_opcodes_have_their_class),
	        cmocka_unit_test(insn_a64_unknown_to_capstone_is_assembled),
	        cmocka_unit_test(insn_a64_rows_with_a_flow_have_their_opcodes),
	        cmocka_unit_test(insn_a64_target_at_extremes_is_exact),
	        cmocka_unit_test(insn_a64_without_options_only_branches_and_isb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
