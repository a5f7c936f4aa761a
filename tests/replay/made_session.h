/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session on elements made by hand: this file stands in for the decoder (decoder_open() and its
 * kin), so that every gap and event can be put where it is wanted. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_REPLAY_MADE_SESSION_H
#define CSREPLAY_TESTS_REPLAY_MADE_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"
#include "replay/session.h"
#include "replay/state.h"

/* The elements that the decoder of this test yields, and where it says execution stands after. */
static struct {
	const struct element *elements;
	size_t count;
	size_t next;
	bool has_next_address;
	uint64_t next_address;
	bool has_no_pc; /* the snapshot lacks the halt PC */
} script;

enum status decoder_open(const struct snapshot *snapshot, const struct snap_source *source,
                         const struct snap_buffer *buffer, const struct decoder_options *options,
                         struct diag_list *diags, struct decoder **decoder)
{
	(void)snapshot;
	(void)source;
	(void)buffer;
	(void)options;
	(void)diags;
	script.next = 0;
	/* Any object will do: nobody looks into it. */
	*decoder = (struct decoder *)(void *)&script;
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	(void)decoder;
}

enum status decoder_pull(struct decoder *decoder, struct decoded *decoded)
{
	(void)decoder;
	if (script.next == script.count)
		return STATUS_END;
	*decoded = (struct decoded){.is_drained = true, .element = script.elements[script.next++]};
	return STATUS_OK;
}

struct trace_ids decoder_seen_ids(const struct decoder *decoder)
{
	(void)decoder;
	return (struct trace_ids){.is_known = false};
}

bool decoder_broken_at(const struct decoder *decoder, uint64_t *offset)
{
	(void)decoder;
	(void)offset;
	return false;
}

bool decoder_can_begin_at(const struct snap_source *source, const struct snap_buffer *buffer)
{
	(void)source;
	(void)buffer;
	return false;
}

void decoder_limit(struct decoder *decoder, uint64_t end)
{
	(void)decoder;
	(void)end;
}

uint64_t decoder_joint_sync(const struct decoder *decoder)
{
	(void)decoder;
	return 0;
}

enum status decoder_describe_joint(const struct decoder *decoder, struct text *out)
{
	(void)decoder;
	(void)out;
	return STATUS_OK;
}

uint64_t decoder_position(const struct decoder *decoder)
{
	(void)decoder;
	return script.next;
}

bool decoder_next_address(const struct decoder *decoder, uint64_t *address)
{
	(void)decoder;
	*address = script.next_address;
	return script.has_next_address;
}

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

static void open_fixture(struct fixture *f, const struct element *elements, size_t count)
{
	const struct history_options options = {0};
	struct diag_list diags = {0};

	memset(f, 0, sizeof(*f));
	script.elements = elements;
	script.count = count;
	f->registers[0] = (struct snap_register){.name = STR("PC"), .bits = 64, .value = pc_value};
	if (script.has_no_pc)
		f->registers[0].name = STR("X9");
	f->registers[1] = (struct snap_register){.name = STR("X1"), .bits = 64, .value = x1_value};
	f->registers[2] = (struct snap_register){.name = STR("SP"), .bits = 32, .value = sp_value};
	f->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .class = DEVICE_CORE,
	                                 .registers = f->registers,
	                                 .register_count = 3};
	f->source.buffers = f->buffers;
	f->source.buffer_count = 1;
	f->sources[0] = &f->source;
	f->core = (struct snap_core){.device = &f->device,
	                             .memory = memmap_create(),
	                             .sources = f->sources,
	                             .source_count = 1};
	add_region(f->core.memory, 0x1000, code, sizeof(code), false);
	add_region(f->core.memory, 0x2000, t32_code, sizeof(t32_code), false);
	add_region(f->core.memory, 0x3010, a32_code, sizeof(a32_code), false);
	add_region(f->core.memory, 0x8000, data, sizeof(data), false);
	add_region(f->core.memory, 0x9000, constants, sizeof(constants), true);
	assert_int_equal(memmap_freeze(f->core.memory), STATUS_OK);
	f->snapshot.cores = &f->core;
	f->snapshot.core_count = 1;
	f->snapshot.buffers = &f->buffer;
	f->snapshot.buffer_count = 1;
	assert_int_equal(session_open(&f->snapshot, &options, &diags, &f->session), STATUS_OK);
	assert_int_equal(diags.count, 0);
	f->history = session_history(f->session, 0);
}

static void close_fixture(struct fixture *f)
{
	session_destroy(f->session);
	memmap_destroy(f->core.memory);
	script.has_next_address = false;
	script.has_no_pc = false;
}

static void leads_to(uint64_t address)
{
	script.has_next_address = true;
	script.next_address = address;
}

/* A run of another instruction set than A64; `size` is the last instruction's. */
static struct element run_of(enum isa isa, uint64_t start, uint32_t count, uint64_t end,
                             uint8_t size)
{
	struct element e = range(start, count, INSN_BRANCH, true);

	e.isa = isa;
	e.range.end = end;
	e.range.last_size = size;
	return e;
}

#endif
