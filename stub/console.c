/* SPDX-License-Identifier: Apache-2.0 */
/* The console's commands; see console.h. */
#include "stub/console.h"

#include <inttypes.h>

#include "stub/threads.h"

enum {
	LIST_MOST = 20,         /* lines where no range is given */
	LIST_MOST_RANGE = 5000, /* lines at most */
	WORD_MOST = 60,         /* characters of a user's word that are repeated */
};

struct command {
	const char *name;
	const char *args;
	const char *help;
	void (*run)(const struct console *, struct str args, struct text *out);
};

/* Positions from..to, both included. */
struct range {
	uint64_t from;
	uint64_t to;
	bool given;
};

static void say_wrong(struct text *out, const char *what, struct str word)
{
	if (word.n > WORD_MOST)
		word.n = WORD_MOST;
	text_puts(out, what);
	text_puts(out, " \"");
	for (size_t i = 0; i < word.n; i++)
		text_char(out, str_printable(word.p[i]));
	text_puts(out, "\"");
}

static uint64_t length_of(const struct console *console, size_t core)
{
	return history_length(session_history(console->session, core));
}

/* "", "all", "N", "A-B", "A-"; says what is wrong otherwise. */
static bool parse_range(struct str args, struct range *range, struct text *out)
{
	size_t dash = str_find(args, '-');
	struct str first = str_trim((struct str){args.p, dash});
	struct str second = str_trim(str_skip(args, dash + 1));

	*range = (struct range){0, UINT64_MAX, args.n > 0};
	if (args.n == 0 || str_eq(args, STR("all")))
		return true;
	if (str_to_u64(first, &range->from) == STATUS_OK) {
		if (dash == args.n)
			range->to = range->from;
		if (second.n == 0 || str_to_u64(second, &range->to) == STATUS_OK)
			return true;
	}
	say_wrong(out, "not a range of positions:", args);
	text_puts(out, "; give N, FROM-TO, FROM- or all\n");
	return false;
}

static void write_core(const struct console *console, size_t core, struct text *out)
{
	const struct snap_device *device = session_core(console->session, core)->device;

	text_printf(out, "%s %zu %.*s", core == console->core ? "*" : " ", core + 1,
	            STR_ARG(device->name));
}

static void run_position(const struct console *console, struct str args, struct text *out)
{
	(void)args;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		uint64_t position = session_position(console->session, i);
		struct value pc;

		if (!threads_has(console->session, i))
			continue;
		session_register(console->session, i, REGISTER_PC, &pc);
		write_core(console, i, out);
		text_printf(out, ": position %" PRIu64 " of %" PRIu64 "%s, PC 0x%" PRIx64 "\n",
		            position, length_of(console, i),
		            position == length_of(console, i) ? " (the halt)" : "", value_u64(&pc));
	}
}

/* Why a core's position at a time is not known. */
static void say_no_time(enum status status, uint64_t position, struct text *out)
{
	if (status == STATUS_BAD_DATA)
		text_printf(out, "its timestamps go back at position %" PRIu64 "\n", position);
	else
		text_puts(out, "its trace says nothing of time\n");
}

/* Where the core may have been first at "@TIME". False, and it is said, if that is not known. */
static bool parse_time(const struct console *console, struct str word, uint64_t *position,
                       struct text *out)
{
	uint64_t time;
	uint64_t last;
	enum status status;

	if (str_to_u64(str_skip(word, 1), &time) != STATUS_OK) {
		say_wrong(out, "not a time:", word);
		text_puts(out, "; give @ and a number\n");
		return false;
	}
	status = session_positions_at(console->session, console->core, time, position, &last);
	if (status == STATUS_OK)
		return true;
	write_core(console, console->core, out);
	text_puts(out, ": ");
	say_no_time(status, *position, out);
	return false;
}

