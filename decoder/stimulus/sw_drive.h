/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the decoders of software trace (ITM, STM) have in common around their packets and their
 * flow: the bytes of a trace ID, the elements for the caller, the listing of packets. In: a trace
 * buffer. Out: elements, pulled one by one.
 */
#ifndef CSREPLAY_DECODER_STIMULUS_SW_DRIVE_H
#define CSREPLAY_DECODER_STIMULUS_SW_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "decoder/element/element.h"
#include "decoder/flow/flow.h"
#include "decoder/frame/frame.h"

/* One packet makes at most these: that synchronisation was lost, and what it says. */
enum { SW_ELEMENTS = 2 };

struct sw_out {
	struct element items[SW_ELEMENTS];
	unsigned int next; /* the first that is not given out */
	unsigned int count;
	uint8_t trace_id;
};

/* Appends an element to be filled; valid until the next packet. */
struct element *sw_out_add(struct sw_out *out, enum element_type type, uint64_t index);

struct sw_drive {
	struct sw_out out;
	uint64_t position; /* after the last packet's last byte */
	bool is_ended;
	bool is_past_hole; /* bytes are missing, and no synchronisation came since */
	/* A synchronisation packet that is longer than the window. */
	bool has_begin_index;
	uint64_t begin_index; /* Idx of its first byte */
	/* Idx of the bytes that sw_drive_run_index() was asked for last: from .. to. */
	uint64_t run_begin;
	uint64_t run_last;
	/* Packets for the user. */
	bool lists_packets;
	bool has_listed; /* `listed` is to be given out before the elements */
	struct element listed;
	struct text text;
	struct deframe deframe;
};

/* Takes the next packet; elements go to drive->out. */
typedef enum status (*sw_pull)(void *state);

/*
 * Opens the source's bytes; the drive is zeroed before. BAD_DATA with an error in the input's
 * diagnostics if the source has no trace ID.
 */
MUST_USE enum status sw_drive_init(struct sw_drive *drive, const struct protocol_input *input);
void sw_drive_fini(struct sw_drive *drive);

/* As decoder_next(). */
MUST_USE enum status sw_drive_next(struct sw_drive *drive, sw_pull pull, void *state,
                                   struct element *element);

/* Idx of the packet whose first byte is at `at`. */
uint64_t sw_drive_index(const struct sw_drive *drive, const uint8_t *at);

/* Idx of the first of the bytes that lie together, in one frame, with the byte at `at`. */
uint64_t sw_drive_run_index(struct sw_drive *drive, const uint8_t *at);

/* The packet whose last byte is at `last` is done. */
void sw_drive_done(struct sw_drive *drive, const uint8_t *last);

/* Lists a packet whose fields are in drive->text, its bytes in the deframer's window. NO_MEM. */
MUST_USE enum status sw_drive_list(struct sw_drive *drive, struct listed_packet packet,
                                   uint64_t index);

/*
 * More bytes. END: there are none. A window that is full of one unfinished packet can only be a
 * synchronisation packet: all but its last `keep` bytes are passed over.
 */
MUST_USE enum status sw_drive_refill(struct sw_drive *drive, size_t keep);

#endif
