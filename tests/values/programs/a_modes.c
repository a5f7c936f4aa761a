/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cortex-A9 whose program runs in Supervisor, System and User mode, one after the other, while a
 * timer interrupts it by IRQ and another one by FIQ; it calls a supervisor, which reads User mode's
 * registers and is interrupted itself, and meets an undefined instruction, a breakpoint and an
 * unaligned LDM. The handlers return as handlers do: LDM with CPSR, SUBS and MOVS to the PC, RFE.
 */
#include "program.h"

#define TIMER       ((volatile uint32_t *)0x1e000600) /* load, counter, control, status */
#define WATCHDOG    ((volatile uint32_t *)0x1e000620)
#define INTERFACE   ((volatile uint32_t *)0x1e000100) /* of the interrupt controller */
#define DISTRIBUTOR ((volatile uint32_t *)0x1e001000)

enum {
	TIMER_ID = 29,
	WATCHDOG_ID = 30,
	STACK = 4096, /* bytes of each */
	PERIOD = 2900,
	FAST_PERIOD = 2777,
};

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;
extern uint32_t vectors[];

/* Of FIQ, IRQ, Abort, Undefined and System mode, and of the program in User mode. */
uint64_t stacks[6][STACK / 8];
volatile uint32_t fast_count;
static volatile uint32_t ticks;
static uint32_t history[16];
static volatile uint32_t served;

NOINLINE void finished(uint32_t result)
{
	served = result;
	for (;;) {
	}
}

__attribute__((used)) static void interrupt(void)
{
	uint32_t id = INTERFACE[3];
	uint32_t t = ++ticks;

	history[t % 16] = t * 0x01010101u ^ history[(t + 3) % 16];
	TIMER[3] = 1;
	TIMER[0] = PERIOD + t * 37 % 400;
	INTERFACE[4] = id;
}

/* What a task is asked to return, and SP and LR of User mode. */
__attribute__((used)) static uint32_t serve(uint32_t x, const uint32_t *user)
{
	__asm__ volatile("cpsie i" : : : "memory");
	for (uint32_t i = 0; i < 8; i++)
		history[i] += (user[0] ^ user[1]) >> i;
	__asm__ volatile("cpsid i" : : : "memory");
	return 3 * x + 1;
}

__attribute__((naked, used)) static void irq(void)
{
	__asm__ volatile("sub lr, lr, #4\n push {r0-r3, r12, lr}\n bl interrupt\n"
	                 "ldm sp!, {r0-r3, r12, pc}^\n");
}

/* R8 to R10 are FIQ mode's own: fast_count, WATCHDOG, INTERFACE. */
__attribute__((naked, used)) static void fiq(void)
{
	__asm__ volatile("ldr r11, [r8]\n add r11, r11, #1\n str r11, [r8]\n mov r12, #1\n str r12, [r9, #12]\n"
	                 "ldr r12, [r10, #12]\n str r12, [r10, #16]\n subs pc, lr, #4\n");
}

__attribute__((naked, used)) static void svcall(void)
{
	__asm__ volatile("push {r1-r5, r12, lr}\n mrs r4, spsr\n mrs r5, cpsr\n sub sp, sp, #12\n stm sp, {sp, lr}^\n"
	                 "mov r1, sp\n bl serve\n add sp, sp, #12\n msr cpsr_c, r5\n msr spsr_cxsf, r4\n"
	                 "ldm sp!, {r1-r5, r12, pc}^\n");
}

/* To the instruction after it, by way of System mode's stack. */
__attribute__((naked, used)) static void undefined(void)
{
	__asm__ volatile("srsdb sp!, #31\n cps #31\n push {r0, r1}\n ldr r0, =ticks\n ldr r1, [r0]\n"
	                 "add r1, r1, #0x100\n pop {r0, r1}\n rfeia sp!\n .ltorg\n");
}

__attribute__((naked, used)) static void breakpoint(void)
{
	__asm__ volatile("push {r0}\n mrs r0, spsr\n msr spsr_fs, r0\n pop {r0}\n movs pc, lr\n");
}

__attribute__((naked, used)) static void unaligned(void)
{
	__asm__ volatile("push {r0-r3, lr}\n mrs r1, cpsr\n bic r2, r1, #31\n orr r2, r2, #19\n msr cpsr_c, r2\n"
	                 "mov r3, lr\n push {r3}\n pop {lr}\n msr cpsr_c, r1\n pop {r0-r3, lr}\n subs pc, lr, #4\n");
}

NOINLINE static uint32_t call(uint32_t x)
{
	register uint32_t r0 __asm__("r0") = x;

	__asm__ volatile("svc 3" : "+r"(r0) : : "memory");
	return r0;
}

NOINLINE static uint32_t stumble(uint32_t x)
{
	__asm__ volatile(".inst 0xe7f000f0\n bkpt 0\n" : : : "memory");
	__asm__ volatile("ldm %0, {r2, r3}" : : "r"((uint32_t)stacks + 2) : "r2", "r3", "memory");
	return x + ticks % 2;
}

__attribute__((used)) static uint32_t run(uint32_t sum)
{
	sum = stumble(sum + program(1));
	return program(1) ^ sum;
}

__attribute__((used)) static uint32_t run_calling(uint32_t sum)
{
	return run(call(sum));
}

__attribute__((naked, used)) static void start(void)
{
	__asm__ volatile("mov r0, #0\n cpsie if\n bl run\n"
	                 "cps #31\n bl run_calling\n"
	                 "ldr sp, =stacks + 6 * 4096\n msr cpsr_c, #16\n bl run_calling\n"
	                 "bl run_calling\n b finished\n .ltorg\n");
}

__attribute__((used)) static void prepare(void)
{
	uint32_t *from = &data_load;

	for (uint32_t *to = &data_start; to < &data_end; to++)
		*to = *from++;
	for (uint32_t *to = &bss_start; to < &bss_end; to++)
		*to = 0;
	__asm__ volatile("mcr p15, 0, %0, c12, c0, 0" : : "r"(vectors));
	DISTRIBUTOR[0x80 / 4] = 1u << TIMER_ID; /* group 1: IRQ */
	DISTRIBUTOR[0x100 / 4] = 1u << TIMER_ID | 1u << WATCHDOG_ID;
	DISTRIBUTOR[0] = 3;
	INTERFACE[1] = 0xff;
	INTERFACE[0] = 0xf; /* group 0 by FIQ */
	TIMER[0] = 3000;
	TIMER[2] = 7;
	WATCHDOG[0] = FAST_PERIOD;
	WATCHDOG[2] = 7;
}

__attribute__((naked)) void reset(void)
{
	__asm__ volatile("ldr sp, =stack_top\n bl prepare\n ldr r0, =stacks\n"
	                 "cps #17\n add sp, r0, #0x1000\n ldr r8, =fast_count\n ldr r9, =0x1e000620\n ldr r10, =0x1e000100\n"
	                 "cps #18\n add sp, r0, #0x2000\n cps #23\n add sp, r0, #0x3000\n cps #27\n add sp, r0, #0x4000\n"
	                 "cps #31\n add sp, r0, #0x5000\n cps #19\n b start\n .ltorg\n");
}

__attribute__((naked, section(".vectors"), used)) static void table(void)
{
	__asm__ volatile(".global vectors\nvectors: b reset\n b undefined\n b svcall\n b breakpoint\n b unaligned\n b .\n"
	                 "b irq\n b fiq\n");
}
