/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An opcode and all that it does, as the manual says it: for rows of which qemu is no oracle
 * (tests/semantics/qemu.py). What a case does not name must be as before, and no memory may be
 * touched that it does not name. Registers before it are X_WAS() or R_WAS(), each word of memory is
 * MEMORY_AT() its address. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_ARCH_SEM_CASE_H
#define CSREPLAY_TESTS_ARCH_SEM_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/uop/uop_run.h"
#include "tests/support/opcode_rows.h"

enum { CASE_ADDRESS = 0x10000, CASE_EFFECTS = 16 };

/* All different, and a multiple of 8; the second in AArch32 state. */
#define X_WAS(reg)    (UINT64_C(0x8877665544332208) + UINT64_C(0x0101010101010108) * (reg))
#define R_WAS(reg)    (X_WAS(reg) & UINT32_MAX)
#define MEMORY_AT(at) ((uint64_t)(at)*UINT64_C(0x9e3779b97f4a7c15))
#define FLAGS_WERE    UINT64_C(0x0200) /* N and V */
/* AArch32, in Supervisor mode: that of IRQ mode, with Z and C. */
#define SPSR_WAS UINT64_C(0x60050012)
#define GE_WAS   UINT64_C(0xa)
/* The word there, and the flags in its top bits. */
#define WORD_AT(at)  (MEMORY_AT(at) & UINT32_MAX)
#define FLAGS_AT(at) (UINT64_C(1) << (WORD_AT(at) >> 28))
#define GE_AT(at)    (WORD_AT(at) >> A32_GE_AT & 15)

enum effect_kind {
	EFFECT_NONE,
	EFFECT_IS,
	EFFECT_FORGETS,     /* all but the bits of `value`, which are zero */
	EFFECT_FORGETS_ALL, /* the same, of the registers from `reg` to `last` */
	EFFECT_KEEPS_LOW,   /* `value` bits of what it was, no more */
	EFFECT_USES,        /* reads the register, though nothing that is known comes of it */
	/* These are compared with the accesses, one after the other. */
	EFFECT_LOADS,
	EFFECT_STORES,
	EFFECT_CLOBBERS, /* `value` bytes may have been written */
};

struct effect {
	enum effect_kind kind;
	unsigned int reg;
	unsigned int last;
	uint64_t value;
	uint64_t address;
	unsigned int size;
	bool is_away;    /* where it goes is not known */
	bool is_unknown; /* nor what is stored */
};

#define IS(r, v)                                                                                   \
	{                                                                                          \
		.kind = EFFECT_IS, .reg = (r), .value = (v)                                        \
	}
#define FORGETS(r)                                                                                 \
	{                                                                                          \
		.kind = EFFECT_FORGETS, .reg = (r)                                                 \
	}
#define FORGETS_UPTO(r, bits)                                                                      \
	{                                                                                          \
		.kind = EFFECT_FORGETS, .reg = (r), .value = UINT64_MAX << (bits)                  \
	}
#define FORGETS_ALL(first, end)                                                                    \
	{                                                                                          \
		.kind = EFFECT_FORGETS_ALL, .reg = (first), .last = (end)                          \
	}
#define FORGETS_ALL_R(first, end)                                                                  \
	{                                                                                          \
		.kind = EFFECT_FORGETS_ALL, .reg = (first), .last = (end),                         \
		.value = UINT64_MAX << 32                                                          \
	}
/* AArch32: from Supervisor mode, to others. */
#define LEFT_SVC                                                                                   \
	IS(18, R_WAS(14)), IS(19, R_WAS(13)), IS(REG_A32_SPSR_SVC, SPSR_WAS), FORGETS(REG_PSTATE)
/* And an exception return has GE of SPSR. */
#define RETURNED LEFT_SVC, IS(REG_A32_GE, SPSR_WAS >> A32_GE_AT & 15)
#define NOW_IRQ                                                                                    \
	IS(13, R_WAS(17)), IS(14, R_WAS(16)), IS(REG_A32_SPSR, R_WAS(REG_A32_SPSR_IRQ)),           \
	        IS(REG_A32_MODE, A32_IRQ)
#define NOW_USR                                                                                    \
	IS(13, R_WAS(REG_SP)), IS(14, R_WAS(REG_A32_LR_USR)), FORGETS_UPTO(REG_A32_SPSR, 32),      \
	        IS(REG_A32_MODE, A32_USR)
