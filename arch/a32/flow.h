/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What A32 and T32 instructions are to who follows the program where their row alone does not say
 * it: rules, by which the fields decide, and the offsets of direct branches. Private to a32.
 */
#ifndef CSREPLAY_ARCH_A32_FLOW_H
#define CSREPLAY_ARCH_A32_FLOW_H

#include "arch/pattern/opcode.h"

/* What the flow column of a row can be beside enum flow. */
enum arm_flow_rule {
	ARM_FLOW_RD = FLOW_RULES, /* INDIRECT if Rd is the PC */
	ARM_FLOW_BX,              /* RETURN if Rm is LR, else INDIRECT */
	T32_FLOW_MOV,             /* the two together */
	/* INDIRECT if Rd is the PC; with S EXCEPTION_RETURN; MOV PC, LR is a RETURN. */
	A32_FLOW_DATA,
	A32_FLOW_DATA_IMM,
	/* INDIRECT if the PC is loaded, RETURN if it is popped. */
	A32_FLOW_LOAD,
	T32_FLOW_LOAD,
	A32_FLOW_LIST,
	T32_FLOW_LIST,
	A32_FLOW_LIST_USER, /* EXCEPTION_RETURN if the PC is in the list */
};

/* The opcode's flow, given the flow column and the pattern of its row. */
enum flow arm_flow(unsigned int flow, const struct pattern *pattern, uint32_t opcode);

/* Of each rule, for struct opcode_table. */
extern const enum field arm_flow_fields[];

/* Of a direct branch: how many bytes on it goes from what the PC reads as. */
uint32_t a32_branch_offset(const struct pattern *pattern, uint32_t opcode);
uint32_t t32_branch_offset(const struct pattern *pattern, uint32_t opcode);

#endif
