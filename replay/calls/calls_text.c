/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of calls; see calls.h. */
#include <inttypes.h>

#include "replay/calls/calls.h"

const char *call_begin_text(const struct call *call)
{
	static const char *const texts[] = {
#define BEGIN(name, text) text,
#include "replay/calls/calls.def"
	};

	return texts[call->begin];
}

const char *call_end_text(const struct call *call)
{
	static const char *const texts[] = {
#define END(name, text) text,
#include "replay/calls/calls.def"
	};

	return texts[call->end];
}

void call_name(const struct calls *calls, const struct call *call, struct text *out)
{
	symbols_format(calls_symbols(calls), call->function, out);
}

bool call_is_named(const struct calls *calls, const struct call *call, struct str name)
{
	struct text text = {0};
	bool is;

	call_name(calls, call, &text);
	is = str_eq(text_str(&text), name);
	text_fini(&text);
	return is;
}

void call_oddity(const struct calls *calls, const struct call *call, struct text *out)
{
	if (call->end != CALL_END_STRAY && call->end != CALL_END_UNWOUND)
		return;
	text_printf(out, "%s 0x%" PRIx64, call->end == CALL_END_STRAY ? "returned to" : "left to",
	            call->went_to);
	if (!call->has_return)
		return;
	text_puts(out, ", not to its caller at ");
	symbols_format(calls_symbols(calls), call->return_address, out);
}

void call_frame_format(const struct calls *calls, const struct call_frame *frame,
                       const struct call_frame *newer, struct text *out)
{
	bool is_after = newer && !calls_get(calls, newer->call)->is_exception;
	struct function_symbol function;

	if (!frame->has_pc) {
		call_name(calls, calls_get(calls, frame->call), out);
	} else if (is_after && symbols_find(calls_symbols(calls), frame->pc - 1, &function)) {
		text_add(out, function.name);
		text_printf(out, "+0x%llx", (unsigned long long)(frame->pc - function.start));
	} else {
		symbols_format(calls_symbols(calls), frame->pc, out);
	}
}
