/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ETMv4 and ETE decoder whole: buffer -> bytes of its trace ID -> packets -> elements. In: a
 * trace buffer and a source's registers. Out: elements, pulled one by one.
 */
#include <stdlib.h>

#include "decoder/etm4/etm4_config.h"
#include "decoder/etm4/etm4_flow.h"
#include "decoder/etm4/etm4_pkt.h"
#include "decoder/flow/flow.h"
#include "snapshot/memmap.h"

enum { BATCHES_MOST = 256 };

struct etm4 {
	struct etm4_config config;
	struct etm4_reader reader;
	struct etm4_flow flow;
	struct follow *follow;
	struct memmap *no_memory; /* of a source without a core */
	uint64_t position;        /* after the last packet's last byte */
	enum status outcome;      /* OK while it goes on; END, or why it ended before */
	/* While synchronisation is sought. */
	bool told_not_sync; /* the flow knows */
	bool has_search_index;
	uint64_t search_index; /* Idx of the bytes being searched, if it is not their own */
	/* Joints: what was seen since the last A-Sync, and where that began. */
	bool stops_at_sync_points;
	bool saw_info;
	bool saw_address;
	bool saw_context;
	bool is_at_sync_point;
	bool is_paused; /* at the deframer's limit */
	uint64_t sync;
	/* Packets for the user. */
	bool joins_packets;  /* an atom batch may be made of several atom packets */
	size_t batches_most; /* that are gathered before the caller is given them */
	bool lists_packets;
	bool has_listed; /* `listed` is to be given out before the elements */
	struct element listed;
	struct text text;
	struct deframe deframe;
};

static void etm4_destroy(void *state)
{
	struct etm4 *d = state;

	if (!d)
		return;
	etm4_flow_fini(&d->flow);
	follow_destroy(d->follow);
	memmap_destroy(d->no_memory);
	text_fini(&d->text);
	free(d);
}

/* The memory that the code is followed in. */
static enum status open_follow(struct etm4 *d, const struct protocol_input *input)
{
	struct insn_options options = {
	        .wfi_wfe_is_branch = d->config.wfi_wfe_is_branch,
	        .tstart_is_waypoint = config_is_ete(&d->config),
	        .it_is_conditional = true,
	};
	const struct snap_core *core = input->source->core;
	const struct memmap *memory = input->options.memory;

	if (!memory)
		memory = core ? core->memory : NULL;
	if (!memory) {
		d->no_memory = memmap_create();
		if (!d->no_memory)
			return STATUS_NO_MEM;
		TRY(memmap_freeze(d->no_memory));
		memory = d->no_memory;
	}
	d->follow = follow_create(memory, &options);
	if (d->follow) {
		follow_set_clock(d->follow, input->clock);
		/* Addresses that are looked at quickly have no place. */
		d->joins_packets &= !follow_has_places(d->follow);
	}
	return d->follow ? STATUS_OK : STATUS_NO_MEM;
}

static enum status etm4_open(const struct protocol_input *input, void **state, uint8_t *trace_id)
{
	struct etm4_config config;
	struct etm4 *d;
	enum status status;

	TRY(etm4_config_load(input->source, input->diags, &config));
	d = calloc(1, sizeof(*d));
	if (!d)
		return STATUS_NO_MEM;
	d->config = config;
	d->lists_packets = input->options.packets;
	d->stops_at_sync_points = input->options.stops_at_sync_points;
	d->joins_packets = input->joins_batches;
	/* In a listing, each packet's place orders it among other sources'. */
	d->batches_most = input->joins_batches ? BATCHES_MOST : 1;
	status = open_follow(d, input);
	if (status != STATUS_OK) {
		etm4_destroy(d);
		return status;
	}
	deframe_init(&d->deframe, input->format, input->data, config.trace_id);
	if (input->options.begin > 0)
		deframe_seek(&d->deframe, input->options.begin);
	etm4_reader_init(&d->reader, &d->config);
	etm4_flow_init(&d->flow, &d->config, d->follow, input->options.graph);
	d->flow.keeps_to_code = input->options.keeps_to_code;
	d->flow.splits_sources = input->options.splits_sources;
	*state = d;
	*trace_id = config.trace_id;
	return STATUS_OK;
}

