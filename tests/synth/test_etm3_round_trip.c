/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every packet of ETMv3: encoded, decoded, its fields compared; every proper prefix of it is
 * TRUNCATED and changes nothing; reserved bits change nothing, reserved headers are bad. The rows
 * are those of etm3_round_trip.def.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/etm3/etm3_pkt.h"
#include "tests/synth/etm3_emit.h"

enum config_kind {
	PLAIN,
	ALT, /* alternative encoding of branches */
	PROFILE_M,
	CYCLES,
	DATA,
	DATA_ONLY, /* no instructions */
	CONFIGS,
};

#define COMMON_CONFIG .minor = 5, .traces_instructions = true

static const struct etm3_config configs[CONFIGS] = {
        [PLAIN] = {COMMON_CONFIG},
        [ALT] = {COMMON_CONFIG, .context_id_size = 4, .has_alt_branch = true, .has_virtual = true,
                 .is_timestamp_64 = true},
        [PROFILE_M] = {COMMON_CONFIG, .is_m_profile = true, .has_alt_branch = true},
        [CYCLES] = {COMMON_CONFIG, .context_id_size = 1, .is_cycle_accurate = true},
        [DATA] = {COMMON_CONFIG, .context_id_size = 2, .traces_data_values = true,
                  .traces_data_addresses = true},
        [DATA_ONLY] = {.minor = 5, .traces_data_values = true, .traces_data_addresses = true},
};

struct row {
	const char *name;
	enum config_kind config;
	void (*before)(struct buf *b); /* packets that it depends on */
	void (*emit)(struct buf *b);
	struct etm3_packet want;
};

