/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of replay/current_task/current_task.h: what the two architectures share. */
#ifndef CSREPLAY_REPLAY_CURRENT_TASK_CURRENT_STORE_H
#define CSREPLAY_REPLAY_CURRENT_TASK_CURRENT_STORE_H

#include "replay/current_task/current_task.h"

/* Instructions whose register is asked for, in each direction, and how far they are looked for. */
enum { TRIES = 8, LOOKED_MOST = 65536 };

/* Between which positions the register has one value, but for the instructions that move it. */
struct stretch {
	uint64_t low;  /* the oldest instruction after what ends it */
	uint64_t high; /* after the newest one before that */
};

/* An instruction moves the register; opcodes as struct instruction has them. */
typedef bool current_is_move(enum isa isa, uint32_t opcode);

/* False without memory, or if there are none. */
bool current_find_moves(const struct current_place *at, current_is_move *is_move,
                        struct current_moves *moves);
/* The nearest one, up to `limit`, in at->position. */
bool current_move_before(struct current_place *at, const struct current_moves *moves,
                         uint64_t limit);
bool current_move_after(struct current_place *at, const struct current_moves *moves,
                        uint64_t limit);

/* As far as is looked, and no gap lies between. */
struct stretch current_without_gap(const struct current_place *at);
/* What is so up to `high` is so at the halt. */
bool current_reaches_halt(const struct current_place *at, uint64_t high);

/* A register of the snapshot, 64 bits of it. */
bool current_halt_register(const struct current_place *at, struct str name, uint64_t *value);
/* Memory at the position. */
struct os_memory current_memory(struct current_place *at);

bool current_a64(struct current_place *at, struct current_moves *moves, uint64_t *address);
bool current_a32(struct current_place *at, struct current_moves *moves, uint64_t *address);

#endif
