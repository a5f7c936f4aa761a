/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ITM: each packet by hand-made bytes, whole, cut and wrong; that a header byte has one meaning;
 * and what traces mean as elements.
 */
#include "tests/decoder/software_world.h"

#include "decoder/listing.h"
#include "decoder/stimulus/itm_pkt.h"

#define SYNC "\0\0\0\0\0\x80"

static const struct world itm = {.protocol = PROTOCOL_ITM,
                                 .register_name = "ITM_TCR",
                                 .control = WORLD_ID << 16,
                                 .format = BUFFER_SOURCE_DATA};

#define ASSERT_ELEMENTS(world, bytes, expected)                                                    \
	world_assert(world, bytes, sizeof(bytes) - 1, expected)

static const struct row {
	const char *bytes;
	uint8_t size;
	enum itm_type type;
	uint8_t source;
	uint8_t value_size;
	uint64_t value;
	unsigned int delay;
	unsigned int flags; /* 1 clock changed, 2 wrapped, 4 hardware */
	const char *text;
} rows[] = {
        {"\0\0\0\0\0\x80", 6, ITM_ASYNC, 0, 0, 0, 0, 0, "Synchronisation"},
        {"\0\0\0\0\0\0\0\x80", 8, ITM_ASYNC, 0, 0, 0, 0, 0, "Synchronisation"},
        {"\x70", 1, ITM_OVERFLOW, 0, 0, 0, 0, 0, "Overflow"},
        {"\x01\xab", 2, ITM_SOFTWARE, 0, 1, 0xab, 0, 0, "Software source; Port=0x00; Data=0xab"},
        {"\x1a\x34\x12", 3, ITM_SOFTWARE, 3, 2, 0x1234, 0, 0,
         "Software source; Port=0x03; Data=0x1234"},
        {"\xfb\x78\x56\x34\x02", 5, ITM_SOFTWARE, 31, 4, 0x02345678, 0, 0,
         "Software source; Port=0x1f; Data=0x02345678"},
        {"\x05\x15", 2, ITM_HARDWARE, 0, 1, 0x15, 0, 0,
         "Hardware source; Desc=0x00; Events: CPI Sleep Fold"},
        {"\x0e\x04\x10", 3, ITM_HARDWARE, 1, 2, 0x1004, 0, 0,
         "Hardware source; Desc=0x01; Exception=0x004 entered"},
        {"\x0e\x04\x30", 3, ITM_HARDWARE, 1, 2, 0x3004, 0, 0,
         "Hardware source; Desc=0x01; Exception=0x004 returned to"},
        {"\x17\0\x10\0\0", 5, ITM_HARDWARE, 2, 4, 0x1000, 0, 0,
         "Hardware source; Desc=0x02; PC=0x00001000"},
        {"\x1d\x01", 2, ITM_HARDWARE, 3, 1, 1, 0, 0,
         "Hardware source; Desc=0x03 (reserved); Data=0x01"},
        {"\x57\x04\0\0\0", 5, ITM_HARDWARE, 10, 4, 4, 0, 0,
         "Hardware source; Desc=0x0a; Comparator=1; PC=0x00000004"},
        {"\x4e\x04\x20", 3, ITM_HARDWARE, 9, 2, 0x2004, 0, 0,
         "Hardware source; Desc=0x09; Comparator=0; Address=0x2004"},
        {"\x85\x44", 2, ITM_HARDWARE, 16, 1, 0x44, 0, 0,
         "Hardware source; Desc=0x10; Comparator=0; Read=0x44"},
        {"\xbe\x44\x55", 3, ITM_HARDWARE, 23, 2, 0x5544, 0, 0,
         "Hardware source; Desc=0x17; Comparator=3; Written=0x5544"},
        {"\x10", 1, ITM_LOCAL_TIMESTAMP, 0, 1, 1, ITM_DELAY_NONE, 0,
         "Local timestamp; Cycles=0x01; in time"},
        {"\x60", 1, ITM_LOCAL_TIMESTAMP, 0, 1, 6, ITM_DELAY_NONE, 0,
         "Local timestamp; Cycles=0x06; in time"},
        {"\xc0\x7f", 2, ITM_LOCAL_TIMESTAMP, 0, 1, 0x7f, ITM_DELAY_NONE, 0,
         "Local timestamp; Cycles=0x7f; in time"},
        {"\xd0\x81\x01", 3, ITM_LOCAL_TIMESTAMP, 0, 2, 0x81, ITM_DELAY_TIMESTAMP, 0,
         "Local timestamp; Cycles=0x0081; timestamp delayed"},
        {"\xe0\xff\xff\x01", 4, ITM_LOCAL_TIMESTAMP, 0, 3, 0x7fff, ITM_DELAY_PACKET, 0,
         "Local timestamp; Cycles=0x007fff; packet delayed"},
        {"\xf0\xff\xff\xff\x7f", 5, ITM_LOCAL_TIMESTAMP, 0, 4, 0xfffffff, ITM_DELAY_BOTH, 0,
         "Local timestamp; Cycles=0x0fffffff; timestamp and packet delayed"},
        {"\x94\x12", 2, ITM_GLOBAL_TIMESTAMP_1, 0, 1, 0x12, 0, 0,
         "Global timestamp, bits [25:0]; TS=0x12"},
        {"\x94\x80\x80\x01", 4, ITM_GLOBAL_TIMESTAMP_1, 0, 3, 0x4000, 0, 0,
         "Global timestamp, bits [25:0]; TS=0x004000"},
        {"\x94\xff\xff\xff\x1f", 5, ITM_GLOBAL_TIMESTAMP_1, 0, 4, 0x3ffffff, 0, 0,
         "Global timestamp, bits [25:0]; TS=0x03ffffff"},
        {"\x94\x80\x80\x80\x21", 5, ITM_GLOBAL_TIMESTAMP_1, 0, 4, 0x200000, 0, 1,
         "Global timestamp, bits [25:0]; TS=0x00200000; clock changed"},
        {"\x94\x81\x80\x80\x40", 5, ITM_GLOBAL_TIMESTAMP_1, 0, 4, 1, 0, 2,
         "Global timestamp, bits [25:0]; TS=0x00000001; wrapped"},
        {"\xb4\x01", 2, ITM_GLOBAL_TIMESTAMP_2, 0, 1, 1, 0, 0,
         "Global timestamp, bits [63:26]; TS=0x01"},
        {"\xb4\xff\xff\xff\xff\xff\x07", 7, ITM_GLOBAL_TIMESTAMP_2, 0, 6, 0x3fffffffff, 0, 0,
         "Global timestamp, bits [63:26]; TS=0x003fffffffff"},
        {"\x38", 1, ITM_EXTENSION, 0, 0, 3, 0, 0, "Extension; software; Page=0x3"},
        {"\x7c", 1, ITM_EXTENSION, 0, 0, 7, 0, 4, "Extension; hardware; Information=0x7"},
        {"\xd8\x81\x02", 3, ITM_EXTENSION, 0, 2, 0x80d, 0, 0,
         "Extension; software; Information=0x80d"},
        {"\x8c\xff\xff\xff\x7f", 5, ITM_EXTENSION, 0, 4, 0x7ffffff8, 0, 4,
         "Extension; hardware; Information=0x7ffffff8"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static struct itm_reader synced_reader(void)
{
	struct itm_reader reader;

	itm_reader_init(&reader);
	reader.is_synced = true;
	return reader;
}

static void packet_whole_has_its_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		struct itm_reader reader = synced_reader();
		struct bytes in = bytes_of(row->bytes, row->size);
		struct itm_packet packet;
		struct text text = {0};

		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, row->type);
		assert_int_equal(packet.size, row->size);
		assert_int_equal(bytes_left(&in), 0);
		assert_int_equal(packet.source, row->source);
		assert_int_equal(packet.value_size, row->value_size);
		assert_int_equal(packet.value, row->value);
		assert_int_equal(packet.delay, row->delay);
		assert_int_equal(packet.is_clock_changed, row->flags & 1);
		assert_int_equal(packet.is_wrapped, row->flags >> 1 & 1);
		assert_int_equal(packet.is_hardware, row->flags >> 2 & 1);
		assert_true(reader.is_synced);
		itm_packet_format(&packet, &text);
		assert_string_equal(text.data, row->text);
		text_fini(&text);
	}
}

