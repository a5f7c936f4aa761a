/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The STM decoder whole: buffer -> bytes of its trace ID -> packets -> elements. In: a trace
 * buffer and a source's registers. Out: elements, pulled one by one.
 */
#include <stdlib.h>

#include "decoder/flow/flow.h"
#include "decoder/stimulus/stm_flow.h"
#include "decoder/stimulus/stm_pkt.h"
#include "decoder/stimulus/sw_drive.h"

/* Bytes that hold as many nibbles of 0xf as a synchronisation packet needs. */
enum { ASYNC_BYTES = (STM_ASYNC_NIBBLES + 2) / 2 };

struct stm {
	struct stm_reader reader;
	struct stm_flow flow;
	struct sw_drive drive;
};

static void stm_destroy(void *state)
{
	struct stm *d = state;

	if (!d)
		return;
	sw_drive_fini(&d->drive);
	free(d);
}

static enum status stm_open(const struct protocol_input *input, void **state, uint8_t *trace_id)
{
	struct stm *d = calloc(1, sizeof(*d));
	enum status status;

	if (!d)
		return STATUS_NO_MEM;
	status = sw_drive_init(&d->drive, input);
	if (status != STATUS_OK) {
		stm_destroy(d);
		return status;
	}
	stm_reader_init(&d->reader);
	stm_flow_init(&d->flow, &d->drive.out);
	*state = d;
	*trace_id = d->drive.out.trace_id;
	return STATUS_OK;
}

/*
 * Idx of the packet at `begin`. A packet that begins with a high nibble has that of the next byte,
 * unless it was searched for.
 */
static uint64_t index_of(const struct stm *d, const struct stm_packet *packet, const uint8_t *begin,
                         bool is_synced)
{
	uint64_t index = sw_drive_index(&d->drive, begin);

	return packet->begins_high && is_synced ? index + 1 : index;
}

/* After a hole nothing until the next synchronisation, and then of the hole, too. */
static void tell_flow(struct stm *d, const struct stm_packet *packet, uint64_t index)
{
	const struct stm_packet hole = {.type = STM_BAD_SEQUENCE};

	if (d->drive.is_past_hole && packet->type != STM_ASYNC)
		return;
	if (d->drive.is_past_hole)
		stm_flow_packet(&d->flow, &hole, index);
	d->drive.is_past_hole = false;
	stm_flow_packet(&d->flow, packet, index);
}

static enum status give_packet(struct stm *d, const struct stm_packet *packet, const uint8_t *bytes,
                               uint64_t index)
{
	struct listed_packet listed = {.name = packet->name, .bytes = bytes, .size = packet->size};
	const uint8_t *last = bytes + packet->size - 1;

	tell_flow(d, packet, index);
	/* Bytes in which synchronisation is sought count as they lie together in a frame. */
	if (packet->type == STM_NOT_SYNC)
		d->flow.last_index = sw_drive_run_index(&d->drive, last);
	sw_drive_done(&d->drive, last);
	if (!d->drive.lists_packets)
		return STATUS_OK;
	text_clear(&d->drive.text);
	stm_packet_format(packet, &d->drive.text);
	return sw_drive_list(&d->drive, listed, index);
}

/* The nibbles that are left are no whole packet, and nothing comes after them. */
static enum status end(struct stm *d)
{
	struct bytes *bytes = &d->drive.deframe.bytes;
	const uint8_t *begin = bytes->pos;
	struct stm_packet packet = {.type = d->reader.is_synced ? STM_INCOMPLETE : STM_NOT_SYNC,
	                            .begins_high = d->reader.is_high_next,
	                            .size = (uint32_t)bytes_left(bytes)};

	if (packet.size > 0) {
		unsigned int shift = packet.begins_high ? 4 : 0;

		packet.name = stm_type_name(packet.type);
		packet.meant = stm_opcode_type(1, *begin >> shift & 0xf);
		TRY(bytes_skip(bytes, packet.size));
		d->reader.is_high_next = false;
		return give_packet(d, &packet, begin,
		                   index_of(d, &packet, begin, d->reader.is_synced));
	}
	d->drive.position = deframe_consumed(&d->drive.deframe);
	d->drive.is_ended = true;
	stm_flow_end(&d->flow);
	return STATUS_OK;
}

/* Bytes are missing before those that are to be read. */
static void pass_hole(struct stm *d)
{
	d->reader.is_high_next = false;
	d->drive.is_past_hole |= d->reader.is_synced;
	d->reader.is_synced = false;
}

static enum status pull_packet(void *state)
{
	struct stm *d = state;
	struct bytes *bytes = &d->drive.deframe.bytes;
	const uint8_t *begin = bytes->pos;
	bool was_synced = d->reader.is_synced;
	struct stm_packet packet;
	enum status status = stm_reader_next(&d->reader, bytes, &packet);

	if (status == STATUS_OK || status == STATUS_BAD_DATA)
		return give_packet(d, &packet, begin, index_of(d, &packet, begin, was_synced));
	status = sw_drive_refill(&d->drive, ASYNC_BYTES);
	if (d->drive.deframe.follows_hole)
		pass_hole(d);
	return status == STATUS_END ? end(d) : status;
}

static enum status stm_next(void *state, struct element *element)
{
	struct stm *d = state;

	return sw_drive_next(&d->drive, pull_packet, d, element);
}

static uint64_t stm_position(const void *state)
{
	const struct stm *d = state;

	return d->drive.position;
}

/* Software trace says nothing of execution. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the row's function writes it elsewhere. */
static bool stm_next_address(const void *state, uint64_t *address)
{
	(void)state;
	(void)address;
	return false;
}

const struct protocol_decoder stm_decoder = {
        .name = "STM",
        .open = stm_open,
        .destroy = stm_destroy,
        .next = stm_next,
        .position = stm_position,
        .next_address = stm_next_address,
};
