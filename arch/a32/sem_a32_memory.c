/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32 loads and stores as micro-operations, once decoded: single, dual, multiple,
 * exclusive, and those of exceptions. Arm ARM DDI 0487 F1.5 to F1.7, operations in F5.1.
 */
#include "arch/a32/sem_a32_expand.h"

/* A base register; of the PC the word that it is in. */
static unsigned int base_of(struct arm *s, unsigned int rn)
{
	return rn == ARM_PC ? arm_constant(s, s->pc & ~UINT32_C(3)) : rn;
}

static void load_one(struct arm *s, const struct arm_transfer *t, struct uop_place at)
{
	unsigned int value = uop_load(s->b, at, t->bytes);

	if (t->is_signed)
		value = arm_field(s, UOP_SIGNED, value, 0, 8 * t->bytes, 0);
	if (t->rt != ARM_PC)
		uop_define(s->b, t->rt, value);
	else if (t->bytes == 4)
		arm_branch_exchange(s, value);
	else
		opcode_reject(&s->opcode);
}

static void load_two(struct arm *s, const struct arm_transfer *t, struct uop_place at)
{
	struct uop_place next = {at.base, at.offset + 4};
	unsigned int low = uop_load(s->b, at, 4);
	unsigned int high = uop_load(s->b, next, 4);

	arm_set(s, t->rt, low);
	arm_set(s, t->rt2, high);
}

/* `conditions`: `when` of a store-exclusive, or nothing. */
static void store(struct arm *s, const struct arm_transfer *t, struct uop_place at,
                  struct uop_access condition)
{
	struct uop_place next = {at.base, at.offset + 4};

	if (t->rt == ARM_PC && (t->bytes != 4 || s->is_t32))
		opcode_reject(&s->opcode);
	if (t->bytes != 8) {
		uop_store_when(s->b, at, t->bytes, arm_r(s, t->rt), condition);
		return;
	}
	if (t->rt2 == ARM_PC)
		opcode_reject(&s->opcode);
	uop_store_when(s->b, at, 4, arm_r(s, t->rt), condition);
	uop_store_when(s->b, next, 4, arm_r(s, t->rt2), condition);
}

static void write_back(struct arm *s, const struct arm_address *a, unsigned int sum)
{
	if (a->rn == ARM_PC)
		opcode_reject(&s->opcode);
	else if (a->writes_back)
		uop_define(s->b, a->rn, sum);
}

/* Data that a store with write-back of the same register has is unpredictable. */
static void store_or_unknown(struct arm *s, const struct arm_transfer *t,
                             const struct arm_address *a, struct uop_place at)
{
	bool clashes = a->writes_back && (t->rt == a->rn || (t->bytes == 8 && t->rt2 == a->rn));

	if (!clashes) {
		store(s, t, at, (struct uop_access){.when = SLOT_NONE});
		return;
	}
	for (unsigned int done = 0; done < t->bytes; done += 4, at.offset += 4)
		uop_store(s->b, at, t->bytes < 4 ? t->bytes : 4, uop_unknown(s->b, 32));
}

void arm_transfer(struct arm *s, const struct arm_transfer *t, const struct arm_address *a)
{
	unsigned int base = base_of(s, a->rn);
	struct uop_place at = {base, 0};
	unsigned int sum = SLOT_NONE;

	if (a->index != SLOT_NONE) {
		sum = uop_sum(s->b, 32, base, a->index, !a->adds);
		at.base = a->is_before ? sum : base;
	} else if (a->is_before) {
		at.offset = a->adds ? (int64_t)a->immediate : -(int64_t)a->immediate;
	}
	if (a->writes_back && sum == SLOT_NONE)
		sum = uop_sum(s->b, 32, base, arm_constant(s, a->immediate), !a->adds);
	if (!t->is_load)
		store_or_unknown(s, t, a, at);
	else if (t->bytes == 8)
		load_two(s, t, at);
	else
		load_one(s, t, at);
	if (a->writes_back)
		write_back(s, a, sum);
}

static unsigned int count_of(unsigned int list)
{
	unsigned int count = 0;

	for (; list != 0; list &= list - 1)
		count++;
	return count;
}

/* What STM stores of a register: of a base that is not the first in the list it is unknown. */
static unsigned int stored_of(struct arm *s, const struct arm_multiple *m, unsigned int n)
{
	bool is_first = (m->list & ((1U << n) - 1)) == 0;

	if (m->is_user && n >= 8 && n != ARM_PC)
		return uop_mode_read(s->b, (struct mode_register){A32_USR, n});
	if (m->writes_back && n == m->rn && (!is_first || s->is_t32))
		return is_first ? n : uop_unknown(s->b, 32);
	return arm_r(s, n);
}

