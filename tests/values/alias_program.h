/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random A64 programs whose accesses overlap in a few words of memory, and whose pointers lie in
 * the same words. In: a seed. Out: the program, and what each instruction found and left (Arm ARM
 * C6.2). Included once a test program.
 */
#ifndef CSREPLAY_TESTS_VALUES_ALIAS_PROGRAM_H
#define CSREPLAY_TESTS_VALUES_ALIAS_PROGRAM_H

#include "tests/values/adversary.h"

enum {
	XS = 8, /* X0 to X7 */
	MEMORY = 64,
	STEPS_MOST = 240,
	TRIES_MOST = 5000, /* of which most are accesses to elsewhere */
};

struct machine {
	uint64_t x[XS];
	uint8_t memory[MEMORY]; /* from DATA on */
};

struct alias_program {
	uint64_t random;
	unsigned int area; /* bytes that are accessed */
	unsigned int xs;   /* registers that are used */
	bool is_dense;     /* of little but accesses of 4 and 8 bytes to 2 or 3 words */
	bool is_shared;    /* another core writes, too */
	bool is_long;
	struct machine at[STEPS_MOST + 1];
	uint8_t changed[STEPS_MOST]; /* bit n: the instruction changed word n */
	size_t steps;
	uint32_t code[CODE_MOST];
	size_t count;
	struct run runs[RUNS_MOST];
	size_t run_count;
	unsigned int loaded;    /* register that was loaded last, or XS */
	unsigned int stored_at; /* the base of the last store, or XS */
};

/* An instruction that is being made. */
struct making {
	const struct machine *was;
	struct machine *is; /* a copy of it, to be changed */
	uint32_t opcode;
	unsigned int d, a, b; /* registers */
	bool is_branch;
	bool is_taken; /* over one instruction */
};

static uint64_t random_u64(struct alias_program *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (p->random * UINT64_C(2685821657736338717)) >> 16;
}

/* 0 to count - 1. */
static unsigned int one_of(struct alias_program *p, unsigned int count)
{
	return (unsigned int)(random_u64(p) % count);
}

static uint64_t random_word(struct alias_program *p)
{
	return DATA + 8 * (uint64_t)one_of(p, p->area / 8);
}

/* Mostly a pointer to what is accessed. */
static uint64_t random_value(struct alias_program *p)
{
	uint64_t word = random_word(p);

	if (p->is_dense)
		return word;
	switch (one_of(p, 7)) {
	case 0:
		return one_of(p, 16);
	case 1:
		return word | random_u64(p) << 56; /* a tag */
	case 2:
		return DATA + one_of(p, p->area - 8);
	case 3:
		return random_u64(p);
	default:
		return word;
	}
}

/* Where in the memory the bytes are; false if not all are where this program accesses it. */
static bool place_of(const struct alias_program *p, uint64_t address, unsigned int size,
                     size_t *place)
{
	uint64_t at = (address & bits_mask(56)) - DATA;

	*place = (size_t)at;
	return at < p->area && size <= p->area - at;
}

static uint64_t get(const struct machine *m, size_t place, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)m->memory[place + i] << 8 * i;
	return value;
}

static void put(struct machine *m, size_t place, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < size; i++)
		m->memory[place + i] = (uint8_t)(value >> 8 * i);
}

static uint32_t registers_of(const struct making *m)
{
	return (uint32_t)m->a << 5 | (uint32_t)m->d;
}

static void load_or_store(struct making *m, bool loads, size_t place, unsigned int size)
{
	if (loads)
		m->is->x[m->d] = get(m->was, place, size);
	else
		put(m->is, place, size, m->was->x[m->d]);
}

