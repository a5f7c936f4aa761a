/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of trust.h: how much is known of a core's past. In: a history and the values of its past,
 * of which the window before the halt is solved already. Out: a warning if little is known.
 */
#ifndef CSREPLAY_REPLAY_TRUST_SHARE_CHECK_H
#define CSREPLAY_REPLAY_TRUST_SHARE_CHECK_H

#include "base/diag.h"
#include "replay/history/history.h"
#include "replay/values/values.h"

/* Asks a sample of positions for general registers; nothing more is solved for it. */
void share_check(const struct history *history, struct values *values, struct diag_list *facts);

#endif
