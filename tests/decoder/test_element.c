/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each generic element in both of its forms: the fields of the specification "Generic Trace
 * Packets", and the line that OpenCSD 1.8's lister prints (ocsd_gen_elem.cpp).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "decoder/element/element.h"

#define GEN "OCSD_GEN_TRC_ELEM_"

/* `inner` is what lies between the parentheses of the text, `fields` what is after the JSON's
 * type. */
static void assert_forms(struct element e, const char *name, const char *inner, const char *fields)
{
	struct text text = {0};
	struct text json = {0};
	struct text expected = {0};

	e.offset = 1692;
	e.trace_id = 0x1f;
	element_format_text(&e, &text);
	text_printf(&expected, "Idx:1692; ID:1f; " GEN "%s(%s)", name, inner);
	assert_string_equal(text.data, expected.data);
	text_clear(&expected);
	element_format_json(&e, &json);
	text_printf(&expected, "{\"index\":1692,\"id\":\"0x1f\",\"elem_type\":\"" GEN "%s\"%s}",
	            name, fields);
	assert_string_equal(json.data, expected.data);
	text_fini(&text);
	text_fini(&json);
	text_fini(&expected);
}

/* Those that have nothing but a type, each of them with a cycle count too. */
/* Of a text: exceptions and what else stands between instructions have the name that it gives them.
 */
static void element_of_a_text_has_its_name(void **state)
{
	struct element e = {.type = ELEMENT_CUSTOM, .offset = 1692, .custom = STR("External \x01")};
	struct text out = {0};

	(void)state;
	element_format_text(&e, &out);
	assert_string_equal(out.data, "Idx:1692; ID:0; OCSD_GEN_TRC_ELEM_CUSTOM(\"External ?\")");
	text_clear(&out);
	e = (struct element){.type = ELEMENT_EXCEPTION,
	                     .exception = {.is_unnumbered = true, .name = STR("Reset")}};
	element_format_text(&e, &out);
	assert_string_equal(out.data, "Idx:0; ID:0; OCSD_GEN_TRC_ELEM_EXCEPTION(\"Reset\")");
	text_clear(&out);
	element_format_json(&e, &out);
	assert_null(strstr(out.data, "exception_number"));
	assert_non_null(strstr(out.data, "\"name\":\"Reset\""));
	text_fini(&out);
}