/* LDUR, STUR and those of bytes, halfwords and words. */
static bool make_access(struct alias_program *p, struct making *m, bool loads)
{
	static const unsigned int scales[] = {3, 3, 3, 3, 2, 2, 1, 0};
	unsigned int scale = p->is_dense ? 2 + one_of(p, 2) : scales[one_of(p, 8)];
	unsigned int size = 1u << scale;
	int64_t offset = one_of(p, 2) == 0 ? 0 : (int64_t)one_of(p, 17) - 8;
	size_t place;

	if (p->is_dense)
		offset = one_of(p, 3) == 0 ? 4 : 0;
	if (one_of(p, 3) > 0)
		offset -= offset % (int64_t)size;
	if (!place_of(p, m->was->x[m->a] + (uint64_t)offset, size, &place))
		return false;
	m->opcode = UINT32_C(0x38000000) | scale << 30 | (loads ? UINT32_C(1) << 22 : 0) |
	            ((uint32_t)offset & 0x1ff) << 12 | registers_of(m);
	load_or_store(m, loads, place, size);
	p->loaded = loads ? m->d : XS;
	if (!loads)
		p->stored_at = m->a;
	return true;
}

static bool make_any_access(struct alias_program *p, struct making *m)
{
	return make_access(p, m, one_of(p, 2) == 0);
}

/* LDP and STP. */
static bool make_pair(struct alias_program *p, struct making *m)
{
	int64_t offset = (int64_t)one_of(p, 3) - 1;
	bool loads = one_of(p, 2) == 0;
	size_t place;

	if (!place_of(p, m->was->x[m->a] + (uint64_t)(8 * offset), 16, &place) ||
	    (loads && m->d == m->b))
		return false;
	m->opcode = UINT32_C(0xa9000000) | (loads ? UINT32_C(1) << 22 : 0) |
	            ((uint32_t)offset & 0x7f) << 15 | (uint32_t)m->b << 10 | registers_of(m);
	load_or_store(m, loads, place, 8);
	if (loads)
		m->is->x[m->b] = get(m->was, place + 8, 8);
	else
		put(m->is, place + 8, 8, m->was->x[m->b]);
	return true;
}

/* LDR and STR with pre-index or post-index. */
static bool make_indexed(struct alias_program *p, struct making *m)
{
	int64_t offset = one_of(p, 2) == 0 ? 8 : -8;
	bool is_post = one_of(p, 2) == 0;
	bool loads = one_of(p, 2) == 0;
	uint64_t base = m->was->x[m->a];
	size_t place;

	if (!place_of(p, is_post ? base : base + (uint64_t)offset, 8, &place) || m->d == m->a)
		return false;
	m->opcode = UINT32_C(0xf8000400) | (loads ? UINT32_C(1) << 22 : 0) |
	            ((uint32_t)offset & 0x1ff) << 12 | (is_post ? 0 : UINT32_C(1) << 11) |
	            registers_of(m);
	load_or_store(m, loads, place, 8);
	m->is->x[m->a] = base + (uint64_t)offset;
	return true;
}

/* Where an atomic or exclusive access of 4 or 8 bytes is; false if it cannot be there. */
static bool place_atomic(struct alias_program *p, const struct making *m, unsigned int *scale,
                         size_t *place)
{
	*scale = 2 + one_of(p, 2);
	return place_of(p, m->was->x[m->a], 1u << *scale, place) &&
	       *place % ((size_t)1 << *scale) == 0;
}

/* SWP and LDADD. */
static bool make_atomic(struct alias_program *p, struct making *m)
{
	bool adds = one_of(p, 2) == 0;
	unsigned int scale;
	size_t place;

	if (!place_atomic(p, m, &scale, &place))
		return false;
	m->opcode = UINT32_C(0x38200000) | scale << 30 | (uint32_t)m->b << 16 |
	            (adds ? 0 : UINT32_C(1) << 15) | registers_of(m);
	m->is->x[m->d] = get(m->was, place, 1u << scale);
	put(m->is, place, 1u << scale, m->was->x[m->b] + (adds ? m->is->x[m->d] : 0));
	return true;
}

/* CAS. */
static bool make_compare_and_swap(struct alias_program *p, struct making *m)
{
	unsigned int scale;
	size_t place;
	uint64_t found;

	if (!place_atomic(p, m, &scale, &place))
		return false;
	m->opcode = UINT32_C(0x08a07c00) | scale << 30 | (uint32_t)m->b << 16 | registers_of(m);
	found = get(m->was, place, 1u << scale);
	if (found == (m->was->x[m->b] & bits_mask(8u << scale)))
		put(m->is, place, 1u << scale, m->was->x[m->d]);
	m->is->x[m->b] = found;
	return true;
}

