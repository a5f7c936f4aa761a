/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution and stop replies: ?, qThreadStopInfo, bs, bc, vCont, c, s. One core moves, the one that
 * the client chose; the others go along on the timeline, or stay where they are. Stop replies name
 * the core that stopped and carry the registers that gdb wants at every stop, those that are known.
 *
 * gdb manual: sections "Packets", "Stop Reply Packets".
 */
#include <inttypes.h>

#include "console/stop_text.h"
#include "console/threads.h"
#include "stub/gdb.h"
#include "stub/rsp_request.h"

enum {
	SIGNAL_NONE = 0, /* numbers of gdb, not of the host */
	SIGNAL_INT = 2,
	SIGNAL_TRAP = 5,
};

static void add_registers(struct gdb *gdb, size_t core)
{
	const struct register_file *file = session_registers(gdb->session);

	for (size_t i = 0; i < file->frame_count; i++) {
		struct value value;

		if (!register_file_has(file, file->frame[i]))
			continue; /* it may be known, and gdb has no such number */
		session_register(gdb->session, core, file->frame[i], &value);
		if (!value_is_known(&value))
			continue; /* 'x' digits in a stop reply make gdb drop the connection */
		text_printf(&gdb->reply, "%02x:", (unsigned int)file->frame[i]);
		gdb_add_register(gdb, core, file->frame[i]);
		text_char(&gdb->reply, ';');
	}
	text_printf(&gdb->reply, "thread:%zx;core:%zx;", core + 1,
	            session_base_core(gdb->session, core));
}

static void add_stop_end(struct gdb *gdb, size_t core)
{
	text_clear(&gdb->last_stop);
	text_add(&gdb->last_stop, text_str(&gdb->reply));
	gdb->last_position = session_position(gdb->session, core);
	add_registers(gdb, core);
}

static void add_description(struct gdb *gdb, const char *description)
{
	if (gdb->client != CLIENT_LLDB)
		return;
	text_puts(&gdb->reply, "description:");
	text_hex_bytes(&gdb->reply, (const uint8_t *)description, str_of(description).n);
	text_char(&gdb->reply, ';');
}

/*
 * A stop that is no trap: lldb would show a bare one as a signal that the program got, and not run
 * backwards from it.
 */
static void add_exception(struct gdb *gdb, const char *description)
{
	if (gdb->client == CLIENT_LLDB)
		text_puts(&gdb->reply, "reason:exception;");
	add_description(gdb, description);
}

static void add_lldb_reason(struct gdb *gdb, const struct stop *stop)
{
	struct text line = {0};

	if (gdb->client != CLIENT_LLDB)
		return;
	if (stop->reason == STOP_GAP)
		gap_format(&stop->gap, &line);
	else if (stop->reason == STOP_EVENT)
		stop_event_text(stop, &line);
	else
		text_puts(&line, stop->reason == STOP_BLIND ? "accesses are not known from here on"
		                                            : "possible access to what is watched");
	add_exception(gdb, line.data ? line.data : "gap");
	text_fini(&line);
}

static void begin_stop(struct gdb *gdb, size_t core, unsigned int signal)
{
	*gdb->stopped = core;
	gdb->general = core;
	gdb->chosen = core;
	gdb->looked = 0;
	gdb_look_at(gdb, core);
	gdb_kept_forget(gdb);
	text_clear(&gdb->reply);
	text_printf(&gdb->reply, "T%02x", signal);
}

/* A move of a core that began at a position. */
struct move {
	size_t core;
	uint64_t from;
	enum direction direction;
};

/* What the user is told of a stop beside it. */
static void tell_stop(struct gdb *gdb, const struct move *move, const struct stop *stop)
{
	const struct console console = {
	        .session = gdb->session, .core = move->core, .is_monitor = true};
	struct text lines = {0};

	stop_text(&console, move->from, stop, &lines);
	gdb_console(gdb, text_str(&lines));
	gdb_tell_order(gdb);
	text_fini(&lines);
}

static void tell_odd(struct gdb *gdb, uint64_t address)
{
	struct text line = {0};

	text_printf(&line,
	            "csreplay: the breakpoint at 0x%" PRIx64 " is met: T32 code of 0x%" PRIx64 "\n",
	            address + 1, address);
	gdb_console(gdb, text_str(&line));
	text_fini(&line);
}

