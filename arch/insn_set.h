/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction sets of the Arm architecture, and what an instruction is to the program flow. */
#ifndef CSREPLAY_ARCH_INSN_SET_H
#define CSREPLAY_ARCH_INSN_SET_H

enum isa {
	ISA_UNKNOWN,
	ISA_A64,
	ISA_A32,
	ISA_T32,
	ISA_TEE, /* ThumbEE */
	ISA_JAZELLE,
};

/* What an instruction is to who follows the program: IHI 0064, P0 instructions. */
enum insn_class {
	INSN_OTHER,
	INSN_BRANCH, /* direct: the target is in the opcode */
	INSN_BRANCH_INDIRECT,
	INSN_ISB,
	INSN_DSB_DMB,
	INSN_WFI_WFE,
	INSN_TSTART,
};

enum insn_subclass {
	INSN_SUB_NONE,
	INSN_SUB_LINK, /* branch and link */
	INSN_SUB_A64_RET,
	INSN_SUB_A64_ERET,
	INSN_SUB_V7_IMPLIED_RET,
};

#endif
