/* SPDX-License-Identifier: Apache-2.0 */
/* Both forms of lists, of version 5 and of those before it; see debug_list.h. */
#include "snapshot/variables/debug_list.h"

#include "snapshot/line_table/dwarf.h"

/* Entries of lists: DW_RLE [7.25] and DW_LLE [7.7.3] are one numbering but for one of these. */
enum list_entry {
	LIST_END = 0,
	LIST_BASE_INDEX = 1,
	LIST_START_INDEX_END_INDEX = 2,
	LIST_START_INDEX_LENGTH = 3,
	LIST_OFFSET_PAIR = 4,
	LIST_DEFAULT = 5, /* of locations; in lists of ranges from here on one less */
	LIST_BASE = 6,
	LIST_START_END = 7,
	LIST_START_LENGTH = 8,
};

static enum status number(const struct variable_unit *unit, struct bytes *b, unsigned int size,
                          uint64_t *value)
{
	return dwarf_number(b, unit->sections->debug.is_big_endian, size, value);
}

static enum status at_offset(struct bytes section, uint64_t offset, struct bytes *b)
{
	if (offset >= bytes_left(&section))
		return STATUS_TRUNCATED;
	*b = section;
	return bytes_skip(b, (size_t)offset);
}

/* Where tables begin that the unit's first entry says nothing of: after a header of 32 bits. */
static uint64_t or_first(const struct debug_number *said, uint64_t first)
{
	return said->is_known ? said->value : first;
}

void variable_unit_begin(struct variable_unit *unit, const struct debug_entry *first)
{
	enum { ADDRESSES_HEADER = 8, LISTS_HEADER = 12 }; /* [7.27, 7.28] */

	if (first->strings.is_known)
		unit->debug.strings = first->strings.value;
	unit->addresses = or_first(&first->addresses, ADDRESSES_HEADER);
	unit->range_lists = or_first(&first->range_lists, LISTS_HEADER);
	unit->location_lists = or_first(&first->location_lists, LISTS_HEADER);
	unit->base = 0;
	if (!debug_list_address(unit, &first->low, &unit->base))
		unit->base = 0;
}

bool debug_list_indexed(const struct variable_unit *unit, uint64_t index, uint64_t *address)
{
	struct bytes b;

	return index <= UINT32_MAX && unit->addresses <= UINT32_MAX &&
	       at_offset(unit->sections->addresses,
	                 unit->addresses + index * unit->debug.address_size, &b) == STATUS_OK &&
	       number(unit, &b, unit->debug.address_size, address) == STATUS_OK;
}

bool debug_list_address(const struct variable_unit *unit, const struct debug_place *place,
                        uint64_t *address)
{
	if (place->class == DEBUG_CLASS_ADDRESS_INDEX)
		return debug_list_indexed(unit, place->number, address);
	*address = place->number;
	return place->class == DEBUG_CLASS_ADDRESS;
}

/* A list: where it goes on, and what its entries are relative to. */
struct list {
	const struct variable_unit *unit;
	bool is_new;       /* of version 5 */
	bool is_locations; /* each range has an expression */
	struct bytes at;
	uint64_t base;
};

struct list_item {
	uint64_t begin;
	uint64_t end;
	bool is_default; /* of all addresses that no other has */
	struct bytes expression;
};

static enum status leb(struct list *list, uint64_t *value)
{
	return dwarf_leb(&list->at, false, value);
}

static enum status address(struct list *list, uint64_t *value)
{
	return number(list->unit, &list->at, list->unit->debug.address_size, value);
}

static enum status index_address(struct list *list, uint64_t *value)
{
	uint64_t index;

	TRY(leb(list, &index));
	return debug_list_indexed(list->unit, index, value) ? STATUS_OK : STATUS_BAD_DATA;
}

/* The first of two addresses, by the entry's kind. */
static enum status read_begin(struct list *list, unsigned int kind, uint64_t *begin)
{
	if (kind == LIST_START_INDEX_END_INDEX || kind == LIST_START_INDEX_LENGTH)
		return index_address(list, begin);
	if (kind == LIST_START_END || kind == LIST_START_LENGTH)
		return address(list, begin);
	/* GNU's pairs of views are of another kind. */
	return kind == LIST_OFFSET_PAIR ? leb(list, begin) : STATUS_UNSUPPORTED;
}

/* What an entry of version 5 says of addresses. */
static enum status read_range(struct list *list, unsigned int kind, struct list_item *item)
{
	uint64_t from = kind == LIST_OFFSET_PAIR ? list->base : 0;

	item->is_default = kind == LIST_DEFAULT;
	if (item->is_default)
		return STATUS_OK;
	TRY(read_begin(list, kind, &item->begin));
	if (kind == LIST_START_INDEX_END_INDEX)
		return index_address(list, &item->end);
	if (kind == LIST_START_END)
		return address(list, &item->end);
	TRY(leb(list, &item->end));
	item->end += kind == LIST_OFFSET_PAIR ? from : item->begin;
	item->begin += from;
	return STATUS_OK;
}

