/* SPDX-License-Identifier: Apache-2.0 */
/* A replay session: histories, positions and breakpoints of all cores; see session.h. */
#include "replay/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decoder/decoder.h"
#include "replay/history/history.h"
#include "replay/session/cursor.h"
#include "replay/session/state.h"
#include "replay/session/watch.h"
#include "replay/tarmac/tarmac.h"

enum { ARCHS = CORE_M + 1 }; /* how many architectures */

/* Instructions that a window of values grows to for a debugger's registers. */
enum { QUICK_WINDOW = 160000 };

/* Who sees the memory that is shown. */
struct eyes {
	bool are_given; /* by the user; false: the core itself */
	struct address_space from;
};

struct session {
	const struct snapshot *snapshot;
	struct trace_ids *trace_ids; /* one a buffer, as session_trace_ids() gives them */
	struct history **histories;  /* one a core */
	struct cursor *cursors;      /* one a core */
	struct values **values;      /* of the past, one a core; NULL for a trace with data */
	struct values_options assumptions;
	struct history_options build;          /* of the histories, for when they are made anew */
	enum core_arch served;                 /* to debuggers */
	struct register_file registers[ARCHS]; /* by architecture, of all its cores */
	struct system_register_list system[ARCHS]; /* of these */
	struct system_past *pasts;                 /* one a core */
	uint64_t *breakpoints;
	size_t breakpoint_count;
	size_t breakpoint_capacity;
	struct watch_list watches;
	struct eyes *eyes; /* one a core */
	struct interrupt interrupt;
};

/* Forgets what was reconstructed, and begins anew. */
static enum status make_values(struct session *session)
{
	for (size_t i = 0; i < session->snapshot->core_count; i++) {
		const struct history *history = session->histories[i];

		values_destroy(session->values[i]);
		session->values[i] = history_data(history)
		                             ? NULL
		                             : values_create(history, &session->assumptions);
		if (!session->values[i] && !history_data(history))
			return STATUS_NO_MEM;
	}
	return STATUS_OK;
}

static enum status build_histories(struct session *session, const struct history_options *options,
                                   struct diag_list *diags)
{
	const struct snapshot *snapshot = session->snapshot;

	session->histories = calloc(snapshot->core_count, sizeof(struct history *));
	session->cursors = calloc(snapshot->core_count, sizeof(*session->cursors));
	session->values = calloc(snapshot->core_count, sizeof(struct values *));
	session->eyes = calloc(snapshot->core_count, sizeof(*session->eyes));
	session->pasts = calloc(snapshot->core_count, sizeof(*session->pasts));
	if (!session->histories || !session->cursors || !session->values || !session->eyes ||
	    !session->pasts)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct tarmac_core *data = input_core(snapshot, i);

		if (data)
			session->histories[i] = tarmac_core_history(data);
	}
	TRY(histories_build(snapshot, options, diags, session->histories));
	for (size_t i = 0; i < snapshot->core_count; i++)
		session->cursors[i] =
		        (struct cursor){session->histories[i], history_last(session->histories[i])};
	session->build = (struct history_options){.threads = options->threads,
	                                          .ids = session->trace_ids,
	                                          .one_address_space = options->one_address_space};
	session->assumptions = values_options_of(snapshot->core_count);
	session->assumptions.one_address_space = options->one_address_space;
	session->assumptions.interrupt = &session->interrupt;
	return make_values(session);
}

/* Adds what the core has to the registers of its architecture. */
static enum status add_registers(struct session *session, size_t core)
{
	const struct snap_core *of = session_core(session, core);
	const struct history *history = session->histories[core];
	struct register_file *file = &session->registers[of->arch];
	struct system_register_list *system = &session->system[of->arch];

	register_file_add(file, of->device);
	if (history_data(history))
		file->features |= tarmac_features(history_data(history));
	TRY(system_registers_add_core(system, file, history));
	file->system = system->items;
	file->system_count = (unsigned int)system->count;
	return STATUS_OK;
}

/* Of each architecture; that of the first core with a PC is served. */
static enum status find_registers(struct session *session)
{
	size_t count = session->snapshot->core_count;
	size_t first = 0;

