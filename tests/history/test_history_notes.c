/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps, events, marks and extents of a history, against plain lists of the elements made for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/session/made_session.h"

/* A NOP at 0x1000. */
static struct element nop(void)
{
	return range(0x1000, 1, INSN_OTHER, true);
}

/* The same again, after what explains the jump. */
static struct element halt_follows(void)
{
	return range(0x1004, 1, INSN_OTHER, true);
}

struct loss {
	struct element element;
	enum gap_reason reason;
	uint64_t address; /* 0: none */
};

#define LOSS(kind, what, why)                                                                      \
	{                                                                                          \
		{.type = ELEMENT_##kind, .offset = 55, what}, why, 0                               \
	}

static void each_loss_is_a_gap_with_its_reason(void **state)
{
	static const struct loss losses[] = {
	        LOSS(NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET, GAP_BAD_PACKET),
	        LOSS(NO_SYNC, .no_sync = NO_SYNC_RESET, GAP_BAD_PACKET),
	        LOSS(NO_SYNC, .no_sync = NO_SYNC_OVERFLOW, GAP_OVERFLOW),
	        LOSS(NO_SYNC, .no_sync = NO_SYNC_DISCARD, GAP_DISCARD),
	        LOSS(TRACE_ON, .trace_on = TRACE_ON_NORMAL, GAP_TRACE_ON),
	        LOSS(TRACE_ON, .trace_on = TRACE_ON_OVERFLOW, GAP_OVERFLOW),
	        LOSS(TRACE_ON, .trace_on = TRACE_ON_EX_DEBUG, GAP_DEBUG),
	        LOSS(ADDR_UNKNOWN, .trace_id = 1, GAP_BAD_PACKET),
	        LOSS(UNKNOWN, .trace_id = 1, GAP_BAD_PACKET),
	        {{.type = ELEMENT_ADDR_NACC, .offset = 55, .nacc = {0x5000, SPACE_EL1N}},
	         GAP_NO_MEMORY,
	         0x5000},
	        {{.type = ELEMENT_I_RANGE_NOPATH, .offset = 55, .range = {.start = 0x6000}},
	         GAP_NO_PATH,
	         0x6000},
	        {{.type = ELEMENT_I_RANGE_NOPATH,
	          .offset = 55,
	          .range = {.start = 0x6000, .end = 0x6006, .is_unreached = true}},
	         GAP_UNREACHED,
	         0x6006},
	        {{.type = ELEMENT_EXCEPTION,
	          .offset = 55,
	          .exception = {.has_return_address = true, .return_address = 0x7000}},
	         GAP_MISFIT,
	         0x7000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		const struct element elements[] = {nop(), losses[i].element, nop(), halt_follows()};
		struct fixture f;
		struct gap gap;

		leads_to(0x1008);
		open_fixture(&f, elements, 4);
		assert_int_equal(history_gap_count(f.history), 1);
		assert_true(history_gap(f.history, 0, &gap));
		assert_int_equal(gap.position, 1);
		assert_int_equal(gap.reason, losses[i].reason);
		assert_int_equal(gap.offset, 55);
		assert_int_equal(gap.merged, 0);
		assert_int_equal(gap.has_address, losses[i].address != 0);
		assert_int_equal(gap.address, losses[i].address);
		close_fixture(&f);
	}
}

/* What stands between two runs of which the second does not follow the first. */
static void jumps_are_misfits_unless_something_explains_them(void **state)
{
	static const struct {
		struct element between;
		bool explains;
	} cases[] = {
	        {{.type = ELEMENT_EXCEPTION}, true},
	        {{.type = ELEMENT_EXCEPTION,
	          .exception = {.has_return_address = true, .return_address = 0x1004}},
	         true},
	        {{.type = ELEMENT_MEMTRANS, .memtrans = MEMTRANS_FAIL}, true},
	        {{.type = ELEMENT_MEMTRANS, .memtrans = MEMTRANS_COMMIT}, false},
	        {{.type = ELEMENT_MEMTRANS, .memtrans = MEMTRANS_START}, false},
	        {{.type = ELEMENT_EXCEPTION_RET}, false},
	        {{.type = ELEMENT_TIMESTAMP, .timestamp = 4}, false},
	        {{.type = ELEMENT_EVENT}, false},
	        {{.type = ELEMENT_SYNC_MARKER}, false},
	        {{.type = ELEMENT_PE_CONTEXT}, false},
	        {{.type = ELEMENT_CYCLE_COUNT, .cycles = 3}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct element elements[] = {nop(), cases[i].between, nop(), halt_follows()};
		struct fixture f;
		struct gap gap;

		elements[2].offset = 99;
		leads_to(0x1008);
		open_fixture(&f, elements, 4);
		assert_int_equal(history_gap_count(f.history), cases[i].explains ? 0 : 1);
		if (!cases[i].explains) {
			assert_true(history_gap(f.history, 0, &gap));
			assert_int_equal(gap.reason, GAP_MISFIT);
			assert_int_equal(gap.position, 1);
			assert_true(gap.has_address);
			assert_int_equal(gap.address, 0x1000);
			assert_int_equal(gap.offset, 99);
		}
		assert_int_equal(history_event_count(f.history), 1);
		close_fixture(&f);
	}
}

static const struct element on = {.type = ELEMENT_TRACE_ON};
static const struct element overflow = {.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_OVERFLOW};
static const struct element lost = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET};
static const struct element nacc = {.type = ELEMENT_ADDR_NACC, .nacc = {0x5000, SPACE_EL1N}};
static const struct element exception = {.type = ELEMENT_EXCEPTION};

static const char letters[] = {
        [GAP_TRACE_ON] = 'T',
        [GAP_OVERFLOW] = 'O',
        [GAP_BAD_PACKET] = 'B',
        [GAP_NO_MEMORY] = 'M',
};

/* The gaps of elements, each "POSITION:REASON+MERGED ". */
static void assert_gaps(const struct element *elements, size_t element_count, const char *expected)
{
	struct text found = {0};
	struct fixture f;
	struct gap gap;

	leads_to(0x1008);
	open_fixture(&f, elements, element_count);
	text_puts(&found, "");
	for (size_t i = 0; history_gap(f.history, i, &gap); i++)
		text_printf(&found, "%d:%c+%d ", (int)gap.position, letters[gap.reason],
		            (int)gap.merged);
	assert_string_equal(found.data, expected);
	text_fini(&found);
	close_fixture(&f);
}

/* The restart that ends every loss is no gap of its own; missing code has nothing to do with it. */
static void gaps_at_one_place_are_one_unless_they_say_more(void **state)
{
	static const struct {
		struct element between[3];
		size_t count;
		const char *gaps;
	} cases[] = {
	        {{overflow, on}, 2, "1:O+1 "},       {{lost, lost, on}, 3, "1:B+2 "},
	        {{on, overflow}, 2, "1:T+0 1:O+0 "}, {{nacc, on}, 2, "1:M+0 1:T+0 "},
	        {{nacc, nacc}, 2, "1:M+1 "},         {{on, nacc, nacc}, 3, "1:T+0 1:M+1 "},
	        {{on, on, on}, 3, "1:T+2 "},         {{lost, overflow, on}, 3, "1:B+0 1:O+1 "},
	};
	struct element elements[5];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		elements[0] = nop();
		memcpy(elements + 1, cases[i].between, sizeof(cases[i].between));
		elements[1 + cases[i].count] = range(0x1000, 2, INSN_OTHER, true);
		assert_gaps(elements, 2 + cases[i].count, cases[i].gaps);
	}
}

/* Before anything is said of execution nothing is lost. */
static void trace_begins_without_a_gap(void **state)
{
	static const struct {
		struct element before[2];
		const char *gaps;
	} cases[] = {
	        {{lost, on}, ""},       {{overflow, on}, ""},        {{nacc, on}, "0:M+0 0:T+0 "},
	        {{on, nacc}, "0:M+0 "}, {{exception, on}, "0:T+0 "}, {{on, exception}, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element elements[] = {cases[i].before[0], cases[i].before[1],
		                                   range(0x1000, 2, INSN_OTHER, true)};

		assert_gaps(elements, 3, cases[i].gaps);
	}
}

static void assert_mark(const struct fixture *f, enum mark mark, uint64_t position, int expected)
{
	uint64_t value = 77;

	if (expected < 0) {
		assert_int_equal(history_mark(f->history, mark, position, &value),
		                 STATUS_UNAVAILABLE);
		return;
	}
	assert_int_equal(history_mark(f->history, mark, position, &value), STATUS_OK);
	assert_int_equal(value, expected);
}

/* Where the core's trace was lost it may have changed its context; not where code is missing. */
static void context_is_unknown_after_a_loss_alone(void **state)
{
	static const struct {
		struct element loss;
		bool keeps;
	} cases[] = {
	        {on, false},
	        {overflow, false},
	        {lost, false},
	        {nacc, true},
	        {{.type = ELEMENT_I_RANGE_NOPATH, .range = {.start = 0x6000}}, true},
	        {{.type = ELEMENT_EXCEPTION,
	          .exception = {.has_return_address = true, .return_address = 0x7000}},
	         true},
	};
	const struct element context = {.type = ELEMENT_PE_CONTEXT,
	                                .context = {.security = SECURITY_NON_SECURE,
	                                            .level = EL_0,
	                                            .has_context_id = true,
	                                            .context_id = 9}};
	struct element other = context;

	(void)state;
	other.context.has_context_id = false;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element elements[] = {nop(), context, cases[i].loss,
		                                   nop(), other,   halt_follows()};
		struct fixture f;

		leads_to(0x1008);
		open_fixture(&f, elements, 6);
		assert_mark(&f, MARK_CONTEXT_ID, 0, -1);
		assert_mark(&f, MARK_VIEW, 0, -1);
		assert_mark(&f, MARK_CONTEXT_ID, 1, cases[i].keeps ? 9 : -1);
		assert_mark(&f, MARK_VIEW, 1, cases[i].keeps ? (int)SPACE_EL1N : -1);
		assert_mark(&f, MARK_CONTEXT_ID, 2, -1);
		assert_mark(&f, MARK_VIEW, 2, (int)SPACE_EL1N);
		close_fixture(&f);
	}
}

/* What is said again is one change, and the last one at or before a position is found. */
static void contexts_are_listed_where_they_change(void **state)
{
	static const struct pe_context one = {.has_context_id = true, .context_id = 1};
	static const struct pe_context two = {.has_context_id = true, .context_id = 2};
	const struct element nops[] = {
	        {.type = ELEMENT_PE_CONTEXT, .context = one}, {.type = ELEMENT_TRACE_ON},
	        {.type = ELEMENT_PE_CONTEXT, .context = one}, {.type = ELEMENT_TRACE_ON},
	        {.type = ELEMENT_PE_CONTEXT, .context = two}, {.type = ELEMENT_TRACE_ON},
	        {.type = ELEMENT_PE_CONTEXT, .context = two}, {.type = ELEMENT_TRACE_ON},
	        {.type = ELEMENT_PE_CONTEXT, .context = one},
	};
	const struct context_change expected[] = {{1, one}, {3, two}, {5, one}};
	struct element elements[16];
	struct context_change change;
	struct fixture f;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(nops) / sizeof(nops[0]); i++) {
		if (nops[i].type == ELEMENT_PE_CONTEXT)
			elements[count++] = nop();
		elements[count++] = nops[i];
	}
	elements[count++] = halt_follows();
	open_fixture(&f, elements, count);
	for (size_t i = 0; i < 3; i++) {
		assert_true(history_context_change(f.history, i, &change));
		assert_int_equal(change.position, expected[i].position);
		assert_int_equal(change.context.context_id, expected[i].context.context_id);
	}
	assert_false(history_context_change(f.history, 3, &change));
	assert_false(history_last_context(f.history, 0, &change));
	for (uint64_t position = 1; position <= 6; position++) {
		assert_true(history_last_context(f.history, position, &change));
		assert_int_equal(change.position, position < 3 ? 1 : position < 5 ? 3 : 5);
	}
	assert_true(history_last_context(f.history, UINT64_MAX, &change));
	assert_int_equal(change.position, 5);
	close_fixture(&f);
}

