/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ETE adds to ETMv4: its packets, byte by byte, and traces of hand-made bytes to elements.
 * Arm ARM DDI 0487, chapter D5.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"
#include "decoder/etm4/etm4_pkt.h"

/* ETE 1.3 and 1.0 with every feature, and ETMv4.6. */
static const struct etm4_config ete_1_3 = {
        .version = 0x53, .cycle_mask = 0xfff, .is_64bit = true, .has_q = true};
static const struct etm4_config ete_1_0 = {
        .version = 0x50, .cycle_mask = 0xfff, .is_64bit = true, .has_q = true};
static const struct etm4_config etm4_6 = {
        .version = 0x46, .cycle_mask = 0xfff, .is_64bit = true, .has_q = true};

static void begin(struct etm4_reader *reader, const struct etm4_config *config)
{
	etm4_reader_init(reader, config);
	reader->is_synced = true;
}

/* The rows of both tables, each header byte counted for ETE. */
static unsigned int meanings_of(unsigned int header)
{
	unsigned int count = 0;

#define HEADER(name, first, last, needs, read)                                                     \
	count += header - (first) <= (unsigned int)((last) - (first));
#include "decoder/etm4/etm4_pkt.def"

#include "decoder/etm4/ete_pkt.def"
#undef HEADER
	return count;
}

static void each_header_has_one_meaning_or_is_reserved(void **state)
{
	static const char reserved[] = "\x08\x47\x4b\x4f\x84\x87\x89\x8a\x8b\x8c\x8d\x8e\x8f\x93"
	                               "\x94\x97\x98\x99\x9c\x9f\xa3\xa4\xa7\xa8\xa9\xad\xae\xb3"
	                               "\xba\xbb\xbc\xbd\xbe\xbf";
	struct etm4_reader reader;

	(void)state;
	begin(&reader, &ete_1_3);
	for (unsigned int h = 0; h < 256; h++) {
		bool is_reserved = (h >= 0x60 && h < 0x68) ||
		                   (h > 0 && memchr(reserved, (int)h, sizeof(reserved) - 1));

		assert_int_equal(meanings_of(h), is_reserved ? 0 : 1);
		assert_int_equal(etm4_header_type(&reader, (uint8_t)h) == ETM4_RESERVED,
		                 is_reserved);
	}
	/* What ETE lacks of ETMv4. */
	assert_int_equal(etm4_header_type(&reader, 0x07), ETM4_RESERVED_CONFIG);
	assert_int_equal(etm4_header_type(&reader, 0x05), ETM4_RESERVED_CONFIG);
	assert_int_equal(etm4_header_type(&reader, 0x20), ETM4_RESERVED_CONFIG);
	assert_int_equal(etm4_header_type(&reader, 0x40), ETM4_RESERVED_CONFIG);
}

