/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTM packets: from header byte to fields, and the search for the first A-Sync. In: bytes of one
 * trace ID. Out: packets. PFT IHI 0035, "Program flow trace protocol".
 */
#include "decoder/ptm/ptm_pkt.h"

#include "base/gray.h"

enum {
	ASYNC_ZEROS = 5, /* at least, and then ASYNC_END */
	ASYNC_END = 0x80,
	ASYNC_ZEROS_MOST = 15,
	NOT_SYNC_BYTES = 16, /* unsynchronised bytes are listed in groups of that many */
	MORE = 0x80,         /* another byte of the same field follows */
	LAST_MORE = 0x40,    /* an exception byte follows the address */
	ADDRESS_BYTES = 5,
	CYCLE_BYTES = 5,
	CYCLES_MORE = 0x40, /* in the first byte of a cycle count */
};

typedef enum status (*read_fields)(struct ptm_reader *reader, struct bytes *in,
                                   struct ptm_packet *packet);

#define HEADER(name, mask, match, fields)                                                          \
	static enum status read_##fields(struct ptm_reader *reader, struct bytes *in,              \
	                                 struct ptm_packet *packet);
#include "decoder/ptm/ptm_pkt.def"
#undef HEADER

struct header_row {
	enum ptm_type type;
	uint8_t mask;
	uint8_t match;
	read_fields read;
};

static const struct header_row header_rows[] = {
#define HEADER(name, mask, match, fields) {PTM_##name, mask, match, read_##fields},
#include "decoder/ptm/ptm_pkt.def"
#undef HEADER
};

enum { HEADER_ROWS = sizeof(header_rows) / sizeof(header_rows[0]) };

static const struct header_row *header_row(const struct ptm_reader *reader, uint8_t header)
{
	return reader->rows[header] == 0 ? NULL : &header_rows[reader->rows[header] - 1];
}

enum ptm_type ptm_header_type(const struct ptm_reader *reader, uint8_t header)
{
	const struct header_row *row = header_row(reader, header);

	return row ? row->type : PTM_RESERVED;
}

static enum status read_nothing(struct ptm_reader *reader, struct bytes *in,
                                struct ptm_packet *packet)
{
	(void)reader;
	(void)in;
	(void)packet;
	return STATUS_OK;
}

/* After its first zero. Too few or too many zeros are a bad packet up to where that shows. */
static enum status read_async(struct ptm_reader *reader, struct bytes *in,
                              struct ptm_packet *packet)
{
	size_t zeros = bytes_count_zeros(in, 0, ASYNC_ZEROS_MOST);
	uint8_t byte = 0;

	(void)reader;
	if (zeros < ASYNC_ZEROS_MOST)
		TRY(bytes_peek(in, zeros, &byte));
	TRY(bytes_skip(in, zeros < ASYNC_ZEROS_MOST ? zeros + 1 : zeros));
	if (zeros + 1 >= ASYNC_ZEROS && byte == ASYNC_END)
		return STATUS_OK;
	packet->meant = PTM_ASYNC;
	packet->type = PTM_BAD_SEQUENCE;
	return STATUS_BAD_DATA;
}

/* A cycle count whose first byte is `first`: four bits, then seven a byte. */
static enum status read_cycles(struct bytes *in, uint8_t first, struct ptm_packet *packet)
{
	bool is_more = (first & CYCLES_MORE) != 0;
	uint32_t cycles = first >> 2 & 0xf;

	for (unsigned int i = 1; is_more && i < CYCLE_BYTES; i++) {
		uint8_t byte;

		TRY(bytes_u8(in, &byte));
		cycles |= (uint32_t)(byte & 0x7f) << (7 * i - 3);
		is_more = (byte & MORE) != 0;
	}
	packet->has_cycles = true;
	packet->cycles = cycles;
	return STATUS_OK;
}

static enum status read_own_cycles(struct bytes *in, struct ptm_packet *packet)
{
	uint8_t first;

	TRY(bytes_u8(in, &first));
	return read_cycles(in, first, packet);
}

static void set_address(struct ptm_reader *reader, struct ptm_packet *packet, uint64_t value,
                        unsigned int bits)
{
	uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
	struct ptm_known *known = &reader->known;

	known->address = (known->address & ~mask) | ((uint32_t)value & mask);
	packet->sent_bits = (uint8_t)bits;
}

static enum status read_isync(struct ptm_reader *reader, struct bytes *in,
                              struct ptm_packet *packet)
{
	const struct ptm_config *config = reader->config;
	struct ptm_known *known = &reader->known;
	uint64_t value;
	uint8_t info;

