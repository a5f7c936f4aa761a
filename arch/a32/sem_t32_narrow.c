/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32 opcodes of 16 bits: their operands, for the functions of sem_a32_expand.h. Arm ARM DDI 0487
 * F3.1.2. Data processing sets the flags outside of IT blocks alone.
 */
#include "arch/a32/sem_t32_expand.h"

static unsigned int low_register(const struct arm *s, unsigned int low)
{
	return arm_bits(s, low, 3);
}

static struct arm_data data_of(const struct arm *s, enum arm_data_op op, unsigned int rd,
                               unsigned int rn)
{
	return (struct arm_data){.op = op, .rd = rd, .rn = rn, .sets_flags = !s->in_it};
}

static struct arm_operand plain(unsigned int slot)
{
	return (struct arm_operand){slot, SLOT_NONE};
}

/* ADD, SUB of a register or three bits */
void t16_add_sub(struct arm *s, unsigned int arg)
{
	unsigned int m = low_register(s, 6);

	(void)arg;
	arm_data(s,
	         data_of(s, arm_bit(s, 9) ? DATA_SUB : DATA_ADD, low_register(s, 0),
	                 low_register(s, 3)),
	         arm_bit(s, 10) ? arm_immediate(s, m) : plain(m));
}

/* LSL, LSR, ASR by an immediate */
void t16_shift(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_data(s, data_of(s, DATA_MOV, low_register(s, 0), SLOT_ZERO),
	         arm_shifted(s, low_register(s, 3), (enum arm_shift)arm_bits(s, 11, 2),
	                     arm_bits(s, 6, 5)));
}

/* MOV, CMP, ADD, SUB of eight bits */
void t16_immediate(struct arm *s, unsigned int arg)
{
	static const uint8_t ops[] = {DATA_MOV, DATA_CMP, DATA_ADD, DATA_SUB};
	unsigned int rd = low_register(s, 8);
	struct arm_data data = data_of(s, (enum arm_data_op)ops[arm_bits(s, 11, 2)], rd, rd);

	(void)arg;
	if (data.op == DATA_CMP)
		data.sets_flags = true;
	arm_data(s, data, arm_immediate(s, arm_bits(s, 0, 8)));
}

enum { SHIFT_ROW = 0x20, NEGATE_ROW = 0x40, MULTIPLY_ROW = 0x80 };

static const uint8_t data_ops[16] = {
        DATA_AND,
        DATA_EOR,
        SHIFT_ROW | ARM_LSL,
        SHIFT_ROW | ARM_LSR,
        SHIFT_ROW | ARM_ASR,
        DATA_ADC,
        DATA_SBC,
        SHIFT_ROW | ARM_ROR,
        DATA_TST,
        NEGATE_ROW,
        DATA_CMP,
        DATA_CMN,
        DATA_ORR,
        MULTIPLY_ROW,
        DATA_BIC,
        DATA_MVN,
};

/* Data processing of two registers */
void t16_data(struct arm *s, unsigned int arg)
{
	unsigned int op = data_ops[arm_bits(s, 6, 4)];
	unsigned int rd = low_register(s, 0);
	unsigned int rm = low_register(s, 3);
	struct arm_data data = data_of(s, (enum arm_data_op)op, rd, rd);

	(void)arg;
	if (op == MULTIPLY_ROW) {
		arm_multiply(s, rd, uop_make(s->b, UOP_MUL, 32, rd, rm), SLOT_NONE, !s->in_it);
	} else if (op == NEGATE_ROW) {
		data.op = DATA_RSB;
		data.rn = rm;
		arm_data(s, data, arm_immediate(s, 0));
	} else if ((op & SHIFT_ROW) != 0) {
		data.op = DATA_MOV;
		arm_data(s, data,
		         arm_shifted_by(s, rd, (enum arm_shift)(op & 3), rm, data.sets_flags));
	} else {
		if (op == DATA_TST || op == DATA_CMP || op == DATA_CMN)
			data.sets_flags = true;
		arm_data(s, data, plain(rm));
	}
}

/* ADD, CMP, MOV of any registers; of these CMP alone sets flags */
void t16_high(struct arm *s, unsigned int op)
{
	unsigned int rd = arm_bits(s, 7, 1) << 3 | arm_bits(s, 0, 3);
	struct arm_data data = {.op = (enum arm_data_op)op,
	                        .rd = rd,
	                        .rn = arm_r(s, rd),
	                        .sets_flags = op == DATA_CMP};

	if (op == DATA_CMP && (rd == ARM_PC || arm_bits(s, 3, 4) == ARM_PC)) {
		arm_reject(s);
		return;
	}
	arm_data(s, data, plain(arm_r(s, arm_bits(s, 3, 4))));
}

static void transfer(struct arm *s, unsigned int rn, uint32_t offset, struct arm_transfer t)
{
	struct arm_address a = {
	        .rn = rn, .index = SLOT_NONE, .immediate = offset, .adds = true, .is_before = true};

	arm_transfer(s, &t, &a);
}

void t16_literal(struct arm *s, unsigned int arg)
{
	(void)arg;
	transfer(s, ARM_PC, 4 * arm_bits(s, 0, 8),
	         (struct arm_transfer){.rt = low_register(s, 8), .bytes = 4, .is_load = true});
}

/* STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH with a register as offset */
void t16_single_register(struct arm *s, unsigned int arg)
{
	static const uint8_t bytes[] = {4, 2, 1, 1, 4, 2, 1, 2};
	unsigned int kind = arm_bits(s, 9, 3);
	struct arm_transfer t = {.rt = low_register(s, 0),
	                         .bytes = bytes[kind],
	                         .is_load = kind >= 3,
	                         .is_signed = kind == 3 || kind == 7};
	struct arm_address a = {.rn = low_register(s, 3),
	                        .index = low_register(s, 6),
	                        .adds = true,
	                        .is_before = true};

	(void)arg;
	arm_transfer(s, &t, &a);
}

/* With an offset of five times `bytes`, which is 1 or 4 by the opcode if not given. */
void t16_single(struct arm *s, unsigned int bytes)
{
	if (bytes == 0)
		bytes = arm_bit(s, 12) ? 1 : 4;
	transfer(s, low_register(s, 3), bytes * arm_bits(s, 6, 5),
	         (struct arm_transfer){
	                 .rt = low_register(s, 0), .bytes = bytes, .is_load = arm_bit(s, 11)});
}

void t16_single_sp(struct arm *s, unsigned int arg)
{
	(void)arg;
	transfer(s, ARM_SP, 4 * arm_bits(s, 0, 8),
	         (struct arm_transfer){
	                 .rt = low_register(s, 8), .bytes = 4, .is_load = arm_bit(s, 11)});
}

/* ADR and ADD of SP */
void t16_address(struct arm *s, unsigned int rn)
{
	uint32_t offset = 4 * arm_bits(s, 0, 8);

	if (rn == ARM_PC)
		arm_set(s, low_register(s, 8), arm_constant(s, (s->pc & ~UINT32_C(3)) + offset));
	else
		arm_set(s, low_register(s, 8),
		        uop_sum(s->b, 32, rn, arm_constant(s, offset), false));
}

void t16_adjust_sp(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_define(
	        s->b, ARM_SP,
	        uop_sum(s->b, 32, ARM_SP, arm_constant(s, 4 * arm_bits(s, 0, 7)), arm_bit(s, 7)));
}

void t16_compare_branch(struct arm *s, unsigned int arg)
{
	unsigned int is_zero = uop_equal(s->b, 32, low_register(s, 0), SLOT_ZERO);
	uint32_t offset = arm_bits(s, 9, 1) << 6 | arm_bits(s, 3, 5) << 1;

	(void)arg;
	s->b->insn.branch = (struct uop_branch){.kind = BRANCH_CONDITIONAL,
	                                        .slot = (uint8_t)is_zero,
	                                        .taken_value = !arm_bit(s, 11),
	                                        .when = SLOT_NONE,
	                                        .target = s->pc + offset};
	if (s->in_it)
		arm_reject(s);
}

/* SXTH, SXTB, UXTH, UXTB */
void t16_extend(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {3, 2, 7, 6};

	(void)arg;
	arm_extend(s, kinds[arm_bits(s, 6, 2)], low_register(s, 0), ARM_PC, low_register(s, 3), 0);
}

void t16_push(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = {.rn = ARM_SP,
	                         .list = arm_bits(s, 0, 8) | arm_bits(s, 8, 1) << ARM_LR,
	                         .is_before = true,
	                         .writes_back = true};

	(void)arg;
	arm_multiple(s, &m);
}

void t16_pop(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = {.rn = ARM_SP,
	                         .list = arm_bits(s, 0, 8) | arm_bits(s, 8, 1) << ARM_PC,
	                         .is_load = true,
	                         .is_up = true,
	                         .writes_back = true};

	(void)arg;
	arm_multiple(s, &m);
}

/* A base that LDM loads is not written back to. */
void t16_multiple(struct arm *s, unsigned int arg)
{
	unsigned int rn = low_register(s, 8);
	struct arm_multiple m = {
	        .rn = rn, .list = arm_bits(s, 0, 8), .is_load = arm_bit(s, 11), .is_up = true};

	(void)arg;
	m.writes_back = !m.is_load || (m.list >> rn & 1) == 0;
	arm_multiple(s, &m);
}

/* REV, REV16, REVSH; 2 is HLT */
void t16_reverse(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {REVERSE_BYTES, REVERSE_HALVES, 0, REVERSE_SIGNED};
	unsigned int kind = arm_bits(s, 6, 2);

	(void)arg;
	if (kind == 2)
		arm_exception(s, 0);
	else
		arm_reverse(s, (enum arm_reverse)kinds[kind], low_register(s, 0),
		            low_register(s, 3));
}

void t16_branch(struct arm *s, unsigned int is_conditional)
{
	unsigned int width = is_conditional != 0 ? 8 : 11;
	uint32_t sign = UINT32_C(1) << width;
	uint32_t offset = ((arm_bits(s, 0, width) << 1) ^ sign) - sign;

	arm_branch_to(s, s->pc + offset);
	if (is_conditional == 0)
		return;
	if (s->in_it) {
		arm_reject(s);
		return;
	}
	s->b->insn.branch.kind = BRANCH_CONDITIONAL;
	s->b->insn.branch.taken_value = 1;
	s->b->insn.branch.slot = (uint8_t)uop_condition(s->b, arm_bits(s, 8, 4));
}
