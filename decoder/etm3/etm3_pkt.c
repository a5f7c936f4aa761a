/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv3 packets: from header byte to reader of the fields, and the search for the first A-Sync.
 * In: bytes of one trace ID. Out: packets. IHI 0014, "Trace port protocol of ETMv3".
 */
#include "decoder/etm3/etm3_pkt.h"

enum {
	ASYNC_ZEROS = 5, /* and then ASYNC_END */
	ASYNC_END = 0x80,
	NOT_SYNC_BYTES = 16, /* unsynchronised bytes are listed in groups of that many */
	NOT_SYNC_ZEROS = 13, /* of so many zeros at least eight are no A-Sync's */
};

/* What a configuration must have for a header byte to be a packet. */
enum needs {
	NEEDS_ALWAYS,
	NEEDS_DATA,
	NEEDS_VALUES,
	NEEDS_CONTEXT_ID,
	NEEDS_NO_CYCLES,
};

struct header_row {
	enum etm3_type type;
	uint8_t mask;
	uint8_t match;
	enum needs needs;
	etm3_read_fields read;
};

static const struct header_row header_rows[] = {
#define HEADER(name, mask, match, needs, fields)                                                   \
	{ETM3_##name, mask, match, NEEDS_##needs, etm3_read_##fields},
#include "decoder/etm3/etm3_pkt.def"
#undef HEADER
};

enum { HEADER_ROWS = sizeof(header_rows) / sizeof(header_rows[0]) };

static bool config_has(const struct etm3_config *config, enum needs needs)
{
	switch (needs) {
	case NEEDS_DATA:
		return config->traces_data_values || config->traces_data_addresses;
	case NEEDS_VALUES:
		return config->traces_data_values;
	case NEEDS_CONTEXT_ID:
		return config->context_id_size > 0;
	case NEEDS_NO_CYCLES:
		return !config->is_cycle_accurate;
	case NEEDS_ALWAYS:
		break;
	}
	return true;
}

static const struct header_row *header_row(const struct etm3_reader *reader, uint8_t header)
{
	return reader->rows[header] == 0 ? NULL : &header_rows[reader->rows[header] - 1];
}

enum etm3_type etm3_header_type(const struct etm3_reader *reader, uint8_t header)
{
	const struct header_row *row = header_row(reader, header);

	if (!row)
		return ETM3_RESERVED;
	return config_has(reader->config, row->needs) ? row->type : ETM3_BAD_MODE;
}

static struct etm3_atoms p_header(struct etm3_reader *reader, uint8_t header)
{
	static const uint16_t counted[] = {
	        [ETM3_ATOMS_EACH] = 0xffff, [ETM3_ATOMS_FIRST] = 1, [ETM3_ATOMS_LAST] = 1};
	struct etm3_packet packet = {.header = header};
	struct etm3_atoms atoms = {.is_p_header = false};

	if (etm3_header_type(reader, header) != ETM3_P_HEADER ||
	    etm3_read_p_header(reader, NULL, &packet) != STATUS_OK)
		return atoms;
	/* One that says nothing is none of those that are taken together. */
	atoms.is_p_header = packet.atom_count > 0 || reader->config->is_cycle_accurate;
	atoms.count = packet.atom_count;
	atoms.atoms = (uint16_t)packet.atoms;
	atoms.cycles = 1;
	if (packet.atoms_format == ETM3_ATOMS_LAST || packet.atom_count == 0)
		atoms.cycles = (uint8_t)packet.cycles;
	if (packet.atoms_format != ETM3_ATOMS_NONE)
		atoms.counted = counted[packet.atoms_format];
	return atoms;
}

void etm3_reader_init(struct etm3_reader *reader, const struct etm3_config *config)
{
	*reader = (struct etm3_reader){.config = config};
	for (unsigned int i = 0; i < HEADER_ROWS; i++) {
		for (unsigned int h = 0; h < 256; h++) {
			if ((h & header_rows[i].mask) == header_rows[i].match)
				reader->rows[h] = (uint8_t)(i + 1);
		}
	}
	for (unsigned int h = 0; h < 256; h++)
		reader->atoms[h] = p_header(reader, (uint8_t)h);
}

/*
 * After its first zero. Of too many zeros the first one is a bad packet, and what is after it
 * may be an A-Sync; of too few all are, and what is after them a packet.
 */
enum status etm3_read_async(struct etm3_reader *reader, struct bytes *in,
                            struct etm3_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, ASYNC_ZEROS);
	uint8_t byte = 0;

	(void)reader;
	if (zeros < ASYNC_ZEROS)
		TRY(bytes_peek(in, zeros, &byte));
	if (zeros == ASYNC_ZEROS - 1 && byte == ASYNC_END)
		return bytes_skip(in, ASYNC_ZEROS);
	packet->meant = ETM3_ASYNC;
	packet->type = ETM3_BAD_SEQUENCE;
	if (zeros < ASYNC_ZEROS)
		TRY(bytes_skip(in, zeros));
	return STATUS_BAD_DATA;
}

