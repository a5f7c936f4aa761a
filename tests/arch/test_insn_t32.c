/* SPDX-License-Identifier: Apache-2.0 */
/* T32 instruction classes: assembled opcodes, targets, a sweep against capstone, the rows. */
#include "tests/arch/insn_check.h"

// clang-format off
/* Opcodes and text are those of GNU as 2.40; row: as in the table of opcodes. */
static const struct expected opcodes[] = {
	{"bx lr",                       "BX",            0x4770, IBR,          RET, RETURN},
	{"bx r3",                       "BX",            0x4718, IBR,          NO,  0},
	{"bxns lr",                     "BX_WIDE",       0x4774, IBR,          RET, RETURN},
	{"bxns r3",                     "BX_WIDE",       0x471c, IBR,          NO,  0},
	{"blx r3",                      "BLX",           0x4798, IBR,          LNK, LINK},
	{"blx lr",                      "BLX",           0x47f0, IBR,          LNK, LINK},
	{"blxns r3",                    "BLX_WIDE",      0x479c, IBR,          LNK, LINK},
	{"add pc, r1",                  "ADD_HIGH",      0x448f, IBR,          NO,  0},
	{"add pc, lr",                  "ADD_HIGH",      0x44f7, IBR,          NO,  0},
	{"mov pc, r1",                  "MOV_HIGH",      0x468f, IBR,          NO,  0},
	{"mov pc, lr",                  "MOV_HIGH",      0x46f7, IBR,          RET, RETURN},
	{"mov r1, pc",                  "MOV_HIGH",      0x4679, OTHER,        NO,  0},
	{"add sp, r1",                  "ADD_HIGH",      0x448d, OTHER,        NO,  0},
	{"cmp pc, r1",                  "CMP_HIGH",      0x458f, OTHER,        NO,  0},
	{"pop {pc}",                    "POP_PC",        0xbd00, IBR,          RET, RETURN},
	{"pop {r4, pc}",                "POP_PC",        0xbd10, IBR,          RET, RETURN},
	{"pop {r4}",                    "POP",           0xbc10, OTHER,        NO,  0},
	{"cbz r1",                      "CBZ_CBNZ",      0xb101, BR,           NO,  COND},
	{"cbnz r1",                     "CBZ_CBNZ",      0xbbf9, BR,           NO,  COND},
	{"add sp, #4",                  "ADD_SUB_SP",    0xb001, OTHER,        NO,  0},
	{"beq",                         "B_COND",        0xd000, BR,           NO,  COND},
	{"ble",                         "B_COND",        0xdd80, BR,           NO,  COND},
	{"udf #1",                      "UDF",           0xde01, OTHER,        NO,  0},
	{"svc #1",                      "SVC",           0xdf01, OTHER,        NO,  0},
	{"b",                           "B",             0xe000, BR,           NO,  0},
	{"beq.w",                       "B_COND_W",      0xf0008000, BR,           NO,  COND},
	{"beq.w",                       "B_COND_W",      0xf4008000, BR,           NO,  COND},
	{"ble.w",                       "B_COND_W",      0xf3408000, BR,           NO,  COND},
	{"b.w",                         "B_W",           0xf000b800, BR,           NO,  0},
	{"bl",                          "BL",            0xf000f800, BR,           LNK, LINK},
	{"blx",                         "BLX_IMM",       0xf000e800, BR,           LNK, LINK | TO_A32},
	{"bxj r1",                      "BXJ",           0xf3c18f00, IBR,          NO,  0},
	{"subs pc, lr, #4",             "ERET",          0xf3de8f04, IBR,          NO,  RETURN},
	{"eret",                        "ERET",          0xf3de8f00, IBR,          NO,  RETURN},
	{"tbb [pc, r1]",                "TBB_TBH",       0xe8dff001, IBR,          NO,  0},
	{"tbh [pc, r1, lsl #1]",        "TBB_TBH",       0xe8dff011, IBR,          NO,  0},
	{"rfeia sp!",                   "RFE_IA",        0xe9bdc000, IBR,          NO,  RETURN},
	{"rfeia r1",                    "RFE_IA",        0xe991c000, IBR,          NO,  RETURN},
	{"rfedb r1",                    "RFE_DB",        0xe811c000, IBR,          NO,  RETURN},
	{"rfedb sp!",                   "RFE_DB",        0xe83dc000, IBR,          NO,  RETURN},
	{"pop.w {r4, r8, pc}",          "LDM_STM_IA",    0xe8bd8110, IBR,          RET, RETURN},
	{"ldm r1, {r4, lr}",            "LDM_STM_IA",    0xe8914010, OTHER,        NO,  0},
	{"ldm r1, {r2, pc}",            "LDM_STM_IA",    0xe8918004, IBR,          NO,  0},
	{"ldm r1!, {r2, pc}",           "LDM_STM_IA",    0xe8b18004, IBR,          NO,  0},
	{"ldmdb sp!, {r4, pc}",         "LDM_STM_DB",    0xe93d8010, IBR,          NO,  0},
	{"ldmdb sp, {r4, pc}",          "LDM_STM_DB",    0xe91d8010, IBR,          NO,  0},
	{"pop.w {r4, lr}",              "LDM_STM_IA",    0xe8bd4010, OTHER,        NO,  0},
	{"ldr.w pc, [r1, #4]",          "LDR_IMM12",     0xf8d1f004, IBR,          NO,  0},
	{"ldr.w pc, [pc, #4]",          "LDR_LITERAL_W", 0xf8dff004, IBR,          NO,  0},
	{"ldr.w pc, [pc, #-4]",         "LDR_LITERAL_W", 0xf85ff004, IBR,          NO,  0},
	{"pop.w {pc}",                  "LDR_IMM8",      0xf85dfb04, IBR,          RET, RETURN},
	{"ldr.w pc, [sp], #8",          "LDR_IMM8",      0xf85dfb08, IBR,          RET, RETURN},
	{"ldr.w pc, [sp, #-4]",         "LDR_IMM8",      0xf85dfc04, IBR,          NO,  0},
	{"ldr.w pc, [sp, #4]!",         "LDR_IMM8",      0xf85dff04, IBR,          NO,  0},
	{"ldr.w pc, [r1], #4",          "LDR_IMM8",      0xf851fb04, IBR,          NO,  0},
	{"ldr.w pc, [r1, r2]",          "LDR_REG_W",     0xf851f002, IBR,          NO,  0},
	{"ldr.w pc, [r1, r2, lsl #3]",  "LDR_REG_W",     0xf851f032, IBR,          NO,  0},
	{"ldr.w r0, [r1, r2]",          "LDR_REG_W",     0xf8510002, OTHER,        NO,  0},
	{"it eq",                       "IT",            0xbf08, OTHER,        NO,  0},
	{"nop",                         "HINT",          0xbf00, OTHER,        NO,  0},
	{"sev",                         "HINT",          0xbf40, OTHER,        NO,  0},
	{"wfe",                         "WFE_WFI",       0xbf20, INSN_WFI_WFE, NO,  0},
	{"wfi",                         "WFE_WFI",       0xbf30, INSN_WFI_WFE, NO,  0},
	{"wfe.w",                       "WFE_WFI_W",     0xf3af8002, INSN_WFI_WFE, NO,  0},
	{"wfi.w",                       "WFE_WFI_W",     0xf3af8003, INSN_WFI_WFE, NO,  0},
	{"nop.w",                       "HINTS",         0xf3af8000, OTHER,        NO,  0},
	{"sev.w",                       "HINTS",         0xf3af8004, OTHER,        NO,  0},
	{"isb sy",                      "ISB",           0xf3bf8f6f, INSN_ISB,     NO,  0},
	{"dsb sy",                      "DSB_DMB",       0xf3bf8f4f, INSN_DSB_DMB, NO,  0},
	{"dsb ish",                     "DSB_DMB",       0xf3bf8f4b, INSN_DSB_DMB, NO,  0},
	{"dmb ish",                     "DSB_DMB",       0xf3bf8f5b, INSN_DSB_DMB, NO,  0},
	{"clrex",                       "BARRIER",       0xf3bf8f2f, OTHER,        NO,  0},
	{"sb",                          "BARRIER",       0xf3bf8f70, OTHER,        NO,  0},
	{"mcr p15, 0, r0, c7, c5, 4",   "CP15_ISB",      0xee070f95, INSN_ISB,     NO,  0},
	{"mcr p15, 0, r0, c7, c10, 4",  "CP15_DSB",      0xee070f9a, INSN_DSB_DMB, NO,  0},
	{"mcr p15, 0, r0, c7, c10, 5",  "CP15_DMB",      0xee070fba, INSN_DSB_DMB, NO,  0},
	{"hvc #0",                      "HVC",           0xf7e08000, OTHER,        NO,  0},
	{"smc #0",                      "SMC",           0xf7f08000, OTHER,        NO,  0},
	{"udf.w #0",                    "UDF_W",         0xf7f0a000, OTHER,        NO,  0},
	{"msr cpsr_c, r1",              "MSR",           0xf3818100, OTHER,        NO,  0},
	{"mrs r1, cpsr",                "MRS",           0xf3ef8100, OTHER,        NO,  0},
	{"cps #16",                     "CPS_W",         0xf3af8110, OTHER,        NO,  0},
	{"bkpt #0",                     "BKPT",          0xbe00, OTHER,        NO,  0},
	{"movs r0, r0",                 "SHIFT_IMM",     0x0000, OTHER,        NO,  0},
	{"undefined",                   "NEON",          0xffffffff, OTHER,        NO,  0},
	/* Armv8-M and Armv8.1-M */
	{"le lr",                       "LE_LR",         0xf00fc003, BR,           NO,  0},
	{"le",                          "LE",            0xf02fc005, BR,           NO,  0},
	{"letp lr",                     "LETP",          0xf01fc007, BR,           NO,  0},
	{"wls lr, r3",                  "WLS",           0xf043c817, BR,           NO,  0},
	{"wlstp.8 lr, r3",              "WLSTP",         0xf003c815, BR,           NO,  0},
	{"wlstp.64 lr, r3",             "WLSTP",         0xf033c813, BR,           NO,  0},
	{"dls lr, r3",                  NULL,            0xf043e001, OTHER,        NO,  0},
	{"dlstp.32 lr, r3",             NULL,            0xf023e001, OTHER,        NO,  0},
	{"lctp",                        NULL,            0xf00fe001, OTHER,        NO,  0},
	{"bf",                          NULL,            0xf4c0e80b, OTHER,        NO,  0},
	{"bfx",                         NULL,            0xf3e3e001, OTHER,        NO,  0},
	{"bfl",                         NULL,            0xf280c807, OTHER,        NO,  0},
	{"bflx",                        NULL,            0xf1f3e001, OTHER,        NO,  0},
	{"bfcsel",                      NULL,            0xf080e803, OTHER,        NO,  0},
	{"sg",                          "SG",            0xe97fe97f, OTHER,        NO,  0},
	{"csel r0, r1, r2, eq",         NULL,            0xea518002, OTHER,        NO,  0},
	{"clrm {r0, r1}",               "LDM_STM_IA",    0xe89f0003, OTHER,        NO,  0},
	{"clrm {r0, r1, apsr}",         "LDM_STM_IA",    0xe89f8003, IBR,          NO,  0},
	/* UNPREDICTABLE: OpenCSD looks at no SBO and SBZ bits */
	{"rfedb r1",                    "RFE_DB_WIDE",   0xe8110000, IBR,          NO,  RETURN},
	{"rfeia r1",                    "RFE_IA_WIDE",   0xe9910000, IBR,          NO,  RETURN},
	{"bxj r1",                      "BXJ_WIDE",      0xf3c18000, IBR,          NO,  0},
	{"subs pc, r0, #0",             "ERET_WIDE",     0xf3d08000, IBR,          NO,  RETURN},
	{"undefined",                   "MISC_RESERVED", 0xf7808000, OTHER,        NO,  0},
};
// clang-format on

