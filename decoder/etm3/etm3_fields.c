/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of ETMv3 packets. In: the bytes after a header. Out: numbers in struct etm3_packet
 * and in what the reader knows. IHI 0014, "Trace port protocol of ETMv3".
 */
#include "decoder/etm3/etm3_pkt.h"

#include "base/gray.h"

enum {
	MORE = 0x80,          /* another byte of the same field follows */
	HAS_EXCEPTION = 0x40, /* an exception byte follows the address */
	ADDRESS_BYTES = 5,
	CYCLE_BYTES = 5,
	DATA_SIZE = 2, /* bits 3:2 of a data packet's header */
	DATA_HAS_ADDRESS = 0x20,
	VALUE_HAS_ADDRESS = 0x10,
};

enum status etm3_read_nothing(struct etm3_reader *reader, struct bytes *in,
                              struct etm3_packet *packet)
{
	(void)reader;
	(void)in;
	(void)packet;
	return STATUS_OK;
}

/* Seven bits a byte, low ones first; the fifth byte has four. */
static enum status read_32(struct bytes *in, uint32_t *value)
{
	uint8_t byte = MORE;

	*value = 0;
	for (unsigned int i = 0; i < CYCLE_BYTES && (byte & MORE); i++) {
		TRY(bytes_u8(in, &byte));
		*value |= (uint32_t)(byte & (i == CYCLE_BYTES - 1 ? 0x0f : 0x7f)) << 7 * i;
	}
	return STATUS_OK;
}

static enum status read_cycles(struct bytes *in, struct etm3_packet *packet)
{
	packet->has_cycles = true;
	return read_32(in, &packet->cycles);
}

enum status etm3_read_cycle_count(struct etm3_reader *reader, struct bytes *in,
                                  struct etm3_packet *packet)
{
	(void)reader;
	return read_cycles(in, packet);
}

static enum status read_context_id(struct etm3_reader *reader, struct bytes *in)
{
	uint64_t value;

	TRY(bytes_le(in, reader->config->context_id_size, &value));
	reader->known.context_id = (uint32_t)value;
	return STATUS_OK;
}

enum status etm3_read_context_id(struct etm3_reader *reader, struct bytes *in,
                                 struct etm3_packet *packet)
{
	(void)packet;
	return read_context_id(reader, in);
}

enum status etm3_read_vmid(struct etm3_reader *reader, struct bytes *in, struct etm3_packet *packet)
{
	(void)packet;
	return bytes_u8(in, &reader->known.vmid);
}

/*
 * The last of the bytes that a timestamp can have holds eight bits (of 64) or six (of 48). What is
 * not sent is unchanged in the code that is sent.
 */
enum status etm3_read_timestamp(struct etm3_reader *reader, struct bytes *in,
                                struct etm3_packet *packet)
{
	unsigned int whole = reader->config->is_timestamp_64 ? 8 : 6;
	bool is_gray = reader->config->is_timestamp_gray;
	uint64_t value = is_gray ? gray_of(reader->known.timestamp) : reader->known.timestamp;
	uint8_t byte = MORE;

	(void)packet;
	for (unsigned int i = 0; i <= whole && (byte & MORE); i++) {
		uint8_t mask = i < whole ? 0x7f : reader->config->is_timestamp_64 ? 0xff : 0x3f;

		TRY(bytes_u8(in, &byte));
		value &= ~((uint64_t)mask << 7 * i);
		value |= (uint64_t)(byte & mask) << 7 * i;
	}
	reader->known.timestamp = is_gray ? gray_to_binary(value) : value;
	reader->known.has_timestamp = true;
	return STATUS_OK;
}

/* Without cycle accuracy: up to 15 E and perhaps an N; or any two. */
static void set_atoms(struct etm3_packet *packet)
{
	uint8_t header = packet->header;
	unsigned int taken = header >> 2 & 0xf;

	packet->atoms_format = header & 2 ? ETM3_ATOMS_FIRST : ETM3_ATOMS_EACH;
	if (header & 2) {
		packet->atom_count = 2;
		packet->atoms = (header & 8 ? 0U : 1U) | (header & 4 ? 0U : 2U);
		return;
	}
	packet->atom_count = (uint8_t)(taken + (header >> 6 & 1));
	packet->atoms = (1U << taken) - 1;
}

