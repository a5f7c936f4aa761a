/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a core, and modules; see kernel.h. */
#include "replay/session/kernel.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"
#include "snapshot/rtos/rtos.h"

enum {
	TRIES = 8,           /* instructions whose register is asked for, in each direction */
	LOOKED_MOST = 65536, /* and how far */
	REGISTER_MASK = 31,
	LEVEL_MASK = 3 << 2, /* of CPSR */
	OWN_SP = 1,
	KERNEL_BIT = 55, /* of addresses that TTBR1 translates */
};

/* Without the register's number (Arm ARM C5.2). */
static const uint32_t mrs_sp_el0 = 0xd5384100;
static const uint32_t msr_sp_el0 = 0xd5184100;

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

/* A register of the snapshot by name, 64 bits of it. */
static bool halt_register(const struct kernel_place *at, struct str name, uint64_t *value)
{
	const struct snap_register *reg = snap_device_register(
	        history_core(session_history(at->session, at->core))->device, name);

	if (!reg)
		return false;
	*value = snap_register_value(reg);
	return true;
}

static bool halt_task(struct kernel_place *at, uint64_t *address)
{
	const struct os_memory memory = {read_memory, at};
	uint64_t per_cpu;
	uint64_t state;

	if (!halt_register(at, STR("CPSR"), &state))
		return false;
	if ((state & LEVEL_MASK) != 0)
		return (state & OWN_SP) != 0 && halt_register(at, STR("SP_EL0"), address);
	return halt_register(at, STR("TPIDR_EL1"), &per_cpu) &&
	       linux_entry_task(at->kernel, &memory, per_cpu, address);
}

/* Between which positions SP_EL0 has one value, but for the instructions that move it. */
struct stretch {
	uint64_t low;  /* the oldest instruction after an exception, a return or a gap */
	uint64_t high; /* after the newest one before one */
};

static bool is_move(uint32_t opcode)
{
	uint32_t without = opcode & ~(uint32_t)REGISTER_MASK;

	return without == mrs_sp_el0 || without == msr_sp_el0;
}

static enum status find_addresses(const struct history *history, struct sp_el0_moves *moves)
{
	struct history_code code;

	for (size_t i = 0; history_code(history, i, &code); i++) {
		for (uint64_t at = code.start; code.isa == ISA_A64 && at < code.end; at += 4) {
			uint32_t opcode;

			if (!memmap_read_word(history_memory(history), code.view, at, &opcode) ||
			    !is_move(opcode))
				continue;
			TRY(vec_reserve((void **)&moves->addresses, &moves->capacity,
			                moves->count + 1, sizeof(*moves->addresses)));
			moves->addresses[moves->count++] = at;
		}
	}
	return STATUS_OK;
}

/* Those of a core; NULL without memory. */
static const struct sp_el0_moves *get_moves(struct session *session, size_t core)
{
	struct sp_el0_moves *moves;

	if (!session->moves)
		session->moves = calloc(session_core_count(session), sizeof(*session->moves));
	if (!session->moves)
		return NULL;
	moves = &session->moves[core];
	if (!moves->is_known) {
		moves->count = 0;
		if (find_addresses(session_history(session, core), moves) != STATUS_OK)
			return NULL;
		moves->is_known = true;
	}
	return moves;
}

static bool ends_level(const struct history_event *event)
{
	return element_is_exception(&event->element) ||
	       event->element.type == ELEMENT_EXCEPTION_RET;
}

static void find_bounds(const struct history *history, uint64_t position, struct stretch *stretch)
{
	uint64_t length = history_length(history);
	size_t i = history_event_index(history, position + 1);
	struct history_event event;
	struct gap gap;

	stretch->low = position > LOOKED_MOST ? position - LOOKED_MOST : 0;
	stretch->high = length - position > LOOKED_MOST ? position + LOOKED_MOST : length;
	for (size_t k = i; history_event(history, k, &event) && event.position < stretch->high;
	     k++) {
		if (ends_level(&event))
			stretch->high = event.position;
	}
	while (i-- > 0 && history_event(history, i, &event) && event.position > stretch->low) {
		if (ends_level(&event))
			stretch->low = event.position;
	}
	if (history_gap_between(history, position, stretch->high, false, &gap))
		stretch->high = gap.position;
	if (history_gap_between(history, stretch->low, position + 1, true, &gap))
		stretch->low = gap.position;
}

