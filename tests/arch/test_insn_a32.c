/* SPDX-License-Identifier: Apache-2.0 */
/* A32 instruction classes: assembled opcodes, targets, a sweep against capstone, the rows. */
#include "tests/arch/insn_check.h"

// clang-format off
/* Opcodes and text are those of GNU as 2.40; row: as in the table of opcodes. */
static const struct expected opcodes[] = {
	{"bx lr",                       "BX",            0xe12fff1e, IBR,          RET, RETURN},
	{"bxeq lr",                     "BX",            0x012fff1e, IBR,          RET, RETURN | COND},
	{"bxeq r3",                     "BX",            0x012fff13, IBR,          NO,  COND},
	{"blx r3",                      "BLX",           0xe12fff33, IBR,          LNK, LINK},
	{"blx lr",                      "BLX",           0xe12fff3e, IBR,          LNK, LINK},
	{"bxj r2",                      "BXJ",           0xe12fff22, IBR,          NO,  0},
	{"mov pc, lr",                  "DATA_SHIFT",    0xe1a0f00e, IBR,          RET, RETURN},
	{"moveq pc, lr",                "DATA_SHIFT",    0x01a0f00e, IBR,          RET, RETURN | COND},
	{"mov pc, r3",                  "DATA_SHIFT",    0xe1a0f003, IBR,          NO,  0},
	{"lsl pc, r1, #2",              "DATA_SHIFT",    0xe1a0f101, IBR,          NO,  0},
	{"movs pc, lr",                 "DATA_SHIFT",    0xe1b0f00e, IBR,          NO,  RETURN},
	{"subs pc, lr, r2",             "DATA_SHIFT",    0xe05ef002, IBR,          NO,  RETURN},
	{"add pc, pc, r1",              "DATA_SHIFT",    0xe08ff001, IBR,          NO,  0},
	{"addls pc, pc, r3, lsl #2",    "DATA_SHIFT",    0x908ff103, IBR,          NO,  COND},
	{"sub pc, lr, #4",              "DATA_IMM",      0xe24ef004, IBR,          NO,  0},
	{"mvn pc, #0",                  "DATA_IMM",      0xe3e0f000, IBR,          NO,  0},
	{"add pc, pc, #16",             "DATA_IMM",      0xe28ff010, IBR,          NO,  0},
	{"subs pc, lr, #4",             "DATA_IMM",      0xe25ef004, IBR,          NO,  RETURN},
	{"pop {pc}",                    "LDR_IMM",       0xe49df004, IBR,          RET, RETURN},
	{"popeq {pc}",                  "LDR_IMM",       0x049df004, IBR,          RET, RETURN | COND},
	{"ldr pc, [sp], #8",            "LDR_IMM",       0xe49df008, IBR,          RET, RETURN},
	{"ldr pc, [sp, #4]!",           "LDR_IMM",       0xe5bdf004, IBR,          NO,  0},
	{"ldr pc, [pc, #-4]",           "LDR_IMM",       0xe51ff004, IBR,          NO,  0},
	{"ldr pc, [r1, r2, lsl #2]",    "LDR_REG",       0xe791f102, IBR,          NO,  0},
	{"ldr pc, [r1], -r2",           "LDR_REG",       0xe611f002, IBR,          NO,  0},
	{"pop {r0}",                    "LDR_IMM",       0xe49d0004, OTHER,        NO,  0},
	{"ldrb r0, [sp], #4",           "LDR_IMM",       0xe4dd0004, OTHER,        NO,  0},
	{"pop {r4, pc}",                "LDM_STM",       0xe8bd8010, IBR,          RET, RETURN},
	{"popne {r4, pc}",              "LDM_STM",       0x18bd8010, IBR,          RET, RETURN | COND},
	{"pop {r4, lr}",                "LDM_STM",       0xe8bd4010, OTHER,        NO,  0},
	{"ldm r1, {r1, pc}",            "LDM_STM",       0xe8918002, IBR,          NO,  0},
	{"ldmdb sp, {fp, sp, pc}",      "LDM_STM",       0xe91da800, IBR,          NO,  0},
	{"ldm sp!, {r0, pc}^",          "LDM_STM_USER",  0xe8fd8001, IBR,          NO,  RETURN},
	{"ldm r0, {r0}^",               "LDM_STM_USER",  0xe8d00001, OTHER,        NO,  0},
	{"rfeia sp!",                   "RFE",           0xf8bd0a00, IBR,          NO,  RETURN},
	{"rfedb r1",                    "RFE",           0xf9110a00, IBR,          NO,  RETURN},
	{"srsia sp!, #19",              "SRS",           0xf8ed0513, OTHER,        NO,  0},
	{"b",                           "B",             0xea000000, BR,           NO,  0},
	{"bne",                         "B",             0x1a000000, BR,           NO,  COND},
	{"bl",                          "BL",            0xeb000000, BR,           LNK, LINK},
	{"bleq",                        "BL",            0x0b000000, BR,           LNK, LINK | COND},
	{"blx",                         "BLX_IMM",       0xfa000000, BR,           LNK, LINK | TO_T32},
	{"isb sy",                      "ISB",           0xf57ff06f, INSN_ISB,     NO,  0},
	{"dsb sy",                      "DSB_DMB",       0xf57ff04f, INSN_DSB_DMB, NO,  0},
	{"dsb ish",                     "DSB_DMB",       0xf57ff04b, INSN_DSB_DMB, NO,  0},
	{"dmb ish",                     "DSB_DMB",       0xf57ff05b, INSN_DSB_DMB, NO,  0},
	{"dmb ishst",                   "DSB_DMB",       0xf57ff05a, INSN_DSB_DMB, NO,  0},
	{"clrex",                       "CLREX",         0xf57ff01f, OTHER,        NO,  0},
	{"sb",                          "SB",            0xf57ff070, OTHER,        NO,  0},
	{"mcr p15, 0, r0, c7, c5, 4",   "CP15_ISB",      0xee070f95, INSN_ISB,     NO,  0},
	{"mcr p15, 0, r0, c7, c10, 4",  "CP15_DSB",      0xee070f9a, INSN_DSB_DMB, NO,  0},
	{"mcr p15, 0, r0, c7, c10, 5",  "CP15_DMB",      0xee070fba, INSN_DSB_DMB, NO,  0},
	{"mcreq p15, 0, r0, c7, c10, 5", "CP15_DMB",      0x0e070fba, INSN_DSB_DMB, NO,  COND},
	{"mcr p15, 0, r0, c7, c5, 6",   "MCR_MRC",       0xee070fd5, OTHER,        NO,  0},
	{"mcr2 p15, 0, r0, c7, c5, 4",  "MCR2_ISB",      0xfe070f95, INSN_ISB,     NO,  0},
	{"mcr2 p15, 0, r0, c7, c10, 4", "MCR2_DSB_DMB",  0xfe070f9a, INSN_DSB_DMB, NO,  0},
	{"mcr2 p15, 0, r0, c7, c10, 5", "MCR2_DSB_DMB",  0xfe070fba, INSN_DSB_DMB, NO,  0},
	{"wfi",                         "WFE_WFI",       0xe320f003, INSN_WFI_WFE, NO,  0},
	{"wfe",                         "WFE_WFI",       0xe320f002, INSN_WFI_WFE, NO,  0},
	{"wfieq",                       "WFE_WFI",       0x0320f003, INSN_WFI_WFE, NO,  COND},
	{"nop",                         "HINT",          0xe320f000, OTHER,        NO,  0},
	{"sev",                         "HINT",          0xe320f004, OTHER,        NO,  0},
	{"msr cpsr_c, #16",             "MSR_IMM",       0xe321f010, OTHER,        NO,  0},
	{"msr cpsr_c, r1",              "MSR",           0xe121f001, OTHER,        NO,  0},
	{"mrs r1, cpsr",                "MRS",           0xe10f1000, OTHER,        NO,  0},
	{"eret",                        "ERET",          0xe160006e, OTHER,        NO,  0},
	{"hvc #0",                      "HVC",           0xe1400070, OTHER,        NO,  0},
	{"smc #0",                      "SMC",           0xe1600070, OTHER,        NO,  0},
	{"bkpt #0",                     "BKPT",          0xe1200070, OTHER,        NO,  0},
	{"hlt #0",                      "HLT",           0xe1000070, OTHER,        NO,  0},
	{"clz r1, r2",                  "CLZ",           0xe16f1f12, OTHER,        NO,  0},
	{"svc #0",                      "SVC",           0xef000000, OTHER,        NO,  0},
	{"svcne #0",                    "SVC",           0x1f000000, OTHER,        NO,  COND},
	{"udf #0",                      "UDF",           0xe7f000f0, OTHER,        NO,  0},
	{"cmp r1, #0",                  "DATA_IMM",      0xe3510000, OTHER,        NO,  0},
	{"tst r1, r2",                  "DATA_SHIFT",    0xe1110002, OTHER,        NO,  0},
	{"moveq r0, #1",                "DATA_IMM",      0x03a00001, OTHER,        NO,  COND},
	{"cmpp r1, #0",                 "DATA_IMM",      0xe351f000, OTHER,        NO,  0},
	{"cmpp r1, r2",                 "DATA_SHIFT",    0xe151f002, IBR,          NO,  0},
	{"stl r0, [r1]",                "LDREX_STREX",   0xe181fc90, OTHER,        NO,  0},
	{"stlex r2, r0, [r1]",          "LDREX_STREX",   0xe1812e90, OTHER,        NO,  0},
	{"strex r2, r0, [r1]",          "LDREX_STREX",   0xe1812f90, OTHER,        NO,  0},
	{"smull r1, r2, r3, r4",        "SMULL",         0xe0c21493, OTHER,        NO,  0},
	{"pld [r1]",                    "PLD_IMM",       0xf5d1f000, OTHER,        NO,  0},
	{"cps #16",                     "CPS",           0xf1020010, OTHER,        NO,  0},
	{"andeq r0, r0, r0",            "DATA_SHIFT",    0x00000000, OTHER,        NO,  COND},
	{"undefined",                   "UNCONDITIONAL", 0xffffffff, OTHER,        NO,  0},
	/* UNPREDICTABLE: OpenCSD looks at no SBO and SBZ bits */
	{"bx lr",                       "BX_WIDE",       0xe120001e, IBR,          RET, RETURN},
	{"bx r3",                       "BX_WIDE",       0xe1200013, IBR,          NO,  0},
	{"bxj r2",                      "BXJ_WIDE",      0xe1200022, IBR,          NO,  0},
	{"blx r3",                      "BLX_WIDE",      0xe1200033, IBR,          LNK, LINK},
	{"rfeia sp!",                   "RFE_WIDE",      0xf8bd0000, IBR,          NO,  RETURN},
	{"dsb",                         "DSB_DMB_WIDE",  0xf5700040, INSN_DSB_DMB, NO,  0},
	{"dmb",                         "DSB_DMB_WIDE",  0xf5700050, INSN_DSB_DMB, NO,  0},
	{"isb",                         "ISB_WIDE",      0xf5700060, INSN_ISB,     NO,  0},
	/* UNPREDICTABLE: it takes bits 15:12 for Rd */
	{"mul r1, r2, r3",              "MUL_MLA",       0xe001f392, IBR,          NO,  0},
	{"muls r1, r2, r3",             "MUL_MLA",       0xe011f392, IBR,          NO,  RETURN},
	{"mul r1, r2, r3",              "MUL_MLA",       0xe0010392, OTHER,        NO,  0},
	{"strh pc, [r1]",               "LDRH_STRH",     0xe1c1f0b0, IBR,          NO,  0},
	{"ldrh pc, [r1]",               "LDRH_STRH",     0xe1d1f0b0, IBR,          NO,  RETURN},
	{"ldrsb pc, [r1]",              "LDRSB_LDRD",    0xe1d1f0d0, IBR,          NO,  RETURN},
	{"strd pc, [r1]",               "LDRSH_STRD",    0xe1c1f0f0, IBR,          NO,  0},
	{"umaal pc, r1, r2, r3",        "UMAAL",         0xe041f392, IBR,          NO,  0},
	{"mls r1, r2, r3, pc",          "MLS",           0xe061f392, IBR,          NO,  0},
	{"umull pc, r1, r2, r3",        "UMULL",         0xe081f392, IBR,          NO,  0},
	{"umlals pc, r1, r2, r3",       "UMLAL",         0xe0b1f392, IBR,          NO,  RETURN},
	{"smulls pc, r1, r2, r3",       "SMULL",         0xe0d1f392, IBR,          NO,  RETURN},
	{"smlal pc, r1, r2, r3",        "SMLAL",         0xe0e1f392, IBR,          NO,  0},
	{"swp pc, r2, [r1]",            "SWP",           0xe101f092, IBR,          NO,  0},
	{"undefined",                   "EXTRA_RESERVED", 0xe161f09f, IBR,          NO,  0},
	{"strexd pc, r2, [r1]",         "LDREX_STREX",   0xe1a1ff92, IBR,          NO,  0},
	{"ldrex pc, [r1]",              "LDREX_STREX",   0xe191ff9f, IBR,          NO,  RETURN},
	{"smlabb r1, r2, r3, pc",       "SMLA_HALF",     0xe101f382, IBR,          NO,  0},
	{"smlawb r1, r2, r3, pc",       "SMLAW",         0xe121f382, IBR,          NO,  0},
	{"smulwb r1, r2, r3",           "SMULW",         0xe121f3a2, IBR,          NO,  0},
	{"smlalbb pc, r1, r2, r3",      "SMLAL_HALF",    0xe141f382, IBR,          NO,  0},
	{"smulbb r1, r2, r3",           "SMUL_HALF",     0xe161f382, IBR,          NO,  0},
	{"movw pc, #1",                 "MOVW",          0xe300f001, IBR,          NO,  0},
	{"movt pc, #1",                 "MOVT",          0xe340f001, IBR,          NO,  0},
	{"add pc, r1, r2, lsl r3",      "DATA_REG",      0xe081f312, IBR,          NO,  0},
};
// clang-format on

