/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields after the header byte of each ETMv4 and ETE packet. Each reader first reads all of
 * its bytes, then changes the packet and what the reader remembers: a cut packet changes nothing.
 * IHI 0064, "Instruction trace protocol", one section a packet.
 */
#include "decoder/etm4/etm4_pkt.h"

enum {
	TIMESTAMP_BYTES = 9,
	CYCLE_BYTES = 3,
	/* Exception types of ETE that are packets of their own. */
	ETE_PE_RESET = 0x00,
	ETE_TRANSACTION_FAIL = 0x18,
};

enum status etm4_continued_field(struct bytes *in, unsigned int most, uint32_t *value)
{
	uint64_t sum = 0;
	unsigned int count = 0;
	uint8_t byte;

	do {
		TRY(bytes_u8(in, &byte));
		if (count < most)
			sum |= (uint64_t)(byte & 0x7f) << (7 * count);
		count++;
	} while (byte & ETM4_CONTINUES);
	*value = (uint32_t)sum;
	return STATUS_OK;
}

/* A timestamp's ninth byte has eight bits and is the last. */
static enum status read_timestamp_field(struct bytes *in, uint64_t *value, unsigned int *bits)
{
	unsigned int count = 0;
	uint8_t byte;

	*value = 0;
	do {
		TRY(bytes_u8(in, &byte));
		if (count == TIMESTAMP_BYTES - 1) {
			*value |= (uint64_t)byte << (7 * count);
			*bits = 64;
			return STATUS_OK;
		}
		*value |= (uint64_t)(byte & 0x7f) << (7 * count);
		count++;
	} while (byte & ETM4_CONTINUES);
	*bits = 7 * count;
	return STATUS_OK;
}

