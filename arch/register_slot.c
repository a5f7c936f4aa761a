/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of register numbers; see register_slot.h. */
#include "arch/register_slot.h"

struct range {
	uint8_t first; /* register numbers */
	uint8_t last;
	uint8_t slot; /* of the first one */
	uint8_t count;
	uint8_t bits;
};

static const struct range a64_ranges[] = {
        {A64_x0, A64_x30, REG_X0, 1, 64},      {A64_sp, A64_sp, REG_SP, 1, 64},
        {A64_cpsr, A64_cpsr, REG_NZCV, 1, 0},  {A64_v0, A64_v31, REG_V0, 2, 0},
        {A64_fpsr, A64_fpsr, REG_FPSR, 1, 32}, {A64_fpcr, A64_fpcr, REG_FPCR, 1, 32},
};
/* R0 to R12, SP and LR follow each other in both files, as they do in micro-operations. */
static const struct range a32_ranges[] = {
        {A32_r0, A32_lr, REG_X0, 1, 32},
        {A32_cpsr, A32_cpsr, REG_NZCV, 1, 0},
        {A32_d0, A32_d31, REG_V0, 1, 64},
        {A32_fpscr, A32_fpscr, REG_FPSR, 1, 32},
};
static const struct range m_ranges[] = {
        {M_r0, M_lr, REG_X0, 1, 32},
        {M_xpsr, M_xpsr, REG_NZCV, 1, 0},
        {M_d0, M_d15, REG_V0, 1, 64},
        {M_fpscr, M_fpscr, REG_FPSR, 1, 32},
};

static const struct {
	const struct range *ranges;
	size_t count;
} files[] = {
        [CORE_A64] = {a64_ranges, sizeof(a64_ranges) / sizeof(a64_ranges[0])},
        [CORE_A32] = {a32_ranges, sizeof(a32_ranges) / sizeof(a32_ranges[0])},
        [CORE_M] = {m_ranges, sizeof(m_ranges) / sizeof(m_ranges[0])},
};

_Static_assert((int)A32_lr - (int)A32_r0 == 14 && (int)M_lr - (int)M_r0 == 14,
               "SP and LR are after R12");

struct register_slot register_slot_of(enum core_arch arch, unsigned int number)
{
	for (size_t i = 0; i < files[arch].count; i++) {
		const struct range *range = &files[arch].ranges[i];

		if (number >= range->first && number <= range->last)
			return (struct register_slot){
			        .slot = (uint8_t)(range->slot +
			                          (number - range->first) * range->count),
			        .count = range->count,
			        .bits = range->bits,
			        .is_flags = range->slot == REG_NZCV,
			};
	}
	return (struct register_slot){.count = 0};
}