/* Cycles are counted from the first count on, through gaps; time is what was told last. */
static void cycles_are_a_sum_and_time_is_the_last(void **state)
{
	const struct element five = {.type = ELEMENT_CYCLE_COUNT, .has_cycles = true, .cycles = 5};
	const struct element zero = {.type = ELEMENT_CYCLE_COUNT, .has_cycles = true};
	const struct element stamps[] = {{.type = ELEMENT_TIMESTAMP, .timestamp = 100},
	                                 {.type = ELEMENT_TIMESTAMP, .timestamp = 90}};
	const struct element elements[] = {nop(), five,      stamps[0], on,    nop(),
	                                   five,  zero,      on,        nop(), five,
	                                   five,  stamps[1], on,        nop(), halt_follows()};
	static const int cycles[] = {-1, 5, 10, 20, 20, 20};
	static const int times[] = {-1, 100, 100, 90, 90, 90};
	struct fixture f;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, sizeof(elements) / sizeof(elements[0]));
	assert_int_equal(history_length(f.history), 5);
	for (uint64_t p = 0; p <= 5; p++) {
		assert_mark(&f, MARK_CYCLES, p, cycles[p]);
		assert_mark(&f, MARK_TIMESTAMP, p, times[p]);
	}
	close_fixture(&f);
}

