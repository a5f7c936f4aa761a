/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a snapshot is not to be trusted, in one list that every entry shows. In: a snapshot, the
 * histories of its cores, what is proved of their past. Out: a warning for each fact, with its
 * place; none where all is well.
 */
#ifndef CSREPLAY_REPLAY_TRUST_TRUST_H
#define CSREPLAY_REPLAY_TRUST_TRUST_H

#include "base/diag.h"
#include "base/status.h"
#include "replay/history/history.h"
#include "replay/values/values.h"
#include "snapshot/snapshot.h"

/* Arrays have an item for each core of the snapshot, in its order. */
struct trust_of {
	const struct snapshot *snapshot;
	struct history **histories;
	struct values **values;      /* NULL for a core whose trace has the data itself */
	const struct trace_ids *ids; /* that decoding has seen, one a buffer; may be NULL */
	unsigned int threads;        /* that solve windows at the halt; 0 is 1 */
};

/*
 * Appends what is to be said of it. Of a core whose registers at the halt contradict its trace the
 * suspects are left out of what is shown (history_leave_out()). NO_MEM, INTERRUPTED.
 */
MUST_USE enum status trust_examine(const struct trust_of *of, struct diag_list *facts);

/* A note of the assumptions that are made and are not usual for the snapshot, if there are such. */
void trust_note_assumptions(const struct values_options *made, const struct values_options *usual,
                            struct diag_list *facts);

#endif
