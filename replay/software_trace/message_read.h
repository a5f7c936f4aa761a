/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of one source, a byte or word each, in the order of its trace. In: a source in a
 * buffer. Out: messages with bounds of their time. Private to this room.
 */
#ifndef CSREPLAY_REPLAY_SOFTWARE_TRACE_MESSAGE_READ_H
#define CSREPLAY_REPLAY_SOFTWARE_TRACE_MESSAGE_READ_H

#include "replay/software_trace/software_trace.h"

struct software_messages {
	struct software_message *items;
	size_t count;
	size_t capacity;
};

/* Appends them. NO_MEM; a source that cannot be decoded has none. */
MUST_USE enum status messages_read(const struct snapshot *snapshot,
                                   const struct snap_source *source,
                                   const struct snap_buffer *buffer,
                                   struct software_messages *messages);

#endif
