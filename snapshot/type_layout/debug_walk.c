/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of children, types and their sizes; see debug_walk.h. */
#include "snapshot/type_layout/debug_walk.h"

enum { CHAIN_MOST = 16 }; /* typedefs and qualifiers one after the other */

enum status debug_walk_read(struct debug_unit *unit, struct bytes *at, struct debug_entry *entry)
{
	if (unit->left == 0)
		return STATUS_BAD_DATA;
	unit->left--;
	return debug_entry_read(unit, at, entry);
}

enum status debug_walk_at(struct debug_unit *unit, uint64_t offset, struct debug_entry *entry,
                          struct bytes *children)
{
	TRY(debug_unit_seek(unit, offset, children));
	return debug_walk_read(unit, children, entry);
}

enum status debug_walk_skip(struct debug_unit *unit, struct bytes *at,
                            const struct debug_entry *entry)
{
	struct debug_entry child;
	struct bytes after;

	if (!entry->has_children)
		return STATUS_OK;
	if (entry->sibling.is_known &&
	    debug_unit_seek(unit, entry->sibling.value, &after) == STATUS_OK &&
	    after.pos > at->pos) {
		*at = after;
		return STATUS_OK;
	}
	for (uint64_t depth = 1; depth > 0;) {
		TRY(debug_walk_read(unit, at, &child));
		if (child.tag == DEBUG_TAG_NONE)
			depth--;
		else if (child.has_children)
			depth++;
	}
	return STATUS_OK;
}

enum status debug_walk_next(struct debug_unit *unit, struct bytes *at, struct debug_entry *child)
{
	TRY(debug_walk_read(unit, at, child));
	return child->tag == DEBUG_TAG_NONE ? STATUS_END : debug_walk_skip(unit, at, child);
}

static bool is_other_name(uint64_t tag)
{
	return tag == DEBUG_TAG_TYPEDEF || tag == DEBUG_TAG_CONST || tag == DEBUG_TAG_VOLATILE ||
	       tag == DEBUG_TAG_RESTRICT || tag == DEBUG_TAG_ATOMIC;
}

enum status debug_walk_type(struct debug_unit *unit, uint64_t offset, bool is_element,
                            struct debug_entry *type, struct bytes *children)
{
	for (unsigned int i = 0; i < CHAIN_MOST; i++) {
		TRY(debug_walk_at(unit, offset, type, children));
		if (!is_other_name(type->tag) && !(is_element && type->tag == DEBUG_TAG_ARRAY))
			return STATUS_OK;
		if (!type->type.is_known)
			return STATUS_NOT_FOUND;
		offset = type->type.value;
	}
	return STATUS_BAD_DATA;
}

uint64_t debug_walk_count(struct debug_unit *unit, const struct debug_entry *array, struct bytes at)
{
	uint64_t count = 1;
	struct debug_entry child;

	while (array->has_children && debug_walk_next(unit, &at, &child) == STATUS_OK) {
		if (child.tag != DEBUG_TAG_SUBRANGE)
			continue;
		if (!child.count.is_known || child.count.value > UINT32_MAX || count > UINT32_MAX)
			return 0;
		count *= child.count.value;
	}
	return count;
}

static bool is_pointer(uint64_t tag)
{
	return tag == DEBUG_TAG_POINTER || tag == DEBUG_TAG_REFERENCE ||
	       tag == DEBUG_TAG_RVALUE_REFERENCE;
}

uint64_t debug_walk_size(struct debug_unit *unit, uint64_t offset)
{
	struct bytes children;
	struct debug_entry type;
	uint64_t count = 1;

	for (unsigned int i = 0; i < CHAIN_MOST; i++) {
		if (debug_walk_type(unit, offset, false, &type, &children) != STATUS_OK)
			return 0;
		if (is_pointer(type.tag) && !type.size.is_known)
			return count * unit->address_size;
		if (type.size.is_known)
			return type.size.value <= UINT32_MAX ? count * type.size.value : 0;
		if (type.tag != DEBUG_TAG_ARRAY || !type.type.is_known)
			return 0;
		count *= debug_walk_count(unit, &type, children);
		if (count > UINT32_MAX)
			return 0;
		offset = type.type.value;
	}
	return 0;
}
