/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Fast Models dialect, which gem5 and ISP RAS share: "IT", "MR4", "E" and the simulator's own
 * notes, each line whole by itself. In: a line after the word that says its kind. Out: its event.
 * The forms are those of real files: docs/formats/tarmac.md.
 */
#include "replay/tarmac/tarmac_line.h"

static bool is_isa(struct bytes in)
{
	enum isa isa;

	return tarmac_read_isa(lex_word(&in), &isa) == STATUS_OK;
}

/* An index is decimal, but whether a number is one shows only after it: the same digits so read.
 */
static uint64_t decimal_of(uint64_t hexadecimal)
{
	uint64_t value = 0;
	uint64_t place = 1;

	for (uint64_t rest = hexadecimal; rest > 0; rest >>= 4) {
		if ((rest & 0xf) > 9)
			return hexadecimal;
		value += (rest & 0xf) * place;
		place *= 10;
	}
	return value;
}

/* The number in parentheses, up to the ')' or ':'; as hexadecimal if it has 16 digits or fewer. */
static enum status read_bracketed(struct tarmac_line *line, uint64_t *number, uint64_t *index)
{
	if (lex_hex_word(&line->in, number) > 0) {
		*index = decimal_of(*number);
		return STATUS_OK;
	}
	if (!lex_decimal(&line->in, number))
		return tarmac_fault(line, "the instruction's index or address");
	*index = *number;
	return STATUS_OK;
}

/* "(00008000:e3a00000) A svc:", Rev 3's own example with IT for ES; or the address first. */
static enum status read_pair(struct tarmac_line *line, uint64_t first)
{
	struct tarmac_instruction *i = &line->event->instruction;
	struct bytes opcode = line->in;
	struct str word = lex_word(&line->in);

	if (!lex_take(&line->in, ')'))
		return tarmac_fault(line, "')'");
	i->has_address = true;
	i->address = first;
	if (is_isa(line->in)) {
		struct bytes after = line->in;

		line->in = opcode;
		TRY(tarmac_read_opcode(line));
		line->in = after;
		return STATUS_OK;
	}
	line->event->dialect = TARMAC_DIALECT_RTL;
	i->has_index = str_hex_to_u64(word, &i->index) == STATUS_OK;
	if (!i->has_index || lex_hex_word(&line->in, &i->address) == 0)
		return tarmac_fault(line, "the instruction's index and address");
	return tarmac_read_opcode(line);
}

/* ":00000000800a,00000000800c_NS": where the address lies, and its second half. */
static enum status read_physical(struct tarmac_line *line)
{
	struct tarmac_instruction *i = &line->event->instruction;
	enum tarmac_security security;

	TRY(tarmac_read_physical(line, &i->physical, &i->physical_security));
	i->has_physical = true;
	if (!lex_take(&line->in, ','))
		return STATUS_OK;
	i->has_second = true;
	TRY(tarmac_read_physical(line, &i->second, &security));
	/* Pages of two physical address spaces are no instruction that can be told here. */
	i->has_second = security == i->physical_security;
	return STATUS_OK;
}

/* "(INDEX) ADDRESS OPCODE", "(ADDRESS) OPCODE", "ADDRESS OPCODE". */
static enum status read_place(struct tarmac_line *line)
{
	struct tarmac_instruction *i = &line->event->instruction;
	struct bytes before;
	uint64_t bracketed = 0;
	bool has_bracket = lex_take(&line->in, '(');

	if (has_bracket) {
		TRY(read_bracketed(line, &bracketed, &i->index));
		if (lex_take(&line->in, ':'))
			return read_pair(line, bracketed);
		if (!lex_take(&line->in, ')'))
			return tarmac_fault(line, "')'");
	}
	before = line->in;
	i->has_address = true;
	if (lex_hex_word(&line->in, &i->address) == 0 && !has_bracket)
		return tarmac_fault(line, "the instruction's address");
	if (has_bracket && is_isa(line->in)) {
		line->event->dialect = TARMAC_DIALECT_RTL;
		i->address = bracketed;
		line->in = before;
		return tarmac_read_opcode(line);
	}
	if (line->in.pos == before.pos)
		return tarmac_fault(line, "the instruction's address");
	i->has_index = has_bracket;
	if (lex_take(&line->in, ':'))
		TRY(read_physical(line));
	return tarmac_read_opcode(line);
}