/* One that is reserved. */
#define NOW_NONE(mode)                                                                             \
	FORGETS_UPTO(13, 32), FORGETS_UPTO(14, 32), FORGETS_UPTO(REG_A32_SPSR, 32),                \
	        IS(REG_A32_MODE, mode)
#define UNCHANGED                                                                                  \
	{                                                                                          \
		.kind = EFFECT_NONE                                                                \
	}
#define FORGETS_FLAGS FORGETS_UPTO(REG_NZCV, 16)
#define KEEPS_LOW(r, bits)                                                                         \
	{                                                                                          \
		.kind = EFFECT_KEEPS_LOW, .reg = (r), .value = (bits)                              \
	}
#define USES(r)                                                                                    \
	{                                                                                          \
		.kind = EFFECT_USES, .reg = (r)                                                    \
	}
#define LOADS(at, bytes)                                                                           \
	{                                                                                          \
		.kind = EFFECT_LOADS, .address = (at), .size = (bytes)                             \
	}
#define STORES(at, bytes, v)                                                                       \
	{                                                                                          \
		.kind = EFFECT_STORES, .address = (at), .size = (bytes), .value = (v)              \
	}
#define STORES_AWAY(bytes, v)                                                                      \
	{                                                                                          \
		.kind = EFFECT_STORES, .size = (bytes), .value = (v), .is_away = true              \
	}
#define STORES_UNKNOWN_AWAY(bytes)                                                                 \
	{                                                                                          \
		.kind = EFFECT_STORES, .size = (bytes), .is_away = true, .is_unknown = true        \
	}
#define CLOBBERS(at, bytes)                                                                        \
	{                                                                                          \
		.kind = EFFECT_CLOBBERS, .address = (at), .value = (bytes)                         \
	}

/* Where it goes. */
struct went {
	enum uop_branch_kind kind;
	uint64_t to;       /* of DIRECT and CONDITIONAL, or the value of the register */
	unsigned int bits; /* INDIRECT: that many of the PC are the register's */
};

#define WENT_ON                                                                                    \
	{                                                                                          \
		.kind = BRANCH_NONE                                                                \
	}
#define WENT_TO_HANDLER                                                                            \
	{                                                                                          \
		.kind = BRANCH_EXCEPTION                                                           \
	}
#define WENT_BACK                                                                                  \
	{                                                                                          \
		.kind = BRANCH_RETURN                                                              \
	}
#define WENT_MAYBE(offset)                                                                         \
	{                                                                                          \
		.kind = BRANCH_CONDITIONAL, .to = CASE_ADDRESS + (offset)                          \
	}
#define WENT_TO(value, count)                                                                      \
	{                                                                                          \
		.kind = BRANCH_INDIRECT, .to = (value), .bits = (count)                            \
	}

#define KILLS_EVERYTHING (UOP_KILLS_ALL | UOP_NOT_IN_TABLE)

struct sem_case {
	const char *row;
	const char *text;
	uint32_t opcode;
	unsigned int flags; /* of enum uop_flags */
	struct went went;
	struct effect effects[CASE_EFFECTS];
};

struct case_run {
	const struct sem_case *of;
	struct uop_builder builder;
	struct bits registers[REG_COUNT];
	struct uop_run run;
};

static struct bits read_pattern(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	return (struct bits){MEMORY_AT(address) & bits_mask(8 * size), bits_mask(8 * size)};
}

/* The instruction is in the builder. */
static void run_case(struct case_run *r, const struct sem_case *of, bool is_aarch32)
{
	struct uop_memory memory = {read_pattern, NULL};

	r->of = of;
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		r->registers[reg] = bits_of(
		        is_aarch32 && (reg <= REG_SP || (reg >= REG_P0 && reg < REG_NAMED_END))
		                ? R_WAS(reg)
		                : X_WAS(reg));
	if (is_aarch32) {
		r->registers[REG_A32_MODE] = bits_of(A32_SVC);
		r->registers[REG_A32_SPSR] = bits_of(SPSR_WAS);
		r->registers[REG_A32_GE] = bits_of(GE_WAS);
	}
	r->registers[REG_NZCV] = bits_of(FLAGS_WERE);
	if (!uop_run(&r->builder.insn, r->registers, &memory, &r->run))
		fail_msg("%s contradicts itself", of->text);
}

static bool concerns(const struct effect *e, unsigned int reg)
{
	if (e->kind == EFFECT_FORGETS_ALL)
		return reg >= e->reg && reg <= e->last;
	return e->kind >= EFFECT_IS && e->kind <= EFFECT_KEEPS_LOW && e->reg == reg;
}

