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
 *zero.
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
	PATTERN_CANDIDATES = 40000, /* in all lists of a set */
};

/* Bits of a field that stand together. */
struct pattern_piece {
	uint8_t field; /* enum field */
	uint8_t low;
	uint8_t width;
};

struct pattern {
	uint32_t mask;
	uint32_t match;
	uint8_t count;
	struct pattern_piece pieces[PATTERN_PIECES]; /* from the highest bit on */
};

/* False if the string is none; then *pattern is of no use. */
MUST_USE bool pattern_parse(const char *text, struct pattern *pattern);

static inline bool pattern_matches(const struct pattern *pattern, uint32_t opcode)
{
	return (opcode & pattern->mask) == pattern->match;
}

bool pattern_has(const struct pattern *pattern, enum field field);
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

/* Patterns of a table, of which an opcode is the first that it matches. */
struct pattern_set {
	struct pattern *patterns; /* `count` of them, the caller's */
	size_t count;
	struct pattern_key key;
	/* Candidates of key k, by their place in the table: rows[start[k]] to rows[start[k + 1]].
	 */
	uint16_t start[(1U << PATTERN_KEY_BITS) + 1];
	uint16_t rows[PATTERN_CANDIDATES];
};

/*
 * Makes a set of `count` strings. `patterns` has room for them and stays with the set. Number of
 * those that it took: `count`, or less, being the place of one that is no pattern; 0 if the key has
 * too many bits, or there are too many candidates.
 */
size_t pattern_set_init(struct pattern_set *set, struct pattern *patterns, const char *const *texts,
                        size_t count, struct pattern_key key);
/* Place of the first pattern that the opcode matches, or `count`. */
size_t pattern_set_find(const struct pattern_set *set, uint32_t opcode);

/* An opcode in the light of the pattern that it matches: what expanders read. */
struct opcode {
	uint32_t bits;
	const struct pattern *pattern;
	bool rejected; /* fields are reserved: it kills everything */
};

static inline void opcode_reject(struct opcode *opcode)
{
	opcode->rejected = true;
}

/* Of what has a struct opcode named `opcode`: a field, one of one bit, one with a sign. */
#define FIELD(s, name) pattern_field((s)->opcode.pattern, (s)->opcode.bits, FIELD_##name)
#define FLAG(s, name)  (FIELD(s, name) != 0)
#define SIGNED_FIELD(s, name)                                                                      \
	pattern_signed_field((s)->opcode.pattern, (s)->opcode.bits, FIELD_##name)
#define HAS_FIELD(s, name) pattern_has((s)->opcode.pattern, FIELD_##name)

#endif
