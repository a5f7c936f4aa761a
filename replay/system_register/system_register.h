/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System registers: those of a core that the table of its architecture does not have (arch/
 * register.h): system registers, saved ones, those of other modes. Which there are depends on the
 * snapshot. In: the names and sizes of [regs], or of the "R" lines of a Tarmac text. Out: a list
 * for the feature org.csreplay.system of a target description; and, of registers of [regs], where
 * of the past they are what they are at the halt.
 */
#ifndef CSREPLAY_REPLAY_SYSTEM_REGISTER_SYSTEM_REGISTER_H
#define CSREPLAY_REPLAY_SYSTEM_REGISTER_SYSTEM_REGISTER_H

#include "arch/isa.h"
#include "base/arena.h"
#include "base/text.h"
#include "replay/history/history.h"
#include "replay/values/values.h"

/* By name. Zeroed to begin with. */
struct system_register_list {
	struct system_register *items;
	size_t count;
	size_t capacity;
	struct arena names;
};

void system_registers_fini(struct system_register_list *list);

/*
 * Adds a register under its name in lower case, with '_' for what is neither letter nor digit and
 * before a digit at the beginning; `name` must outlive the list. One that the file's table has, or
 * that is wider than 128 bits, is left out; of two with one name the wider one stays. NO_MEM.
 */
MUST_USE enum status system_registers_add(struct system_register_list *list,
                                          const struct register_file *file, struct str name,
                                          unsigned int bits);

/* All of a core of the file's architecture. NO_MEM. */
MUST_USE enum status system_registers_add_core(struct system_register_list *list,
                                               const struct register_file *file,
                                               const struct history *history);

/*
 * Of a core without data: from which position on the registers that MSR and exceptions alone change
 * are what they are at the halt. No gap, exception whose handler ran, return from one, MSR or
 * exception-generating instruction comes after it. In AArch32 state and on the M profile that is
 * the halt. Zeroed to begin with: it is looked for when it is asked for.
 */
struct system_past {
	bool is_known;
	uint64_t from;
};

/*
 * True if the register is at a position what it is at the halt. If not, a line of `why`, which may
 * be NULL, says what is in the way.
 */
bool system_register_is_halts(const struct history *history, struct values *values,
                              struct system_past *past, uint64_t position,
                              const struct system_register *reg, struct text *why);

#endif
