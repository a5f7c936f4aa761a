/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, and what is made of SP; see sp_track.h. */
#include "replay/values/ssa/sp_track.h"

#include "replay/values/ssa/window.h"

enum {
	FP_A64 = 29,
	FP_A32 = 11,
	FP_T32 = 7,
};

unsigned int sp_track_sp(const struct template *template)
{
	return template->isa == ISA_A64 ? REG_SP : 13;
}

unsigned int sp_track_lr(const struct template *template)
{
	return template->isa == ISA_A64 ? REG_LR : 14;
}

unsigned int sp_track_fp(const struct template *template)
{
	return template->isa == ISA_A64 ? FP_A64 : template->isa == ISA_T32 ? FP_T32 : FP_A32;
}

bool sp_track_is_call(const struct template *template)
{
	const struct uop_insn *insn = template->insn;
	unsigned int slot = uop_insn_after(insn, sp_track_lr(template));

	if (!template->is_code || slot < SLOT_CONSTANT || slot >= SLOT_ZERO ||
	    (insn->branch.kind != BRANCH_DIRECT && insn->branch.kind != BRANCH_INDIRECT))
		return false;
	return (insn->constants[slot - SLOT_CONSTANT] & ~UINT64_C(1)) ==
	       template->address + template->size;
}

bool sp_track_is_return(const struct template *template)
{
	uint8_t kind = template->insn->branch.kind;

	return template->is_code && !sp_track_is_call(template) &&
	       (kind == BRANCH_INDIRECT || kind == BRANCH_CONDITIONAL_INDIRECT);
}

bool sp_track_sum(const struct template *template, unsigned int slot, struct sp_sum *sum)
{
	const struct uop_insn *insn = template->insn;
	struct sp_sum parts[3] = {{SLOT_NONE, 0}, {SLOT_NONE, 0}, {SLOT_NONE, 0}};
	const struct uop *op = insn->ops;
	bool subtracts;

	*sum = (struct sp_sum){SLOT_NONE, 0};
	if (slot == SLOT_NONE || slot < REG_COUNT) {
		sum->base = slot;
		return slot != SLOT_NONE;
	}
	if (slot >= SLOT_CONSTANT) {
		sum->constant = slot < SLOT_ZERO ? insn->constants[slot - SLOT_CONSTANT] : 0;
		return true;
	}
	while (op < insn->ops + insn->op_count && op->dst != slot)
		op++;
	if (op == insn->ops + insn->op_count || (op->op != UOP_ADD && op->op != UOP_SUB) ||
	    !sp_track_sum(template, op->a, &parts[0]) ||
	    !sp_track_sum(template, op->b, &parts[1]) ||
	    (op->c != SLOT_NONE && !sp_track_sum(template, op->c, &parts[2])))
		return false;
	subtracts = op->op == UOP_SUB;
	sum->base = parts[0].base != SLOT_NONE ? parts[0].base : parts[1].base;
	sum->constant = parts[0].constant + parts[2].constant +
	                (subtracts ? ~parts[1].constant : parts[1].constant);
	return (parts[0].base == SLOT_NONE || parts[1].base == SLOT_NONE) &&
	       parts[2].base == SLOT_NONE && (!subtracts || parts[1].base == SLOT_NONE);
}

void sp_track_follow(struct sp_track *track, const struct template *template)
{
	unsigned int sp = sp_track_sp(template);
	unsigned int fp = sp_track_fp(template);
	unsigned int after = uop_insn_after(template->insn, sp);
	struct sp_sum sum;

	if ((template->insn->flags & UOP_KILLS_REGISTERS) != 0) {
		track->switches++;
		return;
	}
	if (after == sp)
		return;
	if (!template->is_code || !sp_track_sum(template, after, &sum) ||
	    (sum.base != sp && sum.base != fp))
		track->switches++;
	else if (sum.base == fp)
		track->restores++;
	else
		track->moved += sum.constant;
}

bool sp_track_is_kept(const struct template *template, const struct sp_track *before,
                      const struct sp_track *after)
{
	uint64_t moved = after->moved - before->moved;

	return before->switches == after->switches &&
	       (before->restores != after->restores ||
	        (moved & bits_mask(template->isa == ISA_A64 ? 64 : 32)) == 0);
}

bool sp_track_is_of_frame(const struct template *template, unsigned int slot)
{
	const struct uop_insn *insn = template->insn;
	const struct uop *op = insn->ops;

	if (slot < REG_COUNT)
		return slot == sp_track_sp(template) || slot == sp_track_fp(template);
	if (slot >= SLOT_CONSTANT)
		return false;
	while (op < insn->ops + insn->op_count && op->dst != slot)
		op++;
	return op < insn->ops + insn->op_count && op->op != UOP_LOAD &&
	       (sp_track_is_of_frame(template, op->a) || sp_track_is_of_frame(template, op->b) ||
	        sp_track_is_of_frame(template, op->c));
}