static void element_without_fields_has_its_name(void **state)
{
	static const struct {
		enum element_type type;
		const char *name;
	} rows[] = {
	        {ELEMENT_UNKNOWN, "UNKNOWN"},
	        {ELEMENT_ADDR_UNKNOWN, "ADDR_UNKNOWN"},
	        {ELEMENT_EXCEPTION_RET, "EXCEPTION_RET"},
	        {ELEMENT_CYCLE_COUNT, "CYCLE_COUNT"},
	        {ELEMENT_CUSTOM, "CUSTOM"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct element e = {.type = rows[i].type};

		assert_forms(e, rows[i].name, "", "");
		e.has_cycles = true;
		e.cycles = 4000000000U;
		assert_forms(e, rows[i].name, " [CC=4000000000]; ", ",\"cycle_count\":4000000000");
	}
	assert_string_equal(element_type_name((enum element_type)99), "?");
}

static void element_of_lost_synchronisation_has_its_reason(void **state)
{
	static const char *const reasons[] = {
	        [NO_SYNC_INIT] = "init-decoder",     [NO_SYNC_RESET] = "reset-decoder",
	        [NO_SYNC_OVERFLOW] = "overflow",     [NO_SYNC_DISCARD] = "discard",
	        [NO_SYNC_BAD_PACKET] = "bad-packet", [NO_SYNC_END] = "end-of-trace",
	};
	static const struct {
		const char *text;
		const char *json;
	} begins[] = {
	        [TRACE_ON_NORMAL] = {"begin or filter", "normal"},
	        [TRACE_ON_OVERFLOW] = {"overflow", "overflow"},
	        [TRACE_ON_EX_DEBUG] = {"debug restart", "ex_debug"},
	};
	char inner[64];
	char fields[64];

	(void)state;
	for (unsigned int i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		struct element e = {.type = ELEMENT_NO_SYNC, .no_sync = (enum no_sync_reason)i};

		(void)snprintf(inner, sizeof(inner), " [%s]", reasons[i]);
		(void)snprintf(fields, sizeof(fields), ",\"unsync_eot_info\":\"%s\"", reasons[i]);
		assert_forms(e, "NO_SYNC", inner, fields);
		e.type = ELEMENT_EO_TRACE;
		assert_forms(e, "EO_TRACE", inner, fields);
	}
	for (unsigned int i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		struct element e = {.type = ELEMENT_TRACE_ON, .trace_on = (enum trace_on_reason)i};

		(void)snprintf(inner, sizeof(inner), " [%s]", begins[i].text);
		(void)snprintf(fields, sizeof(fields), ",\"trace_on_reason\":\"%s\"",
		               begins[i].json);
		assert_forms(e, "TRACE_ON", inner, fields);
	}
}

/* The last instruction: its class, what kind of branch, whether it was taken and had a condition.
 */
static void element_range_tells_its_last_instruction(void **state)
{
	static const struct {
		enum insn_class class;
		enum insn_subclass subclass;
		const char *text;
		const char *type;
		const char *subtype;
	} rows[] = {
	        {INSN_OTHER, INSN_SUB_NONE, "--- ", "OTHER", "NONE"},
	        {INSN_BRANCH, INSN_SUB_LINK, "BR  b+link ", "BR", "BR_LINK"},
	        {INSN_BRANCH_INDIRECT, INSN_SUB_A64_RET, "iBR A64:ret ", "BR_INDIRECT", "V8_RET"},
	        {INSN_BRANCH_INDIRECT, INSN_SUB_A64_ERET, "iBR A64:eret ", "BR_INDIRECT",
	         "V8_ERET"},
	        {INSN_BRANCH_INDIRECT, INSN_SUB_V7_IMPLIED_RET, "iBR V7:impl ret", "BR_INDIRECT",
	         "V7_IMPLIED_RET"},
	        {INSN_ISB, INSN_SUB_NONE, "ISB ", "ISB", "NONE"},
	        {INSN_DSB_DMB, INSN_SUB_NONE, "DSB.DMB", "DSB_DMB", "NONE"},
	        {INSN_WFI_WFE, INSN_SUB_NONE, "WFI.WFE", "WFI_WFE", "NONE"},
	        {INSN_TSTART, INSN_SUB_NONE, "TSTART", "TSTART", "NONE"},
	};
	char inner[200];
	char fields[300];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool taken = i % 2 == 0;
		bool conditional = i % 3 == 0;
		struct element e = {.type = ELEMENT_INSTR_RANGE,
		                    .isa = taken ? ISA_A64 : ISA_T32,
		                    .range = {.start = 0xffff800010000000,
		                              .end = 0xffff800010000014,
		                              .count = 5,
		                              .last_size = taken ? 4 : 2,
		                              .last_class = rows[i].class,
		                              .last_subclass = rows[i].subclass,
		                              .last_executed = taken,
		                              .last_conditional = conditional}};

		(void)snprintf(inner, sizeof(inner),
		               "exec range=0xffff800010000000:[0xffff800010000014] num_i(5) "
		               "last_sz(%d) (ISA=%s) %c %s%s",
		               taken ? 4 : 2, taken ? "A64" : "T32", taken ? 'E' : 'N',
		               rows[i].text, conditional ? " <cond>" : "");
		(void)snprintf(fields, sizeof(fields),
		               ",\"isa\":\"%s\",\"st_addr\":\"0xffff800010000000\","
		               "\"en_addr\":\"0xffff800010000014\",\"num_instr_range\":5,"
		               "\"last_i_type\":\"%s\",\"last_i_subtype\":\"%s\","
		               "\"last_instr_exec\":%s,\"last_instr_sz\":%d,\"last_instr_cond\":%s",
		               taken ? "A64" : "T32", rows[i].type, rows[i].subtype,
		               taken ? "true" : "false", taken ? 4 : 2,
		               conditional ? "true" : "false");
		assert_forms(e, "INSTR_RANGE", inner, fields);
	}
}