static struct element with_cycles(struct element element, uint32_t cycles)
{
	element.has_cycles = true;
	element.cycles = cycles;
	return element;
}

/* "Generic Trace Packet Descriptions": every count adds, but for that of an ETMv4 timestamp. */
static void every_element_with_cycles_adds_them(void **state)
{
	static const struct {
		enum protocol protocol;
		int cycles[5];
	} cases[] = {
	        {PROTOCOL_PTM, {1, 103, 13107, 13107, 13107}},
	        {PROTOCOL_ETM3, {1, 103, 10107, 10107, 10107}},
	        {PROTOCOL_ETM4, {1, 103, 10107, 10107, 10107}},
	        {PROTOCOL_ETE, {1, 103, 10107, 10107, 10107}},
	};
	const struct element silent = {.type = ELEMENT_CYCLE_COUNT, .cycles = 50};
	const struct element elements[] = {
	        with_cycles(on, 1),
	        with_cycles(nop(), 2),
	        with_cycles((struct element){.type = ELEMENT_EXCEPTION}, 100),
	        with_cycles(nop(), 4),
	        with_cycles((struct element){.type = ELEMENT_PE_CONTEXT}, 10000),
	        with_cycles((struct element){.type = ELEMENT_TIMESTAMP}, 3000),
	        silent,
	        on,
	        nop(),
	        halt_follows(),
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		leads_to(0x1008);
		make_registers(&f);
		f.source.protocol = cases[i].protocol;
		open_made(&f, elements, sizeof(elements) / sizeof(elements[0]));
		for (uint64_t p = 0; p < 5; p++)
			assert_mark(&f, MARK_CYCLES, p, cases[i].cycles[p]);
		close_fixture(&f);
	}
}

