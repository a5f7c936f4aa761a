/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of unknown size, buffers that overflow into what lies next to them, copies that overlap,
 * jumps that leave frames, code that is written and run.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "program.h"

static struct {
	char name[16];
	uint32_t level;
	char *text;
	char tail[16];
} record;
static jmp_buf place;
static char text[128];
static uint32_t depth_of[16];
static uint32_t *code;

NOINLINE static uint32_t variable(uint32_t n, uint32_t seed)
{
	uint32_t array[n % 13 + 1];
	char *more = __builtin_alloca(seed % 40 + 1);

	for (uint32_t i = 0; i <= n % 13; i++)
		array[i] = seed >> i;
	memset(more, (int)seed, seed % 40 + 1);
	if (n > 0)
		array[0] += variable(n - 1, seed * 5 + 1);
	depth_of[n % 16] = array[n % 13 / 2];
	return array[n % 13] + array[0] + (uint32_t)more[seed % 40];
}

/* Runs over the name into the level, and sometimes into the pointer. */
NOINLINE static void overflow(const char *from, size_t n)
{
	char *volatile to = record.name;

	memcpy(to, from, n);
}

NOINLINE static uint32_t copies(uint32_t seed)
{
	record.level = seed;
	record.text = text;
	for (int i = 0; i < 128; i++)
		text[i] = (char)('a' + (seed >> i % 23) % 26);
	text[127] = 0;
	overflow(text, 10 + seed % 11);
	memmove(text + 5, text, 60);
	memmove(text, text + 3, 50 + seed % 9);
	strcpy(record.tail, "0123456");
	strncat(record.tail, text, seed % 8);
	return record.level + (uint32_t)strlen(record.tail) + (uint32_t)(record.text - text) +
	       (uint32_t)text[seed % 60];
}

/* What it writes after its array is its caller's. */
NOINLINE static uint32_t smash(uint32_t n, uint32_t seed)
{
	volatile uint32_t array[4] = {seed, n, 3, 4};
	volatile uint32_t *volatile p = array;

	for (uint32_t i = 0; i < 4 + n % 2; i++)
		p[i] ^= i * seed;
	return array[seed % 4];
}

NOINLINE static uint32_t smashed(uint32_t seed)
{
	volatile uint32_t room[16];

	for (int i = 0; i < 16; i++)
		room[i] = seed + (uint32_t)i;
	return smash(0, seed) + room[3];
}

NOINLINE static void leave(uint32_t depth, uint32_t seed)
{
	volatile uint32_t local = seed + depth;

	if (depth == 0)
		longjmp(place, (int)(seed % 5 + 1));
	leave(depth - 1, seed / 3);
	depth_of[local % 16]++;
}

NOINLINE static uint32_t jumps(uint32_t seed)
{
	volatile uint32_t before = seed;
	int how = setjmp(place);

	if (how == 0)
		leave(seed % 6, seed);
	switch (how) {
	case 1:
		return before + 9;
	case 2:
		return before ^ 0x77;
	case 3:
		return before * 3;
	case 4:
		return before >> 4;
	default:
		return before - 1;
	}
}

/* A function that returns a number of 16 bits. */
NOINLINE static uint32_t generated(uint32_t seed)
{
	if (!code)
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef __aarch64__
	code[0] = 0x52800000 | (seed & 0xffff) << 5;
	code[1] = 0xd65f03c0;
#else
	code[0] = 0xe3000000 | (seed & 0xf000) << 4 | (seed & 0xfff);
	code[1] = 0xe12fff1e;
#endif
	__builtin___clear_cache((char *)code, (char *)code + 8);
	return ((uint32_t(*)(void))(uintptr_t)code)();
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 57721;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t seed = next_random(&random);

		sum = sum * 3 + variable(seed % 7, seed);
		sum = sum * 3 + copies(seed);
		sum = sum * 3 + smashed(seed);
		sum = sum * 3 + jumps(seed);
		if (round % 4 == 1)
			sum = sum * 3 + generated(seed);
	}
	return sum;
}