static struct insn classify_at(uint32_t opcode, uint64_t address)
{
	struct insn insn;

	insn_a32_classify(opcode, address, &all_waypoints, &insn);
	return insn;
}

static void a32_opcodes_assembled_have_their_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(opcodes); i++) {
		struct insn insn = classify_at(opcodes[i].opcode, 0x8000);

		check_fields(&opcodes[i], &insn);
		assert_int_equal(insn.size, 4);
		assert_int_equal(insn.it_count, 0);
		assert_int_equal(insn.next_isa, opcodes[i].flags & TO_T32 ? ISA_T32 : ISA_A32);
	}
}

static void a32_rows_with_a_flow_have_their_opcodes(void **state)
{
	(void)state;
	check_rows(&a32_opcodes, opcodes, LENGTH(opcodes));
}

static void a32_conditions_are_those_of_bits_31_to_28(void **state)
{
	(void)state;
	for (uint32_t cond = 0; cond < 16; cond++) {
		assert_int_equal(classify_at(cond << 28 | 0x0a000000, 0).is_conditional, cond < 14);
		assert_int_equal(classify_at(cond << 28 | 0x00811002, 0).is_conditional, cond < 14);
	}
}

static void a32_barriers_count_only_where_they_are_waypoints(void **state)
{
	struct insn_options none = {0};
	struct insn insn;

	(void)state;
	insn_a32_classify(0xf57ff05b, 0, &none, &insn); /* dmb ish */
	assert_int_equal(insn.class, INSN_OTHER);
	insn_a32_classify(0x0e070f9a, 0, &none, &insn); /* DSB by MCREQ */
	assert_int_equal(insn.class, INSN_OTHER);
	assert_true(insn.is_conditional);
	insn_a32_classify(0xe320f003, 0, &none, &insn); /* wfi */
	assert_int_equal(insn.class, INSN_OTHER);
	insn_a32_classify(0xf57ff06f, 0, &none, &insn); /* isb */
	assert_int_equal(insn.class, INSN_ISB);
	insn_a32_classify(0xe12fff1e, 0, &none, &insn); /* bx lr */
	assert_int_equal(insn.class, INSN_BRANCH_INDIRECT);
}

