/* SPDX-License-Identifier: Apache-2.0 */
/* Opcodes by instruction set; see template_code.h. */
#include "replay/values/ssa/template_code.h"

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"
#include "arch/isa.h"
#include "replay/values/ssa/m_exception.h"

struct opcode_set {
	uint32_t mask;
	uint32_t match;
};

/* IC IALLUIS, IC IALLU, IC IVAU */
static const struct opcode_set a64_icache[] = {
        {0xfff8f0e0, 0xd5087000},
        {0xffffffe0, 0xd50b7520},
};
/* MCR p15: ICIALLUIS and BPIALLIS, ICIALLU, ICIMVAU and the like; of A32 and T32 */
static const struct opcode_set arm_icache[] = {
        {0x0fff0f1f, 0x0e070f11},
        {0x0fff0f1f, 0x0e070f15},
};
/* SETEND; the bit after the second mask is the new E */
static const struct opcode_set a32_setend = {0xfffffdff, 0xf1010000};
static const struct opcode_set t32_setend = {0xfffffff7, 0x0000b650};
/* MSR of bits 15:8 of CPSR, E among them, which code at PL0 can write, too: A32 of a register and
 * of a constant, T32 */
static const struct opcode_set msr_extension[] = {
        {0x0ff2fff0, 0x0122f000},
        {0x0ff2f000, 0x0322f000},
        {0xfff0f220, 0xf3808200},
};
/* RFE, ERET, LDM (exception return), MOVS PC, LR and the like */
static const struct opcode_set a32_return[] = {
        {0xfe50ffff, 0xf8100a00},
        {0x0fffffff, 0x0160006e},
        {0x0e508000, 0x08508000},
        {0x0c10f000, 0x0010f000},
};
/* SUBS PC, LR or ERET; RFE in two forms */
static const struct opcode_set t32_return[] = {
        {0xffffff00, 0xf3de8f00},
        {0xffd0ffff, 0xe810c000},
        {0xffd0ffff, 0xe990c000},
};

static bool is_in(const struct opcode_set *set, uint32_t opcode)
{
	return (opcode & set->mask) == set->match;
}

uint8_t template_size(const struct memmap *memory, const struct template *template)
{
	uint8_t b[2];

	if (template->isa != ISA_T32 ||
	    memmap_read(memory, template->view, template->address, b, 2) != 2)
		return 4;
	return (uint8_t)insn_t32_size((uint32_t)b[0] | (uint32_t)b[1] << 8);
}

bool template_read_opcode(const struct memmap *memory, struct template *template)
{
	uint8_t b[4] = {0};
	uint32_t low;
	uint32_t high;

	if (memmap_read(memory, template->view, template->address, b, template->size) !=
	    template->size)
		return false;
	low = (uint32_t)b[0] | (uint32_t)b[1] << 8;
	high = (uint32_t)b[2] | (uint32_t)b[3] << 8;
	template->opcode = template->isa == ISA_T32 &&template->size == 4 ? low << 16 | high
	                                                                  : high << 16 | low;
	return true;
}

/* Of A32 more than these, such as CMP with an Rd that it does not have: that costs nothing. */
static bool restores_cpsr(enum isa isa, unsigned int size, uint32_t opcode)
{
	bool is_unconditional = opcode >> 28 == 0xf;

	if (isa == ISA_T32)
		return size == 4 &&
		       (is_in(&t32_return[0], opcode) || is_in(&t32_return[1], opcode) ||
		        is_in(&t32_return[2], opcode));
	if (is_unconditional)
		return is_in(&a32_return[0], opcode);
	return is_in(&a32_return[1], opcode) || is_in(&a32_return[2], opcode) ||
	       is_in(&a32_return[3], opcode);
}

enum data_order template_byte_order(enum isa isa, unsigned int size, uint32_t opcode)
{
	const struct opcode_set *setend = isa == ISA_T32 ? &t32_setend : &a32_setend;
	bool is_msr = isa == ISA_T32 ? size == 4 && is_in(&msr_extension[2], opcode)
	                             : opcode >> 28 != 0xf && (is_in(&msr_extension[0], opcode) ||
	                                                       is_in(&msr_extension[1], opcode));

	if (isa != ISA_A32 && isa != ISA_T32)
		return DATA_ORDER_KEPT;
	if (is_msr)
		return DATA_ORDER_UNKNOWN;
	if (!is_in(setend, opcode))
		return restores_cpsr(isa, size, opcode) ? DATA_ORDER_RESTORED : DATA_ORDER_KEPT;
	return (opcode & ~setend->mask) != 0 ? DATA_ORDER_BIG : DATA_ORDER_LITTLE;
}

bool template_maintains_icache(enum isa isa, unsigned int size, uint32_t opcode)
{
	const struct opcode_set *sets = isa == ISA_A64 ? a64_icache : arm_icache;

	return size == 4 && (is_in(&sets[0], opcode) || is_in(&sets[1], opcode));
}

bool template_is_undefined(enum isa isa, uint32_t opcode)
{
	if (isa == ISA_A64)
		return opcode >> 16 == 0;
	return isa == ISA_A32 && (opcode & 0xfff000f0) == 0xe7f000f0;
}

static void expand_arm(struct template *template, struct uop_builder *b)
{
	bool is_t32 = template->isa == ISA_T32;

	if (is_t32 && template->it == M_IT_AGAIN)
		m_exception_again(template->opcode, b);
	else if (is_t32)
		sem_t32(template->opcode, (uint32_t) template->address, template->it, b);
	else
		sem_a32(template->opcode, (uint32_t) template->address, b);
	template->byte_order = (uint8_t)template_byte_order((enum isa) template->isa,
	                                                    template->size, template->opcode);
}

void template_code(const struct memmap *memory, struct template *template, struct uop_builder *b)
{
	bool has_opcode = template_read_opcode(memory, template);

	template->maintains_icache = has_opcode &&template_maintains_icache(
	        (enum isa) template->isa, template->size, template->opcode);
	if (has_opcode && template->isa == ISA_A64) {
		sem_a64(template->opcode, template->address, b);
	} else if (has_opcode && (template->isa == ISA_A32 || template->isa == ISA_T32)) {
		expand_arm(template, b);
	} else {
		uop_begin(b);
		b->insn.flags = UOP_KILLS_ALL;
		uop_finish(b);
	}
}
