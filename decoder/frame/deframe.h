/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CoreSight formatter's frames (CoreSight Architecture IHI 0029, trace formatter; DDI 0314
 * chapter 9). In: a trace buffer. Out: the bytes of one trace ID, in order, each with its place
 * in the buffer.
 *
 * A frame has 16 bytes: eight even ones that hold data or a new ID, seven odd ones of data, and
 * at the end the low bits of the data in even bytes. Bytes before the first ID of a buffer belong
 * to nobody and are dropped; ID 0x00 (padding) and 0x70-0x7f are no trace source's.
 *
 * Only a window of the bytes is held, whatever the size of the buffer: deframe_refill() keeps
 * what is not read yet and puts more after it. A packet that is cut at the window's end is read
 * again after a refill.
 *
 * Two things no formatter sends, and what is after them is not trusted: an ID in whose turn there
 * is not one byte, and a synchronisation packet of the trace port where none may be. A third, a
 * reserved ID, is a damaged byte as long as the wanted ID comes again: whose the bytes are from
 * there to the next ID is not known, nor whether the byte was an ID. That is a hole in the bytes of
 * every ID, and what is after it does not continue what was before it.
 *
 * Each byte has two places. `position` is where it lies in the buffer. `index` is what OpenCSD
 * calls its Idx: the place at which its run of one ID's bytes begins in the frame, plus the number
 * of data bytes before it in the run, so that it lags by the ID bytes between.
 */
#ifndef CSREPLAY_DECODER_FRAME_DEFRAME_H
#define CSREPLAY_DECODER_FRAME_DEFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "decoder/frame/tpiu.h"

enum {
	FRAME_SIZE = 16,
	DEFRAME_WINDOW = 4096, /* bytes; no packet is longer */
	TRACE_ID_MASK = 0x7f,
};

/* How the buffer is packed. */
enum deframe_format {
	DEFRAME_CORESIGHT,     /* frames, aligned to the buffer's start */
	DEFRAME_SOURCE,        /* one source's bytes and nothing else */
	DEFRAME_TPIU,          /* frames with full synchronisation packets between, tpiu.h */
	DEFRAME_TPIU_HSYNC,    /* and half-word ones within */
	DEFRAME_DSTREAM,       /* as TPIU, in the blocks of a DSTREAM */
	DEFRAME_DSTREAM_HSYNC, /* as TPIU_HSYNC, in these */
};

struct deframe {
	struct bytes bytes; /* to be read: the window, up to what is known so far */
	bool follows_hole;  /* of the last refill: bytes may be missing before the first of `bytes`
	                     */
	/* Private. */
	enum deframe_format format;
	struct bytes input;       /* what was not unpacked yet; not of a trace port */
	struct tpiu tpiu;         /* of a trace port */
	bool is_broken;           /* what is after the window is no trace */
	bool has_hole;            /* in the window, or at its end */
	size_t hole;              /* place in the window; valid if has_hole */
	size_t held;              /* bytes in the window, also those after a hole */
	uint8_t trace_id;         /* the wanted one */
	int current_id;           /* -1 before the first */
	uint64_t seen_ids[2];     /* in frames: bit ID % 64 of seen_ids[ID / 64] */
	const uint8_t *whole_end; /* while there is a limit: the buffer's end */
	uint8_t window[DEFRAME_WINDOW + 2 * FRAME_SIZE]; /* a frame is put as a whole */
	/*
	 * Of each byte of the window: the number of its frame among those that have a byte there,
	 * and its place in the frame, with how far its index lags in the high four bits. Three
	 * bytes for what a position of eight would fill the machine's nearest cache with.
	 */
	uint16_t frames[DEFRAME_WINDOW + 2 * FRAME_SIZE];
	uint8_t places[DEFRAME_WINDOW + 2 * FRAME_SIZE];
	uint64_t frame_positions[DEFRAME_WINDOW + FRAME_SIZE]; /* by number */
};

/* True for an ID that a trace source may have. */
bool trace_id_is_source(unsigned int id);

/* True for an ID that no formatter sends: no source's, padding's, flush's or trigger's. */
bool trace_id_is_reserved(unsigned int id);

/* `data` must outlive the deframer. */
void deframe_init(struct deframe *d, enum deframe_format format, struct bytes data,
                  uint8_t trace_id);

/*
 * Begins at `offset` of the buffer instead, a multiple of FRAME_SIZE: what the deframer would give
 * from there on if it had come from the buffer's start. An ID that no frame of the 64 KiB before
 * says is not known: up to the next one, bytes are nobody's. For frames and one source's bytes
 * alone, and before the first refill.
 */
void deframe_seek(struct deframe *d, uint64_t offset);

/*
 * Goes no further than `end`, a multiple of FRAME_SIZE, until the next call of this: beyond it,
 * deframe_refill() answers UNAVAILABLE. After the buffer's end there is no limit. Not for a trace
 * port.
 */
void deframe_limit(struct deframe *d, uint64_t end);

/*
 * Unpacks more, at least one byte; those already in `bytes` and not read move to the window's
 * begin. After a hole they are gone: they are no whole packet, and what is to be read is what comes
 * after it. A hole with nothing of the ID after it is none. END if the buffer has no more of this
 * ID (a last frame that is not whole is left out), BAD_DATA if what is after is no frames,
 * UNAVAILABLE at the limit, TRUNCATED if the window is full of bytes that were not read.
 */
MUST_USE enum status deframe_refill(struct deframe *d);

/* Place in the buffer of the byte at `at`, a pointer into `bytes`. */
static inline uint64_t deframe_position(const struct deframe *d, const uint8_t *at)
{
	size_t i = (size_t)(at - d->window);

	return d->frame_positions[d->frames[i]] + d->places[i] % FRAME_SIZE;
}

/* Idx of the byte at `at`, a pointer into `bytes`. */
static inline uint64_t deframe_index(const struct deframe *d, const uint8_t *at)
{
	return deframe_position(d, at) - d->places[at - d->window] / FRAME_SIZE;
}

/* Bytes of the buffer that were unpacked. */
uint64_t deframe_consumed(const struct deframe *d);

/* Bytes at the buffer's end that are no whole frame. */
uint64_t deframe_remainder(enum deframe_format format, uint64_t size);

#endif
