/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a control event (control_event.h) needs to know of the instructions before it: the last one,
 * what a system call that it makes is, and which SP is in use. In: instructions in the order in
 * which they ran, one by one or as runs. Out: what is known after them.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_CONTROL_EVENT_FROM_H
#define CSREPLAY_REPLAY_VALUES_SSA_CONTROL_EVENT_FROM_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/uop/uop.h"
#include "replay/values/ssa/m_exception.h"
#include "replay/values/ssa/run_templates.h"
#include "replay/values/ssa/window.h"

/* A64: what the instructions since the last control event say of the SP in use. */
enum sp_in_use {
	SP_IN_USE_KEPT,
	SP_IN_USE_SELECTED,  /* another one may have been put in use */
	SP_IN_USE_OWN_SINCE, /* the same, but now it is the level's own */
	SP_IN_USE_OWN,       /* it was the level's own all the time */
};

/* What is known of the instruction before. */
struct control_event_from {
	uint64_t address;
	unsigned int size; /* bytes */
	uint32_t view;     /* that it was fetched from (snapshot/memmap.h) */
	struct call_site site;
	/* In R12, from which the C library's T32 code, which cannot spare R7, has calls' numbers
	 * moved there. */
	bool has_moved;
	uint64_t moved;
	const struct uop_insn *insn;
	bool is_exception; /* SVC and the like: it does not lead on by itself */
	bool is_return;    /* A64: a return from an exception */
	uint8_t sp;        /* enum sp_in_use: of it and those before it */
	bool is_known;     /* false: there is no instruction before it */
};

/* Passes an instruction. */
void control_event_from_pass(struct control_event_from *before, const struct template *template);

/*
 * Before a run of which everything is known that a run may keep: passed through it beside a zeroed
 * one, it says what the run does.
 */
struct control_event_from control_event_from_any(void);
/* What a run does: after it, of what was zeroed before it, and control_event_from_any(). */
void control_event_from_effects(struct run_end *end, const struct control_event_from *without,
                                const struct control_event_from *with);
/* Passes a run with the outcome `taken`, of which `last` is the last instruction. */
void control_event_from_pass_run(struct control_event_from *before, const struct run_template *run,
                                 bool taken, const struct template *last);

#endif
