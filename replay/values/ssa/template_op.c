/* SPDX-License-Identifier: Apache-2.0 */
/* Micro-operations with their operands resolved; see template_op.h. */
#include "replay/values/ssa/template_op.h"

static struct operand operand_of(unsigned int slot, const uint8_t *read_of, uint8_t zero)
{
	if (slot == SLOT_NONE || slot == SLOT_ZERO)
		return (struct operand){OPERAND_CONSTANT, zero};
	if (slot >= SLOT_CONSTANT)
		return (struct operand){OPERAND_CONSTANT, (uint8_t)(slot - SLOT_CONSTANT)};
	if (slot >= SLOT_TEMP)
		return (struct operand){OPERAND_TEMP, (uint8_t)(slot - SLOT_TEMP)};
	return (struct operand){OPERAND_READ, read_of[slot]};
}

static bool relates(const struct uop *op)
{
	return op->op != UOP_STORE && op->op != UOP_LOAD && op->op != UOP_UNKNOWN;
}

/* A second run directly after the first finds nothing. */
static bool is_exact(const struct uop *op)
{
	switch (op->op) {
	case UOP_AND:
	case UOP_OR:
	case UOP_XOR:
	case UOP_FIELD:
	case UOP_SIGNED:
	case UOP_LOW:
	case UOP_SWIZZLE:
		return true;
	default: /* of additions the bits, but not the ranges */
		return false;
	}
}

static uint64_t bit_of(size_t op)
{
	return (uint64_t)1 << (op < TEMPLATE_OPS_APART ? op : TEMPLATE_OPS_APART - 1);
}

/* Sets of the operations that have a temporary as an operand, and that read any register: two that
 * are read may be one SSA value. */
struct users {
	uint64_t of_temp[UOP_TEMPS];
	uint64_t of_read;
};

static void add_user(struct users *users, const struct operand *operand, uint64_t op)
{
	if (operand->kind == OPERAND_TEMP)
		users->of_temp[operand->index] |= op;
	else if (operand->kind == OPERAND_READ)
		users->of_read |= op;
}

static uint64_t users_of(const struct users *users, const struct operand *operand)
{
	if (operand->kind == OPERAND_TEMP)
		return users->of_temp[operand->index];
	return operand->kind == OPERAND_READ ? users->of_read : 0;
}

static void find_wakes(struct template_op *ops, size_t count)
{
	struct users users = {{0}, 0};

	for (size_t i = 0; i < count; i++) {
		for (unsigned int k = 0; k < OPERANDS; k++)
			add_user(&users, &ops[i].operands[k], bit_of(i));
	}
	for (size_t i = 0; i < count; i++) {
		ops[i].self = i < TEMPLATE_OPS_APART - 1 ? bit_of(i) : 0;
		for (unsigned int k = 0; k < OPERANDS; k++)
			ops[i].wakes |= users_of(&users, &ops[i].operands[k]);
		if (is_exact(&ops[i].op))
			ops[i].wakes &= ~ops[i].self;
	}
}

/* The constants of an instruction, and zero. */
static struct bits *copy_constants(struct arena *arena, const struct uop_insn *insn)
{
	struct bits *constants =
	        arena_alloc(arena, (insn->constant_count + 1u) * sizeof(*constants));

	if (!constants)
		return NULL;
	for (size_t i = 0; i < insn->constant_count; i++)
		constants[i] = bits_of(insn->constants[i]);
	constants[insn->constant_count] = bits_of(0);
	return constants;
}

enum status template_ops_make(struct arena *arena, const struct uop_insn *insn,
                              const uint8_t *read_of, struct template_ops *ops)
{
	uint8_t zero = insn->constant_count;
	struct template_op *list;
	struct template_narrow *narrows;

	*ops = (struct template_ops){.count = 0};
	if (insn->op_count == 0)
		return STATUS_OK;
	list = arena_alloc(arena, insn->op_count * sizeof(*list));
	narrows = arena_alloc(arena, insn->op_count * sizeof(*narrows));
	ops->constants = copy_constants(arena, insn);
	if (!list || !narrows || !ops->constants)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < insn->op_count; i++) {
		const struct uop *op = &insn->ops[i];

		if (relates(op))
			list[ops->count++] = (struct template_op){
			        .op = *op,
			        .operands = {operand_of(op->dst, read_of, zero),
			                     operand_of(op->a, read_of, zero),
			                     operand_of(op->b, read_of, zero),
			                     operand_of(op->c, read_of, zero)},
			};
		if (op->dst != SLOT_NONE && op->width < 64)
			narrows[ops->narrow_count++] =
			        (struct template_narrow){(uint8_t)(op->dst - SLOT_TEMP), op->width};
	}
	find_wakes(list, ops->count);
	ops->ops = list;
	ops->narrows = narrows;
	return STATUS_OK;
}
