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
	enum exception_kind kind;

	if (e->type != ELEMENT_EXCEPTION || !e->exception.info)
		return false;
	kind = exception_kind_of(e->exception.info);
	return exception_is_fault(kind) || kind == EXCEPTION_LOCKUP;
}

/* What comes before it is no branch, which may change the instruction set, and is of AArch32. */
static enum isa isa_before(const struct history *history, uint64_t position)
{
	struct instruction before;

	if (position == 0 || history_has_gap_at(history, position))
		return ISA_UNKNOWN;
	history_at(history, position - 1, &before);
	if (before.isa == ISA_A64 || before.class == INSN_BRANCH ||
	    before.class == INSN_BRANCH_INDIRECT)
		return ISA_UNKNOWN;
	return before.isa;
}

/* Of event i. */
static bool is_newest(const struct history *history, size_t i)
{
	struct history_event event;

	while (history_event(history, ++i, &event)) {
		enum exception_kind kind;

		if (!element_is_exception(&event.element))
			continue;
		kind = exception_kind_of(event.element.exception.info);
		if (exception_is_fault(kind) || kind == EXCEPTION_ERROR)
			return false;
	}
	return true;
}

static void tell(const struct history *history, size_t i, const struct history_event *event,
                 struct crash_fault *fault)
{
	uint64_t length = history_length(history);
	const struct element *e = &event->element;

	*fault = (struct crash_fault){
	        .info = e->exception.info,
	        .has_address = e->exception.has_return_address,
	        .address = e->exception.return_address,
	        .position = event->position,
	        .after = length - event->position,
	        .isa = isa_before(history, event->position),
	        .is_newest = is_newest(history, i),
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
			tell(history, i, &event, fault);
			return true;
		}
		/* The halt is in the handler of something else. */
		if (exception_kind_of(event.element.exception.info) == EXCEPTION_CALL)
			return false;
	}
	return false;
}

bool crash_ends_in_call(const struct history *history)
{
	uint64_t length = history_length(history);
	size_t i = history_event_count(history);
	struct history_event event;

	if (length == 0 || history_has_gap_at(history, length))
		return false;
	while (i-- > 0 && history_event(history, i, &event) && event.position == length) {
		enum exception_kind kind;

		if (!element_is_exception(&event.element))
			continue;
		kind = exception_kind_of(event.element.exception.info);
		if (kind != EXCEPTION_DEBUG)
			return kind == EXCEPTION_CALL;
	}
	return false;
}

bool crash_fault_may_be(const struct history *history)
{
	uint64_t length = history_length(history);
	uint64_t first = length > AFTER_MOST ? length - AFTER_MOST : 0;
	size_t i = history_event_count(history);
	struct history_event event;
	struct gap gap;

	if (history_has_gap_at(history, length))
		return false;
	if (history_gap_between(history, first, length, true, &gap))
		first = gap.position + 1;
	while (i-- > 0 && history_event(history, i, &event) && event.position >= first) {
		if (may_be_fault(&event.element))
			return true;
	}
	return false;
}

/* The exception that was taken there, as the only one. */
static bool find_exception(const struct history *history, uint64_t position, size_t *found,
                           struct history_event *exception)
{
	size_t i = history_event_count(history);
	struct history_event event;
	size_t count = 0;

	while (i-- > 0 && history_event(history, i, &event) && event.position >= position) {
		if (event.position != position || !element_is_exception(&event.element))
			continue;
		*found = i;
		*exception = event;
		count++;
	}
	return count == 1;
}

/* Where the handler that a call is, or came in the place of, was entered. */
static uint64_t entry_of(const struct calls *calls, const struct call *call)
{
	while (call->begin == CALL_BEGIN_TAIL && call->replaced != CALL_NONE)
		call = calls_get(calls, call->replaced);
	return call->begin == CALL_BEGIN_EXCEPTION ? call->enter : CALL_NOT_KNOWN;
}

bool crash_fault_on_stack(const struct calls *calls, struct crash_fault *fault)
{
	const struct history *history = calls_history(calls);
	uint64_t length = history_length(history);
	uint32_t i = calls_at(calls, length);

	for (; i != CALL_NONE; i = calls_get(calls, i)->parent) {
		const struct call *call = calls_get(calls, i);
		struct history_event event;
		size_t number;

		if (!call->is_exception)
			continue;
		if (!find_exception(history, entry_of(calls, call), &number, &event))
			return false;
		if (may_be_fault(&event.element)) {
			tell(history, number, &event, fault);
			return true;
		}
		if (exception_kind_of(event.element.exception.info) == EXCEPTION_CALL)
			return false;
	}
	return false;
}
