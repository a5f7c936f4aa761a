/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux tasks and modules, where the snapshot's images have vmlinux with debug information, and the
 * tasks of real-time operating systems, where they have a program that has one. In: a session, a
 * core, a position. Out: what the session itself knows of the memory there, by the layout of
 * vmlinux (snapshot/linux_kernel/) or of the program (snapshot/rtos/); nothing is guessed.
 */
#ifndef CSREPLAY_REPLAY_SESSION_KERNEL_H
#define CSREPLAY_REPLAY_SESSION_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "snapshot/os_task/os_task.h"

struct session;

/*
 * The task that a core runs at a position (replay/current_task/). Of a real-time operating system
 * it is the one that its variable calls current, where the snapshot has one core.
 */
struct session_task {
	struct os_task then; /* as memory is known there */
	struct os_task halt; /* the same address at the halt: it may be another's by then */
};

/*
 * False if there is neither vmlinux nor a program that rtos_open() finds one in, or the address is
 * not known.
 */
bool session_task(struct session *session, size_t core, uint64_t position,
                  struct session_task *task);

/*
 * Appends "kworker/0:1H, pid 28"; of a name that is known of the halt alone "the task at
 * 0xffffff8000a36300, at the halt kworker/0:1H, pid 28".
 */
void session_task_format(const struct session_task *task, struct text *out);

/*
 * A line for each module that the kernel had loaded at the halt: name, where it lies, its size.
 * Where the list cannot be followed a line says at which address; one, too, if there is no vmlinux.
 */
MUST_USE enum status session_list_modules(struct session *session, struct text *out);

#endif
