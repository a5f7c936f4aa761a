/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations of AArch64, from their table; see relocate.h. */
#include "snapshot/elf_object/relocate_rows.h"

enum {
	NONE = 0,
	NONE_OF_A64 = 256,
	PAGE_SIZE = 4096,
};

enum operation {
	OPERATION_ABS,
	OPERATION_REL,
	OPERATION_PAGE,
	OPERATION_LO12,
};

enum field {
	FIELD_DATA16,
	FIELD_DATA32,
	FIELD_DATA64,
	FIELD_ADR, /* immhi in 23:5, immlo in 30:29 */
	FIELD_MOVW,
	FIELD_IMM12,
	FIELD_IMM14,
	FIELD_IMM19,
	FIELD_IMM26,
};

enum check {
	CHECK_NC,
	CHECK_SIGNED,
	CHECK_UNSIGNED,
	CHECK_EITHER,
};

static const struct row {
	uint16_t type;
	uint8_t operation;
	uint8_t field;
	uint8_t low;
	uint8_t bits;
	uint8_t check;
} rows[] = {
#define X(name, code, operation, field, low, bits, check)                                          \
	{code, OPERATION_##operation, FIELD_##field, low, bits, CHECK_##check},
#include "snapshot/elf_object/relocate_a64.def"
#undef X
};

static const struct row *find_row(uint32_t type)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].type == type)
			return &rows[i];
	}
	return NULL;
}

static size_t size_of(const struct row *row)
{
	if (row->field == FIELD_DATA64)
		return 8;
	return row->field == FIELD_DATA16 ? 2 : 4;
}

size_t relocation_size_a64(uint32_t type)
{
	const struct row *row = find_row(type);

	if (type == NONE || type == NONE_OF_A64)
		return 0;
	return row ? size_of(row) : RELOCATION_MOST;
}

static uint64_t result_of(const struct row *row, const struct relocation *r, uint64_t value)
{
	switch ((enum operation)row->operation) {
	case OPERATION_REL:
		return value - r->place;
	case OPERATION_PAGE:
		return value / PAGE_SIZE * PAGE_SIZE - r->place / PAGE_SIZE * PAGE_SIZE;
	case OPERATION_LO12:
		return value % PAGE_SIZE;
	case OPERATION_ABS:
		break;
	}
	return value;
}

static bool is_in_range(const struct row *row, uint64_t value)
{
	unsigned int bits = row->low + row->bits;
	uint64_t below = (UINT64_C(1) << row->low) - 1;
	bool is_unsigned = bits >= 64 || value >> bits == 0;

	if (row->field != FIELD_MOVW && (value & below) != 0)
		return false;
	switch ((enum check)row->check) {
	case CHECK_SIGNED:
		return relocate_fits(value, bits);
	case CHECK_UNSIGNED:
		return is_unsigned;
	case CHECK_EITHER:
		return is_unsigned || relocate_fits(value, bits);
	case CHECK_NC:
		break;
	}
	return true;
}

/* The opcode with other bits in a field. */
static uint32_t put(uint32_t opcode, unsigned int at, unsigned int bits, uint64_t value)
{
	uint32_t mask = (UINT32_C(1) << bits) - 1;

	return (opcode & ~(mask << at)) | ((uint32_t)value & mask) << at;
}

static uint32_t insert(const struct row *row, uint32_t opcode, uint64_t part)
{
	switch ((enum field)row->field) {
	case FIELD_ADR:
		return put(put(opcode, 29, 2, part), 5, 19, part >> 2);
	case FIELD_MOVW:
		return put(opcode, 5, 16, part);
	case FIELD_IMM12:
		return put(opcode, 10, 12, part);
	case FIELD_IMM14:
		return put(opcode, 5, 14, part);
	case FIELD_IMM19:
		return put(opcode, 5, 19, part);
	case FIELD_IMM26:
		return put(opcode, 0, 26, part);
	case FIELD_DATA16:
	case FIELD_DATA32:
	case FIELD_DATA64:
		break;
	}
	return (uint32_t)part;
}

enum status relocate_a64(const struct relocation *r, uint8_t *at)
{
	const struct row *row = find_row(r->type);
	uint64_t value;
	uint64_t part;

	if (r->type == NONE || r->type == NONE_OF_A64)
		return STATUS_OK;
	if (!row || !r->has_addend)
		return STATUS_UNSUPPORTED;
	value = result_of(row, r, r->symbol + (uint64_t)r->addend);
	if (!is_in_range(row, value))
		return STATUS_BAD_DATA;
	part = value >> row->low;
	if (row->field != FIELD_DATA64)
		part = insert(row, (uint32_t)relocate_read(at, size_of(row)), part);
	relocate_write(at, size_of(row), part);
	return STATUS_OK;
}
