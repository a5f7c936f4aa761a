/* SPDX-License-Identifier: Apache-2.0 */
/* What kernel.c maps for one process while it runs. */
#include <stdint.h>

uint64_t fold(uint64_t x)
{
	uint64_t words[4];

	for (uint32_t i = 0; i < 4; i++)
		words[i] = x * (2 * i + 1) ^ x >> (i + 1);
	for (uint32_t i = 0; i < 24; i++)
		words[i % 4] += words[(i + 1) % 4] >> 3;
	return words[0] ^ words[1] ^ words[2] ^ words[3];
}
