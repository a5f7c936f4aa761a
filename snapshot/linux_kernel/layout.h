/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel by its table; for this room. */
#ifndef CSREPLAY_SNAPSHOT_LINUX_KERNEL_LAYOUT_H
#define CSREPLAY_SNAPSHOT_LINUX_KERNEL_LAYOUT_H

#include "snapshot/linux_kernel/linux_kernel.h"
#include "snapshot/type_layout/type_layout.h"

enum linux_member {
#define MEMBER(id, structure, path) LINUX_##id,
#include "snapshot/linux_kernel/linux_kernel.def"
	LINUX_MEMBERS, /* of all kernels; those of some follow */
	LINUX_BEFORE_STACK = LINUX_MEMBERS - 1,
#define STACK_MEMBER(id, structure, path) LINUX_##id,
#include "snapshot/linux_kernel/linux_kernel.def"
	LINUX_ALL_MEMBERS,
};

enum linux_variable {
#define VARIABLE(id, name) LINUX_##id,
#include "snapshot/linux_kernel/linux_kernel.def"
	LINUX_VARIABLES,
};

struct linux_kernel {
	struct member_layout members[LINUX_ALL_MEMBERS];
	uint64_t variables[LINUX_VARIABLES]; /* 0: none, or several */
	size_t pointer;                      /* bytes */
};

/* An entry of a symbol table (System V ABI, "Symbol Table"): offsets in it; the name comes first.
 */
struct symbol_form {
	uint64_t size;
	unsigned int number; /* bytes of an address, and of a size */
	uint64_t address_at;
	uint64_t size_at;
	uint64_t section_at;
};

enum { SYMBOL_NAME = 4, SYMBOL_SECTION = 2 }; /* bytes */

static inline struct symbol_form symbol_form_of(const struct linux_kernel *kernel)
{
	return kernel->pointer == sizeof(uint64_t) ? (struct symbol_form){24, 8, 8, 16, 6}
	                                           : (struct symbol_form){16, 4, 4, 8, 14};
}

/* A number of a structure's member. False if the kernel has none such, or memory not its bytes. */
bool linux_read_member(const struct linux_kernel *kernel, const struct os_memory *memory,
                       uint64_t structure, enum linux_member member, uint64_t *value);

#endif
