/* SPDX-License-Identifier: Apache-2.0 */
/* From an address to its unit, its function, the blocks in it and their variables; see variables.h.
 */
#include "snapshot/variables/variables.h"

#include "base/str.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/variables/debug_list.h"
#include "snapshot/variables/expression.h"
#include "snapshot/variables/type_text.h"

enum {
	BLOCKS_MOST = 64,     /* one in another */
	NAMESPACES_MOST = 16, /* the same */
	ORIGINS_MOST = 4,     /* one after the other */
	READ_AGAIN = 1 << 20, /* entries that are read again, all in all */
};

/* A function, a function that is inlined, or a block; and the list of its children. */
struct block {
	struct debug_entry entry;
	struct bytes children;
};

struct search {
	struct variable_unit unit;
	uint64_t pc; /* in the file */
	struct block blocks[BLOCKS_MOST];
	unsigned int depth;
	struct expression_scope scope;
	struct text *out;
	struct variables_found *found;
};

struct variable_sections variables_sections(struct elf_sections *file, uint64_t bias)
{
	return (struct variable_sections){
	        .debug = type_layout_sections(file),
	        .addresses = elf_sections_get(file, STR(".debug_addr")),
	        .ranges = elf_sections_get(file, STR(".debug_ranges")),
	        .range_lists = elf_sections_get(file, STR(".debug_rnglists")),
	        .locations = elf_sections_get(file, STR(".debug_loc")),
	        .location_lists = elf_sections_get(file, STR(".debug_loclists")),
	        .bias = bias,
	};
}

static bool is_code(uint64_t tag)
{
	return tag == DEBUG_TAG_FUNCTION || tag == DEBUG_TAG_INLINED || tag == DEBUG_TAG_BLOCK;
}

/* Of a list of children the one whose code has the address. */
static bool find_child(struct search *s, struct bytes list, struct block *found)
{
	struct debug_unit *unit = &s->unit.debug;
	struct debug_entry child;

	while (debug_walk_read(unit, &list, &child) == STATUS_OK && child.tag != DEBUG_TAG_NONE) {
		if (is_code(child.tag) && debug_list_has(&s->unit, &child, s->pc)) {
			*found = (struct block){child, list};
			return true;
		}
		if (debug_walk_skip(unit, &list, &child) != STATUS_OK)
			return false;
	}
	return false;
}

/* The function of the unit, in whatever namespaces. */
static bool find_function(struct search *s, struct bytes list, struct block *found)
{
	struct bytes above[NAMESPACES_MOST];
	struct debug_unit *unit = &s->unit.debug;
	unsigned int depth = 0;
	struct debug_entry child;

	for (;;) {
		if (debug_walk_read(unit, &list, &child) != STATUS_OK)
			return false;
		if (child.tag == DEBUG_TAG_FUNCTION && debug_list_has(&s->unit, &child, s->pc)) {
			*found = (struct block){child, list};
			return true;
		}
		if (child.tag == DEBUG_TAG_NONE) {
			if (depth == 0)
				return false;
			list = above[--depth];
			continue;
		}
		if (child.tag == DEBUG_TAG_NAMESPACE && child.has_children &&
		    depth < NAMESPACES_MOST) {
			above[depth] = list;
			if (debug_walk_skip(unit, &above[depth], &child) != STATUS_OK)
				return false;
			depth++;
		} else if (debug_walk_skip(unit, &list, &child) != STATUS_OK) {
			return false;
		}
	}
}

/* The unit whose code has the address, and the function in it. */
static enum status find_unit(struct search *s, struct block *function)
{
	struct bytes info = s->unit.sections->debug.info;
	struct debug_unit *unit = &s->unit.debug;

	for (;;) {
		enum status status = debug_unit_read(&s->unit.sections->debug, &info, unit);
		struct debug_entry first;
		struct bytes list;

		if (status == STATUS_END || status == STATUS_TRUNCATED)
			return STATUS_NOT_FOUND;
		if (status == STATUS_NO_MEM)
			return status;
		list = unit->entries;
		if (status != STATUS_OK || debug_walk_read(unit, &list, &first) != STATUS_OK ||
		    !first.has_children)
			continue;
		variable_unit_begin(&s->unit, &first);
		if (debug_list_has(&s->unit, &first, s->pc) && find_function(s, list, function))
			return STATUS_OK;
	}
}

/* What an entry leaves to the one that it is an instance of [2.13.2, 3.3.8.2]. */
static void add_origins(struct search *s, struct debug_entry *entry)
{
	struct debug_number next = entry->origin;
	struct debug_entry origin;
	struct bytes children;

	for (unsigned int i = 0; next.is_known && i < ORIGINS_MOST; i++) {
		if (debug_walk_at(&s->unit.debug, next.value, &origin, &children) != STATUS_OK)
			return;
		if (!entry->name)
			entry->name = origin.name;
		if (!entry->type.is_known)
			entry->type = origin.type;
		if (entry->place.class == DEBUG_CLASS_NONE)
			entry->place = origin.place;
		if (entry->value.class == DEBUG_CLASS_NONE)
			entry->value = origin.value;
		next = origin.origin;
	}
}

/* DW_AT_const_value. */
static enum status take_constant(const struct debug_place *place, struct variable_bytes *value)
{
	struct bytes block = place->block;

