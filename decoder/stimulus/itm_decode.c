/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ITM decoder whole: buffer -> bytes of its trace ID -> packets -> elements. In: a trace
 * buffer and a source's registers. Out: elements, pulled one by one.
 */
#include <stdlib.h>

#include "decoder/flow/flow.h"
#include "decoder/stimulus/itm_flow.h"
#include "decoder/stimulus/itm_pkt.h"
#include "decoder/stimulus/sw_drive.h"

struct itm {
	struct itm_reader reader;
	struct itm_flow flow;
	struct sw_drive drive;
};

static void itm_destroy(void *state)
{
	struct itm *d = state;

	if (!d)
		return;
	sw_drive_fini(&d->drive);
	free(d);
}

/* 0 if the snapshot does not have it: no prescaler. */
static uint32_t control_of(const struct snap_source *source)
{
	static const char *const names[] = {"CONTROL_REGISTER", "ITMTCR", "ITM_TCR"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct snap_register *reg =
		        snap_device_register(source->device, str_of(names[i]));

		if (reg)
			return (uint32_t)snap_register_value(reg);
	}
	return 0;
}

static enum status itm_open(const struct protocol_input *input, void **state, uint8_t *trace_id)
{
	struct itm *d = calloc(1, sizeof(*d));
	enum status status;

	if (!d)
		return STATUS_NO_MEM;
	status = sw_drive_init(&d->drive, input);
	if (status != STATUS_OK) {
		itm_destroy(d);
		return status;
	}
	itm_reader_init(&d->reader);
	itm_flow_init(&d->flow, &d->drive.out, control_of(input->source));
	*state = d;
	*trace_id = d->drive.out.trace_id;
	return STATUS_OK;
}

/* After a hole nothing until the next synchronisation, and then of the hole, too. */
static void tell_flow(struct itm *d, const struct itm_packet *packet, uint64_t index)
{
	const struct itm_packet hole = {.type = ITM_BAD_SEQUENCE};

	if (d->drive.is_past_hole && packet->type != ITM_ASYNC)
		return;
	if (d->drive.is_past_hole)
		itm_flow_packet(&d->flow, &hole, index);
	d->drive.is_past_hole = false;
	itm_flow_packet(&d->flow, packet, index);
}

static enum status give_packet(struct itm *d, const struct itm_packet *packet, const uint8_t *bytes)
{
	struct listed_packet listed = {
	        .name = itm_type_name(packet->type), .bytes = bytes, .size = packet->size};
	uint64_t index = sw_drive_index(&d->drive, bytes);

	sw_drive_done(&d->drive, bytes + packet->size - 1);
	tell_flow(d, packet, index);
	if (!d->drive.lists_packets)
		return STATUS_OK;
	text_clear(&d->drive.text);
	itm_packet_format(packet, &d->drive.text);
	return sw_drive_list(&d->drive, listed, index);
}

/* The bytes that are left are no whole packet, and nothing comes after them. */
static enum status end(struct itm *d)
{
	struct bytes *bytes = &d->drive.deframe.bytes;
	const uint8_t *begin = bytes->pos;
	struct itm_packet packet = {.type = d->reader.is_synced ? ITM_INCOMPLETE : ITM_NOT_SYNC,
	                            .size = (uint32_t)bytes_left(bytes)};

	if (packet.size > 0) {
		packet.meant = itm_header_type(*begin);
		TRY(bytes_skip(bytes, packet.size));
		return give_packet(d, &packet, begin);
	}
	d->drive.position = deframe_consumed(&d->drive.deframe);
	d->drive.is_ended = true;
	itm_flow_end(&d->flow);
	return STATUS_OK;
}

/* Bytes are missing before those that are to be read. */
static void pass_hole(struct itm *d)
{
	d->drive.is_past_hole |= d->reader.is_synced;
	d->reader.is_synced = false;
}

static enum status pull_packet(void *state)
{
	struct itm *d = state;
	struct bytes *bytes = &d->drive.deframe.bytes;
	const uint8_t *begin = bytes->pos;
	struct itm_packet packet;
	enum status status = itm_reader_next(&d->reader, bytes, &packet);

	if (status == STATUS_OK || status == STATUS_BAD_DATA)
		return give_packet(d, &packet, begin);
	status = sw_drive_refill(&d->drive, ITM_ASYNC_ZEROS);
	if (d->drive.deframe.follows_hole)
		pass_hole(d);
	return status == STATUS_END ? end(d) : status;
}

static enum status itm_next(void *state, struct element *element)
{
	struct itm *d = state;

	return sw_drive_next(&d->drive, pull_packet, d, element);
}

static uint64_t itm_position(const void *state)
{
	const struct itm *d = state;

	return d->drive.position;
}

/* Software trace says nothing of execution. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the row's function writes it elsewhere. */
static bool itm_next_address(const void *state, uint64_t *address)
{
	(void)state;
	(void)address;
	return false;
}

const struct protocol_decoder itm_decoder = {
        .name = "ITM",
        .open = itm_open,
        .destroy = itm_destroy,
        .next = itm_next,
        .position = itm_position,
        .next_address = itm_next_address,
};