	TRY(bytes_le(in, 4, &value));
	TRY(bytes_u8(in, &info));
	packet->reason = info >> 5 & 3;
	packet->has_state = true;
	known->is_non_secure = (info & 0x08) != 0;
	known->is_alt_isa = (info & 0x04) != 0;
	known->is_hyp = (info & 0x02) != 0;
	known->isa = ISA_A32;
	if (value & 1)
		known->isa = known->is_alt_isa ? ISA_TEE : ISA_T32;
	set_address(reader, packet, value & ~UINT64_C(1), 32);
	if (config->is_cycle_accurate && packet->reason != PTM_ISYNC_PERIODIC)
		TRY(read_own_cycles(in, packet));
	if (config->context_id_size == 0)
		return STATUS_OK;
	TRY(bytes_le(in, config->context_id_size, &value));
	known->context_id = (uint32_t)value;
	packet->has_context_id = true;
	return STATUS_OK;
}

static enum status read_vmid(struct ptm_reader *reader, struct bytes *in, struct ptm_packet *packet)
{
	(void)packet;
	return bytes_u8(in, &reader->known.vmid);
}

static enum status read_context_id(struct ptm_reader *reader, struct bytes *in,
                                   struct ptm_packet *packet)
{
	unsigned int size = reader->config->context_id_size;
	uint64_t value = 0;

	(void)packet;
	if (size > 0)
		TRY(bytes_le(in, size, &value));
	reader->known.context_id = (uint32_t)value;
	return STATUS_OK;
}

/* Atoms of a header without a cycle count, newest in bit 1; 0 is E. */
static void set_atoms(struct ptm_packet *packet)
{
	uint8_t header = packet->header;
	unsigned int count = 5;

	if ((header & 0xf0) == 0x80)
		count = header & 0x08 ? 2 : 1;
	else if ((header & 0xf0) == 0x90)
		count = 3;
	else if ((header & 0xe0) == 0xa0)
		count = 4;
	packet->atom_count = (uint8_t)count;
	for (unsigned int i = 0; i < count; i++) {
		if (!(header >> (count - i) & 1))
			packet->atoms |= (uint8_t)(1U << i);
	}
}

static enum status read_atoms(struct ptm_reader *reader, struct bytes *in,
                              struct ptm_packet *packet)
{
	if (!reader->config->is_cycle_accurate) {
		set_atoms(packet);
		return STATUS_OK;
	}
	packet->atom_count = 1;
	packet->atoms = packet->header & 2 ? 0 : 1;
	return read_cycles(in, packet->header, packet);
}

void ptm_reader_init(struct ptm_reader *reader, const struct ptm_config *config)
{
	*reader = (struct ptm_reader){.config = config};
	for (unsigned int i = 0; i < HEADER_ROWS; i++) {
		for (unsigned int h = 0; h < 256; h++) {
			if ((h & header_rows[i].mask) == header_rows[i].match)
				reader->rows[h] = (uint8_t)(i + 1);
		}
	}
	for (unsigned int h = 0; h < 256 && !config->is_cycle_accurate; h++) {
		struct ptm_packet packet = {.header = (uint8_t)h};

		if (ptm_header_type(reader, (uint8_t)h) != PTM_ATOM)
			continue;
		set_atoms(&packet);
		reader->atoms.counts[h] = packet.atom_count;
		reader->atoms.atoms[h] = packet.atoms;
	}
}

/* The last of the bytes that a timestamp can have holds eight bits (of 64) or six (of 48). */
static enum status read_timestamp_bits(const struct ptm_reader *reader, struct bytes *in,
                                       uint64_t *value, unsigned int *bits)
{
	unsigned int whole = reader->config->is_timestamp_64 ? 8 : 6;
	uint8_t byte;

	*value = 0;
	for (unsigned int i = 0; i < whole; i++) {
		TRY(bytes_u8(in, &byte));
		*value |= (uint64_t)(byte & 0x7f) << 7 * i;
		*bits = 7 * (i + 1);
		if (!(byte & MORE))
			return STATUS_OK;
	}
	TRY(bytes_u8(in, &byte));
	if (!reader->config->is_timestamp_64)
		byte &= 0x3f;
	*value |= (uint64_t)byte << *bits;
	*bits = reader->config->is_timestamp_64 ? 64 : 48;
	return STATUS_OK;
}

static enum status read_timestamp(struct ptm_reader *reader, struct bytes *in,
                                  struct ptm_packet *packet)
{
	bool is_gray = !reader->config->is_timestamp_binary;
	uint64_t old = reader->known.timestamp;
	unsigned int bits = 0;
	uint64_t value;
	uint64_t mask;