static void header_of_ete_is_reserved_before_its_version(void **state)
{
	struct etm4_reader old;
	struct etm4_reader etm4;

	(void)state;
	begin(&old, &ete_1_0);
	begin(&etm4, &etm4_6);
	for (unsigned int h = 0; h < 256; h++) {
		bool is_new = (h >= 0x09 && h <= 0x0b) || (h >= 0xb0 && h <= 0xb9);

		if (is_new)
			assert_int_equal(etm4_header_type(&etm4, (uint8_t)h), ETM4_RESERVED);
	}
	assert_int_equal(etm4_header_type(&old, 0x09), ETM4_RESERVED);
	assert_int_equal(etm4_header_type(&old, 0x0a), ETM4_TRANSACTION_START);
	assert_int_equal(etm4_header_type(&etm4, 0x07), ETM4_EXCEPTION_RETURN);
}

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
	SAMPLE("\x01\x01\x41", "I_TRACE_INFO: Trace Info.; INFO=0x41 { CC.1, TSTATE.1 }; CC_THRESHOLD=0x0"),
	SAMPLE("\x01\x11\x00\x05", "I_TRACE_INFO: Trace Info.; INFO=0x0 { CC.0, TSTATE.0 }"),
	SAMPLE("\x06\x05", "I_EXCEPT: Exception.;  Call; Ret Addr Follows;"),
	SAMPLE("\x06\x80\x01", "I_EXCEPT: Exception.;  Reserved;"),
	SAMPLE("\x06\x00\x01", "I_PE_RESET: PE Reset."),
	SAMPLE("\x06\xb0\x00", "I_TRANS_FAIL: Transaction Fail."),
	SAMPLE("\x06\x31\x00", "I_TRANS_FAIL: Transaction Fail."),
	SAMPLE("\x09\x02\x88\x77\x66\x55\x44\x33\x22\x11",
	       "I_ITE: Instrumentation; EL2; Payload=0x1122334455667788"),
	SAMPLE("\x0a", "I_TRANS_ST: Transaction Start."),
	SAMPLE("\x0b", "I_TRANS_COMMIT: Transaction Commit."),
	SAMPLE("\x88", "I_TS_MARKER: Timestamp Marker"),
	SAMPLE("\xb1", "I_SRC_ADDR_MATCH: Exact Source Address Match., [1]; Addr=0x00000000; "),
	SAMPLE("\xb4\x7f", "I_SRC_ADDR_S_IS0: Source Address, Short, IS0.; Addr=0x000001FC ~[0x1FC]"),
	SAMPLE("\xb4\x81\xff", "I_SRC_ADDR_S_IS0: Source Address, Short, IS0.; Addr=0x0001FE04 ~[0x1FE04]"),
	SAMPLE("\xb5\x81\xff", "I_SRC_ADDR_S_IS1: Source Address, Short, IS1.; Addr=0x0000FF02 ~[0xFF02]"),
	SAMPLE("\xb6\x01\x02\x03\x04",
	       "I_SCR_ADDR_L_32IS0: Source Address, Long, 32 bit, IS0.; Addr=0x04030404; "),
	SAMPLE("\xb7\x01\x82\x03\x04",
	       "I_SRC_ADDR_L_32IS1: Source Address, Long, 32 bit, IS1.; Addr=0x04038202; "),
	SAMPLE("\xb8\x01\x02\x03\x04\x05\x06\x07\x08",
	       "I_SRC_ADDR_L_64IS0: Source Address, Long, 64 bit, IS0.; Addr=0x0807060504030404; "),
	SAMPLE("\xb9\x01\x82\x03\x04\x05\x06\x07\x08",
	       "I_SRC_ADDR_L_64IS1: Source Address, Long, 64 bit, IS1.; Addr=0x0807060504038202; "),
};
// clang-format on

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void packet_gives_its_fields(void **state)
{
	bool seen[ETM4_TYPES] = {false};

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		struct bytes in = bytes_of(samples[i].bytes, samples[i].size);
		struct etm4_reader reader;
		struct etm4_packet packet;
		struct text text = {0};

		begin(&reader, &ete_1_3);
		for (unsigned int k = 0; k < ETM4_ADDRESSES; k++)
			reader.addresses[k].is_64bit = samples[i].size == 9;
		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(bytes_left(&in), 0);
		assert_int_equal(packet.size, samples[i].size);
		text_printf(&text, "%s: ", etm4_type_name(packet.type));
		etm4_packet_format(&packet, &ete_1_3, &text);
		assert_string_equal(text.data, samples[i].listing);
		text_fini(&text);
		seen[packet.type] = true;
	}
	for (unsigned int type = ETM4_ATOM_F6 + 1; type < ETM4_TYPES; type++)
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
			begin(&reader, &ete_1_3);
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
	return packet;
}

#define NEXT(reader, bytes) next(reader, bytes, sizeof(bytes) - 1)

