/* SPDX-License-Identifier: Apache-2.0 */
/* Code that cannot have been what ran; see refuted_code.h. */
#include "replay/values/ssa/refuted_code.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/values/ssa/template_code.h"

enum { ON_THE_WAY = 16 }; /* runs since an indirect branch, at most: the last ones */

/* Runs that nothing but the code before them led to. */
struct way {
	struct refuted_run runs[ON_THE_WAY];
	size_t count;
	bool has_from;
	uint64_t from; /* in the run with that branch */
};

static bool is_writable(const struct history *history, uint32_t view, uint64_t address)
{
	const struct memmap *memory = history_memory(history);
	struct mem_span span;

	return memmap_is_past(memory, address) ||
	       (memmap_find(memory, view, address, &span) == STATUS_OK && !span.region->read_only);
}

/* An opcode before the last one, which an exception may have prevented, only raises one. */
static bool is_refuted(const struct history *history, const struct history_code *code)
{
	const struct memmap *memory = history_memory(history);
	struct template template = {
	        .address = code->start, .isa = (uint8_t)code->isa, .view = code->view};

	for (;;) {
		template.size = template_size(memory, &template);
		if (code->end - template.address <= template.size ||
		    !template_read_opcode(memory, &template))
			return false;
		if (template_is_undefined(code->isa, template.opcode))
			return is_writable(history, code->view, code->start);
		template.address += template.size;
	}
}

static bool is_any(const struct history *history)
{
	struct history_code code;

	for (size_t i = 0; history_code(history, i, &code); i++) {
		if (is_refuted(history, &code))
			return true;
	}
	return false;
}

size_t refuted_code_stack(const struct history *history, uint32_t view,
                          const struct mem_region **stack)
{
	const struct snap_register *sp = history_core(history)->arch == CORE_A64
	                                         ? history_halt_register(history, A64_sp)
	                                         : NULL;
	struct mem_span span;

	if (!sp ||
	    memmap_find(history_memory(history), view, snap_register_value(sp), &span) != STATUS_OK)
		return 0;
	*stack = span.region;
	return 1;
}

bool refuted_code_is_on_stack(const struct history *history)
{
	const struct memmap *memory = history_memory(history);
	const struct mem_region *stack;
	struct history_code code;
	struct mem_span span;

	if (history_gap_count_of(history, GAP_MISFIT) == 0)
		return false;
	for (size_t i = 0; history_code(history, i, &code); i++) {
		if (memmap_find(memory, code.view, code.start, &span) == STATUS_OK &&
		    refuted_code_stack(history, code.view, &stack) == 1 && span.region == stack &&
		    is_refuted(history, &code))
			return true;
	}
	return false;
}

static enum status take_way(struct refuted_code *found, struct way *way)
{
	for (size_t i = 0; i < way->count; i++) {
		TRY(vec_reserve((void **)&found->items, &found->capacity, found->count + 1,
		                sizeof(*found->items)));
		found->items[found->count++] = way->runs[i];
	}
	way->count = 0;
	return STATUS_OK;
}

static void add_to_way(struct way *way, const struct history_run *run)
{
	const struct basic_block *block = &run->graph->nodes[run->node];
	uint64_t start = block->walk.start;

	if (way->count == ON_THE_WAY) {
		for (size_t i = 1; i < ON_THE_WAY; i++)
			way->runs[i - 1] = way->runs[i];
		way->count--;
	}
	way->runs[way->count++] = (struct refuted_run){run->position, block->walk, block->view,
	                                               way->has_from ? way->from : start};
}

enum status refuted_code_find(const struct history *history, struct refuted_code *found)
{
	struct way way = {.count = 0};
	struct history_runs runs;
	struct history_run run;

	found->count = 0;
	if (!is_any(history))
		return STATUS_OK;
	history_runs_begin(&runs, history, 0);
	while (history_runs_next(&runs, &run)) {
		const struct basic_block *block = &run.graph->nodes[run.node];
		const struct walk *walk = &block->walk;
		struct history_code code = {walk->start, walk->end, walk->isa, block->view};

		add_to_way(&way, &run);
		if (is_refuted(history, &code))
			TRY(take_way(found, &way));
		else if (walk->last.class == INSN_BRANCH_INDIRECT && run.taken)
			way = (struct way){.has_from = true, .from = walk->start};
	}
	return STATUS_OK;
}

void refuted_code_fini(struct refuted_code *found)
{
	free(found->items);
	*found = (struct refuted_code){.count = 0};
}
