/* SPDX-License-Identifier: Apache-2.0 */
/* The console's table of commands, and those that need no file of their own; see console.h. */
#include "console/console_command.h"
#include "console/position.h"
#include "console/threads.h"

static void run_cores(struct console *console, struct str args, struct text *out)
{
	(void)args;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		const char *why_not = threads_why_not(console->session, i);

		console_core(console, i, out);
		text_puts(out, ": ");
		threads_describe(console->session, i, out);
		if (why_not)
			text_printf(out, "; no thread: %s", why_not);
		text_char(out, '\n');
	}
}

static void write_assumption(const struct console *console, enum assumption assumption,
                             struct text *out)
{
	text_printf(out, "%s is %s: %s\n", assumption_name(assumption),
	            session_assumes(console->session, assumption) ? "on" : "off",
	            assumption_text(assumption));
}

static void write_assumptions(const struct console *console, struct text *out)
{
	if (!session_reconstructs(console->session)) {
		text_puts(out, "the trace has the data itself: nothing is assumed\n");
		return;
	}
	for (unsigned int i = 0; i < ASSUMPTIONS; i++)
		write_assumption(console, (enum assumption)i, out);
}

static void assume(struct console *console, enum assumption assumption, bool on, struct text *out)
{
	if (session_assume(console->session, assumption, on) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
		return;
	}
	write_assumption(console, assumption, out);
	console_say_stale(console, out);
}

static void run_modules(struct console *console, struct str args, struct text *out)
{
	(void)args;
	if (session_list_modules(console->session, out) != STATUS_OK)
		console_say_status(console, STATUS_NO_MEM, out);
}

static void run_assume(struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};
	struct str value = str_trim(str_skip(args, end));
	enum assumption assumption = assumption_find(name);

	if (args.n == 0) {
		write_assumptions(console, out);
	} else if (assumption == ASSUMPTIONS) {
		console_say_wrong(console, "no assumption", name, "; `assume` lists them", out);
	} else if (value.n == 0) {
		write_assumption(console, assumption, out);
	} else if (str_eq(value, STR("on")) || str_eq(value, STR("off"))) {
		assume(console, assumption, str_eq(value, STR("on")), out);
	} else {
		console_say_wrong(console, "neither on nor off:", value, "", out);
	}
}

static void run_trust(struct console *console, struct str args, struct text *out)
{
	bool assumed = str_eq(args, STR("assumed"));

	if (args.n == 0) {
		text_puts(out, session_trusts_assumed(console->session)
		                       ? "assumed: where a value is not proved, one that follows "
		                         "from assumptions about the code is shown; `assume` "
		                         "lists them\n"
		                       : "proved: what is not proved is not shown\n");
	} else if (!assumed && !str_eq(args, STR("proved"))) {
		console_say_wrong(console, "neither proved nor assumed:", args, "", out);
	} else if (session_trust(console->session, assumed) != STATUS_OK) {
		console_say_status(console, STATUS_NO_MEM, out);
	} else {
		run_trust(console, STR(""), out);
		console_say_stale(console, out);
	}
}

static void run_set(struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};
	struct str value = str_trim(str_skip(args, end));

	if (str_eq(name, STR("assume"))) {
		run_assume(console, value, out);
	} else if (str_eq(name, STR("possible-writes"))) {
		console_possible_writes(console, value, out);
	} else if (str_eq(name, STR("gap"))) {
		console_set_gap(console, value, out);
	} else if (str_eq(name, STR("software-trace"))) {
		console_set_software(console, value, out);
	} else if (str_eq(name, STR("cores"))) {
		console_set_cores(console, value, out);
	} else {
		console_say_wrong(console, "nothing to set is called", name,
		                  "; `set assume`, `set cores`, `set gap`, `set software-trace` "
		                  "and `set possible-writes` are all that there is",
		                  out);
	}
}