static struct bits expected_of(const struct case_run *r, unsigned int reg)
{
	struct bits before = r->registers[reg];

	for (size_t i = 0; i < CASE_EFFECTS; i++) {
		const struct effect *e = &r->of->effects[i];

		if (!concerns(e, reg))
			continue;
		if (e->kind == EFFECT_IS)
			return bits_of(e->value);
		if (e->kind == EFFECT_KEEPS_LOW)
			return (struct bits){before.value & bits_mask((unsigned int)e->value),
			                     bits_mask((unsigned int)e->value)};
		return (struct bits){0, e->value};
	}
	return before;
}

static void check_case_registers(const struct case_run *r)
{
	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		struct bits expected = expected_of(r, reg);
		struct bits found = uop_run_after(&r->run, reg);

		if (found.known != expected.known || found.value != expected.value)
			fail_msg("%s, register %u: %#llx of %#llx, not %#llx of %#llx", r->of->text,
			         reg, (unsigned long long)found.value,
			         (unsigned long long)found.known,
			         (unsigned long long)expected.value,
			         (unsigned long long)expected.known);
	}
}

static void check_place(const struct case_run *r, const struct effect *e,
                        const struct uop_access *access)
{
	struct bits address = uop_run_address(&r->run, access);
	struct bits happens = uop_run_happens(&r->run, access);

	assert_int_equal(happens.value, 1);
	if (e->is_away) {
		assert_true((address.known & UINT32_MAX) == 0);
		return;
	}
	assert_int_equal(address.known, UINT64_MAX);
	assert_int_equal(address.value, e->address);
}

static void check_access(const struct case_run *r, const struct effect *e,
                         const struct uop_access *access)
{
	static const enum uop_access_kind kinds[] = {
	        [EFFECT_LOADS] = ACCESS_LOAD,
	        [EFFECT_STORES] = ACCESS_STORE,
	        [EFFECT_CLOBBERS] = ACCESS_CLOBBER,
	};
	struct bits data;

	assert_int_equal(access->kind, kinds[e->kind]);
	assert_int_equal(access->size, e->size);
	check_place(r, e, access);
	if (e->kind == EFFECT_CLOBBERS)
		assert_int_equal(uop_run_length(&r->run, access), e->value);
	if (e->kind != EFFECT_STORES)
		return;
	data = uop_run_slot(&r->run, access->data);
	assert_int_equal(data.known & bits_mask(8 * e->size),
	                 e->is_unknown ? 0 : bits_mask(8 * e->size));
	assert_int_equal(data.value & bits_mask(8 * e->size), e->value);
}

static void check_case_memory(const struct case_run *r)
{
	const struct uop_insn *insn = &r->builder.insn;
	size_t accesses = 0;

	for (size_t i = 0; i < CASE_EFFECTS; i++) {
		const struct effect *e = &r->of->effects[i];

		if (e->kind == EFFECT_USES && !uop_insn_uses(insn, e->reg))
			fail_msg("%s does not read %u", r->of->text, e->reg);
		if (e->kind < EFFECT_LOADS)
			continue;
		assert_true(accesses < insn->access_count);
		check_access(r, e, &insn->accesses[accesses++]);
	}
	assert_int_equal(accesses, insn->access_count);
}

static void check_case_branch(const struct case_run *r)
{
	const struct uop_branch *branch = &r->builder.insn.branch;

	assert_int_equal(branch->kind, r->of->went.kind);
	if (branch->kind == BRANCH_CONDITIONAL) {
		assert_int_equal(branch->target, r->of->went.to);
		assert_int_equal(branch->slot, SLOT_NONE);
	} else if (branch->kind == BRANCH_INDIRECT) {
		assert_int_equal(uop_run_slot(&r->run, branch->slot).value, r->of->went.to);
		assert_int_equal(branch->target_bits, r->of->went.bits);
	} else {
		assert_int_equal(branch->slot, SLOT_NONE);
	}
}

static void check_case(struct case_run *r, const struct sem_case *of, bool is_aarch32)
{
	print_message("%s\n", of->text);
	assert_int_equal(r->builder.insn.flags, of->flags | (is_aarch32 ? UOP_AARCH32 : 0U));
	if ((of->flags & UOP_NOT_IN_TABLE) != 0)
		return;
	run_case(r, of, is_aarch32);
	check_case_registers(r);
	check_case_memory(r);
	check_case_branch(r);
}

#endif
