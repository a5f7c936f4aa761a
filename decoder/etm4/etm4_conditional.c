/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of ETMv4's packets of conditional instructions that are no branches, and of their
 * results, as in etm4_fields.c. IHI 0064, "Conditional tracing".
 */
#include "decoder/etm4/etm4_pkt.h"

enum status etm4_read_cond_insn_f1(struct etm4_reader *reader, struct bytes *in,
                                   struct etm4_packet *packet)
{
	uint32_t key;

	(void)reader;
	TRY(etm4_continued_field(in, ETM4_FIELD_BYTES, &key));
	packet->condition = (struct etm4_condition){.keys = {key, 0}, .count = 1};
	return STATUS_OK;
}

enum status etm4_read_cond_insn_f2(struct etm4_reader *reader, struct bytes *in,
                                   struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	packet->condition = (struct etm4_condition){.count = packet->header & 2 ? 2 : 1};
	return STATUS_OK;
}

enum status etm4_read_cond_insn_f3(struct etm4_reader *reader, struct bytes *in,
                                   struct etm4_packet *packet)
{
	uint8_t byte;

	(void)reader;
	TRY(bytes_u8(in, &byte));
	packet->condition =
	        (struct etm4_condition){.count = (uint8_t)((byte >> 1 & 0x3f) + (byte & 1))};
	return STATUS_OK;
}

/* A result token in the low four bits of the first byte, then the key. */
static enum status read_result(struct bytes *in, uint32_t *key, uint8_t *result)
{
	uint64_t sum = 0;
	unsigned int bits = 3;
	uint8_t byte;

	TRY(bytes_u8(in, &byte));
	*result = byte & 0xf;
	sum = byte >> 4 & 7;
	while (byte & ETM4_CONTINUES) {
		TRY(bytes_u8(in, &byte));
		if (bits < 32)
			sum |= (uint64_t)(byte & 0x7f) << bits;
		bits += bits < 32 ? 7 : 0;
	}
	*key = (uint32_t)sum;
	return STATUS_OK;
}

enum status etm4_read_cond_result_f1(struct etm4_reader *reader, struct bytes *in,
                                     struct etm4_packet *packet)
{
	struct etm4_condition condition = {.count = 1};

	(void)reader;
	if ((packet->header & 0xfc) != 0x6c)
		condition.count = 2;
	for (unsigned int i = 0; i < condition.count; i++)
		TRY(read_result(in, &condition.keys[i], &condition.results[i]));
	packet->condition = condition;
	return STATUS_OK;
}

enum status etm4_read_cond_result_f2(struct etm4_reader *reader, struct bytes *in,
                                     struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	packet->condition = (struct etm4_condition){.count = packet->header & 4 ? 2 : 1,
	                                            .tokens = packet->header & 3};
	return STATUS_OK;
}

enum status etm4_read_cond_result_f3(struct etm4_reader *reader, struct bytes *in,
                                     struct etm4_packet *packet)
{
	uint8_t byte;

	(void)reader;
	TRY(bytes_u8(in, &byte));
	packet->condition =
	        (struct etm4_condition){.tokens = (uint16_t)(byte | (packet->header & 0xf) << 8)};
	return STATUS_OK;
}

enum status etm4_read_cond_result_f4(struct etm4_reader *reader, struct bytes *in,
                                     struct etm4_packet *packet)
{
	(void)reader;
	(void)in;
	packet->condition = (struct etm4_condition){.tokens = packet->header & 3};
	return STATUS_OK;
}