static void a32_targets_are_exact_at_the_extremes(void **state)
{
	static const struct {
		uint32_t opcode;
		uint64_t address;
		uint64_t target;
	} cases[] = {
	        {0xea000000, 0x8000, 0x8008},
	        {0xeafffffe, 0x8000, 0x8000},
	        {0xea7fffff, 0x8000, 0x2008004},
	        {0xea800000, 0x4000000, 0x2000008},
	        {0xeb000010, 0x8000, 0x8048},
	        /* H is the halfword */
	        {0xfa000000, 0x8000, 0x8008},
	        {0xfb000000, 0x8000, 0x800a},
	        {0xfbffffff, 0x8000, 0x8006},
	        {0xfb7fffff, 0x8000, 0x2008006},
	        {0xfa800000, 0x4000000, 0x2000008},
	        /* around the end of 32 bits, both ways */
	        {0xea000000, 0xfffffff8, 0x0},
	        {0xeafffffa, 0x0, 0xfffffff0},
	        {0xfb000000, 0xfffffff8, 0x2},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		assert_int_equal(classify_at(cases[i].opcode, cases[i].address).target,
		                 cases[i].target);
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
	case ARM_INS_RFEDA:
	case ARM_INS_RFEDB:
	case ARM_INS_RFEIA:
	case ARM_INS_RFEIB:
	case ARM_INS_ERET:
		return true;
	case ARM_INS_LDM:
	case ARM_INS_LDMDA:
	case ARM_INS_LDMDB:
	case ARM_INS_LDMIB:
		return cs_lists_pc(arm, 1);
	case ARM_INS_POP:
		return cs_lists_pc(arm, 0);
	case ARM_INS_LDR:
	case ARM_INS_ADC:
	case ARM_INS_ADD:
	case ARM_INS_AND:
	case ARM_INS_ASR:
	case ARM_INS_BIC:
	case ARM_INS_EOR:
	case ARM_INS_LSL:
	case ARM_INS_LSR:
	case ARM_INS_MOV:
	case ARM_INS_MVN:
	case ARM_INS_ORR:
	case ARM_INS_ROR:
	case ARM_INS_RRX:
	case ARM_INS_RSB:
	case ARM_INS_RSC:
	case ARM_INS_SBC:
	case ARM_INS_SUB:
		return cs_writes_pc(arm);
	default:
		return false;
	}
}

