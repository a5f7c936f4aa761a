/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software trace in time: the messages of all ITM and STM sources of a snapshot, of the DWT, too.
 * In: a snapshot, histories. Out: messages in the order of time, as far as it is known, and from
 * which position on a core is certainly after one.
 *
 * The time of a message is when the ITM or STM took it, which is no earlier than the store of the
 * software. An STM may stamp each message; of others, and of the ITM's, it is known that they came
 * after the timestamp before them in the trace and before the one after it. Times are those of the
 * cores' trace (replay/history/timeline.h). Local timestamps of an ITM count cycles and say nothing
 * of that. Where timestamps go back, nothing is said between the two.
 *
 * A channel of which all bytes are text, as printf() writes it, is taken as lines.
 */
#ifndef CSREPLAY_REPLAY_SOFTWARE_TRACE_SOFTWARE_TRACE_H
#define CSREPLAY_REPLAY_SOFTWARE_TRACE_SOFTWARE_TRACE_H

#include "base/text.h"
#include "replay/history/history.h"

struct software_message {
	const struct snap_source *source;
	struct element element; /* ITMTRACE or SWTRACE; of a line its last one */
	struct str text;        /* a line; p is NULL if the message is none */
	bool is_cut;            /* bytes were lost before it */
	uint64_t order;         /* in the order of the trace, over all sources */
	/* When it came; of a line from its first byte to its last. `estimate` is none. */
	struct moment moment;
};

struct software_log;

/* A source that cannot be decoded is left out, as `csreplay decode` says. NO_MEM. */
MUST_USE enum status software_log_read(const struct snapshot *snapshot, struct software_log **log);
void software_log_destroy(struct software_log *log); /* NULL is fine */

/* All: first those that have a latest time, by that; then the others in the order of the trace. */
size_t software_log_count(const struct software_log *log);
const struct software_message *software_log_get(const struct software_log *log, size_t i);
/* How many have a latest time. */
size_t software_log_timed(const struct software_log *log);

/*
 * Of each that has a latest time: the first position of the history at which it certainly was
 * before; its halt is after all of them. Ascending. For a history whose timestamps do not go back,
 * of N > 0. To be freed; NO_MEM.
 */
MUST_USE enum status software_log_places(const struct software_log *log,
                                         const struct history *history, uint64_t **places);

/* Appends it without its time: "ITM_0 port 1: "hello"", "STM_0 master 0x40 channel 3: 0x2a". */
void software_message_format(const struct software_message *message, struct text *out);

#endif
