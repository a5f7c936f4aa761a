/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one instruction has to do with a fault: the access to memory that it makes and the registers
 * that its address comes from, or the registers that a branch took its target from. In: a session,
 * where the instruction lies, and a position at which general registers are what it read. Out:
 * registers, and the address as far as it follows from them.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CRASH_ACCESS_H
#define CSREPLAY_REPLAY_SESSION_CRASH_ACCESS_H

#include "arch/isa.h"
#include "replay/session/session.h"

struct crash_instruction {
	size_t core;
	uint64_t address;
	enum isa isa;
	uint64_t position;
	bool has_values; /* general registers are at `position` what the instruction read */
	/* The core is in another mode at `position`: its SP, and in AArch32 its LR, are others. */
	bool is_other_mode;
};

struct crash_access {
	enum syndrome_access access; /* READ or WRITE */
	/* Bit n: Xn or Rn, 31 of A64: SP. Those that the address is made of. */
	uint32_t registers;
	bool has_address;
	uint64_t address; /* of the first byte that it accesses */
};

/*
 * The access at `fault`, if that is not NULL, else the instruction's first one. Of `access`, if it
 * is READ or WRITE. False if there is none, or if the registers say that it was not to that
 * address.
 */
bool crash_access_find(const struct session *session, const struct crash_instruction *at,
                       const uint64_t *fault, enum syndrome_access access,
                       struct crash_access *found);

/* The registers that an indirect branch goes to; 0 if it is none, or reads its target. */
uint32_t crash_branch_registers(const struct session *session, const struct crash_instruction *at);

/* Its opcode as arch/insn.h takes it, and its size in bytes. False if memory does not hold it. */
bool crash_opcode(const struct session *session, const struct crash_instruction *at,
                  uint32_t *opcode, unsigned int *size);

#endif
