/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STM: any trace, its packets and, from decoder_open() on, its elements. Holds: every packet takes
 * at least one nibble, its size is that of the bytes it has nibbles in, TRUNCATED and END change
 * nothing, and every packet can be printed; and what fuzz_decode() says.
 */
#include "decoder/stimulus/stm_pkt.h"
#include "fuzz.h"
#include "fuzz_source.h"

/* Nibbles before the next packet. */
static size_t nibbles(const struct stm_reader *reader, const struct bytes *in)
{
	return 2 * bytes_offset(in) + (reader->is_high_next ? 1 : 0);
}

static void check_packet(const struct stm_packet *packet, size_t before, size_t after)
{
	struct text text = {0};

	FUZZ_CHECK(after > before);
	FUZZ_CHECK(packet->size == (after + 1) / 2 - before / 2);
	FUZZ_CHECK(packet->begins_high == (before % 2 != 0));
	FUZZ_CHECK(packet->type < STM_TYPES && packet->name);
	stm_packet_format(packet, &text);
	FUZZ_CHECK(text_status(&text) == STATUS_OK && text.length > 0);
	text_fini(&text);
}

static void read_packets(struct bytes in)
{
	struct stm_reader reader;
	struct stm_packet packet;
	size_t before;
	enum status status;

	stm_reader_init(&reader);
	do {
		before = nibbles(&reader, &in);
		status = stm_reader_next(&reader, &in, &packet);
		if (status == STATUS_OK || status == STATUS_BAD_DATA)
			check_packet(&packet, before, nibbles(&reader, &in));
	} while (status == STATUS_OK || status == STATUS_BAD_DATA);
	FUZZ_CHECK(nibbles(&reader, &in) == before);
	FUZZ_CHECK(status == (bytes_left(&in) == 0 ? STATUS_END : STATUS_TRUNCATED));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_source fuzz;

	fuzz_source_init(&fuzz, PROTOCOL_STM, data, size);
	read_packets(fuzz.trace);
	fuzz_source_fini(&fuzz);
	fuzz_decode(PROTOCOL_STM, data, size);
	return 0;
}
