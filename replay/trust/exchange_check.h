/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of trust.h: traces that were given to each other's core, as by trace IDs or sources that
 * are exchanged. In: the histories of all cores. Out: a warning for each two cores of which neither
 * trace leads to its own core's halt, and each to the other's.
 */
#ifndef CSREPLAY_REPLAY_TRUST_EXCHANGE_CHECK_H
#define CSREPLAY_REPLAY_TRUST_EXCHANGE_CHECK_H

#include "base/diag.h"
#include "base/status.h"
#include "replay/history/history.h"

/* NO_MEM. */
MUST_USE enum status exchange_check(struct history *const *histories, size_t count,
                                    struct diag_list *facts);

#endif
