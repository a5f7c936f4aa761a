/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and values as C writes them (DWARF 5, chapter 5). In: a unit, the offset of a type's entry,
 * bytes. Out: text: "struct node *", "0x41f2a0"; members of a structure and elements of an array
 * one level deep, what is deeper as bytes, a base
 * class as `...`; `??` for what is not known.
 */
#ifndef CSREPLAY_SNAPSHOT_VARIABLES_TYPE_TEXT_H
#define CSREPLAY_SNAPSHOT_VARIABLES_TYPE_TEXT_H

#include "snapshot/variables/variables.h"

/* Appends the type's name, short: without qualifiers. */
void type_text_name(struct debug_unit *unit, const struct debug_number *type, struct text *out);
/* A text ends in what a name follows without a blank. */
bool type_text_ends_in_star(const struct text *text);
/* Appends the value of the type at an offset. `size`: its bytes, of which `value` has the first. */
void type_text_value(struct debug_unit *unit, uint64_t offset, const struct variable_bytes *value,
                     uint64_t size, struct text *out);

#endif