static void add_breakpoint_reason(struct gdb *gdb, size_t core)
{
	const struct gdb_breakpoint *breakpoint;
	struct value pc;

	session_register(gdb->session, core, REGISTER_PC, &pc);
	breakpoint = gdb_find_breakpoint(gdb, value_u64(&pc));
	if (!breakpoint)
		return;
	/* Where gdb has none it would take the reason for one of a breakpoint that is gone. */
	if (breakpoint->is_odd) {
		tell_odd(gdb, breakpoint->address);
		return;
	}
	if (breakpoint->hardware && gdb->has_hwbreak)
		text_puts(&gdb->reply, "hwbreak:;");
	else if (!breakpoint->hardware && gdb->has_swbreak)
		text_puts(&gdb->reply, "swbreak:;");
}

/* With the address a debugger looks up which of its watchpoints it was; lldb knows each by its
 * first. */
static void add_watch_reason(struct gdb *gdb, const struct stop *stop)
{
	static const char *const names[] = {
	        [WATCH_WRITE] = "watch",
	        [WATCH_READ] = "rwatch",
	        [WATCH_ACCESS] = "awatch",
	};

	text_printf(&gdb->reply, "%s:%" PRIx64 ";", names[stop->watch.kind],
	            gdb->client == CLIENT_LLDB ? stop->watch.address : stop->access.address);
}

static unsigned int stop_signal(const struct gdb *gdb, const struct stop *stop)
{
	if (stop->reason == STOP_INTERRUPTED)
		return SIGNAL_INT;
	/* Signal 0 lets gdb say that the program stopped, and not that it got a SIGTRAP. */
	if ((stop->reason == STOP_GAP || stop->reason == STOP_EVENT ||
	     stop->reason == STOP_POSSIBLE || stop->reason == STOP_BLIND) &&
	    gdb->client == CLIENT_GDB)
		return SIGNAL_NONE;
	return SIGNAL_TRAP;
}

static void reply_stop(struct gdb *gdb, const struct move *move, const struct stop *stop)
{
	size_t core = move->core;

	tell_stop(gdb, move, stop);
	begin_stop(gdb, core, stop_signal(gdb, stop));
	switch (stop->reason) {
	case STOP_BREAKPOINT:
		add_breakpoint_reason(gdb, core);
		break;
	case STOP_BEGIN:
		text_puts(&gdb->reply, "replaylog:begin;");
		add_description(gdb, "begin of the history");
		break;
	case STOP_END:
		text_puts(&gdb->reply, "replaylog:end;");
		add_description(gdb, "end of the history: the halt");
		break;
	case STOP_STEPPED:
		if (gdb->client == CLIENT_LLDB)
			text_puts(&gdb->reply, "reason:trace;");
		break;
	case STOP_WATCH:
		add_watch_reason(gdb, stop);
		break;
	case STOP_POSSIBLE:
	case STOP_BLIND:
	case STOP_GAP:
	case STOP_EVENT:
		add_lldb_reason(gdb, stop);
		break;
	case STOP_INTERRUPTED:
		break;
	}
	add_stop_end(gdb, core);
}

/* What the core halted at, if it stands there and that is something that a program dies of. */
static bool is_at_crash(const struct gdb *gdb, size_t core, struct crash *crash)
{
	const struct history *history = session_history(gdb->session, core);

	return session_position(gdb->session, core) == history_length(history) &&
	       session_crash(gdb->session, core, crash) && crash_signal(crash) != SYNDROME_NONE;
}

/*
 * A seek is no stop to lldb, which shows the reason of the last one on, wherever the core is then:
 * so that it says whose it is.
 */
static void describe_crash(struct gdb *gdb, const struct crash *crash)
{
	struct text line = {0};

	text_puts(&line, "at the halt: ");
	crash_format(crash, &line);
	add_exception(gdb, line.data ? line.data : crash->syndrome.what);
	text_fini(&line);
}

void gdb_stop_reason(struct gdb *gdb, struct str args)
{
	size_t core = *gdb->stopped;
	struct crash crash;
	bool is_crash = is_at_crash(gdb, core, &crash);

	(void)args;
	begin_stop(gdb, core, is_crash ? (unsigned int)crash_signal(&crash) : SIGNAL_TRAP);
	if (is_crash && gdb->client == CLIENT_LLDB)
		describe_crash(gdb, &crash);
	add_stop_end(gdb, core);
}

/*
 * lldb asks for each thread, once a stop hook has looked at it as well: the reason is that of the
 * last stop, if it was this thread's and it has not gone elsewhere since; else there is none.
 */
