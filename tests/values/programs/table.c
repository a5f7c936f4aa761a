/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with open addressing and another with chains, insertion, deletion, growth. */
#include "program.h"

enum { SLOTS = 64, CHAINS = 16 };

struct entry {
	uint32_t key; /* 0: free, 1: deleted */
	uint32_t value;
};

struct link {
	struct link *next;
	uint32_t key;
	uint16_t count;
};

static struct entry slots[SLOTS];
static struct link links[40];
static struct link *chains[CHAINS];
static struct link *unused;

static uint32_t hash(uint32_t key)
{
	key ^= key >> 15;
	key *= 0x2c1b3c6du;
	key ^= key >> 12;
	return key;
}

NOINLINE static struct entry *find(uint32_t key, int for_insertion)
{
	struct entry *deleted = NULL;

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct entry *e = &slots[(hash(key) + i) % SLOTS];

		if (e->key == key)
			return e;
		if (e->key == 1 && !deleted)
			deleted = e;
		if (e->key == 0)
			return for_insertion ? (deleted ? deleted : e) : NULL;
	}
	return for_insertion ? deleted : NULL;
}

NOINLINE static void count(uint32_t key)
{
	struct link **at = &chains[hash(key) % CHAINS];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	if (!*at) {
		if (!unused)
			return;
		*at = unused;
		unused = unused->next;
		**at = (struct link){NULL, key, 0};
	}
	(*at)->count++;
}

NOINLINE static void drop(uint32_t key)
{
	struct link **at = &chains[hash(key) % CHAINS];
	struct link *gone;

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	if (!*at)
		return;
	gone = *at;
	*at = gone->next;
	gone->next = unused;
	unused = gone;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 99;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 40; i++) {
		links[i].next = unused;
		unused = &links[i];
	}
	for (uint32_t round = 0; round < rounds * 20; round++) {
		uint32_t r = next_random(&random);
		uint32_t key = 2 + r % 50;
		struct entry *e = find(key, r % 3 != 0);

		if (e && r % 3 != 0) {
			e->key = key;
			e->value += r >> 8;
		} else if (e) {
			sum += e->value;
			e->key = 1;
		}
		if (r % 5 != 0)
			count(key);
		else
			drop(key - 1);
	}
	for (uint32_t i = 0; i < CHAINS; i++) {
		for (struct link *l = chains[i]; l; l = l->next)
			sum = sum * 3 + l->count;
	}
	return sum;
}
