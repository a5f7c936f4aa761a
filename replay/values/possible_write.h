/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/values_access.h: which accesses of a solved window whose place is not
 * known may have written some bytes. In: the window, a stretch of its accesses, the bytes. Out: a
 * mark for each that may; the others are excluded by proof: by what is known of their address, or
 * since what they left is not what is found after them.
 */
#ifndef CSREPLAY_REPLAY_VALUES_POSSIBLE_WRITE_H
#define CSREPLAY_REPLAY_VALUES_POSSIBLE_WRITE_H

#include "replay/values/solver/solver.h"
#include "replay/values/values_access.h"

/* The accesses begin <= a < end of a window. */
struct access_stretch {
	uint32_t begin;
	uint32_t end;
};

/*
 * Sets bit a - begin of `marks` for each access a that may have written one of the target's bytes,
 * and leaves the others. False if it was interrupted.
 */
bool possible_writes(const struct solver *s, const struct values_target *target,
                     struct access_stretch in, uint64_t *marks);

/* As far as its address is known the load may have read one of the bytes. */
bool possible_read(const struct solver *s, const struct memdep_access *load,
                   const struct values_target *target);

#endif
