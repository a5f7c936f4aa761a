/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ETMv3 decoder whole: buffer -> bytes of its trace ID -> packets -> atom batches and elements.
 * In: a trace buffer and a source's registers. Out: what decoder_pull() gives.
 */
#include <stdlib.h>

#include "decoder/etm3/etm3_config.h"
#include "decoder/etm3/etm3_flow.h"
#include "decoder/etm3/etm3_pkt.h"
#include "decoder/flow/flow.h"

struct etm3 {
	struct etm3_config config;
	struct etm3_reader reader;
	struct etm3_flow flow;
	struct etm_drive drive;
	bool saw_isync; /* since the last A-Sync */
};

static void etm3_destroy(void *state)
{
	struct etm3 *d = state;

	if (!d)
		return;
	etm_drive_fini(&d->drive);
	free(d);
}

static enum status etm3_open(const struct protocol_input *input, void **state, uint8_t *trace_id)
{
	struct insn_options options = {0};
	struct etm3_config config;
	struct etm3 *d;
	enum status status;

	TRY(etm3_config_load(input->source, input->diags, &config));
	d = calloc(1, sizeof(*d));
	if (!d)
		return STATUS_NO_MEM;
	d->config = config;
	status = etm_drive_init(&d->drive, input, config.trace_id, &options);
	if (status != STATUS_OK) {
		etm3_destroy(d);
		return status;
	}
	etm3_reader_init(&d->reader, &d->config);
	etm3_flow_init(&d->flow, &d->config,
	               &(struct etm_flow_ends){d->drive.follow,
	                                       d->drive.joins_packets ? input->options.graph : NULL,
	                                       &d->drive.batches, &d->drive.out});
	*state = d;
	*trace_id = config.trace_id;
	return STATUS_OK;
}

static enum status list_packet(struct etm3 *d, const struct etm3_packet *packet,
                               const uint8_t *bytes, uint64_t index)
{
	struct listed_packet listed = {
	        .name = etm3_type_name(packet->type), .bytes = bytes, .size = packet->size};

	text_clear(&d->drive.text);
	etm3_packet_format(packet, &d->drive.text);
	return etm_drive_list(&d->drive, listed, index);
}

static enum status give_packet(struct etm3 *d, const struct etm3_packet *packet,
                               const uint8_t *bytes)
{
	uint64_t index = etm_drive_index(&d->drive, bytes);

	etm_drive_done(&d->drive, bytes + packet->size - 1);
	if (d->drive.lists_packets)
		TRY(list_packet(d, packet, bytes, index));
	/* How many packets these are depends on where the caller pauses, which no listing does. */
	if (d->drive.joins_packets && packet->type == ETM3_NOT_SYNC &&
	    d->flow.state == ETM3_FLOW_WAIT_ASYNC)
		return STATUS_OK;
	if (packet->type == ETM3_ASYNC) {
		etm_drive_async(&d->drive, bytes);
		d->saw_isync = false;
	}
	TRY(etm3_flow_packet(&d->flow, packet, index));
	if (packet->type == ETM3_ISYNC || packet->type == ETM3_ISYNC_CYCLES)
		d->saw_isync = d->flow.state == ETM3_FLOW_DECODE;
	/* After a branch no packet cancels what was executed before it. */
	if (packet->type == ETM3_BRANCH && d->saw_isync && d->flow.state == ETM3_FLOW_DECODE)
		etm_drive_in_force(&d->drive);
	return STATUS_OK;
}

/* The bytes that are left are no whole packet, and nothing comes after them. */
static enum status end(struct etm3 *d)
{
	struct deframe *deframe = &d->drive.deframe;
	struct etm3_packet packet = {.type = ETM3_INCOMPLETE, .known = d->reader.known};
	const uint8_t *begin = deframe->bytes.pos;

	if (bytes_left(&deframe->bytes) > 0) {
		packet.meant = etm3_header_type(&d->reader, *begin);
		packet.size = (uint32_t)bytes_left(&deframe->bytes);
		TRY(bytes_skip(&deframe->bytes, packet.size));
		TRY(give_packet(d, &packet, begin));
	}
	d->drive.position = deframe_consumed(deframe);
	d->drive.is_ended = true;
	return etm3_flow_end(&d->flow);
}

