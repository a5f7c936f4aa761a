/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the trace contradicts; see code_check.h. */
#include "replay/trust/code_check.h"

static bool is_contradiction(enum gap_reason reason)
{
	return reason == GAP_UNREACHED || reason == GAP_MISFIT;
}

void code_check(const struct history *history, struct diag_list *facts)
{
	size_t count = history_gap_count_of(history, GAP_UNREACHED) +
	               history_gap_count_of(history, GAP_MISFIT);
	const struct snap_device *device = history_core(history)->device;
	struct gap gap;
	size_t i = 0;

	if (count == 0)
		return;
	while (history_gap(history, i, &gap) && !is_contradiction(gap.reason))
		i++;
	diag_warning(
	        facts, device->place,
	        "core \"%.*s\": in %zu gap%s the trace goes on where the snapshot's code does not "
	        "lead to, in the first, before position %llu, at 0x%llx: code is not what "
	        "ran, or trace is damaged, and instructions before a gap may not have run",
	        STR_ARG(device->name), count, count == 1 ? "" : "s",
	        (unsigned long long)gap.position, (unsigned long long)gap.address);
}
