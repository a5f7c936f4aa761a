/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the dialects of Tarmac have in common within a line: instruction set, mode, opcode, physical
 * address; the names of the enumerations; what a fault says. In: a line's cursor. Out: its event.
 */
#include "replay/tarmac/tarmac_line.h"

#include <string.h>

struct mode_name {
	struct str text;
	enum tarmac_mode mode;
};

static const struct mode_name modes[] = {
#define TARMAC_MODE(name, text)       {{text, sizeof(text) - 1}, TARMAC_MODE_##name},
#define TARMAC_MODE_ALIAS(name, text) {{text, sizeof(text) - 1}, TARMAC_MODE_##name},
#include "replay/tarmac/tarmac.def"
};

const char *tarmac_kind_name(enum tarmac_kind kind)
{
	static const char *const names[] = {
#define TARMAC_KIND(name, text) text,
#include "replay/tarmac/tarmac.def"
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

const char *tarmac_dialect_name(enum tarmac_dialect dialect)
{
	static const char *const names[] = {
#define TARMAC_DIALECT(name, text) text,
#include "replay/tarmac/tarmac.def"
	};

	return dialect < sizeof(names) / sizeof(names[0]) ? names[dialect] : "?";
}

const char *tarmac_unit_name(enum tarmac_unit unit)
{
	static const char *const names[] = {
#define TARMAC_UNIT(name, text) text,
#include "replay/tarmac/tarmac.def"
	};

	return unit < sizeof(names) / sizeof(names[0]) ? names[unit] : "?";
}

const char *tarmac_mode_name(enum tarmac_mode mode)
{
	static const char *const names[] = {
#define TARMAC_MODE(name, text) text,
#include "replay/tarmac/tarmac.def"
	};

	return mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "?";
}

enum status tarmac_fault(struct tarmac_line *line, const char *expected)
{
	struct bytes at = line->in;
	struct str found = lex_word(&at);

	if (found.n == 0 && bytes_left(&at) > 0)
		found.n = 1;
	line->fault = (struct tarmac_fault){.expected = expected, .found = found};
	return STATUS_BAD_DATA;
}

enum status tarmac_read_isa(struct str word, enum isa *isa)
{
	if (word.n == 3 && (LEX_IS(word, "T16") || LEX_IS(word, "T32"))) {
		*isa = ISA_T32;
		return STATUS_OK;
	}
	if (word.n != 1)
		return STATUS_NOT_FOUND;
	switch (word.p[0]) {
	case 'A':
		*isa = ISA_A32;
		break;
	case 'T':
		*isa = ISA_T32;
		break;
	case 'E':
		*isa = ISA_TEE;
		break;
	case 'O':
	case 'X': /* ISP RAS */
		*isa = ISA_A64;
		break;
	default:
		return STATUS_NOT_FOUND;
	}
	return STATUS_OK;
}

enum tarmac_security tarmac_read_security(struct str suffix)
{
	int first = suffix.n > 0 ? suffix.p[0] | 0x20 : 0;
	int second = suffix.n > 1 ? suffix.p[1] | 0x20 : 0;

	if (suffix.n == 1 && first == 's')
		return TARMAC_SECURE;
	if (first == 'n' && (suffix.n == 1 || (suffix.n == 2 && second == 's')))
		return TARMAC_NON_SECURE;
	if (suffix.n == 2 && first == 'r' && second == 't')
		return TARMAC_ROOT;
	if (suffix.n == 2 && first == 'r' && second == 'l')
		return TARMAC_REALM;
	return TARMAC_SECURITY_NOT_SAID;
}

void tarmac_read_mode(struct str word, enum tarmac_mode *mode, enum tarmac_security *security)
{
	struct str name = lex_until(word, '_');

	*mode = TARMAC_MODE_NONE;
	*security = name.n < word.n ? tarmac_read_security(str_skip(word, name.n + 1))
	                            : TARMAC_SECURITY_NOT_SAID;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (lex_is_nocase(name, modes[i].text)) {
			*mode = modes[i].mode;
			return;
		}
	}
}

enum status tarmac_read_opcode(struct tarmac_line *line)
{
	struct tarmac_instruction *i = &line->event->instruction;
	struct bytes before = line->in;
	unsigned int digits = lex_hex_word(&line->in, &i->opcode);

	if (digits == 0) {
		struct str word = lex_word(&line->in);

		if (lex_is_all(word, '-') && word.n <= 16) {
			i->effect = TARMAC_FETCH_FAILED;
			digits = (unsigned int)word.n;
		}
	}
	if (digits != 4 && digits != 8 && digits != 16) {
		line->in = before;
		return tarmac_fault(line, "an opcode of 16, 32 or 64 bits");
	}
	i->size = (uint8_t)(digits / 2);
	return STATUS_OK;
}

void tarmac_note_oddity(struct tarmac_line *line, enum tarmac_oddity oddity, struct str word)
{
	struct tarmac_odd_lines *odd = &line->odd[oddity];

	if (odd->count++ > 0)
		return;
	odd->line = line->event->line;
	odd->word = word;
}

static void read_mode_again(struct tarmac_last_mode *last, struct tarmac_instruction *i)
{
	if (!lex_is_same(i->mode_text, last->text)) {
		tarmac_read_mode(i->mode_text, &last->mode, &last->security);
		last->text = i->mode_text;
	}
	i->mode = last->mode;
	i->security = last->security;
}

enum status tarmac_read_code(struct tarmac_line *line)
{
	struct tarmac_instruction *i = &line->event->instruction;
	struct bytes before = line->in;
	struct str word = lex_word(&line->in);

	if (tarmac_read_isa(word, &i->isa) != STATUS_OK) {
		line->in = before;
		return tarmac_fault(line, "an instruction set");
	}
	before = line->in;
	i->mode_text = lex_word(&line->in);
	if (lex_take(&line->in, ':')) {
		read_mode_again(line->last, i);
		/* "-" and "---_-" are the same as nothing. */
		if (i->mode == TARMAC_MODE_NONE && i->mode_text.n > 0 && i->mode_text.p[0] != '-')
			tarmac_note_oddity(line, TARMAC_ODD_MODE, i->mode_text);
	} else if (word.n == 3) { /* T16, T32: that producer leaves the mode out */
		i->mode_text.n = 0;
		line->in = before;
	} else {
		return tarmac_fault(line, "':' after the mode");
	}
	before = line->in;
	if (lex_peek(&line->in) == 'C' && LEX_IS(lex_word(&line->in), "CCFAIL"))
		i->effect = TARMAC_CCFAIL;
	else
		line->in = before;
	i->disassembly = lex_rest(&line->in);
	return STATUS_OK;
}

enum status tarmac_read_vector(struct tarmac_line *line)
{
	struct bytes before = line->in;
	struct str word = lex_word(&line->in);
	bool is_negative = word.n > 0 && word.p[0] == '-';
	uint64_t number;

	if (str_to_u64(str_skip(word, is_negative ? 1 : 0), &number) != STATUS_OK ||
	    number > INT32_MAX) {
		line->in = before;
		return tarmac_fault(line, "a vector");
	}
	line->event->exception.vector = is_negative ? -(int64_t)number : (int64_t)number;
	return STATUS_OK;
}

enum status tarmac_read_physical(struct tarmac_line *line, uint64_t *address,
                                 enum tarmac_security *security)
{
	struct bytes before = line->in;

	*security = TARMAC_SECURITY_NOT_SAID;
	if (lex_hex(&line->in, address) > 0) {
		if (lex_is_break(&line->in))
			return STATUS_OK;
		if (lex_at(&line->in) == '_')
			*security = tarmac_read_security(str_skip(lex_word(&line->in), 1));
		if (*security != TARMAC_SECURITY_NOT_SAID)
			return STATUS_OK;
	}
	line->in = before;
	return tarmac_fault(line, "a physical address");
}
