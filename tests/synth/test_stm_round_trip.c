/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every packet of the STM: encoded, decoded, its fields compared, at either nibble of a byte; cut
 * after every nibble it is TRUNCATED and changes nothing; and what is no packet: reserved opcodes,
 * versions and lengths of timestamps. MIPI STPv2; CoreSight STM TRM.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/stimulus/stm_pkt.h"
#include "tests/synth/stm_emit.h"

/* What a reader knows before each packet under test. */
#define MASTER  0x12
#define CHANNEL 0x3456
#define TIME    0x123456789abcdef0

/* A call of the encoder, as a row says it. */
struct call {
	enum form {
		ASYNC, /* digits: nibbles of 0xf */
		VERSION,
		NOTHING,
		SET_MASTER,
		SET_CHANNEL_8,
		SET_CHANNEL_16,
		MERR,
		GERR,
		DATA, /* value, digits, is_marker, time */
		MARKED,
		FLAG,
		TRIGGER,
		FREQUENCY,
		RAW, /* value, digits: these nibbles */
	} form;
	uint64_t value;
	unsigned int digits;
	const struct emit_stm_time *time;
};

struct row {
	struct call call;
	struct stm_packet want; /* without its size and begins_high */
};

#define TS(n, v) (&(const struct emit_stm_time){(n), (v)})
#define NO_TS    NULL
#define WANT(t, listed, n, v)                                                                      \
	.type = STM_##t, .name = (listed), .digits = (n), .value = (v), .master = MASTER,          \
	.channel = CHANNEL
#define WANT_IDS(t, listed, n, v, m, c)                                                            \
	.type = STM_##t, .name = (listed), .digits = (n), .value = (v), .master = (m),             \
	.channel = (c)
#define AT(ts) .has_timestamp = true, .timestamp = (ts)

