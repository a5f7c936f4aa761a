/* SPDX-License-Identifier: Apache-2.0 */
/* Units, abbreviations, attributes; see debug_entry.h. Numbers in brackets are of DWARF 5. */
#include "snapshot/type_layout/debug_entry.h"

#include <stdlib.h>

#include "base/vec.h"
#include "snapshot/line_table/dwarf.h"

enum {
	VERSION_MIN = 2,
	VERSION_MAX = 5,
	ADDRESS_MOST = 8,
	OP_PLUS_UCONST = 0x23, /* [7.7.1] */
	INDIRECT_MOST = 4,     /* forms that say a form */
};

/* Kinds of units that have their own entries [7.5.1]. */
enum { UNIT_COMPILE = 1, UNIT_PARTIAL = 3 };

/* Attributes that are read [7.5.4]. */
enum {
	AT_SIBLING = 0x01,
	AT_LOCATION = 0x02,
	AT_NAME = 0x03,
	AT_BYTE_SIZE = 0x0b,
	AT_BIT_SIZE = 0x0d,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_CONST_VALUE = 0x1c,
	AT_UPPER_BOUND = 0x2f,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_COUNT = 0x37,
	AT_DATA_MEMBER_LOCATION = 0x38,
	AT_DECLARATION = 0x3c,
	AT_ENCODING = 0x3e,
	AT_FRAME_BASE = 0x40,
	AT_SPECIFICATION = 0x47,
	AT_TYPE = 0x49,
	AT_RANGES = 0x55,
	AT_STR_OFFSETS_BASE = 0x72,
	AT_ADDR_BASE = 0x73,
	AT_RNGLISTS_BASE = 0x74,
	AT_LOCLISTS_BASE = 0x8c,
};

/* What a form holds. */
enum form_kind {
	KIND_UNKNOWN,
	KIND_NUMBER, /* and flags */
	KIND_ADDRESS,
	KIND_ADDRESS_INDEX,
	KIND_OFFSET, /* in another section */
	KIND_LIST_INDEX,
	KIND_REFERENCE,   /* offset of an entry in the unit */
	KIND_ELSEWHERE,   /* a reference, or a string, out of the unit: of no use here */
	KIND_STRING,      /* in the entry */
	KIND_STRINGS,     /* an offset in .debug_str */
	KIND_LINE_STRING, /* in .debug_line_str */
	KIND_INDEX,       /* of .debug_str_offsets */
	KIND_BLOCK,
	KIND_CONSTANT, /* of the abbreviation */
	KIND_INDIRECT, /* the form is in the entry */
};

/* How many bytes it takes, beside numbers. */
enum form_size { SIZE_LEB = 0x20, SIZE_SLEB, SIZE_OFFSET, SIZE_ADDRESS, SIZE_REF_ADDR };

struct form {
	uint8_t kind;
	uint8_t size;
};

enum { FORM_INDIRECT = 0x16, FORM_IMPLICIT_CONST = 0x21, FORM_COUNT = 0x2d };

