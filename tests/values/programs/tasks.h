/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What three tasks do: one runs the program of the test, one recurs, one waits for both. In: the
 * kernel's `tasks`, with `is_done`, yield(), end_of_task(), which does not return, and finished().
 */
enum { ROUNDS = 2 };

static volatile uint32_t results[TASKS];

NOINLINE static uint32_t fold(const uint32_t *words, uint32_t count, uint32_t depth)
{
	uint32_t sum = depth;

	for (uint32_t i = 0; i < count; i++)
		sum = (sum << 3 | sum >> 29) ^ words[i];
	return depth == 0 ? sum : sum + fold(words, count, depth - 1);
}

static void sorter(void)
{
	for (uint32_t i = 0; i < ROUNDS; i++) {
		results[0] += program(1);
		yield();
	}
	end_of_task();
}

static void folder(void)
{
	uint32_t words[16];
	uint32_t random = 2463534242u;

	for (uint32_t i = 0; i < 12; i++) {
		for (uint32_t k = 0; k < 16; k++)
			words[k] = next_random(&random);
		results[1] ^= fold(words, 16, 3);
	}
	end_of_task();
}

static void waiter(void)
{
	while (!tasks[0].is_done || !tasks[1].is_done) {
		results[2]++;
		yield();
	}
	finished(results[0] + results[1]);
	for (;;) {
	}
}
