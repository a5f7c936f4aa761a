/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Cortex-A9 whose kernel handles exceptions as Linux does: a stub of each vector notes where it
 * was taken in the few words that its mode has for a stack, and hands over to Supervisor mode by a
 * return from an exception. The program runs in User mode, makes system calls, which are jumped to
 * with LR where they return to, and meets undefined instructions and unaligned LDMs, as the kernel
 * does, too; a timer interrupts both. At the end the kernel meets an LDM that it does not forgive.
 * In place of m_main.c.
 */
#include "program.h"

#define TIMER       ((volatile uint32_t *)0x1e000600) /* load, counter, control, status */
#define INTERFACE   ((volatile uint32_t *)0x1e000100) /* of the interrupt controller */
#define DISTRIBUTOR ((volatile uint32_t *)0x1e001000)
#define TIMER_ID    29

enum { STACK = 4096, PERIOD = 1900 };

/* Where the registers of what was interrupted are, as pt_regs of Linux. */
struct saved {
	uint32_t r[13];
	uint32_t sp;
	uint32_t lr;
	uint32_t pc;
	uint32_t psr;
	uint32_t r0;
};

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;
extern uint32_t vectors[];

uint32_t notes[3][4]; /* the stacks of IRQ, Abort and Undefined mode */
uint64_t user_stack[STACK / 8];
static volatile uint32_t ticks;
static volatile uint32_t is_fatal;
static uint32_t history[16];
static volatile uint32_t served;

NOINLINE void finished(uint32_t result)
{
	served = result;
	for (;;) {
	}
}

NOINLINE static void note_tick(uint32_t t)
{
	history[t % 16] = t * 0x01010101u ^ history[(t + 3) % 16];
}

__attribute__((used)) static void interrupt(struct saved *regs)
{
	uint32_t id = INTERFACE[3];
	uint32_t t = ++ticks;

	note_tick(t + (regs->psr & 15));
	TIMER[3] = 1;
	TIMER[0] = PERIOD + t * 37 % 400;
	INTERFACE[4] = id;
}

NOINLINE static void oops(struct saved *regs)
{
	note_tick(regs->pc);
	finished(regs->r[0]);
}

/* The instruction is passed over. */
__attribute__((used)) static void fault(struct saved *regs)
{
	if (is_fatal)
		oops(regs);
	note_tick(regs->pc);
	regs->pc += 4;
}

/* LR is already that of the instruction after it. */
__attribute__((used)) static void instruction(struct saved *regs)
{
	note_tick(regs->pc);
}

NOINLINE static uint32_t stumble(uint32_t x)
{
	__asm__ volatile(".inst 0xe7f000f0" : : : "memory");
	__asm__ volatile("ldm %0, {r2, r3}" : : "r"((uint32_t)history + 2) : "r2", "r3", "memory");
	return x + ticks % 2;
}

NOINLINE static uint32_t serve(uint32_t x, uint32_t depth)
{
	for (uint32_t i = 0; i < 8; i++)
		history[i] += (x ^ depth) >> i;
	return depth == 0 ? stumble(x) : 3 * serve(x + depth, depth - 1) + 1;
}

__attribute__((used)) static uint32_t call_serve(uint32_t x)
{
	return serve(x, x % 5);
}

__attribute__((used)) static uint32_t call_crash(uint32_t x)
{
	is_fatal = 1;
	return serve(x, 3);
}

/* ---- stubs and what they hand over to ---- */

#define STUB(name, mode, correction)                                                               \
	".global stub_" name "\n.type stub_" name ", %function\nstub_" name ": sub lr, lr, #" correction \
	"\n stmia sp, {r0, lr}\n mrs lr, spsr\n str lr, [sp, #8]\n mrs r0, cpsr\n"                 \
	"eor r0, r0, #(" mode " ^ 0x13)\n msr spsr_cxsf, r0\n and lr, lr, #15\n mov r0, sp\n"      \
	"ldr lr, [pc, lr, lsl #2]\n movs pc, lr\n"                                                 \
	".word " name "_usr, 0, 0, " name "_svc\n"

#define SAVE_USER                                                                                  \
	"sub sp, sp, #72\n stmib sp, {r1-r12}\n ldmia r0, {r3-r5}\n add r0, sp, #60\n"             \
	"mov r6, #-1\n str r3, [sp]\n stmia r0, {r4-r6}\n stmdb r0, {sp, lr}^\n mov r0, sp\n"

#define SAVE_KERNEL                                                                                \
	"sub sp, sp, #68\n stmia sp, {r1-r12}\n ldmia r0, {r3-r5}\n add r7, sp, #48\n"             \
	"mov r6, #-1\n add r2, sp, #68\n str r3, [sp, #-4]!\n mov r3, lr\n stmia r7, {r2-r6}\n"    \
	"mov r0, sp\n"