/* Source and target addresses have one history; a reset and a failed transaction enter it too. */
static void source_address_and_address_refer_to_each_other(void **state)
{
	struct etm4_reader reader;

	(void)state;
	begin(&reader, &ete_1_3);
	(void)NEXT(&reader, "\x81\x31");
	(void)NEXT(&reader, "\x9d\x00\x00\x11\x11\x11\x11\x11\x11");
	assert_true(NEXT(&reader, "\xb4\x01").address.value == 0x1111111111110004);
	assert_true(NEXT(&reader, "\x95\x02").address.value == 0x1111111111110008);
	assert_true(NEXT(&reader, "\xb2").address.value == 0x1111111111110000);
	assert_true(NEXT(&reader, "\x91").address.value == 0x1111111111110008);
	assert_int_equal(NEXT(&reader, "\x06\x30\x00").type, ETM4_TRANSACTION_FAIL);
	assert_true(NEXT(&reader, "\x95\x02").address.value == 0x8);
}

static void exception_of_etm4_with_type_zero_has_no_third_byte(void **state)
{
	struct etm4_reader reader;
	struct etm4_packet packet;

	(void)state;
	begin(&reader, &etm4_6);
	packet = NEXT(&reader, "\x06\x00");
	assert_int_equal(packet.type, ETM4_EXCEPTION);
	assert_int_equal(packet.size, 2);
}

/*
 * The program:
 *	1000  nop
 *	1004  cbz x0, 1000
 *	1008  nop
 *	100c  bl 1100
 *	1010  cbz x0, 1000
 *	1014  b 1000
 *	1018  eret
 *	101c  tstart x0
 *	1020  nop
 *	1100  nop
 *	1104  ret
 */
enum { CODE = 0x1000, CODE_SIZE = 0x110, REGISTER_COUNT = 6 };

#define NOP  0xd503201fU
#define SYNC "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x00"
#define ON   "\x04"
/* Address, EL1, non-secure, 64 bits; seven bits from bit 2 on, seven from bit 9 on. */
#define AT(low)     "\x85" low "\0\0\0\0\0\0\x31"
#define A_1000      "\x00\x08"
#define A_1010      "\x04\x08"
#define A_1018      "\x06\x08"
#define A_101C      "\x07\x08"
#define SOURCE(low) "\xb8" low "\0\0\0\0\0\0"
#define GO(low)     "\x9d" low "\0\0\0\0\0\0"
#define E           "\xf7"
#define N           "\xf6"

#define LINE(index, rest) "Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_" rest "\n"
#define NO_SYNC(index)    LINE(index, "NO_SYNC( [init-decoder])")
#define BAD(index)        LINE(index, "NO_SYNC( [bad-packet])")
#define BEGIN                                                                                      \
	NO_SYNC(0)                                                                                 \
	LINE(14, "TRACE_ON( [begin or filter])")                                                   \
	LINE(15, "PE_CONTEXT((ISA=A64) EL1N; 64-bit; )")
#define RANGE(index, from, to, count, rest)                                                        \
	LINE(index, "INSTR_RANGE(exec range=0x" #from ":[0x" #to "] num_i(" #count                 \
	            ") last_sz(4) (ISA=A64) " rest ")")
#define END(index) LINE(index, "EO_TRACE( [end-of-trace])")

enum {
	NO_OPTIONS = 0,
	RETURN_STACK = 1,
	SPECULATION = 2, /* four P0 elements may be in doubt */
	SPLIT = 4,
	PLAIN_TRANSACTIONS = 8, /* a transaction start is no P0 element */
	MARKERS = 16,           /* timestamps count from the first marker on */
	KEEPS_TO_CODE = 32,     /* as a history wants it */
};

struct world {
	uint8_t code[CODE_SIZE];
	uint8_t values[REGISTER_COUNT][4];
	struct snap_register registers[REGISTER_COUNT];
	struct snap_device core_device;
	struct snap_device source_device;
	struct snap_core core;
	struct snap_source source;
	struct snap_buffer buffer;
	size_t buffers[1];
	struct snapshot snapshot;
};

static void put_opcode(struct world *w, uint64_t address, uint32_t opcode)
{
	for (unsigned int i = 0; i < 4; i++)
		w->code[address - CODE + i] = (uint8_t)(opcode >> (8 * i));
}

