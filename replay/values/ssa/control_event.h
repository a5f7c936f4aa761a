/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies between two instructions of a history: gaps, exceptions, changes of context. In: a
 * position. Out: micro-operations that say what of registers and memory survives there.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_CONTROL_EVENT_H
#define CSREPLAY_REPLAY_VALUES_SSA_CONTROL_EVENT_H

#include "arch/isa.h"
#include "arch/uop/uop.h"
#include "replay/history/history.h"
#include "replay/values/ssa/control_event_from.h"
#include "replay/values/ssa/m_exception.h"
#include "replay/values/ssa/window.h"

/* A reader of the control events of one history, in rising order of positions. */
struct control_event_reader {
	const struct history *history;
	bool handler_preserves;
	bool kernel_private; /* window_options */
	size_t event;
	size_t gap;
	uint64_t ahead; /* control_event_ahead() */
	struct m_core m_core;
	bool has_context;
	struct pe_context context;
	bool has_own_sp; /* A64: the SP in use is that of the level */
	/* A64: the SPSR that says which SP is in use after a return from an exception, which
	   control_event_next() looked at last; else SLOT_NONE. */
	unsigned int selected_by;
	/* What control_event_next() looked at last has a gap, an exception or a return from one. */
	bool is_interrupted;
	bool resumes;          /* it is an exception that returned to where it came from */
	bool is_entry;         /* of a handler that is traced, and nothing else */
	bool is_fault;         /* it is what an instruction left that the one before led to */
	bool maintains_icache; /* what was written may be code from here on */
	bool is_return;        /* from an exception of the M profile */
	struct diversion diversion;
};

/* From the first position of a window on. */
void control_event_begin(struct control_event_reader *r, const struct history *history,
                         const struct window_options *options);

/*
 * What lies before the instruction at `position`, whose address is `pc` (at the end the halt PC,
 * if has_pc). False if nothing does; else `b` is what it does. `changes_space`: memory seen before
 * it is that of another address space.
 */
bool control_event_next(struct control_event_reader *r, uint64_t position, const uint64_t *pc,
                        const struct control_event_from *from, struct uop_builder *b,
                        bool *changes_space);

/* True if the registers say that the core stopped where it sees other memory than the trace said.
 */
bool control_event_halts_elsewhere(const struct history *history);
/*
 * The last position at which another address space is seen; 0 if it is always the same.
 * `of_kernel`: that of a kernel's addresses, which A64 has in common for all CONTEXTIDRs.
 */
uint64_t control_event_space_change(const struct history *history, bool of_kernel);
/* The first position of a gap or an event that control_event_next() has not taken and that matters
 * to it; UINT64_MAX if there is none. Before it an exception instruction alone makes a difference.
 */
uint64_t control_event_ahead(const struct control_event_reader *r);

#endif
