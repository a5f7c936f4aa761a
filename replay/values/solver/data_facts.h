/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the data trace says of a window: addresses and values of loads and stores. In: the DATA
 * events of the history, the window's instructions. Out: facts about the addresses' bases and about
 * what was loaded or stored.
 *
 * The rule (ETMv3, IHI 0014, 7.4): data packets are of the last instruction traced that transfers
 * data, one packet each 32 bits, at rising addresses unless a packet has another. An instruction
 * has its facts if all of its transfers are there and fit it: as many as it makes, at the distances
 * at which it makes them, none wider than it. Else nothing is said: where part of a load or store
 * of several words was filtered out, where an instruction between may have transferred data that
 * this program cannot know (a coprocessor's, or one that no table has), after an exception or a
 * gap, of data that are big endian, and of store exclusives.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_DATA_FACTS_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_DATA_FACTS_H

#include "replay/values/solver/solver.h"

void data_facts(struct solver *s);

#endif
