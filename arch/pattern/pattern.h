/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of opcodes: which bits say that an opcode is this instruction, and where its fields are.
 * In: a string in a table's row, such as
 *
 *	"sf op S 100010 sh imm12:12 Rn:5 Rd:5"
 *
 * Out: mask and match, the fields by name, and of a set of patterns the first that an opcode
 * matches. After QEMU's decodetree, in words of our own. From the highest bit to the lowest:
 *
 *	0110	bits that the opcode must have; a dot is a bit that no one looks at
 *	op	a field of one bit, of a name in field.def
 *	Rn:5	a field of five bits
 *	op=01.	a field of three bits, of which two must be as given
 *
 * A field is of 31 bits at most. A name that comes again goes on with the field: its bits are lower
 * than those before. A pattern is 32 bits, or 16, and then the upper half of an opcode must be
 * zero.
 */
#ifndef CSREPLAY_ARCH_PATTERN_PATTERN_H
#define CSREPLAY_ARCH_PATTERN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum field {
#define X(name) FIELD_##name,
#include "arch/pattern/field.def"
#undef X
	FIELDS,
};

enum {
	PATTERN_PIECES = 14,        /* of fields, in one pattern */
	PATTERN_KEY_BITS = 12,      /* of an opcode, which lead to its candidates */
	PATTERN_CANDIDATES = 16000, /* in all lists of a set */
};

/* Bits of a field that stand together. */
struct pattern_piece {
	uint8_t low;
	uint8_t width;
	uint8_t next; /* the field goes on with piece next - 1, unless it is 0 */
};

struct pattern {
	uint32_t mask;
	uint32_t match;
	uint8_t count;
	struct pattern_piece pieces[PATTERN_PIECES]; /* from the highest bit on */
	uint8_t first[FIELDS]; /* each field starts with piece first - 1; 0: there is none */
};

/* False if the string is none; then *pattern is of no use. */
MUST_USE bool pattern_parse(const char *text, struct pattern *pattern);

static inline bool pattern_matches(const struct pattern *pattern, uint32_t opcode)
{
	return (opcode & pattern->mask) == pattern->match;
}

bool pattern_has(const struct pattern *pattern, enum field field);
/* The bits of an opcode where the field is; 0 if the pattern does not have it, or for FIELDS. */
uint32_t pattern_field_mask(const struct pattern *pattern, enum field field);
/* Value of a field of the opcode, which the pattern must have, and the same with a sign. */
uint32_t pattern_field(const struct pattern *pattern, uint32_t opcode, enum field field);
int64_t pattern_signed_field(const struct pattern *pattern, uint32_t opcode, enum field field);

struct pattern_range {
	uint8_t low;
	uint8_t width;
};

/* The key by which an opcode's candidates are found: PATTERN_KEY_BITS in all, at most. */
struct pattern_key {
	struct pattern_range high;
	struct pattern_range low;
};

/* A key as an initializer: lowest bit and width of the high part, and of the low one. */
#define PATTERN_KEY(high_bit, high_width, low_bit, low_width)                                      \
	{                                                                                          \
		.high = {(high_bit), (high_width)}, .low = {(low_bit), (low_width) }               \
	}

/* The bits of an opcode that are in the key. */
static inline uint32_t pattern_key_of(const struct pattern_key *key, uint32_t opcode)
{
	uint32_t high = opcode >> key->high.low & ((UINT32_C(1) << key->high.width) - 1);
	uint32_t low = opcode >> key->low.low & ((UINT32_C(1) << key->low.width) - 1);

	return high << key->low.width | low;
}

/* Patterns of a table, of which an opcode is the first that it matches. */
struct pattern_set {
	const struct pattern *patterns; /* `count` of them, the caller's */
	size_t count;
	struct pattern_key key;
	/* Candidates of key k, by their place in the table: rows[start[k]] to rows[start[k + 1]].
	 */
	uint32_t start[(1U << PATTERN_KEY_BITS) + 1];
	uint16_t rows[PATTERN_CANDIDATES];
};

/*
 * Makes a set of `count` patterns, which stay with it. False if the key has too many bits, or
 * there are too many candidates.
 */
MUST_USE bool pattern_set_init(struct pattern_set *set, const struct pattern *patterns,
                               size_t count, struct pattern_key key);
/* Place of the first pattern that the opcode matches, or `count`. */
static inline size_t pattern_set_find(const struct pattern_set *set, uint32_t opcode)
{
	uint32_t key = pattern_key_of(&set->key, opcode);

	for (size_t i = set->start[key]; i < set->start[key + 1]; i++) {
		if (pattern_matches(&set->patterns[set->rows[i]], opcode))
			return set->rows[i];
	}
	return set->count;
}

#endif
