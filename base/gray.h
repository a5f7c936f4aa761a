/* SPDX-License-Identifier: Apache-2.0 */
/* Gray code: neighbouring numbers differ in one bit. */
#ifndef CSREPLAY_BASE_GRAY_H
#define CSREPLAY_BASE_GRAY_H

#include <stdint.h>

/* Each bit says whether the binary number's differs from the one above. */
static inline uint64_t gray_of(uint64_t binary)
{
	return binary ^ binary >> 1;
}

static inline uint64_t gray_to_binary(uint64_t gray)
{
	for (unsigned int shift = 1; shift < 64; shift *= 2)
		gray ^= gray >> shift;
	return gray;
}

#endif
