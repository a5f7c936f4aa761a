/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STM: each packet by hand-made nibbles, whole, cut and wrong, from either half of a byte; that an
 * opcode has one meaning; and what traces mean as elements.
 */
#include "tests/decoder/software_world.h"

#include "decoder/stimulus/stm_pkt.h"

#define SYNC   "FFFFFFFFFFFFFFFFFFFFF0"
#define BINARY "F003"
#define GRAY   "F004"

enum { MOST_BYTES = 512 };

static const struct world stm = {.protocol = PROTOCOL_STM,
                                 .register_name = "STMTCSR",
                                 .control = WORLD_ID << 16,
                                 .format = BUFFER_SOURCE_DATA};

/* Nibbles written as hexadecimal digits, blanks between, from place `from` of `data` on. */
static size_t pack(const char *digits, size_t from, uint8_t *data)
{
	size_t at = from;

	for (; *digits; digits++) {
		const char digit[2] = {*digits, 0};
		uint8_t nibble;

		if (*digits == ' ')
			continue;
		assert_true(at < 2 * (size_t)MOST_BYTES);
		nibble = (uint8_t)strtoul(digit, NULL, 16);
		if (at % 2 == 0)
			data[at / 2] = nibble;
		else
			data[at / 2] |= (uint8_t)(nibble << 4);
		at++;
	}
	return at;
}

static void assert_elements(const struct world *world, const char *digits, const char *expected)
{
	uint8_t data[MOST_BYTES];
	size_t nibbles = pack(digits, 0, data);

	assert_int_equal(nibbles % 2, 0);
	world_assert(world, data, nibbles / 2, expected);
}

