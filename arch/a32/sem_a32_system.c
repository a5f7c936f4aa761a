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
	arm_return_from_exception(s, REG_A32_SPSR);
}

void arm_pstate(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_pstate_unknown(s);
}

/* As MSR and CPS do it, which change nothing in User mode; `slot`: M in its low bits. */
static void arm_set_mode(struct arm *s, unsigned int slot)
{
	unsigned int is_user = uop_equal(s->b, 5, REG_A32_MODE, arm_constant(s, A32_USR));

	arm_change_mode(s, uop_select(s->b, 32, is_user, arm_constant(s, A32_USR), slot));
}

/* CPS; M: with a mode. */
void arm_cps(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (FLAG(s, M))
		arm_set_mode(s, arm_constant(s, FIELD(s, mode)));
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

/* Of SPSR, or of CPSR: flags, GE and mode. */
void arm_mrs(struct arm *s, unsigned int is_saved)
{
	arm_set(s, FIELD(s, Rd),
	        is_saved != 0 ? arm_field(s, UOP_FIELD, REG_A32_SPSR, 0, 32, 0)
	                      : uop_mode_cpsr(s->b));
}

void arm_msr_saved(struct arm *s, unsigned int slot, unsigned int fields)
{
	unsigned int spsr = REG_A32_SPSR;

	for (unsigned int byte = 0; byte < 4; byte++) {
		if ((fields >> byte & 1) != 0)
			spsr = uop_insert(s->b, 32, spsr,
			                  arm_field(s, UOP_FIELD, slot, 8 * byte, 8, 0),
			                  (struct bits_field){0, 8, 8 * byte});
	}
	uop_define(s->b, REG_A32_SPSR, spsr);
}

void arm_msr_fields(struct arm *s, unsigned int slot, unsigned int fields)
{
	if ((fields & 8) != 0)
		arm_set_flags(s, slot);
	if ((fields & 4) != 0)
		arm_set_ge(s, slot);
	if ((fields & 1) != 0)
		arm_set_mode(s, slot);
	else if (fields != 0)
		arm_pstate_unknown(s);
}

/* A32 register form */
void arm_msr(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (FIELD(s, Rn) == ARM_PC)
		opcode_reject(&s->opcode);
	else if (FLAG(s, R))
		arm_msr_saved(s, FIELD(s, Rn), FIELD(s, mask));
	else
		arm_msr_fields(s, FIELD(s, Rn), FIELD(s, mask));
}

/*
 * The register of a mode that R, M and M1 name (G8.2: banked MRS and MSR), or SLOT_NONE as its slot
 * for what uop_mode.h does not follow by name: ELR_hyp.
 */
static struct mode_register banked_register(bool is_spsr, unsigned int number)
{
	enum { LR_USR = 0x06, R8_FIQ = 0x08, LR_FIQ = 0x0e, LR_IRQ = 0x10, ELR_HYP = 0x1e };
	static const uint8_t modes[] = {A32_IRQ, A32_SVC, A32_ABT, A32_UND, 0, 0, A32_MON, A32_HYP};
	struct mode_register reg = {A32_USR, SLOT_NONE};

	if (number >= LR_IRQ)
		reg.mode = (enum a32_mode)modes[(number - LR_IRQ) / 2];
	else if (number >= R8_FIQ)
		reg.mode = A32_FIQ;
	if (is_spsr && number % 2 == 0 && number >= LR_FIQ)
		reg.in_use = REG_A32_SPSR;
	else if (!is_spsr && number >= LR_IRQ && number != ELR_HYP)
		reg.in_use = number % 2 == 0 ? ARM_LR : ARM_SP;
	else if (!is_spsr && number >= R8_FIQ && number <= LR_FIQ)
		reg.in_use = number;
	else if (!is_spsr && number <= LR_USR)
		reg.in_use = 8 + number;
	return reg;
}

void arm_banked_read(struct arm *s, unsigned int rd, unsigned int number)
{
	struct mode_register reg = banked_register(FLAG(s, R), number);

	if (reg.in_use == SLOT_NONE)
		arm_set_unknown(s, rd);
	else
		arm_set(s, rd, uop_mode_read(s->b, reg));
}

void arm_banked_write(struct arm *s, unsigned int rn, unsigned int number)
{
	struct mode_register reg = banked_register(FLAG(s, R), number);

	if (rn == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	uop_use(s->b, rn);
	if (reg.in_use != SLOT_NONE)
		uop_mode_write(s->b, reg, rn);
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

/* A register of CP15 that is read as it was written. */
struct carried_register {
	unsigned int number;
	unsigned int reg;
	unsigned int flags; /* of enum uop_flags, of what writes it */
};

static const struct carried_register carried_registers[] = {
        {CP15(13, 0, 0, 2), REG_TPIDR_EL0, 0},                    /* TPIDRURW */
        {CP15(13, 0, 0, 3), REG_TPIDRRO_EL0, 0},                  /* TPIDRURO */
        {CP15(13, 0, 0, 4), REG_TPIDR_EL1, 0},                    /* TPIDRPRW */
        {CP15(13, 4, 0, 2), REG_TPIDR_EL2, 0},                    /* HTPIDR */
        {CP15(1, 0, 1, 0), REG_A32_SCR, UOP_CHANGES_TRANSLATION}, /* SCR */
};

/* The register of that number, or NULL. */
static const struct carried_register *carried_register(unsigned int number)
{
	for (size_t i = 0; i < sizeof(carried_registers) / sizeof(carried_registers[0]); i++) {
		if (carried_registers[i].number == number)
			return &carried_registers[i];
	}
	return NULL;
}

/* Writes of CP15. */
static void write_cp15(struct arm *s, unsigned int number, unsigned int rt)
{
	unsigned int crn = FIELD(s, CRn);
	unsigned int crm = FIELD(s, CRm);
	const struct carried_register *carried = carried_register(number);

	if (carried) {
		uop_define(s->b, carried->reg, arm_r(s, rt));
		s->b->insn.flags |= (uint16_t)carried->flags;
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
	const struct carried_register *carried;

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
	carried = is_cp15 ? carried_register(number) : NULL;
	if (carried)
		arm_set(s, rt, arm_field(s, UOP_FIELD, carried->reg, 0, 32, 0));
	else
		arm_set_unknown(s, rt);
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
