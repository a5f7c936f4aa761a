/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 loads and stores as micro-operations: Arm ARM C4.1.94, operations in C6.2 and C7.2. Those of
 * structures of vectors are in sem_a64_structure.c.
 *
 * Where the base register is written back and is also what is transferred, the architecture
 * allows several results: the register, or the bytes stored, are unknown.
 */
#include "arch/a64/sem_a64_expand.h"

/* What is transferred between registers and memory. */
struct transfer {
	unsigned int bytes; /* 1 to 16 a register */
	bool is_load;
	bool is_vector;
	unsigned int sign_width; /* a load extends the sign to this; 0: it extends with zeros */
};

enum writeback { WRITEBACK_NONE, WRITEBACK_BEFORE, WRITEBACK_AFTER };

void sem_load_vector(struct sem *s, unsigned int v, unsigned int bytes, struct uop_place at)
{
	unsigned int value = uop_load(s->b, at, bytes > 8 ? 8 : bytes);
	unsigned int high = SLOT_ZERO;

	if (bytes > 8)
		high = uop_load(s->b, sem_place_after(at, 8), 8);
	sem_set_v(s, v, value, high);
}

void sem_store_vector(struct sem *s, unsigned int v, unsigned int bytes, struct uop_place at)
{
	uop_store(s->b, at, bytes > 8 ? 8 : bytes, slot_of_vector(v, 0));
	if (bytes > 8)
		uop_store(s->b, sem_place_after(at, 8), 8, slot_of_vector(v, 1));
}

static void load_register(struct sem *s, const struct transfer *t, struct uop_place at,
                          unsigned int rt)
{
	unsigned int value;

	if (t->is_vector) {
		sem_load_vector(s, rt, t->bytes, at);
		return;
	}
	value = uop_load(s->b, at, t->bytes);
	if (t->sign_width != 0)
		value = uop_field(s->b, UOP_SIGNED, t->sign_width, value,
		                  (struct bits_field){0, 8 * t->bytes, 0});
	sem_set_x(s, rt, value);
}

static void store_register(struct sem *s, const struct transfer *t, struct uop_place at,
                           unsigned int rt)
{
	if (t->is_vector) {
		sem_store_vector(s, rt, t->bytes, at);
		return;
	}
	uop_store(s->b, at, t->bytes, rt == 31 ? SLOT_ZERO : rt);
}

static void transfer_register(struct sem *s, const struct transfer *t, struct uop_place at,
                              unsigned int rt)
{
	if (t->is_load)
		load_register(s, t, at, rt);
	else
		store_register(s, t, at, rt);
}

/* size, V and opc of C4.1.94; false for a prefetch, and rejected where they are reserved. */
static bool decode_transfer(struct sem *s, struct transfer *t)
{
	unsigned int size = FIELD(s, size);
	unsigned int opc = FIELD(s, opc);

	*t = (struct transfer){.bytes = 1U << size, .is_load = opc != 0, .is_vector = FLAG(s, V)};
	if (t->is_vector) {
		t->is_load = (opc & 1) != 0;
		if (opc >= 2 && size != 0)
			opcode_reject(&s->opcode);
		if (opc >= 2)
			t->bytes = 16;
		return true;
	}
	if (opc >= 2)
		t->sign_width = opc == 2 ? 64 : 32;
	if (size == 3 && opc == 2)
		return false;
	if (size + opc > 4)
		opcode_reject(&s->opcode);
	return true;
}

/* An access at Rn + offset, with or without write-back. */
static void at_base(struct sem *s, const struct transfer *t, int64_t offset, enum writeback kind)
{
	unsigned int rn = FIELD(s, Rn);
	unsigned int rt = FIELD(s, Rt);
	struct uop_place at = {rn, kind == WRITEBACK_AFTER ? 0 : offset};

	if (kind != WRITEBACK_NONE && !t->is_load && !t->is_vector && rt == rn && rn != 31)
		uop_store(s->b, at, t->bytes, uop_unknown(s->b, 64));
	else
		transfer_register(s, t, at, rt);
	if (kind != WRITEBACK_NONE)
		uop_define(s->b, rn,
		           uop_sum(s->b, 64, rn, uop_constant(s->b, (uint64_t)offset), false));
}

