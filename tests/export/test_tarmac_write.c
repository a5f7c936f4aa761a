/* SPDX-License-Identifier: Apache-2.0 */
/* Histories of program flow as Tarmac text: what is made of exceptions, contexts and times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/export/export.h"
#include "tests/session/made_session.h"

enum { VECTORS_AT = 0x10000, VECTORS_SIZE = 0x800 };

/* The text of elements, the snapshot having NOPs where vectors may be. */
static void write_text(const struct element *elements, size_t count, struct text *out)
{
	static uint8_t nops[VECTORS_SIZE];
	struct tarmac_writer *writer;
	struct fixture f;
	enum status status;

	for (size_t i = 0; i < sizeof(nops); i += 4)
		memcpy(nops + i, code, 4);
	memset(&f, 0, sizeof(f));
	f.registers[0] = (struct snap_register){.name = STR("PC"), .bits = 64, .value = pc_value};
	f.device = (struct snap_device){.name = STR("cpu_0"),
	                                .class = DEVICE_CORE,
	                                .registers = f.registers,
	                                .register_count = 1};
	begin_core(&f);
	f.source.protocol = PROTOCOL_ETM4;
	add_region(f.core.memory, 0x1000, code, sizeof(code), false);
	add_region(f.core.memory, VECTORS_AT, nops, sizeof(nops), false);
	leads_to(0x1008);
	assert_int_equal(open_core(&f, elements, count), 0);
	assert_int_equal(tarmac_writer_open(f.session, 0, TARMAC_FORM_REV3,
	                                    history_length(f.history) + 1, UINT64_MAX, &writer),
	                 STATUS_NOT_FOUND);
	assert_int_equal(tarmac_writer_open(f.session, 0, TARMAC_FORM_REV3, 0, UINT64_MAX, &writer),
	                 STATUS_OK);
	text_clear(out);
	do
		status = tarmac_writer_next(writer, UINT64_MAX, out);
	while (status == STATUS_OK);
	assert_int_equal(status, STATUS_END);
	tarmac_writer_close(writer);
	close_fixture(&f);
}

/* Exception `number` of ETMv4. */
static struct element exception_of(uint32_t number)
{
	return (struct element){
	        .type = ELEMENT_EXCEPTION,
	        .exception = {.number = number,
	                      .has_return_address = true,
	                      .return_address = 0x1004},
	};
}

/* IHI 0064, exception types; what Rev 3 has for each. */
static const struct {
	uint32_t number;
	unsigned int offset; /* of the four of a place */
	const char *kind;
	const char *unknown; /* where no vector is known */
} types[] = {
        {2, 0, "Synchronous", "Call"},
        {3, 0, "Synchronous", "Trap"},
        {4, 0x180, "SError/vSError", "System Error"},
        {6, 0, "Synchronous", "Inst Debug"},
        {7, 0, "Synchronous", "Data Debug"},
        {10, 0, "Synchronous", "Alignment"},
        {11, 0, "Synchronous", "Inst Fault"},
        {12, 0, "Synchronous", "Data Fault"},
        {14, 0x080, "IRQ/vIRQ", "IRQ"},
        {15, 0x100, "FIQ/vFIQ", "FIQ"},
};

/* Arm ARM D1.10.2: four kinds from each of four places; what is of another kind is not named so. */
static void exception_is_named_by_the_vector_it_leads_to(void **state)
{
	static const char *const places[] = {"Current EL with SP_EL0", "Current EL with SP_ELx",
	                                     "Lower EL using AArch64", "Lower EL using AArch32"};
	struct text out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		for (unsigned int vector = 0; vector < VECTORS_SIZE; vector += 0x40) {
			struct element exception = exception_of(types[i].number);
			const struct element elements[] = {
			        range(0x1000, 1, INSN_OTHER, true), exception,
			        range(VECTORS_AT + vector, 1, INSN_OTHER, true), exception,
			        range(0x1000, 2, INSN_OTHER, true)};
			struct text expected = {0};

			write_text(elements, 5, &out);
			/* An asynchronous one is a record of its own; so is one not known. */
			if (vector % 0x200 == types[i].offset)
				text_printf(&expected, "\n%sEXC [0x%03x] %s %s\n",
				            types[i].offset == 0 ? "                    " : "ES  ",
				            vector, types[i].kind, places[vector / 0x200]);
			else
				text_printf(&expected, "\nES  EXC %s\n", types[i].unknown);
			assert_non_null(strstr(out.data, expected.data));
			text_fini(&expected);
		}
	}
	text_fini(&out);
}

