/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/explain/explain.h: what its files share. A walk has a solved window with
 * its log, and lines that it has written.
 */
#ifndef CSREPLAY_REPLAY_VALUES_EXPLAIN_WHY_WALK_H
#define CSREPLAY_REPLAY_VALUES_EXPLAIN_WHY_WALK_H

#include "arch/isa.h"
#include "base/text.h"
#include "replay/values/explain/explain.h"
#include "replay/values/solver/solver.h"
#include "snapshot/source_lines.h"

struct why_walk {
	struct solver solver;
	bool is_assumed; /* what is known of the subject is not all proved */
	struct provenance log;
	struct disasm *disasm;
	const struct source_lines *source;
	struct text *out;
	unsigned int lines;
	unsigned int lines_most;
	bool is_cut;   /* there was more */
	bool is_whole; /* all that a value rests on is of interest, addresses of accesses too */
	struct why_places *places; /* NULL if nobody asks */
	struct text *leaves;       /* what a chain rests on, a line for each; NULL if nobody asks */
	enum status status;        /* NO_MEM: a chain was not followed to its end */
};

/* Begins a line of its own; false if there are enough of them. */
bool why_line(struct why_walk *w);
/*
 * The same, with the position of a dynamic instruction, and its instruction or what lies between
 * two.
 */
bool why_dyn_line(struct why_walk *w, size_t dyn);
/* Name of a register of micro-operations, as the user knows it. */
void why_name(const struct why_walk *w, unsigned int reg, struct text *out);
void why_bits(struct bits b, struct text *out);

/* The bits that make the one or two slots of a register known. */
uint64_t why_wanted(struct register_slot at);
/* The value of a register of which these are the slots, all known. */
void why_value_text(struct register_slot at, const struct bits slots[2], struct text *out);

/* SSA value of a slot that is a register or a temporary. */
uint32_t why_ssa(const struct why_walk *w, size_t dyn, unsigned int slot);
/*
 * The register that a dynamic instruction reads from the SSA value, or makes of it; REG_COUNT for a
 * value on the way, which no register has.
 */
unsigned int why_register_of(const struct why_walk *w, size_t dyn, uint32_t ssa, bool *is_result);
/*
 * The dynamic instruction that an SSA value belongs to; false for a register at the window's start.
 */
bool why_maker(const struct why_walk *w, uint32_t ssa, size_t *dyn);
uint64_t why_address(const struct why_walk *w, const struct memdep_access *access);
/* A chain rests on this, with what it says of it: once for each. */
void why_rests_on(struct why_walk *w, const char *format, ...) PRINTF_LIKE(2, 3);

/* What lies where an assumption says that no store of unknown address hits, and the assumption. */
const char *why_apart_text(enum memdep_apart apart);
const char *why_apart_name(enum memdep_apart apart);

/* Where a value is looked for: an SSA value, or a granule at a dynamic instruction. */
void why_known_ssa(struct why_walk *w, uint32_t ssa, uint64_t wanted);
/* The same for a side of a memory version, and for the fact that the solver could not take.
 */
void why_known_side(struct why_walk *w, uint32_t version, bool is_after, uint64_t wanted);
void why_known_misfit(struct why_walk *w);
/* "from here to ... nothing writes": a memory version and the next of its granule, or MEMDEP_NONE.
 */
void why_say_memdep(struct why_walk *w, uint32_t first, uint32_t second);
void why_known_granule(struct why_walk *w, size_t dyn, uint64_t address, uint64_t wanted);
void why_unknown_register(struct why_walk *w, size_t dyn, unsigned int reg);
void why_unknown_granule(struct why_walk *w, size_t dyn, uint64_t address, uint64_t wanted);

/* A line for each assumption that is off under which what is not known is; why_if.c. */
void why_if(struct values *values, uint64_t position, const struct why_subject *subject,
            struct text *out);

/* The two provenances that disagree in the window; why_conflict.c. */
void why_conflict(struct why_walk *w);
/* The same in two lines: what is said, and what that rests on. */
void why_conflict_short(struct why_walk *w);

#endif