	for (unsigned int i = 0; i < ARCHS; i++)
		session->registers[i] = register_file_of((enum core_arch)i);
	for (size_t i = 0; i < count; i++)
		TRY(add_registers(session, i));
	while (first < count && !session_core_has_pc(session, first))
		first++;
	session->served = first < count ? session_core(session, first)->arch : CORE_A64;
	return STATUS_OK;
}

enum status session_open(const struct snapshot *snapshot, const struct history_options *options,
                         struct diag_list *diags, struct session **session)
{
	struct history_options build = *options;
	struct session *opened = calloc(1, sizeof(*opened));
	enum status status;

	if (!opened)
		return STATUS_NO_MEM;
	opened->snapshot = snapshot;
	opened->trace_ids = calloc(snapshot->buffer_count + 1, sizeof(*opened->trace_ids));
	build.ids = opened->trace_ids;
	status = STATUS_NO_MEM;
	if (build.ids)
		status = snapshot->core_count > 0 ? build_histories(opened, &build, diags)
		                                  : STATUS_OK;
	if (status == STATUS_OK)
		status = find_registers(opened);
	if (status != STATUS_OK) {
		session_destroy(opened);
		return status;
	}
	*session = opened;
	return STATUS_OK;
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	for (size_t i = 0; session->values && i < session->snapshot->core_count; i++)
		values_destroy(session->values[i]);
	for (size_t i = 0; session->histories && i < session->snapshot->core_count; i++) {
		/* Those of a trace with data belong to the snapshot. */
		if (!input_core(session->snapshot, i))
			history_destroy(session->histories[i]);
	}
	free(session->trace_ids);
	free(session->histories);
	free(session->cursors);
	free(session->values);
	for (unsigned int i = 0; i < ARCHS; i++)
		system_registers_fini(&session->system[i]);
	free(session->pasts);
	free(session->eyes);
	free(session->breakpoints);
	free(session->watches.items);
	free(session);
}

const struct trace_ids *session_trace_ids(const struct session *session)
{
	return session->trace_ids;
}

const struct snapshot *session_snapshot(const struct session *session)
{
	return session->snapshot;
}

size_t session_core_count(const struct session *session)
{
	return session->snapshot->core_count;
}

const struct snap_core *session_core(const struct session *session, size_t core)
{
	return &session->snapshot->cores[core];
}

const struct history *session_history(const struct session *session, size_t core)
{
	return session->histories[core];
}

bool session_core_has_pc(const struct session *session, size_t core)
{
	const struct history *history = session->histories[core];
	uint64_t pc;

	return history_pc(history, history_last(history), &pc) == STATUS_OK;
}

uint64_t session_position(const struct session *session, size_t core)
{
	return session->cursors[core].position;
}

enum status session_seek(struct session *session, size_t core, uint64_t position)
{
	if (position > history_last(session->histories[core]))
		return STATUS_NOT_FOUND;
	session->cursors[core].position = position;
	return STATUS_OK;
}

/* Index of the breakpoint, or breakpoint_count. */
static size_t find_breakpoint(const struct session *session, uint64_t address)
{
	size_t i = 0;

	while (i < session->breakpoint_count && session->breakpoints[i] != address)
		i++;
	return i;
}

enum status session_break_set(struct session *session, uint64_t address)
{
	if (find_breakpoint(session, address) < session->breakpoint_count)
		return STATUS_OK;
	TRY(vec_reserve((void **)&session->breakpoints, &session->breakpoint_capacity,
	                session->breakpoint_count + 1, sizeof(*session->breakpoints)));
	session->breakpoints[session->breakpoint_count++] = address;
	return STATUS_OK;
}

void session_break_clear(struct session *session, uint64_t address)
{
	size_t i = find_breakpoint(session, address);

	if (i < session->breakpoint_count)
		session->breakpoints[i] = session->breakpoints[--session->breakpoint_count];
}

void session_break_clear_all(struct session *session)
{
	session->breakpoint_count = 0;
	session->watches.count = 0;
}

