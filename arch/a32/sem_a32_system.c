/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 system instructions as micro-operations, where both sets have them in the same bits:
 * coprocessors, exceptions, status registers. Arm ARM DDI 0487 F5.1, G7.3 (CP15 by number).
 */
#include "arch/a32/sem_a32_expand.h"

void arm_nothing(struct arm *s, unsigned int arg)
{
	(void)s;
	(void)arg;
}

void arm_kill(struct arm *s, unsigned int arg)
{
	(void)arg;
	opcode_reject(&s->opcode);
}

void arm_exception(struct arm *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.branch =
	        (struct uop_branch){.kind = BRANCH_EXCEPTION, .slot = SLOT_NONE, .when = SLOT_NONE};
}

void arm_eret(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_return_from_exception(s);
}

void arm_pstate(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_pstate_unknown(s);
}

/* CPS; M: with a mode. */
void arm_cps(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (FLAG(s, M))
		arm_mode_changes(s);
	else
		arm_pstate_unknown(s);
}

/* Bit 0 of the register is the new T: BX, BLX; BXJ as BX. */
void arm_branch_register(struct arm *s, unsigned int links)
{
	unsigned int rm = FIELD(s, Rm);
	uint32_t next = s->address + (s->is_t32 ? 2 : 4);

	if (rm == ARM_PC && links != 0) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_branch_exchange(s, arm_r(s, rm));
	if (links != 0)
		uop_define(s->b, ARM_LR, arm_constant(s, next | s->is_t32));
}

/* CPSR: the flags are known; SPSR is not followed. */
void arm_mrs(struct arm *s, unsigned int is_saved)
{
	unsigned int rd = FIELD(s, Rd);
	unsigned int packed;

	if (is_saved != 0) {
		arm_set_unknown(s, rd);
		return;
	}
	packed = uop_make(s->b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);
	arm_set(s, rd,
	        uop_insert(s->b, 32, uop_unknown(s->b, 32), packed, (struct bits_field){0, 4, 28}));
}

void arm_msr_fields(struct arm *s, unsigned int slot, unsigned int fields)
{
	unsigned int packed;

	if ((fields & 8) != 0) {
		packed = uop_field(s->b, UOP_FIELD, 4, slot, (struct bits_field){28, 4, 0});
		uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, packed, SLOT_NONE));
	}
	if ((fields & 1) != 0)
		arm_mode_changes(s);
	else if (fields != 0)
		arm_pstate_unknown(s);
}

/* A32 register form; SPSR is not followed. */
void arm_msr(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (FIELD(s, Rn) == ARM_PC)
		opcode_reject(&s->opcode);
	else if (FLAG(s, R))
		uop_use(s->b, FIELD(s, Rn));
	else
		arm_msr_fields(s, FIELD(s, Rn), FIELD(s, mask));
}

/*
 * The register of another mode that R, M and M1 name (G8.2: banked MRS and MSR), or SLOT_NONE for
 * SPSRs, ELR_hyp and those of Monitor mode. The numbers are those that AArch64 state has for them;
 * SP_usr, whose number is that of the SP in use, has REG_SP's.
 */
static unsigned int banked_register(bool is_spsr, unsigned int number)
{
	enum {
		SP_USR = 0x05,
		R8_FIQ = 0x08,
		LR_FIQ = 0x0e,
		LR_IRQ = 0x10,
		SP_UND = 0x17,
		SP_HYP = 0x1f
	};

	if (is_spsr)
		return SLOT_NONE;
	if (number >= R8_FIQ && number <= LR_FIQ)
		return number - R8_FIQ + 24;
	if (number >= LR_IRQ && number <= SP_UND)
		return number - LR_IRQ + REG_X16;
	if (number == SP_USR)
		return REG_SP;
	return number == SP_HYP ? (unsigned int)REG_BANKED : (unsigned int)SLOT_NONE;
}

void arm_banked_read(struct arm *s, unsigned int rd, unsigned int number)
{
	unsigned int reg = banked_register(FLAG(s, R), number);

	if (reg == SLOT_NONE)
		arm_set_unknown(s, rd);
	else
		arm_set(s, rd, arm_field(s, UOP_FIELD, reg, 0, 32, 0));
}

/* User mode's R8 to R12 and LR may be those in use: which is not known here. */
void arm_banked_write(struct arm *s, unsigned int rn, unsigned int number)
{
	unsigned int reg = banked_register(FLAG(s, R), number);

	uop_use(s->b, arm_r(s, rn));
	if (rn == ARM_PC)
		opcode_reject(&s->opcode);
	else if (reg != SLOT_NONE)
		uop_define(s->b, reg, rn);
	for (unsigned int n = 8; n <= ARM_LR && reg == SLOT_NONE && number < 8; n++)
		uop_define_unknown(s->b, n, 32);
}

