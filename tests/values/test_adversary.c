/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the naive answer is wrong, nothing is said. Each program is a few A64 instructions whose
 * obvious reading gives the value NAIVE, or says that something is unchanged, and is false in an
 * execution that leads to the same trace and the same end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/history_part.h"
#include "replay/register.h"
#include "replay/state.h"
#include "replay/values.h"
#include "replay/why.h"

enum {
	CODE = 0x1000,
	DATA = 0x8000, /* two pages; of the one behind nothing is known */
	DATA_SIZE = 0x2000,
	CODE_MOST = 16,
	REGISTERS = 34,
	PC = 33,
	FLAGS = 32,
	SP = 31,
};

#define NAIVE UINT64_C(0x1122334455667788)

#define NOP         UINT32_C(0xd503201f)
#define MOV_X1_7    UINT32_C(0xd28000e1)
#define MOV_X2_0    UINT32_C(0xd2800002)
#define MOV_X3_0    UINT32_C(0xd2800003)
#define MOV_X4_0    UINT32_C(0xd2800004)
#define MOV_X5_0    UINT32_C(0xd2800005)
#define MOV_X19_0   UINT32_C(0xd2800013)
#define MOV_X19_7   UINT32_C(0xd28000f3)
#define ADD_X1_X1_1 UINT32_C(0x91000421)

#define MOV_X3_7FF8  UINT32_C(0xd28fff03)
#define ADD_X3_X3_8  UINT32_C(0x91002063)
#define ADD_X3_X5_X6 UINT32_C(0x8b0600a3)

#define STR_X1_X2        UINT32_C(0xf9000041)
#define STR_X4_X3        UINT32_C(0xf9000064)
#define STR_W4_X3        UINT32_C(0xb9000064)
#define STRB_W4_X3       UINT32_C(0x39000064)
#define STUR_X4_X3_M3    UINT32_C(0xf81fd064) /* str x4, [x3, #-3] */
#define STP_X4_X5_X3     UINT32_C(0xa9001464)
#define LDP_X4_X5_X3_M16 UINT32_C(0xa97f1464) /* ldp x4, x5, [x3, #-16] */
#define CBZ_X1_8         UINT32_C(0xb4000041)
#define STR_Q4_X3        UINT32_C(0x3d800064)
#define LDR_X1_X2        UINT32_C(0xf9400041)
#define LDR_X5_X2        UINT32_C(0xf9400045)
#define LDP_X2_X3_X2_16  UINT32_C(0xa8c10c42) /* ldp x2, x3, [x2], #16: unpredictable */
#define STR_X19_SP_M16   UINT32_C(0xf81f0ff3) /* str x19, [sp, #-16]! */
#define LDR_X19_SP_16    UINT32_C(0xf84107f3) /* ldr x19, [sp], #16 */

#define STR_X4_SP_X3 UINT32_C(0xf8236be4)
#define PUSH_FRAME   UINT32_C(0xa9bf7bfd) /* stp x29, x30, [sp, #-16]! */
#define POP_FRAME    UINT32_C(0xa8c17bfd)
#define MOV_X30_0    UINT32_C(0xd280001e)
#define BL_8         UINT32_C(0x94000002)
#define RET          UINT32_C(0xd65f03c0)

#define STXR_W5_X1_X2 UINT32_C(0xc8057c41)
#define CAS_X1_X4_X2  UINT32_C(0xc8a17c44)
#define SWP_X1_X4_X2  UINT32_C(0xf8218044)
#define STSET_X4_X3   UINT32_C(0xf824307f)
#define DC_ZVA_X3     UINT32_C(0xd50b7423)
#define DC_IVAC_X3    UINT32_C(0xd5087623)
#define IC_IVAU_X3    UINT32_C(0xd50b7523)
#define MSR_NZCV_X4   UINT32_C(0xd51b4204)
#define B_EQ_8        UINT32_C(0x54000040)
#define CMP_X1_7      UINT32_C(0xf1001c3f)
#define SVC_0         UINT32_C(0xd4000001)
#define PACIASP       UINT32_C(0xd503233f)
#define CHKFEAT_X16   UINT32_C(0xd503251f)
#define SMSTART       UINT32_C(0xd503477f)
#define TTBR0_X4      UINT32_C(0xd5182004) /* msr ttbr0_el1, x4 */
#define SVE_ST1B      UINT32_C(0xe400e060) /* st1b {z0.b}, p0, [x3] */
#define SVE_CNTB_X1   UINT32_C(0x0420e3e1)
#define SVE_WHILELO   UINT32_C(0x25240c60) /* whilelo p0.b, w3, w4: sets the flags */
#define SME_STR_ZA    UINT32_C(0xe1200060) /* str za[w12, 0], [x3] */
#define SETP_X3       UINT32_C(0x19c50483) /* setp [x3]!, x4!, x5 */
#define LD64B_X0_X3   UINT32_C(0xf83fd060) /* x0 to x7 */
#define STG_X3        UINT32_C(0xd9200863)
#define UNDEFINED     UINT32_C(0x80800000)

