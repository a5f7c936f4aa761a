/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of a Linux kernel (A64), for the assumption waiting-tasks (replay/values/assumption.def).
 * In: a window, and CONTEXTIDR as the trace has it. Out: which task each switch left and went to;
 * where a task that waits has saved its registers, which nobody writes meanwhile.
 *
 * A kernel that switches tasks saves the registers of the old one in its task_struct, loads those
 * of the new one, and makes that the current one (SP_EL0): of the old task there is nothing after
 * it that its address would follow from, and with it SP and all that was on the stack are unknown.
 * But kernels for traces have the number of the task in CONTEXTIDR (CONFIG_PID_IN_CONTEXTIDR), and
 * a number is one task's:
 *
 *	ldrsw x0, [next, #pid];  msr contextidr_el1, x0
 *	add x8, prev, x10;  mov x9, sp;  stp x29, x9, [x8], #16;  str x30, [x8]    (and others)
 *	add x8, next, x10;  ldp x29, x9, [x8], #16;  ldr x30, [x8];  mov sp, x9
 *	msr sp_el0, next
 *
 * It is known by what it does and not by names or offsets: SP is saved at one address, and loaded
 * from another that is as far from what SP_EL0 becomes as the saved one is taken to be from what it
 * was; and the number is read from the same structure. A task's address is then that of any other
 * switch with its number, or that of the only place in the dumps that has, as far from each other
 * as in the code, the return address that each task saves, a stack's address, and the number.
 *
 * A task that waits runs on no other core meanwhile if no other core's CONTEXTIDR has its number;
 * 0 is that of each core's own idle task.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_TASK_SWITCH_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_TASK_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct history;
struct solver;

/* An SSA value and a constant. */
struct task_term {
	uint32_t ssa;
	uint64_t offset;
};

struct task_switch {
	uint32_t dyn;           /* the MSR SP_EL0 */
	uint32_t next;          /* SSA value that it writes: the new task, */
	uint32_t current;       /* and of SP_EL0 before: the old one */
	struct task_term saved; /* the address of the old one's SP */
	uint32_t first_access;  /* of those that save */
	uint32_t before;        /* the old task's number, */
	uint32_t after;         /* and the new one's: */
	uint32_t number;        /* dynamic instruction by which CONTEXTIDR gets it */
	bool is_noted;          /* the old task is in task_switches.waits */
};

/* A task by its number. */
struct task_number {
	uint32_t number;
	bool is_found;
	bool is_looked_for; /* in the dumps */
	uint64_t task;      /* its address */
};

/* Nobody writes what a task has saved in accesses first <= a < last. */
struct task_wait {
	uint64_t task;
	uint32_t first;
	uint32_t last;
};

/* Where a task has what: bytes from its address on. */
struct task_layout {
	uint64_t sp;
	uint64_t lr;
	uint64_t number;
	uint64_t saved[2]; /* registers: of these bytes the first, and the first after them */
	uint64_t lr_value; /* the return address that each task saves */
};

struct task_switches {
	bool is_assumed;
	bool is_found; /* that they were looked for */
	struct task_layout layout;
	struct task_switch *items; /* in order of `dyn` */
	size_t count;
	size_t capacity;
	struct task_number *numbers;
	size_t number_count;
	size_t number_capacity;
	struct task_wait *waits; /* in order of tasks, and of accesses */
	size_t wait_count;
	size_t wait_capacity;
};

void task_switches_fini(struct task_switches *switches);

/* The core runs A64 code, and its trace has CONTEXTIDR. */
bool task_switches_are_numbered(const struct history *history);
/* The window has code that may make another task the current one. */
bool task_switches_may_be(const struct solver *s);

/* Finds the switches of a window of which all constants are known. NO_MEM. */
MUST_USE enum status task_switches_find(struct solver *s);
/* Applies what follows; true if something new did. */
bool task_switches_apply(struct solver *s);
/* A task that waits has saved the granule: none of the accesses first <= a < end writes it. */
bool task_switches_keep(const struct solver *s, uint64_t granule, uint32_t first, uint32_t end);

#endif
