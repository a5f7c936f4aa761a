/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ETMv4 with a small program, whose traces are bytes made by hand; from decoder_open() on.
 * Included once a test program.
 */
#ifndef CSREPLAY_TESTS_DECODER_ETM4_WORLD_H
#define CSREPLAY_TESTS_DECODER_ETM4_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"
#include "decoder/listing.h"

/*
 * The program:
 *	1000  nop
 *	1004  b 1010
 *	1010  bl 1100
 *	1014  cbz x0, 1000
 *	1018  br x1
 *	101c  eret
 *	1100  nop
 *	1104  ret
 * and for an M profile, in T32:
 *	1040  bx lr
 *	1042  nop
 *	1044  nop
 *	1046  ldm.w r0, {r1, r2}
 *	104a  nop
 */
enum { CODE = 0x1000, CODE_SIZE = 0x110 };

#define NOP  0xd503201fU
#define SYNC "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x00"
#define ON   "\x04"
/* Address, EL1, non-secure, 64 bits. */
#define AT(low)     "\x85" low "\0\0\0\0\0\0\x31"
#define AT_EL0(low) "\x85" low "\0\0\0\0\0\0\x30"
/* 0x1000, 0x1010, 0x1014, 0x1100: seven bits from bit 2 on, seven from bit 9 on. */
#define A_1000  "\x00\x08"
#define A_1010  "\x04\x08"
#define A_1014  "\x05\x08"
#define A_1018  "\x06\x08"
#define A_1100  "\x40\x08"
#define GO(low) "\x9d" low "\0\0\0\0\0\0"
#define E       "\xf7"
#define N       "\xf6"

#define NO_SYNC(index)  "Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])\n"
#define TRACE_ON(index) "Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_TRACE_ON( [begin or filter])\n"
#define CONTEXT(index)                                                                             \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A64) EL1N; 64-bit; )\n"
#define CONTEXT_EL0(index)                                                                         \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A64) EL0N; 64-bit; )\n"
#define RANGE(index, from, to, count, rest)                                                        \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x" #from ":[0x" #to      \
	"] num_i(" #count ") last_sz(4) (ISA=A64) " rest ")\n"
#define GO_T32_1040 "\x9b\x20\x10\0\0"
#define CONTEXT_T32(index)                                                                         \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=T32) EL0N; 32-bit; )\n"
#define RANGE_T32(index, from, to)                                                                 \
	"Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x" #from ":[0x" #to      \
	"] num_i(1) last_sz(2) (ISA=T32) E iBR V7:impl ret)\n"
#define END(index) "Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_EO_TRACE( [end-of-trace])\n"

enum {
	NO_OPTIONS = 0,
	RETURN_STACK = 1,
	SPECULATION = 2, /* four P0 elements may be in doubt */
	CYCLES = 4,
	Q_ELEMENTS = 8,
	FRAMES = 16,
	M_PROFILE = 32,
	KEEPS_TO_CODE = 64, /* as a history wants it */
};

struct world {
	uint8_t code[CODE_SIZE];
	uint8_t values[6][4];
	struct snap_register registers[6];
	struct snap_device core_device;
	struct snap_device source_device;
	struct snap_core core;
	struct snap_source source;
	struct snap_buffer buffer;
	size_t buffers[1];
	struct snapshot snapshot;
	bool keeps_to_code;
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
	uint32_t config = 1;

	config |= options & RETURN_STACK ? 1U << 12 : 0;
	config |= options & CYCLES ? 1U << 4 : 0;
	put_register(w, 0, "TRCCONFIGR", config);
	put_register(w, 1, "TRCTRACEIDR", 0x10);
	put_register(w, 2, "TRCIDR0", 0x80 | (options & Q_ELEMENTS ? 0x18000 : 0));
	put_register(w, 3, "TRCIDR1", 0x00000440);
	put_register(w, 4, "TRCIDR2", 0x00000488);
	put_register(w, 5, "TRCIDR8", options & SPECULATION ? 4 : 0);
}

