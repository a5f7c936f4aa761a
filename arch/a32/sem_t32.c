/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32 opcodes to micro-operations, by the table sem_t32.def; see sem_a32.h. Here is data processing
 * of 32 bits: its operands, for the functions of sem_a32_expand.h. Arm ARM DDI 0487 F3.1.3.
 */
#include "arch/a32/a32.h"

#include "arch/a32/sem_t32_expand.h"

/* SP and PC as operands are mostly unpredictable, and some such opcodes have other uses. */
static bool is_special(unsigned int n)
{
	return n == ARM_PC || n == ARM_SP;
}

enum {
	OP_NONE = 0xff,
	OP_PACK = 0xfe,
};

/* Bits 24..21 of the opcode. */
static const uint8_t data_ops[16] = {DATA_AND, DATA_BIC, DATA_ORR, DATA_ORN, DATA_EOR, OP_NONE,
                                     OP_PACK,  OP_NONE,  DATA_ADD, OP_NONE,  DATA_ADC, DATA_SBC,
                                     OP_NONE,  DATA_SUB, DATA_RSB, OP_NONE};

/* With 15 as Rd or Rn some operations are others: TST, TEQ, CMN, CMP; MOV, MVN. */
static bool decode_data(struct arm *s, struct arm_data *data)
{
	unsigned int op = data_ops[arm_bits(s, 21, 4)];
	unsigned int rd = at_8(s);
	unsigned int rn = at_16(s);

	*data = (struct arm_data){
	        .op = (enum arm_data_op)op, .rd = rd, .rn = rn, .sets_flags = arm_bit(s, 20)};
	if (op >= OP_PACK)
		return false;
	if (rn == ARM_PC && (op == DATA_ORR || op == DATA_ORN))
		data->op = op == DATA_ORR ? DATA_MOV : DATA_MVN;
	else if (rn == ARM_PC)
		return false;
	if (rd != ARM_PC)
		return true;
	if (!data->sets_flags)
		return false;
	switch (op) {
	case DATA_AND:
		data->op = DATA_TST;
		return true;
	case DATA_EOR:
		data->op = DATA_TEQ;
		return true;
	case DATA_ADD:
		data->op = DATA_CMN;
		return true;
	case DATA_SUB:
		data->op = DATA_CMP;
		return true;
	default:
		return false;
	}
}

static void pack_halves(struct arm *s)
{
	bool is_tb = arm_bit(s, 5);
	struct arm_operand second = arm_shifted(s, at_0(s), is_tb ? ARM_ASR : ARM_LSL,
	                                        arm_bits(s, 12, 3) << 2 | arm_bits(s, 6, 2));

	if (is_special(at_0(s)) || is_special(at_8(s)) || is_special(at_16(s)) || arm_bit(s, 20) ||
	    arm_bit(s, 4))
		arm_reject(s);
	else
		arm_pack_halves(s, at_8(s), at_16(s), second.slot, is_tb);
}

void t32_data_shifted(struct arm *s, unsigned int arg)
{
	struct arm_data data;
	bool moves;

	(void)arg;
	if (data_ops[arm_bits(s, 21, 4)] == OP_PACK) {
		pack_halves(s);
		return;
	}
	if (!decode_data(s, &data)) {
		arm_reject(s);
		return;
	}
	moves = data.op == DATA_MOV && arm_bits(s, 4, 4) == 0 && arm_bits(s, 12, 3) == 0;
	if (at_0(s) == ARM_PC || (at_0(s) == ARM_SP && !moves)) {
		arm_reject(s);
		return;
	}
	arm_data(s, data,
	         arm_shifted(s, at_0(s), (enum arm_shift)arm_bits(s, 4, 2),
	                     arm_bits(s, 12, 3) << 2 | arm_bits(s, 6, 2)));
}

/* i:imm3:imm8 */
static unsigned int immediate_12(const struct arm *s)
{
	return arm_bits(s, 26, 1) << 11 | arm_bits(s, 12, 3) << 8 | arm_bits(s, 0, 8);
}

/* A byte repeated, or eight bits of which the first is set rotated, whose top bit is the carry. */
static struct arm_operand expand_immediate(struct arm *s)
{
	static const uint32_t patterns[] = {0x00000001, 0x00010001, 0x01000100, 0x01010101};
	unsigned int imm12 = immediate_12(s);
	unsigned int rotation = imm12 >> 7;
	uint32_t value = 0x80 | (imm12 & 0x7f);
	struct arm_operand operand;

