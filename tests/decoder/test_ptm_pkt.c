/* SPDX-License-Identifier: Apache-2.0 */
/* PTM packets: each header byte, each packet's fields, each proper prefix. IHI 0035. */
#include "decoder/ptm/ptm_pkt.h"

#define PROTOCOL(name)      ptm_##name
#define PROTOCOL_TYPE(name) PTM_##name
#include "tests/decoder/packet_world.h"

static const struct ptm_config plain = {
        .context_id_size = 4, .is_timestamp_64 = true, .is_timestamp_binary = true};
static const struct ptm_config cycles = {
        .context_id_size = 1, .is_timestamp_64 = false, .is_cycle_accurate = true};

static void each_header_has_one_meaning_or_none(void **state)
{
	unsigned int meanings[256] = {0};
	struct ptm_reader reader;
	unsigned int reserved = 0;

	(void)state;
	for (unsigned int h = 0; h < 256; h++) {
#define HEADER(name, mask, match, read) meanings[h] += (h & (mask)) == (match);
#include "decoder/ptm/ptm_pkt.def"
#undef HEADER
	}
	begin(&reader, &plain);
	for (unsigned int h = 0; h < 256; h++) {
		bool is_reserved = ptm_header_type(&reader, (uint8_t)h) == PTM_RESERVED;

		assert_int_equal(meanings[h], is_reserved ? 0 : 1);
		reserved += is_reserved;
	}
	/* 128 branches, 64 atoms and ten others: the rest. */
	assert_int_equal(reserved, 256 - 128 - 64 - 10);
}

static void reserved_header_is_one_bad_byte(void **state)
{
	(void)state;
	assert_reserved_headers_are_bad(&plain);
}

