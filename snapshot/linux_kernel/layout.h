/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel by its table; for this room. */
#ifndef CSREPLAY_SNAPSHOT_LINUX_KERNEL_LAYOUT_H
#define CSREPLAY_SNAPSHOT_LINUX_KERNEL_LAYOUT_H

#include "snapshot/linux_kernel/linux_kernel.h"
#include "snapshot/type_layout/type_layout.h"

enum linux_member {
#define MEMBER(id, structure, path) LINUX_##id,
#include "snapshot/linux_kernel/linux_kernel.def"
	LINUX_MEMBERS,
};

enum linux_variable {
#define VARIABLE(id, name) LINUX_##id,
#include "snapshot/linux_kernel/linux_kernel.def"
	LINUX_VARIABLES,
};

struct linux_kernel {
	struct member_layout members[LINUX_MEMBERS];
	uint64_t variables[LINUX_VARIABLES]; /* 0: none, or several */
};

/* A number of a structure's member. False if the kernel has none such, or memory not its bytes. */
bool linux_read_member(const struct linux_kernel *kernel, const struct os_memory *memory,
                       uint64_t structure, enum linux_member member, uint64_t *value);

#endif
