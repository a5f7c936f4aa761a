/* SPDX-License-Identifier: Apache-2.0 */
/* Around the packets and the flow of software trace: bytes in, elements out. */
#include "decoder/stimulus/sw_drive.h"

/* Bytes that OpenCSD's lister hands on together where there are no frames. */
enum { SOURCE_BLOCK = 1024 };

struct element *sw_out_add(struct sw_out *out, enum element_type type, uint64_t index)
{
	struct element *element = &out->items[out->count++];

	*element = (struct element){.type = type, .trace_id = out->trace_id, .offset = index};
	return element;
}

enum status sw_drive_init(struct sw_drive *drive, const struct protocol_input *input)
{
	const struct snap_device *device = input->source->device;
	uint8_t trace_id;

	if (!snap_source_trace_id(input->source, &trace_id))
		return diag_error(input->diags, STATUS_BAD_DATA, device->place,
		                  "trace source \"%.*s\" has no register that holds its trace ID",
		                  STR_ARG(device->name));
	drive->out.trace_id = trace_id;
	drive->lists_packets = input->options.packets;
	deframe_init(&drive->deframe, input->format, input->data, trace_id);
	return STATUS_OK;
}

void sw_drive_fini(struct sw_drive *drive)
{
	text_fini(&drive->text);
}

enum status sw_drive_next(struct sw_drive *drive, sw_pull pull, void *state,
                          struct element *element)
{
	struct sw_out *out = &drive->out;

	for (;;) {
		if (drive->has_listed) {
			*element = drive->listed;
			drive->has_listed = false;
			return STATUS_OK;
		}
		if (out->next < out->count) {
			*element = out->items[out->next++];
			return STATUS_OK;
		}
		out->next = 0;
		out->count = 0;
		if (drive->is_ended)
			return STATUS_END;
		TRY(pull(state));
	}
}

uint64_t sw_drive_index(const struct sw_drive *drive, const uint8_t *at)
{
	return drive->has_begin_index ? drive->begin_index : deframe_index(&drive->deframe, at);
}

uint64_t sw_drive_run_index(struct sw_drive *drive, const uint8_t *at)
{
	const struct deframe *d = &drive->deframe;
	uint64_t last = deframe_index(d, at);
	uint64_t index = last;

	if (d->format == DEFRAME_SOURCE)
		return index - index % SOURCE_BLOCK;
	while (at > d->bytes.begin && deframe_index(d, at - 1) == index - 1) {
		at--;
		index--;
	}
	/* The window may begin within the run. */
	if (at > d->bytes.begin || index < drive->run_begin || index > drive->run_last + 1)
		drive->run_begin = index;
	drive->run_last = last;
	return drive->run_begin;
}

void sw_drive_done(struct sw_drive *drive, const uint8_t *last)
{
	drive->position = deframe_position(&drive->deframe, last) + 1;
	drive->has_begin_index = false;
}

enum status sw_drive_list(struct sw_drive *drive, struct listed_packet packet, uint64_t index)
{
	TRY(text_status(&drive->text));
	packet.fields = drive->text.data;
	drive->listed = element_of_packet(&packet, drive->out.trace_id, index);
	drive->has_listed = true;
	return STATUS_OK;
}

enum status sw_drive_refill(struct sw_drive *drive, size_t keep)
{
	struct bytes *bytes = &drive->deframe.bytes;
	enum status status = deframe_refill(&drive->deframe);

	if (drive->deframe.follows_hole)
		drive->has_begin_index = false;
	if (status != STATUS_TRUNCATED)
		return status;
	drive->begin_index = sw_drive_index(drive, bytes->pos);
	drive->has_begin_index = true;
	TRY(bytes_skip(bytes, bytes_left(bytes) - keep));
	return STATUS_OK;
}
