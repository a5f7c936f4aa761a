/* SPDX-License-Identifier: Apache-2.0 */
/* Code out of opcodes; see tarmac_code.h. */
#include "replay/tarmac/log/tarmac_code.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

enum { FIRST_SLOTS = 1024 };

static struct tarmac_code_word *find(struct tarmac_code_word *words, size_t slots, uint64_t key)
{
	size_t i = hash_u64(key);

	while (words[i & (slots - 1)].known != 0 && words[i & (slots - 1)].key != key)
		i++;
	return &words[i & (slots - 1)];
}

/* Keeps half of the places free, so that a search ends. */
static enum status grow(struct tarmac_code *code)
{
	size_t slots = code->slots > 0 ? 2 * code->slots : FIRST_SLOTS;
	struct tarmac_code_word *words;

	if (2 * (code->count + 1) <= code->slots)
		return STATUS_OK;
	words = calloc(slots, sizeof(*words));
	if (!words)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < code->slots; i++) {
		if (code->words[i].known != 0)
			*find(words, slots, code->words[i].key) = code->words[i];
	}
	free(code->words);
	code->words = words;
	code->slots = slots;
	return STATUS_OK;
}

/* The bytes of one word that `mask` names. */
static enum status add_word(struct tarmac_code *code, uint64_t key, uint64_t value, uint8_t mask,
                            enum tarmac_code_update *update)
{
	struct tarmac_code_word *word;
	uint64_t bits = 0;
	uint8_t differs = 0;

	TRY(grow(code));
	word = find(code->words, code->slots, key);
	if (word->known == 0) {
		word->key = key;
		code->count++;
	}
	for (unsigned int i = 0; i < 8; i++) {
		uint64_t byte = UINT64_C(0xff) << (8 * i);

		if ((mask & ~word->known & 1U << i) != 0)
			bits |= byte;
		else if ((mask & 1U << i) != 0 && ((word->value ^ value) & byte) != 0)
			differs |= (uint8_t)(1U << i);
	}
	if (bits != 0 && *update == CODE_SEEN)
		*update = CODE_NEW;
	word->value |= value & bits;
	word->known |= mask;
	word->changed |= differs;
	code->has_changed |= differs != 0;
	if ((word->changed & mask) != 0)
		*update = CODE_CHANGED;
	return STATUS_OK;
}

enum status tarmac_code_add(struct tarmac_code *code, uint64_t address, uint64_t bytes,
                            unsigned int size, enum tarmac_code_update *update)
{
	unsigned int at = (unsigned int)(address % 8);
	unsigned int mask = ((1U << size) - 1) << at;

	*update = CODE_SEEN;
	TRY(add_word(code, address / 8, bytes << (8 * at), (uint8_t)mask, update));
	if (at + size <= 8)
		return STATUS_OK;
	return add_word(code, address / 8 + 1, bytes >> (8 * (8 - at)), (uint8_t)(mask >> 8),
	                update);
}

static int compare_words(const void *left, const void *right)
{
	const struct tarmac_code_word *a = left;
	const struct tarmac_code_word *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* The words that hold something, in order of address, without the free places. */
static void order(struct tarmac_code *code)
{
	size_t count = 0;

	for (size_t i = 0; i < code->slots; i++) {
		if (code->words[i].known != 0)
			code->words[count++] = code->words[i];
	}
	if (count > 0)
		qsort(code->words, count, sizeof(*code->words), compare_words);
}

static enum status begin_region(struct tarmac_code *code, uint64_t address, const uint8_t *data,
                                struct str origin)
{
	TRY(vec_reserve((void **)&code->regions, &code->region_capacity, code->region_count + 1,
	                sizeof(*code->regions)));
	code->regions[code->region_count++] = (struct mem_region){
	        .address = address, .space = SPACE_ANY, .data = data, .origin = origin};
	return STATUS_OK;
}

enum status tarmac_code_finish(struct tarmac_code *code, struct str origin)
{
	uint64_t end = 0;
	size_t used = 0;

	order(code);
	code->bytes = malloc(8 * code->count + 1);
	if (!code->bytes)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < 8 * code->count; i++) {
		const struct tarmac_code_word *word = &code->words[i / 8];
		uint64_t address = word->key * 8 + i % 8;

		if ((word->known & 1U << i % 8) == 0)
			continue;
		if (code->region_count == 0 || address != end)
			TRY(begin_region(code, address, code->bytes + used, origin));
		code->bytes[used++] = (uint8_t)(word->value >> (8 * (i % 8)));
		code->regions[code->region_count - 1].length++;
		end = address + 1;
	}
	free(code->words);
	code->words = NULL;
	code->slots = 0;
	return STATUS_OK;
}

void tarmac_code_fini(struct tarmac_code *code)
{
	free(code->words);
	free(code->bytes);
	free(code->regions);
	*code = (struct tarmac_code){0};
}
