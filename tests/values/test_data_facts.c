/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data trace as facts about the past: which instruction an item is of, and where that is not
 * certain, nothing. ETMv3, IHI 0014, 7.4. Each program ends with instructions that overwrite what
 * the test asks for, so that the halt does not say it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/values/explain/explain.h"
#include "replay/values/solver/solver.h"
#include "tests/values/made_a32.h"

#define LDR_R1_R3      UINT32_C(0xe5931000)
#define LDR_R1_R3_8    UINT32_C(0xe5931008)
#define LDR_R1_R2      UINT32_C(0xe5921000)
#define LDREQ_R1_R3    UINT32_C(0x05931000)
#define LDRB_R1_R3     UINT32_C(0xe5d31000)
#define LDRSB_R1_R3    UINT32_C(0xe1d310d0)
#define LDRD_R4_R3     UINT32_C(0xe1c340d0)
#define LDM_R3_R4_R5   UINT32_C(0xe8930030)
#define LDMDB_R3_R4_R5 UINT32_C(0xe9130030)
#define LDM_R3_R4_PC   UINT32_C(0xe8938010)
#define STR_R1_R3      UINT32_C(0xe5831000)
#define STREQ_R1_R3    UINT32_C(0x05831000)
#define STM_R3_R4_R5   UINT32_C(0xe8830030)
#define SWP_R1_R4_R3   UINT32_C(0xe1031094)
#define STREX_R1_R4_R3 UINT32_C(0xe1831f94)
#define VLDR_D0_R3     UINT32_C(0xed930b00)
#define VMOV_R4_R5_D0  UINT32_C(0xec554b10)
#define MRC_R5         UINT32_C(0xee105f10)
#define VMOV_R5_S0     UINT32_C(0xee105a10)
#define MRRC_R5_R6     UINT32_C(0xec565f00)
#define NOP            UINT32_C(0xe1a00000)
#define UNKNOWN        UINT32_C(0xe7b00010)
#define MOV_R1_7       UINT32_C(0xe3a01007)
#define MOV_R3_0       UINT32_C(0xe3a03000)
#define MOV_R4_0       UINT32_C(0xe3a04000)
#define MOV_R5_0       UINT32_C(0xe3a05000)
#define CLEAR          MOV_R1_7, MOV_R3_0, MOV_R4_0, MOV_R5_0

enum { MOST = 16, R1 = 1, R3 = 3, R4 = 4, R5 = 5, ELSEWHERE = 0x9000 };

#define NOTHING UINT64_MAX

/* An item after an instruction of the program. */
struct placed {
	size_t after; /* its index */
	struct element element;
};

static struct element transfer(uint64_t address, uint64_t value)
{
	struct element e = {.type = ELEMENT_DATA};

	e.data.has_address = address != NOTHING;
	e.data.address = address;
	e.data.has_value = value != NOTHING;
	e.data.value = value;
	return e;
}

static struct element item(enum data_kind kind, uint64_t address, uint64_t value, uint8_t tag)
{
	struct element e = transfer(address, value);

	e.data.kind = kind;
	e.data.tag = tag;
	return e;
}

static struct element big_endian(uint64_t address, uint64_t value)
{
	struct element e = transfer(address, value);

	e.data.is_big_endian = true;
	return e;
}

/* One range an instruction, as ETMv3 has it; those of `failed` (a bit each) failed their condition.
 */
static void run_traced(struct program *p, size_t count, uint32_t failed, const struct placed *items,
                       size_t item_count)
{
	struct element elements[2 * MOST];
	size_t n = 0;

	assert_true(count + item_count <= 2 * MOST);
	p->protocol = PROTOCOL_ETM3;
	put_u32(p->r[1], 7);
	for (size_t i = 0; i < count; i++) {
		elements[n++] = run_at(ISA_A32, CODE + 4 * i, 1, false, (failed >> i & 1) == 0);
		for (size_t k = 0; k < item_count; k++) {
			if (items[k].after == i)
				elements[n++] = items[k].element;
		}
	}
	finish(p, elements, n);
}

