/* SPDX-License-Identifier: Apache-2.0 */
/* A session on elements made by hand. Included once a test program. */
#ifndef CSREPLAY_TESTS_SESSION_MADE_SESSION_H
#define CSREPLAY_TESTS_SESSION_MADE_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/session/session.h"
#include "replay/session/state.h"
#include "tests/history/made_decoder.h"

/* A snapshot with one core: code at 0x1000 (NOPs and one branch), data at 0x8000. */
struct fixture {
	struct snapshot snapshot;
	struct snap_core core;
	struct snap_device device;
	struct snap_register registers[3];
	struct snap_source source;
	struct snap_source *sources[1];
	struct snap_buffer buffer;
	size_t buffers[1];
	struct session *session;
	const struct history *history;
};

static const uint8_t pc_value[8] = {0x08, 0x10};
static const uint8_t x1_value[8] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
static const uint8_t sp_value[4] = {0x00, 0x00, 0x00, 0x90};

static const uint8_t code[0x40] = {
        0x1f, 0x20, 0x03, 0xd5, /* 1000: nop */
        0x1f, 0x20, 0x03, 0xd5, /* 1004: nop */
        0x02, 0x00, 0x00, 0x14, /* 1008: b 1010 */
        0x00, 0x00, 0x00, 0x00, /* 100c */
        0x1f, 0x20, 0x03, 0xd5, /* 1010: nop */
        0xc0, 0x03, 0x5f, 0xd6, /* 1014: ret */
        0x40, 0x00, 0x00, 0xb4, /* 1018: cbz x0, 1020 */
};
static const uint8_t t32_code[] = {
        0x00, 0xbf,             /* 2000: nop */
        0xaf, 0xf3, 0x00, 0x80, /* 2002: nop.w */
        0x00, 0xbf,             /* 2006: nop */
        0x01, 0xf0, 0x02, 0xe8, /* 2008: blx 3010, A32 */
};
static const uint8_t a32_code[] = {
        0x00, 0xf0, 0x20, 0xe3, /* 3010: nop */
        0xf9, 0xfb, 0xff, 0xfa, /* 3014: blx 2000, T32 */
        0x01, 0x00, 0x00, 0xea, /* 3018: b 3024 */
        0x00, 0x00, 0x00, 0x0a, /* 301c: beq 3024 */
};
static const uint8_t data[16] = {0xde, 0xad};
static const uint8_t constants[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static struct element range(uint64_t start, uint32_t count, enum insn_class class, bool executed)
{
	struct element e = {.type = ELEMENT_INSTR_RANGE, .isa = ISA_A64};

	e.range.start = start;
	e.range.end = start + 4 * (uint64_t)count;
	e.range.count = count;
	e.range.last_size = 4;
	e.range.last_class = class;
	e.range.last_executed = executed;
	return e;
}

static void add_region(struct memmap *map, uint64_t address, const uint8_t *bytes, size_t size,
                       bool read_only)
{
	struct mem_region region = {.address = address,
	                            .length = size,
	                            .space = SPACE_ANY,
	                            .read_only = read_only,
	                            .data = bytes,
	                            .origin = STR("test")};

	assert_int_equal(memmap_add(map, &region), STATUS_OK);
}

/* A core without memory yet, of the fixture's device and architecture. */
static void begin_core(struct fixture *f)
{
	f->source.buffers = f->buffers;
	f->source.buffer_count = 1;
	f->sources[0] = &f->source;
	f->core = (struct snap_core){.device = &f->device,
	                             .memory = memmap_create(),
	                             .arch = f->core.arch,
	                             .sources = f->sources,
	                             .source_count = 1};
}

/* Its session, on these elements, when its memory is there; how many diagnostics there were. */
static size_t open_core(struct fixture *f, const struct element *elements, size_t count)
{
	const struct history_options options = {0};
	struct diag_list diags = {0};
	size_t diag_count;

	script.elements = elements;
	script.count = count;
	assert_int_equal(memmap_freeze(f->core.memory), STATUS_OK);
	f->snapshot.cores = &f->core;
	f->snapshot.core_count = 1;
	f->snapshot.buffers = &f->buffer;
	f->snapshot.buffer_count = 1;
	assert_int_equal(session_open(&f->snapshot, &options, &diags, &f->session), STATUS_OK);
	f->history = session_history(f->session, 0);
	diag_count = diags.count;
	diag_list_fini(&diags);
	return diag_count;
}

/* Its registers; the session looks them up when it is opened. */
static inline void make_registers(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->registers[0] = (struct snap_register){.name = STR("PC"), .bits = 64, .value = pc_value};
	if (script.has_no_pc)
		f->registers[0].name = STR("X9");
	f->registers[1] = (struct snap_register){.name = STR("X1"), .bits = 64, .value = x1_value};
	f->registers[2] = (struct snap_register){.name = STR("SP"), .bits = 32, .value = sp_value};
	f->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .class = DEVICE_CORE,
	                                 .registers = f->registers,
	                                 .register_count = 3};
}

static inline void open_made(struct fixture *f, const struct element *elements, size_t count)
{
	begin_core(f);
	add_region(f->core.memory, 0x1000, code, sizeof(code), false);
	add_region(f->core.memory, 0x2000, t32_code, sizeof(t32_code), false);
	add_region(f->core.memory, 0x3010, a32_code, sizeof(a32_code), false);
	add_region(f->core.memory, 0x8000, data, sizeof(data), false);
	add_region(f->core.memory, 0x9000, constants, sizeof(constants), true);
	assert_int_equal(open_core(f, elements, count), 0);
}

static inline void open_fixture(struct fixture *f, const struct element *elements, size_t count)
{
	make_registers(f);
	open_made(f, elements, count);
}

static inline void close_fixture(struct fixture *f)
{
	session_destroy(f->session);
	memmap_destroy(f->core.memory);
	script.has_next_address = false;
	script.has_no_pc = false;
}

/* A run of another instruction set than A64; `size` is the last instruction's. */
static inline struct element run_of(enum isa isa, uint64_t start, uint32_t count, uint64_t end,
                                    uint8_t size)
{
	struct element e = range(start, count, INSN_BRANCH, true);

	e.isa = isa;
	e.range.end = end;
	e.range.last_size = size;
	return e;
}

#endif
