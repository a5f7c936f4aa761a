/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory accesses as RTL simulators of Cortex-M and Cortex-R cores write them ("MNW4___D"), and as
 * a simulator that counts in "cs" does ("R08"). In: a line after the word that says its kind. Out:
 * its event. The forms are those of real files: docs/formats/tarmac.md.
 */
#include "replay/tarmac/tarmac_line.h"

enum {
	WORD_LENGTH = 8, /* M, kind of transfer, R or W, size, three flags, bus */
};

/* Non-sequential, sequential: the address counts in either. */
static enum status read_word(struct tarmac_line *line, unsigned int *size)
{
	struct str word = line->event->word;

	if (word.n != WORD_LENGTH || (word.p[2] != 'R' && word.p[2] != 'W') || word.p[3] < '1' ||
	    word.p[3] > '8') {
		line->fault = (struct tarmac_fault){"a memory access", word, 0, 0};
		return STATUS_BAD_DATA;
	}
	*size = (unsigned int)(word.p[3] - '0');
	return STATUS_OK;
}

/* "(00000050:000000a8)": the instruction's address and index. */
static enum status skip_instruction(struct tarmac_line *line)
{
	uint64_t number;

	if (!lex_take(&line->in, '('))
		return STATUS_OK;
	if (lex_hex_word(&line->in, &number) == 0 || !lex_take(&line->in, ':') ||
	    lex_hex_word(&line->in, &number) == 0 || !lex_take(&line->in, ')'))
		return tarmac_fault(line, "an instruction's address and index");
	return STATUS_OK;
}

/*
 * The data bus shows the bytes in the order of memory. On the others, the instruction bus and the
 * peripheral one, the order is not known, and so no byte is.
 */
static void order_bytes(struct tarmac_value *value, char bus)
{
	if (bus == 'D')
		tarmac_value_reverse(value);
	if (bus == 'I' || bus == 'A')
		tarmac_value_forget(value);
}

enum status tarmac_rtl_memory(struct tarmac_line *line)
{
	struct tarmac_memory *memory = &line->event->memory;
	struct str word = line->event->word;
	struct bytes before;
	unsigned int size;

	line->event->kind = TARMAC_MEMORY;
	line->event->dialect = TARMAC_DIALECT_RTL;
	TRY(read_word(line, &size));
	memory->is_write = word.p[2] == 'W';
	memory->is_fetch = word.p[WORD_LENGTH - 1] == 'I';
	memory->value = line->value;
	TRY(skip_instruction(line));
	before = line->in;
	if (LEX_IS(lex_word(&line->in), "TRANSFER")) {
		line->event->kind = TARMAC_OPERATION; /* to a coprocessor */
		return STATUS_OK;
	}
	line->in = before;
	if (lex_hex_word(&line->in, &memory->address) == 0)
		return tarmac_fault(line, "the address of an access");
	TRY(tarmac_read_value(line, size));
	order_bytes(line->value, word.p[WORD_LENGTH - 1]);
	return STATUS_OK;
}

enum status tarmac_rtl_access(struct tarmac_line *line)
{
	struct tarmac_memory *memory = &line->event->memory;
	struct bytes before = line->in;

	line->event->kind = TARMAC_MEMORY;
	line->event->dialect = TARMAC_DIALECT_RTL;
	memory->is_write = line->event->word.p[0] == 'W';
	memory->value = line->value;
	memory->is_exclusive = LEX_IS(lex_word(&line->in), "X");
	if (!memory->is_exclusive)
		line->in = before;
	if (lex_hex_word(&line->in, &memory->address) == 0)
		return tarmac_fault(line, "the address of an access");
	return tarmac_read_value(line, (unsigned int)(line->event->word.p[2] - '0'));
}
