/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that a window begins with: constants of its instructions, widths of registers, the
 * registers at the halt if it reaches there, the branches that were taken or not, and the data
 * trace.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_INITIAL_FACTS_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_INITIAL_FACTS_H

#include "replay/values/solver/solver.h"

void initial_facts(struct solver *s);

/* Parts of that. The registers at the halt, of a window that reaches there: halt_facts.c. */
void halt_facts(struct solver *s);
/* The data trace: data_facts.c. */
void data_facts(struct solver *s);

#endif
