/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every packet of the ITM and the DWT: encoded, decoded, its fields compared; every proper prefix
 * of it is TRUNCATED and changes nothing; and what is no packet: reserved headers, fields that are
 * too long, reserved bits. Armv7-M ARM DDI 0403, appendix D4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/stimulus/itm_pkt.h"
#include "tests/synth/itm_emit.h"

/* A call of the encoder, as a row says it. */
struct call {
	enum form {
		SYNC,      /* size */
		OVERFLOW,  /* nothing */
		SOFTWARE,  /* source, value, size */
		HARDWARE,  /* the same */
		SHORT,     /* value */
		LOCAL,     /* source: tc; value, size */
		GLOBAL_1,  /* source: 1 clock changed, 2 wrapped; value, size */
		GLOBAL_2,  /* value, size */
		EXTENSION, /* source: 1 hardware; value, size */
	} form;
	unsigned int source;
	uint64_t value;
	unsigned int size;
};

struct row {
	struct call call;
	struct itm_packet want; /* without its size and header */
};

#define SOURCE(s, v, n) .source = (s), .value = (v), .value_size = (n)
#define VALUE(v, n)     .value = (v), .value_size = (n)
#define LOCAL_TS(v, n, how)                                                                        \
	{                                                                                          \
		.type = ITM_LOCAL_TIMESTAMP, VALUE(v, n), .delay = ITM_DELAY_##how                 \
	}

