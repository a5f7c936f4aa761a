/* SPDX-License-Identifier: Apache-2.0 */
/* Where a core is certainly after a message; see software_trace.h. */
#include <stdlib.h>

#include "replay/software_trace/software_trace.h"

enum status software_log_places(const struct software_log *log, const struct history *history,
                                uint64_t **places)
{
	uint64_t length = history_length(history);
	uint64_t *found = calloc(software_log_timed(log) + 1, sizeof(*found));
	uint64_t near = 0;

	if (!found)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < software_log_timed(log); i++) {
		uint64_t latest = software_log_get(log, i)->moment.latest;

		/* Where it came no earlier than that; a message's time is never 0. */
		near = timeline_last_at(history, near, latest - 1);
		found[i] = near < length ? near + 1 : length;
	}
	*places = found;
	return STATUS_OK;
}
