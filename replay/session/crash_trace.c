/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions and returns between a fault and the halt; see crash_trace.h. */
#include "replay/session/crash_trace.h"

#include "decoder/flow/flow.h"

enum { AFTER_MOST = 1 << 22 }; /* instructions of a handler that are looked through */

/* True if so many handlers return in the instructions from first to before last. */
static uint64_t count_returns(const struct history *history, uint64_t first, uint64_t last)
{
	struct history_runs runs;
	struct history_run run;
	uint64_t count = 0;

	if (first >= last)
		return 0;
	history_runs_begin(&runs, history, first);
	while (history_runs_next(&runs, &run) && run.position < last) {
		const struct walk *walk = &run.graph->nodes[run.node].walk;
		uint64_t end = run.position + walk->count;

		if (end > first && end <= last && run.taken &&
		    walk->last.subclass == INSN_SUB_A64_ERET)
			count++;
	}
	return count;
}

/* Synchronous, and no call: what stops a program where it is. */
static bool may_be_fault(const struct element *e)
{
	enum exception_kind kind = exception_kind_of(e->exception.info);

	return e->type == ELEMENT_EXCEPTION && e->exception.info &&
	       (exception_is_fault(kind) || kind == EXCEPTION_LOCKUP);
}

static void tell(const struct history_event *event, uint64_t length, struct crash_fault *fault)
{
	const struct element *e = &event->element;

	*fault = (struct crash_fault){
	        .info = e->exception.info,
	        .has_address = e->exception.has_return_address,
	        .address = e->exception.return_address,
	        .position = event->position,
	        .after = length - event->position,
	};
}

bool crash_fault_find(const struct history *history, struct crash_fault *fault)
{
	uint64_t length = history_length(history);
	uint64_t looked = length; /* returns in what comes from here on are in `returns` */
	uint64_t returns = 0;
	size_t i = history_event_count(history);
	struct history_event event;
	struct gap gap;

	if (length == 0 || history_has_gap_at(history, length))
		return false;
	while (i-- > 0 && history_event(history, i, &event)) {
		uint64_t position = event.position;

		if (length - position > AFTER_MOST ||
		    (position < length &&
		     (history_core(history)->arch == CORE_A32 ||
		      history_has_gap_at(history, position) ||
		      history_gap_between(history, position, length, true, &gap))))
			return false;
		returns += count_returns(history, position, looked);
		looked = position;
		if (event.element.type == ELEMENT_EXCEPTION_RET)
			returns++;
		if (!element_is_exception(&event.element) ||
		    exception_kind_of(event.element.exception.info) == EXCEPTION_DEBUG)
			continue;
		if (returns > 0) {
			returns--;
			continue;
		}
		if (may_be_fault(&event.element)) {
			tell(&event, length, fault);
			return true;
		}
		/* The halt is in the handler of something else. */
		if (exception_kind_of(event.element.exception.info) == EXCEPTION_CALL)
			return false;
	}
	return false;
}
