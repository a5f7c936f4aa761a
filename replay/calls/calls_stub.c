/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a run keeps all stacks; see calls_stub.h. In: opcodes, as micro-operations. Out: what
 * they may change.
 */
#include "replay/calls/calls_stub.h"

#include "arch/a32/a32.h"
#include "replay/history/history.h"

enum { SP = 13, LR = 14 };

/* R0 to R12, LR, SPSR and flags: all else is SP, or a mode, or says what memory is. */
static bool is_kept(unsigned int changed)
{
	return changed < SP || changed == LR || changed == REG_NZCV || changed == REG_PSTATE ||
	       changed == REG_A32_GE || changed == REG_A32_SPSR;
}

/* A return changes the mode, and with it which registers are in use; but it loads nothing. */
static enum stub stub_of_insn(const struct uop_insn *insn)
{
	enum stub stub = STUB_KEEPS;

	if ((insn->flags & (UOP_KILLS_REGISTERS | UOP_CHANGES_TRANSLATION)) != 0)
		return STUB_NONE;
	if (insn->branch.kind == BRANCH_RETURN)
		return insn->access_count == 0 && insn->when == SLOT_NONE ? STUB_KEEPS : STUB_NONE;
	for (uint8_t i = 0; i < insn->def_count; i++) {
		if (!is_kept(insn->defs[i].reg))
			return STUB_NONE;
		if (insn->defs[i].reg == REG_A32_SPSR && insn->when == SLOT_NONE)
			stub = STUB_SETS;
	}
	return stub;
}

enum stub stub_of_opcode(enum isa isa, uint32_t opcode)
{
	struct uop_builder b;

	if (isa != ISA_A32 && isa != ISA_T32)
		return STUB_NONE;
	/* Where it is does not matter, nor the condition of an IT. */
	if (isa == ISA_A32)
		sem_a32(opcode, 0, &b);
	else
		sem_t32(opcode, 0, SEM_NO_IT, &b);
	return stub_of_insn(&b.insn);
}

enum stub stub_of_run(const struct memmap *memory, const struct basic_block *block)
{
	enum stub stub = STUB_KEEPS;
	struct run_insn insn = run_insn_at(memory, block, 0);

	for (uint32_t i = 0; i < block->walk.count && stub != STUB_NONE; i++) {
		uint32_t opcode;

		if (i > 0)
			insn = run_insn_after(memory, block, insn);
		if (!run_insn_opcode(memory, block, insn, &opcode))
			return STUB_NONE;
		stub = stub_join(stub, stub_of_opcode(block->walk.isa, opcode));
	}
	return stub;
}
