/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the cores of kernel.c begin, with the MMU off, and how they come from a process and go to one. The first
 * instruction is the image's first. Offsets are those of struct task.
 */
	.section .boot, "ax"
	mrs x20, mpidr_el1
	and x20, x20, #0xff
	adrp x0, kernel_tables
	cbnz x20, 1f
	mov x1, #0x405 /* devices: UXN, PXN, AF, attribute 1, a block */
	movk x1, #0x0060, lsl #48
	str x1, [x0]
	mov x1, #0x701 /* memory at 0x40000000: UXN, AF, inner shareable, attribute 0, a block */
	movk x1, #0x4000, lsl #16
	movk x1, #0x0040, lsl #48
	str x1, [x0, #8]
1:	mov x1, #0xff
	msr mair_el1, x1
	ldr x1, =0xb5203520 /* 4 GB in either half, 4 KB pages */
	msr tcr_el1, x1
	msr ttbr0_el1, x0
	msr ttbr1_el1, x0
	ldr x1, =vectors
	msr vbar_el1, x1
	msr contextidr_el1, xzr
	dsb sy
	isb
	ldr x1, =0x30d01805
	msr sctlr_el1, x1
	isb
	ldr x1, =2f
	br x1
2:	ldr x1, =stacks + 0x1000
	add x1, x1, x20, lsl #12
	mov sp, x1
	mov x0, x20
	b start
	.ltorg

	.text
	.balign 2048
vectors:
	.space 0x400
	stp x0, x1, [sp, #-16]!
	mov w1, #0
	b save
	.balign 128
	stp x0, x1, [sp, #-16]!
	mov w1, #1
	b save
	.balign 2048
save:
	mrs x0, tpidr_el1
	stp x2, x3, [x0, #16]
	stp x4, x5, [x0, #32]
	stp x6, x7, [x0, #48]
	stp x8, x9, [x0, #64]
	stp x10, x11, [x0, #80]
	stp x12, x13, [x0, #96]
	stp x14, x15, [x0, #112]
	stp x16, x17, [x0, #128]
	stp x18, x19, [x0, #144]
	stp x20, x21, [x0, #160]
	stp x22, x23, [x0, #176]
	stp x24, x25, [x0, #192]
	stp x26, x27, [x0, #208]
	stp x28, x29, [x0, #224]
	ldp x2, x3, [sp], #16
	stp x2, x3, [x0]
	mrs x2, sp_el0
	stp x30, x2, [x0, #240]
	mrs x2, elr_el1
	mrs x3, spsr_el1
	stp x2, x3, [x0, #256]
	mrs x2, mpidr_el1
	and x2, x2, #0xff
	bl handle
	mrs x1, tpidr_el1
	cmp x0, x1
	b.eq restore
	.global enter
enter:
	msr tpidr_el1, x0
	ldp x1, x2, [x0, #272]
	msr contextidr_el1, x2
	msr ttbr0_el1, x1
	isb
restore:
	ldp x2, x3, [x0, #256]
	msr elr_el1, x2
	msr spsr_el1, x3
	ldp x30, x2, [x0, #240]
	msr sp_el0, x2
	ldp x28, x29, [x0, #224]
	ldp x26, x27, [x0, #208]
	ldp x24, x25, [x0, #192]
	ldp x22, x23, [x0, #176]
	ldp x20, x21, [x0, #160]
	ldp x18, x19, [x0, #144]
	ldp x16, x17, [x0, #128]
	ldp x14, x15, [x0, #112]
	ldp x12, x13, [x0, #96]
	ldp x10, x11, [x0, #80]
	ldp x8, x9, [x0, #64]
	ldp x6, x7, [x0, #48]
	ldp x4, x5, [x0, #32]
	ldp x2, x3, [x0, #16]
	ldp x0, x1, [x0]
	eret

	.bss
	.balign 4096
stacks:
	.space 0x2000
