/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an ETM sees of an A64 instruction: branches and ISB. Opcode and address in, kind and target
 * out. Arm ARM DDI 0487 C4.1 (branches, exception generating and system instructions).
 */
#ifndef CSREPLAY_TESTS_SYNTH_A64_BRANCH_H
#define CSREPLAY_TESTS_SYNTH_A64_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

enum a64_flow {
	FLOW_NONE,     /* traced by no atom */
	FLOW_DIRECT,   /* the target is in the opcode */
	FLOW_INDIRECT, /* the target is in a register */
	FLOW_BARRIER,  /* ISB: an atom E, and on to the next instruction */
};

struct a64_branch {
	enum a64_flow flow;
	bool is_conditional;
	bool is_link;
	uint64_t target; /* valid if FLOW_DIRECT */
};

struct a64_branch a64_branch_of(uint32_t opcode, uint64_t address);

#endif