static void put_register(struct world *w, size_t i, const char *name, uint32_t value)
{
	for (unsigned int k = 0; k < 4; k++)
		w->values[i][k] = (uint8_t)(value >> (8 * k));
	w->registers[i] =
	        (struct snap_register){.name = str_of(name), .bits = 32, .value = w->values[i]};
}

static void put_registers(struct world *w, unsigned int options)
{
	uint32_t idr0 = 0x80;

	idr0 |= options & PLAIN_TRANSACTIONS ? 1U << 30 : 0;
	idr0 |= options & MARKERS ? 1U << 23 : 0;
	put_register(w, 0, "TRCCONFIGR", options & RETURN_STACK ? 0x1001 : 1);
	put_register(w, 1, "TRCTRACEIDR", 0x10);
	put_register(w, 2, "TRCIDR0", idr0);
	put_register(w, 3, "TRCIDR2", 0x00000488);
	put_register(w, 4, "TRCIDR8", options & SPECULATION ? 4 : 0);
	put_register(w, 5, "TRCDEVARCH", 0x47735a13);
}

static void put_program(struct world *w)
{
	for (uint64_t address = CODE; address < CODE + CODE_SIZE; address += 4)
		put_opcode(w, address, NOP);
	put_opcode(w, 0x1004, 0xb4ffffe0);
	put_opcode(w, 0x100c, 0x9400003d);
	put_opcode(w, 0x1010, 0xb4ffff80);
	put_opcode(w, 0x1014, 0x17fffffb);
	put_opcode(w, 0x1018, 0xd69f03e0);
	put_opcode(w, 0x101c, 0xd5233060);
	put_opcode(w, 0x1104, 0xd65f03c0);
}

static void world_init(struct world *w, unsigned int options, const void *trace, size_t size)
{
	struct mem_region region = {
	        .address = CODE, .length = CODE_SIZE, .space = SPACE_ANY, .data = w->code};

	memset(w, 0, sizeof(*w));
	put_program(w);
	put_registers(w, options);
	w->core.memory = memmap_create();
	assert_non_null(w->core.memory);
	assert_int_equal(memmap_add(w->core.memory, &region), STATUS_OK);
	assert_int_equal(memmap_freeze(w->core.memory), STATUS_OK);
	w->core_device = (struct snap_device){.name = STR("cpu"), .type = STR("Cortex-A720")};
	w->core.device = &w->core_device;
	w->source_device = (struct snap_device){.name = STR("ETE_0"),
	                                        .type = STR("ETE"),
	                                        .registers = w->registers,
	                                        .register_count = REGISTER_COUNT};
	w->source = (struct snap_source){.device = &w->source_device,
	                                 .protocol = PROTOCOL_ETE,
	                                 .core = &w->core,
	                                 .buffers = w->buffers,
	                                 .buffer_count = 1};
	w->buffer = (struct snap_buffer){.name = STR("B"),
	                                 .format = BUFFER_SOURCE_DATA,
	                                 .format_name = STR("source_data"),
	                                 .data = bytes_of(trace, size)};
	w->snapshot = (struct snapshot){
	        .sources = &w->source, .source_count = 1, .buffers = &w->buffer, .buffer_count = 1};
}

static void assert_elements(unsigned int options, const char *trace, size_t size,
                            const char *expected, uint64_t expected_next)
{
	struct decoder_options opened = {.splits_sources = (options & SPLIT) != 0,
	                                 .keeps_to_code = (options & KEEPS_TO_CODE) != 0};
	struct diag_list diags = {0};
	struct text out = {0};
	struct world w;
	struct decoder *decoder;
	struct element element;
	enum status status;
	uint64_t next_address = 0;

	world_init(&w, options, trace, size);
	assert_int_equal(decoder_open(&w.snapshot, &w.source, &w.buffer, &opened, &diags, &decoder),
	                 STATUS_OK);
	assert_int_equal(diags.count, 0);
	while ((status = decoder_next(decoder, &element)) == STATUS_OK) {
		element_format_text(&element, &out);
		text_char(&out, '\n');
	}
	assert_int_equal(status, STATUS_END);
	assert_string_equal(out.data, expected);
	assert_int_equal(decoder_next_address(decoder, &next_address), expected_next != 0);
	if (expected_next != 0)
		assert_int_equal(next_address, expected_next);
	decoder_destroy(decoder);
	memmap_destroy(w.core.memory);
	diag_list_fini(&diags);
	text_fini(&out);
}

