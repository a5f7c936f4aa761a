/* SPDX-License-Identifier: Apache-2.0 */
/* What a core has at a position, of which both architectures ask; see current_store.h. */
#include "replay/current_task/current_store.h"

bool current_halt_register(const struct current_place *at, struct str name, uint64_t *value)
{
	const struct snap_register *reg =
	        snap_device_register(history_core(at->history)->device, name);

	if (!reg)
		return false;
	*value = snap_register_value(reg);
	return true;
}

static size_t read_memory(void *context, uint64_t address, void *out, size_t size)
{
	const struct current_place *at = context;

	return at->read_memory(at->context, at->position, address, out, size);
}

struct os_memory current_memory(struct current_place *at)
{
	return (struct os_memory){read_memory, at};
}

struct stretch current_without_gap(const struct current_place *at)
{
	uint64_t length = history_length(at->history);
	uint64_t position = at->position;
	struct stretch stretch;
	struct gap gap;

	stretch.low = position > LOOKED_MOST ? position - LOOKED_MOST : 0;
	stretch.high = length - position > LOOKED_MOST ? position + LOOKED_MOST : length;
	if (history_gap_between(at->history, position, stretch.high, false, &gap))
		stretch.high = gap.position;
	if (history_gap_between(at->history, stretch.low, position + 1, true, &gap))
		stretch.low = gap.position;
	return stretch;
}

bool current_reaches_halt(const struct current_place *at, uint64_t high)
{
	return high == history_length(at->history) && !history_has_gap_at(at->history, high);
}
