/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarmac Text Rev 3 (ARM-EPM-041435, chapter 2): records that start with "ES" and go on in lines of
 * their own, as RTL and cycle models write them. In: a line after the word that says its kind.
 * Out: its event.
 */
#include "arch/isa.h"
#include "replay/tarmac/tarmac_line.h"

enum {
	PAGE_ORDER_LEAST = 12,
	PAGE_ORDER_MOST = 52,
	CHUNK = 16, /* bytes that a memory line shows */
	REVISION = 3,
};

/* 2.3.2, and what other producers write for the same. */
static const struct str async_events[] = {
#define NAME(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}
        NAME("Reset"),       NAME("External Debug Event"), NAME("IRQ"),
        NAME("FIQ"),         NAME("System Error"),         NAME("Virtual IRQ"),
        NAME("Virtual FIQ"), NAME("Virtual System Error"), NAME("Background Update"),
#undef NAME
};

static enum status read_async(struct tarmac_line *line)
{
	struct str name = str_trim(lex_rest(&line->in));

	for (size_t i = 0; i < sizeof(async_events) / sizeof(async_events[0]); i++) {
		if (!str_has_prefix(name, async_events[i]))
			continue;
		line->event->kind = TARMAC_ASYNC;
		line->event->exception.name = name;
		return STATUS_OK;
	}
	line->in.pos = line->in.end - name.n;
	return tarmac_fault(line, "an instruction or an asynchronous event");
}

/* The address; dashes; or, in Debug state, the register that holds the opcode (2.3.1, field 1). */
static enum status read_address(struct tarmac_line *line)
{
	struct tarmac_instruction *i = &line->event->instruction;
	struct bytes before = line->in;
	struct str word;

	if (lex_hex_word(&line->in, &i->address) > 0) {
		i->has_address = true;
		return STATUS_OK;
	}
	word = lex_word(&line->in);
	i->is_debug = str_eq_nocase(word, STR("EDITR")) || str_eq_nocase(word, STR("DBGITR"));
	i->debug_register = i->is_debug ? word : i->debug_register;
	if (i->is_debug || lex_is_all(word, '-'))
		return STATUS_OK;
	line->in = before;
	return tarmac_fault(line, "the instruction's address");
}

enum status tarmac_rev3_step(struct tarmac_line *line)
{
	int next = lex_peek(&line->in);

	line->event->kind = TARMAC_INSTRUCTION;
	if (next != '(') {
		struct bytes before = line->in;

		if (LEX_IS(lex_word(&line->in), "EXC")) {
			line->event->exception.is_record = true;
			return tarmac_rev3_exception(line);
		}
		line->in = before;
		return read_async(line);
	}
	lex_take(&line->in, '(');
	TRY(read_address(line));
	if (!lex_take(&line->in, ':'))
		return tarmac_fault(line, "':' before the opcode");
	TRY(tarmac_read_opcode(line));
	if (!lex_take(&line->in, ')'))
		return tarmac_fault(line, "')' after the opcode");
	return tarmac_read_code(line);
}

enum status tarmac_rev3_exception(struct tarmac_line *line)
{
	struct bytes before = line->in;
	struct tarmac_exception *exception = &line->event->exception;

	line->event->kind = TARMAC_EXCEPTION;
	if (lex_take(&line->in, '[')) {
		before = line->in;
		TRY(tarmac_read_vector(line));
		if (!lex_take(&line->in, ']'))
			return tarmac_fault(line, "']' after the vector");
		exception->has_vector = true;
	}
	exception->name = str_trim(lex_rest(&line->in));
	if (exception->has_vector && exception_name_contradicts(exception->name, exception->vector))
		tarmac_note_oddity(line, TARMAC_ODD_VECTOR, lex_word(&before));
	return STATUS_OK;
}

/* 2.3.4, fields 7 to 9, and 10, whose words begin with O instead of I. */
static bool is_attribute(struct str word)
{
	static const char *const types[] = {"SO",  "DV", "nGnRnE", "nGnRE", "nGRE",
	                                    "GRE", "NM", "OSH",    "ISH",   "NSH"};
	/* "BWRA" is in the document's examples. */
	static const char *const caches[] = {"NC",   "WTNA", "WTRA", "WTWA",  "WTRWA",
	                                     "WBNA", "WBRA", "WBWA", "WBRWA", "WBWRA"};
	bool has_prefix = word.n > 1 && (word.p[0] == 'I' || word.p[0] == 'O');

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (str_eq(word, str_of(types[i])))
			return true;
	}
	for (size_t i = 0; has_prefix && i < sizeof(caches) / sizeof(caches[0]); i++) {
		if (str_eq(str_skip(word, 1), str_of(caches[i])))
			return true;
	}
	return false;
}

/* "/12 NM NSH INC ONC": nothing depends on them, so what is none of them is a warning. */
static void check_attributes(struct tarmac_line *line, struct str attributes)
{
	struct str rest = attributes;
	bool is_first = true;
	bool is_known = true;

	if (lex_is_same(attributes, line->last->attributes))
		return;
	while (rest.p) {
		struct str word = str_next_part(&rest, ' ');
		bool is_order = is_first && word.n > 1 && word.p[0] == '/' &&
		                lex_is_decimal(str_skip(word, 1));

		is_first = false;
		if (word.n == 0 || is_order || is_attribute(word))
			continue;
		is_known = false;
		tarmac_note_oddity(line, TARMAC_ODD_ATTRIBUTE, word);
	}
	if (is_known)
		line->last->attributes = attributes;
}