/* SP_EL0 as the instruction at a position read it or, with `is_written`, left it. */
static bool moved_value(const struct kernel_place *at, bool *is_written, uint64_t *value)
{
	struct instruction insn;
	struct value moved;
	unsigned int number;

	history_at(session_history(at->session, at->core), at->position, &insn);
	*is_written = ((uint32_t)insn.opcode & ~(uint32_t)REGISTER_MASK) == msr_sp_el0;
	number = (unsigned int)insn.opcode & REGISTER_MASK;
	if (number == REGISTER_MASK) /* XZR */
		return false;
	session_register_at(at->session, at->core, at->position + !*is_written, A64_x0 + number,
	                    &moved);
	*value = value_u64(&moved);
	return value_is_known(&moved);
}

/* What older instructions moved last before a position. */
static bool look_back(struct kernel_place at, const struct history_search *search, uint64_t low,
                      uint64_t *value)
{
	const struct history *history = session_history(at.session, at.core);
	bool is_written = false;

	for (unsigned int i = 0; i < TRIES && !is_written; i++) {
		if (history_find_backward(history, search, at.position, low, &at.position) !=
		    STATUS_OK)
			return false;
		if (moved_value(&at, &is_written, value))
			return true;
	}
	return false;
}

/* The same value up to the halt. */
static bool reaches_halt(const struct kernel_place *at, uint64_t high, uint64_t *value)
{
	const struct history *history = session_history(at->session, at->core);
	struct kernel_place halt = at_halt(at->session, at->core);

	return high == history_length(history) && !history_has_gap_at(history, high) &&
	       halt_task(&halt, value);
}

/* What newer ones read before one writes; up to the halt that is what it is there. */
static bool look_on(struct kernel_place at, const struct history_search *search, uint64_t high,
                    uint64_t *value)
{
	const struct history *history = session_history(at.session, at.core);
	bool is_written = false;

	at.position--;
	for (unsigned int i = 0; i < TRIES; i++) {
		if (history_find_forward(history, search, at.position, high - 1, &at.position) !=
		    STATUS_OK)
			return reaches_halt(&at, high, value);
		if (moved_value(&at, &is_written, value) && !is_written)
			return true;
		if (is_written)
			return false;
	}
	return false;
}

static bool past_task(struct kernel_place *at, uint64_t *address)
{
	const struct history *history = session_history(at->session, at->core);
	struct history_search search = {.addresses = NULL};
	const struct sp_el0_moves *moves;
	struct stretch stretch;

	/* Before the first instruction nothing ran, and nothing is known of what did. */
	if (history_core(history)->arch != CORE_A64 || at->position == 0)
		return false;
	moves = get_moves(at->session, at->core);
	if (!moves || moves->count == 0)
		return false;
	find_bounds(history, at->position, &stretch);
	search.addresses = moves->addresses;
	search.address_count = moves->count;
	return look_on(*at, &search, stretch.high, address) ||
	       look_back(*at, &search, stretch.low, address);
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
	if (!(at.position == halt.position ? halt_task(&halt, &address) : past_task(&at, &address)))
		return false;
	/* Between an exception from EL0 and the kernel's MSR it is the program's stack pointer. */
	if ((address >> KERNEL_BIT & 1) == 0)
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

static void add_module(void *context, const struct linux_module *module)
{
	struct text *out = context;

	text_printf(out, "%-24s", module->name);
	if (module->has_base)
		text_printf(out, " 0x%016" PRIx64 "  %7" PRIu64 " bytes", module->base,
		            module->size);
	text_char(out, '\n');
}

enum status session_list_modules(struct session *session, struct text *out)
{
	const struct linux_kernel *kernel = get_kernel(session);
	struct kernel_place halt;
	const struct os_memory memory = {read_memory, &halt};
	uint64_t lost = 0;
	enum status status;

	if (!kernel) {
		text_puts(out, linux_kernel_why_not(session->kernel_status));
		text_char(out, '\n');
		return session->kernel_status == STATUS_NO_MEM ? STATUS_NO_MEM : STATUS_OK;
	}
	halt = at_halt(session, 0);
	status = linux_modules(kernel, &memory, add_module, out, &lost);
	if (status != STATUS_OK) {
		linux_say_lost(status, lost, out);
		text_char(out, '\n');
	}
	return STATUS_OK;
}