/* [7.5.6] */
static const struct form forms[FORM_COUNT] = {
        [0x01] = {KIND_ADDRESS, SIZE_ADDRESS},       /* addr */
        [0x03] = {KIND_BLOCK, 2},                    /* block2 */
        [0x04] = {KIND_BLOCK, 4},                    /* block4 */
        [0x05] = {KIND_NUMBER, 2},                   /* data2 */
        [0x06] = {KIND_NUMBER, 4},                   /* data4 */
        [0x07] = {KIND_NUMBER, 8},                   /* data8 */
        [0x08] = {KIND_STRING, 0},                   /* string */
        [0x09] = {KIND_BLOCK, 0},                    /* block */
        [0x0a] = {KIND_BLOCK, 1},                    /* block1 */
        [0x0b] = {KIND_NUMBER, 1},                   /* data1 */
        [0x0c] = {KIND_NUMBER, 1},                   /* flag */
        [0x0d] = {KIND_NUMBER, SIZE_SLEB},           /* sdata */
        [0x0e] = {KIND_STRINGS, SIZE_OFFSET},        /* strp */
        [0x0f] = {KIND_NUMBER, SIZE_LEB},            /* udata */
        [0x10] = {KIND_ELSEWHERE, SIZE_REF_ADDR},    /* ref_addr */
        [0x11] = {KIND_REFERENCE, 1},                /* ref1 */
        [0x12] = {KIND_REFERENCE, 2},                /* ref2 */
        [0x13] = {KIND_REFERENCE, 4},                /* ref4 */
        [0x14] = {KIND_REFERENCE, 8},                /* ref8 */
        [0x15] = {KIND_REFERENCE, SIZE_LEB},         /* ref_udata */
        [FORM_INDIRECT] = {KIND_INDIRECT, SIZE_LEB}, /* indirect */
        [0x17] = {KIND_OFFSET, SIZE_OFFSET},         /* sec_offset */
        [0x18] = {KIND_BLOCK, 0},                    /* exprloc */
        [0x19] = {KIND_CONSTANT, 0},                 /* flag_present */
        [0x1a] = {KIND_INDEX, SIZE_LEB},             /* strx */
        [0x1b] = {KIND_ADDRESS_INDEX, SIZE_LEB},     /* addrx */
        [0x1c] = {KIND_ELSEWHERE, 4},                /* ref_sup4 */
        [0x1d] = {KIND_ELSEWHERE, SIZE_OFFSET},      /* strp_sup */
        [0x1e] = {KIND_ELSEWHERE, 16},               /* data16 */
        [0x1f] = {KIND_LINE_STRING, SIZE_OFFSET},    /* line_strp */
        [0x20] = {KIND_ELSEWHERE, 8},                /* ref_sig8 */
        [FORM_IMPLICIT_CONST] = {KIND_CONSTANT, 0},  /* implicit_const */
        [0x22] = {KIND_LIST_INDEX, SIZE_LEB},        /* loclistx */
        [0x23] = {KIND_LIST_INDEX, SIZE_LEB},        /* rnglistx */
        [0x24] = {KIND_ELSEWHERE, 8},                /* ref_sup8 */
        [0x25] = {KIND_INDEX, 1},                    /* strx1 */
        [0x26] = {KIND_INDEX, 2},                    /* strx2 */
        [0x27] = {KIND_INDEX, 3},                    /* strx3 */
        [0x28] = {KIND_INDEX, 4},                    /* strx4 */
        [0x29] = {KIND_ADDRESS_INDEX, 1},            /* addrx1 */
        [0x2a] = {KIND_ADDRESS_INDEX, 2},            /* addrx2 */
        [0x2b] = {KIND_ADDRESS_INDEX, 3},            /* addrx3 */
        [0x2c] = {KIND_ADDRESS_INDEX, 4},            /* addrx4 */
};

/* GNU extensions, from before DWARF 5: an address's and a string's index, two of another file. */
static struct form gnu_form(uint64_t form)
{
	if (form == 0x1f01)
		return (struct form){KIND_ADDRESS_INDEX, SIZE_LEB};
	if (form == 0x1f02)
		return (struct form){KIND_ELSEWHERE, SIZE_LEB};
	if (form == 0x1f20 || form == 0x1f21)
		return (struct form){KIND_ELSEWHERE, SIZE_OFFSET};
	return (struct form){KIND_UNKNOWN, 0};
}

struct debug_attribute {
	uint64_t name;
	uint64_t form;
	uint64_t constant; /* of FORM_IMPLICIT_CONST */
};

struct debug_abbreviation {
	uint64_t code;
	uint64_t tag;
	bool has_children;
	size_t first; /* of its attributes */
	size_t count;
};

/* The attributes of an abbreviation, up to a pair of zeros [7.5.3]. */
static enum status read_attributes(struct debug_unit *unit, struct bytes *b)
{
	for (;;) {
		struct debug_attribute attribute = {.constant = 1};

		TRY(dwarf_leb(b, false, &attribute.name));
		TRY(dwarf_leb(b, false, &attribute.form));
		if (attribute.form == FORM_IMPLICIT_CONST)
			TRY(dwarf_leb(b, true, &attribute.constant));
		if (attribute.name == 0 && attribute.form == 0)
			return STATUS_OK;
		TRY(vec_reserve((void **)&unit->attributes, &unit->attribute_capacity,
		                unit->attribute_count + 1, sizeof(*unit->attributes)));
		unit->attributes[unit->attribute_count++] = attribute;
	}
}

/* The code has been read. */
static enum status read_abbreviation(struct debug_unit *unit, struct bytes *b, uint64_t code)
{
	struct debug_abbreviation read = {.code = code, .first = unit->attribute_count};
	uint8_t has_children;

