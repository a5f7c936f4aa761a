/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What passes between the two sides of the test of instruction semantics: cases (a state and some
 * opcodes) go to oracle.c, which runs them on an Arm core and answers with results (the state
 * after them). Plain little-endian structures in files, the same on both sides.
 */
#ifndef CSREPLAY_TESTS_SEMANTICS_CASE_H
#define CSREPLAY_TESTS_SEMANTICS_CASE_H

#include <stdint.h>

enum {
	CASE_OPCODES = 2,
	CASE_SLOT = 32,      /* bytes of code a case: its opcodes, then traps */
	CASE_MOST = 1 << 14, /* cases a file */
	CASE_CHANGES = 48,   /* words of memory a result can hold */

	CODE_BASE = 0x20000000,
	CODE_SIZE = CASE_SLOT * CASE_MOST,
	DATA_BASE = 0x200c0000, /* in reach of a literal load from any slot */
	DATA_SIZE = 0x20000,
	DATA_MIDDLE = DATA_BASE + 0x8000, /* where base registers point to, +- 16 KiB */
};

struct case_state {
	uint64_t x[31];
	uint64_t sp;
	uint64_t nzcv; /* bits 3..0 */
	uint64_t fpsr;
	uint64_t tpidr;
	uint64_t v[64];
	uint64_t pstate; /* A32, T32: CPSR but for its flags; x[13] is SP there */
};

enum case_isa { CASE_A64, CASE_A32, CASE_T32 };

enum {
	/*
	 * What a case of A32 or T32 ends in, UDF or two BKPT; the last bytes of a slot have that of
	 * the other set, for BLX.
	 */
	CASE_END_A32 = (int)0xe7fbbef0,
	CASE_END_T32 = (int)0xbe00be00,
	ORACLE_BASE = 0x6d000000, /* where oracle.c for A32 is linked */
	ORACLE_SIZE = 0x1000000,
	CASE_OTHER_SET = CASE_SLOT - 8,
	CPSR_T = 1 << 5,
};

struct test_case {
	uint32_t opcodes[CASE_OPCODES];
	uint32_t count; /* of opcodes */
	uint32_t row;   /* of the table, for statistics */
	uint32_t isa;   /* enum case_isa */
	uint32_t it;    /* T32: condition of the last opcode, after an IT; else SEM_NO_IT */
	struct case_state state;
};

struct case_change {
	uint64_t address; /* of a word of 8 bytes */
	uint64_t value;
};

struct test_result {
	uint64_t pc;
	uint32_t signal;
	uint32_t changes;      /* more than CASE_CHANGES: not all are here */
	uint64_t vector_bytes; /* 0 without SVE */
	uint64_t dczid;        /* DCZID_EL0 */
	struct case_state state;
	struct case_change change[CASE_CHANGES];
};

/* What memory holds before each case, by the number of the word in the data. */
static inline uint64_t case_pattern(uint64_t word)
{
	uint64_t x = (word + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* The trap at an offset of the slot of an A32 or T32 case. */
static inline uint32_t case_trap(uint32_t isa, uint64_t offset)
{
	return (uint32_t)((isa == CASE_A32) == (offset < CASE_OTHER_SET) ? CASE_END_A32
	                                                                 : CASE_END_T32);
}

static inline uint64_t case_slot(uint64_t index)
{
	return CODE_BASE + CASE_SLOT * index;
}

#endif