/* "S:0013000000/20" or "0000000020": optional, as is what comes after. */
static void read_physical(struct tarmac_line *line, struct tarmac_memory *memory)
{
	struct bytes before = line->in;
	enum tarmac_security security = tarmac_read_security(lex_word(&line->in));

	if (security != TARMAC_SECURITY_NOT_SAID && lex_take(&line->in, ':'))
		memory->security = security;
	else
		line->in = before;
	memory->has_physical = lex_hex_word(&line->in, &memory->physical) >= 8;
	if (!memory->has_physical)
		line->in = before;
}

/* "/21", the page's order, of an access that has a physical address; 0 if it is not said. */
static uint8_t read_order(struct str attributes)
{
	struct str word = str_next_part(&attributes, ' ');
	uint64_t order;

	if (word.n < 2 || word.p[0] != '/' || !lex_is_decimal(str_skip(word, 1)) ||
	    str_to_u64(str_skip(word, 1), &order) != STATUS_OK || order > PAGE_ORDER_MOST)
		return 0;
	return (uint8_t)order;
}

/* An access is as far from its page's beginning there as here. No page has less than 4 KiB. */
static enum status check_page(struct tarmac_line *line, struct tarmac_memory *memory,
                              struct bytes before)
{
	uint64_t differ = memory->address ^ memory->physical;
	uint64_t least = UINT64_C(1) << PAGE_ORDER_LEAST;
	struct str attributes = memory->attributes;
	bool is_small = memory->page_order > 0 && memory->page_order < PAGE_ORDER_LEAST;

	if (!memory->has_physical)
		return STATUS_OK;
	if (differ % least != 0 || (is_small && differ != 0)) {
		line->in = before;
		return tarmac_fault(line, is_small ? "the order of a page of 4 KiB (12) or more"
		                                   : "a physical address with the virtual one's "
		                                     "place in its page");
	}
	if (differ % (UINT64_C(1) << memory->page_order) != 0) {
		tarmac_note_oddity(line, TARMAC_ODD_ORDER, str_next_part(&attributes, ' '));
		memory->page_order = 0;
	}
	return STATUS_OK;
}

enum status tarmac_rev3_memory(struct tarmac_line *line)
{
	struct tarmac_memory *memory = &line->event->memory;
	struct str word = line->event->word;
	struct bytes before;

	line->event->kind = TARMAC_MEMORY;
	memory->is_write = word.p[0] == 'S';
	memory->is_aborted = word.p[1] == 'A';
	memory->is_exclusive_failed = word.p[1] == 'X';
	memory->is_exclusive = memory->is_exclusive_failed;
	memory->value = line->value;
	line->value->size = 0;
	lex_blanks(&line->in);
	line->state->column = bytes_offset(&line->in);
	before = line->in;
	if (lex_hex_word(&line->in, &memory->address) == 0)
		return tarmac_fault(line, "the address of an access");
	line->state->is_continued = true;
	line->state->word_place = line->event->offset + (uint64_t)(word.p - line->event->text.p);
	if (lex_peek(&line->in) < 0 && memory->is_aborted)
		return STATUS_OK;
	/* Of another one nobody can say whether the words are from there on or from the boundary.
	 */
	if (memory->address % CHUNK != 0) {
		line->in = before;
		return tarmac_fault(line, "an address on a boundary of 16 bytes");
	}
	TRY(tarmac_read_value(line, CHUNK));
	before = line->in;
	read_physical(line, memory);
	if (memory->has_physical && memory->physical % CHUNK != 0) {
		line->in = before;
		return tarmac_fault(line, "a physical address on a boundary of 16 bytes");
	}
	memory->attributes = str_trim(lex_rest(&line->in));
	check_attributes(line, memory->attributes);
	memory->page_order = memory->has_physical ? read_order(memory->attributes) : 0;
	return check_page(line, memory, before);
}

enum status tarmac_rev3_branch(struct tarmac_line *line)
{
	struct tarmac_branch *branch = &line->event->branch;

	line->event->kind = TARMAC_BRANCH;
	if (!lex_take(&line->in, '(') || lex_hex_word(&line->in, &branch->target) == 0 ||
	    !lex_take(&line->in, ')'))
		return tarmac_fault(line, "the address of a branch in parentheses");
	if (tarmac_read_isa(lex_word(&line->in), &branch->isa) != STATUS_OK)
		return tarmac_fault(line, "the instruction set of a branch");
	return STATUS_OK;
}

/* "Text Rev 3t". */
enum status tarmac_rev3_header(struct tarmac_line *line)
{
	struct tarmac_header *header = &line->event->header;
	struct str number;
	struct str flags;
	uint64_t revision;

	line->event->kind = TARMAC_HEADER;
	if (!LEX_IS(lex_word(&line->in), "Text") || !LEX_IS(lex_word(&line->in), "Rev"))
		return tarmac_fault(line, "\"Text Rev\" and a number");
	lex_blanks(&line->in);
	number = (struct str){(const char *)line->in.pos, 0};
	if (!lex_decimal(&line->in, &revision) || revision > UINT32_MAX)
		return tarmac_fault(line, "\"Text Rev\" and a number");
	number.n = (size_t)((const char *)line->in.pos - number.p);
	header->revision = (uint32_t)revision;
	flags = lex_word(&line->in);
	if (revision != REVISION)
		tarmac_note_oddity(line, TARMAC_ODD_REVISION, number);
	for (size_t i = 0; i < flags.n; i++) {
		header->has_timestamps |= flags.p[i] == 't';
		if (flags.p[i] != 't')
			tarmac_note_oddity(line, TARMAC_ODD_FLAG, (struct str){flags.p + i, 1});
	}
	return STATUS_OK;
}