static void element_range_without_path_has_its_ends(void **state)
{
	struct element e = {.type = ELEMENT_I_RANGE_NOPATH,
	                    .isa = ISA_A32,
	                    .range = {.start = 0x8000, .end = 0x8010, .count = 3}};

	(void)state;
	assert_forms(e, "I_RANGE_NOPATH", "first 0x8000:[next 0x8010] num_i(3) ",
	             ",\"isa\":\"A32\",\"st_addr\":\"0x8000\",\"en_addr\":\"0x8010\","
	             "\"num_instr_range\":3");
}

static void element_exception_has_a_return_address_if_it_is_known(void **state)
{
	struct element e = {.type = ELEMENT_EXCEPTION, .exception = {.number = 2}};

	(void)state;
	assert_forms(e, "EXCEPTION", "excep num (0x02) ",
	             ",\"exception_number\":2,\"excep_ret_addr\":false,"
	             "\"excep_ret_addr_br_tgt\":false,\"excep_data_marker\":false");
	e.exception.is_data_marker = true;
	e.exception.number = 0;
	assert_forms(e, "EXCEPTION", "excep num (0x00) ",
	             ",\"excep_ret_addr\":false,\"excep_ret_addr_br_tgt\":false,"
	             "\"excep_data_marker\":true");
	e.exception.has_return_address = true;
	e.exception.return_address = 0x1234;
	e.exception.number = 0x1ab;
	e.exception.return_is_branch_target = true;
	e.exception.is_data_marker = false;
	assert_forms(e, "EXCEPTION",
	             "pref ret addr:0x1234 [addr also prev br tgt]; excep num (0x1ab) ",
	             ",\"exception_number\":427,\"excep_ret_addr\":true,\"en_addr\":\"0x1234\","
	             "\"excep_ret_addr_br_tgt\":true,\"excep_data_marker\":false");
}

static void element_context_has_what_is_known_of_it(void **state)
{
	static const struct {
		enum security_state security;
		const char *text;
		const char *json;
	} rows[] = {
	        {SECURITY_SECURE, "S; ", "secure"},
	        {SECURITY_NON_SECURE, "N; ", "nonsecure"},
	        {SECURITY_ROOT, "Root; ", "root"},
	        {SECURITY_REALM, "Realm; ", "realm"},
	};
	char inner[100];
	char fields[200];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct element e = {.type = ELEMENT_PE_CONTEXT,
		                    .isa = ISA_A64,
		                    .context = {.security = rows[i].security, .level = EL_UNKNOWN}};

		(void)snprintf(inner, sizeof(inner), "(ISA=A64) %s32-bit; ", rows[i].text);
		(void)snprintf(
		        fields, sizeof(fields),
		        ",\"isa\":\"A64\",\"context\":{\"security_level\":\"%s\",\"bits64\":false}",
		        rows[i].json);
		assert_forms(e, "PE_CONTEXT", inner, fields);
		e.context = (struct pe_context){rows[i].security,
		                                (enum exception_level)i,
		                                true,
		                                true,
		                                true,
		                                0xabc,
		                                0xd,
		                                false};
		(void)snprintf(inner, sizeof(inner),
		               "(ISA=A64) EL%zu%s64-bit; VMID=0xd; CTXTID=0xabc; ", i,
		               rows[i].text);
		(void)snprintf(fields, sizeof(fields),
		               ",\"isa\":\"A64\",\"context\":{\"security_level\":\"%s\","
		               "\"exception_level\":%zu,\"bits64\":true,\"context_id\":\"0xabc\","
		               "\"vmid\":\"0xd\"}",
		               rows[i].json, i);
		assert_forms(e, "PE_CONTEXT", inner, fields);
	}
}

