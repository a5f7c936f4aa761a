/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps in words. */
#include "replay/history/history_read.h"

bool gap_lacks_opcode(enum gap_reason reason)
{
	return reason == GAP_NO_MEMORY || reason == GAP_SEVERAL_CODES || reason == GAP_NO_CONTEXT ||
	       reason == GAP_UNDECLARED || reason == GAP_CODE_CHANGED || reason == GAP_CODE_WRITTEN;
}

bool gap_loses_context(enum gap_reason reason)
{
	return !gap_lacks_opcode(reason) && reason != GAP_NO_PATH && reason != GAP_UNREACHED &&
	       reason != GAP_MISFIT;
}

const char *gap_reason_text(enum gap_reason reason)
{
	static const char *const texts[] = {
	        [GAP_TRACE_ON] = "tracing was off",
	        [GAP_OVERFLOW] = "the trace source overflowed",
	        [GAP_DEBUG] = "the core was in debug state",
	        [GAP_BAD_PACKET] = "the trace is damaged",
	        [GAP_DISCARD] = "the trace source discarded trace",
	        [GAP_NO_MEMORY] = "the snapshot lacks the code",
	        [GAP_SEVERAL_CODES] =
	                ("the snapshot does not say which context has which of several contents "
	                 "(see --image ELF,context=ID and --assume-one-address-space)"),
	        [GAP_NO_CONTEXT] = "neither the trace nor the event log says whose process it is",
	        [GAP_UNDECLARED] = "the event log declares nothing for the context",
	        [GAP_CODE_WRITTEN] =
	                "code was changed after this, and what it was then is not known",
	        [GAP_CODE_CHANGED] =
	                "the code changed, and the trace does not say whether before or after",
	        [GAP_NO_PATH] = "the trace does not say which instructions were executed",
	        [GAP_UNREACHED] =
	                ("the code in the snapshot does not lead to where the trace says that "
	                 "execution came"),
	        [GAP_MISFIT] = "the trace does not fit the code in the snapshot",
	        [GAP_NEXT_SOURCE] = "the core's next trace source begins",
	        [GAP_NEW_TRACE_ID] = "the trace source was set up anew, with another trace ID",
	        [GAP_NEXT_BUFFER] = "the trace source's next buffer begins",
	        [GAP_HALT] = "the trace does not lead to the halt",
	};

	return texts[reason];
}

void gap_format(const struct gap *gap, struct text *out)
{
	text_printf(out, "gap before position %llu: %s", (unsigned long long)gap->position,
	            gap_reason_text(gap->reason));
	if (gap->has_address)
		text_printf(out, "%s 0x%llx",
		            gap->reason == GAP_HALT        ? ", PC"
		            : gap->reason == GAP_UNREACHED ? ","
		                                           : " at",
		            (unsigned long long)gap->address);
	if (gap->has_store)
		text_printf(out, ", by the store at position %llu", (unsigned long long)gap->store);
	if (gap->offset > 0)
		text_printf(out, " (trace byte %llu)", (unsigned long long)gap->offset);
	if (gap->merged > 0)
		text_printf(out, ", %llu more like it here", (unsigned long long)gap->merged);
}