/* STXR, which succeeds or not. */
static bool make_exclusive(struct alias_program *p, struct making *m)
{
	bool fails = one_of(p, 2) == 0;
	unsigned int scale;
	size_t place;

	if (!place_atomic(p, m, &scale, &place) || m->b == m->a || m->b == m->d)
		return false;
	m->opcode = UINT32_C(0x08007c00) | scale << 30 | (uint32_t)m->b << 16 | registers_of(m);
	if (!fails)
		put(m->is, place, 1u << scale, m->was->x[m->d]);
	m->is->x[m->b] = fails;
	return true;
}

/* ADD and SUB of a small number. */
static bool make_sum(struct alias_program *p, struct making *m)
{
	unsigned int number = one_of(p, 2) == 0 ? 8 : one_of(p, 9);
	bool subtracts = one_of(p, 2) == 0;
	uint64_t a = m->was->x[m->a];

	m->opcode = UINT32_C(0x91000000) | (subtracts ? UINT32_C(1) << 30 : 0) | number << 10 |
	            registers_of(m);
	m->is->x[m->d] = subtracts ? a - number : a + number;
	return true;
}

/* MOV of a number, which leaves nothing of what the register was. */
static void make_number(struct making *m, uint64_t number)
{
	m->opcode = UINT32_C(0xd2800000) | (uint32_t)number << 5 | (uint32_t)m->d;
	m->is->x[m->d] = number;
}

static bool make_any_number(struct alias_program *p, struct making *m)
{
	uint64_t word = random_word(p);

	make_number(m, one_of(p, 2) == 0 ? one_of(p, 16) : word);
	return true;
}

static bool make_copy(struct alias_program *p, struct making *m)
{
	(void)p;
	m->opcode = UINT32_C(0xaa0003e0) | (uint32_t)m->b << 16 | (uint32_t)m->d;
	m->is->x[m->d] = m->was->x[m->b];
	return true;
}

/* ADD, EOR and AND. */
static bool make_operation(struct alias_program *p, struct making *m)
{
	static const uint32_t opcodes[] = {0x8b000000, 0xca000000, 0x8a000000};
	uint64_t a = m->was->x[m->a], b = m->was->x[m->b];
	const uint64_t results[] = {a + b, a ^ b, a & b};
	unsigned int which = one_of(p, 3);

	m->opcode = opcodes[which] | (uint32_t)m->b << 16 | registers_of(m);
	m->is->x[m->d] = results[which];
	return true;
}

/* CBZ and CBNZ over one instruction. */
static bool make_branch(struct alias_program *p, struct making *m)
{
	bool is_narrow = one_of(p, 2) == 0;
	bool on_zero = one_of(p, 2) == 0;
	uint64_t value = m->was->x[m->a] & bits_mask(is_narrow ? 32 : 64);

	m->opcode = UINT32_C(0x34000040) | (is_narrow ? 0 : UINT32_C(1) << 31) |
	            (on_zero ? 0 : UINT32_C(1) << 24) | (uint32_t)m->a;
	m->is_branch = true;
	m->is_taken = (value == 0) == on_zero;
	return true;
}

static const struct {
	bool (*make)(struct alias_program *p, struct making *m); /* false: not of these registers */
	unsigned int weight;
} kinds[] = {
        {make_any_access, 20}, {make_pair, 4},   {make_indexed, 4},
        {make_atomic, 4},      {make_sum, 4},    {make_compare_and_swap, 4},
        {make_exclusive, 1},   {make_copy, 4},   {make_any_number, 4},
        {make_operation, 4},   {make_branch, 4},
};

static bool make_any(struct alias_program *p, struct making *m)
{
	unsigned int weights = 0, chosen;
	size_t i = 0;

	if (p->is_dense && one_of(p, 4) > 0)
		return make_any_access(p, m);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		weights += kinds[k].weight;
	for (chosen = one_of(p, weights); chosen >= kinds[i].weight; i++)
		chosen -= kinds[i].weight;
	return kinds[i].make(p, m);
}

