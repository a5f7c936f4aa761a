/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a history is made of; for history_part.c and history_build.c, which write it, and
 * history_read.c and history_find.c, which read it.
 *
 * A history is parts, one after the other: the trace of one source, or a piece of it that was
 * decoded by itself. A part has its outcome log through a code graph; events, gaps and marks are
 * the history's own. Invariants beside those of history.h:
 *   - the positions of parts rise, and a part without instructions is none;
 *   - each block of an outcome log has at least one run, and each run at least one instruction;
 *   - only nodes that an address index or `executed` names were run, whatever a graph holds.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_STORE_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_STORE_H

#include "replay/history/address_index.h"
#include "replay/history/code_memory.h"
#include "replay/history/history_builder.h"
#include "replay/history/mark_log.h"
#include "replay/history/outcome_log.h"
#include "replay/history/row_log.h"

/* What was said between the instructions. */
struct notes {
	struct row_log gaps; /* struct gap; the kind is the reason */
	struct gap last_gap; /* that is not among them yet, for it may be merged with; if: */
	bool has_last_gap;
	size_t gap_counts[GAP_HALT + 1]; /* by reason, with that one */
	struct row_log events;           /* struct history_event; the kind is the element's type */
	struct row_log contexts;        /* struct context_change: of the events those that differ */
	struct pe_context last_context; /* of what was added to the contexts, if any was */
	struct mark_log marks[MARK_COUNT]; /* the last of a position counts */
};

void notes_init(struct notes *notes);
void notes_fini(struct notes *notes);

/* What its logs keep goes there, which is needed up to notes_settle(): nothing is added then. */
void notes_spill_to(struct notes *notes, struct spill_file *spill);
MUST_USE enum status notes_settle(struct notes *notes);

/* Adds a gap after those already there, or to the last one if it says no more. NO_MEM. */
MUST_USE enum status notes_add_gap(struct notes *notes, const struct gap *gap);
/* Moves the gaps of `part`, whose positions begin at `position`. NO_MEM as of row_log_join(). */
MUST_USE enum status notes_join_gaps(struct notes *notes, struct notes *part, uint64_t position);

/* Adds an event after those already there. NO_MEM. */
MUST_USE enum status notes_add_event(struct notes *notes, const struct history_event *event);

struct history_part {
	const struct memmap *memory; /* that its runs' views are of */
	struct outcome_log log;
	struct address_index *index;
	uint64_t position; /* of its first instruction in the history */
};

/* Code that was executed: addresses first <= a <= last, the last byte of the address space too. */
struct extent {
	uint64_t first;
	uint64_t last;
	uint8_t isa; /* enum isa */
	uint32_t view;
};

/* Bytes of the memory map that were executed. */
struct content {
	const uint8_t *begin;
	const uint8_t *end;
};

/* What the last reader of a history has left: a block of each of its logs, expanded. */
struct block_cache {
	const struct history_part *part; /* NULL: nothing */
	size_t block;
	uint32_t count; /* runs */
	struct outcome_log_run runs[LOG_BLOCK_RUNS];
	struct row_cache gaps;
	struct row_cache events;
	struct row_cache contexts;
	struct mark_cache marks[MARK_COUNT];
};

struct history {
	const struct snap_core *core;
	const struct memmap *memory;    /* the core's, as history_memory() says */
	struct code_memory code_memory; /* owned; none: it is the core's own */
	/* The snapshot's, by the numbers of the core's register file; NULL: it has none. */
	const struct snap_register *registers[REGISTER_FILE_MOST];
	bool left_out[REGISTER_FILE_MOST]; /* of these: history_is_left_out() */
	uint64_t length;                   /* N */
	size_t undecoded;                  /* trace sources that could not be opened */
	/* Where the trace leads to, for a core whose snapshot has no PC; valid if has_end, and if
	 * is_astray: then it is not to the halt PC. */
	uint64_t end_address;
	bool has_end;
	bool is_astray;
	struct graph **graphs; /* the parts' */
	size_t graph_count;
	size_t graph_capacity;
	struct history_part *parts;
	size_t part_count;
	size_t part_capacity;
	struct notes notes;
	struct extent *code; /* runs in no order; they may overlap, and come twice */
	size_t code_count;
	size_t code_capacity;
	struct content *executed; /* what the map has there, disjoint and in order */
	size_t executed_count;
	size_t executed_capacity;
	const struct tarmac_core
	        *data; /* registers and memory that the trace gave, or NULL; then: */
	history_opcode *correct_opcode;
	struct block_cache *cache; /* readers share it: one thread at a time reads a history */
};

/* Index of the first mark after `position`, or the number of marks. */
size_t history_mark_after(const struct history *h, enum mark mark, uint64_t position);
/* Mark `index`, which there is. */
struct mark_entry history_mark_entry(const struct history *h, enum mark mark, size_t index);

/* The runs of a block; valid until the next call on this history. */
const struct block_cache *history_expand(const struct history *h, const struct history_part *part,
                                         size_t block);

#endif
