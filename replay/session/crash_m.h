/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The crash of a core of the M profile, by CFSR, HFSR, SFSR and the exception that it handles.
 * Registers come from [regs], or from memory where the System Control Block is dumped (DDI 0553,
 * D1.2). Private to replay/session/.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CRASH_M_H
#define CSREPLAY_REPLAY_SESSION_CRASH_M_H

#include "replay/session/crash_source.h"

/* False if no fault is recorded and none handled. */
bool crash_find_m(const struct crash_core *c, struct crash *crash);

#endif