/*
 * Idx of the packet that begins at `at`. Before synchronisation it is that of the bytes that are
 * searched together: after a group that was passed over they begin where that ended.
 */
static uint64_t packet_index(struct etm4 *d, const uint8_t *at)
{
	if (d->has_search_index)
		return d->search_index;
	return deframe_index(&d->deframe, at);
}

/* After a group of bytes that was passed over: where the next one begins. */
static void note_search(struct etm4 *d, const uint8_t *begin, uint32_t size)
{
	const uint8_t *last = begin + size - 1;
	bool is_zero_run = size == 1 && *begin == 0;
	bool is_cut_by_zero = d->deframe.bytes.pos < d->deframe.bytes.end &&
	                      *d->deframe.bytes.pos == 0 && !is_zero_run;

	if (is_zero_run && !d->has_search_index)
		d->search_index = deframe_index(&d->deframe, begin);
	else if (!is_zero_run)
		d->search_index = deframe_index(&d->deframe, last) + 1;
	d->has_search_index = !is_cut_by_zero;
}

static enum status list_packet(struct etm4 *d, const struct etm4_packet *packet,
                               const uint8_t *bytes, uint64_t index)
{
	struct listed_packet listed = {
	        .name = etm4_type_name(packet->type), .bytes = bytes, .size = packet->size};

	text_clear(&d->text);
	etm4_packet_format(packet, &d->config, &d->text);
	TRY(text_status(&d->text));
	listed.fields = d->text.data;
	d->listed = element_of_packet(&listed, d->config.trace_id, index);
	d->has_listed = true;
	return STATUS_OK;
}

/* What the packet means for the next synchronization point. */
static void note_packet(struct etm4 *d, const struct etm4_packet *packet, const uint8_t *bytes)
{
	bool has_address =
	        packet->type >= ETM4_ADDRESS_CONTEXT_32_IS0 && packet->type <= ETM4_ADDRESS_64_IS1;
	bool has_context =
	        packet->type >= ETM4_CONTEXT && packet->type <= ETM4_ADDRESS_CONTEXT_64_IS1;

	if (packet->type == ETM4_ASYNC) {
		d->sync = deframe_position(&d->deframe, bytes);
		d->saw_info = false;
	} else if (packet->type == ETM4_TRACE_INFO) {
		d->saw_info = true;
		d->saw_address = false;
		d->saw_context = false;
	}
	d->saw_address |= has_address;
	d->saw_context |= has_context;
}

/* After a packet: all that was said since the A-Sync is in force now. Once for each A-Sync. */
static bool reaches_sync_point(struct etm4 *d)
{
	const struct etm4_flow *flow = &d->flow;

	if (!d->saw_info || !d->saw_address || !d->saw_context || !etm4_flow_is_immediate(flow) ||
	    flow->needs_context || flow->stack.must_pop)
		return false;
	d->saw_info = false;
	return true;
}

/* The flow is told of bytes without synchronisation once. */
static enum status give_packet(struct etm4 *d, const struct etm4_packet *packet,
                               const uint8_t *bytes)
{
	uint64_t index = packet_index(d, bytes);
	bool is_not_sync = packet->type == ETM4_NOT_SYNC;
	bool is_known = is_not_sync && d->told_not_sync;

	d->position = deframe_position(&d->deframe, bytes + packet->size - 1) + 1;
	d->told_not_sync |= is_not_sync;
	if (d->stops_at_sync_points)
		note_packet(d, packet, bytes);
	if (is_not_sync)
		note_search(d, bytes, packet->size);
	else
		d->has_search_index = false;
	if (d->lists_packets)
		TRY(list_packet(d, packet, bytes, index));
	return is_known ? STATUS_OK : etm4_flow_packet(&d->flow, packet, index);
}

/* All bytes that are left, as a packet that is none. */
static enum status give_rest(struct etm4 *d, struct etm4_packet *packet, enum etm4_type type)
{
	const uint8_t *begin = d->deframe.bytes.pos;

	packet->meant = d->reader.is_synced ? etm4_header_type(&d->reader, *begin) : ETM4_NOT_SYNC;
	packet->type = type;
	packet->size = (uint32_t)bytes_left(&d->deframe.bytes);
	TRY(bytes_skip(&d->deframe.bytes, packet->size));
	return give_packet(d, packet, begin);
}

