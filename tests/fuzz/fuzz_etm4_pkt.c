/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of ETMv4 and ETE, in any configuration that its registers can say. Holds: what
 * fuzz_packets() says, and the configuration's sizes are ones that the protocol has.
 */
#include "decoder/etm4/etm4_pkt.h"
#include "fuzz.h"
#include "fuzz_packets.h"
#include "fuzz_source.h"

static enum status next(void *state, struct bytes *in, struct fuzz_packet *out)
{
	struct etm4_reader *reader = state;
	struct etm4_packet packet;
	enum status status;

	out->is_searching = !reader->is_synced;
	status = etm4_reader_next(reader, in, &packet);
	if (status != STATUS_OK && status != STATUS_BAD_DATA)
		return status;
	FUZZ_CHECK(packet.type < ETM4_TYPES && etm4_type_name(packet.type));
	out->type = (int)packet.type;
	out->size = packet.size;
	etm4_packet_format(&packet, reader->config, &out->text);
	return status;
}

static void check_config(const struct etm4_config *config)
{
	FUZZ_CHECK(config->vmid_size <= 4 && config->context_id_size <= 4);
	FUZZ_CHECK(config->trace_id < 0x80);
	FUZZ_CHECK(config->version >> 4 == 4 || config->version >> 4 == 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_source fuzz;
	struct diag_list diags = {0};
	struct etm4_config config;
	struct etm4_reader once;
	struct etm4_reader cut;

	fuzz_source_init(&fuzz, PROTOCOL_ETM4, data, size);
	if (etm4_config_load(&fuzz.source, &diags, &config) == STATUS_OK) {
		check_config(&config);
		etm4_reader_init(&once, &config);
		etm4_reader_init(&cut, &config);
		fuzz_packets(next, &once, &cut, fuzz.trace);
	}
	diag_list_fini(&diags);
	fuzz_source_fini(&fuzz);
	return 0;
}
