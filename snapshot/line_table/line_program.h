/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line programs of a section .debug_line (DWARF 5, 6.2; versions 2 to 5). In: the section. Out:
 * its programs, the rows that they make, names of files. Nothing here keeps anything.
 *
 * A program with several operations an instruction (VLIW) is none here: no Arm processor has them.
 */
#ifndef CSREPLAY_SNAPSHOT_LINE_TABLE_LINE_PROGRAM_H
#define CSREPLAY_SNAPSHOT_LINE_TABLE_LINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

struct line_sections {
	struct bytes lines;        /* .debug_line */
	struct bytes line_strings; /* .debug_line_str */
	struct bytes strings;      /* .debug_str */
	bool is_big_endian;
};

/* The header of a program. */
struct line_program {
	const struct line_sections *sections;
	struct bytes tables; /* of folders and files */
	struct bytes code;
	const uint8_t *lengths; /* of the standard opcodes from 1 on: how many arguments */
	uint16_t version;
	bool is_64bit; /* offsets have 8 bytes */
	uint8_t instruction_size;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	bool begins_as_statement; /* a sequence's first row */
};

/*
 * Reads the header at `lines` and moves on to what follows the program. END after the last;
 * TRUNCATED where it is cut; BAD_DATA for a header that lies, UNSUPPORTED for a version or machine
 * that is not known. `lines` is behind the program but with END and TRUNCATED.
 */
MUST_USE enum status line_program_read(const struct line_sections *sections, struct bytes *lines,
                                       struct line_program *program);

struct line_row {
	uint64_t address;
	uint64_t file;     /* for line_program_file() */
	uint64_t line;     /* 0: of no line */
	bool is_end;       /* the first address after a sequence */
	bool is_statement; /* a place where a debugger is to stop for the line */
};

/* A program on its way: a row is `row` as it is when line_run_next() returns. */
struct line_run {
	const struct line_program *program;
	struct bytes code;
	struct line_row row;
};

/* Runs from `offset` of the program's code, where a sequence begins. */
struct line_run line_run_from(const struct line_program *program, size_t offset);

/* The next row. END after the last, TRUNCATED or BAD_DATA where the program is damaged. */
MUST_USE enum status line_run_next(struct line_run *run);

/* The name of a file, without its folder; NULL if it is none, or in another file. */
const char *line_program_file(const struct line_program *program, uint64_t file);

#endif
