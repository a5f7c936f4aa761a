/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay serve`: opens the snapshot, listens, serves debuggers until Ctrl-C, SIGTERM, SIGHUP or,
 * with --once, until the first of them leaves.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/serve.h"
#include "console/state_folder.h"
#include "sandbox/sandbox.h"
#include "stub/server.h"

enum { IDLE_MOST = 1000000 }; /* seconds */

/*
 * A descriptor that becomes readable when a signal asks the server to end, or -1 with errno. On
 * standard input Ctrl-C is gdb's: the terminal sends it to the server as well, which must not end.
 */
static int open_wake(bool stdio)
{
	sigset_t signals;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGHUP);
	if (stdio)
		(void)signal(SIGINT, SIG_IGN);
	else
		(void)sigaddset(&signals, SIGINT);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0)
		return -1;
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum cli_exit serve_report(struct diag_list *diags, enum status status)
{
	cli_print_diags(diags);
	diag_list_fini(diags);
	if (status == STATUS_OK)
		return CLI_FINE;
	return status == STATUS_USAGE ? CLI_USAGE : CLI_INPUT;
}

void serve_introduce(struct session *session)
{
	struct text line = {0};

	for (size_t i = 0; i < session_core_count(session); i++) {
		struct crash crash;

		if (!session_crash(session, i, &crash))
			continue;
		text_clear(&line);
		crash_format(&crash, &line);
		(void)fprintf(stderr, "%.*s: %s\n", STR_ARG(session_core(session, i)->device->name),
		              line.data ? line.data : crash.syndrome.what);
	}
	text_fini(&line);
}

enum cli_exit serve_check(struct session *session)
{
	struct diag_list diags = {0};

	if (session_be_quick(session) != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	return serve_report(&diags, server_check(session, &diags));
}

static void tell(void *context, const char *line)
{
	(void)context;
	(void)fprintf(stderr, "%s\n", line);
}

/* A line a packet, what is not printable as \xHH; `context` is the log. */
static void log_packet(void *context, bool is_sent, struct str bytes)
{
	FILE *log = context;
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	(void)fprintf(log, "%lld.%06ld %s ", (long long)now.tv_sec, now.tv_nsec / 1000,
	              is_sent ? "<-" : "->");
	for (size_t i = 0; i < bytes.n; i++) {
		unsigned int byte = (unsigned char)bytes.p[i];

		(void)(byte >= ' ' && byte < 0x7f ? fputc((int)byte, log)
		                                  : fprintf(log, "\\x%02x", byte));
	}
	(void)fputc('\n', log);
	(void)fflush(log);
}

/* The options that are about clients. */
static enum cli_exit set_options(const struct cli_args *args, struct server_options *options)
{
	uint64_t seconds = 0;

	options->tell = tell;
	if (args->given[CLI_OPTION_IDLE_TIMEOUT] &&
	    (str_to_u64(args->values[CLI_OPTION_IDLE_TIMEOUT], &seconds) != STATUS_OK ||
	     seconds == 0 || seconds > IDLE_MOST))
		return cli_fail(CLI_USAGE, "--idle-timeout takes 1 to %d seconds", IDLE_MOST);
	options->idle_seconds = (unsigned int)seconds;
	if (args->given[CLI_OPTION_LOG] && args->given[CLI_OPTION_VERBOSE])
		return cli_fail(CLI_USAGE, "--log says where packets are written, --verbose writes "
		                           "them to standard error: give one");
	options->log = args->given[CLI_OPTION_VERBOSE] ? log_packet : NULL;
	options->context = stderr;
	if (!args->given[CLI_OPTION_LOG])
		return CLI_FINE;
	options->context = fopen(args->values[CLI_OPTION_LOG].p, "we");
	if (!options->context)
		return cli_fail(CLI_INPUT, "cannot write %s: %s", args->values[CLI_OPTION_LOG].p,
		                strerror(errno));
	options->log = log_packet;
	return CLI_FINE;
}

/* The one of --log; --verbose writes to standard error, which stays. */
static void close_log(const struct server_options *options)
{
	if (options->log && options->context != stderr && fclose(options->context) != 0)
		cli_note("the log is not whole: %s", strerror(errno));
}

/* Rules of a sandbox, whose paths it owns. */
struct rules {
	struct sandbox_rule *all;
	size_t count;
	size_t capacity;
	bool failed; /* no memory for one */
};

static void add_rule(struct rules *rules, struct str path, unsigned int rights)
{
	char *copy;

	if (vec_reserve((void **)&rules->all, &rules->capacity, rules->count + 1,
	                sizeof(*rules->all)) != STATUS_OK ||
	    !(copy = strndup(path.p, path.n))) {
		rules->failed = true;
		return;
	}
	rules->all[rules->count++] = (struct sandbox_rule){copy, rights};
}

static void rules_fini(struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		free(rules->all[i].path);
	free(rules->all);
}

static bool is_folder(const char *path)
{
	struct stat what;

	return stat(path, &what) == 0 && S_ISDIR(what.st_mode);
}

/* What may be opened again: files of the snapshot, of images, and debug files. */
static void add_inputs(struct rules *rules, const struct cli_args *args,
                       const struct snapshot *snapshot)
{
	static const enum cli_option folders[] = {CLI_OPTION_SYSROOT, CLI_OPTION_DEBUG_DIR};
	struct str path = str_of(args->snapshot);
	bool is_in_folder = str_has_suffix_nocase(path, STR(".ini")) && !is_folder(path.p);

	add_rule(rules, is_in_folder ? str_folder(path) : path, SANDBOX_READ);
	for (size_t i = 0; i < snapshot->image_count; i++)
		add_rule(rules, str_folder(snapshot->images[i]->path), SANDBOX_READ);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (args->given[folders[i]])
			add_rule(rules, args->values[folders[i]], SANDBOX_READ);
	}
}

void serve_confine(const struct cli_args *args, const struct session *session,
                   const struct transport *transport, bool owns_folder)
{
	struct rules rules = {.count = 0};
	struct str socket_folder = str_folder(text_str(&transport->unix_path));
	struct text state = {0};
	enum status status;

	add_inputs(&rules, args, session_snapshot(session));
	/* Marks; a folder that is not there cannot be made below one that may be anything. */
	if (state_folder_make("", &state) == STATUS_OK)
		add_rule(&rules, text_str(&state), SANDBOX_READ | SANDBOX_WRITE);
	if (transport->unix_path.length > 0)
		add_rule(&rules, socket_folder, SANDBOX_REMOVE);
	if (transport->unix_path.length > 0 && owns_folder)
		add_rule(&rules, str_folder(socket_folder), SANDBOX_REMOVE);
	tzset(); /* reads a file */
	status = rules.failed ? STATUS_NO_MEM : sandbox_enter(rules.all, rules.count);
	if (status != STATUS_OK)
		cli_note("what the server does not need could not all be given up: %s",
		         status_text(status));
	rules_fini(&rules);
	text_fini(&state);
}

static enum cli_exit run_server(const struct cli_args *args, struct session *session,
                                const struct transport *transport)
{
	struct server_options options = {.once = args->given[CLI_OPTION_ONCE]};
	enum cli_exit code = set_options(args, &options);
	enum status status;

	if (code != CLI_FINE)
		return code;
	options.wake_fd = open_wake(transport->listener < 0);
	if (options.wake_fd < 0) {
		code = cli_fail(CLI_INTERNAL, "cannot wait for signals: %s", strerror(errno));
		close_log(&options);
		return code;
	}
	if (!transport->is_loopback)
		(void)fprintf(stderr,
		              "csreplay: warning: whoever can reach %s can read the snapshot\n",
		              transport->name.data);
	serve_introduce(session);
	serve_confine(args, session, transport, false);
	(void)fprintf(stderr, "listening on %s\n", transport->name.data);
	status = server_run(session, transport, &options);
	(void)close(options.wake_fd);
	close_log(&options);
	if (status != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "the server failed: %s", status_text(status));
	return CLI_FINE;
}

static enum cli_exit serve(const struct cli_args *args, struct session *session, void *context)
{
	struct str address = args->given[CLI_OPTION_LISTEN] ? args->values[CLI_OPTION_LISTEN]
	                                                    : STR("127.0.0.1:1234");
	struct transport transport = {.listener = -1};
	struct diag_list diags = {0};
	enum cli_exit code = serve_check(session);

	(void)context;
	if (code == CLI_FINE)
		code = serve_report(&diags, transport_open(address, &diags, &transport));
	if (code == CLI_FINE)
		code = run_server(args, session, &transport);
	transport_close(&transport);
	return code;
}

enum cli_exit cmd_serve(const struct cli_args *args)
{
	return cli_with_session(args, serve, NULL);
}