bool console_subject(const struct console *console, struct str word, struct why_subject *subject)
{
	const struct register_file *file = session_core_registers(console->session, console->core);

	*subject = (struct why_subject){.is_memory = false};
	if (register_file_find(file, word, &subject->number))
		return true;
	subject->is_memory = str_to_u64(word, &subject->address) == STATUS_OK;
	return subject->is_memory;
}

static void run_why(struct console *console, struct str args, struct text *out)
{
	bool all = str_has_prefix(args, STR("-v"));
	struct str word = all ? str_trim(str_skip(args, 2)) : args;
	struct why_subject subject;
	enum status status = STATUS_OK;

	if (word.n == 0) {
		console_say_usage(console, "why REGISTER, or why ADDRESS", out);
		return;
	}
	if (console_subject(console, word, &subject)) {
		status = session_why(console->session, console->core, &subject, all, NULL, out);
	} else {
		console_say_wrong(console, "no register and no address:", word, "", out);
	}
	if (status != STATUS_OK)
		console_say_status(console, status, out);
}

static void write_facts(const struct console *console, struct text *out)
{
	const struct diag_list *facts = session_facts(console->session);

	for (size_t i = 0; i < facts->count; i++) {
		diag_format(&facts->items[i], out);
		text_char(out, '\n');
	}
}

/* What everything that is shown rests on. */
static void run_info(struct console *console, struct str args, struct text *out)
{
	console_position(console, args, out);
	for (size_t i = 0; i < session_core_count(console->session); i++)
		(void)console_write_crash(console, i, out);
	write_assumptions(console, out);
	write_facts(console, out);
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		struct text trouble = {0};

		session_trouble(console->session, i, &trouble);
		if (trouble.length > 0) {
			console_core(console, i, out);
			text_printf(out, ": %s\n", trouble.data);
		}
		text_fini(&trouble);
	}
}

static void run_help(struct console *console, struct str args, struct text *out);

