/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an analysis of values gets wrong if it is careless: stores through pointers that nobody
 * remembers, over saved registers; names of one place that differ in size, alignment or tag;
 * exclusives and compare-and-swap that fail; flags that are written; frames that are used again.
 */
#include "program.h"

static uint64_t cells[600] __attribute__((aligned(4096)));
static uint64_t *wild[4];
static uint32_t seed;

/* The place that a wild store hits; nothing of it stays in a register or in memory. */
NOINLINE static void *forget(uint32_t which)
{
	uint64_t *p = wild[which % 4];

	wild[which % 4] = NULL;
	return p;
}

/* Hits what the caller saved, or does not. */
NOINLINE static void smash(uintptr_t value, uint32_t which)
{
	uintptr_t *p = forget(which);

	*p = value;
}

NOINLINE static uintptr_t victim(uintptr_t a, uintptr_t b, uint32_t which)
{
	uintptr_t saved[3] = {a, b, a ^ b};

	__asm__ volatile("" : : "r"(saved) : "memory");
	wild[which % 4] = (uint64_t *)&saved[which % 3];
	smash(a * 3 + 1, which);
	__asm__ volatile("" : : : "memory");
	return saved[0] + 2 * saved[1] + 4 * saved[2];
}

/* The same stack, one frame after the other. */
NOINLINE static uintptr_t frame_a(uintptr_t a)
{
	volatile uintptr_t local[4] = {a, a + 1, a + 2, a + 3};

	return local[seed % 4];
}

NOINLINE static uintptr_t frame_b(uintptr_t a)
{
	volatile uintptr_t local[4]; /* the first two are written */

	local[0] = a;
	local[1] = ~a;
	return local[seed % 2];
}

/* LDRD has to be aligned. */
#ifdef __aarch64__
typedef uint64_t wide;
#else
typedef uint32_t wide;
#endif

/* Two pointers to the same or to overlapping bytes. */
NOINLINE static uint64_t alias(uint8_t *p, uint8_t *q, uint64_t value)
{
	uint64_t sum;

	*(volatile wide *)(void *)p = value;
	*(volatile uint32_t *)(void *)q = (uint32_t)~value;
	sum = *(volatile wide *)(void *)p;
	*(volatile uint16_t *)(void *)(q + 1) = (uint16_t)(value >> 5);
	*(volatile uint8_t *)(p + 7) = 0x5a;
	return sum + *(volatile wide *)(void *)p + *(volatile uint32_t *)(void *)q;
}

#ifdef __aarch64__
NOINLINE static uint64_t tagged(uint64_t *p, uint64_t value)
{
	uint64_t *t = (uint64_t *)((uintptr_t)p | (uintptr_t)(value & 0xff) << 56);

	*(volatile uint64_t *)t = value;
	return *(volatile uint64_t *)p;
}

/* The status says whether it was stored; with `clear` it never is. */
NOINLINE static uint64_t exclusive(uint64_t *p, uint64_t value, int clear)
{
	uint64_t old;
	uint32_t failed;

	__asm__ volatile("ldaxr %0, [%2]" : "=&r"(old), "+m"(*p) : "r"(p));
	if (clear)
		__asm__ volatile("clrex" : : : "memory");
	__asm__ volatile("stlxr %w0, %1, [%2]" : "=&r"(failed) : "r"(value), "r"(p) : "memory");
	return old + failed;
}

NOINLINE static uint64_t pairs(uint64_t *p, uint64_t a, uint64_t b)
{
	uint64_t x;
	uint64_t y;
	uint32_t failed;

	__asm__ volatile("ldxp %0, %1, [%5]\n stxp %w2, %3, %4, [%5]"
	                 : "=&r"(x), "=&r"(y), "=&r"(failed)
	                 : "r"(a), "r"(b), "r"(p)
	                 : "memory");
	__asm__ volatile("stp %0, %1, [%2], #16\n ldp %0, %1, [%2, #-16]!\n"
	                 : "+&r"(x), "+&r"(y), "+&r"(p)
	                 :
	                 : "memory");
	return x ^ y ^ failed;
}