#define ASSERT(options, trace, next, expected)                                                     \
	assert_elements(options, trace, sizeof(trace) - 1, expected, next)

static void source_address_is_a_range_up_to_the_branch(void **state)
{
	(void)state;
	/* bl at 100c, the cbz before it was not taken; then 1100. */
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) "\xb4\x03" E, 0,
	       BEGIN RANGE(25, 1000, 1010, 4, "E BR  b+link ")
	               RANGE(27, 1100, 1108, 2, "E iBR A64:ret ") END(27));
}

static void source_address_split_is_a_range_for_each_branch_not_taken(void **state)
{
	(void)state;
	ASSERT(SPLIT, SYNC ON AT(A_1000) "\xb4\x03" E, 0,
	       BEGIN RANGE(25, 1000, 1008, 2, "N BR   <cond>")
	               RANGE(25, 1008, 1010, 2, "E BR  b+link ")
	                       RANGE(27, 1100, 1108, 2, "E iBR A64:ret ") END(27));
}

static void source_address_of_the_next_instruction_is_a_range_of_one(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1010) SOURCE(A_1010), 0x1000,
	       BEGIN RANGE(25, 1010, 1014, 1, "E BR   <cond>") END(25));
	ASSERT(SPLIT, SYNC ON AT(A_1010) SOURCE(A_1010), 0x1000,
	       BEGIN RANGE(25, 1010, 1014, 1, "E BR   <cond>") END(25));
}

/* How the core came there is not in the trace. */
static void source_address_before_the_current_one_is_a_range_of_one(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) SOURCE(A_1010), 0x1000,
	       BEGIN RANGE(25, 1010, 1014, 1, "E BR   <cond>") END(25));
}

static void source_address_after_an_indirect_branch_needs_no_address(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) E SOURCE(A_1010) N, 0x1008,
	       BEGIN RANGE(25, 1018, 101c, 1, "E iBR A64:eret ") LINE(25, "EXCEPTION_RET()")
	               RANGE(26, 1010, 1014, 1, "E BR   <cond>")
	                       RANGE(35, 1000, 1008, 2, "N BR   <cond>") END(35));
}

/* bl at 100c, ret at 1104 to 1010, from there to the branch at 1014. */
static void source_address_after_a_return_begins_where_the_return_stack_says(void **state)
{
	(void)state;
	ASSERT(RETURN_STACK, SYNC ON AT(A_1000) "\xb4\x03\xb4\x41\xb4\x05", 0x1000,
	       BEGIN RANGE(25, 1000, 1010, 4, "E BR  b+link ")
	               RANGE(27, 1100, 1108, 2, "E iBR A64:ret ") RANGE(29, 1010, 1018, 2, "E BR  ")
	                       END(29));
}

