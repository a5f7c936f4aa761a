/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers that no register file has (arch/register.h): system registers, saved ones, those of
 * other modes. Which there are depends on the snapshot, so they are a list of names and not a
 * table. In: the cores that a debugger is served. Out: the list for the feature org.csreplay.system
 * of the target description, and values at a position.
 *
 * In that description register `index` has the number register_file.count + index.
 */
#ifndef CSREPLAY_REPLAY_SESSION_SYSTEM_REGISTERS_H
#define CSREPLAY_REPLAY_SESSION_SYSTEM_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "replay/history/history.h"

struct system_register {
	struct str name;   /* small letters, digits and '_'; that of no register of the file */
	unsigned int bits; /* 8, 16, 32, 64 or 128 */
};

struct system_registers {
	struct system_register *items; /* by name */
	size_t count;
	size_t capacity;
	struct arena texts;
};

/*
 * Adds those of a core of the file's architecture. A name that is none, or one of the file's, is
 * left out; of two that differ in width the wider one stays. NO_MEM.
 */
MUST_USE enum status system_registers_add(struct system_registers *list,
                                          const struct register_file *file,
                                          const struct history *history);
/* Orders the list; to be called once, after the last core. */
void system_registers_finish(struct system_registers *list);
void system_registers_fini(struct system_registers *list);

/* The index of a name, in any case of letters. False if there is none. */
bool system_registers_find(const struct system_registers *list, struct str name, size_t *index);

/*
 * What the register holds in a core before instruction `position`, of the size that the list has;
 * unknown if the core has none of that name.
 */
void system_register_at(const struct system_register *reg, const struct history *history,
                        uint64_t position, struct value *value);

#endif