// clang-format off
static const struct sample samples[] = {
	SAMPLE(plain, "\0\0\0\0\0\x80", "ASYNC: Alignment Synchronisation Packet; "),
	SAMPLE(plain, "\0\0\0\0\0\0\0\x80", "ASYNC: Alignment Synchronisation Packet; "),
	SAMPLE(plain, "\x08\x01\x20\x30\x40\x21\x04\x03\x02\x01",
	       "ISYNC: Instruction Synchronisation packet; (Trace Enable); Addr=0x40302000; S;  "
	       "CtxtID=01020304; ISA=Thumb2; "),
	SAMPLE(plain, "\x08\x00\x20\x30\x40\x4b\x04\x03\x02\x01",
	       "ISYNC: Instruction Synchronisation packet; (Restart Overflow); Addr=0x40302000; NS; Hyp; "
	       "CtxtID=01020304; ISA=ARM(32); "),
	SAMPLE(plain, "\x08\x01\x20\x30\x40\x05\x04\x03\x02\x01",
	       "ISYNC: Instruction Synchronisation packet; (Periodic); Addr=0x40302000; S;  "
	       "CtxtID=01020304; ISA=ThumbEE; "),
	SAMPLE(cycles, "\x08\x00\x20\x30\x40\x61\x7c\x81\x02\xaa",
	       "ISYNC: Instruction Synchronisation packet; (Debug Exit); Addr=0x40302000; S;  "
	       "CtxtID=000000aa; ISA=ARM(32); Cycles=4127; "),
	SAMPLE(cycles, "\x08\x00\x20\x30\x40\x01\xaa",
	       "ISYNC: Instruction Synchronisation packet; (Periodic); Addr=0x40302000; S;  "
	       "CtxtID=000000aa; ISA=ARM(32); "),
	SAMPLE(plain, "\x0c", "TRIGGER: Trigger Event packet; "),
	SAMPLE(plain, "\x3c\x12", "VMID: VM ID packet; VMID=0x12; "),
	SAMPLE(plain, "\x66", "IGNORE: Ignore packet; "),
	SAMPLE(plain, "\x76", "ERET: Exception return packet; "),
	SAMPLE(plain, "\x6e\x04\x03\x02\x01", "CTXTID: Context ID packet; CtxtID=0x01020304; "),
	SAMPLE(cycles, "\x6e\x04", "CTXTID: Context ID packet; CtxtID=0x00000004; "),
	/* atoms: 0 is E, the newest in bit 1 */
	SAMPLE(plain, "\x80", "ATOM: Atom packet; E; "),
	SAMPLE(plain, "\x82", "ATOM: Atom packet; N; "),
	SAMPLE(plain, "\x8a", "ATOM: Atom packet; EN; "),
	SAMPLE(plain, "\x9c", "ATOM: Atom packet; NNE; "),
	SAMPLE(plain, "\xb0", "ATOM: Atom packet; NEEE; "),
	SAMPLE(plain, "\xe2", "ATOM: Atom packet; NEEEN; "),
	SAMPLE(cycles, "\xbc", "ATOM: Atom packet; E; Cycles=15; "),
	SAMPLE(cycles, "\xbe", "ATOM: Atom packet; N; Cycles=15; "),
	SAMPLE(cycles, "\xc4\xff\xff\xff\x7f", "ATOM: Atom packet; E; Cycles=4294967281; "),
	/* timestamps: 64 bits binary; 48 bits Gray-coded with a cycle count */
	SAMPLE(plain, "\x42\x05",
	       "TIMESTAMP: Timestamp packet; TS=0x0000000000000005 ~[0x5](5); "),
	SAMPLE(plain, "\x46\x81\x80\x80\x80\x80\x80\x80\x80\xff",
	       "TIMESTAMP: Timestamp packet; TS=0xFF00000000000001 ~[0xFF00000000000001]"
	       "(18374686479671623681); "),
	SAMPLE(cycles, "\x42\x06\x10",
	       "TIMESTAMP: Timestamp packet; TS=0x0000000000000004 ~[0x4](4); Cycles=4; "),
	SAMPLE(cycles, "\x42\x80\x80\x80\x80\x80\x80\x60\x08",
	       "TIMESTAMP: Timestamp packet; TS=0x0000FFFFFFFFFFFF ~[0xFFFFFFFFFFFF]"
	       "(281474976710655); Cycles=2; "),
	/* addresses: Arm, Thumb, Jazelle; the fifth byte says which */
	SAMPLE(plain, "\x83\x80\x80\x80\x0c",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); "),
	SAMPLE(plain, "\x83\x80\x80\x80\x18",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x80000002 ~[0x80000002]; ISA=Thumb2; "),
	SAMPLE(plain, "\x83\x80\x80\x80\x30",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x80000001 ~[0x80000001]; ISA=Jazelle; "),
	SAMPLE(plain, "\x83\x80\x80\x80\x4c\x1d",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); NS; "
	       "Excep=IRQ [0e]; "),
	SAMPLE(plain, "\x83\x80\x80\x80\x58\xc0\x21",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x80000002 ~[0x80000002]; ISA=ThumbEE; S; "
	       "Hyp; Excep=Unknown [10]; "),
	SAMPLE(plain, "\x03", "BRANCH_ADDRESS: Branch address packet; Addr=0x00000002 ~[0x2]; "),
	SAMPLE(plain, "\x83\x41\x02",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x00000082 ~[0x82]; S; "
	       "Excep=Debug Halt [01]; "),
	SAMPLE(cycles, "\x83\x81\x01\x3c",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x00004082 ~[0x4082]; Cycles=15; "),
	SAMPLE(cycles, "\x83\x41\x02\x44\x01",
	       "BRANCH_ADDRESS: Branch address packet; Addr=0x00000082 ~[0x82]; S; "
	       "Excep=Debug Halt [01]; Cycles=17; "),
	SAMPLE(plain, "\x72\x83\x01", "WP_UPDATE: Waypoint update packet; Addr=0x00000082 ~[0x82]; "),
	SAMPLE(plain, "\x72\x83\x80\x80\x80\x0c",
	       "WP_UPDATE: Waypoint update packet; Addr=0x80000004 ~[0x80000004]; ISA=ARM(32); "),
	SAMPLE(plain, "\x72\x83\x80\x80\x80\x58\x40",
	       "WP_UPDATE: Waypoint update packet; Addr=0x80000002 ~[0x80000002]; ISA=ThumbEE; "),
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
	assert_no_bytes_is_end(&plain);
}

static void async_with_wrong_zeros_is_bad(void **state)
{
	static const struct bad_sequence cases[] = {
	        {&plain, "\0\0\0\0\x80", 5, 5},
	        {&plain, "\0\0\0\0\0\x81", 6, 6},
	        {&plain, "\0\x08", 2, 2},
	        {&plain, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 17, 16},
	};

	(void)state;
	assert_bad_sequences(cases, sizeof(cases) / sizeof(cases[0]));
}

static void address_keeps_the_bits_not_sent(void **state)
{
	static const uint8_t data[] = {0x83, 0x80, 0x80, 0x80, 0x0c, 0x7f, 0x81, 0x3f};
	struct bytes in = bytes_of(data, sizeof(data));
	struct ptm_reader reader;
	struct ptm_packet packet;

	(void)state;
	begin(&reader, &plain);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.address, 0x80000004);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.address, 0x800000fc);
	assert_int_equal(packet.sent_bits, 8);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.address, 0x80003f00);
	assert_false(packet.is_isa_changed);
}

