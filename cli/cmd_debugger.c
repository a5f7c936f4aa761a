/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay gdb` and `csreplay lldb`: serves the snapshot on a socket in a folder of the user's
 * own and starts the debugger, whose terminal this is; Ctrl-C is the debugger's. Both end together,
 * with the debugger's exit status.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/debugger.h"
#include "cli/serve.h"
#include "stub/server.h"

enum { PATH_MOST = 90, SIGNAL_EXIT = 128, CANNOT_RUN = 127 };

/* Signals that end the server: the debugger has ended, or csreplay is to. */
static int open_wake(sigset_t *signals)
{
	struct sigaction child = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};

	(void)signal(SIGPIPE, SIG_IGN);
	/* What the terminal sends goes to both. */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	(void)sigaction(SIGCHLD, &child, NULL);
	(void)sigemptyset(signals);
	(void)sigaddset(signals, SIGCHLD);
	(void)sigaddset(signals, SIGTERM);
	(void)sigaddset(signals, SIGHUP);
	if (sigprocmask(SIG_BLOCK, signals, NULL) != 0)
		return -1;
	return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* In the child: the debugger, as if a shell had started it. */
static void become(const struct command_line *line, const sigset_t *signals)
{
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	(void)sigprocmask(SIG_UNBLOCK, signals, NULL);
	(void)execvp(line->words[0], line->words);
	(void)fprintf(stderr, "csreplay: error: cannot run %s: %s\n", line->words[0],
	              strerror(errno));
	_exit(CANNOT_RUN);
}

/* Waits for the debugger; one that is still there is told to end. */
static int end_of(pid_t child)
{
	int how = 0;

	if (waitpid(child, &how, WNOHANG) == 0) {
		(void)kill(child, SIGTERM);
		while (waitpid(child, &how, 0) < 0 && errno == EINTR)
			continue;
	}
	return WIFEXITED(how) ? WEXITSTATUS(how) : SIGNAL_EXIT + WTERMSIG(how);
}

static enum cli_exit start(const struct cli_args *args, struct session *session,
                           const struct transport *transport, const struct command_line *line)
{
	sigset_t signals;
	struct server_options options = {.wake_fd = open_wake(&signals)};
	enum status status;
	pid_t child;
	int code;

	if (options.wake_fd < 0)
		return cli_fail(CLI_INTERNAL, "cannot wait for signals: %s", strerror(errno));
	(void)fflush(NULL);
	child = fork();
	if (child == 0)
		become(line, &signals);
	if (child < 0) {
		(void)close(options.wake_fd);
		return cli_fail(CLI_INTERNAL, "cannot start %s: %s", line->words[0],
		                strerror(errno));
	}
	serve_confine(args, session, transport, true);
	status = server_run(session, transport, &options);
	code = end_of(child);
	(void)close(options.wake_fd);
	if (status != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "the server failed: %s", status_text(status));
	return (enum cli_exit)code;
}

/* A folder that only the user can look into. */
static enum cli_exit make_folder(struct text *folder)
{
	const char *places[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!places[i] || places[i][0] != '/' || strlen(places[i]) > PATH_MOST - 32)
			continue;
		text_clear(folder);
		text_printf(folder, "%s/csreplay-XXXXXX", places[i]);
		if (text_status(folder) == STATUS_OK && mkdtemp(folder->data))
			return CLI_FINE;
	}
	return cli_fail(CLI_INTERNAL, "cannot make a folder for the socket: %s", strerror(errno));
}

static enum cli_exit serve_and_start(const struct cli_args *args, struct session *session,
                                     const struct debugger *debugger, struct str folder)
{
	struct transport transport = {.listener = -1};
	struct diag_list diags = {0};
	struct command_line line = {0};
	struct text address = {0};
	enum cli_exit code;

	text_puts(&address, "unix:");
	text_add(&address, folder);
	text_puts(&address, "/socket");
	code = serve_report(&diags, transport_open(text_str(&address), &diags, &transport));
	if (code == CLI_FINE)
		code = debugger_command(debugger, args, session,
		                        str_skip(text_str(&address), strlen("unix:")), &line);
	if (code == CLI_FINE) {
		serve_introduce(session);
		code = start(args, session, &transport, &line);
	}
	transport_close(&transport);
	command_line_fini(&line);
	text_fini(&address);
	return code;
}

/* `context`: the debugger. */
static enum cli_exit debug(const struct cli_args *args, struct session *session, void *context)
{
	const struct debugger *debugger = *(const struct debugger *const *)context;
	struct text folder = {0};
	enum cli_exit code;

	if (args->given[CLI_OPTION_PRINT])
		return debugger_print(debugger, args, session);
	code = serve_check(session);
	if (code == CLI_FINE)
		code = make_folder(&folder);
	if (code == CLI_FINE) {
		code = serve_and_start(args, session, debugger, text_str(&folder));
		(void)rmdir(folder.data);
	}
	text_fini(&folder);
	return code;
}

static enum cli_exit run(const struct cli_args *args, const struct debugger *debugger)
{
	/* Before the trace is decoded, which may take a while. */
	enum cli_exit code = args->given[CLI_OPTION_PRINT] ? CLI_FINE : debugger_check(debugger);

	return code == CLI_FINE ? cli_with_session(args, debug, (void *)&debugger) : code;
}

enum cli_exit cmd_gdb(const struct cli_args *args)
{
	return run(args, &debugger_gdb);
}

enum cli_exit cmd_lldb(const struct cli_args *args)
{
	return run(args, &debugger_lldb);
}
