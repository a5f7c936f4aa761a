/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a core halted at. In: the fault status registers that the snapshot has (ESR_ELx and FAR_ELx;
 * DFSR, IFSR, DFAR and IFAR; CFSR, HFSR, MMFAR, BFAR), the exceptions of its trace, the opcode at
 * the halt or the system call before it. Out: one crash, or that nothing is known of any.
 *
 * Status registers say what was taken last, which need not be what the core halted at: a kernel
 * that idles still has the ESR of its last system call. It is the halt's where the halt's PC, the
 * trace, the vector that the PC is in, or the handler that the M profile says it is in shows it, or
 * where nothing is there that could. Otherwise it is said as what it is, the last one.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CRASH_H
#define CSREPLAY_REPLAY_SESSION_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/text.h"

struct session;

enum crash_source {
	CRASH_REGISTERS, /* fault status registers */
	CRASH_TRACE,     /* an exception that the trace shows */
	CRASH_OPCODE,    /* the instruction at the halt, or the system call before it */
};

struct crash {
	struct syndrome syndrome;
	const char *status; /* REGISTERS: such as "ESR_EL1" */
	uint64_t pc;      /* of the instruction that it is of; where it returns to, for an SError */
	uint64_t address; /* of the access, as far as registers or the instruction say */
	/* A fetch: where the branch is that went there, through `registers`. */
	uint64_t branch;
	/* Where its handler begins in the history; N if nothing was executed after. */
	uint64_t position;
	enum crash_source source;
	enum core_arch arch;
	uint32_t registers; /* that the address comes from, as crash_access.h has them */
	int level;          /* exception level that it was taken to; -1: not known */
	int from_level;     /* and from; -1: not known */
	/* False: what a register recorded last; nothing shows that it is why the core halted. */
	bool is_halt;
	bool is_access; /* it is of an access to data, which need not be known */
	bool has_pc;
	bool has_address;
	bool has_branch;
	bool has_position;
};

/* False if nothing is known of why the core halted. */
bool session_crash(struct session *session, size_t core, struct crash *crash);

/* What a debugger is told that the core got; NONE unless the crash is the halt's. */
enum syndrome_signal crash_signal(const struct crash *crash);

/*
 * Appends a sentence without its stop: "data abort at 0x400404: read of 0x322d7261, translation
 * fault level 1; register x2".
 */
void crash_format(const struct crash *crash, struct text *out);

/* Appends the names of the registers: "x2" or "x2 and x3"; nothing if there are none. */
void crash_format_registers(const struct crash *crash, struct text *out);

#endif