static void gray_timestamp_keeps_the_code_bits_not_sent(void **state)
{
	/* 0xc3 is 0xa2 in Gray code; then its low seven bits become 0x21, which makes 0xc1. */
	static const uint8_t data[] = {0x42, 0xa2, 0x01, 0x00, 0x42, 0x21, 0x00};
	struct bytes in = bytes_of(data, sizeof(data));
	struct ptm_reader reader;
	struct ptm_packet packet;

	(void)state;
	begin(&reader, &cycles);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.timestamp, 0xc3);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.known.timestamp, 0xc1);
}

static void unsynchronised_bytes_are_passed_over_to_the_async(void **state)
{
	static const uint8_t data[] = {0x42, 0x00, 0x00, 0x81, 0, 0, 0, 0, 0, 0, 0x80, 0x0c};
	struct bytes in = bytes_of(data, sizeof(data));
	struct ptm_reader reader;
	struct ptm_packet packet;

	(void)state;
	ptm_reader_init(&reader, &plain);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, PTM_NOT_SYNC);
	assert_int_equal(packet.size, 4);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, PTM_ASYNC);
	assert_int_equal(packet.size, 7);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.type, PTM_TRIGGER);
}

static void unsynchronised_group_ends_with_its_block(void **state)
{
	static const uint8_t data[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct bytes in = bytes_of(data, sizeof(data));
	struct ptm_reader reader;
	struct ptm_packet packet;

	(void)state;
	ptm_reader_init(&reader, &plain);
	assert_int_equal(ptm_reader_next(&reader, &in, data + 7, &packet), STATUS_OK);
	assert_int_equal(packet.type, PTM_NOT_SYNC);
	assert_int_equal(packet.size, 7);
	assert_int_equal(next(&reader, &in, &packet), STATUS_OK);
	assert_int_equal(packet.size, 2);
	assert_int_equal(next(&reader, &in, &packet), STATUS_TRUNCATED);
}

static void random_bytes_always_progress(void **state)
{
	static const struct ptm_config *const configs[] = {&cycles, &plain};

	(void)state;
	assert_random_bytes_progress(configs, sizeof(configs) / sizeof(configs[0]), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_header_has_one_meaning_or_none),
	        cmocka_unit_test(reserved_header_is_one_bad_byte),
	        cmocka_unit_test(each_packet_says_its_fields),
	        cmocka_unit_test(each_prefix_is_truncated_and_changes_nothing),
	        cmocka_unit_test(no_bytes_is_end),
	        cmocka_unit_test(async_with_wrong_zeros_is_bad),
	        cmocka_unit_test(address_keeps_the_bits_not_sent),
	        cmocka_unit_test(gray_timestamp_keeps_the_code_bits_not_sent),
	        cmocka_unit_test(unsynchronised_bytes_are_passed_over_to_the_async),
	        cmocka_unit_test(unsynchronised_group_ends_with_its_block),
	        cmocka_unit_test(random_bytes_always_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