static struct insn classify_at(uint32_t opcode, uint64_t address)
{
	struct insn insn;

	insn_t32_classify(opcode, address, &all_waypoints, &insn);
	return insn;
}

static void t32_opcodes_assembled_have_their_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(opcodes); i++) {
		struct insn insn = classify_at(opcodes[i].opcode, 0x8000);

		check_fields(&opcodes[i], &insn);
		assert_int_equal(insn.size, opcodes[i].opcode > 0xffff ? 4 : 2);
		assert_int_equal(insn.next_isa, opcodes[i].flags & TO_A32 ? ISA_A32 : ISA_T32);
	}
}

static void t32_rows_with_a_flow_have_their_opcodes(void **state)
{
	(void)state;
	check_rows(&t32_opcodes, opcodes, LENGTH(opcodes));
}

static void t32_size_is_4_from_e800_on(void **state)
{
	(void)state;
	for (uint32_t first = 0; first <= 0xffff; first++) {
		unsigned int size = first >= 0xe800 ? 4 : 2;

		assert_int_equal(insn_t32_size(first), size);
		/* the first half of a wide opcode is nothing by itself */
		assert_int_equal(classify_at(first, 0x8000).size, size);
		if (size == 4)
			assert_int_equal(classify_at(first, 0x8000).class, INSN_OTHER);
	}
}