static void packet_cut_is_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		for (size_t size = 0; size < rows[i].size; size++) {
			struct itm_reader reader = synced_reader();
			struct bytes in = bytes_of(rows[i].bytes, size);
			struct itm_packet packet;

			assert_int_equal(itm_reader_next(&reader, &in, &packet),
			                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_true(reader.is_synced);
		}
	}
}

/* The architecture's words for a header byte, without the table. */
static enum itm_type type_by_rule(unsigned int header)
{
	if ((header & 3) != 0)
		return header & 4 ? ITM_HARDWARE : ITM_SOFTWARE;
	if (header == 0x00)
		return ITM_ASYNC;
	if (header == 0x70)
		return ITM_OVERFLOW;
	if ((header & 0x0f) == 0)
		return ITM_LOCAL_TIMESTAMP;
	if (header & 8)
		return ITM_EXTENSION;
	if (header == 0x94)
		return ITM_GLOBAL_TIMESTAMP_1;
	if (header == 0xb4)
		return ITM_GLOBAL_TIMESTAMP_2;
	return ITM_RESERVED;
}

static void header_has_one_meaning_or_is_reserved(void **state)
{
	unsigned int reserved = 0;

	(void)state;
	for (unsigned int header = 0; header < 256; header++) {
		unsigned int meanings = 0;

#define HEADER(name, mask, match, reader) meanings += (header & (mask)) == (match);
#include "decoder/stimulus/itm_pkt.def"
#undef HEADER
		assert_true(meanings <= 1);
		assert_int_equal(meanings == 0, itm_header_type((uint8_t)header) == ITM_RESERVED);
		assert_int_equal(itm_header_type((uint8_t)header), type_by_rule(header));
		reserved += meanings == 0;
	}
	assert_int_equal(reserved, 14);
}

