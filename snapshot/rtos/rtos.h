/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The current task of a real-time operating system. In: the images of a snapshot, of which one is
 * its program with debug information, and memory as somebody knows it, at the halt or at a position
 * of the past. Out: what the system's own variable and its task's structure say. Nothing is
 * guessed: a system is one of the table rtos.def that has both, and what memory does not have is
 * not known.
 *
 * One core, little endian: which core's task it is, is not said where there are several.
 */
#ifndef CSREPLAY_SNAPSHOT_RTOS_RTOS_H
#define CSREPLAY_SNAPSHOT_RTOS_RTOS_H

#include "snapshot/os_task/os_task.h"
#include "snapshot/symbols/symbols.h"

struct rtos;

/*
 * NOT_FOUND if no image has the variable of one, and says where a task has its name; NO_MEM. The
 * arguments need not outlive it.
 */
MUST_USE enum status rtos_open(struct elf_image *const *images, size_t count,
                               const struct symbols *symbols, struct rtos **rtos);
void rtos_close(struct rtos *rtos); /* NULL is fine */

/* Where the current task is. False if that is not known, or there is none: before the first. */
bool rtos_current(const struct rtos *rtos, const struct os_memory *memory, uint64_t *address);

/* The task there; of one that has no name, or of which it is not known, the address alone. */
void rtos_task_read(const struct rtos *rtos, const struct os_memory *memory, uint64_t address,
                    struct os_task *task);

#endif
