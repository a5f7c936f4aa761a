/* SPDX-License-Identifier: Apache-2.0 */
/* Forward execution of micro-operations; see uop_run.h. */
#include "arch/uop/uop_run.h"

struct bits uop_run_slot(const struct uop_run *run, unsigned int slot)
{
	if (slot < REG_COUNT)
		return run->registers[slot];
	if (slot == SLOT_ZERO)
		return bits_of(0);
	if (slot >= SLOT_CONSTANT)
		return bits_of(run->insn->constants[slot - SLOT_CONSTANT]);
	return run->temps[slot - SLOT_TEMP];
}

struct bits uop_run_after(const struct uop_run *run, unsigned int reg)
{
	return uop_run_slot(run, uop_insn_after(run->insn, reg));
}

struct bits uop_run_address(const struct uop_run *run, const struct uop_access *access)
{
	struct bits base = uop_run_slot(run, access->address);
	struct bits offset = bits_of((uint64_t)(int64_t)access->offset);
	struct bits carry = bits_of(0);
	struct bits sum = {0, 0};
	unsigned int width = (run->insn->flags & UOP_AARCH32) != 0 ? 32 : 64;
	struct bits_sum add = {&base, &offset, &carry, false};

	if (access->align > 0)
		base.value &= ~bits_mask(access->align);
	if (access->align > 0)
		base.known |= bits_mask(access->align);
	if (access->offset == 0 || !bits_add(&sum, &add, width))
		return base;
	/* what is above the width is not a part of the sum */
	if (!bits_narrow(&sum, width))
		return base;
	return sum;
}

uint64_t uop_run_length(const struct uop_run *run, const struct uop_access *access)
{
	struct bits bound;

	if (access->kind != ACCESS_CLOBBER)
		return access->size;
	if (access->data == SLOT_NONE)
		return access->length;
	bound = uop_run_slot(run, access->data);
	return bits_max(&bound, 64) < access->length ? bits_max(&bound, 64) : access->length;
}

struct bits uop_run_happens(const struct uop_run *run, const struct uop_access *access)
{
	struct bits when;

	if (access->when == SLOT_NONE)
		return bits_of(1);
	when = uop_run_slot(run, access->when);
	when.known &= 1;
	when.value = (when.value ^ (access->when_value ? 0 : 1)) & when.known;
	return when;
}

static struct bits operand(const struct uop_run *run, unsigned int slot)
{
	return slot == SLOT_NONE ? (struct bits){0, 0} : uop_run_slot(run, slot);
}

static struct bits load(const struct uop_run *run, const struct uop_access *access,
                        const struct uop_memory *memory)
{
	struct bits address = uop_run_address(run, access);

	if (!bits_all_known(&address, 64))
		return (struct bits){0, 0};
	return memory->read(memory->context, address.value, access->size);
}

bool uop_run(const struct uop_insn *insn, const struct bits *registers,
             const struct uop_memory *memory, struct uop_run *run)
{
	run->insn = insn;
	run->registers = registers;
	for (size_t i = 0; i < insn->op_count; i++) {
		const struct uop *op = &insn->ops[i];
		struct bits a = operand(run, op->a);
		struct bits b = operand(run, op->b);
		struct bits c = operand(run, op->c);
		struct bits result = {0, 0};

		if (op->op == UOP_STORE)
			continue;
		if (op->op == UOP_LOAD)
			result = load(run, &insn->accesses[op->access], memory);
		if (!uop_refine(op, &result, &a, &b, &c))
			return false;
		run->temps[op->dst - SLOT_TEMP] = result;
	}
	return true;
}
