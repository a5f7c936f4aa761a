/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world for traces of ETMv3 and PTM: a core with a little A32 and T32 program, a source with
 * the registers that the test sets, a buffer with its bytes. Out: the listing of its elements.
 *
 * The program:
 *	1000  nop
 *	1004  b 1010
 *	1010  bl 1100
 *	1014  beq 1000
 *	1018  bx lr
 *	101c  blx 1180
 *	1020  dmb sy
 *	1024  bx r1
 *	1100  nop
 *	1104  bx lr
 *	1180  nop		T32 from here on
 *	1182  b 1180
 *	1184  bx lr
 *
 * Where a test asks for two address spaces, or for a change, the other one has the same but for
 *	1000  b 1014
 *	1010  b 1000
 */
#ifndef CSREPLAY_TESTS_ETM3_WORLD_H
#define CSREPLAY_TESTS_ETM3_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"
#include "snapshot/system_log.h"

/* Packets of both protocols: A-Sync, and branch addresses without exception in Arm state. */
#define ASYNC   "\0\0\0\0\0\x80"
#define TO_1014 "\x8b\x10"
#define TO_5000 "\x81\xd0\x00"

enum { CODE = 0x1000, CODE_SIZE = 0x188, REGISTERS = 4 };

/* Values of the source's registers. */
struct setup {
	enum protocol protocol;
	uint32_t cr;
	uint32_t ccer;
	uint32_t idr;
	enum core_arch arch;
};

/* The next worlds' decoders are as a history wants them. */
static bool keeps_to_code;

/* Whose the program of the next worlds is, and whose the other one; NULL: everybody's. */
struct owner {
	enum space space;
	struct memory_context context;
};
static const struct owner *owners;

/* The other program takes the place of the first one at time 0x50; or there is none. */
static bool changes_in_time;
static const uint64_t change_time = 0x50;
static const struct system_log change = {
        .processes = {.times = &change_time, .states = 2, .has_times = true}};

/* A log that says whose the program is: owner 0's. NULL: there is none. */
static const struct system_log *declared;
/* What of the program was written while it was traced; or NULL. */
static const struct code_past *written;

struct world {
	uint8_t code[CODE_SIZE];
	uint8_t other[CODE_SIZE];
	uint8_t values[REGISTERS][4];
	struct snap_register registers[REGISTERS];
	struct snap_device core_device;
	struct snap_device source_device;
	struct snap_core core;
	struct snap_source source;
	struct snap_buffer buffer;
	size_t buffers[1];
	struct snapshot snapshot;
	struct memmap *sure; /* where code changes: the memory as a history reads it */
	struct diag_list diags;
};

