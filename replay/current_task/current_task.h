/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task of a Linux kernel that a core ran. In: its history, the kernel's layout, and what
 * somebody knows of registers and memory at its positions. Out: the address of the task_struct.
 *
 * AArch64: it is in SP_EL0 at EL1 and EL2; at EL0 of the halt it is the core's __entry_task. Of the
 * past SP_EL0 is what an MRS or an MSR near the position moved, with no exception, return or gap
 * between.
 *
 * A32, by what vmlinux has (linux_current()):
 * - in TPIDRURO while the core is in the kernel, which gives a program its own on the way out, and
 *   takes its task from __entry_task on the way in. At the halt it is the one or the other. Since
 *   __switch_to() alone makes another task the current one, it is of the past what an MRC in the
 *   kernel read before or after the position, or that function wrote, with no such write and no gap
 *   between;
 * - in the variable __current;
 * - in the thread_info that the stack of the kernel begins with: where SP points into it, and the
 *   task says that this is its stack.
 */
#ifndef CSREPLAY_REPLAY_CURRENT_TASK_CURRENT_TASK_H
#define CSREPLAY_REPLAY_CURRENT_TASK_CURRENT_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/isa.h"
#include "replay/history/history.h"
#include "snapshot/linux_kernel/linux_kernel.h"

/* A core at a position: N is the halt. */
struct current_place {
	const struct history *history;
	const struct linux_kernel *kernel;
	const struct symbols *symbols;
	uint64_t position;
	/* `number` is of the core's register file (arch/register.h). */
	void (*read_register)(void *context, uint64_t position, unsigned int number,
	                      struct value *value);
	/* As struct os_memory has it, at a position. */
	size_t (*read_memory)(void *context, uint64_t position, uint64_t address, void *out,
	                      size_t size);
	void *context;
};

/* Instructions of a history that move the register that it is in: addresses. Zeroed to begin with,
 * looked for when it is asked for. */
struct current_moves {
	uint64_t *addresses;
	size_t count;
	size_t capacity;
	bool is_known;
};

void current_moves_fini(struct current_moves *moves);

/* False if that is not known. `moves` is of the history. */
bool current_task(struct current_place *at, struct current_moves *moves, uint64_t *address);

#endif
