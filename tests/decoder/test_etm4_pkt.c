/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv4 packets: each header byte, each packet's fields, each proper prefix. IHI 0064. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/etm4/etm4_pkt.h"

/* A trace unit that has every feature. */
static const struct etm4_config full = {
        .version = 0x46,
        .vmid_size = 1,
        .context_id_size = 4,
        .cycle_mask = 0xfff,
        .max_speculation = 20,
        .is_m_profile = true,
        .has_function_return = true,
        .is_64bit = true,
        .has_cycle_count = true,
        .has_conditional = true,
        .has_data = true,
        .has_q = true,
        .cycle_count_commits = true,
};

/* One that has none. */
static const struct etm4_config bare = {.version = 0x40, .cycle_mask = 0xfff};

static void begin(struct etm4_reader *reader, const struct etm4_config *config)
{
	etm4_reader_init(reader, config);
	reader->is_synced = true;
}

static void each_header_has_one_meaning_or_none(void **state)
{
	/* The reserved ones of IHI 0064's header table. */
	static const char reserved[] = "\x08\x09\x0a\x0b\x47\x4b\x4f\x84\x87\x89\x8a\x8b\x8c\x8d"
	                               "\x8e\x8f\x93\x94\x97\x98\x99\x9c\x9f\xa3\xa4\xa7\xa8\xa9"
	                               "\xad\xae";
	unsigned int meanings[256] = {0};
	struct etm4_reader reader;

	(void)state;
#define HEADER(name, first, last, needs, read)                                                     \
	for (unsigned int h = (first); h <= (last); h++)                                           \
		meanings[h]++;
#include "decoder/etm4/etm4_pkt.def"
#undef HEADER
	begin(&reader, &full);
	for (unsigned int h = 0; h < 256; h++) {
		bool is_reserved = (h >= 0x60 && h < 0x68) || (h >= 0xb0 && h < 0xc0) ||
		                   (h > 0 && memchr(reserved, (int)h, sizeof(reserved) - 1));

		assert_int_equal(meanings[h], is_reserved ? 0 : 1);
		assert_int_equal(etm4_header_type(&reader, (uint8_t)h) == ETM4_RESERVED,
		                 is_reserved);
		assert_int_not_equal(etm4_header_type(&reader, (uint8_t)h), ETM4_RESERVED_CONFIG);
	}
}

static void header_without_its_feature_is_reserved(void **state)
{
	static const struct {
		unsigned int first;
		unsigned int last;
	} absent[] = {{0x05, 0x05}, {0x20, 0x2c}, {0x40, 0x46}, {0x48, 0x4a},
	              {0x4c, 0x4e}, {0x50, 0x5f}, {0x68, 0x70}, {0x88, 0x88},
	              {0xa0, 0xa2}, {0xa5, 0xa6}, {0xaa, 0xac}, {0xaf, 0xaf}};
	struct etm4_reader reader;
	struct etm4_packet packet;
	unsigned int found = 0;
	unsigned int expected = 0;

	(void)state;
	begin(&reader, &bare);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		for (unsigned int h = absent[i].first; h <= absent[i].last; h++, expected++) {
			uint8_t byte = (uint8_t)h;
			struct bytes in = bytes_of(&byte, 1);

			assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
			assert_int_equal(packet.type, ETM4_RESERVED_CONFIG);
			assert_int_equal(packet.size, 1);
		}
	}
	for (unsigned int h = 0; h < 256; h++)
		found += etm4_header_type(&reader, (uint8_t)h) == ETM4_RESERVED_CONFIG;
	assert_int_equal(found, expected);
}

