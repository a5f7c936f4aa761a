/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over a Tarmac text, one core's part of it: instructions become runs of a history, lines
 * after them entries of logs. Private to tarmac_read.c and the files of
 * pass_parts.h.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_PASS_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_PASS_H

#include "replay/history/history.h"
#include "replay/tarmac/tarmac_store.h"

/* Instructions one after the other, as a trace decoder would give them. */
struct tarmac_run {
	uint64_t start;
	uint64_t end;   /* after the last one */
	uint64_t line;  /* offset of the first one's in the text */
	uint32_t count; /* 0: there is none */
	enum isa isa;
	struct insn last;
	bool is_over;       /* nothing can follow in it */
	bool is_failed;     /* its last instruction failed its condition */
	bool must_be_taken; /* its last is a branch without condition */
	bool branched;      /* a line says that its last branch was taken */
	bool was_left;      /* an exception came after it */
	bool has_left_at;
	uint64_t left_at; /* preferred return address of that */
	uint64_t opcode;  /* of the last one */
	uint64_t loaded;  /* what it read from memory last, zero-extended */
	bool has_loaded;
};

/* What a slot holds now, by bit. */
struct slot_now {
	uint64_t value;
	uint64_t known;
};

/* What is no instruction and no exception, and stands after the run at hand. */
struct tarmac_aside {
	struct str text;
	uint64_t offset;
	bool is_async; /* the exception that it leads to tells as much */
};

/* Where a line says that a branch leads: what the core's next instruction is checked against. */
struct tarmac_way {
	uint64_t address;
	bool is_said;
};

/* A page of more than TARMAC_PAGE_BITS, by an address in it. */
struct tarmac_block {
	uint32_t space; /* of the regime */
	enum tarmac_security security;
	uint8_t order; /* logarithm of its size */
	uint64_t address;
	uint64_t physical;
};

struct tarmac_pass {
	struct tarmac_core *core;
	struct snap_core stand_in; /* for part_init(): its memory is empty */
	struct graph *graph;
	struct part_builder *part;
	struct tarmac_run run;
	struct tarmac_way target;
	bool is_reset;         /* that was the last exception, and no instruction came yet */
	uint64_t astray;       /* instructions that are not where the branch before them leads */
	uint64_t first_astray; /* line of the first one, and the two addresses */
	uint64_t astray_at;
	uint64_t astray_target;
	struct tarmac_aside *asides;
	size_t aside_count;
	size_t aside_capacity;
	struct tarmac_context context;
	uint32_t space; /* of the regime that accesses of the instruction at hand go through */
	struct slot_now now[SLOT_COUNT];
	struct tarmac_block *blocks; /* large pages, as lines said last where they are */
	size_t block_count;
	size_t block_capacity;
};

/* The state that an instruction's line says the core is in. */
enum core_arch tarmac_arch_of(const struct tarmac_instruction *insn);

/* `clock` is the present tick; `memory` the log of all cores, by `frames` that are theirs. */
struct tarmac_tick {
	uint64_t clock;
	bool has_written; /* in this tick */
	struct word_log *memory;
	struct tarmac_frames *frames;
};

/* `arch` is that of lines before the first instruction. NO_MEM. */
MUST_USE enum status tarmac_pass_init(struct tarmac_pass *p, struct tarmac_core *core,
                                      enum core_arch arch);
void tarmac_pass_fini(struct tarmac_pass *p);

/* Takes an event of this core. An instruction's tick has come already. NO_MEM, UNSUPPORTED. */
MUST_USE enum status tarmac_pass_add(struct tarmac_pass *p, const struct tarmac_event *event,
                                     struct tarmac_tick *tick);

/* Ends the history's part; *has_end and *end say where execution goes on. */
MUST_USE enum status tarmac_pass_end(struct tarmac_pass *p, bool *has_end, uint64_t *end);

#endif
