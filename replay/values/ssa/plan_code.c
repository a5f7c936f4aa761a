/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes by instruction set; see plan_code.h. */
#include "replay/values/ssa/plan_code.h"

#include "arch/a32/a32.h"
#include "arch/isa.h"

struct opcode_set {
	uint32_t mask;
	uint32_t match;
};

/* IC IALLUIS, IC IALLU, IC IVAU */
static const struct opcode_set a64_icache[] = {
        {0xfff8f0e0, 0xd5087000},
        {0xffffffe0, 0xd50b7520},
};
/* MCR p15: ICIALLUIS and BPIALLIS, ICIALLU, ICIMVAU and kin; of A32 and T32 */
static const struct opcode_set arm_icache[] = {
        {0x0fff0f1f, 0x0e070f11},
        {0x0fff0f1f, 0x0e070f15},
};
/* SETEND; the bit behind the second mask is the new E */
static const struct opcode_set a32_setend = {0xfffffdff, 0xf1010000};
static const struct opcode_set t32_setend = {0xfffffff7, 0x0000b650};

static bool is_in(const struct opcode_set *set, uint32_t opcode)
{
	return (opcode & set->mask) == set->match;
}

uint8_t plan_size(const struct memmap *memory, const struct plan *plan)
{
	uint8_t b[2];

	if (plan->isa != ISA_T32 ||
	    memmap_read(memory, (enum space)plan->space, plan->address, b, 2) != 2)
		return 4;
	return (uint8_t)insn_t32_size((uint32_t)b[0] | (uint32_t)b[1] << 8);
}

bool plan_read_opcode(const struct memmap *memory, struct plan *plan)
{
	uint8_t b[4] = {0};
	uint32_t low;
	uint32_t high;

	if (memmap_read(memory, (enum space)plan->space, plan->address, b, plan->size) !=
	    plan->size)
		return false;
	low = (uint32_t)b[0] | (uint32_t)b[1] << 8;
	high = (uint32_t)b[2] | (uint32_t)b[3] << 8;
	plan->opcode =
	        plan->isa == ISA_T32 && plan->size == 4 ? low << 16 | high : high << 16 | low;
	return true;
}

bool plan_maintains_icache(enum isa isa, unsigned int size, uint32_t opcode)
{
	const struct opcode_set *sets = isa == ISA_A64 ? a64_icache : arm_icache;

	return size == 4 && (is_in(&sets[0], opcode) || is_in(&sets[1], opcode));
}

static void expand_arm(struct plan *plan, struct uop_builder *b)
{
	bool is_t32 = plan->isa == ISA_T32;
	const struct opcode_set *setend = is_t32 ? &t32_setend : &a32_setend;

	if (is_t32)
		sem_t32(plan->opcode, (uint32_t)plan->address, plan->it, b);
	else
		sem_a32(plan->opcode, (uint32_t)plan->address, b);
	plan->sets_endian = is_in(setend, plan->opcode);
	plan->is_big_endian = plan->sets_endian && (plan->opcode & ~setend->mask) != 0;
}

void plan_code(const struct memmap *memory, struct plan *plan, struct uop_builder *b)
{
	bool has_opcode = plan_read_opcode(memory, plan);

	plan->maintains_icache =
	        has_opcode && plan_maintains_icache((enum isa)plan->isa, plan->size, plan->opcode);
	if (has_opcode && plan->isa == ISA_A64) {
		sem_a64(plan->opcode, plan->address, b);
	} else if (has_opcode && (plan->isa == ISA_A32 || plan->isa == ISA_T32)) {
		expand_arm(plan, b);
	} else {
		uop_begin(b);
		b->insn.flags = UOP_KILLS_ALL;
		uop_finish(b);
	}
}