static void each_extension_byte_has_one_meaning_or_is_bad(void **state)
{
	struct etm4_reader reader;
	struct etm4_packet packet;

	(void)state;
	begin(&reader, &full);
	for (unsigned int byte = 1; byte < 256; byte++) {
		uint8_t data[] = {0x00, (uint8_t)byte, 0xff, 0xff};
		struct bytes in = bytes_of(data, sizeof(data));
		enum status status = etm4_reader_next(&reader, &in, &packet);
		enum etm4_type type = byte == 3   ? ETM4_DISCARD
		                      : byte == 5 ? ETM4_OVERFLOW
		                                  : ETM4_BAD_SEQUENCE;

		assert_int_equal(packet.type, type);
		assert_int_equal(status, type == ETM4_BAD_SEQUENCE ? STATUS_BAD_DATA : STATUS_OK);
		assert_int_equal(bytes_offset(&in), 2);
	}
}

/* Bytes, and what they say in the listing. */
struct sample {
	const char *bytes;
	size_t size;
	const char *listing;
};

#define SAMPLE(bytes, listing)                                                                     \
	{                                                                                          \
		"" bytes, sizeof(bytes) - 1, listing                                               \
	}

// clang-format off
static const struct sample samples[] = {
	SAMPLE("\0\0\0\0\0\0\0\0\0\0\0\x80", "I_ASYNC: Alignment Synchronisation."),
	SAMPLE("\x00\x03", "I_DISCARD: Discard."),
	SAMPLE("\x00\x05", "I_OVERFLOW: Overflow."),
	SAMPLE("\x01\x00", "I_TRACE_INFO: Trace Info.; INFO=0x0 { CC.0 }"),
	SAMPLE("\x01\x8d\x00\x81\x00\x05\xff\x01",
	       "I_TRACE_INFO: Trace Info.; INFO=0x1 { CC.1 }; CC_THRESHOLD=0xff; INIT SPEC DEPTH=5"),
	SAMPLE("\x01\x1f\x01\x02\x03\x04\x05",
	       "I_TRACE_INFO: Trace Info.; INFO=0x1 { CC.1 }; CC_THRESHOLD=0x4; INIT SPEC DEPTH=3"),
	SAMPLE("\x02\x05", "I_TIMESTAMP: Timestamp.; Updated val = 0x5"),
	SAMPLE("\x02\x81\x80\x80\x80\x80\x80\x80\x80\xff",
	       "I_TIMESTAMP: Timestamp.; Updated val = 0xff00000000000001"),
	SAMPLE("\x03\x81\x01\x83\x02", "I_TIMESTAMP: Timestamp.; Updated val = 0x81; CC=0x103"),
	SAMPLE("\x04", "I_TRACE_ON: Trace On."),
	SAMPLE("\x05", "I_FUNC_RET: V8M - function return."),
	SAMPLE("\x06\x1d", "I_EXCEPT: Exception.;  PendSV; Ret Addr Follows;"),
	SAMPLE("\x06\xd0\x30", "I_EXCEPT: Exception.;  IRQ8; Fault Pending; Ret Addr Follows, Match Prev;"),
	SAMPLE("\x06\x91\x10", "I_EXCEPT: Exception.;  IRQ8; Ret Addr Follows;"),
	SAMPLE("\x07", "I_EXCEPT_RTN: Exception Return."),
	SAMPLE("\x0c\x37", "I_CCNT_F2: Cycle Count format 2.; Count=0x7; Commit(4)"),
	SAMPLE("\x0d\x36", "I_CCNT_F2: Cycle Count format 2.; Count=0x6; Commit(8)"),
	SAMPLE("\x0e\x82\x01\x83\x02", "I_CCNT_F1: Cycle Count format 1.; Count=0x103; Commit(130)"),
	SAMPLE("\x0f\x02", "I_CCNT_F1: Cycle Count format 1.; Count=0x0; Commit(2)"),
	SAMPLE("\x1b", "I_CCNT_F3: Cycle Count format 3.; Count=0x3; Commit(3)"),
	SAMPLE("\x23", "I_NUM_DS_MKR: Data Synchronisation Marker - Numbered."),
	SAMPLE("\x2c", "I_UNNUM_DS_MKR: Data Synchronisation Marker - Unnumbered."),
	SAMPLE("\x2d\x85\x01", "I_COMMIT: Commit; Commit(133)"),
	SAMPLE("\x2e\x02", "I_CANCEL_F1: Cancel Format 1.; Cancel(2)"),
	SAMPLE("\x2f\x81\x01", "I_CANCEL_F1_MISPRED: Cancel Format 1 + Mispredict.; Cancel(129), Mispredict"),
	SAMPLE("\x30", "I_MISPREDICT: Mispredict.; Mispredict"),
	SAMPLE("\x31", "I_MISPREDICT: Mispredict.; Atom: E, Mispredict"),
	SAMPLE("\x32", "I_MISPREDICT: Mispredict.; Atom: EE, Mispredict"),
	SAMPLE("\x33", "I_MISPREDICT: Mispredict.; Atom: N, Mispredict"),
	SAMPLE("\x36", "I_CANCEL_F2: Cancel Format 2.; Atom: EE, Cancel(1), Mispredict"),
	SAMPLE("\x3d", "I_CANCEL_F3: Cancel Format 3.; Atom: E, Cancel(4), Mispredict"),
	SAMPLE("\x38", "I_CANCEL_F3: Cancel Format 3.; Cancel(2), Mispredict"),
	SAMPLE("\x41", "I_COND_I_F2: Conditional Instruction, format 2."),
	SAMPLE("\x43", "I_COND_FLUSH: Conditional Flush."),
	SAMPLE("\x45", "I_COND_RES_F4: Conditional Result, format 4."),
	SAMPLE("\x49", "I_COND_RES_F2: Conditional Result, format 2."),
	SAMPLE("\x57\x21", "I_COND_RES_F3: Conditional Result, format 3."),
	SAMPLE("\x68\x81\x02\x03", "I_COND_RES_F1: Conditional Result, format 1."),
	SAMPLE("\x6e\x81\x82\x03", "I_COND_RES_F1: Conditional Result, format 1."),
	SAMPLE("\x6c\x81\x02", "I_COND_I_F1: Conditional Instruction, format 1."),
	SAMPLE("\x6d\x05", "I_COND_I_F3: Conditional Instruction, format 3."),
	SAMPLE("\x70", "I_IGNORE: Ignore."),
	SAMPLE("\x74", "I_EVENT: Trace Event."),
	SAMPLE("\x80", "I_CTXT: Context Packet.; Ctxt: Same"),
	SAMPLE("\x81\x31", "I_CTXT: Context Packet.; Ctxt: AArch64,EL1, NS; "),
	SAMPLE("\x81\x7a\x5b", "I_CTXT: Context Packet.; Ctxt: AArch64,EL2, Realm; VMID=0x005b; "),
	SAMPLE("\x81\xd3\x5b\x78\x56\x34\x12",
	       "I_CTXT: Context Packet.; Ctxt: AArch64,EL3, S; CID=0x12345678; VMID=0x005b; "),
	SAMPLE("\x82\x01\x02\x03\x04\x00",
	       "I_ADDR_CTXT_L_32IS0: Address & Context, Long, 32 bit, IS0.; Addr=0x04030404; "
	       "Ctxt: AArch32, EL0, S; "),
	SAMPLE("\x83\x01\x02\x03\x04\x00",
	       "I_ADDR_CTXT_L_32IS1: Address & Context, Long, 32 bit, IS1.; Addr=0x04030202; "
	       "Ctxt: AArch32, EL0, S; "),
	SAMPLE("\x85\x01\x02\x03\x04\x05\x06\x07\x08\xb1\x01\x00\x00\x00",
	       "I_ADDR_CTXT_L_64IS0: Address & Context, Long, 64 bit, IS0.; "
	       "Addr=0x0807060504030404; Ctxt: AArch64,EL1, NS; CID=0x00000001; "),
	SAMPLE("\x86\x01\x82\x03\x04\x05\x06\x07\x08\x31",
	       "I_ADDR_CTXT_L_64IS1: Address & Context, Long, 64 bit, IS1.; "
	       "Addr=0x0807060504038202; Ctxt: AArch64,EL1, NS; "),
	SAMPLE("\x88", "I_TS_MARKER: Timestamp Marker"),
	SAMPLE("\x91", "I_ADDR_MATCH: Exact Address Match., [1]; Addr=0x00000000; "),
	SAMPLE("\x95\x7f", "I_ADDR_S_IS0: Address, Short, IS0.; Addr=0x000001FC ~[0x1FC]"),
	SAMPLE("\x95\x81\xff", "I_ADDR_S_IS0: Address, Short, IS0.; Addr=0x0001FE04 ~[0x1FE04]"),
	SAMPLE("\x96\x81\xff", "I_ADDR_S_IS1: Address, Short, IS1.; Addr=0x0000FF02 ~[0xFF02]"),
	SAMPLE("\x9a\x01\x02\x03\x04", "I_ADDR_L_32IS0: Address, Long, 32 bit, IS0.; Addr=0x04030404; "),
	SAMPLE("\x9b\x01\x82\x03\x04", "I_ADDR_L_32IS1: Address, Long, 32 bit, IS1.; Addr=0x04038202; "),
	SAMPLE("\x9d\x01\x02\x03\x04\x05\x06\x07\x08",
	       "I_ADDR_L_64IS0: Address, Long, 64 bit, IS0.; Addr=0x0807060504030404; "),
	SAMPLE("\x9e\x01\x82\x03\x04\x05\x06\x07\x08",
	       "I_ADDR_L_64IS1: Address, Long, 64 bit, IS1.; Addr=0x0807060504038202; "),
	SAMPLE("\xa1\x05", "I_Q: Q Packet.; Count(5); [1]; Addr=0x00000000"),
	SAMPLE("\xa5\x81\x02\x05", "I_Q: Q Packet.; Count(5); Addr=0x00000404 ~[0x404]"),
	SAMPLE("\xa6\x01\x85\x01", "I_Q: Q Packet.; Count(133); Addr=0x00000002 ~[0x2]"),
	SAMPLE("\xaa\x01\x02\x03\x04\x05", "I_Q: Q Packet.; Count(5); Addr=0x04030404"),
	SAMPLE("\xab\x01\x02\x03\x04\x05", "I_Q: Q Packet.; Count(5); Addr=0x04030202"),
	SAMPLE("\xac\x85\x01", "I_Q: Q Packet.; Count(133)"),
	SAMPLE("\xaf", "I_Q: Q Packet.; Count(Unknown)"),
	SAMPLE("\xc0", "I_ATOM_F6: Atom format 6.; EEEE"),
	SAMPLE("\xd4", "I_ATOM_F6: Atom format 6.; EEEEEEEEEEEEEEEEEEEEEEEE"),
	SAMPLE("\xe1", "I_ATOM_F6: Atom format 6.; EEEEN"),
	SAMPLE("\xd5", "I_ATOM_F5: Atom format 5.; NNNNN"),
	SAMPLE("\xd6", "I_ATOM_F5: Atom format 5.; NENEN"),
	SAMPLE("\xd7", "I_ATOM_F5: Atom format 5.; ENENE"),
	SAMPLE("\xf5", "I_ATOM_F5: Atom format 5.; NEEEE"),
	SAMPLE("\xd9", "I_ATOM_F2: Atom format 2.; EN"),
	SAMPLE("\xdc", "I_ATOM_F4: Atom format 4.; NEEE"),
	SAMPLE("\xdd", "I_ATOM_F4: Atom format 4.; NNNN"),
	SAMPLE("\xde", "I_ATOM_F4: Atom format 4.; NENE"),
	SAMPLE("\xdf", "I_ATOM_F4: Atom format 4.; ENEN"),
	SAMPLE("\xf6", "I_ATOM_F1: Atom format 1.; N"),
	SAMPLE("\xf7", "I_ATOM_F1: Atom format 1.; E"),
	SAMPLE("\xfc", "I_ATOM_F3: Atom format 3.; NNE"),
};
// clang-format on

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void packet_gives_its_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		struct bytes in = bytes_of(samples[i].bytes, samples[i].size);
		struct etm4_reader reader;
		struct etm4_packet packet;
		struct text text = {0};

		begin(&reader, &full);
		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(bytes_left(&in), 0);
		assert_int_equal(packet.size, samples[i].size);
		text_printf(&text, "%s: ", etm4_type_name(packet.type));
		etm4_packet_format(&packet, &full, &text);
		assert_string_equal(text.data, samples[i].listing);
		text_fini(&text);
	}
}

