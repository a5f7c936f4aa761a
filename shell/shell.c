/* SPDX-License-Identifier: Apache-2.0 */
/* The shell's table of commands, and how a line finds its row; see shell.h. */
#include "shell/shell.h"

#include <inttypes.h>
#include <stdlib.h>

#include "console/console_command.h"
#include "shell/shell_command.h"

static void wish(struct console *console, enum shell_wish what, struct str argument)
{
	shell_of(console)->wish = what;
	shell_of(console)->argument = argument;
}

static void run_quit(struct console *console, struct str args, struct text *out)
{
	(void)out;
	wish(console, SHELL_QUIT, args);
}

static void run_source(struct console *console, struct str args, struct text *out)
{
	if (args.n == 0)
		console_say_usage(console, "source FILE", out);
	else
		wish(console, SHELL_SOURCE, args);
}

static void run_program(struct console *console, struct str args, struct text *out)
{
	if (args.n == 0)
		console_say_usage(console, "!COMMAND", out);
	else
		wish(console, SHELL_PROGRAM, args);
}

static void run_help(struct console *console, struct str args, struct text *out);

static const struct console_command own[] = {
        {"help", "[COMMAND]", "show this list, or a line of it", run_help},
        {"step", "[N]", "execute an instruction, or so many", shell_step},
        {"reverse-step", "[N]", "undo an instruction, or so many", shell_reverse_step},
        {"continue", "", "run on to what stops it, or to the halt", shell_continue},
        {"reverse-continue", "", "run backwards to what stops it, or to the begin",
         shell_reverse_continue},
        {"break", "[FUNCTION|F:LINE]",
         "stop where a function or line begins, at an address, or here", shell_break},
        {"watch", "ADDR[+N]|VARIABLE", "stop at writes of it", shell_watch},
        {"rwatch", "ADDR[+N]|VARIABLE", "stop at reads of it", shell_rwatch},
        {"awatch", "ADDR[+N]|VARIABLE", "stop at both", shell_awatch},
        {"breakpoints", "", "list breakpoints and watchpoints", shell_breakpoints},
        {"delete", "[N]", "take one away, or all", shell_delete},
        {"core", "[CORE]", "the core that commands are about, by number or name", shell_core},
        {"registers", "[REG ...]", "registers, and which ones the last move changed",
         shell_registers},
        {"print", "REG|ADDR[+N]|NAME", "the value of a register, of memory or of a variable",
         shell_print},
        {"x", "ADDR|NAME [COUNT]", "bytes of memory, those that are not known as ??", shell_x},
        {"locals", "[FRAME]",
         "variables of the current function, or of a frame of `stack`, as debug information has "
         "them",
         shell_locals},
        {"list", "[N]", "the instructions that were executed around here", shell_list},
        {"disassemble", "[FUNCTION|ADDRESS]", "what lies in memory there, or around here",
         shell_disassemble},
        {"source", "FILE", "run the commands of a file", run_source},
        {"!", "COMMAND", "have the command shell run a program", run_program},
        {"quit", "", "end", run_quit},
};

/* What gdb's users type. */
static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
        {"b", "break"},
        {"backtrace", "stack"},
        {"bt", "stack"},
        {"c", "continue"},
        {"d", "delete"},
        {"exit", "quit"},
        {"finish", "return"},
        {"h", "help"},
        {"i", "info"},
        {"l", "list"},
        {"p", "print"},
        {"q", "quit"},
        {"r", "registers"},
        {"rc", "reverse-continue"},
        {"rs", "reverse-step"},
        {"reverse-finish", "up-in-time"},
        {"reverse-stepi", "reverse-step"},
        {"rsi", "reverse-step"},
        {"s", "step"},
        {"si", "step"},
        {"stepi", "step"},
        {"w", "watch"},
        {"where", "stack"},
};

const struct console_command *shell_table(unsigned int table, size_t *count)
{
	if (table > 0)
		return console_commands(count);
	*count = sizeof(own) / sizeof(own[0]);
	return own;
}

static struct str name_behind(struct str word)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (str_eq(word, str_of(aliases[i].alias)))
			return str_of(aliases[i].name);
	}
	return word;
}

/* Rows whose names begin so: the first, and whether another name does, too. */
struct found {
	const struct console_command *command;
	bool is_exact;
	bool is_several;
};

static void consider(struct found *found, const struct console_command *command, struct str word)
{
	bool is_exact = str_eq(word, str_of(command->name));

	if (found->is_exact || !str_has_prefix(str_of(command->name), word))
		return;
	if (is_exact || !found->command)
		*found = (struct found){command, is_exact, false};
	else if (!str_eq(str_of(command->name), str_of(found->command->name)))
		found->is_several = true;
}

