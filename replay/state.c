/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers and memory at a position. At the halt they are the snapshot's. Before it, only what
 * cannot have changed since is known: the PC from the history, parts of images that nothing
 * writes, and the code that the trace was followed through.
 */
#include "replay/state.h"

#include <string.h>

static struct value halt_register(const struct snap_device *device,
                                  const struct register_info *info)
{
	struct value value = value_unknown(info->bits / 8);
	const struct snap_register *reg = NULL;
	unsigned int bytes;

	for (const char *name = info->snapshot_names; *name && !reg; name += strlen(name) + 1)
		reg = snap_device_register(device, str_of(name));
	if (!reg)
		return value;
	/* A register written narrower than it is has its upper bits zero: the key is an integer. */
	bytes = (reg->bits + 7) / 8;
	for (unsigned int i = value.size; i < bytes; i++) {
		if (reg->value[i] != 0)
			return value;
	}
	for (unsigned int i = 0; i < value.size; i++) {
		value.bits[i] = i < bytes ? reg->value[i] : 0;
		value.known[i] = 0xff;
	}
	return value;
}

/* A register of the feature org.csreplay.trace: what the trace said last. */
static struct value trace_register(const struct history *history, uint64_t position,
                                   enum register_number number)
{
	unsigned int size = register_table[number].bits / 8;
	enum mark mark = MARK_CONTEXT_ID;
	uint64_t v;

	if (number == REG_trace_pos)
		return value_of_u64(position, size);
	if (number == REG_trace_timestamp)
		mark = MARK_TIMESTAMP;
	else if (number == REG_trace_cycles)
		mark = MARK_CYCLES;
	if (history_mark(history, mark, position, &v) != STATUS_OK)
		return value_unknown(size);
	return value_of_u64(v, size);
}

void state_register(const struct history *history, uint64_t position, enum register_number number,
                    struct value *value)
{
	const struct register_info *info = &register_table[number];
	uint64_t pc;

	if (info->feature == REGISTER_TRACE)
		*value = trace_register(history, position, number);
	else if (position == history_length(history))
		*value = halt_register(history_core(history)->device, info);
	else if (number == REG_pc && history_pc(history, position, &pc) == STATUS_OK)
		*value = value_of_u64(pc, info->bits / 8);
	else
		*value = value_unknown(info->bits / 8);
}

/* How many bytes of the span, from `address` on, nothing can have changed before the halt. */
static size_t constant_bytes(const struct history *history, const struct mem_span *span,
                             uint64_t address)
{
	size_t left = bytes_left(&span->bytes);
	uint64_t executed;

	if (span->region->read_only)
		return left;
	executed = history_executed_extent(history, address);
	return executed < left ? (size_t)executed : left;
}

size_t state_memory(const struct history *history, uint64_t position, uint64_t address, void *out,
                    size_t size)
{
	const struct memmap *memory = history_core(history)->memory;
	bool at_halt = position == history_length(history);
	enum space space = SPACE_ANY;
	uint64_t seen_from;
	uint8_t *to = out;
	size_t done = 0;

	if (history_mark(history, MARK_SPACE, position, &seen_from) == STATUS_OK)
		space = (enum space)seen_from;
	while (done < size) {
		struct mem_span span;
		size_t count;

		if (memmap_find(memory, space, address + done, &span) != STATUS_OK)
			break;
		count = at_halt ? bytes_left(&span.bytes)
		                : constant_bytes(history, &span, address + done);
		if (count == 0)
			break;
		if (count > size - done)
			count = size - done;
		memcpy(to + done, span.bytes.pos, count);
		done += count;
		/* The address space ends; it does not begin again. */
		if (address + done < address)
			break;
	}
	return done;
}
