/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of a few A64 instructions, of which the naive answer is wrong. At the end all registers
 * are 7, X2 is DATA, SP DATA + 0x100, and all of memory is NAIVE. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_VALUES_ADVERSARY_H
#define CSREPLAY_TESTS_VALUES_ADVERSARY_H

#include <string.h>

#include "arch/register.h"
#include "replay/history/history_part.h"
#include "replay/session/state.h"
#include "replay/values/explain/explain.h"
#include "replay/values/values.h"
#include "tests/history/made_exception.h"

enum {
	CODE = 0x1000,
	DATA = 0x8000, /* two pages; of the one after nothing is known */
	DATA_SIZE = 0x2000,
	CODE_MOST = 512,
	RUNS_MOST = 256,
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
#define MOV_X6_0    UINT32_C(0xd2800006)
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
#define LDR_W3_X2_4      UINT32_C(0xb9400443)
#define LDR_X1_X2_8      UINT32_C(0xf9400441)
#define LDR_X0_X2        UINT32_C(0xf9400040)
#define LDR_X0_X0        UINT32_C(0xf9400000)
#define STR_X4_X0        UINT32_C(0xf9000004)
#define MOV_X0_0         UINT32_C(0xd2800000)
#define STR_X5_X6        UINT32_C(0xf90000c5)
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

#define LDXR_X1_X2    UINT32_C(0xc85f7c41)
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
	bool is_not_taken; /* the branch at its end */
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
	size_t data_size;
	struct device_range changed; /* by a device; none if `last` is 0 */
	bool is_initial;             /* all of memory is an image, which can be written */
	size_t other_cores;
	size_t skipped;             /* instruction that a branch goes over, if not 0 */
	struct run runs[RUNS_MOST]; /* if not empty, what was executed instead of all */
	uint64_t end;
	bool faults; /* the instruction at the end */
};

/* That functions keep registers and frames is taken for granted. */
static bool assumes_abi;
static bool assumes_coherent;
static bool assumes_private_locals;

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
	p->data_size = sizeof(p->data);
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

static void add_region(struct program *p, uint64_t address, const uint8_t *bytes, size_t size)
{
	struct mem_region region = {.address = address,
	                            .length = size,
	                            .space = SPACE_ANY,
	                            .is_initial = p->is_initial,
	                            .data = bytes,
	                            .origin = STR("test")};

	assert_int_equal(memmap_add(p->core.memory, &region), STATUS_OK);
}

static void add_run(struct part_builder *b, struct run run)
{
	struct decoded d = {.is_drained = true};

	if (run.count == 0)
		return;
	d.element = (struct element){.type = ELEMENT_INSTR_RANGE, .isa = ISA_A64};
	d.element.range.start = CODE + 4 * run.first;
	d.element.range.end = CODE + 4 * (run.first + run.count);
	d.element.range.count = (uint32_t)run.count;
	d.element.range.last_size = 4;
	d.element.range.last_class = run.class;
	d.element.range.last_executed = !run.is_not_taken;
	assert_int_equal(part_add(b, &d), STATUS_OK);
}

/* Instead of the instruction at the end there is a data fault. */
static void add_fault(const struct program *p, struct part_builder *b)
{
	struct decoded d = {.is_drained = true, .element = {.type = ELEMENT_EXCEPTION}};

	d.element.exception.number = 12;
	d.element.exception.has_return_address = true;
	d.element.exception.return_address = p->end;
	tell_exception(&d.element, p->source.protocol, p->core.arch);
	assert_int_equal(part_add(b, &d), STATUS_OK);
}

static void run(struct program *p)
{
	struct values_options options = values_options_of(1 + p->other_cores);
	struct graph *graph = graph_create();
	struct part_builder b;

	options.abi = assumes_abi;
	options.coherent = assumes_coherent;
	options.private_locals = assumes_private_locals;
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
	memmap_set_devices(p->core.memory, &p->changed, p->changed.last > 0 ? 1 : 0);
	add_region(p, CODE, p->code, sizeof(p->code));
	add_region(p, DATA, p->data, p->data_size);
	assert_int_equal(memmap_freeze(p->core.memory), STATUS_OK);
	assert_int_equal(part_init(&b, &p->core, graph), STATUS_OK);
	for (size_t i = 0; i < RUNS_MOST; i++)
		add_run(&b, p->runs[i]);
	if (p->runs[0].count == 0 && p->skipped == 0)
		add_run(&b, (struct run){0, p->count, INSN_OTHER, false});
	if (p->skipped > 0) {
		add_run(&b, (struct run){0, p->skipped, INSN_BRANCH, false});
		add_run(&b,
		        (struct run){p->skipped + 1, p->count - p->skipped - 1, INSN_OTHER, false});
	}
	if (p->faults)
		add_fault(p, &b);
	assert_int_equal(part_end(&b), STATUS_OK);
	assert_int_equal(history_of_part(&p->core, &graph, &b, &p->end, &p->history), STATUS_OK);
	part_fini(&b);
	p->values = values_create(p->history, &options);
	assert_non_null(p->values);
}

static inline void end(struct program *p)
{
	struct text trouble = {0};

	why_trouble(p->values, &trouble);
	assert_int_equal(trouble.length, 0);
	values_destroy(p->values);
	history_destroy(p->history);
	memmap_destroy(p->core.memory);
}

static inline bool is_known(struct program *p, uint64_t position, unsigned int number,
                            uint64_t *value)
{
	struct value v;

	values_register(p->values, position, number, &v);
	*value = value_u64(&v);
	return value_is_known(&v);
}

static inline void assert_unknown(struct program *p, uint64_t position, unsigned int x)
{
	uint64_t value;

	assert_false(is_known(p, position, A64_x0 + x, &value));
}

static inline void assert_is(struct program *p, uint64_t position, unsigned int x,
                             uint64_t expected)
{
	uint64_t value;

	assert_true(is_known(p, position, A64_x0 + x, &value));
	assert_int_equal(value, expected);
}

/* How many of the 8 bytes there are known. */
static inline size_t bytes_known(struct program *p, uint64_t position, uint64_t address)
{
	uint8_t bytes[8];

	return values_memory(p->values, position, address, bytes, 8);
}

#define PROGRAM(p, ...)                                                                            \
	struct program p;                                                                          \
	static const uint32_t opcodes[] = {__VA_ARGS__};                                           \
	(void)state;                                                                               \
	begin(&(p), opcodes, sizeof(opcodes) / sizeof(opcodes[0]))

#endif
