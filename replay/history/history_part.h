/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a part of a history: what a decoder yields comes in, in order; an outcome log with its
 * address index, events, gaps and marks come out, with positions from the part's start. The one
 * question here is whether each run follows from what was before it; where it does not, there is a
 * gap.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_PART_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_PART_H

#include "replay/history/data_items.h"
#include "replay/history/history_builder.h"
#include "replay/history/history_store.h"

enum { MISSING_SLOTS = 1 << 13 };

/* Why there is no opcode at an address. */
struct missing_code {
	uint64_t address;
	uint32_t view; /* 0: the slot is free */
	enum gap_reason reason;
};

struct part_builder {
	const struct memmap *memory; /* where opcodes are; at first the core's */
	struct graph *graph;
	struct outcome_log log;
	struct address_index *index;
	struct notes notes;
	struct data_items data; /* items of data trace among the notes' events */
	uint64_t group_runs;    /* runs before the group being built */
	size_t group_block;     /* its first block */
	bool has_dropped_last;  /* visits of the group say too much */
	bool has_cancelled;     /* the last instruction, which the exception at hand said */
	bool in_trace;          /* the source has said something of execution */
	bool first_explained;   /* before the first run is what parts it from what was before */
	uint64_t first_index;   /* Idx of the first run, of a part that has runs as atom batches */
	uint64_t cycles;        /* sum of the part's cycle counts */
	uint8_t trace_id;       /* of its cycle counts among atom batches */
	/* Of a PTM, whose count in a timestamp packet is one as any other. */
	bool has_timestamp_cycles;
	bool marks_views;             /* each run's is noted, for no element says that it changes */
	struct missing_code *missing; /* each in the slot of its address; NULL before the first */
};

/* `graph` is the one that the decoder follows runs through; it must outlive the part. NO_MEM. */
MUST_USE enum status part_init(struct part_builder *b, const struct snap_core *core,
                               struct graph *graph);
void part_fini(struct part_builder *b);

/* What the part's logs keep goes there (base/spill_file.h), which is needed while it is built. */
void part_spill_to(struct part_builder *b, struct spill_file *spill);

/*
 * Where execution goes on after the part's last run; false if the code does not say, or something
 * else stands after it.
 */
bool part_expected(const struct part_builder *b, uint64_t *address);

/*
 * A history of `count` parts, one after the other, that do not follow from each other, each with
 * opcodes in a memory of its own; its registers are those of `core`. history_executed_extent() of
 * it finds nothing. Takes over the graphs, which become NULL, and what the parts hold. NO_MEM.
 */
MUST_USE enum status history_of_parts(const struct snap_core *core, struct graph **graphs,
                                      size_t graph_count, struct part_builder *parts, size_t count,
                                      struct history **history);

#endif