// clang-format off
static const struct row rows[] = {
	{{ASYNC, 0, 21, NO_TS}, {WANT(ASYNC, "ASYNC", 0, 0)}},
	{{ASYNC, 0, 22, NO_TS}, {WANT(ASYNC, "ASYNC", 0, 0)}},
	{{ASYNC, 0, 60, NO_TS}, {WANT(ASYNC, "ASYNC", 0, 0)}},
	{{VERSION, 3, 0, NO_TS}, {WANT_IDS(VERSION, "VERSION", 1, 3, 0, 0)}},
	{{VERSION, 4, 0, NO_TS}, {WANT_IDS(VERSION, "VERSION", 1, 4, 0, 0)}},
	{{NOTHING, 0, 0, NO_TS}, {WANT(EMPTY, "NULL", 0, 0)}},
	{{NOTHING, 0, 0, TS(4, 0x1234)}, {WANT(EMPTY, "NULLTS", 0, 0), AT(0x123456789abc1234)}},
	{{SET_MASTER, 0xfe, 0, NO_TS}, {WANT_IDS(MASTER, "M8", 2, 0xfe, 0xfe, 0)}},
	{{SET_CHANNEL_8, 0xa5, 0, NO_TS}, {WANT_IDS(CHANNEL_8, "C8", 2, 0xa5, MASTER, 0x34a5)}},
	{{SET_CHANNEL_16, 0xfedc, 0, NO_TS}, {WANT_IDS(CHANNEL_16, "C16", 4, 0xfedc, MASTER, 0xfedc)}},
	{{MERR, 0xe1, 0, NO_TS}, {WANT_IDS(MASTER_ERROR, "MERR", 2, 0xe1, MASTER, 0)}},
	{{GERR, 0x1e, 0, NO_TS}, {WANT_IDS(GLOBAL_ERROR, "GERR", 2, 0x1e, 0, 0)}},
	{{DATA, 0x9, 1, NO_TS}, {WANT(DATA, "D4", 1, 0x9)}},
	{{DATA, 0xa5, 2, NO_TS}, {WANT(DATA, "D8", 2, 0xa5)}},
	{{DATA, 0xfedc, 4, NO_TS}, {WANT(DATA, "D16", 4, 0xfedc)}},
	{{DATA, 0x89abcdef, 8, NO_TS}, {WANT(DATA, "D32", 8, 0x89abcdef)}},
	{{DATA, 0xfedcba9876543210, 16, NO_TS}, {WANT(DATA, "D64", 16, 0xfedcba9876543210)}},
	{{DATA, 0x9, 1, TS(1, 5)}, {WANT(DATA, "D4TS", 1, 0x9), AT(0x123456789abcdef5)}},
	{{DATA, 0xa5, 2, TS(2, 0x11)}, {WANT(DATA, "D8TS", 2, 0xa5), AT(0x123456789abcde11)}},
	{{DATA, 0xfedc, 4, TS(3, 0x222)}, {WANT(DATA, "D16TS", 4, 0xfedc), AT(0x123456789abcd222)}},
	{{DATA, 0x89abcdef, 8, TS(12, 0xcba987654321)}, {WANT(DATA, "D32TS", 8, 0x89abcdef),
		AT(0x1234cba987654321)}},
	{{DATA, 0xfedcba9876543210, 16, TS(16, 0xffffffffffffffff)},
		{WANT(DATA, "D64TS", 16, 0xfedcba9876543210), AT(0xffffffffffffffff)}},
	{{MARKED, 0x9, 1, NO_TS}, {WANT(DATA, "D4M", 1, 0x9), .is_marker = true}},
	{{MARKED, 0xa5, 2, NO_TS}, {WANT(DATA, "D8M", 2, 0xa5), .is_marker = true}},
	{{MARKED, 0xfedc, 4, NO_TS}, {WANT(DATA, "D16M", 4, 0xfedc), .is_marker = true}},
	{{MARKED, 0x89abcdef, 8, NO_TS}, {WANT(DATA, "D32M", 8, 0x89abcdef), .is_marker = true}},
	{{MARKED, 0xfedcba9876543210, 16, NO_TS},
		{WANT(DATA, "D64M", 16, 0xfedcba9876543210), .is_marker = true}},
	{{MARKED, 0x9, 1, TS(0, 0)}, {WANT(DATA, "D4MTS", 1, 0x9), .is_marker = true, AT(TIME)}},
	{{MARKED, 0xa5, 2, TS(5, 0x54321)}, {WANT(DATA, "D8MTS", 2, 0xa5), .is_marker = true,
		AT(0x123456789ab54321)}},
	{{MARKED, 0xfedc, 4, TS(8, 0)}, {WANT(DATA, "D16MTS", 4, 0xfedc), .is_marker = true,
		AT(0x1234567800000000)}},
	{{MARKED, 0x89abcdef, 8, TS(14, 0xedcba987654321)}, {WANT(DATA, "D32MTS", 8, 0x89abcdef),
		.is_marker = true, AT(0x12edcba987654321)}},
	{{MARKED, 0xfedcba9876543210, 16, TS(16, 1)}, {WANT(DATA, "D64MTS", 16, 0xfedcba9876543210),
		.is_marker = true, AT(1)}},
	{{FLAG, 0, 0, NO_TS}, {WANT(FLAG, "FLAG", 0, 0)}},
	{{FLAG, 0, 0, TS(6, 0x654321)}, {WANT(FLAG, "FLAGTS", 0, 0), AT(0x123456789a654321)}},
	{{TRIGGER, 0xc3, 0, NO_TS}, {WANT(TRIGGER, "TRIG", 2, 0xc3)}},
	{{TRIGGER, 0xc3, 0, TS(7, 0x7654321)}, {WANT(TRIGGER, "TRIGTS", 2, 0xc3),
		AT(0x1234567897654321)}},
	{{FREQUENCY, 600000000, 0, NO_TS}, {WANT(FREQUENCY, "FREQ", 8, 600000000)}},
};

/* `digits` of the packet wanted: how many of the nibbles were read. */
static const struct row bad_rows[] = {
	{{RAW, 0xf1, 2, NO_TS}, {.type = STM_RESERVED, .value = 0xf1, .digits = 2}},
	{{RAW, 0xf02, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf02, .digits = 3}},
	{{RAW, 0xf03, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf03, .digits = 3}},
	{{RAW, 0xf04, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf04, .digits = 3}},
	{{RAW, 0xf05, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf05, .digits = 3}},
	{{RAW, 0xf09, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf09, .digits = 3}},
	{{RAW, 0xf0a, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf0a, .digits = 3}},
	{{RAW, 0xf0b, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf0b, .digits = 3}},
	{{RAW, 0xf0c, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf0c, .digits = 3}},
	{{RAW, 0xf0d, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf0d, .digits = 3}},
	{{RAW, 0xf0e, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf0e, .digits = 3}},
	{{RAW, 0xf0f, 3, NO_TS}, {.type = STM_RESERVED, .value = 0xf0f, .digits = 3}},
	{{VERSION, 0, 0, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_VERSION, .digits = 4}},
	{{VERSION, 2, 0, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_VERSION, .digits = 4}},
	{{VERSION, 5, 0, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_VERSION, .digits = 4}},
	{{VERSION, 15, 0, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_VERSION, .digits = 4}},
	{{ASYNC, 0, 2, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_ASYNC, .digits = 3}},
	{{ASYNC, 0, 20, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_ASYNC, .digits = 21}},
	{{RAW, 0xef, 2, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_FLAG, .digits = 2}},
	{{RAW, 0xf01f, 4, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_EMPTY, .digits = 4}},
	{{RAW, 0xf4a5f, 5, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_DATA, .digits = 5}},
	{{RAW, 0xd7f, 3, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_DATA, .digits = 3}},
	{{RAW, 0xf07a5f, 6, NO_TS}, {.type = STM_BAD_SEQUENCE, .meant = STM_TRIGGER, .digits = 6}},
};

