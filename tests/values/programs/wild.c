/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function pointer that somebody has overwritten: a program of its own, without a library. */
static volatile unsigned int table[8];
static unsigned int sum;

static __attribute__((noinline)) unsigned int mix(unsigned int a, unsigned int b)
{
	return b < 3 ? a ^ b : mix(a + table[b % 8], b - 3) + b;
}

static __attribute__((noinline)) void call(void (*target)(unsigned int))
{
	for (unsigned int i = 0; i < 20; i++) {
		table[i % 8] = mix(i, 3 * i);
		sum += table[i % 8];
	}
	target(sum);
}

void _start(void)
{
	call((void (*)(unsigned int))WILD);
	__builtin_trap();
}
