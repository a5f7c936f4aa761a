/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32 opcodes of 16 bits: their operands, for the functions of sem_a32_expand.h. Arm ARM DDI 0487
 * F3.1.2. Data processing sets the flags outside of IT blocks alone.
 */
#include "arch/a32/flow.h"
#include "arch/a32/sem_t32_expand.h"

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
	unsigned int m = FIELD(s, Rm);

	(void)arg;
	arm_data(s, data_of(s, FLAG(s, op) ? DATA_SUB : DATA_ADD, FIELD(s, Rd), FIELD(s, Rn)),
	         FLAG(s, I) ? arm_immediate(s, m) : plain(m));
}

/* LSL, LSR, ASR by an immediate */
void t16_shift(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_data(s, data_of(s, DATA_MOV, FIELD(s, Rd), SLOT_ZERO),
	         arm_shifted(s, FIELD(s, Rm), (enum arm_shift)FIELD(s, type), FIELD(s, imm5)));
}

/* MOV, CMP, ADD, SUB of eight bits */
void t16_immediate(struct arm *s, unsigned int arg)
{
	static const uint8_t ops[] = {DATA_MOV, DATA_CMP, DATA_ADD, DATA_SUB};
	unsigned int rd = FIELD(s, Rd);
	struct arm_data data = data_of(s, (enum arm_data_op)ops[FIELD(s, opcode)], rd, rd);

	(void)arg;
	if (data.op == DATA_CMP)
		data.sets_flags = true;
	arm_data(s, data, arm_immediate(s, FIELD(s, imm8)));
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
	unsigned int op = data_ops[FIELD(s, opcode)];
	unsigned int rd = FIELD(s, Rd);
	unsigned int rm = FIELD(s, Rm);
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
	unsigned int rd = FIELD(s, Rd);
	struct arm_data data = {.op = (enum arm_data_op)op,
	                        .rd = rd,
	                        .rn = arm_r(s, rd),
	                        .sets_flags = op == DATA_CMP};

	if (op == DATA_CMP && (rd == ARM_PC || FIELD(s, Rm) == ARM_PC)) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_data(s, data, plain(arm_r(s, FIELD(s, Rm))));
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
	transfer(s, ARM_PC, 4 * FIELD(s, imm8),
	         (struct arm_transfer){.rt = FIELD(s, Rt), .bytes = 4, .is_load = true});
}

/* STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH with a register as offset */
void t16_single_register(struct arm *s, unsigned int arg)
{
	static const uint8_t bytes[] = {4, 2, 1, 1, 4, 2, 1, 2};
	unsigned int kind = FIELD(s, opc);
	struct arm_transfer t = {.rt = FIELD(s, Rt),
	                         .bytes = bytes[kind],
	                         .is_load = kind >= 3,
	                         .is_signed = kind == 3 || kind == 7};
	struct arm_address a = {
	        .rn = FIELD(s, Rn), .index = FIELD(s, Rm), .adds = true, .is_before = true};

	(void)arg;
	arm_transfer(s, &t, &a);
}

/* With an offset of five times `bytes`, which is 1 or 4 by the opcode if not given. */
void t16_single(struct arm *s, unsigned int bytes)
{
	if (bytes == 0)
		bytes = FLAG(s, B) ? 1 : 4;
	transfer(s, FIELD(s, Rn), bytes * FIELD(s, imm5),
	         (struct arm_transfer){.rt = FIELD(s, Rt), .bytes = bytes, .is_load = FLAG(s, L)});
}

void t16_single_sp(struct arm *s, unsigned int arg)
{
	(void)arg;
	transfer(s, ARM_SP, 4 * FIELD(s, imm8),
	         (struct arm_transfer){.rt = FIELD(s, Rt), .bytes = 4, .is_load = FLAG(s, L)});
}

/* ADR and ADD of SP */
void t16_address(struct arm *s, unsigned int rn)
{
	uint32_t offset = 4 * FIELD(s, imm8);

	if (rn == ARM_PC)
		arm_set(s, FIELD(s, Rd), arm_constant(s, (s->pc & ~UINT32_C(3)) + offset));
	else
		arm_set(s, FIELD(s, Rd), uop_sum(s->b, 32, rn, arm_constant(s, offset), false));
}

void t16_adjust_sp(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_define(s->b, ARM_SP,
	           uop_sum(s->b, 32, ARM_SP, arm_constant(s, 4 * FIELD(s, imm7)), FLAG(s, op)));
}

void t16_compare_branch(struct arm *s, unsigned int arg)
{
	unsigned int is_zero = uop_equal(s->b, 32, FIELD(s, Rn), SLOT_ZERO);

	(void)arg;
	s->b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_CONDITIONAL,
	        .slot = (uint8_t)is_zero,
	        .taken_value = !FLAG(s, op),
	        .when = SLOT_NONE,
	        .target = s->pc + t32_branch_offset(s->opcode.pattern, s->opcode.bits)};
	if (s->in_it)
		opcode_reject(&s->opcode);
}

/* SXTH, SXTB, UXTH, UXTB */
void t16_extend(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {3, 2, 7, 6};

	(void)arg;
	arm_extend(s, kinds[FIELD(s, opc)], FIELD(s, Rd), ARM_PC, FIELD(s, Rm), 0);
}

void t16_push(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = {.rn = ARM_SP,
	                         .list = FIELD(s, list) | FIELD(s, M) << ARM_LR,
	                         .is_before = true,
	                         .writes_back = true};

	(void)arg;
	arm_multiple(s, &m);
}

void t16_pop(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = {.rn = ARM_SP,
	                         .list = FIELD(s, list) | FIELD(s, P) << ARM_PC,
	                         .is_load = true,
	                         .is_up = true,
	                         .writes_back = true};

	(void)arg;
	arm_multiple(s, &m);
}

/* A base that LDM loads is not written back to. */
void t16_multiple(struct arm *s, unsigned int arg)
{
	unsigned int rn = FIELD(s, Rn);
	struct arm_multiple m = {
	        .rn = rn, .list = FIELD(s, list), .is_load = FLAG(s, L), .is_up = true};

	(void)arg;
	m.writes_back = !m.is_load || (m.list >> rn & 1) == 0;
	arm_multiple(s, &m);
}

/* REV, REV16, REVSH; 2 is HLT */
void t16_reverse(struct arm *s, unsigned int arg)
{
	static const uint8_t kinds[] = {REVERSE_BYTES, REVERSE_HALVES, 0, REVERSE_SIGNED};
	unsigned int kind = FIELD(s, op);

	(void)arg;
	if (kind == 2)
		arm_exception(s, 0);
	else
		arm_reverse(s, (enum arm_reverse)kinds[kind], FIELD(s, Rd), FIELD(s, Rm));
}

void t16_branch(struct arm *s, unsigned int is_conditional)
{
	arm_branch_to(s, s->pc + t32_branch_offset(s->opcode.pattern, s->opcode.bits));
	if (is_conditional == 0)
		return;
	if (s->in_it) {
		opcode_reject(&s->opcode);
		return;
	}
	s->b->insn.branch.kind = BRANCH_CONDITIONAL;
	s->b->insn.branch.taken_value = 1;
	s->b->insn.branch.slot = (uint8_t)uop_condition(s->b, FIELD(s, cond));
}