void gdb_thread_stop(struct gdb *gdb, struct str args)
{
	size_t core;

	if (threads_parse(gdb->session, args, &core) != THREAD_ONE) {
		gdb_error(gdb, 1);
		return;
	}
	if (core == *gdb->stopped && gdb->last_stop.length > 0 &&
	    session_position(gdb->session, core) == gdb->last_position)
		text_add(&gdb->reply, text_str(&gdb->last_stop));
	else
		text_puts(&gdb->reply, "T00");
	/* Of others it is to ask, so that it shows which thread its user may have selected. */
	if (core == gdb->chosen)
		add_registers(gdb, core);
}

/* The core that a resume without a thread of its own moves. */
static size_t resume_core(const struct gdb *gdb)
{
	return gdb->has_resume ? gdb->resume : gdb->chosen;
}

/* The client sends its interrupt from here to the reply. */
static struct move begin_move(struct gdb *gdb, size_t core, enum direction direction)
{
	session_interrupt(gdb->session, gdb->interrupted, gdb->context);
	gdb_watch_resumed(gdb);
	/* Conditions and watchpoints on the way are what the user asked for. */
	session_hurry(gdb->session, false);
	return (struct move){core, session_position(gdb->session, core), direction};
}

/* Not all of the way to a hit is known: unless the user skips that it is not shown as the last. */
static bool is_in_doubt(const struct gdb *gdb, const struct stop *stop)
{
	return session_possible(gdb->session) != POSSIBLE_SKIP &&
	       (stop->doubt.count > 0 || stop->doubt.blind_first < stop->doubt.blind_last);
}

/*
 * Makes of a hit that the client would not show as what it is, or that may not be the last one, a
 * stop that it keeps: after the access, seen in the direction, where a step of its own would lead.
 */
static void keep_hit(struct gdb *gdb, const struct move *move, struct stop *stop)
{
	uint64_t at = stop->access.position;
	struct gap gap;
	bool has_gap;

	if (gdb->client != CLIENT_GDB || stop->reason != STOP_WATCH)
		return;
	if (!is_in_doubt(gdb, stop) && gdb_watch_is_shown(gdb, move->core, stop, move->direction)) {
		gdb_watch_shown(gdb, move->core, stop, move->direction);
		return;
	}
	has_gap = history_gap_at(session_history(gdb->session, move->core), at + 1, &gap);
	if (session_seek(gdb->session, move->core, at + (move->direction == DIRECTION_FORWARD)) !=
	    STATUS_OK)
		return;
	stop->reason = STOP_POSSIBLE;
	if (has_gap)
		stop_set_gap(stop, &gap);
}

/*
 * A stop of another core than the one that alone was resumed: gdb 13 does not bear being told of a
 * thread that it has not resumed. It is told of its own, and the user of the other one.
 */
static void reply_stop_of_other(struct gdb *gdb, const struct move *move, const struct move *of,
                                const struct stop *stop)
{
	struct text line = {0};

	tell_stop(gdb, of, stop);
	text_printf(&line, "csreplay: thread %zu (", of->core + 1);
	threads_name(gdb->session, of->core, &line);
	text_printf(&line, ") %s at position %" PRIu64 "; all stopped there\n",
	            stop->reason == STOP_BREAKPOINT ? "met a breakpoint"
	            : stop->reason == STOP_WATCH    ? "met a watchpoint"
	                                            : "stopped",
	            session_position(gdb->session, of->core));
	gdb_console(gdb, text_str(&line));
	text_fini(&line);
	begin_stop(gdb, move->core, SIGNAL_NONE);
	add_stop_end(gdb, move->core);
}

static void end_move(struct gdb *gdb, const struct move *move, struct stop *stop)
{
	struct move of = *move;

	if (stop->is_of_other) {
		of.core = stop->core;
		of.from = stop->from;
	}
	session_hurry(gdb->session, true);
	if (stop->is_of_other && gdb->is_one_resumed) {
		reply_stop_of_other(gdb, move, &of, stop);
	} else {
		keep_hit(gdb, &of, stop);
		reply_stop(gdb, &of, stop);
	}
	session_interrupt(gdb->session, NULL, NULL);
}

/* The core stands where a breakpoint was: gdb steps off it, and others could pass it unseen. */
static bool steps_off(const struct gdb *gdb, size_t core)
{
	struct value pc;

	session_register(gdb->session, core, REGISTER_PC, &pc);
	return gdb->has_lifted && value_is_known(&pc) && value_u64(&pc) == gdb->lifted &&
	       !gdb_find_breakpoint(gdb, gdb->lifted);
}

/*
 * Whether the request lets the other threads run, too. Where it does not, gdb goes on showing what
 * it has read of them: they stay, unless `monitor set cores always` says that it does not. lldb
 * reads all of them anew at each stop, and names one thread whenever it steps; what another one
 * stops for at such a time it would take for its own.
 */
