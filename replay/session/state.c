/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers and memory at a position. At the halt they are the snapshot's. Before it the PC is that
 * of the history; parts of images that nothing writes, and the code that the trace was followed
 * through, are what they are at the halt; of everything else what is proved is known.
 */
#include "replay/session/state.h"

#include <string.h>

#include "replay/history/history.h"
#include "replay/tarmac/tarmac.h"

/* Of `size` bytes the lowest `known` bits are what the snapshot says, or zero. */
static struct value halt_register(const struct snap_register *reg, unsigned int size,
                                  unsigned int known)
{
	struct value value = value_unknown(size);
	unsigned int bytes;

	if (!reg)
		return value;
	bytes = (reg->bits + 7) / 8;
	for (unsigned int i = value.size; i < bytes; i++) {
		if (reg->value[i] != 0)
			return value;
	}
	for (unsigned int i = 0; i < value.size && 8 * i < known; i++) {
		value.known[i] = (uint8_t)bits_mask(known - 8 * i < 8 ? known - 8 * i : 8);
		value.bits[i] = i < bytes ? (uint8_t)(reg->value[i] & value.known[i]) : 0;
	}
	return value;
}

/* A register of the table, of which the snapshot may say a part alone. */
static struct value halt_table_register(const struct history *history,
                                        const struct register_file *file, unsigned int number)
{
	const struct snap_register *reg = history_halt_register(history, number);

	return halt_register(reg, file->table[number].bits / 8,
	                     reg ? register_known_bits(file, number, reg) : 0);
}

/* A register of the feature org.csreplay.trace: what the trace said last. */
static struct value trace_register(const struct history *history, uint64_t position,
                                   enum trace_register which, unsigned int size)
{
	static const enum mark marks[TRACE_REGISTERS] = {
	        [TRACE_TIMESTAMP] = MARK_TIMESTAMP,
	        [TRACE_CYCLES] = MARK_CYCLES,
	        [TRACE_CONTEXT_ID] = MARK_CONTEXT_ID,
	};
	uint64_t v;

	if (which == TRACE_POSITION)
		return value_of_u64(position, size);
	if (which == TRACE_TIMESTAMP && history_data(history) &&
	    tarmac_timestamp(history_data(history), position, &v) == STATUS_OK)
		return value_of_u64(v, size);
	if (history_mark(history, marks[which], position, &v) != STATUS_OK)
		return value_unknown(size);
	return value_of_u64(v, size);
}

void state_register(const struct history *history, struct values *values, uint64_t position,
                    unsigned int number, struct value *value)
{
	const struct snap_core *core = history_core(history);
	const struct register_file file = register_file_of(core->arch);
	const struct register_info *info = &file.table[number];
	unsigned int size = info->bits / 8;
	uint64_t pc;

	if (info->feature == REGISTER_TRACE)
		*value = trace_register(history, position,
		                        (enum trace_register)(number - file.trace), size);
	else if (number == REGISTER_PC && history_pc(history, position, &pc) == STATUS_OK)
		*value = value_of_u64(pc, size);
	else if (history_data(history))
		tarmac_register_at(history_data(history), position, number, value);
	else if (position == history_length(history) && !history_is_left_out(history, number))
		*value = halt_table_register(history, &file, number);
	else if (values && position < history_length(history))
		values_register(values, position, number, value);
	else
		*value = value_unknown(size);
}

static void data_system_register(const struct tarmac_core *core, uint64_t position,
                                 const struct system_register *reg, struct value *value)
{
	size_t index;

	if (!tarmac_system_find(core, reg->source_name, &index))
		return;
	tarmac_system_at(core, position, index, value);
	/* A core whose register is narrower does not say what is above. */
	value->size = (uint8_t)(reg->bits / 8);
}

void state_system_register(const struct history *history, struct values *values,
                           struct system_past *past, uint64_t position,
                           const struct system_register *reg, struct value *value)
{
	const struct snap_device *device = history_core(history)->device;
	unsigned int size = reg->bits / 8;

	*value = value_unknown(size);
	if (history_data(history))
		data_system_register(history_data(history), position, reg, value);
	else if (system_register_is_halts(history, values, past, position, reg, NULL))
		*value = halt_register(snap_device_register(device, reg->source_name), size,
		                       reg->bits);
}

/*
 * How many bytes of the span, which begins at the address, nothing changed between here and the
 * halt.
 */
static size_t constant_bytes(const struct history *history, struct values *values,
                             uint64_t position, uint64_t address, const struct mem_span *span)
{
	bool at_halt = position == history_length(history);
	size_t left = bytes_left(&span->bytes);
	size_t executed;

	if (at_halt && !span->region->is_initial)
		return left;
	if (!at_halt)
		left = memmap_before_device(history_memory(history), address, left);
	if (span->region->read_only && (!values || values_has_constants(values, position)))
		return left;
	executed = history_executed_extent(history, span);
	if (executed > 0 && !at_halt && values && !values_allowed(values)->code_unchanged &&
	    !values_has_code(values, position))
		return 0;
	return executed < left ? executed : left;
}

/* Code that was written: what it was then is proved as of any data, or not known. */
static bool was_written(const struct history *history, uint64_t position, uint32_t view,
                        uint64_t address)
{
	const struct memmap *memory = history_memory(history);

	return position < history_length(history) && memmap_is_past(memory, address) &&
	       !memmap_view_is_final(memory, view);
}

/* Copies the bytes from the address on that are the span's and returns how many these are. */
static size_t copy_span(const struct mem_span *span, size_t count, uint8_t *to, size_t size)
{
	if (count > size)
		count = size;
	if (count > 0)
		memcpy(to, span->bytes.pos, count);
	return count;
}

size_t state_memory(const struct history *history, struct values *values, uint64_t position,
                    uint64_t address, void *out, size_t size)
{
	const struct state_view at = {history, values, position, history_view(history, position)};

	return state_memory_in(&at, address, out, size);
}

size_t state_memory_in(const struct state_view *at, uint64_t address, void *out, size_t size)
{
	const struct history *history = at->history;
	uint64_t position = at->position;
	const struct memmap *memory = history_memory(history);
	bool is_own = at->view == history_view(history, position);
	uint8_t *to = out;
	size_t done = 0;

	/* A text has no memory but what cores read and wrote: of a device's that was then. */
	if (history_data(history))
		return tarmac_memory_at(history_data(history), position, address, out,
		                        memmap_before_device(memory, address, size));
	while (done < size) {
		struct mem_span span;
		size_t count = 0;

		if (!was_written(history, position, at->view, address + done)) {
			if (memmap_find(memory, at->view, address + done, &span) != STATUS_OK)
				break;
			count = constant_bytes(history, at->values, position, address + done,
			                       &span);
			count = copy_span(&span, count, to + done, size - done);
		}
		/* What was reconstructed is of the core's own address space. */
		if (count == 0 && at->values && is_own)
			count = values_memory(at->values, position, address + done, to + done,
			                      size - done);
		if (count == 0)
			break;
		done += count;
		/* The address space ends; it does not begin again. */
		if (address + done < address)
			break;
	}
	return done;
}
