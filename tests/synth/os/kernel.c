/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel for qemu's virt machine (GICv2, CORES of them) and two processes of user.c at one
 * address, each with a translation table of its own: a timer interrupts them, they call it by SVC.
 * After some turns it patches the code of the first. Later the second goes on on core 1, where a
 * library is mapped for it; with one of CORES it is mapped where it is. os_recording.py says what
 * lies where; the cores stop in stopped().
 */
#include <stdint.h>

#define KERNEL     0xffffffff00000000u /* what a physical address is at, here */
#define GICD       ((volatile uint32_t *)(KERNEL + 0x08000000))
#define GICC       ((volatile uint32_t *)(KERNEL + 0x08010000))
#define MEMORY     UINT64_C(0x40000000)
#define BLOCK      UINT64_C(0x200000)
#define USER       UINT64_C(0x80000000) /* code, data and the library: a block each */
#define PLACE(n)   (UINT64_C(0x41000000) + 2 * (n)*BLOCK)
#define LIBRARY    UINT64_C(0x41800000)
#define USER_BLOCK (1u | 1u << 6 | 3u << 8 | 1u << 10 | 1u << 11 | UINT64_C(1) << 53)
#define IRQ_TIMER  27

enum { KIND_CALL, KIND_IRQ };
enum { TURN_PATCH = 8, TURN_MOVE = 13, TURN_SHORT = 24, TURN_END = 29 };
enum { TURN_LOAD = 4 }; /* of core 1 */

struct task {
	uint64_t x[31];
	uint64_t sp, pc, pstate; /* offset 248 */
	uint64_t table, context; /* offset 272 */
};

uint64_t kernel_tables[512] __attribute__((aligned(4096)));
static uint64_t tables[2][2][512] __attribute__((aligned(4096)));
struct task tasks[2];
static struct task *volatile runnable[2] = {&tasks[0], &tasks[1]};
static struct task *volatile moving;
static volatile uint32_t core_1_is_up, turns[2], calls;

void enter(struct task *task) __attribute__((noreturn));
void stopped(void) __attribute__((noreturn));

/* The emulator runs the other core. */
static void give_way(void)
{
	__asm__ volatile("yield");
}

static void set_timer(uint64_t ticks)
{
	__asm__ volatile("msr cntv_tval_el0, %0\n msr cntv_ctl_el0, %1\n isb"
	                 :
	                 : "r"(ticks), "r"(UINT64_C(1)));
}

static void map_process(uint32_t number)
{
	uint64_t *level_1 = tables[number][0];
	uint64_t *level_2 = tables[number][1];
	struct task *task = &tasks[number];

	level_1[USER >> 30] = ((uintptr_t)level_2 - KERNEL) | 3;
	level_2[0] = PLACE(number) | USER_BLOCK;
	level_2[1] = (PLACE(number) + BLOCK) | USER_BLOCK;
	task->table = ((uintptr_t)level_1 - KERNEL) | (uint64_t)(number + 1) << 48;
	task->context = number ? CONTEXT_B : CONTEXT_A;
	task->sp = USER + 2 * BLOCK - 0x100 * (number + 1);
	task->pc = USER;
}

static void set_up_interrupts(void)
{
	GICD[0] = 1;
	GICD[0x100 / 4] = 1u << IRQ_TIMER;
	GICC[1] = 0xff;
	GICC[0] = 1;
}

static void patch(void)
{
	*(volatile uint32_t *)(PATCHED - USER + PLACE(0) + KERNEL) =
	        0x91001400; /* add x0, x0, #5 */
	__asm__ volatile("dsb ish\n ic ialluis\n dsb ish\n isb" : : : "memory");
}

static void load_library(void)
{
	tables[1][1][2] = LIBRARY | USER_BLOCK;
	__asm__ volatile("dsb ishst\n tlbi vmalle1is\n dsb ish\n isb" : : : "memory");
	tasks[1].x[19] = USER + 2 * BLOCK; /* where the process looks for it */
}

static struct task *next_on_core_0(struct task *now)
{
	uint32_t turn = ++turns[0];

	if (turn == TURN_END)
		stopped();
	if (turn == TURN_PATCH)
		patch();
	if (CORES == 1 && turn == TURN_MOVE)
		load_library();
	if (CORES > 1 && turn == TURN_MOVE) {
		runnable[1] = runnable[0];
		tasks[1].context = CONTEXT_B_MOVED;
		moving = &tasks[1];
	}
	return runnable[now == &tasks[0]];
}

static struct task *next_on_core_1(struct task *now)
{
	if (++turns[1] == TURN_LOAD)
		load_library();
	return now;
}

/* What goes on after an exception. */
struct task *handle(struct task *now, uint32_t kind, uint64_t core)
{
	if (kind == KIND_CALL) {
		now->x[0] += ++calls;
		return now;
	}
	uint32_t irq = GICC[3];

	set_timer(turns[0] < TURN_SHORT ? 2000 + now->x[0] % 64 * 32
	                                : 1400); /* 4 ticks an instruction */
	GICC[4] = irq;
	return core ? next_on_core_1(now) : next_on_core_0(now);
}

static void begin_core_1(void)
{
	register uint64_t x0 __asm__("x0") = 0xc4000003; /* PSCI CPU_ON */
	register uint64_t x1 __asm__("x1") = 1;
	register uint64_t x2 __asm__("x2") = MEMORY + 0x200000;
	register uint64_t x3 __asm__("x3") = 1;
	__asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : "memory");
	while (!core_1_is_up)
		give_way();
}

/* Both cores come here, with their numbers. */
void start(uint64_t core)
{
	set_up_interrupts();
	if (core) {
		core_1_is_up = 1;
		while (!moving)
			give_way();
		set_timer(2000);
		enter(moving);
	}
	for (uint32_t i = 0; i < 2; i++)
		map_process(i);
	if (CORES > 1)
		begin_core_1();
	set_timer(2000);
	enter(&tasks[0]);
}

/* Long enough for both cores to have an instruction after this one's first. */
void stopped(void)
{
	for (volatile uint32_t i = 0; i < 10; i++)
		give_way();
	__asm__ volatile("mov w0, #0x18\n movz x1, #0x26\n movk x1, #2, lsl #16\n"
	                 "stp x1, xzr, [sp, #-16]!\n mov x1, sp\n hlt #0xf000");
	for (;;) {
	}
}