/* M and M1 */
static unsigned int banked_number(const struct arm *s)
{
	return FIELD(s, M) << 4 | FIELD(s, M1);
}

void arm_mrs_banked(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_banked_read(s, FIELD(s, Rd), banked_number(s));
}

void arm_msr_banked(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_banked_write(s, FIELD(s, Rn), banked_number(s));
}

enum {
	LARGEST_LINE_BITS = 11, /* of what cache maintenance by address can drop */
};

/* CRn, opc1, CRm and opc2 of MCR and MRC as one number. */
#define CP15(crn, opc1, crm, opc2) ((unsigned int)(crn) << 10 | (opc1) << 7 | (crm) << 3 | (opc2))

struct thread_register {
	unsigned int number;
	unsigned int reg;
};

static const struct thread_register thread_registers[] = {
        {CP15(13, 0, 0, 2), REG_TPIDR_EL0},   /* TPIDRURW */
        {CP15(13, 0, 0, 3), REG_TPIDRRO_EL0}, /* TPIDRURO */
        {CP15(13, 0, 0, 4), REG_TPIDR_EL1},   /* TPIDRPRW */
        {CP15(13, 4, 0, 2), REG_TPIDR_EL2},   /* HTPIDR */
};

/* The register of that number, or SLOT_NONE. */
static unsigned int thread_register(unsigned int number)
{
	for (size_t i = 0; i < sizeof(thread_registers) / sizeof(thread_registers[0]); i++) {
		if (thread_registers[i].number == number)
			return thread_registers[i].reg;
	}
	return SLOT_NONE;
}

/* Writes of CP15. */
static void write_cp15(struct arm *s, unsigned int number, unsigned int rt)
{
	unsigned int crn = FIELD(s, CRn);
	unsigned int crm = FIELD(s, CRm);

	if (thread_register(number) != SLOT_NONE) {
		uop_define(s->b, thread_register(number), arm_r(s, rt));
		return;
	}
	uop_use(s->b, arm_r(s, rt));
	if (crn == 7 && crm == 6) { /* invalidates: by address, or by a set and way */
		if (FIELD(s, opc2) == 1)
			uop_clobber(s->b, (struct uop_place){arm_r(s, rt), 0},
			            1U << LARGEST_LINE_BITS, LARGEST_LINE_BITS);
		else
			s->b->insn.flags |= UOP_KILLS_MEMORY;
	} else if (crn == 15 || crn == 11 || crn == 9) { /* by implementation: locks, DMA, TCM */
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION | UOP_KILLS_MEMORY;
	} else if (crn != 7 && crn != 14 && crn != 5 && crn != 6 && crn != 0 && crn != 12) {
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION;
	}
}

/* MCR, MRC of CP14 and CP15 */
void arm_coprocessor(struct arm *s, unsigned int arg)
{
	unsigned int rt = FIELD(s, Rt);
	bool is_cp15 = FLAG(s, cp);
	unsigned int number = CP15(FIELD(s, CRn), FIELD(s, opc1), FIELD(s, CRm), FIELD(s, opc2));
	unsigned int value;

	(void)arg;
	if (!FLAG(s, L)) {
		if (rt == ARM_PC)
			opcode_reject(&s->opcode);
		else if (is_cp15)
			write_cp15(s, number, rt);
		else
			uop_use(s->b, rt);
		return;
	}
	if (rt == ARM_PC) { /* the flags */
		uop_define_unknown(s->b, REG_NZCV, 16);
		return;
	}
	value = is_cp15 ? thread_register(number) : SLOT_NONE;
	if (value == SLOT_NONE)
		arm_set_unknown(s, rt);
	else
		arm_set(s, rt, arm_field(s, UOP_FIELD, value, 0, 32, 0));
}

/* MCRR, MRRC of CP14 and CP15: a write is of TTBR or PAR, a timer or by implementation. */
void arm_coprocessor_pair(struct arm *s, unsigned int arg)
{
	unsigned int rt = FIELD(s, Rt);
	unsigned int rt2 = FIELD(s, Rt2);

	(void)arg;
	if (rt == ARM_PC || rt2 == ARM_PC) {
		opcode_reject(&s->opcode);
	} else if (FLAG(s, L)) {
		arm_set_unknown(s, rt);
		arm_set_unknown(s, rt2);
	} else {
		uop_use(s->b, rt);
		uop_use(s->b, rt2);
		s->b->insn.flags |= UOP_CHANGES_TRANSLATION;
		if (FLAG(s, cp) && FIELD(s, CRm) != 2 && FIELD(s, CRm) != 14)
			s->b->insn.flags |= UOP_KILLS_MEMORY;
	}
}
