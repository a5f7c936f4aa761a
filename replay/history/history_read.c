/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a history: the instruction at a position and what the trace said there. A position is
 * found by its part, its block and its run, each by a search in order of position.
 */
#include <assert.h>
#include <stdlib.h>

#include "replay/history/history_store.h"
#include "replay/history/run_insn.h"

#define CPSR_T UINT64_C(0x20)

/* The part that holds `position` < N. */
static const struct history_part *find_part(const struct history *h, uint64_t position)
{
	size_t low = 0;
	size_t high = h->part_count;

	assert(position < h->length);
	/* The last part that begins at or before the position lies in [low, high). */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (h->parts[middle].position <= position)
			low = middle;
		else
			high = middle;
	}
	return &h->parts[low];
}

const struct block_cache *history_expand(const struct history *h, const struct history_part *part,
                                         size_t block)
{
	struct block_cache *cache = h->cache;

	if (cache->part == part && cache->block == block)
		return cache;
	cache->count = outcome_log_expand(&part->log, block, cache->runs);
	cache->part = part;
	cache->block = block;
	return cache;
}

/* A run, and which of its instructions. */
struct insn_place {
	const struct memmap *memory;
	const struct basic_block *block;
	uint32_t index;
	bool taken;
};

/* What the instruction at `position` < N is. */
static struct insn_place find_place(const struct history *h, uint64_t position)
{
	const struct history_part *part = find_part(h, position);
	size_t block = outcome_log_find_block(&part->log, position - part->position);
	const struct block_cache *cache = history_expand(h, part, block);
	uint32_t offset = (uint32_t)(position - part->position - part->log.blocks[block].position);
	uint32_t low = 0;
	uint32_t high = cache->count;