static void set_company(struct gdb *gdb, size_t core, bool others_run)
{
	enum company company = gdb->client == CLIENT_LLDB ? COMPANY_QUIET : COMPANY_NONE;

	gdb->is_one_resumed = !others_run && gdb->client == CLIENT_GDB;
	if (gdb->takes_others && gdb->client == CLIENT_GDB && !steps_off(gdb, core))
		others_run = true;
	session_set_company(gdb->session, others_run ? COMPANY_ALL : company,
	                    gdb->has_lifted ? &gdb->lifted : NULL);
	gdb->has_lifted = false;
}

void gdb_went(struct gdb *gdb, size_t core)
{
	if (gdb->waiting_core == core)
		gdb->waits = false;
}

/*
 * The resume that a seek waited for: its stop is what makes the client read all anew. False if the
 * core waits for none.
 */
static bool go_waiting(struct gdb *gdb, size_t core)
{
	struct text line = {0};

	if (!gdb->waits || gdb->waiting_core != core)
		return false;
	gdb->waits = false;
	if (session_go(gdb->session, core, gdb->waiting_position) != STATUS_OK)
		return false; /* its history is another now */
	text_printf(&line, "csreplay: position %" PRIu64 ", as asked\n", gdb->waiting_position);
	gdb_console(gdb, text_str(&line));
	text_fini(&line);
	begin_stop(gdb, core, gdb->client == CLIENT_GDB ? SIGNAL_NONE : SIGNAL_TRAP);
	add_exception(gdb, "position as asked");
	add_stop_end(gdb, core);
	return true;
}

static void step(struct gdb *gdb, size_t core, enum direction direction)
{
	struct move move;
	struct stop stop;

	if (go_waiting(gdb, core))
		return;
	gdb->last_resume = RESUME_OTHER;
	move = begin_move(gdb, core, direction);
	stop = session_step(gdb->session, core, direction);
	end_move(gdb, &move, &stop);
}

/* gdb's `finish` prints a value that is unavailable as 0. */
static void tell_result(struct gdb *gdb, size_t core, const struct stop *stop)
{
	static const unsigned int results[] = {
	        [CORE_A64] = A64_x0,
	        [CORE_A32] = A32_r0,
	        [CORE_M] = M_r0,
	};
	const struct register_file *file = session_registers(gdb->session);
	unsigned int number = results[file->arch];
	struct text line = {0};
	struct value value;

	if (gdb->client != CLIENT_GDB || stop->reason != STOP_BREAKPOINT || gdb->has_told_result ||
	    !session_has_returned(gdb->session, core))
		return;
	session_register(gdb->session, core, number, &value);
	if (value_is_known(&value))
		return;
	text_printf(&line, "csreplay: %s is not known here: a value that `finish` shows is none\n",
	            file->table[number].name);
	gdb_console(gdb, text_str(&line));
	text_fini(&line);
	gdb->has_told_result = true;
}

static void step_range(struct gdb *gdb, size_t core, uint64_t low, uint64_t high)
{
	struct move move;
	struct stop stop;

	if (go_waiting(gdb, core))
		return;
	gdb->has_told_result &= gdb->last_resume != RESUME_OTHER;
	gdb->last_resume = RESUME_RANGE;
	move = begin_move(gdb, core, DIRECTION_FORWARD);
	stop = session_step_range(gdb->session, core, low, high, gdb->interrupted, gdb->context);
	end_move(gdb, &move, &stop);
}

static void run(struct gdb *gdb, size_t core, enum direction direction)
{
	struct move move;
	struct stop stop;

	if (go_waiting(gdb, core))
		return;
	gdb->last_resume = gdb->last_resume == RESUME_RANGE ? RESUME_OVER : RESUME_OTHER;
	gdb->has_told_result &= gdb->last_resume == RESUME_OVER;
	move = begin_move(gdb, core, direction);
	stop = session_continue(gdb->session, core, direction, gdb->interrupted, gdb->context);
	if (direction == DIRECTION_FORWARD && !stop.is_of_other)
		tell_result(gdb, core, &stop);
	end_move(gdb, &move, &stop);
}

void gdb_backward_step(struct gdb *gdb, struct str args)
{
	(void)args;
	set_company(gdb, resume_core(gdb), !gdb->has_resume);
	step(gdb, resume_core(gdb), DIRECTION_BACKWARD);
}

/*
 * lldb leaves a function, of a step out or over, by a breakpoint at the return address and a
 * continue, which it sends in the direction of the user's last one: backward it would not get
 * there.
 */