static void run_seek(const struct console *console, struct str args, struct text *out)
{
	uint64_t end = length_of(console, console->core);
	uint64_t position = end;
	bool is_time = str_has_prefix(args, STR("@"));

	if (is_time && !parse_time(console, args, &position, out))
		return;
	if (!is_time && !str_eq(args, STR("end")) && str_to_u64(args, &position) != STATUS_OK) {
		say_wrong(out, "not a position:", args);
		text_puts(out, "; give N, @TIME or end\n");
	} else if (session_seek(console->session, console->core, position) != STATUS_OK) {
		text_printf(out, "position out of range (0..%" PRIu64 ")\n", end);
	} else {
		run_position(console, STR(""), out);
		/* A monitor command cannot tell gdb that registers and memory are others now. */
		text_puts(out, "(gdb notices `set $trace_pos = N`; after this command it needs "
		               "`maintenance flush register-cache`)\n");
	}
}

/* "time 100 to 140, about 116 by cycles" */
static void write_moment(const struct moment *moment, struct text *out)
{
	if (!moment->has_earliest && !moment->has_latest)
		text_puts(out, "time unknown");
	else if (!moment->has_earliest)
		text_printf(out, "time up to %" PRIu64, moment->latest);
	else if (!moment->has_latest)
		text_printf(out, "time %" PRIu64 " or later", moment->earliest);
	else if (moment->earliest == moment->latest)
		text_printf(out, "time %" PRIu64, moment->earliest);
	else
		text_printf(out, "time %" PRIu64 " to %" PRIu64, moment->earliest, moment->latest);
	if (moment->has_estimate)
		text_printf(out, ", about %" PRIu64 " by cycles", moment->estimate);
}

/* The positions of another core at any time of the moment. */
static void write_positions_at(const struct console *console, size_t core,
                               const struct moment *moment, struct text *out)
{
	uint64_t first = 0;
	uint64_t last = length_of(console, core);
	uint64_t other;
	enum status status = STATUS_OK;

	if (moment->has_earliest)
		status = session_positions_at(console->session, core, moment->earliest, &first,
		                              &other);
	if (status == STATUS_OK && moment->has_latest) {
		status =
		        session_positions_at(console->session, core, moment->latest, &other, &last);
		first = status == STATUS_OK ? first : other;
	}
	if (status != STATUS_OK)
		say_no_time(status, first, out);
	else if (first == last)
		text_printf(out, "position %" PRIu64 "\n", first);
	else
		text_printf(out, "positions %" PRIu64 " to %" PRIu64 "\n", first, last);
}

/* When the core was at a position, and where the others were then. */
static void run_time(const struct console *console, struct str args, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct moment moment;

	if (args.n > 0 && (str_to_u64(args, &position) != STATUS_OK ||
	                   position > length_of(console, console->core))) {
		say_wrong(out, "not a position:", args);
		text_printf(out, "; give 0 to %" PRIu64 "\n", length_of(console, console->core));
		return;
	}
	moment = session_moment(console->session, console->core, position);
	write_core(console, console->core, out);
	text_printf(out, ": position %" PRIu64 ", ", position);
	write_moment(&moment, out);
	text_char(out, '\n');
	if (!moment.has_earliest && !moment.has_latest)
		return;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		if (i == console->core || length_of(console, i) == 0)
			continue;
		write_core(console, i, out);
		text_puts(out, ": ");
		write_positions_at(console, i, &moment, out);
	}
}

static void run_events(const struct console *console, struct str args, struct text *out)
{
	const struct history *history = session_history(console->session, console->core);
	size_t count = history_event_count(history);
	struct history_event event;
	uint64_t position = session_position(console->session, console->core);
	struct range range;
	size_t first;
	size_t last;
	size_t most;

	if (!parse_range(args, &range, out))
		return;
	first = history_event_index(history, range.from);
	last = range.to == UINT64_MAX ? count : history_event_index(history, range.to + 1);
	most = range.given ? LIST_MOST_RANGE : LIST_MOST;
	if (!range.given) {
		/* The latest that the user has after him. */
		last = position == UINT64_MAX ? count : history_event_index(history, position + 1);
		first = last > most ? last - most : 0;
	}
	for (size_t i = first; i < last && i - first < most && history_event(history, i, &event);
	     i++) {
		text_printf(out, "before %" PRIu64 ": ", event.position);
		element_format_text(&event.element, out);
		text_char(out, '\n');
	}
	if (range.given && last > first && last - first > most)
		text_printf(out, "... and %zu more\n", last - first - most);
	text_printf(out, "%zu events in all; `events FROM-TO` shows others\n", count);
}