static void samples_are_of_every_type(void **state)
{
	bool seen[ETM4_TYPES] = {false};

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		struct bytes in = bytes_of(samples[i].bytes, samples[i].size);
		struct etm4_reader reader;
		struct etm4_packet packet;

		begin(&reader, &full);
		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
		seen[packet.type] = true;
	}
	for (unsigned int type = ETM4_ASYNC; type <= ETM4_ATOM_F6; type++)
		assert_true(seen[type]);
}

static void packet_prefix_is_truncated_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		for (size_t size = 0; size < samples[i].size; size++) {
			struct bytes in = bytes_of(samples[i].bytes, size);
			struct etm4_reader reader;
			struct etm4_reader before;
			struct etm4_packet packet;

			memset(&reader, 0, sizeof(reader));
			begin(&reader, &full);
			memcpy(&before, &reader, sizeof(reader));
			assert_int_equal(etm4_reader_next(&reader, &in, &packet),
			                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_memory_equal(&reader, &before, sizeof(reader));
		}
	}
}

static struct etm4_packet next(struct etm4_reader *reader, const char *bytes, size_t size)
{
	struct bytes in = bytes_of(bytes, size);
	struct etm4_packet packet;

	assert_int_equal(etm4_reader_next(reader, &in, &packet), STATUS_OK);
	assert_int_equal(bytes_left(&in), 0);
	return packet;
}

