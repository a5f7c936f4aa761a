/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a kernel, and its tasks; see linux_kernel.h. */
#include "snapshot/linux_kernel/linux_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "snapshot/line_table/elf_sections.h"
#include "snapshot/linux_kernel/layout.h"

enum {
	MACHINE_ARM = 40,
	MACHINE_AARCH64 = 183,
	BANNER_MOST = 512,
	KERNEL_BIT = 55, /* of addresses that TTBR1_EL1 translates */
	SPLIT_BIT = 28,  /* A32: programs have less than a multiple of that (CONFIG_VMSPLIT_3G) */
	THREAD_SIZE_MOST = 1 << 20,
};

static const struct member_wanted members[LINUX_ALL_MEMBERS] = {
#define MEMBER(id, structure, path)       [LINUX_##id] = {(structure), (path)},
#define STACK_MEMBER(id, structure, path) MEMBER(id, structure, path)
#include "snapshot/linux_kernel/linux_kernel.def"
};

static const char *const variables[LINUX_VARIABLES] = {
#define VARIABLE(id, name) [LINUX_##id] = (name),
#include "snapshot/linux_kernel/linux_kernel.def"
};

bool linux_read_member(const struct linux_kernel *kernel, const struct os_memory *memory,
                       uint64_t structure, enum linux_member member, uint64_t *value)
{
	const struct member_layout *layout = &kernel->members[member];

	return layout->is_found &&
	       os_read_number(memory, structure + layout->offset, (size_t)layout->size, value);
}

/* The bytes of an image's file at an address. */
static struct bytes bytes_of_image(const struct elf_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (address >= segment->address &&
		    address - segment->address < segment->file_size) {
			uint64_t offset = address - segment->address;

			return bytes_of(segment->data + offset,
			                (size_t)(segment->file_size - offset));
		}
	}
	return bytes_of(NULL, 0);
}

/* The image that has the kernel's banner; NULL if none does, or which is not said. */
static const struct elf_image *find_image(struct elf_image *const *images, size_t count,
                                          uint64_t banner)
{
	for (size_t i = 0; i < count && banner != 0; i++) {
		struct bytes found = bytes_of_image(images[i], banner);

		if (images[i]->machine == (images[i]->is_64bit ? MACHINE_AARCH64 : MACHINE_ARM) &&
		    !images[i]->is_big_endian && !images[i]->is_core && !images[i]->is_object &&
		    bytes_left(&found) > 0)
			return images[i];
	}
	return NULL;
}

/* Memory has no other banner than the image. */
static bool is_of_image(const struct elf_image *image, uint64_t banner,
                        const struct os_memory *halt)
{
	struct bytes own = bytes_of_image(image, banner);
	uint8_t bytes[BANNER_MOST];
	size_t known = halt->read(halt->context, banner, bytes, sizeof(bytes));

	for (size_t i = 0; i < known && i < bytes_left(&own); i++) {
		if (bytes[i] != own.pos[i])
			return false;
		if (bytes[i] == '\0')
			return true;
	}
	return true;
}

/* Nothing else says which task runs. */
static bool needs_stack(const struct linux_kernel *kernel)
{
	return !linux_is_64bit(kernel) && kernel->variables[LINUX_ENTRY_TASK] == 0 &&
	       kernel->variables[LINUX_CURRENT] == 0;
}

static enum status find_members(struct linux_kernel *kernel, const struct elf_image *image)
{
	struct elf_sections *file = elf_sections_open(image->file);
	struct debug_sections sections;
	enum status status;

	if (!file)
		return STATUS_NOT_FOUND;
	sections = type_layout_sections(file);
	status = type_layout_find(&sections, members, LINUX_MEMBERS, kernel->members);
	/* Where there are none all of the information is looked through. */
	if (status == STATUS_OK && needs_stack(kernel))
		status = type_layout_find(&sections, members + LINUX_MEMBERS,
		                          LINUX_ALL_MEMBERS - LINUX_MEMBERS,
		                          kernel->members + LINUX_MEMBERS);
	elf_sections_close(file);
	if (status == STATUS_OK && !(kernel->members[LINUX_TASK_PID].is_found &&
	                             kernel->members[LINUX_TASK_COMM].is_found))
		return STATUS_NOT_FOUND;
	return status;
}

enum status linux_kernel_open(struct elf_image *const *images, size_t count,
                              const struct symbols *symbols, const struct os_memory *halt,
                              struct linux_kernel **kernel)
{
	struct linux_kernel *opened = calloc(1, sizeof(*opened));
	enum status status = STATUS_NOT_FOUND;
	const struct elf_image *image;

