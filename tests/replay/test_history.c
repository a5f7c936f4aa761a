/* SPDX-License-Identifier: Apache-2.0 */
/*
 * History, cursor, state and session on elements made by hand: this file stands in for the decoder
 * (decoder_open() and its kin), so that every gap and event can be put where it is wanted.
 */
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
	*decoder = NULL;
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	(void)decoder;
}

enum status decoder_next(struct decoder *decoder, struct element *element)
{
	(void)decoder;
	if (script.next == script.count)
		return STATUS_END;
	*element = script.elements[script.next++];
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
	struct diag_list diags = {0};

	memset(f, 0, sizeof(*f));
	script.elements = elements;
	script.count = count;
	f->registers[0] = (struct snap_register){.name = STR("PC"), .bits = 64, .value = pc_value};
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
	assert_int_equal(session_open(&f->snapshot, NULL, NULL, &diags, &f->session), STATUS_OK);
	assert_int_equal(diags.count, 0);
	f->history = session_history(f->session, 0);
}

static void close_fixture(struct fixture *f)
{
	session_destroy(f->session);
	memmap_destroy(f->core.memory);
	script.has_next_address = false;
}

static void leads_to(uint64_t address)
{
	script.has_next_address = true;
	script.next_address = address;
}

static const struct gap *only_gap(const struct fixture *f)
{
	size_t count;
	const struct gap *gaps = history_gaps(f->history, &count);

	assert_int_equal(count, 1);
	return gaps;
}

static void history_runs_give_instructions_by_position(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true),
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1000, 3, INSN_BRANCH, true),
	};
	const uint64_t pcs[] = {0x1000, 0x1004, 0x1008, 0x1010, 0x1014, 0x1000, 0x1004, 0x1008};
	struct instruction insn;
	struct fixture f;
	uint64_t pc;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(history_length(f.history), 8);
	assert_int_equal(history_run_count(f.history), 3);
	for (size_t i = 0; i < 8; i++) {
		history_at(f.history, i, &insn);
		assert_int_equal(insn.address, pcs[i]);
		assert_true(insn.has_opcode);
	}
	assert_int_equal(insn.opcode, 0x14000002);
	assert_int_equal(insn.class, INSN_BRANCH);
	assert_int_equal(history_pc(f.history, 8, &pc), STATUS_OK);
	assert_int_equal(pc, 0x1008);
	close_fixture(&f);
}

static void history_that_leads_to_halt_has_no_gap(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	(void)history_gaps(f.history, &count);
	assert_int_equal(count, 0);
	close_fixture(&f);
}

static void history_that_misses_halt_has_gap_at_end(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(0x2000);
	open_fixture(&f, elements, 1);
	assert_int_equal(only_gap(&f)->reason, GAP_HALT);
	assert_int_equal(only_gap(&f)->position, 2);
	assert_int_equal(only_gap(&f)->address, 0x1008);
	close_fixture(&f);
	leads_to(0);
	script.has_next_address = false;
	open_fixture(&f, elements, 1);
	assert_int_equal(only_gap(&f)->reason, GAP_HALT);
	close_fixture(&f);
}

static void history_range_elsewhere_is_misfit(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true), /* to 0x1010 */
	        range(0x1014, 1, INSN_BRANCH_INDIRECT, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 2);
	assert_int_equal(only_gap(&f)->reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f)->position, 3);
	close_fixture(&f);
}

/* Code that was patched after the dump was made: a RET that the trace says was not executed. */
static void history_branch_that_cannot_fall_through_is_misfit(void **state)
{
	const struct element not_returned[] = {
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, false),
	        range(0x1018, 1, INSN_OTHER, true),
	};
	const struct element not_branched[] = {
	        range(0x1000, 3, INSN_BRANCH, false), /* B at 0x1008 */
	        range(0x100c, 1, INSN_OTHER, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, not_returned, 2);
	assert_int_equal(only_gap(&f)->reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f)->position, 2);
	assert_int_equal(only_gap(&f)->address, 0x1014);
	close_fixture(&f);
	leads_to(0x1008);
	open_fixture(&f, not_branched, 2);
	assert_int_equal(only_gap(&f)->reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f)->position, 3);
	close_fixture(&f);
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