NOINLINE static uint64_t flags(uint64_t a, uint64_t b)
{
	uint64_t n = 0;

	__asm__ volatile(
	        "cmp %1, %2\n mrs %0, nzcv\n eor %0, %0, %1, lsl #28\n and %0, %0, #0xf0000000\n"
	        "msr nzcv, %0\n b.hi 1f\n add %0, %0, #1\n 1: b.vs 2f\n add %0, %0, #2\n 2:\n"
	        "ccmp %1, #7, #5, ne\n csinc %0, %0, %2, lt\n adcs %0, %0, xzr\n"
	        : "+&r"(n)
	        : "r"(a), "r"(b)
	        : "cc");
	return n;
}

/* Register 31 is SP here and zero there. */
NOINLINE static uint64_t thirty_one(uint64_t a)
{
	uint64_t x;

	__asm__ volatile(
	        "sub sp, sp, #32\n str xzr, [sp, #8]\n add x9, sp, #8\n str %1, [sp]\n"
	        "ldr xzr, [sp]\n orr x10, xzr, x9\n sub x10, x10, #8\n cmp sp, x10\n"
	        "cset %0, eq\n ldp x10, x11, [sp]\n add %0, %0, x10\n add %0, %0, x11\n"
	        "subs xzr, x10, %1\n cinc %0, %0, eq\n and sp, x9, #-16\n add sp, sp, #32\n"
	        : "=&r"(x)
	        : "r"(a)
	        : "x9", "x10", "x11", "cc", "memory");
	return x;
}

#ifdef __ARM_FEATURE_ATOMICS
NOINLINE static uint64_t atomics(uint64_t *p, uint64_t a, uint64_t b)
{
	uint64_t x = a;
	uint64_t y = b;
	register uint64_t r4 __asm__("x4") = a;
	register uint64_t r5 __asm__("x5") = b;
	register uint64_t r6 __asm__("x6") = b;
	register uint64_t r7 __asm__("x7") = a;

	__asm__ volatile("casal %0, %2, [%3]\n swpal %1, %0, [%3]\n ldaddal %0, %1, [%3]\n"
	                 "ldclr %0, xzr, [%3]\n ldsmax %w1, %w0, [%3]\n stset %1, [%3]\n"
	                 : "+&r"(x), "+&r"(y)
	                 : "r"(b), "r"(p)
	                 : "memory");
	__asm__ volatile("caspal x4, x5, x6, x7, [%4]\n casb %w0, %w1, [%4]\n"
	                 : "+r"(r4), "+r"(r5)
	                 : "r"(r6), "r"(r7), "r"(p)
	                 : "memory");
	return x + y + r4 + r5;
}

/* What authentication leaves of a pointer is not what it was. */
NOINLINE static uint64_t signed_pointers(uint64_t a)
{
	uint64_t x = (uintptr_t)cells + a % 64;

	__asm__ volatile(
	        "pacia %0, %1\n eor x9, %0, %1\n xpaci %0\n autdza x9\n pacga x10, x9, %0\n"
	        "add %0, %0, x10\n"
	        : "+&r"(x)
	        : "r"(a)
	        : "x9", "x10");
	return x;
}

NOINLINE static uint64_t scalable(uint64_t *p, uint64_t a)
{
	uint64_t x;

	__asm__ volatile(".arch_extension sve\n cntb x9\n whilelo p0.d, xzr, %3\n dup z0.d, %2\n"
	                 "index z1.d, %2, #3\n ld1d z2.d, p0/z, [%1]\n"
	                 "add z2.d, z2.d, z0.d\n uaddv d3, p0, z2.d\n fmov %0, d3\n incd %0\n"
	                 "add %0, %0, x9\n cset w9, ne\n add %0, %0, x9\n"
	                 : "=&r"(x)
	                 : "r"(p), "r"(a), "r"(a % 3)
	                 : "x9", "cc", "memory", "v0", "v1", "v2", "v3");
	return x;
}
#endif
#else
/* Flags decide what is loaded, stored and branched to. */
NOINLINE static uint32_t predicated(uint32_t *p, uint32_t a, uint32_t b)
{
	uint32_t x = 0;

	__asm__ volatile(
	        ".syntax unified\n cmp %2, %3\n itete hi\n ldrhi %0, [%1]\n strls %2, [%1]\n"
	        "addhi %0, %0, #5\n movls %0, #3\n tst %2, #6\n itt eq\n streq %3, [%1, #4]\n"
	        "ldreq %0, [%1, #3]\n adcs %0, %0, %2\n it vs\n mvnvs %0, %0\n"
	        : "+&r"(x)
	        : "r"(p), "r"(a), "r"(b)
	        : "cc", "memory");
	return x;
}