static void element_space_is_that_of_its_context(void **state)
{
	static const struct {
		enum security_state security;
		enum space spaces[5]; /* of level unknown, EL0 to EL3 */
	} rows[] = {
	        {SECURITY_SECURE, {SPACE_S, SPACE_EL1S, SPACE_EL1S, SPACE_EL2S, SPACE_EL3}},
	        {SECURITY_NON_SECURE, {SPACE_N, SPACE_EL1N, SPACE_EL1N, SPACE_EL2, SPACE_EL3}},
	        {SECURITY_ROOT, {SPACE_N, SPACE_ROOT, SPACE_ROOT, SPACE_ROOT, SPACE_ROOT}},
	        {SECURITY_REALM, {SPACE_N, SPACE_EL1R, SPACE_EL1R, SPACE_EL2R, SPACE_ROOT}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int level = EL_UNKNOWN; level <= EL_3; level++) {
			struct pe_context context = {.security = rows[i].security,
			                             .level = (enum exception_level)level};

			assert_int_equal(pe_context_space(&context), rows[i].spaces[level + 1]);
		}
	}
}

static void element_of_one_number_has_it(void **state)
{
	static const char *const memtrans[] = {"Init", "Start", "Commit", "Fail"};
	char fields[40];

	(void)state;
	assert_forms((struct element){.type = ELEMENT_ADDR_NACC, .nacc = {0xf000, SPACE_EL1N}},
	             "ADDR_NACC", " 0xf000; Memspace [0x2:EL1N] ",
	             ",\"st_addr\":\"0xf000\",\"mem_space\":\"EL1N\"");
	assert_forms((struct element){.type = ELEMENT_ADDR_NACC, .nacc = {0xf000, SPACE_EL2}},
	             "ADDR_NACC", " 0xf000; Memspace [0x4:EL2N] ",
	             ",\"st_addr\":\"0xf000\",\"mem_space\":\"EL2\"");
	assert_forms((struct element){.type = ELEMENT_ADDR_NACC, .nacc = {0xf000, SPACE_ROOT}},
	             "ADDR_NACC", " 0xf000; Memspace [0x80:Root] ",
	             ",\"st_addr\":\"0xf000\",\"mem_space\":\"ROOT\"");
	assert_forms((struct element){.type = ELEMENT_TIMESTAMP, .timestamp = 0x82f9d}, "TIMESTAMP",
	             " [ TS=0x000000082f9d]; ", ",\"timestamp\":536477");
	assert_forms((struct element){.type = ELEMENT_EVENT, .event = {0, 0}}, "EVENT", "",
	             ",\"trace_event\":{\"ev_type\":0,\"ev_number\":0}");
	assert_forms((struct element){.type = ELEMENT_EVENT, .event = {1, 0}}, "EVENT",
	             " Trigger; ", ",\"trace_event\":{\"ev_type\":1,\"ev_number\":0}");
	assert_forms((struct element){.type = ELEMENT_EVENT, .event = {2, 9}}, "EVENT",
	             " Numbered:9; ", ",\"trace_event\":{\"ev_type\":2,\"ev_number\":9}");
	assert_forms((struct element){.type = ELEMENT_SYNC_MARKER, .sync_marker = 0x2a},
	             "SYNC_MARKER", " [Timestamp marker(0x0000002a)]", ",\"sync_marker\":42");
	assert_forms(
	        (struct element){.type = ELEMENT_INSTRUMENTATION, .instrumentation = {2, 0xfeed}},
	        "INSTRUMENTATION", "EL2; 0x000000000000feed",
	        ",\"sw_ite\":{\"el\":2,\"value\":\"0xfeed\"}");
	for (unsigned int i = 0; i < 4; i++) {
		(void)snprintf(fields, sizeof(fields), ",\"mem_trans\":%u", i);
		assert_forms(
		        (struct element){.type = ELEMENT_MEMTRANS, .memtrans = (enum memtrans)i},
		        "MEMTRANS", memtrans[i], fields);
	}
}

