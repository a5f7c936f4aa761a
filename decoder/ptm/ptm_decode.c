/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PTM decoder whole: buffer -> bytes of its trace ID -> packets -> atom batches and elements.
 * In: a trace buffer and a source's registers. Out: what decoder_pull() gives.
 */
#include <stdlib.h>

#include "decoder/flow/flow.h"
#include "decoder/ptm/ptm_config.h"
#include "decoder/ptm/ptm_flow.h"
#include "decoder/ptm/ptm_pkt.h"

struct ptm {
	struct ptm_config config;
	struct ptm_reader reader;
	struct ptm_flow flow;
	bool told_not_sync; /* the flow knows */
	struct etm_drive drive;
};

static void ptm_destroy(void *state)
{
	struct ptm *d = state;

	if (!d)
		return;
	etm_drive_fini(&d->drive);
	free(d);
}

static enum status ptm_open(const struct protocol_input *input, void **state, uint8_t *trace_id)
{
	struct insn_options options = {0};
	struct ptm_config config;
	struct ptm *d;
	enum status status;

	TRY(ptm_config_load(input->source, input->diags, &config));
	d = calloc(1, sizeof(*d));
	if (!d)
		return STATUS_NO_MEM;
	d->config = config;
	options.dsb_dmb_is_waypoint = config.dsb_dmb_is_waypoint;
	status = etm_drive_init(&d->drive, input, config.trace_id, &options);
	if (status != STATUS_OK) {
		ptm_destroy(d);
		return status;
	}
	ptm_reader_init(&d->reader, &d->config);
	ptm_flow_init(&d->flow, &d->config,
	              &(struct etm_flow_ends){d->drive.follow, input->options.graph,
	                                      &d->drive.batches, &d->drive.out});
	d->flow.keeps_to_code = input->options.keeps_to_code;
	*state = d;
	*trace_id = config.trace_id;
	return STATUS_OK;
}

static enum status list_packet(struct ptm *d, const struct ptm_packet *packet, const uint8_t *bytes,
                               uint64_t index)
{
	struct listed_packet listed = {
	        .name = ptm_type_name(packet->type), .bytes = bytes, .size = packet->size};

	text_clear(&d->drive.text);
	ptm_packet_format(packet, &d->drive.text);
	return etm_drive_list(&d->drive, listed, index);
}

/* The flow is told of bytes without synchronisation once. */
static enum status give_packet(struct ptm *d, const struct ptm_packet *packet, const uint8_t *bytes)
{
	uint64_t index = etm_drive_index(&d->drive, bytes);
	bool is_not_sync = packet->type == PTM_NOT_SYNC;
	bool is_known = is_not_sync && d->told_not_sync;

	etm_drive_done(&d->drive, bytes + packet->size - 1);
	d->told_not_sync |= is_not_sync;
	if (d->drive.lists_packets)
		TRY(list_packet(d, packet, bytes, index));
	if (packet->type == PTM_ASYNC)
		etm_drive_async(&d->drive, bytes);
	if (!is_known)
		TRY(ptm_flow_packet(&d->flow, packet, index));
	if (packet->type == PTM_ISYNC && d->flow.state == PTM_FLOW_DECODE)
		etm_drive_in_force(&d->drive);
	return STATUS_OK;
}

/* The bytes that are left are no whole packet, and nothing comes after them. */
static enum status end(struct ptm *d)
{
	struct deframe *deframe = &d->drive.deframe;
	struct ptm_packet packet = {.type = PTM_INCOMPLETE, .known = d->reader.known};
	const uint8_t *begin = deframe->bytes.pos;

	if (bytes_left(&deframe->bytes) > 0) {
		packet.meant = ptm_header_type(&d->reader, *begin);
		packet.size = (uint32_t)bytes_left(&deframe->bytes);
		TRY(bytes_skip(&deframe->bytes, packet.size));
		TRY(give_packet(d, &packet, begin));
	}
	d->drive.position = deframe_consumed(deframe);
	d->drive.is_ended = true;
	return ptm_flow_end(&d->flow);
}

/* Bytes are missing before those that are to be read: as if they were a packet that is none. */
static enum status pass_hole(struct ptm *d)
{
	struct ptm_packet packet = {.type = PTM_BAD_SEQUENCE, .known = d->reader.known};

	if (!d->reader.is_synced)
		return STATUS_OK;
	d->reader.is_synced = false;
	d->drive.saw_async = false;
	return ptm_flow_packet(&d->flow, &packet,
	                       etm_drive_index(&d->drive, d->drive.deframe.bytes.pos));
}

