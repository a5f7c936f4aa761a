/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks and modules of a Linux kernel in memory. In: the images of a snapshot, of which one is its
 * vmlinux with debug information, and memory as somebody knows it: at the halt, or at a position of
 * the past. Out: what memory says by the layout of vmlinux. Nothing is guessed: what memory does
 * not have is not known, and a vmlinux whose linux_banner is not that in memory says nothing.
 *
 * The table of members and variables is linux_kernel.def. Little-endian AArch64 and 32-bit Arm.
 */
#ifndef CSREPLAY_SNAPSHOT_LINUX_KERNEL_LINUX_KERNEL_H
#define CSREPLAY_SNAPSHOT_LINUX_KERNEL_LINUX_KERNEL_H

#include "snapshot/os_task/os_task.h"
#include "snapshot/symbols/symbols.h"

struct linux_kernel;

/*
 * NOT_FOUND if none of the images is a vmlinux with what the table needs of a task, BAD_DATA if
 * memory at the halt is that of another kernel; NO_MEM. All of the arguments outlive it.
 */
MUST_USE enum status linux_kernel_open(struct elf_image *const *images, size_t count,
                                       const struct symbols *symbols, const struct os_memory *halt,
                                       struct linux_kernel **kernel);
/* Why there is none, a clause. */
const char *linux_kernel_why_not(enum status status);
void linux_kernel_close(struct linux_kernel *kernel); /* NULL is fine */

/* The task_struct at `address`, as far as `memory` has it: nothing of one without a name. */
void linux_task_read(const struct linux_kernel *kernel, const struct os_memory *memory,
                     uint64_t address, struct os_task *task);

/* What says which task a core runs while it is in the kernel. */
enum linux_current {
	LINUX_CURRENT_UNKNOWN,
	LINUX_CURRENT_SP_EL0,   /* AArch64 */
	LINUX_CURRENT_TPIDRURO, /* A32 since 5.16; in a program it is the program's */
	LINUX_CURRENT_VARIABLE, /* A32 since 5.18, for one core, of before Armv6K */
	LINUX_CURRENT_STACK,    /* A32 before: its stack */
};

enum linux_current linux_current(const struct linux_kernel *kernel);
bool linux_is_64bit(const struct linux_kernel *kernel);
/* It has an offset for each core of what each has its own of. */
bool linux_has_per_cpu_offset(const struct linux_kernel *kernel);
/* The kernel's own, and no program's, as far as the address tells. */
bool linux_is_own_address(const struct linux_kernel *kernel, uint64_t address);

/*
 * The address of the task that a core runs, which vmlinux and the core's per-CPU offset
 * (TPIDR_EL1, with VHE TPIDR_EL2; A32 TPIDRPRW) say where it is kept. False if that is not known.
 */
bool linux_entry_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                      uint64_t per_cpu_offset, uint64_t *address);
/* The same by LINUX_CURRENT_VARIABLE. */
bool linux_variable_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                         uint64_t *address);
/* By LINUX_CURRENT_STACK: whose stack `sp` lies in, which that task says, too. */
bool linux_stack_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                      uint64_t sp, uint64_t *address);

struct linux_module {
	uint64_t address; /* of its struct module */
	uint64_t base;    /* of its memory; since Linux 6.4 of its code */
	uint64_t size;
	bool has_base; /* and size */
	char name[OS_NAME_MOST];
};

typedef void linux_module_visit(void *context, const struct linux_module *module);

/*
 * Tells of each module of the list `modules`, the last loaded first. NOT_FOUND if the kernel has no
 * such list; TRUNCATED where memory does not have what comes next, with its address in *lost;
 * BAD_DATA if the list does not end. What was told before is so all the same.
 */
MUST_USE enum status linux_modules(const struct linux_kernel *kernel,
                                   const struct os_memory *memory, linux_module_visit *visit,
                                   void *context, uint64_t *lost);

/* Appends why a list was not followed to its end, a clause. */
void linux_say_lost(enum status status, uint64_t lost, struct text *out);

typedef void linux_section_visit(void *context, struct str name, uint64_t address);

/*
 * Tells of each section that a module was loaded with where it was put, as its sect_attrs say
 * (CONFIG_KALLSYMS); not of those whose names begin with ".init", whose memory was given back.
 * Statuses as above.
 */
MUST_USE enum status linux_module_sections(const struct linux_kernel *kernel,
                                           const struct os_memory *memory,
                                           const struct linux_module *module,
                                           linux_section_visit *visit, void *context,
                                           uint64_t *lost);

struct linux_symbol {
	struct str name;  /* cut after OS_NAME_MOST - 1 characters */
	uint32_t section; /* its number in the module's file */
	uint64_t address;
	uint64_t size;
};

typedef void linux_symbol_visit(void *context, const struct linux_symbol *symbol);

/*
 * Tells of the symbols that the kernel kept of a module (CONFIG_KALLSYMS), in the order of its
 * file. Statuses as above.
 */
MUST_USE enum status linux_module_symbols(const struct linux_kernel *kernel,
                                          const struct os_memory *memory,
                                          const struct linux_module *module,
                                          linux_symbol_visit *visit, void *context, uint64_t *lost);

#endif
