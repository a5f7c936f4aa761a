/* SPDX-License-Identifier: Apache-2.0 */
/* State of a core in AArch32 state in the frame of a signal handler, for oracle.c. */
#ifndef CSREPLAY_TESTS_SEMANTICS_ORACLE_A32_H
#define CSREPLAY_TESTS_SEMANTICS_ORACLE_A32_H

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "case.h"

/* The first record of uc_regspace. */
struct vfp_record {
	uint32_t magic;
	uint32_t size;
	uint64_t d[32];
	uint32_t fpscr;
};

static uint64_t swap_tpidr(uint64_t value)
{
	uint32_t old;

	__asm__ volatile("mrc p15, 0, %0, c13, c0, 2" : "=r"(old));
	__asm__ volatile("mcr p15, 0, %0, c13, c0, 2" : : "r"((uint32_t)value));
	return old;
}

static struct vfp_record *vfp_of(ucontext_t *context)
{
	return (struct vfp_record *)context->uc_regspace;
}

static void collect_state(ucontext_t *context, struct test_result *result)
{
	mcontext_t *machine = &context->uc_mcontext;
	struct vfp_record *vfp = vfp_of(context);
	const unsigned long *r = &machine->arm_r0;

	result->pc = machine->arm_pc;
	for (unsigned int i = 0; i < 15; i++)
		result->state.x[i] = r[i];
	result->state.nzcv = machine->arm_cpsr >> 28 & 15;
	result->state.pstate = machine->arm_cpsr & 0x0fffffff;
	result->state.fpsr = vfp->fpscr;
	memcpy(result->state.v, vfp->d, sizeof(vfp->d));
}

static void set_state(ucontext_t *context, const struct test_case *test, uint64_t pc)
{
	mcontext_t *machine = &context->uc_mcontext;
	struct vfp_record *vfp = vfp_of(context);
	unsigned long *r = &machine->arm_r0;

	for (unsigned int i = 0; i < 15; i++)
		r[i] = (unsigned long)test->state.x[i];
	machine->arm_cpsr = (unsigned long)(test->state.nzcv << 28 | test->state.pstate);
	machine->arm_pc = (unsigned long)pc;
	vfp->fpscr = (uint32_t)test->state.fpsr;
	memcpy(vfp->d, test->state.v, sizeof(vfp->d));
}

static uint32_t trap_of(const struct test_case *test, unsigned int offset)
{
	return case_trap(test->isa, offset);
}

static unsigned int opcode_size(const struct test_case *test, uint32_t opcode)
{
	return test->isa == CASE_T32 && opcode < 0x10000 ? 2 : 4;
}

static void first_trap(void)
{
	__asm__ volatile("bkpt #0");
}

#endif
