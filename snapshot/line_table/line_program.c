/* SPDX-License-Identifier: Apache-2.0 */
/* Headers and opcodes of line programs; see line_program.h. Numbers in brackets are of DWARF 5. */
#include "snapshot/line_table/line_program.h"

#include <string.h>

#include "snapshot/line_table/dwarf.h"

enum {
	VERSION_MIN = 2,
	VERSION_MAX = 5,
	ADDRESS_MOST = 8,
};

/* Standard opcodes [7.22]. */
enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC = 2,
	LNS_ADVANCE_LINE = 3,
	LNS_SET_FILE = 4,
	LNS_NEGATE_STMT = 6,
	LNS_CONST_ADD_PC = 8,
	LNS_FIXED_ADVANCE_PC = 9,
	LNS_COUNT = 13,
};

/* Extended opcodes [7.22]. */
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2 };

/* Content types [7.22] and forms [7.5.6] of a table of files. */
enum { LNCT_PATH = 1 };
enum {
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_STRP_SUP = 0x1d,
	FORM_LINE_STRP = 0x1f,
	FORM_GNU_STRP_ALT = 0x1f21,
};

/* How many arguments each standard opcode has; a program that says otherwise means others. */
static const uint8_t standard_lengths[LNS_COUNT] = {0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

/* A number of `size` bytes. */
static enum status read_number(const struct line_sections *sections, struct bytes *b,
                               unsigned int size, uint64_t *value)
{
	return dwarf_number(b, sections->is_big_endian, size, value);
}

/* standard_opcode_lengths */
static enum status read_lengths(struct bytes *header, struct line_program *program)
{
	struct bytes lengths;

	TRY(bytes_take(header, program->opcode_base - 1U, &lengths));
	program->lengths = lengths.pos;
	for (unsigned int i = 1; i < program->opcode_base && i < LNS_COUNT; i++) {
		if (program->lengths[i - 1] != standard_lengths[i])
			return STATUS_UNSUPPORTED;
	}
	return STATUS_OK;
}

/* [6.2.4], from minimum_instruction_length on. */
static enum status read_opcodes(struct bytes *header, struct line_program *program)
{
	uint8_t operations = 1;
	uint8_t is_statement;
	uint8_t base;

	TRY(bytes_u8(header, &program->instruction_size));
	if (program->version >= 4)
		TRY(bytes_u8(header, &operations));
	TRY(bytes_u8(header, &is_statement)); /* default_is_stmt */
	program->begins_as_statement = is_statement != 0;
	TRY(bytes_u8(header, &base));
	program->line_base = (int8_t)base;
	TRY(bytes_u8(header, &program->line_range));
	TRY(bytes_u8(header, &program->opcode_base));
	if (program->line_range == 0 || program->opcode_base == 0)
		return STATUS_BAD_DATA;
	TRY(read_lengths(header, program));
	return operations == 1 ? STATUS_OK : STATUS_UNSUPPORTED;
}

static enum status read_header(struct bytes unit, struct line_program *program)
{
	const struct line_sections *sections = program->sections;
	struct bytes header;
	uint64_t value;

	TRY(read_number(sections, &unit, 2, &value));
	program->version = (uint16_t)value;
	if (program->version < VERSION_MIN || program->version > VERSION_MAX)
		return STATUS_UNSUPPORTED;
	if (program->version >= 5) /* sizes of an address and of a segment's selector */
		TRY(bytes_skip(&unit, 2));
	TRY(read_number(sections, &unit, program->is_64bit ? 8 : 4, &value));
	if (value > bytes_left(&unit))
		return STATUS_TRUNCATED;
	TRY(bytes_take(&unit, (size_t)value, &header));
	TRY(read_opcodes(&header, program));
	program->tables = bytes_of(header.pos, bytes_left(&header));
	program->code = bytes_of(unit.pos, bytes_left(&unit));
	return STATUS_OK;
}

enum status line_program_read(const struct line_sections *sections, struct bytes *lines,
                              struct line_program *program)
{
	struct line_program read = {.sections = sections};
	struct bytes ahead = *lines;
	struct bytes unit;
	enum status status;

	TRY(dwarf_unit(&ahead, sections->is_big_endian, &read.is_64bit, &unit));
	*lines = ahead;
	status = read_header(unit, &read);
	if (status != STATUS_OK)
		return status == STATUS_UNSUPPORTED ? status : STATUS_BAD_DATA;
	*program = read;
	return STATUS_OK;
}

/* [6.2.2] */
static struct line_row first_row(const struct line_program *program)
{
	return (struct line_row){
	        .file = 1, .line = 1, .is_statement = program->begins_as_statement};
}

struct line_run line_run_from(const struct line_program *program, size_t offset)
{
	struct line_run run = {program, program->code, first_row(program)};

	if (bytes_skip(&run.code, offset) != STATUS_OK)
		run.code.pos = run.code.end;
	return run;
}

static void advance(struct line_run *run, uint64_t instructions)
{
	run->row.address += instructions * run->program->instruction_size;
}

/* [6.2.5.3] */
static enum status run_extended(struct line_run *run, bool *is_row)
{
	struct bytes body;
	uint64_t length;
	uint8_t opcode;

	TRY(dwarf_leb(&run->code, false, &length));
	if (length > bytes_left(&run->code))
		return STATUS_TRUNCATED;
	TRY(bytes_take(&run->code, (size_t)length, &body));
	TRY(bytes_u8(&body, &opcode));
	if (opcode == LNE_SET_ADDRESS && bytes_left(&body) >= 1 &&
	    bytes_left(&body) <= ADDRESS_MOST)
		return read_number(run->program->sections, &body, (unsigned int)bytes_left(&body),
		                   &run->row.address);
	*is_row = run->row.is_end = opcode == LNE_END_SEQUENCE;
	return opcode == LNE_SET_ADDRESS ? STATUS_BAD_DATA : STATUS_OK;
}

/* [6.2.5.2] */
static enum status run_standard(struct line_run *run, uint8_t opcode, bool *is_row)
{
	uint64_t value = 0;

	if (opcode == LNS_FIXED_ADVANCE_PC) {
		TRY(read_number(run->program->sections, &run->code, 2, &value));
		run->row.address += value;
		return STATUS_OK;
	}
	for (unsigned int i = 0; i < run->program->lengths[opcode - 1]; i++)
		TRY(dwarf_leb(&run->code, opcode == LNS_ADVANCE_LINE, &value));
	if (opcode == LNS_ADVANCE_PC)
		advance(run, value);
	else if (opcode == LNS_ADVANCE_LINE)
		run->row.line += value;
	else if (opcode == LNS_NEGATE_STMT)
		run->row.is_statement = !run->row.is_statement;
	else if (opcode == LNS_SET_FILE)
		run->row.file = value;
	else if (opcode == LNS_CONST_ADD_PC)
		advance(run, (UINT8_MAX - (unsigned int)run->program->opcode_base) /
		                     run->program->line_range);
	*is_row = opcode == LNS_COPY;
	return STATUS_OK;
}

/* [6.2.5.1] */
static void run_special(struct line_run *run, uint8_t opcode)
{
	unsigned int adjusted = (unsigned int)opcode - run->program->opcode_base;

	advance(run, adjusted / run->program->line_range);
	run->row.line += (uint64_t)(run->program->line_base +
	                            (int64_t)(adjusted % run->program->line_range));
}

enum status line_run_next(struct line_run *run)
{
	bool is_row = false;
	uint8_t opcode;

	if (run->row.is_end)
		run->row = first_row(run->program);
	while (!is_row) {
		TRY(bytes_u8(&run->code, &opcode));
		if (opcode >= run->program->opcode_base) {
			run_special(run, opcode);
			is_row = true;
		} else if (opcode == 0) {
			TRY(run_extended(run, &is_row));
		} else {
			TRY(run_standard(run, opcode, &is_row));
		}
	}
	return STATUS_OK;
}

static const char *without_folder(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* Versions before 5: folders, then files from 1 on, each list up to an empty name [4: 6.2.4]. */
static const char *find_old_file(struct bytes tables, uint64_t file)
{
	const char *name;
	uint64_t ignored;

	do {
		if (dwarf_string(&tables, &name) != STATUS_OK)
			return NULL;
	} while (name[0] != '\0');
	for (uint64_t i = 1;; i++) {
		if (dwarf_string(&tables, &name) != STATUS_OK || name[0] == '\0')
			return NULL;
		if (i == file)
			return name;
		for (unsigned int k = 0; k < 3; k++) { /* folder, time, length */
			if (dwarf_leb(&tables, false, &ignored) != STATUS_OK)
				return NULL;
		}
	}
}

/* A field of an entry; `string` is NULL if it is none, or not to be had. */
static enum status read_form(const struct line_program *program, struct bytes *b, uint64_t form,
                             const char **string)
{
	const struct line_sections *sections = program->sections;
	struct bytes strings = form == FORM_STRP ? sections->strings : sections->line_strings;
	unsigned int offset_size = program->is_64bit ? 8 : 4;
	struct bytes block;
	uint64_t value;

	*string = NULL;
	switch (form) {
	case FORM_STRING:
		return dwarf_string(b, string);
	case FORM_STRP:
	case FORM_LINE_STRP:
		TRY(read_number(sections, b, offset_size, &value));
		if (value < bytes_left(&strings) &&
		    bytes_skip(&strings, (size_t)value) == STATUS_OK)
			(void)!dwarf_string(&strings, string);
		return STATUS_OK;
	case FORM_STRP_SUP:
	case FORM_GNU_STRP_ALT: /* it lies in another file, which nobody opens */
		return bytes_skip(b, offset_size);
	case FORM_DATA1:
		return bytes_skip(b, 1);
	case FORM_DATA2:
		return bytes_skip(b, 2);
	case FORM_DATA4:
		return bytes_skip(b, 4);
	case FORM_DATA8:
		return bytes_skip(b, 8);
	case FORM_DATA16:
		return bytes_skip(b, 16);
	case FORM_UDATA:
		return dwarf_leb(b, false, &value);
	case FORM_BLOCK:
		return dwarf_block(b, sections->is_big_endian, 0, &block);
	case FORM_BLOCK1:
		return dwarf_block(b, sections->is_big_endian, 1, &block);
	case FORM_BLOCK2:
		return dwarf_block(b, sections->is_big_endian, 2, &block);
	case FORM_BLOCK4:
		return dwarf_block(b, sections->is_big_endian, 4, &block);
	default:
		return STATUS_UNSUPPORTED;
	}
}

/* How the entries of a table are made: pairs of a content type and a form. */
struct entry_format {
	struct bytes pairs;
	unsigned int count;
};

static enum status read_format(struct bytes *b, struct entry_format *format)
{
	const uint8_t *begin;
	uint64_t ignored;
	uint8_t count;

	TRY(bytes_u8(b, &count));
	begin = b->pos;
	for (unsigned int i = 0; i < 2U * count; i++)
		TRY(dwarf_leb(b, false, &ignored));
	*format = (struct entry_format){bytes_of(begin, (size_t)(b->pos - begin)), count};
	return STATUS_OK;
}

static enum status read_entry(const struct line_program *program, struct bytes *b,
                              const struct entry_format *format, const char **path)
{
	struct bytes pairs = format->pairs;

	*path = NULL;
	for (unsigned int i = 0; i < format->count; i++) {
		const char *string;
		uint64_t content;
		uint64_t form;

		TRY(dwarf_leb(&pairs, false, &content));
		TRY(dwarf_leb(&pairs, false, &form));
		TRY(read_form(program, b, form, &string));
		if (content == LNCT_PATH)
			*path = string;
	}
	return STATUS_OK;
}

/* The entry `wanted` of a table, or of UINT64_MAX nothing but what follows the table. */
static enum status read_table(const struct line_program *program, struct bytes *b, uint64_t wanted,
                              const char **path)
{
	struct entry_format format;
	uint64_t count;

	TRY(read_format(b, &format));
	TRY(dwarf_leb(b, false, &count));
	/* Each field has a byte at least: more entries than bytes are a lie. */
	if (count > 0 && (format.count == 0 || count > bytes_left(b)))
		return STATUS_BAD_DATA;
	for (uint64_t i = 0; i < count; i++) {
		const char *found;

		TRY(read_entry(program, b, &format, &found));
		if (i != wanted)
			continue;
		*path = found;
		return STATUS_OK;
	}
	return STATUS_OK;
}

const char *line_program_file(const struct line_program *program, uint64_t file)
{
	struct bytes tables = program->tables;
	const char *path = NULL;

	if (program->version < 5)
		return without_folder(find_old_file(tables, file));
	if (read_table(program, &tables, UINT64_MAX, &path) != STATUS_OK ||
	    read_table(program, &tables, file, &path) != STATUS_OK)
		return NULL;
	return without_folder(path);
}
