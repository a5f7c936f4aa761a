/* SPDX-License-Identifier: Apache-2.0 */
/* Making instructions out of micro-operations; see uop_build.h. */
#include "arch/uop/uop_build.h"

#include <string.h>

static void kill_all(struct uop_builder *b, unsigned int flags)
{
	b->insn = (struct uop_insn){
	        .flags = (uint16_t)(UOP_KILLS_ALL | flags),
	        .when = SLOT_NONE,
	        .branch = {.slot = SLOT_NONE},
	        .ops = b->ops,
	        .accesses = b->accesses,
	        .defs = b->defs,
	        .constants = b->constants,
	};
}

void uop_begin(struct uop_builder *b)
{
	kill_all(b, 0);
	b->insn.flags = 0;
	b->overflow = false;
}

static void use(struct uop_insn *insn, unsigned int slot)
{
	if (slot < REG_COUNT)
		insn->uses[slot / 64] |= (uint64_t)1 << slot % 64;
}

void uop_use(struct uop_builder *b, unsigned int slot)
{
	use(&b->insn, slot);
}

void uop_finish(struct uop_builder *b)
{
	struct uop_insn *insn = &b->insn;

	if (b->overflow)
		kill_all(b, UOP_NOT_IN_TABLE);
	use(insn, insn->when);
	for (size_t i = 0; i < insn->op_count; i++) {
		use(insn, b->ops[i].a);
		use(insn, b->ops[i].b);
		use(insn, b->ops[i].c);
	}
	for (size_t i = 0; i < insn->access_count; i++) {
		use(insn, b->accesses[i].address);
		use(insn, b->accesses[i].data);
		use(insn, b->accesses[i].when);
	}
	for (size_t i = 0; i < insn->def_count; i++)
		use(insn, b->defs[i].slot);
	use(insn, insn->branch.slot);
}

unsigned int uop_constant(struct uop_builder *b, uint64_t value)
{
	unsigned int count = b->insn.constant_count;

	if (value == 0)
		return SLOT_ZERO;
	for (unsigned int i = 0; i < count; i++) {
		if (b->constants[i] == value)
			return SLOT_CONSTANT + i;
	}
	if (count == UOP_CONSTANTS) {
		b->overflow = true;
		return SLOT_ZERO;
	}
	b->constants[count] = value;
	b->insn.constant_count++;
	return SLOT_CONSTANT + count;
}

/* Room for one more micro-operation; one that is not in the instruction if there is none. */
static bool append(struct uop_builder *b, struct uop op)
{
	if (b->insn.op_count == UOP_MICRO_OPS) {
		b->overflow = true;
		return false;
	}
	b->ops[b->insn.op_count++] = op;
	return true;
}

unsigned int uop_emit(struct uop_builder *b, struct uop op)
{
	unsigned int temp = b->insn.temp_count;

	op.dst = (uint8_t)(SLOT_TEMP + temp);
	if (temp == UOP_TEMPS || !append(b, op)) {
		b->overflow = true;
		return SLOT_ZERO;
	}
	b->insn.temp_count++;
	return SLOT_TEMP + temp;
}

/* An operation of these operands, without numbers. */
static struct uop plain(enum uop_op op, unsigned int width, unsigned int a, unsigned int second)
{
	return (struct uop){
	        .op = (uint8_t)op,
	        .width = (uint8_t)width,
	        .dst = SLOT_NONE,
	        .a = (uint8_t)a,
	        .b = (uint8_t)second,
	        .c = SLOT_NONE,
	};
}

unsigned int uop_make(struct uop_builder *b, enum uop_op op, unsigned int width, unsigned int a,
                      unsigned int second)
{
	return uop_emit(b, plain(op, width, a, second));
}

unsigned int uop_unknown(struct uop_builder *b, unsigned int width)
{
	return uop_make(b, UOP_UNKNOWN, width, SLOT_NONE, SLOT_NONE);
}

unsigned int uop_sum(struct uop_builder *b, unsigned int width, unsigned int a, unsigned int second,
                     bool subtract)
{
	struct uop op = plain(subtract ? UOP_SUB : UOP_ADD, width, a, second);

	if (second == SLOT_ZERO && width == 64)
		return a;
	op.c = (uint8_t)uop_constant(b, subtract);
	return uop_emit(b, op);
}

/* A field that is all of the register is the operand itself. */
static unsigned int emit_field(struct uop_builder *b, struct uop op, struct bits_field field)
{
	if (field.len == 64)
		return op.a;
	op.field = (struct uop_field){(uint8_t)field.lsb, (uint8_t)field.len, (uint8_t)field.to};
	return uop_emit(b, op);
}

unsigned int uop_field(struct uop_builder *b, enum uop_op op, unsigned int width, unsigned int a,
                       struct bits_field field)
{
	return emit_field(b, plain(op, width, a, SLOT_NONE), field);
}

unsigned int uop_insert(struct uop_builder *b, unsigned int width, unsigned int base,
                        unsigned int a, struct bits_field field)
{
	return emit_field(b, plain(UOP_INSERT, width, a, base), field);
}