/* ETMv3, M profile: that data are stacked is no exception of its own, wherever it stands. */
static void data_marker_is_no_exception(void **state)
{
	const struct element marker = {.type = ELEMENT_EXCEPTION,
	                               .exception = {.is_data_marker = true}};
	const struct element elements[] = {
	        range(0x1000, 1, INSN_BRANCH_INDIRECT, true),
	        marker,
	        range(0x2000, 1, INSN_OTHER, true),
	        exception_of(14),
	        marker,
	        range(VECTORS_AT + 0x280, 1, INSN_OTHER, true),
	};
	struct text out = {0};

	(void)state;
	write_text(elements, 6, &out);
	assert_non_null(strstr(out.data, "BR (0000000000002000) O\n"));
	assert_null(strstr(out.data, "Exception 0"));
	assert_non_null(strstr(out.data, "\nES  EXC [0x280] "));
	assert_null(strstr(strstr(out.data, "EXC") + 1, "EXC"));
	text_fini(&out);
}

/* 2.3.3, debug entry: whatever address execution goes on at. */
static void debug_halt_and_reset_have_no_vector(void **state)
{
	struct text out = {0};

	(void)state;
	for (uint64_t at = VECTORS_AT; at < VECTORS_AT + 0x800; at += 0x14) {
		const struct element elements[] = {range(0x1000, 1, INSN_OTHER, true),
		                                   exception_of(1), range(at, 1, INSN_OTHER, true),
		                                   exception_of(0),
		                                   range(VECTORS_AT, 2, INSN_OTHER, true)};

		write_text(elements, 5, &out);
		assert_non_null(strstr(out.data, "\nES  EXC Debug Halt Mode Entry\n"));
		assert_non_null(strstr(out.data, "\nES  EXC Reset\n"));
	}
	text_fini(&out);
}

/* Where something is missing after the exception nobody knows where it led to. */
static void exception_before_a_loss_has_no_vector(void **state)
{
	static const struct {
		struct element between;
		bool leads_on;
	} cases[] = {
	        {{.type = ELEMENT_TIMESTAMP, .timestamp = 3}, true},
	        {{.type = ELEMENT_EVENT}, true},
	        {{.type = ELEMENT_PE_CONTEXT, .context = {.level = EL_UNKNOWN, .is_64bit = true}},
	         true},
	        {{.type = ELEMENT_TRACE_ON}, false},
	        {{.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_OVERFLOW}, false},
	        {{.type = ELEMENT_ADDR_NACC, .nacc = {0x5000, SPACE_ANY}}, false},
	        {{.type = ELEMENT_ADDR_UNKNOWN}, false},
	        {{.type = ELEMENT_I_RANGE_NOPATH, .range = {.start = 0x6000}}, false},
	        {{.type = ELEMENT_EXCEPTION, .exception = {.number = 6}}, false},
	};
	struct text out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element elements[] = {range(0x1000, 1, INSN_OTHER, true),
		                                   exception_of(14),
		                                   cases[i].between,
		                                   range(VECTORS_AT + 0x280, 1, INSN_OTHER, true),
		                                   exception_of(14),
		                                   range(0x1000, 2, INSN_OTHER, true)};
		const char *first;

		write_text(elements, 6, &out);
		first = strstr(out.data, "EXC ");
		assert_non_null(first);
		assert_int_equal(strncmp(first, "EXC [0x280] ", 12) == 0, cases[i].leads_on);
		assert_int_equal(strncmp(first, "EXC IRQ\n", 8) == 0, !cases[i].leads_on);
	}
	text_fini(&out);
}

/* The levels of both say it where the address does not. */
static void exception_from_a_lower_level_has_the_vector_of_its_kind(void **state)
{
	const struct element el0 = {.type = ELEMENT_PE_CONTEXT,
	                            .context = {.level = EL_0, .is_64bit = true}};
	const struct element el1 = {.type = ELEMENT_PE_CONTEXT,
	                            .context = {.level = EL_1, .is_64bit = true}};
	const struct element elements[] = {el0, range(0x1000, 1, INSN_OTHER, true),
	                                   exception_of(14), el1,
	                                   range(0x1000, 2, INSN_OTHER, true)};
	struct text out = {0};

	(void)state;
	write_text(elements, 5, &out);
	assert_non_null(strstr(out.data, "\nES  EXC [0x480] IRQ/vIRQ Lower EL using AArch64\n"));
	text_fini(&out);
}