// clang-format off
static const struct row rows[] = {
	{{SYNC, 0, 0, 5}, {.type = ITM_ASYNC}},
	{{SYNC, 0, 0, 6}, {.type = ITM_ASYNC}},
	{{SYNC, 0, 0, 40}, {.type = ITM_ASYNC}},
	{{OVERFLOW, 0, 0, 0}, {.type = ITM_OVERFLOW}},
	{{SOFTWARE, 0, 0, 1}, {.type = ITM_SOFTWARE, SOURCE(0, 0, 1)}},
	{{SOFTWARE, 1, 0xa5, 1}, {.type = ITM_SOFTWARE, SOURCE(1, 0xa5, 1)}},
	{{SOFTWARE, 16, 0x8001, 2}, {.type = ITM_SOFTWARE, SOURCE(16, 0x8001, 2)}},
	{{SOFTWARE, 31, 0x89abcdef, 4}, {.type = ITM_SOFTWARE, SOURCE(31, 0x89abcdef, 4)}},
	{{HARDWARE, 0, 0x3f, 1}, {.type = ITM_HARDWARE, SOURCE(0, 0x3f, 1)}},
	{{HARDWARE, 1, 0x31ff, 2}, {.type = ITM_HARDWARE, SOURCE(1, 0x31ff, 2)}},
	{{HARDWARE, 2, 0, 1}, {.type = ITM_HARDWARE, SOURCE(2, 0, 1)}},
	{{HARDWARE, 2, 0xfedcba98, 4}, {.type = ITM_HARDWARE, SOURCE(2, 0xfedcba98, 4)}},
	{{HARDWARE, 9, 0x4321, 2}, {.type = ITM_HARDWARE, SOURCE(9, 0x4321, 2)}},
	{{HARDWARE, 23, 0x7f, 1}, {.type = ITM_HARDWARE, SOURCE(23, 0x7f, 1)}},
	{{HARDWARE, 31, 0xffffffff, 4}, {.type = ITM_HARDWARE, SOURCE(31, 0xffffffff, 4)}},
	{{SHORT, 0, 1, 0}, LOCAL_TS(1, 1, NONE)},
	{{SHORT, 0, 2, 0}, LOCAL_TS(2, 1, NONE)},
	{{SHORT, 0, 3, 0}, LOCAL_TS(3, 1, NONE)},
	{{SHORT, 0, 4, 0}, LOCAL_TS(4, 1, NONE)},
	{{SHORT, 0, 5, 0}, LOCAL_TS(5, 1, NONE)},
	{{SHORT, 0, 6, 0}, LOCAL_TS(6, 1, NONE)},
	{{LOCAL, 0, 0, 1}, LOCAL_TS(0, 1, NONE)},
	{{LOCAL, 0, 0x55, 1}, LOCAL_TS(0x55, 1, NONE)},
	{{LOCAL, 1, 0x2aaa, 2}, LOCAL_TS(0x2aaa, 2, TIMESTAMP)},
	{{LOCAL, 2, 0x123456, 3}, LOCAL_TS(0x123456, 3, PACKET)},
	{{LOCAL, 3, 0xabcdef1, 4}, LOCAL_TS(0xabcdef1, 4, BOTH)},
	{{LOCAL, 0, 0xfffffff, 4}, LOCAL_TS(0xfffffff, 4, NONE)},
	{{LOCAL, 1, 3, 4}, LOCAL_TS(3, 4, TIMESTAMP)}, /* longer than it needs be */
	{{GLOBAL_1, 0, 0x7f, 1}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0x7f, 1)}},
	{{GLOBAL_1, 0, 0x1234, 2}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0x1234, 2)}},
	{{GLOBAL_1, 0, 0x155555, 3}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0x155555, 3)}},
	{{GLOBAL_1, 0, 0x3ffffff, 4}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0x3ffffff, 4)}},
	{{GLOBAL_1, 1, 0x2345678, 4}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0x2345678, 4),
		.is_clock_changed = true}},
	{{GLOBAL_1, 2, 0x2345678, 4}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0x2345678, 4),
		.is_wrapped = true}},
	{{GLOBAL_1, 3, 0, 4}, {.type = ITM_GLOBAL_TIMESTAMP_1, VALUE(0, 4),
		.is_clock_changed = true, .is_wrapped = true}},
	{{GLOBAL_2, 0, 1, 1}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(1, 1)}},
	{{GLOBAL_2, 0, 0x2222, 2}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(0x2222, 2)}},
	{{GLOBAL_2, 0, 0x1fffff, 3}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(0x1fffff, 3)}},
	{{GLOBAL_2, 0, 0x3fffff, 4}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(0x3fffff, 4)}},
	{{GLOBAL_2, 0, 0x712345678, 5}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(0x712345678, 5)}},
	{{GLOBAL_2, 0, 0x3fedcba987, 6}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(0x3fedcba987, 6)}},
	/* Six bytes have room for 42 bits, the time has 38 there: the others are reserved. */
	{{GLOBAL_2, 0, 0x3ffffffffff, 6}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(0x3fffffffff, 6)}},
	{{GLOBAL_2, 0, 0x4000000001, 6}, {.type = ITM_GLOBAL_TIMESTAMP_2, VALUE(1, 6)}},
	{{EXTENSION, 0, 0, 0}, {.type = ITM_EXTENSION, VALUE(0, 0)}},
	{{EXTENSION, 0, 5, 0}, {.type = ITM_EXTENSION, VALUE(5, 0)}},
	{{EXTENSION, 1, 7, 0}, {.type = ITM_EXTENSION, VALUE(7, 0), .is_hardware = true}},
	{{EXTENSION, 0, 0x3fe, 1}, {.type = ITM_EXTENSION, VALUE(0x3fe, 1)}},
	{{EXTENSION, 1, 0x12345, 2}, {.type = ITM_EXTENSION, VALUE(0x12345, 2), .is_hardware = true}},
	{{EXTENSION, 0, 0xabcdef, 3}, {.type = ITM_EXTENSION, VALUE(0xabcdef, 3)}},
	{{EXTENSION, 1, 0x7fffffff, 4}, {.type = ITM_EXTENSION, VALUE(0x7fffffff, 4),
		.is_hardware = true}},
};