/* Bits 11:10 of the opcode say how imm9 is used. */
void sem_single_immediate(struct sem *s, unsigned int arg)
{
	enum { UNSCALED, POST, UNPRIVILEGED, PRE };
	unsigned int mode = FIELD(s, mode);
	struct transfer t;

	(void)arg;
	if (!decode_transfer(s, &t)) {
		if (mode != UNSCALED)
			opcode_reject(&s->opcode);
		return;
	}
	if (mode == UNPRIVILEGED && t.is_vector)
		opcode_reject(&s->opcode);
	at_base(s, &t, SIGNED_FIELD(s, imm9),
	        mode == POST  ? WRITEBACK_AFTER
	        : mode == PRE ? WRITEBACK_BEFORE
	                      : WRITEBACK_NONE);
}

void sem_single_unsigned(struct sem *s, unsigned int arg)
{
	struct transfer t;

	(void)arg;
	if (decode_transfer(s, &t))
		at_base(s, &t, (int64_t)FIELD(s, imm12) * t.bytes, WRITEBACK_NONE);
}

void sem_single_register(struct sem *s, unsigned int arg)
{
	unsigned int option = FIELD(s, option);
	struct uop_place at = {0, 0};
	unsigned int shift = 0;
	struct transfer t;

	(void)arg;
	if ((option & 2) == 0) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!decode_transfer(s, &t))
		return;
	if (FLAG(s, S))
		shift = (unsigned int)__builtin_ctz(t.bytes);
	at.base = uop_sum(s->b, 64, FIELD(s, Rn),
	                  sem_extended(s, 64, sem_x(FIELD(s, Rm)), option, shift), false);
	transfer_register(s, &t, at, FIELD(s, Rt));
}

/* LDRAA, LDRAB: the base has an authentication code that the address lacks. */
void sem_single_tagged(struct sem *s, unsigned int bits)
{
	int64_t offset = (SIGNED_FIELD(s, S) * 512 + (int64_t)FIELD(s, imm9)) * 8;
	unsigned int rn = FIELD(s, Rn);
	struct transfer t = {.bytes = 8, .is_load = true};
	struct uop_place at = {0, 0};

	at.base = uop_emit(s->b, (struct uop){.op = UOP_LOW,
	                                      .width = 64,
	                                      .a = (uint8_t)rn,
	                                      .b = SLOT_NONE,
	                                      .c = SLOT_NONE,
	                                      .count = (uint8_t)bits});
	at.base = uop_sum(s->b, 64, at.base, uop_constant(s->b, (uint64_t)offset), false);
	transfer_register(s, &t, at, FIELD(s, Rt));
	if (FLAG(s, W))
		uop_define(s->b, rn, at.base);
}

void sem_literal(struct sem *s, unsigned int arg)
{
	unsigned int opc = FIELD(s, opc);
	struct transfer t = {.is_load = true, .is_vector = FLAG(s, V)};
	uint64_t address = s->address + (uint64_t)(SIGNED_FIELD(s, imm19) * 4);

	(void)arg;
	if (opc == 3) { /* PRFM */
		if (t.is_vector)
			opcode_reject(&s->opcode);
		return;
	}
	t.bytes = t.is_vector ? 4U << opc : opc == 1 ? 8 : 4;
	t.sign_width = !t.is_vector && opc == 2 ? 64 : 0;
	transfer_register(s, &t, (struct uop_place){uop_constant(s->b, address), 0}, FIELD(s, Rt));
}

/* The data of a pair of stores whose base is written back. */
static void store_pair_unknown(struct sem *s, const struct transfer *t, struct uop_place at)
{
	uop_clobber(s->b, at, 2 * t->bytes, 0);
}

