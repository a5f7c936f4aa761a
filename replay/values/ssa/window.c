/* SPDX-License-Identifier: Apache-2.0 */
/* A window from its start to its end, and what is looked up in it; see window.h. */
#include "replay/values/ssa/window.h"

#include <stdlib.h>
#include <string.h>

#include "replay/values/ssa/window_dyn.h"
#include "replay/values/ssa/window_ssa.h"

enum status window_init(struct window *w, const struct history *history,
                        const struct window_options *options)
{
	*w = (struct window){.history = history, .options = *options, .arena = {.is_large = true}};
	TRY(window_collect(w));
	if (interrupt_has_come(w->options.interrupt))
		return STATUS_INTERRUPTED;
	return window_number(w);
}

void window_fini(struct window *w)
{
	free(w->templates);
	free(w->dyns);
	free(w->inserted);
	free(w->user_blocks);
	free(w->dyn_blocks);
	free(w->checkpoints);
	arena_fini(&w->arena);
}

uint64_t window_position_of(const struct window *w, size_t dyn)
{
	size_t low = 0;
	size_t high = w->inserted_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->inserted[middle].dyn < dyn)
			low = middle + 1;
		else
			high = middle;
	}
	return w->options.from + dyn - low;
}

uint64_t window_instruction_of(const struct window *w, size_t dyn)
{
	uint64_t position = window_position_of(w, dyn);

	return w->templates[w->dyns[dyn].template]->is_code || position == w->options.from
	               ? position
	               : position - 1;
}

size_t window_maker_of(const struct window *w, uint32_t ssa)
{
	size_t low = w->makers[ssa / MAKER_BLOCK];
	size_t high = w->makers[ssa / MAKER_BLOCK + 1] + (size_t)1;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (window_dyn(w, middle).ssa <= ssa)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct uop *window_uop_of(const struct window *w, uint32_t ssa, size_t *dyn)
{
	const struct uop_insn *insn;
	uint32_t temp;

	*dyn = window_maker_of(w, ssa);
	if (ssa < REG_COUNT)
		return NULL;
	insn = window_template(w, *dyn)->insn;
	temp = ssa - window_dyn(w, *dyn).ssa;
	for (size_t i = 0; i < insn->op_count && temp < insn->temp_count; i++) {
		if (insn->ops[i].dst == SLOT_TEMP + temp)
			return &insn->ops[i];
	}
	return NULL;
}

void window_ssa_at(const struct window *w, size_t dyn, uint32_t now[REG_COUNT], size_t from)
{
	size_t checkpoint = dyn / WINDOW_CHECKPOINT;

	if (dyn == w->dyn_count) {
		memcpy(now, w->after, sizeof(w->after));
		return;
	}
	if (from > dyn || from < checkpoint * WINDOW_CHECKPOINT) {
		memcpy(now, w->checkpoints[checkpoint], sizeof(w->checkpoints[checkpoint]));
		from = checkpoint * WINDOW_CHECKPOINT;
	}
	for (; from < dyn; from++)
		window_advance(w, from, now);
}

uint32_t window_ssa_of(const struct window *w, size_t dyn, unsigned int reg)
{
	uint32_t now[REG_COUNT];

	window_ssa_at(w, dyn, now, SIZE_MAX);
	return now[reg];
}

bool window_next_pc(const struct window *w, size_t dyn, uint64_t *pc)
{
	if (dyn + 1 < w->dyn_count) {
		const struct template *next = window_template(w, dyn + 1);

		*pc = next->address;
		return next->is_code || next->leads_on;
	}
	*pc = w->end_pc;
	return w->has_end_pc && dyn + 1 == w->dyn_count;
}

bool window_next_ran(const struct window *w, size_t dyn)
{
	return dyn + 1 < w->dyn_count && window_template(w, dyn + 1)->is_code;
}

uint64_t window_next_pc_bits(const struct window *w, size_t dyn)
{
	return window_next_ran(w, dyn) ? UINT64_MAX : ~w->end_untraced;
}

enum isa window_next_isa(const struct window *w, size_t dyn)
{
	const struct template *next;

	if (dyn + 1 < w->dyn_count) {
		next = window_template(w, dyn + 1);
		return next->is_code || next->leads_on ? (enum isa)next->isa : ISA_UNKNOWN;
	}
	return dyn + 1 == w->dyn_count ? w->end_isa : ISA_UNKNOWN;
}
