/* SPDX-License-Identifier: Apache-2.0 */
/* The words of one line of Tarmac: its tables, and what is not for every line. */
#include "replay/tarmac/tarmac_lex.h"

// clang-format off
#define BLANK LEX_BLANK
#define W     LEX_WORD
#define D     (LEX_WORD | LEX_DECIMAL)
const uint8_t lex_class[256] = {
	['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK,
	['0'] = D, D, D, D, D, D, D, D, D, D,
	['A'] = W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
	['a'] = W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W,
	['_'] = W, ['-'] = W, ['.'] = W, ['#'] = W,
};
#undef BLANK
#undef W
#undef D

const uint8_t lex_nibble[256] = {
	['0'] = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
	['A'] = 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	['a'] = 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	['x'] = LEX_NOT_KNOWN, ['X'] = LEX_NOT_KNOWN, ['#'] = LEX_NOT_KNOWN,
	['-'] = LEX_UNTOUCHED, ['.'] = LEX_UNTOUCHED,
	['_'] = LEX_JOINT,
};
// clang-format on

unsigned int lex_hex_word(struct bytes *in, uint64_t *value)
{
	const uint8_t *begin = in->pos;
	uint64_t v = 0;
	unsigned int digits = lex_hex(in, &v);

	if (digits == 0 || !lex_is_break(in)) {
		in->pos = begin;
		return 0;
	}
	*value = v;
	return digits;
}

bool lex_decimal(struct bytes *in, uint64_t *value)
{
	const uint8_t *begin;
	uint64_t v = 0;
	bool fits = true;

	lex_blanks(in);
	begin = in->pos;
	while (in->pos < in->end && (lex_class[*in->pos] & LEX_DECIMAL)) {
		unsigned int digit = *in->pos & 0xfU;

		fits = fits && v <= (UINT64_MAX - digit) / 10;
		v = v * 10 + digit;
		in->pos++;
	}
	if (in->pos == begin || !fits) {
		in->pos = begin;
		return false;
	}
	*value = v;
	return true;
}

bool lex_is_all(struct str word, char wanted)
{
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] != wanted)
			return false;
	}
	return word.n > 0;
}

bool lex_is_decimal(struct str word)
{
	for (size_t i = 0; i < word.n; i++) {
		if (!(lex_class[(uint8_t)word.p[i]] & LEX_DECIMAL))
			return false;
	}
	return word.n > 0;
}