static uint64_t low_bits(unsigned int count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

enum status etm4_read_nothing(struct etm4_reader *reader, struct bytes *in,
                              struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	(void)packet;
	return STATUS_OK;
}

enum status etm4_read_atoms(struct etm4_reader *reader, struct bytes *in,
                            struct etm4_packet *packet)
{
	(void)in;
	packet->atom_count = reader->atoms.counts[packet->header];
	packet->atoms = reader->atoms.atoms[packet->header];
	return STATUS_OK;
}

/*
 * A control field says which sections follow; each is a field. Everything that later packets
 * refer to begins anew here.
 */
enum status etm4_read_trace_info(struct etm4_reader *reader, struct bytes *in,
                                 struct etm4_packet *packet)
{
	struct etm4_trace_info info = {0};
	uint32_t *const sections[] = {&info.info, &info.key, &info.speculation, &info.threshold};
	uint32_t control;
	uint32_t unknown;

	TRY(etm4_continued_field(in, ETM4_FIELD_BYTES, &control));
	for (unsigned int i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (control >> i & 1)
			TRY(etm4_continued_field(in, ETM4_FIELD_BYTES, sections[i]));
	}
	if (control >> 4 & 1)
		TRY(etm4_continued_field(in, ETM4_FIELD_BYTES, &unknown)); /* commit window */
	info.has_speculation = (control >> 2 & 1) != 0;
	packet->info = info;
	reader->had_trace_info = true;
	reader->has_timestamp = false;
	reader->threshold = info.threshold;
	for (unsigned int i = 0; i < ETM4_ADDRESSES; i++)
		reader->addresses[i] = (struct etm4_address){.is_64bit = true};
	return STATUS_OK;
}

enum status etm4_read_timestamp(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	uint64_t value;
	uint64_t mask;
	unsigned int bits;
	uint32_t cycles = 0;
	bool has_cycles = (packet->header & 1) != 0;

	TRY(read_timestamp_field(in, &value, &bits));
	if (has_cycles)
		TRY(etm4_continued_field(in, CYCLE_BYTES, &cycles));
	/* The first one after a trace info packet leaves out only zeros. */
	if (!reader->has_timestamp && reader->had_trace_info)
		bits = 64;
	mask = low_bits(bits);
	reader->timestamp = (reader->timestamp & ~mask) | (value & mask);
	reader->has_timestamp = true;
	packet->timestamp = reader->timestamp;
	packet->has_cycles = has_cycles;
	packet->cycles = cycles & reader->config->cycle_mask;
	return STATUS_OK;
}

/* The address that later packets refer to as the newest one. */
static void note_address(struct etm4_reader *reader, struct etm4_packet *packet,
                         struct etm4_address address)
{
	for (unsigned int i = ETM4_ADDRESSES - 1; i > 0; i--)
		reader->addresses[i] = reader->addresses[i - 1];
	reader->addresses[0] = address;
	packet->address = address;
}

/* A PE reset and a failed transaction of ETE have an address of their own, which is zero. */
static void read_ete_exception(struct etm4_reader *reader, struct etm4_packet *packet)
{
	const struct etm4_address zero = {.sent_bits = 64, .is_64bit = true};

	if (packet->exception.type == ETE_PE_RESET)
		packet->type = ETM4_PE_RESET;
	else if (packet->exception.type == ETE_TRANSACTION_FAIL)
		packet->type = ETM4_TRANSACTION_FAIL;
	else
		return;
	note_address(reader, packet, zero);
}

enum status etm4_read_exception(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	bool is_ete = config_is_ete(reader->config);
	uint8_t first;
	uint8_t type;
	uint8_t second = 0;

	TRY(bytes_u8(in, &first));
	type = first >> 1 & 0x1f;
	if (first & ETM4_CONTINUES ||
	    (is_ete && (type == ETE_PE_RESET || type == ETE_TRANSACTION_FAIL)))
		TRY(bytes_u8(in, &second));
	if (!(first & ETM4_CONTINUES))
		second = 0;
	packet->exception = (struct etm4_exception){
	        .type = (uint16_t)(type | (second & 0x1f) << 5),
	        .address_follows = (uint8_t)((first & 0x40) >> 5 | (first & 1)),
	        .is_fault_pending = (second >> 5 & 1) != 0,
	};
	if (is_ete)
		read_ete_exception(reader, packet);
	return STATUS_OK;
}

enum status etm4_read_cycles_f1(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	uint32_t commit = 0;
	uint32_t count = 0;
	bool is_known = (packet->header & 1) == 0;

	if (reader->config->cycle_count_commits)
		TRY(etm4_continued_field(in, ETM4_FIELD_BYTES, &commit));
	if (is_known)
		TRY(etm4_continued_field(in, CYCLE_BYTES, &count));
	packet->commit = commit;
	packet->cycles = is_known ? reader->threshold + count : 0;
	return STATUS_OK;
}

enum status etm4_read_cycles_f2(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	const struct etm4_config *config = reader->config;
	uint8_t byte;
	int64_t commit;

	TRY(bytes_u8(in, &byte));
	/* F, bit 0 of the header, moves the range of the commit. */
	commit = (byte >> 4) + (packet->header & 1 ? (int64_t)config->max_speculation - 15 : 1);
	packet->commit = config->cycle_count_commits && commit > 0 ? (uint32_t)commit : 0;
	packet->cycles = reader->threshold + (byte & 0xfU);
	return STATUS_OK;
}

enum status etm4_read_cycles_f3(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	(void)in;
	packet->commit = reader->config->cycle_count_commits ? (packet->header >> 2 & 3U) + 1 : 0;
	packet->cycles = reader->threshold + (packet->header & 3U);
	return STATUS_OK;
}

enum status etm4_read_marker(struct etm4_reader *reader, struct bytes *in,
                             struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	packet->number = packet->header & 7;
	return STATUS_OK;
}

enum status etm4_read_event(struct etm4_reader *reader, struct bytes *in,
                            struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	packet->number = packet->header & 0xf;
	return STATUS_OK;
}

enum status etm4_read_commit(struct etm4_reader *reader, struct bytes *in,
                             struct etm4_packet *packet)
{
	(void)reader;
	return etm4_continued_field(in, ETM4_FIELD_BYTES, &packet->commit);
}

enum status etm4_read_cancel_f1(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	(void)reader;
	packet->atom_count = 0;
	return etm4_continued_field(in, ETM4_FIELD_BYTES, &packet->cancel);
}

/* Mispredict and cancel format 2: atoms none, E, EE or N. */
enum status etm4_read_mispredict(struct etm4_reader *reader, struct bytes *in,
                                 struct etm4_packet *packet)
{
	static const uint8_t counts[4] = {0, 1, 2, 1};
	static const uint8_t atoms[4] = {0, 1, 3, 0};

	(void)reader;
	(void)in;
	packet->atom_count = counts[packet->header & 3];
	packet->atoms = atoms[packet->header & 3];
	packet->cancel = packet->type == ETM4_CANCEL_F2 ? 1 : 0;
	return STATUS_OK;
}

enum status etm4_read_cancel_f3(struct etm4_reader *reader, struct bytes *in,
                                struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	packet->atom_count = packet->header & 1;
	packet->atoms = 1;
	packet->cancel = (packet->header >> 1 & 3U) + 2;
	return STATUS_OK;
}

/* Little endian, `size` bytes; 0 of them is 0. */
static enum status read_id(struct bytes *in, unsigned int size, uint32_t *id)
{
	uint64_t value = 0;

	if (size > 0)
		TRY(bytes_le(in, size, &value));
	*id = (uint32_t)value;
	return STATUS_OK;
}

static enum status read_context_fields(const struct etm4_config *config, struct bytes *in,
                                       struct etm4_context *context)
{
	uint8_t info;
	unsigned int vmid_size;
	unsigned int context_id_size;

	TRY(bytes_u8(in, &info));
	vmid_size = info & 0x40 ? config->vmid_size : 0;
	context_id_size = info & 0x80 ? config->context_id_size : 0;
	*context = (struct etm4_context){
	        .is_update = true,
	        .level = info & 3,
	        .is_realm_root = (info >> 3 & 1) != 0,
	        .is_64bit = (info >> 4 & 1) != 0,
	        .is_non_secure = (info >> 5 & 1) != 0,
	        .has_vmid = vmid_size > 0,
	        .has_context_id = context_id_size > 0,
	};
	TRY(read_id(in, vmid_size, &context->vmid));
	return read_id(in, context_id_size, &context->context_id);
}

enum status etm4_read_context(struct etm4_reader *reader, struct bytes *in,
                              struct etm4_packet *packet)
{
	struct etm4_context context = reader->context;

	context.is_update = false;
	context.has_vmid = false;
	context.has_context_id = false;
	if (packet->header & 1)
		TRY(read_context_fields(reader->config, in, &context));
	reader->context = context;
	packet->context = context;
	return STATUS_OK;
}

enum status etm4_read_instrumentation(struct etm4_reader *reader, struct bytes *in,
                                      struct etm4_packet *packet)
{
	uint8_t level;
	uint64_t value;

	(void)reader;
	TRY(bytes_u8(in, &level));
	TRY(bytes_le(in, 8, &value));
	packet->instrumentation = (struct ete_instrumentation){level, value};
	return STATUS_OK;
}

/* A64 and A32 addresses leave out two low bits, T32 ones one. */
static unsigned int isa_shift(uint8_t isa)
{
	return isa == 0 ? 2 : 1;
}

/* Bits from before where the packet has none. */
static struct etm4_address merge(struct etm4_address before, uint64_t value, unsigned int bits,
                                 uint8_t isa)
{
	uint64_t mask = low_bits(bits);

	before.value = (before.value & ~mask) | (value & mask);
	before.sent_bits = (uint8_t)bits;
	before.isa = isa;
	return before;
}

static enum status read_short(const struct etm4_reader *reader, struct bytes *in, uint8_t isa,
                              struct etm4_address *address)
{
	unsigned int shift = isa_shift(isa);
	unsigned int bits = 7 + shift;
	uint64_t value;
	uint8_t byte;

	TRY(bytes_u8(in, &byte));
	value = (uint64_t)(byte & 0x7f) << shift;
	if (byte & ETM4_CONTINUES) {
		TRY(bytes_u8(in, &byte));
		value |= (uint64_t)byte << bits;
		bits += 8;
	}
	*address = merge(reader->addresses[0], value, bits, isa);
	return STATUS_OK;
}

/* Four or eight bytes; seven bits in the first, for A64 and A32 also in the second. */
static enum status read_long(const struct etm4_reader *reader, struct bytes *in, bool is_64bit,
                             uint8_t isa, struct etm4_address *address)
{
	unsigned int shift = isa_shift(isa);
	uint8_t first;
	uint8_t second;
	uint64_t rest;
	uint64_t value;

	TRY(bytes_u8(in, &first));
	TRY(bytes_u8(in, &second));
	TRY(bytes_le(in, is_64bit ? 6 : 2, &rest));
	value = (uint64_t)(first & 0x7f) << shift | rest << 16;
	value |= isa == 0 ? (uint64_t)(second & 0x7f) << 9 : (uint64_t)second << 8;
	*address = (struct etm4_address){value, isa, 64, true};
	if (is_64bit)
		return STATUS_OK;
	/* The high half stays as it was, except for code that has none. */
	if (reader->context.is_64bit)
		*address = merge(reader->addresses[0], value, 32, isa);
	else
		*address = (struct etm4_address){value, isa, 32, false};
	address->is_64bit = reader->context.is_64bit;
	return STATUS_OK;
}

enum status etm4_read_address_short(struct etm4_reader *reader, struct bytes *in,
                                    struct etm4_packet *packet)
{
	bool is_t32 =
	        packet->type == ETM4_ADDRESS_SHORT_IS1 || packet->type == ETM4_SOURCE_SHORT_IS1;
	struct etm4_address address;

	TRY(read_short(reader, in, is_t32, &address));
	note_address(reader, packet, address);
	return STATUS_OK;
}

enum status etm4_read_address_long(struct etm4_reader *reader, struct bytes *in,
                                   struct etm4_packet *packet)
{
	enum etm4_type type = packet->type;
	bool is_64bit = type == ETM4_ADDRESS_64_IS0 || type == ETM4_ADDRESS_64_IS1 ||
	                type == ETM4_SOURCE_64_IS0 || type == ETM4_SOURCE_64_IS1;
	bool is_t32 = type == ETM4_ADDRESS_32_IS1 || type == ETM4_ADDRESS_64_IS1 ||
	              type == ETM4_SOURCE_32_IS1 || type == ETM4_SOURCE_64_IS1;
	struct etm4_address address;

	TRY(read_long(reader, in, is_64bit, is_t32, &address));
	note_address(reader, packet, address);
	return STATUS_OK;
}

enum status etm4_read_address_context(struct etm4_reader *reader, struct bytes *in,
                                      struct etm4_packet *packet)
{
	bool is_64bit = packet->type == ETM4_ADDRESS_CONTEXT_64_IS0 ||
	                packet->type == ETM4_ADDRESS_CONTEXT_64_IS1;
	bool is_t32 = packet->type == ETM4_ADDRESS_CONTEXT_32_IS1 ||
	              packet->type == ETM4_ADDRESS_CONTEXT_64_IS1;
	struct etm4_address address;
	struct etm4_context context;

	TRY(read_long(reader, in, is_64bit, is_t32, &address));
	TRY(read_context_fields(reader->config, in, &context));
	note_address(reader, packet, address);
	packet->context = context;
	reader->context = context;
	return STATUS_OK;
}

enum status etm4_read_address_match(struct etm4_reader *reader, struct bytes *in,
                                    struct etm4_packet *packet)
{
	(void)in;
	packet->match = packet->header & 3;
	note_address(reader, packet, reader->addresses[packet->match]);
	return STATUS_OK;
}

/* The low four bits of a Q header: which address and which count follow. */
enum status etm4_read_q(struct etm4_reader *reader, struct bytes *in, struct etm4_packet *packet)
{
	uint8_t form = packet->header & 0xf;
	bool has_address = form != 0xc && form != 0xf;
	struct etm4_address address = reader->addresses[form < ETM4_ADDRESSES ? form : 0];
	uint32_t count = 0;

	if (form == 0x5 || form == 0x6)
		TRY(read_short(reader, in, form == 0x6, &address));
	if (form == 0xa || form == 0xb)
		TRY(read_long(reader, in, false, form == 0xb, &address));
	if (form != 0xf)
		TRY(etm4_continued_field(in, ETM4_FIELD_BYTES, &count));
	packet->has_address = has_address;
	packet->has_count = form != 0xf;
	packet->count = count;
	packet->match = form < ETM4_ADDRESSES ? form : ETM4_ADDRESSES;
	if (has_address)
		note_address(reader, packet, address);
	return STATUS_OK;
}
