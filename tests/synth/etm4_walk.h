/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an ETMv4 would have traced: executed instructions in, trace packets out. The walk is told
 * the address of every instruction executed and what happened between them; it reads the opcodes,
 * decides which instructions are atoms, and keeps the address history and return stack that a
 * decoder will keep. IHI 0064 chapters 4 (tracing) and 5 (compression).
 *
 * An instruction is resolved only when the address after it is known: by the next step, or by
 * what ends the stretch. Instructions after the last branch of a stretch are in the trace only
 * if an exception's return address says so.
 *
 * With speculation the core now and then runs down a wrong path or predicts a branch wrongly, as a
 * fixed sequence of random numbers says, and the trace unit takes back what it has said.
 */
#ifndef CSREPLAY_TESTS_SYNTH_ETM4_WALK_H
#define CSREPLAY_TESTS_SYNTH_ETM4_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tests/synth/a64_branch.h"
#include "tests/synth/buf.h"
#include "tests/synth/etm4_emit.h"

struct code {
	uint64_t address;
	const uint8_t *data;
	size_t size;
};

struct walk_options {
	unsigned int return_stack;    /* its depth, 0 to WALK_STACK_MOST */
	unsigned int sync_bytes;      /* bytes of trace between two synchronisations; 0: one only */
	unsigned int timestamp_every; /* instructions; 0: no timestamps */
	unsigned int cycles_every;    /* instructions; 0: no cycle counts */
	unsigned int speculation;     /* P0 elements that await their commit at most; 0: none */
	bool commit_by_cycles;        /* cycle count packets carry a commit */
	bool branch_broadcast;        /* the targets of direct branches too */
	struct emit_context context;
};

enum { WALK_STACK_MOST = 16, WALK_HISTORY = 3, WALK_ATOMS_MOST = 24 };

/* What must be said before the next instruction. */
enum walk_pending {
	PENDING_NOTHING,
	PENDING_SYNC,     /* the start, or after an overflow: everything */
	PENDING_TRACE_ON, /* after a gap */
	PENDING_ADDRESS,  /* after an exception */
};

struct walk_state {
	struct buf *out;
	const struct code *code;
	size_t code_count;
	struct walk_options options;
	enum walk_pending pending;
	bool in_trace; /* an A-Sync was written */
	bool has_last; /* `last` was executed and is not resolved */
	uint64_t last;
	struct a64_branch last_branch;
	uint64_t atoms;
	unsigned int atom_count;
	uint64_t history[WALK_HISTORY]; /* newest first */
	uint64_t stack[WALK_STACK_MOST];
	unsigned int stack_depth;
	uint64_t executed;
	uint64_t idle; /* instructions that would have fitted into the time it waited */
	uint64_t time; /* as last written */
	uint64_t next_time;
	uint64_t next_cycles;
	uint64_t counted;         /* instructions that cycle counts account for */
	size_t synced_at;         /* size of `out` */
	unsigned int uncommitted; /* P0 elements */
	uint32_t random;          /* decides about speculation */
	bool context_dirty;       /* to be written before the next instruction */
};

void walk_init(struct walk_state *w, struct buf *out, const struct code *code, size_t code_count,
               const struct walk_options *options);

/* The instruction at `pc` is executed next. NO_MEMORY_AT if no code is there. */
MUST_USE enum status walk_step(struct walk_state *w, uint64_t pc);

/*
 * An exception: instead of the instruction at `return_address` the handler is executed next, if
 * that is traced (walk_step), or nothing that is traced (walk_gap).
 */
void walk_exception(struct walk_state *w, unsigned int type, uint64_t return_address);

/* Tracing stops, `next` being the address after the last step, and goes on with the next step. */
void walk_gap(struct walk_state *w, uint64_t next);
/* The same because bytes were lost, or because the trace unit was told to discard. */
void walk_overflow(struct walk_state *w, uint64_t next);
void walk_discard(struct walk_state *w, uint64_t next);

/* The core waits, for as long as `count` instructions take. */
void walk_idle(struct walk_state *w, uint64_t count);

/* From the next instruction on. */
void walk_context(struct walk_state *w, const struct emit_context *context);

/* A trigger's event, at this place. */
void walk_event(struct walk_state *w, unsigned int events);

/* The buffer ends: the last instruction, and what lies after the last branch, stay untold. */
void walk_end(struct walk_state *w);

#endif