static enum status end(struct etm4 *d)
{
	struct etm4_packet packet = {.type = ETM4_INCOMPLETE};

	if (bytes_left(&d->deframe.bytes) > 0)
		TRY(give_rest(d, &packet, ETM4_INCOMPLETE));
	d->position = deframe_consumed(&d->deframe);
	d->outcome = STATUS_END;
	return etm4_flow_end(&d->flow);
}

/* Bytes are missing before those that are to be read: as if they were a packet that is none. */
static enum status pass_hole(struct etm4 *d)
{
	const struct etm4_packet packet = {.type = ETM4_BAD_SEQUENCE};

	if (!d->reader.is_synced)
		return STATUS_OK;
	d->reader.is_synced = false;
	d->told_not_sync = false;
	d->has_search_index = false;
	d->saw_info = false;
	return etm4_flow_packet(&d->flow, &packet,
	                        deframe_index(&d->deframe, d->deframe.bytes.pos));
}

/* The window holds no whole packet: more bytes, or the end of the trace. */
static enum status refill(struct etm4 *d)
{
	struct etm4_packet packet = {.type = ETM4_BAD_SEQUENCE};
	enum status status = deframe_refill(&d->deframe);

	if (status == STATUS_TRUNCATED)
		return give_rest(d, &packet, ETM4_BAD_SEQUENCE);
	d->is_paused = status == STATUS_UNAVAILABLE;
	if (d->is_paused)
		return STATUS_OK;
	if (d->deframe.follows_hole)
		return pass_hole(d);
	return status == STATUS_END ? end(d) : status;
}

/*
 * An address packet of an immediate flow, which needs no look at anything but the packet. False if
 * the next packet is none, or not whole.
 */
static bool pull_address(struct etm4 *d)
{
	const uint8_t *begin = d->deframe.bytes.pos;
	struct etm4_packet packet;

	if (begin == d->deframe.bytes.end || !d->reader.is_address[*begin] ||
	    etm4_reader_next(&d->reader, &d->deframe.bytes, &packet) != STATUS_OK)
		return false;
	/* Where an indirect branch was taken nobody asks for the place before the address. */
	if (d->flow.at != GRAPH_NO_NODE)
		flow_settle(&d->flow);
	flow_take_address(&d->flow, packet.address.value, packet.address.isa);
	return true;
}

/*
 * Atom packets, which most of a trace is: their one byte needs no packet. Those that the graph
 * leads through are executed together; one that it does not is executed by itself. The caller is
 * given what came of them before there is too much.
 */
static enum status pull_atoms(struct etm4 *d)
{
	struct bytes *in = &d->deframe.bytes;
	const uint8_t *last = NULL; /* packet that was executed */
	bool is_immediate = etm4_flow_is_immediate(&d->flow);

	while (is_immediate && d->flow.batches.count < d->batches_most) {
		struct atom_run run = atom_run_gather(&d->reader.atoms, in, d->joins_packets);
		const uint8_t *packet = in->pos;
		unsigned int ran;

		if (run.count == 0 && (!d->joins_packets || !pull_address(d)))
			break;
		last = packet;
		if (run.count == 0)
			continue;
		if (etm4_flow_is_blind(&d->flow)) {
			d->flow.is_excepted = false;
			in->pos = run.end;
			last = in->pos - 1;
			continue;
		}
		TRY(etm4_flow_quick(&d->flow, run.atoms, run.count,
		                    deframe_index(&d->deframe, in->pos), &ran));
		if (ran == run.count) {
			in->pos = run.end;
			last = in->pos - 1;
			continue;
		}
		run = atom_run_rest(&d->reader.atoms, in, ran);
		TRY(etm4_flow_atoms(&d->flow, run.atoms, run.count,
		                    deframe_index(&d->deframe, in->pos)));
		last = in->pos;
		in->pos = run.end;
		is_immediate = etm4_flow_is_immediate(&d->flow);
	}
	if (last) {
		d->position = deframe_position(&d->deframe, in->pos - 1) + 1;
		d->flow.packet_index = deframe_index(&d->deframe, last);
	}
	return STATUS_OK;
}