#define RUN(p, failed, ...)                                                                        \
	do {                                                                                       \
		const struct placed items[] = {__VA_ARGS__};                                       \
                                                                                                   \
		run_traced((p), COUNT, (failed), items, sizeof(items) / sizeof(items[0]));         \
	} while (false)

static void load_has_its_address_and_value(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R3_8, CLEAR);
	RUN(&p, 0, {0, transfer(ELSEWHERE + 8, 0x12345678)});
	assert_is(&p, 0, R3, ELSEWHERE);
	assert_is(&p, 1, R1, 0x12345678);
	assert_unknown(&p, 0, R1);
	end(&p);
}

/* What is traced is what was before it was extended. */
static void bytes_are_extended_as_the_load_does(void **state)
{
	static const uint32_t expected[] = {0xab, 0xffffffab};

	(void)state;
	for (unsigned int is_signed = 0; is_signed < 2; is_signed++) {
		struct program p;

		BEGIN_A32(&p, LDRB_R1_R3, CLEAR);
		if (is_signed)
			put_u32(p.code, LDRSB_R1_R3);
		RUN(&p, 0, {0, transfer(ELSEWHERE, 0xab)});
		assert_is(&p, 1, R1, expected[is_signed]);
		end(&p);
	}
}

static void store_has_what_its_register_held(void **state)
{
	const uint8_t stored[4] = {0x44, 0x33, 0x22, 0x11};
	uint8_t bytes[4];
	struct program p;

	(void)state;
	BEGIN_A32(&p, NOP, STR_R1_R3, MOV_R1_7, STR_R1_R3, CLEAR);
	put_u32(p.data, 7);
	RUN(&p, 0, {1, transfer(DATA_AT, 0x11223344)});
	assert_is(&p, 0, R3, DATA_AT);
	assert_is(&p, 1, R1, 0x11223344);
	assert_int_equal(values_memory(p.values, 1, DATA_AT, bytes, 4), 0);
	assert_int_equal(values_memory(p.values, 3, DATA_AT, bytes, 4), 4);
	assert_memory_equal(bytes, stored, 4);
	end(&p);
}

/* An address alone is a fact, and so is a value alone. */
static void address_and_value_stand_alone(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R3, CLEAR);
	RUN(&p, 0, {0, transfer(ELSEWHERE, NOTHING)});
	assert_is(&p, 0, R3, ELSEWHERE);
	assert_unknown(&p, 1, R1);
	end(&p);
	begin_a32(&p, opcodes, COUNT);
	RUN(&p, 0, {0, transfer(NOTHING, 0x33)});
	assert_unknown(&p, 0, R3);
	assert_is(&p, 1, R1, 0x33);
	end(&p);
	begin_a32(&p, opcodes, COUNT);
	RUN(&p, 0, {0, item(DATA_NOT_TRACED, ELSEWHERE, NOTHING, 0)});
	assert_is(&p, 0, R3, ELSEWHERE);
	end(&p);
}

/* One packet each 32 bits, the address with the first alone: an LDRD, an LDM, an LDMDB, a VLDR. */
static void words_of_one_instruction_follow_each_other(void **state)
{
	static const struct {
		uint32_t opcode;
		uint32_t base;
		uint32_t second;
	} cases[] = {
	        {LDRD_R4_R3, ELSEWHERE, NOP},           {LDM_R3_R4_R5, ELSEWHERE, NOP},
	        {LDMDB_R3_R4_R5, ELSEWHERE + 8, NOP},   {STM_R3_R4_R5, ELSEWHERE, NOP},
	        {VLDR_D0_R3, ELSEWHERE, VMOV_R4_R5_D0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;

		BEGIN_A32(&p, NOP, NOP, CLEAR);
		put_u32(p.code, cases[i].opcode);
		put_u32(p.code + 4, cases[i].second);
		RUN(&p, 0, {0, transfer(ELSEWHERE, 0x1111)}, {0, transfer(NOTHING, 0x2222)});
		assert_is(&p, 0, R3, cases[i].base);
		assert_is(&p, 2, R4, 0x1111);
		assert_is(&p, 2, R5, 0x2222);
		end(&p);
	}
}

/* Some cores load the PC first, and say where from (7.4.4). Without addresses that does not show.
 */
static void pc_may_be_loaded_first(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDM_R3_R4_PC, CLEAR);
	RUN(&p, 0, {0, transfer(ELSEWHERE + 4, CODE + 4)}, {0, transfer(ELSEWHERE, 0x55)});
	assert_is(&p, 0, R3, ELSEWHERE);
	assert_is(&p, 1, R4, 0x55);
	end(&p);
	begin_a32(&p, opcodes, COUNT);
	RUN(&p, 0, {0, transfer(NOTHING, 0x55)}, {0, transfer(NOTHING, CODE + 4)});
	assert_unknown(&p, 1, R4);
	end(&p);
}

