/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels that carry text: their messages become lines. In: messages of a byte or word each, in
 * the order of the trace. Out: the same with lines in place of the bytes of text. Private to this
 * room.
 */
#ifndef CSREPLAY_REPLAY_SOFTWARE_TRACE_MESSAGE_TEXT_H
#define CSREPLAY_REPLAY_SOFTWARE_TRACE_MESSAGE_TEXT_H

#include "base/arena.h"
#include "replay/software_trace/message_read.h"

/* Lines live in the arena. NO_MEM; the messages then are not to be used. */
MUST_USE enum status messages_join_text(struct software_messages *messages, struct arena *arena);

#endif
