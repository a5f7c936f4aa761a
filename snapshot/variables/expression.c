/* SPDX-License-Identifier: Apache-2.0 */
/* A machine with a stack, and what is left at its end; see expression.h. */
#include "snapshot/variables/expression.h"

#include <string.h>

#include "snapshot/line_table/dwarf.h"

enum {
	STACK_MOST = 32,
	OPERATIONS_MOST = 256,
	FRAME_DEPTH_MOST = 1, /* the frame's own expression adds to no frame */
};

/* Operations [7.7.1]. */
enum operation {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_SWAP = 0x16,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_LIT0 = 0x30,
	OP_REG0 = 0x50,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_REGX = 0x90,
	OP_FBREG = 0x91,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
	OP_CALL_FRAME_CFA = 0x9c,
	OP_IMPLICIT_VALUE = 0x9e,
	OP_STACK_VALUE = 0x9f,
	OP_ADDRX = 0xa1,
	OP_ENTRY_VALUE = 0xa3,
	OP_GNU_ENTRY_VALUE = 0xf3,
	OP_GNU_ADDR_INDEX = 0xfb,
};

/* A number of the stack: an address's bits, all of them known or none. */
struct item {
	uint64_t value;
	bool is_known;
	bool is_assumed;
};

/* What the expression says that it leaves. */
enum result { RESULT_ADDRESS, RESULT_VALUE, RESULT_REGISTER, RESULT_BYTES };

struct evaluation {
	const struct expression_scope *scope;
	struct bytes at;
	struct item stack[STACK_MOST];
	unsigned int depth;
	unsigned int frame_depth; /* of expressions of frames */
	enum result result;
	uint64_t reg;       /* REGISTER */
	struct bytes bytes; /* BYTES */
};

static enum status number(struct evaluation *e, unsigned int size, uint64_t *value)
{
	return dwarf_number(&e->at, e->scope->unit->sections->debug.is_big_endian, size, value);
}

/* Bits of a number of the stack. */
static unsigned int width(const struct evaluation *e)
{
	return 8U * e->scope->unit->debug.address_size;
}

static uint64_t cut(const struct evaluation *e, uint64_t value)
{
	return value & UINT64_MAX >> (64 - width(e));
}

static enum status push(struct evaluation *e, struct item item)
{
	if (e->depth == STACK_MOST)
		return STATUS_UNSUPPORTED;
	item.value = cut(e, item.value);
	e->stack[e->depth++] = item;
	return STATUS_OK;
}

static enum status push_number(struct evaluation *e, uint64_t value)
{
	return push(e, (struct item){value, true, false});
}

static enum status pop(struct evaluation *e, struct item *item)
{
	if (e->depth == 0)
		return STATUS_UNSUPPORTED;
	*item = e->stack[--e->depth];
	return STATUS_OK;
}

/* Little-endian; not known if one byte is not. */
static struct item item_of(const struct variable_bytes *bytes, size_t size)
{
	struct item item = {0, bytes->size >= size, bytes->is_assumed};

	for (size_t i = 0; i < size && i < bytes->size; i++) {
		item.is_known = item.is_known && bytes->known[i];
		item.value |= (uint64_t)bytes->bytes[i] << 8 * i;
	}
	return item;
}

static enum status push_register(struct evaluation *e, uint64_t reg, uint64_t more)
{
	const struct variable_machine *machine = e->scope->machine;
	struct variable_bytes value = {.size = 0};
	struct item item;

	machine->read_register(machine->context, reg, &value);
	if (value.size == 0)
		return STATUS_UNSUPPORTED;
	item = item_of(&value, width(e) / 8);
	item.value += more;
	return push(e, item);
}

static enum status push_memory(struct evaluation *e, unsigned int size)
{
	const struct variable_machine *machine = e->scope->machine;
	struct variable_bytes value = {.size = size};
	struct item address;
	struct item item = {.is_known = false};