	TRY(dwarf_leb(b, false, &read.tag));
	TRY(bytes_u8(b, &has_children));
	read.has_children = has_children != 0;
	TRY(read_attributes(unit, b));
	read.count = unit->attribute_count - read.first;
	TRY(vec_reserve((void **)&unit->abbreviations, &unit->capacity, unit->count + 1,
	                sizeof(*unit->abbreviations)));
	unit->abbreviations[unit->count++] = read;
	return STATUS_OK;
}

static enum status read_abbreviations(struct debug_unit *unit, uint64_t offset)
{
	struct bytes b = unit->sections->abbreviations;

	unit->count = unit->attribute_count = 0;
	if (offset > bytes_left(&b))
		return STATUS_BAD_DATA;
	TRY(bytes_skip(&b, (size_t)offset));
	for (;;) {
		uint64_t code;

		TRY(dwarf_leb(&b, false, &code));
		if (code == 0)
			return STATUS_OK;
		TRY(read_abbreviation(unit, &b, code));
	}
}

/* Compilers number them from 1 on. */
static const struct debug_abbreviation *find_abbreviation(const struct debug_unit *unit,
                                                          uint64_t code)
{
	if (code - 1 < unit->count && unit->abbreviations[code - 1].code == code)
		return &unit->abbreviations[code - 1];
	for (size_t i = 0; i < unit->count; i++) {
		if (unit->abbreviations[i].code == code)
			return &unit->abbreviations[i];
	}
	return NULL;
}

static enum status read_number(const struct debug_unit *unit, struct bytes *b, unsigned int size,
                               uint64_t *value)
{
	return dwarf_number(b, unit->sections->is_big_endian, size, value);
}

/* What comes after the version, from 5 on [7.5.1], */
static enum status read_new_header(struct debug_unit *unit, struct bytes *b, uint64_t *offset)
{
	uint8_t kind;

	TRY(bytes_u8(b, &kind));
	TRY(bytes_u8(b, &unit->address_size));
	TRY(read_number(unit, b, unit->is_64bit ? 8 : 4, offset));
	return kind == UNIT_COMPILE || kind == UNIT_PARTIAL ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* and before. */
static enum status read_old_header(struct debug_unit *unit, struct bytes *b, uint64_t *offset)
{
	TRY(read_number(unit, b, unit->is_64bit ? 8 : 4, offset));
	return bytes_u8(b, &unit->address_size);
}

static enum status read_header(struct debug_unit *unit, struct bytes *b, uint64_t *offset)
{
	uint64_t version;

	TRY(read_number(unit, b, 2, &version));
	if (version < VERSION_MIN || version > VERSION_MAX)
		return STATUS_UNSUPPORTED;
	unit->version = (uint16_t)version;
	return version >= 5 ? read_new_header(unit, b, offset) : read_old_header(unit, b, offset);
}

enum status debug_unit_read(const struct debug_sections *sections, struct bytes *info,
                            struct debug_unit *unit)
{
	const uint8_t *begin = info->pos;
	enum status status;
	struct bytes body;
	uint64_t offset;

	TRY(dwarf_unit(info, sections->is_big_endian, &unit->is_64bit, &body));
	unit->sections = sections;
	unit->whole = bytes_of(begin, (size_t)(info->pos - begin));
	unit->strings = unit->is_64bit ? 16 : 8; /* what its header takes [7.26] */
	status = read_header(unit, &body, &offset);
	if (status == STATUS_OK && (unit->address_size == 0 || unit->address_size > ADDRESS_MOST))
		status = STATUS_BAD_DATA;
	if (status == STATUS_OK)
		status = read_abbreviations(unit, offset);
	unit->entries = body;
	return status == STATUS_OK || status == STATUS_NO_MEM || status == STATUS_UNSUPPORTED
	               ? status
	               : STATUS_BAD_DATA;
}

void debug_unit_fini(struct debug_unit *unit)
{
	free(unit->abbreviations);
	free(unit->attributes);
	*unit = (struct debug_unit){.count = 0};
}

enum status debug_unit_seek(const struct debug_unit *unit, uint64_t offset, struct bytes *at)
{
	struct bytes b = unit->whole;

