/* SPDX-License-Identifier: Apache-2.0 */
/* Which architecture is asked; see current_task.h. */
#include "replay/current_task/current_store.h"

bool current_task(struct current_place *at, struct current_moves *moves, uint64_t *address)
{
	enum core_arch arch = history_core(at->history)->arch;

	/* Before the first instruction nothing ran, and nothing is known of what did. */
	if (at->position == 0 && history_length(at->history) > 0)
		return false;
	if (linux_is_64bit(at->kernel))
		return arch == CORE_A64 && current_a64(at, moves, address);
	return arch == CORE_A32 && current_a32(at, moves, address);
}