	TRY(read_timestamp_bits(reader, in, &value, &bits));
	mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	/* What is not sent is unchanged in the code that is sent. */
	value |= (is_gray ? gray_of(old) : old) & ~mask;
	reader->known.timestamp = is_gray ? gray_to_binary(value) : value;
	packet->sent_bits = (uint8_t)bits;
	if (reader->config->is_cycle_accurate)
		return read_own_cycles(in, packet);
	return STATUS_OK;
}

struct address_bytes {
	uint8_t bytes[ADDRESS_BYTES];
	unsigned int count;
};

/* The bytes of an address, of which `first` is one. */
static enum status read_address_bytes(struct bytes *in, uint8_t first, struct address_bytes *a)
{
	a->bytes[0] = first;
	a->count = 1;
	while (a->count < ADDRESS_BYTES && (a->bytes[a->count - 1] & MORE)) {
		TRY(bytes_u8(in, &a->bytes[a->count]));
		a->count++;
	}
	return STATUS_OK;
}

/* True if an exception byte follows: only after an address of two bytes or more. */
static bool has_exception_byte(const struct address_bytes *a)
{
	return a->count > 1 && (a->bytes[a->count - 1] & LAST_MORE);
}

/* The instruction set, which the fifth byte says: 1xx Jazelle, 01x Thumb, 001 Arm. */
static enum isa address_isa(const struct address_bytes *a, const struct ptm_known *known)
{
	enum isa isa = known->isa;

	if (a->count == ADDRESS_BYTES) {
		uint8_t last = a->bytes[ADDRESS_BYTES - 1];

		isa = last & 0x20 ? ISA_JAZELLE : last & 0x10 ? ISA_T32 : ISA_A32;
	}
	if (isa == ISA_T32 || isa == ISA_TEE)
		isa = known->is_alt_isa ? ISA_TEE : ISA_T32;
	return isa;
}

/* Puts the bits together; where they lie depends on the instruction set. */
/* Low bits of an address that are not sent. */
static unsigned int address_align(enum isa isa)
{
	return isa == ISA_JAZELLE ? 0 : isa == ISA_A32 ? 2 : 1;
}

static void set_address_bytes(struct ptm_reader *reader, struct ptm_packet *packet,
                              const struct address_bytes *a)
{
	unsigned int align = address_align(reader->known.isa);
	unsigned int bits = 6;
	uint64_t value = a->bytes[0] >> 1 & 0x3f;

	for (unsigned int i = 1; i < a->count; i++) {
		unsigned int width = 7;

		if (i == ADDRESS_BYTES - 1)
			width = 5 - align;
		else if (i == a->count - 1)
			width = 6;
		value |= (uint64_t)(a->bytes[i] & ((1U << width) - 1)) << bits;
		bits += width;
	}
	set_address(reader, packet, value << align, bits + align);
}

/* One or two bytes: security and exception, then Hyp mode and the exception's high bits. */
static enum status read_exception(struct ptm_reader *reader, struct bytes *in,
                                  struct ptm_packet *packet)
{
	struct ptm_known *known = &reader->known;
	uint8_t byte;

	TRY(bytes_u8(in, &byte));
	packet->has_exception = true;
	packet->has_state = true;
	packet->exception = byte >> 1 & 0xf;
	known->is_non_secure = (byte & 0x01) != 0;
	known->is_alt_isa = (byte & 0x40) != 0;
	if (!(byte & MORE))
		return STATUS_OK;
	TRY(bytes_u8(in, &byte));
	known->is_hyp = (byte & 0x20) != 0;
	packet->exception |= (uint16_t)((byte & 0x1f) << 4);
	return STATUS_OK;
}

bool ptm_reader_branch(struct ptm_reader *reader, struct bytes *in)
{
	struct ptm_known *known = &reader->known;
	const uint8_t *at = in->pos;
	unsigned int bits = 6;
	uint32_t value;
	uint32_t mask;

	if (at == in->end || !(*at & 1) || !reader->is_synced || reader->config->is_cycle_accurate)
		return false;
	value = *at >> 1 & 0x3f;
	while (*at & MORE) {
		if (bits > 6 + 2 * 7 || ++at == in->end)
			return false;
		value |= (uint32_t)(*at & 0x7f) << bits;
		bits += 7;
	}
	if (bits > 6 && (*at & LAST_MORE))
		return false;
	/* The last of several bytes has six bits. */
	bits -= bits > 6;
	if (known->isa == ISA_T32 || known->isa == ISA_TEE)
		known->isa = known->is_alt_isa ? ISA_TEE : ISA_T32;
	value <<= address_align(known->isa);
	bits += address_align(known->isa);
	mask = (UINT32_C(1) << bits) - 1;
	known->address = (known->address & ~mask) | value;
	in->pos = at + 1;
	return true;
}

