/* SPDX-License-Identifier: Apache-2.0 */
/* Relocations of either architecture; see relocate.h. */
#include "snapshot/elf_object/relocate_rows.h"

size_t relocation_size(bool is_64bit, uint32_t type)
{
	return is_64bit ? relocation_size_a64(type) : relocation_size_arm(type);
}

enum status relocate(const struct relocation *relocation, uint8_t *at)
{
	return relocation->is_64bit ? relocate_a64(relocation, at) : relocate_arm(relocation, at);
}