/* For a history: through the BL at 100c execution cannot have come, nor back. */
static void source_address_that_the_code_does_not_lead_to_is_not_reached(void **state)
{
	(void)state;
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1000) SOURCE("\x03\x08"), 0x1100,
	       BEGIN RANGE(25, 1000, 1010, 4, "E BR  b+link ") END(25));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1000) SOURCE("\x05\x08"), 0x1000,
	       BEGIN RANGE(25, 1000, 100c, 3, "E --- ")
	               LINE(25, "I_RANGE_NOPATH(first 0x100c:[next 0x1014] num_i(0) )")
	                       RANGE(25, 1014, 1018, 1, "E BR  ") END(25));
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) SOURCE(A_1010), 0x1000,
	       BEGIN LINE(25, "I_RANGE_NOPATH(first 0x1018:[next 0x1010] num_i(0) )")
	               RANGE(25, 1010, 1014, 1, "E BR   <cond>") END(25));
	/* From wherever the ERET led. */
	ASSERT(KEEPS_TO_CODE, SYNC ON AT(A_1018) SOURCE(A_1018) SOURCE(A_1010), 0x1000,
	       BEGIN RANGE(25, 1018, 101c, 1, "E iBR A64:eret ")
	               LINE(34, "I_RANGE_NOPATH(first 0x101c:[next 0x1010] num_i(0) )")
	                       RANGE(34, 1010, 1014, 1, "E BR   <cond>") END(34));
}

static void source_address_without_memory_is_no_access(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) "\xb4\x82\x20" E, 0x1000,
	       BEGIN LINE(25, "ADDR_NACC( 0x4008; Memspace [0x2:EL1N] )")
	               RANGE(28, 1000, 1008, 2, "E BR   <cond>") END(28));
}

/* Between the current address and the source address there is a hole. */
static void source_address_after_a_hole_is_no_access_when_split(void **state)
{
	(void)state;
	ASSERT(SPLIT, SYNC ON AT("\x00\x00") SOURCE(A_1010), 0x1000,
	       BEGIN LINE(25, "ADDR_NACC( 0x1010; Memspace [0x2:EL1N] )")
	               RANGE(25, 1010, 1014, 1, "E BR   <cond>") END(25));
}

static void source_address_in_doubt_can_be_cancelled(void **state)
{
	(void)state;
	/* The second one is cancelled, the first one committed. */
	ASSERT(SPECULATION, SYNC ON AT(A_1010) SOURCE(A_1010) "\xb4\x03\x2e\x01\x2d\x01", 0x1000,
	       BEGIN RANGE(25, 1010, 1014, 1, "E BR   <cond>") END(38));
}

static void source_address_in_doubt_at_the_end_is_no_range(void **state)
{
	(void)state;
	ASSERT(SPECULATION, SYNC ON AT(A_1010) SOURCE(A_1010), 0, NO_SYNC(0) END(25));
}

static void transaction_start_is_a_p0_element(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_101C) E "\x0a" E, 0,
	       BEGIN RANGE(25, 101c, 1020, 1, "E TSTART") LINE(26, "MEMTRANS(Start)")
	               RANGE(27, 1020, 1108, 58, "E iBR A64:ret ") END(27));
}

static void transaction_start_that_is_no_p0_element_waits_for_one(void **state)
{
	(void)state;
	ASSERT(PLAIN_TRANSACTIONS, SYNC ON AT(A_101C) E "\x0a", 0x1020,
	       BEGIN RANGE(25, 101c, 1020, 1, "E TSTART") END(26));
}

static void transaction_outcome_is_told_at_the_end(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_101C) E "\x0b\x06\x30\x00", 0x1020,
	       BEGIN RANGE(25, 101c, 1020, 1, "E TSTART") LINE(26, "MEMTRANS(Commit)")
	               LINE(27, "MEMTRANS(Fail)") END(27));
	ASSERT(SPECULATION, SYNC ON AT(A_101C) E "\x0b", 0, NO_SYNC(0) END(26));
}

static void trace_that_begins_in_a_transaction_says_so(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x01\x40" ON AT(A_1000) N, 0x1008,
	       NO_SYNC(0) LINE(12, "MEMTRANS(Init)") LINE(15, "TRACE_ON( [begin or filter])")
	               LINE(16, "PE_CONTEXT((ISA=A64) EL1N; 64-bit; )")
	                       RANGE(26, 1000, 1008, 2, "N BR   <cond>") END(26));
}

static void reset_is_an_exception_without_address(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) N "\x06\x00\x00" E GO(A_1010) E, 0x1000,
	       BEGIN RANGE(25, 1000, 1008, 2, "N BR   <cond>")
	               LINE(26, "EXCEPTION(excep num (0x00) )")
	                       RANGE(39, 1010, 1014, 1, "E BR   <cond>") END(39));
}