	if (size == 0 || size > width(e) / 8)
		return STATUS_UNSUPPORTED;
	TRY(pop(e, &address));
	if (address.is_known) {
		machine->read_memory(machine->context, address.value, &value);
		item = item_of(&value, size);
		item.is_assumed = item.is_assumed || address.is_assumed;
	}
	return push(e, item);
}

static enum status push_cfa(struct evaluation *e)
{
	const struct variable_machine *machine = e->scope->machine;
	struct variable_bytes value = {.size = 0};

	machine->read_frame(machine->context, &value);
	return push(e, item_of(&value, width(e) / 8));
}

/* DW_OP_entry_value of one register [2.5.1.7], which is all that compilers write. */
static enum status push_entry_value(struct evaluation *e)
{
	const struct expression_scope *scope = e->scope;
	struct variable_bytes value = {.size = 0};
	struct bytes inner;
	uint64_t reg;
	uint8_t operation;

	TRY(dwarf_block(&e->at, false, 0, &inner));
	TRY(bytes_u8(&inner, &operation));
	reg = operation - (uint64_t)OP_REG0;
	if (operation < OP_REG0 || operation >= OP_BREG0 || bytes_left(&inner) > 0 ||
	    !scope->has_function)
		return STATUS_UNSUPPORTED;
	scope->machine->read_at_entry(scope->machine->context, scope->function, reg, &value);
	return push(e, item_of(&value, width(e) / 8));
}

static int64_t signed_of(const struct evaluation *e, uint64_t value)
{
	unsigned int shift = 64 - width(e);

	return (int64_t)(value << shift) >> shift;
}

static enum status shift_of(const struct evaluation *e, uint8_t operation, uint64_t value,
                            uint64_t by, uint64_t *result)
{
	if (by >= width(e))
		return STATUS_UNSUPPORTED;
	if (operation == OP_SHL)
		*result = value << by;
	else if (operation == OP_SHR)
		*result = value >> by;
	else
		*result = (uint64_t)(signed_of(e, value) >> by);
	return STATUS_OK;
}

static enum status two_operands(struct evaluation *e, uint8_t operation)
{
	struct item right;
	struct item left;
	uint64_t value = 0;

	TRY(pop(e, &right));
	TRY(pop(e, &left));
	switch (operation) {
	case OP_AND:
		value = left.value & right.value;
		break;
	case OP_MINUS:
		value = left.value - right.value;
		break;
	case OP_MUL:
		value = left.value * right.value;
		break;
	case OP_OR:
		value = left.value | right.value;
		break;
	case OP_PLUS:
		value = left.value + right.value;
		break;
	case OP_XOR:
		value = left.value ^ right.value;
		break;
	default:
		/* By a number that is not known, as far as it can be one. */
		if (right.is_known)
			TRY(shift_of(e, operation, left.value, right.value, &value));
		break;
	}
	return push(e, (struct item){value, left.is_known && right.is_known,
	                             left.is_assumed || right.is_assumed});
}

static enum status one_operand(struct evaluation *e, uint8_t operation)
{
	struct item item;
	uint64_t more = 0;

	TRY(pop(e, &item));
	if (operation == OP_PLUS_UCONST)
		TRY(dwarf_leb(&e->at, false, &more));
	if (operation == OP_NEG)
		item.value = -item.value;
	else if (operation == OP_NOT)
		item.value = ~item.value;
	else
		item.value += more;
	return push(e, item);
}

static enum status rearrange(struct evaluation *e, uint8_t operation)
{
	struct item top;
	struct item below;

	TRY(pop(e, &top));
	if (operation == OP_DROP)
		return STATUS_OK;
	if (operation == OP_DUP) {
		TRY(push(e, top));
		return push(e, top);
	}
	TRY(pop(e, &below));
	if (operation == OP_OVER)
		TRY(push(e, below));
	TRY(push(e, top));
	return push(e, below);
}

