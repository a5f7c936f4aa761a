/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of trust.h: whether the registers of a core at the halt fit what its trace shows. In: a
 * history and the values of its past. Out: warnings, and registers that are left out.
 */
#ifndef CSREPLAY_REPLAY_TRUST_HALT_CHECK_H
#define CSREPLAY_REPLAY_TRUST_HALT_CHECK_H

#include "base/diag.h"
#include "replay/history/history.h"
#include "replay/values/values.h"

/*
 * Solves the window before the halt. Where it contradicts itself, each register without which it
 * would not is named and left out (history_leave_out()). A status of solve_init().
 */
MUST_USE enum status halt_check_values(struct history *history, struct values *values,
                                       struct diag_list *facts);

/*
 * Says if the stack pointer at the halt is not aligned, and if the snapshot has no memory there, at
 * A64's frame pointer, or at the PC.
 */
void halt_check_places(const struct history *history, struct diag_list *facts);

#endif