/* Instructions that transfer nothing may be done before a transfer is; so may one that did not
 * pass its condition. */
static void items_are_of_the_last_that_transfers(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R3, NOP, STREQ_R1_R3, NOP, CLEAR);
	RUN(&p, 1U << 2, {3, transfer(ELSEWHERE, 0x33)});
	assert_is(&p, 0, R3, ELSEWHERE);
	assert_is(&p, 1, R1, 0x33);
	end(&p);
	begin_a32(&p, opcodes, COUNT);
	put_u32(p.r[R_CPSR], 0x40000010); /* EQ */
	put_u32(p.data, 0x33);
	RUN(&p, 0, {3, transfer(DATA_AT, 0x33)});
	assert_is(&p, 2, R1, 0x33); /* the store is the last one; it is of the same register */
	assert_is(&p, 2, R3, DATA_AT);
	end(&p);
}

static void passed_condition_has_its_data(void **state)
{
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDREQ_R1_R3, CLEAR);
	put_u32(p.r[R_CPSR], 0x40000010); /* EQ */
	RUN(&p, 0, {0, transfer(ELSEWHERE, 0x33)});
	assert_is(&p, 1, R1, 0x33);
	end(&p);
}

/* A timestamp or a periodic I-Sync between changes nothing; the value of a place comes late. */
static void what_lies_between_does_not_part_them(void **state)
{
	const struct element timestamp = {.type = ELEMENT_TIMESTAMP, .timestamp = 5};
	const struct element context = {
	        .type = ELEMENT_PE_CONTEXT,
	        .context = {.security = SECURITY_NON_SECURE, .level = EL_UNKNOWN}};
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDM_R3_R4_R5, NOP, LDR_R1_R3_8, CLEAR);
	RUN(&p, 0, {0, timestamp}, {0, item(DATA_PLACE, ELSEWHERE, NOTHING, 1)}, {0, context},
	    {1, timestamp}, {1, transfer(NOTHING, 0x22)}, {2, transfer(ELSEWHERE + 8, 0x33)},
	    {2, item(DATA_LATE, NOTHING, 0x11, 1)});
	assert_is(&p, 0, R3, ELSEWHERE);
	assert_is(&p, 1, R4, 0x11);
	assert_is(&p, 1, R5, 0x22);
	assert_is(&p, 3, R1, 0x33);
	end(&p);
}

/*
 *	0 it eq			passed
 *	2 ldreq r1, [r3, #4]
 *	4 push {r4, lr}		two words below SP
 *	6 pop {r4, pc}
 */