static void history_t32_and_a32_follow_each_other(void **state)
{
	const struct element elements[] = {
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	        run_of(ISA_A32, 0x3010, 2, 0x3018, 4),
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	};
	const uint32_t expected[][3] = {
	        {0x2000, 2, 0xbf00},     {0x2002, 4, 0xf3af8000}, {0x2006, 2, 0xbf00},
	        {0x2008, 4, 0xf001e802}, {0x3010, 4, 0xe320f000}, {0x3014, 4, 0xfafffbf9},
	        {0x2000, 2, 0xbf00},     {0x2002, 4, 0xf3af8000}, {0x2006, 2, 0xbf00},
	        {0x2008, 4, 0xf001e802},
	};
	struct instruction insn;
	struct fixture f;
	uint64_t pc;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	(void)history_gaps(f.history, &count);
	assert_int_equal(count, 0);
	assert_int_equal(history_length(f.history), 10);
	for (size_t i = 0; i < 10; i++) {
		history_at(f.history, i, &insn);
		assert_int_equal(insn.address, expected[i][0]);
		assert_int_equal(insn.size, expected[i][1]);
		assert_int_equal(insn.opcode, expected[i][2]);
		assert_int_equal(history_pc(f.history, i, &pc), STATUS_OK);
		assert_int_equal(pc, expected[i][0]);
	}
	close_fixture(&f);
}

static void history_t32_breakpoints_hit_instructions_only(void **state)
{
	const struct element elements[] = {
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	        run_of(ISA_A32, 0x3010, 2, 0x3018, 4),
	        run_of(ISA_T32, 0x2000, 4, 0x200c, 4),
	};
	const uint64_t hits[] = {8, 7, 2, 1, 0};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(session_break_set(f.session, 0x2002), STATUS_OK);
	assert_int_equal(session_break_set(f.session, 0x2004), STATUS_OK); /* the middle of it */
	assert_int_equal(session_break_set(f.session, 0x2006), STATUS_OK);
	for (size_t i = 0; i < 5; i++) {
		struct stop stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);

		assert_int_equal(stop.reason, i < 4 ? STOP_BREAKPOINT : STOP_BEGIN);
		assert_int_equal(session_position(f.session, 0), hits[i]);
	}
	(void)session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(session_position(f.session, 0), 1);
	(void)session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(session_position(f.session, 0), 2);
	close_fixture(&f);
}

static void history_a32_branch_without_condition_is_taken(void **state)
{
	struct element taken[] = {
	        run_of(ISA_A32, 0x3018, 1, 0x301c, 4),
	        run_of(ISA_A32, 0x301c, 1, 0x3020, 4),
	};
	struct element conditional = run_of(ISA_A32, 0x301c, 1, 0x3020, 4);
	struct element in_it_block = run_of(ISA_T32, 0x2000, 4, 0x200c, 4);
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, taken, 2); /* B leads elsewhere */
	assert_int_equal(only_gap(&f)->reason, GAP_MISFIT);
	close_fixture(&f);
	taken[0].range.last_executed = false;
	leads_to(0x1008);
	open_fixture(&f, taken, 2); /* B cannot fall through */
	assert_int_equal(only_gap(&f)->reason, GAP_MISFIT);
	close_fixture(&f);
	conditional.range.last_executed = false;
	leads_to(0x1008);
	open_fixture(&f, &conditional, 1);
	(void)history_gaps(f.history, &count);
	assert_int_equal(count, 0);
	close_fixture(&f);
	in_it_block.range.last_executed = false;
	leads_to(0x1008);
	open_fixture(&f, &in_it_block, 1);
	(void)history_gaps(f.history, &count);
	assert_int_equal(count, 0);
	close_fixture(&f);
}