#define NEXT(reader, bytes) next(reader, bytes, sizeof(bytes) - 1)

static void address_refers_to_the_ones_before(void **state)
{
	struct etm4_reader reader;

	(void)state;
	begin(&reader, &full);
	(void)NEXT(&reader, "\x81\x31");
	(void)NEXT(&reader, "\x9d\x00\x00\x11\x11\x11\x11\x11\x11");
	(void)NEXT(&reader, "\x9d\x00\x00\x22\x22\x22\x22\x22\x22");
	assert_int_equal(NEXT(&reader, "\x91").address.value, 0x1111111111110000);
	assert_int_equal(NEXT(&reader, "\x91").address.value, 0x2222222222220000);
	assert_int_equal(NEXT(&reader, "\x95\x01").address.value, 0x2222222222220004);
	assert_int_equal(NEXT(&reader, "\x9a\x01\x00\x33\x33").address.value, 0x2222222233330004);
	assert_int_equal(NEXT(&reader, "\x92").address.value, 0x2222222222220000);
	(void)NEXT(&reader, "\x01\x00");
	assert_int_equal(NEXT(&reader, "\x90").address.value, 0);
}

static void address_of_32_bits_in_aarch32_has_no_high_half(void **state)
{
	struct etm4_reader reader;

	(void)state;
	begin(&reader, &full);
	(void)NEXT(&reader, "\x9d\x00\x00\x11\x11\x11\x11\x11\x11");
	(void)NEXT(&reader, "\x81\x20");
	assert_int_equal(NEXT(&reader, "\x9b\x01\x00\x33\x33").address.value, 0x33330002);
}