enum status tarmac_fm_instruction(struct tarmac_line *line)
{
	struct tarmac_instruction *i = &line->event->instruction;

	line->event->kind = TARMAC_INSTRUCTION;
	TRY(read_place(line));
	if (i->effect == TARMAC_EXECUTED && line->event->word.p[1] == 'S')
		i->effect = TARMAC_CCFAIL;
	return tarmac_read_code(line);
}

/* The number of bytes in "MR4X", from its third letter on, and what follows. */
static enum status read_size(struct tarmac_line *line, struct str word, unsigned int *size,
                             struct str *letters)
{
	unsigned int number = 0;
	size_t at = 2;

	while (at < word.n && at < 6 && (lex_class[(uint8_t)word.p[at]] & LEX_DECIMAL))
		number = 10 * number + ((unsigned int)word.p[at++] & 0xfU);
	if (number == 0 || number > TARMAC_VALUE_MOST) {
		line->fault = (struct tarmac_fault){"an access of 1 to 256 bytes", word, 0, 0};
		return STATUS_BAD_DATA;
	}
	*size = number;
	*letters = str_skip(word, at);
	return STATUS_OK;
}

/* X: exclusive. T: as if unprivileged. */
static void read_letters(struct str letters, struct tarmac_memory *memory)
{
	for (size_t i = 0; i < letters.n; i++) {
		memory->is_exclusive |= letters.p[i] == 'X';
		memory->is_unprivileged |= letters.p[i] == 'T';
	}
}

enum status tarmac_fm_memory(struct tarmac_line *line)
{
	struct tarmac_memory *memory = &line->event->memory;
	struct str letters;
	unsigned int size;

	line->event->kind = TARMAC_MEMORY;
	memory->is_write = line->event->word.p[1] == 'W';
	memory->value = line->value;
	line->value->size = 0;
	TRY(read_size(line, line->event->word, &size, &letters));
	if (line->is_isp)
		tarmac_isp_attributes(line, letters);
	else
		read_letters(letters, memory);
	if (lex_hex_word(&line->in, &memory->address) == 0)
		return tarmac_fault(line, "the address of an access");
	if (lex_take(&line->in, ':')) {
		TRY(tarmac_read_physical(line, &memory->physical, &memory->security));
		memory->has_physical = true;
	}
	if (lex_take(&line->in, '(')) {
		memory->is_aborted = LEX_IS(lex_word(&line->in), "ABORTED");
		if (!memory->is_aborted || !lex_take(&line->in, ')'))
			return tarmac_fault(line, "\"(ABORTED)\"");
		return STATUS_OK;
	}
	TRY(tarmac_read_value(line, size));
	memory->attributes = str_trim(lex_rest(&line->in));
	return STATUS_OK;
}

/* The last word of a line, which may be in the middle of it for all that is known of it. */
static struct str last_word(struct str text)
{
	size_t begin;

	text = str_trim(text);
	begin = text.n;
	while (begin > 0 && (lex_class[(uint8_t)text.p[begin - 1]] & LEX_WORD))
		begin--;
	return str_skip(text, begin);
}

/* "000200b8 abt 00000019 CoreEvent_ModeChange": a place, a mode at times, a number, a name. */
enum status tarmac_fm_event(struct tarmac_line *line)
{
	struct tarmac_exception *exception = &line->event->exception;
	enum tarmac_security security;
	uint64_t physical;

	if (lex_hex_word(&line->in, &exception->address) == 0)
		return tarmac_fm_note(line);
	line->event->kind = TARMAC_EXCEPTION;
	exception->has_address = true;
	if (lex_take(&line->in, ':'))
		TRY(tarmac_read_physical(line, &physical, &security));
	exception->has_number = lex_hex_word(&line->in, &exception->number) > 0;
	if (!exception->has_number) {
		exception->mode_text = lex_word(&line->in);
		exception->has_number = lex_hex_word(&line->in, &exception->number) > 0;
	}
	exception->name = last_word(lex_rest(&line->in));
	if (!exception->has_number || exception->name.n == 0)
		return tarmac_fault(line, "the number and the name of an event");
	return STATUS_OK;
}

enum status tarmac_fm_note(struct tarmac_line *line)
{
	line->event->kind = TARMAC_NOTE;
	return STATUS_OK;
}