/* All but the first and the last one are UNPREDICTABLE; OpenCSD classes them all so. */
// clang-format off
static struct difference differences[] = {
	{0x0f90f000, 0x0110f000, true, "TSTP and the like (obsolete): Rd of ones", 0},
	{0x0f00f090, 0x0000f090, true, "multiply with PC: Ra, RdLo, or not zero for MUL", 0},
	{0x0f90f090, 0x0100f080, true, "halfword multiply with PC: Ra or RdLo, or not zero", 0},
	{0x0f90f0f0, 0x0190f090, true, "LDA, LDAEX, LDREX with Rt = PC", 0},
	{0x0fe0f0f0, 0x01a0f090, true, "STREXD, STLEXD with Rd = PC, in the space of MOV PC", 0},
	{0x0e00f0f0, 0x0000f0b0, true, "LDRH, STRH with Rt = PC", 0},
	{0x0e00f0d0, 0x0000f0d0, true, "LDRSB, LDRSH, LDRD, STRD with Rt = PC", 0},
	{0x0fb0f000, 0x0300f000, true, "MOVW, MOVT with Rd = PC", 0},
	{0x0d70f000, 0x0430f000, true, "LDRT with Rt = PC", 0},
	{0x0fffffff, 0x0160006e, false, "ERET: a miscellaneous instruction to OpenCSD", 0},
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
	uint8_t raw[4] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
	                  (uint8_t)(opcode >> 24)};
	const uint8_t *code = raw;
	size_t size = sizeof(raw);
	uint64_t pc = address;
	struct insn ours = classify_at(opcode, address);
	bool is_branch = is_branch_class(ours.class);

	if (!cs_disasm_iter(sweep->handle, &code, &size, &pc, sweep->insn))
		return;
	sweep->read++;
	sweep->branches += is_branch;
	if (is_branch != cs_is_branch(sweep->insn) &&
	    !explain(differences, LENGTH(differences), opcode, is_branch))
		fail_msg("%08x %s %s: class %d", opcode, sweep->insn->mnemonic, sweep->insn->op_str,
		         (int)ours.class);
	if (ours.class != INSN_BRANCH)
		return;
	sweep->targets++;
	assert_int_equal(ours.target, cs_target(&sweep->insn->detail->arm));
	assert_int_equal(ours.is_link, cs_insn_group(sweep->handle, sweep->insn, CS_GRP_CALL));
}

