/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "R" lines: register updates, of all dialects (Tarmac Text Rev 3, 2.3.5). In: what is after the
 * "R". Out: which register of tarmac_register.def, of which bank, and its value. A register that is
 * not in the table is a system register: it has its name.
 */
#include <assert.h>
#include <string.h>

#include "replay/tarmac/tarmac_line.h"

struct numbered {
	enum tarmac_file file;
	uint8_t count; /* 0: no such letter */
	uint8_t size;
};

struct named {
	struct str text;
	enum tarmac_file file;
	uint8_t number;
	uint8_t size;
	enum tarmac_mode mode;
};

static const struct numbered numbered[26] = {
#define TARMAC_NUMBERED(letter, file, count, size)                                                 \
	[(letter) - 'a'] = {TARMAC_FILE_##file, (count), (size)},
#include "replay/tarmac/tarmac_register.def"
};

static const struct named named[] = {
#define TARMAC_NAMED(text, file, number, size, mode)                                               \
	{{(text), sizeof(text) - 1}, TARMAC_FILE_##file, (number), (size), TARMAC_MODE_##mode},
#include "replay/tarmac/tarmac_register.def"
};

enum {
	NAMED_COUNT = sizeof(named) / sizeof(named[0]),
};

/* "DC CISW": work that the core was told, named like a register. */
static const struct str operations[] = {
        {"DC", 2}, {"IC", 2}, {"AT", 2}, {"TLBI", 4}, {"CFP", 3}, {"CPP", 3}, {"DVP", 3},
};

const char *tarmac_file_name(enum tarmac_file file)
{
	static const char *const names[TARMAC_FILES] = {
#define TARMAC_FILE(name, text) [TARMAC_FILE_##name] = (text),
#include "arch/isa.def"
	};

	return file < TARMAC_FILES ? names[file] : "?";
}

/* "EL3", "svc", "main_s", "NS": what follows the '_' of a name. False if it is none of these. */
static bool read_bank(struct str bank, struct tarmac_register *reg)
{
	struct str rest = bank;
	struct str part = str_next_part(&rest, '_');
	enum tarmac_security security = TARMAC_SECURITY_NOT_SAID;
	enum tarmac_mode mode;

	tarmac_read_mode(part, &mode, &security);
	if (mode != TARMAC_MODE_NONE) {
		reg->bank = mode;
		if (!rest.p)
			return true;
		part = rest;
	} else if (rest.p) {
		return false;
	}
	reg->security = tarmac_read_security(part);
	return reg->security != TARMAC_SECURITY_NOT_SAID;
}

static bool find_numbered(struct str base, struct tarmac_register *reg, unsigned int *size)
{
	unsigned int letter = ((unsigned int)base.p[0] | 0x20U) - 'a';
	unsigned int number = 0;

	if (base.n < 2 || base.n > 3 || letter >= 26)
		return false;
	for (size_t i = 1; i < base.n; i++) {
		if (!(lex_class[(uint8_t)base.p[i]] & LEX_DECIMAL))
			return false;
		number = 10 * number + ((unsigned int)base.p[i] & 0xfU);
	}
	if (number >= numbered[letter].count)
		return false;
	reg->file = numbered[letter].file;
	reg->number = (uint8_t)number;
	*size = numbered[letter].size;
	return true;
}

static bool find_named(struct str base, struct tarmac_register *reg, unsigned int *size)
{
	for (unsigned int i = 0; i < NAMED_COUNT; i++) {
		if (!lex_is_nocase(base, named[i].text))
			continue;
		reg->file = named[i].file;
		reg->number = named[i].number;
		reg->bank = named[i].mode;
		*size = named[i].size;
		return true;
	}
	return false;
}

unsigned int tarmac_register_find(struct str name, struct tarmac_register *reg)
{
	struct str base = lex_until(name, '_');
	unsigned int size = 0;

	reg->file = TARMAC_FILE_SYSTEM;
	reg->number = 0;
	reg->bank = TARMAC_MODE_NONE;
	reg->security = TARMAC_SECURITY_NOT_SAID;
	if (!find_numbered(base, reg, &size) && !find_named(base, reg, &size))
		return 0;
	if (base.n == name.n || read_bank(str_skip(name, base.n + 1), reg))
		return size;
	/* "PC_FOO" is not PC. */
	*reg = (struct tarmac_register){.file = TARMAC_FILE_SYSTEM, .name = reg->name};
	return 0;
}

/* SP and LR: AArch32's where there are digits for 32 bits. */
void tarmac_register_narrow(struct tarmac_register *reg, unsigned int size)
{
	bool is_sp = reg->file == TARMAC_FILE_SP;

	if (size > 4 || (!is_sp && reg->file != TARMAC_FILE_X))
		return;
	reg->file = TARMAC_FILE_R;
	reg->number = is_sp ? 13 : 14;
}

static bool is_operation(struct str name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (str_eq(name, operations[i]))
			return true;
	}
	return false;
}

/* "(USR)", "(AARCH32)". */
static enum status read_context(struct tarmac_line *line, struct tarmac_register *reg)
{
	enum tarmac_mode mode;
	enum tarmac_security security;

	reg->context = lex_word(&line->in);
	if (reg->context.n == 0)
		return tarmac_fault(line, "the register's context");
	if (!lex_take(&line->in, ')'))
		return tarmac_fault(line, "')'");
	tarmac_read_mode(reg->context, &mode, &security);
	if (mode != TARMAC_MODE_NONE)
		reg->bank = mode;
	return STATUS_OK;
}

/* "<127:64>" and the value of these bits of a register of `size` bytes. */
static enum status read_range(struct tarmac_line *line, unsigned int size)
{
	uint64_t high;
	uint64_t low;

	if (!lex_decimal(&line->in, &high) || !lex_take(&line->in, ':') ||
	    !lex_decimal(&line->in, &low) || !lex_take(&line->in, '>'))
		return tarmac_fault(line, "a range of bits, as <63:0>");
	if (high < low || high >= 8 * (uint64_t)size || high % 8 != 7 || low % 8 != 0)
		return tarmac_fault(line, "a range of whole bytes in the register");
	TRY(tarmac_read_value(line, (unsigned int)((high + 1 - low) / 8)));
	tarmac_value_place(line->value, (unsigned int)(low / 8), size);
	return STATUS_OK;
}

/* The value of a register whose name does not say its size. */
static enum status read_open(struct tarmac_line *line, struct tarmac_register *reg)
{
	bool is_psr = reg->file == TARMAC_FILE_PSR;

	if (lex_take(&line->in, '<'))
		return tarmac_fault(line, "a register of known size before '<'");
	/* What follows a PSR is its flags in letters. */
	TRY(tarmac_read_open_value(line, !is_psr));
	if (is_psr)
		tarmac_value_resize(line->value, 4);
	tarmac_register_narrow(reg, line->value->size);
	return STATUS_OK;
}

enum status tarmac_register_line(struct tarmac_line *line)
{
	struct tarmac_register *reg = &line->event->reg;
	unsigned int size;

	line->event->kind = TARMAC_REGISTER;
	reg->name = lex_word(&line->in);
	if (reg->name.n == 0)
		return tarmac_fault(line, "a register");
	size = tarmac_register_find(reg->name, reg);
	if (reg->file == TARMAC_FILE_SYSTEM && is_operation(reg->name)) {
		line->event->kind = TARMAC_OPERATION;
		return STATUS_OK;
	}
	if (lex_take(&line->in, '('))
		TRY(read_context(line, reg));
	reg->value = line->value;
	if (size == 0)
		return read_open(line, reg);
	if (lex_take(&line->in, '<'))
		return read_range(line, size);
	return tarmac_read_value(line, size);
}