/* One to four instructions by the lowest one of the mask; a mask of 0 is a hint. */
static void t32_it_counts_its_instructions(void **state)
{
	static const uint8_t counts[16] = {0, 4, 3, 4, 2, 4, 3, 4, 1, 4, 3, 4, 2, 4, 3, 4};

	(void)state;
	for (uint32_t opcode = 0; opcode <= 0xffff; opcode++) {
		unsigned int expected = opcode >> 8 == 0xbf ? counts[opcode & 0xf] : 0;

		assert_int_equal(classify_at(opcode, 0x8000).it_count, expected);
	}
	assert_int_equal(classify_at(0xf3af8001, 0x8000).it_count, 0);
}

static void t32_barriers_count_only_where_they_are_waypoints(void **state)
{
	static const uint32_t no_waypoints[] = {0xf3bf8f5b, 0xf3bf8f4f, 0xee070f9a,
	                                        0xbf20,     0xbf30,     0xf3af8003};
	struct insn_options none = {0};
	struct insn insn;

	(void)state;
	for (size_t i = 0; i < LENGTH(no_waypoints); i++) {
		insn_t32_classify(no_waypoints[i], 0, &none, &insn);
		assert_int_equal(insn.class, INSN_OTHER);
	}
	insn_t32_classify(0xf3bf8f6f, 0, &none, &insn); /* isb */
	assert_int_equal(insn.class, INSN_ISB);
	insn_t32_classify(0x4770, 0, &none, &insn); /* bx lr */
	assert_int_equal(insn.class, INSN_BRANCH_INDIRECT);
}