static void element_data_has_what_its_packet_has(void **state)
{
	static const struct {
		struct data_trace data;
		const char *text;
		const char *json;
	} rows[] = {
	        {{.kind = DATA_TRANSFER,
	          .has_address = true,
	          .has_value = true,
	          .address = 0x8004,
	          .value = 0x55},
	         "addr=0x8004; val=0x55; ",
	         "\"transfer\",\"st_addr\":\"0x8004\",\"big_endian\":false,\"value\":\"0x55\"}"},
	        {{.kind = DATA_TRANSFER,
	          .has_address = true,
	          .is_big_endian = true,
	          .address = 0x80},
	         "addr=0x80 BE; ",
	         "\"transfer\",\"st_addr\":\"0x80\",\"big_endian\":true}"},
	        {{.kind = DATA_TRANSFER, .has_value = true},
	         "val=0x0; ",
	         "\"transfer\",\"value\":\"0x0\"}"},
	        {{.kind = DATA_PLACE, .tag = 2}, "late; tag=2; ", "\"place\",\"tag\":2}"},
	        {{.kind = DATA_LATE, .tag = 3, .has_value = true, .value = 7},
	         "val=0x7; late; tag=3; ",
	         "\"late\",\"value\":\"0x7\",\"tag\":3}"},
	        {{.kind = DATA_NOT_TRACED}, "not traced; ", "\"not_traced\"}"},
	        {{.kind = DATA_STORE_FAILED}, "store failed; ", "\"store_failed\"}"},
	        {{.kind = DATA_SUPPRESSED}, "suppressed; ", "\"suppressed\"}"},
	};
	char fields[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(fields, sizeof(fields), ",\"data\":{\"kind\":%s", rows[i].json);
		assert_forms((struct element){.type = ELEMENT_DATA, .data = rows[i].data}, "DATA",
		             rows[i].text, fields);
	}
}

static void element_packet_is_listed_with_its_bytes(void **state)
{
	static const uint8_t bytes[] = {0x0f, 0xa0};
	struct listed_packet packet = {"I_ATOM_F3", bytes, 2, "Atom format 3.; EEN"};
	struct element e = element_of_packet(&packet, 0x10, 77);
	struct text out = {0};

	(void)state;
	element_format_text(&e, &out);
	assert_string_equal(out.data,
	                    "Idx:77; ID:10; [0x0f 0xa0 ];\tI_ATOM_F3 : Atom format 3.; EEN");
	text_clear(&out);
	element_format_json(&e, &out);
	assert_string_equal(out.data, "{\"index\":77,\"id\":\"0x10\",\"elem_type\":\"PACKET\","
	                              "\"bytes\":\"0fa0\",\"name\":\"I_ATOM_F3\","
	                              "\"fields\":\"Atom format 3.; EEN\"}");
	text_fini(&out);
}

static void element_isa_has_three_letters(void **state)
{
	(void)state;
	assert_string_equal(isa_name(ISA_UNKNOWN), "Unk");
	assert_string_equal(isa_name(ISA_A64), "A64");
	assert_string_equal(isa_name(ISA_A32), "A32");
	assert_string_equal(isa_name(ISA_T32), "T32");
	assert_string_equal(isa_name(ISA_TEE), "TEE");
	assert_string_equal(isa_name(ISA_JAZELLE), "Jaz");
	assert_string_equal(isa_name((enum isa)99), "Unk");
	assert_string_equal(isa_packet_name(ISA_A64), "AArch64");
	assert_string_equal(isa_packet_name(ISA_A32), "ARM(32)");
	assert_string_equal(isa_packet_name(ISA_T32), "Thumb2");
	assert_string_equal(isa_packet_name(ISA_TEE), "ThumbEE");
	assert_string_equal(isa_packet_name(ISA_JAZELLE), "Jazelle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(element_without_fields_has_its_name),
	        cmocka_unit_test(element_of_a_text_has_its_name),
	        cmocka_unit_test(element_of_lost_synchronisation_has_its_reason),
	        cmocka_unit_test(element_range_tells_its_last_instruction),
	        cmocka_unit_test(element_range_without_path_has_its_ends),
	        cmocka_unit_test(element_exception_has_a_return_address_if_it_is_known),
	        cmocka_unit_test(element_context_has_what_is_known_of_it),
	        cmocka_unit_test(element_space_is_that_of_its_context),
	        cmocka_unit_test(element_of_one_number_has_it),
	        cmocka_unit_test(element_data_has_what_its_packet_has),
	        cmocka_unit_test(element_packet_is_listed_with_its_bytes),
	        cmocka_unit_test(element_isa_has_three_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
