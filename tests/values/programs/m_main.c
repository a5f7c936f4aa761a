/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded part on a bare Cortex-M: a program on the process stack that a timer and a software
 * interrupt of higher priority interrupt, and that calls a supervisor. For qemu's mps2 machines.
 */
#include "program.h"

#define SYSTICK   ((volatile uint32_t *)0xe000e010)
#define ICSR      (*(volatile uint32_t *)0xe000ed04)
#define SHPR2     (*(volatile uint32_t *)0xe000ed1c)
#define SHPR3     (*(volatile uint32_t *)0xe000ed20)
#define NVIC_SET  (*(volatile uint32_t *)0xe000e100)
#define NVIC_PEND (*(volatile uint32_t *)0xe000e200)
#define ROUNDS    3
#ifndef PERIOD
#define PERIOD 300 /* of the timer */
#endif

extern uint32_t data_start, data_end, data_load, bss_start, bss_end, stack_top;

static volatile uint32_t ticks;
static uint32_t history[16];
static uint64_t process_stack[256];
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

static void systick(void)
{
	uint32_t t = ++ticks;

	history[t % 16] = t * 0x01010101u ^ history[(t + 3) % 16];
	SYSTICK[1] = PERIOD + t * 37 % 400;
	if (t % 3 == 0)
		ICSR = 1u << 28; /* PendSV, of lower priority: chained */
	if (t % 5 == 0)
		NVIC_PEND = 1; /* of higher priority: nested */
}

static void pendsv(void)
{
	for (uint32_t i = 0; i < 8; i++)
		history[i] += history[15 - i] >> i;
}

static void irq(void)
{
	history[ticks % 16] ^= ticks << 7;
}

/* Changes the result that the caller finds in its frame. */
static void __attribute__((naked)) svcall(void)
{
	__asm__ volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n ldr r1, [r0]\n"
	                 "adds r1, r1, #5\n str r1, [r0]\n bx lr\n");
}

NOINLINE static uint32_t call(uint32_t x)
{
	register uint32_t r0 __asm__("r0") = x;

	__asm__ volatile("svc 3" : "+r"(r0) : : "r1", "memory");
	return r0;
}

NOINLINE uint32_t record(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < ROUNDS; i++)
		sum = call(sum + program(1));
	return sum;
}

static void __attribute__((noreturn)) start(void)
{
	SYSTICK[1] = PERIOD + 200;
	SYSTICK[2] = 0;
	SHPR2 = 0x40u << 24;
	SHPR3 = 0x80u << 24 | 0xe0u << 16;
	NVIC_SET = 1;
	SYSTICK[0] = 7;
	finished(record());
	for (;;) {
	}
}

void reset(void)
{
	uint32_t *from = &data_load;

	for (uint32_t *to = &data_start; to < &data_end; to++)
		*to = *from++;
	for (uint32_t *to = &bss_start; to < &bss_end; to++)
		*to = 0;
	__asm__ volatile("msr psp, %0\n mov r0, #2\n msr control, r0\n isb\n bx %1\n"
	                 :
	                 : "r"(&process_stack[256]), "r"(start)
	                 : "r0", "memory");
}

static void stop(void)
{
	finished(0);
}

#ifdef NON_SECURE
/*
 * On mps2-an505, in the first 32 KiB at 0x10000000: makes the memory after that, which the linker
 * has without bit 28 in its address, Non-secure, and all exceptions.
 */
#define SAU_CTRL  (*(volatile uint32_t *)0xe000edd0)
#define VTOR_NS   (*(volatile uint32_t *)0xe002ed08)
#define NVIC_ITNS (*(volatile uint32_t *)0xe000e380)
#define MPC(n)    ((volatile uint32_t *)(0x58007000u + 0x1000u * (n)))

enum { MPC_CTRL, MPC_BLK_MAX = 4, MPC_BLK_IDX = 6, MPC_BLK_LUT, MPC_AUTO_INCREMENT = 0x100 };

extern void *const vectors[20];

__attribute__((section(".secure_code"), noreturn)) static void secure_reset(void)
{
	for (uint32_t n = 0; n < 2; n++) {
		MPC(n)[MPC_CTRL] |= MPC_AUTO_INCREMENT;
		MPC(n)[MPC_BLK_IDX] = 1 - n;
		for (uint32_t i = 1 - n; i <= MPC(n)[MPC_BLK_MAX]; i++)
			MPC(n)[MPC_BLK_LUT] = 0xffffffff;
	}
	SAU_CTRL = 2;
	NVIC_ITNS = 0xffffffff;
	VTOR_NS = (uint32_t)vectors;
	__asm__ volatile("msr msp_ns, %0\n dsb\n isb\n bxns %1\n"
	                 :
	                 : "r"(&stack_top), "r"((uint32_t)reset & ~1u)
	                 : "memory");
	for (;;) {
	}
}

__attribute__((section(".secure"), used)) static void *const secure_vectors[2] = {
        (void *)0x38240000, (void *)secure_reset};
#endif

__attribute__((section(".vectors"), used)) void *const vectors[20] = {
        &stack_top, reset,  stop, stop, stop,   stop,    stop, 0,    0,    0,
        0,          svcall, stop, 0,    pendsv, systick, irq,  stop, stop, stop};
