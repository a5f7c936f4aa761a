/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of registers and memory as Tarmac writes them: hexadecimal digits, highest first, in one
 * word or several, joined by '_' or ':', some of them no digits. In: the cursor of a line. Out: the
 * line's struct tarmac_value. '-' and '.' are bits that the line is not about, 'x', 'X' and '#' are
 * bits that it does not know (Tarmac Text Rev 3, 2.3.4 and 2.3.5, and docs/formats/tarmac.md).
 */
#include <assert.h>
#include <string.h>

#include "replay/tarmac/tarmac_line.h"

enum {
	DIGITS_MOST = 2 * TARMAC_VALUE_MOST,
	WORD_MOST = 2 * DIGITS_MOST, /* as many again may join them */
};

/* Digits of a value, without what joins them, highest first; as lex_nibble has them. */
struct digits {
	unsigned int count;
	unsigned int kinds; /* all of them, ored */
	uint8_t of[DIGITS_MOST];
};

static inline void set_number(struct tarmac_value *value, uint64_t number, unsigned int size)
{
	value->size = (uint16_t)size;
	for (unsigned int i = 0; i < 8; i++) /* beyond size too: that is one store */
		value->bits[i] = (uint8_t)(number >> 8 * i);
	memset(value->touched, 0xff, 8);
	memset(value->known, 0xff, 8);
}

static uint8_t mask_of(uint8_t high, uint8_t low, unsigned int kinds)
{
	return (uint8_t)((high & kinds ? 0xf0 : 0) | (low & kinds ? 0x0f : 0));
}

/* The lowest 2 * size digits; an odd one has a zero before it. */
static void set_digits(struct tarmac_value *value, const struct digits *digits, unsigned int size)
{
	unsigned int at = digits->count;

	assert(at > 0 && at + 1 >= 2 * size);
	value->size = (uint16_t)size;
	for (unsigned int i = 0; i < size; i++) {
		uint8_t low = digits->of[--at];
		uint8_t high = at > 0 ? digits->of[--at] : LEX_KNOWN;

		value->bits[i] = (uint8_t)((high & 0xf) << 4 | (low & 0xf));
		value->known[i] = mask_of(high, low, LEX_KNOWN);
		value->touched[i] = mask_of(high, low, LEX_KNOWN | LEX_NOT_KNOWN);
	}
}

/*
 * Adds a word. A '_' is between groups of digits; or, where that makes the word as long as the
 * register, in place of one that is not known. False if it is no value, or too long.
 */
static bool add_word(struct digits *digits, struct str word, unsigned int wanted)
{
	bool is_joint = word.n != wanted;

	if (word.n > WORD_MOST)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		uint8_t nibble = lex_nibble[(uint8_t)word.p[i]];

		if (nibble == 0)
			return false;
		if (nibble == LEX_JOINT && is_joint)
			continue;
		if (digits->count == DIGITS_MOST)
			return false;
		digits->kinds |= nibble & 0xf0U;
		digits->of[digits->count++] = nibble == LEX_JOINT ? LEX_NOT_KNOWN : nibble;
	}
	return word.n > 0;
}

static bool are_all(const struct digits *digits, uint8_t nibble)
{
	for (unsigned int i = 0; i < digits->count; i++) {
		if (digits->of[i] != nibble)
			return false;
	}
	return digits->count > 0;
}

static enum status count_fault(struct tarmac_line *line, uint64_t expected, uint64_t found)
{
	line->fault = (struct tarmac_fault){
	        .found = line->event->word,
	        .digits_expected = expected,
	        .digits_found = found,
	};
	if (line->event->kind == TARMAC_REGISTER)
		line->fault.found = line->event->reg.name;
	return STATUS_BAD_DATA;
}

/* Too few digits: of a register, and not where the text ends, for there they may be lost. */
static bool may_fill(const struct tarmac_event *event)
{
	return event->kind == TARMAC_REGISTER && !event->is_unended;
}

/* Producers leave out more of the same where all digits are zero, or dashes. */
static bool fill(struct digits *digits, unsigned int wanted)
{
	uint8_t with = digits->kinds & LEX_UNTOUCHED ? LEX_UNTOUCHED : LEX_KNOWN;

	if (!are_all(digits, with))
		return false;
	while (digits->count < wanted)
		digits->of[digits->count++] = with;
	return true;
}

static enum status read_slowly(struct tarmac_line *line, unsigned int size)
{
	struct digits digits;

