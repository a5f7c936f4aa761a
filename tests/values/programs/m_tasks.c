/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks on a bare Cortex-M, as small real-time kernels switch them: each has a process stack, PendSV
 * keeps R4 to R11 there and SP in the task's structure, SysTick preempts, SVC starts the first and
 * ends one. What FreeRTOS has too is named as there. In place of m_main.c.
 */
#include "program.h"

#define SYSTICK ((volatile uint32_t *)0xe000e010)
#define ICSR    (*(volatile uint32_t *)0xe000ed04)
#define SHPR2   (*(volatile uint32_t *)0xe000ed1c)
#define SHPR3   (*(volatile uint32_t *)0xe000ed20)
#define PEND_SV (1u << 28)

enum { TASKS = 3, WORDS = 256 };

struct tskTaskControlBlock {
	uint32_t *top; /* first: PendSV has its address alone */
	uint32_t is_done;
	uint32_t switches;
	char pcTaskName[16];
};

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;

static struct tskTaskControlBlock tasks[TASKS] = {
        {.pcTaskName = "sorter"}, {.pcTaskName = "folder"}, {.pcTaskName = "waiter"}};
__attribute__((used)) static struct tskTaskControlBlock *volatile pxCurrentTCB;
__attribute__((used)) static volatile int32_t xSchedulerRunning = 1;
static uint64_t stacks[TASKS][WORDS / 2];
static volatile uint32_t ticks;
static volatile uint32_t served;

void reset(void);

NOINLINE void finished(uint32_t result)
{
	register uint32_t r0 __asm__("r0") = 0x18;
	register uint32_t r1 __asm__("r1") = 0x20026;

	served = result;
	__asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1) : "memory");
	for (;;) {
	}
}

__attribute__((used)) static void select_task(void)
{
	uint32_t next = (uint32_t)(pxCurrentTCB - tasks);

	do {
		next = next + 1 == TASKS ? 0 : next + 1;
	} while (tasks[next].is_done);
	pxCurrentTCB = &tasks[next];
	pxCurrentTCB->switches++;
}

static void __attribute__((naked)) pendsv(void)
{
	__asm__ volatile("mrs r0, psp\n isb\n ldr r3, =pxCurrentTCB\n ldr r2, [r3]\n"
	                 "stmdb r0!, {r4-r11}\n str r0, [r2]\n stmdb sp!, {r3, lr}\n"
	                 "mov r0, #32\n msr basepri, r0\n dsb\n isb\n bl select_task\n"
	                 "mov r0, #0\n msr basepri, r0\n ldmia sp!, {r3, lr}\n"
	                 "ldr r1, [r3]\n ldr r0, [r1]\n ldmia r0!, {r4-r11}\n"
	                 "msr psp, r0\n isb\n bx lr\n .ltorg\n");
}

__attribute__((used)) static void end_task(void)
{
	pxCurrentTCB->is_done = 1;
	ICSR = PEND_SV;
}

/* From MSP it starts the first task, from a task it ends that. */
static void __attribute__((naked)) svcall(void)
{
	__asm__ volatile("tst lr, #4\n bne end_task\n ldr r3, =pxCurrentTCB\n ldr r1, [r3]\n"
	                 "ldr r0, [r1]\n ldmia r0!, {r4-r11}\n msr psp, r0\n isb\n"
	                 "mov r0, #0\n msr basepri, r0\n orr lr, lr, #0xd\n bx lr\n .ltorg\n");
}

static void systick(void)
{
	SYSTICK[1] = 200 + ++ticks * 37 % 300;
	ICSR = PEND_SV;
}

static void yield(void)
{
	ICSR = PEND_SV;
	__asm__ volatile("dsb\n isb" : : : "memory");
}

static void end_of_task(void)
{
	__asm__ volatile("svc 1" : : : "memory");
	for (;;) {
	}
}

#include "tasks.h"

static void make_task(uint32_t number, void (*entry)(void))
{
	uint32_t *frame = (uint32_t *)&stacks[number][WORDS / 2] - 8;

	frame[6] = (uint32_t)entry & ~1u;
	frame[7] = 0x01000000;
	tasks[number].top = frame - 8;
}

void reset(void)
{
	uint32_t *from = &data_load;

	for (uint32_t *to = &data_start; to < &data_end; to++)
		*to = *from++;
	for (uint32_t *to = &bss_start; to < &bss_end; to++)
		*to = 0;
	make_task(0, sorter);
	make_task(1, folder);
	make_task(2, waiter);
	pxCurrentTCB = &tasks[0];
	SYSTICK[1] = 500;
	SYSTICK[2] = 0;
	SHPR2 = 0x40u << 24;
	SHPR3 = 0xe0u << 24 | 0xe0u << 16;
	SYSTICK[0] = 7;
	__asm__ volatile("svc 0" : : : "memory");
	for (;;) {
	}
}

static void stop(void)
{
	finished(0);
}

__attribute__((section(".vectors"), used)) void *const vectors[16] = {
        &stack_top, reset, stop, stop,   stop, stop, stop,   0,
        0,          0,     0,    svcall, stop, 0,    pendsv, systick};
