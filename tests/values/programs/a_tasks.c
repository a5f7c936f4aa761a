/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks on a bare Cortex-A9 in A32, which the private timer's interrupt preempts. As small real-time
 * kernels switch them: all registers of a task are on its stack (SRS, RFE), SVC is how it asks for a
 * switch, and a handler returns to another task. With BY_RETURN as Linux does: a function changes
 * SP, and returns; the handler of the interrupt calls it, too. In place of m_main.c.
 */
#include "program.h"

#define TIMER       ((volatile uint32_t *)0x1e000600) /* load, counter, control, status */
#define INTERFACE   ((volatile uint32_t *)0x1e000100) /* of the interrupt controller */
#define DISTRIBUTOR ((volatile uint32_t *)0x1e001000)
#define TIMER_ID    29

enum { TASKS = 3, WORDS = 512, SYSTEM_MODE = 0x1f };

struct task {
	uint32_t *top;
	uint32_t is_done;
};

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;
extern uint32_t vectors[];

static struct task tasks[TASKS];
static struct task *volatile current;
static uint64_t stacks[TASKS][WORDS / 2];
static volatile uint32_t ticks;
static volatile uint32_t turns[TASKS];
static volatile uint32_t served;

NOINLINE void finished(uint32_t result)
{
	served = result;
	for (;;) {
	}
}

static void select_task(void)
{
	uint32_t next = (uint32_t)(current - tasks);

	do {
		next = next + 1 == TASKS ? 0 : next + 1;
	} while (tasks[next].is_done);
	current = &tasks[next];
}

static void end_interrupt(void)
{
	uint32_t id = INTERFACE[3];

	TIMER[3] = 1;
	TIMER[0] = 2000 + ++ticks * 37 % 2000;
	INTERFACE[4] = id;
}

#ifdef BY_RETURN
#define SET_SP ""

/* From one stack to another, and to what waits there or begins. */
__attribute__((naked)) NOINLINE static void switch_stacks(uint32_t **from, uint32_t *to)
{
	__asm__ volatile("push {r4-r11, lr}\n str sp, [r0]\n mov sp, r1\n pop {r4-r11, pc}\n");
}

NOINLINE static void schedule(void)
{
	struct task *before = current;

	select_task();
	if (current != before)
		switch_stacks(&before->top, current->top);
}
#else
#define SET_SP "mov sp, r0\n "
#endif

#define HANDLER(function)                                                                          \
	"srsdb sp!, #31\n cps #31\n push {r0-r12, lr}\n mov r0, sp\n bl " function                 \
	"\n " SET_SP "pop {r0-r12, lr}\n rfeia sp!\n"

__attribute__((used)) static uint32_t *supervisor_call(uint32_t *top)
{
	current->top = top;
	select_task();
	return current->top;
}

__attribute__((used)) static uint32_t *interrupt(uint32_t *top)
{
	end_interrupt();
	if (ticks % 3 == 0)
		return top;
#ifdef BY_RETURN
	schedule();
	return top;
#else
	return supervisor_call(top);
#endif
}

__attribute__((naked, used)) static void svcall(void)
{
	__asm__ volatile(HANDLER("supervisor_call"));
}

__attribute__((naked, used)) static void irq(void)
{
	__asm__ volatile("sub lr, lr, #4\n" HANDLER("interrupt"));
}

#ifdef BY_RETURN
__attribute__((naked, used)) static void start_first(uint32_t *top)
{
	__asm__ volatile("cps #31\n mov sp, r0\n pop {r4-r11, pc}\n");
}

__attribute__((naked)) static void begin_task(void)
{
	__asm__ volatile("cpsie i\n bx r4\n");
}
#else
__attribute__((naked, used)) static void start_first(uint32_t *top)
{
	__asm__ volatile("cps #31\n mov sp, r0\n pop {r0-r12, lr}\n rfeia sp!\n");
}
#endif

NOINLINE static void note_turn(uint32_t turn)
{
	turns[turn % TASKS] += turn;
}

/* All tasks wait at one instruction, and go on a while before a return tells them apart. */
NOINLINE static void yield(void)
{
	uint32_t turn = turns[0];

#ifdef BY_RETURN
	__asm__ volatile("cpsid i" : : : "memory");
	schedule();
	__asm__ volatile("cpsie i" : : : "memory");
#else
	__asm__ volatile("svc 0" : : : "memory");
#endif
	note_turn(turn);
	note_turn(turn + 1);
}

static void end_of_task(void)
{
	current->is_done = 1;
	yield();
	for (;;) {
	}
}

#include "tasks.h"

static void make_task(uint32_t number, void (*entry)(void))
{
	uint32_t *top = (uint32_t *)&stacks[number][WORDS / 2] - 16;

#ifdef BY_RETURN
	top[0] = (uint32_t)entry; /* R4 */
	top[8] = (uint32_t)begin_task;
#else
	top[14] = (uint32_t)entry;
	top[15] = SYSTEM_MODE;
#endif
	tasks[number].top = top;
}

__attribute__((used)) static void start(void)
{
	uint32_t *from = &data_load;

	for (uint32_t *to = &data_start; to < &data_end; to++)
		*to = *from++;
	for (uint32_t *to = &bss_start; to < &bss_end; to++)
		*to = 0;
	make_task(0, sorter);
	make_task(1, folder);
	make_task(2, waiter);
	current = &tasks[0];
	__asm__ volatile("mcr p15, 0, %0, c12, c0, 0" : : "r"(vectors));
	DISTRIBUTOR[0x100 / 4] = 1u << TIMER_ID;
	DISTRIBUTOR[0] = 1;
	INTERFACE[1] = 0xff;
	INTERFACE[0] = 1;
	TIMER[0] = 3000;
	TIMER[2] = 7;
	start_first(current->top);
}

__attribute__((naked)) void reset(void)
{
	__asm__ volatile("ldr sp, =stack_top\n b start\n .ltorg\n");
}

__attribute__((naked, section(".vectors"), used)) static void table(void)
{
	__asm__ volatile(".global vectors\nvectors: b reset\n b .\n b svcall\n b .\n b .\n b .\n b irq\n b .\n");
}
