/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The origin of a value: from a register or memory at a position back through moves, arithmetic
 * with constants, loads and stores to where it was made. In: the values of a core, a subject, a
 * position. Out: steps, the youngest first; the last one says why the search ends there.
 *
 * A search that leaves a window of replay/values goes on in the next older one. Steps that one loop
 * repeats are told once, with how often and from where on.
 */
#ifndef CSREPLAY_REPLAY_PAST_ORIGIN_H
#define CSREPLAY_REPLAY_PAST_ORIGIN_H

#include <stddef.h>

#include "base/status.h"
#include "replay/past/past_subject.h"
#include "replay/values/values.h"

enum origin_kind {
#define WAY(name, word, text) ORIGIN_##name,
#define END(name, word, text) ORIGIN_##name,
#include "replay/past/origin.def"
	ORIGIN_KINDS,
};

enum {
	ORIGIN_STEPS = 1000, /* that are listed at most */
	ORIGIN_SOURCES = 4,  /* that are told of a combined value */
};

/* One of the registers that a value was made of. */
struct origin_source {
	unsigned int reg; /* enum uop_register */
	struct past_value value;
};

struct origin_step {
	enum origin_kind kind;
	uint64_t position; /* of the instruction, or of what lies before it */
	struct past_code code;
	/* What has the value after the step: memory of a store, else a register. */
	bool is_memory;
	unsigned int reg; /* enum uop_register; REG_COUNT: the PC */
	uint64_t address; /* also that of a load */
	uint64_t size;    /* bytes of memory that are followed */
	bool is_part;     /* a store: it wrote not all of what was read; these bytes are followed */
	/* A store whose address is not known: `size` bytes of it are somewhere in what was read. */
	bool is_somewhere;
	struct past_value value;
	/*
	 * Of the way to the next younger step: so many writes of unknown address lie between that
	 * may have been to it, too; with `is_candidate` this store itself is the only one that can
	 * have been.
	 */
	uint64_t possible;
	bool is_candidate;
	bool is_possible; /* this step, or a younger one, was: the chain is no proof */
	/* Of a repeated step: how often more, and where the oldest was. */
	uint64_t repeats;
	uint64_t oldest;
	const struct history *other; /* OTHER_CORE: of the core that `position` is one of */
	uint64_t other_first;        /* and where this one was then */
	uint64_t other_last;
	unsigned int source_count; /* COMBINED */
	struct origin_source sources[ORIGIN_SOURCES];
};

struct origin {
	struct origin_step *steps;
	size_t count;
	size_t capacity;
	unsigned int reg;        /* of a register its slot, else REG_COUNT */
	struct past_value value; /* of the subject */
};

/*
 * Finds it; origin_fini() in any case. Of the PC it is what a branch
 * before the position read it from. UNSUPPORTED for a register that is not reconstructed;
 * NO_MEM; INTERRUPTED.
 */
MUST_USE enum status origin_find(struct values *values, uint64_t position,
                                 const struct past_subject *subject, struct origin *origin);
void origin_fini(struct origin *origin);

/* "load", and why the search ends there; the empty text on the way. */
const char *origin_word(enum origin_kind kind);
const char *origin_text(enum origin_kind kind);
bool origin_is_end(enum origin_kind kind);

#endif