	if (!opened)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < LINUX_VARIABLES; i++) {
		uint64_t size;

		if (symbols_find_object(symbols, str_of(variables[i]), &opened->variables[i],
		                        &size) != 1)
			opened->variables[i] = 0;
	}
	image = find_image(images, count, opened->variables[LINUX_BANNER]);
	if (image) {
		opened->pointer = image->is_64bit ? sizeof(uint64_t) : sizeof(uint32_t);
		status = is_of_image(image, opened->variables[LINUX_BANNER], halt)
		                 ? find_members(opened, image)
		                 : STATUS_BAD_DATA;
	}
	if (status != STATUS_OK) {
		linux_kernel_close(opened);
		return status;
	}
	*kernel = opened;
	return STATUS_OK;
}

const char *linux_kernel_why_not(enum status status)
{
	if (status == STATUS_BAD_DATA)
		return "vmlinux is not that of the kernel in memory: their linux_banner differ";
	if (status == STATUS_NOT_FOUND)
		return "no image is a Linux kernel with debug information: --image vmlinux";
	return status_text(status);
}

void linux_kernel_close(struct linux_kernel *kernel)
{
	free(kernel);
}

void linux_task_read(const struct linux_kernel *kernel, const struct os_memory *memory,
                     uint64_t address, struct os_task *task)
{
	const struct member_layout *comm = &kernel->members[LINUX_TASK_COMM];
	uint64_t value;

	*task = (struct os_task){.address = address};
	task->has_name =
	        os_read_string(memory, address + comm->offset, (size_t)comm->size, task->name);
	/* Where the name is not known the rest is not asked for: of the past it may take long. */
	if (!task->has_name)
		return;
	task->has_pid = linux_read_member(kernel, memory, address, LINUX_TASK_PID, &value);
	if (task->has_pid)
		task->pid = (uint32_t)value;
	task->has_tgid = linux_read_member(kernel, memory, address, LINUX_TASK_TGID, &value);
	if (task->has_tgid)
		task->tgid = (uint32_t)value;
	task->has_state =
	        linux_read_member(kernel, memory, address, LINUX_TASK_STATE, &task->state);
}

/* ---- which task runs ---- */

bool linux_is_64bit(const struct linux_kernel *kernel)
{
	return kernel->pointer == sizeof(uint64_t);
}

bool linux_has_per_cpu_offset(const struct linux_kernel *kernel)
{
	return kernel->variables[LINUX_PER_CPU_OFFSET] != 0;
}

enum linux_current linux_current(const struct linux_kernel *kernel)
{
	bool has_register = kernel->variables[LINUX_ENTRY_TASK] != 0;

	if (linux_is_64bit(kernel))
		return LINUX_CURRENT_SP_EL0;
	if (kernel->members[LINUX_STACK_TASK].is_found)
		return LINUX_CURRENT_STACK;
	/* With both it depends on the core that it was started on, and it writes its code over. */
	if (has_register == (kernel->variables[LINUX_CURRENT] != 0))
		return LINUX_CURRENT_UNKNOWN;
	return has_register ? LINUX_CURRENT_TPIDRURO : LINUX_CURRENT_VARIABLE;
}

bool linux_is_own_address(const struct linux_kernel *kernel, uint64_t address)
{
	if (linux_is_64bit(kernel))
		return (address >> KERNEL_BIT & 1) != 0;
	return address >> SPLIT_BIT >= kernel->variables[LINUX_BANNER] >> SPLIT_BIT;
}

/* Addresses of a kernel of 32 bits wrap. */
static bool read_pointer(const struct linux_kernel *kernel, const struct os_memory *memory,
                         uint64_t at, uint64_t *address)
{
	if (!linux_is_64bit(kernel))
		at = (uint32_t)at;
	return os_read_number(memory, at, kernel->pointer, address);
}

bool linux_entry_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                      uint64_t per_cpu_offset, uint64_t *address)
{
	uint64_t variable = kernel->variables[LINUX_ENTRY_TASK];

	return variable != 0 && read_pointer(kernel, memory, variable + per_cpu_offset, address);
}

bool linux_variable_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                         uint64_t *address)
{
	return linux_current(kernel) == LINUX_CURRENT_VARIABLE &&
	       read_pointer(kernel, memory, kernel->variables[LINUX_CURRENT], address);
}

bool linux_stack_task(const struct linux_kernel *kernel, const struct os_memory *memory,
                      uint64_t sp, uint64_t *address)
{
	uint64_t size = kernel->members[LINUX_STACK].size;
	uint64_t stack;

	if (linux_current(kernel) != LINUX_CURRENT_STACK || size == 0 || size > THREAD_SIZE_MOST ||
	    (size & (size - 1)) != 0)
		return false;
	sp -= sp % size;
	return linux_read_member(kernel, memory, sp, LINUX_STACK_TASK, address) &&
	       linux_read_member(kernel, memory, *address, LINUX_TASK_STACK, &stack) && stack == sp;
}