	if (offset >= bytes_left(&b) || b.pos + offset < unit->entries.pos)
		return STATUS_TRUNCATED;
	TRY(bytes_skip(&b, (size_t)offset));
	*at = b;
	return STATUS_OK;
}

/* The value of an attribute. */
struct value {
	enum form_kind kind;
	uint64_t number;
	const char *string;
	struct bytes block;
};

static enum status read_sized(const struct debug_unit *unit, struct bytes *b, unsigned int size,
                              uint64_t *value)
{
	/* Of version 2 alone an address's size [2: 7.5.4]. */
	bool is_address =
	        size == SIZE_ADDRESS || (size == SIZE_REF_ADDR && unit->version == VERSION_MIN);

	if (size == SIZE_LEB || size == SIZE_SLEB)
		return dwarf_leb(b, size == SIZE_SLEB, value);
	if (is_address)
		return read_number(unit, b, unit->address_size, value);
	if (size == SIZE_OFFSET || size == SIZE_REF_ADDR)
		return read_number(unit, b, unit->is_64bit ? 8 : 4, value);
	*value = 0;
	return size > 8 ? bytes_skip(b, size) : read_number(unit, b, size, value);
}

/* NULL if there is none. */
static const char *string_at(struct bytes strings, uint64_t offset)
{
	const char *string = NULL;

	if (offset < bytes_left(&strings) && bytes_skip(&strings, (size_t)offset) == STATUS_OK)
		(void)!dwarf_string(&strings, &string);
	return string;
}

static const char *string_of_index(const struct debug_unit *unit, uint64_t index)
{
	struct bytes offsets = unit->sections->string_offsets;
	unsigned int size = unit->is_64bit ? 8 : 4;
	uint64_t offset;

	if (unit->strings > bytes_left(&offsets) ||
	    index > (bytes_left(&offsets) - unit->strings) / size ||
	    bytes_skip(&offsets, (size_t)(unit->strings + index * size)) != STATUS_OK ||
	    read_number(unit, &offsets, size, &offset) != STATUS_OK)
		return NULL;
	return string_at(unit->sections->strings, offset);
}

static enum status find_form(struct bytes *b, uint64_t number, struct form *form)
{
	for (unsigned int i = 0; i < INDIRECT_MOST; i++) {
		*form = number < FORM_COUNT ? forms[number] : gnu_form(number);
		if (form->kind != KIND_INDIRECT)
			return form->kind == KIND_UNKNOWN ? STATUS_UNSUPPORTED : STATUS_OK;
		TRY(dwarf_leb(b, false, &number));
	}
	return STATUS_BAD_DATA;
}

static enum status read_value(const struct debug_unit *unit, struct bytes *b,
                              const struct debug_attribute *attribute, struct value *value)
{
	struct form form;

	TRY(find_form(b, attribute->form, &form));
	*value = (struct value){.kind = (enum form_kind)form.kind, .number = attribute->constant};
	if (form.kind == KIND_CONSTANT)
		return STATUS_OK;
	if (form.kind == KIND_STRING)
		return dwarf_string(b, &value->string);
	if (form.kind == KIND_BLOCK)
		return dwarf_block(b, unit->sections->is_big_endian, form.size, &value->block);
	TRY(read_sized(unit, b, form.size, &value->number));
	if (form.kind == KIND_STRINGS)
		value->string = string_at(unit->sections->strings, value->number);
	else if (form.kind == KIND_LINE_STRING)
		value->string = string_at(unit->sections->line_strings, value->number);
	else if (form.kind == KIND_INDEX)
		value->string = string_of_index(unit, value->number);
	return STATUS_OK;
}

static struct debug_number number_of(const struct value *value, uint64_t more)
{
	bool is_number = value->kind == KIND_NUMBER || value->kind == KIND_CONSTANT ||
	                 value->kind == KIND_OFFSET;

	return (struct debug_number){is_number && value->number <= UINT64_MAX - more,
	                             value->number + more};
}

static struct debug_number reference_of(const struct value *value)
{
	return (struct debug_number){value->kind == KIND_REFERENCE, value->number};
}

/* Before version 4 a number of 4 or 8 bytes was an offset where a list can be [3: 7.5.4]. */
static struct debug_place place_of(const struct debug_unit *unit, const struct value *value,
                                   bool may_be_list)
{
	static const uint8_t classes[] = {
	        [KIND_NUMBER] = DEBUG_CLASS_CONSTANT,
	        [KIND_CONSTANT] = DEBUG_CLASS_CONSTANT,
	        [KIND_ADDRESS] = DEBUG_CLASS_ADDRESS,
	        [KIND_ADDRESS_INDEX] = DEBUG_CLASS_ADDRESS_INDEX,
	        [KIND_OFFSET] = DEBUG_CLASS_OFFSET,
	        [KIND_LIST_INDEX] = DEBUG_CLASS_LIST_INDEX,
	        [KIND_BLOCK] = DEBUG_CLASS_BLOCK,
	        [KIND_INDIRECT] = DEBUG_CLASS_NONE,
	};
	struct debug_place place = {(enum debug_class)classes[value->kind], value->number,
	                            value->block};

	if (may_be_list && place.class == DEBUG_CLASS_CONSTANT && unit->version < 4)
		place.class = DEBUG_CLASS_OFFSET;
	return place;
}

/* A constant, or the one operation that compilers wrote before version 3 [5.7.6]. */
static struct debug_number location_of(const struct value *value)
{
	struct bytes block = value->block;
	struct debug_number found = {false, 0};
	uint8_t operation;