static void header_reserved_is_bad_data(void **state)
{
	(void)state;
	for (unsigned int header = 0; header < 256; header++) {
		uint8_t bytes[2] = {(uint8_t)header, 0};
		struct itm_reader reader = synced_reader();
		struct bytes in = bytes_of(bytes, 2);
		struct itm_packet packet;

		if (type_by_rule(header) != ITM_RESERVED)
			continue;
		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, ITM_RESERVED);
		assert_int_equal(packet.size, 1);
		assert_false(reader.is_synced);
	}
}

static void packet_too_long_is_bad_sequence(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t size;
		enum itm_type meant;
	} bad[] = {
	        {"\0\0\0\0\x80", 5, ITM_ASYNC},
	        {"\0\0\0\0\0\x81", 6, ITM_ASYNC},
	        {"\0\x01", 2, ITM_ASYNC},
	        {"\xc0\xff\xff\xff\xff", 5, ITM_LOCAL_TIMESTAMP},
	        {"\x94\x80\x80\x80\x80", 5, ITM_GLOBAL_TIMESTAMP_1},
	        {"\xb4\x80\x80\x80\x80\x80\x80", 7, ITM_GLOBAL_TIMESTAMP_2},
	        {"\x88\x80\x80\x80\x80", 5, ITM_EXTENSION},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct itm_reader reader = synced_reader();
		struct bytes in = bytes_of(bad[i].bytes, bad[i].size);
		struct itm_packet packet;

		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
		assert_int_equal(packet.type, ITM_BAD_SEQUENCE);
		assert_int_equal(packet.meant, bad[i].meant);
		assert_int_equal(packet.size, bad[i].size);
		assert_int_equal(bytes_left(&in), 0);
	}
}

