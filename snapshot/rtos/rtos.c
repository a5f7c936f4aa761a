/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a real-time operating system, and its current task; see rtos.h. */
#include "snapshot/rtos/rtos.h"

#include <stdlib.h>

#include "snapshot/line_table/elf_sections.h"
#include "snapshot/type_layout/type_layout.h"

enum name_kind { NAME_ARRAY, NAME_POINTER };

enum member { MEMBER_NAME, MEMBER_CURRENT, MEMBERS };

struct rtos_system {
	const char *variable;
	const char *started; /* NULL: there is none */
	enum name_kind kind;
	struct member_wanted members[MEMBERS];
};

static const struct rtos_system systems[] = {
#define RTOS(name, variable, holder, path, started, structure, member, kind)                       \
	{(variable), (started), NAME_##kind, {{(structure), (member)}, {(holder), (path)}}},
#include "snapshot/rtos/rtos.def"
#undef RTOS
};

enum { SYSTEMS = sizeof(systems) / sizeof(systems[0]) };

struct rtos {
	const struct rtos_system *system;
	uint64_t current;      /* address of the pointer */
	uint64_t started;      /* address, or 0: none is asked */
	uint64_t started_size; /* bytes */
	size_t pointer;        /* bytes */
	struct member_layout members[MEMBERS];
};

static bool find_variable(const struct symbols *symbols, const char *name, uint64_t *address,
                          uint64_t *size)
{
	return symbols_find_object(symbols, str_of(name), address, size) == 1;
}

/* The layout of a system's structures, of the first image that has it. */
static enum status find_members(struct elf_image *const *images, size_t count, struct rtos *rtos)
{
	const struct member_wanted *wanted = rtos->system->members;
	size_t members = wanted[MEMBER_CURRENT].structure ? MEMBERS : MEMBER_CURRENT;

	for (size_t i = 0; i < count; i++) {
		struct elf_sections *file = elf_sections_open(images[i]->file);
		struct debug_sections sections;
		enum status status;

		if (!file)
			continue;
		sections = type_layout_sections(file);
		status = type_layout_find(&sections, wanted, members, rtos->members);
		elf_sections_close(file);
		TRY(status);
		rtos->pointer = images[i]->is_64bit ? 8 : 4;
		if (rtos->members[MEMBER_NAME].is_found && rtos->members[members - 1].is_found)
			return STATUS_OK;
	}
	return STATUS_NOT_FOUND;
}

static enum status find_system(struct elf_image *const *images, size_t count,
                               const struct symbols *symbols, struct rtos *rtos)
{
	uint64_t size;

	for (size_t i = 0; i < SYSTEMS; i++) {
		enum status status;

		*rtos = (struct rtos){.system = &systems[i]};
		if (!find_variable(symbols, systems[i].variable, &rtos->current, &size) ||
		    (systems[i].started && !find_variable(symbols, systems[i].started,
		                                          &rtos->started, &rtos->started_size)))
			continue;
		status = find_members(images, count, rtos);
		rtos->current += rtos->members[MEMBER_CURRENT].offset;
		if (status != STATUS_NOT_FOUND)
			return status;
	}
	return STATUS_NOT_FOUND;
}

enum status rtos_open(struct elf_image *const *images, size_t count, const struct symbols *symbols,
                      struct rtos **rtos)
{
	struct rtos *opened = calloc(1, sizeof(*opened));
	enum status status = opened ? find_system(images, count, symbols, opened) : STATUS_NO_MEM;

	if (status != STATUS_OK) {
		rtos_close(opened);
		return status;
	}
	*rtos = opened;
	return STATUS_OK;
}

void rtos_close(struct rtos *rtos)
{
	free(rtos);
}

bool rtos_current(const struct rtos *rtos, const struct os_memory *memory, uint64_t *address)
{
	uint64_t started;

	if (rtos->started != 0 &&
	    (!os_read_number(memory, rtos->started, (size_t)rtos->started_size, &started) ||
	     started == 0))
		return false;
	return os_read_number(memory, rtos->current, rtos->pointer, address) && *address != 0;
}

void rtos_task_read(const struct rtos *rtos, const struct os_memory *memory, uint64_t address,
                    struct os_task *task)
{
	const struct member_layout *name = &rtos->members[MEMBER_NAME];
	uint64_t text = address + name->offset;
	size_t size = (size_t)name->size;

	*task = (struct os_task){.address = address};
	if (rtos->system->kind == NAME_POINTER) {
		size = OS_NAME_MOST;
		if (!os_read_number(memory, text, rtos->pointer, &text))
			return;
	}
	task->has_name = os_read_string(memory, text, size, task->name) && task->name[0] != '\0';
}