static enum status pull_packet(struct ptm *d)
{
	struct deframe *deframe = &d->drive.deframe;
	const uint8_t *begin = deframe->bytes.pos;
	const uint8_t *block_end =
	        d->reader.is_synced ? deframe->bytes.end : etm_drive_block_end(&d->drive);
	struct ptm_packet packet;
	enum status status = ptm_reader_next(&d->reader, &deframe->bytes, block_end, &packet);

	if (status == STATUS_OK || status == STATUS_BAD_DATA)
		return give_packet(d, &packet, begin);
	status = etm_drive_refill(&d->drive);
	if (status == STATUS_OK && deframe->follows_hole)
		return pass_hole(d);
	return status == STATUS_END ? end(d) : status;
}

/* Atoms of packets one after the other: those that the graph leads through are executed together.
 */
static enum status give_atoms(struct ptm *d, struct bytes *in, struct atom_run run)
{
	unsigned int done = 0;
	unsigned int ran = 1;

	while (done < run.count && ran > 0) {
		/* Of the packet that the next one is in. */
		const uint8_t *packet = atom_run_at(&d->reader.atoms, in, done);

		TRY(ptm_flow_quick(&d->flow, run.atoms >> done, run.count - done,
		                   etm_drive_index(&d->drive, packet), &ran));
		done += ran;
	}
	if (done < run.count) {
		run = atom_run_rest(&d->reader.atoms, in, done);
		TRY(ptm_flow_atoms(&d->flow, run.atoms, run.count,
		                   etm_drive_index(&d->drive, in->pos)));
	}
	in->pos = run.end;
	return STATUS_OK;
}

/*
 * Atom packets, which most of a trace is: their one byte needs no packet; and plain branch
 * addresses between them.
 */
static enum status pull_atoms(struct ptm *d)
{
	struct bytes *in = &d->drive.deframe.bytes;
	const uint8_t *begin = in->pos;

	while (!etm_drive_has_enough(&d->drive)) {
		const uint8_t *packet = in->pos;
		struct atom_run run = atom_run_gather(&d->reader.atoms, in, true);

		if (run.count > 0)
			TRY(give_atoms(d, in, run));
		else if (ptm_reader_branch(&d->reader, in))
			TRY(ptm_flow_branch(&d->flow, &d->reader.known,
			                    etm_drive_index(&d->drive, packet)));
		else
			break;
	}
	if (in->pos > begin)
		etm_drive_done(&d->drive, in->pos - 1);
	return STATUS_OK;
}

static enum status pull_some(void *state)
{
	struct ptm *d = state;

	if (d->drive.joins_packets && d->flow.state == PTM_FLOW_DECODE)
		TRY(pull_atoms(d));
	return etm_drive_has_enough(&d->drive) ? STATUS_OK : pull_packet(d);
}

static enum status ptm_pull(void *state, struct decoded *decoded)
{
	struct ptm *d = state;

	return etm_drive_pull(&d->drive, pull_some, d, decoded);
}

static uint64_t ptm_position(const void *state)
{
	const struct ptm *d = state;

	return d->drive.position;
}

static bool ptm_next_address(const void *state, uint64_t *address)
{
	const struct ptm *d = state;

	return ptm_flow_next_address(&d->flow, address);
}

static const uint64_t *ptm_seen_ids(const void *state)
{
	const struct ptm *d = state;

	return d->drive.deframe.seen_ids;
}

static void ptm_limit(void *state, uint64_t end)
{
	struct ptm *d = state;

	deframe_limit(&d->drive.deframe, end);
}

static uint64_t ptm_sync_point_offset(const void *state)
{
	const struct ptm *d = state;

	return d->drive.sync;
}

static void ptm_describe_sync_point(const void *state, struct text *out)
{
	const struct ptm *d = state;

	ptm_reader_describe(&d->reader, out);
	ptm_flow_describe(&d->flow, out);
}

const struct protocol_decoder ptm_decoder = {
        .name = "PTM",
        .open = ptm_open,
        .destroy = ptm_destroy,
        .pull = ptm_pull,
        .position = ptm_position,
        .next_address = ptm_next_address,
        .seen_ids = ptm_seen_ids,
        .limit = ptm_limit,
        .sync_point_offset = ptm_sync_point_offset,
        .describe_sync_point = ptm_describe_sync_point,
};
