/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay shell`: a session without a debugger (shell/shell.h). Lines come from the user's
 * terminal, with a prompt, or from --command or another standard input, which end with the first
 * command that fails.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/line_edit.h"
#include "console/state_folder.h"
#include "shell/shell.h"

enum { SOURCES_MOST = 16 /* files that name each other */ };

static bool is_interrupted(void *context)
{
	(void)context;
	return cli_interrupt_seen != 0;
}

/* A shell, and where its lines come from. */
struct reader {
	struct shell *shell;
	bool is_terminal;
	bool leaves;        /* no more lines */
	unsigned int depth; /* of files that are run */
	struct text out;
};

static enum cli_exit run_line(struct reader *r, struct str line);

/* Of a terminal whose text may be paged; 0: it has no height. */
static size_t terminal_rows(void)
{
	struct winsize size = {0};

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

static bool is_long(const struct text *text)
{
	size_t rows = terminal_rows();
	size_t lines = 0;

	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	return rows > 0 && lines >= rows;
}

/* What shows long texts: $PAGER, or less if that is there. Empty: nothing. */
static const char *pager(void)
{
	const char *named = getenv("PAGER");

	if (named)
		return named;
	/* NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): the text is ours */
	return system("command -v less >/dev/null 2>&1") == 0 ? "less -FRX" : "";
}

/* False if there is no pager, and nothing is printed. */
static bool print_paged(const struct text *text)
{
	const char *command = pager();
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	FILE *pipe;

	if (command[0] == '\0')
		return false;
	(void)fflush(stdout);
	/* NOLINTNEXTLINE(cert-env33-c): the user's own program */
	pipe = popen(command, "we");
	if (!pipe)
		return false;
	/* The user may have seen enough before the end. */
	(void)sigaction(SIGPIPE, &ignore, &before);
	(void)fwrite(text->data, 1, text->length, pipe);
	(void)pclose(pipe);
	(void)sigaction(SIGPIPE, &before, NULL);
	cli_interrupt_seen = 0;
	return true;
}

/* A script's reason to end is for standard error; a user sees all in one place. */
static enum cli_exit print_answer(struct reader *r, bool failed)
{
	if (!r->is_terminal && failed) {
		(void)fprintf(stderr, "csreplay: error: %.*s", STR_ARG(text_str(&r->out)));
		return CLI_INPUT;
	}
	if (r->is_terminal && is_long(&r->out) && text_status(&r->out) == STATUS_OK &&
	    cli_check_files() == CLI_FINE && print_paged(&r->out))
		return CLI_FINE;
	return cli_flush(&r->out);
}

/* Says it; a user is asked on, a script ends. */
static enum cli_exit fail(const struct reader *r, const char *what, const char *why)
{
	enum cli_exit code = cli_fail(CLI_INPUT, "%s: %s", what, why);

	return r->is_terminal ? CLI_FINE : code;
}

static enum cli_exit run_program(const struct reader *r, const char *command)
{
	int status;

	(void)fflush(stdout);
	/* NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): what the user asks for */
	status = system(command);
	if (r->is_terminal && WIFSIGNALED(status))
		(void)putchar('\n'); /* after the terminal's ^C */
	if (status == 0 || r->is_terminal)
		return CLI_FINE;
	return cli_fail(CLI_INPUT, "%s: ended with %d", command,
	                WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Until the end, `quit`, or a command that fails. */
static enum cli_exit run_lines(struct reader *r, FILE *in)
{
	char *line = NULL;
	size_t capacity = 0;
	enum cli_exit code = CLI_FINE;

	while (code == CLI_FINE && !r->leaves && getline(&line, &capacity, in) >= 0)
		code = run_line(r, str_of(line));
	free(line);
	return code == CLI_FINE && cli_interrupt_seen ? CLI_INTERRUPTED : code;
}

static enum cli_exit run_source(struct reader *r, const char *path)
{
	bool is_terminal = r->is_terminal;
	enum cli_exit code;
	FILE *in;

	if (r->depth == SOURCES_MOST)
		return fail(r, path, "files that run each other, too many");
	in = fopen(path, "re");
	if (!in)
		return fail(r, path, strerror(errno));
	r->depth++;
	r->is_terminal = false;
	code = run_lines(r, in);
	r->is_terminal = is_terminal;
	r->depth--;
	(void)fclose(in);
	return is_terminal && (code == CLI_INPUT || code == CLI_INTERRUPTED) ? CLI_FINE : code;
}

/* What a command wants done outside of the session. */
static enum cli_exit obey(struct reader *r, const struct shell_answer *answer)
{
	struct text argument = {0};
	enum cli_exit code = CLI_FINE;

	text_add(&argument, answer->argument);
	if (text_status(&argument) != STATUS_OK)
		code = cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	else if (answer->wish == SHELL_SOURCE)
		code = run_source(r, argument.data);
	else if (answer->wish == SHELL_PROGRAM)
		code = run_program(r, argument.data);
	else
		r->leaves = answer->wish == SHELL_QUIT;
	text_fini(&argument);
	return code;
}

static enum cli_exit run_line(struct reader *r, struct str line)
{
	struct shell_answer answer;
	enum cli_exit code;

	text_clear(&r->out);
	answer = shell_run(r->shell, line, &r->out);
	code = print_answer(r, answer.failed);
	if (code == CLI_FINE && cli_interrupt_seen && !r->is_terminal)
		return CLI_INTERRUPTED;
	return code == CLI_FINE && answer.wish != SHELL_GO_ON ? obey(r, &answer) : code;
}

/* "seek -10; registers" */
static enum cli_exit run_commands(struct reader *r, struct str commands)
{
	enum cli_exit code = CLI_FINE;

	while (code == CLI_FINE && !r->leaves && commands.n > 0) {
		struct str lines = str_next_part(&commands, ';');

		while (code == CLI_FINE && !r->leaves && lines.n > 0)
			code = run_line(r, str_next_part(&lines, '\n'));
	}
	return code;
}

static void ask(void *context, struct text *out)
{
	const struct reader *r = context;

	shell_prompt(r->shell, out);
}

static size_t complete(void *context, struct str line, line_edit_word *visit, void *words)
{
	const struct reader *r = context;

	return shell_complete(r->shell, line, visit, words);
}

/* Asks for lines until the user leaves; nothing in a line is the last one again, as in gdb. */
static enum cli_exit converse_by(struct reader *r, struct line_edit *edit)
{
	struct text last = {0};
	struct str line;
	enum cli_exit code = CLI_FINE;
	enum status status = STATUS_OK;

	while (code == CLI_FINE && !r->leaves && status != STATUS_END) {
		cli_interrupt_seen = 0;
		status = line_edit_read(edit, &line);
		if (status != STATUS_OK)
			continue;
		if (line.n > 0) {
			text_clear(&last);
			text_add(&last, line);
		}
		code = run_line(r, text_str(&last));
		if (cli_interrupt_seen)
			(void)putchar('\n'); /* after the terminal's ^C */
	}
	text_fini(&last);
	return code;
}

static enum cli_exit converse(struct reader *r)
{
	struct text history = {0};
	struct line_edit_options options = {
	        .prompt = ask, .complete = complete, .interrupted = is_interrupted, .context = r};
	struct line_edit *edit = NULL;
	enum cli_exit code;

	if (state_folder_make("", &history) == STATUS_OK) {
		text_puts(&history, "/shell_history");
		options.history = history.data;
	}
	if (line_edit_open(&options, &edit) != STATUS_OK) {
		code = cli_fail(CLI_INTERNAL, "the terminal cannot be used");
	} else {
		text_clear(&r->out);
		shell_greet(r->shell, &r->out);
		code = cli_flush(&r->out);
	}
	if (code == CLI_FINE)
		code = converse_by(r, edit);
	line_edit_close(edit);
	text_fini(&history);
	return code;
}

static bool wants_colour(void)
{
	const char *none = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!none || none[0] == '\0') && terminal &&
	       strcmp(terminal, "dumb") != 0;
}

static enum cli_exit run(const struct cli_args *args, struct session *session, void *context)
{
	struct sigaction action = {.sa_handler = cli_on_interrupt};
	struct sigaction before;
	struct reader r = {.shell = NULL};
	struct shell_options options = {.interrupted = is_interrupted};
	enum cli_exit code = cli_choose_core(args, session, &options.core);

	(void)context;
	if (code != CLI_FINE)
		return code;
	r.is_terminal =
	        !args->given[CLI_OPTION_COMMAND] && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	options.has_colour = r.is_terminal && wants_colour();
	/* What is written to a terminal goes on, and line_edit.c waits by what is never restarted;
	 * reading a script ends. */
	action.sa_flags = r.is_terminal ? SA_RESTART : 0;
	if (shell_open(session, &options, &r.shell) != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	(void)setlocale(LC_CTYPE, "");
	(void)sigaction(SIGINT, &action, &before);
	if (args->given[CLI_OPTION_COMMAND])
		code = run_commands(&r, args->values[CLI_OPTION_COMMAND]);
	else
		code = r.is_terminal ? converse(&r) : run_lines(&r, stdin);
	(void)sigaction(SIGINT, &before, NULL);
	shell_close(r.shell);
	text_fini(&r.out);
	return code;
}

enum cli_exit cmd_shell(const struct cli_args *args)
{
	return cli_with_session(args, run, NULL);
}
