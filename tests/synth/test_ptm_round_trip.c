/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every packet of PTM: encoded, decoded, its fields compared; every proper prefix of it is
 * TRUNCATED and changes nothing; reserved bits change nothing, reserved headers are bad. The rows
 * are those of ptm_round_trip.def.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/ptm/ptm_pkt.h"
#include "tests/synth/ptm_emit.h"

enum config_kind {
	PLAIN,
	FULL,
	GRAY,
	CYCLES,
	CONFIGS,
};

static const struct ptm_config configs[CONFIGS] = {
        [PLAIN] = {.is_timestamp_binary = true},
        [FULL] = {.context_id_size = 4, .is_timestamp_64 = true, .is_timestamp_binary = true},
        [GRAY] = {.context_id_size = 2},
        [CYCLES] = {.context_id_size = 1, .is_timestamp_64 = true, .is_cycle_accurate = true},
};

struct row {
	const char *name;
	enum config_kind config;
	void (*before)(struct buf *b); /* packets that it depends on */
	void (*emit)(struct buf *b);
	struct ptm_packet want;
};

/* What is encoded. */
#define COUNT(n)                                                                                   \
	&(const uint32_t)                                                                          \
	{                                                                                          \
		n                                                                                  \
	}
#define PC(i, a, n)                                                                                \
	&(const struct emit_pc)                                                                    \
	{                                                                                          \
		EMIT_##i, a, n, true, false                                                        \
	}
#define PC_EXCEPTION(i, a, n)                                                                      \
	&(const struct emit_pc)                                                                    \
	{                                                                                          \
		EMIT_##i, a, n, true, true                                                         \
	}
#define ISYNC(why, ...)                                                                            \
	&(const struct ptm_emit_isync)                                                             \
	{                                                                                          \
		.reason = EMIT_##why, .address = __VA_ARGS__                                       \
	}
#define EXCEPTION(...)                                                                             \
	&(const struct ptm_emit_exception)                                                         \
	{                                                                                          \
		.number = __VA_ARGS__                                                              \
	}
#define NONE       (void)b
#define AT_T32     ptm_emit_branch(b, PC(T32, 0x12345678, 5), NULL, NULL)
#define AT_JAZELLE ptm_emit_branch(b, PC(JAZELLE, 0x12345678, 5), NULL, NULL)
#define AT_TEE     ptm_emit_waypoint(b, PC_EXCEPTION(T32, 0x1234, 5), &(const bool){true})
#define TIME_48    ptm_emit_timestamp(b, 0xfedcba987654, 7, 7, false, NULL)

/* What is decoded. */
#define KNOWN(...)         .known = {__VA_ARGS__}
#define AT(a, i)           .address = (a), .isa = ISA_##i
#define HOME               AT(0x12345678, A32)
#define CYCLE_COUNT(n)     .has_cycles = true, .cycles = (n)
#define BRANCH(bits)       .type = PTM_BRANCH, .sent_bits = (bits)
#define WAYPOINT(bits)     .type = PTM_WAYPOINT, .sent_bits = (bits)
#define TIME(bits)         .type = PTM_TIMESTAMP, .sent_bits = (bits)
#define WANT_EXCEPTION(n)  .has_exception = true, .has_state = true, .exception = (n)
#define ATOMS(count, bits) .type = PTM_ATOM, .atom_count = (count), .atoms = (bits), KNOWN(HOME)
#define WANT_ISYNC(why)                                                                            \
	.type = PTM_ISYNC, .sent_bits = 32, .has_state = true, .reason = PTM_ISYNC_##why

#define PASTE(a, b)     a##b
#define LINE_NAME(a, b) PASTE(a, b)

#define ROW(config, before, emit, ...)                                                             \
	static void LINE_NAME(before_, __LINE__)(struct buf * b)                                   \
	{                                                                                          \
		before;                                                                            \
	}                                                                                          \
	static void LINE_NAME(emit_, __LINE__)(struct buf * b)                                     \
	{                                                                                          \
		emit;                                                                              \
	}
#include "tests/synth/ptm_round_trip.def"
#undef ROW

