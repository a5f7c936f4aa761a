/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the decoders of ETMv3 and PTM have in common around their packets and their flow: bytes of
 * a trace ID from the buffer, the code to follow, the atom batches and elements for the caller, the
 * listing of packets. In: a trace buffer. Out: what decoder_pull() gives.
 */
#ifndef CSREPLAY_DECODER_FLOW_ETM_DRIVE_H
#define CSREPLAY_DECODER_FLOW_ETM_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "decoder/element/element.h"
#include "decoder/flow/batch_list.h"
#include "decoder/flow/decoded.h"
#include "decoder/flow/etm_queue.h"
#include "decoder/flow/follow.h"
#include "decoder/flow/protocol.h"
#include "decoder/frame/frame.h"

struct etm_drive {
	struct etm_queue out;
	/* What a packet gives in batches is before what it gives in elements. */
	struct batch_list batches;
	bool joins_packets; /* batches may be of several packets: their Idx is the first one's */
	bool has_batches;   /* that the caller was not given yet */
	struct follow *follow;
	struct memmap *no_memory; /* of a source without a core */
	uint64_t position;        /* after the last packet's last byte */
	bool is_ended;
	bool is_paused; /* at the deframer's limit */
	/* Synchronization points, where the caller wants them. */
	bool stops_at_sync_points;
	bool is_at_sync_point;
	bool saw_async; /* and no synchronization point since */
	uint64_t sync;  /* position of the last A-Sync */
	/* Packets for the user. */
	bool lists_packets;
	bool has_listed; /* `listed` is to be given out before the elements */
	struct element listed;
	struct text text;
	struct deframe deframe;
};

/* What a flow reads and fills. */
struct etm_flow_ends {
	struct follow *follow;
	struct graph *graph;
	struct batch_list *batches;
	struct etm_queue *out;
};

/* Takes the next packet, or several; what they give goes to the drive's lists. */
typedef enum status (*etm_pull)(void *state);

/* The drive is zeroed before. On failure it is to be ended with etm_drive_fini() all the same. */
MUST_USE enum status etm_drive_init(struct etm_drive *drive, const struct protocol_input *input,
                                    uint8_t trace_id, const struct insn_options *options);
void etm_drive_fini(struct etm_drive *drive);

/* As struct protocol_decoder's `pull`. */
MUST_USE enum status etm_drive_pull(struct etm_drive *drive, etm_pull pull, void *state,
                                    struct decoded *decoded);

/* That are gathered before the caller is given them. */
enum { ETM_BATCHES_MOST = 256, ETM_COUNTS_MOST = 4096 };

/* True if there is something for the caller, and no more is to be taken now. */
static inline bool etm_drive_has_enough(const struct etm_drive *drive)
{
	/* Elements in doubt are not for the caller yet. */
	return drive->batches.count >= (drive->joins_packets ? ETM_BATCHES_MOST : 1) ||
	       drive->batches.counted >= ETM_COUNTS_MOST || drive->is_at_sync_point ||
	       drive->is_paused || etm_queue_count(&drive->out) > drive->out.doubtful ||
	       drive->is_ended || drive->has_listed;
}

/* Idx of the byte at `at`, and that the packet up to there is done. */
uint64_t etm_drive_index(const struct etm_drive *drive, const uint8_t *at);
void etm_drive_done(struct etm_drive *drive, const uint8_t *last);

/*
 * End of the block that the next byte is in: bytes of one trace ID that lie together in a frame.
 * Bytes in which synchronisation is sought are listed by block.
 */
const uint8_t *etm_drive_block_end(const struct etm_drive *drive);

/*
 * More bytes of the trace ID: what deframe_refill() says, but OK at the deframer's limit, where
 * there is enough until the caller sets another.
 */
MUST_USE enum status etm_drive_refill(struct etm_drive *drive);

/*
 * An A-Sync at `at`, and a packet after which all that was said since the last A-Sync is in force:
 * a synchronization point, once for each A-Sync.
 */
void etm_drive_async(struct etm_drive *drive, const uint8_t *at);
void etm_drive_in_force(struct etm_drive *drive);

/* Lists a packet whose fields are in drive->text, its bytes in the deframer's window. NO_MEM. */
MUST_USE enum status etm_drive_list(struct etm_drive *drive, struct listed_packet packet,
                                    uint64_t index);

#endif