	if (imm12 >> 10 == 0)
		return arm_immediate(s, (imm12 & 0xff) * patterns[imm12 >> 8]);
	value = value >> rotation | value << (32 - rotation);
	operand = arm_immediate(s, value);
	operand.carry = uop_constant(s->b, value >> 31);
	return operand;
}

void t32_data_immediate(struct arm *s, unsigned int arg)
{
	struct arm_data data;

	(void)arg;
	if (decode_data(s, &data))
		arm_data(s, data, expand_immediate(s));
	else
		arm_reject(s);
}

void t32_adr(struct arm *s, unsigned int arg)
{
	uint32_t base = s->pc & ~UINT32_C(3);
	uint32_t offset = immediate_12(s);

	(void)arg;
	if (arm_bit(s, 23) != arm_bit(s, 21))
		arm_reject(s);
	arm_set(s, at_8(s), arm_constant(s, arm_bit(s, 21) ? base - offset : base + offset));
}

void t32_add_wide(struct arm *s, unsigned int subtracts)
{
	arm_set(s, at_8(s),
	        uop_sum(s->b, 32, at_16(s), arm_constant(s, immediate_12(s)), subtracts != 0));
}

void t32_move_wide(struct arm *s, unsigned int is_top)
{
	uint32_t value = at_16(s) << 12 | immediate_12(s);

	if (is_top != 0)
		arm_move_top(s, at_8(s), value);
	else
		arm_set(s, at_8(s), arm_constant(s, value));
}

void t32_saturate(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (is_special(at_16(s)) || arm_bit(s, 26))
		arm_reject(s);
	else
		arm_opaque(s, at_8(s), at_16(s), at_16(s));
}

void t32_extract(struct arm *s, unsigned int op)
{
	arm_bit_field(s, (enum uop_op)op, at_8(s), at_16(s),
	              arm_bits(s, 12, 3) << 2 | arm_bits(s, 6, 2), arm_bits(s, 0, 5) + 1);
}

/* BFI; BFC has 15 as its source */
void t32_insert(struct arm *s, unsigned int arg)
{
	unsigned int lsb = arm_bits(s, 12, 3) << 2 | arm_bits(s, 6, 2);
	unsigned int msb = arm_bits(s, 0, 5);
	unsigned int rd = at_8(s);

	(void)arg;
	if (msb < lsb || rd == ARM_PC) {
		arm_reject(s);
		return;
	}
	arm_set(s, rd,
	        uop_insert(s->b, 32, rd, at_16(s) == 15 ? (unsigned int)SLOT_ZERO : at_16(s),
	                   (struct bits_field){0, msb - lsb + 1, lsb}));
}

/* True if a register is SP or PC, which is rejected. */
static bool rejects_special(struct arm *s, unsigned int a, unsigned int second, unsigned int third)
{
	if (!is_special(a) && !is_special(second) && !is_special(third))
		return false;
	arm_reject(s);
	return true;
}

void t32_shift_register(struct arm *s, unsigned int arg)
{
	struct arm_data data = {.op = DATA_MOV, .rd = at_8(s), .sets_flags = arm_bit(s, 20)};

	(void)arg;
	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_data(s, data,
		         arm_shifted_by(s, at_16(s), (enum arm_shift)arm_bits(s, 21, 2), at_0(s),
		                        data.sets_flags));
}

/* SXTAH, UXTAH, SXTAB16, UXTAB16, SXTAB, UXTAB; Rn 15: nothing is added */
void t32_extend(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {3, 7, 0, 4, 2, 6, 1, 1};

	(void)arg;
	if (at_16(s) == ARM_SP)
		arm_reject(s);
	else
		arm_extend(s, kinds[arm_bits(s, 20, 3)], at_8(s), at_16(s), at_0(s),
		           8 * arm_bits(s, 4, 2));
}

void t32_opaque(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_opaque(s, at_8(s), at_16(s), at_0(s));
}

void t32_reverse(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {REVERSE_BYTES, REVERSE_HALVES, REVERSE_BITS,
	                                REVERSE_SIGNED};

	(void)arg;
	if (at_0(s) != at_16(s)) {
		arm_reject(s);
		return;
	}
	if (!rejects_special(s, at_0(s), at_8(s), 0))
		arm_reverse(s, (enum arm_reverse)kinds[arm_bits(s, 4, 2)], at_8(s), at_0(s));
}

void t32_clz(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (at_0(s) != at_16(s))
		arm_reject(s);
	else if (!rejects_special(s, at_0(s), at_8(s), 0))
		arm_clz(s, at_8(s), at_0(s));
}

