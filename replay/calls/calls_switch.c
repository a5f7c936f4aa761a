/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of stacks that no return shows at once; see calls_switch.h. In: opcodes, and what returns
 * to where. Out: what is noted of calls, and of the builder's switches.
 */
#include "replay/calls/calls_switch.h"

/* ---- opcodes ---- */

enum { A64_FP = 29, A64_SP = 31, A32_FP = 11, T32_FP = 7, A32_SP = 13 };

static bool a64_sets_sp(uint32_t opcode)
{
	uint32_t rn = opcode >> 5 & 31;

	/* MOV SP, Xn */
	return (opcode & 0xfffffc1f) == 0x9100001f && rn != A64_FP && rn != A64_SP;
}

static bool is_frame(uint32_t rn)
{
	return rn == A32_FP || rn == T32_FP || rn == A32_SP;
}

static bool a32_sets_sp(uint32_t opcode)
{
	if (opcode >> 28 == 15)
		return false;
	if ((opcode & 0x0ffffff0) == 0x01a0d000) /* MOV SP, Rm */
		return !is_frame(opcode & 15);
	/* LDR SP, [Rn, ...] and LDM Rn, {..., SP, ...} */
	return ((opcode & 0x0c50f000) == 0x0410d000 || (opcode & 0x0e102000) == 0x08102000) &&
	       !is_frame(opcode >> 16 & 15);
}

static bool t32_sets_sp(uint32_t opcode)
{
	if ((opcode & 0xffffff87) == 0x4685) /* MOV SP, Rm */
		return !is_frame(opcode >> 3 & 15);
	/* LDR.W SP, [Rn, ...] */
	return (opcode & 0xff70f000) == 0xf850d000 && !is_frame(opcode >> 16 & 15);
}

bool calls_sets_sp(enum isa isa, uint32_t opcode)
{
	if (isa == ISA_A64)
		return a64_sets_sp(opcode);
	if (isa == ISA_A32)
		return a32_sets_sp(opcode);
	return isa == ISA_T32 && t32_sets_sp(opcode);
}

/* ---- what they change ---- */

static uint32_t bit_of(struct switches *s, uint64_t site)
{
	uint32_t i = 0;

	while (i < s->count && s->sites[i] != site)
		i++;
	if (i == s->count && s->count < SWITCH_SITES)
		s->sites[s->count++] = site;
	return UINT32_C(1) << (i < SWITCH_SITES ? i : SWITCH_SITES - 1);
}

enum status calls_switch_stack(struct call_builder *b, uint64_t site, uint64_t to)
{
	static const struct candidates nobody = {.is_switch = true};
	uint32_t bit;

	if (calls_is_switching(b))
		return STATUS_OK;
	bit = bit_of(b->switches, site);
	if ((b->switches->active & bit) == 0) {
		calls_of(b, b->top)->has_switched |= bit;
		return STATUS_OK;
	}
	TRY(calls_lose_stack(b, to));
	return calls_doubt(b, b->top, &nobody);
}

void calls_note_return(struct call_builder *b, uint32_t found)
{
	const struct call *c = calls_of(b, b->top);

	if (found != b->top)
		b->switches->shown |= c->may_be_other & ~b->switches->active;
	else if (c->parent != CALL_NONE)
		calls_of(b, c->parent)->may_be_other |= c->may_be_other | c->has_switched;
}