struct run {
	size_t first;
	size_t count;
	enum insn_class class;
};

struct program {
	struct snap_core core;
	struct snap_device device;
	struct snap_source source;
	struct snap_source *sources[1];
	struct snap_register registers[REGISTERS];
	uint8_t x[REGISTERS][8];
	uint8_t code[4 * CODE_MOST];
	uint8_t data[DATA_SIZE];
	struct history *history;
	struct values *values;
	size_t count; /* of instructions */
	size_t other_cores;
	size_t skipped;     /* instruction that a branch goes over, if not 0 */
	struct run runs[3]; /* if not empty, what was executed instead of all */
	uint64_t end;
	bool faults; /* the instruction at the end */
};

/* That functions keep registers and frames is taken for granted. */
static bool assumes_abi;

static const char *const names[REGISTERS] = {
        "X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",  "X8",   "X9",  "X10", "X11",
        "X12", "X13", "X14", "X15", "X16", "X17", "X18", "X19", "X20",  "X21", "X22", "X23",
        "X24", "X25", "X26", "X27", "X28", "X29", "X30", "SP",  "CPSR", "PC"};

static void put_u64(uint8_t *to, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void set(struct program *p, unsigned int reg, uint64_t value)
{
	put_u64(p->x[reg], value);
}

/* At the end all registers are 7, X2 is DATA, SP DATA + 0x100, and all of memory is NAIVE. */
static void begin(struct program *p, const uint32_t *opcodes, size_t count)
{
	memset(p, 0, sizeof(*p));
	p->count = count;
	for (size_t i = 0; i < count; i++) {
		for (unsigned int k = 0; k < 4; k++)
			p->code[4 * i + k] = (uint8_t)(opcodes[i] >> 8 * k);
	}
	for (size_t i = 0; i < sizeof(p->data); i += 8)
		put_u64(&p->data[i], NAIVE);
	for (unsigned int i = 0; i < REGISTERS; i++) {
		set(p, i, 7);
		p->registers[i] = (struct snap_register){
		        .name = str_of(names[i]), .bits = 64, .value = p->x[i]};
	}
	set(p, 2, DATA);
	set(p, SP, DATA + 0x100);
	set(p, FLAGS, 0);
	p->end = CODE + 4 * count;
	set(p, PC, p->end);
}

/* Instruction 0 calls number 2, which goes on to the last and returns to 1; the halt is behind it.
 */
static void make_call(struct program *p)
{
	p->runs[0] = (struct run){0, 1, INSN_BRANCH};
	p->runs[1] = (struct run){2, p->count - 2, INSN_BRANCH_INDIRECT};
	p->runs[2] = (struct run){1, 1, INSN_OTHER};
	p->end = CODE + 8;
	set(p, PC, p->end);
	set(p, 30, CODE + 4);
}

static void add_region(struct program *p, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct mem_region region = {.address = address,
	                            .length = size,
	                            .space = SPACE_ANY,
	                            .data = bytes,
	                            .origin = STR("test")};

	assert_int_equal(memmap_add(p->core.memory, &region), STATUS_OK);
}

static void add_run(struct part_builder *b, size_t first, size_t count, enum insn_class class)
{
	struct decoded d = {.is_drained = true};

	if (count == 0)
		return;
	d.element = (struct element){.type = ELEMENT_INSTR_RANGE, .isa = ISA_A64};
	d.element.range.start = CODE + 4 * first;
	d.element.range.end = CODE + 4 * (first + count);
	d.element.range.count = (uint32_t)count;
	d.element.range.last_size = 4;
	d.element.range.last_class = class;
	d.element.range.last_executed = true;
	assert_int_equal(part_add(b, &d), STATUS_OK);
}

/* Instead of the instruction at the end there is a data fault. */
static void add_fault(const struct program *p, struct part_builder *b)
{
	struct decoded d = {.is_drained = true, .element = {.type = ELEMENT_EXCEPTION}};

	d.element.exception.number = 12;
	d.element.exception.has_return_address = true;
	d.element.exception.return_address = p->end;
	assert_int_equal(part_add(b, &d), STATUS_OK);
}

static void run(struct program *p)
{
	struct values_options options = values_options_of(1 + p->other_cores);
	struct graph *graph = graph_create();
	struct part_builder b;

	options.abi = assumes_abi;
	p->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .class = DEVICE_CORE,
	                                 .registers = p->registers,
	                                 .register_count = REGISTERS};
	p->source = (struct snap_source){.protocol = PROTOCOL_ETM4};
	p->sources[0] = &p->source;
	p->core = (struct snap_core){.device = &p->device,
	                             .memory = memmap_create(),
	                             .sources = p->sources,
	                             .source_count = 1};
	add_region(p, CODE, p->code, sizeof(p->code));
	add_region(p, DATA, p->data, sizeof(p->data));
	assert_int_equal(memmap_freeze(p->core.memory), STATUS_OK);
	assert_int_equal(part_init(&b, &p->core, graph), STATUS_OK);
	for (size_t i = 0; i < 3 && p->runs[i].count > 0; i++)
		add_run(&b, p->runs[i].first, p->runs[i].count, p->runs[i].class);
	if (p->runs[0].count == 0)
		add_run(&b, 0, p->skipped > 0 ? p->skipped : p->count,
		        p->skipped > 0 ? INSN_BRANCH : INSN_OTHER);
	if (p->skipped > 0)
		add_run(&b, p->skipped + 1, p->count - p->skipped - 1, INSN_OTHER);
	if (p->faults)
		add_fault(p, &b);
	assert_int_equal(part_end(&b), STATUS_OK);
	assert_int_equal(history_of_part(&p->core, &graph, &b, &p->end, &p->history), STATUS_OK);
	part_fini(&b);
	p->values = values_create(p->history, &options);
	assert_non_null(p->values);
}

