/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions of the M profile as micro-operations: what the core stacks at an entry and unstacks at
 * a return. In: what the trace says of them. Out: what of registers and memory survives. Armv7-M
 * ARM DDI 0403, B1.5.6 to B1.5.8; Armv8-M ARM DDI 0553, B3.18 to B3.22.
 *
 * R13 is the SP in use, REG_M_OTHER_SP the one of MSP and PSP that is not. Which of them is in use,
 * whether a handler runs and whether the FPU is in use are registers, too (REG_M_ON_PSP and after):
 * an entry makes EXC_RETURN of them, a return makes them of EXC_RETURN, and nothing is known of a
 * frame where they are not known.
 *
 * With Security Extension all of this is of one security state, and followed is what stays in it:
 * an exception whose handler is in the state that it interrupts. In Secure state R4 to R11 may be
 * below the frame, if an exception of Non-secure state came just before: EXC_RETURN.DCRS says it.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_M_EXCEPTION_H
#define CSREPLAY_REPLAY_VALUES_SSA_M_EXCEPTION_H

#include "arch/isa.h"
#include "arch/uop/uop.h"
#include "snapshot/snapshot.h"

/* What the type of a core says, and of the last one the trace. */
struct m_core {
	bool is_followed; /* Armv6-M, Armv7-M or Armv8-M */
	bool may_have_fpu;
	bool is_aligned;   /* stacks frames at multiples of 8 in any case (Armv6-M, Armv8-M) */
	bool has_security; /* may have the Security Extension */
	bool is_secure;    /* then: is in Secure state */
};

struct m_core m_core_of(const struct snap_device *device);

enum m_exception_kind {
	M_EXCEPTION_OTHER, /* a reset, lockup, or not known */
	M_EXCEPTION_PLAIN,
	M_EXCEPTION_INTERRUPT, /* plain, and its handler leaves what was interrupted alone */
};

enum m_exception_kind m_exception_kind_of(const struct m_core *core,
                                          const struct exception_info *info);

/*
 * An instruction that may be interrupted between its accesses, and begin or go on where it was.
 * Opcodes are as sem_t32() takes them.
 */
bool m_has_many_accesses(uint32_t opcode);

enum {
	M_IT_AGAIN =
	        17, /* beside the conditions of sem_t32(): outside of an IT block, and as below */
};

/*
 * Such an instruction after a return to it, which goes on with it or begins it again: what it loads
 * and stores is not known, for a handler may have changed it in between. Nothing is known of one
 * that is none of LDM, STM, PUSH and POP.
 */
void m_exception_again(uint32_t opcode, struct uop_builder *b);

/* The opcode is that of the instruction that is returned to. */
void m_exception_enter(const struct m_core *core, uint32_t return_address, uint32_t opcode,
                       struct uop_builder *b);
/*
 * After an instruction, `opcode`, that returned. With `is_chained` the next handler is entered and
 * the frame stays as it is.
 */
void m_exception_return(const struct m_core *core, uint32_t opcode, bool is_chained,
                        struct uop_builder *b);
/* The handler of an exception of kind INTERRUPT was not traced. */
void m_exception_unseen(struct uop_builder *b);

/* An opcode that may make the core store the registers of an earlier frame (lazy stacking). */
static inline bool m_is_fp(uint32_t opcode)
{
	return (opcode >> 26 & 0x3b) == 0x3b;
}

/*
 * An opcode of Advanced SIMD is one of MVE here: VPT may be before it, and by that it may
 * leave parts of its result as they were.
 */
static inline bool m_is_vector(uint32_t opcode)
{
	return (opcode & 0xef000000) == 0xef000000 || (opcode & 0xff100000) == 0xf9000000 ||
	       (opcode & 0xff900f5f) == 0xee800b10; /* VDUP */
}

void m_exception_lazy(struct uop_builder *b);

#endif
