/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters and local variables of the function that an address of code is in, by DWARF. In: the
 * sections of a file, the address, and whoever knows registers and memory there. Out: lines of
 * text: of each function that is inlined there its own variables, the innermost first, then those
 * of the function itself, those of inner blocks first.
 *
 * Where a variable is, is read where it is simple: a constant, an address, a register, sums of
 * these with numbers, what memory has there, the frame's address; also from location lists, and
 * with values at the function's entry. Pieces and pointers to what is not there are said not to be
 * read. A byte that is not known is `??`. What lies in another unit or in another file is not read.
 */
#ifndef CSREPLAY_SNAPSHOT_VARIABLES_VARIABLES_H
#define CSREPLAY_SNAPSHOT_VARIABLES_VARIABLES_H

#include "base/text.h"
#include "snapshot/type_layout/type_layout.h"

enum {
	VARIABLE_BYTES = 256, /* of a value; of a longer one the first */
	VARIABLE_REGISTER_BYTES = 16,
};

/* Bytes, in the order of memory, and which of them are known. */
struct variable_bytes {
	uint8_t bytes[VARIABLE_BYTES];
	bool known[VARIABLE_BYTES];
	size_t size;
	bool is_assumed; /* some of them are not proved */
};

/*
 * Registers and memory of a frame. Registers have DWARF's numbers of the architecture (AADWARF32
 * and AADWARF64, 4.1). Each gives bytes that are not known where they are not.
 */
struct variable_machine {
	void *context;
	/* VARIABLE_REGISTER_BYTES at most; 0 of one that there is not. */
	void (*read_register)(void *context, uint64_t number, struct variable_bytes *value);
	/* The same where the function that begins at an address was entered. */
	void (*read_at_entry)(void *context, uint64_t function, uint64_t number,
	                      struct variable_bytes *value);
	/* SP as the function was called: DW_OP_call_frame_cfa. */
	void (*read_frame)(void *context, struct variable_bytes *value);
	/* `value->size` bytes. */
	void (*read_memory)(void *context, uint64_t address, struct variable_bytes *value);
};

struct variable_sections {
	struct debug_sections debug;
	struct bytes addresses;      /* .debug_addr */
	struct bytes ranges;         /* .debug_ranges */
	struct bytes range_lists;    /* .debug_rnglists */
	struct bytes locations;      /* .debug_loc */
	struct bytes location_lists; /* .debug_loclists */
	uint64_t bias;               /* what memory has an address at, less what the file says */
};

/* Where variables are asked for. */
struct variable_scope {
	uint64_t pc;    /* in memory */
	bool is_caller; /* it is where a call returns to, which is after what runs */
};

/* What a list of variables is beside its text. */
struct variables_found {
	unsigned int count;
	unsigned int unread; /* so many in a form that is not read */
};

/* Those of a file, as long as it is open. */
struct variable_sections variables_sections(struct elf_sections *file, uint64_t bias);

/*
 * Appends the list. NOT_FOUND: the sections say nothing of the address. NO_MEM; UNSUPPORTED: a file
 * of big-endian code. What is damaged is left out.
 */
MUST_USE enum status variables_write(const struct variable_sections *sections,
                                     const struct variable_scope *scope,
                                     const struct variable_machine *machine, struct text *out,
                                     struct variables_found *found);

#endif
