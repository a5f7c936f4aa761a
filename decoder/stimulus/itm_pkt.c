/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ITM packets: from header byte to reader of the fields, and the search for synchronisation. In:
 * bytes of one trace ID. Out: packets. Armv7-M ARM DDI 0403, appendix D4.2.
 */
#include "decoder/stimulus/itm_pkt.h"

enum {
	ASYNC_END = 0x80,
	CONTINUES = 0x80, /* in a byte: another one follows */
	LOCAL_BYTES = 4,
	GLOBAL_1_BYTES = 4,
	GLOBAL_2_BYTES = 6,
	EXTENSION_BYTES = 4,
	GLOBAL_1_BITS = 26, /* and then is_clock_changed, is_wrapped */
	GLOBAL_2_BITS = 38, /* and then reserved ones */
};

typedef enum status (*read_fields)(struct bytes *in, struct itm_packet *packet);

static enum status read_nothing(struct bytes *in, struct itm_packet *packet)
{
	(void)in;
	(void)packet;
	return STATUS_OK;
}

/* Seven bits a byte, lowest first, in at most `most` bytes. */
static enum status read_continued(struct bytes *in, unsigned int most, struct itm_packet *packet)
{
	uint64_t value = 0;
	uint8_t byte = CONTINUES;
	uint8_t count;

	for (count = 0; byte & CONTINUES; count++) {
		if (count == most)
			return STATUS_BAD_DATA;
		TRY(bytes_u8(in, &byte));
		value |= (uint64_t)(byte & ~CONTINUES & 0xff) << (7 * count);
	}
	packet->value = value;
	packet->value_size = count;
	return STATUS_OK;
}

/* After the first zero. A byte that is none of the packet ends it. */
static enum status read_async(struct bytes *in, struct itm_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, SIZE_MAX);
	uint8_t byte;

	(void)packet;
	TRY(bytes_peek(in, zeros, &byte));
	TRY(bytes_skip(in, zeros + 1));
	return zeros + 1 >= ITM_ASYNC_ZEROS && byte == ASYNC_END ? STATUS_OK : STATUS_BAD_DATA;
}

static enum status read_short_timestamp(struct bytes *in, struct itm_packet *packet)
{
	(void)in;
	packet->value = packet->header >> 4;
	packet->value_size = 1;
	packet->delay = ITM_DELAY_NONE;
	return STATUS_OK;
}

static enum status read_local_timestamp(struct bytes *in, struct itm_packet *packet)
{
	static const enum itm_delay delays[4] = {ITM_DELAY_NONE, ITM_DELAY_TIMESTAMP,
	                                         ITM_DELAY_PACKET, ITM_DELAY_BOTH};

	packet->delay = delays[packet->header >> 4 & 3];
	return read_continued(in, LOCAL_BYTES, packet);
}

static enum status read_payload(struct bytes *in, struct itm_packet *packet)
{
	uint8_t size = packet->header & 3;

	packet->source = packet->header >> 3;
	packet->value_size = size == 3 ? 4 : size;
	return bytes_le(in, packet->value_size, &packet->value);
}

static enum status read_extension(struct bytes *in, struct itm_packet *packet)
{
	packet->is_hardware = (packet->header & 4) != 0;
	packet->value = 0;
	packet->value_size = 0;
	if (packet->header & CONTINUES)
		TRY(read_continued(in, EXTENSION_BYTES, packet));
	packet->value = packet->value << 3 | (packet->header >> 4 & 7);
	return STATUS_OK;
}

static enum status read_global_timestamp_1(struct bytes *in, struct itm_packet *packet)
{
	TRY(read_continued(in, GLOBAL_1_BYTES, packet));
	packet->is_clock_changed = packet->value >> GLOBAL_1_BITS & 1;
	packet->is_wrapped = packet->value >> (GLOBAL_1_BITS + 1) & 1;
	packet->value &= (UINT64_C(1) << GLOBAL_1_BITS) - 1;
	return STATUS_OK;
}

static enum status read_global_timestamp_2(struct bytes *in, struct itm_packet *packet)
{
	TRY(read_continued(in, GLOBAL_2_BYTES, packet));
	packet->value &= (UINT64_C(1) << GLOBAL_2_BITS) - 1;
	return STATUS_OK;
}

static const struct header_row {
	enum itm_type type;
	uint8_t mask;
	uint8_t match;
	read_fields read;
} header_rows[] = {
#define HEADER(name, mask, match, fields) {ITM_##name, mask, match, read_##fields},
#include "decoder/stimulus/itm_pkt.def"
#undef HEADER
};

static const struct header_row *header_row(uint8_t header)
{
	for (unsigned int i = 0; i < sizeof(header_rows) / sizeof(header_rows[0]); i++) {
		if ((header & header_rows[i].mask) == header_rows[i].match)
			return &header_rows[i];
	}
	return NULL;
}

enum itm_type itm_header_type(uint8_t header)
{
	const struct header_row *row = header_row(header);

	return row ? row->type : ITM_RESERVED;
}

void itm_reader_init(struct itm_reader *reader)
{
	*reader = (struct itm_reader){.is_synced = false};
}

/* Bytes before a zero, which may begin a synchronisation packet, or zeros that start none. */
static enum status find_async(struct bytes *in, struct itm_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, SIZE_MAX);
	size_t count = zeros;
	uint8_t byte;

	packet->type = ITM_NOT_SYNC;
	if (zeros == 0) {
		TRY(bytes_need(in, 1));
		while (bytes_peek(in, count, &byte) == STATUS_OK && byte != 0)
			count++;
		return bytes_skip(in, count);
	}
	TRY(bytes_peek(in, zeros, &byte));
	if (zeros >= ITM_ASYNC_ZEROS && byte == ASYNC_END)
		packet->type = ITM_ASYNC;
	return bytes_skip(in, count + 1);
}

static enum status read_synced(struct bytes *in, struct itm_packet *packet)
{
	const struct header_row *row;
	enum status status;

	TRY(bytes_u8(in, &packet->header));
	row = header_row(packet->header);
	packet->type = row ? row->type : ITM_RESERVED;
	if (!row)
		return STATUS_BAD_DATA;
	status = row->read(in, packet);
	if (status == STATUS_BAD_DATA) {
		packet->meant = packet->type;
		packet->type = ITM_BAD_SEQUENCE;
	}
	return status == STATUS_END ? STATUS_TRUNCATED : status;
}

enum status itm_reader_next(struct itm_reader *reader, struct bytes *in, struct itm_packet *packet)
{
	struct bytes at = *in;
	enum status status;

	*packet = (struct itm_packet){.type = ITM_NOT_SYNC};
	status = reader->is_synced ? read_synced(&at, packet) : find_async(&at, packet);
	if (status != STATUS_OK && status != STATUS_BAD_DATA)
		return status;
	reader->is_synced = packet->type == ITM_ASYNC || (reader->is_synced && status == STATUS_OK);
	packet->size = (uint32_t)(at.pos - in->pos);
	*in = at;
	return status;
}
