/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv3 packets: each header byte, each packet's fields, each proper prefix. IHI 0014. */
#include "decoder/etm3/etm3_pkt.h"

#define PROTOCOL(name)      etm3_##name
#define PROTOCOL_TYPE(name) ETM3_##name
#include "tests/decoder/packet_world.h"

/* A trace unit with every feature but cycle accuracy and the alternative branch encoding. */
static const struct etm3_config full = {.minor = 5,
                                        .context_id_size = 4,
                                        .has_virtual = true,
                                        .is_timestamp_64 = true,
                                        .traces_instructions = true,
                                        .traces_data_values = true,
                                        .traces_data_addresses = true};
static const struct etm3_config alt = {.minor = 4,
                                       .context_id_size = 2,
                                       .has_alt_branch = true,
                                       .is_cycle_accurate = true,
                                       .traces_instructions = true};
static const struct etm3_config bare = {.minor = 2, .traces_instructions = true};
static const struct etm3_config data_only = {
        .minor = 2, .context_id_size = 1, .traces_data_values = true};
static const struct etm3_config addresses_only = {
        .minor = 5, .traces_instructions = true, .traces_data_addresses = true};
static const struct etm3_config m_profile = {
        .minor = 5, .is_m_profile = true, .has_alt_branch = true, .traces_instructions = true};

static void each_header_has_one_meaning_or_none(void **state)
{
	/* Of 0xxxxxx0; all others are branches and P-headers. */
	static const char meant[] = "\x00\x02\x04\x06\x08\x0a\x0c\x0e\x20\x22\x24\x26\x28\x2a\x2c"
	                            "\x2e\x3c\x40\x42\x44\x46\x48\x4c\x50\x54\x58\x5c\x60\x62\x64"
	                            "\x66\x68\x6a\x6c\x6e\x70\x74\x76\x78\x7a\x7c\x7e";
	unsigned int meanings[256] = {0};
	struct etm3_reader reader;

	(void)state;
	for (unsigned int h = 0; h < 256; h++) {
#define HEADER(name, mask, match, needs, read) meanings[h] += (h & (mask)) == (match);
#include "decoder/etm3/etm3_pkt.def"
#undef HEADER
	}
	begin(&reader, &full);
	for (unsigned int h = 0; h < 256; h++) {
		bool is_meant = h & 0x81 || memchr(meant, (int)h, sizeof(meant) - 1) != NULL;

		assert_int_equal(meanings[h], is_meant ? 1 : 0);
		assert_int_equal(etm3_header_type(&reader, (uint8_t)h) != ETM3_RESERVED, is_meant);
		assert_int_not_equal(etm3_header_type(&reader, (uint8_t)h), ETM3_BAD_MODE);
	}
}

static void reserved_header_is_one_bad_byte(void **state)
{
	(void)state;
	assert_reserved_headers_are_bad(&full);
}

static void header_without_its_feature_is_bad_mode(void **state)
{
	static const char data_headers[] =
	        "\x02\x06\x0a\x0e\x20\x22\x24\x26\x28\x2a\x2c\x2e\x40\x44\x48\x4c\x50\x54\x58"
	        "\x5c\x60\x62\x64\x68\x6a\x6c\x6e\x74\x78\x7a\x7c";
	struct etm3_reader reader;
	unsigned int found = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(data_headers) - 1; i++)
		assert_one_bad_byte(&bare, (uint8_t)data_headers[i], ETM3_BAD_MODE);
	/* P-headers 1x1xxx10 have no meaning with cycles. */
	assert_one_bad_byte(&alt, 0xa2, ETM3_BAD_MODE);
	assert_one_bad_byte(&alt, 0xfe, ETM3_BAD_MODE);
	begin(&reader, &bare);
	for (unsigned int h = 0; h < 256; h++)
		found += etm3_header_type(&reader, (uint8_t)h) == ETM3_BAD_MODE;
	assert_int_equal(found, sizeof(data_headers) - 1);
}

