/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ITM: any trace, its packets and, from decoder_open() on, its elements. Holds: what
 * fuzz_packets() and fuzz_decode() say.
 */
#include "decoder/stimulus/itm_pkt.h"
#include "fuzz.h"
#include "fuzz_packets.h"
#include "fuzz_source.h"

static enum status next(void *state, struct bytes *in, struct fuzz_packet *out)
{
	struct itm_reader *reader = state;
	struct itm_packet packet;
	enum status status;

	out->is_searching = !reader->is_synced;
	status = itm_reader_next(reader, in, &packet);
	if (status != STATUS_OK && status != STATUS_BAD_DATA)
		return status;
	FUZZ_CHECK(packet.type < ITM_TYPES && itm_type_name(packet.type));
	out->type = (int)packet.type;
	out->size = packet.size;
	itm_packet_format(&packet, &out->text);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_source fuzz;
	struct itm_reader once;
	struct itm_reader cut;

	fuzz_source_init(&fuzz, PROTOCOL_ITM, data, size);
	itm_reader_init(&once);
	itm_reader_init(&cut);
	fuzz_packets(next, &once, &cut, fuzz.trace);
	fuzz_source_fini(&fuzz);
	fuzz_decode(PROTOCOL_ITM, data, size);
	return 0;
}
