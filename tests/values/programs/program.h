/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorder knows of a program: from the first instruction of program() to that of
 * finished() it is recorded. In between it makes no system call.
 */
#ifndef CSREPLAY_TESTS_VALUES_PROGRAM_H
#define CSREPLAY_TESTS_VALUES_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))

/* `rounds` says how long it runs. */
uint32_t program(uint32_t rounds);
void finished(uint32_t result);

static inline uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#endif