// clang-format off
static const struct sample samples[] = {
	SAMPLE(full, "\0\0\0\0\0\x80", "A_SYNC: Alignment Synchronisation."),
	SAMPLE(full, "\x04\x85\x01", "CYCLE_COUNT: Cycle Count.; Cycles=133"),
	SAMPLE(full, "\x04\xff\xff\xff\xff\x0f", "CYCLE_COUNT: Cycle Count.; Cycles=4294967295"),
	SAMPLE(full, "\x08\x04\x03\x02\x01\x21\x01\x20\x30\x40",
	       "I_SYNC: Instruction Packet synchronisation.; (Trace Enable); Addr=0x40302000; S;  "
	       "CtxtID=1020304; ISA=Thumb2; "),
	SAMPLE(full, "\x08\x04\x03\x02\x01\x4b\x00\x20\x30\x40",
	       "I_SYNC: Instruction Packet synchronisation.; (Restart Overflow); Addr=0x40302000; NS; "
	       "Hyp; CtxtID=1020304; ISA=ARM(32); "),
	SAMPLE(full, "\x08\x04\x03\x02\x01\x65\x01\x20\x30\x40",
	       "I_SYNC: Instruction Packet synchronisation.; (Debug Exit); Addr=0x40302000; S;  "
	       "CtxtID=1020304; ISA=ThumbEE; "),
	SAMPLE(bare, "\x08\x17\x02\x20\x30\x40",
	       "I_SYNC: Instruction Packet synchronisation.; (Periodic); Addr=0x40302002; S;  "
	       "ISA=Jazelle; "),
	SAMPLE(bare, "\x08\x81\x00\x20\x30\x40\x83\x01",
	       "I_SYNC: Instruction Packet synchronisation.; (Periodic); Addr=0x40300104; S;  "
	       "ISA=ARM(32); "),
	SAMPLE(data_only, "\x08\x55\x21",
	       "I_SYNC: Instruction Packet synchronisation.; (Trace Enable); S;  CtxtID=55; "
	       "ISA=Unknown; "),
	SAMPLE(alt, "\x70\x81\x01\x34\x12\x21\x01\x20\x30\x40",
	       "I_SYNC_CYCLE: Instruction Packet synchronisation with cycle count.; (Trace Enable); "
	       "Addr=0x40302000; S;  CtxtID=1234; ISA=Thumb2; Cycles=129; "),
	SAMPLE(full, "\x0c", "TRIGGER: Trace Trigger Event."),
	SAMPLE(full, "\x3c\x12", "VMID: VMID change.; VMID=0x12"),
	SAMPLE(full, "\x66", "IGNORE: Packet ignored."),
	SAMPLE(full, "\x6e\x04\x03\x02\x01", "CONTEXT_ID: Context ID change.; CtxtID=0x1020304"),
	SAMPLE(alt, "\x6e\x04\x03", "CONTEXT_ID: Context ID change.; CtxtID=0x304"),
	SAMPLE(full, "\x76", "EXCEPTION_EXIT: Exception return."),
	SAMPLE(full, "\x7e", "EXCEPTION_ENTRY: Exception entry data marker."),
	SAMPLE(full, "\x42\x05", "TIMESTAMP: Timestamp Value.; TS=0x5 (5) "),
	SAMPLE(full, "\x46\x81\x80\x80\x80\x80\x80\x80\x80\xff",
	       "TIMESTAMP: Timestamp Value.; TS=0xff00000000000001 (18374686479671623681) "),
	SAMPLE(bare, "\x42\x81\x80\x80\x80\x80\x80\x3f",
	       "TIMESTAMP: Timestamp Value.; TS=0xfc0000000001 (277076930199553) "),
	/* P-headers: without cycles up to 15 E and an N, or any two */
	SAMPLE(full, "\x80", "P_HDR: Atom P-header.; "),
	SAMPLE(full, "\xcc", "P_HDR: Atom P-header.; EEEN"),
	SAMPLE(full, "\xbc", "P_HDR: Atom P-header.; EEEEEEEEEEEEEEE"),
	SAMPLE(full, "\x86", "P_HDR: Atom P-header.; EN"),
	SAMPLE(full, "\x8a", "P_HDR: Atom P-header.; NE"),
	SAMPLE(alt, "\xcc", "P_HDR: Atom P-header.; WEWEWEWN; Cycles=4"),
	SAMPLE(alt, "\x86", "P_HDR: Atom P-header.; WEN; Cycles=1"),
	SAMPLE(alt, "\xa8", "P_HDR: Atom P-header.; WWW; Cycles=3"),
	SAMPLE(alt, "\xe8", "P_HDR: Atom P-header.; WWWE; Cycles=3"),
	SAMPLE(alt, "\x92", "P_HDR: Atom P-header.; E"),
	SAMPLE(alt, "\x96", "P_HDR: Atom P-header.; N"),
	/* branches: the fifth byte says the instruction set, and whether an exception follows */
	SAMPLE(full, "\x03", "BRANCH_ADDRESS: Branch address.; Addr=0x00000004 ~[0x4]; "),
	SAMPLE(full, "\x83\x7f", "BRANCH_ADDRESS: Branch address.; Addr=0x00007F04 ~[0x7F04]; "),
	SAMPLE(full, "\x83\x80\x80\x80\x0c",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); "),
	SAMPLE(full, "\x83\x80\x80\x80\x18",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000002 ~[0x80000002]; ISA=Thumb2; "),
	SAMPLE(full, "\x83\x80\x80\x80\x30",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000001 ~[0x80000001]; ISA=Jazelle; "),
	SAMPLE(full, "\x83\x80\x80\x80\x4c\x3d",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); NS; "
	       "Exception=IRQ; Cancel prev instr; "),
	SAMPLE(full, "\x83\x80\x80\x80\x58\xc0\x20",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000002 ~[0x80000002]; ISA=ThumbEE; S; Hyp; "
	       "Exception=No Exception; "),
	SAMPLE(full, "\x83\x80\x80\x80\x4c\x94\x45",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); S; "
	       "Exception=SVC; Resume=5; "),
	SAMPLE(m_profile, "\x83\x41\x82\x81\x03",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x00000104 ~[0x104]; S; Exception=17; "
	       "Resume=3; "),
	SAMPLE(full, "\x83\x80\x80\x80\xec",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); "
	       "Exception=FIQ; Cancel prev instr; "),
	SAMPLE(alt, "\x83\x3f", "BRANCH_ADDRESS: Branch address.; Addr=0x00003F04 ~[0x3F04]; "),
	SAMPLE(alt, "\x83\x7f\x1c",
	       "BRANCH_ADDRESS: Branch address.; Addr=0x00003F04 ~[0x3F04]; S; Exception=IRQ; "),
	/* data */
	SAMPLE(full, "\x02", "NORM_DATA: Data trace packet.; Val=0x0"),
	SAMPLE(full, "\x0e\x04\x03\x02\x01", "NORM_DATA: Data trace packet.; Val=0x1020304"),
	SAMPLE(full, "\x2a\x84\x01\x34\x12", "NORM_DATA: Data trace packet.; Addr=0x00000084; Val=0x1234"),
	SAMPLE(full, "\x26\x80\x80\x80\x80\x18\x55",
	       "NORM_DATA: Data trace packet.; Addr=0x80000000; Val=0x55"),
	SAMPLE(data_only, "\x26\x55", "NORM_DATA: Data trace packet.; Val=0x55"),
	/* no value is sent, whatever the size in the header */
	SAMPLE(addresses_only, "\x22\x55", "NORM_DATA: Data trace packet.; Addr=0x00000055"),
	SAMPLE(addresses_only, "\x2e\x55", "NORM_DATA: Data trace packet.; Addr=0x00000055"),
	SAMPLE(full, "\x44\x55", "OOO_DATA: Out of Order data value packet.; Val=0x55; OO_Tag=0x2"),
	SAMPLE(full, "\x60", "OOO_DATA: Out of Order data value packet.; Val=0x0; OO_Tag=0x3"),
	SAMPLE(full, "\x2c\x01\x02\x03\x04",
	       "OOO_DATA: Out of Order data value packet.; Val=0x4030201; OO_Tag=0x1"),
	SAMPLE(full, "\x54", "OOO_ADDR_PLC: Out of Order data address placeholder.; OO_Tag=0x1"),
	SAMPLE(full, "\x7c\x05",
	       "OOO_ADDR_PLC: Out of Order data address placeholder.; Addr=0x00000005; OO_Tag=0x3"),
	SAMPLE(full, "\x50", "STORE_FAIL: Data Store Failed."),
	SAMPLE(full, "\x62", "DATA_SUPPRESSED: Data trace suppressed."),
	SAMPLE(full, "\x6a", "VAL_NOT_TRACED: Data trace value not traced."),
	SAMPLE(full, "\x7a\x81\x01", "VAL_NOT_TRACED: Data trace value not traced.; Addr=0x00000081"),
};
// clang-format on

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void each_packet_says_its_fields(void **state)
{
	(void)state;
	assert_samples_say_their_fields(samples, SAMPLES);
}

