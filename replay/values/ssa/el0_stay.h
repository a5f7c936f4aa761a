/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether nothing but EL0 ran in a gap. In: the context before it, what the trace has there, in
 * order. Out: whether it is proved.
 *
 * Where code is not in the snapshot the trace is complete nevertheless: it has each change of
 * level. EL0 writes neither another level's SP, ELR and SPSR nor its TPIDR (Arm ARM D1.2). A gap in
 * which trace is missing (tracing was off, the source overflowed) proves nothing.
 *
 * Where a trace leaves out EL0 tracing is off from a return to it on until EL1 is entered again.
 * That it was EL0 alone that ran then is no proof: it is part of the assumption kernel-private.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_EL0_STAY_H
#define CSREPLAY_REPLAY_VALUES_SSA_EL0_STAY_H

#include "decoder/element/element.h"

enum el0_phase {
	EL0_NOT,       /* not proved */
	EL0_RETURNING, /* EL1 returned: the trace has not said yet to where */
	EL0_INSIDE,
	EL0_LEFT,    /* by an exception, of which it has not said yet to where */
	EL0_ENTERED, /* EL1 */
	EL0_UNSEEN,  /* tracing is off, from EL1's return on */
	EL0_BACK,    /* at EL1, by an exception that was not traced */
};

/* `is_return`: the instruction before was an exception return. */
enum el0_phase el0_stay_begin(const struct pe_context *before, bool is_return);
/* Tracing was off, for the only time; `is_assumed`: that leaves out no other level. */
enum el0_phase el0_stay_off(enum el0_phase phase, bool is_assumed);
enum el0_phase el0_stay_pass(enum el0_phase phase, const struct element *e);

/* True after the last element if EL0 alone ran, as far as that is assumed. */
static inline bool el0_stay_is_proved(enum el0_phase phase)
{
	return phase == EL0_INSIDE || phase == EL0_ENTERED || phase == EL0_BACK;
}

#endif
