/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a program may have written code between two executions of it. In: a history, whose code
 * is read from the memory at the halt.
 */
#ifndef CSREPLAY_REPLAY_CODE_CHANGE_H
#define CSREPLAY_REPLAY_CODE_CHANGE_H

#include <stdbool.h>

#include "replay/history.h"

/*
 * Code ran from memory that can be written, and so did what makes code of what was written:
 * maintenance of the instruction cache, or an AArch32 system call, which may be Linux's cacheflush.
 */
bool code_may_change(const struct history *history);
/* Code ran that changes what addresses mean: writes of TTBR and its kin. */
bool code_changes_translation(const struct history *history);

#endif
