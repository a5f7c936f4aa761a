/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of trust.h: code of the snapshot that is not what ran, as of an image of another build.
 * In: a history. Out: a warning with the number of gaps that are there for that, and the first one.
 */
#ifndef CSREPLAY_REPLAY_TRUST_CODE_CHECK_H
#define CSREPLAY_REPLAY_TRUST_CODE_CHECK_H

#include "base/diag.h"
#include "replay/history/history.h"

void code_check(const struct history *history, struct diag_list *facts);

#endif
