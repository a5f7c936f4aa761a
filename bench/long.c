/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to rebuild the past of: 1.1 million instructions of what firmware does (lists from a
 * pool, a hash table, a sort with a callback, CRC-32, a bytecode machine), and then a wild store.
 * Freestanding, for AArch64; bench/values.py builds and records it.
 */
#include <stddef.h>
#include <stdint.h>

enum { KEYS = 64, BUCKETS = 256, ROUNDS = 40 };

struct item {
	struct item *next;
	uint64_t key;
	char text[24];
};

static struct item pool[1024];
static size_t pool_used;
static struct item *spare;
static struct item *table[BUCKETS];
static uint32_t crc_table[256];
static uint64_t keys[KEYS];
static volatile uint64_t result;

static uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static struct item *take(void)
{
	struct item *item = spare;

	if (!item)
		return &pool[pool_used++ % 1024];
	spare = item->next;
	return item;
}

static void put(uint64_t key)
{
	struct item *item = take();
	uint64_t digits = key & 0xffff;
	int i = 0;

	item->key = key;
	do {
		item->text[i++] = (char)('0' + digits % 10);
		digits /= 10;
	} while (digits > 0);
	item->text[i] = 0;
	item->next = table[key % BUCKETS];
	table[key % BUCKETS] = item;
}

static struct item *find(uint64_t key)
{
	struct item *item = table[key % BUCKETS];

	while (item && item->key != key)
		item = item->next;
	return item;
}

static void drop(uint64_t key)
{
	for (struct item **at = &table[key % BUCKETS]; *at; at = &(*at)->next) {
		struct item *item = *at;

		if (item->key != key)
			continue;
		*at = item->next;
		item->next = spare;
		spare = item;
		return;
	}
}

static int by_value(const uint64_t *a, const uint64_t *b)
{
	return *a < *b ? -1 : *a > *b;
}

static void sort(uint64_t *a, int n, int (*compare)(const uint64_t *, const uint64_t *))
{
	for (int gap = n / 2; gap > 0; gap /= 2) {
		for (int i = gap; i < n; i++) {
			uint64_t moved = a[i];
			int j = i;

			for (; j >= gap && compare(&a[j - gap], &moved) > 0; j -= gap)
				a[j] = a[j - gap];
			a[j] = moved;
		}
	}
}

static void make_crc_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		crc_table[i] = i;
		for (int k = 0; k < 8; k++)
			crc_table[i] = (crc_table[i] >> 1) ^ (crc_table[i] & 1 ? 0xedb88320 : 0);
	}
}

static uint32_t crc(const char *p, size_t n)
{
	uint32_t c = UINT32_MAX;

	while (n-- > 0)
		c = crc_table[(c ^ (uint8_t)*p++) & 255] ^ c >> 8;
	return ~c;
}

enum { OP_END, OP_PUSH, OP_ADD, OP_MULTIPLY, OP_SKIP_IF_ODD, OP_HALVE };

static uint64_t interpret(uint64_t x)
{
	static const uint8_t code[] = {OP_PUSH,        3,  OP_MULTIPLY, OP_PUSH,  7,      OP_ADD,
	                               OP_SKIP_IF_ODD, 2,  OP_PUSH,     9,        OP_ADD, OP_HALVE,
	                               OP_PUSH,        11, OP_MULTIPLY, OP_HALVE, OP_END};
	uint64_t stack[16];
	uint64_t *top = stack;

	stack[0] = x;
	for (const uint8_t *p = code;; p++) {
		switch (*p) {
		case OP_PUSH:
			*++top = *++p;
			break;
		case OP_ADD:
			top--;
			top[0] += top[1];
			break;
		case OP_MULTIPLY:
			top--;
			top[0] *= top[1];
			break;
		case OP_SKIP_IF_ODD:
			p += 1 + (*top & 1 ? p[1] : 0);
			break;
		case OP_HALVE:
			*top /= 2;
			break;
		default:
			return *top;
		}
	}
}

static void round_of_work(void)
{
	for (int i = 0; i < KEYS; i++) {
		keys[i] = next_random() & 0xfffff;
		put(keys[i]);
	}
	sort(keys, KEYS, by_value);
	for (int i = 0; i < KEYS; i++) {
		const struct item *item = find(keys[i]);

		if (item)
			result += crc(item->text, 8) + interpret(item->key);
		if (i % 2 == 1)
			drop(keys[i]);
	}
	for (int i = 0; i < KEYS; i += 2)
		drop(keys[i]);
}

void _start(void)
{
	make_crc_table();
	for (int i = 0; i < ROUNDS; i++)
		round_of_work();
	*(volatile uint64_t *)(uintptr_t)(result % 2 + 8) = 1;
	for (;;)
		;
}
