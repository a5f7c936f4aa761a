/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window solved under assumptions. In: the window, what is taken for granted of the code and of
 * who wrote what. Out: its solution, and what was supposed of stores.
 *
 * More that is known need not lead to more that is coherent (coherent.h): which stores are looked
 * at together is another choice then. So a window with switches of tasks is solved without
 * waiting-tasks first, and with it what comes out is taken if it knows more.
 */
#ifndef CSREPLAY_REPLAY_VALUES_ASSUMED_SOLUTION_H
#define CSREPLAY_REPLAY_VALUES_ASSUMED_SOLUTION_H

#include "replay/values/solver/solver.h"

/*
 * As coherent_init(); as solve_init() where `supposed` is NULL: `coherent` is not taken for
 * granted. The same errors; solve_fini() in any case.
 */
MUST_USE enum status assumed_solution_init(struct solver *s, const struct history *history,
                                           const struct solve_options *options,
                                           struct suppositions *supposed);

#endif