static void write_reasons(const struct gap *gaps, size_t count, struct text *out)
{
	for (unsigned int reason = GAP_TRACE_ON; reason <= GAP_HALT; reason++) {
		size_t found = 0;

		for (size_t i = 0; i < count; i++)
			found += gaps[i].reason == (enum gap_reason)reason ? 1 : 0;
		if (found > 0)
			text_printf(out, "    %zu: %s\n", found,
			            gap_reason_text((enum gap_reason)reason));
	}
}

static void write_gaps(const struct console *console, size_t core, const struct range *range,
                       struct text *out)
{
	size_t most = range->given ? LIST_MOST_RANGE : LIST_MOST;
	size_t count;
	size_t listed = 0;
	size_t left = 0;
	const struct gap *gaps = history_gaps(session_history(console->session, core), &count);

	write_core(console, core, out);
	text_printf(out, ": %zu gap%s in %" PRIu64 " instructions\n", count, count == 1 ? "" : "s",
	            length_of(console, core));
	write_reasons(gaps, count, out);
	for (size_t i = 0; i < count; i++) {
		if (gaps[i].position < range->from || gaps[i].position > range->to)
			continue;
		if (listed == most) {
			left++;
			continue;
		}
		listed++;
		text_puts(out, "    ");
		gap_format(&gaps[i], out);
		text_char(out, '\n');
	}
	if (left > 0)
		text_printf(out, "    ... and %zu more; `gaps FROM-TO` or `gaps all` shows them\n",
		            left);
}

static void run_gaps(const struct console *console, struct str args, struct text *out)
{
	struct range range;

	if (!parse_range(args, &range, out))
		return;
	for (size_t i = 0; i < session_core_count(console->session); i++)
		write_gaps(console, i, &range, out);
}

static void run_cores(const struct console *console, struct str args, struct text *out)
{
	(void)args;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		const char *why_not = threads_why_not(console->session, i);

		write_core(console, i, out);
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

static void assume(const struct console *console, enum assumption assumption, bool on,
                   struct text *out)
{
	if (session_assume(console->session, assumption, on) != STATUS_OK) {
		text_printf(out, "%s\n", status_text(STATUS_NO_MEM));
		return;
	}
	write_assumption(console, assumption, out);
	/* A monitor command cannot tell gdb that registers and memory are others now. */
	text_puts(out, "(gdb notices at the next stop, or with `set stack-cache off` and "
	               "`maintenance flush register-cache` at once)\n");
}

static void run_assume(const struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};
	struct str value = str_trim(str_skip(args, end));
	enum assumption assumption = assumption_find(name);

	if (args.n == 0) {
		write_assumptions(console, out);
	} else if (assumption == ASSUMPTIONS) {
		say_wrong(out, "no assumption", name);
		text_puts(out, "; `assume` lists them\n");
	} else if (value.n == 0) {
		write_assumption(console, assumption, out);
	} else if (str_eq(value, STR("on")) || str_eq(value, STR("off"))) {
		assume(console, assumption, str_eq(value, STR("on")), out);
	} else {
		say_wrong(out, "neither on nor off:", value);
		text_char(out, '\n');
	}
}

static void run_set(const struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');

	if (str_eq((struct str){args.p, end}, STR("assume"))) {
		run_assume(console, str_trim(str_skip(args, end)), out);
		return;
	}
	say_wrong(out, "nothing to set is called", (struct str){args.p, end});
	text_puts(out, "; `set assume` is all that there is\n");
}

static bool find_register(const struct console *console, struct str name, unsigned int *number)
{
	const struct register_file *file = session_core_registers(console->session, console->core);

	if (name.n > 0 && name.p[0] == '$')
		name = str_skip(name, 1);
	if (str_eq_nocase(name, STR("lr")) && file->arch == CORE_A64)
		name = STR("x30");
	for (*number = 0; *number < file->trace; ++*number) {
		if (str_eq_nocase(name, str_of(file->table[*number].name)))
			return true;
	}
	return register_system_find(file, name, number);
}