static void t32_is_as_a32(void **state)
{
	struct program p;

	(void)state;
	BEGIN_T32(&p, T_IT_EQ, 0x6859, 0xb510, 0xbd10, T_MOV_R1_7, 0x2300, 0x2400);
	{
		const struct element elements[] = {
		        run_at(ISA_T32, CODE, 1, false, true),
		        run_at(ISA_T32, CODE + 2, 1, false, true),
		        transfer(ELSEWHERE + 4, 0x33),
		        run_at(ISA_T32, CODE + 4, 1, false, true),
		        transfer(0xa000 - 8, 0x44),
		        transfer(NOTHING, CODE + 9),
		        run_at(ISA_T32, CODE + 6, 1, true, true),
		        transfer(0xa000 - 4, CODE + 9),
		        transfer(0xa000 - 8, 0x44),
		        run_at(ISA_T32, CODE + 8, 1, false, true),
		        run_at(ISA_T32, CODE + 10, 1, false, true),
		        run_at(ISA_T32, CODE + 12, 1, false, true),
		};

		p.protocol = PROTOCOL_ETM3;
		put_u32(p.r[1], 7);
		put_u32(p.r[R_SP], 0xa000);
		put_u32(p.r[R_LR], CODE + 9);
		put_u32(p.r[R_CPSR], 0x40000030);
		finish(&p, elements, sizeof(elements) / sizeof(elements[0]));
	}
	assert_is(&p, 1, R3, ELSEWHERE);
	assert_is(&p, 2, R1, 0x33);
	assert_is(&p, 2, R_SP, 0xa000);
	assert_is(&p, 2, R4, 0x44);
	end(&p);
}

struct unsaid {
	uint32_t first;
	uint32_t second;
	struct placed items[3];
	size_t count;
};

/* Nothing is said of R1, R3 and R4, which the first two instructions use. */
static void assert_no_fact(const struct unsaid *u)
{
	struct program p;

	BEGIN_A32(&p, NOP, NOP, CLEAR);
	put_u32(p.code, u->first);
	put_u32(p.code + 4, u->second);
	run_traced(&p, COUNT, 0, u->items, u->count);
	assert_unknown(&p, 0, R3);
	assert_unknown(&p, 0, R1);
	assert_unknown(&p, 1, R4);
	/* The status of a store exclusive is 0 or 1. */
	if (u->first != NOP && u->first != STREX_R1_R4_R3)
		assert_unknown(&p, 1, R1);
	end(&p);
}

/* Each list is of something else, incomplete, or not certain. */
static void what_is_not_certain_is_no_fact(void **state)
{
	const struct element exception = {.type = ELEMENT_EXCEPTION};
	const struct element abort = {.type = ELEMENT_EXCEPTION, .exception = {.number = 12}};
	const struct element on = {.type = ELEMENT_TRACE_ON};
	const struct element lost = {.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET};
	const struct element failed = item(DATA_STORE_FAILED, NOTHING, NOTHING, 0);
	const struct element one = transfer(ELSEWHERE, 0x33);
	const struct element next = transfer(NOTHING, 0x44);
	const struct unsaid cases[] = {
	        /* too many, too few, of the wrong size, or where it makes none */
	        {LDR_R1_R3, NOP, {{0, one}, {0, next}}, 2},
	        {LDM_R3_R4_R5, NOP, {{0, one}}, 1},
	        {LDRB_R1_R3, NOP, {{0, transfer(ELSEWHERE, 0x100)}}, 1},
	        {LDM_R3_R4_R5, NOP, {{0, one}, {0, transfer(ELSEWHERE + 8, 1)}}, 2},
	        {LDM_R3_R4_R5, NOP, {{0, one}, {0, one}}, 2},
	        /* only the second word has an address */
	        {LDM_R3_R4_R5, NOP, {{0, next}, {0, one}}, 2},
	        /* big endian; a store that failed; an exclusive one; a load and a store in one */
	        {LDR_R1_R3, NOP, {{0, big_endian(ELSEWHERE, 0x33)}}, 1},
	        {STR_R1_R3, NOP, {{0, one}, {0, failed}}, 2},
	        {STREX_R1_R4_R3, NOP, {{0, one}}, 1},
	        {SWP_R1_R4_R3, NOP, {{0, one}, {0, next}}, 2},
	        {SWP_R1_R4_R3, NOP, {{0, next}, {0, next}}, 2},
	        /* between there is what may have transferred data, too */
	        {LDR_R1_R3, MRC_R5, {{1, one}}, 1},
	        {LDR_R1_R3, VMOV_R5_S0, {{1, one}}, 1},
	        {LDR_R1_R3, MRRC_R5_R6, {{1, one}}, 1},
	        {LDR_R1_R3, UNKNOWN, {{1, one}}, 1},
	        /* the core was interrupted, or tracing was */
	        {LDR_R1_R3, NOP, {{0, exception}, {0, one}}, 2},
	        {LDR_R1_R3, NOP, {{0, one}, {0, abort}}, 2},
	        {LDR_R1_R3, NOP, {{0, on}, {0, one}}, 2},
	        {LDR_R1_R3, NOP, {{0, lost}, {0, one}}, 2},
	        /* nobody is there */
	        {NOP, NOP, {{0, one}}, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("case %zu\n", i);
		assert_no_fact(&cases[i]);
	}
}

/* A trace whose data are not those of its code: nothing is said at all. */
static void data_that_contradict_the_halt_end_the_past(void **state)
{
	struct solve_options window;
	uint64_t position;
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R2, MOV_R3_0, MOV_R1_7);
	RUN(&p, 0, {0, transfer(DATA_AT, STORED + 1)});
	assert_unknown(&p, 2, R3);
	assert_true(values_conflict(p.values, &window, &position));
	assert_int_equal(position, 0);
	end(&p);
}

