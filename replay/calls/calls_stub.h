/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs of vectors that hand over: in AArch32 each kind of exception has a mode of its own, with a
 * stack of a few words if any, and a kernel as Linux leaves it at once (vector_stub): it notes
 * where the exception was taken, sets SPSR to the mode that it handles all exceptions in, and goes
 * there by a return from an exception. Nobody has returned: what was interrupted is the caller of
 * what goes on, which will return to it.
 *
 * A return to another task is told from that by the code alone: it gives the other task a stack,
 * and so writes SP of some mode, or loads the state that it returns to from memory. A stub does
 * neither, from the vector to the return (Arm ARM G1.9.1: SP is another register in each mode).
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_STUB_H
#define CSREPLAY_REPLAY_CALLS_CALLS_STUB_H

#include <stdbool.h>

#include "decoder/flow/flow.h"
#include "snapshot/memmap.h"

/* What a handler has done so far, or a run does. */
enum stub {
	STUB_UNASKED,
	STUB_NONE,  /* what a stub does not */
	STUB_KEEPS, /* nothing that changes stacks */
	STUB_SETS,  /* the same, and it has set SPSR: to where it returns is for it to say */
};

/* What an instruction does; of A64 STUB_NONE. T32 of 32 bits: first halfword above. */
enum stub stub_of_opcode(enum isa isa, uint32_t opcode);
/* What the run does, with its last instruction. */
enum stub stub_of_run(const struct memmap *memory, const struct basic_block *block);

/* What the two do, one after the other. */
static inline enum stub stub_join(enum stub a, enum stub b)
{
	if (a == STUB_NONE || b == STUB_NONE)
		return STUB_NONE;
	return a == STUB_SETS || b == STUB_SETS ? STUB_SETS : STUB_KEEPS;
}

#endif