static struct found find_command(struct str word)
{
	struct found found = {.command = NULL};
	struct str name = name_behind(word);

	for (unsigned int table = 0; table < SHELL_TABLES; table++) {
		size_t count;
		const struct console_command *commands = shell_table(table, &count);

		for (size_t i = 0; i < count; i++)
			consider(&found, &commands[i], name);
	}
	return found;
}

struct str shell_command_name(struct str word)
{
	struct found found = find_command(word);

	return found.command && !found.is_several ? str_of(found.command->name) : word;
}

static void say_several(struct console *console, struct str word, struct text *out)
{
	console_wrong(out, "several commands begin with", word);
	text_char(out, ':');
	for (unsigned int table = 0; table < SHELL_TABLES; table++) {
		size_t count;
		const struct console_command *commands = shell_table(table, &count);

		for (size_t i = 0; i < count; i++) {
			if (str_has_prefix(str_of(commands[i].name), word))
				text_printf(out, " %s", commands[i].name);
		}
	}
	text_char(out, '\n');
	console->failed = true;
}

/* NULL, and it is said, if none is meant. */
static const struct console_command *choose_command(struct console *console, struct str word,
                                                    struct text *out)
{
	struct found found = find_command(word);

	if (found.command && !found.is_several)
		return found.command;
	if (found.command)
		say_several(console, word, out);
	else
		console_say_wrong(console, "no command", word, "; `help` lists them", out);
	return NULL;
}

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (str_eq(str_of(name), str_of(own[i].name)))
			return true;
	}
	return false;
}

static void run_help(struct console *console, struct str args, struct text *out)
{
	const struct console_command *command;
	size_t count;
	const struct console_command *commands = console_commands(&count);

	if (args.n > 0) {
		command = choose_command(console, args, out);
		if (command)
			console_list(command, 1, out);
		return;
	}
	console_list(own, sizeof(own) / sizeof(own[0]), out);
	for (size_t i = 0; i < count; i++) {
		/* What the shell has of its own stands in place of one of that name. */
		if (!is_own(commands[i].name))
			console_list(&commands[i], 1, out);
	}
	console_say_forms(out);
	text_puts(out, "A name may be cut short where no other begins so; gdb's b, bt, c, finish, "
	               "p, rc, rs, s and the like do what they do there.\n");
}

enum status shell_open(struct session *session, const struct shell_options *options,
                       struct shell **shell)
{
	struct shell *opened = calloc(1, sizeof(*opened));

	if (!opened)
		return STATUS_NO_MEM;
	opened->console = (struct console){.session = session, .core = options->core};
	opened->options = *options;
	/* What a continue met lies behind it, so that the next one does not meet it again. */
	session_watch_after(session, true);
	*shell = opened;
	return STATUS_OK;
}

void shell_close(struct shell *shell)
{
	if (!shell)
		return;
	shell_close_sources(shell);
	free(shell->stops);
	free(shell);
}

void shell_greet(struct shell *shell, struct text *out)
{
	console_run(&shell->console, STR("crash"), out);
	shell_here(shell, out);
}

void shell_prompt(const struct shell *shell, struct text *out)
{
	const struct console *console = &shell->console;
	size_t core = session_base_core(console->session, console->core);

	text_add(out, session_core(console->session, core)->device->name);
	text_printf(out, " %" PRIu64 "> ", session_position(console->session, console->core));
}

/* "!ls" is "! ls". */
static size_t name_end(struct str line)
{
	return line.n > 0 && line.p[0] == '!' ? 1 : str_find(line, ' ');
}

struct shell_answer shell_run(struct shell *shell, struct str line, struct text *out)
{
	struct console *console = &shell->console;
	struct str args = str_trim(line);
	size_t end = name_end(args);
	const struct console_command *command;
	size_t core = console->core;
	uint64_t from = session_position(console->session, core);

	shell->wish = SHELL_GO_ON;
	console->failed = false;
	console->went = false;
	if (args.n == 0 || args.p[0] == '#')
		return (struct shell_answer){.wish = SHELL_GO_ON};
	command = choose_command(console, (struct str){args.p, end}, out);
	session_interrupt(console->session, shell->options.interrupted, shell->options.context);
	if (command)
		console_run_one(command, console, str_trim(str_skip(args, end)), out);
	if (console->core != core || session_position(console->session, core) != from) {
		shell->has_moved = true;
		shell->from_core = core;
		shell->from = from;
		console->went = true;
	}
	if (console->went)
		shell_here(shell, out);
	session_interrupt(console->session, NULL, NULL);
	return (struct shell_answer){console->failed, shell->wish, shell->argument};
}