static void why_says_the_data_trace(void **state)
{
	const struct why_subject r1 = {.number = A32_r0 + R1};
	const struct why_subject r3 = {.number = A32_r0 + R3};
	const struct why_options options = {.all = false};
	struct text said = {0};
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R3, CLEAR);
	RUN(&p, 0, {0, transfer(ELSEWHERE, 0x33)});
	assert_int_equal(why_value(p.values, 1, &r1, &options, &said), STATUS_OK);
	assert_string_equal(said.data,
	                    "r1 at position 1 is 0x33, proved:\n"
	                    "  0  0x1000  ldr r1, [r3]: r1 = 0x33, since the data trace has it\n");
	text_clear(&said);
	assert_int_equal(why_value(p.values, 0, &r3, &options, &said), STATUS_OK);
	assert_string_equal(
	        said.data, "r3 at position 0 is 0x9000, proved:\n"
	                   "  0  0x1000  ldr r1, [r3]: r3 = 0x9000, since the data trace has it\n");
	text_fini(&said);
	end(&p);
}

/* What a watchpoint asks: also of memory that no dump holds. */
static void accesses_are_found(void **state)
{
	const struct values_range all = {0, 4, true};
	struct values_target target = {ELSEWHERE + 2, 1, true, false};
	struct values_may_alias doubt;
	struct values_access access;
	struct program p;

	(void)state;
	BEGIN_A32(&p, LDR_R1_R3, STR_R1_R3, NOP, CLEAR);
	RUN(&p, 0, {0, transfer(ELSEWHERE, 0x33)}, {1, transfer(ELSEWHERE, 0x33)});
	assert_true(values_find_access(p.values, &all, &target, &access));
	assert_int_equal(access.position, 0);
	assert_int_equal(access.address, ELSEWHERE + 2);
	target = (struct values_target){ELSEWHERE, 4, false, true};
	assert_true(values_find_access(p.values, &all, &target, &access));
	assert_int_equal(access.position, 1);
	target = (struct values_target){ELSEWHERE + 4, 4, true, true};
	assert_false(values_find_access(p.values, &all, &target, &access));
	values_find_may_alias(p.values, &all, &target, &doubt);
	assert_int_equal(doubt.count, 0);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(load_has_its_address_and_value),
	        cmocka_unit_test(bytes_are_extended_as_the_load_does),
	        cmocka_unit_test(store_has_what_its_register_held),
	        cmocka_unit_test(address_and_value_stand_alone),
	        cmocka_unit_test(words_of_one_instruction_follow_each_other),
	        cmocka_unit_test(pc_may_be_loaded_first),
	        cmocka_unit_test(items_are_of_the_last_that_transfers),
	        cmocka_unit_test(passed_condition_has_its_data),
	        cmocka_unit_test(what_lies_between_does_not_part_them),
	        cmocka_unit_test(t32_is_as_a32),
	        cmocka_unit_test(what_is_not_certain_is_no_fact),
	        cmocka_unit_test(data_that_contradict_the_halt_end_the_past),
	        cmocka_unit_test(why_says_the_data_trace),
	        cmocka_unit_test(accesses_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
