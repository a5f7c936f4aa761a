/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions and returns from them in ETMv3 traces: what they cancel, where they would return to,
 * how they are listed. Hand-made bytes whose meaning is known, from decoder_open() on.
 */
#include "tests/decoder/etm3_packets.h"
#include "tests/decoder/etm3_world.h"

static const struct setup plain = {PROTOCOL_ETM3, 0x4000, CCER, 0x410cf250, CORE_A32};
static const struct setup alt = {PROTOCOL_ETM3, 0x4000, CCER, 0x411cf250, CORE_A32};
static const struct setup m_profile = {PROTOCOL_ETM3, 0x4000, CCER, 0x410cf250, CORE_M};

static void exception_stands_where_it_would_return_to(void **state)
{
	(void)state;
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") EE IRQ), 0x1010,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 EXCEPTION(excep num (0x0e) )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") EE IRQ E), 0x1104,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 EXCEPTION(excep num (0x0e) )\n"
	        "20 INSTR_RANGE(exec range=0x1100:[0x1104] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "20 EO_TRACE( [end-of-trace])\n");
}

static void exception_cancels_the_last_instruction(void **state)
{
	(void)state;
	/* A P-header of one atom can be taken back; of two, the second was given out. */
	assert_trace(&plain, BYTES(ASYNC AT("\x00") E ABORT), 0x1000,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "14 EXCEPTION(excep num (0x0c) )\n"
	             "14 EO_TRACE( [end-of-trace])\n");
	assert_trace(
	        &plain, BYTES(ASYNC AT("\x00") EE ABORT), 0x1004,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "13 INSTR_RANGE(exec range=0x1004:[0x1008] num_i(1) last_sz(4) (ISA=A32) E BR  )\n"
	        "14 EXCEPTION(excep num (0x0c) )\n"
	        "14 EO_TRACE( [end-of-trace])\n");
}

/* The two exceptions of a trace. */
static void find_exceptions(const struct setup *setup, const char *trace, size_t size,
                            struct element exceptions[2])
{
	struct decoder *decoder;
	struct element element;
	size_t count = 0;
	struct world w;

	world_init(&w, setup, trace, size);
	assert_int_equal(world_open(&w, false, &decoder), STATUS_OK);
	while (decoder_next(decoder, &element) == STATUS_OK) {
		if (element.type == ELEMENT_EXCEPTION && count < 2)
			exceptions[count++] = element;
	}
	assert_int_equal(count, 2);
	decoder_destroy(decoder);
	world_fini(&w);
}

/* What no packet has, and no listing, and who looks for values of the past asks for. */
static void exception_knows_where_it_would_return_to(void **state)
{
	static const struct {
		const struct setup *setup;
		const char *trace;
		size_t size;
		uint64_t returns[2]; /* 0: not known */
	} cases[] = {
	        /* Where execution stands; what was cancelled. */
	        {&plain, BYTES(ASYNC AT("\x00") EE IRQ AT("\x00") E ABORT), {0x1010, 0x1000}},
	        {&m_profile, BYTES(ASYNC AT("\x00") EE IRQ AT("\x00") E IRQ), {0x1010, 0x1004}},
	        /* After an address in the trace; after an instruction that may be BKPT. */
	        {&plain,
	         BYTES(ASYNC AT("\x00") EE TO_1014 PREFETCH AT("\x00") E PREFETCH),
	         {0x1014}},
	        /* What was cancelled is before the address. */
	        {&plain, BYTES(ASYNC AT("\x00") EE TO_1014 ABORT AT("\x00") E IRQ), {0, 0x1004}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct element e[2];

		find_exceptions(cases[i].setup, cases[i].trace, cases[i].size, e);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(e[k].exception.has_return_address,
			                 cases[i].returns[k] != 0);
			assert_int_equal(e[k].exception.return_address, cases[i].returns[k]);
		}
	}
}

static void exception_says_that_it_cancels_what_was_given_out(void **state)
{
	static const char trace[] = ASYNC AT("\x00") EE ABORT AT("\x00") E ABORT;
	struct element exceptions[2];

	(void)state;
	find_exceptions(&plain, trace, sizeof(trace) - 1, exceptions);
	assert_true(exceptions[0].exception.cancels_last);
	assert_false(exceptions[1].exception.cancels_last);
}

static void exception_says_that_what_ran_last_is_resumed(void **state)
{
	static const char trace[] =
	        ASYNC AT("\x00") E "\x83\x80\x80\x80\x48\x94\x45" E "\x83\x80\x80\x80\x48\x14";
	struct element exceptions[2];

	(void)state;
	find_exceptions(&plain, trace, sizeof(trace) - 1, exceptions);
	assert_true(exceptions[0].exception.last_resumes);
	assert_false(exceptions[1].exception.last_resumes);
}

