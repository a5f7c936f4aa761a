/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay session from its opening to its end: the cores' histories and positions, the registers
 * that they have, what is assumed of the past; see session.h.
 */
#include "replay/session/session_move.h"
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"

#include <stdlib.h>

#include "base/spill_file.h"
#include "decoder/decoder.h"
#include "replay/history/history.h"
#include "replay/tarmac/tarmac.h"
#include "replay/trust/trust.h"
#include "snapshot/rtos/rtos.h"

enum {
	QUICK_WINDOW = 200000, /* instructions that a window grows to for a debugger's registers */
	NEAR_WINDOW = 20000,   /* those of a window that does not reach the halt: some 10 ms */
	/* Bytes of histories in memory, half as many as their trace has; the others are in a file.
	 */
	HISTORY_MEMORY_LEAST = 32 << 20,
	HISTORY_MEMORY_MOST = 256 << 20,
	PREPARED_CORES = 6, /* whose windows at the halt are made before they are needed */
};

static void drop_values(struct session *session, size_t core)
{
	values_destroy(session->values[core]);
	values_destroy(session->near[core]);
	session->values[core] = NULL;
	session->near[core] = NULL;
}

/* Forgets what was reconstructed, and begins anew. */
static enum status make_values(struct session *session)
{
	session->blind_told.any = false;
	session->places_told.count = 0;
	for (size_t i = 0; i < session->snapshot->core_count; i++) {
		const struct history *history = session->histories[i];
		struct values_options near;

		drop_values(session, i);
		if (history_data(history))
			continue;
		session->assumptions.others = session->others[i];
		near = session->assumptions;
		near.window_most = NEAR_WINDOW;
		session->values[i] = values_create(history, &session->assumptions);
		session->near[i] = values_create(history, &near);
		if (!session->values[i] || !session->near[i])
			return STATUS_NO_MEM;
	}
	return STATUS_OK;
}

/* What is not to be trusted of the histories as they are now; values do not rest on it afterwards.
 */
static enum status examine(struct session *session)
{
	/* Whether somebody interrupts one thread alone may ask. */
	unsigned int threads = session->interrupt.asked ? 1 : session->build.threads;
	const struct trust_of of = {session->snapshot, session->histories, session->values,
	                            session->trace_ids, threads};

	diag_list_fini(&session->facts);
	TRY(trust_examine(&of, &session->facts));
	session->fact_count = session->facts.count;
	return STATUS_OK;
}

/* After what the snapshot has to be said of. */
static void note_assumptions(struct session *session)
{
	diag_list_cut(&session->facts, session->fact_count);
	trust_note_assumptions(&session->assumptions, &session->usual, &session->facts);
}

const struct diag_list *session_facts(const struct session *session)
{
	return &session->facts;
}

static void tell_written(const struct session *session, size_t core, struct diag_list *diags)
{
	const struct code_past *written = &session->written[core];
	size_t gaps = history_gap_count_of(session->histories[core], GAP_CODE_WRITTEN);

	if (written->range_count == 0)
		return;
	(gaps > 0 ? diag_warning : diag_note)(
	        diags, place_none(),
	        "%.*s wrote %zu bytes of code while it was traced, from 0x%llx to 0x%llx: its "
	        "history has what they were at each time, and %zu gap%s where that is not "
	        "known (assumption code-unchanged)",
	        STR_ARG(session_core(session, core)->device->name), written->size,
	        (unsigned long long)written->ranges[0].first,
	        (unsigned long long)written->ranges[written->range_count - 1].last, gaps,
	        gaps == 1 ? "" : "s");
}

void session_tell_code(const struct session *session, size_t core, struct diag_list *diags)
{
	history_tell_rival(session->histories[core], diags);
	tell_written(session, core, diags);
}

static enum status make_others(struct session *session)
{
	size_t count = session->snapshot->core_count;

	for (size_t i = 0; i < count && count > 1; i++) {
		other_cores_destroy(session->others[i]);
		session->others[i] =
		        other_cores_create((const struct history *const *)session->histories, count,
		                           i, &session->interrupt);
		if (!session->others[i])
			return STATUS_NO_MEM;
	}
	return STATUS_OK;
}

