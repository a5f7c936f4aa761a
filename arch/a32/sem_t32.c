/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32 opcodes to micro-operations, by the table sem_t32.def; see a32.h. Here is data processing
 * of 32 bits: its operands, for the functions of sem_a32_expand.h. Arm ARM DDI 0487 F3.1.3.
 */
#include "arch/a32/a32.h"

#include "arch/a32/flow.h"
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
	unsigned int op = data_ops[FIELD(s, opcode)];
	unsigned int rd = FIELD(s, Rd);
	unsigned int rn = FIELD(s, Rn);

	*data = (struct arm_data){
	        .op = (enum arm_data_op)op, .rd = rd, .rn = rn, .sets_flags = FLAG(s, S)};
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
	bool is_tb = FIELD(s, type) >> 1 != 0;
	struct arm_operand second =
	        arm_shifted(s, FIELD(s, Rm), is_tb ? ARM_ASR : ARM_LSL, FIELD(s, imm5));

	if (is_special(FIELD(s, Rm)) || is_special(FIELD(s, Rd)) || is_special(FIELD(s, Rn)) ||
	    FLAG(s, S) || FIELD(s, type) % 2 != 0)
		opcode_reject(&s->opcode);
	else
		arm_pack_halves(s, FIELD(s, Rd), FIELD(s, Rn), second.slot, is_tb);
}

void t32_data_shifted(struct arm *s, unsigned int arg)
{
	struct arm_data data;
	bool moves;

	(void)arg;
	if (data_ops[FIELD(s, opcode)] == OP_PACK) {
		pack_halves(s);
		return;
	}
	if (!decode_data(s, &data)) {
		opcode_reject(&s->opcode);
		return;
	}
	moves = data.op == DATA_MOV && FIELD(s, type) == 0 && FIELD(s, imm5) == 0;
	if (FIELD(s, Rm) == ARM_PC || (FIELD(s, Rm) == ARM_SP && !moves)) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_data(s, data,
	         arm_shifted(s, FIELD(s, Rm), (enum arm_shift)FIELD(s, type), FIELD(s, imm5)));
}

/* A byte repeated, or eight bits of which the first is set rotated, whose top bit is the carry. */
static struct arm_operand expand_immediate(struct arm *s)
{
	static const uint32_t patterns[] = {0x00000001, 0x00010001, 0x01000100, 0x01010101};
	unsigned int imm12 = FIELD(s, imm12);
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
		opcode_reject(&s->opcode);
}

void t32_adr(struct arm *s, unsigned int arg)
{
	uint32_t base = s->pc & ~UINT32_C(3);
	uint32_t offset = FIELD(s, imm12);

	(void)arg;
	if (FLAG(s, o1) != FLAG(s, o2))
		opcode_reject(&s->opcode);
	arm_set(s, FIELD(s, Rd), arm_constant(s, FLAG(s, o2) ? base - offset : base + offset));
}

void t32_add_wide(struct arm *s, unsigned int subtracts)
{
	arm_set(s, FIELD(s, Rd),
	        uop_sum(s->b, 32, FIELD(s, Rn), arm_constant(s, FIELD(s, imm12)), subtracts != 0));
}

void t32_move_wide(struct arm *s, unsigned int is_top)
{
	uint32_t value = FIELD(s, imm4) << 12 | FIELD(s, imm12);

	if (is_top != 0)
		arm_move_top(s, FIELD(s, Rd), value);
	else
		arm_set(s, FIELD(s, Rd), arm_constant(s, value));
}

void t32_saturate(struct arm *s, unsigned int arg)
{
	bool is_halves = FLAG(s, sh) && FIELD(s, lsb) == 0; /* SSAT16, USAT16 */

	(void)arg;
	if (is_special(FIELD(s, Rn)) || FLAG(s, i) || (is_halves && FIELD(s, widthm1) >= 16))
		opcode_reject(&s->opcode);
	else if (is_halves)
		arm_saturate_halves(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, widthm1) + !FLAG(s, U),
		                    FLAG(s, U));
	else
		arm_saturate(
		        s, FIELD(s, Rd),
		        arm_shifted(s, FIELD(s, Rn), FLAG(s, sh) ? ARM_ASR : ARM_LSL, FIELD(s, lsb))
		                .slot,
		        FIELD(s, widthm1) + !FLAG(s, U), FLAG(s, U));
}

void t32_extract(struct arm *s, unsigned int op)
{
	arm_bit_field(s, (enum uop_op)op, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, lsb),
	              FIELD(s, widthm1) + 1);
}

