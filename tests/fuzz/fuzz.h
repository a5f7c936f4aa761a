/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share. A target is LLVMFuzzerTestOneInput(): any bytes in, and the program
 * ends at once if a property that its first comment names does not hold. It runs under libFuzzer
 * or, as an ordinary test, under driver.c.
 */
#ifndef CSREPLAY_TESTS_FUZZ_FUZZ_H
#define CSREPLAY_TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"

/* 0; the bytes are those of the caller. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The property that the target is about. */
#define FUZZ_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_failed(__FILE__, __LINE__, #condition);                               \
	} while (0)

_Noreturn static inline void fuzz_failed(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

/* The next `size` bytes of the input as a number; 0 where it is at its end. */
static inline uint64_t fuzz_number(struct bytes *in, unsigned int size)
{
	uint64_t value = 0;

	return bytes_le(in, size, &value) == STATUS_OK ? value : 0;
}

#endif