static void state_a32_registers_are_those_of_its_file(void **state)
{
	static const uint8_t odd_pc[4] = {0x09, 0x10};
	const struct element elements[] = {run_of(ISA_T32, 0x2000, 4, 0x200c, 4)};
	struct value value;
	struct fixture f;
	uint64_t pc;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	f.core.arch = CORE_A32;
	f.registers[0] = (struct snap_register){.name = STR("R15"), .bits = 32, .value = odd_pc};
	f.registers[1] = (struct snap_register){.name = STR("R13"), .bits = 32, .value = sp_value};
	f.registers[2] = (struct snap_register){.name = STR("R7"), .bits = 64, .value = x1_value};
	assert_int_equal(history_pc(f.history, 4, &pc), STATUS_OK);
	assert_int_equal(pc, 0x1008);
	state_register(f.history, 4, A32_pc, &value);
	assert_int_equal(value.size, 4);
	assert_int_equal(value_u64(&value), 0x1008);
	state_register(f.history, 4, A32_sp, &value);
	assert_int_equal(value_u64(&value), 0x90000000);
	/* A value that does not fit is not that register's. */
	state_register(f.history, 4, A32_r7, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, 1, A32_pc, &value);
	assert_int_equal(value_u64(&value), 0x2002);
	state_register(f.history, 1, A32_cpsr, &value);
	assert_int_equal(value.size, 4);
	assert_false(value_is_known(&value));
	state_register(f.history, 1, A32_trace_pos, &value);
	assert_int_equal(value_u64(&value), 1);
	close_fixture(&f);
}

static void history_branch_not_taken_falls_through(void **state)
{
	const struct element elements[] = {
	        range(0x1018, 1, INSN_BRANCH, false),
	        range(0x101c, 1, INSN_OTHER, true),
	};
	struct instruction insn;
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 2);
	(void)history_gaps(f.history, &count);
	assert_int_equal(count, 0);
	history_at(f.history, 0, &insn);
	assert_false(insn.executed);
	close_fixture(&f);
}

static void history_losses_become_gaps_with_reasons(void **state)
{
	struct element lost = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET, .offset = 7};
	struct element on = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_NORMAL};
	struct element overflow = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_OVERFLOW};
	struct element nacc = {.type = ELEMENT_ADDR_NACC, .nacc = {0x5000, SPACE_EL1N}};
	struct element init = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_INIT};
	struct element stamp = {.type = ELEMENT_TIMESTAMP, .timestamp = 1};
	const struct element elements[] = {
	        init,
	        stamp,
	        on, /* the beginning: no gap */
	        range(0x1000, 1, INSN_OTHER, true),
	        lost,
	        on, /* one gap */
	        range(0x1000, 1, INSN_OTHER, true),
	        overflow,
	        range(0x1000, 1, INSN_OTHER, true),
	        nacc,
	        nacc,
	        range(0x1000, 1, INSN_OTHER, true),
	        on,
	        range(0x1004, 1, INSN_OTHER, true),
	};
	static const enum gap_reason reasons[] = {GAP_BAD_PACKET, GAP_OVERFLOW, GAP_NO_MEMORY,
	                                          GAP_TRACE_ON};
	const struct gap *gaps;
	struct fixture f;
	size_t count;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, sizeof(elements) / sizeof(elements[0]));
	gaps = history_gaps(f.history, &count);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(gaps[i].reason, reasons[i]);
		assert_int_equal(gaps[i].position, i + 1);
	}
	assert_int_equal(gaps[0].merged, 1);
	assert_int_equal(gaps[2].merged, 1);
	assert_int_equal(gaps[2].address, 0x5000);
	close_fixture(&f);
}

