/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory through which the trace of a core is followed, and whether what was followed may be
 * another context's code: then the history is built once more, with memory that says less. In: the
 * snapshot, and a history as it was built first. Out: a view of the core's memory map.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_CODE_MEMORY_H
#define CSREPLAY_REPLAY_HISTORY_CODE_MEMORY_H

#include "replay/history/history.h"

struct code_memory {
	struct memmap *shared; /* what is read; of `own`, or of the core's map */
	/* Of this history alone, since another core's dump contradicts its code; or NULL. Then: */
	struct memmap *own;
	struct snap_rival rival;
	struct memory_context halted; /* that the core's own dumps are of */
};

/*
 * The core's map, as if there were one address space, or else only what it says for sure. NO_MEM.
 */
MUST_USE enum status code_memory_of_core(const struct snap_core *core, bool one_address_space,
                                         struct code_memory *memory);

/*
 * Where the core was in several contexts and what it executed may be the code of another one:
 * memory that tells them apart, as far as the snapshot does. Else `shared` is NULL.
 */
MUST_USE enum status code_memory_of_contexts(const struct snapshot *snapshot,
                                             const struct history *history,
                                             struct code_memory *memory);

void code_memory_fini(struct code_memory *memory);

#endif
