/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of ETMv3, in any configuration that its registers can say. Holds: what fuzz_packets()
 * says, and the configuration's sizes are ones that the protocol has.
 */
#include "decoder/etm3/etm3_pkt.h"
#include "fuzz.h"
#include "fuzz_packets.h"
#include "fuzz_source.h"

static enum status next(void *state, struct bytes *in, struct fuzz_packet *out)
{
	struct etm3_reader *reader = state;
	struct etm3_packet packet;
	enum status status;

	out->is_searching = !reader->is_synced;
	status = etm3_reader_next(reader, in, in->end, &packet);
	if (status != STATUS_OK && status != STATUS_BAD_DATA)
		return status;
	FUZZ_CHECK(packet.type < ETM3_TYPES && etm3_type_name(packet.type));
	out->type = (int)packet.type;
	out->size = packet.size;
	etm3_packet_format(&packet, &out->text);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_source fuzz;
	struct diag_list diags = {0};
	struct etm3_config config;
	struct etm3_reader once;
	struct etm3_reader cut;

	fuzz_source_init(&fuzz, PROTOCOL_ETM3, data, size);
	FUZZ_CHECK(etm3_config_load(&fuzz.source, &diags, &config) == STATUS_OK);
	FUZZ_CHECK(config.context_id_size <= 4 && config.trace_id < 0x80);
	etm3_reader_init(&once, &config);
	etm3_reader_init(&cut, &config);
	fuzz_packets(next, &once, &cut, fuzz.trace);
	diag_list_fini(&diags);
	fuzz_source_fini(&fuzz);
	return 0;
}
