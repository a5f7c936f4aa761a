/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls out of the program whose other side is not traced: what they write and return, by tables.
 * In: the instruction that calls, and the call's number if it is known. Out: micro-operations.
 *
 * Linux system calls: arch/system_call.def, system_call_a32.def. Semihosting: semihosting.def,
 * after Arm's "Semihosting for AArch32 and AArch64".
 */
#ifndef CSREPLAY_ARCH_CALL_MODEL_H
#define CSREPLAY_ARCH_CALL_MODEL_H

#include "arch/insn_set.h"
#include "arch/uop/uop.h"

/* An instruction, and the constants in registers that say what it calls. */
struct call_site {
	enum isa isa;
	uint32_t opcode;
	bool has_number; /* of X8, R7 */
	uint64_t number;
	bool has_operation; /* of W0, R0 */
	uint64_t operation;
};

/* SVC #0, with which Linux is called: in A32 under any condition. */
bool call_model_is_linux(enum isa isa, uint32_t opcode);
/* Fills `b`. False if it is no Linux system call whose number is known and in the tables. */
bool call_model_system(const struct call_site *site, struct uop_builder *b);
/* It is the call by which a handler of a signal ends, where the program goes on as it was. */
bool call_model_is_sigreturn(const struct call_site *site);
/* It is one that sends a signal, perhaps to the program itself: kill(), tkill(), tgkill(). */
bool call_model_sends_signal(const struct call_site *site);
/* It may be the A32 call that makes code of what was written (cacheflush). */
bool call_model_may_flush(const struct call_site *site);
/*
 * The same for a call that a debugger or a model serves. Only for one after which execution went
 * on without an exception: elsewhere the instruction is something else.
 */
bool call_model_semihosting(const struct call_site *site, bool is_m_profile, struct uop_builder *b);

#endif
