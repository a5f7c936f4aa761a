/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of kernel.c: a function that may be patched, calls of the kernel, now and then a
 * program, and a library from when the kernel says where it is: it sets x19, where no other code
 * keeps anything.
 */
#include "tests/values/programs/program.h"

register uint64_t library __asm__("x19");

uint64_t grow(uint64_t x);

static volatile uint64_t rounds; /* at one address in both processes */

static uint64_t call(uint64_t x)
{
	register uint64_t x0 __asm__("x0") = x;

	__asm__ volatile("svc #0" : "+r"(x0) : : "memory");
	return x0;
}

void begin(void)
{
	uint64_t sum = 3;

	for (uint32_t i = 0;; i++) {
		rounds++;
		sum = grow(sum + i);
		if (i % 4 == 0)
			sum = call(sum);
		if (library)
			sum = ((uint64_t(*)(uint64_t))library)(sum);
		if (i % 16 == 15)
			sum += program(1);
	}
}

__asm__(".pushsection .boot, \"ax\"\n b begin\n"
        ".global grow\n.type grow, %function\ngrow: eor x1, x0, x0, lsr #7\n"
        ".global patched_at\npatched_at: add x0, x0, #1\n add x0, x0, x1\n ret\n.popsection\n");