static const struct {
	uint32_t opcode;
	uint64_t address;
	uint64_t target;
} extremes[] = {
        /* CBZ: 0 to 126, never back */
        {0xb101, 0x8000, 0x8004},
        {0xb3f9, 0x8000, 0x8082},
        {0xbbf9, 0x8002, 0x8084},
        /* B<c> T1: -256 to 254 */
        {0xd07f, 0x8000, 0x8102},
        {0xd080, 0x8000, 0x7f04},
        /* B T2: -2048 to 2046 */
        {0xe3ff, 0x8000, 0x8802},
        {0xe400, 0x8000, 0x7804},
        {0xe7fe, 0x8000, 0x8000},
        /* B<c> T3: -1 MiB to 1 MiB - 2; J2 is bit 19, J1 bit 18 */
        {0xf03fafff, 0x100000, 0x200002},
        {0xf4008000, 0x8000100, 0x7f00104},
        {0xf0008800, 0x8000, 0x88004},
        {0xf000a000, 0x8000, 0x48004},
        /* B T4, BL: -16 MiB to 16 MiB - 2; J1 and J2 are inverted where S is 0 */
        {0xf3ff97ff, 0x8000, 0x1008002},
        {0xf4009000, 0x1008000, 0x8004},
        {0xf000b800, 0x8000, 0x8004},
        {0xf7ffbffe, 0x8000, 0x8000},
        {0xf3ffd7ff, 0x8000, 0x1008002},
        {0xf7fffffe, 0x8000, 0x8000},
        /* BLX: from the aligned PC */
        {0xf000e800, 0x8000, 0x8004},
        {0xf000e800, 0x8002, 0x8004},
        {0xf3ffc7fe, 0x8002, 0x1008000},
        {0xf400c000, 0x1008002, 0x8004},
        /* LE and LETP: 0 to 4094 back; WLS: 0 to 4094 on; bit 11 is a halfword */
        {0xf00fc001, 0x8000, 0x8004},
        {0xf00fc801, 0x8000, 0x8002},
        {0xf00fc003, 0x8000, 0x8000},
        {0xf02fcfff, 0x8000, 0x7006},
        {0xf01fcfff, 0x8000, 0x7006},
        {0xf043c001, 0x8000, 0x8004},
        {0xf043c801, 0x8000, 0x8006},
        {0xf043cfff, 0x8000, 0x9002},
        {0xf033cfff, 0x8000, 0x9002},
        /* as the assembler places them, in the loop of test_insn_t32's opcodes */
        {0xf02fc005, 0xa, 0x6},
        {0xf01fc007, 0xe, 0x6},
        {0xf043c817, 0x12, 0x44},
        {0xf003c815, 0x16, 0x44},
        /* around the end of 32 bits, both ways */
        {0xe000, 0xfffffffc, 0x0},
        {0xe7f0, 0x0, 0xffffffe4},
        {0xf7ffbffc, 0x0, 0xfffffffc},
        {0xf00fc00d, 0x0, 0xffffffec},
        {0xf000e800, 0xfffffffe, 0x0},
};

