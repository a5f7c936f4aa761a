/* SPDX-License-Identifier: Apache-2.0 */
/* Names of types, and values by their types; see type_text.h. */
#include "snapshot/variables/type_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"

enum {
	NAME_DEPTH_MOST = 8,
	ELEMENTS_MOST = 32,
	RAW_MOST = 32, /* bytes */
};

/* Encodings of base types [7.8]. */
enum {
	ENCODING_BOOLEAN = 2,
	ENCODING_FLOAT = 4,
	ENCODING_SIGNED = 5,
	ENCODING_SIGNED_CHAR = 6,
	ENCODING_UNSIGNED = 7,
	ENCODING_UNSIGNED_CHAR = 8
};

/* A part of a variable's bytes. */
struct part {
	const uint8_t *bytes;
	const bool *known;
	size_t size;
};

/* What stands before the name of a type without one, and of one with. */
static const char *keyword(uint64_t tag)
{
	switch (tag) {
	case DEBUG_TAG_STRUCTURE:
		return "struct ";
	case DEBUG_TAG_CLASS:
		return "class ";
	case DEBUG_TAG_UNION:
		return "union ";
	case DEBUG_TAG_ENUMERATION:
		return "enum ";
	default:
		return "";
	}
}

static void write_name(const char *name, struct text *out)
{
	for (; *name != '\0'; name++)
		text_char(out, str_printable(*name));
}

/* `*` or `&`, after which a name has no blank. */
bool type_text_ends_in_star(const struct text *text)
{
	struct str all = text_str(text);

	return all.n > 0 && (all.p[all.n - 1] == '*' || all.p[all.n - 1] == '&');
}

/* What is behind a pointer, an array or a qualifier is named first: written from the inside. */
static void write_type(struct debug_unit *unit, const struct debug_number *type, unsigned int depth,
                       struct text *out)
{
	struct debug_entry entry;
	struct bytes children;
	uint64_t count;

	if (!type->is_known) {
		text_puts(out, "void");
		return;
	}
	if (depth > NAME_DEPTH_MOST ||
	    debug_walk_at(unit, type->value, &entry, &children) != STATUS_OK) {
		text_puts(out, "?");
		return;
	}
	if (entry.name) {
		text_puts(out, keyword(entry.tag));
		write_name(entry.name, out);
		return;
	}
	switch (entry.tag) {
	case DEBUG_TAG_CONST:
	case DEBUG_TAG_VOLATILE:
	case DEBUG_TAG_RESTRICT:
	case DEBUG_TAG_ATOMIC:
		write_type(unit, &entry.type, depth + 1, out);
		break;
	case DEBUG_TAG_POINTER:
		write_type(unit, &entry.type, depth + 1, out);
		text_puts(out, type_text_ends_in_star(out) ? "*" : " *");
		break;
	case DEBUG_TAG_REFERENCE:
	case DEBUG_TAG_RVALUE_REFERENCE:
		write_type(unit, &entry.type, depth + 1, out);
		text_puts(out, type_text_ends_in_star(out) ? "&" : " &");
		break;
	case DEBUG_TAG_ARRAY:
		count = debug_walk_count(unit, &entry, children);
		write_type(unit, &entry.type, depth + 1, out);
		text_char(out, '[');
		if (count > 0)
			text_decimal(out, count);
		text_char(out, ']');
		break;
	case DEBUG_TAG_FUNCTION_TYPE:
		text_puts(out, "function");
		break;
	default:
		text_puts(out, keyword(entry.tag));
		text_puts(out, "{...}");
		break;
	}
}

void type_text_name(struct debug_unit *unit, const struct debug_number *type, struct text *out)
{
	write_type(unit, type, 0, out);
}

static bool is_whole(const struct part *part)
{
	for (size_t i = 0; i < part->size; i++) {
		if (!part->known[i])
			return false;
	}
	return true;
}

static bool knows_some(const struct part *part)
{
	for (size_t i = 0; i < part->size; i++) {
		if (part->known[i])
			return true;
	}
	return false;
}

/* Little-endian, of at most 8 bytes. */
static uint64_t number_of(const struct part *part)
{
	uint64_t number = 0;

	for (size_t i = 0; i < part->size; i++)
		number |= (uint64_t)part->bytes[i] << 8 * i;
	return number;
}

static int64_t signed_number_of(const struct part *part)
{
	unsigned int shift = 64 - 8 * (unsigned int)part->size;

	return (int64_t)(number_of(part) << shift) >> shift;
}

/* A number of which not all is known: "0x??????05", or "??" if nothing is. */
static void write_in_part(const struct part *part, struct text *out)
{
	if (!knows_some(part)) {
		text_puts(out, "??");
		return;
	}
	text_puts(out, "0x");
	for (size_t i = part->size; i-- > 0;) {
		if (part->known[i])
			text_hex_bytes(out, &part->bytes[i], 1);
		else
			text_puts(out, "??");
	}
}

