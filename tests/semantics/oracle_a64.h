/* SPDX-License-Identifier: Apache-2.0 */
/* State of an AArch64 core in the frame of a signal handler, for oracle.c. */
#ifndef CSREPLAY_TESTS_SEMANTICS_ORACLE_A64_H
#define CSREPLAY_TESTS_SEMANTICS_ORACLE_A64_H

#include <asm/sigcontext.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "case.h"

static uint64_t swap_tpidr(uint64_t value)
{
	uint64_t old;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(old));
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(value));
	return old;
}

/* The record with this magic number; long vectors have theirs in a list further on. */
static void *find_record(ucontext_t *context, uint32_t magic)
{
	char *at = (char *)context->uc_mcontext.__reserved;
	char *more = NULL;

	for (;;) {
		struct _aarch64_ctx head;

		memcpy(&head, at, sizeof(head));
		if (head.magic == magic)
			return at;
		if (head.magic == EXTRA_MAGIC)
			more = (char *)((struct extra_context *)at)->datap;
		if (head.magic != 0 && head.size != 0) {
			at += head.size;
			continue;
		}
		if (!more)
			return NULL;
		at = more;
		more = NULL;
	}
}

static void collect_state(ucontext_t *context, struct test_result *result)
{
	mcontext_t *machine = &context->uc_mcontext;
	struct fpsimd_context *vectors = find_record(context, FPSIMD_MAGIC);
	struct sve_context *sve = find_record(context, SVE_MAGIC);

	result->pc = machine->pc;
	memcpy(result->state.x, machine->regs, sizeof(result->state.x));
	result->state.sp = machine->sp;
	result->state.nzcv = machine->pstate >> 28 & 15;
	result->state.fpsr = vectors->fpsr;
	memcpy(result->state.v, vectors->vregs, sizeof(result->state.v));
	result->vector_bytes = sve ? sve->vl : 0;
	__asm__("mrs %0, dczid_el0" : "=r"(result->dczid));
}

/* The low part of each SVE vector is that of the other record; all else is made up. */
static void set_sve(struct sve_context *sve, const struct case_state *state)
{
	unsigned int quads;
	uint8_t *base = (uint8_t *)sve;

	if (!sve || sve->head.size <= sizeof(*sve))
		return;
	quads = sve->vl / 16;
	for (unsigned int v = 0; v < 32; v++) {
		uint8_t *z = base + SVE_SIG_ZREG_OFFSET(quads, v);

		for (unsigned int i = 0; i < quads; i++)
			memcpy(z + 16 * i, &state->v[2 * ((v + i) % 32)], 16);
	}
	for (unsigned int p = 0; p < 16; p++)
		memcpy(base + SVE_SIG_PREG_OFFSET(quads, p), &state->v[p], sve->vl / 8U);
}

static void set_state(ucontext_t *context, const struct test_case *test, uint64_t pc)
{
	const struct case_state *state = &test->state;
	mcontext_t *machine = &context->uc_mcontext;
	struct fpsimd_context *vectors = find_record(context, FPSIMD_MAGIC);

	memcpy(machine->regs, state->x, sizeof(state->x));
	machine->sp = state->sp;
	machine->pstate = state->nzcv << 28;
	vectors->fpsr = (uint32_t)state->fpsr;
	vectors->fpcr = 0;
	memcpy(vectors->vregs, state->v, sizeof(state->v));
	set_sve(find_record(context, SVE_MAGIC), state);
	machine->pc = pc;
}

static uint32_t trap_of(const struct test_case *test, unsigned int offset)
{
	(void)test;
	(void)offset;
	return 0xd4200000; /* BRK */
}

static unsigned int opcode_size(const struct test_case *test, uint32_t opcode)
{
	(void)test;
	(void)opcode;
	return 4;
}

static void first_trap(void)
{
	__asm__ volatile("brk #0");
}

#endif
