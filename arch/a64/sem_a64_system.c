/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 branches, exceptions and system instructions as micro-operations: Arm ARM C4.1.93, C5,
 * operations in C6.2.
 */
#include "arch/a64/sem_a64_expand.h"

/* C6.2: a direct branch has one immediate, which counts words and has a sign. */
uint64_t sem_branch_offset(const struct pattern *pattern, uint32_t opcode)
{
	static const enum field offsets[] = {FIELD_imm19, FIELD_imm26, FIELD_imm14, FIELD_imm9};
	size_t i = 0;

	while (i + 1 < sizeof(offsets) / sizeof(offsets[0]) && !pattern_has(pattern, offsets[i]))
		i++;
	return (uint64_t)pattern_signed_field(pattern, opcode, offsets[i]) * 4;
}

static uint64_t target_of(const struct sem *s)
{
	return s->address + sem_branch_offset(s->opcode.pattern, s->opcode.bits);
}

static void link(struct sem *s)
{
	uop_define(s->b, REG_LR, uop_constant(s->b, s->address + 4));
}

void sem_branch(struct sem *s, unsigned int links)
{
	s->b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_DIRECT, .slot = SLOT_NONE, .target = target_of(s)};
	if (links != 0)
		link(s);
}

static void conditional(struct sem *s, unsigned int slot, bool taken_value, uint64_t target)
{
	s->b->insn.branch = (struct uop_branch){.kind = BRANCH_CONDITIONAL,
	                                        .slot = (uint8_t)slot,
	                                        .taken_value = taken_value,
	                                        .target = target};
}

void sem_branch_conditional(struct sem *s, unsigned int arg)
{
	unsigned int condition = FIELD(s, cond);

	(void)arg;
	if (condition >= 14)
		s->b->insn.branch = (struct uop_branch){
		        .kind = BRANCH_DIRECT, .slot = SLOT_NONE, .target = target_of(s)};
	else
		conditional(s, uop_condition(s->b, condition), true, target_of(s));
}

/* CBZ, CBNZ */
void sem_compare_branch(struct sem *s, unsigned int arg)
{
	(void)arg;
	conditional(s, uop_equal(s->b, sem_width(s), sem_x(FIELD(s, Rt)), SLOT_ZERO), !FLAG(s, op),
	            target_of(s));
}

/* TBZ, TBNZ */
void sem_test_branch(struct sem *s, unsigned int arg)
{
	unsigned int bit = FIELD(s, b5) << 5 | FIELD(s, b40);

	(void)arg;
	conditional(
	        s,
	        uop_field(s->b, UOP_FIELD, 1, sem_x(FIELD(s, Rt)), (struct bits_field){bit, 1, 0}),
	        FLAG(s, op), target_of(s));
}

/* CB<cc> and the like: a condition that is not looked into. */
void sem_branch_opaque(struct sem *s, unsigned int has_rm)
{
	uop_use(s->b, sem_x(FIELD(s, Rt)));
	if (has_rm != 0)
		uop_use(s->b, sem_x(FIELD(s, Rm)));
	conditional(s, SLOT_NONE, true, target_of(s));
}

static void indirect(struct sem *s, unsigned int slot, unsigned int bits)
{
	s->b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_INDIRECT, .slot = (uint8_t)slot, .target_bits = (uint8_t)bits};
}

/* BR, BLR, RET; bit 11 says that the target is authenticated first. */
void sem_branch_register(struct sem *s, unsigned int links)
{
	indirect(s, sem_x(FIELD(s, Rn)), FLAG(s, A) ? PAC_FREE_BITS : 64);
	if (links != 0)
		link(s);
}

/* RETAA and the like: to X30, which keeps its code. */
void sem_return_pac(struct sem *s, unsigned int arg)
{
	(void)arg;
	indirect(s, REG_LR, PAC_FREE_BITS);
}

void sem_exception(struct sem *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.branch = (struct uop_branch){.kind = BRANCH_EXCEPTION, .slot = SLOT_NONE};
}

/*
 * ERET, DRPS: PSTATE comes from an SPSR. Which SP is in use after it depends on levels, which the
 * instruction does not say: of that nothing is here.
 */
void sem_exception_return(struct sem *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.branch = (struct uop_branch){.kind = BRANCH_RETURN, .slot = SLOT_NONE};
	uop_define_unknown(s->b, REG_NZCV, 16);
	uop_define_unknown(s->b, REG_PSTATE, 64);
	uop_define_unknown(s->b, REG_DAIF, 64);
}