/* Bytes in the order of memory: "[01 ?? 00]". */
static void write_raw(const struct part *part, bool is_cut, struct text *out)
{
	if (!knows_some(part)) {
		text_puts(out, "??");
		return;
	}
	text_char(out, '[');
	for (size_t i = 0; i < part->size && i < RAW_MOST; i++) {
		text_puts(out, i > 0 ? " " : "");
		if (part->known[i])
			text_hex_bytes(out, &part->bytes[i], 1);
		else
			text_puts(out, "??");
	}
	text_puts(out, is_cut || part->size > RAW_MOST ? " ...]" : "]");
}

static void write_character(uint64_t code, struct text *out)
{
	if (code >= ' ' && code < 0x7f && code != '\'' && code != '\\')
		text_printf(out, " '%c'", (char)code);
}

static void write_float(const struct part *part, struct text *out)
{
	float single;
	double twice;

	if (part->size == sizeof(single)) {
		memcpy(&single, part->bytes, sizeof(single));
		text_printf(out, "%.9g", (double)single);
	} else if (part->size == sizeof(twice)) {
		memcpy(&twice, part->bytes, sizeof(twice));
		text_printf(out, "%.17g", twice);
	} else {
		write_raw(part, false, out);
	}
}

static void write_base(const struct debug_entry *type, const struct part *part, struct text *out)
{
	uint64_t encoding = type->encoding.is_known ? type->encoding.value : 0;

	if (!is_whole(part)) {
		write_in_part(part, out);
		return;
	}
	if (encoding == ENCODING_FLOAT) {
		write_float(part, out);
	} else if (part->size > 8 || part->size == 0) {
		write_raw(part, false, out);
	} else if (encoding == ENCODING_BOOLEAN && number_of(part) <= 1) {
		text_puts(out, number_of(part) != 0 ? "true" : "false");
	} else if (encoding == ENCODING_SIGNED || encoding == ENCODING_SIGNED_CHAR) {
		text_printf(out, "%" PRId64, signed_number_of(part));
	} else if (encoding == ENCODING_UNSIGNED || encoding == ENCODING_UNSIGNED_CHAR ||
	           encoding == ENCODING_BOOLEAN) {
		text_printf(out, "%" PRIu64, number_of(part));
	} else {
		text_printf(out, "0x%" PRIx64,
		            number_of(part)); /* characters of UTF-32, and others */
	}
	if (part->size == 1 &&
	    (encoding == ENCODING_SIGNED_CHAR || encoding == ENCODING_UNSIGNED_CHAR))
		write_character(number_of(part), out);
}

static void write_enumeration(struct debug_unit *unit, struct bytes children,
                              const struct part *part, struct text *out)
{
	struct debug_entry child;
	uint64_t mask = part->size < 8 ? (UINT64_C(1) << 8 * part->size) - 1 : UINT64_MAX;

	if (!is_whole(part) || part->size == 0 || part->size > 8) {
		write_in_part(part, out);
		return;
	}
	while (debug_walk_next(unit, &children, &child) == STATUS_OK) {
		if (child.tag == DEBUG_TAG_ENUMERATOR && child.name &&
		    child.value.class == DEBUG_CLASS_CONSTANT &&
		    (child.value.number & mask) == number_of(part)) {
			write_name(child.name, out);
			return;
		}
	}
	text_printf(out, "%" PRId64, signed_number_of(part));
}

/* What has no parts. False: it is another type. */
static bool write_simple(struct debug_unit *unit, const struct debug_entry *type,
                         struct bytes children, const struct part *part, struct text *out)
{
	switch (type->tag) {
	case DEBUG_TAG_BASE:
		write_base(type, part, out);
		return true;
	case DEBUG_TAG_ENUMERATION:
		if (type->has_children)
			write_enumeration(unit, children, part, out);
		else
			write_raw(part, false, out);
		return true;
	case DEBUG_TAG_POINTER:
	case DEBUG_TAG_REFERENCE:
	case DEBUG_TAG_RVALUE_REFERENCE:
		if (is_whole(part) && part->size > 0 && part->size <= 8)
			text_printf(out, "0x%" PRIx64, number_of(part));
		else
			write_in_part(part, out);
		return true;
	default:
		return false;
	}
}

/* A member or an element: what has parts itself is bytes. */
static void write_inner(struct debug_unit *unit, uint64_t offset, const struct part *part,
                        struct text *out)
{
	struct debug_entry type;
	struct bytes children;

	if (debug_walk_type(unit, offset, false, &type, &children) != STATUS_OK ||
	    !write_simple(unit, &type, children, part, out))
		write_raw(part, false, out);
}

