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

static uint32_t bit_of(struct switches *s, uint64_t address)
{
	uint32_t i = 0;

	while (i < s->count && s->sites[i].address != address)
		i++;
	if (i == s->count && s->count < SWITCH_SITES)
		s->sites[s->count++].address = address;
	return UINT32_C(1) << (i < SWITCH_SITES ? i : SWITCH_SITES - 1);
}

/* The stacks that the site was left from. */
static void find_waiting(const struct call_builder *b, uint32_t site, struct candidates *stacks)
{
	*stacks = (struct candidates){
	        .has_more = b->has_lost_stacks, .is_weak = true, .is_switch = true, .site = site};
	for (size_t i = 0; i < b->suspended_count; i++) {
		const struct suspended_stack *stack = &b->suspended[i];

		if (stack->site == site && calls_fits_context(b, &stack->context))
			candidates_add(stacks, (struct candidate){stack->call, stack->call, false});
	}
}

enum status calls_switch_stack(struct call_builder *b, uint64_t address, uint64_t to)
{
	struct candidates stacks;
	uint32_t left = b->top;
	uint32_t site;

	if (b->is_switching)
		return STATUS_OK;
	site = bit_of(b->switches, address);
	b->switches->sites[__builtin_ctz(site)].path_count = 0;
	if ((b->switches->active & site) == 0) {
		calls_of(b, left)->has_switched |= site;
		return STATUS_OK;
	}
	calls_note_kernel_stacks(b);
	/* One of those that it may have been waits no more. */
	if (b->site != 0)
		TRY(calls_forget_candidates(b));
	find_waiting(b, site, &stacks);
	candidates_add(&stacks, (struct candidate){left, left, false});
	TRY(calls_land(b, CALL_BEGIN_LANDED, to, &stacks));
	calls_find_stack(b, left)->site = site;
	return STATUS_OK;
}

static void note_path(struct switches *s, uint32_t sites, uint64_t to)
{
	for (uint32_t i = 0; i < s->count; i++) {
		struct switch_site *site = &s->sites[i];

		if ((sites >> i & 1) == 0)
			continue;
		if (site->path_count < PATH_MOST)
			site->path[site->path_count] = to;
		site->path_count += site->path_count <= PATH_MOST;
	}
}

static bool add_common(struct switch_site *site, uint64_t address)
{
	for (uint32_t i = 0; i < site->common_count; i++) {
		if (site->common[i] == address)
			return false;
	}
	if (site->common_count < COMMON_MOST)
		site->common[site->common_count] = address;
	site->common_count++;
	return true;
}

/* Another task than was thought has come from the site so far. True if more is common now. */
static bool share_path(struct switch_site *site)
{
	bool has_grown = false;

	if (site->common_count > COMMON_MOST)
		return false;
	if (site->path_count > PATH_MOST) {
		site->common_count = COMMON_MOST + 1;
		return true;
	}
	for (uint32_t i = 0; i < site->path_count && site->common_count <= COMMON_MOST; i++)
		has_grown |= add_common(site, site->path[i]);
	return has_grown;
}

void calls_show(struct switches *s, uint32_t what)
{
	if (!s->has_kernel_stacks || s->are_tasks_sure)
		s->shown |= what & SWITCH_TASKS & ~s->active;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t bit = UINT32_C(1) << i;

		if ((what & bit) != 0 && s->rounds <= ROUNDS_MOST &&
		    (share_path(&s->sites[i]) || (s->active & bit) == 0))
			s->shown |= bit;
	}
}

/* SWITCH_TASKS rests on what is none. */
static bool are_no_tasks(const struct switches *s)
{
	return (s->active & SWITCH_TASKS) != 0 && s->has_kernel_stacks && !s->are_tasks_sure;
}

bool calls_are_to_be_found_anew(const struct switches *s)
{
	return s->shown != 0 || s->has_new_announcer || are_no_tasks(s);
}

void calls_activate(struct switches *s)
{
	s->active |= s->shown;
	if (are_no_tasks(s))
		s->active &= ~SWITCH_TASKS;
	s->shown = 0;
	s->has_new_announcer = false;
	if (++s->rounds > ROUNDS_MOST) {
		s->active = UINT32_MAX;
		s->are_tasks_sure = true;
	}
}

void calls_note_kernel_stacks(struct call_builder *b)
{
	for (uint32_t call = b->top; call != CALL_NONE && !b->switches->has_kernel_stacks;
	     call = calls_of(b, call)->parent)
		b->switches->has_kernel_stacks = calls_of(b, call)->is_exception;
}

bool calls_announces(const struct switches *s, uint64_t function)
{
	for (uint32_t i = 0; i < s->announcer_count; i++) {
		if (s->announcers[i] == function)
			return true;
	}
	return false;
}

void calls_add_announcer(struct switches *s, uint64_t function)
{
	if (s->announcer_count == ANNOUNCERS_MOST || calls_announces(s, function))
		return;
	s->announcers[s->announcer_count++] = function;
	s->has_new_announcer = true;
}

void calls_note_return(struct call_builder *b, uint32_t found, uint64_t to)
{
	const struct call *c = calls_of(b, b->top);

	if (found != b->top) {
		calls_show(b->switches, c->may_be_other);
		note_path(b->switches, b->site, to);
		return;
	}
	note_path(b->switches, c->may_be_other | c->has_switched, to);
	if (c->parent != CALL_NONE)
		calls_of(b, c->parent)->may_be_other |= c->may_be_other | c->has_switched;
}
