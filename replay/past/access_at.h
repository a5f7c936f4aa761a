/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the room: the access of a window that values_visit_accesses() told of. In: its
 * position. Out: its dynamic instruction and number, and whether assumptions say where it went.
 */
#ifndef CSREPLAY_REPLAY_PAST_ACCESS_AT_H
#define CSREPLAY_REPLAY_PAST_ACCESS_AT_H

#include "replay/past/past_window.h"

/*
 * The access of the instruction at a position, or of what lies after it, that is proved to be to
 * one of the bytes, or of a possible one may be: of several (those of a pair) one that is assumed
 * to be there, then one of which that is not decided, then one that is assumed to be elsewhere;
 * of these one to the first of the bytes, and else the last. False if there is none.
 */
bool past_access_at(struct values *values, uint64_t position, const struct values_target *target,
                    bool is_possible, struct past_place *place, uint32_t *access);

bool past_access_is_write(const struct memdep_access *a);
/* Its place is known in the solver's tier. */
bool past_access_is_placed(const struct memdep_access *a);

/* It wrote, or may have, at a place that is not known there. */
bool past_access_is_open_write(const struct memdep_access *a);
/* No other write of its dynamic instruction has a place that is not known. */
bool past_access_is_only(const struct past_place *place, uint32_t access);

/* The assumed tier says whether it went to the bytes, in *is_there; false if it does not say. */
bool past_access_is_decided(const struct past_place *place, uint32_t access, uint64_t address,
                            uint64_t size, bool *is_there);

#endif