static bool leaves_function(const struct gdb *gdb, size_t core)
{
	const struct calls *calls = NULL;
	struct call_frame frame;
	const struct call *call;

	if (gdb->client != CLIENT_LLDB || !gdb->has_inserted ||
	    session_calls(gdb->session, core, &calls) != STATUS_OK ||
	    calls_frame(calls, session_position(gdb->session, core), 0, &frame) != STATUS_OK)
		return false;
	call = calls_get(calls, frame.call);
	return call->has_return && call->return_address == gdb->inserted;
}

void gdb_backward_continue(struct gdb *gdb, struct str args)
{
	size_t core = resume_core(gdb);

	(void)args;
	set_company(gdb, core, !gdb->has_resume || gdb->client == CLIENT_LLDB);
	run(gdb, core, leaves_function(gdb, core) ? DIRECTION_FORWARD : DIRECTION_BACKWARD);
}

/* The arguments of c, s, C and S are an address and a signal, neither of which a replay has. */
void gdb_continue(struct gdb *gdb, struct str args)
{
	(void)args;
	set_company(gdb, resume_core(gdb), !gdb->has_resume || gdb->client == CLIENT_LLDB);
	run(gdb, resume_core(gdb), DIRECTION_FORWARD);
}

void gdb_step(struct gdb *gdb, struct str args)
{
	(void)args;
	set_company(gdb, resume_core(gdb), !gdb->has_resume);
	step(gdb, resume_core(gdb), DIRECTION_FORWARD);
}

void gdb_vcont_query(struct gdb *gdb, struct str args)
{
	(void)args;
	text_puts(&gdb->reply, "vCont;c;C;s;S;t;r");
}

struct resume_action {
	char verb;       /* c, s, r or t */
	bool has_signal; /* which is dropped */
	uint64_t low;
	uint64_t high; /* of r */
	enum thread_choice choice;
	size_t core; /* valid if choice is THREAD_ONE */
};

/* One action, "VERB[:THREAD]"; false if it is none. */
static bool parse_action(const struct gdb *gdb, struct str text, struct resume_action *action)
{
	struct str verb = rsp_next(&text, ':');

	*action = (struct resume_action){.choice = THREAD_ALL};
	if (text.n > 0)
		action->choice = threads_parse(gdb->session, text, &action->core);
	if (verb.n == 0 || action->choice == THREAD_NONE)
		return false;
	action->verb = verb.p[0];
	verb = str_skip(verb, 1);
	action->has_signal = action->verb == 'C' || action->verb == 'S';
	if (action->has_signal)
		action->verb = action->verb == 'C' ? 'c' : 's';
	if (action->verb == 'r')
		return rsp_next_hex(&verb, ',', &action->low) == STATUS_OK &&
		       str_hex_to_u64(verb, &action->high) == STATUS_OK;
	return action->verb == 'c' || action->verb == 's' || action->verb == 't';
}

/* Another action than the first is there for the others, which so are not to stay. */
static bool lets_others_run(const struct gdb *gdb, const struct resume_action *first,
                            struct str rest)
{
	struct resume_action action;

	if (first->choice != THREAD_ONE)
		return true;
	while (rest.n > 0) {
		if (parse_action(gdb, rsp_next(&rest, ';'), &action) && action.verb != 't')
			return true;
	}
	return false;
}

/*
 * The first action is for the thread that the user steps. Of a continue of all it may be there for
 * the signal that another one stopped with, as by the crash: the thread is the selected one then.
 */
static size_t action_core(const struct gdb *gdb, const struct resume_action *first, bool others_run)
{
	bool is_for_signal =
	        gdb->client == CLIENT_GDB && first->has_signal && first->verb == 'c' && others_run;

	return first->choice == THREAD_ONE && !is_for_signal ? first->core : gdb->chosen;
}

void gdb_vcont(struct gdb *gdb, struct str args)
{
	struct resume_action action;
	bool others_run;
	size_t core;

	if (!parse_action(gdb, rsp_next(&args, ';'), &action)) {
		gdb_error(gdb, 1);
		return;
	}
	others_run = lets_others_run(gdb, &action, args);
	core = action_core(gdb, &action, others_run);
	set_company(gdb, core, others_run);
	switch (action.verb) {
	case 't':
		gdb_ok(gdb);
		break;
	case 's':
		step(gdb, core, DIRECTION_FORWARD);
		break;
	case 'r':
		step_range(gdb, core, action.low, action.high);
		break;
	default:
		run(gdb, core, DIRECTION_FORWARD);
		break;
	}
}