enum { WALKS = 300 };

/* NOPs with gaps and events wherever chance puts them. */
static size_t make_notes(struct element *elements)
{
	uint32_t seed = 7;
	size_t count = 0;

	for (size_t i = 0; i < WALKS; i++) {
		elements[count++] = nop();
		for (seed = seed * 1664525 + 1013904223; seed >> 30 == 0; seed *= 5)
			elements[count++] = (struct element){.type = ELEMENT_EVENT};
		elements[count++] = i + 1 < WALKS && seed >> 28 < 8 ? exception : on;
		if (i % 50 == 49)
			elements[count++] = nacc;
	}
	elements[count++] = range(0x1000, 2, INSN_OTHER, true);
	return count;
}

/* The index of the gap; the count of gaps: there is none. */
static size_t plain_between(const struct history *h, uint64_t from, uint64_t to, bool newest)
{
	size_t found = history_gap_count(h);
	uint64_t place = 0;
	struct gap gap;

	for (size_t i = 0; history_gap(h, i, &gap); i++) {
		bool is_first = found == history_gap_count(h);

		if (gap.position > from && gap.position < to &&
		    (is_first || (newest && gap.position != place))) {
			found = i;
			place = gap.position;
		}
	}
	return found;
}

/* What was found, if anything, is the gap of that index. */
static void assert_is_gap(const struct history *h, bool is_found, const struct gap *found,
                          size_t index)
{
	struct gap gap;

	assert_int_equal(is_found, history_gap(h, index, &gap));
	if (!is_found)
		return;
	assert_int_equal(found->position, gap.position);
	assert_int_equal(found->reason, gap.reason);
	assert_int_equal(found->offset, gap.offset);
	assert_int_equal(found->merged, gap.merged);
}

