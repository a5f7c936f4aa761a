/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small A64 programs whose past is asked for. At the halt X2 is 0x8000, an address of data that the
 * dump holds, and X1 is 0x100. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_VALUES_MADE_A64_H
#define CSREPLAY_TESTS_VALUES_MADE_A64_H

#include "arch/register.h"
#include "replay/values/values.h"
#include "tests/session/made_session.h"

#define ADD_X1_X1_5     UINT32_C(0x91001421)
#define ADD_X1_X1_1     UINT32_C(0x91000421)
#define MOV_X0_1        UINT32_C(0xd2800020)
#define MOV_X1_7        UINT32_C(0xd28000e1)
#define MOV_X3_0        UINT32_C(0xd2800003)
#define MOV_X4_0        UINT32_C(0xd2800004)
#define MOV_X8_GETPID   UINT32_C(0xd2801588)
#define MOV_X8_EXECVE   UINT32_C(0xd2801ba8)
#define STR_X1_X2       UINT32_C(0xf9000041)
#define STR_X4_X2       UINT32_C(0xf9000044)
#define STR_X4_X3       UINT32_C(0xf9000064)
#define LDR_X1_X2       UINT32_C(0xf9400041)
#define CBZ_X0_2        UINT32_C(0xb4000040)
#define MOV_W0_CLOCK    UINT32_C(0x52800200)
#define HLT_SEMIHOSTING UINT32_C(0xd45e0000)
#define SVC_0           UINT32_C(0xd4000001)
#define BL_3            UINT32_C(0x94000003)
#define B_BACK_15       UINT32_C(0x17fffff1)
#define PUSH_X19_LR     UINT32_C(0xa9bf7bf3)
#define POP_X19_LR      UINT32_C(0xa8c17bf3)
#define MOV_X19_0       UINT32_C(0xd2800013)
#define MOV_X19_7       UINT32_C(0xd28000f3)
#define ADD_SP_16       UINT32_C(0x910043ff)
#define RET             UINT32_C(0xd65f03c0)
#define LDR_X0_X2       UINT32_C(0xf9400040)
#define STR_X4_X0       UINT32_C(0xf9000004)
#define STR_W4_X0       UINT32_C(0xb9000004)
#define STR_X1_X2_8     UINT32_C(0xf9000441)
#define BR_X1           UINT32_C(0xd61f0020)
#define BR_XZR          UINT32_C(0xd61f03e0)
#define CMP_X0_5        UINT32_C(0xf100141f)
#define CMP_W0_5        UINT32_C(0x7100141f)
#define ADD_W1_W0_2     UINT32_C(0x11000801)
#define MOV_W0_W5       UINT32_C(0x2a0503e0)
#define CMP_X1_5        UINT32_C(0xf100143f)
#define B_HI_2          UINT32_C(0x54000048)
#define ADD_X1_X0_2     UINT32_C(0x91000801)
#define SUB_X1_X0_2     UINT32_C(0xd1000801)
#define ADD_X1_X1_2     UINT32_C(0x91000821)
#define ADD_X1_X4_2     UINT32_C(0x91000881)
#define STR_X0_X2       UINT32_C(0xf9000040)
#define AND_X0_X0_7     UINT32_C(0x92400800)
#define AND_X4_X4_7     UINT32_C(0x92400884)
#define MOV_X5_4        UINT32_C(0xd2800085)
#define ADD_X5_X5_1     UINT32_C(0x910004a5)
#define CMP_X0_X5       UINT32_C(0xeb05001f)
#define SUBS_X1_X0_5    UINT32_C(0xf1001401)
#define B_LO_2          UINT32_C(0x54000043)
#define STR_W0_X2       UINT32_C(0xb9000040)
#define ADD_SP_SP_X0    UINT32_C(0x8b2063ff)
#define SUB_X0_SP_X0    UINT32_C(0xcb2063e0)
#define SUB_SP_SP_X3    UINT32_C(0xcb2363ff)
#define SUB_SP_SP_X0    UINT32_C(0xcb2063ff)
#define SUB_X1_X0_X3    UINT32_C(0xcb030001)
#define ADD_X1_X3_X1    UINT32_C(0x8b010061)
#define SUB_X1_X1_X0    UINT32_C(0xcb000021)
#define SUB_X3_X0_X1    UINT32_C(0xcb010003)

