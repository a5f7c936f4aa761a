/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks and modules of a Linux kernel in memory. In: the images of a snapshot, of which one is its
 * vmlinux with debug information, and memory as somebody knows it: at the halt, or at a position of
 * the past. Out: what memory says by the layout of vmlinux. Nothing is guessed: what memory does
 * not have is not known, and a vmlinux whose linux_banner is not that in memory says nothing.
 *
 * The table of members and variables is linux_kernel.def. Little-endian AArch64 alone.
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

/*
 * The address of the task that a core runs, which vmlinux and the core's per-CPU offset
 * (TPIDR_EL1, with VHE TPIDR_EL2) say where it is kept. False if that is not known.
 */
bool linux_entry_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                      uint64_t per_cpu_offset, uint64_t *address);

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