#define RETURN_TO_KERNEL "cpsid i\n ldr r5, [sp, #64]\n msr spsr_cxsf, r5\n ldmia sp, {r0-pc}^\n"

#define NAKED __attribute__((naked, used)) static void

NAKED stubs(void)
{
	__asm__ volatile(STUB("irq", "0x12", "4") STUB("abort", "0x17", "8")
	                         STUB("undefined", "0x1b", "0") ".global stubs_end\nstubs_end:\n");
}

NAKED return_to_user(void)
{
	__asm__ volatile("cpsid i\n ldr r1, [sp, #64]\n ldr lr, [sp, #60]!\n msr spsr_cxsf, r1\n"
	                 "ldmdb sp, {r0-lr}^\n mov r0, r0\n add sp, sp, #12\n movs pc, lr\n");
}

NAKED irq_usr(void)
{
	__asm__ volatile(SAVE_USER "bl interrupt\n b return_to_user\n");
}

NAKED irq_svc(void)
{
	__asm__ volatile(SAVE_KERNEL "bl interrupt\n" RETURN_TO_KERNEL);
}

NAKED abort_usr(void)
{
	__asm__ volatile(SAVE_USER "cpsie i\n bl fault\n b return_to_user\n");
}

NAKED abort_svc(void)
{
	__asm__ volatile(SAVE_KERNEL "bl fault\n" RETURN_TO_KERNEL);
}

NAKED undefined_usr(void)
{
	__asm__ volatile(SAVE_USER "cpsie i\n bl instruction\n b return_to_user\n");
}

NAKED undefined_svc(void)
{
	__asm__ volatile(SAVE_KERNEL "bl instruction\n" RETURN_TO_KERNEL);
}

NAKED return_of_call(void)
{
	__asm__ volatile("str r0, [sp]\n b return_to_user\n");
}

NAKED svcall(void)
{
	__asm__ volatile("sub sp, sp, #72\n stmia sp, {r0-r12}\n add r8, sp, #60\n stmdb r8, {sp, lr}^\n"
	                 "mrs r9, spsr\n str lr, [sp, #60]\n str r9, [sp, #64]\n cpsie i\n"
	                 "ldr lr, =return_of_call\n adr r10, 1f\n ldr pc, [r10, r7, lsl #2]\n"
	                 "1: .word call_serve, call_crash\n .ltorg\n");
}

/* ---- the program ---- */

NOINLINE static uint32_t call(uint32_t x, uint32_t number)
{
	register uint32_t r0 __asm__("r0") = x;
	register uint32_t r7 __asm__("r7") = number;

	__asm__ volatile("svc 0" : "+r"(r0) : "r"(r7) : "memory");
	return r0;
}

NOINLINE static uint32_t call_some(uint32_t x)
{
	for (uint32_t i = 0; i < 40; i++)
		x = call(x, 0);
	return stumble(x);
}

__attribute__((used)) static void run(void)
{
	uint32_t sum = call_some(1) + program(1);

	finished(call(call_some(sum), 1));
}

__attribute__((naked, used)) static void start(void)
{
	__asm__ volatile("ldr r0, =user_stack + 4096\n cps #31\n mov sp, r0\n cps #16\n bl run\n b .\n"
	                 ".ltorg\n");
}

__attribute__((used)) static void prepare(void)
{
	uint32_t *from = &data_load;

	for (uint32_t *to = &data_start; to < &data_end; to++)
		*to = *from++;
	for (uint32_t *to = &bss_start; to < &bss_end; to++)
		*to = 0;
	__asm__ volatile("mcr p15, 0, %0, c12, c0, 0" : : "r"(vectors));
	DISTRIBUTOR[0x100 / 4] = 1u << TIMER_ID;
	DISTRIBUTOR[0] = 1;
	INTERFACE[1] = 0xff;
	INTERFACE[0] = 1;
	TIMER[0] = 3000;
	TIMER[2] = 7;
}

__attribute__((naked)) void reset(void)
{
	__asm__ volatile("ldr sp, =stack_top\n bl prepare\n ldr r0, =notes\n"
	                 "cps #18\n mov sp, r0\n cps #23\n add sp, r0, #16\n cps #27\n add sp, r0, #32\n"
	                 "cps #19\n cpsie i\n b start\n .ltorg\n");
}

__attribute__((naked, section(".vectors"), used)) static void table(void)
{
	__asm__ volatile(".global vectors\nvectors: b reset\n b stub_undefined\n b svcall\n b .\n"
	                 "b stub_abort\n b .\n b stub_irq\n b .\n");
}
