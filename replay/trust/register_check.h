/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of trust.h: what of a core's registers in the snapshot is not used, or in part. In: a
 * core. Out: warnings.
 */
#ifndef CSREPLAY_REPLAY_TRUST_REGISTER_CHECK_H
#define CSREPLAY_REPLAY_TRUST_REGISTER_CHECK_H

#include "base/diag.h"
#include "snapshot/snapshot.h"

void register_check(const struct snap_core *core, struct diag_list *facts);

#endif