static const struct opcode {
	const char *name;
	enum stm_type type;
	unsigned int nibbles;
	uint8_t opcode;
} opcodes[] = {
#define OPCODE(type, name, nibbles, opcode, digits, parts) {name, STM_##type, nibbles, opcode},
#include "decoder/stimulus/stm_pkt.def"
#undef OPCODE
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put_ids(struct stm_stream *out, const struct call *c)
{
	unsigned int value = (unsigned int)c->value;

	if (c->form == SET_MASTER)
		emit_stm_master(out, value);
	else if (c->form == SET_CHANNEL_8)
		emit_stm_channel_8(out, value);
	else if (c->form == SET_CHANNEL_16)
		emit_stm_channel_16(out, value);
	else if (c->form == MERR)
		emit_stm_master_error(out, value);
	else
		emit_stm_global_error(out, value);
}

static void put(struct stm_stream *out, const struct call *c)
{
	switch (c->form) {
	case ASYNC:
		emit_stm_async(out, c->digits);
		break;
	case VERSION:
		emit_stm_version(out, (unsigned int)c->value);
		break;
	case NOTHING:
		emit_stm_null(out, c->time);
		break;
	case SET_MASTER:
	case SET_CHANNEL_8:
	case SET_CHANNEL_16:
	case MERR:
	case GERR:
		put_ids(out, c);
		break;
	case DATA:
	case MARKED:
		emit_stm_data(out, c->value, c->digits, c->form == MARKED, c->time);
		break;
	case FLAG:
		emit_stm_flag(out, c->time);
		break;
	case TRIGGER:
		emit_stm_trigger(out, (unsigned int)c->value, c->time);
		break;
	case FREQUENCY:
		emit_stm_frequency(out, (uint32_t)c->value);
		break;
	case RAW:
		emit_stm_nibbles(out, c->value, c->digits);
		break;
	}
	assert_false(out->bytes.failed);
}

static struct bytes bytes_of_stream(const struct stm_stream *s)
{
	return bytes_of(s->bytes.data, s->bytes.size);
}

/*
 * A reader that knows a version, and the master, channel and time above, at the low or the high
 * nibble of a byte; `out` then has the low nibble that is done.
 */
static void prepare(struct stm_reader *reader, unsigned int version, bool is_high,
                    struct stm_stream *out)
{
	struct stm_stream s = {0};
	struct bytes in;

	emit_stm_async(&s, 21);
	emit_stm_version(&s, version);
	emit_stm_master(&s, MASTER);
	emit_stm_channel_16(&s, CHANNEL);
	emit_stm_flag(&s, TS(16, version == 4 ? emit_stm_gray(TIME) : TIME));
	if (s.is_high_next != is_high)
		emit_stm_null(&s, NULL);
	stm_reader_init(reader);
	in = bytes_of_stream(&s);
	while (bytes_left(&in) > (is_high ? 1 : 0) || reader->is_high_next != is_high) {
		struct stm_packet packet = {0};

		assert_int_equal(stm_reader_next(reader, &in, &packet), STATUS_OK);
	}
	assert_int_equal(reader->timestamp, TIME);
	assert_int_equal(reader->master, MASTER);
	assert_int_equal(reader->channel, CHANNEL);
	*out = (struct stm_stream){0};
	if (is_high)
		emit_stm_null(out, NULL);
	buf_fini(&s.bytes);
}

static void print_row(const struct row *row, bool is_high)
{
	print_message("%s from %s nibble: value %llx\n",
	              row->want.name ? row->want.name : stm_type_name(row->want.meant),
	              is_high ? "high" : "low", (unsigned long long)row->call.value);
}

static void compare_packets(const struct stm_packet *got, const struct stm_packet *want)
{
	assert_string_equal(stm_type_name(got->type), stm_type_name(want->type));
	assert_string_equal(got->name, want->name);
	assert_int_equal(got->is_marker, want->is_marker);
	assert_int_equal(got->has_timestamp, want->has_timestamp);
	assert_int_equal(got->timestamp, want->timestamp);
	assert_int_equal(got->digits, want->digits);
	assert_int_equal(got->value, want->value);
	assert_int_equal(got->master, want->master);
	assert_int_equal(got->channel, want->channel);
}

/* The cursor and the reader lie after `nibbles` nibbles of the stream. */
static void assert_place(const struct stm_reader *reader, const struct bytes *in, size_t nibbles)
{
	assert_int_equal(bytes_offset(in), nibbles / 2);
	assert_int_equal(reader->is_high_next, nibbles % 2);
}

static void decode_row(const struct row *row, bool is_high)
{
	struct stm_reader reader;
	struct stm_packet packet = {0};
	struct stm_stream s;
	struct bytes in;

	print_row(row, is_high);
	prepare(&reader, 3, is_high, &s);
	put(&s, &row->call);
	in = bytes_of_stream(&s);
	assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
	assert_place(&reader, &in, s.nibbles);
	assert_int_equal(packet.size, s.bytes.size);
	assert_int_equal(packet.begins_high, is_high);
	compare_packets(&packet, &row->want);
	assert_int_equal(reader.master, row->want.master);
	assert_int_equal(reader.channel, row->want.channel);
	assert_int_equal(reader.timestamp, row->want.has_timestamp ? row->want.timestamp : TIME);
	buf_fini(&s.bytes);
}

static void packet_encoded_is_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		decode_row(&rows[i], false);
		decode_row(&rows[i], true);
	}
}