static void end(struct program *p)
{
	struct text trouble = {0};

	values_trouble(p->values, &trouble);
	assert_int_equal(trouble.length, 0);
	values_destroy(p->values);
	history_destroy(p->history);
	memmap_destroy(p->core.memory);
}

static bool is_known(struct program *p, uint64_t position, unsigned int number, uint64_t *value)
{
	struct value v;

	values_register(p->values, position, number, &v);
	*value = value_u64(&v);
	return value_is_known(&v);
}

static void assert_unknown(struct program *p, uint64_t position, unsigned int x)
{
	uint64_t value;

	assert_false(is_known(p, position, A64_x0 + x, &value));
}

static void assert_is(struct program *p, uint64_t position, unsigned int x, uint64_t expected)
{
	uint64_t value;

	assert_true(is_known(p, position, A64_x0 + x, &value));
	assert_int_equal(value, expected);
}

/* What is said last of why something is not known. */
static void assert_why_ends(struct program *p, uint64_t position, struct why_subject subject,
                            const char *expected)
{
	const struct why_options options = {.all = false};
	struct text said = {0};

	assert_int_equal(why_value(p->values, position, &subject, &options, &said), STATUS_OK);
	assert_true(said.length > strlen(expected));
	assert_string_equal(said.data + said.length - strlen(expected), expected);
	text_fini(&said);
}

/* How many of the 8 bytes there are known. */
static size_t bytes_known(struct program *p, uint64_t position, uint64_t address)
{
	uint8_t bytes[8];

	return values_memory(p->values, position, address, bytes, 8);
}

#define PROGRAM(p, ...)                                                                            \
	struct program p;                                                                          \
	static const uint32_t opcodes[] = {__VA_ARGS__};                                           \
	(void)state;                                                                               \
	begin(&(p), opcodes, sizeof(opcodes) / sizeof(opcodes[0]))

/* What a store through X3, of X4, does between a store of X1 to DATA and the end. */
static void assert_may_hit(uint32_t store)
{
	void **state = NULL;
	uint32_t code[] = {STR_X1_X2, MOV_X1_7, store, MOV_X3_0, MOV_X4_0, MOV_X5_0};
	struct program p;

	(void)state;
	begin(&p, code, 6);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_true(bytes_known(&p, 1, DATA) < 8);
	end(&p);
}

static void wild_store_of_any_kind_may_have_hit(void **state)
{
	static const uint32_t stores[] = {STR_X4_X3,    STR_W4_X3, STRB_W4_X3,  STUR_X4_X3_M3,
	                                  STP_X4_X5_X3, STR_Q4_X3, STSET_X4_X3, DC_ZVA_X3,
	                                  DC_IVAC_X3,   SVE_ST1B,  SME_STR_ZA,  SETP_X3,
	                                  UNDEFINED,    TTBR0_X4};

	(void)state;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++)
		assert_may_hit(stores[i]);
}

/* What a naive reading gives for X19 before the call is the value that it has behind it. */
static void saved_register_may_have_been_smashed(void **state)
{
	PROGRAM(p, STR_X19_SP_M16, MOV_X19_7, STR_X4_X3, MOV_X3_0, MOV_X4_0, LDR_X19_SP_16);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 19, NAIVE);
	run(&p);
	assert_is(&p, 6, 19, NAIVE);
	assert_is(&p, 2, 19, 7);
	assert_unknown(&p, 0, 19);
	assert_unknown(&p, 1, 19);
	end(&p);
}

