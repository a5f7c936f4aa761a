/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the snapshot's registers say of a window that reaches the halt. In: the registers of the
 * core's [regs]. Out: facts about the SSA values at the end of the window.
 *
 * Besides the registers of the core's table (arch/register.h) these are the system registers that
 * MRS reads into data: each level's thread pointer, in which kernels keep where the memory of a
 * processor is, and the stack pointers that are not in use, of which Linux keeps the running task
 * in SP_EL0.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_HALT_FACTS_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_HALT_FACTS_H

struct solver;

void halt_facts(struct solver *s);

#endif