void t32_crc(struct arm *s, unsigned int arg)
{
	unsigned int size = arm_bits(s, 4, 2);

	(void)arg;
	if (size == 3)
		arm_reject(s);
	else if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_crc(s, at_8(s), at_16(s), at_0(s), 1U << size, arm_bit(s, 20));
}

/* MUL, MLA; MLS */
void t32_multiply(struct arm *s, unsigned int subtracts)
{
	unsigned int ra = at_12(s);
	unsigned int product;

	if (rejects_special(s, at_0(s), at_8(s), at_16(s)))
		return;
	product = uop_make(s->b, UOP_MUL, 32, at_16(s), at_0(s));
	if (subtracts != 0)
		arm_set(s, at_8(s), uop_sum(s->b, 32, arm_r(s, ra), product, true));
	else
		arm_multiply(s, at_8(s), product, ra == ARM_PC ? (unsigned int)SLOT_NONE : ra,
		             false);
	if (ra == ARM_SP || (subtracts != 0 && ra == ARM_PC))
		arm_reject(s);
}

void t32_half(struct arm *s, unsigned int arg)
{
	/* bit 5 says which half of Rn, bit 4 of Rm */
	unsigned int tops = arm_bits(s, 5, 1) | arm_bits(s, 4, 1) << 1;

	(void)arg;
	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_accumulate(s, at_8(s), arm_product_of_halves(s, at_16(s), at_0(s), tops),
		               at_12(s));
}

void t32_word_half(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_accumulate(s, at_8(s),
		               arm_product_word_half(s, at_16(s), at_0(s), arm_bit(s, 4)),
		               at_12(s));
}

void t32_product_top(struct arm *s, unsigned int subtracts)
{
	if (subtracts != 0 && at_12(s) == ARM_PC)
		arm_reject(s);
	else if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_product_top(s, at_8(s), at_16(s), at_0(s), at_12(s),
		                subtracts | arm_bits(s, 4, 1));
}

void t32_opaque_product(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, arm_r(s, at_12(s)));
	arm_opaque(s, at_8(s), at_16(s), at_0(s));
}

/* kind: bit 0 accumulates, bit 1 signed */
void t32_multiply_long(struct arm *s, unsigned int kind)
{
	struct arm_long product = {.low = at_12(s),
	                           .high = at_8(s),
	                           .rn = at_16(s),
	                           .rm = at_0(s),
	                           .is_signed = (kind & 2) != 0,
	                           .accumulates = (kind & 1) != 0};

	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_multiply_long(s, product);
}

void t32_umaal(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_umaal(s, at_12(s), at_8(s), at_16(s), at_0(s));
}

void t32_half_long(struct arm *s, unsigned int arg)
{
	unsigned int tops = arm_bits(s, 5, 1) | arm_bits(s, 4, 1) << 1;

	(void)arg;
	if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_accumulate_long(s, at_12(s), at_8(s),
		                    arm_product_of_halves(s, at_16(s), at_0(s), tops));
}

void t32_opaque_long(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, arm_r(s, at_12(s)));
	uop_use(s->b, arm_r(s, at_8(s)));
	arm_set_unknown(s, at_12(s));
	arm_opaque(s, at_8(s), at_16(s), at_0(s));
}

void t32_divide(struct arm *s, unsigned int op)
{
	if (at_12(s) != 15)
		arm_reject(s);
	else if (!rejects_special(s, at_0(s), at_8(s), at_16(s)))
		arm_divide(s, (enum uop_op)op, at_8(s), at_16(s), at_0(s));
}

static const struct arm_row rows[] = {
#define X(name, mask, match, expand, arg) {{#name, mask, match}, expand, arg},
#include "arch/a32/sem_t32.def"
#undef X
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

size_t sem_t32_row_of(uint32_t opcode)
{
	size_t i = 0;

	while (i < ROWS && (opcode & rows[i].info.mask) != rows[i].info.match)
		i++;
	return i;
}

bool sem_t32_row(size_t index, struct sem_row_info *row)
{
	if (index >= ROWS)
		return false;
	*row = rows[index].info;
	return true;
}

void sem_t32(uint32_t opcode, uint32_t address, unsigned int it, struct uop_builder *b)
{
	struct arm s = {.b = b,
	                .opcode = opcode,
	                .address = address,
	                .pc = address + 4,
	                .is_t32 = true,
	                .in_it = it != SEM_NO_IT};
	size_t row = sem_t32_row_of(opcode);

	arm_run(&s, row < ROWS && it <= SEM_NO_IT ? &rows[row] : NULL, it);
}
