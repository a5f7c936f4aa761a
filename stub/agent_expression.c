/* SPDX-License-Identifier: Apache-2.0 */
/* Agent expressions; see agent_expression.h. */
#include "stub/agent_expression.h"

enum op {
#define X(code, name, operand) OP_##name = (code),
#include "stub/agent_op.def"
#undef X
	OPS = 256,
};

/* Bytes of the operand, and 1 more; 0: no such opcode. */
static const uint8_t operands[OPS] = {
#define X(code, name, operand) [code] = (operand) + 1,
#include "stub/agent_op.def"
#undef X
};

struct machine {
	struct bytes code;
	const struct agent_target *target;
	uint64_t stack[AGENT_STACK_MOST];
	size_t depth;
};

static bool push(struct machine *m, uint64_t value)
{
	if (m->depth == AGENT_STACK_MOST)
		return false;
	m->stack[m->depth++] = value;
	return true;
}

static bool pop(struct machine *m, uint64_t *value)
{
	if (m->depth == 0)
		return false;
	*value = m->stack[--m->depth];
	return true;
}

/* Big-endian, as all operands are. */
static bool read_operand(struct bytes *code, unsigned int size, uint64_t *value)
{
	uint8_t byte;

	*value = 0;
	for (unsigned int i = 0; i < size; i++) {
		if (bytes_u8(code, &byte) != STATUS_OK)
			return false;
		*value = *value << 8 | byte;
	}
	return true;
}

/* Of the same bits, as a host has it: two's complement. */
static int64_t as_signed(uint64_t value)
{
	return (int64_t)value;
}

static bool divide(enum op op, uint64_t a, uint64_t b, uint64_t *value)
{
	bool is_signed = op == OP_DIV_SIGNED || op == OP_REM_SIGNED;

	if (b == 0 || (is_signed && a == UINT64_C(1) << 63 && b == UINT64_MAX))
		return false;
	if (op == OP_DIV_SIGNED)
		*value = (uint64_t)(as_signed(a) / as_signed(b));
	else if (op == OP_REM_SIGNED)
		*value = (uint64_t)(as_signed(a) % as_signed(b));
	else
		*value = op == OP_DIV_UNSIGNED ? a / b : a % b;
	return true;
}

/* A shift by as many bits as there are, or more, means nothing. */
static bool shift(enum op op, uint64_t a, uint64_t b, uint64_t *value)
{
	uint64_t sign = op == OP_RSH_SIGNED && a >> 63 ? UINT64_MAX : 0;

	if (b >= 64)
		return false;
	if (op == OP_LSH)
		*value = a << b;
	else
		*value = a >> b | (b > 0 ? sign << (64 - b) : 0);
	return true;
}

static bool calculate(enum op op, uint64_t a, uint64_t b, uint64_t *value)
{
	switch ((unsigned int)op) {
	case OP_ADD:
		*value = a + b;
		return true;
	case OP_SUB:
		*value = a - b;
		return true;
	case OP_MUL:
		*value = a * b;
		return true;
	case OP_BIT_AND:
		*value = a & b;
		return true;
	case OP_BIT_OR:
		*value = a | b;
		return true;
	case OP_BIT_XOR:
		*value = a ^ b;
		return true;
	case OP_EQUAL:
		*value = a == b;
		return true;
	case OP_LESS_SIGNED:
		*value = as_signed(a) < as_signed(b);
		return true;
	case OP_LESS_UNSIGNED:
		*value = a < b;
		return true;
	case OP_LSH:
	case OP_RSH_SIGNED:
	case OP_RSH_UNSIGNED:
		return shift(op, a, b, value);
	default:
		return divide(op, a, b, value);
	}
}

static bool run_binary(struct machine *m, enum op op)
{
	uint64_t a;
	uint64_t b;
	uint64_t value;

	return pop(m, &b) && pop(m, &a) && calculate(op, a, b, &value) && push(m, value);
}

