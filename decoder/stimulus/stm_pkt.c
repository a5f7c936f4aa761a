/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STM packets: from opcode to fields, nibble by nibble, and the search for synchronisation. In:
 * bytes of one trace ID. Out: packets. MIPI STPv2; CoreSight STM TRM.
 */
#include "decoder/stimulus/stm_pkt.h"

#include "base/gray.h"

enum {
	PREFIX_2 = 0xf, /* an opcode of two nibbles or more */
	PREFIX_3 = 0x0, /* after PREFIX_2: of three */
	VERSION_BINARY = 3,
	VERSION_GRAY = 4,
};

enum parts {
	PARTS_NONE,
	PARTS_MARKER,
	PARTS_TIMESTAMP,
	PARTS_BOTH,
};

static const struct opcode_row {
	enum stm_type type;
	const char *name;
	uint8_t nibbles;
	uint8_t opcode;
	uint8_t digits;
	enum parts parts;
} opcode_rows[] = {
#define OPCODE(type, name, nibbles, opcode, digits, parts)                                         \
	{STM_##type, name, nibbles, opcode, digits, PARTS_##parts},
#include "decoder/stimulus/stm_pkt.def"
#undef OPCODE
};

static const struct {
	const char *name;
	const char *what;
} types[STM_TYPES] = {
#define PACKET(name, listed, what) {listed, what},
#include "decoder/stimulus/stm_pkt.def"
#undef PACKET
};

/* A place between two nibbles. */
struct nibbles {
	struct bytes bytes;
	bool is_high_next;
};

static enum status read_nibble(struct nibbles *in, uint8_t *nibble)
{
	uint8_t byte;

	TRY(bytes_peek(&in->bytes, 0, &byte));
	*nibble = in->is_high_next ? byte >> 4 : byte & 0xf;
	if (in->is_high_next)
		TRY(bytes_skip(&in->bytes, 1));
	in->is_high_next = !in->is_high_next;
	return STATUS_OK;
}

/* `digits` nibbles, at most 16, highest first. */
static enum status read_value(struct nibbles *in, unsigned int digits, uint64_t *value)
{
	uint64_t v = 0;
	uint8_t nibble;

	for (unsigned int i = 0; i < digits; i++) {
		TRY(read_nibble(in, &nibble));
		v = v << 4 | nibble;
	}
	*value = v;
	return STATUS_OK;
}

/* The low nibbles of the timestamp; the others are as before. */
static enum status read_timestamp(const struct stm_reader *reader, struct nibbles *in,
                                  uint64_t *timestamp)
{
	uint64_t kept = UINT64_MAX;
	uint64_t base = reader->timestamp;
	uint64_t value;
	uint8_t length;
	unsigned int digits;

	TRY(read_nibble(in, &length));
	if (length == 0xf)
		return STATUS_BAD_DATA;
	digits = length < 0xd ? length : length == 0xd ? 14U : 16U;
	TRY(read_value(in, digits, &value));
	if (reader->clock == STM_CLOCK_UNKNOWN)
		return STATUS_BAD_DATA;
	kept = digits < 16 ? kept << (4 * digits) : 0;
	if (reader->clock == STM_CLOCK_GRAY)
		*timestamp = gray_to_binary((gray_of(base) & kept) | value);
	else
		*timestamp = (base & kept) | value;
	return STATUS_OK;
}

/* NULL for a reserved opcode. */
static const struct opcode_row *opcode_row(unsigned int nibbles, uint8_t opcode)
{
	for (unsigned int i = 0; i < sizeof(opcode_rows) / sizeof(opcode_rows[0]); i++) {
		if (opcode_rows[i].nibbles == nibbles && opcode_rows[i].opcode == opcode)
			return &opcode_rows[i];
	}
	return NULL;
}

static bool is_prefix(unsigned int nibbles, uint8_t opcode)
{
	return (nibbles == 1 && opcode == PREFIX_2) || (nibbles == 2 && opcode == PREFIX_3);
}

enum stm_type stm_opcode_type(unsigned int nibbles, uint8_t opcode)
{
	const struct opcode_row *row = opcode_row(nibbles, opcode);

	if (is_prefix(nibbles, opcode))
		return STM_TYPES;
	return row ? row->type : STM_RESERVED;
}

void stm_reader_init(struct stm_reader *reader)
{
	*reader = (struct stm_reader){.clock = STM_CLOCK_UNKNOWN};
}

/* Counts nibbles of 0xf from `count` on, and reads the one after them. */
static enum status read_fs(struct nibbles *in, unsigned int *count, uint8_t *after)
{
	do {
		TRY(read_nibble(in, after));
		if (*after == 0xf && *count < STM_ASYNC_NIBBLES)
			(*count)++;
	} while (*after == 0xf);
	return STATUS_OK;
}

static enum status read_async(struct nibbles *in)
{
	unsigned int count = 2; /* the opcode's own */
	uint8_t after;

	TRY(read_fs(in, &count, &after));
	return count == STM_ASYNC_NIBBLES && after == 0 ? STATUS_OK : STATUS_BAD_DATA;
}

/* Up to what may begin a synchronisation packet, or one that is whole. */
static enum status find_async(struct nibbles *in, struct stm_packet *packet)
{
	struct nibbles at = *in;
	bool has_passed = false;

	packet->type = STM_NOT_SYNC;
	for (;;) {
		unsigned int count = 0;
		uint8_t after;
		enum status status;

		*in = at;
		status = read_fs(&at, &count, &after);
		if (status != STATUS_OK)
			return has_passed ? STATUS_OK : status;
		if (count == STM_ASYNC_NIBBLES && after == 0)
			break;
		has_passed = true;
	}
	if (has_passed)
		return STATUS_OK;
	*in = at;
	packet->type = STM_ASYNC;
	return STATUS_OK;
}

static enum status read_opcode(struct nibbles *in, struct stm_packet *packet,
                               const struct opcode_row **row)
{
	uint8_t opcode;
	unsigned int nibbles = 0;

	do {
		TRY(read_nibble(in, &opcode));
		packet->value = packet->value << 4 | opcode;
		nibbles++;
	} while (is_prefix(nibbles, opcode));
	packet->digits = (uint8_t)nibbles;
	packet->type = STM_RESERVED;
	*row = opcode_row(nibbles, opcode);
	return *row ? STATUS_OK : STATUS_BAD_DATA;
}

static enum status read_fields(const struct stm_reader *reader, struct nibbles *in,
                               const struct opcode_row *row, struct stm_packet *packet)
{
	packet->type = row->type;
	packet->name = row->name;
	packet->digits = row->digits;
	packet->is_marker = row->parts == PARTS_MARKER || row->parts == PARTS_BOTH;
	TRY(read_value(in, row->digits, &packet->value));
	if (row->type == STM_ASYNC)
		return read_async(in);
	if (row->type == STM_VERSION && packet->value != VERSION_BINARY &&
	    packet->value != VERSION_GRAY)
		return STATUS_BAD_DATA;
	if (row->parts != PARTS_TIMESTAMP && row->parts != PARTS_BOTH)
		return STATUS_OK;
	TRY(read_timestamp(reader, in, &packet->timestamp));
	packet->has_timestamp = true;
	return STATUS_OK;
}

static enum status read_synced(const struct stm_reader *reader, struct nibbles *in,
                               struct stm_packet *packet)
{
	const struct opcode_row *row;
	enum status status;

	TRY(read_opcode(in, packet, &row));
	status = read_fields(reader, in, row, packet);
	if (status == STATUS_BAD_DATA) {
		packet->meant = packet->type;
		packet->type = STM_BAD_SEQUENCE;
	}
	return status;
}

/* What a whole packet changes for those after it. */
static void keep(struct stm_reader *reader, const struct stm_packet *packet)
{
	switch (packet->type) {
	case STM_VERSION:
		reader->clock = packet->value == VERSION_GRAY ? STM_CLOCK_GRAY : STM_CLOCK_BINARY;
		reader->master = 0;
		reader->channel = 0;
		break;
	case STM_MASTER:
		reader->master = (uint8_t)packet->value;
		reader->channel = 0;
		break;
	case STM_GLOBAL_ERROR:
		reader->master = 0;
		reader->channel = 0;
		break;
	case STM_MASTER_ERROR:
		reader->channel = 0;
		break;
	case STM_CHANNEL_8:
		reader->channel = (uint16_t)((reader->channel & 0xff00) | packet->value);
		break;
	case STM_CHANNEL_16:
		reader->channel = (uint16_t)packet->value;
		break;
	case STM_ASYNC:
		reader->is_synced = true;
		break;
	case STM_RESERVED:
	case STM_BAD_SEQUENCE:
		reader->is_synced = false;
		break;
	case STM_NOT_SYNC:
	case STM_INCOMPLETE:
	case STM_EMPTY:
	case STM_DATA:
	case STM_FLAG:
	case STM_TRIGGER:
	case STM_FREQUENCY:
	case STM_TYPES:
		break;
	}
	if (packet->has_timestamp)
		reader->timestamp = packet->timestamp;
}

enum status stm_reader_next(struct stm_reader *reader, struct bytes *in, struct stm_packet *packet)
{
	struct nibbles at = {*in, reader->is_high_next};
	enum status status;

	*packet = (struct stm_packet){.type = STM_NOT_SYNC, .begins_high = reader->is_high_next};
	status = reader->is_synced ? read_synced(reader, &at, packet) : find_async(&at, packet);
	if (status == STATUS_END)
		return bytes_left(in) > 0 ? STATUS_TRUNCATED : STATUS_END;
	if (status != STATUS_OK && status != STATUS_BAD_DATA)
		return status;
	keep(reader, packet);
	if (status == STATUS_BAD_DATA || !packet->name)
		packet->name = types[packet->type].name;
	packet->master = reader->master;
	packet->channel = reader->channel;
	packet->size = (uint32_t)(at.bytes.pos - in->pos) + (at.is_high_next ? 1 : 0);
	reader->is_high_next = at.is_high_next;
	*in = at.bytes;
	return status;
}

const char *stm_type_name(enum stm_type type)
{
	return type < STM_TYPES ? types[type].name : "UNKNOWN";
}

static void add_value(const struct stm_packet *packet, const char *name, struct text *out)
{
	text_printf(out, "; %s=0x", name);
	text_hex(out, packet->value, packet->digits);
}

void stm_packet_format(const struct stm_packet *packet, struct text *out)
{
	static const char *const names[STM_TYPES] = {
	        [STM_MASTER] = "Master",      [STM_CHANNEL_8] = "Chan",
	        [STM_CHANNEL_16] = "Chan",    [STM_DATA] = "Data",
	        [STM_TRIGGER] = "TrigData",   [STM_MASTER_ERROR] = "Error",
	        [STM_GLOBAL_ERROR] = "Error", [STM_VERSION] = "Ver",
	        [STM_RESERVED] = "Opcode",
	};

	text_puts(out, packet->type < STM_TYPES ? types[packet->type].what : "");
	if (packet->type < STM_TYPES && names[packet->type])
		add_value(packet, names[packet->type], out);
	if (packet->type == STM_FREQUENCY)
		text_printf(out, "; Freq=%lluHz", (unsigned long long)packet->value);
	if (packet->type == STM_INCOMPLETE || packet->type == STM_BAD_SEQUENCE)
		text_printf(out, " [%s]", stm_type_name(packet->meant));
	if (packet->is_marker)
		text_puts(out, "; marker");
	if (packet->has_timestamp)
		text_printf(out, "; TS=0x%016llx", (unsigned long long)packet->timestamp);
}
