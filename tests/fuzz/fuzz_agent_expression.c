/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agent expressions: the first byte says which registers and memory are known, the rest is the
 * expression. Holds: it ends, and says the same the second time.
 */
#include "fuzz.h"
#include "stub/agent_expression.h"

static bool made_register(void *context, unsigned int number, uint64_t *value)
{
	const uint8_t *known = context;

	*value = UINT64_C(0x8000000000000001) * number;
	return (*known >> (number % 4) & 1) != 0;
}

static bool made_memory(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
	const uint8_t *known = context;

	FUZZ_CHECK(size == 1 || size == 2 || size == 4 || size == 8);
	*value = address;
	return (*known >> (4 + address % 4) & 1) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t known = size > 0 ? data[0] : 0;
	const struct agent_target target = {made_register, made_memory, &known};
	struct bytes code;

	if (size == 0)
		return 0;
	code = bytes_of(data + 1, size - 1);
	FUZZ_CHECK(agent_evaluate(code, &target) == agent_evaluate(code, &target));
	return 0;
}