static enum status pull_packet(struct etm4 *d)
{
	const uint8_t *begin = d->deframe.bytes.pos;
	struct etm4_packet packet;
	enum status status = etm4_reader_next(&d->reader, &d->deframe.bytes, &packet);

	if (status == STATUS_OK || status == STATUS_BAD_DATA)
		return give_packet(d, &packet, begin);
	return refill(d);
}

/* What the flow has for the caller; END if nothing. */
static enum status take(struct etm4_flow *flow, struct decoded *decoded)
{
	bool has_element = flow->out_next < flow->out_count;
	size_t batches =
	        has_element ? flow->out[flow->out_next].batches_before : flow->batches.count;

	if (flow->batch_next < batches) {
		decoded->batches = &flow->batches.items[flow->batch_next];
		decoded->batch_count = batches - flow->batch_next;
		flow->batch_next = batches;
		decoded->is_drained = batches == flow->batches.count;
		return STATUS_OK;
	}
	if (!has_element)
		return STATUS_END;
	decoded->batch_count = 0;
	decoded->element = flow->out[flow->out_next++].element;
	decoded->is_drained = flow->batch_next == flow->batches.count;
	return STATUS_OK;
}

/* Decodes until there is an element for the caller, or many atom batches. */
static enum status gather(struct etm4 *d)
{
	struct etm4_flow *flow = &d->flow;

	flow->out_next = 0;
	flow->out_count = 0;
	flow->batch_next = 0;
	flow->batches.count = 0;
	do {
		if (!d->lists_packets)
			TRY(pull_atoms(d));
		if (flow->batches.count >= d->batches_most || flow->out_count > 0)
			break;
		TRY(pull_packet(d));
		d->is_at_sync_point = d->stops_at_sync_points && reaches_sync_point(d);
	} while (d->outcome == STATUS_OK && !d->has_listed && !d->is_at_sync_point &&
	         !d->is_paused && flow->out_count == 0 && flow->batches.count < d->batches_most);
	return STATUS_OK;
}

static enum status etm4_pull(void *state, struct decoded *decoded)
{
	struct etm4 *d = state;
	enum status status;

	for (;;) {
		if (d->has_listed) {
			decoded->batch_count = 0;
			decoded->element = d->listed;
			d->has_listed = false;
			return STATUS_OK;
		}
		if (take(&d->flow, decoded) == STATUS_OK)
			return STATUS_OK;
		if (d->is_at_sync_point || d->is_paused) {
			decoded->batch_count = 0;
			decoded->is_sync_point = d->is_at_sync_point;
			decoded->is_paused = d->is_paused;
			d->is_at_sync_point = false;
			d->is_paused = false;
			return STATUS_OK;
		}
		if (d->outcome != STATUS_OK)
			return d->outcome;
		status = gather(d);
		if (status != STATUS_OK)
			d->outcome = status;
	}
}

static uint64_t etm4_position(const void *state)
{
	const struct etm4 *d = state;

	return d->position;
}

static bool etm4_next_address(const void *state, uint64_t *address)
{
	const struct etm4 *d = state;

	return etm4_flow_next_address(&d->flow, address);
}

static const uint64_t *etm4_seen_ids(const void *state)
{
	const struct etm4 *d = state;

	return d->deframe.seen_ids;
}

static void etm4_limit(void *state, uint64_t end)
{
	struct etm4 *d = state;

	deframe_limit(&d->deframe, end);
}

static uint64_t etm4_sync_point_offset(const void *state)
{
	const struct etm4 *d = state;

	return d->sync;
}

static void etm4_describe_sync_point(const void *state, struct text *out)
{
	const struct etm4 *d = state;

	etm4_reader_describe(&d->reader, out);
	etm4_flow_describe(&d->flow, out);
}

const struct protocol_decoder etm4_decoder = {
        .name = "ETMv4, ETE",
        .open = etm4_open,
        .destroy = etm4_destroy,
        .pull = etm4_pull,
        .position = etm4_position,
        .next_address = etm4_next_address,
        .seen_ids = etm4_seen_ids,
        .limit = etm4_limit,
        .sync_point_offset = etm4_sync_point_offset,
        .describe_sync_point = etm4_describe_sync_point,
};
