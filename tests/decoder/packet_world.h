/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of ETMv3's and of PTM's packets share: a reader that is synchronised, packets with
 * their listings, and what holds for each packet of either protocol. Whoever includes it has the
 * protocol's header before it, and says how its names begin:
 *	#define PROTOCOL(name) ptm_##name
 *	#define PROTOCOL_TYPE(name) PTM_##name
 */
#ifndef CSREPLAY_TESTS_PACKET_WORLD_H
#define CSREPLAY_TESTS_PACKET_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/text.h"

typedef struct PROTOCOL(reader) packet_reader;
typedef struct PROTOCOL(packet) packet_read;
typedef struct PROTOCOL(config) packet_config;

/* Bytes, and what they say in the listing. */
struct sample {
	const packet_config *config;
	const char *bytes;
	size_t size;
	const char *listing;
};

#define SAMPLE(config, bytes, listing)                                                             \
	{                                                                                          \
		&config, "" bytes, sizeof(bytes) - 1, listing                                      \
	}

/* Bytes that are no packet; `bad` of them are passed over. */
struct bad_sequence {
	const packet_config *config;
	const char *bytes;
	size_t size;
	uint32_t bad;
};

static void begin(packet_reader *reader, const packet_config *config)
{
	PROTOCOL(reader_init)(reader, config);
	reader->is_synced = true;
}

static enum status next(packet_reader *reader, struct bytes *in, packet_read *packet)
{
	return PROTOCOL(reader_next)(reader, in, in->end, packet);
}

/* The header is no packet of this type, and the only byte that is passed over. */
static void assert_one_bad_byte(const packet_config *config, uint8_t header, unsigned int type)
{
	uint8_t data[] = {header, 0x80, 0x80};
	struct bytes in = bytes_of(data, sizeof(data));
	packet_reader reader;
	packet_read packet;

	begin(&reader, config);
	assert_int_equal(next(&reader, &in, &packet), STATUS_BAD_DATA);
	assert_int_equal(packet.type, type);
	assert_int_equal(packet.size, 1);
	assert_int_equal(bytes_offset(&in), 1);
}

static void assert_reserved_headers_are_bad(const packet_config *config)
{
	packet_reader reader;

	begin(&reader, config);
	for (unsigned int h = 0; h < 256; h++) {
		if (PROTOCOL(header_type)(&reader, (uint8_t)h) == PROTOCOL_TYPE(RESERVED))
			assert_one_bad_byte(config, (uint8_t)h, PROTOCOL_TYPE(RESERVED));
	}
}

/* Each sample is one packet, and there is one of each type that is a packet. */
static void assert_samples_say_their_fields(const struct sample *samples, size_t count)
{
	bool has_type[PROTOCOL_TYPE(TYPES)] = {false};
	struct text text = {0};

	for (size_t i = 0; i < count; i++) {
		struct bytes in = bytes_of(samples[i].bytes, samples[i].size);
		packet_reader reader;
		packet_read packet;

		begin(&reader, samples[i].config);
		assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.size, samples[i].size);
		assert_int_equal(bytes_left(&in), 0);
		text_clear(&text);
		text_printf(&text, "%s: ", PROTOCOL(type_name)(packet.type));
		PROTOCOL(packet_format)(&packet, &text);
		assert_string_equal(text.data, samples[i].listing);
		has_type[packet.type] = true;
	}
	for (unsigned int type = PROTOCOL_TYPE(BRANCH); type < PROTOCOL_TYPE(TYPES); type++)
		assert_true(has_type[type]);
	text_fini(&text);
}

static void assert_prefixes_are_truncated(const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t size = 1; size < samples[i].size; size++) {
			struct bytes in = bytes_of(samples[i].bytes, size);
			packet_reader reader;
			packet_reader before;
			packet_read packet;

			begin(&reader, samples[i].config);
			before = reader;
			assert_int_equal(next(&reader, &in, &packet), STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_memory_equal(&reader, &before, sizeof(reader));
		}
	}
}

static void assert_no_bytes_is_end(const packet_config *config)
{
	struct bytes in = bytes_of(NULL, 0);
	packet_reader reader;
	packet_read packet;

	begin(&reader, config);
	assert_int_equal(next(&reader, &in, &packet), STATUS_END);
	PROTOCOL(reader_init)(&reader, config);
	assert_int_equal(next(&reader, &in, &packet), STATUS_END);
}

static void assert_bad_sequences(const struct bad_sequence *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct bytes in = bytes_of(cases[i].bytes, cases[i].size);
		packet_reader reader;
		packet_read packet;

		begin(&reader, cases[i].config);
		assert_int_equal(next(&reader, &in, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, PROTOCOL_TYPE(BAD_SEQUENCE));
		assert_int_equal(packet.size, cases[i].bad);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* One buffer of bytes: each call goes forward or says that bytes are missing. */
static void assert_progress(packet_reader *reader, struct bytes *in, size_t longest)
{
	enum status status = STATUS_OK;
	packet_read packet;

	while (status == STATUS_OK || status == STATUS_BAD_DATA) {
		size_t before = bytes_offset(in);

		status = next(reader, in, &packet);
		if (status == STATUS_OK || status == STATUS_BAD_DATA)
			assert_int_equal(bytes_offset(in), before + packet.size);
		assert_true(status == STATUS_TRUNCATED || status == STATUS_END || packet.size > 0);
	}
	assert_true(status == STATUS_TRUNCATED || status == STATUS_END);
	assert_true(bytes_left(in) <= longest);
}

/*
 * Random bytes, zeros often, synchronised or not, of each trace unit in turn. `longest`: bytes of a
 * packet, of which more are not left at the end.
 */
static void assert_random_bytes_progress(const packet_config *const *configs, size_t count,
                                         size_t longest)
{
	static uint8_t data[4096];
	uint32_t random = 1;

	for (unsigned int round = 0; round < 200; round++) {
		struct bytes in = bytes_of(data, sizeof(data));
		packet_reader reader;

		for (size_t i = 0; i < sizeof(data); i++)
			data[i] = next_random(&random) % 8 == 0 ? 0 : (uint8_t)next_random(&random);
		PROTOCOL(reader_init)(&reader, configs[round % count]);
		reader.is_synced = round % 4 > 1;
		assert_progress(&reader, &in, longest);
	}
}

#endif