static enum status read_branch(struct ptm_reader *reader, struct bytes *in,
                               struct ptm_packet *packet)
{
	struct address_bytes a;

	TRY(read_address_bytes(in, packet->header, &a));
	if (has_exception_byte(&a))
		TRY(read_exception(reader, in, packet));
	reader->known.isa = address_isa(&a, &reader->known);
	set_address_bytes(reader, packet, &a);
	if (reader->config->is_cycle_accurate)
		return read_own_cycles(in, packet);
	return STATUS_OK;
}

/* An address as of a branch; only one of five bytes may have a byte after it. */
static enum status read_waypoint(struct ptm_reader *reader, struct bytes *in,
                                 struct ptm_packet *packet)
{
	struct address_bytes a;
	uint8_t byte;

	TRY(bytes_u8(in, &byte));
	TRY(read_address_bytes(in, byte, &a));
	if (a.count == ADDRESS_BYTES && has_exception_byte(&a)) {
		TRY(bytes_u8(in, &byte));
		reader->known.is_alt_isa = (byte & 0x40) != 0;
	}
	reader->known.isa = address_isa(&a, &reader->known);
	set_address_bytes(reader, packet, &a);
	return STATUS_OK;
}

static enum status pass_over(struct bytes *in, struct ptm_packet *packet, size_t count)
{
	TRY(bytes_skip(in, count));
	packet->type = PTM_NOT_SYNC;
	return STATUS_OK;
}

/*
 * How many bytes after `count` belong to the group of unsynchronised bytes: all before an
 * A-Sync, which gives 0. TRUNCATED if that depends on bytes that are not there.
 */
static enum status next_not_sync(const struct bytes *in, size_t count, size_t *more)
{
	size_t zeros = bytes_count_zeros(in, count, ASYNC_ZEROS_MOST + 1);
	uint8_t byte;

	*more = zeros;
	if (zeros > ASYNC_ZEROS_MOST) {
		*more = zeros - ASYNC_ZEROS;
		return STATUS_OK;
	}
	TRY(bytes_peek(in, count + zeros, &byte));
	*more = zeros >= ASYNC_ZEROS && byte == ASYNC_END ? 0 : zeros + 1;
	return STATUS_OK;
}

static enum status find_async(struct ptm_reader *reader, struct bytes *in, const uint8_t *block_end,
                              struct ptm_packet *packet)
{
	size_t block = (size_t)(block_end - in->pos);
	size_t count = 0;
	size_t more = 0;

	while (count < NOT_SYNC_BYTES && (count == 0 || count < block)) {
		enum status status = next_not_sync(in, count, &more);

		if (status != STATUS_OK && count == 0)
			return status;
		if (status != STATUS_OK || more == 0)
			break;
		count += more;
	}
	if (count > 0)
		return pass_over(in, packet, count);
	reader->is_synced = true;
	packet->type = PTM_ASYNC;
	return bytes_skip(in, bytes_count_zeros(in, 0, ASYNC_ZEROS_MOST) + 1);
}

static enum status read_synced(struct ptm_reader *reader, struct bytes *in,
                               struct ptm_packet *packet)
{
	const struct header_row *row;
	enum status status;

	TRY(bytes_u8(in, &packet->header));
	row = header_row(reader, packet->header);
	packet->type = row ? row->type : PTM_RESERVED;
	if (!row)
		return STATUS_BAD_DATA;
	status = row->read(reader, in, packet);
	return status == STATUS_END ? STATUS_TRUNCATED : status;
}

enum status ptm_reader_next(struct ptm_reader *reader, struct bytes *in, const uint8_t *block_end,
                            struct ptm_packet *packet)
{
	const struct ptm_known before = reader->known;
	const uint8_t *begin = in->pos;
	enum status status;

	*packet = (struct ptm_packet){.type = PTM_NOT_SYNC};
	status = reader->is_synced ? read_synced(reader, in, packet)
	                           : find_async(reader, in, block_end, packet);
	if (status == STATUS_TRUNCATED) {
		in->pos = begin;
		reader->known = before;
	}
	packet->known = reader->known;
	packet->is_isa_changed = reader->known.isa != before.isa;
	packet->size = (uint32_t)(in->pos - begin);
	return status;
}
