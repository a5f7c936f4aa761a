/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 and ETE packets: from header byte to reader of the fields, and the search for the first
 * A-Sync. In: bytes of one trace ID. Out: packets. IHI 0064, "Instruction trace protocol".
 */
#include "decoder/etm4/etm4_pkt.h"

enum {
	ASYNC_ZEROS = 11, /* and then ASYNC_END */
	ASYNC_END = 0x80,
	NOT_SYNC_BYTES = 8, /* unsynchronised bytes are listed in groups of that many or more */
};

/* What a configuration must have for a header byte to be a packet. */
enum needs {
	NEEDS_ALWAYS,
	NEEDS_V8M,
	NEEDS_DATA,
	NEEDS_CONDITIONAL,
	NEEDS_VERSION_4_3,
	NEEDS_VERSION_4_6,
	NEEDS_Q_ELEMENTS,
	NEEDS_ETM4, /* what ETE has no use for */
	NEEDS_ETE,
	NEEDS_ETE_1_3,
};

struct header_row {
	enum etm4_type type;
	uint8_t first;
	uint8_t last;
	enum needs needs;
	etm4_read_fields read;
};

static const struct header_row header_rows[] = {
#define HEADER(name, first, last, needs, fields)                                                   \
	{ETM4_##name, first, last, NEEDS_##needs, etm4_read_##fields},
#include "decoder/etm4/etm4_pkt.def"

#include "decoder/etm4/ete_pkt.def"
#undef HEADER
};

enum { HEADER_ROWS = sizeof(header_rows) / sizeof(header_rows[0]) };

static const struct {
	const char *name;
} type_table[ETM4_TYPES] = {
#define PACKET(name, listed, what) {listed},
#include "decoder/etm4/etm4_pkt.def"

#include "decoder/etm4/ete_pkt.def"
#undef PACKET
};

static bool config_has(const struct etm4_config *config, enum needs needs)
{
	switch (needs) {
	case NEEDS_V8M:
		return config->has_function_return;
	case NEEDS_DATA:
		return config->has_data;
	case NEEDS_CONDITIONAL:
		return config->has_conditional;
	case NEEDS_VERSION_4_3:
		return config->version >= 0x43;
	case NEEDS_VERSION_4_6:
		return config->version >= 0x46;
	case NEEDS_Q_ELEMENTS:
		return config->has_q;
	case NEEDS_ETM4:
		return !config_is_ete(config);
	case NEEDS_ETE:
		return config_is_ete(config);
	case NEEDS_ETE_1_3:
		return config->version >= 0x53;
	case NEEDS_ALWAYS:
		break;
	}
	return true;
}

/* Atoms of a header byte of one of the atom formats; bit 0 is the oldest. */
static uint32_t atoms_of(enum etm4_type type, uint8_t header, uint8_t *count)
{
	static const uint8_t format_4[4] = {0xe, 0x0, 0xa, 0x5};
	static const uint8_t format_5[8] = {[1] = 0x00, [2] = 0x0a, [3] = 0x15, [5] = 0x1e};
	unsigned int ones;

	switch ((int)type) {
	case ETM4_ATOM_F1:
		*count = 1;
		return header & 1;
	case ETM4_ATOM_F2:
		*count = 2;
		return header & 3;
	case ETM4_ATOM_F3:
		*count = 3;
		return header & 7;
	case ETM4_ATOM_F4:
		*count = 4;
		return format_4[header & 3];
	case ETM4_ATOM_F5:
		*count = 5;
		return format_5[(header & 0x20) >> 3 | (header & 3)];
	case ETM4_ATOM_F6:
		ones = (header & 0x1fU) + 3;
		*count = (uint8_t)(ones + 1);
		return ((UINT32_C(1) << ones) - 1) | (header & 0x20 ? 0 : UINT32_C(1) << ones);
	default:
		*count = 0;
		return 0;
	}
}

void etm4_reader_init(struct etm4_reader *reader, const struct etm4_config *config)
{
	*reader = (struct etm4_reader){.config = config};
	for (unsigned int i = 0; i < HEADER_ROWS; i++) {
		const struct header_row *row = &header_rows[i];

		/* The headers of ETE are reserved in ETMv4 whatever the configuration. */
		if (row->needs >= NEEDS_ETE && !config_has(config, row->needs))
			continue;
		for (unsigned int h = row->first; h <= row->last; h++) {
			reader->rows[h] = (uint8_t)(i + 1);
			reader->lacks[h] = !config_has(config, row->needs);
			reader->is_address[h] = row->type >= ETM4_ADDRESS_MATCH &&
			                        row->type <= ETM4_ADDRESS_64_IS1 &&
			                        !reader->lacks[h];
			reader->atoms.atoms[h] =
			        atoms_of(row->type, (uint8_t)h, &reader->atoms.counts[h]);
		}
	}
}

/* NULL for a reserved header byte. */
static const struct header_row *header_row(const struct etm4_reader *reader, uint8_t header)
{
	return reader->rows[header] == 0 ? NULL : &header_rows[reader->rows[header] - 1];
}

enum etm4_type etm4_header_type(const struct etm4_reader *reader, uint8_t header)
{
	const struct header_row *row = header_row(reader, header);

	if (!row)
		return ETM4_RESERVED;
	return reader->lacks[header] ? ETM4_RESERVED_CONFIG : row->type;
}

/*
 * What begins with 0x00. The zeros of an A-Sync are twelve bytes with its end; a byte too early
 * or too late makes them a bad packet that ends with that byte.
 */
enum status etm4_read_extension(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, ASYNC_ZEROS);
	uint8_t byte = 0;

	(void)reader;
	packet->meant = ETM4_EXTENSION;
	if (zeros > 0)
		packet->meant = ETM4_ASYNC;
	if (zeros < ASYNC_ZEROS)
		TRY(bytes_peek(in, zeros, &byte));
	packet->type = ETM4_BAD_SEQUENCE;
	if (zeros == ASYNC_ZEROS - 1 && byte == ASYNC_END)
		packet->type = ETM4_ASYNC;
	if (zeros == 0) {
#define EXTENSION(name, value)                                                                     \
	if (byte == (value))                                                                       \
		packet->type = ETM4_##name;
#include "decoder/etm4/etm4_pkt.def"
#undef EXTENSION
	}
	TRY(bytes_skip(in, zeros < ASYNC_ZEROS ? zeros + 1 : ASYNC_ZEROS));
	return packet->type == ETM4_BAD_SEQUENCE ? STATUS_BAD_DATA : STATUS_OK;
}

