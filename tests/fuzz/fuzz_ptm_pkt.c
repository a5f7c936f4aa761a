/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of PTM, in any configuration that its registers can say. Holds: what fuzz_packets()
 * says, and the configuration's sizes are ones that the protocol has.
 */
#include "decoder/ptm/ptm_pkt.h"
#include "fuzz.h"
#include "fuzz_packets.h"
#include "fuzz_source.h"

static enum status next(void *state, struct bytes *in, struct fuzz_packet *out)
{
	struct ptm_reader *reader = state;
	struct ptm_packet packet;
	enum status status;

	out->is_searching = !reader->is_synced;
	status = ptm_reader_next(reader, in, in->end, &packet);
	if (status != STATUS_OK && status != STATUS_BAD_DATA)
		return status;
	FUZZ_CHECK(packet.type < PTM_TYPES && ptm_type_name(packet.type));
	out->type = (int)packet.type;
	out->size = packet.size;
	ptm_packet_format(&packet, &out->text);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_source fuzz;
	struct diag_list diags = {0};
	struct ptm_config config;
	struct ptm_reader once;
	struct ptm_reader cut;

	fuzz_source_init(&fuzz, PROTOCOL_PTM, data, size);
	FUZZ_CHECK(ptm_config_load(&fuzz.source, &diags, &config) == STATUS_OK);
	FUZZ_CHECK(config.context_id_size <= 4 && config.trace_id < 0x80);
	ptm_reader_init(&once, &config);
	ptm_reader_init(&cut, &config);
	fuzz_packets(next, &once, &cut, fuzz.trace);
	diag_list_fini(&diags);
	fuzz_source_fini(&fuzz);
	return 0;
}
