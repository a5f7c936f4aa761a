/* SPDX-License-Identifier: Apache-2.0 */
/* A table of patterns, and which of them an opcode matches; see pattern.h. */
#include "arch/pattern/pattern.h"

#include <string.h>

/* What to do with a pattern and a key that opcodes which match it can have. */
typedef void visit_key(struct pattern_set *set, size_t pattern, uint32_t key);

static void count(struct pattern_set *set, size_t pattern, uint32_t key)
{
	(void)pattern;
	set->start[key]++;
}

/* start[key] was where the next one's list starts, and comes down to where its own does. */
static void enter(struct pattern_set *set, size_t pattern, uint32_t key)
{
	set->rows[--set->start[key]] = (uint16_t)pattern;
}

/* The key's bits that the pattern leaves open take every value. */
static void visit_keys(struct pattern_set *set, size_t pattern, visit_key *visit)
{
	const struct pattern *of = &set->patterns[pattern];
	uint32_t match = pattern_key_of(&set->key, of->match);
	uint32_t open = pattern_key_of(&set->key, ~of->mask);
	uint32_t bits = open;

	visit(set, pattern, match | bits);
	while (bits != 0) {
		bits = (bits - 1) & open;
		visit(set, pattern, match | bits);
	}
}

bool pattern_set_init(struct pattern_set *set, const struct pattern *patterns, size_t number,
                      struct pattern_key key)
{
	unsigned int bits = key.high.width + key.low.width;
	size_t keys;

	if (bits > PATTERN_KEY_BITS)
		return false;
	keys = (size_t)1 << bits;
	set->patterns = patterns;
	set->count = number;
	set->key = key;
	memset(set->start, 0, sizeof(set->start));
	for (size_t i = 0; i < number; i++)
		visit_keys(set, i, count);
	for (size_t k = 1; k <= keys; k++)
		set->start[k] += set->start[k - 1];
	if (set->start[keys] > PATTERN_CANDIDATES)
		return false;
	for (size_t i = number; i > 0; i--)
		visit_keys(set, i - 1, enter);
	return true;
}
