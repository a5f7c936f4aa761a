/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point: matrices, elimination, a filter, conversions. */
#include "program.h"

enum { N = 5 };

static double a[N][N];
static double b[N][N];
static double c[N][N];
static float taps[8];
static int16_t samples[40];

NOINLINE static void multiply(double (*x)[N], double (*y)[N], double (*z)[N])
{
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += x[i][k] * y[k][j];
			z[i][j] = sum;
		}
	}
}

NOINLINE static double determinant(double (*m)[N])
{
	double product = 1;

	for (int i = 0; i < N; i++) {
		if (m[i][i] == 0)
			return 0;
		product *= m[i][i];
		for (int j = i + 1; j < N; j++) {
			double factor = m[j][i] / m[i][i];

			for (int k = i; k < N; k++)
				m[j][k] -= factor * m[i][k];
		}
	}
	return product;
}

NOINLINE static int32_t filter(int at)
{
	float sum = 0;

	for (int i = 0; i < 8; i++)
		sum += taps[i] * (float)samples[(at + i) % 40];
	return (int32_t)sum;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 9;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		for (int i = 0; i < N * N; i++) {
			a[i / N][i % N] = (double)(next_random(&random) % 1000) / 7.0;
			b[i % N][i / N] = (double)(int32_t)next_random(&random) * 1e-6;
		}
		for (int i = 0; i < 40; i++)
			samples[i] = (int16_t)next_random(&random);
		for (int i = 0; i < 8; i++)
			taps[i] = 1.0f / (float)(i + 1);
		multiply(a, b, c);
		sum += (uint32_t)(int64_t)(determinant(c) * 1e-9);
		for (int i = 0; i < 10; i++)
			sum = sum * 3 + (uint32_t)filter(i * 3);
		if (c[1][2] > c[2][1])
			sum++;
	}
	return sum;
}