static void frame_that_is_used_again_says_nothing_of_the_first(void **state)
{
	PROGRAM(p, STR_X19_SP_M16, MOV_X19_7, LDR_X19_SP_16, STR_X19_SP_M16, MOV_X19_7,
	        LDR_X19_SP_16, MOV_X19_7);
	run(&p);
	/* Saved, restored and saved again: one value, which is in the dump. */
	assert_is(&p, 0, 19, NAIVE);
	end(&p);
}

static void frame_of_another_call_says_nothing(void **state)
{
	PROGRAM(p, STR_X19_SP_M16, LDR_X19_SP_16, MOV_X19_7, ADD_X1_X1_1, STR_X19_SP_M16, MOV_X19_7,
	        LDR_X19_SP_16);
	set(&p, 3, 0);
	set(&p, 4, 0);
	put_u64(&p.data[0xf0], 7);
	run(&p);
	assert_unknown(&p, 0, 19);
	assert_unknown(&p, 2, 19);
	assert_is(&p, 3, 19, 7);
	end(&p);
}

/* A load through a pointer that is lost, behind a store through another one. */
static void store_through_another_name_may_have_changed_it(void **state)
{
	PROGRAM(p, LDR_X5_X2, STR_X4_X3, MOV_X5_0, MOV_X3_0, MOV_X4_0, LDR_X1_X2);
	set(&p, 1, NAIVE);
	set(&p, 3, 0);
	set(&p, 4, 0);
	set(&p, 5, 0);
	run(&p);
	assert_is(&p, 6, 1, NAIVE);
	assert_unknown(&p, 1, 5);
	end(&p);
}

static void tag_in_a_pointer_does_not_hide_what_it_points_to(void **state)
{
	PROGRAM(p, STR_X1_X2, MOV_X1_7, STR_X4_X3, MOV_X4_0);
	set(&p, 3, UINT64_C(0x5500000000008000));
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_is(&p, 0, 4, NAIVE);
	end(&p);
}

static void exclusive_store_may_have_failed(void **state)
{
	PROGRAM(p, STXR_W5_X1_X2, MOV_X1_7, MOV_X5_0);
	set(&p, 5, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

static void exclusive_store_that_failed_stored_nothing(void **state)
{
	PROGRAM(p, STXR_W5_X1_X2, MOV_X1_7);
	set(&p, 5, 1);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_int_equal(bytes_known(&p, 0, DATA), 8);
	end(&p);
}

static void compare_and_swap_may_have_failed(void **state)
{
	PROGRAM(p, CAS_X1_X4_X2, MOV_X1_7, MOV_X4_0);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

static void swap_says_what_was_stored_and_not_what_was_there(void **state)
{
	PROGRAM(p, SWP_X1_X4_X2, MOV_X1_7, MOV_X4_0);
	set(&p, 4, 0);
	run(&p);
	assert_is(&p, 0, 1, NAIVE);
	assert_unknown(&p, 1, 4);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 0, DATA), 0);
	end(&p);
}

/* It may do nothing, or load, or write back. */
static void pair_that_writes_its_base_says_nothing(void **state)
{
	PROGRAM(p, LDP_X2_X3_X2_16, NOP);
	set(&p, 2, NAIVE);
	set(&p, 3, NAIVE);
	run(&p);
	assert_unknown(&p, 0, 2);
	assert_unknown(&p, 0, 3);
	assert_is(&p, 0, 1, 7);
	end(&p);
}

/* The branch says nothing of the comparison before the flags were written. */
static void written_flags_are_not_those_of_the_comparison(void **state)
{
	PROGRAM(p, CMP_X1_7, MSR_NZCV_X4, B_EQ_8, NOP, MOV_X4_0, ADD_X1_X1_1, MOV_X1_7);
	p.skipped = 3;
	set(&p, FLAGS, UINT64_C(4) << 28);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	end(&p);
}

static void store_into_the_next_page_which_no_dump_holds_is_not_followed(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X4_0);
	set(&p, 3, DATA + DATA_SIZE - 4);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 0, DATA + DATA_SIZE - 8), 4);
	end(&p);
}

static void device_is_not_memory(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X4_0, LDR_X5_X2, MOV_X2_0);
	set(&p, 2, 0);
	set(&p, 3, 0x50000);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 4);
	assert_int_equal(bytes_known(&p, 1, 0x50000), 0);
	end(&p);
}

