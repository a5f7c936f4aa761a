/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: opening, printing, numbers. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MOST = 64 };

static volatile sig_atomic_t interrupt_seen;

static void on_interrupt(int signal_number)
{
	(void)signal_number;
	interrupt_seen = 1;
}

enum cli_exit cli_fail(enum cli_exit code, const char *format, ...)
{
	va_list args;

	(void)fputs("csreplay: error: ", stderr);
	va_start(args, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start() is right above */
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputc('\n', stderr);
	return code;
}

void cli_print_diags(const struct diag_list *diags)
{
	struct text line = {0};

	for (size_t i = 0; i < diags->count; i++) {
		text_clear(&line);
		diag_format(&diags->items[i], &line);
		(void)fprintf(stderr, "%s\n", line.data ? line.data : status_text(STATUS_NO_MEM));
	}
	if (diags->dropped > 0)
		(void)fprintf(stderr, "... and %zu more\n", diags->dropped);
	text_fini(&line);
}

enum cli_exit cli_flush(struct text *text)
{
	struct str s = text_str(text);

	if (text_status(text) != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	if (fwrite(s.p, 1, s.n, stdout) != s.n)
		return cli_fail(CLI_INTERNAL, "cannot write the output: %s", strerror(errno));
	text_clear(text);
	return CLI_FINE;
}

static enum cli_exit exit_of(enum status status)
{
	if (status == STATUS_OK)
		return CLI_FINE;
	if (status == STATUS_INTERRUPTED)
		return CLI_INTERRUPTED;
	if (status == STATUS_USAGE)
		return CLI_USAGE;
	if (status == STATUS_NO_MEM || status == STATUS_INTERNAL)
		return cli_fail(CLI_INTERNAL, "%s", status_text(status));
	return CLI_INPUT;
}

enum cli_exit cli_open_snapshot(const struct cli_args *args, struct snapshot **snapshot)
{
	struct snapshot_options options = {
	        .allow_outside = args->given[CLI_OPTION_ALLOW_OUTSIDE],
	        .images = args->images,
	        .image_count = args->image_count,
	};
	struct diag_list diags = {0};
	enum status status = snapshot_open(args->snapshot, &options, &diags, snapshot);

	cli_print_diags(&diags);
	diag_list_fini(&diags);
	return exit_of(status);
}

/* Shows how far the decoding is, on a terminal, and obeys Ctrl-C. */
static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	int *shown = context;
	int percent = total > 0 ? (int)((double)done / (double)total * 100.0) : 100;

	if (percent != *shown && isatty(STDERR_FILENO)) {
		(void)fprintf(stderr, "\rdecoding: %d %%\033[K", percent);
		*shown = percent;
	}
	return !interrupt_seen;
}

/* --threads, or one a processor. */
static enum cli_exit find_threads(const struct cli_args *args, unsigned int *threads)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t count = processors > 0 && processors <= THREADS_MOST ? (uint64_t)processors : 1;
	enum cli_exit code = cli_number(args, CLI_OPTION_THREADS, count, &count);

	if (code == CLI_FINE && (count < 1 || count > THREADS_MOST))
		return cli_fail(CLI_USAGE, "--threads %llu: expected 1 to %d",
		                (unsigned long long)count, THREADS_MOST);
	*threads = (unsigned int)count;
	return code;
}

enum cli_exit cli_open_session(const struct cli_args *args, const struct snapshot *snapshot,
                               struct session **session)
{
	struct sigaction action = {.sa_handler = on_interrupt};
	struct sigaction before;
	struct diag_list diags = {0};
	int shown = -1;
	struct history_options options = {.progress = show_progress, .context = &shown};
	enum cli_exit code = find_threads(args, &options.threads);
	enum status status;

	if (code != CLI_FINE)
		return code;
	(void)sigaction(SIGINT, &action, &before);
	status = session_open(snapshot, &options, &diags, session);
	(void)sigaction(SIGINT, &before, NULL);
	if (shown >= 0)
		(void)fputs("\r\033[K", stderr);
	if (status == STATUS_INTERRUPTED)
		(void)fputs("csreplay: interrupted while decoding\n", stderr);
	cli_print_diags(&diags);
	diag_list_fini(&diags);
	return exit_of(status);
}

enum cli_exit cli_format(const struct cli_args *args, const char *other, bool *json)
{
	struct str format = args->values[CLI_OPTION_FORMAT];

	*json = args->given[CLI_OPTION_FORMAT] && str_eq(format, STR("json"));
	if (args->given[CLI_OPTION_FORMAT] && !*json && !str_eq(format, str_of(other)))
		return cli_fail(CLI_USAGE, "%s has no format \"%.*s\"; it has %s and json",
		                args->command->name, STR_ARG(format), other);
	return CLI_FINE;
}

enum cli_exit cli_number(const struct cli_args *args, enum cli_option option, uint64_t otherwise,
                         uint64_t *value)
{
	struct str given = args->values[option];

	*value = otherwise;
	if (args->given[option] && str_to_u64(given, value) != STATUS_OK)
		return cli_fail(CLI_USAGE, "\"%.*s\" is not a number of 64 bits", STR_ARG(given));
	return CLI_FINE;
}