static void world_init(struct world *w, unsigned int options, const void *trace, size_t size)
{
	struct mem_region region = {
	        .address = CODE, .length = CODE_SIZE, .space = SPACE_ANY, .data = w->code};

	memset(w, 0, sizeof(*w));
	for (uint64_t address = CODE; address < CODE + CODE_SIZE; address += 4)
		put_opcode(w, address, NOP);
	put_opcode(w, 0x1004, 0x14000003);
	put_opcode(w, 0x1010, 0x9400003c);
	put_opcode(w, 0x1014, 0xb4ffff60);
	put_opcode(w, 0x1018, 0xd61f0020);
	put_opcode(w, 0x101c, 0xd69f03e0);
	put_opcode(w, 0x1104, 0xd65f03c0);
	put_opcode(w, 0x1040, 0x46c04770);
	put_opcode(w, 0x1044, 0xe89046c0);
	put_opcode(w, 0x1048, 0x46c00006);
	put_registers(w, options);
	w->core.memory = memmap_create();
	assert_non_null(w->core.memory);
	assert_int_equal(memmap_add(w->core.memory, &region), STATUS_OK);
	assert_int_equal(memmap_freeze(w->core.memory), STATUS_OK);
	w->core_device = (struct snap_device){.name = STR("cpu"), .type = STR("Cortex-A53")};
	if (options & M_PROFILE) {
		w->core_device.type = STR("Cortex-M55");
		w->core.arch = CORE_M;
	}
	w->core.device = &w->core_device;
	w->source_device = (struct snap_device){.name = STR("ETM"),
	                                        .type = STR("ETM4"),
	                                        .registers = w->registers,
	                                        .register_count = 6};
	w->source = (struct snap_source){.device = &w->source_device,
	                                 .protocol = PROTOCOL_ETM4,
	                                 .core = &w->core,
	                                 .buffers = w->buffers,
	                                 .buffer_count = 1};
	w->buffer = (struct snap_buffer){.name = STR("B"),
	                                 .format = options & FRAMES ? BUFFER_CORESIGHT
	                                                            : BUFFER_SOURCE_DATA,
	                                 .format_name = STR("source_data"),
	                                 .data = bytes_of(trace, size)};
	w->snapshot = (struct snapshot){
	        .sources = &w->source, .source_count = 1, .buffers = &w->buffer, .buffer_count = 1};
}

static void world_fini(struct world *w)
{
	memmap_destroy(w->core.memory);
}

static struct decoder *open_decoder(struct world *w, bool packets)
{
	struct decoder_options options = {.packets = packets, .keeps_to_code = w->keeps_to_code};
	struct diag_list diags = {0};
	struct decoder *decoder;

	assert_int_equal(
	        decoder_open(&w->snapshot, &w->source, &w->buffer, &options, &diags, &decoder),
	        STATUS_OK);
	assert_int_equal(diags.errors, 0);
	diag_list_fini(&diags);
	return decoder;
}

/* Decodes to the end. The address after the last element goes to `*next`, 0 if unknown. */
static void run(unsigned int options, const void *trace, size_t size, struct text *out,
                uint64_t *next)
{
	struct world w;
	struct decoder *decoder;
	struct element element;
	enum status status;

	world_init(&w, options, trace, size);
	w.keeps_to_code = (options & KEEPS_TO_CODE) != 0;
	decoder = open_decoder(&w, false);
	while ((status = decoder_next(decoder, &element)) == STATUS_OK) {
		element_format_text(&element, out);
		text_char(out, '\n');
	}
	assert_int_equal(status, STATUS_END);
	assert_int_equal(decoder_next(decoder, &element), STATUS_END);
	assert_int_equal(decoder_position(decoder), size);
	if (!decoder_next_address(decoder, next))
		*next = 0;
	decoder_destroy(decoder);
	world_fini(&w);
}

static void assert_elements(unsigned int options, const char *trace, size_t size,
                            const char *expected, uint64_t expected_next)
{
	struct text out = {0};
	uint64_t next = 0;

	run(options, trace, size, &out, &next);
	assert_string_equal(out.data, expected);
	assert_int_equal(next, expected_next);
	text_fini(&out);
}

#define ASSERT(options, trace, next, expected)                                                     \
	assert_elements(options, trace, sizeof(trace) - 1, expected, next)

#endif