/* Code behind the store may be what was stored, code before it what is gone. */
static void code_that_a_wild_store_wrote_is_not_believed(void **state)
{
	PROGRAM(p, ADD_X1_X1_1, STR_X4_X3, IC_IVAU_X3, ADD_X1_X1_1, MOV_X3_0, MOV_X4_0);
	set(&p, 3, 0);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 0, 1);
	end(&p);
}

/* How many of the 4 bytes of an instruction a debugger is shown. */
static size_t code_shown(struct program *p, uint64_t position, size_t instruction)
{
	uint8_t bytes[4];

	return state_memory(p->history, p->values, position, CODE + 4 * instruction, bytes, 4);
}

static void code_that_was_stored_is_not_shown_before(void **state)
{
	PROGRAM(p, NOP, STR_W4_X3, NOP, NOP);
	set(&p, 3, CODE + 8);
	set(&p, 4, NOP);
	run(&p);
	assert_int_equal(code_shown(&p, 1, 2), 0);
	assert_int_equal(code_shown(&p, 2, 2), 4);
	end(&p);
}

static void code_that_nobody_wrote_is_shown(void **state)
{
	PROGRAM(p, NOP, STR_W4_X3, NOP, MOV_X3_0);
	set(&p, 3, 0);
	run(&p);
	assert_int_equal(code_shown(&p, 0, 2), 4);
	end(&p);
}

/* Where code ran there was something else before, and may be again. */
static void data_where_code_runs_may_have_been_written(void **state)
{
	PROGRAM(p, LDR_X1_X2, MOV_X1_7, STR_X4_X3, NOP, MOV_X3_0, MOV_X4_0);
	set(&p, 2, CODE + 12);
	set(&p, 3, 0);
	set(&p, 4, 0);
	run(&p);
	assert_unknown(&p, 1, 1);
	end(&p);
}

/* The last of the opcodes is not executed: it faults. */
static void make_fault(struct program *p)
{
	p->count--;
	p->end = CODE + 4 * p->count;
	set(p, PC, p->end);
	p->faults = true;
}

/* The first half of what it stores is in the page that is there. */
static void store_that_faulted_may_have_stored_some(void **state)
{
	static const uint32_t stores[] = {STP_X4_X5_X3, STR_Q4_X3, STR_X4_X3, SVE_ST1B, SETP_X3};

	(void)state;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		uint32_t code[] = {NOP, NOP, stores[i]};
		struct program p;

		begin(&p, code, 3);
		make_fault(&p);
		set(&p, 3, DATA + DATA_SIZE - 8);
		run(&p);
		assert_true(bytes_known(&p, 1, DATA + DATA_SIZE - 8) < 8);
		assert_is(&p, 1, 2, DATA);
		end(&p);
	}
}

/* What the instruction before says is known all the same. */
static void branch_to_what_faulted_says_where_to(void **state)
{
	PROGRAM(p, NOP, CBZ_X1_8, NOP, STR_X4_X3);
	make_fault(&p);
	p.runs[0] = (struct run){0, 2, INSN_BRANCH};
	p.end = CODE + 12;
	p.count = 3;
	set(&p, PC, p.end);
	set(&p, 1, 0);
	p.registers[1].name = STR("X99");
	run(&p);
	assert_is(&p, 0, 1, 0);
	end(&p);
}

static void load_that_faulted_may_have_loaded_some(void **state)
{
	PROGRAM(p, NOP, NOP, LDP_X4_X5_X3_M16);
	make_fault(&p);
	set(&p, 3, DATA + DATA_SIZE + 8);
	run(&p);
	assert_unknown(&p, 1, 4);
	assert_is(&p, 1, 3, DATA + DATA_SIZE + 8);
	assert_int_equal(bytes_known(&p, 1, DATA + DATA_SIZE - 8), 8);
	end(&p);
}

static void instruction_that_changes_a_register_in_silence_makes_it_unknown(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned int x;
	} cases[] = {{PACIASP, 30}, {CHKFEAT_X16, 16}, {SVE_CNTB_X1, 1}, {LD64B_X0_X3, 6},
	             {SVC_0, 5},    {SETP_X3, 4},      {UNDEFINED, 9}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct program p;
		uint32_t code[] = {NOP, cases[i].opcode, NOP};

		begin(&p, code, 3);
		set(&p, 3, DATA);
		set(&p, 5, DATA);
		run(&p);
		assert_unknown(&p, 1, cases[i].x);
		assert_is(&p, 2, 0, 7);
		end(&p);
	}
}

static void flags_that_sve_sets_say_nothing_of_the_comparison(void **state)
{
	PROGRAM(p, CMP_X1_7, SVE_WHILELO, B_EQ_8, NOP, MOV_X1_7);
	p.skipped = 3;
	set(&p, FLAGS, UINT64_C(6) << 28);
	run(&p);
	assert_unknown(&p, 0, 1);
	end(&p);
}