/* Of each core, with the code that it wrote itself. */
static enum status follow_written_code(struct session *session,
                                       const struct history_options *options,
                                       struct diag_list *diags)
{
	for (size_t i = 0; i < session->snapshot->core_count; i++) {
		TRY(written_code_follow(session->snapshot, options, &session->assumptions, false,
		                        &session->written[i], &session->histories[i]));
		session->assumptions.code_unchanged |= session->written[i].range_count > 0;
		session_tell_code(session, i, diags);
	}
	return STATUS_OK;
}

static enum status see_past(struct session *session)
{
	TRY(make_others(session));
	TRY(make_values(session));
	return examine(session);
}

/*
 * As follow_written_code(), where no instruction announced it, but the window at the halt, which
 * was solved anyway, shows a store to code that ran. *is_any: a history is another one now.
 */
static enum status follow_seen_stores(struct session *session,
                                      const struct history_options *options,
                                      struct diag_list *diags, bool *is_any)
{
	for (size_t i = 0; i < session->snapshot->core_count; i++) {
		struct code_past *written = &session->written[i];

		if (written->range_count > 0 || !session->values[i] ||
		    !values_show_written_code(session->values[i]))
			continue;
		/* They read the history. */
		drop_values(session, i);
		*is_any = true;
		TRY(written_code_follow(session->snapshot, options, &session->assumptions, true,
		                        written, &session->histories[i]));
		session->assumptions.code_unchanged |= written->range_count > 0;
		session->usual.code_unchanged = session->assumptions.code_unchanged;
		session->cursors[i] =
		        (struct cursor){session->histories[i], history_last(session->histories[i])};
		tell_written(session, i, diags);
	}
	return STATUS_OK;
}

static enum status build_histories(struct session *session, const struct history_options *options,
                                   struct diag_list *diags)
{
	const struct snapshot *snapshot = session->snapshot;
	bool has_new = false;

	session->histories = calloc(snapshot->core_count, sizeof(struct history *));
	session->cursors = calloc(snapshot->core_count, sizeof(*session->cursors));
	session->software_places = calloc(snapshot->core_count, sizeof(uint64_t *));
	session->clocks = calloc(snapshot->core_count, sizeof(*session->clocks));
	session->companions = calloc(snapshot->core_count, sizeof(*session->companions));
	session->company = COMPANY_ALL;
	session->values = calloc(snapshot->core_count, sizeof(struct values *));
	session->near = calloc(snapshot->core_count, sizeof(struct values *));
	session->others = calloc(snapshot->core_count, sizeof(struct other_cores *));
	session->eyes = calloc(snapshot->core_count, sizeof(*session->eyes));
	session->pasts = calloc(snapshot->core_count, sizeof(*session->pasts));
	session->calls = calloc(snapshot->core_count, sizeof(struct calls *));
	session->written = calloc(snapshot->core_count, sizeof(*session->written));
	if (!session->histories || !session->cursors || !session->values || !session->eyes ||
	    !session->near || !session->others || !session->pasts || !session->calls ||
	    !session->written || !session->clocks || !session->companions ||
	    !session->software_places)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		const struct tarmac_core *data = input_core(snapshot, i);

		if (data)
			session->histories[i] = tarmac_core_history(data);
	}
	TRY(histories_build(snapshot, options, diags, session->histories));
	session->build = (struct history_options){.threads = options->threads,
	                                          .ids = session->trace_ids,
	                                          .one_address_space = options->one_address_space};
	session->assumptions = values_options_of(snapshot->core_count);
	session->assumptions.one_address_space = options->one_address_space;
	TRY(follow_written_code(session, options, diags));
	session->usual = session->assumptions;
	session->usual.one_address_space = false;
	for (size_t i = 0; i < snapshot->core_count; i++)
		session->cursors[i] =
		        (struct cursor){session->histories[i], history_last(session->histories[i])};
	session->assumptions.interrupt = &session->interrupt;
	TRY(see_past(session));
	TRY(follow_seen_stores(session, options, diags, &has_new));
	if (has_new)
		TRY(see_past(session));
	note_assumptions(session);
	return STATUS_OK;
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

	for (unsigned int i = 0; i < SESSION_ARCHS; i++)
		session->registers[i] = register_file_of((enum core_arch)i);
	for (size_t i = 0; i < count; i++)
		TRY(add_registers(session, i));
	while (first < count && !session_core_has_pc(session, first))
		first++;
	session->served = first < count ? session_core(session, first)->arch : CORE_A64;
	return STATUS_OK;
}

