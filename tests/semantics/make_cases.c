/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random cases; see make_cases.h. Opcodes get random fields, states random and extreme values.
 * What is arranged: base registers point into the data, direct branches stay in their slot, a
 * store-exclusive has its load in front, a compare-and-swap finds what it compares with.
 */
#include "tests/semantics/make_cases.h"

#include <string.h>

#include "tests/support/opcode_rows.h"

uint64_t random_next(struct random *r)
{
	uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t random_below(struct random *r, uint64_t limit)
{
	return random_next(r) % limit;
}

static uint64_t random_pointer(struct random *r)
{
	uint64_t offset = random_below(r, 0x8000) - 0x4000;

	if (random_below(r, 4) != 0)
		offset &= ~UINT64_C(15);
	return DATA_MIDDLE + offset;
}

static uint64_t random_value(struct random *r)
{
	static const uint64_t corners[] = {0,
	                                   1,
	                                   2,
	                                   UINT64_MAX,
	                                   UINT64_MAX - 1,
	                                   INT64_MAX,
	                                   UINT64_C(0x8000000000000000),
	                                   0x7fffffff,
	                                   0x80000000,
	                                   0xffffffff,
	                                   UINT64_C(0xffffffff00000000),
	                                   UINT64_C(0x0123456789abcdef),
	                                   UINT64_C(0x7ff0000000000000),
	                                   UINT64_C(0x3ff0000000000000)};

	switch (random_below(r, 6)) {
	case 0:
		return corners[random_below(r, sizeof(corners) / sizeof(corners[0]))];
	case 1:
		return random_below(r, 256);
	case 2:
		return (uint64_t)(int64_t)(int32_t)random_next(r);
	case 3:
		return random_next(r) >> random_below(r, 64);
	case 4:
		return random_pointer(r);
	default:
		return random_next(r);
	}
}

static void random_state(struct random *r, struct case_state *state)
{
	for (unsigned int i = 0; i < 31; i++)
		state->x[i] = random_value(r);
	for (unsigned int i = 0; i < 64; i++)
		state->v[i] = random_value(r);
	state->sp = random_pointer(r) & ~UINT64_C(15);
	state->nzcv = random_below(r, 16);
	state->fpsr = random_next(r) & 0x0800009f;
	state->tpidr = random_value(r);
}

static unsigned int register_at(uint32_t opcode, unsigned int low)
{
	return opcode >> low & 31;
}

static bool is_memory(uint32_t opcode)
{
	/* loads and stores, and those of SVE */
	return (opcode & 0x0a000000) == 0x08000000 || (opcode & 0x9e000000) == 0x84000000 ||
	       (opcode & 0xfe000000) == 0xe4000000;
}

/* The base points into the data, an index is small. */
static void aim_memory(struct random *r, uint32_t opcode, struct case_state *state)
{
	unsigned int base = register_at(opcode, 5);
	unsigned int index = register_at(opcode, 16);

	if (index != 31 && index != base)
		state->x[index] =
		        random_below(r, 2) != 0
		                ? random_below(r, 512)
		                : (uint64_t)(uint32_t)(0 - random_below(r, 512)) |
		                          (random_below(r, 2) != 0 ? ~UINT64_C(0) << 32 : 0);
	if (base != 31)
		state->x[base] = random_pointer(r);
}

/* What memory has at the base, as a compare-and-swap of this size reads it. */
static void aim_compare(struct random *r, uint32_t opcode, struct case_state *state)
{
	unsigned int base = register_at(opcode, 5);
	unsigned int rs = register_at(opcode, 16);
	uint64_t address = base == 31 ? state->sp : state->x[base];
	uint64_t word = (address - DATA_BASE) / 8;
	bool is_pair = (opcode & 0xbfa07c00) == 0x08207c00;
	uint64_t value = case_pattern(word);
	uint64_t next = case_pattern(word + 1);

	if (random_below(r, 3) == 0 || address % 8 != 0 || rs == base || rs + 1 == base)
		return;
	if (is_pair && (opcode >> 30 & 1) == 0)
		next = value >> 32;
	if (rs != 31)
		state->x[rs] = value;
	if (is_pair && rs < 30)
		state->x[rs + 1] = next;
}

/* The offset of a direct branch becomes 2 to 7 instructions. */
static uint32_t aim_branch(struct random *r, uint32_t opcode)
{
	uint32_t words = 2 + (uint32_t)random_below(r, 6);

	if ((opcode & 0x7c000000) == 0x14000000)
		return (opcode & 0xfc000000) | words;
	if ((opcode & 0xff000000) == 0x54000000 || (opcode & 0x7e000000) == 0x34000000)
		return (opcode & 0xff00001f) | words << 5;
	if ((opcode & 0x7e000000) == 0x36000000)
		return (opcode & 0xfff8001f) | words << 5;
	return opcode;
}

/* A literal in the data. */
static uint32_t aim_literal(struct random *r, uint32_t opcode, uint64_t slot)
{
	uint64_t offset = (random_pointer(r) - slot) / 4;

	if ((opcode & 0x3b000000) != 0x18000000)
		return opcode;
	return (opcode & 0xff00001f) | ((uint32_t)offset & 0x7ffff) << 5;
}

/* A store-exclusive works only after a load-exclusive of the same bytes. */
static void add_monitor(struct random *r, struct test_case *c)
{
	uint32_t opcode = c->opcodes[0];
	bool is_single = (opcode & 0x3fe00000) == 0x08000000;
	bool is_pair = (opcode & 0xbfe00000) == 0x88200000;

	if ((!is_single && !is_pair) || random_below(r, 4) == 0)
		return;
	c->opcodes[1] = opcode;
	/* Rs and Rt2 are all ones but for the pair, whose registers must differ */
	c->opcodes[0] = (opcode & 0xffe003e0) | 0x00400000 | 31 << 16 | 31;
	c->opcodes[0] |= is_pair ? 30 << 10 : 31 << 10;
	c->count = 2;
}

/* WHILELO or WHILELT before an SVE store sets the predicate that rules it. */
static void add_predicate(struct random *r, struct test_case *c)
{
	uint32_t opcode = c->opcodes[0];
	unsigned int base = register_at(opcode, 5);
	unsigned int rm = (unsigned int)random_below(r, 31);

	if ((opcode & 0xfe004000) != 0xe4004000 || random_below(r, 4) == 0 || rm == base ||
	    rm == register_at(opcode, 16))
		return;
	c->opcodes[1] = opcode;
	c->opcodes[0] = (random_below(r, 2) != 0 ? 0x25200c00 : 0x25200400) |
	                (uint32_t)random_below(r, 4) << 22 | rm << 16 |
	                (uint32_t)random_below(r, 2) << 12 | 31 << 5 | (opcode >> 10 & 7);
	c->state.x[rm] = random_below(r, 100);
	c->count = 2;
}

/* LDRAA and LDRAB take only an address that was signed. */
static void add_signature(struct test_case *c)
{
	uint32_t opcode = c->opcodes[0];
	unsigned int base = register_at(opcode, 5);

	if ((opcode & 0xff200400) != 0xf8200400 || base == 31)
		return;
	c->opcodes[1] = opcode;
	/* PACDZA or PACDZB */
	c->opcodes[0] = 0xdac12be0 | (opcode >> 23 & 1) << 10 | base;
	c->count = 2;
}

/* Not to be run: system calls, semihosting, and a group on which qemu 7.2 aborts. */
static bool is_barred(uint32_t opcode)
{
	return (opcode & 0xff00001f) == 0xd4000001 || (opcode & 0xffe0001f) == 0xd4400000 ||
	       (opcode & 0x8f7e0c00) == 0x0e780800;
}

/* System instructions that user mode has: of all their numbers hardly any would be hit. */
static uint32_t system_opcode(struct random *r, uint32_t opcode)
{
	static const uint32_t reads[] = {0xd53b4200, 0xd53b4400, 0xd53b4420, 0xd53bd040,
	                                 0xd53bd060, 0xd53b00e0, 0xd53b0020, 0xd53be040,
	                                 0xd53b2400, 0xd53b2420, 0xd5380000, 0xd53b42c0};
	static const uint32_t writes[] = {0xd51b4200, 0xd51b4420, 0xd51bd040, 0xd51b42a0,
	                                  0xd51b42e0};
	static const uint32_t systems[] = {0xd50b7420, 0xd50b7520, 0xd50b7a20,
	                                   0xd50b7b20, 0xd50b7e20, 0xd50b7c20};

	if (random_below(r, 8) == 0)
		return opcode;
	if ((opcode & 0xfff00000) == 0xd5300000)
		return reads[random_below(r, sizeof(reads) / sizeof(reads[0]))] | (opcode & 31);
	if ((opcode & 0xfff00000) == 0xd5100000)
		return writes[random_below(r, sizeof(writes) / sizeof(writes[0]))] | (opcode & 31);
	if ((opcode & 0xfff80000) == 0xd5080000)
		return systems[random_below(r, sizeof(systems) / sizeof(systems[0]))] |
		       (opcode & 31);
	return opcode;
}

static uint32_t random_opcode(struct random *r, size_t row)
{
	struct sem_row_info info;
	uint32_t opcode = (uint32_t)random_next(r);

	if (!sem_a64_row(row, &info))
		return opcode;
	return system_opcode(r, info.match | (opcode & ~info.mask));
}

/* An earlier, narrower row may have the opcode, or the row may reject it. */
static bool is_wanted(uint32_t opcode, size_t row)
{
	static struct uop_builder builder;

	if (is_barred(opcode) || sem_a64_row_of(opcode) != row)
		return false;
	sem_a64(opcode, 0, &builder);
	return (builder.insn.flags & UOP_NOT_IN_TABLE) == 0;
}

void make_case(struct random *r, size_t row, uint64_t index, struct test_case *out)
{
	uint32_t opcode = random_opcode(r, row);

	/* one time in eight whatever comes */
	for (unsigned int i = 0; i < 40 && random_below(r, 8) != 0 && !is_wanted(opcode, row); i++)
		opcode = random_opcode(r, row);
	if (is_barred(opcode))
		opcode = 0xd503201f; /* NOP */
	memset(out, 0, sizeof(*out));
	random_state(r, &out->state);
	opcode = aim_literal(r, aim_branch(r, opcode), case_slot(index));
	if (is_memory(opcode))
		aim_memory(r, opcode, &out->state);
	if ((opcode & 0x3fa07c00) == 0x08a07c00 || (opcode & 0xbfa07c00) == 0x08207c00)
		aim_compare(r, opcode, &out->state);
	out->opcodes[0] = opcode;
	out->count = 1;
	out->row = (uint32_t)sem_a64_row_of(opcode);
	if (random_below(r, 4) != 0 && (opcode & 0xffffffe0) == 0xd50b7420 &&
	    register_at(opcode, 0) != 31) /* DC ZVA */
		out->state.x[register_at(opcode, 0)] = random_pointer(r);
	add_monitor(r, out);
	add_signature(out);
	add_predicate(r, out);
}
