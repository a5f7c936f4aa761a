/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shell's breakpoints and watchpoints: a list with numbers, which the session knows by address
 * alone. In: functions, addresses, variables. Out: text; what the session stops for.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"
#include "console/console_command.h"
#include "shell/shell_command.h"

/* Functions of a name. */
struct function_search {
	struct str name;
	uint64_t address; /* the first one's */
	size_t count;
};

static void take_function(void *context, struct str name, uint64_t address, bool is_function)
{
	struct function_search *search = context;

	if (!is_function || !str_eq(name, search->name) ||
	    (search->count > 0 && search->address == address))
		return;
	if (search->count++ == 0)
		search->address = address;
}

bool shell_find_code(struct shell *shell, struct str word, uint64_t *address, struct text *out)
{
	struct console *console = &shell->console;
	struct function_search search = {.name = word};

	if (str_to_u64(word, address) == STATUS_OK) {
		/* Of T32 code a pointer to a function, and LR, have bit 0. */
		if (session_core_registers(console->session, console->core)->arch != CORE_A64)
			*address &= ~UINT64_C(1);
		return true;
	}
	if (session_past_names(console->session, console->core, &shell->names) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
		return false;
	}
	symbols_visit(shell->names.symbols, word, take_function, &search);
	*address = search.address;
	if (search.count == 1)
		return true;
	console_say_wrong(console,
	                  search.count == 0 ? "no address and no function:"
	                                    : "several functions are called",
	                  word, search.count == 0 ? "" : "; give an address", out);
	return false;
}

static void write_stop(struct shell *shell, const struct shell_stop *stop, struct text *out)
{
	static const char *const kinds[] = {
	        [WATCH_WRITE] = "writes of",
	        [WATCH_READ] = "reads of",
	        [WATCH_ACCESS] = "accesses to",
	};

	if (stop->is_watch) {
		text_printf(out, "watchpoint %u: %s the %" PRIu64 " byte%s at 0x%" PRIx64 "\n",
		            stop->number, kinds[stop->watch.kind], stop->watch.size,
		            stop->watch.size == 1 ? "" : "s", stop->watch.address);
		return;
	}
	text_printf(out, "breakpoint %u: 0x%" PRIx64 " ", stop->number, stop->address);
	symbols_format(shell_names(shell)->symbols, stop->address, out);
	text_char(out, '\n');
}

void shell_name_stop(const struct shell *shell, uint64_t address, struct text *out)
{
	for (size_t i = 0; i < shell->stop_count; i++) {
		const struct shell_stop *stop = &shell->stops[i];

		if (!stop->is_watch && stop->address == address)
			text_printf(out, "breakpoint %u\n", stop->number);
	}
}

/* Keeps it, which the session has, and tells its number. */
static void add_stop(struct shell *shell, const struct shell_stop *stop, enum status status,
                     struct text *out)
{
	if (status == STATUS_OK)
		status = vec_reserve((void **)&shell->stops, &shell->stop_capacity,
		                     shell->stop_count + 1, sizeof(*shell->stops));
	if (status != STATUS_OK) {
		console_say_status(&shell->console, status, out);
		return;
	}
	shell->stops[shell->stop_count] = *stop;
	shell->stops[shell->stop_count].number = ++shell->stop_number;
	write_stop(shell, &shell->stops[shell->stop_count++], out);
}

static void break_at_line(struct shell *shell, struct str file, int line, struct text *out)
{
	uint64_t *places;
	size_t count = shell_find_line(shell, file, line, &places, out);

	for (size_t i = 0; i < count; i++) {
		const struct shell_stop stop = {.is_watch = false, .address = places[i]};

		add_stop(shell, &stop, session_break_set(shell->console.session, places[i]), out);
	}
	free(places);
}

void shell_break(struct console *console, struct str args, struct text *out)
{
	struct shell_stop stop = {.is_watch = false};
	struct value pc;
	struct str file;
	int line;

	if (shell_is_line(args, &file, &line)) {
		break_at_line(shell_of(console), file, line, out);
		return;
	}
	if (args.n > 0 && !shell_find_code(shell_of(console), args, &stop.address, out))
		return;
	if (args.n == 0) {
		session_register(console->session, console->core, REGISTER_PC, &pc);
		stop.address = value_u64(&pc);
	}
	add_stop(shell_of(console), &stop, session_break_set(console->session, stop.address), out);
}

static void watch(struct console *console, struct str args, enum watch_kind kind, struct text *out)
{
	struct past_subject subject;
	struct shell_stop stop = {.is_watch = true};

	if (!console_find_subject(console, args, &subject, out))
		return;
	if (!subject.is_memory) {
		console_say_wrong(console, "a register cannot be watched:", args,
		                  "; `previous-write` goes to what wrote it", out);
		return;
	}
	if (!session_can_watch(console->session)) {
		console_say_usage(console, "no access to memory is known of this trace", out);
		return;
	}
	stop.watch = (struct watch){kind, subject.address, subject.size};
	add_stop(shell_of(console), &stop, session_watch_set(console->session, &stop.watch), out);
}

void shell_watch(struct console *console, struct str args, struct text *out)
{
	watch(console, args, WATCH_WRITE, out);
}

void shell_rwatch(struct console *console, struct str args, struct text *out)
{
	watch(console, args, WATCH_READ, out);
}

void shell_awatch(struct console *console, struct str args, struct text *out)
{
	watch(console, args, WATCH_ACCESS, out);
}

void shell_breakpoints(struct console *console, struct str args, struct text *out)
{
	struct shell *shell = shell_of(console);

	(void)args;
	for (size_t i = 0; i < shell->stop_count; i++)
		write_stop(shell, &shell->stops[i], out);
	if (shell->stop_count == 0)
		text_puts(out, "no breakpoint and no watchpoint\n");
}

/* The session has each address and each watchpoint once. */
static void give_to_session(struct shell *shell)
{
	struct session *session = shell->console.session;

	session_break_clear_all(session);
	for (size_t i = 0; i < shell->stop_count; i++) {
		const struct shell_stop *stop = &shell->stops[i];
		/* It has had this one before: there is memory for it. */
		enum status status = stop->is_watch ? session_watch_set(session, &stop->watch)
		                                    : session_break_set(session, stop->address);

		(void)status;
	}
}

void shell_delete(struct console *console, struct str args, struct text *out)
{
	struct shell *shell = shell_of(console);
	uint64_t number = 0;
	size_t kept = 0;

	if (args.n > 0 && str_to_u64(args, &number) != STATUS_OK) {
		console_say_wrong(console, "not a number:", args, "", out);
		return;
	}
	for (size_t i = 0; i < shell->stop_count; i++) {
		if (args.n > 0 && shell->stops[i].number != number)
			shell->stops[kept++] = shell->stops[i];
	}
	if (args.n > 0 && kept == shell->stop_count) {
		console_say_wrong(console, "no breakpoint and no watchpoint", args,
		                  "; `breakpoints` lists them", out);
		return;
	}
	shell->stop_count = kept;
	give_to_session(shell);
}