static void gaps_and_events_are_found_by_position(void **state)
{
	static struct element elements[16 * WALKS];
	struct history_event event;
	struct fixture f;
	struct gap gap;
	bool found;

	(void)state;
	leads_to(0x1008);
	open_fixture(&f, elements, make_notes(elements));
	assert_true(history_event_count(f.history) > WALKS);
	for (uint64_t p = 0; p <= history_length(f.history) + 1; p++) {
		size_t index = history_event_index(f.history, p);

		assert_true(!history_event(f.history, index, &event) || event.position >= p);
		assert_true(index <= history_event_count(f.history));
		assert_true(index == 0 ||
		            (history_event(f.history, index - 1, &event) && event.position < p));
		found = history_gap_at(f.history, p, &gap);
		assert_is_gap(f.history, found, &gap,
		              p > 0 ? plain_between(f.history, p - 1, p + 1, true) : SIZE_MAX);
		assert_int_equal(history_has_gap_at(f.history, p), found);
		for (uint64_t to = p > 3 ? p - 3 : 0; to < p + 20; to++) {
			found = history_gap_between(f.history, p, to, true, &gap);
			assert_is_gap(f.history, found, &gap,
			              plain_between(f.history, p, to, true));
			found = history_gap_between(f.history, p, to, false, &gap);
			assert_is_gap(f.history, found, &gap,
			              plain_between(f.history, p, to, false));
		}
	}
	close_fixture(&f);
}

enum { NOPS_AT = 0x4000, NOPS = 256, RUNS = 40 };

/* Runs of NOPs that overlap, touch or stand alone, each after an exception. */
static size_t make_runs(struct element *elements, bool *executed)
{
	uint32_t seed = 11;

	for (size_t i = 0; i < RUNS; i++) {
		uint32_t first;
		uint32_t length;

		seed = seed * 1664525 + 1013904223;
		first = (seed >> 8) % (NOPS - 8);
		length = 1 + (seed >> 24) % 6;
		elements[2 * i] = range(NOPS_AT + 4 * (uint64_t)first, length, INSN_OTHER, true);
		elements[2 * i + 1] = exception;
		for (uint32_t n = 4 * first; n < 4 * (first + length); n++)
			executed[n] = true;
	}
	return 2 * RUNS;
}

/* Of the memory that the core sees at the address. */
static size_t executed_extent(const struct fixture *f, uint64_t address)
{
	struct mem_span span;

	assert_int_equal(memmap_find(f->core.memory, SPACE_ANY, address, &span), STATUS_OK);
	return history_executed_extent(f->history, &span);
}