static void streaming_mode_clears_the_vectors(void **state)
{
	uint64_t value;
	PROGRAM(p, NOP, SMSTART, NOP);
	p.registers[20] = (struct snap_register){.name = STR("V3"), .bits = 128, .value = p.data};
	run(&p);
	assert_true(is_known(&p, 2, A64_v3, &value));
	assert_false(is_known(&p, 1, A64_v3, &value));
	end(&p);
}

static void tag_store_changes_no_data(void **state)
{
	PROGRAM(p, STG_X3, NOP);
	set(&p, 3, DATA);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA), 8);
	assert_is(&p, 0, 1, 7);
	end(&p);
}

static void make_smashed(struct program *p)
{
	make_call(p);
	set(p, 3, 0);
	set(p, 4, 0);
	put_u64(&p->data[0xf0], 7);
	put_u64(&p->data[0xf8], CODE + 4);
}

/*
 * By the assumption the frame is what it was: a wild store that did hit it would make that wrong,
 * and what follows from it. This and the next two are all that the assumption can be wrong in.
 */
static void frame_of_a_call_that_returned_may_have_been_smashed(void **state)
{
	PROGRAM(p, BL_8, NOP, PUSH_FRAME, STR_X4_X3, MOV_X3_0, MOV_X4_0, POP_FRAME, RET);
	make_smashed(&p);
	run(&p);
	assert_int_equal(bytes_known(&p, 3, DATA + 0xf0), 8);
	assert_int_equal(bytes_known(&p, 2, DATA + 0xf0), assumes_abi ? 8 : 0);
	assert_unknown(&p, 2, 4);
	if (assumes_abi)
		assert_is(&p, 0, 29, 7);
	else
		assert_unknown(&p, 0, 29);
	end(&p);
}

/* So that a user knows what to assume, if he wants to. */
static void assumption_under_which_a_value_is_known_is_named(void **state)
{
	PROGRAM(p, BL_8, NOP, PUSH_FRAME, STR_X4_X3, MOV_X3_0, MOV_X4_0, POP_FRAME, RET);
	const struct why_subject x29 = {.number = A64_x29};
	const struct why_subject frame = {.is_memory = true, .address = DATA + 0xf0};

	make_smashed(&p);
	p.other_cores = 1;
	run(&p);
	if (assumes_abi) {
		assert_why_ends(&p, 2, frame,
		                "  assuming single-writer, which is off, it is 0x7\n");
	} else {
		assert_why_ends(&p, 0, x29, "  assuming abi, which is off, it is 0x7\n");
		assert_why_ends(&p, 2, frame, "  with every assumption on, it is 0x7\n");
	}
	end(&p);
}

/* SP is DATA + 0x20; X29 leads to a record at DATA + 0x40. */
static void make_frame(struct program *p, uint64_t return_address)
{
	put_u64(&p->code[4 * (CODE_MOST - 2)], BL_8);
	set(p, SP, DATA + 0x20);
	set(p, 3, 0);
	set(p, 4, 0);
	set(p, 29, DATA + 0x40);
	put_u64(&p->data[0x40], 0);
	put_u64(&p->data[0x48], return_address);
}

enum { BEHIND_BL = CODE + 4 * (CODE_MOST - 1) };

static void frame_that_is_active_may_have_been_smashed(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X3_0, MOV_X4_0);
	make_frame(&p, BEHIND_BL);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x40), assumes_abi ? 8 : 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x50), 0);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x38), 0);
	end(&p);
}

/* A core may ignore the top byte of the address. */
static void return_address_may_have_a_tag(void **state)
{
	PROGRAM(p, RET, NOP, MOV_X30_0);
	p.runs[0] = (struct run){0, 1, INSN_BRANCH_INDIRECT};
	p.runs[1] = (struct run){2, 1, INSN_OTHER};
	set(&p, 30, 0);
	run(&p);
	if (assumes_abi)
		assert_is(&p, 0, 30, CODE + 8);
	else
		assert_unknown(&p, 0, 30);
	end(&p);
}

/* It may be the one that made the frame. */
static void store_through_sp_may_have_made_the_frame(void **state)
{
	PROGRAM(p, STR_X4_SP_X3, MOV_X3_0, MOV_X4_0);
	make_frame(&p, BEHIND_BL);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x40), 0);
	assert_int_equal(bytes_known(&p, 1, DATA + 0x40), 8);
	end(&p);
}

static void record_that_no_call_made_is_no_frame(void **state)
{
	PROGRAM(p, STR_X4_X3, MOV_X3_0, MOV_X4_0);
	make_frame(&p, BEHIND_BL + 4);
	run(&p);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x40), 0);
	end(&p);
}