static void history_exception_explains_a_jump_only_where_it_was_taken(void **state)
{
	struct element right = {
	        .type = ELEMENT_EXCEPTION,
	        .exception = {.has_return_address = true, .return_address = 0x1004}};
	struct element wrong = {
	        .type = ELEMENT_EXCEPTION,
	        .exception = {.has_return_address = true, .return_address = 0x1010}};
	const struct element elements[] = {
	        range(0x1000, 1, INSN_OTHER, true), right,
	        range(0x1000, 1, INSN_OTHER, true), wrong,
	        range(0x1004, 1, INSN_OTHER, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	assert_int_equal(only_gap(&f)->reason, GAP_MISFIT);
	assert_int_equal(only_gap(&f)->position, 2);
	close_fixture(&f);
}

static void history_search_finds_nearest_both_ways(void **state)
{
	enum { ROUNDS = 1000 };
	struct element *elements = calloc(ROUNDS, sizeof(*elements));
	const uint64_t address = 0x1004;
	const uint64_t other = 0x7000;
	const struct history_search there = {&address, 1, NULL, NULL};
	const struct history_search nowhere = {&other, 1, NULL, NULL};
	struct fixture f;
	uint64_t position;

	(void)state;
	assert_non_null(elements);
	for (size_t i = 0; i < ROUNDS; i++)
		elements[i] = i % 100 == 50 ? range(0x1000, 3, INSN_BRANCH, true)
		                            : range(0x1010, 2, INSN_BRANCH_INDIRECT, true);
	open_fixture(&f, elements, ROUNDS);
	/* Round 950 begins at 950 * 2 + 9 (nine longer rounds before it). */
	assert_int_equal(
	        history_find_backward(f.history, &there, history_length(f.history), 0, &position),
	        STATUS_OK);
	assert_int_equal(position, 950 * 2 + 9 + 1);
	assert_int_equal(history_find_backward(f.history, &there, position, 0, &position),
	                 STATUS_OK);
	assert_int_equal(position, 850 * 2 + 8 + 1);
	assert_int_equal(
	        history_find_backward(f.history, &there, position, position - 5, &position),
	        STATUS_NOT_FOUND);
	assert_int_equal(history_find_forward(f.history, &there, position,
	                                      history_length(f.history), &position),
	                 STATUS_OK);
	assert_int_equal(position, 950 * 2 + 9 + 1);
	assert_int_equal(
	        history_find_forward(f.history, &there, 0, history_length(f.history), &position),
	        STATUS_OK);
	assert_int_equal(position, 50 * 2 + 1);
	assert_int_equal(
	        history_find_forward(f.history, &nowhere, 0, history_length(f.history), &position),
	        STATUS_NOT_FOUND);
	close_fixture(&f);
	free(elements);
}

static void state_past_knows_only_what_nothing_can_have_written(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;
	struct value value;
	uint8_t bytes[32];

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	session_register(f.session, 0, A64_x1, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), UINT64_C(0x8877665544332211));
	session_register(f.session, 0, A64_sp, &value);
	assert_true(value_is_known(&value)); /* 32 bits written, the upper ones are zero */
	assert_int_equal(value_u64(&value), 0x90000000);
	session_register(f.session, 0, A64_x2, &value);
	assert_false(value_is_known(&value));
	assert_int_equal(session_memory(f.session, 0, 0x8000, bytes, 32), 16);
	assert_int_equal(bytes[1], 0xad);

	assert_int_equal(session_seek(f.session, 0, 1), STATUS_OK);
	session_register(f.session, 0, REGISTER_PC, &value);
	assert_int_equal(value_u64(&value), 0x1004);
	session_register(f.session, 0, A64_x1, &value);
	assert_false(value_is_known(&value));
	assert_int_equal(session_memory(f.session, 0, 0x8000, bytes, 16), 0);
	assert_int_equal(session_memory(f.session, 0, 0x9000, bytes, 16), 8);
	/* Two instructions were executed; the code behind them may have been other code. */
	assert_int_equal(session_memory(f.session, 0, 0x1000, bytes, 16), 8);
	assert_int_equal(session_memory(f.session, 0, 0x1004, bytes, 16), 4);
	assert_int_equal(session_seek(f.session, 0, 3), STATUS_NOT_FOUND);
	assert_int_equal(session_position(f.session, 0), 1);
	close_fixture(&f);
}

static void cursor_steps_to_both_ends_and_back(void **state)
{
	const struct element elements[] = {range(0x1000, 2, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 1);
	assert_int_equal(session_step(f.session, 0, DIRECTION_FORWARD).reason, STOP_END);
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_STEPPED);
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_STEPPED);
	assert_int_equal(session_position(f.session, 0), 0);
	assert_int_equal(session_step(f.session, 0, DIRECTION_BACKWARD).reason, STOP_BEGIN);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL).reason,
	                 STOP_END);
	assert_int_equal(session_position(f.session, 0), 2);
	close_fixture(&f);
}

static void cursor_breakpoint_where_it_starts_does_not_count(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true),
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(session_break_set(f.session, 0x1004), STATUS_OK);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 6);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 1);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_BEGIN);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL).reason,
	                 STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 1);
	session_break_clear(f.session, 0x1004);
	assert_int_equal(session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL).reason,
	                 STOP_END);
	close_fixture(&f);
}