static void search_passes_over_what_is_no_sync(void **state)
{
	static const char data[] = "ab\0\0c\0\0\0\0\x80" SYNC "\x70";
	static const uint8_t sizes[] = {2, 3, 5, 6, 1};
	static const enum itm_type types[] = {ITM_NOT_SYNC, ITM_NOT_SYNC, ITM_NOT_SYNC, ITM_ASYNC,
	                                      ITM_OVERFLOW};
	struct bytes in = bytes_of(data, sizeof(data) - 1);
	struct itm_reader reader;
	struct itm_packet packet;

	(void)state;
	itm_reader_init(&reader);
	for (size_t i = 0; i < sizeof(sizes); i++) {
		assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, types[i]);
		assert_int_equal(packet.size, sizes[i]);
	}
	assert_int_equal(itm_reader_next(&reader, &in, &packet), STATUS_END);
}

/* An element at its Idx. */
#define AT(index, element) "Idx:" #index "; ID:14; OCSD_GEN_TRC_ELEM_" element "\n"
#define INIT(index)        AT(index, "NO_SYNC( [init-decoder])")
#define LOST(index)        AT(index, "NO_SYNC( [bad-packet])")
#define END(index)         AT(index, "EO_TRACE( [end-of-trace])")

// clang-format off
static void flow_page_extends_channel(void **state)
{
	(void)state;
	ASSERT_ELEMENTS(&itm, SYNC "\x19\x01\x28\x19\x02\x78\xfd\x03\x08\x19\x04",
		INIT(0)
		AT(6, "ITMTRACE(ITM_SWIT (ch: 0x3; Data: 0x01) )")
		AT(9, "ITMTRACE(ITM_SWIT (ch: 0x43; Data: 0x02) )")
		AT(12, "ITMTRACE(ITM_DWT (desc: 0x1f; Data: 0x03) )")
		AT(15, "ITMTRACE(ITM_SWIT (ch: 0x3; Data: 0x04) )")
		END(15));
}

#define LOCAL(index, before, delta, delay, sum)                                                    \
	AT(index, "ITMTRACE(" before "ITM_TS_LOCAL ( TS delta: 0x000000" delta ", { " delay        \
	          "}; TS cumulative: 0x00000000000000" sum ") )")

static void flow_local_timestamps_are_summed_until_overflow(void **state)
{
	(void)state;
	ASSERT_ELEMENTS(&itm, SYNC "\x20\xd0\x81\x01\xe0\x10\xf0\x01\x70\x30",
		INIT(0)
		LOCAL(6, "", "02", "TS Sync", "02")
		LOCAL(7, "", "81", "TS Delay", "83")
		LOCAL(10, "", "10", "Packet Delay", "93")
		LOCAL(12, "", "01", "TS and Packet Delay", "94")
		LOCAL(15, "ITM_OVERFLOW; ", "03", "TS Sync", "03")
		END(15));
}

static void flow_prescaler_counts_only_with_swoena(void **state)
{
	static const struct {
		uint32_t control;
		const char *sum;
	} cases[] = {
		{0x010, LOCAL(6, "", "02", "TS Sync", "02")},
		{0x110, LOCAL(6, "", "02", "TS Sync", "08")},
		{0x210, LOCAL(6, "", "02", "TS Sync", "20")},
		{0x310, LOCAL(6, "", "02", "TS Sync", "80")},
		{0x300, LOCAL(6, "", "02", "TS Sync", "02")},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world world = itm;
		struct text out = {0};

		world.control |= cases[i].control;
		world_decode(&world, SYNC "\x20", 7, &out);
		assert_non_null(strstr(out.data, cases[i].sum));
		text_fini(&out);
	}
}

static void flow_global_timestamp_waits_for_high_bits(void **state)
{
	(void)state;
	ASSERT_ELEMENTS(&itm, SYNC "\x94\x05\xb4\x01\x94\x06\x94\x80\x80\x80\x40\xb4\x02",
		INIT(0)
		AT(8, "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000004000005) )")
		AT(10, "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000004000006) )")
		AT(17, "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000008000000) )")
		END(17));
}

static void flow_without_sync_says_so_and_ends(void **state)
{
	(void)state;
	ASSERT_ELEMENTS(&itm, "\x01\x02\0\0\x03\0\0", INIT(0) END(0));
	ASSERT_ELEMENTS(&itm, "", END(0));
}