static void timestamp_keeps_the_bits_it_does_not_send(void **state)
{
	struct etm4_reader reader;

	(void)state;
	begin(&reader, &full);
	(void)NEXT(&reader, "\x01\x00");
	assert_int_equal(NEXT(&reader, "\x02\xff\xff\x7f").timestamp, 0x1fffff);
	assert_int_equal(NEXT(&reader, "\x02\x01").timestamp, 0x1fff81);
	(void)NEXT(&reader, "\x01\x00");
	assert_int_equal(NEXT(&reader, "\x02\x01").timestamp, 1);
}

static void cycle_count_adds_the_threshold(void **state)
{
	struct etm4_reader reader;

	(void)state;
	begin(&reader, &full);
	(void)NEXT(&reader, "\x01\x09\x01\x10");
	assert_int_equal(NEXT(&reader, "\x12").cycles, 0x12);
	assert_int_equal(NEXT(&reader, "\x0e\x01\x05").cycles, 0x15);
	assert_int_equal(NEXT(&reader, "\x0f\x01").cycles, 0);
}

static void cycle_count_without_commits_commits_nothing(void **state)
{
	struct etm4_config config = full;
	struct etm4_reader reader;

	(void)state;
	config.cycle_count_commits = false;
	begin(&reader, &config);
	assert_int_equal(NEXT(&reader, "\x1f").commit, 0);
	assert_int_equal(NEXT(&reader, "\x0e\x05").cycles, 5);
	assert_int_equal(NEXT(&reader, "\x0c\x35").commit, 0);
	assert_int_equal(NEXT(&reader, "\x0f").commit, 0);
}

