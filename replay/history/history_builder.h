/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a history of one part, for who has elements of its own: what a decoder would yield comes
 * in, in order; a history comes out.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_BUILDER_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_BUILDER_H

#include "decoder/flow/flow.h"
#include "replay/history/history_read.h"

struct part_builder; /* replay/history/history_part.h */

/*
 * `graph` is the one that the decoder follows runs through; it must outlive the part. NULL without
 * memory.
 */
struct part_builder *part_create(const struct snap_core *core, struct graph *graph);
void part_destroy(struct part_builder *b); /* NULL is fine */

/* Takes what decoder_pull() gave. NO_MEM. */
MUST_USE enum status part_add(struct part_builder *b, const struct decoded *decoded);

/* Notes a gap at the part's present end. NO_MEM. */
MUST_USE enum status part_add_gap(struct part_builder *b, struct gap gap);

/* Whatever comes next does not follow from what was before, and there is no gap either. */
void part_break(struct part_builder *b);

/* Ends the address index. NO_MEM. */
MUST_USE enum status part_end(struct part_builder *b);

/*
 * A history that is one part and no source of `core`, whose end leads to *end (NULL: nobody knows).
 * Takes over *graph, which becomes NULL, and what the part holds. NO_MEM.
 */
MUST_USE enum status history_of_part(const struct snap_core *core, struct graph **graph,
                                     struct part_builder *part, const uint64_t *end,
                                     struct history **history);

/* Of gap `gap`, of code that was written: the store that did it is at this position. */
MUST_USE enum status history_note_store(struct history *history, size_t gap, uint64_t position);

/*
 * Makes opcode and size what was executed at `position`, where that is not what the memory map
 * holds: another opcode, one of 8 bytes, none.
 */
typedef void history_opcode(const struct tarmac_core *data, uint64_t position,
                            struct instruction *insn);

/* The trace says registers and memory, too, and which opcodes were others than they are now. */
void history_set_data(struct history *history, const struct tarmac_core *data,
                      history_opcode *correct_opcode);

#endif
