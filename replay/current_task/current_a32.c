/* SPDX-License-Identifier: Apache-2.0 */
/* TPIDRURO, a variable, or the stack; see current_task.h. */
#include "replay/current_task/current_store.h"

#include "arch/a32/a32.h"
#include "arch/uop/uop.h"

enum {
	RT_SHIFT = 12,
	RT_MASK = 15,
	RT_PC = 15,
	ALWAYS = 14, /* of conditions; in T32 it is what the opcode begins with */
	CONDITION_SHIFT = 28,
};

/* MRC and MCR p15, 0, Rt, c13, c0, 3, without condition and Rt (Arm ARM F5.1, G8.2). */
static const uint32_t mrc_tpidruro = 0x0e1d0f70;
static const uint32_t mcr_tpidruro = 0x0e0d0f70;
static const uint32_t without_rt = 0x0fff0fff;

/* ---- the halt ---- */

/* While the core runs a program, and on the way there and back, TPIDRURO is that program's. */
static bool halt_of_register(struct current_place *at, enum a32_mode mode, uint64_t *address)
{
	const struct os_memory memory = current_memory(at);
	uint64_t per_cpu = 0;

	if (mode != A32_USR) {
		if (!current_halt_register(at, STR("TPIDRURO"), address))
			return false;
		if (linux_is_own_address(at->kernel, *address))
			return true;
	}
	if (linux_has_per_cpu_offset(at->kernel) &&
	    !current_halt_register(at, STR("TPIDRPRW"), &per_cpu))
		return false;
	return linux_entry_task(at->kernel, &memory, per_cpu, address);
}

static bool halt_of_stack(struct current_place *at, enum a32_mode mode, uint64_t *address)
{
	const struct os_memory memory = current_memory(at);
	uint64_t sp;

	return current_halt_register(at, mode == A32_SVC ? STR("SP") : STR("SP_SVC"), &sp) &&
	       linux_stack_task(at->kernel, &memory, sp, address);
}

static bool halt_task(struct current_place *at, uint64_t *address)
{
	uint64_t state;
	enum a32_mode mode;

	if (!current_halt_register(at, STR("CPSR"), &state))
		return false;
	mode = (enum a32_mode)(state & A32_MODE_MASK);
	if (mode == A32_HYP || mode == A32_MON)
		return false;
	return linux_current(at->kernel) == LINUX_CURRENT_STACK
	               ? halt_of_stack(at, mode, address)
	               : halt_of_register(at, mode, address);
}

/* ---- the past, by TPIDRURO ---- */

static bool is_move(enum isa isa, uint32_t opcode)
{
	uint32_t without = opcode & without_rt;

	if (isa == ISA_T32 && opcode >> CONDITION_SHIFT != ALWAYS)
		return false;
	return without == mrc_tpidruro || without == mcr_tpidruro;
}

/* The instruction may not have been executed though it was passed. */
static bool is_conditional(const struct current_place *at, const struct instruction *insn)
{
	struct it_block block = {.state = 0};

	if (insn->isa != ISA_T32)
		return insn->opcode >> CONDITION_SHIFT != ALWAYS;
	it_block_enter(&block, history_memory(at->history), history_view(at->history, at->position),
	               insn->address, true);
	return it_block_condition(&block) != SEM_NO_IT;
}

/* __switch_to() and what starts a core make another task the current one. */
static bool is_switch(const struct current_place *at, const struct instruction *insn)
{
	struct function_symbol function;

	return !symbols_find(at->symbols, insn->address, &function) ||
	       str_eq(function.name, STR("__switch_to")) ||
	       str_eq(function.name, STR("secondary_start_kernel")) ||
	       str_eq(function.name, STR("__mmap_switched"));
}

/* Either security state has a TPIDRURO. */
static enum security_state security_at(const struct current_place *at)
{
	struct context_change last;

	return history_last_context(at->history, at->position, &last) ? last.context.security
	                                                              : SECURITY_NON_SECURE;
}

/* What the move at the position says of the task. */
struct move {
	bool is_switch; /* to another one */
	bool is_known;  /* which runs then, after a switch */
	uint64_t task;
};

static struct move move_at(const struct current_place *at, enum security_state security)
{
	struct move move = {.is_switch = false};
	struct instruction insn;
	struct value value;
	uint32_t rt;
	bool writes;

	history_at(at->history, at->position, &insn);
	rt = (uint32_t)insn.opcode >> RT_SHIFT & RT_MASK;
	writes = ((uint32_t)insn.opcode & without_rt) == mcr_tpidruro;
	move.is_switch = writes && is_switch(at, &insn);
	/* What it writes elsewhere may be a program's, and what a program reads. */
	if ((writes && !move.is_switch) || !linux_is_own_address(at->kernel, insn.address) ||
	    rt == RT_PC || is_conditional(at, &insn) || security_at(at) != security)
		return move;
	at->read_register(at->context, at->position + !writes, A32_r0 + rt, &value);
	move.task = value_u64(&value);
	move.is_known = value_is_known(&value) && linux_is_own_address(at->kernel, move.task);
	return move;
}

static bool look_back(struct current_place at, const struct current_moves *moves, uint64_t low,
                      uint64_t *task)
{
	const enum security_state security = security_at(&at);
	struct move move = {.is_switch = false};

	for (unsigned int i = 0; i < TRIES && !move.is_switch; i++) {
		if (!current_move_before(&at, moves, low))
			return false;
		move = move_at(&at, security);
		*task = move.task;
		if (move.is_known)
			return true;
	}
	return false;
}

static bool look_on(struct current_place at, const struct current_moves *moves, uint64_t high,
                    uint64_t *task)
{
	const enum security_state security = security_at(&at);

	at.position--;
	for (unsigned int i = 0; i < TRIES; i++) {
		struct move move;

		if (!current_move_after(&at, moves, high - 1)) {
			at.position = history_length(at.history);
			return current_reaches_halt(&at, high) && halt_task(&at, task);
		}
		move = move_at(&at, security);
		*task = move.task;
		if (move.is_switch || move.is_known)
			return !move.is_switch;
	}
	return false;
}

static bool past_of_register(struct current_place *at, struct current_moves *moves,
                             uint64_t *address)
{
	struct stretch stretch;

	if (!current_find_moves(at, is_move, moves))
		return false;
	stretch = current_without_gap(at);
	return look_on(*at, moves, stretch.high, address) ||
	       look_back(*at, moves, stretch.low, address);
}

/* ---- by what is kept in memory ---- */

static bool past_of_stack(struct current_place *at, uint64_t *address)
{
	const struct os_memory memory = current_memory(at);
	struct value sp;

	at->read_register(at->context, at->position, A32_sp, &sp);
	return value_is_known(&sp) &&
	       linux_stack_task(at->kernel, &memory, value_u64(&sp), address);
}

bool current_a32(struct current_place *at, struct current_moves *moves, uint64_t *address)
{
	const struct os_memory memory = current_memory(at);
	bool is_halt = at->position == history_length(at->history);
	enum linux_current kind = linux_current(at->kernel);

	if (kind == LINUX_CURRENT_VARIABLE)
		return linux_variable_task(at->kernel, &memory, address);
	if (kind == LINUX_CURRENT_STACK)
		return is_halt ? halt_task(at, address) : past_of_stack(at, address);
	return kind == LINUX_CURRENT_TPIDRURO &&
	       (is_halt ? halt_task(at, address) : past_of_register(at, moves, address));
}