bool session_can_watch(const struct session *session)
{
	for (size_t i = 0; i < session_core_count(session); i++) {
		if (history_data(session->histories[i]) ||
		    (session->values[i] && values_can(session->values[i])))
			return true;
	}
	return false;
}

enum status session_watch_set(struct session *session, const struct watch *watch)
{
	return watch_add(&session->watches, watch);
}

void session_watch_clear(struct session *session, const struct watch *watch)
{
	watch_remove(&session->watches, watch);
}

void session_watch_after(struct session *session, bool after)
{
	session->watches.stops_after = after;
}

void session_interrupt(struct session *session, bool (*asked)(void *), void *context)
{
	session->interrupt = (struct interrupt){asked, context, false};
}

bool session_has_returned(const struct session *session, size_t core)
{
	uint64_t position = session->cursors[core].position;
	struct instruction before;

	if (position == 0)
		return false;
	history_at(session->histories[core], position - 1, &before);
	return before.subclass == INSN_SUB_A64_RET || before.subclass == INSN_SUB_V7_IMPLIED_RET;
}

static struct history_search breakpoints_of(const struct session *session,
                                            bool (*interrupted)(void *), void *context)
{
	return (struct history_search){session->breakpoints, session->breakpoint_count, interrupted,
	                               context};
}

static struct watch_source source_of(const struct session *session, size_t core)
{
	return (struct watch_source){history_data(session->histories[core]), session->values[core]};
}

/* The instructions between a core's position and another one. */
static struct values_range range_to(const struct session *session, size_t core, uint64_t to)
{
	uint64_t from = session->cursors[core].position;

	return from < to ? (struct values_range){from, to, true}
	                 : (struct values_range){to, from, false};
}

static bool find_watch(const struct session *session, size_t core, uint64_t to,
                       struct watch_hit *hit)
{
	const struct watch_source source = source_of(session, core);
	const struct values_range range = range_to(session, core, to);

	return range.first < range.last && watch_find(&session->watches, &source, &range, hit);
}

static struct stop watch_stop(const struct watch_hit *hit)
{
	return (struct stop){
	        .reason = STOP_WATCH, .watch = hit->watch, .watch_address = hit->address};
}

/* Adds to a stop what is not known of the way from the position `from` to where the core is. */
static struct stop doubted(const struct session *session, size_t core, uint64_t from,
                           struct stop stop)
{
	const struct watch_source source = source_of(session, core);
	struct values_range range = range_to(session, core, from);

	range.forward = !range.forward;
	if (range.first < range.last)
		watch_may_alias(&session->watches, &source, &range, &stop.doubt);
	return stop;
}

struct stop session_step(struct session *session, size_t core, enum direction direction)
{
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	bool forward = direction == DIRECTION_FORWARD;
	struct watch_hit hit;
	bool hits = (forward ? from < history_last(session->histories[core]) : from > 0) &&
	            find_watch(session, core, forward ? from + 1 : from - 1, &hit);
	struct stop stop;

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && hit.stop == from)
		return watch_stop(&hit);
	stop = cursor_step(cursor, direction);
	if (hits && stop.reason == STOP_STEPPED)
		return watch_stop(&hit);
	return doubted(session, core, from, stop);
}

/* What a move with a hit on its way ended in. */
static struct stop judge(const struct session *session, size_t core, const struct watch_hit *hit,
                         struct stop stop)
{
	bool is_there = session->cursors[core].position == hit->stop;

	/* Before the access a breakpoint comes first, and the next move meets the hit. */
	if (stop.reason == STOP_LIMIT || (is_there && session->watches.stops_after))
		return watch_stop(hit);
	return stop;
}

struct stop session_continue(struct session *session, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context)
{
	struct history_search breakpoints = breakpoints_of(session, interrupted, context);
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	uint64_t end =
	        direction == DIRECTION_FORWARD ? history_length(session->histories[core]) : 0;
	struct watch_hit hit;
	bool hits = find_watch(session, core, end, &hit);
	struct stop stop;

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && hit.stop == from)
		return watch_stop(&hit);
	stop = cursor_continue(cursor, direction, &breakpoints, hits ? &hit.stop : NULL);
	if (hits)
		stop = judge(session, core, &hit, stop);
	return doubted(session, core, from, stop);
}