/*
 * What is hardest to see: a store through a pointer that was just loaded, or one whose pointer is
 * gone right after it.
 */
static bool make_hard(struct alias_program *p, struct making *m)
{
	if (p->stored_at < XS && one_of(p, 2) == 0) {
		m->d = p->stored_at;
		p->stored_at = XS;
		return make_any_number(p, m);
	}
	if (p->loaded < XS && one_of(p, 2) == 0) {
		m->a = p->loaded;
		return make_access(p, m, false);
	}
	return make_any(p, m);
}

static struct making begin_step(struct alias_program *p)
{
	struct making m = {.was = &p->at[p->steps], .is = &p->at[p->steps + 1]};

	*m.is = *m.was;
	m.d = one_of(p, p->xs);
	m.a = one_of(p, p->xs);
	m.b = one_of(p, p->xs);
	return m;
}

static void end_run(struct alias_program *p, enum insn_class class, bool is_not_taken)
{
	const struct run *last = p->run_count > 0 ? &p->runs[p->run_count - 1] : NULL;
	size_t first = last == NULL ? 0 : last->first + last->count;

	if (last != NULL && !last->is_not_taken)
		first++;
	p->runs[p->run_count++] = (struct run){first, p->count - first, class, is_not_taken};
}

static void end_step(struct alias_program *p, const struct making *m)
{
	p->changed[p->steps] = 0;
	for (unsigned int w = 0; w < MEMORY / 8; w++) {
		if (get(m->was, 8 * w, 8) != get(m->is, 8 * w, 8))
			p->changed[p->steps] |= (uint8_t)(1u << w);
	}
	if (p->is_shared && one_of(p, 3) == 0) {
		size_t place = (size_t)(random_word(p) - DATA);

		put(m->is, place, 8, random_value(p));
	}
	p->steps++;
	p->code[p->count++] = m->opcode;
	if (m->is_branch)
		end_run(p, INSN_BRANCH, !m->is_taken);
	if (m->is_taken) { /* a store that was not executed */
		uint32_t base = one_of(p, XS);

		p->code[p->count++] = UINT32_C(0xf9000000) | base << 5 | one_of(p, XS);
	}
}

static void make_start(struct alias_program *p)
{
	for (unsigned int i = 0; i < XS; i++)
		p->at[0].x[i] = random_value(p);
	for (size_t i = 0; i < MEMORY; i += 8) {
		uint64_t value = random_value(p);

		if (one_of(p, 3) == 0)
			value = (value & UINT32_MAX) | random_value(p) << 32;
		put(&p->at[0], i, 8, value);
	}
}

/* At the end most registers are overwritten: the halt says nothing of what they were. */
static void forget_registers(struct alias_program *p)
{
	for (unsigned int i = 0; i < XS; i++) {
		struct making m;

		if (one_of(p, 3) == 0)
			continue;
		m = begin_step(p);
		m.d = i;
		make_number(&m, one_of(p, 4));
		end_step(p, &m);
	}
}

/* Of p only is_dense, is_shared and is_long are what they were. */
static void alias_program_make(struct alias_program *p, uint64_t seed)
{
	bool is_hard;
	size_t length;

	*p = (struct alias_program){
	        .is_dense = p->is_dense, .is_shared = p->is_shared, .is_long = p->is_long};
	p->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	(void)random_u64(p); /* the first ones are much like the seed */
	(void)random_u64(p);
	p->area = 16 + 8 * one_of(p, p->is_dense ? 2 : 7);
	p->xs = one_of(p, 2) == 0 ? 4 : XS;
	p->loaded = p->stored_at = XS;
	is_hard = p->is_dense || one_of(p, 2) == 0;
	length = 3 + one_of(p, p->is_dense || one_of(p, 2) == 0 ? 14 : 40);
	if (p->is_long)
		length += 150;
	make_start(p);
	for (unsigned int i = 0; i < TRIES_MOST && p->steps < length; i++) {
		struct making m = begin_step(p);

		if (is_hard ? make_hard(p, &m) : make_any(p, &m))
			end_step(p, &m);
	}
	forget_registers(p);
	end_run(p, INSN_OTHER, false);
}

#endif
