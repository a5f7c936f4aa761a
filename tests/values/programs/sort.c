/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting with callbacks: quicksort, insertion sort, merge sort over records. */
#include "program.h"

struct item {
	uint32_t key;
	uint16_t rank;
	uint8_t tag;
};

typedef int (*compare)(const struct item *, const struct item *);

static struct item items[48];
static struct item spare[48];

NOINLINE static int by_key(const struct item *a, const struct item *b)
{
	return a->key < b->key ? -1 : a->key > b->key;
}

NOINLINE static int by_rank(const struct item *a, const struct item *b)
{
	return (int)a->rank - (int)b->rank;
}

static int by_tag(const struct item *a, const struct item *b)
{
	return (int)b->tag - (int)a->tag;
}

static void swap(struct item *a, struct item *b)
{
	struct item t = *a;

	*a = *b;
	*b = t;
}

NOINLINE static void quick(struct item *v, int low, int high, compare less)
{
	int i = low;
	int j = high;
	struct item pivot = v[(low + high) / 2];

	while (i <= j) {
		while (less(&v[i], &pivot) < 0)
			i++;
		while (less(&v[j], &pivot) > 0)
			j--;
		if (i <= j)
			swap(&v[i++], &v[j--]);
	}
	if (low < j)
		quick(v, low, j, less);
	if (i < high)
		quick(v, i, high, less);
}

NOINLINE static void insertion(struct item *v, int n, compare less)
{
	for (int i = 1; i < n; i++) {
		struct item x = v[i];
		int j = i;

		for (; j > 0 && less(&v[j - 1], &x) > 0; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

NOINLINE static void merge(struct item *v, int n, compare less)
{
	int half = n / 2;
	int i = 0;
	int j = half;

	if (n < 2)
		return;
	merge(v, half, less);
	merge(v + half, n - half, less);
	for (int k = 0; k < n; k++)
		spare[k] = i < half && (j == n || less(&v[i], &v[j]) <= 0) ? v[i++] : v[j++];
	for (int k = 0; k < n; k++)
		v[k] = spare[k];
}

uint32_t program(uint32_t rounds)
{
	static const compare compares[] = {by_key, by_rank, by_tag};
	uint32_t random = 88172645u;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		compare less = compares[round % 3];

		for (int i = 0; i < 48; i++) {
			uint32_t r = next_random(&random);

			items[i] = (struct item){r, (uint16_t)(r >> 3), (uint8_t)(r >> 9)};
		}
		if (round % 3 == 0)
			quick(items, 0, 47, less);
		else if (round % 3 == 1)
			insertion(items, 32, less);
		else
			merge(items, 48, less);
		sum = sum * 31 + items[5].key + items[17].rank;
	}
	return sum;
}
