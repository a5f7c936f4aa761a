/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 data processing as micro-operations, once the operands are decoded: shifts, sums and
 * logical operations with their flags. Arm ARM DDI 0487 F2.4 (shifts), operations in F5.1.
 */
#include "arch/a32/sem_a32_expand.h"

static struct arm_operand operand(unsigned int slot, unsigned int carry)
{
	return (struct arm_operand){slot, carry};
}

struct arm_operand arm_immediate(struct arm *s, uint32_t value)
{
	return operand(arm_constant(s, value), SLOT_NONE);
}

static unsigned int bit_of(struct arm *s, unsigned int slot, unsigned int bit)
{
	return uop_field(s->b, UOP_FIELD, 1, slot, (struct bits_field){bit, 1, 0});
}

/* Rotated by one place through the carry. */
static struct arm_operand rotated_through_carry(struct arm *s, unsigned int x)
{
	unsigned int carry = uop_condition(s->b, ARM_CARRY);
	unsigned int low = arm_field(s, UOP_FIELD, x, 1, 31, 0);

	return operand(uop_insert(s->b, 32, low, carry, (struct bits_field){0, 1, 31}),
	               bit_of(s, x, 0));
}

struct arm_operand arm_shifted(struct arm *s, unsigned int rm, enum arm_shift type,
                               unsigned int amount)
{
	unsigned int x = arm_r(s, rm);
	unsigned int right = amount == 0 ? 32 : amount;
	unsigned int carry;

	if (type == ARM_LSL && amount == 0)
		return operand(x, SLOT_NONE);
	if (type == ARM_ROR && amount == 0)
		return rotated_through_carry(s, x);
	carry = bit_of(s, x, type == ARM_LSL ? 32 - amount : right - 1);
	switch (type) {
	case ARM_LSL:
		return operand(arm_field(s, UOP_FIELD, x, 0, 32 - amount, amount), carry);
	case ARM_LSR:
		if (right == 32)
			return operand(SLOT_ZERO, carry);
		return operand(arm_field(s, UOP_FIELD, x, right, 32 - right, 0), carry);
	case ARM_ASR:
		if (right == 32)
			right = 31;
		return operand(arm_field(s, UOP_SIGNED, x, right, 32 - right, 0), carry);
	case ARM_ROR:
	default:
		return operand(arm_rotated(s, x, amount), carry);
	}
}

static unsigned int shift_by(struct arm *s, unsigned int width, unsigned int x, unsigned int amount,
                             enum bits_shift kind)
{
	struct uop op = {.op = UOP_SHIFT,
	                 .width = (uint8_t)width,
	                 .a = (uint8_t)x,
	                 .b = (uint8_t)amount,
	                 .c = SLOT_NONE,
	                 .direction = (uint8_t)kind};

	return uop_emit(s->b, op);
}

/* The carry of a shift by a register, which a shift by nothing leaves as it is. */
static unsigned int carry_unless_zero(struct arm *s, unsigned int amount, unsigned int carry)
{
	unsigned int is_zero = uop_equal(s->b, 8, amount, SLOT_ZERO);

	return uop_select(s->b, 1, is_zero, uop_condition(s->b, ARM_CARRY), carry);
}

/*
 * Shifts to the left and right happen in 64 bits, 32 of them beside the result to hold what is
 * shifted out: a SHIFT takes its amount modulo 64, and from there up all bits are the same.
 */
static struct arm_operand shifted_wide(struct arm *s, unsigned int x, enum arm_shift type,
                                       unsigned int amount)
{
	static const uint8_t kinds[] = {SHIFT_LEFT, SHIFT_RIGHT, SHIFT_RIGHT_SIGNED};
	unsigned int to = type == ARM_LSL ? 0 : 32;
	unsigned int fill = SLOT_ZERO;
	unsigned int wide = uop_field(s->b, UOP_FIELD, 64, x, (struct bits_field){0, 32, to});
	unsigned int large = uop_field(s->b, UOP_FIELD, 8, amount, (struct bits_field){6, 2, 0});
	unsigned int is_small = uop_equal(s->b, 2, large, SLOT_ZERO);

	if (type == ARM_ASR)
		fill = uop_field(s->b, UOP_SIGNED, 64, x, (struct bits_field){31, 1, 0});
	wide = shift_by(s, 64, wide, amount, (enum bits_shift)kinds[type]);
	wide = uop_select(s->b, 64, is_small, wide, fill);
	return operand(arm_field(s, UOP_FIELD, wide, to, 32, 0),
	               bit_of(s, wide, type == ARM_LSL ? 32 : 31));
}

struct arm_operand arm_shifted_by(struct arm *s, unsigned int rm, enum arm_shift type,
                                  unsigned int rs, bool wants_carry)
{
	unsigned int x = arm_r(s, rm);
	unsigned int amount =
	        uop_field(s->b, UOP_FIELD, 8, arm_r(s, rs), (struct bits_field){0, 8, 0});
	struct arm_operand result;

	if (type == ARM_ROR) {
		result.slot = shift_by(s, 32, x, amount, SHIFT_ROTATE);
		result.carry = SLOT_NONE;
		if (wants_carry)
			result.carry = bit_of(s, result.slot, 31);
	} else {
		result = shifted_wide(s, x, type, amount);
	}
	if (wants_carry)
		result.carry = carry_unless_zero(s, amount, result.carry);
	return result;
}

