/* SPDX-License-Identifier: Apache-2.0 */
/* How many runs a history has, all parts together. */
#ifndef CSREPLAY_TESTS_HISTORY_RUN_COUNT_H
#define CSREPLAY_TESTS_HISTORY_RUN_COUNT_H

#include "replay/history/history_store.h"

static inline uint64_t history_run_count(const struct history *history)
{
	uint64_t count = 0;

	for (size_t i = 0; i < history->part_count; i++)
		count += history->parts[i].log.run_count;
	return count;
}

#endif
