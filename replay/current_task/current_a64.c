/* SPDX-License-Identifier: Apache-2.0 */
/* SP_EL0; see current_task.h. */
#include "replay/current_task/current_store.h"

#include "arch/a64/a64.h"

enum {
	REGISTER_MASK = 31,
	LEVEL_MASK = 3 << 2, /* of CPSR */
	OWN_SP = 1,
};

/* Without the register's number (Arm ARM C5.2). */
static const uint32_t msr_sp_el0 = 0xd5184100;

static bool halt_task(struct current_place *at, uint64_t *address)
{
	const struct os_memory memory = current_memory(at);
	uint64_t per_cpu;
	uint64_t state;

	if (!current_halt_register(at, STR("CPSR"), &state))
		return false;
	if ((state & LEVEL_MASK) != 0)
		return (state & OWN_SP) != 0 && current_halt_register(at, STR("SP_EL0"), address);
	return current_halt_register(at, STR("TPIDR_EL1"), &per_cpu) &&
	       linux_entry_task(at->kernel, &memory, per_cpu, address);
}

static bool is_move(enum isa isa, uint32_t opcode)
{
	return isa == ISA_A64 && a64_moves_sp_el0(opcode);
}

static bool ends_level(const struct history_event *event)
{
	return element_is_exception(&event->element) ||
	       event->element.type == ELEMENT_EXCEPTION_RET;
}

static struct stretch find_bounds(const struct current_place *at)
{
	struct stretch stretch = current_without_gap(at);
	size_t i = history_event_index(at->history, at->position + 1);
	struct history_event event;

	for (size_t k = i; history_event(at->history, k, &event) && event.position < stretch.high;
	     k++) {
		if (ends_level(&event))
			stretch.high = event.position;
	}
	while (i-- > 0 && history_event(at->history, i, &event) && event.position > stretch.low) {
		if (ends_level(&event))
			stretch.low = event.position;
	}
	return stretch;
}

/* SP_EL0 as the instruction at a position read it or, with `is_written`, left it. */
static bool moved_value(const struct current_place *at, bool *is_written, uint64_t *value)
{
	struct instruction insn;
	struct value moved;
	unsigned int number;

	history_at(at->history, at->position, &insn);
	*is_written = ((uint32_t)insn.opcode & ~(uint32_t)REGISTER_MASK) == msr_sp_el0;
	number = (unsigned int)insn.opcode & REGISTER_MASK;
	if (number == REGISTER_MASK) /* XZR */
		return false;
	at->read_register(at->context, at->position + !*is_written, A64_x0 + number, &moved);
	*value = value_u64(&moved);
	return value_is_known(&moved);
}

/* What older instructions moved last before a position. */
static bool look_back(struct current_place at, const struct current_moves *moves, uint64_t low,
                      uint64_t *value)
{
	bool is_written = false;

	for (unsigned int i = 0; i < TRIES && !is_written; i++) {
		if (!current_move_before(&at, moves, low))
			return false;
		if (moved_value(&at, &is_written, value))
			return true;
	}
	return false;
}

/* The same value up to the halt. */
static bool reaches_halt(struct current_place at, uint64_t high, uint64_t *value)
{
	at.position = history_length(at.history);
	return current_reaches_halt(&at, high) && halt_task(&at, value);
}

/* What newer ones read before one writes; up to the halt that is what it is there. */
static bool look_on(struct current_place at, const struct current_moves *moves, uint64_t high,
                    uint64_t *value)
{
	bool is_written = false;

	at.position--;
	for (unsigned int i = 0; i < TRIES; i++) {
		if (!current_move_after(&at, moves, high - 1))
			return reaches_halt(at, high, value);
		if (moved_value(&at, &is_written, value) && !is_written)
			return true;
		if (is_written)
			return false;
	}
	return false;
}

static bool past_task(struct current_place *at, struct current_moves *moves, uint64_t *address)
{
	struct stretch stretch;

	if (!current_find_moves(at, is_move, moves))
		return false;
	stretch = find_bounds(at);
	return look_on(*at, moves, stretch.high, address) ||
	       look_back(*at, moves, stretch.low, address);
}

bool current_a64(struct current_place *at, struct current_moves *moves, uint64_t *address)
{
	if (at->position == history_length(at->history))
		return halt_task(at, address);
	return past_task(at, moves, address);
}