	/* The last run at or before the offset lies in [low, high). */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (cache->runs[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return (struct insn_place){part->memory, &part->log.graph->nodes[cache->runs[low].node],
	                           offset - cache->runs[low].offset, cache->runs[low].taken};
}

const struct snap_core *history_core(const struct history *history)
{
	return history->core;
}

size_t history_undecoded(const struct history *history)
{
	return history->undecoded;
}

const struct snap_register *history_halt_register(const struct history *history,
                                                  unsigned int number)
{
	return history->registers[number];
}

void history_leave_out(struct history *history, unsigned int number)
{
	history->left_out[number] = true;
}

bool history_is_left_out(const struct history *history, unsigned int number)
{
	return history->left_out[number];
}

enum isa history_halt_isa(const struct history *history)
{
	const struct snap_register *cpsr;

	if (history->core->arch != CORE_A32)
		return history->core->arch == CORE_M ? ISA_T32 : ISA_A64;
	cpsr = history->registers[A32_cpsr];
	if (!cpsr)
		return ISA_UNKNOWN;
	return (snap_register_value(cpsr) & CPSR_T) != 0 ? ISA_T32 : ISA_A32;
}

uint64_t history_untraced_bits(const struct history *history)
{
	enum isa isa = history_halt_isa(history);

	return isa == ISA_A64 || isa == ISA_A32 ? 3 : 1;
}

const struct memmap *history_memory(const struct history *history)
{
	return history->memory;
}

uint64_t history_length(const struct history *history)
{
	return history->length;
}

uint64_t history_last(const struct history *history)
{
	uint64_t pc;
	bool has_pc = history_pc(history, history->length, &pc) == STATUS_OK;

	return history->data && !has_pc && history->length > 0 ? history->length - 1
	                                                       : history->length;
}

const struct tarmac_core *history_data(const struct history *history)
{
	return history->data;
}

void history_runs_begin(struct history_runs *runs, const struct history *history, uint64_t from)
{
	*runs = (struct history_runs){.history = history};
	if (from >= history->length) {
		runs->part = history->part_count;
		return;
	}
	runs->part = (size_t)(find_part(history, from) - history->parts);
	runs->block = outcome_log_find_block(&history->parts[runs->part].log,
	                                     from - history->parts[runs->part].position);
}

bool history_runs_next(struct history_runs *runs, struct history_run *run)
{
	const struct history *h = runs->history;
	const struct history_part *part;
	const struct block_cache *cache;
	const struct outcome_log_run *now;

	if (runs->part == h->part_count)
		return false;
	part = &h->parts[runs->part];
	cache = history_expand(h, part, runs->block);
	now = &cache->runs[runs->run];
	*run = (struct history_run){
	        .graph = part->log.graph,
	        .node = now->node,
	        .position = part->position + part->log.blocks[runs->block].position + now->offset,
	        .taken = now->taken,
	};
	if (++runs->run == cache->count) {
		runs->run = 0;
		runs->block++;
	}
	if (runs->block == part->log.block_count) {
		runs->block = 0;
		runs->part++;
	}
	return true;
}

bool history_code(const struct history *history, size_t index, struct history_code *code)
{
	const struct extent *extent;

	if (index >= history->code_count)
		return false;
	extent = &history->code[index];
	*code = (struct history_code){extent->first, extent->last + 1, (enum isa)extent->isa,
	                              extent->view};
	return true;
}

void history_at(const struct history *history, uint64_t position, struct instruction *out)
{
	struct insn_place place = find_place(history, position);
	const struct walk *walk = &place.block->walk;
	struct run_insn insn = run_insn_at(place.memory, place.block, place.index);
	bool is_last = place.index == walk->count - 1;
	uint32_t opcode = 0;

	*out = (struct instruction){
	        .address = insn.address,
	        .size = (uint8_t)insn.size,
	        .isa = walk->isa,
	        .is_last = is_last,
	        .executed = !is_last || place.taken,
	        .class = is_last ? walk->last.class : INSN_OTHER,
	        .subclass = is_last ? walk->last.subclass : INSN_SUB_NONE,
	};
	out->has_opcode = run_insn_opcode(place.memory, place.block, insn, &opcode);
	out->opcode = out->has_opcode ? opcode : 0;
	if (history->data)
		history->correct_opcode(history->data, position, out);
}

enum status history_pc(const struct history *history, uint64_t position, uint64_t *pc)
{
	const struct snap_register *reg;
	struct insn_place place;

	if (position < history->length) {
		place = find_place(history, position);
		*pc = run_insn_at(place.memory, place.block, place.index).address;
		return STATUS_OK;
	}
	reg = history->registers[REGISTER_PC];
	*pc = reg ? snap_register_value(reg) : history->end_address;
	if (!reg)
		return history->has_end ? STATUS_OK : STATUS_NOT_FOUND;
	/* Some tools write the PC as a branch target, with the T32 state in bit 0. */
	if (history->core->arch != CORE_A64)
		*pc &= ~UINT64_C(1);
	return STATUS_OK;
}

size_t history_executed_extent(const struct history *history, const struct mem_span *span)
{
	uintptr_t at = (uintptr_t)span->bytes.pos;
	size_t low = 0;
	size_t high = history->executed_count;

	/* The first content that ends after the byte. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((uintptr_t)history->executed[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == history->executed_count || (uintptr_t)history->executed[low].begin > at)
		return 0;
	return (size_t)(history->executed[low].end - span->bytes.pos);
}

size_t history_gap_count(const struct history *history)
{
	return history->notes.gaps.count;
}

size_t history_gap_count_of(const struct history *history, enum gap_reason reason)
{
	return history->notes.gap_counts[reason];
}

bool history_gap(const struct history *history, size_t index, struct gap *gap)
{
	if (index >= history->notes.gaps.count)
		return false;
	row_log_at(&history->notes.gaps, index, &history->cache->gaps, gap);
	return true;
}

size_t history_gap_index(const struct history *history, uint64_t position)
{
	return row_log_index(&history->notes.gaps, position, &history->cache->gaps);
}

bool history_gap_at(const struct history *history, uint64_t position, struct gap *gap)
{
	return history_gap(history, history_gap_index(history, position), gap) &&
	       gap->position == position;
}

bool history_has_gap_at(const struct history *history, uint64_t position)
{
	struct gap gap;

	return history_gap_at(history, position, &gap);
}

bool history_gap_between(const struct history *history, uint64_t from, uint64_t to, bool newest,
                         struct gap *gap)
{
	size_t first = history_gap_index(history, from + 1);
	size_t end = history_gap_index(history, to);

	if (to <= from || first >= end)
		return false;
	if (!newest)
		return history_gap(history, first, gap);
	return history_gap(history, end - 1, gap) && history_gap_at(history, gap->position, gap);
}

size_t history_event_count(const struct history *history)
{
	return history->notes.events.count;
}

bool history_event(const struct history *history, size_t index, struct history_event *event)
{
	if (index >= history->notes.events.count)
		return false;
	row_log_at(&history->notes.events, index, &history->cache->events, event);
	return true;
}

size_t history_event_index(const struct history *history, uint64_t position)
{
	return row_log_index(&history->notes.events, position, &history->cache->events);
}

bool history_context_change(const struct history *history, size_t index,
                            struct context_change *change)
{
	if (index >= history->notes.contexts.count)
		return false;
	row_log_at(&history->notes.contexts, index, &history->cache->contexts, change);
	return true;
}

bool history_last_context(const struct history *history, uint64_t position,
                          struct context_change *change)
{
	const struct row_log *contexts = &history->notes.contexts;
	size_t after = contexts->count;

	if (position < UINT64_MAX)
		after = row_log_index(contexts, position + 1, &history->cache->contexts);
	return after > 0 && history_context_change(history, after - 1, change);
}

size_t history_mark_after(const struct history *h, enum mark mark, uint64_t position)
{
	if (position == UINT64_MAX)
		return h->notes.marks[mark].count;
	return mark_log_index(&h->notes.marks[mark], position + 1, &h->cache->marks[mark]);
}

struct mark_entry history_mark_entry(const struct history *h, enum mark mark, size_t index)
{
	return mark_log_at(&h->notes.marks[mark], index, &h->cache->marks[mark]);
}

enum status history_mark(const struct history *history, enum mark mark, uint64_t position,
                         uint64_t *value)
{
	size_t after = history_mark_after(history, mark, position);
	struct mark_entry entry = {.known = false};

	if (after > 0)
		entry = history_mark_entry(history, mark, after - 1);
	if (!entry.known)
		return STATUS_UNAVAILABLE;
	*value = entry.value;
	return STATUS_OK;
}

struct memory_context history_context(const struct history *history, uint64_t position)
{
	struct memory_context context = {.has_id = false};
	struct context_change change;
	const struct snap_register *id = NULL;
	uint64_t view;

	/* The last that was traced, if it still holds. */
	if (history_mark(history, MARK_VIEW, position, &view) == STATUS_OK &&
	    history_last_context(history, position, &change))
		context = pe_context_memory(&change.context);
	/* What the trace calls a context counts: it may have traced a part of CONTEXTIDR. */
	if (position == history->length && !context.has_id)
		id = snap_device_any_register(history->core->device,
		                              STR("CONTEXTIDR_EL1|CONTEXTIDR"));
	if (id) {
		context.has_id = true;
		context.id = (uint32_t)snap_register_value(id);
	}
	return context;
}

uint32_t history_view(const struct history *history, uint64_t position)
{
	uint64_t traced;
	uint32_t view = SPACE_ANY;
	struct memory_context context;

	if (history_mark(history, MARK_VIEW, position, &traced) == STATUS_OK)
		view = (uint32_t)traced;
	if (position < history->length)
		return view;
	context = history_context(history, position);
	return memmap_view_at(history->memory,
	                      snap_core_halt_space(history->core, (enum space)(view & SPACE_ANY)),
	                      &context, memmap_epoch_at_halt(history->memory));
}
