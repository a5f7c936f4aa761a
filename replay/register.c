/* SPDX-License-Identifier: Apache-2.0 */
/* The table of registers, from replay/register.def. */
#include "replay/register.h"

const struct register_info register_table[REG_COUNT] = {
#define X(name, feature, bits, type, group, snapshot_names)                                        \
	{#name, REGISTER_##feature, bits, type, group, snapshot_names "\0"},
#include "replay/register.def"
#undef X
};

enum register_number register_find(struct str name)
{
	unsigned int i;

	for (i = 0; i < REG_COUNT; i++) {
		if (str_eq_nocase(str_of(register_table[i].name), name))
			break;
	}
	return (enum register_number)i;
}
