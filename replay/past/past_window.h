/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the room: solved windows as questions look at them. In: the values of a core. Out: the
 * dynamic instructions of a window that write a register, and values in the tier that the user
 * chose.
 */
#ifndef CSREPLAY_REPLAY_PAST_PAST_WINDOW_H
#define CSREPLAY_REPLAY_PAST_PAST_WINDOW_H

#include "replay/history/history.h"
#include "replay/past/past_subject.h"
#include "replay/values/solver/solver.h"
#include "replay/values/values.h"

/* A window, in both tiers. */
struct past_window {
	const struct solver *proved;  /* NULL: nothing is known there */
	const struct solver *assumed; /* NULL: nothing is assumed */
};

/* A dynamic instruction of its window: the state before it. */
struct past_place {
	struct past_window window;
	size_t dyn;
};

/*
 * The window with the state at a position; false if nothing is known there. It is valid until
 * another is asked for, or accesses are visited.
 */
bool past_window_at(struct values *values, uint64_t position, struct past_place *place);

/* OK, or why nothing is known: NO_MEM, UNSUPPORTED (too large a window), INTERRUPTED. */
enum status past_status(const struct values *values);

/* Goes to the same state in the next older window. False if there is none, or nothing is known. */
bool past_window_older(struct values *values, struct past_place *place);

static inline const struct window *past_dyns(const struct past_window *window)
{
	return &window->proved->w;
}

/* Bits that a register (enum uop_register) has. */
unsigned int past_register_width(struct values *values, unsigned int reg);
/* The instruction of a dynamic instruction. */
struct past_code past_code_of(const struct window *w, size_t dyn);
/* A slot's value at a dynamic instruction: a register before it, or a temporary of it. */
struct past_value past_slot(const struct past_window *window, size_t dyn, unsigned int slot,
                            unsigned int width);
/* Where access `number` of the window goes, with the top byte as addresses have it. */
struct past_value past_address(const struct past_window *window, uint32_t number);
/* True if one of the bytes is memory that a device may change (snapshot/memmap.h). */
bool past_is_device(const struct past_place *place, uint64_t address, uint64_t size);
/* Up to 8 bytes of memory before a dynamic instruction. */
struct past_value past_bytes(const struct past_window *window, size_t dyn, uint64_t address,
                             unsigned int size);

/*
 * The dynamic instruction makes the register another one than it was before; so may one that kills
 * registers.
 */
bool past_writes(const struct window *w, size_t dyn, unsigned int reg);
/*
 * The last dynamic instruction before `end` that writes the register, in *dyn.
 * NOT_FOUND if the window has none; INTERRUPTED.
 */
MUST_USE enum status past_last_write(const struct past_window *window, size_t end, unsigned int reg,
                                     size_t *dyn);

#endif
