/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of origin.h: what one instruction made a value of. In: a dynamic instruction of a window
 * and a slot. Out: the registers and loads that the value follows from, through the
 * micro-operations; constants of the instruction are none of them.
 */
#ifndef CSREPLAY_REPLAY_PAST_MADE_OF_H
#define CSREPLAY_REPLAY_PAST_MADE_OF_H

#include "replay/past/past_window.h"

enum { MADE_OF_MOST = 4 };

struct made_of {
	unsigned int count;
	/* A register below REG_COUNT, or a load: REG_COUNT and its number in the instruction. */
	unsigned int sources[MADE_OF_MOST];
	bool is_more;      /* there are others */
	bool is_changed;   /* an operation other than a copy was done on the way */
	bool is_cut;       /* a copy of less than a register was done on the way */
	bool is_not_known; /* an operation was done that says nothing of its result */
};

struct made_of made_of_slot(const struct past_window *window, size_t dyn, unsigned int slot);

/*
 * The slot that a register has the value of after a dynamic instruction that writes it; SLOT_NONE
 * if the dynamic instruction kills registers and says nothing of this one.
 */
unsigned int made_of_register(const struct window *w, size_t dyn, unsigned int reg);

#endif
