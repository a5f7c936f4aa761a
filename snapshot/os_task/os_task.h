/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task of an operating system, as memory has it. In: memory as somebody knows it, at the halt or
 * at a position of the past. Out: numbers and strings there, and a task in words. Little endian.
 */
#ifndef CSREPLAY_SNAPSHOT_OS_TASK_OS_TASK_H
#define CSREPLAY_SNAPSHOT_OS_TASK_OS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Copies up to `size` bytes and returns how many are known before the first that is not. */
struct os_memory {
	size_t (*read)(void *context, uint64_t address, void *out, size_t size);
	void *context;
};

enum { OS_NAME_MOST = 64 };

struct os_task {
	uint64_t address; /* of its structure */
	uint64_t state;   /* of Linux: 0 is running or ready to */
	uint32_t pid;     /* of Linux, and tgid */
	uint32_t tgid;
	bool has_state;
	bool has_pid;
	bool has_tgid;
	bool has_name;
	char name[OS_NAME_MOST]; /* printable */
};

/* Appends "kworker/0:1, pid 12"; "sh, pid 30 of 28" for a thread of process 28; "IDLE". */
void os_task_format(const struct os_task *task, struct text *out);

/* A number of 1 to 8 bytes. False if it is of another size, or memory does not have its bytes. */
bool os_read_number(const struct os_memory *memory, uint64_t address, size_t size, uint64_t *value);

/* A string that ends within `size` bytes, or is cut there, printable; false if a byte is not known
 * before its end. */
bool os_read_string(const struct os_memory *memory, uint64_t address, size_t size,
                    char name[OS_NAME_MOST]);

#endif
