/* SPDX-License-Identifier: Apache-2.0 */
/* Reading patterns, and opcodes by them; see pattern.h. */
#include "arch/pattern/pattern.h"

#include <assert.h>
#include <string.h>

enum { OPCODE_BITS = 32, HALFWORD_BITS = 16 };

static const char *const field_names[] = {
#define X(name) #name,
#include "arch/pattern/field.def"
#undef X
};

/* A token of the string: at its blank or end. */
struct token {
	const char *text;
	size_t length;
};

/* Characters up to one of `ends`, or to the end. */
static size_t length_to(const struct token *token, const char *ends)
{
	size_t length = 0;

	while (length < token->length && !strchr(ends, token->text[length]))
		length++;
	return length;
}

static bool find_field(struct token name, uint8_t *field)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (field_names[i][0] == *name.text &&
		    strncmp(field_names[i], name.text, name.length) == 0 &&
		    field_names[i][name.length] == '\0') {
			*field = (uint8_t)i;
			return true;
		}
	}
	return false;
}

/* Takes bits such as 01.; *at is the lowest bit that is taken already. */
static bool take_bits(struct token bits, unsigned int *at, struct pattern *pattern)
{
	if (bits.length == 0 || bits.length > *at)
		return false;
	for (size_t i = 0; i < bits.length; i++) {
		uint32_t bit = UINT32_C(1) << --*at;

		if (!strchr("01.", bits.text[i]))
			return false;
		if (bits.text[i] != '.')
			pattern->mask |= bit;
		if (bits.text[i] == '1')
			pattern->match |= bit;
	}
	return true;
}

/* Takes as many bits as a decimal number says. */
static bool take_width(struct token number, unsigned int *at)
{
	unsigned int width = 0;

	for (size_t i = 0; i < number.length; i++) {
		if (number.text[i] < '0' || number.text[i] > '9' || width > OPCODE_BITS)
			return false;
		width = 10 * width + (unsigned int)(number.text[i] - '0');
	}
	if (width == 0 || width > *at)
		return false;
	*at -= width;
	return true;
}

/* Appends the piece that the newest one of the pattern is to its field. */
static void link_piece(struct pattern *pattern, uint8_t field)
{
	uint8_t *link = &pattern->first[field];

	while (*link != 0)
		link = &pattern->pieces[*link - 1].next;
	*link = pattern->count;
}

static bool take_field(struct token token, unsigned int *at, struct pattern *pattern)
{
	size_t length = length_to(&token, ":=");
	struct token rest = {token.text + length + 1, token.length - length - 1};
	unsigned int high = *at;
	uint8_t field;

	if (pattern->count == PATTERN_PIECES ||
	    !find_field((struct token){token.text, length}, &field))
		return false;
	if (length == token.length) {
		if (*at == 0)
			return false;
		--*at;
	} else if (!(token.text[length] == ':' ? take_width(rest, at)
	                                       : take_bits(rest, at, pattern))) {
		return false;
	}
	if (high - *at == OPCODE_BITS)
		return false;
	pattern->pieces[pattern->count++] =
	        (struct pattern_piece){.low = (uint8_t)*at, .width = (uint8_t)(high - *at)};
	link_piece(pattern, field);
	return true;
}

static bool take_token(struct token token, unsigned int *at, struct pattern *pattern)
{
	return strchr("01.", *token.text) ? take_bits(token, at, pattern)
	                                  : take_field(token, at, pattern);
}

/* A pattern of 16 bits was read as the upper half. */
static void move_to_lower_half(struct pattern *pattern)
{
	pattern->mask = pattern->mask >> HALFWORD_BITS | 0xffff0000;
	pattern->match >>= HALFWORD_BITS;
	for (size_t i = 0; i < pattern->count; i++)
		pattern->pieces[i].low = (uint8_t)(pattern->pieces[i].low - HALFWORD_BITS);
}

bool pattern_parse(const char *text, struct pattern *pattern)
{
	unsigned int at = OPCODE_BITS;

	*pattern = (struct pattern){0};
	for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
		struct token token = {text, strcspn(text, " ")};

		if (!take_token(token, &at, pattern))
			return false;
		text += token.length;
	}
	if (at == HALFWORD_BITS)
		move_to_lower_half(pattern);
	return at == 0 || at == HALFWORD_BITS;
}

bool pattern_has(const struct pattern *pattern, enum field field)
{
	return pattern->first[field] != 0;
}

uint32_t pattern_field_mask(const struct pattern *pattern, enum field field)
{
	uint32_t mask = 0;

	if (field == FIELDS)
		return 0;
	for (unsigned int i = pattern->first[field]; i > 0; i = pattern->pieces[i - 1].next) {
		const struct pattern_piece *piece = &pattern->pieces[i - 1];

		mask |= ((UINT32_C(1) << piece->width) - 1) << piece->low;
	}
	return mask;
}

/* The value and how many bits it has; 0 if the pattern does not have the field. */
static unsigned int read_field(const struct pattern *pattern, uint32_t opcode, enum field field,
                               uint32_t *value)
{
	unsigned int width = 0;

	*value = 0;
	for (unsigned int i = pattern->first[field]; i > 0; i = pattern->pieces[i - 1].next) {
		const struct pattern_piece *piece = &pattern->pieces[i - 1];

		*value = *value << piece->width |
		         (opcode >> piece->low & ((UINT32_C(1) << piece->width) - 1));
		width += piece->width;
	}
	return width;
}

uint32_t pattern_field(const struct pattern *pattern, uint32_t opcode, enum field field)
{
	uint32_t value;
	unsigned int width = read_field(pattern, opcode, field, &value);

	assert(width > 0);
	(void)width;
	return value;
}

int64_t pattern_signed_field(const struct pattern *pattern, uint32_t opcode, enum field field)
{
	uint32_t value;
	unsigned int width = read_field(pattern, opcode, field, &value);
	int64_t sign = width > 0 ? (int64_t)1 << (width - 1) : 0;

	assert(width > 0);
	return ((int64_t)value ^ sign) - sign;
}
