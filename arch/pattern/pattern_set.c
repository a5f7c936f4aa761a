/* SPDX-License-Identifier: Apache-2.0 */
/* A table of patterns, and which of them an opcode matches; see pattern.h. */
#include "arch/pattern/pattern.h"

/* The bits of an opcode that are in the key. */
static uint32_t key_of(const struct pattern_key *key, uint32_t opcode)
{
	uint32_t high = opcode >> key->high.low & ((UINT32_C(1) << key->high.width) - 1);
	uint32_t low = opcode >> key->low.low & ((UINT32_C(1) << key->low.width) - 1);

	return high << key->low.width | low;
}

/* Appends the patterns that opcodes with this key can match; false if there is no room. */
static bool add_candidates(struct pattern_set *set, uint32_t key, size_t *used)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct pattern *pattern = &set->patterns[i];

		if (((key_of(&set->key, pattern->match) ^ key) &
		     key_of(&set->key, pattern->mask)) != 0)
			continue;
		if (*used == PATTERN_CANDIDATES)
			return false;
		set->rows[(*used)++] = (uint16_t)i;
	}
	return true;
}

size_t pattern_set_init(struct pattern_set *set, struct pattern *patterns, const char *const *texts,
                        size_t count, struct pattern_key key)
{
	unsigned int bits = key.high.width + key.low.width;
	size_t used = 0;

	set->patterns = patterns;
	set->count = count;
	set->key = key;
	for (size_t i = 0; i < count; i++) {
		if (!pattern_parse(texts[i], &patterns[i]))
			return i;
	}
	if (bits > PATTERN_KEY_BITS)
		return 0;
	for (uint32_t i = 0; i < UINT32_C(1) << bits; i++) {
		set->start[i] = (uint16_t)used;
		if (!add_candidates(set, i, &used))
			return 0;
	}
	set->start[UINT32_C(1) << bits] = (uint16_t)used;
	return count;
}

size_t pattern_set_find(const struct pattern_set *set, uint32_t opcode)
{
	uint32_t key = key_of(&set->key, opcode);

	for (size_t i = set->start[key]; i < set->start[key + 1]; i++) {
		if (pattern_matches(&set->patterns[set->rows[i]], opcode))
			return set->rows[i];
	}
	return set->count;
}