static void t32_targets_are_exact_at_the_extremes(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(extremes); i++) {
		struct insn insn = classify_at(extremes[i].opcode, extremes[i].address);

		assert_int_equal(insn.class, INSN_BRANCH);
		if (insn.target != extremes[i].target)
			fail_msg("%08x at %llx: target %llx, expected %llx", extremes[i].opcode,
			         (unsigned long long)extremes[i].address,
			         (unsigned long long)insn.target,
			         (unsigned long long)extremes[i].target);
	}
}

/* SUBS PC, LR, #imm is the one of its kind among wide opcodes. */
static bool cs_is_subs_pc_lr(const cs_arm *arm)
{
	return arm->op_count == 3 && arm->update_flags && arm->operands[1].reg == ARM_REG_LR &&
	       arm->operands[2].type == ARM_OP_IMM;
}

/* True if the Arm ARM has the instruction that capstone reads as a branch. */
static bool cs_is_branch(const cs_insn *insn)
{
	const cs_arm *arm = &insn->detail->arm;

	switch (insn->id) {
	case ARM_INS_B:
	case ARM_INS_BL:
	case ARM_INS_BLX:
	case ARM_INS_BX:
	case ARM_INS_BXJ:
	case ARM_INS_CBZ:
	case ARM_INS_CBNZ:
	case ARM_INS_TBB:
	case ARM_INS_TBH:
	case ARM_INS_RFEDB:
	case ARM_INS_RFEIA:
	case ARM_INS_ERET:
		return true;
	case ARM_INS_LDM:
	case ARM_INS_LDMDB:
		return cs_lists_pc(arm, 1);
	case ARM_INS_POP:
		return cs_lists_pc(arm, 0);
	case ARM_INS_LDR:
		return cs_writes_pc(arm);
	case ARM_INS_ADD:
	case ARM_INS_MOV:
		return insn->size == 2 && cs_writes_pc(arm);
	case ARM_INS_SUB:
		return cs_writes_pc(arm) && cs_is_subs_pc_lr(arm);
	default:
		return false;
	}
}

/* UNPREDICTABLE; OpenCSD classes it so. What Armv8.1-M adds capstone 4 does not read. */
// clang-format off
static struct difference differences[] = {
	{0xfff0ff00, 0xf850fe00, true, "LDRT with Rt = PC", 0},
};
// clang-format on