static void async_in_step_with_wrong_end_is_bad(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		size_t taken;
	} bad[] = {{"\0\0\0\0\x80\xf7", 6, 5},
	           {"\0\0\0\0\0\0\0\0\0\0\x80\xf7", 12, 11},
	           {"\0\0\0\0\0\0\0\0\0\0\0\x81\xf7", 13, 12},
	           {"\0\0\0\0\0\0\0\0\0\0\0\0\x80\xf7", 14, 12}};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bytes in = bytes_of(bad[i].bytes, bad[i].size);
		struct etm4_reader reader;
		struct etm4_packet packet;

		begin(&reader, &full);
		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, ETM4_BAD_SEQUENCE);
		assert_int_equal(bytes_offset(&in), bad[i].taken);
	}
}

static void search_passes_over_what_is_no_async(void **state)
{
	static const char data[] =
	        "\x95\xaf\x31\xf7\x95\x84\x27\xf7\x11\x00\x22\x00\x00\x00\x00\x00"
	        "\x00\x00\x00\x00\x00\x00\x00\x80\x01\x00";
	static const size_t sizes[] = {8, 1, 2, 1, 12};
	struct bytes in = bytes_of(data, sizeof(data) - 1);
	struct etm4_reader reader;
	struct etm4_packet packet;

	(void)state;
	etm4_reader_init(&reader, &full);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, i < 4 ? ETM4_NOT_SYNC : ETM4_ASYNC);
		assert_int_equal(packet.size, sizes[i]);
	}
	assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, ETM4_TRACE_INFO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_header_has_one_meaning_or_none),
	        cmocka_unit_test(header_without_its_feature_is_reserved),
	        cmocka_unit_test(each_extension_byte_has_one_meaning_or_is_bad),
	        cmocka_unit_test(packet_gives_its_fields),
	        cmocka_unit_test(samples_are_of_every_type),
	        cmocka_unit_test(packet_prefix_is_truncated_and_changes_nothing),
	        cmocka_unit_test(address_refers_to_the_ones_before),
	        cmocka_unit_test(address_of_32_bits_in_aarch32_has_no_high_half),
	        cmocka_unit_test(timestamp_keeps_the_bits_it_does_not_send),
	        cmocka_unit_test(cycle_count_adds_the_threshold),
	        cmocka_unit_test(cycle_count_without_commits_commits_nothing),
	        cmocka_unit_test(async_in_step_with_wrong_end_is_bad),
	        cmocka_unit_test(search_passes_over_what_is_no_async),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
