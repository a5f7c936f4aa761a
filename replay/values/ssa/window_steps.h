/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/ssa/window.h: the steps of a window. In: a window of which nothing but
 * history and options is set. Out: its steps with their templates, the inserted ones among them,
 * room for one step after the last, and what is known of its end; no nodes yet (window_nodes.h).
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_STEPS_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_STEPS_H

#include "replay/values/ssa/window.h"

/* NO_MEM; UNSUPPORTED if there are too many. window_fini() in any case. */
MUST_USE enum status window_collect(struct window *w);

#endif
