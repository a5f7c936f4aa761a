/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What A32 and T32 have in common: registers, conditions, branches; see sem_a32_expand.h. Arm ARM
 * DDI 0487 E1.2 (PC and conditions), F2.3.
 */
#include "arch/a32/sem_a32_expand.h"

unsigned int arm_constant(struct arm *s, uint32_t value)
{
	return uop_constant(s->b, value);
}

unsigned int arm_r(struct arm *s, unsigned int n)
{
	return n == ARM_PC ? arm_constant(s, s->pc) : n;
}

void arm_set(struct arm *s, unsigned int n, unsigned int slot)
{
	if (n == ARM_PC)
		opcode_reject(&s->opcode);
	else
		uop_define(s->b, n, slot);
}

void arm_set_unknown(struct arm *s, unsigned int n)
{
	arm_set(s, n, uop_unknown(s->b, 32));
}

void arm_pstate_unknown(struct arm *s)
{
	uop_define_unknown(s->b, REG_PSTATE, 64);
}

void arm_fpscr_unknown(struct arm *s)
{
	uop_define_unknown(s->b, REG_FPSR, 64);
}

void arm_set_flags(struct arm *s, unsigned int slot)
{
	unsigned int packed = uop_field(s->b, UOP_FIELD, 4, slot, (struct bits_field){28, 4, 0});

	uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, packed, SLOT_NONE));
}

void arm_set_ge(struct arm *s, unsigned int slot)
{
	uop_define(s->b, REG_A32_GE, arm_field(s, UOP_FIELD, slot, A32_GE_AT, 4, 0));
}

/* Under a condition all that depends on it would be too much for an instruction. */
void arm_change_mode(struct arm *s, unsigned int slot)
{
	if (s->when != SLOT_NONE)
		uop_mode_forget(s->b);
	else
		uop_mode_change(s->b, arm_field(s, UOP_FIELD, slot, 0, 5, 0));
	arm_pstate_unknown(s);
}

unsigned int arm_field(struct arm *s, enum uop_op op, unsigned int slot, unsigned int lsb,
                       unsigned int len, unsigned int to)
{
	return uop_field(s->b, op, 32, slot, (struct bits_field){lsb, len, to});
}

unsigned int arm_not(struct arm *s, unsigned int slot)
{
	return uop_make(s->b, UOP_XOR, 32, slot, arm_constant(s, UINT32_MAX));
}

unsigned int arm_rotated(struct arm *s, unsigned int slot, unsigned int amount)
{
	if (amount == 0)
		return slot;
	return uop_emit(s->b, (struct uop){.op = UOP_EXTRACT,
	                                   .width = 32,
	                                   .a = (uint8_t)slot,
	                                   .b = (uint8_t)slot,
	                                   .c = SLOT_NONE,
	                                   .amount = (uint8_t)amount});
}

void arm_branch_to(struct arm *s, uint32_t target)
{
	s->b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_DIRECT, .slot = SLOT_NONE, .when = SLOT_NONE, .target = target};
}

static void branch_indirect(struct arm *s, unsigned int pc)
{
	s->b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_INDIRECT, .slot = (uint8_t)pc, .target_bits = 32, .when = SLOT_NONE};
}

void arm_branch_exchange(struct arm *s, unsigned int slot)
{
	branch_indirect(s, arm_field(s, UOP_FIELD, slot, 1, 31, 1));
	s->b->insn.branch.interworks = true;
	s->b->insn.branch.state = (uint8_t)slot;
}

void arm_set_or_branch(struct arm *s, unsigned int n, unsigned int slot)
{
	if (n != ARM_PC)
		uop_define(s->b, n, slot);
	else if (s->is_t32)
		branch_indirect(s, arm_field(s, UOP_FIELD, slot, 1, 31, 1));
	else
		arm_branch_exchange(s, slot);
}

/* To where ELR, LR or memory say, in the mode and with the flags and GE that an SPSR has. */
void arm_return_from_exception(struct arm *s, unsigned int spsr)
{
	s->b->insn.branch =
	        (struct uop_branch){.kind = BRANCH_RETURN, .slot = SLOT_NONE, .when = SLOT_NONE};
	arm_set_flags(s, spsr);
	arm_set_ge(s, spsr);
	arm_change_mode(s, spsr);
}

static unsigned int width_of(unsigned int reg)
{
	if (reg == REG_NZCV)
		return 16;
	return reg < REG_NZCV ? 32 : 64;
}

static void predicate_branch(struct arm *s)
{
	struct uop_branch *branch = &s->b->insn.branch;

	if (branch->kind == BRANCH_DIRECT) {
		branch->kind = BRANCH_CONDITIONAL;
		branch->slot = (uint8_t)s->when;
		branch->taken_value = 1;
	} else if (branch->kind == BRANCH_INDIRECT) {
		branch->kind = BRANCH_CONDITIONAL_INDIRECT;
		branch->when = (uint8_t)s->when;
	}
}

/* All that the instruction does happens only if its condition holds. */
static void predicate(struct arm *s)
{
	struct uop_builder *b = s->b;

	for (unsigned int i = 0; i < b->insn.access_count; i++) {
		if (b->accesses[i].when != SLOT_NONE)
			continue; /* the condition is in it */
		b->accesses[i].when = (uint8_t)s->when;
		b->accesses[i].when_value = true;
	}
	for (unsigned int i = 0; i < b->insn.def_count; i++) {
		struct uop_def *def = &b->defs[i];

		def->slot =
		        (uint8_t)uop_select(b, width_of(def->reg), s->when, def->slot, def->reg);
	}
	predicate_branch(s);
}

void arm_run(struct arm *s, arm_expand *expand, unsigned int arg, unsigned int condition)
{
	uop_begin(s->b);
	s->when = SLOT_NONE;
	if (condition < 14)
		s->when = uop_condition(s->b, condition);
	s->b->insn.when = (uint8_t)s->when;
	expand(s, arg);
	if (s->opcode.rejected)
		s->b->overflow = true; /* and so it kills all */
	else if (s->when != SLOT_NONE)
		predicate(s);
	uop_finish(s->b);
	s->b->insn.flags |= UOP_AARCH32;
}