/* BFI; BFC has 15 as its source */
void t32_insert(struct arm *s, unsigned int arg)
{
	unsigned int lsb = FIELD(s, lsb);
	unsigned int msb = FIELD(s, msb);
	unsigned int rd = FIELD(s, Rd);

	(void)arg;
	if (msb < lsb || rd == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_set(s, rd,
	        uop_insert(s->b, 32, rd,
	                   FIELD(s, Rn) == 15 ? (unsigned int)SLOT_ZERO : FIELD(s, Rn),
	                   (struct bits_field){0, msb - lsb + 1, lsb}));
}

/* True if a register is SP or PC, which is rejected. */
static bool rejects_special(struct arm *s, unsigned int a, unsigned int second, unsigned int third)
{
	if (!is_special(a) && !is_special(second) && !is_special(third))
		return false;
	opcode_reject(&s->opcode);
	return true;
}

void t32_shift_register(struct arm *s, unsigned int arg)
{
	struct arm_data data = {.op = DATA_MOV, .rd = FIELD(s, Rd), .sets_flags = FLAG(s, S)};

	(void)arg;
	if (!rejects_special(s, FIELD(s, Rs), FIELD(s, Rd), FIELD(s, Rn)))
		arm_data(s, data,
		         arm_shifted_by(s, FIELD(s, Rn), (enum arm_shift)FIELD(s, type),
		                        FIELD(s, Rs), data.sets_flags));
}

/* SXTAH, UXTAH, SXTAB16, UXTAB16, SXTAB, UXTAB; Rn 15: nothing is added */
void t32_extend(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {3, 7, 0, 4, 2, 6, 1, 1};

	(void)arg;
	if (FIELD(s, Rn) == ARM_SP)
		opcode_reject(&s->opcode);
	else
		arm_extend(s, kinds[FIELD(s, opc)], FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm),
		           8 * FIELD(s, rotate));
}

void t32_select(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_select_bytes(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm));
}

/* op2: S, Q, SH, -, U, UQ, UH; opc1: ADD8, ADD16, ASX, -, SUB8, SUB16, SAX */
void t32_parallel(struct arm *s, unsigned int arg)
{
	static const uint8_t subtracts[] = {0, 0, 1, 0, 0xf, 3, 2, 0};
	unsigned int opc1 = FIELD(s, opc1);
	const struct arm_parallel p = {.rd = FIELD(s, Rd),
	                               .rn = FIELD(s, Rn),
	                               .rm = FIELD(s, Rm),
	                               .kind = (enum arm_parallel_kind)((FIELD(s, op2) & 3) + 1),
	                               .is_unsigned = FIELD(s, op2) >> 2 != 0,
	                               .size = (opc1 & 3) == 0 ? 8 : 16,
	                               .subtracts = subtracts[opc1],
	                               .exchanges = (opc1 & 3) == 2};

	(void)arg;
	if ((FIELD(s, op2) & 3) == 3 || (opc1 & 3) == 3)
		opcode_reject(&s->opcode);
	else if (!rejects_special(s, p.rm, p.rd, p.rn))
		arm_parallel(s, &p);
}

void t32_saturating_sum(struct arm *s, unsigned int arg)
{
	const struct arm_saturating sum = {.rd = FIELD(s, Rd),
	                                   .rn = FIELD(s, Rn),
	                                   .rm = FIELD(s, Rm),
	                                   .doubles = FLAG(s, D),
	                                   .subtracts = FLAG(s, S)};

	(void)arg;
	if (!rejects_special(s, sum.rm, sum.rd, sum.rn))
		arm_saturating_sum(s, sum);
}

void t32_reverse(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {REVERSE_BYTES, REVERSE_HALVES, REVERSE_BITS,
	                                REVERSE_SIGNED};

	(void)arg;
	if (FIELD(s, Rm) != FIELD(s, Rn)) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), 0))
		arm_reverse(s, (enum arm_reverse)kinds[FIELD(s, op2)], FIELD(s, Rd), FIELD(s, Rm));
}

void t32_clz(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (FIELD(s, Rm) != FIELD(s, Rn))
		opcode_reject(&s->opcode);
	else if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), 0))
		arm_clz(s, FIELD(s, Rd), FIELD(s, Rm));
}

void t32_crc(struct arm *s, unsigned int arg)
{
	unsigned int size = FIELD(s, sz);

	(void)arg;
	if (size == 3)
		opcode_reject(&s->opcode);
	else if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_crc(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm), 1U << size, FLAG(s, C));
}

