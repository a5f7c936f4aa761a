/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that are left without a return, and whose stack others use then, through pointers, too: by
 * the procedure call standard all the same.
 */
#include <setjmp.h>

#include "program.h"

static jmp_buf out;
static uint32_t *hidden;
static uint32_t total;

/* Writes to the caller's locals through a pointer that nothing remembers. */
NOINLINE static void poke(uint32_t value)
{
	uint32_t *p = hidden;

	hidden = 0;
	p[value % 8] = value;
	p[(value + 3) % 8] ^= value >> 3;
}

NOINLINE static uint32_t use_stack(uint32_t a)
{
	uint32_t local[24];

	for (uint32_t i = 0; i < 24; i++)
		local[i] = a + i;
	hidden = &local[a % 16];
	poke(a);
	return local[a % 24] + local[(a + 5) % 24];
}

NOINLINE static uint32_t descend(uint32_t depth, uint32_t a)
{
	uint32_t local[8] = {a, depth, a ^ depth};

	hidden = local;
	poke(a * 5 + depth);
	if (depth == 0 && a % 3 != 0)
		longjmp(out, 1 + (int)(a % 5));
	if (depth > 0)
		local[1] += descend(depth - 1, a >> 1);
	return local[1] + local[2] + use_stack(local[0]);
}

NOINLINE static uint32_t attempt(uint32_t a)
{
	volatile uint32_t kept = a;
	int came = setjmp(out);

	if (came != 0)
		return kept + (uint32_t)came + use_stack(a);
	total += descend(a % 6, a);
	return kept;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 31415;

	for (uint32_t round = 0; round < rounds; round++)
		total = total * 3 + attempt(next_random(&random)) + use_stack(round);
	return total;
}