/* LDP, STP and the like: bits 24:23 are no-allocate, post, offset, pre. */
void sem_pair(struct sem *s, unsigned int arg)
{
	unsigned int opc = FIELD(s, opc);
	unsigned int mode = FIELD(s, mode);
	unsigned int rt = FIELD(s, Rt);
	unsigned int rt2 = FIELD(s, Rt2);
	unsigned int rn = FIELD(s, Rn);
	struct transfer t = {.is_load = FLAG(s, L), .is_vector = FLAG(s, V)};
	bool is_tagged = !t.is_vector && opc == 1 && !t.is_load; /* STGP */
	int64_t offset = SIGNED_FIELD(s, imm7);
	struct uop_place at = {rn, 0};

	(void)arg;
	if (opc == 3 || (!t.is_vector && opc == 1 && mode == 0)) {
		opcode_reject(&s->opcode);
		return;
	}
	t.bytes = t.is_vector ? 4U << opc : opc == 2 || is_tagged ? 8 : 4;
	t.sign_width = !t.is_vector && opc == 1 && t.is_load ? 64 : 0;
	offset *= is_tagged ? 16 : t.bytes;
	if (mode != 1)
		at.offset = offset;
	if ((mode & 1) != 0 && !t.is_load && !t.is_vector && (rt == rn || rt2 == rn) && rn != 31) {
		store_pair_unknown(s, &t, at);
	} else {
		transfer_register(s, &t, at, rt);
		transfer_register(s, &t, sem_place_after(at, t.bytes), rt2);
	}
	if ((mode & 1) != 0)
		uop_define(s->b, rn,
		           uop_sum(s->b, 64, rn, uop_constant(s->b, (uint64_t)offset), false));
}

/* LDAPUR, STLUR */
void sem_load_acquire_rcpc(struct sem *s, unsigned int arg)
{
	struct transfer t;

	(void)arg;
	if (!decode_transfer(s, &t))
		opcode_reject(&s->opcode);
	s->b->insn.flags |= UOP_ORDERED;
	at_base(s, &t, SIGNED_FIELD(s, imm9), WRITEBACK_NONE);
}

/* LDAR, STLR, LDLAR, STLLR, LDAPR: `load` says which, or where it is 2, bit 22 does. */
void sem_ordered(struct sem *s, unsigned int load)
{
	struct transfer t = {.bytes = 1U << FIELD(s, size),
	                     .is_load = load == 2 ? FLAG(s, L) : load != 0};

	s->b->insn.flags |= UOP_ORDERED;
	at_base(s, &t, 0, WRITEBACK_NONE);
}

/*
 * The status of a store-exclusive: 0 if it was done. Where the status register is also the base or
 * the data, the architecture allows about anything.
 */
static struct uop_access store_status(struct sem *s, unsigned int rt2)
{
	unsigned int rs = FIELD(s, Rs);
	unsigned int rn = FIELD(s, Rn);
	struct uop_access condition = {.when = (uint8_t)uop_unknown(s->b, 1), .when_value = false};

	if (rs != 31 && (rs == FIELD(s, Rt) || rs == rt2 || rs == rn))
		s->b->insn.flags |= UOP_KILLS_MEMORY;
	sem_set_x(s, rs, condition.when);
	return condition;
}

/* LDXR, STXR and the like */
void sem_exclusive(struct sem *s, unsigned int arg)
{
	struct transfer t = {.bytes = 1U << FIELD(s, size), .is_load = FLAG(s, L)};
	struct uop_place at = {FIELD(s, Rn), 0};

	(void)arg;
	s->b->insn.flags |= UOP_EXCLUSIVE;
	if (t.is_load)
		load_register(s, &t, at, FIELD(s, Rt));
	else
		uop_store_when(s->b, at, t.bytes, sem_x(FIELD(s, Rt)), store_status(s, 31));
}

