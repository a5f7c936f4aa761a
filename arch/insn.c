/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction classes, from the flows of the tables of opcodes; see insn.h. In: an opcode and its
 * address. Out: class and target of a direct branch.
 */
#include "arch/insn.h"

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"

enum {
	COND = 1,
	LINK = 2,
	RETURN = 4,
};

struct flow_class {
	enum insn_class class;
	enum insn_subclass a64;
	enum insn_subclass a32; /* and T32 */
	unsigned int flags;
};

// clang-format off
static const struct flow_class classes[FLOW_RULES] = {
	[FLOW_NONE]             = {INSN_OTHER,           INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_BRANCH]           = {INSN_BRANCH,          INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_BRANCH_IF]        = {INSN_BRANCH,          INSN_SUB_NONE,     INSN_SUB_NONE,           COND},
	[FLOW_CALL]             = {INSN_BRANCH,          INSN_SUB_LINK,     INSN_SUB_LINK,           LINK},
	[FLOW_CALL_EXCHANGE]    = {INSN_BRANCH,          INSN_SUB_LINK,     INSN_SUB_LINK,           LINK},
	[FLOW_INDIRECT]         = {INSN_BRANCH_INDIRECT, INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_INDIRECT_CALL]    = {INSN_BRANCH_INDIRECT, INSN_SUB_LINK,     INSN_SUB_LINK,           LINK},
	[FLOW_RETURN]           = {INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET,  INSN_SUB_V7_IMPLIED_RET, RETURN},
	[FLOW_EXCEPTION_RETURN] = {INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, INSN_SUB_NONE,           RETURN},
	[FLOW_ISB]              = {INSN_ISB,             INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_DSB_DMB]          = {INSN_DSB_DMB,         INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_WFI_WFE]          = {INSN_WFI_WFE,         INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_TSTART]           = {INSN_TSTART,          INSN_SUB_NONE,     INSN_SUB_NONE,           0},
	[FLOW_IT]               = {INSN_OTHER,           INSN_SUB_NONE,     INSN_SUB_NONE,           0},
};
// clang-format on

static bool is_waypoint(enum insn_class class, const struct insn_options *options)
{
	switch (class) {
	case INSN_DSB_DMB:
		return options->dsb_dmb_is_waypoint;
	case INSN_WFI_WFE:
		return options->wfi_wfe_is_branch;
	case INSN_TSTART:
		return options->tstart_is_waypoint;
	case INSN_OTHER:
		return false;
	case INSN_BRANCH:
	case INSN_BRANCH_INDIRECT:
	case INSN_ISB:
		break;
	}
	return true;
}

/* Takes over what the flow says, given what the trace source takes as waypoints. */
static void apply(enum flow flow, const struct insn_options *options, struct insn *insn)
{
	const struct flow_class *of = &classes[flow];

	if (!is_waypoint(of->class, options))
		return;
	insn->class = of->class;
	insn->subclass = insn->next_isa == ISA_A64 ? of->a64 : of->a32;
	insn->is_conditional = insn->is_conditional || (of->flags & COND) != 0;
	insn->is_link = (of->flags & LINK) != 0;
	insn->is_return = (of->flags & RETURN) != 0;
}

void insn_a64_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn)
{
	*insn = (struct insn){.class = INSN_OTHER, .size = 4, .next_isa = ISA_A64};
	if (opcode_may_flow(&a64_opcodes, (struct pattern_key)A64_KEY, opcode))
		apply(flow_a64(opcode, address, &insn->target), options, insn);
}

void insn_a32_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn)
{
	enum flow flow;

	*insn = (struct insn){.class = INSN_OTHER, .size = 4, .next_isa = ISA_A32};
	insn->is_conditional = opcode >> 28 < 0xe;
	if (!opcode_may_flow(&a32_opcodes, (struct pattern_key)A32_KEY, opcode))
		return;
	flow = flow_a32(opcode, (uint32_t)address, &insn->target);
	apply(flow, options, insn);
	if (flow == FLOW_CALL_EXCHANGE)
		insn->next_isa = ISA_T32;
}

static uint32_t halfword_of(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

uint32_t insn_opcode(const uint8_t *bytes, unsigned int size, enum isa isa)
{
	if (size == 2)
		return halfword_of(bytes);
	return isa == ISA_T32 || isa == ISA_TEE ? halfword_of(bytes) << 16 | halfword_of(bytes + 2)
	                                        : halfword_of(bytes + 2) << 16 | halfword_of(bytes);
}

unsigned int insn_t32_size(uint32_t halfword)
{
	return (halfword & 0xf800) >= 0xe800 ? 4 : 2;
}

/* An IT mask's lowest one ends the block: xxx1 is four instructions, 1000 is one. */
static uint8_t it_count(uint32_t opcode)
{
	uint8_t count = 4;

	for (uint32_t mask = opcode; !(mask & 1) && count > 1; mask >>= 1)
		count--;
	return count;
}

void insn_t32_classify(uint32_t opcode, uint64_t address, const struct insn_options *options,
                       struct insn *insn)
{
	enum flow flow;

	*insn = (struct insn){.class = INSN_OTHER, .next_isa = ISA_T32};
	insn->size = (uint8_t)insn_t32_size(opcode <= 0xffff ? opcode : opcode >> 16);
	if (!opcode_may_flow(&t32_opcodes, (struct pattern_key)T32_KEY, opcode))
		return;
	flow = flow_t32(opcode, (uint32_t)address, &insn->target);
	apply(flow, options, insn);
	if (flow == FLOW_IT)
		insn->it_count = it_count(opcode);
	if (flow == FLOW_CALL_EXCHANGE)
		insn->next_isa = ISA_A32;
}

bool insn_classify(enum isa isa, uint32_t opcode, uint64_t address,
                   const struct insn_options *options, struct insn *insn)
{
	switch (isa) {
	case ISA_A64:
		insn_a64_classify(opcode, address, options, insn);
		return true;
	case ISA_A32:
		insn_a32_classify(opcode, address, options, insn);
		return true;
	case ISA_T32:
	case ISA_TEE:
		insn_t32_classify(opcode, address, options, insn);
		return true;
	case ISA_JAZELLE:
	case ISA_UNKNOWN:
		break;
	}
	return false;
}

bool insn_must_branch(enum isa isa, uint32_t opcode, const struct insn *insn)
{
	if (insn->class != INSN_BRANCH && insn->class != INSN_BRANCH_INDIRECT)
		return false;
	if (isa == ISA_A64)
		return insn->class == INSN_BRANCH_INDIRECT || (opcode & 0x7c000000) == 0x14000000;
	return isa == ISA_A32 && !insn->is_conditional;
}
