/* SPDX-License-Identifier: Apache-2.0 */
/* A64 opcodes to micro-operations, by the table sem_a64.def; see a64.h. */
#include "arch/a64/a64.h"

#include <assert.h>
#include <pthread.h>

#include "arch/a64/sem_a64_expand.h"

struct sem_row {
	const char *name;
	sem_expand *expand;
	unsigned int arg;
};

static const struct sem_row rows[] = {
#define X(name, pattern, expand, arg) {#name, expand, arg},
#include "arch/a64/sem_a64.def"
#undef X
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char *const texts[ROWS] = {
#define X(name, pattern, expand, arg) pattern,
#include "arch/a64/sem_a64.def"
#undef X
};

static struct pattern patterns[ROWS];
static struct pattern_set set;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_patterns(void)
{
	const struct pattern_key key = {{21, 10}, {10, 2}};
	size_t count = pattern_set_init(&set, patterns, texts, ROWS, key);

	assert(count == ROWS);
	(void)count;
}

size_t sem_a64_row_of(uint32_t opcode)
{
	(void)pthread_once(&once, read_patterns);
	return pattern_set_find(&set, opcode);
}

bool sem_a64_row(size_t index, struct sem_row_info *row)
{
	if (index >= ROWS)
		return false;
	(void)pthread_once(&once, read_patterns);
	*row = (struct sem_row_info){rows[index].name, patterns[index].mask, patterns[index].match};
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
	opcode_reject(&s->opcode);
}

void sem_a64(uint32_t opcode, uint64_t address, struct uop_builder *b)
{
	size_t row = sem_a64_row_of(opcode);
	struct sem s = {.b = b, .address = address, .opcode = {.bits = opcode}};

	uop_begin(b);
	if (row < ROWS) {
		s.opcode.pattern = &patterns[row];
		rows[row].expand(&s, rows[row].arg);
	}
	if (row == ROWS || s.opcode.rejected)
		b->overflow = true; /* and so it kills all */
	uop_finish(b);
}
