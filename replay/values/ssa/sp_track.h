/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How code uses the stack pointer: calls and returns, by how much SP moves, and what is made of it.
 * In: instruction templates of a window. Out: what follows from their micro-operations alone. For
 * the assumptions on compiled code, abi.h and local_frame.h; AAPCS64 6.4, AAPCS32 6.2.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_SP_TRACK_H
#define CSREPLAY_REPLAY_VALUES_SSA_SP_TRACK_H

#include <stdbool.h>
#include <stdint.h>

struct template;

/* How SP has moved so far. */
struct sp_track {
	uint64_t moved;    /* by constants */
	uint32_t restores; /* times that it was made of the frame pointer */
	uint32_t switches; /* times that it was made of something else */
};

/* A sum of constants and of one register, or of none. */
struct sp_sum {
	unsigned int base; /* SLOT_NONE: none */
	uint64_t constant;
};

/* The numbers of SP, of the link register and of the frame pointer that compilers use. */
unsigned int sp_track_sp(const struct template *template);
unsigned int sp_track_lr(const struct template *template);
unsigned int sp_track_fp(const struct template *template);

/* It branches, and leaves the address after it in LR. */
bool sp_track_is_call(const struct template *template);
/* It branches to a register, and is no call. */
bool sp_track_is_return(const struct template *template);

/* Follows SP over a dynamic instruction: by how much it moves, or that it does not by a constant.
 */
void sp_track_follow(struct sp_track *track, const struct template *template);
/*
 * SP is where it was, as far as that can be seen: no instruction in between made it of anything but
 * SP, the frame pointer and constants, which may be another stack; and where the constants alone
 * say it, they do.
 */
bool sp_track_is_kept(const struct template *template, const struct sp_track *before,
                      const struct sp_track *after);

/* The slot is such a sum. */
bool sp_track_sum(const struct template *template, unsigned int slot, struct sp_sum *sum);
/* The slot is made of SP or of the frame pointer, but for what is loaded from there. */
bool sp_track_is_of_frame(const struct template *template, unsigned int slot);

#endif
