/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating point and vectors: conversions both ways, comparisons that branch, constants, lanes,
 * loops that the compiler makes vectors of, pointers that go through vector registers.
 */
#include <math.h>
#include <string.h>

#include "program.h"

static float floats[64];
static double doubles[64];
static int32_t ints[64];
static uint8_t bytes[256];
static uint16_t shorts[128];
static double state[4];

NOINLINE static double filter(double x, const double *taps, int n)
{
	double y = 0;

	for (int i = n - 1; i > 0; i--)
		state[i] = state[i - 1];
	state[0] = x;
	for (int i = 0; i < n; i++)
		y += taps[i] * state[i];
	return y < 0 ? -y : fmin(y, 1e9);
}

NOINLINE static int32_t convert(float f, double d, uint32_t u)
{
	int32_t n = (int32_t)f + (int32_t)(int64_t)d + (int32_t)(uint32_t)(float)u;
	uint32_t raw;

	memcpy(&raw, &f, sizeof(raw));
	if (f > 3.0f && !(d <= 2.5))
		n += (int32_t)(raw >> 23);
	else if (f != f || d == 0)
		n -= 7;
	return n + (int32_t)lrint(d) + (int32_t)floorf(f) + (int32_t)(d * 256.0);
}

NOINLINE static void loops(uint32_t seed)
{
	for (int i = 0; i < 64; i++)
		ints[i] = (int32_t)(seed >> (i % 17)) - i;
	for (int i = 0; i < 64; i++)
		floats[i] = (float)ints[i] * 0.5f + floats[63 - i];
	for (int i = 0; i < 64; i++)
		doubles[i] = (double)floats[i] / 3 + sqrt(fabs(doubles[i]));
	for (int i = 0; i < 256; i++)
		bytes[i] =
		        (uint8_t)(bytes[i] > seed % 256 ? bytes[i] - seed : bytes[i] + (uint8_t)i);
	for (int i = 0; i < 128; i++)
		shorts[i] = (uint16_t)(shorts[i] * 3 + bytes[2 * i]);
	for (int i = 0; i < 64; i++)
		ints[i] = ints[i] > 0 ? ints[i] << (i % 5) : (ints[i] ^ 0x55) + (int32_t)shorts[i];
}

NOINLINE static uint32_t total(void)
{
	uint32_t sum = 0;
	int32_t best = ints[0];

	for (int i = 0; i < 256; i++)
		sum += bytes[i];
	for (int i = 0; i < 64; i++)
		best = best < ints[i] ? ints[i] : best;
	for (int i = 0; i < 128; i++)
		sum ^= (uint32_t)shorts[i] * 0x101;
	return sum + (uint32_t)best;
}

struct point {
	float x, y, z;
};

NOINLINE static struct point turn(struct point p, double angle)
{
	float c = (float)cos(angle);
	float s = (float)sin(angle);

	return (struct point){p.x * c - p.y * s, p.x * s + p.y * c, p.z + 1};
}

#ifdef __aarch64__
/* What goes through vectors and lanes is the same number after them. */
NOINLINE static uint64_t lanes(uint64_t *p, uint64_t a, uint64_t b)
{
	uint64_t x;
	uint64_t y;

	__asm__ volatile("fmov d0, %2\n ins v0.d[1], %3\n ext v1.16b, v0.16b, v0.16b, #8\n"
	                 "str q1, [%4]\n ld1 {v2.4s, v3.4s}, [%4]\n rev64 v3.4s, v3.4s\n"
	                 "mov v4.16b, v2.16b\n zip1 v5.2d, v4.2d, v0.2d\n umov %0, v5.d[0]\n"
	                 "st2 {v4.2s, v5.2s}, [%4]\n ld1 {v4.s}[2], [%4]\n mov %w1, v4.s[2]\n"
	                 "dup v6.4s, %w2\n st1 {v6.h}[3], [%4]\n movi v7.2d, #0xff00ff00ff00ff\n"
	                 "bsl v7.16b, v6.16b, v0.16b\n stp d7, d0, [%4, #16]\n"
	                 "ldp s0, s1, [%4, #20]\n fmov w9, s1\n add %1, %1, x9\n"
	                 "fcmp d0, d7\n cset w9, gt\n add %1, %1, x9\n fcvtzs x9, d6, #4\n"
	                 "tbl v8.8b, {v6.16b}, v0.8b\n addv b9, v6.8b\n umov w10, v9.b[0]\n add "
	                 "%1, %1, x10\n"
	                 : "=&r"(x), "=&r"(y)
	                 : "r"(a), "r"(b), "r"(p)
	                 : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "x9", "x10",
	                   "cc", "memory");
	return x ^ y;
}
#endif

uint32_t program(uint32_t rounds)
{
	static const double taps[4] = {0.5, -0.25, 0.125, 1.5};
	uint32_t random = 1618;
	uint32_t sum = 0;
	struct point p = {1, 2, 3};

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t seed = next_random(&random);

		loops(seed);
		sum += (uint32_t)filter((double)seed / 1000, taps, 4);
		sum += (uint32_t)convert(floats[seed % 64], doubles[seed % 7], seed) + total();
		p = turn(p, (double)(seed % 700) / 100);
		sum += (uint32_t)(p.x * 10) + (uint32_t)p.z;
#ifdef __aarch64__
		sum += (uint32_t)lanes((uint64_t *)(void *)floats, seed, sum);
#endif
	}
	return sum;
}
