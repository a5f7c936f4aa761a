/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the entry of an exception does to the registers of AArch32's modes: the mode, SP, LR and
 * SPSR (Arm ARM G1.12, AArch32.TakeException... and EnterMode). In: the exception, as traced. Out:
 * definitions, as arch/uop/uop_mode.h has them. What a return does its instruction says.
 *
 * The mode is that of the vector, or Hyp mode at EL2. In Secure state SCR may route IRQ, FIQ and
 * aborts to Monitor mode, which the trace does not show: where SCR is not known the mode is one of
 * two, and SP is not known.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_A32_EXCEPTION_H
#define CSREPLAY_REPLAY_VALUES_SSA_A32_EXCEPTION_H

#include "arch/isa.h"
#include "arch/uop/uop.h"
#include "decoder/element/element.h"

struct a32_entry {
	const struct element *exception;
	uint32_t vector;       /* address of the handler's first instruction */
	struct call_site site; /* the instruction before */
	bool is_isa_known;     /* whose instruction set is that of the preferred return address */
	bool has_monitor;      /* the core has Monitor mode, or may */
	const struct pe_context *from;
	const struct pe_context *to;
};

/*
 * Adds what the entry does to `b`, which has begun. False, with nothing added, if that is not
 * known: a change of the security state, SMC, a vector that is not that of such an exception.
 */
bool a32_exception_enter(const struct a32_entry *entry, struct uop_builder *b);

#endif
