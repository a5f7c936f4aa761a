/* SPDX-License-Identifier: Apache-2.0 */
/* A64 branches for the trace encoder; see a64_branch.h. */
#include "tests/synth/a64_branch.h"

#include <stddef.h>

struct row {
	uint32_t mask;
	uint32_t match;
	enum a64_flow flow;
	bool is_conditional;
	bool is_link;
	unsigned int bits;  /* of the offset in words, 0 if there is none */
	unsigned int shift; /* of its lowest bit in the opcode */
};

// clang-format off
static const struct row rows[] = {
	{0xfc000000, 0x14000000, FLOW_DIRECT,   false, false, 26, 0}, /* B */
	{0xfc000000, 0x94000000, FLOW_DIRECT,   false, true,  26, 0}, /* BL */
	{0xff000000, 0x54000000, FLOW_DIRECT,   true,  false, 19, 5}, /* B.cond, BC.cond */
	{0x7e000000, 0x34000000, FLOW_DIRECT,   true,  false, 19, 5}, /* CBZ, CBNZ */
	{0x7e000000, 0x36000000, FLOW_DIRECT,   true,  false, 14, 5}, /* TBZ, TBNZ */
	{0xfffffc1f, 0xd61f0000, FLOW_INDIRECT, false, false, 0,  0}, /* BR */
	{0xfffff81f, 0xd61f081f, FLOW_INDIRECT, false, false, 0,  0}, /* BRAAZ, BRABZ */
	{0xfffff800, 0xd71f0800, FLOW_INDIRECT, false, false, 0,  0}, /* BRAA, BRAB */
	{0xfffffc1f, 0xd63f0000, FLOW_INDIRECT, false, true,  0,  0}, /* BLR */
	{0xfffff81f, 0xd63f081f, FLOW_INDIRECT, false, true,  0,  0}, /* BLRAAZ, BLRABZ */
	{0xfffff800, 0xd73f0800, FLOW_INDIRECT, false, true,  0,  0}, /* BLRAA, BLRAB */
	{0xfffffc1f, 0xd65f0000, FLOW_INDIRECT, false, false, 0,  0}, /* RET */
	{0xfffffbff, 0xd65f0bff, FLOW_INDIRECT, false, false, 0,  0}, /* RETAA, RETAB */
	{0xffffffff, 0xd69f03e0, FLOW_INDIRECT, false, false, 0,  0}, /* ERET */
	{0xfffffbff, 0xd69f0bff, FLOW_INDIRECT, false, false, 0,  0}, /* ERETAA, ERETAB */
	{0xfffff0ff, 0xd50330df, FLOW_BARRIER,  false, false, 0,  0}, /* ISB */
};
// clang-format on

static uint64_t offset_of(uint32_t opcode, const struct row *row)
{
	uint64_t sign = UINT64_C(1) << (row->bits - 1);
	uint64_t words = opcode >> row->shift & ((UINT64_C(1) << row->bits) - 1);

	return ((words ^ sign) - sign) * 4;
}

struct a64_branch a64_branch_of(uint32_t opcode, uint64_t address)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if ((opcode & row->mask) != row->match)
			continue;
		return (struct a64_branch){
		        .flow = row->flow,
		        .is_conditional = row->is_conditional,
		        .is_link = row->is_link,
		        .target = row->bits ? address + offset_of(opcode, row) : 0,
		};
	}
	return (struct a64_branch){.flow = FLOW_NONE};
}