/*
 * Bytes can only be cut between two nibbles that are a high and a low one; a packet that begins at
 * the other nibble of a byte is cut at the other half of its places.
 */
static void cut_row(const struct row *row, bool is_high)
{
	struct stm_reader reader;
	struct stm_stream s;

	print_row(row, is_high);
	prepare(&reader, 3, is_high, &s);
	put(&s, &row->call);
	for (size_t size = 0; 2 * size < s.nibbles; size++) {
		struct stm_reader before = reader;
		struct stm_packet packet = {0};
		struct bytes in = bytes_of(s.bytes.data, size);

		assert_int_equal(stm_reader_next(&reader, &in, &packet),
		                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
		assert_int_equal(bytes_offset(&in), 0);
		assert_memory_equal(&reader, &before, sizeof(reader));
	}
	buf_fini(&s.bytes);
}

static void packet_prefix_is_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		cut_row(&rows[i], false);
		cut_row(&rows[i], true);
	}
}

/* All packets after one another: each ends where the next one begins. */
static void packets_in_one_stream_are_decoded(void **state)
{
	struct stm_reader reader;
	struct stm_stream s;
	struct bytes in;

	(void)state;
	prepare(&reader, 3, false, &s);
	for (size_t i = 0; i < COUNT(rows); i++)
		put(&s, &rows[i].call);
	in = bytes_of_stream(&s);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct stm_packet packet = {0};

		assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_string_equal(packet.name, rows[i].want.name);
		assert_int_equal(packet.value, rows[i].want.value);
		assert_int_equal(packet.digits, rows[i].want.digits);
	}
	assert_place(&reader, &in, s.nibbles);
	buf_fini(&s.bytes);
}

static void packet_types_all_have_a_row(void **state)
{
	(void)state;
	for (int type = STM_ASYNC; type < STM_TYPES; type++) {
		bool found = false;

		for (size_t i = 0; i < COUNT(rows); i++)
			found = found || (int)rows[i].want.type == type;
		print_message("%s\n", stm_type_name((enum stm_type)type));
		assert_true(found);
	}
	for (size_t o = 0; o < COUNT(opcodes); o++) {
		bool found = false;

		for (size_t i = 0; i < COUNT(rows); i++)
			found = found || strcmp(rows[i].want.name, opcodes[o].name) == 0;
		print_message("%s\n", opcodes[o].name);
		assert_true(found);
	}
}

