/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of ranges and of locations, and indexes of addresses (DWARF 5, 2.6.2, 2.17.3, 7.27 to
 * 7.29). In: a unit, its sections, a place of an entry. Out: whether it has an address, and which
 * expression says where a variable is there. Addresses are the file's.
 */
#ifndef CSREPLAY_SNAPSHOT_VARIABLES_DEBUG_LIST_H
#define CSREPLAY_SNAPSHOT_VARIABLES_DEBUG_LIST_H

#include "snapshot/variables/variables.h"

/* A unit, and what of its first entry its lists are relative to. */
struct variable_unit {
	const struct variable_sections *sections;
	struct debug_unit debug;
	uint64_t base; /* first address */
	uint64_t addresses;
	uint64_t range_lists;
	uint64_t location_lists;
};

/* Takes what its first entry says of lists. */
void variable_unit_begin(struct variable_unit *unit, const struct debug_entry *first);

/* False: it is none, or damaged. */
bool debug_list_address(const struct variable_unit *unit, const struct debug_place *place,
                        uint64_t *address);
/* The address of a number in the unit's part of .debug_addr. */
bool debug_list_indexed(const struct variable_unit *unit, uint64_t index, uint64_t *address);
/* The code of an entry, by its addresses or its ranges, has `pc`. */
bool debug_list_has(const struct variable_unit *unit, const struct debug_entry *entry, uint64_t pc);
/* The first address of an entry's code; of ranges that of the first. */
bool debug_list_first(const struct variable_unit *unit, const struct debug_entry *entry,
                      uint64_t *first);
/* OK: the expression at `pc`. NOT_FOUND: there is none at that address. Else damage. */
MUST_USE enum status debug_list_expression(const struct variable_unit *unit,
                                           const struct debug_place *place, uint64_t pc,
                                           struct bytes *expression);

#endif