/* Fields with one byte more than they may have, and synchronisation packets that are none. */
static const struct row bad_rows[] = {
	{{LOCAL, 0, 0, 5}, {.meant = ITM_LOCAL_TIMESTAMP, .size = 5}},
	{{LOCAL, 3, 0xfffffffff, 5}, {.meant = ITM_LOCAL_TIMESTAMP, .size = 5}},
	{{GLOBAL_1, 0, 0, 5}, {.meant = ITM_GLOBAL_TIMESTAMP_1, .size = 5}},
	{{GLOBAL_2, 0, 0, 7}, {.meant = ITM_GLOBAL_TIMESTAMP_2, .size = 7}},
	{{EXTENSION, 1, 0, 5}, {.meant = ITM_EXTENSION, .size = 5}},
	{{SYNC, 0, 0, 1}, {.meant = ITM_ASYNC, .size = 2}},
	{{SYNC, 0, 0, 4}, {.meant = ITM_ASYNC, .size = 5}},
};

/*
 * The packet that a header begins, a letter each: columns are its high nibble, from 0. All nibbles
 * that are in no row here begin a source packet: H if bit 2 is set, else S.
 */
static const struct {
	uint8_t low;
	char letters[17];
} header_maps[] = {
	{0x0, "Atttttto" "tttttttt"},
	{0x4, "........" ".1.2...."},
	{0x8, "xxxxxxxx" "xxxxxxxx"},
	{0xc, "xxxxxxxx" "xxxxxxxx"},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put(struct buf *out, const struct call *c)
{
	switch (c->form) {
	case SYNC:
		emit_itm_sync(out, c->size);
		break;
	case OVERFLOW:
		emit_itm_overflow(out);
		break;
	case SOFTWARE:
		emit_itm_software(out, c->source, (uint32_t)c->value, c->size);
		break;
	case HARDWARE:
		emit_itm_hardware(out, c->source, (uint32_t)c->value, c->size);
		break;
	case SHORT:
		emit_itm_local_short(out, (unsigned int)c->value);
		break;
	case LOCAL:
		emit_itm_local(out, c->source, c->value, c->size);
		break;
	case GLOBAL_1:
		emit_itm_global_1(out, c->value, c->source & 1, c->source & 2, c->size);
		break;
	case GLOBAL_2:
		emit_itm_global_2(out, c->value, c->size);
		break;
	case EXTENSION:
		emit_itm_extension(out, c->source & 1, c->value, c->size);
		break;
	}
	assert_false(out->failed);
}

static void print_row(const struct row *row)
{
	print_message("%s: source %u, value %llx, size %u\n",
	              itm_type_name(row->want.meant ? row->want.meant : row->want.type),
	              row->call.source, (unsigned long long)row->call.value, row->call.size);
}

static void sync(struct itm_reader *reader)
{
	struct buf b = {0};
	struct itm_packet packet = {0};
	struct bytes in;

	itm_reader_init(reader);
	emit_itm_sync(&b, 5);
	in = bytes_of(b.data, b.size);
	assert_int_equal(itm_reader_next(reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, ITM_ASYNC);
	assert_true(reader->is_synced);
	buf_fini(&b);
}

static void compare_packets(const struct itm_packet *got, const struct itm_packet *want)
{
	assert_string_equal(itm_type_name(got->type), itm_type_name(want->type));
	assert_int_equal(got->source, want->source);
	assert_int_equal(got->value_size, want->value_size);
	assert_int_equal(got->value, want->value);
	assert_int_equal(got->delay, want->delay);
	assert_int_equal(got->is_clock_changed, want->is_clock_changed);
	assert_int_equal(got->is_wrapped, want->is_wrapped);
	assert_int_equal(got->is_hardware, want->is_hardware);
}

static void packet_encoded_is_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct itm_reader reader;
		struct itm_packet packet = {0};
		struct buf b = {0};
		struct bytes in;

		sync(&reader);
		put(&b, &rows[i].call);
		in = bytes_of(b.data, b.size);
		print_row(&rows[i]);
		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(bytes_left(&in), 0);
		assert_int_equal(packet.size, b.size);
		assert_int_equal(packet.header, b.data[0]);
		assert_true(reader.is_synced);
		compare_packets(&packet, &rows[i].want);
		buf_fini(&b);
	}
}

