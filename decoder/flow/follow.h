/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following code: from an address to the next waypoint. Each piece of code is walked once; the
 * walk is cached by address, so that an atom costs a lookup and not a walk.
 *
 * Invariants: what a walk holds depends on memory and options alone, never on what was walked
 * before. No call looks at more than FOLLOW_LIMIT instructions, and after a stretch of code
 * was walked once, a call from elsewhere in it looks at a fraction of that. The cache has an
 * upper bound, whatever addresses a damaged trace names.
 */
#ifndef CSREPLAY_DECODER_FLOW_FOLLOW_H
#define CSREPLAY_DECODER_FLOW_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/status.h"
#include "decoder/element/element.h"
#include "decoder/flow/trace_clock.h"
#include "snapshot/memmap.h"

struct follow;

/*
 * No program runs that many instructions without a waypoint (4 MiB of A64): a trace that says so
 * does not belong to the memory.
 */
enum { FOLLOW_LIMIT = 1 << 20 };

/* A walk that begins at `start` and goes on up to and including a waypoint, or to its limit. */
struct walk {
	uint64_t start;
	uint64_t end;   /* after the last instruction; wraps at the end of the address space */
	uint32_t count; /* instructions; 0 if not one opcode is there */
	enum isa isa;
	bool ends_at_waypoint; /* false: the limit, or the opcode at `end` is not in memory */
	struct insn last;      /* class of the last instruction; valid if count > 0 */
};

/* NULL without memory. `memory` must outlive it. */
struct follow *follow_create(const struct memmap *memory, const struct insn_options *options);
void follow_destroy(struct follow *follow); /* NULL is fine */

/* The times of the source, before what is traced first; `clock` must outlive it. */
void follow_set_clock(struct follow *follow, const struct trace_clock *clock);

/* A timestamp at this place. True if what is seen of memory may be other than before. */
bool follow_take_time(struct follow *follow, uint64_t offset, uint64_t time);

/*
 * The first waypoint after a timestamp was passed: what comes is not before it. True as above.
 */
bool follow_pass_time(struct follow *follow);

/* True between a timestamp and that waypoint, if it matters. */
bool follow_awaits_time(const struct follow *follow);

/* Whether places of the trace matter: code changed while it was traced (memmap_set_past()). */
bool follow_has_places(const struct follow *follow);

/* What comes next is after this place. True if what is seen of memory may be other than before. */
bool follow_take_place(struct follow *follow, uint64_t offset);

/* The last such place; 0 if there was none. */
uint64_t follow_place(const struct follow *follow);

/* What a core in this context sees of the memory now; see snapshot/memmap.h. */
uint32_t follow_view(const struct follow *follow, const struct pe_context *context);

/*
 * Walks from `start` to the first waypoint. `walk` is filled unless the status is NO_MEM or
 * UNSUPPORTED (no classifier for `isa`); after these it holds the instructions that are there:
 * NO_MEMORY_AT if an opcode before the waypoint is not in memory, the one at `walk->end`;
 * BAD_DATA if there is no waypoint within FOLLOW_LIMIT instructions.
 */
MUST_USE enum status follow_to_waypoint(struct follow *follow, uint32_t view, enum isa isa,
                                        uint64_t start, struct walk *walk);

/* The same for a caller who keeps the walk and will not ask again: it takes no room in the cache.
 */
MUST_USE enum status follow_once(struct follow *follow, uint32_t view, enum isa isa, uint64_t start,
                                 struct walk *walk);

/* True if it was found before that there is no instruction at `start`. */
bool follow_knows_hole(const struct follow *follow, uint32_t view, enum isa isa, uint64_t start);

/*
 * The one instruction at `address`: as follow_to_address() with that limit, inclusive; `*walk` is
 * valid until the next call. For sources that trace each instruction.
 */
MUST_USE enum status follow_insn(struct follow *follow, uint32_t view, enum isa isa,
                                 uint64_t address, const struct walk **walk);

/* Where a walk is to end at the latest. */
struct follow_limit {
	uint64_t stop;  /* address of an instruction */
	bool inclusive; /* after that instruction, not before it */
};

/*
 * As follow_to_waypoint(), but not beyond `limit`: where that comes first, ends_at_waypoint is
 * false unless the very instruction at its address, with `inclusive`, is one. A limit that the
 * walk does not meet is as if it were not there.
 */
MUST_USE enum status follow_to_address(struct follow *follow, uint32_t view, enum isa isa,
                                       uint64_t start, struct follow_limit limit,
                                       struct walk *walk);

/*
 * Walks from `start` to `stop` as execution can: through whole instructions, none of which has to
 * branch. NOT_FOUND with what is before such a branch, or before an instruction that lies across
 * `stop`; with nothing if `stop` is more than FOLLOW_LIMIT instructions away. Else as
 * follow_to_address(). Not cached.
 */
MUST_USE enum status follow_certain(struct follow *follow, uint32_t view, enum isa isa,
                                    uint64_t start, uint64_t stop, struct walk *walk);

/* Appends what was walked from walk->end on; its waypoint is then the walk's. */
void walk_append(struct walk *walk, const struct walk *part);

/* Makes an element that has its type and place an INSTR_RANGE's: the walk's instructions. */
void walk_fill_range(const struct walk *walk, bool is_executed, struct element *element);

#endif