/* With cycle accuracy: the same with fewer E; cycles alone or before an E; an atom alone. */
static void set_atoms_and_cycles(struct etm3_packet *packet)
{
	uint8_t header = packet->header;
	unsigned int taken = header >> 2 & 0x7;

	packet->has_cycles = true;
	if (header & 0x20) {
		packet->atoms_format = ETM3_ATOMS_LAST;
		packet->cycles = taken + 1;
		packet->atom_count = header >> 6 & 1;
		packet->atoms = packet->atom_count;
	} else if (!(header & 2)) {
		packet->atoms_format = ETM3_ATOMS_EACH;
		packet->atom_count = (uint8_t)(taken + (header >> 6 & 1));
		packet->cycles = packet->atom_count;
		packet->atoms = (1U << taken) - 1;
	} else if (header & 0x10) {
		packet->atoms_format = ETM3_ATOMS_NONE;
		packet->atom_count = 1;
		packet->atoms = header & 4 ? 0 : 1;
	} else {
		set_atoms(packet);
		packet->cycles = 1;
	}
}

enum status etm3_read_p_header(struct etm3_reader *reader, struct bytes *in,
                               struct etm3_packet *packet)
{
	(void)in;
	if (reader->config->is_cycle_accurate)
		set_atoms_and_cycles(packet);
	else
		set_atoms(packet);
	return STATUS_OK;
}

struct address_bytes {
	uint8_t bytes[ADDRESS_BYTES];
	unsigned int count;
};

static enum status bad_sequence(struct etm3_packet *packet)
{
	packet->meant = packet->type;
	packet->type = ETM3_BAD_SEQUENCE;
	return STATUS_BAD_DATA;
}

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

static uint8_t last_byte(const struct address_bytes *a)
{
	return a->bytes[a->count - 1];
}

/*
 * After an address of five bytes; in the alternative encoding after one of two and more. The
 * fifth byte with MORE is an exception in itself.
 */
static bool has_exception_bytes(const struct etm3_reader *reader, const struct address_bytes *a)
{
	unsigned int least = reader->config->has_alt_branch ? 2 : ADDRESS_BYTES;

	return a->count >= least && (last_byte(a) & (MORE | HAS_EXCEPTION)) == HAS_EXCEPTION;
}

/* Byte 1: more of the exception's number, Hyp mode. Byte 2, which is marked: resume. */
static enum status read_more_exception(struct etm3_reader *reader, struct bytes *in,
                                       struct etm3_packet *packet)
{
	uint8_t byte;

	TRY(bytes_u8(in, &byte));
	if (!(byte & 0x40)) {
		if (reader->config->is_m_profile)
			packet->exception.number |= (uint16_t)((byte & 0x1f) << 4);
		reader->known.is_hyp = (byte & 0x20) != 0;
		if (!(byte & MORE))
			return STATUS_OK;
		TRY(bytes_u8(in, &byte));
	}
	packet->exception.resume = byte & 0xf;
	return byte & MORE ? bad_sequence(packet) : STATUS_OK;
}

static enum status read_exception(struct etm3_reader *reader, struct bytes *in,
                                  struct etm3_packet *packet)
{
	uint8_t byte;

	TRY(bytes_u8(in, &byte));
	packet->has_exception = true;
	packet->has_state = true;
	packet->exception.number = byte >> 1 & 0xf;
	packet->exception.is_cancel = (byte & 0x20) != 0;
	reader->known.is_non_secure = (byte & 0x01) != 0;
	reader->known.is_alt_isa = (byte & 0x40) != 0;
	return byte & MORE ? read_more_exception(reader, in, packet) : STATUS_OK;
}

