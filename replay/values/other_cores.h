/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the other cores of a snapshot wrote, as far as their own traces say. In: the histories of
 * all cores. Out: stores whose address is known, with the core, the position there, and the
 * positions at which this core may have been when each happened, by timestamps of both traces
 * (replay/history/timeline.h); where others may have gone, for the assumption `traced-writers`
 * (replay/values/solver/other_writes.h).
 *
 * Addresses are those that are proved, and those that follow if a core is taken to be the only
 * writer and to keep its calling standard: a store that is seen only takes knowledge away, so that
 * more are better. Without timestamps of one clock a store may have happened at any position of
 * this core. Of a core that was not traced all along nothing is said of the time before.
 */
#ifndef CSREPLAY_REPLAY_VALUES_OTHER_CORES_H
#define CSREPLAY_REPLAY_VALUES_OTHER_CORES_H

#include "arch/uop/uop.h"
#include "replay/history/history.h"

struct interrupt; /* replay/history/interrupt.h */
struct other_cores;
struct other_writes; /* replay/values/solver/solver.h */

struct other_store {
	uint64_t address; /* without the top byte */
	uint64_t size;
	struct bits data; /* that it wrote, if it is of 8 bytes or less; as far as known */
	size_t core;      /* which one wrote */
	uint64_t position;
	bool is_proved; /* both; else they follow if the core is the only writer, and of `abi` */
	/* This core was about to execute first <= p <= last. */
	uint64_t first;
	uint64_t last;
};

/*
 * Of core number `core` of `count`. The histories must outlive it, and are not looked at before
 * they are asked for. NULL without memory.
 */
struct other_cores *other_cores_create(const struct history *const *histories, size_t count,
                                       size_t core, struct interrupt *interrupt);
void other_cores_destroy(struct other_cores *others); /* NULL is fine */

/* What they wrote, found at the first call; the caller's until other_cores_destroy(). UNSUPPORTED
 * if a core has no trace that says so; INTERRUPTED, and then it may be asked for again; NO_MEM.
 */
MUST_USE enum status other_cores_writes(struct other_cores *others,
                                        const struct other_writes **writes);
/*
 * The same, and a store whose address follows by no more than `coherent` and the other assumptions
 * is not one that may have gone anywhere. That is looked for as far back as it takes to know what
 * they did since this core was at position `from`: who asks for an earlier one later has it found
 * anew, in the same place.
 */
MUST_USE enum status other_cores_writes_coherent(struct other_cores *others, uint64_t from,
                                                 const struct other_writes **writes);
/* Of a core of other_store. */
const struct history *other_cores_history(const struct other_cores *others, size_t core);

/* The stores one by one, in order of address: found as above. */
MUST_USE enum status other_cores_stores(struct other_cores *others,
                                        const struct other_store **stores, size_t *count);

#endif