static void extents_are_the_addresses_that_were_executed(void **state)
{
	static bool executed[4 * NOPS + 1];
	static uint8_t nops[4 * NOPS];
	struct element elements[2 * RUNS];
	struct history_code code_run;
	bool is_in_run[sizeof(nops)] = {false};
	struct fixture f;
	size_t runs = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(nops); i += 4)
		memcpy(nops + i, code, 4);
	memset(&f, 0, sizeof(f));
	f.registers[0] = (struct snap_register){.name = STR("PC"), .bits = 64, .value = pc_value};
	f.device = (struct snap_device){.name = STR("cpu_0"),
	                                .class = DEVICE_CORE,
	                                .registers = f.registers,
	                                .register_count = 1};
	begin_core(&f);
	add_region(f.core.memory, NOPS_AT, nops, sizeof(nops), true);
	assert_int_equal(open_core(&f, elements, make_runs(elements, executed)), 0);
	for (size_t i = sizeof(nops); i-- > 0;) {
		size_t count = 0;

		while (executed[i + count])
			count++;
		assert_int_equal(executed_extent(&f, NOPS_AT + i), count);
	}
	for (; history_code(f.history, runs, &code_run); runs++) {
		assert_int_equal(code_run.isa, ISA_A64);
		for (uint64_t at = code_run.start; at < code_run.end; at++) {
			assert_true(executed[at - NOPS_AT]);
			is_in_run[at - NOPS_AT] = true;
		}
	}
	for (size_t i = 0; i < sizeof(nops); i++)
		assert_int_equal(is_in_run[i], executed[i]);
	assert_in_range(runs, RUNS / 2, RUNS);
	close_fixture(&f);
}

/* What the user reads. */
static void gap_is_told_with_what_is_known_of_it(void **state)
{
	static const struct {
		struct gap gap;
		const char *text;
	} cases[] = {
	        {{.reason = GAP_TRACE_ON}, "gap before position 0: tracing was off"},
	        {{.position = 3, .reason = GAP_OVERFLOW, .offset = 9},
	         "gap before position 3: the trace source overflowed (trace byte 9)"},
	        {{.position = 4, .reason = GAP_DEBUG, .merged = 2},
	         "gap before position 4: the core was in debug state, 2 more like it here"},
	        {{.position = 5, .reason = GAP_BAD_PACKET, .offset = 1, .merged = 1},
	         "gap before position 5: the trace is damaged (trace byte 1), 1 more like it here"},
	        {{.position = 6, .reason = GAP_DISCARD},
	         "gap before position 6: the trace source discarded trace"},
	        {{.position = 7, .reason = GAP_NO_MEMORY, .has_address = true, .address = 0xab0},
	         "gap before position 7: the snapshot lacks the code at 0xab0"},
	        {{.position = 8, .reason = GAP_NO_PATH, .has_address = true, .offset = 2},
	         "gap before position 8: the trace does not say which instructions were executed "
	         "at 0x0 (trace byte 2)"},
	        {{.position = 9, .reason = GAP_MISFIT, .has_address = true, .address = 4},
	         "gap before position 9: the trace does not fit the code in the snapshot at 0x4"},
	        {{.position = 9,
	          .reason = GAP_UNREACHED,
	          .has_address = true,
	          .address = 0x1006,
	          .offset = 7},
	         "gap before position 9: the code in the snapshot does not lead to where the trace "
	         "says that execution came, 0x1006 (trace byte 7)"},
	        {{.position = 10, .reason = GAP_NEXT_SOURCE, .address = 4},
	         "gap before position 10: the core's next trace source begins"},
	        {{.position = 11, .reason = GAP_HALT, .has_address = true, .address = 0x44},
	         "gap before position 11: the trace does not lead to the halt, PC 0x44"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = {0};

		gap_format(&cases[i].gap, &out);
		assert_string_equal(out.data, cases[i].text);
		text_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_loss_is_a_gap_with_its_reason),
	        cmocka_unit_test(jumps_are_misfits_unless_something_explains_them),
	        cmocka_unit_test(gaps_at_one_place_are_one_unless_they_say_more),
	        cmocka_unit_test(trace_begins_without_a_gap),
	        cmocka_unit_test(context_is_unknown_after_a_loss_alone),
	        cmocka_unit_test(contexts_are_listed_where_they_change),
	        cmocka_unit_test(cycles_are_a_sum_and_time_is_the_last),
	        cmocka_unit_test(every_element_with_cycles_adds_them),
	        cmocka_unit_test(gaps_and_events_are_found_by_position),
	        cmocka_unit_test(extents_are_the_addresses_that_were_executed),
	        cmocka_unit_test(gap_is_told_with_what_is_known_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