static void cursor_continue_stops_behind_each_gap(void **state)
{
	struct element on = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_NORMAL};
	const struct element elements[] = {
	        range(0x1000, 2, INSN_OTHER, true), on, range(0x1000, 2, INSN_OTHER, true), on,
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct stop stop;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(stop.gap->position, 4);
	assert_int_equal(session_position(f.session, 0), 3);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(session_position(f.session, 0), 1);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BEGIN);
	assert_null(stop.gap);
	stop = session_continue(f.session, 0, DIRECTION_FORWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_GAP);
	assert_int_equal(session_position(f.session, 0), 2);
	/* A step across is told of it too. */
	stop = session_step(f.session, 0, DIRECTION_BACKWARD);
	assert_int_equal(stop.reason, STOP_STEPPED);
	assert_non_null(stop.gap);
	/* A breakpoint in front of the gap comes first. */
	assert_int_equal(session_break_set(f.session, 0x1004), STATUS_OK);
	assert_int_equal(session_seek(f.session, 0, 6), STATUS_OK);
	stop = session_continue(f.session, 0, DIRECTION_BACKWARD, NULL, NULL);
	assert_int_equal(stop.reason, STOP_BREAKPOINT);
	assert_int_equal(session_position(f.session, 0), 5);
	close_fixture(&f);
}

static void cursor_range_step_leaves_the_range(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true),
	        range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct stop stop;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 3);
	assert_int_equal(session_seek(f.session, 0, 0), STATUS_OK);
	stop = session_step_range(f.session, 0, 0x1000, 0x100c, NULL, NULL);
	assert_int_equal(stop.reason, STOP_STEPPED);
	assert_int_equal(session_position(f.session, 0), 3);
	stop = session_step_range(f.session, 0, 0, UINT64_MAX, NULL, NULL);
	assert_int_equal(stop.reason, STOP_END);
	close_fixture(&f);
}

static void marks_hold_until_a_gap(void **state)
{
	struct element context = {.type = ELEMENT_PE_CONTEXT,
	                          .context = {.security = SECURITY_NON_SECURE,
	                                      .level = EL_0,
	                                      .is_64bit = true,
	                                      .has_context_id = true,
	                                      .context_id = 0x77}};
	struct element stamp = {.type = ELEMENT_TIMESTAMP, .timestamp = 1234};
	struct element on = {.type = ELEMENT_TRACE_ON};
	const struct element elements[] = {
	        range(0x1000, 1, INSN_OTHER, true),
	        context,
	        range(0x1004, 1, INSN_OTHER, true),
	        stamp,
	        on,
	        range(0x1000, 2, INSN_OTHER, true),
	};
	struct fixture f;
	struct value value;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, 6);
	state_register(f.history, 0, A64_contextid, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, 1, A64_contextid, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), 0x77);
	state_register(f.history, 2, A64_contextid, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, 1, A64_trace_timestamp, &value);
	assert_false(value_is_known(&value));
	state_register(f.history, 3, A64_trace_timestamp, &value);
	assert_int_equal(value_u64(&value), 1234);
	state_register(f.history, 3, A64_trace_pos, &value);
	assert_int_equal(value_u64(&value), 3);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(history_runs_give_instructions_by_position),
	        cmocka_unit_test(history_that_leads_to_halt_has_no_gap),
	        cmocka_unit_test(history_that_misses_halt_has_gap_at_end),
	        cmocka_unit_test(history_range_elsewhere_is_misfit),
	        cmocka_unit_test(history_branch_that_cannot_fall_through_is_misfit),
	        cmocka_unit_test(history_t32_and_a32_follow_each_other),
	        cmocka_unit_test(history_t32_breakpoints_hit_instructions_only),
	        cmocka_unit_test(history_a32_branch_without_condition_is_taken),
	        cmocka_unit_test(state_a32_registers_are_those_of_its_file),
	        cmocka_unit_test(history_branch_not_taken_falls_through),
	        cmocka_unit_test(history_losses_become_gaps_with_reasons),
	        cmocka_unit_test(history_exception_explains_a_jump_only_where_it_was_taken),
	        cmocka_unit_test(history_search_finds_nearest_both_ways),
	        cmocka_unit_test(state_past_knows_only_what_nothing_can_have_written),
	        cmocka_unit_test(cursor_steps_to_both_ends_and_back),
	        cmocka_unit_test(cursor_breakpoint_where_it_starts_does_not_count),
	        cmocka_unit_test(cursor_continue_stops_behind_each_gap),
	        cmocka_unit_test(cursor_range_step_leaves_the_range),
	        cmocka_unit_test(marks_hold_until_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