/* Bytes of the histories that are to stay in memory. */
static uint64_t memory_for(const struct snapshot *snapshot)
{
	uint64_t trace = 0;

	for (size_t i = 0; i < snapshot->buffer_count; i++)
		trace += bytes_left(&snapshot->buffers[i].data) / 2;
	if (trace < HISTORY_MEMORY_LEAST)
		return HISTORY_MEMORY_LEAST;
	return trace < HISTORY_MEMORY_MOST ? trace : HISTORY_MEMORY_MOST;
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
	build.spill = spill_file_create(memory_for(snapshot));
	status = STATUS_NO_MEM;
	if (build.ids && build.spill)
		status = snapshot->core_count > 0 ? build_histories(opened, &build, diags)
		                                  : STATUS_OK;
	spill_file_destroy(build.spill);
	if (status == STATUS_OK)
		status = find_registers(opened);
	if (status != STATUS_OK) {
		session_destroy(opened);
		return status;
	}
	*session = opened;
	return STATUS_OK;
}

enum status session_symbols(struct session *session, const struct symbols **symbols)
{
	const struct snapshot *snapshot = session->snapshot;
	enum status status = STATUS_OK;

	if (!session->symbols)
		status = symbols_open(snapshot->images, snapshot->image_count, &session->symbols);
	if (status != STATUS_OK)
		session->symbols = NULL;
	*symbols = session->symbols;
	return status;
}

enum status session_source_lines(struct session *session, const struct source_lines **lines)
{
	const struct snapshot *snapshot = session->snapshot;

	if (!session->lines)
		session->lines = source_lines_open(snapshot->images, snapshot->image_count,
		                                   snapshot->debug_folder);
	*lines = session->lines;
	return *lines ? STATUS_OK : STATUS_NO_MEM;
}

enum status session_disasm(struct session *session, struct disasm **disasm)
{
	if (!session->disasm)
		session->disasm = disasm_create();
	*disasm = session->disasm;
	return *disasm ? STATUS_OK : STATUS_NO_MEM;
}