/* The exception that a fifth byte with MORE is, as of ETMv1: taken to Arm state. */
static void set_old_exception(struct etm3_reader *reader, uint8_t byte, struct etm3_packet *packet)
{
	packet->has_exception = true;
	packet->exception.is_old = true;
	packet->exception.number = byte >> 3 & 7;
	packet->exception.is_cancel = (byte & 0x40) != 0;
	reader->known.isa = ISA_A32;
}

/* The instruction set that the fifth byte says: 1xx Jazelle, 01x Thumb, 001 Arm. */
static enum status set_isa(struct etm3_reader *reader, uint8_t byte, struct etm3_packet *packet)
{
	struct etm3_known *known = &reader->known;

	if (byte & 0x20)
		known->isa = ISA_JAZELLE;
	else if (byte & 0x10)
		known->isa = known->is_alt_isa ? ISA_TEE : ISA_T32;
	else if (byte & 0x08)
		known->isa = ISA_A32;
	else
		return bad_sequence(packet);
	return STATUS_OK;
}

/* Puts the bits together; where they lie depends on the instruction set. */
static void set_address(struct etm3_reader *reader, const struct address_bytes *a,
                        struct etm3_packet *packet)
{
	enum isa isa = reader->known.isa;
	unsigned int align = isa == ISA_JAZELLE ? 0 : isa == ISA_T32 || isa == ISA_TEE ? 1 : 2;
	unsigned int bits = 6;
	uint64_t value = a->bytes[0] >> 1 & 0x3f;
	uint32_t mask;

	for (unsigned int i = 1; i < a->count; i++) {
		unsigned int width = 7;

		if (i == ADDRESS_BYTES - 1)
			width = 5 - align;
		else if (i == a->count - 1 && reader->config->has_alt_branch)
			width = 6;
		value |= (uint64_t)(a->bytes[i] & ((1U << width) - 1)) << bits;
		bits += width;
	}
	bits += align;
	mask = (uint32_t)((UINT64_C(1) << bits) - 1);
	reader->known.address =
	        (reader->known.address & ~mask) | ((uint32_t)(value << align) & mask);
	packet->sent_bits = (uint8_t)bits;
}

/* An address whose first byte is `first`. */
static enum status read_address(struct etm3_reader *reader, struct bytes *in, uint8_t first,
                                struct etm3_packet *packet)
{
	struct address_bytes a;
	uint8_t last;

	TRY(read_address_bytes(in, first, &a));
	last = last_byte(&a);
	if (last & MORE) {
		if (reader->config->has_alt_branch)
			return bad_sequence(packet);
		set_old_exception(reader, last, packet);
	} else {
		if (has_exception_bytes(reader, &a))
			TRY(read_exception(reader, in, packet));
		if (a.count == ADDRESS_BYTES)
			TRY(set_isa(reader, last, packet));
	}
	set_address(reader, &a, packet);
	return STATUS_OK;
}

enum status etm3_read_branch(struct etm3_reader *reader, struct bytes *in,
                             struct etm3_packet *packet)
{
	return read_address(reader, in, packet->header, packet);
}

static void set_isync_state(struct etm3_reader *reader, uint8_t info, uint32_t address,
                            struct etm3_packet *packet)
{
	struct etm3_known *known = &reader->known;

	packet->has_address = true;
	packet->sent_bits = 32;
	known->is_alt_isa = reader->config->minor >= 3 && (info & 0x04) != 0;
	known->isa = ISA_A32;
	if (info & 0x10)
		known->isa = ISA_JAZELLE;
	else if (address & 1)
		known->isa = known->is_alt_isa ? ISA_TEE : ISA_T32;
	known->address = address & ~UINT32_C(1);
}

/*
 * Cycle count, context ID, information byte, address. If a load or store of several words was
 * under way, the address is that one's, and the next instruction's follows.
 */
enum status etm3_read_isync(struct etm3_reader *reader, struct bytes *in,
                            struct etm3_packet *packet)
{
	uint64_t address;
	uint8_t info;
	uint8_t first;