struct data_rule {
	uint8_t op;    /* enum uop_op */
	bool reversed; /* second - first */
	bool inverts;  /* a logical operation that takes the second inverted */
	bool carries;  /* takes C */
	bool compares; /* has no result */
};

static const struct data_rule data_rules[] = {
        [DATA_AND] = {UOP_AND, false, false, false, false},
        [DATA_EOR] = {UOP_XOR, false, false, false, false},
        [DATA_SUB] = {UOP_SUB, false, false, false, false},
        [DATA_RSB] = {UOP_SUB, true, false, false, false},
        [DATA_ADD] = {UOP_ADD, false, false, false, false},
        [DATA_ADC] = {UOP_ADD, false, false, true, false},
        [DATA_SBC] = {UOP_SUB, false, false, true, false},
        [DATA_RSC] = {UOP_SUB, true, false, true, false},
        [DATA_TST] = {UOP_AND, false, false, false, true},
        [DATA_TEQ] = {UOP_XOR, false, false, false, true},
        [DATA_CMP] = {UOP_SUB, false, false, false, true},
        [DATA_CMN] = {UOP_ADD, false, false, false, true},
        [DATA_ORR] = {UOP_OR, false, false, false, false},
        [DATA_MOV] = {UOP_OR, false, false, false, false},
        [DATA_BIC] = {UOP_AND, false, true, false, false},
        [DATA_MVN] = {UOP_OR, false, true, false, false},
        [DATA_ORN] = {UOP_OR, false, true, false, false},
};

/* N and Z of the result, C of the shifter, V as it was. */
void arm_set_logical_flags(struct arm *s, unsigned int result, unsigned int width,
                           unsigned int carry)
{
	struct uop test = {.op = UOP_TEST,
	                   .width = 16,
	                   .size = (uint8_t)width,
	                   .a = (uint8_t)result,
	                   .b = SLOT_NONE,
	                   .c = SLOT_NONE};
	unsigned int of_result = uop_make(s->b, UOP_PACK, 4, uop_emit(s->b, test), SLOT_NONE);
	unsigned int packed = uop_make(s->b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);

	packed = uop_insert(s->b, 4, packed, of_result, (struct bits_field){2, 2, 2});
	if (carry != SLOT_NONE)
		packed = uop_insert(s->b, 4, packed, carry, (struct bits_field){0, 1, 1});
	uop_define(s->b, REG_NZCV, uop_make(s->b, UOP_UNPACK, 16, packed, SLOT_NONE));
}

/* S with the PC as destination returns from an exception. */
static void set_result(struct arm *s, const struct arm_data *data, unsigned int result)
{
	if (data->rd == ARM_PC && data->sets_flags)
		arm_return_from_exception(s, REG_A32_SPSR);
	else
		arm_set_or_branch(s, data->rd, result);
}

static void sum(struct arm *s, const struct arm_data *data, unsigned int second)
{
	const struct data_rule *rule = &data_rules[data->op];
	unsigned int first = data->rn;
	bool subtracts = rule->op == UOP_SUB;
	struct uop op = {.op = rule->op, .width = 32};

	/* x + x and x - x say more when they do not look like sums of two numbers */
	if (first == second && !data->sets_flags && !rule->carries && !rule->compares) {
		set_result(s, data,
		           subtracts ? SLOT_ZERO : arm_field(s, UOP_FIELD, first, 0, 31, 1));
		return;
	}
	op.a = (uint8_t)(rule->reversed ? second : first);
	op.b = (uint8_t)(rule->reversed ? first : second);
	op.c = (uint8_t)(rule->carries ? uop_condition(s->b, ARM_CARRY)
	                               : uop_constant(s->b, subtracts));
	if (!rule->compares)
		set_result(s, data, uop_emit(s->b, op));
	if (!data->sets_flags || (data->rd == ARM_PC && !rule->compares))
		return;
	op.op = subtracts ? UOP_SUB_FLAGS : UOP_ADD_FLAGS;
	op.size = 32;
	op.width = 16;
	uop_define(s->b, REG_NZCV, uop_emit(s->b, op));
}

void arm_data(struct arm *s, struct arm_data data, struct arm_operand second)
{
	const struct data_rule *rule = &data_rules[data.op];
	unsigned int result = second.slot;

	if (rule->op == UOP_ADD || rule->op == UOP_SUB) {
		sum(s, &data, second.slot);
		return;
	}
	if (rule->inverts)
		result = arm_not(s, result);
	if (data.op != DATA_MOV && data.op != DATA_MVN)
		result = uop_make(s->b, (enum uop_op)rule->op, 32, data.rn, result);
	if (!rule->compares)
		set_result(s, &data, result);
	if (data.sets_flags && (rule->compares || data.rd != ARM_PC))
		arm_set_logical_flags(s, result, 32, second.carry);
}