static void each_prefix_is_truncated_and_changes_nothing(void **state)
{
	(void)state;
	assert_prefixes_are_truncated(samples, SAMPLES);
}

static void no_bytes_is_end(void **state)
{
	(void)state;
	assert_no_bytes_is_end(&full);
}

static void sequence_that_is_none_is_bad(void **state)
{
	static const struct bad_sequence cases[] = {
	        {&full, "\0\0\0\0\x80", 5, 4},         /* a zero too few: the byte is a packet */
	        {&full, "\0\0\0\0\0\0\x80", 7, 1},     /* a zero too many */
	        {&full, "\0\x08", 2, 1},               /* no zeros */
	        {&full, "\x83\x80\x80\x80\x04", 5, 5}, /* no instruction set */
	        {&alt, "\x83\x80\x80\x80\x8c", 5, 5},  /* no such encoding */
	        {&full, "\x83\x80\x80\x80\x4c\x80\xc0", 7, 7}, /* an exception byte too many */
	};

	(void)state;
	assert_bad_sequences(cases, sizeof(cases) / sizeof(cases[0]));
}

static void address_keeps_the_bits_not_sent(void **state)
{
	static const uint8_t data[] = {0x83, 0x80, 0x80, 0x80, 0x0c, 0x7f, 0x81, 0x7f};
	struct bytes in = bytes_of(data, sizeof(data));
	struct etm3_reader reader;
	struct etm3_packet packet;

	(void)state;
	begin(&reader, &full);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.address, 0x80000004);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.address, 0x800000fc);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.address, 0x80007f00);
	assert_int_equal(packet.sent_bits, 15);
	assert_false(packet.is_isa_changed);
}

