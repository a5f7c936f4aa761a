/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of .debug_info and their entries, one at a time (DWARF 5, 7.5). In: the sections. Out: of
 * an entry what the layout of types and the values of variables need: its tag, name, type, size and
 * places. References lead to entries of the same unit; one that leads elsewhere (a unit of a
 * linker's optimisation, another file) is none.
 */
#ifndef CSREPLAY_SNAPSHOT_TYPE_LAYOUT_DEBUG_ENTRY_H
#define CSREPLAY_SNAPSHOT_TYPE_LAYOUT_DEBUG_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

struct debug_sections {
	struct bytes info;           /* .debug_info */
	struct bytes abbreviations;  /* .debug_abbrev */
	struct bytes strings;        /* .debug_str */
	struct bytes line_strings;   /* .debug_line_str */
	struct bytes string_offsets; /* .debug_str_offsets */
	bool is_big_endian;
};

/* Tags that are told apart [7.5.3]. */
enum debug_tag {
	DEBUG_TAG_NONE = 0, /* the end of a list of children */
	DEBUG_TAG_ARRAY = 0x01,
	DEBUG_TAG_CLASS = 0x02,
	DEBUG_TAG_ENUMERATION = 0x04,
	DEBUG_TAG_PARAMETER = 0x05,
	DEBUG_TAG_BLOCK = 0x0b,
	DEBUG_TAG_MEMBER = 0x0d,
	DEBUG_TAG_POINTER = 0x0f,
	DEBUG_TAG_REFERENCE = 0x10,
	DEBUG_TAG_STRUCTURE = 0x13,
	DEBUG_TAG_FUNCTION_TYPE = 0x15,
	DEBUG_TAG_TYPEDEF = 0x16,
	DEBUG_TAG_UNION = 0x17,
	DEBUG_TAG_INHERITANCE = 0x1c,
	DEBUG_TAG_INLINED = 0x1d,
	DEBUG_TAG_SUBRANGE = 0x21,
	DEBUG_TAG_BASE = 0x24,
	DEBUG_TAG_CONST = 0x26,
	DEBUG_TAG_ENUMERATOR = 0x28,
	DEBUG_TAG_FUNCTION = 0x2e,
	DEBUG_TAG_VARIABLE = 0x34,
	DEBUG_TAG_VOLATILE = 0x35,
	DEBUG_TAG_RESTRICT = 0x37,
	DEBUG_TAG_NAMESPACE = 0x39,
	DEBUG_TAG_RVALUE_REFERENCE = 0x42,
	DEBUG_TAG_ATOMIC = 0x47,
};

/* A number that an entry may have. */
struct debug_number {
	bool is_known;
	uint64_t value;
};

/* What an attribute says that may be of several classes [7.5.5]. */
enum debug_class {
	DEBUG_CLASS_NONE, /* the entry lacks it, or it is of another class */
	DEBUG_CLASS_ADDRESS,
	DEBUG_CLASS_ADDRESS_INDEX, /* in the unit's part of .debug_addr */
	DEBUG_CLASS_CONSTANT,
	DEBUG_CLASS_OFFSET,     /* in the section of lists */
	DEBUG_CLASS_LIST_INDEX, /* in the unit's table of offsets of lists */
	DEBUG_CLASS_BLOCK,      /* an expression, or bytes */
};

struct debug_place {
	enum debug_class class;
	uint64_t number;
	struct bytes block;
};

struct debug_entry {
	uint64_t tag;
	bool has_children;
	bool is_declaration;
	bool is_bit_field;
	const char *name;                /* NULL: it has none */
	struct debug_number type;        /* offset in the unit of the type's entry */
	struct debug_number origin;      /* of the entry that has the rest, such as the name */
	struct debug_number sibling;     /* and of the entry after its children */
	struct debug_number location;    /* of a member in its structure */
	struct debug_number size;        /* bytes */
	struct debug_number count;       /* of a subrange */
	struct debug_number encoding;    /* of a base type [7.8] */
	struct debug_number strings;     /* of a unit: where its part of string_offsets begins, */
	struct debug_number addresses;   /* of .debug_addr, */
	struct debug_number range_lists; /* of .debug_rnglists, */
	struct debug_number location_lists; /* and of .debug_loclists */
	struct debug_place low;             /* the first address of code, */
	struct debug_place high;            /* the one after the last, or how many there are; */
	struct debug_place ranges;          /* or a list */
	struct debug_place place;           /* of a variable: an expression, or a list */
	struct debug_place frame; /* of a function: the same of what DW_OP_fbreg adds to */
	struct debug_place value; /* a constant's */
};

struct debug_abbreviation;
struct debug_attribute;

struct debug_unit {
	const struct debug_sections *sections;
	struct bytes whole;   /* from its header on: what offsets count from */
	struct bytes entries; /* from the first one on */
	uint16_t version;
	bool is_64bit; /* offsets have 8 bytes */
	uint8_t address_size;
	uint64_t strings; /* of its part of string_offsets */
	uint64_t left;    /* entries that debug_walk.h may read; for its user to set */
	struct debug_abbreviation *abbreviations;
	size_t count;
	size_t capacity;
	struct debug_attribute *attributes; /* of all abbreviations */
	size_t attribute_count;
	size_t attribute_capacity;
};

/*
 * Reads the header of the unit at `info`, and the abbreviations that it uses, and moves on to what
 * follows it. `unit` is zeroed before the first one, and taken again for the next. END after the
 * last, TRUNCATED where it is cut; NO_MEM; else a unit that cannot be read: BAD_DATA for one that
 * lies, UNSUPPORTED for another version or kind. `info` is behind the unit but with END and
 * TRUNCATED.
 */
MUST_USE enum status debug_unit_read(const struct debug_sections *sections, struct bytes *info,
                                     struct debug_unit *unit);
void debug_unit_fini(struct debug_unit *unit);

/* The entry at the cursor, which comes to lie behind it. END after the last; else damage. */
MUST_USE enum status debug_entry_read(const struct debug_unit *unit, struct bytes *at,
                                      struct debug_entry *entry);

/* A cursor at an offset of the unit; TRUNCATED if it has none of its entries there. */
MUST_USE enum status debug_unit_seek(const struct debug_unit *unit, uint64_t offset,
                                     struct bytes *at);

#endif