bool console_subject(const struct console *console, struct str word, struct why_subject *subject)
{
	*subject = (struct why_subject){.is_memory = false};
	if (find_register(console, word, &subject->number))
		return true;
	subject->is_memory = str_to_u64(word, &subject->address) == STATUS_OK;
	return subject->is_memory;
}

static void run_why(const struct console *console, struct str args, struct text *out)
{
	bool all = str_has_prefix(args, STR("-v"));
	struct str word = all ? str_trim(str_skip(args, 2)) : args;
	struct why_subject subject;
	enum status status = STATUS_OK;

	if (word.n == 0) {
		text_puts(out, "why REGISTER, or why ADDRESS\n");
		return;
	}
	if (console_subject(console, word, &subject)) {
		status = session_why(console->session, console->core, &subject, all, out);
	} else {
		say_wrong(out, "no register and no address:", word);
		text_char(out, '\n');
	}
	if (status != STATUS_OK)
		text_printf(out, "%s\n", status_text(status));
}

/* False if nothing is known of why the core halted. */
static bool write_crash(const struct console *console, size_t core, struct text *out)
{
	struct crash crash;

	if (!session_crash(console->session, core, &crash))
		return false;
	write_core(console, core, out);
	text_puts(out, ": ");
	crash_format(&crash, out);
	text_char(out, '\n');
	return true;
}

static void run_crash(const struct console *console, struct str args, struct text *out)
{
	(void)args;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		if (write_crash(console, i, out))
			continue;
		write_core(console, i, out);
		text_puts(out, ": neither registers nor trace say why it halted\n");
	}
}

/* What everything that is shown rests on. */
static void run_info(const struct console *console, struct str args, struct text *out)
{
	run_position(console, args, out);
	for (size_t i = 0; i < session_core_count(console->session); i++)
		(void)write_crash(console, i, out);
	write_assumptions(console, out);
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		struct text trouble = {0};

		session_trouble(console->session, i, &trouble);
		if (trouble.length > 0) {
			write_core(console, i, out);
			text_printf(out, ": %s\n", trouble.data);
		}
		text_fini(&trouble);
	}
}

static void run_help(const struct console *console, struct str args, struct text *out);

static const struct command commands[] = {
        {"help", "", "show this list", run_help},
        {"position", "", "where each core is in its history", run_position},
        {"seek", "N|@TIME|end", "go to position N, to the first at that time, or to the halt",
         run_seek},
        {"time", "[N]", "when the core was at position N, and where the others were then",
         run_time},
        {"events", "[RANGE]", "what the trace says between instructions, such as exceptions",
         run_events},
        {"gaps", "[RANGE]", "where execution is not known, and why", run_gaps},
        {"cores", "", "the cores, and which of them are threads", run_cores},
        {"crash", "", "what each core halted at: the fault, its address, its registers", run_crash},
        {"info", "", "positions, crashes, and what values of the past rest on", run_info},
        {"why", "[-v] REG|ADDRESS", "how a value here is proved, or what keeps it unknown",
         run_why},
        {"assume", "[NAME on|off]", "what is taken for granted of the past", run_assume},
        {"set", "assume NAME on|off", "the same", run_set},
        {"space", "[KEY ...|core]", "who sees the memory that is shown", console_space},
        {"x", "SPACE:ADDR [COUNT]", "bytes of a memory space, or as a state sees them", console_x},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static void run_help(const struct console *console, struct str args, struct text *out)
{
	(void)console;
	(void)args;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		text_printf(out, "%-8s %-18s %s\n", commands[i].name, commands[i].args,
		            commands[i].help);
	text_puts(out, "RANGE is N, FROM-TO, FROM- or all, in positions.\n");
}

void console_run(const struct console *console, struct str line, struct text *out)
{
	struct str args = str_trim(line);
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};

	args = str_trim(str_skip(args, end));
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const struct command *command = &commands[i];

		if (!str_eq(name, str_of(command->name)))
			continue;
		if (command->args[0] == '\0' && args.n > 0)
			text_printf(out, "%.*s takes no argument\n", STR_ARG(name));
		else
			command->run(console, args, out);
		return;
	}
	if (name.n == 0) {
		run_help(console, args, out);
		return;
	}
	say_wrong(out, "no command", name);
	text_puts(out, "; `monitor help` lists them\n");
}