static void timestamp_keeps_the_bits_not_sent(void **state)
{
	static const uint8_t data[] = {0x42, 0x81, 0x82, 0x03, 0x42, 0x7f};
	struct bytes in = bytes_of(data, sizeof(data));
	struct etm3_reader reader;
	struct etm3_packet packet;

	(void)state;
	begin(&reader, &full);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.timestamp, 0xc101);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.timestamp, 0xc17f);
}

/* 0xc101 in Gray code is 0x81fe; with its low seven bits 0x7f, 0xc17f, it is 0x81aa. */
static void timestamp_in_gray_code_keeps_the_bits_of_the_code(void **state)
{
	static const uint8_t data[] = {0x42, 0x81, 0x82, 0x03, 0x42, 0x7f};
	struct bytes in = bytes_of(data, sizeof(data));
	struct etm3_config config = full;
	struct etm3_reader reader;
	struct etm3_packet packet;

	(void)state;
	config.is_timestamp_gray = true;
	begin(&reader, &config);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.timestamp, 0x81fe);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.timestamp, 0x81aa);
}

static void unsynchronised_bytes_are_passed_over_to_the_async(void **state)
{
	static const uint8_t data[] = {0x42, 0x07, 0x00, 0x81, 0, 0, 0, 0, 0, 0, 0x80, 0x0c};
	static const struct {
		enum etm3_type type;
		uint32_t size;
	} expected[] = {{ETM3_NOT_SYNC, 2},
	                {ETM3_NOT_SYNC, 2},
	                {ETM3_NOT_SYNC, 1},
	                {ETM3_ASYNC, 6},
	                {ETM3_TRIGGER, 1}};
	struct bytes in = bytes_of(data, sizeof(data));
	struct etm3_reader reader;
	struct etm3_packet packet;

	(void)state;
	etm3_reader_init(&reader, &full);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, expected[i].type);
		assert_int_equal(packet.size, expected[i].size);
	}
}

static void unsynchronised_group_ends_with_its_block(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct bytes in = bytes_of(data, sizeof(data));
	struct etm3_reader reader;
	struct etm3_packet packet;

	(void)state;
	etm3_reader_init(&reader, &full);
	assert_int_equal(etm3_reader_next(&reader, &in, data + 7, &packet), STATUS_OK);
	assert_int_equal(packet.type, ETM3_NOT_SYNC);
	assert_int_equal(packet.size, 7);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.size, 2);
}

static void random_bytes_always_progress(void **state)
{
	static const struct etm3_config *const configs[] = {&full, &alt, &bare, &data_only,
	                                                    &m_profile};

	(void)state;
	assert_random_bytes_progress(configs, sizeof(configs) / sizeof(configs[0]), 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_header_has_one_meaning_or_none),
	        cmocka_unit_test(reserved_header_is_one_bad_byte),
	        cmocka_unit_test(header_without_its_feature_is_bad_mode),
	        cmocka_unit_test(each_packet_says_its_fields),
	        cmocka_unit_test(each_prefix_is_truncated_and_changes_nothing),
	        cmocka_unit_test(no_bytes_is_end),
	        cmocka_unit_test(sequence_that_is_none_is_bad),
	        cmocka_unit_test(address_keeps_the_bits_not_sent),
	        cmocka_unit_test(timestamp_keeps_the_bits_not_sent),
	        cmocka_unit_test(timestamp_in_gray_code_keeps_the_bits_of_the_code),
	        cmocka_unit_test(unsynchronised_bytes_are_passed_over_to_the_async),
	        cmocka_unit_test(unsynchronised_group_ends_with_its_block),
	        cmocka_unit_test(random_bytes_always_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