static const struct row {
	const char *digits;
	enum stm_type type;
	const char *name;
	uint64_t value;
	bool is_marker;
	bool has_timestamp;
	uint64_t timestamp; /* that before is 0x1234567, binary */
	const char *text;
} rows[] = {
        {"0", STM_EMPTY, "NULL", 0, 0, 0, 0, "Null"},
        {"F01 12", STM_EMPTY, "NULLTS", 0, 0, 1, 0x1234562, "Null; TS=0x0000000001234562"},
        {"1 4F", STM_MASTER, "M8", 0x4f, 0, 0, 0, "Master; Master=0x4f"},
        {"2 07", STM_MASTER_ERROR, "MERR", 7, 0, 0, 0, "Error of the master; Error=0x07"},
        {"3 A1", STM_CHANNEL_8, "C8", 0xa1, 0, 0, 0, "Channel, low byte; Chan=0xa1"},
        {"F3 12A1", STM_CHANNEL_16, "C16", 0x12a1, 0, 0, 0, "Channel; Chan=0x12a1"},
        {"F2 01", STM_GLOBAL_ERROR, "GERR", 1, 0, 0, 0, "Error of all masters; Error=0x01"},
        {"C 9", STM_DATA, "D4", 9, 0, 0, 0, "Data; Data=0x9"},
        {"4 09", STM_DATA, "D8", 9, 0, 0, 0, "Data; Data=0x09"},
        {"5 F00D", STM_DATA, "D16", 0xf00d, 0, 0, 0, "Data; Data=0xf00d"},
        {"6 BAADF00D", STM_DATA, "D32", 0xbaadf00d, 0, 0, 0, "Data; Data=0xbaadf00d"},
        {"7 0123456789ABCDEF", STM_DATA, "D64", 0x0123456789abcdef, 0, 0, 0,
         "Data; Data=0x0123456789abcdef"},
        {"FD 9", STM_DATA, "D4M", 9, 1, 0, 0, "Data; Data=0x9; marker"},
        {"F8 09", STM_DATA, "D8M", 9, 1, 0, 0, "Data; Data=0x09; marker"},
        {"F9 F00D", STM_DATA, "D16M", 0xf00d, 1, 0, 0, "Data; Data=0xf00d; marker"},
        {"FA BAADF00D", STM_DATA, "D32M", 0xbaadf00d, 1, 0, 0, "Data; Data=0xbaadf00d; marker"},
        {"FB 0123456789ABCDEF", STM_DATA, "D64M", 0x0123456789abcdef, 1, 0, 0,
         "Data; Data=0x0123456789abcdef; marker"},
        {"FC 9 0", STM_DATA, "D4TS", 9, 0, 1, 0x1234567, "Data; Data=0x9; TS=0x0000000001234567"},
        {"F4 09 2AB", STM_DATA, "D8TS", 9, 0, 1, 0x12345ab,
         "Data; Data=0x09; TS=0x00000000012345ab"},
        {"F5 F00D 3ABC", STM_DATA, "D16TS", 0xf00d, 0, 1, 0x1234abc,
         "Data; Data=0xf00d; TS=0x0000000001234abc"},
        {"F6 BAADF00D CABCDEF012345", STM_DATA, "D32TS", 0xbaadf00d, 0, 1, 0xabcdef012345,
         "Data; Data=0xbaadf00d; TS=0x0000abcdef012345"},
        {"F7 0123456789ABCDEF 11", STM_DATA, "D64TS", 0x0123456789abcdef, 0, 1, 0x1234561,
         "Data; Data=0x0123456789abcdef; TS=0x0000000001234561"},
        {"D 9 D0123456789ABCD", STM_DATA, "D4MTS", 9, 1, 1, 0x0123456789abcd,
         "Data; Data=0x9; marker; TS=0x000123456789abcd"},
        {"8 09 EFEDCBA9876543210", STM_DATA, "D8MTS", 9, 1, 1, 0xfedcba9876543210,
         "Data; Data=0x09; marker; TS=0xfedcba9876543210"},
        {"9 F00D 18", STM_DATA, "D16MTS", 0xf00d, 1, 1, 0x1234568,
         "Data; Data=0xf00d; marker; TS=0x0000000001234568"},
        {"A BAADF00D 18", STM_DATA, "D32MTS", 0xbaadf00d, 1, 1, 0x1234568,
         "Data; Data=0xbaadf00d; marker; TS=0x0000000001234568"},
        {"B 0123456789ABCDEF 18", STM_DATA, "D64MTS", 0x0123456789abcdef, 1, 1, 0x1234568,
         "Data; Data=0x0123456789abcdef; marker; TS=0x0000000001234568"},
        {"FE", STM_FLAG, "FLAG", 0, 0, 0, 0, "Flag"},
        {"E 18", STM_FLAG, "FLAGTS", 0, 0, 1, 0x1234568, "Flag; TS=0x0000000001234568"},
        {"F06 42", STM_TRIGGER, "TRIG", 0x42, 0, 0, 0, "Trigger; TrigData=0x42"},
        {"F07 42 18", STM_TRIGGER, "TRIGTS", 0x42, 0, 1, 0x1234568,
         "Trigger; TrigData=0x42; TS=0x0000000001234568"},
        {"F08 000F4240", STM_FREQUENCY, "FREQ", 1000000, 0, 0, 0,
         "Frequency of the timestamps; Freq=1000000Hz"},
        {BINARY, STM_VERSION, "VERSION", 3, 0, 0, 0, "Version; Ver=0x3"},
        {GRAY, STM_VERSION, "VERSION", 4, 0, 0, 0, "Version; Ver=0x4"},
        {SYNC, STM_ASYNC, "ASYNC", 0, 0, 0, 0, "Synchronisation"},
        {"FFF" SYNC, STM_ASYNC, "ASYNC", 0, 0, 0, 0, "Synchronisation"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Synchronised, at the low or the high half of a byte. */
static struct stm_reader synced_reader(size_t half)
{
	struct stm_reader reader;

	stm_reader_init(&reader);
	reader.is_synced = true;
	reader.is_high_next = half == 1;
	reader.clock = STM_CLOCK_BINARY;
	reader.timestamp = 0x1234567;
	reader.master = 1;
	reader.channel = 0x304;
	return reader;
}

static void packet_whole_has_its_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * (size_t)ROWS; i++) {
		const struct row *row = &rows[i / 2];
		uint8_t data[MOST_BYTES] = {0};
		size_t end = pack(row->digits, i % 2, data);
		struct bytes in = bytes_of(data, (end + 1) / 2);
		struct stm_reader reader = synced_reader(i % 2);
		struct stm_packet packet;
		struct text text = {0};

		assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, row->type);
		assert_string_equal(packet.name, row->name);
		assert_int_equal(packet.value, row->value);
		assert_int_equal(packet.is_marker, row->is_marker);
		assert_int_equal(packet.has_timestamp, row->has_timestamp);
		assert_int_equal(packet.timestamp, row->timestamp);
		assert_int_equal(packet.begins_high, i % 2);
		assert_int_equal(packet.size, (end + 1) / 2);
		assert_int_equal(bytes_offset(&in), end / 2);
		assert_int_equal(reader.is_high_next, end % 2);
		assert_true(reader.is_synced);
		if (row->has_timestamp)
			assert_int_equal(reader.timestamp, row->timestamp);
		stm_packet_format(&packet, &text);
		assert_string_equal(text.data, row->text);
		text_fini(&text);
	}
}