static void instrumentation_is_told_even_if_discarded(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC "\x09\x01\xef\xbe\xad\xde\0\0\0\0\x00\x03", 0,
	       NO_SYNC(0) LINE(14, "INSTRUMENTATION(EL1; 0x00000000deadbeef)")
	               LINE(24, "NO_SYNC( [discard])") END(24));
	ASSERT(NO_OPTIONS, SYNC "\x09\x01\xef\xbe\xad\xde\0\0\0\0", 0,
	       NO_SYNC(0) LINE(14, "INSTRUMENTATION(EL1; 0x00000000deadbeef)") END(14));
}

static void timestamp_before_the_first_marker_is_not_told(void **state)
{
	(void)state;
	ASSERT(MARKERS, SYNC "\x02\x05\x88\x02\x06", 0,
	       NO_SYNC(0) LINE(16, "SYNC_MARKER( [Timestamp marker(0x00000000)])")
	               LINE(17, "TIMESTAMP( [ TS=0x000000000006]; )") END(17));
	ASSERT(NO_OPTIONS, SYNC "\x02\x05", 0,
	       NO_SYNC(0) LINE(14, "TIMESTAMP( [ TS=0x000000000005]; )") END(14));
	/* What was lost with the synchronisation may have been another trace's marker. */
	ASSERT(MARKERS, SYNC ON AT(A_1000) "\x88\x02\x05" E "\x07" SYNC "\x02\x06\x88\x02\x07", 0,
	       BEGIN LINE(25, "SYNC_MARKER( [Timestamp marker(0x00000000)])")
	               LINE(26, "TIMESTAMP( [ TS=0x000000000005]; )") RANGE(28, 1000, 1008, 2,
	                                                                    "E BR   <cond>") BAD(30)
	                       LINE(46, "SYNC_MARKER( [Timestamp marker(0x00000000)])")
	                               LINE(47, "TIMESTAMP( [ TS=0x000000000007]; )") END(47));
}

static void event_before_the_trace_info_is_told(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, "\0\0\0\0\0\0\0\0\0\0\0\x80\x71", 0,
	       NO_SYNC(0) LINE(12, "EVENT( Numbered:1; )") END(12));
}

static void exception_return_packet_is_bad(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON "\x07\x04", 0, NO_SYNC(0) BAD(16) END(16));
}

static void architecture_other_than_ete_is_unsupported(void **state)
{
	struct decoder_options options = {0};
	struct diag_list diags = {0};
	struct decoder *decoder;
	struct world w;

	(void)state;
	world_init(&w, NO_OPTIONS, SYNC, sizeof(SYNC) - 1);
	put_register(&w, 5, "TRCDEVARCH", 0x47724a13);
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_UNSUPPORTED);
	assert_int_equal(diags.errors, 1);
	memmap_destroy(w.core.memory);
	diag_list_fini(&diags);
}

/* Then it is ETE 1.0, and the user is told. */
static void architecture_not_given_is_a_warning(void **state)
{
	struct decoder_options options = {0};
	struct diag_list diags = {0};
	struct decoder *decoder;
	struct world w;

	(void)state;
	world_init(&w, NO_OPTIONS, SYNC, sizeof(SYNC) - 1);
	w.source_device.register_count = REGISTER_COUNT - 1;
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_OK);
	assert_int_equal(diags.errors, 0);
	assert_int_equal(diags.count, 1);
	decoder_destroy(decoder);
	memmap_destroy(w.core.memory);
	diag_list_fini(&diags);
}

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return *seed >> 8;
}