/* What lay there before the frame was made is not kept by it. */
static void frame_says_nothing_of_what_was_there_before(void **state)
{
	uint64_t value;

	PROGRAM(p, LDR_X5_X2, STR_X4_X3, MOV_X3_0, MOV_X4_0, LDR_X1_X2, STR_X1_X2, MOV_X1_7,
	        MOV_X5_0);
	make_frame(&p, BEHIND_BL);
	set(&p, 2, DATA + 0x40);
	set(&p, 5, 0);
	run(&p);
	assert_true(is_known(&p, 5, A64_x1, &value));
	assert_unknown(&p, 1, 5);
	end(&p);
}

/* Nothing is known, and of what contradicts each other all of `expected` is said. */
static void assert_disagrees(struct program *p, const char *expected)
{
	const struct why_options options = {.all = false};
	const struct why_subject subject = {.number = A64_x0};
	struct text said = {0};

	assert_unknown(p, 0, 2);
	assert_unknown(p, 1, 7);
	values_trouble(p->values, &said);
	text_char(&said, '\n');
	assert_int_equal(why_value(p->values, 0, &subject, &options, &said), STATUS_OK);
	assert_string_equal(said.data, expected);
	text_fini(&said);
	values_destroy(p->values);
	history_destroy(p->history);
	memmap_destroy(p->core.memory);
}

/*
 * It stores 0, and NAIVE is found there: so the store of X1 is what wrote it. That it goes there
 * shows later, where its address comes forward from the begin.
 */
static void store_of_another_value_than_is_found_disagrees(void **state)
{
	PROGRAM(p, MOV_X3_7FF8, ADD_X3_X3_8, MOV_X4_0, STR_X1_X2, MOV_X1_7, STR_X4_X3, MOV_X3_0);
	set(&p, 3, 0);
	set(&p, 4, 0);
	run(&p);
	assert_disagrees(
	        &p,
	        "snapshot and trace disagree at position 5: no value of the past is shown\n"
	        "  the store at position 5 goes to 0x8000, from the instruction at 0\n"
	        "  it does not go there, from the instruction at 2, the word at 0x8000 in the "
	        "dump\n"
	        "snapshot and trace disagree, found at position 5: no value of the past is shown\n"
	        "the store at position 5 goes to 0x8000:\n"
	        "  5  0x1014  str x4, [x3]: writes 0x8000\n"
	        "  1  0x1004  add x3, x3, #8: x3 = 0x8000\n"
	        "  0  0x1000  movz x3, #0x7ff8: 0x7ff8 is in the instruction\n"
	        "and yet it does not go there:\n"
	        "  5  0x1014  str x4, [x3]: what it stores is not what is found there\n"
	        "  2  0x1008  movz x4, #0: 0x0 is in the instruction\n"
	        "  4  from here to the halt nothing writes 0x8000, which the dump has: "
	        "0x1122334455667788\n");
}

/* The frame record at DATA + 0x40 is one that no store hits, and with what is found there this one
 * does. */
static void store_over_a_frame_that_is_kept_disagrees(void **state)
{
	PROGRAM(p, LDR_X5_X2, ADD_X3_X5_X6, STR_X4_X3, MOV_X3_0, MOV_X4_0, MOV_X5_0);
	make_frame(&p, BEHIND_BL);
	set(&p, 2, DATA + 0x40);
	set(&p, 5, 0);
	set(&p, 6, DATA + 0x40);
	run(&p);
	if (assumes_abi) {
		assert_disagrees(
		        &p,
		        "snapshot and trace disagree at position 2: no value of the past is shown\n"
		        "  the store at position 2 goes to 0x8040, from the word at 0x8040 in the "
		        "dump, x2 at the halt, x6 at the halt\n"
		        "  it does not go there, from the assumption abi for 0x8040, the word at "
		        "0x8040 in the dump\n"
		        "snapshot and trace disagree, found at position 2: no value of the past is "
		        "shown\n"
		        "the store at position 2 goes to 0x8040:\n"
		        "  2  0x1008  str x4, [x3]: writes 0x8040\n"
		        "  1  0x1004  add x3, x5, x6: x3 = 0x8040\n"
		        "  0  0x1000  ldr x5, [x2]: loaded 0x0 from 0x8040\n"
		        "  1  from here to the halt nothing writes 0x8040, which the dump has: "
		        "0x0\n"
		        "  6  the halt: x2 = 0x8040 in the snapshot\n"
		        "  6  the halt: x6 = 0x8040 in the snapshot\n"
		        "and yet it does not go there:\n"
		        "  2  0x1008  str x4, [x3]: a function keeps registers there: assumed\n"
		        "  1  from here to the halt nothing writes 0x8040, which the dump has: "
		        "0x0\n");
		return;
	}
	assert_unknown(&p, 1, 5);
	end(&p);
}