/* Every value of bits 27:20 and 7:4, with the registers and fields that make a difference. */
static void sweep_fields(struct sweep *sweep, uint32_t cond)
{
	static const uint32_t low[] = {0x000, 0x001, 0x00e, 0x00f, 0x802, 0xc0f, 0xf01, 0xf0e};

	for (uint32_t i = 0; i < LENGTH(low) << 16; i++) {
		uint32_t opcode = cond << 28 | (i & 0xff) << 20 | (i >> 8 & 0xf) << 4;
		uint32_t rd = i >> 12 & 0xf;

		opcode |= rd << 12 | low[i >> 16];
		compare(sweep, opcode | 0x00010000, 0x8000);
		if (rd == 15) {
			compare(sweep, opcode, 0x8000);
			compare(sweep, opcode | 0x000d0000, 0x8000);
			compare(sweep, opcode | 0x000f0000, 0x8000);
		}
	}
}

static void a32_sweep_agrees_with_capstone(void **state)
{
	struct sweep sweep = {0};
	uint32_t random = 1;

	(void)state;
	assert_int_equal(cs_open(CS_ARCH_ARM, (cs_mode)(CS_MODE_ARM | CS_MODE_V8), &sweep.handle),
	                 CS_ERR_OK);
	cs_option(sweep.handle, CS_OPT_DETAIL, CS_OPT_ON);
	sweep.insn = cs_malloc(sweep.handle);
	sweep_fields(&sweep, 0xe);
	sweep_fields(&sweep, 0x1);
	sweep_fields(&sweep, 0xf);
	for (unsigned int i = 0; i < 200000; i++) {
		random = random * 1664525 + 1013904223;
		compare(&sweep, (random & 0xf1ffffff) | 0x0a000000, random * 69069 & ~3U);
	}
	compare(&sweep, 0xe160006e, 0x8000);
	cs_free(sweep.insn, 1);
	cs_close(&sweep.handle);
	check_all_used(differences, LENGTH(differences));
	assert_true(sweep.read > 1000000);
	assert_true(sweep.branches > 200000);
	assert_true(sweep.targets > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a32_opcodes_assembled_have_their_class),
	        cmocka_unit_test(a32_rows_with_a_flow_have_their_opcodes),
	        cmocka_unit_test(a32_conditions_are_those_of_bits_31_to_28),
	        cmocka_unit_test(a32_barriers_count_only_where_they_are_waypoints),
	        cmocka_unit_test(a32_targets_are_exact_at_the_extremes),
	        cmocka_unit_test(a32_sweep_agrees_with_capstone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