static enum status next_new(struct list *list, struct list_item *item)
{
	for (;;) {
		uint8_t byte;
		unsigned int kind;

		TRY(bytes_u8(&list->at, &byte));
		kind = byte;
		if (!list->is_locations && kind >= LIST_DEFAULT)
			kind++;
		if (kind == LIST_END)
			return STATUS_END;
		if (kind == LIST_BASE_INDEX)
			TRY(index_address(list, &list->base));
		else if (kind == LIST_BASE)
			TRY(address(list, &list->base));
		else
			return read_range(list, kind, item);
	}
}

/* Pairs, the last one of zeros; the highest address there is announces another base [4: 2.6.2]. */
static enum status next_old(struct list *list, struct list_item *item)
{
	uint64_t highest = UINT64_MAX >> (64 - 8U * list->unit->debug.address_size);

	for (;;) {
		TRY(address(list, &item->begin));
		TRY(address(list, &item->end));
		if (item->begin == 0 && item->end == 0)
			return STATUS_END;
		if (item->begin != highest)
			break;
		list->base = item->end;
	}
	item->begin += list->base;
	item->end += list->base;
	return STATUS_OK;
}

static enum status next(struct list *list, struct list_item *item)
{
	bool is_big = list->unit->sections->debug.is_big_endian;

	*item = (struct list_item){.is_default = false};
	TRY(list->is_new ? next_new(list, item) : next_old(list, item));
	if (!list->is_locations)
		return STATUS_OK;
	return dwarf_block(&list->at, is_big, list->is_new ? 0 : 2, &item->expression);
}

/* The offset of list `index` [7.28, 7.29]. */
static enum status offset_of(const struct variable_unit *unit, struct bytes section, uint64_t table,
                             uint64_t index, uint64_t *offset)
{
	unsigned int size = unit->debug.is_64bit ? 8 : 4;
	struct bytes b;

	if (index > UINT32_MAX || table > UINT32_MAX)
		return STATUS_BAD_DATA;
	TRY(at_offset(section, table + index * size, &b));
	TRY(number(unit, &b, size, offset));
	*offset += table;
	return STATUS_OK;
}

static enum status open_list(const struct variable_unit *unit, const struct debug_place *place,
                             bool is_locations, struct list *list)
{
	const struct variable_sections *s = unit->sections;
	bool is_new = unit->debug.version >= 5;
	struct bytes section = is_locations ? (is_new ? s->location_lists : s->locations)
	                                    : (is_new ? s->range_lists : s->ranges);
	uint64_t table = is_locations ? unit->location_lists : unit->range_lists;
	uint64_t offset = place->number;

	if (place->class == DEBUG_CLASS_LIST_INDEX)
		TRY(offset_of(unit, section, table, place->number, &offset));
	else if (place->class != DEBUG_CLASS_OFFSET)
		return STATUS_NOT_FOUND;
	*list = (struct list){unit, is_new, is_locations, section, unit->base};
	return at_offset(section, offset, &list->at);
}

/* [low, high) of an entry that is in one piece. */
static bool piece_of(const struct variable_unit *unit, const struct debug_entry *entry,
                     uint64_t *low, uint64_t *high)
{
	if (!debug_list_address(unit, &entry->low, low))
		return false;
	if (entry->high.class != DEBUG_CLASS_CONSTANT)
		return debug_list_address(unit, &entry->high, high);
	*high = *low + entry->high.number;
	return true;
}

bool debug_list_has(const struct variable_unit *unit, const struct debug_entry *entry, uint64_t pc)
{
	struct list_item item;
	struct list list;
	uint64_t low;
	uint64_t high;

	if (piece_of(unit, entry, &low, &high))
		return low <= pc && pc < high;
	if (open_list(unit, &entry->ranges, false, &list) != STATUS_OK)
		return false;
	while (next(&list, &item) == STATUS_OK) {
		if (item.begin <= pc && pc < item.end)
			return true;
	}
	return false;
}

bool debug_list_first(const struct variable_unit *unit, const struct debug_entry *entry,
                      uint64_t *first)
{
	struct list_item item;
	struct list list;

	if (debug_list_address(unit, &entry->low, first))
		return true;
	if (open_list(unit, &entry->ranges, false, &list) != STATUS_OK ||
	    next(&list, &item) != STATUS_OK)
		return false;
	*first = item.begin;
	return true;
}

enum status debug_list_expression(const struct variable_unit *unit, const struct debug_place *place,
                                  uint64_t pc, struct bytes *expression)
{
	struct list_item item;
	bool has_default = false;
	struct list list;
	enum status status;

	*expression = place->block;
	if (place->class == DEBUG_CLASS_BLOCK)
		return STATUS_OK;
	TRY(open_list(unit, place, true, &list));
	while ((status = next(&list, &item)) == STATUS_OK) {
		if (!item.is_default && (pc < item.begin || pc >= item.end))
			continue;
		*expression = item.expression;
		if (!item.is_default)
			return STATUS_OK;
		has_default = true;
	}
	if (status != STATUS_END)
		return status;
	return has_default ? STATUS_OK : STATUS_NOT_FOUND;
}
