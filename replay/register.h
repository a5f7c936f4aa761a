/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers that a debugger sees: numbers, names, sizes, from replay/register.def. Their
 * number is the register number of the target description.
 */
#ifndef CSREPLAY_REPLAY_REGISTER_H
#define CSREPLAY_REPLAY_REGISTER_H

#include <stddef.h>

#include "base/str.h"

enum register_feature {
	REGISTER_CORE,  /* org.gnu.gdb.aarch64.core */
	REGISTER_FPU,   /* org.gnu.gdb.aarch64.fpu */
	REGISTER_TRACE, /* org.csreplay.trace: not of the core, but of the replay */
};

enum register_number {
#define X(name, feature, bits, type, group, snapshot_names) REG_##name,
#include "replay/register.def"
#undef X
	REG_COUNT,
};

struct register_info {
	const char *name; /* as in the target description */
	enum register_feature feature;
	unsigned int bits;          /* multiple of 8 */
	const char *type;           /* of the target description */
	const char *group;          /* of the target description */
	const char *snapshot_names; /* each ends in NUL, an empty one ends the list */
};

extern const struct register_info register_table[REG_COUNT];

/* REG_COUNT if there is no such register. */
enum register_number register_find(struct str name);

#endif
