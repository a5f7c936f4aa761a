/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of one line of Tarmac. In: a bounded cursor over the line. Out: words as slices of it,
 * numbers, single characters. Blanks before each are skipped.
 *
 * A word is of letters, digits, '_', '-', '.' and '#'. What is not taken stays: a function that
 * finds something else leaves the cursor before it. Any byte may stand in a line, NUL too.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_LEX_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_LEX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"

/* What a character may be, in lex_class. */
enum {
	LEX_BLANK = 1,
	LEX_WORD = 2,
	LEX_DECIMAL = 4,
};

/* What it is as a digit of a value, in lex_nibble; a hexadecimal digit's low four bits are its. */
enum {
	LEX_KNOWN = 0x10,
	LEX_NOT_KNOWN = 0x20, /* 'x', 'X', '#': it was moved or written, but not seen */
	LEX_UNTOUCHED = 0x40, /* '-', '.' */
	LEX_JOINT = 0x80,     /* '_' */
};

extern const uint8_t lex_class[256];
extern const uint8_t lex_nibble[256];

/* The next byte itself, or -1 at the end. */
static inline int lex_at(const struct bytes *in)
{
	return in->pos < in->end ? *in->pos : -1;
}

static inline void lex_blanks(struct bytes *in)
{
	while (in->pos < in->end && (lex_class[*in->pos] & LEX_BLANK))
		in->pos++;
}

/* The byte after the blanks, or -1. */
static inline int lex_peek(struct bytes *in)
{
	lex_blanks(in);
	return lex_at(in);
}

/* True if `c` is next, which is then taken. */
static inline bool lex_take(struct bytes *in, char c)
{
	if (lex_peek(in) != (uint8_t)c)
		return false;
	in->pos++;
	return true;
}

/* Empty if no word is next. */
static inline struct str lex_word(struct bytes *in)
{
	const uint8_t *begin;

	lex_blanks(in);
	begin = in->pos;
	while (in->pos < in->end && (lex_class[*in->pos] & LEX_WORD))
		in->pos++;
	return (struct str){(const char *)begin, (size_t)(in->pos - begin)};
}

/* True if no word goes on at the cursor. */
static inline bool lex_is_break(const struct bytes *in)
{
	return in->pos == in->end || !(lex_class[*in->pos] & LEX_WORD);
}

/*
 * Hexadecimal digits, which a word may go on after. Returns how many there were; 0, the cursor
 * where it was, if there are none or more than 16.
 */
static inline unsigned int lex_hex(struct bytes *in, uint64_t *value)
{
	const uint8_t *begin;
	uint64_t v = 0;

	lex_blanks(in);
	begin = in->pos;
	while (in->pos < in->end && (lex_nibble[*in->pos] & LEX_KNOWN)) {
		v = v << 4 | (lex_nibble[*in->pos] & 0xfU);
		in->pos++;
	}
	if (in->pos - begin > 16 || in->pos == begin) {
		in->pos = begin;
		return 0;
	}
	*value = v;
	return (unsigned int)(in->pos - begin);
}

/* A word that is a hexadecimal number, and its digits; else 0 as lex_hex(). */
unsigned int lex_hex_word(struct bytes *in, uint64_t *value);

/* Decimal digits, which a word may go on after. False, the cursor where it was, if none or too
 * large for 64 bits. */
bool lex_decimal(struct bytes *in, uint64_t *value);

/* From the next thing that is no blank up to the end, which is where the cursor goes. */
static inline struct str lex_rest(struct bytes *in)
{
	struct str rest;

	lex_blanks(in);
	rest = (struct str){(const char *)in->pos, bytes_left(in)};
	in->pos = in->end;
	return rest;
}

/* True if the word is of `wanted`, and nothing else; '-' for dashes. */
bool lex_is_all(struct str word, char wanted);
bool lex_is_decimal(struct str word);

/* The part of a word before the first `c`, without a call as str_find() has it. */
static inline struct str lex_until(struct str word, char c)
{
	size_t n = 0;

	while (n < word.n && word.p[n] != c)
		n++;
	return (struct str){word.p, n};
}

/* As str_eq(), without a call: for words of a few letters. */
static inline bool lex_is_same(struct str word, struct str other)
{
	if (word.n != other.n)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] != other.p[i])
			return false;
	}
	return true;
}

static inline bool lex_equal(struct str word, const char *text, size_t length)
{
	return word.n == length && memcmp(word.p, text, length) == 0;
}

/* As str_eq() of a literal, without a call. */
#define LEX_IS(word, literal) lex_equal(word, literal, sizeof(literal) - 1)

/* True if the word is that one, of lower-case letters and digits, but for its case. False for empty
 * ones. */
static inline bool lex_is_nocase(struct str word, struct str lower)
{
	if (word.n != lower.n)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		if ((word.p[i] | 0x20) != lower.p[i])
			return false;
	}
	return word.n > 0;
}

#endif