static enum status pass_over(struct bytes *in, struct etm3_packet *packet, size_t count)
{
	TRY(bytes_skip(in, count));
	packet->type = ETM3_NOT_SYNC;
	return STATUS_OK;
}

/*
 * Before the first A-Sync. Bytes are passed over in groups: up to a zero, which may begin it, up
 * to the end of their block, or sixteen.
 */
static enum status find_async(struct etm3_reader *reader, struct bytes *in,
                              const uint8_t *block_end, struct etm3_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, NOT_SYNC_ZEROS);
	size_t block = (size_t)(block_end - in->pos);
	size_t count = zeros + 1;
	uint8_t byte;

	if (zeros == NOT_SYNC_ZEROS)
		return pass_over(in, packet, NOT_SYNC_ZEROS - ASYNC_ZEROS);
	TRY(bytes_peek(in, zeros, &byte));
	if (zeros >= ASYNC_ZEROS && byte == ASYNC_END) {
		if (zeros > ASYNC_ZEROS)
			return pass_over(in, packet, zeros - ASYNC_ZEROS);
		reader->is_synced = true;
		packet->type = ETM3_ASYNC;
		return bytes_skip(in, ASYNC_ZEROS + 1);
	}
	while (count < NOT_SYNC_BYTES && count < block &&
	       bytes_peek(in, count, &byte) == STATUS_OK && byte != 0)
		count++;
	return pass_over(in, packet, count);
}

static enum status reject(struct etm3_packet *packet, enum etm3_type type)
{
	packet->meant = packet->type;
	packet->type = type;
	return STATUS_BAD_DATA;
}

static enum status read_synced(struct etm3_reader *reader, struct bytes *in,
                               struct etm3_packet *packet)
{
	const struct header_row *row;
	enum status status;

	TRY(bytes_u8(in, &packet->header));
	row = header_row(reader, packet->header);
	packet->type = row ? row->type : ETM3_RESERVED;
	if (!row)
		return reject(packet, ETM3_RESERVED);
	if (!config_has(reader->config, row->needs))
		return reject(packet, ETM3_BAD_MODE);
	status = row->read(reader, in, packet);
	return status == STATUS_END ? STATUS_TRUNCATED : status;
}

enum status etm3_reader_next(struct etm3_reader *reader, struct bytes *in, const uint8_t *block_end,
                             struct etm3_packet *packet)
{
	const struct etm3_known before = reader->known;
	const uint8_t *begin = in->pos;
	enum status status;

	*packet = (struct etm3_packet){.type = ETM3_NOT_SYNC};
	status = reader->is_synced ? read_synced(reader, in, packet)
	                           : find_async(reader, in, block_end, packet);
	if (status == STATUS_TRUNCATED) {
		in->pos = begin;
		reader->known = before;
	}
	if (status == STATUS_BAD_DATA)
		reader->known.data_bits = 0; /* an address may be among what was not understood */
	packet->known = reader->known;
	packet->is_isa_changed = reader->known.isa != before.isa;
	packet->size = (uint32_t)(in->pos - begin);
	return status;
}