struct stop session_step_range(struct session *session, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context)
{
	struct history_search breakpoints = breakpoints_of(session, interrupted, context);
	struct cursor *cursor = &session->cursors[core];
	uint64_t from = cursor->position;
	struct watch_hit hit;
	bool hits = find_watch(session, core, history_length(session->histories[core]), &hit);
	struct stop stop;

	if (session->interrupt.has_come)
		return (struct stop){.reason = STOP_INTERRUPTED};
	if (hits && hit.stop == from)
		return watch_stop(&hit);
	stop = cursor_step_range(cursor, low, high, &breakpoints, hits ? &hit.stop : NULL);
	if (hits)
		stop = judge(session, core, &hit, stop);
	return doubted(session, core, from, stop);
}

bool session_reconstructs(const struct session *session)
{
	for (size_t i = 0; i < session->snapshot->core_count; i++) {
		if (session->values[i] && history_length(session->histories[i]) > 0)
			return true;
	}
	return false;
}

bool session_assumes(const struct session *session, enum assumption assumption)
{
	return values_assume(&session->assumptions, assumption);
}

/* Other code may have run where the memory map is read otherwise. Cores go to the halt. */
static enum status make_histories(struct session *session, bool one_address_space)
{
	size_t count = session->snapshot->core_count;
	struct history **made = calloc(count + 1, sizeof(struct history *));
	struct diag_list unheard = {0}; /* it was all said when they were made first */
	enum status status = STATUS_NO_MEM;

	for (size_t i = 0; made && i < count; i++) {
		if (input_core(session->snapshot, i))
			made[i] = session->histories[i];
	}
	session->build.one_address_space = one_address_space;
	if (made)
		status = histories_build(session->snapshot, &session->build, &unheard, made);
	diag_list_fini(&unheard);
	for (size_t i = 0; made && i < count; i++) {
		struct history *old = session->histories[i];

		if (status == STATUS_OK) {
			session->histories[i] = made[i];
			made[i] = old;
			session->cursors[i] = (struct cursor){session->histories[i],
			                                      history_last(session->histories[i])};
			values_destroy(session->values[i]);
			session->values[i] = NULL;
			session->pasts[i] = (struct system_past){.is_known = false};
		}
		if (!input_core(session->snapshot, i))
			history_destroy(made[i]);
	}
	free(made);
	return status;
}

enum status session_assume(struct session *session, enum assumption assumption, bool on)
{
	if (session_assumes(session, assumption) == on)
		return STATUS_OK;
	values_set_assumption(&session->assumptions, assumption, on);
	if (assumption == ASSUME_ONE_ADDRESS_SPACE)
		TRY(make_histories(session, on));
	return make_values(session);
}

enum status session_be_quick(struct session *session)
{
	session->assumptions.register_window = QUICK_WINDOW;
	return make_values(session);
}

void session_trouble(const struct session *session, size_t core, struct text *out)
{
	if (session->values[core])
		why_trouble(session->values[core], out);
}

/* The same for a register beyond the table, in the past. */
static void why_system(const struct session *session, size_t core,
                       const struct system_register *reg, struct text *out)
{
	if (system_register_is_halts(session->histories[core], session->values[core],
	                             &session->pasts[core], session->cursors[core].position, reg,
	                             out))
		text_puts(out, "it is what it is at the halt: only MSR and exceptions change it, "
		               "and neither they nor a gap come after this position\n");
}

/* What needs no reconstruction; false if that is not all. */
static bool why_at_once(const struct session *session, size_t core,
                        const struct why_subject *subject, struct text *out)
{
	const struct history *history = session->histories[core];
	const struct system_register *system =
	        register_system(session_core_registers(session, core), subject->number);

	if (!session->values[core])
		text_puts(out, "the trace has the data of registers and memory itself\n");
	else if (session->cursors[core].position == history_length(history))
		text_puts(out, "at the halt registers and memory are those of the snapshot\n");
	else if (!subject->is_memory && subject->number == REGISTER_PC)
		text_puts(out, "the trace says where execution was\n");
	else if (!subject->is_memory && system)
		why_system(session, core, system, out);
	else
		return false;
	return true;
}