/* DW_OP_const1u to const8s: sizes in pairs, unsigned and signed. */
static enum status push_constant(struct evaluation *e, uint8_t operation)
{
	unsigned int size = 1U << (operation - OP_CONST1U) / 2;
	bool is_signed = (operation - OP_CONST1U) % 2 != 0;
	unsigned int shift = 64 - 8 * size;
	uint64_t value;

	TRY(number(e, size, &value));
	if (is_signed)
		value = (uint64_t)((int64_t)(value << shift) >> shift);
	return push_number(e, value);
}

/* An address of the file, where it is in memory. */
static enum status push_address(struct evaluation *e, uint8_t operation)
{
	const struct variable_unit *unit = e->scope->unit;
	uint64_t value;

	if (operation == OP_ADDR) {
		TRY(number(e, unit->debug.address_size, &value));
	} else {
		TRY(dwarf_leb(&e->at, false, &value));
		if (!debug_list_indexed(unit, value, &value))
			return STATUS_UNSUPPORTED;
	}
	return push_number(e, value + unit->sections->bias);
}

static enum status run(struct evaluation *e);

/* DW_OP_fbreg [2.5.1.2]; the only recursion, FRAME_DEPTH_MOST deep. */
static enum status push_frame(struct evaluation *e)
{
	struct evaluation frame = {.scope = e->scope, .frame_depth = e->frame_depth + 1};
	uint64_t more;

	TRY(dwarf_leb(&e->at, true, &more));
	if (frame.frame_depth > FRAME_DEPTH_MOST ||
	    debug_list_expression(e->scope->unit, &e->scope->frame, e->scope->pc, &frame.at) !=
	            STATUS_OK)
		return STATUS_UNSUPPORTED;
	TRY(run(&frame));
	if (frame.result == RESULT_REGISTER)
		return push_register(e, frame.reg, more);
	if (frame.result != RESULT_ADDRESS || frame.depth == 0)
		return STATUS_UNSUPPORTED;
	frame.stack[frame.depth - 1].value += more;
	return push(e, frame.stack[frame.depth - 1]);
}

/* DW_OP_breg, bregx: a register and a number. */
static enum status push_based(struct evaluation *e, uint8_t operation)
{
	uint64_t reg = operation - (uint64_t)OP_BREG0;
	uint64_t more;

	if (operation == OP_BREGX)
		TRY(dwarf_leb(&e->at, false, &reg));
	TRY(dwarf_leb(&e->at, true, &more));
	return push_register(e, reg, more);
}

/* What pushes a number, or takes some. */
static enum status calculate(struct evaluation *e, uint8_t operation)
{
	uint64_t value;
	uint8_t size;

	if (operation >= OP_LIT0 && operation < OP_REG0)
		return push_number(e, operation - (uint64_t)OP_LIT0);
	if ((operation >= OP_BREG0 && operation <= OP_BREG31) || operation == OP_BREGX)
		return push_based(e, operation);
	if (operation >= OP_CONST1U && operation <= OP_CONST8S)
		return push_constant(e, operation);
	switch (operation) {
	case OP_ADDR:
	case OP_ADDRX:
	case OP_GNU_ADDR_INDEX:
		return push_address(e, operation);
	case OP_CONSTU:
	case OP_CONSTS:
		TRY(dwarf_leb(&e->at, operation == OP_CONSTS, &value));
		return push_number(e, value);
	case OP_DEREF:
		return push_memory(e, width(e) / 8);
	case OP_DEREF_SIZE:
		TRY(bytes_u8(&e->at, &size));
		return push_memory(e, size);
	case OP_DUP:
	case OP_DROP:
	case OP_OVER:
	case OP_SWAP:
		return rearrange(e, operation);
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST:
		return one_operand(e, operation);
	case OP_AND:
	case OP_MINUS:
	case OP_MUL:
	case OP_OR:
	case OP_PLUS:
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
	case OP_XOR:
		return two_operands(e, operation);
	case OP_FBREG:
		return push_frame(e);
	case OP_CALL_FRAME_CFA:
		return push_cfa(e);
	case OP_ENTRY_VALUE:
	case OP_GNU_ENTRY_VALUE:
		return push_entry_value(e);
	case OP_NOP:
		return STATUS_OK;
	default:
		return STATUS_UNSUPPORTED;
	}
}

