/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 and ETE from decoder_open() on: any registers, any trace, any memory. Holds: what
 * fuzz_decode() says of its elements.
 */
#include "fuzz.h"
#include "fuzz_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_decode(PROTOCOL_ETM4, data, size);
	return 0;
}
