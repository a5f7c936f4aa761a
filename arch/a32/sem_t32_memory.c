/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32 loads, stores, branches and system instructions of 32 bits: their operands, for the functions
 * of sem_a32_expand.h. Arm ARM DDI 0487 F3.1.3.
 */
#include "arch/a32/flow.h"
#include "arch/a32/sem_t32_expand.h"

void t32_srs(struct arm *s, unsigned int before_up)
{
	arm_srs(s, before_up, FLAG(s, W));
}

void t32_rfe(struct arm *s, unsigned int before_up)
{
	arm_rfe(s, FIELD(s, Rn), before_up, FLAG(s, W));
}

void t32_multiple(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = {.rn = FIELD(s, Rn),
	                         .list = FIELD(s, list),
	                         .is_load = FLAG(s, L),
	                         .is_up = FLAG(s, U),
	                         .is_before = FLAG(s, P),
	                         .writes_back = FLAG(s, W)};

	(void)arg;
	/* SP is never in the list, PC never stored */
	if ((m.list & 1U << ARM_SP) != 0 || (!m.is_load && (m.list >> ARM_PC) != 0))
		opcode_reject(&s->opcode);
	else
		arm_multiple(s, &m);
}

/* TT and the like tell what an address may be used for. */
void t32_test_target(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, FIELD(s, Rn));
	arm_set_unknown(s, FIELD(s, Rd));
}

void t32_exclusive(struct arm *s, unsigned int arg)
{
	struct arm_transfer t = {.rt = FIELD(s, Rt), .bytes = 4, .is_load = FLAG(s, L)};

	(void)arg;
	s->b->insn.flags |= UOP_EXCLUSIVE;
	if (!t.is_load && FIELD(s, Rd) == ARM_PC)
		opcode_reject(&s->opcode);
	arm_exclusive(s, &t, (struct uop_place){FIELD(s, Rn), 4 * (int64_t)FIELD(s, imm8)},
	              FIELD(s, Rd));
}

/* Those of a size, and those with an order: bits 7 and 6 say which. */
void t32_exclusive_sized(struct arm *s, unsigned int arg)
{
	unsigned int kind = FIELD(s, op);
	struct arm_transfer t = {.rt = FIELD(s, Rt),
	                         .rt2 = FIELD(s, Rt2),
	                         .bytes = 1U << FIELD(s, sz),
	                         .is_load = FLAG(s, L)};
	bool is_exclusive = (kind & 1) != 0;

	(void)arg;
	if (is_exclusive)
		s->b->insn.flags |= UOP_EXCLUSIVE;
	if ((kind & 2) != 0)
		s->b->insn.flags |= UOP_ORDERED;
	if ((kind == 1 && t.bytes == 4) || (!is_exclusive && t.bytes == 8) ||
	    (is_exclusive && !t.is_load && FIELD(s, Rd) == ARM_PC) ||
	    (t.bytes == 8 && t.rt2 == ARM_PC)) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_exclusive(s, &t, (struct uop_place){FIELD(s, Rn), 0},
	              is_exclusive ? FIELD(s, Rd) : (unsigned int)ARM_PC);
}

/* Bits 31..1 of the PC with twice an entry of a table added: TBB, TBH */
void t32_table_branch(struct arm *s, unsigned int arg)
{
	bool is_half = FLAG(s, H);
	unsigned int rm = FIELD(s, Rm);
	unsigned int index = rm;
	unsigned int entry;

	(void)arg;
	if (rm == ARM_PC || rm == ARM_SP) {
		opcode_reject(&s->opcode);
		return;
	}
	if (is_half)
		index = arm_field(s, UOP_FIELD, rm, 0, 31, 1);
	entry = uop_load(
	        s->b,
	        (struct uop_place){uop_sum(s->b, 32, arm_r(s, FIELD(s, Rn)), index, false), 0},
	        is_half ? 2 : 1);
	entry = arm_field(s, UOP_FIELD, entry, 0, 16, 1);
	s->b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_INDIRECT,
	        .slot = (uint8_t)uop_sum(s->b, 32, arm_constant(s, s->pc), entry, false),
	        .target_bits = 32,
	        .when = SLOT_NONE};
}

static struct arm_address address_of(const struct arm *s)
{
	return (struct arm_address){
	        .rn = FIELD(s, Rn), .index = SLOT_NONE, .adds = true, .is_before = true};
}

