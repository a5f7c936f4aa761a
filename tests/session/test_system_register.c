/* SPDX-License-Identifier: Apache-2.0 */
/* System registers: the names of a description, and where of the past a value is that of the halt.
 */
#include "tests/session/made_session.h"

static const uint8_t pc_4018[8] = {0x18, 0x40};

static const uint8_t system_code[] = {
        0x1f, 0x20, 0x03, 0xd5, /* 4000: nop */
        0x00, 0x10, 0x18, 0xd5, /* 4004: msr sctlr_el1, x0 */
        0x1f, 0x20, 0x03, 0xd5, /* 4008: nop */
        0x20, 0x42, 0x1b, 0xd5, /* 400c: msr daif, x0 */
        0x01, 0x10, 0x38, 0xd5, /* 4010: mrs x1, sctlr_el1 */
        0x1f, 0x20, 0x03, 0xd5, /* 4014: nop */
        0x01, 0x00, 0x00, 0xd4, /* 4018: svc #0 */
        0x1f, 0x20, 0x03, 0xd5, /* 401c: nop */
};

static void open_system(struct fixture *f, const struct element *elements, size_t count,
                        const uint8_t *pc)
{
	make_registers(f);
	f->registers[0].value = pc;
	f->registers[1] =
	        (struct snap_register){.name = STR("SCTLR_EL1"), .bits = 64, .value = x1_value};
	f->registers[2] =
	        (struct snap_register){.name = STR("CNTVCT_EL0"), .bits = 64, .value = x1_value};
	begin_core(f);
	add_region(f->core.memory, 0x4000, system_code, sizeof(system_code), false);
	assert_int_equal(open_core(f, elements, count), 0);
}

/* Whether the register is known at a position, and then as at the halt. */
static bool is_known(const struct fixture *f, uint64_t position, const char *name)
{
	struct value value;
	unsigned int number;

	assert_true(register_system_find(session_registers(f->session), str_of(name), &number));
	session_register_at(f->session, 0, position, number, &value);
	assert_int_equal(value.size, 8);
	if (value_is_known(&value))
		assert_int_equal(value_u64(&value), UINT64_C(0x8877665544332211));
	return value_is_known(&value);
}