void sem_exclusive_pair(struct sem *s, unsigned int arg)
{
	struct transfer t = {.bytes = FLAG(s, sz) ? 8 : 4, .is_load = FLAG(s, L)};
	struct uop_place at = {FIELD(s, Rn), 0};
	struct uop_access condition;

	(void)arg;
	s->b->insn.flags |= UOP_EXCLUSIVE;
	if (t.is_load) {
		load_register(s, &t, at, FIELD(s, Rt));
		load_register(s, &t, sem_place_after(at, t.bytes), FIELD(s, Rt2));
		return;
	}
	condition = store_status(s, FIELD(s, Rt2));
	uop_store_when(s->b, at, t.bytes, sem_x(FIELD(s, Rt)), condition);
	uop_store_when(s->b, sem_place_after(at, t.bytes), t.bytes, sem_x(FIELD(s, Rt2)),
	               condition);
}

/* A failing compare-and-swap leaves memory as it is, which storing the old value says too. */
void sem_compare_swap(struct sem *s, unsigned int arg)
{
	unsigned int bytes = 1U << FIELD(s, size);
	struct uop_place at = {FIELD(s, Rn), 0};
	unsigned int old = uop_load(s->b, at, bytes);
	unsigned int equal = uop_equal(s->b, 8 * bytes, old, sem_x(FIELD(s, Rs)));

	(void)arg;
	s->b->insn.flags |= UOP_ATOMIC;
	uop_store(s->b, at, bytes, uop_select(s->b, 8 * bytes, equal, sem_x(FIELD(s, Rt)), old));
	sem_set_x(s, FIELD(s, Rs), old);
}

/* Number of the second register of a pair; 31 is ZR there too. */
static unsigned int second_of(unsigned int n)
{
	return n + 1 == 31 ? SLOT_ZERO : n + 1;
}

void sem_compare_swap_pair(struct sem *s, unsigned int arg)
{
	unsigned int bytes = FLAG(s, sz) ? 8 : 4;
	unsigned int rs = FIELD(s, Rs);
	unsigned int rt = FIELD(s, Rt);
	struct uop_place at = {FIELD(s, Rn), 0};
	struct uop_place next = sem_place_after(at, bytes);
	unsigned int old[2];
	unsigned int equal;

	(void)arg;
	if (rs % 2 != 0 || rt % 2 != 0) {
		opcode_reject(&s->opcode);
		return;
	}
	s->b->insn.flags |= UOP_ATOMIC;
	old[0] = uop_load(s->b, at, bytes);
	old[1] = uop_load(s->b, next, bytes);
	equal = uop_make(s->b, UOP_AND, 1, uop_equal(s->b, 8 * bytes, old[0], rs),
	                 uop_equal(s->b, 8 * bytes, old[1], second_of(rs)));
	uop_store(s->b, at, bytes, uop_select(s->b, 8 * bytes, equal, rt, old[0]));
	uop_store(s->b, next, bytes, uop_select(s->b, 8 * bytes, equal, second_of(rt), old[1]));
	uop_define(s->b, rs, old[0]);
	if (second_of(rs) != SLOT_ZERO)
		uop_define(s->b, rs + 1, old[1]);
}

/* The smaller or the larger of two numbers: `condition` holds of a - second where a is chosen. */
static unsigned int chosen(struct sem *s, unsigned int width, unsigned int a, unsigned int second,
                           unsigned int condition)
{
	struct uop flags = {.op = UOP_SUB_FLAGS,
	                    .width = 16,
	                    .size = (uint8_t)width,
	                    .a = (uint8_t)a,
	                    .b = (uint8_t)second,
	                    .c = (uint8_t)uop_constant(s->b, 1)};
	struct uop holds = {.op = UOP_CONDITION,
	                    .width = 1,
	                    .b = SLOT_NONE,
	                    .c = SLOT_NONE,
	                    .condition = (uint8_t)condition};

	holds.a = (uint8_t)uop_emit(s->b, flags);
	return uop_select(s->b, width, uop_emit(s->b, holds), a, second);
}

