/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The histories of all cores of a snapshot. In: the snapshot. Out: a history a core. Sources that
 * can be cut are decoded by all threads together, one core after the other; cores whose sources
 * cannot, or whose buffers are small, are shared out among the threads.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORIES_H
#define CSREPLAY_REPLAY_HISTORY_HISTORIES_H

#include "replay/history/history_read.h"

/*
 * Fills `histories`, one a core, where it is NULL; what is there already is left alone. The caller
 * owns them, after a failure too. Problems go to `diags`. NO_MEM and
 * INTERRUPTED are the only failures.
 */
MUST_USE enum status histories_build(const struct snapshot *snapshot,
                                     const struct history_options *options, struct diag_list *diags,
                                     struct history **histories);

#endif
