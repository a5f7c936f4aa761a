/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/ssa/window.h: the nodes of a window's steps. In: the templates of the
 * steps. Out: the numbers of their nodes, reads and accesses, who uses a node, the registers' nodes
 * at checkpoints.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_NODES_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_NODES_H

#include "replay/values/ssa/window.h"

/* What a template's steps have, from its instruction and what it reads. NO_MEM. */
MUST_USE enum status template_count(struct arena *arena, struct template *template);
/* NO_MEM; UNSUPPORTED if there are too many. */
MUST_USE enum status window_number(struct window *w);
/* Makes of the registers' nodes before a step those after it. */
void window_advance(const struct window *w, size_t step, uint32_t now[REG_COUNT]);

#endif
