/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local variables that nothing points at: if the user says that the code is compiled C or the like
 * and keeps to its rules, a store through a pointer does not hit a local variable whose address
 * was never taken. In: the dynamic instructions of a window. Out: granules of stack frames that
 * stores of unknown address do not hit, and when.
 *
 * A frame is what lies between SP as a function was called and SP at the calls that it makes, or
 * the lowest of a function that makes none. Its address is taken where an instruction makes
 * anything but SP and the frame pointer of SP or of the frame pointer, or stores one of them
 * elsewhere than through SP, or through SP a frame pointer that its function has made; from then on
 * until the function returns any of its granules may be pointed at. Where that is done is the
 * caller's frame, too, if what is made lies in it, as of code that was outlined and of parameters
 * on the stack, or if that is not seen. A function that was called before the window says nothing,
 * nor one once SP was made of anything but SP and constants; and where a function was left by that,
 * none that execution may have gone on in.
 *
 * Stores through SP or the frame pointer are no stores through a pointer, and are doubted as
 * before. That code keeps to it is not proved: an index out of bounds, or a pointer to a variable
 * that is gone, breaks it, and is what one looks for. So it is an assumption, private-locals
 * (replay/values/assumption.def), off by default.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_LOCAL_FRAME_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_LOCAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct solver;

#define LOCAL_FRAME_NONE UINT32_MAX

/* The frame of a call of a function. */
struct local_frame {
	uint32_t first; /* accesses first <= a < last: no address of it was taken */
	uint32_t last;
	uint32_t end;    /* the access that it returned before; it calls no more */
	uint32_t caller; /* the frame of its caller, or LOCAL_FRAME_NONE */
	uint32_t sp;     /* SSA value of SP as it was called: the frame ends there */
	int64_t low;     /* where it begins, counted from there */
	bool calls;      /* it has called a function */
	bool is_placed;  /* SP is known */
};

/* In order of `first`. */
struct local_frames {
	bool is_assumed;
	struct local_frame *items;
	size_t count;
	size_t capacity;
};

/* Finds the frames of the window. NO_MEM; local_frames_fini() in any case. */
MUST_USE enum status local_frames_init(struct local_frames *frames, const struct solver *s);
void local_frames_fini(struct local_frames *frames);
/* Looks which of them have a place now; true if there are more. */
bool local_frames_place(struct solver *s);
/* True if the access, of which the address is not known, does not hit the granule. */
bool local_frames_are_apart(const struct solver *s, uint64_t granule, uint32_t access);

#endif