/* The core's history is another, or is no more. */
static void forget_moves(struct session *session, size_t core)
{
	if (!session->moves)
		return;
	current_moves_fini(&session->moves[core]);
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	session_drop_thread_views(session);
	for (size_t i = 0; session->values && session->near && i < session->snapshot->core_count;
	     i++)
		drop_values(session, i);
	for (size_t i = 0; session->calls && i < session->snapshot->core_count; i++)
		calls_destroy(session->calls[i]);
	for (size_t i = 0; session->histories && i < session->snapshot->core_count; i++) {
		/* Those of a trace with data belong to the snapshot. */
		if (!input_core(session->snapshot, i))
			history_destroy(session->histories[i]);
	}
	free(session->trace_ids);
	free(session->histories);
	free(session->cursors);
	free(session->clocks);
	for (size_t i = 0; session->software_places && i < session->snapshot->core_count; i++)
		free(session->software_places[i]);
	free(session->software_places);
	software_log_destroy(session->software);
	free(session->companions);
	free(session->values);
	free(session->near);
	for (unsigned int i = 0; i < SESSION_ARCHS; i++)
		system_registers_fini(&session->system[i]);
	answers_fini(&session->answers);
	diag_list_fini(&session->facts);
	symbols_close(session->symbols);
	source_lines_close(session->lines);
	disasm_destroy(session->disasm);
	for (size_t i = 0; i < session->snapshot->core_count; i++)
		forget_moves(session, i);
	free(session->moves);
	linux_kernel_close(session->kernel);
	rtos_close(session->rtos);
	free(session->calls);
	free(session->pasts);
	for (size_t i = 0; session->written && i < session->snapshot->core_count; i++)
		code_past_fini(&session->written[i]);
	free(session->written);
	for (size_t i = 0; session->others && i < session->snapshot->core_count; i++)
		other_cores_destroy(session->others[i]);
	free(session->others);
	free(session->eyes);
	free(session->breakpoints);
	free(session->watches.items);
	free(session->places_told.items);
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
	return &session->snapshot->cores[session_base_core(session, core)];
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

/* Of the new histories, in place of those of the old; or else away with it. */
static void take_written(struct session *session, struct code_past *written, size_t count,
                         bool is_wanted)
{
	for (size_t i = 0; written && i < count; i++) {
		code_past_fini(is_wanted ? &session->written[i] : &written[i]);
		if (is_wanted)
			session->written[i] = written[i];
	}
	free(written);
}

/* Other code may have run where the memory map is read otherwise. Cores go to the halt. */
static enum status make_histories(struct session *session, bool one_address_space)
{
	size_t count = session->snapshot->core_count;
	struct history **made = calloc(count + 1, sizeof(struct history *));
	struct code_past *written = calloc(count + 1, sizeof(*written));
	struct diag_list unheard = {0}; /* it was all said when they were made first */
	enum status status = STATUS_NO_MEM;

	for (size_t i = 0; made && i < count; i++) {
		if (input_core(session->snapshot, i))
			made[i] = session->histories[i];
	}
	session_drop_thread_views(session);
	session->build.one_address_space = one_address_space;
	if (made && written)
		status = histories_build(session->snapshot, &session->build, &unheard, made);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = written_code_follow(
		        session->snapshot, &session->build, &session->assumptions,
		        session->written[i].range_count > 0, &written[i], &made[i]);
	diag_list_fini(&unheard);
	for (size_t i = 0; made && i < count; i++) {
		struct history *old = session->histories[i];

		if (status == STATUS_OK) {
			session->histories[i] = made[i];
			made[i] = old;
			session->cursors[i] = (struct cursor){session->histories[i],
			                                      history_last(session->histories[i])};
			drop_values(session, i);
			calls_destroy(session->calls[i]);
			session->calls[i] = NULL;
			session->pasts[i] = (struct system_past){.is_known = false};
			session->clocks[i] = CLOCK_NOT_ASKED;
			free(session->software_places[i]);
			session->software_places[i] = NULL;
			forget_moves(session, i);
		}
		if (!input_core(session->snapshot, i))
			history_destroy(made[i]);
	}
	take_written(session, written, count, status == STATUS_OK);
	free(made);
	return status;
}

enum status session_assume(struct session *session, enum assumption assumption, bool on)
{
	if (session_assumes(session, assumption) == on)
		return STATUS_OK;
	values_set_assumption(&session->assumptions, assumption, on);
	if (assumption == ASSUME_ONE_ADDRESS_SPACE) {
		TRY(make_histories(session, on));
		TRY(make_others(session));
	}
	TRY(make_values(session));
	if (assumption == ASSUME_ONE_ADDRESS_SPACE)
		TRY(examine(session));
	note_assumptions(session);
	return STATUS_OK;
}

bool session_trusts_assumed(const struct session *session)
{
	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (assumption_is_of_code(i) && session_assumes(session, i))
			return true;
	}
	return false;
}

enum status session_trust(struct session *session, bool assumed)
{
	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (assumption_is_of_code(i))
			TRY(session_assume(session, i, assumed));
	}
	return STATUS_OK;
}

enum status session_be_quick(struct session *session)
{
	session->assumptions.register_window = QUICK_WINDOW;
	return make_values(session);
}

void session_hurry(struct session *session, bool on)
{
	session->hurries = on && !session_trusts_assumed(session);
	for (size_t i = 0; i < session->snapshot->core_count; i++) {
		if (session->values[i])
			values_hurry(session->values[i], on);
	}
}

bool session_prepare(struct session *session)
{
	size_t count = session->snapshot->core_count;
	size_t prepared = 0;

	for (size_t i = 0; i < count && prepared < PREPARED_CORES; i++) {
		if (!session->values[i] || !values_can(session->values[i]))
			continue;
		prepared++;
		if (values_prepare(session->values[i]))
			return true;
	}
	return false;
}
