/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The micro-operations of a template (replay/values/ssa/window.h) as the solver runs them: those
 * that relate SSA values, with their operands resolved as far as the template says. In: an
 * instruction, the registers that it reads. Out: operations, and which of them are to be run again
 * when one has changed an SSA value.
 *
 * A load's or store's operation relates nothing but memory (replay/values/solver/memdep.h), and one
 * with an unknown result nothing: what is left of them is that their result is no wider than it
 * says, which is known from the start.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_TEMPLATE_OP_H
#define CSREPLAY_REPLAY_VALUES_SSA_TEMPLATE_OP_H

#include "arch/uop/uop.h"
#include "base/arena.h"

enum operand_kind {
	OPERAND_CONSTANT, /* index in `constants`; also stands for an operand that there is not */
	OPERAND_READ,     /* a register: index in the template's `regs` */
	OPERAND_TEMP,     /* a temporary: its number */
};

enum {
	OPERANDS = 4,            /* dst, a, b, c */
	TEMPLATE_OPS_APART = 64, /* operations from this one on share the last bit of a set */
};

struct operand {
	uint8_t kind; /* enum operand_kind */
	uint8_t index;
};

struct template_op {
	struct uop op;
	struct operand operands[OPERANDS];
	/*
	 * Set of operations that may find something new when this one has changed an SSA value:
	 * those with one of its temporaries, or with a register if it has one, since two registers
	 * may be one SSA value; and itself, unless it finds all that there is to be found at once.
	 */
	uint64_t wakes;
	uint64_t self; /* its own bit, if no other operation has it */
};

/* A temporary of so many bits. */
struct template_narrow {
	uint8_t temp;
	uint8_t width;
};

struct template_ops {
	const struct template_op *ops;
	struct bits *constants; /* the instruction's, and zero after them */
	const struct template_narrow *narrows;
	uint8_t count;
	uint8_t narrow_count;
};

/* `read_of`: index of each register in the template's `regs`. NO_MEM. */
MUST_USE enum status template_ops_make(struct arena *arena, const struct uop_insn *insn,
                                       const uint8_t *read_of, struct template_ops *ops);

/* The set of all operations. */
static inline uint64_t template_ops_all(const struct template_ops *ops)
{
	return ops->count >= TEMPLATE_OPS_APART ? UINT64_MAX : ((uint64_t)1 << ops->count) - 1;
}

#endif