struct sweep {
	csh handle;
	cs_insn *insn;
	unsigned long read;
	unsigned long branches;
	unsigned long targets;
};

static void compare(struct sweep *sweep, uint32_t opcode, uint32_t address)
{
	uint32_t first = opcode > 0xffff ? opcode >> 16 : opcode;
	uint8_t raw[4] = {(uint8_t)first, (uint8_t)(first >> 8), (uint8_t)opcode,
	                  (uint8_t)(opcode >> 8)};
	const uint8_t *code = raw;
	size_t size = opcode > 0xffff ? 4 : 2;
	uint64_t pc = address;
	struct insn ours = classify_at(opcode, address);
	bool is_branch = is_branch_class(ours.class);

	if (!cs_disasm_iter(sweep->handle, &code, &size, &pc, sweep->insn))
		return;
	sweep->read++;
	sweep->branches += is_branch;
	assert_int_equal(ours.size, sweep->insn->size);
	if (is_branch != cs_is_branch(sweep->insn) &&
	    !explain(differences, LENGTH(differences), opcode, is_branch))
		fail_msg("%08x %s %s: class %d", opcode, sweep->insn->mnemonic, sweep->insn->op_str,
		         (int)ours.class);
	if (ours.class != INSN_BRANCH)
		return;
	sweep->targets++;
	if (ours.target != cs_target(&sweep->insn->detail->arm))
		fail_msg("%08x at %x: target %llx, capstone %x", opcode, address,
		         (unsigned long long)ours.target, cs_target(&sweep->insn->detail->arm));
	assert_int_equal(ours.is_link, cs_insn_group(sweep->handle, sweep->insn, CS_GRP_CALL));
}

/* Every first halfword, with second ones that make a difference. */
static void sweep_wide(struct sweep *sweep)
{
	static const uint32_t low[] = {0x000, 0x001, 0x002, 0x004, 0x7ff, 0x800, 0xb04,
	                               0xc04, 0xe04, 0xf00, 0xf4f, 0xf6f, 0xfff};

	for (uint32_t first = 0xe800; first <= 0xffff; first++) {
		for (uint32_t i = 0; i < LENGTH(low) << 4; i++)
			compare(sweep, first << 16 | (i & 0xf) << 12 | low[i >> 4], 0x8000);
	}
}

static void sweep_mode(struct sweep *sweep, cs_mode mode)
{
	uint32_t random = 1;

	assert_int_equal(cs_open(CS_ARCH_ARM, mode, &sweep->handle), CS_ERR_OK);
	cs_option(sweep->handle, CS_OPT_DETAIL, CS_OPT_ON);
	sweep->insn = cs_malloc(sweep->handle);
	for (uint32_t opcode = 0; opcode < 0xe800; opcode++)
		compare(sweep, opcode, 0x8002);
	sweep_wide(sweep);
	for (unsigned int i = 0; i < 200000; i++) {
		random = random * 1664525 + 1013904223;
		compare(sweep, (random & 0xf7ffffff) | 0xf0008000, random * 69069 & ~1U);
	}
	cs_free(sweep->insn, 1);
	cs_close(&sweep->handle);
}

static void t32_sweep_agrees_with_capstone(void **state)
{
	struct sweep sweep = {0};

	(void)state;
	sweep_mode(&sweep, (cs_mode)(CS_MODE_THUMB | CS_MODE_V8));
	sweep_mode(&sweep, (cs_mode)(CS_MODE_THUMB | CS_MODE_MCLASS));
	check_all_used(differences, LENGTH(differences));
	assert_true(sweep.read > 1000000);
	assert_true(sweep.branches > 200000);
	assert_true(sweep.targets > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(t32_opcodes_assembled_have_their_class),
	        cmocka_unit_test(t32_rows_with_a_flow_have_their_opcodes),
	        cmocka_unit_test(t32_size_is_4_from_e800_on),
	        cmocka_unit_test(t32_it_counts_its_instructions),
	        cmocka_unit_test(t32_barriers_count_only_where_they_are_waypoints),
	        cmocka_unit_test(t32_targets_are_exact_at_the_extremes),
	        cmocka_unit_test(t32_sweep_agrees_with_capstone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