enum status session_why(const struct session *session, size_t core,
                        const struct why_subject *subject, bool all, struct text *out)
{
	uint64_t position = session->cursors[core].position;
	struct source_lines *lines;
	struct why_options options;
	enum status status;
	struct value value;
	uint8_t bytes[8];

	if (why_at_once(session, core, subject, out))
		return STATUS_OK;
	/* What is looked at grows as it does for the value itself. */
	if (subject->is_memory)
		(void)session_memory_at(session, core, position, subject->address & ~UINT64_C(7),
		                        bytes, sizeof(bytes));
	else
		session_register(session, core, subject->number, &value);
	lines = source_lines_open(session->snapshot->images, session->snapshot->image_count);
	options = (struct why_options){.all = all, .lines = lines};
	status = why_value(session->values[core], position, subject, &options, out);
	source_lines_close(lines);
	return status;
}

void session_register_at(const struct session *session, size_t core, uint64_t position,
                         unsigned int number, struct value *value)
{
	const struct history *history = session->histories[core];
	const struct system_register *system =
	        register_system(session_core_registers(session, core), number);

	if (system)
		state_system_register(history, session->values[core], &session->pasts[core],
		                      position, system, value);
	else
		state_register(history, session->values[core], position, number, value);
}

void session_register(const struct session *session, size_t core, unsigned int number,
                      struct value *value)
{
	session_register_at(session, core, session->cursors[core].position, number, value);
}

const struct register_file *session_registers(const struct session *session)
{
	return &session->registers[session->served];
}

const struct register_file *session_core_registers(const struct session *session, size_t core)
{
	return &session->registers[session_core(session, core)->arch];
}

size_t session_memory_at(const struct session *session, size_t core, uint64_t position,
                         uint64_t address, void *out, size_t size)
{
	return state_memory(session->histories[core], session->values[core], position, address, out,
	                    size);
}

void session_see(struct session *session, size_t core, const struct address_space *from)
{
	session->eyes[core].are_given = from != NULL;
	if (from)
		session->eyes[core].from = *from;
}

static void write_states(enum space states, struct text *out)
{
	const char *name = space_text(states);
	const char *between = "";

	if (name[0] != '?') {
		text_puts(out, name);
		return;
	}
	for (unsigned int bit = 1; bit < SPACE_ANY; bit <<= 1) {
		if (((unsigned int)states & bit) == 0)
			continue;
		text_printf(out, "%s%s", between, space_text((enum space)bit));
		between = " or ";
	}
}

void session_seen_from(const struct session *session, size_t core, struct text *out)
{
	const struct history *history = session->histories[core];
	uint64_t position = session->cursors[core].position;
	struct address_space from = session->eyes[core].from;

	if (!session->eyes[core].are_given)
		from = (struct address_space){
		        (enum space)(history_view(history, position) & SPACE_ANY),
		        history_context(history, position)};
	write_states(from.space, out);
	if (from.context.has_id)
		text_printf(out, ", context 0x%x", from.context.id);
	if (from.context.has_vmid)
		text_printf(out, ", VMID 0x%x", from.context.vmid);
}

size_t session_memory_from(const struct session *session, size_t core,
                           const struct address_space *from, uint64_t address, void *out,
                           size_t size)
{
	const struct history *history = session->histories[core];
	uint32_t view = memmap_view(history_memory(history), from->space, &from->context);

	return state_memory_in(history, session->values[core], session->cursors[core].position,
	                       view, address, out, size);
}

size_t session_memory(const struct session *session, size_t core, uint64_t address, void *out,
                      size_t size)
{
	if (session->eyes[core].are_given)
		return session_memory_from(session, core, &session->eyes[core].from, address, out,
		                           size);
	return session_memory_at(session, core, session->cursors[core].position, address, out,
	                         size);
}