static void keep_low(struct sem *s, unsigned int reg)
{
	uop_define(s->b, reg,
	           uop_emit(s->b, (struct uop){.op = UOP_LOW,
	                                       .width = 64,
	                                       .a = (uint8_t)reg,
	                                       .b = SLOT_NONE,
	                                       .c = SLOT_NONE,
	                                       .count = PAC_FREE_BITS}));
}

/* XPACLRI, AUTIASPPC */
void sem_link_pac(struct sem *s, unsigned int arg)
{
	(void)arg;
	keep_low(s, REG_LR);
}

/*
 * PACIASP, AUTIASP and the like: with key A or B, for which SCTLR_EL1.EnIA or EnIB can be clear at
 * EL1 and EL0: then X30 stays as it is (Arm ARM, AddPACIA()).
 */
void sem_link_key(struct sem *s, unsigned int arg)
{
	struct bits_field enable = {.lsb = FLAG(s, B) ? 30 : 31, .len = 1, .to = 0};
	struct bits_field low = {.lsb = 0, .len = PAC_FREE_BITS, .to = 0};
	unsigned int is_on = uop_field(s->b, UOP_FIELD, 1, REG_SCTLR_EL1, enable);
	unsigned int high = uop_select(s->b, 64, is_on, uop_unknown(s->b, 64), REG_LR);

	(void)arg;
	uop_define(s->b, REG_LR, uop_insert(s->b, 64, high, REG_LR, low));
}

/* PACIA1716 and the like */
void sem_x17_pac(struct sem *s, unsigned int arg)
{
	(void)arg;
	keep_low(s, REG_X17);
}

/* A hint that changes one general register. */
void sem_hint_x(struct sem *s, unsigned int n)
{
	uop_define_unknown(s->b, n, 64);
}

void sem_map_flags(struct sem *s, unsigned int map)
{
	uop_define(s->b, REG_NZCV,
	           uop_emit(s->b, (struct uop){.op = UOP_MAP_FLAGS,
	                                       .width = 16,
	                                       .a = REG_NZCV,
	                                       .b = SLOT_NONE,
	                                       .c = SLOT_NONE,
	                                       .flag_map = (uint8_t)map}));
}

void sem_pstate(struct sem *s, unsigned int arg)
{
	(void)arg;
	uop_define_unknown(s->b, REG_PSTATE, 64);
}

/* SMSTART, SMSTOP: on a change of mode all of the vector state is lost. */
void sem_svcr(struct sem *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.flags |= UOP_KILLS_REGISTERS;
}

/* DAIFSet, DAIFClr. */
void sem_daif(struct sem *s, unsigned int arg)
{
	uint64_t mask = (uint64_t)FIELD(s, CRm) << 6;

	(void)arg;
	if (FLAG(s, op))
		uop_define(s->b, REG_DAIF,
		           uop_make(s->b, UOP_AND, 64, REG_DAIF, uop_constant(s->b, ~mask)));
	else
		uop_define(s->b, REG_DAIF,
		           uop_make(s->b, UOP_OR, 64, REG_DAIF, uop_constant(s->b, mask)));
	uop_define_unknown(s->b, REG_PSTATE, 64);
}

/* Another SP is in use from here on; which one it was before is not known here. */
void sem_spsel(struct sem *s, unsigned int changes_pstate)
{
	uop_define_unknown(s->b, REG_SP, 64);
	uop_define_unknown(s->b, REG_SP_EL0, 64);
	uop_define_unknown(s->b, REG_SP_EL1, 64);
	uop_define_unknown(s->b, REG_SP_EL2, 64);
	if (changes_pstate != 0)
		uop_define_unknown(s->b, REG_PSTATE, 64);
}

/* op1, CRn, CRm and op2 of an opcode as one number. */
#define SYS(op1, crn, crm, op2) ((unsigned int)(op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

enum {
	LARGEST_BLOCK_BITS = 11, /* of DC ZVA, and more than any cache line */
	USUAL_BLOCK = 4,         /* DCZID_EL0.BS of 64 bytes */
};

/*
 * DC ZVA writes zeros to a block whose size DCZID_EL0 says. Where that is 64 bytes, as on about
 * all cores, it is eight stores; else what was written is not followed.
 */
static void zero_block(struct sem *s)
{
	unsigned int x = sem_x(FIELD(s, Rt));
	struct uop_access condition = {0};
	struct uop_place at = {0, 0};

	condition.when = (uint8_t)uop_equal(s->b, 4, REG_DCZID, uop_constant(s->b, USUAL_BLOCK));
	at.base = uop_make(s->b, UOP_AND, 64, x, uop_constant(s->b, ~UINT64_C(63)));
	uop_clobber_when(s->b, (struct uop_place){x, 0}, 1U << LARGEST_BLOCK_BITS,
	                 LARGEST_BLOCK_BITS, condition);
	condition.when_value = true;
	for (at.offset = 0; at.offset < 64; at.offset += 8)
		uop_store_when(s->b, at, 8, SLOT_ZERO, condition);
}

