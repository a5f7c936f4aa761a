/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share; private to it. */
#ifndef CSREPLAY_REPLAY_SURVEY_SURVEY_PARTS_H
#define CSREPLAY_REPLAY_SURVEY_SURVEY_PARTS_H

#include <stdbool.h>

#include "decoder/decoder.h"
#include "replay/survey/missing_code.h"
#include "replay/survey/survey.h"

/* unclaimed_ids.c */

/* True if the source is said to be in the buffer. */
bool survey_is_in(const struct snapshot *snapshot, const struct snap_source *source,
                  const struct snap_buffer *buffer);

/* Counts the IDs of a buffer; false if it has no frames. */
bool survey_count_ids(const struct snap_buffer *buffer, struct id_census *census);

/* A note for each buffer whose frames say that a trigger occurred (IHI 0029, trace ID 0x7d).
 * NO_MEM. */
MUST_USE enum status survey_note_triggers(const struct snapshot *snapshot, struct diag_list *diags);

/* tally.c */

/* What was decoded of a source in a buffer. */
struct tally {
	uint64_t bytes; /* of the source */
	uint64_t instructions;
	uint64_t elements; /* others that say something */
	uint64_t losses;   /* bad packets, after each of which synchronization is sought */
	bool is_broken;    /* there are no frames from `broken_at` on */
	uint64_t broken_at;
};

struct tally_options {
	uint64_t most;                /* bytes of the buffer that are decoded */
	struct missing_code *missing; /* where code that is missing goes to; may be NULL */
};

/*
 * Decodes the source in the buffer as a history would. Fails as decoder_open() does, or with
 * NO_MEM.
 */
MUST_USE enum status survey_tally(const struct snapshot *snapshot, const struct snap_source *source,
                                  const struct snap_buffer *buffer,
                                  const struct tally_options *options, struct diag_list *diags,
                                  struct tally *tally);

/* settings.c */

/*
 * Tries other settings for what is hardly decoded, and says which of them decode it. NO_MEM. What
 * is said is proved by a part of the trace, not guessed.
 */
MUST_USE enum status survey_try_settings(const struct snapshot *snapshot,
                                         const struct unclaimed_ids *ids, struct diag_list *diags);

/* dump_address.c: the same for dumps at odd addresses, as those of T32 symbols are. NO_MEM. */
MUST_USE enum status survey_try_dumps(const struct snapshot *snapshot, struct diag_list *diags);

#endif
