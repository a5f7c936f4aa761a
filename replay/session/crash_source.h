/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a crash is read from: the registers and the memory of a core at its halt, the fault that its
 * trace ends in, and opcodes and system calls that stop a program by themselves. Private to
 * replay/session/.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CRASH_SOURCE_H
#define CSREPLAY_REPLAY_SESSION_CRASH_SOURCE_H

#include "replay/session/crash.h"
#include "replay/session/crash_trace.h"
#include "replay/session/session.h"

struct crash_core {
	const struct session *session;
	const struct history *history;
	const struct snap_core *core;
	size_t index;
	bool has_pc;
	uint64_t pc; /* of the halt */
	bool has_fault;
	struct crash_fault fault;
};

void crash_core_begin(struct crash_core *c, struct session *session, size_t core);

/* The low 64 bits of the first register of "NAME|OTHER" that the snapshot has; false: none. */
bool crash_register(const struct crash_core *c, const char *names, uint64_t *value);

/* A word of memory at the halt. */
bool crash_word(const struct crash_core *c, uint64_t address, uint32_t *value);

/* What the instruction there does to a program by itself: BRK, BKPT, UDF; false for any other. */
bool crash_read_opcode(const struct crash_core *c, uint64_t address, enum isa isa,
                       struct crash *crash);

/*
 * The signal that the program sent itself by a Linux system call as the last that it did: so
 * abort() does, of which nothing else tells. False if it did anything else.
 */
bool crash_read_call(const struct crash_core *c, struct crash *crash);

/*
 * The crash of a core of the M profile, by CFSR, HFSR, SFSR and the exception that it handles.
 * Registers come from [regs], or from memory where the System Control Block is dumped (DDI 0553,
 * D1.2). False if no fault is recorded and none handled.
 */
bool crash_find_m(const struct crash_core *c, struct crash *crash);

#endif