/* Cache maintenance by address that may do more than keep caches coherent. */
static void sys_data_cache(struct sem *s, unsigned int number)
{
	struct uop_place at = {sem_x(FIELD(s, Rt)), 0};

	switch (number) {
	case SYS(3, 7, 4, 1): /* DC ZVA, GZVA */
	case SYS(3, 7, 4, 4):
		zero_block(s);
		return;
	case SYS(0, 7, 6, 1): /* DC IVAC, IGVAC, IGDVAC may drop what was written */
	case SYS(0, 7, 6, 3):
	case SYS(0, 7, 6, 5):
		uop_clobber(s->b, at, 1U << LARGEST_BLOCK_BITS, LARGEST_BLOCK_BITS);
		return;
	case SYS(0, 7, 6, 2): /* DC ISW, IGSW, IGDSW: any line */
	case SYS(0, 7, 6, 4):
	case SYS(0, 7, 6, 6):
		s->b->insn.flags |= UOP_KILLS_MEMORY;
		return;
	default: /* they clean, or write tags */
		return;
	}
}

/* TLBI VAE1, ASIDE1, VALE1 and RVAE1, RVALE1, in all domains. */
static bool is_by_asid(unsigned int op1, unsigned int op2)
{
	return op1 == 0 && (op2 == 1 || op2 == 2 || op2 == 5);
}

/* SYS: IC, DC, AT, TLBI and the like. */
void sem_sys(struct sem *s, unsigned int arg)
{
	unsigned int crn = FIELD(s, CRn);
	unsigned int crm = FIELD(s, CRm);

	(void)arg;
	uop_use(s->b, sem_x(FIELD(s, Rt)));
	if (crn == 8 || crn == 9) { /* TLBI, TLBI nXS */
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION;
		if (is_by_asid(FIELD(s, op1), FIELD(s, op2)))
			s->b->insn.flags |= UOP_KEEPS_KERNEL;
	} else if (crn != 7) {
		opcode_reject(&s->opcode);
	} else if (crm == 7) { /* guarded control stack */
		s->b->insn.flags |= UOP_KILLS_MEMORY;
	} else {
		sys_data_cache(s, SYS(FIELD(s, op1), crn, crm, FIELD(s, op2)));
	}
}

/* SYSL: a number that is not known; those of the guarded control stack may write there. */
void sem_sysl(struct sem *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.flags |= UOP_KILLS_MEMORY;
	sem_set_x_unknown(s, FIELD(s, Rt), 64);
}

enum sysreg_kind {
	SYSREG_UNKNOWN,
	SYSREG_CARRIED,
	SYSREG_BLOCK,
	SYSREG_ALIASED,
	SYSREG_OPAQUE,
	SYSREG_STATUS,
	SYSREG_SHADOW,
	SYSREG_FLAGS,
	SYSREG_STATE,
	SYSREG_MASKS,
	SYSREG_STACK,
	SYSREG_LENGTH,
	SYSREG_STREAMING,
	SYSREG_TRANSLATION,
	SYSREG_LOWER_HALF,
	SYSREG_UPPER_HALF,
	SYSREG_CONTROL,
	SYSREG_RANDOM,
};

struct sysreg {
	uint32_t number; /* bits 19..5 of MSR and MRS; op0's upper bit is always set */
	enum sysreg_kind kind;
	unsigned int reg;
};

static const struct sysreg sysregs[] = {
#define X(name, op0, op1, crn, crm, op2, kind, reg)                                                \
	{((op0)&1) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2), SYSREG_##kind, reg},
#include "arch/a64/sem_a64_sysreg.def"
#undef X
};

static struct sysreg sysreg_of(const struct sem *s)
{
	uint32_t number = FIELD(s, op0) << 14 |
	                  SYS(FIELD(s, op1), FIELD(s, CRn), FIELD(s, CRm), FIELD(s, op2));

	for (size_t i = 0; i < sizeof(sysregs) / sizeof(sysregs[0]); i++) {
		if (sysregs[i].number == number)
			return sysregs[i];
	}
	return (struct sysreg){number, SYSREG_UNKNOWN, 0};
}