/* Bytes are missing before those that are to be read: as if they were a packet that is none. */
static enum status pass_hole(struct etm3 *d)
{
	struct etm3_packet packet = {.type = ETM3_BAD_SEQUENCE, .known = d->reader.known};

	if (!d->reader.is_synced)
		return STATUS_OK;
	d->reader.is_synced = false;
	d->drive.saw_async = false;
	return etm3_flow_packet(&d->flow, &packet,
	                        etm_drive_index(&d->drive, d->drive.deframe.bytes.pos));
}

static enum status pull_packet(struct etm3 *d)
{
	struct deframe *deframe = &d->drive.deframe;
	const uint8_t *begin = deframe->bytes.pos;
	const uint8_t *block_end =
	        d->reader.is_synced ? deframe->bytes.end : etm_drive_block_end(&d->drive);
	struct etm3_packet packet;
	enum status status = etm3_reader_next(&d->reader, &deframe->bytes, block_end, &packet);

	if (status == STATUS_OK || status == STATUS_BAD_DATA)
		return give_packet(d, &packet, begin);
	status = etm_drive_refill(&d->drive);
	if (status == STATUS_OK && deframe->follows_hole)
		return pass_hole(d);
	return status == STATUS_END ? end(d) : status;
}

static enum status pull_some(void *state)
{
	struct etm3 *d = state;
	const uint8_t *begin = d->drive.deframe.bytes.pos;

	if (d->drive.joins_packets)
		TRY(etm3_flow_quick(&d->flow, &d->reader, &d->drive.deframe));
	if (d->drive.deframe.bytes.pos > begin)
		etm_drive_done(&d->drive, d->drive.deframe.bytes.pos - 1);
	return etm_drive_has_enough(&d->drive) ? STATUS_OK : pull_packet(d);
}

static enum status etm3_pull(void *state, struct decoded *decoded)
{
	struct etm3 *d = state;

	return etm_drive_pull(&d->drive, pull_some, d, decoded);
}

static uint64_t etm3_position(const void *state)
{
	const struct etm3 *d = state;

	return d->drive.position;
}

static bool etm3_next_address(const void *state, uint64_t *address)
{
	const struct etm3 *d = state;

	return etm3_flow_next_address(&d->flow, address);
}

static const uint64_t *etm3_seen_ids(const void *state)
{
	const struct etm3 *d = state;

	return d->drive.deframe.seen_ids;
}

static void etm3_limit(void *state, uint64_t end)
{
	struct etm3 *d = state;

	deframe_limit(&d->drive.deframe, end);
}

/* A value may come after a synchronization point, and its place before it. */
static bool etm3_can_begin(const struct snap_source *source)
{
	struct diag_list unheard = {0};
	struct etm3_config config = {.traces_data_values = true};
	enum status status = etm3_config_load(source, &unheard, &config);

	diag_list_fini(&unheard);
	return status == STATUS_OK && !config.traces_data_values && !config.traces_data_addresses;
}

static uint64_t etm3_sync_point_offset(const void *state)
{
	const struct etm3 *d = state;

	return d->drive.sync;
}

static void etm3_describe_sync_point(const void *state, struct text *out)
{
	const struct etm3 *d = state;

	etm3_reader_describe(&d->reader, out);
	etm3_flow_describe(&d->flow, out);
}

const struct protocol_decoder etm3_decoder = {
        .name = "ETMv3",
        .open = etm3_open,
        .destroy = etm3_destroy,
        .pull = etm3_pull,
        .position = etm3_position,
        .next_address = etm3_next_address,
        .seen_ids = etm3_seen_ids,
        .can_begin = etm3_can_begin,
        .limit = etm3_limit,
        .sync_point_offset = etm3_sync_point_offset,
        .describe_sync_point = etm3_describe_sync_point,
};