/* At most one range an instruction of the program comes of a byte, and a few elements beside. */
static void assert_ends(unsigned int options, const uint8_t *trace, size_t size)
{
	struct decoder_options opened = {.packets = true, .splits_sources = (options & SPLIT) != 0};
	struct diag_list diags = {0};
	struct decoder *decoder;
	struct element element;
	struct world w;
	size_t count = 0;

	world_init(&w, options, trace, size);
	assert_int_equal(decoder_open(&w.snapshot, &w.source, &w.buffer, &opened, &diags, &decoder),
	                 STATUS_OK);
	while (decoder_next(decoder, &element) == STATUS_OK)
		count++;
	assert_true(count < size * (CODE_SIZE / 4 + 30));
	assert_int_equal(decoder_position(decoder), size);
	decoder_destroy(decoder);
	memmap_destroy(w.core.memory);
	diag_list_fini(&diags);
}

static void random_and_damaged_bytes_end(void **state)
{
	enum { ROUNDS = 1500, SIZE = 300 };
	static const char good[] = AT(A_1000) "\xb4\x03" E "\x0a" SOURCE(A_1010) N
	        "\x06\x30\x00"
	        "\x95\x06" E "\x09\x01\x01\x02\x03\x04\x05\x06\x07\x08" GO(A_101C) E
	        "\x0b\xb1"
	        "\x06\x00\x00\x88\x02\x05\x2d\x01\x2e\x01" SYNC ON;
	uint8_t data[SIZE];
	uint32_t seed = 11;

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int damage = round % 3 == 0 ? SIZE : random_next(&seed) % 12;

		for (size_t i = 0; i < SIZE; i++)
			data[i] = (uint8_t)good[i % (sizeof(good) - 1)];
		for (unsigned int i = 0; i < damage; i++)
			data[random_next(&seed) % SIZE] = (uint8_t)random_next(&seed);
		memcpy(data, SYNC, sizeof(SYNC) - 1);
		assert_ends(round & 31, data, SIZE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_header_has_one_meaning_or_is_reserved),
	        cmocka_unit_test(header_of_ete_is_reserved_before_its_version),
	        cmocka_unit_test(packet_gives_its_fields),
	        cmocka_unit_test(packet_prefix_is_truncated_and_changes_nothing),
	        cmocka_unit_test(source_address_and_address_refer_to_each_other),
	        cmocka_unit_test(exception_of_etm4_with_type_zero_has_no_third_byte),
	        cmocka_unit_test(source_address_is_a_range_up_to_the_branch),
	        cmocka_unit_test(source_address_split_is_a_range_for_each_branch_not_taken),
	        cmocka_unit_test(source_address_of_the_next_instruction_is_a_range_of_one),
	        cmocka_unit_test(source_address_before_the_current_one_is_a_range_of_one),
	        cmocka_unit_test(source_address_after_an_indirect_branch_needs_no_address),
	        cmocka_unit_test(source_address_after_a_return_begins_where_the_return_stack_says),
	        cmocka_unit_test(source_address_that_the_code_does_not_lead_to_is_not_reached),
	        cmocka_unit_test(source_address_without_memory_is_no_access),
	        cmocka_unit_test(source_address_after_a_hole_is_no_access_when_split),
	        cmocka_unit_test(source_address_in_doubt_can_be_cancelled),
	        cmocka_unit_test(source_address_in_doubt_at_the_end_is_no_range),
	        cmocka_unit_test(transaction_start_is_a_p0_element),
	        cmocka_unit_test(transaction_start_that_is_no_p0_element_waits_for_one),
	        cmocka_unit_test(transaction_outcome_is_told_at_the_end),
	        cmocka_unit_test(trace_that_begins_in_a_transaction_says_so),
	        cmocka_unit_test(reset_is_an_exception_without_address),
	        cmocka_unit_test(instrumentation_is_told_even_if_discarded),
	        cmocka_unit_test(timestamp_before_the_first_marker_is_not_told),
	        cmocka_unit_test(event_before_the_trace_info_is_told),
	        cmocka_unit_test(exception_return_packet_is_bad),
	        cmocka_unit_test(architecture_other_than_ete_is_unsupported),
	        cmocka_unit_test(architecture_not_given_is_a_warning),
	        cmocka_unit_test(random_and_damaged_bytes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
