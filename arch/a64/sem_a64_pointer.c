/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 arithmetic on pointers that carry an authentication code or a tag (FEAT_PAuth, FEAT_MTE) as
 * micro-operations: Arm ARM C6.2. Codes and tags are drawn from what no trace shows: bits in their
 * place are unknown.
 */
#include "arch/a64/sem_a64_expand.h"

/* ADDG, SUBG: the tag in bits 59..56 is drawn by rules that depend on system registers. */
void sem_add_tag(struct sem *s, unsigned int arg)
{
	struct uop low = {.op = UOP_LOW, .width = 64, .b = SLOT_NONE, .c = SLOT_NONE, .count = 56};

	(void)arg;
	low.a = (uint8_t)uop_sum(s->b, 64, FIELD(s, Rn),
	                         uop_constant(s->b, (uint64_t)FIELD(s, imm6) * 16), FLAG(s, op));
	uop_define(s->b, FIELD(s, Rd), uop_emit(s->b, low));
}

/* PAC*, AUT*, XPAC* on Rd: what lies below the authentication code stays. */
void sem_x_low(struct sem *s, unsigned int bits)
{
	unsigned int rd = FIELD(s, Rd);

	uop_use(s->b, sem_x(FIELD(s, Rn))); /* the modifier, where there is one */
	sem_set_x(s, rd,
	          uop_emit(s->b, (struct uop){.op = UOP_LOW,
	                                      .width = 64,
	                                      .a = (uint8_t)sem_x(FIELD(s, Rd)),
	                                      .b = SLOT_NONE,
	                                      .c = SLOT_NONE,
	                                      .count = (uint8_t)bits}));
}

/* SUBP, SUBPS: the difference of two addresses without their tags. */
void sem_subp(struct sem *s, unsigned int arg)
{
	struct bits_field address = {0, 56, 0};
	unsigned int a = uop_field(s->b, UOP_SIGNED, 64, FIELD(s, Rn), address);
	unsigned int second = uop_field(s->b, UOP_SIGNED, 64, FIELD(s, Rm), address);
	unsigned int rd = sem_x(FIELD(s, Rd));

	(void)arg;
	if (rd != SLOT_ZERO)
		uop_define(s->b, rd, uop_sum(s->b, 64, a, second, true));
	if (FLAG(s, S))
		uop_define(s->b, REG_NZCV,
		           uop_emit(s->b, (struct uop){.op = UOP_SUB_FLAGS,
		                                       .width = 16,
		                                       .size = 64,
		                                       .a = (uint8_t)a,
		                                       .b = (uint8_t)second,
		                                       .c = (uint8_t)uop_constant(s->b, 1)}));
}

/* IRG: a random tag; number 31 is SP on both sides. */
void sem_irg(struct sem *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, sem_x(FIELD(s, Rm)));
	uop_define(s->b, FIELD(s, Rd),
	           uop_emit(s->b, (struct uop){.op = UOP_LOW,
	                                       .width = 64,
	                                       .a = (uint8_t)FIELD(s, Rn),
	                                       .b = SLOT_NONE,
	                                       .c = SLOT_NONE,
	                                       .count = 56}));
}
