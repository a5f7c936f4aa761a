/* SPDX-License-Identifier: Apache-2.0 */
/* Around the packets and the flow of ETMv3 and PTM: bytes in, elements out. */
#include "decoder/flow/etm_drive.h"

#include "snapshot/memmap.h"

enum status etm_drive_init(struct etm_drive *drive, const struct protocol_input *input,
                           uint8_t trace_id, const struct insn_options *options)
{
	const struct snap_core *core = input->source->core;
	const struct memmap *memory = input->options.memory;

	if (!memory)
		memory = core ? core->memory : NULL;
	drive->out.trace_id = trace_id;
	drive->lists_packets = input->options.packets;
	/* In a listing, each packet's place orders it among other sources'. */
	drive->joins_packets = input->joins_batches && !input->options.packets;
	drive->stops_at_sync_points = input->options.stops_at_sync_points;
	deframe_init(&drive->deframe, input->format, input->data, trace_id);
	if (input->options.begin > 0)
		deframe_seek(&drive->deframe, input->options.begin);
	if (!memory) {
		drive->no_memory = memmap_create();
		if (!drive->no_memory)
			return STATUS_NO_MEM;
		TRY(memmap_freeze(drive->no_memory));
		memory = drive->no_memory;
	}
	drive->follow = follow_create(memory, options);
	if (drive->follow)
		follow_set_clock(drive->follow, input->clock);
	return drive->follow ? STATUS_OK : STATUS_NO_MEM;
}

void etm_drive_fini(struct etm_drive *drive)
{
	follow_destroy(drive->follow);
	memmap_destroy(drive->no_memory);
	text_fini(&drive->text);
	etm_queue_fini(&drive->out);
	batch_list_fini(&drive->batches);
}

static enum status gather(struct etm_drive *drive, etm_pull pull, void *state)
{
	batch_list_clear(&drive->batches);
	while (!etm_drive_has_enough(drive))
		TRY(pull(state));
	drive->has_batches = drive->batches.count > 0;
	return STATUS_OK;
}

enum status etm_drive_pull(struct etm_drive *drive, etm_pull pull, void *state,
                           struct decoded *decoded)
{
	for (;;) {
		decoded->batch_count = 0;
		if (drive->has_listed) {
			decoded->element = drive->listed;
			drive->has_listed = false;
			return STATUS_OK;
		}
		if (drive->has_batches) {
			decoded->batches = drive->batches.items;
			decoded->batch_count = drive->batches.count;
			decoded->counts = drive->batches.counts;
			drive->has_batches = false;
			return STATUS_OK;
		}
		if (etm_queue_take(&drive->out, &decoded->element) == STATUS_OK)
			return STATUS_OK;
		if (drive->is_at_sync_point || drive->is_paused) {
			decoded->is_sync_point = drive->is_at_sync_point;
			decoded->is_paused = drive->is_paused;
			drive->is_at_sync_point = false;
			drive->is_paused = false;
			return STATUS_OK;
		}
		if (drive->is_ended)
			return STATUS_END;
		TRY(gather(drive, pull, state));
	}
}

uint64_t etm_drive_index(const struct etm_drive *drive, const uint8_t *at)
{
	return deframe_index(&drive->deframe, at);
}

void etm_drive_done(struct etm_drive *drive, const uint8_t *last)
{
	drive->position = deframe_position(&drive->deframe, last) + 1;
}

enum status etm_drive_refill(struct etm_drive *drive)
{
	enum status status = deframe_refill(&drive->deframe);

	drive->is_paused = status == STATUS_UNAVAILABLE;
	return drive->is_paused ? STATUS_OK : status;
}

void etm_drive_async(struct etm_drive *drive, const uint8_t *at)
{
	drive->sync = deframe_position(&drive->deframe, at);
	drive->saw_async = drive->stops_at_sync_points;
}

void etm_drive_in_force(struct etm_drive *drive)
{
	drive->is_at_sync_point = drive->saw_async;
	drive->saw_async = false;
}

const uint8_t *etm_drive_block_end(const struct etm_drive *drive)
{
	const struct deframe *d = &drive->deframe;
	const uint8_t *at = d->bytes.pos;

	if (d->format == DEFRAME_SOURCE || at == d->bytes.end)
		return d->bytes.end;
	for (at++; at < d->bytes.end; at++) {
		bool is_same_frame = deframe_position(d, at) / FRAME_SIZE ==
		                     deframe_position(d, at - 1) / FRAME_SIZE;

		if (!is_same_frame || deframe_index(d, at) != deframe_index(d, at - 1) + 1)
			break;
	}
	return at;
}

enum status etm_drive_list(struct etm_drive *drive, struct listed_packet packet, uint64_t index)
{
	TRY(text_status(&drive->text));
	packet.fields = drive->text.data;
	drive->listed = element_of_packet(&packet, drive->out.trace_id, index);
	drive->has_listed = true;
	return STATUS_OK;
}