	if (value->kind != KIND_BLOCK)
		return number_of(value, 0);
	found.is_known = bytes_u8(&block, &operation) == STATUS_OK && operation == OP_PLUS_UCONST &&
	                 dwarf_leb(&block, false, &found.value) == STATUS_OK &&
	                 bytes_left(&block) == 0;
	return found;
}

static void take_place(const struct debug_unit *unit, struct debug_entry *entry, uint64_t attribute,
                       const struct value *value)
{
	switch (attribute) {
	case AT_LOCATION:
		entry->place = place_of(unit, value, true);
		break;
	case AT_FRAME_BASE:
		entry->frame = place_of(unit, value, true);
		break;
	case AT_RANGES:
		entry->ranges = place_of(unit, value, true);
		break;
	case AT_LOW_PC:
		entry->low = place_of(unit, value, false);
		break;
	case AT_HIGH_PC:
		entry->high = place_of(unit, value, false);
		break;
	case AT_CONST_VALUE:
		entry->value = place_of(unit, value, false);
		break;
	default:
		break;
	}
}

static void take_number(struct debug_entry *entry, uint64_t attribute, const struct value *value)
{
	switch (attribute) {
	case AT_BYTE_SIZE:
		entry->size = number_of(value, 0);
		break;
	case AT_COUNT:
		entry->count = number_of(value, 0);
		break;
	case AT_UPPER_BOUND:
		entry->count = number_of(value, 1);
		break;
	case AT_ENCODING:
		entry->encoding = number_of(value, 0);
		break;
	case AT_STR_OFFSETS_BASE:
		entry->strings = number_of(value, 0);
		break;
	case AT_ADDR_BASE:
		entry->addresses = number_of(value, 0);
		break;
	case AT_RNGLISTS_BASE:
		entry->range_lists = number_of(value, 0);
		break;
	case AT_LOCLISTS_BASE:
		entry->location_lists = number_of(value, 0);
		break;
	default:
		break;
	}
}

static void take_value(const struct debug_unit *unit, struct debug_entry *entry, uint64_t attribute,
                       const struct value *value)
{
	switch (attribute) {
	case AT_NAME:
		entry->name = value->string;
		break;
	case AT_DECLARATION:
		entry->is_declaration = value->number != 0;
		break;
	case AT_BIT_SIZE:
		entry->is_bit_field = true;
		break;
	case AT_TYPE:
		entry->type = reference_of(value);
		break;
	case AT_ABSTRACT_ORIGIN:
	case AT_SPECIFICATION:
		entry->origin = reference_of(value);
		break;
	case AT_SIBLING:
		entry->sibling = reference_of(value);
		break;
	case AT_DATA_MEMBER_LOCATION:
		entry->location = location_of(value);
		break;
	default:
		take_number(entry, attribute, value);
		take_place(unit, entry, attribute, value);
		break;
	}
}

enum status debug_entry_read(const struct debug_unit *unit, struct bytes *at,
                             struct debug_entry *entry)
{
	const struct debug_abbreviation *abbreviation;
	struct debug_entry read = {.tag = DEBUG_TAG_NONE};
	struct bytes ahead = *at;
	uint64_t code;

	TRY(dwarf_leb(&ahead, false, &code));
	abbreviation = code != 0 ? find_abbreviation(unit, code) : NULL;
	if (code != 0 && !abbreviation)
		return STATUS_BAD_DATA;
	for (size_t i = 0; abbreviation && i < abbreviation->count; i++) {
		const struct debug_attribute *attribute =
		        &unit->attributes[abbreviation->first + i];
		struct value value;

		TRY(read_value(unit, &ahead, attribute, &value));
		take_value(unit, &read, attribute->name, &value);
	}
	if (abbreviation) {
		read.tag = abbreviation->tag;
		read.has_children = abbreviation->has_children;
	}
	*at = ahead;
	*entry = read;
	return STATUS_OK;
}