/* Every timestamp length in both codes: the nibbles that are not sent stay. */
static void check_time(unsigned int version, unsigned int digits, uint64_t low)
{
	uint64_t sent = digits < 16 ? (UINT64_C(1) << (4 * digits)) - 1 : UINT64_MAX;
	uint64_t want = (TIME & ~sent) | (low & sent);
	struct emit_stm_time time = {digits, version == 4 ? emit_stm_gray(want) : want};
	struct stm_reader reader;
	struct stm_packet packet = {0};
	struct stm_stream s;
	struct bytes in;

	print_message("version %u, %u digits of %llx\n", version, digits, (unsigned long long)low);
	prepare(&reader, version, false, &s);
	emit_stm_flag(&s, &time);
	in = bytes_of_stream(&s);
	assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
	assert_true(packet.has_timestamp);
	assert_int_equal(packet.timestamp, want);
	assert_place(&reader, &in, s.nibbles);
	buf_fini(&s.bytes);
}

static void timestamp_of_each_length_is_decoded(void **state)
{
	static const unsigned int digits[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16};
	static const uint64_t lows[] = {0, UINT64_MAX, 0xfedcba9876543210, 0x5a5a5a5a5a5a5a5a, 1};

	(void)state;
	for (size_t i = 0; i < COUNT(digits); i++) {
		for (size_t j = 0; j < COUNT(lows); j++) {
			check_time(3, digits[i], lows[j]);
			check_time(4, digits[i], lows[j]);
		}
	}
}

static void reject_row(const struct row *row, bool is_high)
{
	struct stm_reader reader;
	struct stm_packet packet = {0};
	struct stm_stream s;
	struct bytes in;

	print_row(row, is_high);
	prepare(&reader, 3, is_high, &s);
	put(&s, &row->call);
	/* No nibble of 0xf may lie before it: it would be one of its own. */
	emit_stm_null(&s, NULL);
	emit_stm_async(&s, 21);
	in = bytes_of_stream(&s);
	assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
	assert_string_equal(stm_type_name(packet.type), stm_type_name(row->want.type));
	assert_int_equal(packet.meant, row->want.meant);
	if (row->want.type == STM_RESERVED)
		assert_int_equal(packet.value, row->want.value);
	assert_place(&reader, &in, (is_high ? 1U : 0) + row->want.digits);
	assert_false(reader.is_synced);
	while (!reader.is_synced)
		assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, STM_ASYNC);
	assert_place(&reader, &in, s.nibbles);
	buf_fini(&s.bytes);
}

static void packet_malformed_is_bad_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad_rows); i++) {
		reject_row(&bad_rows[i], false);
		reject_row(&bad_rows[i], true);
	}
}

static void timestamp_before_version_is_bad_data(void **state)
{
	struct stm_reader reader;
	struct stm_packet packet = {0};
	struct stm_stream s = {0};
	struct bytes in;

	(void)state;
	emit_stm_async(&s, 21);
	emit_stm_flag(&s, TS(2, 0x12));
	stm_reader_init(&reader);
	in = bytes_of_stream(&s);
	assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, STM_ASYNC);
	assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
	assert_int_equal(packet.type, STM_BAD_SEQUENCE);
	assert_int_equal(packet.meant, STM_FLAG);
	assert_false(packet.has_timestamp);
	assert_false(reader.is_synced);
	buf_fini(&s.bytes);
}

/* The decoder's answer for an opcode: its row's, the beginning of longer ones, or reserved. */
static void opcode_of_each_value_is_as_listed(void **state)
{
	unsigned int reserved = 0;

	(void)state;
	for (unsigned int nibbles = 1; nibbles <= 3; nibbles++) {
		for (uint8_t opcode = 0; opcode < 16; opcode++) {
			bool is_prefix =
			        (nibbles == 1 && opcode == 0xf) || (nibbles == 2 && opcode == 0);
			enum stm_type want = is_prefix ? STM_TYPES : STM_RESERVED;

			for (size_t i = 0; i < COUNT(opcodes); i++) {
				if (opcodes[i].nibbles == nibbles && opcodes[i].opcode == opcode)
					want = opcodes[i].type;
			}
			assert_int_equal(stm_opcode_type(nibbles, opcode), want);
			reserved += want == STM_RESERVED;
		}
	}
	assert_int_equal(reserved, 12); /* one each in bad_rows */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packet_encoded_is_decoded),
	        cmocka_unit_test(packet_prefix_is_truncated),
	        cmocka_unit_test(packets_in_one_stream_are_decoded),
	        cmocka_unit_test(packet_types_all_have_a_row),
	        cmocka_unit_test(timestamp_of_each_length_is_decoded),
	        cmocka_unit_test(packet_malformed_is_bad_data),
	        cmocka_unit_test(timestamp_before_version_is_bad_data),
	        cmocka_unit_test(opcode_of_each_value_is_as_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
