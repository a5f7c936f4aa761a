/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction classes: what a trace decoder must know of an opcode to follow the program.
 * In: an opcode, its address, what counts as a waypoint. Out: class, target, size.
 * Arm ARM DDI 0487 chapter C4 (A64 encodings); ETMv4 IHI 0064, P0 instructions.
 *
 * The classes are those of OpenCSD 1.8 for the newest architecture. It asks for the core's
 * architecture before it knows the newer opcodes; here they are always known, since a core that
 * lacks them takes an exception in their place and never a trace element's last instruction.
 */
#ifndef CSREPLAY_ARCH_INSN_H
#define CSREPLAY_ARCH_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/insn_set.h"

struct insn {
	enum insn_class class;
	enum insn_subclass subclass;
	uint8_t size;        /* bytes: 2 or 4 */
	bool is_conditional; /* as an element says it; compare-and-branch (CB<cc>) is not */
	bool is_link;        /* writes a return address: pushes onto the return stack */
	bool is_return;      /* RET and the like, ERET */
	enum isa next_isa;   /* of the target; differs from the current one for BLX and the like */
	uint8_t it_count;    /* T32 IT: how many instructions it puts under a condition; else 0 */
	uint64_t target;     /* of a direct branch (INSN_BRANCH) */
};

/* What the trace source treats as waypoints (ETMv4: P0) beside branches. */
struct insn_options {
	bool dsb_dmb_is_waypoint;
	bool wfi_wfe_is_branch;
	bool tstart_is_waypoint; /* ETE with TME */
	bool it_is_conditional;  /* say so of T32 instructions in an IT block; for walks alone */
};

/* Classifies an A64 opcode. An opcode that is none is INSN_OTHER. */
void insn_a64_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn);

/*
 * Classifies an A32 opcode. is_conditional is set for every opcode whose condition is not AL, of
 * whatever class. Targets wrap at 32 bits.
 */
void insn_a32_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn);

/*
 * The opcode of an instruction of `size` bytes, 2 or 4, in memory: little endian, of T32 and T32EE
 * by halfwords with the first in the high half.
 */
uint32_t insn_opcode(const uint8_t *bytes, unsigned int size, enum isa isa);

/* Bytes of the T32 instruction that begins with this halfword: 2 or 4. */
unsigned int insn_t32_size(uint32_t halfword);

/*
 * Classifies a T32 opcode: one halfword, or two with the first in the high half. An instruction
 * in an IT block is classed as outside of one: is_conditional says B<c> and CBZ alone; a
 * walk adds what an IT says, where it_is_conditional asks for it. Targets wrap at 32 bits.
 */
void insn_t32_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn);

/* As the one above that is for this instruction set. False, and nothing is done, if there is none.
 */
bool insn_classify(enum isa isa, uint32_t opcode, uint64_t address,
                   const struct insn_options *options, struct insn *insn);

/*
 * True of a branch, classified as such, that its opcode alone makes taken: an indirect branch, B
 * and BL of A64 (Arm ARM C4.1.66), one of A32 whose condition is AL. Of T32 it never says so: an IT
 * before may put any branch under a condition.
 */
bool insn_must_branch(enum isa isa, uint32_t opcode, const struct insn *insn);

#endif
