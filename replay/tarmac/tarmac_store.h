/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of a Tarmac text; for tarmac_read.c, which makes it in one pass over the text, and
 * for tarmac_state.c and effects.c, which answer from it.
 *
 * Time. A clock ticks at each instruction of any core, and where the text goes over to another
 * core. Memory is logged by it: what an instruction at clock C reads at time 2 C, what it writes at
 * 2 C + 1. So memory before it is memory at 2 C. A turn is a stretch of lines of one core: its
 * first tick stands for lines in it before an instruction, which belong to the core's last one.
 * Registers are logged by the core's own positions: before instruction P it is time 2 P + 2, lines
 * after it are of time 2 P + 3, those before the first instruction of time 1.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_STORE_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_STORE_H

#include "base/file.h"
#include "replay/history/history.h"
#include "replay/tarmac/log/log.h"
#include "replay/tarmac/tarmac.h"
#include "replay/tarmac/tarmac_frames.h"
#include "replay/tarmac/tarmac_slot.h"
#include "replay/tarmac/tarmac_system.h"

/* Every so many instructions the place of the next one's line is kept. */
enum { TARMAC_MARK_STEP = 64 };

struct tarmac_turn {
	uint64_t clock;    /* its first tick */
	uint64_t position; /* of the first instruction after it */
	uint32_t core;
};

/* An instruction whose opcode is none that a memory map has. */
struct tarmac_odd {
	uint64_t position;
	uint64_t opcode;
	uint8_t size; /* bytes: 8; 0: it was not fetched */
};

/* Timestamps of a core's records, in the order of the text. */
struct tarmac_times {
	uint64_t last;
	uint64_t odd_line; /* of the first record whose time is earlier, or of another unit; else
	                      the first */
	enum tarmac_unit unit;
	enum tarmac_unit other; /* if is_mixed */
	bool has_any;
	bool is_mixed;
	bool goes_back;
};

struct tarmac_core {
	const struct tarmac_source *source;
	uint32_t index;  /* in source->cores, and as the reader numbers them */
	struct str name; /* of the text */
	enum core_arch arch;
	uint64_t length; /* instructions */
	struct tarmac_times times;
	unsigned int features;       /* set of 1 << enum register_feature that lines wrote */
	struct word_log registers;   /* by slot */
	struct tarmac_system system; /* of registers without a slot in the file */
	struct tarmac_mark *marks;
	size_t mark_count;
	size_t mark_capacity;
	size_t *turns; /* indexes of source->turns */
	size_t turn_count;
	size_t turn_capacity;
	struct tarmac_code code;   /* by address */
	struct tarmac_code logged; /* by place, which is what the log of memory has of it */
	struct word_log patched;   /* opcodes of addresses that had others, by address / 8 */
	struct tarmac_odd *odd;    /* by position */
	size_t odd_count;
	size_t odd_capacity;
	struct tarmac_pages pages;
	struct history *history;
};

struct tarmac_source {
	struct file_map map;
	struct tarmac *reader;
	struct diag_list unheard; /* of lines read again */
	char *path;
	struct tarmac_core **cores;
	size_t core_count;
	size_t core_capacity;
	struct tarmac_turn *turns;
	size_t turn_count;
	size_t turn_capacity;
	struct tarmac_frames frames;
	struct word_log memory;          /* by tarmac_frame_key() of places */
	bool has_units;                  /* timestamps of more than one unit */
	bool has_moved;                  /* some core has a page that is not at its own address */
	const struct snapshot *snapshot; /* whose extension this is */
};

/* A line that is an instruction of the history. */
static inline bool tarmac_is_counted(const struct tarmac_event *event)
{
	return event->kind == TARMAC_INSTRUCTION && event->instruction.has_address;
}

/*
 * tarmac_state.c: the doubleword at `address`, which lies in a space, as the images have it; a mask
 * of the bytes that they have. None where the text does not prove which of several places they are
 * of.
 */
uint8_t tarmac_image_word(const struct tarmac_source *source, bool is_physical, uint64_t address,
                          uint64_t *value);

/*
 * Reads the whole text into a source that has its map and reader. A malformed line is reported and
 * gone over. BAD_DATA after the last line if is_strict and there was one; NO_MEM, INTERRUPTED.
 */
MUST_USE enum status tarmac_read(struct tarmac_source *source, bool is_strict,
                                 const struct history_options *options,
                                 const struct snapshot_options *images, struct diag_list *diags,
                                 struct snapshot **snapshot);

#endif
