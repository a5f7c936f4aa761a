/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Tarmac text as something to replay: a snapshot whose cores are those of the text, their
 * histories, and registers and memory at every position. In: a file, images. Out: a snapshot that
 * session_open() knows what to do with.
 *
 * What is known and why is said in word_log.h. A malformed line may hide an effect: after one that
 * is a register's all registers of its core are unknown until they are written again, after one
 * that is an access to memory all of memory; after one of an instruction both, and there is a gap.
 * Lines of no known kind have no effects.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_SOURCE_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_SOURCE_H

#include "arch/isa.h"
#include "replay/history/history.h"
#include "replay/tarmac/log/log.h"

struct tarmac_core; /* the data of one core; part of the snapshot */

struct input_options {
	struct snapshot_options snapshot;
	bool is_strict;                 /* malformed lines of a Tarmac text are errors */
	struct history_options history; /* `progress` is for texts, which are read at once */
};

/*
 * Opens a SNAPSHOT argument of any kind: a Tarmac text, told by its content, or what
 * snapshot_open() takes. Statuses as snapshot_open(), and INTERRUPTED; with is_strict and a
 * malformed line BAD_DATA.
 */
MUST_USE enum status input_open(const char *path, const struct input_options *options,
                                struct diag_list *diags, struct snapshot **snapshot);

/* Data of core `index`, or NULL for a snapshot that is no Tarmac text. */
const struct tarmac_core *input_core(const struct snapshot *snapshot, size_t index);
/* Its history, which belongs to the snapshot. */
struct history *tarmac_core_history(const struct tarmac_core *core);

/* As state_register() and state_memory(); `number` is below the trace's own registers. */
void tarmac_register_at(const struct tarmac_core *core, uint64_t position, unsigned int number,
                        struct value *value);
size_t tarmac_memory_at(const struct tarmac_core *core, uint64_t position, uint64_t address,
                        void *out, size_t size);

/*
 * Registers that no register file has, as lines name them in small letters (tarmac_system.h);
 * `index` is below the count. The value is as wide as the widest line said.
 */
size_t tarmac_system_count(const struct tarmac_core *core);
struct str tarmac_system_name(const struct tarmac_core *core, size_t index, unsigned int *bits);
bool tarmac_system_find(const struct tarmac_core *core, struct str name, size_t *index);
void tarmac_system_at(const struct tarmac_core *core, uint64_t position, size_t index,
                      struct value *value);

/* Features of the register file that lines of the text wrote; set of 1 << enum register_feature. */
unsigned int tarmac_features(const struct tarmac_core *core);

/* As history_opcode. */
void tarmac_correct_opcode(const struct tarmac_core *core, uint64_t position,
                           struct instruction *insn);

/* True if a record of the core, of which the first line says an instruction or another event, has
 * one. */
bool tarmac_has_times(const struct tarmac_core *core);
/*
 * True if timestamps of the core's records can be compared, and with those of other cores: all of
 * the text are of one unit, and the core's do not go back.
 */
bool tarmac_has_clock(const struct tarmac_core *core);
/* True if the text has a page that is not at its own address, or two physical address spaces. */
bool tarmac_has_places(const struct tarmac_core *core);
/* Timestamp of the instruction at `position` < N. UNAVAILABLE if its line has none. */
MUST_USE enum status tarmac_timestamp(const struct tarmac_core *core, uint64_t position,
                                      uint64_t *timestamp);

/* An access by an instruction of the core. */
struct tarmac_access {
	uint64_t position;
	uint64_t address; /* of the first byte that was touched in what was asked for */
	bool is_write;
};

/* What to look for: an access to any of the bytes [address, address + size). */
struct tarmac_target {
	uint64_t address;
	uint64_t size;
	unsigned int kinds; /* set of 1 << enum word_kind */
};

/*
 * The access nearest to `position`: forward of an instruction at or after it, backward of one
 * before it. NOT_FOUND.
 */
MUST_USE enum status tarmac_find_access(const struct tarmac_core *core, bool forward,
                                        uint64_t position, const struct tarmac_target *target,
                                        struct tarmac_access *access);

#endif