void sem_mrs(struct sem *s, unsigned int arg)
{
	struct sysreg sysreg = sysreg_of(s);
	unsigned int rt = FIELD(s, Rt);
	unsigned int value;

	(void)arg;
	switch (sysreg.kind) {
	case SYSREG_FLAGS:
		value = uop_make(s->b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);
		sem_set_x(s, rt,
		          uop_field(s->b, UOP_FIELD, 64, value, (struct bits_field){0, 4, 28}));
		return;
	case SYSREG_CARRIED:
	case SYSREG_ALIASED:
	case SYSREG_OPAQUE:
	case SYSREG_STATUS:
		sem_set_x(s, rt, sysreg.reg);
		return;
	case SYSREG_BLOCK:
		sem_set_x(s, rt,
		          uop_insert(s->b, 64, sysreg.reg, uop_unknown(s->b, 64),
		                     (struct bits_field){.lsb = 0, .len = 1, .to = 4}));
		return;
	case SYSREG_MASKS:
		sem_set_x(s, rt, uop_daif(s->b, REG_DAIF));
		return;
	case SYSREG_RANDOM:
		uop_define_unknown(s->b, REG_NZCV, 16);
		break;
	case SYSREG_UNKNOWN:
	case SYSREG_SHADOW:
	case SYSREG_STATE:
	case SYSREG_STACK:
	case SYSREG_LENGTH:
	case SYSREG_STREAMING:
	case SYSREG_TRANSLATION:
	case SYSREG_LOWER_HALF:
	case SYSREG_UPPER_HALF:
	case SYSREG_CONTROL:
		break;
	}
	sem_set_x_unknown(s, rt, 64);
}

/* The register that a register of EL1 or EL2 is meant by where its name is redirected. */
static unsigned int namesake(unsigned int reg)
{
	switch (reg) {
	case REG_ELR_EL1:
		return REG_ELR_EL2;
	case REG_ELR_EL2:
		return REG_ELR_EL1;
	case REG_SPSR_EL1:
		return REG_SPSR_EL2;
	case REG_SPSR_EL2:
		return REG_SPSR_EL1;
	default:
		return reg;
	}
}

static void forget(struct sem *s, unsigned int reg)
{
	uop_define_unknown(s->b, reg, 64);
	if (namesake(reg) != reg)
		uop_define_unknown(s->b, namesake(reg), 64);
}

/* Writes bits 31..28 of Rt to the flags. */
static void set_flags(struct sem *s)
{
	unsigned int packed =
	        uop_field(s->b, UOP_FIELD, 4, sem_x(FIELD(s, Rt)), (struct bits_field){28, 4, 0});

	uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, packed, SLOT_NONE));
}

/* An SPSR, of which bit 0 and D, A, I and F are kept. */
static void set_status(struct sem *s, unsigned int reg)
{
	unsigned int x = sem_x(FIELD(s, Rt));
	unsigned int spsr = uop_insert(s->b, 64, uop_unknown(s->b, 64), x,
	                               (struct bits_field){.lsb = 0, .len = 1, .to = 0});

	if (namesake(reg) != reg)
		uop_define_unknown(s->b, namesake(reg), 64);
	uop_define(s->b, reg, uop_with_daif(s->b, spsr, x));
}

void sem_msr(struct sem *s, unsigned int arg)
{
	struct sysreg sysreg = sysreg_of(s);

	(void)arg;
	uop_use(s->b, sem_x(FIELD(s, Rt)));
	switch (sysreg.kind) {
	case SYSREG_FLAGS:
		set_flags(s);
		return;
	case SYSREG_ALIASED:
		uop_define_unknown(s->b, namesake(sysreg.reg), 64);
		uop_define(s->b, sysreg.reg, sem_x(FIELD(s, Rt)));
		return;
	case SYSREG_CARRIED:
	case SYSREG_BLOCK:
		uop_define(s->b, sysreg.reg, sem_x(FIELD(s, Rt)));
		return;
	case SYSREG_STACK:
		sem_spsel(s, 1);
		return;
	case SYSREG_STREAMING:
		sem_svcr(s, 0);
		return;
	case SYSREG_STATUS:
		set_status(s, sysreg.reg);
		return;
	case SYSREG_MASKS:
		uop_define(s->b, REG_DAIF, uop_daif(s->b, sem_x(FIELD(s, Rt))));
		uop_define_unknown(s->b, REG_PSTATE, 64);
		return;
	case SYSREG_OPAQUE:
	case SYSREG_SHADOW:
	case SYSREG_STATE:
	case SYSREG_LENGTH:
		forget(s, sysreg.reg);
		return;
	case SYSREG_CONTROL:
		uop_define_unknown(s->b, sysreg.reg, 64);
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION;
		return;
	case SYSREG_TRANSLATION:
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION;
		return;
	case SYSREG_LOWER_HALF:
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION | UOP_SPARES_KERNEL;
		return;
	case SYSREG_UPPER_HALF:
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION | UOP_KEEPS_KERNEL;
		return;
	case SYSREG_RANDOM:
	case SYSREG_UNKNOWN:
		return;
	}
}