void t32_dual(struct arm *s, unsigned int arg)
{
	struct arm_transfer t = {
	        .rt = FIELD(s, Rt), .rt2 = FIELD(s, Rt2), .bytes = 8, .is_load = FLAG(s, L)};
	struct arm_address a = address_of(s);

	(void)arg;
	a.immediate = 4 * FIELD(s, imm8);
	a.adds = FLAG(s, U);
	a.is_before = FLAG(s, P);
	a.writes_back = FLAG(s, W);
	if ((!a.is_before && !a.writes_back) || (t.is_load && t.rt == t.rt2) || t.rt == ARM_SP ||
	    t.rt2 == ARM_SP)
		opcode_reject(&s->opcode);
	else
		arm_transfer(s, &t, &a);
}

/* Size, sign and direction. With the PC as destination a load is a prefetch, or reserved. */
static struct arm_transfer transfer_of(const struct arm *s)
{
	return (struct arm_transfer){.rt = FIELD(s, Rt),
	                             .bytes = 1U << FIELD(s, size),
	                             .is_load = FLAG(s, L),
	                             .is_signed = FLAG(s, sign)};
}

static bool is_prefetch(const struct arm_transfer *t)
{
	return t->is_load && t->rt == ARM_PC && t->bytes != 4;
}

static void single(struct arm *s, const struct arm_address *a)
{
	struct arm_transfer t = transfer_of(s);

	if (is_prefetch(&t) && !a->writes_back)
		return;
	if (t.is_signed && (t.bytes == 4 || !t.is_load))
		opcode_reject(&s->opcode);
	else
		arm_transfer(s, &t, a);
}

void t32_literal(struct arm *s, unsigned int arg)
{
	struct arm_address a = address_of(s);

	(void)arg;
	a.immediate = FIELD(s, imm12);
	a.adds = FLAG(s, U);
	single(s, &a);
}

/* form: 0 immediate of 12 bits, 1 of 8 with P, U and W, 2 register */
void t32_single(struct arm *s, unsigned int form)
{
	struct arm_address a = address_of(s);
	bool rt_is_pc = FIELD(s, Rt) == ARM_PC;

	if (a.rn == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	if (form == 0) {
		a.immediate = FIELD(s, imm12);
	} else if (form == 1) {
		a.immediate = FIELD(s, imm8);
		a.is_before = FLAG(s, P);
		a.adds = FLAG(s, U);
		a.writes_back = FLAG(s, W);
		/* 1110 is LDRT and the like, of which none is a prefetch */
		if ((!a.is_before && !a.writes_back) || (a.adds && !a.writes_back && rt_is_pc))
			opcode_reject(&s->opcode);
	} else {
		if (FIELD(s, Rm) == ARM_PC || FIELD(s, Rm) == ARM_SP)
			opcode_reject(&s->opcode);
		a.index = arm_shifted(s, FIELD(s, Rm), ARM_LSL, FIELD(s, imm2)).slot;
	}
	single(s, &a);
}

/* PAC and PACBTI put a code into R12. */
void t32_pac(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, ARM_LR);
	uop_use(s->b, ARM_SP);
	arm_set_unknown(s, 12);
}

enum {
	PRIMASK = 0x10, /* M profile: to FAULTMASK, with BASEPRI: what is masked, no more */
	FAULTMASK = 0x13,
	NO_FLAGS = 4, /* M profile: from here on they are no part of what is read or written */
	SPECIAL = 8,  /* M profile: from here on SYSm is no part of xPSR: MSP, PSP, CONTROL ... */
	MSP = 8,
	PSP = 9,
	PSPLIM = 11,
	CONTROL = 20,
	BANKED = 0x20, /* A profile: a register of another mode */
};

/* M profile: `value` as a handler; a thread may be unprivileged, which reads 0 and writes nothing.
 */
static unsigned int of_handler(struct arm *s, unsigned int value)
{
	unsigned int handler = arm_field(s, UOP_FIELD, REG_M_HANDLER, 0, 1, 0);

	return uop_select(s->b, 32, handler, value, uop_unknown(s->b, 32));
}

/* M profile: the stack pointer that is in use is R13. */
static void stack_pointer_write(struct arm *s, unsigned int rn, bool is_psp)
{
	unsigned int on_psp = arm_field(s, UOP_FIELD, REG_M_ON_PSP, 0, 1, 0);
	unsigned int value = of_handler(s, arm_field(s, UOP_FIELD, rn, 2, 30, 2));
	unsigned int in_use =
	        uop_select(s->b, 32, on_psp, is_psp ? value : ARM_SP, is_psp ? ARM_SP : value);
	unsigned int other = uop_select(s->b, 32, on_psp, is_psp ? REG_M_OTHER_SP : value,
	                                is_psp ? value : REG_M_OTHER_SP);

	uop_define(s->b, ARM_SP, in_use);
	uop_define(s->b, REG_M_OTHER_SP, other);
}

