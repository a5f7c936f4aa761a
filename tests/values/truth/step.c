/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a recording; see step.h. */
#include "tests/values/truth/step.h"

#include <string.h>

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"

unsigned int step_register_index(enum core_arch arch, unsigned int number)
{
	if (arch == CORE_A64) {
		if (number >= A64_x0 && number <= A64_sp)
			return number - A64_x0;
		if (number >= A64_v0 && number <= A64_v31)
			return STEP_VECTORS + number - A64_v0;
		return number == A64_cpsr ? STEP_FLAGS : STEP_NOTHING;
	}
	if (arch == CORE_M && number >= M_r0 && number <= M_lr)
		return number - M_r0;
	if (arch == CORE_M)
		return number == M_xpsr ? (unsigned int)STEP_FLAGS : (unsigned int)STEP_NOTHING;
	if (number >= A32_r0 && number <= A32_lr)
		return number - A32_r0;
	if (number >= A32_d0 && number <= A32_d31)
		return STEP_VECTORS + number - A32_d0;
	return number == A32_cpsr ? STEP_FLAGS : STEP_NOTHING;
}

void step_read_bytes(const struct recording *r, size_t at, const uint8_t *bytes,
                     struct insn_view *step)
{
	const struct insn_options options = {.dsb_dmb_is_waypoint = false};
	const struct state *s = &r->states[at];
	uint32_t low = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
	uint32_t high = 0;

	step->address = s->pc;
	step->size = s->isa == ISA_T32 ? insn_t32_size(low) : 4;
	step->has_opcode = true;
	if (step->size == 4)
		high = (uint32_t)bytes[2] | (uint32_t)bytes[3] << 8;
	step->opcode = low | high << 16;
	if (s->isa == ISA_A64) {
		insn_a64_classify(step->opcode, s->pc, &options, &step->insn);
	} else if (s->isa == ISA_A32) {
		insn_a32_classify(step->opcode, s->pc, &options, &step->insn);
	} else {
		step->opcode = step->size == 4 ? low << 16 | high : low;
		insn_t32_classify(step->opcode, s->pc, &options, &step->insn);
	}
}

void step_read(const struct recording *r, size_t at, struct insn_view *step)
{
	uint8_t bytes[4] = {0};

	for (unsigned int i = 0; i < 4; i++) {
		const uint8_t *byte = recording_byte(r, r->states[at].pc + i);

		bytes[i] = byte ? *byte : 0;
	}
	step_read_bytes(r, at, bytes, step);
}

/* The condition that the recorded IT state has for the instruction. */
static unsigned int it_of(uint32_t psr)
{
	unsigned int it = (psr >> 25 & 3) | (psr >> 10 & 0x3f) << 2;

	return (it & 15) == 0 ? (unsigned int)SEM_NO_IT : it >> 4;
}

/* Arm ARM DDI 0487 F1.3.2, the condition and N, Z, C and V. */
static bool holds(unsigned int condition, uint32_t psr)
{
	bool n = (psr >> 31 & 1) != 0;
	bool z = (psr >> 30 & 1) != 0;
	bool c = (psr >> 29 & 1) != 0;
	bool v = (psr >> 28 & 1) != 0;
	const bool results[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};

	return condition >= 14 || results[condition >> 1] == ((condition & 1) == 0);
}

/* The condition that A32 and T32 instructions are under, or 14. */
static unsigned int condition_of(const struct recording *r, size_t at, const struct insn_view *step)
{
	const struct state *s = &r->states[at];
	unsigned int condition = 14;

	if (s->isa == ISA_A32)
		condition = step->opcode >> 28;
	else if (step->size == 2 && (step->opcode & 0xf000) == 0xd000)
		condition = step->opcode >> 8 & 15; /* B<c> */
	else if (step->size == 4 && (step->opcode & 0xf800d000) == 0xf0008000)
		condition = step->opcode >> 22 & 15;
	if (s->isa == ISA_T32 && condition >= 14)
		condition = it_of(s->psr);
	return condition < 14 ? condition : 14;
}

bool step_has_condition(const struct recording *r, size_t at, const struct insn_view *step)
{
	return r->states[at].isa != ISA_A64 && condition_of(r, at, step) < 14;
}

bool step_is_executed(const struct recording *r, size_t at, const struct insn_view *step)
{
	return holds(condition_of(r, at, step), r->states[at].psr);
}

void step_expand(const struct recording *r, size_t at, struct insn_view *step)
{
	const struct state *s = &r->states[at];

	step_read(r, at, step);
	if (s->isa == ISA_A64)
		sem_a64(step->opcode, s->pc, &step->builder);
	else if (s->isa == ISA_A32)
		sem_a32(step->opcode, (uint32_t)s->pc, &step->builder);
	else
		sem_t32(step->opcode, (uint32_t)s->pc, it_of(s->psr), &step->builder);
}

/* The micro-operations' name for it. */
static unsigned int slot_of(unsigned int index)
{
	return index == STEP_FLAGS ? (unsigned int)REG_NZCV : index;
}

bool step_uses(const struct insn_view *step, unsigned int index)
{
	return uop_insn_uses(&step->builder.insn, slot_of(index));
}

bool step_defines(const struct recording *r, size_t at, unsigned int number)
{
	struct insn_view step;
	unsigned int index = step_register_index(r->arch, number);

	step_expand(r, at, &step);
	return (step.builder.insn.flags & UOP_KILLS_REGISTERS) != 0 ||
	       uop_insn_after(&step.builder.insn, slot_of(index)) != slot_of(index);
}

bool step_has_between(const struct recording *r, size_t position)
{
	size_t low = 0;
	size_t high = r->between_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->betweens[middle].position < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->between_count && r->betweens[low].position == position;
}

void step_window_register(const struct solver *s, uint64_t position,
                          const struct register_file *file, unsigned int number,
                          struct value *value)
{
	unsigned int index = step_register_index(file->arch, number);
	struct bits b;

	*value = value_unknown(file->table[number].bits / 8);
	if (index >= GENERAL)
		return;
	b = solve_register(s, position, index);
	for (unsigned int i = 0; i < value->size; i++) {
		value->bits[i] = (uint8_t)(b.value >> 8 * i);
		value->known[i] = (uint8_t)(b.known >> 8 * i);
	}
}