/* X19 is 7 before the call and 0 behind it. */
static void register_that_a_call_does_not_keep_disagrees(void **state)
{
	PROGRAM(p, MOV_X19_7, BL_8, NOP, MOV_X19_0, RET);
	set(&p, 19, 0);
	p.runs[0] = (struct run){0, 2, INSN_BRANCH};
	p.runs[1] = (struct run){3, 2, INSN_BRANCH_INDIRECT};
	p.runs[2] = (struct run){2, 1, INSN_OTHER};
	p.end = CODE + 12;
	set(&p, PC, p.end);
	set(&p, 30, CODE + 8);
	run(&p);
	if (assumes_abi) {
		assert_disagrees(
		        &p,
		        "snapshot and trace disagree at position 4: no value of the past is shown\n"
		        "  x19 is 0x7 at position 1, from the instruction at 0\n"
		        "  x19 is 0x0 at position 1, from the assumption abi for the call before "
		        "at 4, the instruction at 2\n"
		        "snapshot and trace disagree, found at position 4: no value of the past is "
		        "shown\n"
		        "x19 is 0x7 at position 1:\n"
		        "  0  0x1000  movz x19, #0x7: 0x7 is in the instruction\n"
		        "and yet x19 is 0x0 at position 1:\n"
		        "  4  0x1008  nop: x19 = 0x0, since the call before it keeps it: assumed\n"
		        "  2  0x100c  movz x19, #0: 0x0 is in the instruction\n");
		return;
	}
	assert_is(&p, 2, 19, 7);
	assert_is(&p, 4, 19, 0);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(wild_store_of_any_kind_may_have_hit),
	        cmocka_unit_test(saved_register_may_have_been_smashed),
	        cmocka_unit_test(frame_that_is_used_again_says_nothing_of_the_first),
	        cmocka_unit_test(frame_of_another_call_says_nothing),
	        cmocka_unit_test(store_through_another_name_may_have_changed_it),
	        cmocka_unit_test(tag_in_a_pointer_does_not_hide_what_it_points_to),
	        cmocka_unit_test(exclusive_store_may_have_failed),
	        cmocka_unit_test(exclusive_store_that_failed_stored_nothing),
	        cmocka_unit_test(compare_and_swap_may_have_failed),
	        cmocka_unit_test(swap_says_what_was_stored_and_not_what_was_there),
	        cmocka_unit_test(pair_that_writes_its_base_says_nothing),
	        cmocka_unit_test(written_flags_are_not_those_of_the_comparison),
	        cmocka_unit_test(store_into_the_next_page_which_no_dump_holds_is_not_followed),
	        cmocka_unit_test(device_is_not_memory),
	        cmocka_unit_test(code_that_a_wild_store_wrote_is_not_believed),
	        cmocka_unit_test(code_that_was_stored_is_not_shown_before),
	        cmocka_unit_test(code_that_nobody_wrote_is_shown),
	        cmocka_unit_test(data_where_code_runs_may_have_been_written),
	        cmocka_unit_test(store_that_faulted_may_have_stored_some),
	        cmocka_unit_test(branch_to_what_faulted_says_where_to),
	        cmocka_unit_test(load_that_faulted_may_have_loaded_some),
	        cmocka_unit_test(instruction_that_changes_a_register_in_silence_makes_it_unknown),
	        cmocka_unit_test(flags_that_sve_sets_say_nothing_of_the_comparison),
	        cmocka_unit_test(streaming_mode_clears_the_vectors),
	        cmocka_unit_test(tag_store_changes_no_data),
	        cmocka_unit_test(frame_of_a_call_that_returned_may_have_been_smashed),
	        cmocka_unit_test(assumption_under_which_a_value_is_known_is_named),
	        cmocka_unit_test(frame_that_is_active_may_have_been_smashed),
	        cmocka_unit_test(return_address_may_have_a_tag),
	        cmocka_unit_test(store_through_sp_may_have_made_the_frame),
	        cmocka_unit_test(record_that_no_call_made_is_no_frame),
	        cmocka_unit_test(frame_says_nothing_of_what_was_there_before),
	        cmocka_unit_test(store_of_another_value_than_is_found_disagrees),
	        cmocka_unit_test(store_over_a_frame_that_is_kept_disagrees),
	        cmocka_unit_test(register_that_a_call_does_not_keep_disagrees),
	};

	int failed = cmocka_run_group_tests_name("nothing assumed", tests, NULL, NULL);

	assumes_abi = true;
	return failed + cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