static void system_register_is_the_halts_after_the_last_msr(void **state)
{
	const struct element elements[] = {range(0x4000, 6, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(0x4018);
	open_system(&f, elements, 1, pc_4018);
	assert_int_equal(session_registers(f.session)->system_count, 2);
	assert_true(is_known(&f, 6, "sctlr_el1"));
	assert_true(is_known(&f, 5, "sctlr_el1"));
	assert_true(is_known(&f, 2, "sctlr_el1"));
	assert_false(is_known(&f, 1, "sctlr_el1"));
	assert_false(is_known(&f, 0, "sctlr_el1"));
	/* A counter counts without an instruction. */
	assert_true(is_known(&f, 6, "cntvct_el0"));
	assert_false(is_known(&f, 5, "cntvct_el0"));
	close_fixture(&f);
}

static void system_register_may_be_another_before_an_exception_or_a_call(void **state)
{
	static const uint8_t pc[8] = {0x20, 0x40};
	struct element elements[] = {range(0x4008, 2, INSN_OTHER, true),
	                             {.type = ELEMENT_EXCEPTION},
	                             range(0x4010, 2, INSN_OTHER, true)};
	const struct element call[] = {range(0x4010, 4, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(0x4018);
	open_system(&f, elements, 3, pc_4018);
	assert_true(is_known(&f, 2, "sctlr_el1"));
	assert_false(is_known(&f, 1, "sctlr_el1"));
	close_fixture(&f);
	leads_to(0x4020);
	open_system(&f, call, 1, pc);
	assert_true(is_known(&f, 3, "sctlr_el1"));
	assert_false(is_known(&f, 2, "sctlr_el1"));
	close_fixture(&f);
}

static void system_register_of_code_that_is_not_there_is_unknown(void **state)
{
	const struct element elements[] = {range(0x5000, 2, INSN_OTHER, true),
	                                   range(0x4008, 1, INSN_OTHER, true)};
	static const uint8_t at_400c[8] = {0x0c, 0x40};
	struct fixture f;

	(void)state;
	leads_to(0x400c);
	open_system(&f, elements, 2, at_400c);
	assert_true(is_known(&f, history_length(f.history), "sctlr_el1"));
	assert_false(is_known(&f, 0, "sctlr_el1"));
	close_fixture(&f);
}

static const uint8_t nops[] = {
        0x1f, 0x20, 0x03, 0xd5, /* 4000: nop */
        0x1f, 0x20, 0x03, 0xd5, /* 4004: nop */
        0x1f, 0x20, 0x03, 0xd5, /* 4008: nop */
};

/* Context 1 has NOPs where context 2 has an MSR, at 4004. */
static void open_contexts(struct fixture *f, const struct element *elements, size_t count)
{
	static const uint8_t pc[8] = {0x0c, 0x40};
	struct mem_region region = {.address = 0x4000,
	                            .length = sizeof(nops),
	                            .space = SPACE_ANY,
	                            .context = {.has_id = true, .id = 1},
	                            .data = nops,
	                            .origin = STR("test")};

	leads_to(0x400c);
	make_registers(f);
	f->registers[0].value = pc;
	f->registers[1] =
	        (struct snap_register){.name = STR("SCTLR_EL1"), .bits = 64, .value = x1_value};
	begin_core(f);
	assert_int_equal(memmap_add(f->core.memory, &region), STATUS_OK);
	region.context.id = 2;
	region.data = system_code;
	assert_int_equal(memmap_add(f->core.memory, &region), STATUS_OK);
	(void)open_core(f, elements, count);
}

/* It is the MSR of the context that the core was in that counts. */
static void system_register_is_changed_by_the_code_of_its_context(void **state)
{
	for (uint32_t id = 1; id <= 2; id++) {
		const struct memory_context context = {.has_id = true, .id = id};
		struct element elements[] = {range(0x4000, 3, INSN_OTHER, true)};
		struct fixture f;

		(void)state;
		/* Views count the contexts of regions from 2. */
		elements[0].range.view = (uint16_t)(SPACE_EL1N | (id + 1) << 8);
		open_contexts(&f, elements, 1);
		assert_int_equal(elements[0].range.view,
		                 memmap_view(f.core.memory, SPACE_EL1N, &context));
		assert_int_equal(history_length(f.history), 3);
		assert_true(is_known(&f, 2, "sctlr_el1"));
		assert_int_equal(is_known(&f, 1, "sctlr_el1"), id == 1);
		close_fixture(&f);
	}
}

/* With the histories what was known of the past is made anew. */
static void system_register_follows_an_assumption_about_code(void **state)
{
	const struct element elements[] = {range(0x4000, 3, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	open_contexts(&f, elements, 1);
	assert_false(is_known(&f, 0, "sctlr_el1"));
	assert_int_equal(session_assume(f.session, ASSUME_ONE_ADDRESS_SPACE, true), STATUS_OK);
	assert_true(is_known(&f, 0, "sctlr_el1"));
	assert_int_equal(session_assume(f.session, ASSUME_ONE_ADDRESS_SPACE, false), STATUS_OK);
	assert_false(is_known(&f, 0, "sctlr_el1"));
	close_fixture(&f);
}

/* The last word of the address space is code like any other. */
static void system_register_is_changed_at_the_last_address(void **state)
{
	static const uint8_t pc[8] = {0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const uint64_t last = UINT64_C(0xfffffffffffffff8);
	const struct element elements[] = {range(last, 2, INSN_OTHER, true)};
	struct fixture f;

	(void)state;
	leads_to(last);
	make_registers(&f);
	f.registers[0].value = pc;
	f.registers[1] =
	        (struct snap_register){.name = STR("SCTLR_EL1"), .bits = 64, .value = x1_value};
	begin_core(&f);
	add_region(f.core.memory, last, system_code, 8, false);
	(void)open_core(&f, elements, 1);
	assert_true(is_known(&f, history_length(f.history), "sctlr_el1"));
	assert_int_equal(history_length(f.history), 2);
	assert_false(is_known(&f, 1, "sctlr_el1"));
	close_fixture(&f);
}

static void assert_why(const struct fixture *f, uint64_t position, const char *name,
                       const char *expected)
{
	struct why_subject subject = {.is_memory = false};
	struct text said = {0};

	assert_true(
	        register_system_find(session_registers(f->session), str_of(name), &subject.number));
	assert_int_equal(session_seek(f->session, 0, position), STATUS_OK);
	assert_int_equal(session_why(f->session, 0, &subject, false, NULL, &said), STATUS_OK);
	assert_non_null(strstr(said.data, expected));
	text_fini(&said);
}

static void system_register_says_why_it_is_known_or_not(void **state)
{
	const struct element elements[] = {range(0x4000, 6, INSN_OTHER, true)};
	const struct element ending[] = {range(0x4008, 4, INSN_OTHER, true),
	                                 {.type = ELEMENT_EXCEPTION}};
	struct fixture f;

	(void)state;
	leads_to(0x4018);
	open_system(&f, elements, 1, pc_4018);
	assert_why(&f, 6, "sctlr_el1", "those of the snapshot\n");
	assert_why(&f, 2, "sctlr_el1", "it is what it is at the halt");
	assert_why(&f, 1, "sctlr_el1", "an MSR, an exception, a return from one or a gap comes");
	assert_why(&f, 1, "cntvct_el0", "more than MSR and exceptions may change it\n");
	close_fixture(&f);
	leads_to(0x4018);
	open_system(&f, ending, 2, pc_4018);
	assert_why(&f, 3, "sctlr_el1", "it is what it is at the halt");
	close_fixture(&f);
	leads_to(0x4018);
	make_registers(&f);
	f.registers[0].value = pc_4018;
	f.registers[1] =
	        (struct snap_register){.name = STR("ESR_EL1"), .bits = 64, .value = x1_value};
	begin_core(&f);
	add_region(f.core.memory, 0x4000, system_code, sizeof(system_code), false);
	assert_int_equal(open_core(&f, ending, 2), 0);
	assert_true(is_known(&f, 4, "esr_el1"));
	assert_false(is_known(&f, 3, "esr_el1"));
	assert_why(&f, 3, "esr_el1", "the exception there has written it\n");
	close_fixture(&f);
}

/* After the last instruction: nothing ran of the handler of an interrupt, and a reset sets them. */
static void system_register_may_be_another_before_a_reset(void **state)
{
	static const uint32_t numbers[] = {0, 14};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct element elements[] = {
		        range(0x4008, 4, INSN_OTHER, true),
		        {.type = ELEMENT_EXCEPTION, .exception = {.number = numbers[i]}}};
		struct fixture f;

		leads_to(0x4018);
		make_registers(&f);
		f.source.protocol = PROTOCOL_ETM4;
		f.registers[0].value = pc_4018;
		f.registers[1] = (struct snap_register){
		        .name = STR("SCTLR_EL1"), .bits = 64, .value = x1_value};
		begin_core(&f);
		add_region(f.core.memory, 0x4000, system_code, sizeof(system_code), false);
		assert_int_equal(open_core(&f, elements, 2), 0);
		assert_true(is_known(&f, 4, "sctlr_el1"));
		assert_int_equal(is_known(&f, 3, "sctlr_el1"), i == 1);
		close_fixture(&f);
	}
}

static void names_are_such_that_a_debugger_takes_them(void **state)
{
	static const struct {
		const char *name;
		unsigned int bits;
		const char *said; /* NULL: left out */
		unsigned int size;
	} cases[] = {
	        {"ESR_EL1", 32, "esr_el1", 32},
	        {"CP15 c1<&>", 32, "cp15_c1___", 32},
	        {"esr_el1", 64, "esr_el1", 64}, /* of two that differ the wider one */
	        {"Esr_El1", 32, "esr_el1", 64},
	        {"16CTL", 32, "_16ctl", 32},
	        {"X3", 64, NULL, 0},
	        {"LR", 64, NULL, 0},
	        {"TRACE_POS", 64, NULL, 0},
	        {"PMUSERENR", 3, "pmuserenr", 8},
	        {"PAR", 65, "par", 128},
	        {"Z0", 256, NULL, 0},
	        {"", 32, NULL, 0},
	};
	struct register_file file = register_file_of(CORE_A64);
	const struct system_register *reg;
	unsigned int number;
	struct system_register_list list = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
		        system_registers_add(&list, &file, str_of(cases[i].name), cases[i].bits),
		        STATUS_OK);
		file.system = list.items;
		file.system_count = (unsigned int)list.count;
		if (!register_system_find(&file, str_of(cases[i].name), &number)) {
			assert_null(cases[i].said);
			continue;
		}
		reg = register_system(&file, number);
		assert_string_equal(reg->name.p, cases[i].said);
		assert_int_equal(reg->bits, cases[i].size);
	}
	assert_int_equal(list.count, 5);
	for (size_t i = 1; i < list.count; i++)
		assert_true(strcmp(list.items[i - 1].name.p, list.items[i].name.p) < 0);
	system_registers_fini(&list);
}

static void numbers_follow_those_of_the_table(void **state)
{
	const struct system_register registers[2] = {{STR("a"), STR("A"), 32},
	                                             {STR("b__"), STR("B<>"), 64}};
	struct register_file file = register_file_of(CORE_M);
	unsigned int number;

	(void)state;
	assert_null(register_system(&file, M_REGISTERS));
	assert_false(register_file_has(&file, M_REGISTERS));
	file.system = registers;
	file.system_count = 2;
	assert_ptr_equal(register_system(&file, M_REGISTERS + 1), &registers[1]);
	assert_true(register_file_has(&file, M_REGISTERS + 1));
	assert_null(register_system(&file, M_REGISTERS + 2));
	assert_null(register_system(&file, UINT64_MAX));
	assert_null(register_system(&file, M_xpsr));
	assert_true(register_system_find(&file, STR("b<>"), &number));
	assert_int_equal(number, M_REGISTERS + 1);
	assert_true(register_system_find(&file, STR("B__"), &number));
	assert_int_equal(number, M_REGISTERS + 1);
	assert_false(register_system_find(&file, STR("c"), &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(system_register_is_the_halts_after_the_last_msr),
	        cmocka_unit_test(system_register_may_be_another_before_an_exception_or_a_call),
	        cmocka_unit_test(system_register_may_be_another_before_a_reset),
	        cmocka_unit_test(system_register_of_code_that_is_not_there_is_unknown),
	        cmocka_unit_test(system_register_is_changed_by_the_code_of_its_context),
	        cmocka_unit_test(system_register_follows_an_assumption_about_code),
	        cmocka_unit_test(system_register_is_changed_at_the_last_address),
	        cmocka_unit_test(system_register_says_why_it_is_known_or_not),
	        cmocka_unit_test(names_are_such_that_a_debugger_takes_them),
	        cmocka_unit_test(numbers_follow_those_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