static unsigned int stack_pointer_read(struct arm *s, bool is_psp)
{
	unsigned int on_psp = arm_field(s, UOP_FIELD, REG_M_ON_PSP, 0, 1, 0);

	return of_handler(s, uop_select(s->b, 32, on_psp, is_psp ? ARM_SP : REG_M_OTHER_SP,
	                                is_psp ? REG_M_OTHER_SP : ARM_SP));
}

/* M profile: of a thread SP may be another one after it. */
static void control_write(struct arm *s, unsigned int rn)
{
	uop_use(s->b, rn);
	uop_define(s->b, ARM_SP, of_handler(s, ARM_SP));
	uop_define(s->b, REG_M_OTHER_SP, of_handler(s, REG_M_OTHER_SP));
	uop_define(s->b, REG_M_ON_PSP, of_handler(s, REG_M_ON_PSP));
	uop_define_unknown(s->b, REG_M_FPCA, 32);
	arm_pstate_unknown(s);
}

/* MSR of both profiles: what a mask of A and a SYSm of M name. */
void t32_msr(struct arm *s, unsigned int arg)
{
	unsigned int rn = FIELD(s, Rn);
	unsigned int number = FIELD(s, SYSm);

	(void)arg;
	if (rn == ARM_PC) {
		opcode_reject(&s->opcode);
	} else if ((number & ~0x10U) == BANKED) {
		arm_banked_write(s, rn, (number & 0x10) | FIELD(s, mask));
	} else if (!FLAG(s, R) && (number == MSP || number == PSP)) {
		stack_pointer_write(s, rn, number == PSP);
	} else if (!FLAG(s, R) && number == CONTROL) {
		control_write(s, rn);
	} else if ((number >= PRIMASK && number <= FAULTMASK) ||
	           (number > PSP && number <= PSPLIM)) {
		uop_use(s->b, rn);
		arm_pstate_unknown(s);
	} else if (!FLAG(s, R) && number >= NO_FLAGS && number < SPECIAL) {
		uop_use(s->b, rn);
	} else if (number >= SPECIAL) {
		uop_use(s->b, rn);
		uop_mode_forget(s->b);
		arm_pstate_unknown(s);
	} else if (FLAG(s, R)) {
		arm_msr_saved(s, rn, FIELD(s, mask));
	} else {
		arm_msr_fields(s, rn, FIELD(s, mask));
	}
}

/* M profile: xPSR or parts of it. */
static unsigned int flags_alone(struct arm *s)
{
	unsigned int packed = uop_make(s->b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);

	return uop_insert(s->b, 32, uop_unknown(s->b, 32), packed, (struct bits_field){0, 4, 28});
}

void t32_mrs(struct arm *s, unsigned int arg)
{
	unsigned int number = FIELD(s, SYSm);

	(void)arg;
	if ((number & ~0x10U) == BANKED)
		arm_banked_read(s, FIELD(s, Rd), (number & 0x10) | FIELD(s, M1));
	else if (!FLAG(s, R) && (number == MSP || number == PSP))
		arm_set(s, FIELD(s, Rd), stack_pointer_read(s, number == PSP));
	else if (number == 0)
		arm_mrs(s, FLAG(s, R));
	else if (number < NO_FLAGS)
		arm_set(s, FIELD(s, Rd), flags_alone(s));
	else
		arm_set_unknown(s, FIELD(s, Rd));
}

void t32_bxj(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_branch_exchange(s, arm_r(s, FIELD(s, Rn)));
}

void t32_branch_conditional(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (s->in_it) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_branch_to(s, s->pc + t32_branch_offset(s->opcode.pattern, s->opcode.bits));
	s->b->insn.branch.kind = BRANCH_CONDITIONAL;
	s->b->insn.branch.taken_value = 1;
	s->b->insn.branch.slot = (uint8_t)uop_condition(s->b, FIELD(s, cond));
}

/* kind: 0 B, 1 BL, 2 BLX, from the aligned PC */
void t32_branch(struct arm *s, unsigned int kind)
{
	uint32_t pc = kind == 2 ? s->pc & ~UINT32_C(3) : s->pc;

	arm_branch_to(s, pc + t32_branch_offset(s->opcode.pattern, s->opcode.bits));
	if (kind != 0)
		uop_define(s->b, ARM_LR, arm_constant(s, (s->address + 4) | 1));
}
