/* SPDX-License-Identifier: Apache-2.0 */
/* From the end of the trace to the halt; see halt_tail.h. */
#include "replay/history/halt_tail.h"

/* What the core's trace units may take for a waypoint is one; barriers are for all but ETMv4. */
static struct insn_options waypoints_of(const struct snap_core *core)
{
	struct insn_options options = {.wfi_wfe_is_branch = true, .tstart_is_waypoint = true};

	for (size_t i = 0; i < core->source_count; i++)
		options.dsb_dmb_is_waypoint |= core->sources[i]->protocol != PROTOCOL_ETM4 &&
		                               core->sources[i]->protocol != PROTOCOL_ETE;
	return options;
}

/* What comes after an exception is its handler, wherever that is. */
static bool ends_with_exception(const struct history *h)
{
	struct history_event event;

	for (size_t i = history_event_count(h);
	     i > 0 && history_event(h, i - 1, &event) && event.position >= h->length; i--) {
		if (event.element.type == ELEMENT_EXCEPTION)
			return true;
	}
	return false;
}

static uint32_t last_view(const struct history *h)
{
	uint64_t view;

	return history_mark(h, MARK_VIEW, h->length, &view) == STATUS_OK ? (uint32_t)view
	                                                                 : (uint32_t)SPACE_ANY;
}

enum status halt_tail_find(const struct history *history, uint64_t from, uint64_t pc,
                           struct walk *walk, bool *is_found)
{
	enum isa isa = history->core->arch == CORE_A64 ? ISA_A64 : history_halt_isa(history);
	const struct insn_options waypoints = waypoints_of(history->core);
	struct follow *follow;
	enum status status;

	*is_found = false;
	if (history->length == 0 || from >= pc || isa == ISA_UNKNOWN ||
	    ends_with_exception(history))
		return STATUS_OK;
	follow = follow_create(history->memory, &waypoints);
	if (!follow)
		return STATUS_NO_MEM;
	status = follow_to_address(follow, last_view(history), isa, from,
	                           (struct follow_limit){.stop = pc}, walk);
	*is_found = status == STATUS_OK && walk->count > 0 && !walk->ends_at_waypoint &&
	            walk->end == pc;
	follow_destroy(follow);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

enum status history_leads_to(const struct history *history, uint64_t pc, bool *leads)
{
	uint64_t untraced = history_untraced_bits(history);
	struct walk walk;

	*leads = history->is_astray && ((history->end_address ^ pc) & ~untraced) == 0;
	if (!history->is_astray || *leads)
		return STATUS_OK;
	return halt_tail_find(history, history->end_address, pc, &walk, leads);
}

enum status halt_tail_part(const struct history *history, const struct walk *walk,
                           struct graph **graph, struct part_builder *part)
{
	struct decoded decoded = {.is_drained = true, .element = {.type = ELEMENT_INSTR_RANGE}};

	*graph = graph_create();
	if (!*graph)
		return STATUS_NO_MEM;
	TRY(part_init(part, history->core, *graph));
	part->memory = history->memory;
	walk_fill_range(walk, true, &decoded.element);
	decoded.element.range.view = last_view(history);
	TRY(part_add(part, &decoded));
	return part_end(part);
}