	digits.count = 0;
	digits.kinds = 0;
	while (digits.count < 2 * size) {
		if (lex_peek(&line->in) < 0 && digits.count > 0) {
			if (may_fill(line->event) && fill(&digits, 2 * size))
				break;
			return count_fault(line, 2 * (uint64_t)size, digits.count);
		}
		struct bytes before = line->in;

		if (!add_word(&digits, lex_word(&line->in), 2 * size)) {
			line->in = before;
			return tarmac_fault(line, "a value");
		}
		if (digits.count < 2 * size)
			lex_take(&line->in, ':');
	}
	if (digits.count > 2 * size)
		return count_fault(line, 2 * (uint64_t)size, digits.count);
	set_digits(line->value, &digits, size);
	return STATUS_OK;
}

enum status tarmac_read_value(struct tarmac_line *line, unsigned int size)
{
	struct bytes before = line->in;
	uint64_t number = 0;

	assert(size > 0 && size <= TARMAC_VALUE_MOST);
	if (lex_hex(&line->in, &number) == 2 * size && lex_is_break(&line->in)) {
		set_number(line->value, number, size);
		return STATUS_OK;
	}
	line->in = before;
	return read_slowly(line, size);
}

/* True if the next word is digits and goes on with the value: 8 or 16 of them. */
static bool is_more(struct bytes in)
{
	struct str word = lex_word(&in);

	if (word.n != 8 && word.n != 16)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		if (!lex_nibble[(uint8_t)word.p[i]])
			return false;
	}
	return true;
}

static enum status read_open_slowly(struct tarmac_line *line, bool joins)
{
	struct digits digits;

	digits.count = 0;
	digits.kinds = 0;
	do {
		struct bytes before = line->in;

		if (!add_word(&digits, lex_word(&line->in), 0)) {
			line->in = before;
			return tarmac_fault(line, "a value");
		}
	} while (lex_take(&line->in, ':') || (joins && is_more(line->in)));
	if (digits.count == 0)
		return tarmac_fault(line, "a value");
	set_digits(line->value, &digits, (digits.count + 1) / 2);
	return STATUS_OK;
}

enum status tarmac_read_open_value(struct tarmac_line *line, bool joins)
{
	struct bytes before = line->in;
	uint64_t number = 0;
	unsigned int digits = lex_hex(&line->in, &number);

	if (digits > 0 && lex_is_break(&line->in) && lex_peek(&line->in) != ':' &&
	    !(joins && is_more(line->in))) {
		set_number(line->value, number, (digits + 1) / 2);
		return STATUS_OK;
	}
	line->in = before;
	return read_open_slowly(line, joins);
}

void tarmac_value_resize(struct tarmac_value *value, unsigned int size)
{
	for (unsigned int i = value->size; i < size; i++) {
		value->bits[i] = 0;
		value->touched[i] = 0xff;
		value->known[i] = 0xff;
	}
	value->size = (uint16_t)size;
}

void tarmac_value_place(struct tarmac_value *value, unsigned int low, unsigned int size)
{
	struct tarmac_value old = *value;

	assert(size <= TARMAC_VALUE_MOST && low + old.size <= size);
	memset(value->bits, 0, size);
	memset(value->touched, 0, size);
	memset(value->known, 0, size);
	memcpy(value->bits + low, old.bits, old.size);
	memcpy(value->touched + low, old.touched, old.size);
	memcpy(value->known + low, old.known, old.size);
	value->size = (uint16_t)size;
}

void tarmac_value_forget(struct tarmac_value *value)
{
	memset(value->bits, 0, value->size);
	memset(value->known, 0, value->size);
}

static void swap(uint8_t *a, uint8_t *b)
{
	uint8_t old = *a;

	*a = *b;
	*b = old;
}

void tarmac_value_reverse(struct tarmac_value *value)
{
	for (unsigned int i = 0; i < value->size / 2U; i++) {
		unsigned int k = value->size - 1U - i;

		swap(&value->bits[i], &value->bits[k]);
		swap(&value->touched[i], &value->touched[k]);
		swap(&value->known[i], &value->known[k]);
	}
}

uint64_t tarmac_value_u64(const struct tarmac_value *value)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < value->size && i < 8; i++)
		number |= (uint64_t)value->bits[i] << 8 * i;
	return number;
}

bool tarmac_value_is_whole(const struct tarmac_value *value)
{
	for (unsigned int i = 0; i < value->size; i++) {
		if (value->known[i] != 0xff)
			return false;
	}
	return true;
}
