/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From ITM packets to generic elements. In: packets with their Idx. Out: elements. Armv7-M ARM DDI
 * 0403, appendix D4, and the description of ITM_TCR in chapter C1.
 */
#include "decoder/stimulus/itm_flow.h"

enum {
	TCR_SWOENA = 1 << 4, /* timestamps count the clock of the TPIU, divided by TSPRESCALE */
	TCR_PRESCALE_AT = 8,
	PAGE_AT = 5, /* 32 stimulus ports a page */
	GLOBAL_HIGH_AT = 26,
};

static uint32_t prescale_of(uint32_t control)
{
	static const uint8_t divisors[4] = {1, 4, 16, 64};

	return control & TCR_SWOENA ? divisors[control >> TCR_PRESCALE_AT & 3] : 1;
}

/* What was known before is of no use after bytes that were lost. */
static void lose_sync(struct itm_flow *flow, enum no_sync_reason reason)
{
	flow->state = ITM_FLOW_NO_SYNC;
	flow->reason = reason;
	flow->cycles = 0;
	flow->timestamp = 0;
	flow->page = 0;
	flow->needs_high_bits = true;
	flow->is_clock_changed = false;
	flow->is_overflow = false;
}

void itm_flow_init(struct itm_flow *flow, struct sw_out *out, uint32_t control)
{
	*flow = (struct itm_flow){.out = out, .prescale = prescale_of(control)};
	lose_sync(flow, NO_SYNC_INIT);
}

static struct element *add(struct itm_flow *flow, enum itm_kind kind, uint64_t index)
{
	struct element *e = sw_out_add(flow->out, ELEMENT_ITMTRACE, index);

	e->itm.kind = kind;
	e->itm.is_overflow = flow->is_overflow;
	flow->is_overflow = false;
	return e;
}

static void add_payload(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index)
{
	bool is_software = packet->type == ITM_SOFTWARE;
	struct element *e = add(flow, is_software ? ITM_KIND_SOFTWARE : ITM_KIND_HARDWARE, index);

	e->itm.source = packet->source;
	if (is_software)
		e->itm.source = (uint8_t)(packet->source | flow->page << PAGE_AT);
	e->itm.size = packet->value_size;
	e->itm.value = (uint32_t)packet->value;
}

static void add_local(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index)
{
	struct element *e = add(flow, ITM_KIND_LOCAL_TIMESTAMP, index);

	flow->cycles += packet->value * flow->prescale;
	e->itm.delay = packet->delay;
	e->itm.size = packet->value_size;
	e->itm.value = (uint32_t)packet->value;
	e->has_timestamp = true;
	e->timestamp = flow->cycles;
}

static void add_global(struct itm_flow *flow, uint64_t index)
{
	struct element *e = add(flow, ITM_KIND_GLOBAL_TIMESTAMP, index);

	e->itm.is_clock_changed = flow->is_clock_changed;
	e->has_timestamp = true;
	e->timestamp = flow->timestamp;
	flow->is_clock_changed = false;
}

/* The low bits; only those that changed are sent. */
static void take_global_1(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index)
{
	unsigned int bits = packet->value_size < 4 ? 7U * packet->value_size : GLOBAL_HIGH_AT;
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	flow->needs_high_bits |= packet->is_wrapped;
	flow->is_clock_changed |= packet->is_clock_changed;
	flow->timestamp = (flow->timestamp & ~mask) | packet->value;
	if (!flow->needs_high_bits)
		add_global(flow, index);
}

static void take_global_2(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index)
{
	uint64_t low = (UINT64_C(1) << GLOBAL_HIGH_AT) - 1;

	flow->timestamp = (flow->timestamp & low) | packet->value << GLOBAL_HIGH_AT;
	flow->needs_high_bits = false;
	add_global(flow, index);
}

static void take(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index)
{
	switch (packet->type) {
	case ITM_SOFTWARE:
	case ITM_HARDWARE:
		add_payload(flow, packet, index);
		break;
	case ITM_LOCAL_TIMESTAMP:
		add_local(flow, packet, index);
		break;
	case ITM_GLOBAL_TIMESTAMP_1:
		take_global_1(flow, packet, index);
		break;
	case ITM_GLOBAL_TIMESTAMP_2:
		take_global_2(flow, packet, index);
		break;
	case ITM_EXTENSION:
		if (!packet->is_hardware && packet->value_size == 0)
			flow->page = (uint8_t)packet->value;
		break;
	case ITM_OVERFLOW:
		flow->cycles = 0;
		flow->is_overflow = true;
		break;
	case ITM_BAD_SEQUENCE:
	case ITM_RESERVED:
	case ITM_NOT_SYNC:
		lose_sync(flow, NO_SYNC_BAD_PACKET);
		break;
	case ITM_ASYNC:
	case ITM_INCOMPLETE:
	case ITM_TYPES:
		break;
	}
}

void itm_flow_packet(struct itm_flow *flow, const struct itm_packet *packet, uint64_t index)
{
	/* The end of the trace is where the last packet was, or the first search for one. */
	if (packet->type != ITM_NOT_SYNC || !flow->told_not_sync)
		flow->last_index = index;
	flow->told_not_sync |= packet->type == ITM_NOT_SYNC;
	if (flow->state == ITM_FLOW_NO_SYNC) {
		sw_out_add(flow->out, ELEMENT_NO_SYNC, index)->no_sync = flow->reason;
		flow->state = ITM_FLOW_WAIT_SYNC;
	}
	if (flow->state == ITM_FLOW_DECODE)
		take(flow, packet, index);
	else if (packet->type == ITM_ASYNC)
		flow->state = ITM_FLOW_DECODE;
}

void itm_flow_end(struct itm_flow *flow)
{
	sw_out_add(flow->out, ELEMENT_EO_TRACE, flow->last_index)->no_sync = NO_SYNC_END;
}