/* Cut after each nibble; the byte that the cut is in is not there. */
static void packet_cut_is_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * (size_t)ROWS; i++) {
		uint8_t data[MOST_BYTES] = {0};
		size_t whole = pack(rows[i / 2].digits, i % 2, data);

		for (size_t size = 0; size < (whole + 1) / 2; size++) {
			struct stm_reader reader = synced_reader(i % 2);
			const struct stm_reader before = reader;
			struct bytes in = bytes_of(data, size);
			struct stm_packet packet;

			assert_int_equal(stm_reader_next(&reader, &in, &packet),
			                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_memory_equal(&reader, &before, sizeof(reader));
		}
	}
}

static void opcode_has_one_meaning_or_is_reserved(void **state)
{
	/* Bit n: the opcode n is a packet, or the start of longer ones. */
	static const unsigned int known[4] = {0, 0xffff, 0xfffd, 0x01c3};

	(void)state;
	for (unsigned int nibbles = 1; nibbles <= 3; nibbles++) {
		for (unsigned int opcode = 0; opcode < 16; opcode++) {
			bool is_prefix =
			        (nibbles == 1 && opcode == 0xf) || (nibbles == 2 && opcode == 0x0);
			enum stm_type type = stm_opcode_type(nibbles, (uint8_t)opcode);
			unsigned int meanings = is_prefix;

#define OPCODE(name, listed, length, code, digits, parts)                                          \
	meanings += nibbles == (length) && opcode == (code);
#include "decoder/stimulus/stm_pkt.def"
#undef OPCODE
			assert_int_equal(meanings, known[nibbles] >> opcode & 1);
			assert_int_equal(type == STM_RESERVED, meanings == 0);
			assert_int_equal(type == STM_TYPES, is_prefix);
		}
	}
}

static void assert_bad(const char *digits, struct stm_reader reader, enum stm_type type,
                       enum stm_type meant)
{
	uint8_t data[MOST_BYTES] = {0};
	size_t end = pack(digits, reader.is_high_next, data);
	/* More after it, so that it is no packet that is cut. */
	struct bytes in = bytes_of(data, end / 2 + 20);
	struct stm_packet packet;

	assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_BAD_DATA);
	assert_int_equal(packet.type, type);
	assert_int_equal(packet.meant, meant);
	assert_int_equal(bytes_offset(&in), end / 2);
	assert_int_equal(reader.is_high_next, end % 2);
	assert_false(reader.is_synced);
}

static void opcode_reserved_is_bad_data(void **state)
{
	static const char *const reserved[] = {"F1",  "F02", "F03", "F04", "F05", "F09",
	                                       "F0A", "F0B", "F0C", "F0D", "F0E", "F0F"};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(reserved) / sizeof(reserved[0]); i++)
		assert_bad(reserved[i / 2], synced_reader(i % 2), STM_RESERVED, STM_NOT_SYNC);
}

static void sequence_wrong_is_bad_data(void **state)
{
	(void)state;
	for (size_t half = 0; half < 2; half++) {
		struct stm_reader reader = synced_reader(half);

		assert_bad("F000", reader, STM_BAD_SEQUENCE, STM_VERSION);
		assert_bad("F005", reader, STM_BAD_SEQUENCE, STM_VERSION);
		assert_bad("E F", reader, STM_BAD_SEQUENCE, STM_FLAG);
		assert_bad("8 12 F", reader, STM_BAD_SEQUENCE, STM_DATA);
		assert_bad("FF 1", reader, STM_BAD_SEQUENCE, STM_ASYNC);
		/* One nibble short, and the right length without its end. */
		assert_bad("FFFFFFFFFFFFFFFFFFFF 0", reader, STM_BAD_SEQUENCE, STM_ASYNC);
		assert_bad("FFFFFFFFFFFFFFFFFFFFF 1", reader, STM_BAD_SEQUENCE, STM_ASYNC);
		reader.clock = STM_CLOCK_UNKNOWN;
		assert_bad("E 1 2", reader, STM_BAD_SEQUENCE, STM_FLAG);
	}
}

static void search_finds_sync_at_either_half(void **state)
{
	static const char *const before[] = {
	        "",   "1", "12", "F", "FF1", "FFFFFFFFFFFFFFFFFFFF0", "FFFFFFFFFFFFFFFFFFFFF1",
	        "0F0"};

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		uint8_t data[MOST_BYTES] = {0};
		size_t end = pack(SYNC "1 44", pack(before[i], 0, data), data);
		struct bytes in = bytes_of(data, (end + 1) / 2);
		struct stm_reader reader;
		struct stm_packet packet;

		stm_reader_init(&reader);
		do {
			assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
		} while (packet.type == STM_NOT_SYNC);
		assert_int_equal(packet.type, STM_ASYNC);
		assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.type, STM_MASTER);
		assert_int_equal(packet.value, 0x44);
	}
}

