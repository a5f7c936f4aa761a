/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/ssa/window.h: the dynamic instructions of a window. In: a window of which
 * nothing but history and options is set. Out: its dynamic instructions with their templates, the
 * inserted ones among them, room for one dynamic instruction after the last, and what is known of
 * its end; no SSA values yet (window_ssa.h).
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_DYN_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_DYN_H

#include "replay/values/ssa/window.h"

/* NO_MEM; UNSUPPORTED if there are too many. window_fini() in any case. */
MUST_USE enum status window_collect(struct window *w);

#endif
