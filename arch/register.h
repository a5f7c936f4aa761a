/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers that a debugger sees: numbers, names, sizes. There is one file of them for each
 * kind of core, from register_*.def; a register's place in its file is its number, by which
 * everything names it: the target description, the snapshot's registers once they are resolved, and
 * the slots of micro-operations. Register 0 is the PC in each, and the last ones are those of the
 * trace.
 */
#ifndef CSREPLAY_ARCH_REGISTER_H
#define CSREPLAY_ARCH_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/uop/uop.h"
#include "base/str.h"
#include "snapshot/snapshot.h"

enum tarmac_file {
#define TARMAC_FILE(name, text) TARMAC_FILE_##name,
#include "arch/isa.def"
	TARMAC_FILES, /* how many */
};

enum register_feature {
	REGISTER_CORE,
	REGISTER_TRACE,  /* org.csreplay.trace: not of the core, but of the replay */
	REGISTER_FPU,    /* described if a core of the snapshot has any of them */
	REGISTER_SYSTEM, /* of the M profile; described as FPU is */
};

#define X(name, feature, bits, type, group, snapshot_names, slot, tarmac, number) A64_##name,
enum a64_register {
#include "arch/register_a64.def"
	A64_REGISTERS,
};
#undef X

#define X(name, feature, bits, type, group, snapshot_names, slot, tarmac, number) A32_##name,
enum a32_register {
#include "arch/register_a32.def"
	A32_REGISTERS,
};
#undef X

#define X(name, feature, bits, type, group, snapshot_names, slot, tarmac, number) M_##name,
enum m_register {
#include "arch/register_m.def"
	M_REGISTERS,
};
#undef X

enum {
	REGISTER_PC = 0,
	REGISTER_FILE_MOST = A64_REGISTERS, /* of a file */
};

/* In every file, counted from register_file.trace. */
enum trace_register {
	TRACE_POSITION,
	TRACE_TIMESTAMP,
	TRACE_CYCLES,
	TRACE_CONTEXT_ID,
	TRACE_REGISTERS,
};

struct register_info {
	const char *name; /* as in the target description */
	enum register_feature feature;
	unsigned int bits;          /* multiple of 8 */
	const char *type;           /* of the target description */
	const char *group;          /* of the target description */
	const char *snapshot_names; /* "SP|R13": tried in turn; empty for those of the trace */
	uint8_t slot;               /* of micro-operations; SLOT_NONE: they do not have it */
	uint8_t tarmac_file;        /* enum tarmac_file: what Tarmac text calls it */
	uint8_t tarmac_number;
};

/*
 * A register that no table has, such as ESR_EL1 of a snapshot's [regs]: numbered after those of the
 * table, in the order of register_file.system.
 */
struct system_register {
	struct str name;        /* of the target description: small letters, digits, '_' */
	struct str source_name; /* as whoever has the value writes it */
	unsigned int bits;      /* 8, 16, 32, 64 or 128 */
};

struct register_file {
	enum core_arch arch;
	const struct register_info *table;
	unsigned int count;
	unsigned int trace;    /* number of the first trace register */
	const uint8_t *frame;  /* what a debugger needs at every stop to unwind a frame */
	size_t frame_count;    /* of register numbers at `frame` */
	unsigned int features; /* set of 1 << enum register_feature: those to describe */
	const struct system_register *system; /* beyond the table, by name */
	unsigned int system_count;
};

/* The registers of such a core, with the features that it has in any case. */
struct register_file register_file_of(enum core_arch arch);

/* Adds the features that the device, a core of the file's architecture, has a register of. */
void register_file_add(struct register_file *file, const struct snap_device *device);

/* The system register of a number after those of the table; NULL for any other number. */
const struct system_register *register_system(const struct register_file *file, uint64_t number);

/* The number of a system register by either of its names, in any case of letters. */
bool register_system_find(const struct register_file *file, struct str name, unsigned int *number);

/*
 * The number of the register that a user's word names: of the table or a system register, in any
 * case of letters, perhaps after "$", and "lr" of A64 cores, too.
 */
bool register_file_find(const struct register_file *file, struct str word, unsigned int *number);

/* True if there is such a number and its feature is described; of system registers, too. */
bool register_file_has(const struct register_file *file, uint64_t number);

/* What is wrong with a register of the snapshot. */
enum register_fault {
	REGISTER_SOUND,
	REGISTER_CONTESTED, /* it is there twice, perhaps by two of its names, with two values */
	REGISTER_WIDE,      /* its value has more bits than the register */
	REGISTER_NARROW,    /* it has fewer, and is of no use so */
	REGISTER_PARTLY,    /* it has fewer: those above are not known */
};

/*
 * The device's register `number`, a core's of the file, by its names; *reg is NULL if it has none.
 * *other is the one that contests it, NULL if that has the same name. X31 beside SP is another
 * register: perhaps the one that is always 0.
 */
enum register_fault register_examine(const struct register_file *file, unsigned int number,
                                     const struct snap_device *device,
                                     const struct snap_register **reg,
                                     const struct snap_register **other);

/* How many bits of it `reg` says: all, or fewer (REGISTER_PARTLY). */
unsigned int register_known_bits(const struct register_file *file, unsigned int number,
                                 const struct snap_register *reg);

/* What register_examine() finds; NULL if there is nothing, or nothing that can be used. */
const struct snap_register *register_in_snapshot(const struct register_file *file,
                                                 unsigned int number,
                                                 const struct snap_device *device);

/* Where micro-operations have a register. */
struct register_slot {
	uint8_t slot;
	uint8_t count; /* of slots, 64 bits each; 0: they do not have it */
	uint8_t bits;  /* of the one slot that the register has; 0 where count is 2 */
	bool is_flags; /* slot is REG_NZCV, the flags are bits 31 to 28 of the register */
};

struct register_slot register_slot_of(enum core_arch arch, unsigned int number);
/* Appends the name of a slot of registers, enum uop_register, as the architecture has it. */
void register_slot_name(enum core_arch arch, unsigned int slot, struct text *out);

#endif