void sem_atomic(struct sem *s, unsigned int arg)
{
	/* ADD, CLR, EOR, SET, SMAX, SMIN, UMAX, UMIN; the last four by GT, LT, HI, LO */
	static const uint8_t conditions[4] = {12, 11, 8, 3};
	unsigned int opc = FIELD(s, opc);
	unsigned int bytes = 1U << FIELD(s, size);
	unsigned int width = 8 * bytes;
	struct uop_place at = {FIELD(s, Rn), 0};
	unsigned int old = uop_load(s->b, at, bytes);
	unsigned int rs = sem_x(FIELD(s, Rs));
	unsigned int result;

	(void)arg;
	s->b->insn.flags |= UOP_ATOMIC;
	if (opc >= 4)
		result = chosen(s, width, old, rs, conditions[opc - 4]);
	else if (opc == 0)
		result = uop_sum(s->b, width, old, rs, false);
	else if (opc == 1)
		result = uop_make(
		        s->b, UOP_AND, width, old,
		        uop_make(s->b, UOP_XOR, width, rs, uop_constant(s->b, bits_mask(width))));
	else
		result = uop_make(s->b, opc == 2 ? UOP_XOR : UOP_OR, width, old, rs);
	uop_store(s->b, at, bytes, result);
	sem_set_x(s, FIELD(s, Rt), old);
}

void sem_swap(struct sem *s, unsigned int arg)
{
	unsigned int bytes = 1U << FIELD(s, size);
	struct uop_place at = {FIELD(s, Rn), 0};
	unsigned int old = uop_load(s->b, at, bytes);

	(void)arg;
	s->b->insn.flags |= UOP_ATOMIC;
	uop_store(s->b, at, bytes, sem_x(FIELD(s, Rs)));
	sem_set_x(s, FIELD(s, Rt), old);
}

/* CPY*, SET*: how far each of the three instructions of a copy gets is not defined. */
void sem_memory_copy(struct sem *s, unsigned int arg)
{
	(void)arg;
	s->b->insn.flags |= UOP_KILLS_MEMORY;
	uop_use(s->b, sem_x(FIELD(s, Rd)));
	uop_use(s->b, sem_x(FIELD(s, Rn)));
	uop_use(s->b, sem_x(FIELD(s, Rs)));
	sem_set_x_unknown(s, FIELD(s, Rd), 64);
	sem_set_x_unknown(s, FIELD(s, Rn), 64);
	sem_set_x_unknown(s, FIELD(s, Rs), 64);
	uop_define_unknown(s->b, REG_NZCV, 16);
}

/* LDG: only the tag in the register changes. */
void sem_tag_load(struct sem *s, unsigned int arg)
{
	(void)arg;
	sem_x_low(s, 56);
	uop_use(s->b, FIELD(s, Rn));
}

/* STG, ST2G write tags alone; STZG, STZ2G zeros too, 16 bytes a tag. */
void sem_tag_store(struct sem *s, unsigned int arg)
{
	enum { POST = 1, OFFSET, PRE };
	unsigned int opc = FIELD(s, opc);
	unsigned int mode = FIELD(s, mode);
	unsigned int rn = FIELD(s, Rn);
	int64_t offset = SIGNED_FIELD(s, imm9) * 16;
	struct uop_place at = {rn, mode == POST ? 0 : offset};

	(void)arg;
	for (unsigned int i = 0; (opc & 1) != 0 && i < (opc == 3 ? 4 : 2); i++)
		uop_store(s->b, sem_place_after(at, 8 * (int64_t)i), 8, SLOT_ZERO);
	if (mode != OFFSET)
		uop_define(s->b, rn,
		           uop_sum(s->b, 64, rn, uop_constant(s->b, (uint64_t)offset), false));
}
