/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic instructions of windows that read or write a register; see register_accesses.h. */
#include "replay/past/register_accesses.h"

#include "replay/past/made_of.h"
#include "replay/past/past_window.h"

enum { DYNS_PER_POLL = 1 << 14 };

struct search {
	struct values *values;
	const struct past_accesses_of *of;
	struct past_accesses *found;
	unsigned int reg;
};

/* False if the trace says that the instruction's condition did not hold. */
static bool is_executed(const struct past_window *window, size_t dyn, bool *is_known)
{
	const struct uop_insn *insn = window_template(past_dyns(window), dyn)->insn;
	struct past_value when;

	*is_known = true;
	if (insn->when == SLOT_NONE)
		return true;
	when = past_slot(window, dyn, insn->when, 1);
	*is_known = past_value_is_known(&when);
	return !*is_known || (when.bits.value & 1) != 0;
}

/* False if the dynamic instruction does not write it. */
static bool judge_write(const struct search *search, const struct past_window *window, size_t dyn,
                        struct past_access *access)
{
	const struct window *w = past_dyns(window);
	unsigned int slot;
	bool is_known;

	if (!past_writes(w, dyn, search->reg) || !is_executed(window, dyn, &is_known))
		return false;
	slot = made_of_register(w, dyn, search->reg);
	access->is_write = true;
	access->verdict = PAST_POSSIBLE;
	if (slot == SLOT_NONE)
		return true;
	access->value = past_slot(window, dyn, slot, access->value.width);
	if (is_known && (access->code.is_there || !made_of_slot(window, dyn, slot).is_not_known))
		access->verdict = PAST_PROVED;
	return true;
}

static bool judge_read(const struct search *search, const struct past_window *window, size_t dyn,
                       struct past_access *access)
{
	bool is_known;

	if (!access->code.is_there ||
	    !uop_insn_uses(window_template(past_dyns(window), dyn)->insn, search->reg) ||
	    !is_executed(window, dyn, &is_known))
		return false;
	access->value = past_slot(window, dyn, search->reg, access->value.width);
	access->verdict = is_known ? PAST_PROVED : PAST_POSSIBLE;
	return true;
}

static enum status look_at(const struct search *search, const struct past_window *window,
                           size_t dyn)
{
	const struct window *w = past_dyns(window);
	struct past_access access = {
	        .position = window_instruction_of(w, dyn),
	        .code = past_code_of(w, dyn),
	        .value = {.width = past_register_width(search->values, search->reg)},
	};

	access.last = access.position;
	if (!(search->of->writes && judge_write(search, window, dyn, &access)) &&
	    !(search->of->reads && judge_read(search, window, dyn, &access)))
		return STATUS_OK;
	return past_accesses_add(search->found, search->of, &access);
}

/* The dynamic instructions begin <= s < end of a window, in the direction. */
static enum status look_through(const struct search *search, const struct past_window *window,
                                size_t begin, size_t end)
{
	for (size_t i = 0; i < end - begin && !search->found->is_cut; i++) {
		TRY(look_at(search, window, search->of->forward ? begin + i : end - 1 - i));
		if (i % DYNS_PER_POLL == 0 &&
		    interrupt_has_come(window->proved->w.options.interrupt))
			return STATUS_INTERRUPTED;
	}
	return STATUS_OK;
}

/* Nothing is known from `first` on, in the direction. */
static enum status say_blind(const struct search *search, uint64_t first, uint64_t last)
{
	const struct past_access blind = {.verdict = PAST_BLIND, .position = first, .last = last};

	TRY(past_status(search->values));
	return past_accesses_add(search->found, search->of, &blind);
}

/* The dynamic instruction after what the instruction at a position is and what lies after it. */
static size_t end_of(const struct window *w, uint64_t position)
{
	return position < w->options.to ? window_dyn_of(w, position) : w->dyn_count;
}

static enum status search_forward(const struct search *search)
{
	uint64_t at = search->of->first;

	while (at < search->of->end && !search->found->is_cut) {
		struct past_place place;
		const struct window *w;
		uint64_t to;

		if (!past_window_at(search->values, at, &place))
			return say_blind(search, at, search->of->end - 1);
		w = past_dyns(&place.window);
		to = search->of->end < w->options.to ? search->of->end : w->options.to;
		TRY(look_through(search, &place.window, place.dyn, end_of(w, to)));
		at = to;
	}
	return STATUS_OK;
}

static enum status search_backward(const struct search *search)
{
	uint64_t end = search->of->end;

	while (end > search->of->first && !search->found->is_cut) {
		struct past_place place;
		const struct window *w;
		uint64_t from;

		if (!past_window_at(search->values, end - 1, &place))
			return say_blind(search, end - 1, search->of->first);
		w = past_dyns(&place.window);
		from = search->of->first > w->options.from ? search->of->first : w->options.from;
		TRY(look_through(search, &place.window, window_dyn_of(w, from), end_of(w, end)));
		end = from;
	}
	return STATUS_OK;
}

enum status register_accesses_find(struct values *values, const struct past_accesses_of *of,
                                   struct past_accesses *found)
{
	const struct register_slot slot =
	        register_slot_of(history_core(values_history(values))->arch, of->subject.number);
	const struct search search = {values, of, found, slot.slot};

	if (slot.count == 0)
		return STATUS_UNSUPPORTED;
	found->reg = slot.slot;
	return of->forward ? search_forward(&search) : search_backward(&search);
}