static void exception_changes_the_security_state(void **state)
{
	(void)state;
	/* To non-secure Hyp mode, and no exception; then an SVC that changes nothing. */
	assert_trace(
	        &plain,
	        BYTES(ASYNC AT("\x00") "\x81\x91\x80\x80\x48\x81\x20\x81\x91\x80\x80\x48\x95\x20"),
	        0x1100,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 PE_CONTEXT((ISA=A32) EL2N; 32-bit; CTXTID=0x7; )\n"
	        "20 EXCEPTION(excep num (0x0a) )\n"
	        "20 EO_TRACE( [end-of-trace])\n");
}

static void alternative_encoding_has_short_exceptions(void **state)
{
	(void)state;
	assert_trace(
	        &alt, BYTES(ASYNC AT("\x00") E "\x8b\x50\x1c" N), 0x1018,
	        "0 NO_SYNC( [init-decoder])\n"
	        "6 TRACE_ON( [begin or filter])\n"
	        "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	        "13 INSTR_RANGE(exec range=0x1000:[0x1004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
	        "14 EXCEPTION(excep num (0x0e) )\n"
	        "17 INSTR_RANGE(exec range=0x1014:[0x1018] num_i(1) last_sz(4) (ISA=A32) N BR   "
	        "<cond>)\n"
	        "17 EO_TRACE( [end-of-trace])\n");
}

static void exception_return_is_in_doubt_with_its_instruction(void **state)
{
	(void)state;
	assert_trace(&plain, BYTES(ASYNC AT("\x18") E "\x76" TO_1014), 0x1014,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "14 EXCEPTION_RET()\n"
	             "15 EO_TRACE( [end-of-trace])\n");
	assert_trace(&plain, BYTES(ASYNC AT("\x18") E "\x76" ABORT), 0x1018,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "15 EXCEPTION(excep num (0x0c) )\n"
	             "15 EO_TRACE( [end-of-trace])\n");
}

static void exception_return_of_m_profile_is_in_doubt_alone(void **state)
{
	(void)state;
	assert_trace(&m_profile, BYTES(ASYNC AT("\x18") E "\x7e\x76" ABORT), 0x1018,
	             "0 NO_SYNC( [init-decoder])\n"
	             "6 TRACE_ON( [begin or filter])\n"
	             "6 PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x7; )\n"
	             "13 INSTR_RANGE(exec range=0x1018:[0x101c] num_i(1) last_sz(4) (ISA=A32) E "
	             "iBR V7:impl ret)\n"
	             "14 EXCEPTION(excep num (0x00) )\n"
	             "16 EXCEPTION(excep num (0x0c) )\n"
	             "16 EO_TRACE( [end-of-trace])\n");
}

/* ETM IHI 0014, Exception entry: the core stacks data. Which exception it is, the branch says. */
static void exception_entry_is_a_marker_without_a_number(void **state)
{
	struct text json = {0};
	struct decoder *decoder;
	struct element element;
	unsigned int markers = 0;
	struct world w;

	(void)state;
	world_init(&w, &m_profile, BYTES(ASYNC AT("\x00") EE "\x7e"));
	assert_int_equal(world_open(&w, false, &decoder), STATUS_OK);
	while (decoder_next(decoder, &element) == STATUS_OK) {
		if (element.type != ELEMENT_EXCEPTION)
			continue;
		markers++;
		assert_true(element.exception.is_data_marker);
		element_format_json(&element, &json);
	}
	assert_int_equal(markers, 1);
	assert_non_null(strstr(json.data, "\"excep_data_marker\":true"));
	assert_null(strstr(json.data, "exception_number"));
	decoder_destroy(decoder);
	text_fini(&json);
	world_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(exception_stands_where_it_would_return_to),
	        cmocka_unit_test(exception_cancels_the_last_instruction),
	        cmocka_unit_test(exception_knows_where_it_would_return_to),
	        cmocka_unit_test(exception_says_that_it_cancels_what_was_given_out),
	        cmocka_unit_test(exception_says_that_what_ran_last_is_resumed),
	        cmocka_unit_test(exception_changes_the_security_state),
	        cmocka_unit_test(alternative_encoding_has_short_exceptions),
	        cmocka_unit_test(exception_return_is_in_doubt_with_its_instruction),
	        cmocka_unit_test(exception_return_of_m_profile_is_in_doubt_alone),
	        cmocka_unit_test(exception_entry_is_a_marker_without_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