/* The bytes of a member; false if they are not all among those of the value. */
static bool part_of(const struct part *whole, uint64_t offset, uint64_t size, struct part *part)
{
	if (size == 0 || offset > whole->size || size > whole->size - offset)
		return false;
	*part = (struct part){whole->bytes + offset, whole->known + offset, (size_t)size};
	return true;
}

static void write_members(struct debug_unit *unit, bool is_union, struct bytes children,
                          const struct part *whole, struct text *out)
{
	struct debug_entry member;
	struct part part;
	bool is_first = true;

	text_char(out, '{');
	while (debug_walk_next(unit, &children, &member) == STATUS_OK) {
		bool has_place = member.location.is_known || is_union;

		if (member.tag == DEBUG_TAG_INHERITANCE) {
			text_puts(out, is_first ? "..." : ", ...");
			is_first = false;
			continue;
		}
		if (member.tag != DEBUG_TAG_MEMBER || !member.type.is_known ||
		    member.is_declaration || (!has_place && !member.is_bit_field))
			continue; /* static members of C++ among them */
		text_puts(out, is_first ? "" : ", ");
		is_first = false;
		write_name(member.name ? member.name : "", out);
		text_puts(out, member.name ? " = " : "");
		if (member.is_bit_field)
			text_puts(out, "(bits)");
		else if (part_of(whole, member.location.is_known ? member.location.value : 0,
		                 debug_walk_size(unit, member.type.value), &part))
			write_inner(unit, member.type.value, &part, out);
		else
			text_puts(out, "...");
	}
	text_char(out, '}');
}

static bool is_character(const struct debug_entry *type)
{
	return type->tag == DEBUG_TAG_BASE && type->size.is_known && type->size.value == 1 &&
	       type->encoding.is_known &&
	       (type->encoding.value == ENCODING_SIGNED_CHAR ||
	        type->encoding.value == ENCODING_UNSIGNED_CHAR);
}

/* Up to the first NUL; true if all up to there is known and can be printed. */
static bool write_string(const struct part *whole, struct text *out)
{
	size_t length = 0;

	while (length < whole->size && whole->known[length] && whole->bytes[length] >= ' ' &&
	       whole->bytes[length] < 0x7f && whole->bytes[length] != '"' &&
	       whole->bytes[length] != '\\')
		length++;
	if (length < whole->size && (!whole->known[length] || whole->bytes[length] != '\0'))
		return false;
	text_printf(out, "\"%.*s\"", (int)length, (const char *)whole->bytes);
	return true;
}

static void write_elements(struct debug_unit *unit, uint64_t element, const struct part *whole,
                           bool is_cut, struct text *out)
{
	uint64_t size = debug_walk_size(unit, element);
	struct part part;
	unsigned int i = 0;

	text_char(out, '{');
	for (; i < ELEMENTS_MOST && part_of(whole, i * size, size, &part); i++) {
		text_puts(out, i > 0 ? ", " : "");
		write_inner(unit, element, &part, out);
	}
	text_puts(out, is_cut || i * size < whole->size ? ", ...}" : "}");
}

/* Elements of an array of one dimension; false: they have parts. */
static bool write_array(struct debug_unit *unit, const struct debug_entry *array,
                        const struct part *whole, bool is_cut, struct text *out)
{
	struct debug_entry type;
	struct bytes children;

	if (!array->type.is_known ||
	    debug_walk_type(unit, array->type.value, false, &type, &children) != STATUS_OK ||
	    (type.tag != DEBUG_TAG_BASE && type.tag != DEBUG_TAG_POINTER &&
	     type.tag != DEBUG_TAG_ENUMERATION))
		return false;
	if (!knows_some(whole))
		text_puts(out, "??");
	else if (!is_character(&type) || !write_string(whole, out))
		write_elements(unit, array->type.value, whole, is_cut, out);
	return true;
}

void type_text_value(struct debug_unit *unit, uint64_t offset, const struct variable_bytes *value,
                     uint64_t size, struct text *out)
{
	struct part whole = {value->bytes, value->known, value->size};
	bool is_cut = size > value->size;
	struct debug_entry type;
	struct bytes children;

	if (debug_walk_type(unit, offset, false, &type, &children) != STATUS_OK) {
		write_raw(&whole, is_cut, out);
		return;
	}
	if (write_simple(unit, &type, children, &whole, out))
		return;
	if ((type.tag == DEBUG_TAG_STRUCTURE || type.tag == DEBUG_TAG_CLASS ||
	     type.tag == DEBUG_TAG_UNION) &&
	    type.has_children)
		write_members(unit, type.tag == DEBUG_TAG_UNION, children, &whole, out);
	else if (type.tag != DEBUG_TAG_ARRAY || !write_array(unit, &type, &whole, is_cut, out))
		write_raw(&whole, is_cut, out);
}