/* MUL, MLA; MLS */
void t32_multiply(struct arm *s, unsigned int subtracts)
{
	unsigned int ra = FIELD(s, Ra);
	unsigned int product;

	if (rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		return;
	product = uop_make(s->b, UOP_MUL, 32, FIELD(s, Rn), FIELD(s, Rm));
	if (subtracts != 0)
		arm_set(s, FIELD(s, Rd), uop_sum(s->b, 32, arm_r(s, ra), product, true));
	else
		arm_multiply(s, FIELD(s, Rd), product, ra == ARM_PC ? (unsigned int)SLOT_NONE : ra,
		             false);
	if (ra == ARM_SP || (subtracts != 0 && ra == ARM_PC))
		opcode_reject(&s->opcode);
}

void t32_half(struct arm *s, unsigned int arg)
{
	/* bit 5 says which half of Rn, bit 4 of Rm */
	unsigned int tops = FIELD(s, N) | FIELD(s, M) << 1;

	(void)arg;
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_accumulate(s, FIELD(s, Rd),
		               arm_product_of_halves(s, FIELD(s, Rn), FIELD(s, Rm), tops),
		               FIELD(s, Ra));
}

void t32_word_half(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_accumulate(s, FIELD(s, Rd),
		               arm_product_word_half(s, FIELD(s, Rn), FIELD(s, Rm), FLAG(s, M)),
		               FIELD(s, Ra));
}

void t32_product_top(struct arm *s, unsigned int subtracts)
{
	if (subtracts != 0 && FIELD(s, Ra) == ARM_PC)
		opcode_reject(&s->opcode);
	else if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_product_top(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Ra),
		                subtracts | FIELD(s, R));
}

void t32_two_products(struct arm *s, unsigned int subtracts)
{
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_sum_of_products(
		        s, FIELD(s, Rd),
		        arm_two_products(s, FIELD(s, Rn), FIELD(s, Rm), FLAG(s, M), subtracts != 0),
		        FIELD(s, Ra));
}

void t32_absolute_differences(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_absolute_differences(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Ra));
}

/* kind: bit 0 accumulates, bit 1 signed */
void t32_multiply_long(struct arm *s, unsigned int kind)
{
	struct arm_long product = {.low = FIELD(s, RdLo),
	                           .high = FIELD(s, RdHi),
	                           .rn = FIELD(s, Rn),
	                           .rm = FIELD(s, Rm),
	                           .is_signed = (kind & 2) != 0,
	                           .accumulates = (kind & 1) != 0};

	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, RdHi), FIELD(s, Rn)))
		arm_multiply_long(s, product);
}

void t32_umaal(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, RdHi), FIELD(s, Rn)))
		arm_umaal(s, FIELD(s, RdLo), FIELD(s, RdHi), FIELD(s, Rn), FIELD(s, Rm));
}

void t32_half_long(struct arm *s, unsigned int arg)
{
	unsigned int tops = FIELD(s, N) | FIELD(s, M) << 1;

	(void)arg;
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, RdHi), FIELD(s, Rn)))
		arm_accumulate_long(s, FIELD(s, RdLo), FIELD(s, RdHi),
		                    arm_product_of_halves(s, FIELD(s, Rn), FIELD(s, Rm), tops));
}

void t32_two_products_long(struct arm *s, unsigned int subtracts)
{
	if (!rejects_special(s, FIELD(s, Rm), FIELD(s, RdHi), FIELD(s, Rn)))
		arm_accumulate_long(s, FIELD(s, RdLo), FIELD(s, RdHi),
		                    arm_two_products(s, FIELD(s, Rn), FIELD(s, Rm), FLAG(s, M),
		                                     subtracts != 0));
}

void t32_divide(struct arm *s, unsigned int op)
{
	if (FIELD(s, Ra) != 15)
		opcode_reject(&s->opcode);
	else if (!rejects_special(s, FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn)))
		arm_divide(s, (enum uop_op)op, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm));
}

static const struct opcode_row rows[] = {
#define X(name, pattern, expand, ...) OPCODE_ROW(name, pattern, __VA_ARGS__),
#include "arch/a32/sem_t32.def"
#undef X
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static arm_expand *const expanders[ROWS] = {
#define X(name, pattern, expand, ...) expand,
#include "arch/a32/sem_t32.def"
#undef X
};

static struct pattern patterns[ROWS];
struct opcode_table t32_opcodes = OPCODE_TABLE(rows, patterns, arm_flow_fields, T32_KEY);

void sem_t32(uint32_t opcode, uint32_t address, unsigned int it, struct uop_builder *b)
{
	size_t row = opcode_find(&t32_opcodes, opcode);
	struct arm s = {.b = b,
	                .opcode = {.bits = opcode},
	                .address = address,
	                .pc = address + 4,
	                .is_t32 = true,
	                .in_it = it != SEM_NO_IT};

	if (row == ROWS || it > SEM_NO_IT) {
		arm_run(&s, arm_kill, 0, it);
		return;
	}
	s.opcode.pattern = &patterns[row];
	arm_run(&s, expanders[row], rows[row].argument, it);
}

enum flow flow_t32(uint32_t opcode, uint32_t address, uint64_t *target)
{
	size_t row = opcode_find(&t32_opcodes, opcode);
	enum flow flow = FLOW_NONE;
	uint32_t pc = address + 4;

	if (row < ROWS)
		flow = arm_flow(rows[row].flow, &patterns[row], opcode);
	if (flow == FLOW_CALL_EXCHANGE)
		pc &= ~UINT32_C(3);
	if (flow_is_direct(flow))
		*target = (uint32_t)(pc + t32_branch_offset(&patterns[row], opcode));
	return flow;
}