/*
 * `count` bytes are none of an A-Sync, which `seen` bytes have shown. The last group of a trace is
 * not passed over but cut by its end, so there must be one more.
 */
static enum status pass_over(struct bytes *in, struct etm4_packet *packet, size_t count,
                             size_t seen)
{
	TRY(bytes_need(in, seen + 1));
	TRY(bytes_skip(in, count));
	packet->type = ETM4_NOT_SYNC;
	return STATUS_OK;
}

/*
 * Before the first A-Sync. Bytes are passed over in groups: up to a zero, which may begin it, or
 * eight and more. A group that the trace ends in is TRUNCATED.
 */
static enum status find_async(struct etm4_reader *reader, struct bytes *in,
                              struct etm4_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, ASYNC_ZEROS + 1);
	size_t count = zeros;
	uint8_t byte;

	if (zeros == ASYNC_ZEROS + 1)
		return pass_over(in, packet, 1, zeros);
	TRY(bytes_peek(in, count, &byte));
	if (zeros == ASYNC_ZEROS) {
		packet->meant = ETM4_ASYNC;
		packet->type = byte == ASYNC_END ? ETM4_ASYNC : ETM4_BAD_SEQUENCE;
		reader->is_synced = byte == ASYNC_END;
		TRY(bytes_skip(in, ASYNC_ZEROS + 1));
		return reader->is_synced ? STATUS_OK : STATUS_BAD_DATA;
	}
	for (count++;; count++) {
		TRY(bytes_peek(in, count, &byte));
		if (byte == 0)
			return pass_over(in, packet, count, count + 1);
		if (count + 1 >= NOT_SYNC_BYTES)
			return pass_over(in, packet, count + 1, count + 1);
	}
}

static enum status reject(struct etm4_packet *packet, enum etm4_type type)
{
	packet->meant = packet->type;
	packet->type = type;
	return STATUS_BAD_DATA;
}

static enum status read_synced(struct etm4_reader *reader, struct bytes *in,
                               struct etm4_packet *packet)
{
	const struct header_row *row;
	enum status status;

	TRY(bytes_u8(in, &packet->header));
	row = header_row(reader, packet->header);
	packet->type = row ? row->type : ETM4_RESERVED;
	if (!row)
		return reject(packet, ETM4_RESERVED);
	if (reader->lacks[packet->header])
		return reject(packet, ETM4_RESERVED_CONFIG);
	status = row->read(reader, in, packet);
	return status == STATUS_END ? STATUS_TRUNCATED : status;
}

enum status etm4_reader_next(struct etm4_reader *reader, struct bytes *in,
                             struct etm4_packet *packet)
{
	const uint8_t *begin = in->pos;
	enum status status;

	status = reader->is_synced ? read_synced(reader, in, packet)
	                           : find_async(reader, in, packet);
	if (status == STATUS_TRUNCATED)
		in->pos = begin;
	packet->size = (uint32_t)(in->pos - begin);
	return status;
}

void etm4_reader_describe(const struct etm4_reader *reader, struct text *out)
{
	const struct etm4_context *context = &reader->context;

	for (unsigned int i = 0; i < ETM4_ADDRESSES; i++) {
		const struct etm4_address *address = &reader->addresses[i];

		text_printf(out, "address %llx is %u sent %u 64-bit %d\n",
		            (unsigned long long)address->value, address->isa, address->sent_bits,
		            address->is_64bit);
	}
	text_printf(out, "context level %u ns %d nse %d 64-bit %d vmid %d %x context id %d %x\n",
	            context->level, context->is_non_secure, context->is_realm_root,
	            context->is_64bit, context->has_vmid, context->vmid, context->has_context_id,
	            context->context_id);
	text_printf(out, "timestamp %d %llx threshold %u synced %d info %d\n",
	            reader->has_timestamp,
	            (unsigned long long)(reader->has_timestamp ? reader->timestamp : 0),
	            reader->threshold, reader->is_synced, reader->had_trace_info);
}

const char *etm4_type_name(enum etm4_type type)
{
	return type < ETM4_TYPES ? type_table[type].name : "I_UNKNOWN";
}