static const struct row rows[] = {
#define ROW(config, before, emit, ...)                                                             \
	{#emit, config, LINE_NAME(before_, __LINE__), LINE_NAME(emit_, __LINE__), {__VA_ARGS__}},
#include "tests/synth/ptm_round_trip.def"
#undef ROW
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void compare_known(const struct ptm_known *got, const struct ptm_known *want)
{
	assert_int_equal(got->address, want->address);
	assert_int_equal(got->isa, want->isa);
	assert_int_equal(got->is_alt_isa, want->is_alt_isa);
	assert_int_equal(got->is_non_secure, want->is_non_secure);
	assert_int_equal(got->is_hyp, want->is_hyp);
	assert_int_equal(got->context_id, want->context_id);
	assert_int_equal(got->vmid, want->vmid);
	assert_int_equal(got->timestamp, want->timestamp);
}

static void compare_packets(const struct ptm_packet *got, const struct ptm_packet *want)
{
	assert_string_equal(ptm_type_name(got->type), ptm_type_name(want->type));
	assert_int_equal(got->sent_bits, want->sent_bits);
	assert_int_equal(got->is_isa_changed, want->is_isa_changed);
	assert_int_equal(got->has_state, want->has_state);
	assert_int_equal(got->has_context_id, want->has_context_id);
	assert_int_equal(got->has_exception, want->has_exception);
	assert_int_equal(got->exception, want->exception);
	assert_int_equal(got->reason, want->reason);
	assert_int_equal(got->has_cycles, want->has_cycles);
	assert_int_equal(got->cycles, want->cycles);
	assert_int_equal(got->atom_count, want->atom_count);
	assert_int_equal(got->atoms, want->atoms);
	compare_known(&got->known, &want->known);
}

/* A reader that has read A-Sync, I-Sync and what is before the row's packet. */
static void prepare(struct ptm_reader *reader, const struct row *row)
{
	struct buf b = {0};
	struct bytes in;

	ptm_emit_async(&b, 5);
	ptm_emit_isync(&b, ISYNC(PERIODIC, 0x12345678,
	                         .context_id_size = configs[row->config].context_id_size));
	row->before(&b);
	assert_false(b.failed);
	ptm_reader_init(reader, &configs[row->config]);
	in = bytes_of(b.data, b.size);
	while (bytes_left(&in) > 0) {
		struct ptm_packet packet;

		assert_int_equal(ptm_reader_next(reader, &in, in.end, &packet), STATUS_OK);
	}
	buf_fini(&b);
}

static void emit_row(struct buf *b, const struct row *row)
{
	*b = (struct buf){0};
	row->emit(b);
	assert_false(b->failed);
}

/* The one packet in `b` is what the row wants. */
static void check_packet(const struct row *row, const struct buf *b)
{
	struct ptm_reader reader;
	struct ptm_packet packet;
	struct bytes in = bytes_of(b->data, b->size);

	prepare(&reader, row);
	print_message("%s\n", row->name);
	assert_int_equal(ptm_reader_next(&reader, &in, in.end, &packet), STATUS_OK);
	assert_int_equal(bytes_left(&in), 0);
	assert_int_equal(packet.size, b->size);
	assert_int_equal(packet.header, b->data[0]);
	compare_packets(&packet, &row->want);
	compare_known(&reader.known, &row->want.known);
}

static void packet_encoded_is_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct buf b;

		emit_row(&b, &rows[i]);
		check_packet(&rows[i], &b);
		buf_fini(&b);
	}
}

static void packet_prefix_is_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct ptm_reader reader;
		struct buf b;

		prepare(&reader, &rows[i]);
		emit_row(&b, &rows[i]);
		for (size_t size = 0; size < b.size; size++) {
			struct ptm_reader before = reader;
			struct ptm_packet packet;
			struct bytes in = bytes_of(b.data, size);

			print_message("%s, %zu bytes\n", rows[i].name, size);
			assert_int_equal(ptm_reader_next(&reader, &in, in.end, &packet),
			                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_memory_equal(&reader, &before, sizeof(reader));
		}
		buf_fini(&b);
	}
}

/* Every packet type but those that are no packets has a row. */
static void packet_types_all_have_a_row(void **state)
{
	(void)state;
	for (int type = PTM_BRANCH; type < PTM_TYPES; type++) {
		bool found = false;

		for (size_t i = 0; i < ROWS; i++)
			found = found || (int)rows[i].want.type == type;
		print_message("%s\n", ptm_type_name((enum ptm_type)type));
		assert_true(found);
	}
}

/* Bits that mean nothing, from the end of a packet. */
struct reserved {
	struct row row;
	size_t from_end;
	uint8_t mask;
};