/* The low `bits` of the top, with their sign or with zeros above. */
static bool extend(struct machine *m, enum op op, uint64_t bits)
{
	uint64_t value;
	uint64_t above;

	if (bits == 0 || !pop(m, &value))
		return false;
	if (bits >= 64)
		return push(m, value);
	above = UINT64_MAX << bits;
	if (op == OP_EXT && value >> (bits - 1) & 1)
		return push(m, value | above);
	return push(m, value & ~above);
}

static bool read_memory(struct machine *m, unsigned int size)
{
	uint64_t address;
	uint64_t value;

	return pop(m, &address) &&
	       m->target->read_memory(m->target->context, address, size, &value) && push(m, value);
}

static bool read_register(struct machine *m, uint64_t number)
{
	uint64_t value;

	return m->target->read_register(m->target->context, (unsigned int)number, &value) &&
	       push(m, value);
}

/* What takes the stack and the operand alone. */
static bool run_stack(struct machine *m, enum op op, uint64_t operand)
{
	uint64_t *top = m->stack + m->depth;
	uint64_t value;

	switch ((unsigned int)op) {
	case OP_POP:
		return pop(m, &value);
	case OP_DUP:
		return m->depth >= 1 && push(m, top[-1]);
	case OP_PICK:
		return operand < m->depth && push(m, m->stack[m->depth - 1 - operand]);
	case OP_SWAP:
		if (m->depth < 2)
			return false;
		value = top[-1];
		top[-1] = top[-2];
		top[-2] = value;
		return true;
	case OP_ROT: /* a b c becomes c a b */
		if (m->depth < 3)
			return false;
		value = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = value;
		return true;
	case OP_LOG_NOT:
		return pop(m, &value) && push(m, value == 0);
	case OP_BIT_NOT:
		return pop(m, &value) && push(m, ~value);
	default:
		return false;
	}
}

static bool jump(struct machine *m, enum op op, uint64_t to)
{
	uint64_t value = 1;

	if (op == OP_IF_GOTO && !pop(m, &value))
		return false;
	return value == 0 || bytes_seek(&m->code, (size_t)to) == STATUS_OK;
}

static bool run_one(struct machine *m, enum op op, uint64_t operand)
{
	switch ((unsigned int)op) {
	case OP_CONST8:
	case OP_CONST16:
	case OP_CONST32:
	case OP_CONST64:
		return push(m, operand);
	case OP_REG:
		return read_register(m, operand);
	case OP_REF8:
	case OP_REF16:
	case OP_REF32:
	case OP_REF64:
		return read_memory(m, 1U << (op - OP_REF8));
	case OP_EXT:
	case OP_ZERO_EXT:
		return extend(m, op, operand);
	case OP_IF_GOTO:
	case OP_GOTO:
		return jump(m, op, operand);
	case OP_POP:
	case OP_DUP:
	case OP_PICK:
	case OP_SWAP:
	case OP_ROT:
	case OP_LOG_NOT:
	case OP_BIT_NOT:
		return run_stack(m, op, operand);
	default:
		return run_binary(m, op);
	}
}

enum agent_verdict agent_evaluate(struct bytes code, const struct agent_target *target)
{
	struct machine m = {.code = code, .target = target};

	for (unsigned int steps = 0; steps < AGENT_STEPS_MOST; steps++) {
		uint64_t operand;
		uint64_t value;
		uint8_t op;

		if (bytes_u8(&m.code, &op) != STATUS_OK || operands[op] == 0 ||
		    !read_operand(&m.code, operands[op] - 1U, &operand))
			return AGENT_UNKNOWN;
		if (op == OP_END) {
			if (!pop(&m, &value))
				return AGENT_UNKNOWN;
			return value != 0 ? AGENT_HOLDS : AGENT_FAILS;
		}
		if (!run_one(&m, (enum op)op, operand))
			return AGENT_UNKNOWN;
	}
	return AGENT_UNKNOWN;
}