void arm_multiple(struct arm *s, const struct arm_multiple *m)
{
	unsigned int size = 4 * count_of(m->list);
	struct uop_place at = {m->rn, 0};
	unsigned int after;

	if (m->rn == ARM_PC || m->list == 0) {
		opcode_reject(&s->opcode);
		return;
	}
	if (!m->is_up)
		at.offset = -(int64_t)size;
	if (m->is_before == m->is_up)
		at.offset += 4;
	after = uop_sum(s->b, 32, m->rn, arm_constant(s, size), !m->is_up);
	for (unsigned int n = 0; n <= ARM_PC; n++) {
		struct arm_transfer t = {.rt = n, .bytes = 4};

		if ((m->list >> n & 1) == 0)
			continue;
		if (m->is_load && m->is_user && n >= 8)
			uop_mode_write(s->b, (struct mode_register){A32_USR, n},
			               uop_load(s->b, at, 4));
		else if (m->is_load)
			load_one(s, &t, at);
		else
			uop_store(s->b, at, 4, stored_of(s, m, n));
		at.offset += 4;
	}
	if (m->writes_back)
		uop_define(s->b, m->rn, after);
}

/* The status of a store-exclusive, 0 if it was done, and when the store happens. */
static struct uop_access store_status(struct arm *s, const struct arm_transfer *t, unsigned int rn,
                                      unsigned int rd)
{
	unsigned int status = uop_unknown(s->b, 1);
	struct uop_access condition = {.when = (uint8_t)status, .when_value = false};

	if (rd == rn || rd == t->rt || (t->bytes == 8 && rd == t->rt2))
		s->b->insn.flags |= UOP_KILLS_MEMORY;
	arm_set(s, rd, status);
	if (s->when != SLOT_NONE)
		condition.when =
		        (uint8_t)uop_select(s->b, 1, s->when, status, uop_constant(s->b, 1));
	return condition;
}

void arm_exclusive(struct arm *s, const struct arm_transfer *t, struct uop_place at,
                   unsigned int rd)
{
	struct uop_access condition = {.when = SLOT_NONE};

	if (at.base == ARM_PC || t->rt == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	if (t->is_load && t->bytes == 8) {
		load_two(s, t, at);
		return;
	}
	if (t->is_load) {
		load_one(s, t, at);
		return;
	}
	if (rd != ARM_PC)
		condition = store_status(s, t, at.base, rd);
	store(s, t, at, condition);
}

/* SWP, SWPB */
void arm_swap(struct arm *s, unsigned int rt, unsigned int rt2, unsigned int rn, unsigned int bytes)
{
	struct uop_place at = {rn, 0};
	unsigned int old;

	if (rt == ARM_PC || rt2 == ARM_PC || rn == ARM_PC || rn == rt || rn == rt2) {
		opcode_reject(&s->opcode);
		return;
	}
	s->b->insn.flags |= UOP_ATOMIC;
	old = uop_load(s->b, at, bytes);
	uop_store(s->b, at, bytes, rt2);
	arm_set(s, rt, old);
}

/* Where the two words of SRS and RFE are, from the base on. */
static int64_t pair_offset(unsigned int before_up)
{
	static const int8_t offsets[] = {-4, -8, 0, 4}; /* DA, DB, IA, IB */

	return offsets[before_up];
}

/* LR and SPSR go to the stack of a mode that need not be the one in use. */
void arm_srs(struct arm *s, unsigned int before_up, bool writes_back)
{
	const struct mode_register sp = {(enum a32_mode)FIELD(s, mode), ARM_SP};
	struct uop_place at = {uop_mode_read(s->b, sp), pair_offset(before_up)};

	uop_store(s->b, at, 4, ARM_LR);
	at.offset += 4;
	uop_store(s->b, at, 4, REG_A32_SPSR);
	if (writes_back)
		uop_mode_write(
		        s->b, sp,
		        uop_sum(s->b, 32, at.base, arm_constant(s, 8), (before_up & 2) == 0));
}

void arm_rfe(struct arm *s, unsigned int rn, unsigned int before_up, bool writes_back)
{
	struct uop_place at = {rn, pair_offset(before_up)};

	if (rn == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	(void)uop_load(s->b, at, 4);
	at.offset += 4;
	if (writes_back)
		uop_define(s->b, rn,
		           uop_sum(s->b, 32, rn, arm_constant(s, 8), (before_up & 2) == 0));
	arm_return_from_exception(s, uop_load(s->b, at, 4));
}