static void emit_reserved_isync(struct buf *b)
{
	ptm_emit_isync(b, ISYNC(TRACE_ON, 0x8000));
}

static void emit_reserved_exception(struct buf *b)
{
	ptm_emit_branch(b, PC_EXCEPTION(A32, 0x8000, 5), EXCEPTION(0x13, .has_more = true), NULL);
}

static void emit_reserved_waypoint(struct buf *b)
{
	ptm_emit_waypoint(b, PC_EXCEPTION(T32, 0x8000, 5), &(const bool){false});
}

static void emit_reserved_time(struct buf *b)
{
	ptm_emit_timestamp(b, 0xfedcba987654, 7, 7, false, NULL);
}

static void emit_reserved_cycles(struct buf *b)
{
	ptm_emit_branch(b, PC(A32, 0x8000, 5), NULL, COUNT(9));
}

static void emit_nothing(struct buf *b)
{
	(void)b;
}

#define RESERVED(config, part, from_end, mask, ...)                                                \
	{                                                                                          \
		{#part, config, emit_nothing, emit_reserved_##part, {__VA_ARGS__}}, from_end, mask \
	}

static void reserved_bit_set_changes_nothing(void **state)
{
	// clang-format off
	static const struct reserved reserved[] = {
		RESERVED(PLAIN, isync, 1, 0x91, WANT_ISYNC(TRACE_ON), KNOWN(AT(0x8000, A32))),
		RESERVED(PLAIN, exception, 2, 0x20, BRANCH(32), WANT_EXCEPTION(0x13), KNOWN(AT(0x8000, A32))),
		RESERVED(PLAIN, exception, 1, 0xc0, BRANCH(32), WANT_EXCEPTION(0x13), KNOWN(AT(0x8000, A32))),
		RESERVED(PLAIN, waypoint, 1, 0xbf, WAYPOINT(32), .is_isa_changed = true, KNOWN(AT(0x8000, T32))),
		RESERVED(PLAIN, time, 1, 0xc0, TIME(48), KNOWN(HOME, .timestamp = 0xfedcba987654)),
		RESERVED(CYCLES, cycles, 1, 0x83, BRANCH(32), CYCLE_COUNT(9), KNOWN(AT(0x8000, A32))),
	};
	// clang-format on

	(void)state;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		for (unsigned int bit = 1; bit < 0x100; bit <<= 1) {
			struct buf b;

			if (!(reserved[i].mask & bit))
				continue;
			emit_row(&b, &reserved[i].row);
			b.data[b.size - reserved[i].from_end] ^= (uint8_t)bit;
			check_packet(&reserved[i].row, &b);
			buf_fini(&b);
		}
	}
}

/* A pattern of IHI 0035's table: 0, 1 or x for either. */
static bool matches(const char *pattern, unsigned int header)
{
	for (unsigned int i = 0; i < 8; i++) {
		if (pattern[i] != 'x' &&
		    (unsigned int)(pattern[i] - '0') != (header >> (7 - i) & 1))
			return false;
	}
	return true;
}

/* The headers that the table of the specification has; all the others are one bad byte. */
static void header_of_no_packet_is_reserved(void **state)
{
	static const char *const patterns[] = {
	        "00000000", "00001000", "00001100", "00111100", "01000x10", "01100110",
	        "01101110", "01110010", "01110110", "1xxxxxx0", "xxxxxxx1",
	};

	(void)state;
	for (unsigned int h = 0; h < 256; h++) {
		const uint8_t data[32] = {(uint8_t)h};
		struct bytes in = bytes_of(data, sizeof(data));
		struct ptm_reader reader;
		struct ptm_packet packet;
		bool found = false;

		for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
			found = found || matches(patterns[i], h);
		prepare(&reader, &rows[0]);
		if (found) {
			assert_int_not_equal(ptm_header_type(&reader, (uint8_t)h), PTM_RESERVED);
			continue;
		}
		assert_int_equal(ptm_reader_next(&reader, &in, in.end, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, PTM_RESERVED);
		assert_int_equal(packet.size, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packet_encoded_is_decoded),
	        cmocka_unit_test(packet_prefix_is_truncated),
	        cmocka_unit_test(packet_types_all_have_a_row),
	        cmocka_unit_test(reserved_bit_set_changes_nothing),
	        cmocka_unit_test(header_of_no_packet_is_reserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