	if (packet->type == ETM3_ISYNC_CYCLES)
		TRY(read_cycles(in, packet));
	packet->has_context_id = reader->config->context_id_size > 0;
	if (packet->has_context_id)
		TRY(read_context_id(reader, in));
	TRY(bytes_u8(in, &info));
	packet->reason = info >> 5 & 3;
	if (packet->reason == ETM3_ISYNC_OVERFLOW)
		reader->known.data_bits = 0; /* an address may be among what was lost */
	packet->has_state = true;
	reader->known.is_non_secure = (info & 0x08) != 0;
	if (reader->config->has_virtual)
		reader->known.is_hyp = (info & 0x02) != 0;
	if (!reader->config->traces_instructions)
		return STATUS_OK;
	TRY(bytes_le(in, 4, &address));
	set_isync_state(reader, info, (uint32_t)address, packet);
	packet->is_in_progress = (info & 0x80) != 0;
	if (!packet->is_in_progress)
		return STATUS_OK;
	TRY(bytes_u8(in, &first));
	return read_address(reader, in, first, packet);
}

/* The low bits of a data address; the fifth byte says the byte order too. */
static enum status read_data_address(struct etm3_reader *reader, struct bytes *in,
                                     struct etm3_packet *packet)
{
	struct etm3_known *known = &reader->known;
	uint8_t byte = MORE;

	packet->has_address = true;
	for (unsigned int i = 0; i < ADDRESS_BYTES && (byte & MORE); i++) {
		uint32_t mask = i == ADDRESS_BYTES - 1 ? 0x0f : 0x7f;

		TRY(bytes_u8(in, &byte));
		known->data_address &= ~(mask << 7 * i);
		known->data_address |= (byte & mask) << 7 * i;
		if (known->data_bits < 7 * (i + 1))
			known->data_bits = (uint8_t)(i == ADDRESS_BYTES - 1 ? 32 : 7 * (i + 1));
		if (i == ADDRESS_BYTES - 1)
			known->is_big_endian = (byte & 0x10) != 0;
	}
	return STATUS_OK;
}

/*
 * The value's size is in the header: 0 to 2 bytes, or 4. No bytes is the value 0. A unit that
 * traces addresses alone sends none, whatever the header (IHI 0014, 7.4.2).
 */
static enum status read_data_value(const struct etm3_reader *reader, struct bytes *in,
                                   struct etm3_packet *packet)
{
	static const uint8_t sizes[4] = {0, 1, 2, 4};
	unsigned int size = sizes[packet->header >> DATA_SIZE & 3];
	uint64_t value = 0;

	packet->has_value = reader->config->traces_data_values;
	if (!packet->has_value)
		return STATUS_OK;
	if (size > 0)
		TRY(bytes_le(in, size, &value));
	packet->value = (uint32_t)value;
	return STATUS_OK;
}

enum status etm3_read_data(struct etm3_reader *reader, struct bytes *in, struct etm3_packet *packet)
{
	if (reader->config->traces_data_addresses && (packet->header & DATA_HAS_ADDRESS))
		TRY(read_data_address(reader, in, packet));
	return read_data_value(reader, in, packet);
}

enum status etm3_read_ooo_data(struct etm3_reader *reader, struct bytes *in,
                               struct etm3_packet *packet)
{
	packet->tag = packet->header >> 5 & 3;
	return read_data_value(reader, in, packet);
}

enum status etm3_read_ooo_place(struct etm3_reader *reader, struct bytes *in,
                                struct etm3_packet *packet)
{
	packet->tag = packet->header >> 2 & 3;
	if (reader->config->traces_data_addresses && (packet->header & DATA_HAS_ADDRESS))
		return read_data_address(reader, in, packet);
	return STATUS_OK;
}

enum status etm3_read_value_not_traced(struct etm3_reader *reader, struct bytes *in,
                                       struct etm3_packet *packet)
{
	if (reader->config->traces_data_addresses && (packet->header & VALUE_HAS_ADDRESS))
		return read_data_address(reader, in, packet);
	return STATUS_OK;
}