/* What says that the variable is not in memory [2.6.1.1.2, 2.6.1.1.3]: the last operation. */
static enum status conclude(struct evaluation *e, uint8_t operation)
{
	if (operation == OP_STACK_VALUE) {
		e->result = RESULT_VALUE;
	} else if (operation == OP_IMPLICIT_VALUE) {
		e->result = RESULT_BYTES;
		TRY(dwarf_block(&e->at, false, 0, &e->bytes));
	} else {
		e->result = RESULT_REGISTER;
		e->reg = operation - (uint64_t)OP_REG0;
		if (operation == OP_REGX)
			TRY(dwarf_leb(&e->at, false, &e->reg));
	}
	return bytes_left(&e->at) == 0 ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status run(struct evaluation *e)
{
	for (unsigned int i = 0; bytes_left(&e->at) > 0; i++) {
		uint8_t operation;

		if (i == OPERATIONS_MOST)
			return STATUS_UNSUPPORTED;
		TRY(bytes_u8(&e->at, &operation));
		if (operation == OP_STACK_VALUE || operation == OP_IMPLICIT_VALUE ||
		    operation == OP_REGX || (operation >= OP_REG0 && operation < OP_BREG0))
			return conclude(e, operation);
		TRY(calculate(e, operation));
	}
	return STATUS_OK;
}

/* The number on the stack is the variable; one that is wider than it says nothing of. */
static enum status take_number(const struct evaluation *e, struct variable_bytes *value)
{
	const struct item *item = &e->stack[e->depth - 1];

	if (value->size > width(e) / 8)
		return STATUS_UNSUPPORTED;
	value->is_assumed = item->is_assumed;
	for (size_t i = 0; i < value->size; i++) {
		value->bytes[i] = (uint8_t)(item->value >> 8 * i);
		value->known[i] = item->is_known;
	}
	return STATUS_OK;
}

static enum status take_memory(const struct evaluation *e, struct variable_bytes *value)
{
	const struct variable_machine *machine = e->scope->machine;
	const struct item *address = &e->stack[e->depth - 1];

	if (!address->is_known)
		return STATUS_OK;
	machine->read_memory(machine->context, address->value, value);
	value->is_assumed = value->is_assumed || address->is_assumed;
	return STATUS_OK;
}

static enum status take_register(const struct evaluation *e, struct variable_bytes *value)
{
	const struct variable_machine *machine = e->scope->machine;
	struct variable_bytes whole = {.size = 0};

	machine->read_register(machine->context, e->reg, &whole);
	if (value->size > whole.size)
		return STATUS_UNSUPPORTED;
	whole.size = value->size;
	*value = whole;
	return STATUS_OK;
}

static enum status take_bytes(const struct evaluation *e, struct variable_bytes *value)
{
	if (bytes_left(&e->bytes) < value->size)
		return STATUS_UNSUPPORTED;
	memcpy(value->bytes, e->bytes.pos, value->size);
	memset(value->known, true, value->size);
	return STATUS_OK;
}

enum status expression_value(const struct expression_scope *scope, const struct bytes *expression,
                             struct variable_bytes *value)
{
	struct evaluation e = {.scope = scope, .at = *expression};

	*value = (struct variable_bytes){.size = value->size};
	if (bytes_left(expression) == 0)
		return STATUS_NOT_FOUND;
	if (run(&e) != STATUS_OK)
		return STATUS_UNSUPPORTED;
	if (e.result == RESULT_REGISTER)
		return take_register(&e, value);
	if (e.result == RESULT_BYTES)
		return take_bytes(&e, value);
	if (e.depth == 0)
		return STATUS_UNSUPPORTED;
	return e.result == RESULT_VALUE ? take_number(&e, value) : take_memory(&e, value);
}