// clang-format off
/* What is encoded. */
#define COUNT(n)                  &(const uint32_t){n}
#define PC(i, a, n)               &(const struct emit_pc){EMIT_##i, a, n, false, false}
#define PC_EXCEPTION(i, a, n)     &(const struct emit_pc){EMIT_##i, a, n, false, true}
#define PC_ALT(i, a, n)           &(const struct emit_pc){EMIT_##i, a, n, true, false}
#define PC_ALT_EXCEPTION(i, a, n) &(const struct emit_pc){EMIT_##i, a, n, true, true}
#define ISYNC(why, i, ...)                                                                         \
	&(const struct etm3_emit_isync){.reason = EMIT_##why, .isa = EMIT_##i, .address = __VA_ARGS__}
#define EXCEPTION(...)            &(const struct etm3_emit_exception){.number = __VA_ARGS__}
#define TO(a, ...) \
	&(const struct etm3_emit_data_address){.address = (a), .size = BYTES(__VA_ARGS__, false, 0)}
#define BYTES(n, big_endian, ...) (n), .is_big_endian = (big_endian)
#define NONE                      (void)b
#define AT_T32                    etm3_emit_branch(b, PC(T32, 0x12345678, 5), NULL)
#define AT_JAZELLE                etm3_emit_branch(b, PC(JAZELLE, 0x12345678, 5), NULL)
#define DATA_AT                   etm3_emit_data(b, TO(0x89abcdef, 5), 0, 0)

/* What is decoded. */
#define KNOWN(...)                .known = {__VA_ARGS__}
#define AT(a, i)                  .address = (a), .isa = ISA_##i
#define HOME                      AT(0x12345678, A32)
#define CYCLE_COUNT(n)            .has_cycles = true, .cycles = (n)
#define BRANCH(bits)              .type = ETM3_BRANCH, .sent_bits = (bits)
#define TIME(t)                   .type = ETM3_TIMESTAMP, KNOWN(HOME, .has_timestamp = true, .timestamp = (t))
#define WANT_EXCEPTION(...) \
	.has_exception = true, .has_state = true, .exception = {.number = __VA_ARGS__}
#define VALUE(kind, v)            .type = ETM3_##kind, .has_value = true, .value = (v)
#define ATOMS(format, count, bits)                                                                 \
	.type = ETM3_P_HEADER, .atoms_format = ETM3_ATOMS_##format, .atom_count = (count), \
	.atoms = (bits), KNOWN(HOME)
#define ISYNC_FIELDS(why) .sent_bits = 32, .has_address = true, .has_state = true, .reason = ETM3_ISYNC_##why
#define WANT_ISYNC(why)           .type = ETM3_ISYNC, ISYNC_FIELDS(why)
#define WANT_ISYNC_CYCLES(why)    .type = ETM3_ISYNC_CYCLES, ISYNC_FIELDS(why)
// clang-format on

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
#include "tests/synth/etm3_round_trip.def"
#undef ROW

static const struct row rows[] = {
#define ROW(config, before, emit, ...)                                                             \
	{#emit, config, LINE_NAME(before_, __LINE__), LINE_NAME(emit_, __LINE__), {__VA_ARGS__}},
#include "tests/synth/etm3_round_trip.def"
#undef ROW
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void compare_known(const struct etm3_known *got, const struct etm3_known *want)
{
	assert_int_equal(got->address, want->address);
	assert_int_equal(got->isa, want->isa);
	assert_int_equal(got->is_alt_isa, want->is_alt_isa);
	assert_int_equal(got->is_non_secure, want->is_non_secure);
	assert_int_equal(got->is_hyp, want->is_hyp);
	assert_int_equal(got->context_id, want->context_id);
	assert_int_equal(got->vmid, want->vmid);
	assert_int_equal(got->is_big_endian, want->is_big_endian);
	assert_int_equal(got->data_address, want->data_address);
	assert_int_equal(got->has_timestamp, want->has_timestamp);
	assert_int_equal(got->timestamp, want->timestamp);
}

static void compare_packets(const struct etm3_packet *got, const struct etm3_packet *want)
{
	assert_string_equal(etm3_type_name(got->type), etm3_type_name(want->type));
	assert_int_equal(got->sent_bits, want->sent_bits);
	assert_int_equal(got->is_isa_changed, want->is_isa_changed);
	assert_int_equal(got->has_state, want->has_state);
	assert_int_equal(got->has_context_id, want->has_context_id);
	assert_int_equal(got->has_exception, want->has_exception);
	assert_int_equal(got->exception.number, want->exception.number);
	assert_int_equal(got->exception.resume, want->exception.resume);
	assert_int_equal(got->exception.is_old, want->exception.is_old);
	assert_int_equal(got->exception.is_cancel, want->exception.is_cancel);
	assert_int_equal(got->has_address, want->has_address);
	assert_int_equal(got->is_in_progress, want->is_in_progress);
	assert_int_equal(got->has_value, want->has_value);
	assert_int_equal(got->value, want->value);
	assert_int_equal(got->tag, want->tag);
	assert_int_equal(got->atoms_format, want->atoms_format);
	assert_int_equal(got->reason, want->reason);
	assert_int_equal(got->has_cycles, want->has_cycles);
	assert_int_equal(got->cycles, want->cycles);
	assert_int_equal(got->atom_count, want->atom_count);
	assert_int_equal(got->atoms, want->atoms);
	compare_known(&got->known, &want->known);
}

/* A reader that has read A-Sync, I-Sync and what is before the row's packet. */
static void prepare(struct etm3_reader *reader, const struct row *row)
{
	struct buf b = {0};
	struct bytes in;

	etm3_emit_async(&b);
	etm3_emit_isync(&b, ISYNC(PERIODIC, A32, 0x12345678,
	                          .context_id_size = configs[row->config].context_id_size,
	                          .is_data_only = !configs[row->config].traces_instructions));
	row->before(&b);
	assert_false(b.failed);
	etm3_reader_init(reader, &configs[row->config]);
	in = bytes_of(b.data, b.size);
	while (bytes_left(&in) > 0) {
		struct etm3_packet packet;

		assert_int_equal(etm3_reader_next(reader, &in, in.end, &packet), STATUS_OK);
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
	struct etm3_reader reader;
	struct etm3_packet packet;
	struct bytes in = bytes_of(b->data, b->size);

	prepare(&reader, row);
	print_message("%s\n", row->name);
	assert_int_equal(etm3_reader_next(&reader, &in, in.end, &packet), STATUS_OK);
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
		struct etm3_reader reader;
		struct buf b;

		prepare(&reader, &rows[i]);
		emit_row(&b, &rows[i]);
		for (size_t size = 0; size < b.size; size++) {
			struct etm3_reader before = reader;
			struct etm3_packet packet;
			struct bytes in = bytes_of(b.data, size);

			print_message("%s, %zu bytes\n", rows[i].name, size);
			assert_int_equal(etm3_reader_next(&reader, &in, in.end, &packet),
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
	for (int type = ETM3_BRANCH; type < ETM3_TYPES; type++) {
		bool found = false;

		for (size_t i = 0; i < ROWS; i++)
			found = found || (int)rows[i].want.type == type;
		print_message("%s\n", etm3_type_name((enum etm3_type)type));
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
	etm3_emit_isync(b, ISYNC(TRACE_ON, A32, 0x8000));
}

static void emit_reserved_exception(struct buf *b)
{
	etm3_emit_branch(b, PC_EXCEPTION(A32, 0x8000, 5),
	                 EXCEPTION(3, .has_more = true, .has_resume = true, .resume = 7));
}

static void emit_reserved_time(struct buf *b)
{
	etm3_emit_timestamp(b, 0xfedcba987654, 7, 7, false);
}

static void emit_reserved_cycles(struct buf *b)
{
	etm3_emit_cycle_count(b, UINT32_MAX);
}

static void emit_reserved_data(struct buf *b)
{
	etm3_emit_value_not_traced(b, TO(0x89abcdef, 5));
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
		RESERVED(PLAIN, isync, 5, 0x01, WANT_ISYNC(TRACE_ON), KNOWN(AT(0x8000, A32))),
		RESERVED(PLAIN, exception, 2, 0x1f, BRANCH(32), WANT_EXCEPTION(3, .resume = 7), KNOWN(AT(0x8000, A32))),
		RESERVED(PLAIN, exception, 1, 0x30, BRANCH(32), WANT_EXCEPTION(3, .resume = 7), KNOWN(AT(0x8000, A32))),
		RESERVED(PLAIN, time, 1, 0xc0, TIME(0xfedcba987654)),
		RESERVED(PLAIN, cycles, 1, 0xf0, .type = ETM3_CYCLE_COUNT, CYCLE_COUNT(UINT32_MAX), KNOWN(HOME)),
		RESERVED(DATA, data, 1, 0xe0, .type = ETM3_VALUE_NOT_TRACED, .has_address = true,
			KNOWN(HOME, .data_address = 0x89abcdef)),
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

/* A pattern of IHI 0014's table: 0, 1 or x for either, and what it needs. */
struct pattern {
	const char *bits;
	char needs; /* D data, V values, C context IDs, N no cycles; or a space */
};

static bool matches(const struct pattern *pattern, unsigned int header)
{
	for (unsigned int i = 0; i < 8; i++) {
		char c = pattern->bits[i];

		if (c != 'x' && (unsigned int)(c - '0') != (header >> (7 - i) & 1))
			return false;
	}
	return true;
}

static enum etm3_type bad_type(enum config_kind config, unsigned int header)
{
	static const struct pattern patterns[] = {
	        {"00000000", ' '}, {"00000100", ' '}, {"00001000", ' '}, {"00001100", ' '},
	        {"00x0xx10", 'D'}, {"0010xx00", 'V'}, {"0100xx00", 'V'}, {"0110xx00", 'V'},
	        {"00111100", ' '}, {"01000x10", ' '}, {"01010000", 'V'}, {"01x10100", 'D'},
	        {"01x11000", 'D'}, {"01x11100", 'D'}, {"01100010", 'D'}, {"01100110", ' '},
	        {"011x1010", 'D'}, {"01101110", 'C'}, {"01110000", ' '}, {"01110110", ' '},
	        {"01111110", ' '}, {"1x0xxxx0", ' '}, {"1x1xxx00", ' '}, {"1x1xxx10", 'N'},
	        {"xxxxxxx1", ' '},
	};
	const struct etm3_config *c = &configs[config];

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		char needs = patterns[i].needs;
		bool has = needs == ' ' || (needs == 'C' && c->context_id_size > 0) ||
		           (needs == 'N' && !c->is_cycle_accurate) ||
		           ((needs == 'D' || needs == 'V') && c->traces_data_values);

		if (matches(&patterns[i], header))
			return has ? ETM3_TYPES : ETM3_BAD_MODE;
	}
	return ETM3_RESERVED;
}

/* The headers that the table of the specification has; all the others are one bad byte. */
static void header_of_no_packet_is_bad(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < CONFIGS * 256; i++) {
		struct row row = {.config = i / 256, .before = emit_nothing};
		const uint8_t data[32] = {(uint8_t)i};
		struct bytes in = bytes_of(data, sizeof(data));
		enum etm3_type want = bad_type(row.config, i % 256);
		struct etm3_reader reader;
		struct etm3_packet packet;

		prepare(&reader, &row);
		if (want == ETM3_TYPES) {
			enum etm3_type type = etm3_header_type(&reader, data[0]);

			assert_int_not_equal(type, ETM3_RESERVED);
			assert_int_not_equal(type, ETM3_BAD_MODE);
			continue;
		}
		print_message("%u: 0x%02x\n", i / 256, i % 256);
		assert_int_equal(etm3_reader_next(&reader, &in, in.end, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, want);
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
	        cmocka_unit_test(header_of_no_packet_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
