/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gap as a line of Tarmac text: a debug event, which readers take for a note without effect, such
 * as "E DebugEvent_TraceGap the trace source overflowed". In: a gap. Out: the line; and back.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_GAP_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_GAP_H

#include <stdbool.h>

#include "base/text.h"
#include "replay/history/history.h"
#include "replay/tarmac/tarmac.h"

/* Appends the line from its word on, without an end. */
void tarmac_gap_write(const struct gap *gap, struct text *out);

/* False if the event is something else. Else the gap with its reason, address and offset. */
bool tarmac_gap_read(const struct tarmac_event *event, struct gap *gap);

#endif