static void put_bytes(uint8_t *at, uint32_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static void put_code(struct world *w)
{
	static const struct {
		uint32_t address;
		uint32_t opcode;
		unsigned int size;
	} opcodes[] = {
	        {0x1004, 0xea000001, 4}, {0x1010, 0xeb00003a, 4}, {0x1014, 0x0afffff9, 4},
	        {0x1018, 0xe12fff1e, 4}, {0x101c, 0xfa000057, 4}, {0x1020, 0xf57ff05f, 4},
	        {0x1024, 0xe12fff11, 4}, {0x1104, 0xe12fff1e, 4}, {0x1180, 0xbf00, 2},
	        {0x1182, 0xe7fd, 2},     {0x1184, 0x4770, 2},     {0x1186, 0xf000, 2},
	};

	for (unsigned int i = 0; i < CODE_SIZE; i += 4)
		put_bytes(w->code + i, 0xe1a00000, 4);
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		put_bytes(w->code + opcodes[i].address - CODE, opcodes[i].opcode, opcodes[i].size);
}

static void put_memory(struct world *w)
{
	const uint8_t *codes[] = {w->code, w->other};

	put_code(w);
	memcpy(w->other, w->code, CODE_SIZE);
	put_bytes(w->other, 0xea000003, 4);
	put_bytes(w->other + 0x10, 0xeafffffa, 4);
	w->core.memory = memmap_create();
	assert_non_null(w->core.memory);
	if (changes_in_time)
		memmap_set_log(w->core.memory, &change);
	if (declared)
		memmap_set_log(w->core.memory, declared);
	for (size_t i = 0; i < (owners || changes_in_time ? 2 : 1); i++) {
		struct mem_region region = {.address = CODE,
		                            .length = CODE_SIZE,
		                            .space = owners ? owners[i].space : SPACE_ANY,
		                            .data = codes[i]};

		if (owners)
			region.context = owners[i].context;
		if (declared)
			region.context = (struct memory_context){.has_id = true, .id = 0};
		if (changes_in_time)
			region.states = (struct state_range){(uint32_t)i, (uint32_t)i + 1};
		assert_int_equal(memmap_add(w->core.memory, &region), STATUS_OK);
	}
	assert_int_equal(memmap_freeze(w->core.memory), STATUS_OK);
	w->sure = changes_in_time || declared || written ? memmap_share(w->core.memory, MEMMAP_SURE)
	                                                 : NULL;
	if (written)
		memmap_set_past(w->sure, written);
}

static void world_init(struct world *w, const struct setup *setup, const void *trace, size_t size)
{
	static const char *const names[REGISTERS] = {"ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR"};
	const uint32_t values[REGISTERS] = {setup->cr, setup->ccer, setup->idr, 0x10};

	memset(w, 0, sizeof(*w));
	put_memory(w);
	for (size_t i = 0; i < REGISTERS; i++) {
		put_bytes(w->values[i], values[i], 4);
		w->registers[i] = (struct snap_register){
		        .name = str_of(names[i]), .bits = 32, .value = w->values[i]};
	}
	w->core_device = (struct snap_device){.name = STR("cpu"), .type = STR("Cortex-A7")};
	w->core.device = &w->core_device;
	w->core.arch = setup->arch;
	w->source_device = (struct snap_device){.name = STR("TRACE"),
	                                        .type = STR("trace"),
	                                        .registers = w->registers,
	                                        .register_count = REGISTERS};
	w->source = (struct snap_source){.device = &w->source_device,
	                                 .protocol = setup->protocol,
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

static void world_fini(struct world *w)
{
	memmap_destroy(w->sure);
	memmap_destroy(w->core.memory);
	diag_list_fini(&w->diags);
}

static enum status world_open(struct world *w, bool packets, struct decoder **decoder)
{
	struct decoder_options options = {
	        .packets = packets, .keeps_to_code = keeps_to_code, .memory = w->sure};

	return decoder_open(&w->snapshot, &w->source, &w->buffer, &options, &w->diags, decoder);
}

/* The elements of the trace, a line each, without "Idx:N; ID:10; OCSD_GEN_TRC_ELEM_" but "N ". */
static void world_list(struct world *w, struct text *out, bool *has_next, uint64_t *next)
{
	static const char name[] = "OCSD_GEN_TRC_ELEM_";
	struct text line = {0};
	struct decoder *decoder;
	struct element element;
	enum status status;

	assert_int_equal(world_open(w, false, &decoder), STATUS_OK);
	while ((status = decoder_next(decoder, &element)) == STATUS_OK) {
		const char *at;

		text_clear(&line);
		element_format_text(&element, &line);
		at = strstr(line.data, name);
		assert_non_null(at);
		text_printf(out, "%u %s\n", (unsigned int)element.offset, at + sizeof(name) - 1);
	}
	assert_int_equal(status, STATUS_END);
	*has_next = decoder_next_address(decoder, next);
	decoder_destroy(decoder);
	text_fini(&line);
}

#define NOWHERE UINT64_MAX

/* The trace has exactly these elements, and after them execution stands at `next`. */
static void assert_trace(const struct setup *setup, const char *trace, size_t size, uint64_t next,
                         const char *expected)
{
	struct text found = {0};
	uint64_t address = 0;
	bool has_next = false;
	struct world w;

	world_init(&w, setup, trace, size);
	world_list(&w, &found, &has_next, &address);
	assert_string_equal(found.data, expected);
	assert_true(has_next == (next != NOWHERE));
	if (has_next)
		assert_int_equal(address, next);
	text_fini(&found);
	world_fini(&w);
}

#define BYTES(literal) "" literal, sizeof(literal) - 1

/* Two programs at one address, of two processes. */
static const struct owner processes[2] = {{SPACE_ANY, {.has_id = true, .id = 7}},
                                          {SPACE_ANY, {.has_id = true, .id = 8}}};
/* And of two worlds. */
static const struct owner security_states[2] = {{.space = SPACE_S}, {.space = SPACE_N}};

/* The same trace for a listing and for a history. */
static inline void assert_in_two_spaces(const struct owner *of, const struct setup *setup,
                                        const char *trace, size_t size, uint64_t next,
                                        const char *expected)
{
	owners = of;
	assert_trace(setup, trace, size, next, expected);
	keeps_to_code = true;
	assert_trace(setup, trace, size, next, expected);
	keeps_to_code = false;
	owners = NULL;
}

/* The same where one program takes the place of the other. */
static inline void assert_in_time(const struct setup *setup, const char *trace, size_t size,
                                  uint64_t next, const char *expected)
{
	changes_in_time = true;
	assert_trace(setup, trace, size, next, expected);
	keeps_to_code = true;
	assert_trace(setup, trace, size, next, expected);
	keeps_to_code = false;
	changes_in_time = false;
}

/*
 * The trace has a packet with the context ID and then instructions of process 7, which is thread
 * 0x1207 and has ASID 7. They are decoded if ID and form of CONTEXTIDR say that it is the process.
 */
static inline void assert_process_is_told(const struct setup *setup, enum contextidr_form form,
                                          const char *trace, size_t size, bool is_told)
{
	static uint64_t owner = 7;
	struct system_log log = {.form = form, .owners = &owner, .owner_count = 1};
	struct diag_list diags = {0};
	struct arena arena = {0};
	struct text found = {0};
	bool has_next;
	uint64_t next;
	struct world w;

	assert_int_equal(event_log_read(&arena, STR("log"),
	                                STR("declare_process(CURRENT, 7, 0x1000, a)\n"
	                                    "declare_thread(CURRENT, 0x1207, 7)\n"
	                                    "declare_asid(CURRENT, 7, 7)\n"),
	                                &diags, &log.events),
	                 STATUS_OK);
	assert_int_equal(diags.count, 0);
	assert_int_equal(process_log_make(&arena, &log.events, &log.processes), STATUS_OK);
	declared = &log;
	world_init(&w, setup, trace, size);
	world_list(&w, &found, &has_next, &next);
	declared = NULL;
	assert_true((strstr(found.data, "INSTR_RANGE") != NULL) == is_told);
	assert_true((strstr(found.data, "ADDR_NACC") == NULL) == is_told);
	world_fini(&w);
	text_fini(&found);
	arena_fini(&arena);
}

/* The same where the opcode at 0x1014 was written, and was 0xea000000 from a place of the trace on.
 */
static inline void assert_written(const struct setup *setup, const char *trace, size_t size,
                                  uint64_t place, uint64_t next, const char *expected)
{
	struct code_past past = {0};
	struct code_time *time;
	bool is_new = false;

	assert_int_equal(code_past_add(&past, 0x1014, 0x1017, &is_new), STATUS_OK);
	assert_int_equal(code_past_time(&past, place, &time), STATUS_OK);
	put_bytes(time->bytes, 0xea000000, 4);
	memset(time->known, CODE_KNOWN, 4);
	written = &past;
	assert_trace(setup, trace, size, next, expected);
	written = NULL;
	code_past_fini(&past);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Whatever the bytes, there is an end, and no more elements than atoms can make. */
static void assert_ends(const struct setup *setup, const uint8_t *trace, size_t size)
{
	size_t most = 64 * (size + 4);
	struct decoder *decoder;
	struct element element;
	size_t count = 0;
	struct world w;

	world_init(&w, setup, trace, size);
	assert_int_equal(world_open(&w, size & 1, &decoder), STATUS_OK);
	while (decoder_next(decoder, &element) == STATUS_OK)
		assert_true(++count < most);
	assert_int_equal(element.type, ELEMENT_EO_TRACE);
	assert_int_equal(decoder_position(decoder), size);
	decoder_destroy(decoder);
	world_fini(&w);
}

/* The trace with bytes changed, and with every cut. */
static inline void assert_damage_ends(const struct setup *setup, const char *trace, size_t size)
{
	uint8_t data[256];
	uint32_t random = 7;

	assert_true(size <= sizeof(data));
	for (size_t cut = 0; cut <= size; cut++) {
		memcpy(data, trace, size);
		assert_ends(setup, data, cut);
	}
	for (unsigned int round = 0; round < 2000; round++) {
		memcpy(data, trace, size);
		for (unsigned int i = 0; i < 1 + round % 4; i++)
			data[next_random(&random) % size] = (uint8_t)next_random(&random);
		assert_ends(setup, data, size);
	}
}

/* Opening without one of the registers names it. */
static inline void assert_registers_are_needed(const struct setup *setup)
{
	for (size_t i = 0; i < REGISTERS; i++) {
		struct text expected = {0};
		struct decoder *decoder;
		struct world w;

		world_init(&w, setup, NULL, 0);
		text_printf(
		        &expected,
		        "trace source \"TRACE\" has no register %.*s, which its trace cannot be "
		        "decoded without",
		        STR_ARG(w.registers[i].name));
		w.registers[i].name = STR("OTHER");
		assert_int_equal(world_open(&w, false, &decoder), STATUS_BAD_DATA);
		assert_null(decoder);
		assert_int_equal(w.diags.count, 1);
		assert_string_equal(w.diags.items[0].text, expected.data);
		text_fini(&expected);
		world_fini(&w);
	}
}

#endif
