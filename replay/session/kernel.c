/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a core, and modules; see kernel.h. */
#include "replay/session/kernel.h"

#include <inttypes.h>
#include <stdlib.h>

#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"
#include "snapshot/rtos/rtos.h"

/* A core and a position, as os_memory reads them. */
struct kernel_place {
	struct session *session;
	const struct linux_kernel *kernel;
	size_t core;
	uint64_t position;
};

static size_t read_memory(void *context, uint64_t address, void *out, size_t size)
{
	const struct kernel_place *at = context;

	return session_memory_at(at->session, at->core, at->position, address, out, size);
}

static struct kernel_place at_halt(struct session *session, size_t core)
{
	return (struct kernel_place){session, session->kernel, core,
	                             history_length(session->histories[core])};
}

/* The first core's memory is what is asked whether vmlinux is of it. */
static enum status open_kernel(struct session *session, struct linux_kernel **kernel)
{
	const struct snapshot *snapshot = session->snapshot;
	struct kernel_place halt;
	const struct symbols *symbols;
	const struct os_memory memory = {read_memory, &halt};

	if (session_core_count(session) == 0)
		return STATUS_NOT_FOUND;
	halt = at_halt(session, 0);
	TRY(session_symbols(session, &symbols));
	return linux_kernel_open(snapshot->images, snapshot->image_count, symbols, &memory, kernel);
}

/* NULL if there is none; why is in session->kernel_status. */
static const struct linux_kernel *get_kernel(struct session *session)
{
	if (!session->kernel && session->kernel_status == STATUS_OK)
		session->kernel_status = open_kernel(session, &session->kernel);
	return session->kernel;
}

/* ---- tasks ---- */

static void read_register(void *context, uint64_t position, unsigned int number,
                          struct value *value)
{
	const struct kernel_place *at = context;

	session_register_at(at->session, at->core, position, number, value);
}

static size_t read_memory_at(void *context, uint64_t position, uint64_t address, void *out,
                             size_t size)
{
	const struct kernel_place *at = context;

	return session_memory_at(at->session, at->core, position, address, out, size);
}

/* What the task is found by, one a core; NULL without memory. */
static struct current_moves *get_moves(struct session *session, size_t core)
{
	if (!session->moves)
		session->moves = calloc(session_core_count(session), sizeof(*session->moves));
	return session->moves ? &session->moves[core] : NULL;
}

static bool linux_task(struct kernel_place *at, uint64_t *address)
{
	struct current_place place = {
	        .history = session_history(at->session, at->core),
	        .kernel = at->kernel,
	        .position = at->position,
	        .read_register = read_register,
	        .read_memory = read_memory_at,
	        .context = at,
	};
	struct current_moves *moves = get_moves(at->session, at->core);

	/* Between an exception from EL0 and the kernel's MSR it is the program's stack pointer. */
	return moves && session_symbols(at->session, &place.symbols) == STATUS_OK &&
	       current_task(&place, moves, address) && linux_is_own_address(at->kernel, *address);
}

/* The program of the only core that there is has an operating system of its own. */
static enum status open_rtos(struct session *session, struct rtos **rtos)
{
	const struct snapshot *snapshot = session->snapshot;
	const struct symbols *symbols;

	if (session_core_count(session) != 1)
		return STATUS_NOT_FOUND;
	TRY(session_symbols(session, &symbols));
	return rtos_open(snapshot->images, snapshot->image_count, symbols, rtos);
}

/* The task that it calls the current one. */
static bool rtos_task(struct session *session, const struct os_memory *then,
                      const struct os_memory *last, struct session_task *task)
{
	uint64_t address;

	if (!session->rtos && session->rtos_status == STATUS_OK)
		session->rtos_status = open_rtos(session, &session->rtos);
	if (!session->rtos || !rtos_current(session->rtos, then, &address))
		return false;
	rtos_task_read(session->rtos, then, address, &task->then);
	rtos_task_read(session->rtos, last, address, &task->halt);
	return true;
}

bool session_task(struct session *session, size_t core, uint64_t position,
                  struct session_task *task)
{
	const struct session_place place = session_place(session, core, position);
	const struct linux_kernel *kernel = get_kernel(session);
	struct kernel_place at = {session, kernel, place.core, place.position};
	struct kernel_place halt = at_halt(session, place.core);
	const struct os_memory then = {read_memory, &at};
	const struct os_memory last = {read_memory, &halt};
	uint64_t address;

	if (history_data(session_history(session, place.core)))
		return false;
	if (!kernel)
		return rtos_task(session, &then, &last, task);
	if (!linux_task(&at, &address))
		return false;
	linux_task_read(kernel, &then, address, &task->then);
	linux_task_read(kernel, &last, address, &task->halt);
	return true;
}

void session_task_format(const struct session_task *task, struct text *out)
{
	if (task->then.has_name || !task->halt.has_name) {
		os_task_format(&task->then, out);
		return;
	}
	text_printf(out, "the task at 0x%" PRIx64 ", at the halt ", task->then.address);
	os_task_format(&task->halt, out);
}

struct module_list {
	struct text *out;
	int digits; /* of an address */
};

static void add_module(void *context, const struct linux_module *module)
{
	const struct module_list *list = context;

	text_printf(list->out, "%-24s", module->name);
	if (module->has_base)
		text_printf(list->out, " 0x%0*" PRIx64 "  %7" PRIu64 " bytes", list->digits,
		            module->base, module->size);
	text_char(list->out, '\n');
}

enum status session_list_modules(struct session *session, struct text *out)
{
	const struct linux_kernel *kernel = get_kernel(session);
	struct kernel_place halt;
	const struct os_memory memory = {read_memory, &halt};
	struct module_list list = {.out = out};
	uint64_t lost = 0;
	enum status status;

	if (!kernel) {
		text_puts(out, linux_kernel_why_not(session->kernel_status));
		text_char(out, '\n');
		return session->kernel_status == STATUS_NO_MEM ? STATUS_NO_MEM : STATUS_OK;
	}
	halt = at_halt(session, 0);
	list.digits = linux_is_64bit(kernel) ? 16 : 8;
	status = linux_modules(kernel, &memory, add_module, &list, &lost);
	if (status != STATUS_OK) {
		linux_say_lost(status, lost, out);
		text_char(out, '\n');
	}
	return STATUS_OK;
}
