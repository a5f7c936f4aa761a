/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small A32 and T32 programs whose past is asked for. At the halt R2 is 0x8000, an address of data
 * that the dump holds, and R1 is 0x100. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_VALUES_MADE_A32_H
#define CSREPLAY_TESTS_VALUES_MADE_A32_H

#include "arch/register.h"
#include "replay/values/values.h"
#include "tests/session/made_session.h"
#include "tests/values/made_element.h"

#define T_MOV_R1_7  0x2107
#define T_ADD_R1_5  0x3105
#define T_ITE_EQ    0xbf0c
#define T_IT_EQ     0xbf08
#define T_CMP_R4_3  0x2c03
#define T_SVC       0xdf01
#define T_BX_LR     0x4770
#define T_MOV_LR_R4 0x46a6
#define T_NOP       0xbf00

enum { CODE = 0x1000, CODE_MOST = 64, DATA_AT = 0x8000, NAMES = 17 };

#define STORED UINT32_C(0x55667788)

struct program {
	struct fixture f; /* without its core's memory and registers */
	uint8_t code[CODE_MOST];
	uint8_t data[0x80];
	uint8_t r[NAMES][4];
	struct snap_register registers[NAMES];
	struct values *values;
	struct values_options options;
	enum protocol protocol;
	enum core_arch arch;
};

enum { R_SP = 13, R_LR, R_PC, R_CPSR };

static void put_u32(uint8_t *to, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void begin(struct program *p)
{
	static const char *const names[] = {"R0",  "R1", "R2", "R3", "R4",  "R5",
	                                    "R6",  "R7", "R8", "R9", "R10", "R11",
	                                    "R12", "SP", "LR", "PC", "CPSR"};

	memset(p, 0, sizeof(*p));
	put_u32(p->data, STORED);
	put_u32(p->data + 4, STORED + 1);
	put_u32(p->r[1], 0x100);
	put_u32(p->r[2], DATA_AT);
	put_u32(p->r[R_CPSR], 0x10);
	for (unsigned int i = 0; i < NAMES; i++)
		p->registers[i] = (struct snap_register){
		        .name = str_of(names[i]), .bits = 32, .value = p->r[i]};
	p->options = values_options_of(1);
	p->protocol = PROTOCOL_PTM;
	p->arch = CORE_A32;
}

static void begin_a32(struct program *p, const uint32_t *opcodes, size_t count)
{
	begin(p);
	for (size_t i = 0; i < count; i++)
		put_u32(p->code + 4 * i, opcodes[i]);
	put_u32(p->r[R_PC], (uint32_t)(CODE + 4 * count));
	leads_to(CODE + 4 * count);
}

static inline void begin_t32(struct program *p, const uint16_t *halfwords, size_t count)
{
	begin(p);
	for (size_t i = 0; i < count; i++) {
		p->code[2 * i] = (uint8_t)halfwords[i];
		p->code[2 * i + 1] = (uint8_t)(halfwords[i] >> 8);
	}
	put_u32(p->r[R_PC], (uint32_t)(CODE + 2 * count));
	put_u32(p->r[R_CPSR], 0x30);
	leads_to(CODE + 2 * count);
}

static void finish(struct program *p, const struct element *elements, size_t count)
{
	struct fixture *f = &p->f;

	f->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .type = f->device.type,
	                                 .class = DEVICE_CORE,
	                                 .registers = p->registers,
	                                 .register_count = NAMES};
	f->source.protocol = p->protocol;
	f->core.arch = p->arch;
	begin_core(f);
	add_region(f->core.memory, CODE, p->code, sizeof(p->code), false);
	add_region(f->core.memory, DATA_AT, p->data, sizeof(p->data), false);
	(void)open_core(f, elements, count);
	p->values = values_create(f->history, &p->options);
	assert_non_null(p->values);
}

/* A range of whole instructions of one size. */
static struct element run_at(enum isa isa, uint64_t start, uint32_t count, bool branches,
                             bool taken)
{
	uint8_t size = isa == ISA_T32 ? 2 : 4;
	struct element e = run_of(isa, start, count, start + (uint64_t)size * count, size);

	e.range.last_class = branches ? INSN_BRANCH_INDIRECT : INSN_OTHER;
	e.range.last_executed = taken;
	return e;
}

static inline void run_a32(struct program *p, size_t count)
{
	const struct element elements[] = {run_at(ISA_A32, CODE, (uint32_t)count, false, true)};

	finish(p, elements, 1);
}

static inline void run_t32(struct program *p, size_t count)
{
	const struct element elements[] = {run_at(ISA_T32, CODE, (uint32_t)count, false, true)};

	finish(p, elements, 1);
}

static void end(struct program *p)
{
	values_destroy(p->values);
	close_fixture(&p->f);
}

static inline void assert_is(struct program *p, uint64_t position, unsigned int r,
                             uint32_t expected)
{
	struct value value;

	values_register(p->values, position, A32_r0 + r, &value);
	assert_int_equal(value.size, 4);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), expected);
}

static inline void assert_unknown(struct program *p, uint64_t position, unsigned int r)
{
	struct value value;

	values_register(p->values, position, A32_r0 + r, &value);
	assert_false(value_is_known(&value));
}

#define BEGIN_A32(p, ...)                                                                          \
	static const uint32_t opcodes[] = {__VA_ARGS__};                                           \
	enum { COUNT = sizeof(opcodes) / sizeof(opcodes[0]) };                                     \
	begin_a32((p), opcodes, COUNT)

#define BEGIN_T32(p, ...)                                                                          \
	static const uint16_t opcodes[] = {__VA_ARGS__};                                           \
	enum { COUNT = sizeof(opcodes) / sizeof(opcodes[0]) };                                     \
	begin_t32((p), opcodes, COUNT)

#endif
