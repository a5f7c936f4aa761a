/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items of data trace among the events of a history that is built: which of them belong to what was
 * executed, and which value came later. In: DATA elements as they become events. Out: the events,
 * with the values of late ones at their places, and void where they say nothing of the program.
 *
 * ETMv3 (IHI 0014, 7.4): a place keeps the order of a transfer whose value comes later, out of
 * order, with the same tag. One place of a tag that waits is a certain match; where two wait, which
 * of them a value is for is not said, and neither gets one.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_DATA_ITEMS_H
#define CSREPLAY_REPLAY_HISTORY_DATA_ITEMS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/history/history_read.h"
#include "replay/history/row_log.h"

enum { DATA_TAGS = 4 };

/* Zeroed before its first use. */
struct data_items {
	size_t places[DATA_TAGS];     /* index of the event of the last place that waits */
	uint32_t waiting[DATA_TAGS];  /* how many of the tag do */
	bool is_uncertain[DATA_TAGS]; /* more than one did, and one still does */
	size_t last;                  /* number of the event of the last value, plus 1; or 0 */
};

/* The element, which is no instruction, has become the last of `events`. NO_MEM. */
MUST_USE enum status data_items_add(struct data_items *items, struct row_log *events,
                                    const struct element *element);

/* The instruction before position `length` was cancelled: its data are of nothing. NO_MEM. */
MUST_USE enum status data_items_cancel(struct row_log *events, uint64_t length);

#endif