NOINLINE static uint32_t multiples(uint32_t *p, uint32_t a, uint32_t b)
{
	__asm__ volatile(
	        ".syntax unified\n mov r4, %1\n mov r5, %2\n mov r6, %0\n stmia r6!, {r4, r5}\n"
	        "ldmdb r6!, {r4, r5}\n push {r4, r5, r6}\n pop {r4, r5}\n str r4, [sp, #-4]!\n"
	        "ldr r4, [sp], #8\n ldm r6, {r5, r6}\n strd r4, r5, [%0, #8]\n"
	        "ldrd r4, r5, [%0]\n add %1, r4, r5\n eor %1, %1, r6\n"
	        : "+&r"(p), "+&r"(a), "+&r"(b)
	        :
	        : "r4", "r5", "r6", "memory");
	return a;
}

NOINLINE static uint32_t exclusive(uint32_t *p, uint32_t value, int clear)
{
	uint32_t old;
	uint32_t failed;

	__asm__ volatile("ldrex %0, [%1]" : "=&r"(old) : "r"(p) : "memory");
	if (clear)
		__asm__ volatile("clrex" : : : "memory");
	__asm__ volatile("strex %0, %1, [%2]" : "=&r"(failed) : "r"(value), "r"(p) : "memory");
	return old + failed;
}

NOINLINE static uint32_t flags(uint32_t a, uint32_t b)
{
	uint32_t n = 0;

	__asm__ volatile(
	        "cmp %1, %2\n mrs %0, apsr\n eor %0, %0, %1\n msr apsr_nzcvq, %0\n bhi 1f\n"
	        "adds %0, %0, #1\n 1: bvs 2f\n adds %0, %0, #2\n 2: adcs %0, %0, %1\n"
	        "qadd %0, %0, %2\n ssat %0, #20, %0\n usat %0, #9, %0, lsl #1\n"
	        : "+&r"(n)
	        : "r"(a), "r"(b)
	        : "cc");
	return n;
}
#endif

static uint64_t round_of(uint32_t r)
{
	uint64_t sum = victim(r, r >> 7, r >> 3) + frame_a(r) + frame_b(r >> 2);
	uint8_t *bytes = (uint8_t *)cells;
	uint32_t at = r % 30 * 8 + 4080; /* about the end of a page */

	sum += alias(bytes + at, bytes + at + r % 9, (uint64_t)r * r);
	sum += alias(bytes + at + r % 5, bytes + at + 2, r);
	sum += flags(r, r >> (r & 1));
#ifdef __aarch64__
	sum += tagged(&cells[r % 20], sum) + thirty_one(r);
	sum += exclusive(&cells[r % 20], sum, r % 3 == 0) + pairs(&cells[r % 10 * 2], r, sum);
#ifdef __ARM_FEATURE_ATOMICS
	cells[r % 16 & ~1u] = r % 2 != 0 ? sum : 3;
	sum += atomics(&cells[r % 16 & ~1u], sum, 3) + signed_pointers(r);
	sum += scalable(&cells[r % 40], sum);
#endif
#else
	sum += predicated((uint32_t *)&cells[r % 20], r % 7, r % 5);
	sum += multiples((uint32_t *)&cells[r % 20], r, r + 1);
	sum += exclusive((uint32_t *)&cells[r % 20], r, r % 3 == 0);
#endif
	return sum;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 271828;
	uint64_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		seed = next_random(&random);
		sum = sum * 3 + round_of(seed);
	}
	return (uint32_t)sum;
}
