/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/ssa/window.h: the SSA values of a window's dynamic instructions. In: the
 * templates of the dynamic instructions. Out: the numbers of their SSA values, reads and accesses,
 * who uses an SSA value, the registers' SSA values at checkpoints.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_SSA_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_SSA_H

#include "replay/values/ssa/window.h"

/* What a template's dynamic instructions have, from its instruction and what it reads. NO_MEM. */
MUST_USE enum status template_count(struct arena *arena, struct template *template);
/* NO_MEM; UNSUPPORTED if there are too many. */
MUST_USE enum status window_number(struct window *w);
/* Makes of the registers' SSA values before a dynamic instruction those after it. */
void window_advance(const struct window *w, size_t dyn, uint32_t now[REG_COUNT]);

#endif