static void flow_bad_packet_is_no_sync_until_next_sync(void **state)
{
	(void)state;
	ASSERT_ELEMENTS(&itm, SYNC "\x20\x04\x20\x20" SYNC "\x20",
		INIT(0)
		LOCAL(6, "", "02", "TS Sync", "02")
		LOST(8)
		LOCAL(16, "", "02", "TS Sync", "02")
		END(16));
}

static void flow_cut_end_is_the_last_place(void **state)
{
	(void)state;
	ASSERT_ELEMENTS(&itm, SYNC "\x01\x02\x03\x04",
		INIT(0)
		AT(6, "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x02) )")
		END(8));
}

static void flow_sync_longer_than_window_is_one(void **state)
{
	enum { ZEROS = 3 * 4096 };
	uint8_t *data = calloc(ZEROS + 3, 1);

	(void)state;
	assert_non_null(data);
	data[ZEROS] = 0x80;
	data[ZEROS + 1] = 0x01;
	data[ZEROS + 2] = 0x55;
	world_assert(&itm, data, ZEROS + 3,
		INIT(0)
		AT(12289, "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x55) )")
		END(12289));
	/* The same after one that is whole. */
	memcpy(data, SYNC, 6);
	world_assert(&itm, data, ZEROS + 1, INIT(0) END(6));
	free(data);
}
// clang-format on

static void json_has_fields_of_specification(void **state)
{
	struct world world = itm;

	(void)state;
	world.as_json = true;
	ASSERT_ELEMENTS(
	        &world, SYNC "\x70\x19\x0a\xe0\x02\x94\x80\x80\x80\x20\xb4\x01",
	        "{\"index\":0,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_NO_SYNC\","
	        "\"unsync_eot_info\":\"init-decoder\"}\n"
	        "{\"index\":7,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_ITMTRACE\","
	        "\"swt_itm\":{\"pkt_type\":\"SWIT_PAYLOAD\",\"payload_src_id\":3,"
	        "\"payload_size\":1,\"value\":\"0xa\",\"overflow\":true}}\n"
	        "{\"index\":9,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_ITMTRACE\","
	        "\"swt_itm\":{\"pkt_type\":\"TS_PKT_DELAY\",\"payload_size\":1,"
	        "\"value\":\"0x2\",\"overflow\":false},\"timestamp\":2}\n"
	        "{\"index\":16,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_ITMTRACE\","
	        "\"swt_itm\":{\"pkt_type\":\"TS_GLOBAL\",\"cpu_freq_change\":true,"
	        "\"overflow\":false},\"timestamp\":67108864}\n"
	        "{\"index\":16,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_EO_TRACE\","
	        "\"unsync_eot_info\":\"end-of-trace\"}\n");
}

// clang-format off
static void packets_are_listed_before_their_elements(void **state)
{
	struct world world = itm;

	(void)state;
	world.options.packets = true;
	ASSERT_ELEMENTS(&world, SYNC "\x01\x02\x03",
		"Idx:0; ID:14; [0x00 0x00 0x00 0x00 0x00 0x80 ];\tITM_ASYNC : Synchronisation\n"
		INIT(0)
		"Idx:6; ID:14; [0x01 0x02 ];\tITM_SWIT : Software source; Port=0x00; Data=0x02\n"
		AT(6, "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x02) )")
		"Idx:8; ID:14; [0x03 ];\tITM_INCOMPLETE_EOT : Incomplete packet at end of trace "
		"[ITM_SWIT]\n"
		END(8));
}
// clang-format on