/* The trace says the level, but not which stack pointer; not after a loss of trace. */
static void mode_is_the_level_of_the_context(void **state)
{
	static const struct {
		enum exception_level level;
		enum security_state security;
		bool is_64bit;
		const char *mode;
	} cases[] = {
	        {EL_0, SECURITY_NON_SECURE, true, " O el0t_ns:"},
	        {EL_1, SECURITY_NON_SECURE, true, " O el1_ns:"},
	        {EL_2, SECURITY_SECURE, true, " O el2:"},
	        {EL_3, SECURITY_ROOT, true, " O el3_rt:"},
	        {EL_1, SECURITY_REALM, true, " O el1_rl:"},
	        {EL_UNKNOWN, SECURITY_NON_SECURE, true, " O -_ns:"},
	        {EL_0, SECURITY_NON_SECURE, false, " O usr_ns:"},
	        {EL_2, SECURITY_NON_SECURE, false, " O hyp_ns:"},
	        {EL_1, SECURITY_SECURE, false, " O -:"},
	};
	struct text out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct element context = {.type = ELEMENT_PE_CONTEXT,
		                                .context = {.level = cases[i].level,
		                                            .security = cases[i].security,
		                                            .is_64bit = cases[i].is_64bit}};
		const struct element elements[] = {context,
		                                   range(0x1000, 1, INSN_OTHER, true),
		                                   {.type = ELEMENT_TRACE_ON},
		                                   range(0x1000, 2, INSN_OTHER, true)};
		struct text expected = {0};

		write_text(elements, 4, &out);
		text_printf(&expected, "Tarmac Text Rev 3\nES  (0000000000001000:d503201f)%s",
		            cases[i].mode);
		assert_memory_equal(out.data, expected.data, expected.length);
		assert_non_null(strstr(out.data, "E DebugEvent_TraceGap tracing was off\n"
		                                 "ES  (0000000000001000:d503201f) O -:"));
		text_fini(&expected);
	}
	text_fini(&out);
}

/* Rev 3, 2.2: cycles are clk; timestamps, which have no unit of the document, tic. */
static void times_of_a_trace_are_cycles_or_ticks(void **state)
{
	const struct element elements[] = {
	        {.type = ELEMENT_TIMESTAMP, .timestamp = 3},
	        range(0x1000, 1, INSN_OTHER, true),
	        {.type = ELEMENT_CYCLE_COUNT, .has_cycles = true, .cycles = 7},
	        range(0x1004, 1, INSN_OTHER, true)};
	const struct element ticks[] = {elements[0], elements[1]};
	struct text out = {0};

	(void)state;
	write_text(ticks, 2, &out);
	assert_non_null(
	        strstr(out.data, "Tarmac Text Rev 3t\n          3 tic ES  (0000000000001000:"));
	write_text(elements, 4, &out);
	assert_non_null(strstr(out.data, "\n          7 clk ES  (0000000000001004:"));
	assert_null(strstr(out.data, "tic"));
	text_fini(&out);
}

/* 2.3.6: after a branch that was taken, where it led; nothing after one that was not. */
static void branches_of_a_trace_say_where_they_led(void **state)
{
	const struct element elements[] = {
	        range(0x1000, 3, INSN_BRANCH, true), range(0x1010, 2, INSN_BRANCH_INDIRECT, true),
	        range(0x1018, 1, INSN_BRANCH, false), range(0x101c, 1, INSN_OTHER, true)};
	const char *at;
	struct text out = {0};

	(void)state;
	write_text(elements, 4, &out);
	at = strstr(out.data, "(0000000000001008:14000002) O");
	assert_non_null(at);
	at = strchr(at, '\n') + 1;
	assert_non_null(strstr(at, "BR (0000000000001010) O"));
	assert_int_equal(strspn(at, " "), strstr(at, "BR ") - at);
	at = strstr(at, "(0000000000001014:d65f03c0) O");
	assert_non_null(at);
	at = strstr(at, "BR (0000000000001018) O");
	assert_non_null(at);
	at = strstr(at, "(0000000000001018:b4000040) O");
	assert_non_null(at);
	assert_null(strstr(at, "BR ("));
	text_fini(&out);
}

/* 2.3.1, field 6: of AArch32 alone; and trace says it of branches alone. */
static void condition_that_failed_is_that_of_an_aarch32_branch(void **state)
{
	static const struct {
		enum isa isa;
		enum insn_class class;
		bool executed;
		bool is_failed;
	} cases[] = {
	        {ISA_A32, INSN_BRANCH, false, true},  {ISA_A32, INSN_BRANCH_INDIRECT, false, true},
	        {ISA_A32, INSN_BRANCH, true, false},  {ISA_A32, INSN_OTHER, false, false},
	        {ISA_A64, INSN_BRANCH, false, false}, {ISA_T32, INSN_BRANCH, false, true},
	};
	struct text out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct element element = range(0x1018, 1, cases[i].class, cases[i].executed);

		element.isa = cases[i].isa;
		write_text(&element, 1, &out);
		assert_non_null(strstr(out.data, "1018:"));
		assert_int_equal(strstr(out.data, "CCFAIL") != NULL, cases[i].is_failed);
	}
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(times_of_a_trace_are_cycles_or_ticks),
	        cmocka_unit_test(branches_of_a_trace_say_where_they_led),
	        cmocka_unit_test(exception_is_named_by_the_vector_it_leads_to),
	        cmocka_unit_test(data_marker_is_no_exception),
	        cmocka_unit_test(debug_halt_and_reset_have_no_vector),
	        cmocka_unit_test(exception_from_a_lower_level_has_the_vector_of_its_kind),
	        cmocka_unit_test(exception_before_a_loss_has_no_vector),
	        cmocka_unit_test(mode_is_the_level_of_the_context),
	        cmocka_unit_test(condition_that_failed_is_that_of_an_aarch32_branch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