static void ids_follow_their_packets(void **state)
{
	static const struct {
		const char *digits;
		uint8_t master;
		uint16_t channel;
	} cases[] = {
	        {"1 22", 0x22, 0}, {"3 55", 1, 0x355}, {"F3 1234", 1, 0x1234}, {"2 00", 1, 0},
	        {"F2 00", 0, 0},   {BINARY, 0, 0},     {"4 11", 1, 0x304},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t data[MOST_BYTES] = {0};
		size_t end = pack(cases[i].digits, 0, data);
		struct bytes in = bytes_of(data, (end + 1) / 2);
		struct stm_reader reader = synced_reader(0);
		struct stm_packet packet;

		assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.master, cases[i].master);
		assert_int_equal(packet.channel, cases[i].channel);
	}
}

static void timestamp_gray_keeps_high_bits(void **state)
{
	/* From 0x1234567 (Gray 0x1b2e7d4) on: its low four bits 4, 5, 7; then all bits. */
	static const struct {
		const char *digits;
		uint64_t timestamp;
	} cases[] = {{"F01 14", 0x1234567},
	             {"F01 15", 0x1234566},
	             {"F01 17", 0x1234565},
	             {"F01 E8000000000000000", UINT64_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t data[MOST_BYTES] = {0};
		size_t end = pack(cases[i].digits, 0, data);
		struct bytes in = bytes_of(data, (end + 1) / 2);
		struct stm_reader reader = synced_reader(0);
		struct stm_packet packet;

		reader.clock = STM_CLOCK_GRAY;
		assert_int_equal(stm_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(packet.timestamp, cases[i].timestamp);
	}
}

/* An element at its Idx. */
#define AT(index, element) "Idx:" #index "; ID:14; OCSD_GEN_TRC_ELEM_" element "\n"
#define INIT(index)        AT(index, "NO_SYNC( [init-decoder])")
#define LOST(index)        AT(index, "NO_SYNC( [bad-packet])")
#define END(index)         AT(index, "EO_TRACE( [end-of-trace])")

// clang-format off
static void flow_data_has_master_and_channel(void **state)
{
	(void)state;
	assert_elements(&stm, SYNC BINARY "C 1 1 41 F3 0102 4 12 FD 3 3 0F E 15 0",
		INIT(0)
		AT(13, "SWTRACE((Ma:0x?\?; Ch:0x?\?) 0x1; )")
		AT(19, "SWTRACE( (Ma:0x41; Ch:0x102) 0x12; )")
		AT(20, "SWTRACE( (Ma:0x41; Ch:0x102) 0x3; +Mrk )")
		AT(23, "SWTRACE( (Ma:0x41; Ch:0x10f) +Mrk  [ TS=0x000000000005]; )")
		END(25));
}

static void flow_every_kind_is_an_element(void **state)
{
	(void)state;
	assert_elements(&stm, SYNC BINARY "1 02 F06 42 F07 42 19 F08 00000064 2 33"
	                      "0 F01 2BC F2 44 4 55 0",
		INIT(0)
		AT(15, "SWTRACE( (Ma:0x02; Ch:0x00) 0x42; Trig )")
		AT(17, "SWTRACE( (Ma:0x02; Ch:0x00) 0x42; Trig  [ TS=0x000000000009]; )")
		AT(21, "SWTRACE( (Ma:0x02; Ch:0x00) 0x00000064; Freq)")
		AT(26, "SWTRACE( (Ma:0x02; Ch:0x00) 0x33; {Master Error.})")
		AT(28, "SWTRACE( (Ma:0x02; Ch:0x00)  [ TS=0x0000000000bc]; )")
		AT(31, "SWTRACE({Global Error.})")
		AT(33, "SWTRACE((Ma:0x?\?; Ch:0x?\?) 0x55; )")
		END(35));
}

static void flow_without_sync_says_so_and_ends(void **state)
{
	(void)state;
	assert_elements(&stm, "12 34 FF", INIT(0) END(0));
	assert_elements(&stm, "", END(0));
}

static void flow_bad_packet_is_no_sync_until_next_sync(void **state)
{
	(void)state;
	assert_elements(&stm, SYNC "1 41 C 7 F1 4 11" SYNC "C 8",
		INIT(0)
		AT(13, "SWTRACE( (Ma:0x41; Ch:0x00) 0x7; )")
		LOST(14)
		AT(27, "SWTRACE((Ma:0x?\?; Ch:0x?\?) 0x8; )")
		END(27));
}

static void flow_sync_longer_than_window_is_one(void **state)
{
	enum { FS = 3 * 4096 };
	uint8_t *data = malloc(FS + 2);

	(void)state;
	assert_non_null(data);
	memset(data, 0xff, FS);
	data[FS] = 0xc0; /* the end, D4 */
	data[FS + 1] = 0x05;
	world_assert(&stm, data, FS + 2,
		INIT(0)
		AT(12289, "SWTRACE((Ma:0x?\?; Ch:0x?\?) 0x5; )")
		END(12290));
	free(data);
}
// clang-format on

// clang-format off
static void packets_are_listed_before_their_elements(void **state)
{
	struct world world = stm;

	(void)state;
	world.options.packets = true;
	assert_elements(&world, SYNC "F8 12 4 1",
		"Idx:0; ID:14; [0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0xff 0x0f ];\t"
		"ASYNC : Synchronisation\n"
		INIT(0)
		"Idx:11; ID:14; [0x8f 0x21 ];\tD8M : Data; Data=0x12; marker\n"
		AT(11, "SWTRACE((Ma:0x?\?; Ch:0x?\?) 0x12; +Mrk )")
		"Idx:13; ID:14; [0x14 ];\tINCOMPLETE_EOT : Incomplete packet at end of trace [D]\n"
		END(13));
}
// clang-format on

static void json_has_fields_of_specification(void **state)
{
	struct world world = stm;

	(void)state;
	world.as_json = true;
	assert_elements(
	        &world, SYNC BINARY "1 41 D 7 15 0",
	        "{\"index\":0,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_NO_SYNC\","
	        "\"unsync_eot_info\":\"init-decoder\"}\n"
	        "{\"index\":15,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_SWTRACE\","
	        "\"sw_trace_info\":{\"swt_id_valid\":true,\"swt_master_id\":65,"
	        "\"swt_channel_id\":0,\"swt_payload_pkt_bitsize\":4,"
	        "\"swt_payload_num_packets\":1,\"swt_marker_packet\":true,"
	        "\"swt_has_timestamp\":true,\"swt_trigger_event\":false,"
	        "\"swt_frequency\":false,\"swt_master_err\":false,"
	        "\"swt_global_err\":false},\"extended_data\":\"0x7\",\"timestamp\":5}\n"
	        "{\"index\":17,\"id\":\"0x14\",\"elem_type\":\"OCSD_GEN_TRC_ELEM_EO_TRACE\","
	        "\"unsync_eot_info\":\"end-of-trace\"}\n");
}

static void bytes_random_come_to_an_end(void **state)
{
	uint8_t begin[MOST_BYTES];
	size_t nibbles = pack(SYNC BINARY "1 41 3 02 6 BAADF00D F06 42 F07 42 19 F08 00000064 2 33 "
	                                  "F2 44" SYNC GRAY "E 3ABC FE 0",
	                      0, begin);
	struct world world = stm;

	(void)state;
	world_assert_any_bytes_end(&world, begin, nibbles / 2);
	world.options.packets = true;
	world_assert_any_bytes_end(&world, begin, 11);
	world.format = BUFFER_CORESIGHT;
	world_assert_any_bytes_end(&world, begin, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packet_whole_has_its_fields),
	        cmocka_unit_test(packet_cut_is_truncated),
	        cmocka_unit_test(opcode_has_one_meaning_or_is_reserved),
	        cmocka_unit_test(opcode_reserved_is_bad_data),
	        cmocka_unit_test(sequence_wrong_is_bad_data),
	        cmocka_unit_test(search_finds_sync_at_either_half),
	        cmocka_unit_test(ids_follow_their_packets),
	        cmocka_unit_test(timestamp_gray_keeps_high_bits),
	        cmocka_unit_test(flow_data_has_master_and_channel),
	        cmocka_unit_test(flow_every_kind_is_an_element),
	        cmocka_unit_test(flow_without_sync_says_so_and_ends),
	        cmocka_unit_test(flow_bad_packet_is_no_sync_until_next_sync),
	        cmocka_unit_test(flow_sync_longer_than_window_is_one),
	        cmocka_unit_test(packets_are_listed_before_their_elements),
	        cmocka_unit_test(json_has_fields_of_specification),
	        cmocka_unit_test(bytes_random_come_to_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