/* Frames of two ITMs; in the third one ID 0x14 has its turn without a byte. */
static void listing_ends_where_frames_are_broken(void **state)
{
	// clang-format off
	static const uint8_t frames[4][16] = {
	        {0x29, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x10,
	         0x2b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00},
	        {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
	         0x10, 0x10, 0x10, 0x10, 0x29, 0x10, 0x10, 0x40},
	        {0x2b, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10,
	         0x10, 0x10, 0x10, 0x10, 0x29, 0x10, 0x2b, 0x40},
	        {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x29, 0x10,
	         0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x00},
	};
	// clang-format on
	static const uint8_t controls[2][4] = {{0, 0, 0x14}, {0, 0, 0x15}};
	struct snap_register regs[2];
	struct snap_device devices[2];
	struct snap_source sources[2];
	const size_t first = 0;
	struct snap_buffer buffer = {.name = STR("ETB_1"),
	                             .format = BUFFER_CORESIGHT,
	                             .data = bytes_of(frames, sizeof(frames))};
	struct snapshot snapshot = {
	        .sources = sources, .source_count = 2, .buffers = &buffer, .buffer_count = 1};
	struct decoder_options options = {0};
	struct diag_list diags = {0};
	struct listing *listing = NULL;
	struct element element;
	unsigned int counts[2] = {0, 0};
	uint64_t offset = 0;
	enum status status;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		regs[i] = (struct snap_register){
		        .name = STR("ITM_TCR"), .bits = 32, .value = controls[i]};
		devices[i] = (struct snap_device){.registers = &regs[i], .register_count = 1};
		sources[i] = (struct snap_source){.device = &devices[i],
		                                  .protocol = PROTOCOL_ITM,
		                                  .buffers = &first,
		                                  .buffer_count = 1};
	}
	assert_int_equal(listing_open(&snapshot, &buffer, NULL, &options, &diags, &listing),
	                 STATUS_OK);
	while ((status = listing_next(listing, &element)) == STATUS_OK) {
		assert_int_not_equal(element.type, ELEMENT_EO_TRACE);
		assert_true(element.offset < 48);
		counts[element.trace_id - 0x14]++;
	}
	assert_int_equal(status, STATUS_END);
	/* No synchronisation, and a timestamp for each 0x10 after it. */
	assert_int_equal(counts[0], 3);
	assert_int_equal(counts[1], 1 + 13 + 11 + 1);
	assert_true(listing_broken_at(listing, &offset));
	assert_int_equal(offset, 48);
	listing_destroy(listing);
	diag_list_fini(&diags);
}

static void bytes_random_come_to_an_end(void **state)
{
	static const char begin[] = SYNC "\x20\xd0\x81\x01\xe0\x10\xf0\x01\x70\x30\x94\x05\xb4\x01"
	                                 "\x28\x19\x02\x0e\x04\x30" SYNC "\x17\x01\x02\x03\x04";
	struct world world = itm;

	(void)state;
	world_assert_any_bytes_end(&world, begin, sizeof(begin) - 1);
	world.options.packets = true;
	world_assert_any_bytes_end(&world, "", 0);
	world.format = BUFFER_CORESIGHT;
	world_assert_any_bytes_end(&world, "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packet_whole_has_its_fields),
	        cmocka_unit_test(packet_cut_is_truncated),
	        cmocka_unit_test(header_has_one_meaning_or_is_reserved),
	        cmocka_unit_test(header_reserved_is_bad_data),
	        cmocka_unit_test(packet_too_long_is_bad_sequence),
	        cmocka_unit_test(search_passes_over_what_is_no_sync),
	        cmocka_unit_test(flow_page_extends_channel),
	        cmocka_unit_test(flow_local_timestamps_are_summed_until_overflow),
	        cmocka_unit_test(flow_prescaler_counts_only_with_swoena),
	        cmocka_unit_test(flow_global_timestamp_waits_for_high_bits),
	        cmocka_unit_test(flow_without_sync_says_so_and_ends),
	        cmocka_unit_test(flow_bad_packet_is_no_sync_until_next_sync),
	        cmocka_unit_test(flow_cut_end_is_the_last_place),
	        cmocka_unit_test(flow_sync_longer_than_window_is_one),
	        cmocka_unit_test(json_has_fields_of_specification),
	        cmocka_unit_test(packets_are_listed_before_their_elements),
	        cmocka_unit_test(listing_ends_where_frames_are_broken),
	        cmocka_unit_test(bytes_random_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
