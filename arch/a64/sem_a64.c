/* SPDX-License-Identifier: Apache-2.0 */
/* A64 opcodes to micro-operations, by the table sem_a64.def; see sem.h. */
#include "arch/a64/a64.h"

#include "arch/a64/sem_a64_expand.h"

struct sem_row {
	struct sem_row_info info;
	sem_expand *expand;
	unsigned int arg;
};

static const struct sem_row rows[] = {
#define X(name, mask, match, expand, arg) {{#name, mask, match}, expand, arg},
#include "arch/a64/sem_a64.def"
#undef X
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

size_t sem_a64_row_of(uint32_t opcode)
{
	size_t i = 0;

	while (i < ROWS && (opcode & rows[i].info.mask) != rows[i].info.match)
		i++;
	return i;
}

bool sem_a64_row(size_t index, struct sem_row_info *row)
{
	if (index >= ROWS)
		return false;
	*row = rows[index].info;
	return true;
}

void sem_nothing(struct sem *s, unsigned int arg)
{
	(void)s;
	(void)arg;
}

void sem_kill(struct sem *s, unsigned int arg)
{
	(void)arg;
	sem_reject(s);
}

unsigned int sem_extended(struct sem *s, unsigned int width, unsigned int slot, unsigned int option,
                          unsigned int shift)
{
	unsigned int len = 8U << (option & 3);

	if (len > width - shift)
		len = width - shift;
	if (len == width)
		return slot;
	return uop_field(s->b, (option & 4) != 0 ? UOP_SIGNED : UOP_FIELD, width, slot,
	                 (struct bits_field){0, len, shift});
}

void sem_a64(uint32_t opcode, uint64_t address, struct uop_builder *b)
{
	struct sem s = {.b = b, .address = address, .opcode = opcode};
	size_t row = sem_a64_row_of(opcode);

	uop_begin(b);
	if (row < ROWS)
		rows[row].expand(&s, rows[row].arg);
	if (row == ROWS || s.rejected)
		b->overflow = true; /* and so it kills all */
	uop_finish(b);
}