enum { CODE = 0x1000, CODE_MOST = 16, DATA_AT = 0x8000 };

/* Registers of the halt after X0 to X8. */
enum { AT_PC = 9, AT_SP, AT_X19, AT_LR, REGISTERS };

#define STORED UINT64_C(0x1122334455667788)

/* A core whose registers X0 to X8 at the halt are `x`, and whose data is STORED, twice. */
struct program {
	struct fixture f; /* without its core's memory and registers */
	uint8_t code[4 * CODE_MOST];
	uint8_t data[16];
	uint8_t x[REGISTERS][8];
	struct snap_register registers[REGISTERS];
	struct values *values;
	struct values_options options;
	uint64_t data_at; /* DATA_AT but for a test that says otherwise before it runs */
	bool is_constant; /* the data */
};

static void put_u64(uint8_t *to, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void begin(struct program *p, const uint32_t *opcodes, size_t count)
{
	static const char *const names[] = {"X0", "X1", "X2", "X3", "X4",  "X5", "X6",
	                                    "X7", "X8", "PC", "SP", "X19", "X30"};

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < count; i++) {
		for (unsigned int k = 0; k < 4; k++)
			p->code[4 * i + k] = (uint8_t)(opcodes[i] >> 8 * k);
	}
	put_u64(p->data, STORED);
	put_u64(p->data + 8, STORED);
	put_u64(p->x[1], 0x100);
	put_u64(p->x[2], DATA_AT);
	put_u64(p->x[AT_PC], CODE + 4 * count);
	put_u64(p->x[AT_SP], DATA_AT + 16);
	for (unsigned int i = 0; i < REGISTERS; i++)
		p->registers[i] = (struct snap_register){
		        .name = str_of(names[i]), .bits = 64, .value = p->x[i]};
	p->data_at = DATA_AT;
	p->options = values_options_of(1);
	leads_to(CODE + 4 * count);
}

/* With other registers of the halt than the program's own, which must live as long as it. */
static inline void finish_with(struct program *p, struct snap_register *registers,
                               size_t register_count, const struct element *elements, size_t count)
{
	struct fixture *f = &p->f;

	f->device = (struct snap_device){.name = STR("cpu_0"),
	                                 .class = DEVICE_CORE,
	                                 .registers = registers,
	                                 .register_count = register_count};
	f->source.protocol = PROTOCOL_ETM4;
	begin_core(f);
	add_region(f->core.memory, CODE, p->code, sizeof(p->code), false);
	add_region(f->core.memory, p->data_at, p->data, sizeof(p->data), p->is_constant);
	(void)open_core(f, elements, count);
	p->values = values_create(f->history, &p->options);
	assert_non_null(p->values);
}

static inline void finish(struct program *p, const struct element *elements, size_t count)
{
	finish_with(p, p->registers, REGISTERS, elements, count);
}

/* Straight-line code. */
static inline void run(struct program *p, size_t count)
{
	const struct element elements[] = {range(CODE, (uint32_t)count, INSN_OTHER, true)};

	finish(p, elements, 1);
}

static void end(struct program *p)
{
	values_destroy(p->values);
	close_fixture(&p->f);
}

static inline void assert_is(struct program *p, uint64_t position, unsigned int x,
                             uint64_t expected)
{
	struct value value;

	values_register(p->values, position, A64_x0 + x, &value);
	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), expected);
}

static inline void assert_unknown(struct program *p, uint64_t position, unsigned int x)
{
	struct value value;

	values_register(p->values, position, A64_x0 + x, &value);
	assert_false(value_is_known(&value));
}

#define BEGIN(p, ...)                                                                              \
	static const uint32_t opcodes[] = {__VA_ARGS__};                                           \
	enum { COUNT = sizeof(opcodes) / sizeof(opcodes[0]) };                                     \
	begin((p), opcodes, COUNT)

#endif
