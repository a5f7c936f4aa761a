/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache lines that other cores may have come to through pointers, as to a message that is handed
 * over in a queue. In: the cache lines that they are seen to use, and what memory has there at the
 * halt. Out: the lines that words there point to, and those beside these, for what lies around
 * the place that is pointed to.
 */
#ifndef CSREPLAY_REPLAY_VALUES_POINTED_LINES_H
#define CSREPLAY_REPLAY_VALUES_POINTED_LINES_H

#include "replay/history/history.h"
#include "replay/values/solver/solver.h"

/*
 * After other_writes_sort(); adds to `pointed`, which is sorted then. Memory is as the core of the
 * history sees it. None where no store was of unknown address. NO_MEM.
 */
MUST_USE enum status pointed_lines_add(struct other_writes *writes, const struct history *history);

#endif