static void packet_prefix_is_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct itm_reader reader;
		struct buf b = {0};

		sync(&reader);
		put(&b, &rows[i].call);
		for (size_t size = 0; size < b.size; size++) {
			struct itm_packet packet = {0};
			struct bytes in = bytes_of(b.data, size);

			print_row(&rows[i]);
			assert_int_equal(itm_reader_next(&reader, &in, &packet),
			                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_true(reader.is_synced);
		}
		buf_fini(&b);
	}
}

/* All packets after one another: each ends where the next one begins. */
static void packets_in_one_stream_are_decoded(void **state)
{
	struct itm_reader reader;
	struct buf b = {0};
	struct bytes in;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		put(&b, &rows[i].call);
	sync(&reader);
	in = bytes_of(b.data, b.size);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct itm_packet packet = {0};

		print_row(&rows[i]);
		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_OK);
		compare_packets(&packet, &rows[i].want);
	}
	assert_int_equal(bytes_left(&in), 0);
	buf_fini(&b);
}

static void packet_types_all_have_a_row(void **state)
{
	(void)state;
	for (int type = ITM_ASYNC; type < ITM_TYPES; type++) {
		bool found = false;

		for (size_t i = 0; i < COUNT(rows); i++)
			found = found || (int)rows[i].want.type == type;
		print_message("%s\n", itm_type_name((enum itm_type)type));
		assert_true(found);
	}
}

static void packet_malformed_is_bad_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad_rows); i++) {
		struct itm_reader reader;
		struct itm_packet packet = {0};
		struct buf b = {0};
		struct bytes in;

		sync(&reader);
		put(&b, &bad_rows[i].call);
		emit_itm_sync(&b, 5);
		in = bytes_of(b.data, b.size);
		print_row(&bad_rows[i]);
		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, ITM_BAD_SEQUENCE);
		assert_int_equal(packet.meant, bad_rows[i].want.meant);
		assert_int_equal(packet.size, bad_rows[i].want.size);
		assert_int_equal(bytes_offset(&in), bad_rows[i].want.size);
		assert_false(reader.is_synced);
		while (!reader.is_synced)
			assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, ITM_ASYNC);
		assert_int_equal(bytes_left(&in), 0);
		buf_fini(&b);
	}
}

static enum itm_type mapped_type(unsigned int header)
{
	char letter = header & 4 ? 'H' : 'S';

	for (size_t i = 0; i < COUNT(header_maps); i++) {
		if (header_maps[i].low == (header & 0xf))
			letter = header_maps[i].letters[header >> 4];
	}
	switch (letter) {
	case 'A':
		return ITM_ASYNC;
	case 't':
		return ITM_LOCAL_TIMESTAMP;
	case 'o':
		return ITM_OVERFLOW;
	case '1':
		return ITM_GLOBAL_TIMESTAMP_1;
	case '2':
		return ITM_GLOBAL_TIMESTAMP_2;
	case 'x':
		return ITM_EXTENSION;
	case 'S':
		return ITM_SOFTWARE;
	case 'H':
		return ITM_HARDWARE;
	default:
		return ITM_RESERVED;
	}
}

static void header_of_each_value_is_as_mapped(void **state)
{
	(void)state;
	for (unsigned int header = 0; header < 256; header++) {
		enum itm_type want = mapped_type(header);
		uint8_t bytes[2] = {(uint8_t)header, 0};
		struct itm_packet packet = {0};
		struct itm_reader reader;
		struct bytes in = bytes_of(bytes, sizeof(bytes));

		print_message("0x%02x\n", header);
		assert_int_equal(itm_header_type((uint8_t)header), want);
		sync(&reader);
		if (want != ITM_RESERVED)
			continue;
		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, ITM_RESERVED);
		assert_int_equal(packet.header, header);
		assert_int_equal(packet.size, 1);
		assert_int_equal(bytes_offset(&in), 1);
		assert_false(reader.is_synced);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packet_encoded_is_decoded),
	        cmocka_unit_test(packet_prefix_is_truncated),
	        cmocka_unit_test(packets_in_one_stream_are_decoded),
	        cmocka_unit_test(packet_types_all_have_a_row),
	        cmocka_unit_test(packet_malformed_is_bad_data),
	        cmocka_unit_test(header_of_each_value_is_as_mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