static const struct console_command commands[] = {
        {"help", "[--raw]", "show this list; --raw is for a debugger's script", run_help},
        {"position", "", "where each core is in its history", console_position},
        {"seek", "POSITION", "go to a position", console_seek},
        {"back", "[N]", "go so many instructions back, past everything between", console_back},
        {"forward", "[N]", "go so many on", console_forward},
        {"mark", "NAME [POSITION]", "give a position a name, kept for later sessions",
         console_mark},
        {"marks", "", "the names that were given", console_marks},
        {"unmark", "MARK", "take a name away", console_unmark},
        {"when", "[POSITION]", "the same as time", console_time},
        {"time", "[POSITION]", "when the core was at a position, and where the others were then",
         console_time},
        {"events", "[RANGE]", "what the trace says between instructions, such as exceptions",
         console_events},
        {"gaps", "[RANGE]", "where execution is not known, and why", console_gaps},
        {"software-trace", "[RANGE]", "messages of ITM, DWT and STM, when and where cores were",
         console_software_trace},
        {"cores", "", "the cores, and which of them are threads", run_cores},
        {"threads", "[core|context]", "threads are the cores, or what each context ran on each",
         console_threads},
        {"modules", "", "the modules that a Linux kernel had loaded, as its list in memory says",
         run_modules},
        {"pointers", "ADDR|NAME [BYTES]",
         "words of memory at the halt that point to it, or just before", console_pointers},
        {"crash", "", "what each core halted at: the fault, where, its registers, who called",
         console_crash},
        {"info", "", "positions, crashes, and what values of the past rest on", run_info},
        {"stack", "[--raw ...]", "who called whom, from calls and returns of the trace alone",
         console_stack},
        {"calls", "[FUNCTION [where]]", "all calls of a function, or those that this one makes",
         console_calls},
        {"up-in-time", "[LEVEL]", "seek to the call of this function, or of that frame",
         console_up_in_time},
        {"return", "[LEVEL]", "seek to after its return", console_return},
        {"origin", "REG|ADDR[+N]|NAME", "where its value here was made, step by step back",
         console_origin},
        {"last-write", "REG|ADDR[+N]|NAME", "what wrote it last before here, proved or possible",
         console_last_write},
        {"next-candidate", "", "the next older write than the last answer's",
         console_next_candidate},
        {"writes", "NAME [from N] ...", "what wrote it before here, the youngest first",
         console_writes},
        {"reads", "NAME [from N] ...", "what read it", console_reads},
        {"values-of", "NAME [from N] ...", "which value it had when, the youngest first",
         console_values_of},
        {"next-write", "REG|ADDR[+N]|NAME", "seek to what writes it next", console_next_write},
        {"previous-write", "REG|ADDR[+N]|NAME", "seek to what wrote it before",
         console_previous_write},
        {"why", "[-v] REG|ADDRESS", "how a value here is proved, or what keeps it unknown",
         run_why},
        {"assume", "[ASSUMPTION ...]", "what is taken for granted of the past; on and off",
         run_assume},
        {"set", "assume ASSUMPTION", "the same, on or off", run_set},
        {"set", "possible-writes W", "stop, report or skip where what is watched may be accessed",
         run_set},
        {"set", "gap stop|pass|ask", "which gaps a continue stops at; the others it counts",
         run_set},
        {"set", "software-trace W", "on or off: show the messages that a move passes", run_set},
        {"set", "cores HOW", "together: a move takes the other cores along in time; or alone",
         run_set},
        {"catch", "[WHAT [on|off]]", "stop at: exception, context, gap, software-trace",
         console_catch},
        {"trust", "[proved|assumed]", "show what is proved alone, or what is assumed too",
         run_trust},
        {"space", "[KEY ...|core]", "who sees the memory that is shown", console_space},
        {"x", "SPACE:ADDR [COUNT]", "bytes of a memory space, or as a state sees them", console_x},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

/* Rows for a program: tabs between a name, its arguments and its help. The last is no command: a
 * kind of argument in capitals, and the words that are one. */
static void list_raw(struct text *out)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		text_printf(out, "%s\t%s\t%s\n", commands[i].name, commands[i].args,
		            commands[i].help);
	text_puts(out, "POSITION\t");
	for (size_t i = 0; position_word(i); i++)
		text_printf(out, "%s%s", i > 0 ? "|" : "", position_word(i));
	text_puts(out, "\twords that a position is, or begins with\n");
}

static void run_help(struct console *console, struct str args, struct text *out)
{
	if (str_eq(args, STR("--raw"))) {
		list_raw(out);
		console->is_refreshed = true;
	} else if (args.n > 0) {
		console_say_usage(console, "help, or help --raw", out);
	} else {
		console_list(commands, COMMAND_COUNT, out);
		console_say_forms(out);
	}
}

const struct console_command *console_commands(size_t *count)
{
	*count = COMMAND_COUNT;
	return commands;
}

void console_list(const struct console_command *of, size_t count, struct text *out)
{
	for (size_t i = 0; i < count; i++)
		text_printf(out, "%-16s %-18s %s\n", of[i].name, of[i].args, of[i].help);
}

void console_run_one(const struct console_command *command, struct console *console,
                     struct str args, struct text *out)
{
	console->went = false;
	console->failed = command->args[0] == '\0' && args.n > 0;
	if (console->failed)
		text_printf(out, "%s takes no argument\n", command->name);
	else
		command->run(console, args, out);
}

void console_run(struct console *console, struct str line, struct text *out)
{
	struct str args = str_trim(line);
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};

	args = str_trim(str_skip(args, end));
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!str_eq(name, str_of(commands[i].name)))
			continue;
		console_run_one(&commands[i], console, args, out);
		return;
	}
	if (name.n == 0) {
		run_help(console, args, out);
		return;
	}
	console_wrong(out, "no command", name);
	text_printf(out, "; `%shelp` lists them\n", console_prefix(console));
	console->failed = true;
}