	if (place->class == DEBUG_CLASS_BLOCK ? bytes_left(&block) < value->size
	                                      : value->size > sizeof(place->number))
		return STATUS_UNSUPPORTED;
	for (size_t i = 0; i < value->size; i++) {
		if (place->class == DEBUG_CLASS_BLOCK)
			value->bytes[i] = block.pos[i];
		else
			value->bytes[i] = (uint8_t)(place->number >> 8 * i);
		value->known[i] = true;
	}
	return STATUS_OK;
}

/* NOT_FOUND: it was optimized out. UNSUPPORTED: in a form that is not read. */
static enum status find_value(struct search *s, const struct debug_entry *variable, uint64_t size,
                              struct variable_bytes *value)
{
	struct bytes expression;
	enum status status;

	*value = (struct variable_bytes){.size = VARIABLE_BYTES};
	if (size == 0)
		return STATUS_UNSUPPORTED;
	if (size < VARIABLE_BYTES)
		value->size = (size_t)size;
	if (variable->value.class == DEBUG_CLASS_CONSTANT ||
	    variable->value.class == DEBUG_CLASS_BLOCK)
		return take_constant(&variable->value, value);
	if (variable->place.class == DEBUG_CLASS_NONE)
		return STATUS_NOT_FOUND;
	status = debug_list_expression(&s->unit, &variable->place, s->pc, &expression);
	if (status != STATUS_OK)
		return status == STATUS_NOT_FOUND ? status : STATUS_UNSUPPORTED;
	return expression_value(&s->scope, &expression, value);
}

static void write_variable(struct search *s, const struct debug_entry *variable)
{
	struct debug_unit *unit = &s->unit.debug;
	uint64_t size = 0;
	struct variable_bytes value;
	enum status status;

	text_puts(s->out, "  ");
	type_text_name(unit, &variable->type, s->out);
	text_puts(s->out, type_text_ends_in_star(s->out) ? "" : " ");
	for (const char *c = variable->name; *c != '\0'; c++)
		text_char(s->out, str_printable(*c));
	text_puts(s->out, " = ");
	if (variable->type.is_known)
		size = debug_walk_size(unit, variable->type.value);
	status = find_value(s, variable, size, &value);
	if (status == STATUS_OK) {
		type_text_value(unit, variable->type.value, &value, size, s->out);
		text_puts(s->out, value.is_assumed ? "~" : "");
	} else if (status == STATUS_NOT_FOUND) {
		text_puts(s->out, "optimized out");
	} else {
		text_puts(s->out, "in a form that csreplay does not read");
		s->found->unread++;
	}
	text_char(s->out, '\n');
}

/* True if there are some. */
static bool write_block(struct search *s, const struct block *block)
{
	struct debug_entry child;
	struct bytes list = block->children;
	bool has_some = false;

	if (!block->entry.has_children)
		return false;
	while (debug_walk_next(&s->unit.debug, &list, &child) == STATUS_OK) {
		if ((child.tag != DEBUG_TAG_VARIABLE && child.tag != DEBUG_TAG_PARAMETER) ||
		    child.is_declaration)
			continue;
		add_origins(s, &child);
		if (!child.name)
			continue;
		write_variable(s, &child);
		s->found->count++;
		has_some = true;
	}
	return has_some;
}

/* "in NAME:" of the function that block `i` is in. */
static void write_function(struct search *s, unsigned int i)
{
	struct debug_entry *entry;

	while (i > 0 && s->blocks[i].entry.tag == DEBUG_TAG_BLOCK)
		i--;
	entry = &s->blocks[i].entry;
	add_origins(s, entry);
	text_puts(s->out, "in ");
	for (const char *c = entry->name ? entry->name : "a function without a name"; *c != '\0';
	     c++)
		text_char(s->out, str_printable(*c));
	text_puts(s->out, entry->tag == DEBUG_TAG_INLINED ? ", inlined:\n" : ":\n");
}

static void write_blocks(struct search *s)
{
	bool begins = true;
	bool has_some = false;

	for (unsigned int i = s->depth; i-- > 0;) {
		if (begins)
			write_function(s, i);
		has_some = write_block(s, &s->blocks[i]) || (has_some && !begins);
		begins = s->blocks[i].entry.tag != DEBUG_TAG_BLOCK;
		if (begins && !has_some)
			text_puts(s->out, "  no variables\n");
	}
}

enum status variables_write(const struct variable_sections *sections,
                            const struct variable_scope *scope,
                            const struct variable_machine *machine, struct text *out,
                            struct variables_found *found)
{
	struct search s = {
	        .unit = {.sections = sections,
	                 .debug.left = bytes_left(&sections->debug.info) + READ_AGAIN},
	        .pc = scope->pc - sections->bias - (scope->is_caller ? 1 : 0),
	        .out = out,
	        .found = found,
	};
	enum status status;

	*found = (struct variables_found){.count = 0};
	if (sections->debug.is_big_endian)
		return STATUS_UNSUPPORTED;
	status = find_unit(&s, &s.blocks[0]);
	if (status == STATUS_OK) {
		s.scope = (struct expression_scope){.unit = &s.unit,
		                                    .machine = machine,
		                                    .pc = s.pc,
		                                    .frame = s.blocks[0].entry.frame};
		s.scope.has_function =
		        debug_list_first(&s.unit, &s.blocks[0].entry, &s.scope.function);
		s.scope.function += sections->bias;
		s.depth = 1;
		while (s.depth < BLOCKS_MOST && s.blocks[s.depth - 1].entry.has_children &&
		       find_child(&s, s.blocks[s.depth - 1].children, &s.blocks[s.depth]))
			s.depth++;
		write_blocks(&s);
	}
	debug_unit_fini(&s.unit.debug);
	return status;
}