static const struct bits_field daif_bits = {.lsb = 6, .len = 4, .to = 6};

unsigned int uop_daif(struct uop_builder *b, unsigned int a)
{
	return uop_field(b, UOP_FIELD, 64, a, daif_bits);
}

unsigned int uop_with_daif(struct uop_builder *b, unsigned int base, unsigned int daif)
{
	return uop_insert(b, 64, base, daif, daif_bits);
}

unsigned int uop_select(struct uop_builder *b, unsigned int width, unsigned int choice,
                        unsigned int a, unsigned int second)
{
	struct uop op = plain(UOP_SELECT, width, a, second);

	op.c = (uint8_t)choice;
	return uop_emit(b, op);
}

unsigned int uop_condition(struct uop_builder *b, unsigned int condition)
{
	struct uop op = plain(UOP_CONDITION, 1, REG_NZCV, SLOT_NONE);

	op.condition = (uint8_t)condition;
	return uop_emit(b, op);
}

unsigned int uop_equal(struct uop_builder *b, unsigned int width, unsigned int a,
                       unsigned int second)
{
	struct uop op = plain(UOP_EQUAL, 1, a, second);

	op.size = (uint8_t)width;
	return uop_emit(b, op);
}

/* Appends the access and returns its number. */
static unsigned int add_access(struct uop_builder *b, struct uop_access access)
{
	if (b->insn.access_count == UOP_ACCESSES) {
		b->overflow = true;
		return 0;
	}
	b->accesses[b->insn.access_count] = access;
	return b->insn.access_count++;
}

static struct uop_access access_of(enum uop_access_kind kind, struct uop_place at,
                                   unsigned int size, unsigned int data)
{
	return (struct uop_access){
	        .kind = (uint8_t)kind,
	        .size = (uint8_t)size,
	        .address = (uint8_t)at.base,
	        .data = (uint8_t)data,
	        .when = SLOT_NONE,
	        .offset = (int32_t)at.offset,
	};
}

unsigned int uop_load(struct uop_builder *b, struct uop_place at, unsigned int size)
{
	struct uop op = plain(UOP_LOAD, 8 * size, SLOT_NONE, SLOT_NONE);
	unsigned int data = SLOT_TEMP + b->insn.temp_count;

	op.access = (uint8_t)add_access(b, access_of(ACCESS_LOAD, at, size, data));
	return uop_emit(b, op);
}

void uop_store_when(struct uop_builder *b, struct uop_place at, unsigned int size,
                    unsigned int data, struct uop_access condition)
{
	struct uop_access access = access_of(ACCESS_STORE, at, size, data);
	struct uop op = plain(UOP_STORE, 8 * size, SLOT_NONE, SLOT_NONE);

	access.when = condition.when;
	access.when_value = condition.when_value;
	op.access = (uint8_t)add_access(b, access);
	(void)append(b, op);
}

void uop_store(struct uop_builder *b, struct uop_place at, unsigned int size, unsigned int data)
{
	uop_store_when(b, at, size, data, (struct uop_access){.when = SLOT_NONE});
}

void uop_clobber_when(struct uop_builder *b, struct uop_place at, uint32_t length,
                      unsigned int align, struct uop_access condition)
{
	struct uop_access access = access_of(ACCESS_CLOBBER, at, 0, SLOT_NONE);

	access.length = length;
	access.align = (uint8_t)align;
	access.when = condition.when;
	access.when_value = condition.when_value;
	(void)add_access(b, access);
}

void uop_clobber(struct uop_builder *b, struct uop_place at, uint32_t length, unsigned int align)
{
	uop_clobber_when(b, at, length, align, (struct uop_access){.when = SLOT_NONE});
}

void uop_clobber_bounded(struct uop_builder *b, struct uop_place at, uint32_t length,
                         unsigned int bound)
{
	struct uop_access access = access_of(ACCESS_CLOBBER, at, 0, bound);

	access.length = length;
	(void)add_access(b, access);
}

static void set(struct uop_builder *b, unsigned int reg, unsigned int slot, bool is_again_unknown)
{
	for (unsigned int i = 0; i < b->insn.def_count; i++) {
		if (b->defs[i].reg == reg) {
			b->defs[i].slot = (uint8_t)(is_again_unknown ? uop_unknown(b, 64) : slot);
			return;
		}
	}
	if (b->insn.def_count == UOP_DEFS) {
		b->overflow = true;
		return;
	}
	b->defs[b->insn.def_count++] = (struct uop_def){(uint8_t)reg, (uint8_t)slot};
}

void uop_define(struct uop_builder *b, unsigned int reg, unsigned int slot)
{
	set(b, reg, slot, true);
}

void uop_redefine(struct uop_builder *b, unsigned int reg, unsigned int slot)
{
	set(b, reg, slot, false);
}

void uop_define_unknown(struct uop_builder *b, unsigned int reg, unsigned int width)
{
	uop_define(b, reg, uop_unknown(b, width));
}
