/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/why.h: what its files share. A walk has a solved window with its log, and lines
 * that it has written.
 */
#ifndef CSREPLAY_REPLAY_WHY_WALK_H
#define CSREPLAY_REPLAY_WHY_WALK_H

#include "base/text.h"
#include "replay/disasm.h"
#include "replay/solve.h"
#include "snapshot/source_lines.h"

struct why_walk {
	struct solver solver;
	struct derivation log;
	struct disasm *disasm;
	const struct source_lines *source;
	struct text *out;
	unsigned int lines;
	unsigned int lines_most;
	bool is_cut; /* there was more */
};

/* Begins a line of its own; false if there are enough of them. */
bool why_line(struct why_walk *w);
/* The same, with the position of a step, and its instruction or what lies between two. */
bool why_step_line(struct why_walk *w, size_t step);
/* Name of a register of micro-operations, as the user knows it. */
void why_name(const struct why_walk *w, unsigned int reg, struct text *out);
void why_bits(struct bits b, struct text *out);

/* Node of a slot that is a register or a temporary. */
uint32_t why_node(const struct why_walk *w, size_t step, unsigned int slot);
/* The step that a node belongs to; false for a register at the window's begin. */
bool why_maker(const struct why_walk *w, uint32_t node, size_t *step);
/* A register that has this node behind the window's last step, or REG_COUNT. */
unsigned int why_halt_register(const struct why_walk *w, uint32_t node);
uint64_t why_address(const struct why_walk *w, const struct link_access *access);

/* Where a value is looked for: a node, or a word at a step. */
void why_known_node(struct why_walk *w, uint32_t node, uint64_t wanted);
void why_known_word(struct why_walk *w, size_t step, uint64_t address, uint64_t wanted);
void why_unknown_register(struct why_walk *w, size_t step, unsigned int reg);
void why_unknown_word(struct why_walk *w, size_t step, uint64_t address, uint64_t wanted);

#endif
