/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: opening, printing, numbers. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_watch.h"
#include "replay/tarmac/tarmac.h"
#include "snapshot/linux_kernel/module_image.h"

enum { THREADS_MOST = 64 };

volatile sig_atomic_t cli_interrupt_seen;
static bool write_error_told;
static bool change_told;

void cli_on_interrupt(int signal_number)
{
	(void)signal_number;
	cli_interrupt_seen = 1;
}

/* A line on stderr that begins with what it is. */
static void print_line(const char *what, const char *format, va_list args) PRINTF_LIKE(2, 0);

static void print_line(const char *what, const char *format, va_list args)
{
	(void)fprintf(stderr, "csreplay: %s: ", what);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the caller began it */
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
}

enum cli_exit cli_fail(enum cli_exit code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("error", format, args);
	va_end(args);
	return code;
}

void cli_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("note", format, args);
	va_end(args);
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

/* Once a process: what comes after the first is the same again. */
static enum cli_exit tell_write_error(int error)
{
	if (!write_error_told)
		(void)cli_fail(CLI_INTERNAL, "cannot write the output: %s", strerror(error));
	write_error_told = true;
	return CLI_INTERNAL;
}

enum cli_exit cli_check_files(void)
{
	struct text what = {0};
	bool is_changed = file_watch_changed(&what);

	if (is_changed && !change_told)
		(void)cli_fail(CLI_INPUT, "%s",
		               text_status(&what) == STATUS_OK ? what.data : "a file changed");
	change_told = is_changed;
	text_fini(&what);
	return is_changed ? CLI_INPUT : CLI_FINE;
}

enum cli_exit cli_flush(struct text *text)
{
	struct str s = text_str(text);

	if (text_status(text) != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	if (cli_check_files() != CLI_FINE)
		return CLI_INPUT;
	/* What stdio keeps back would be lost in silence at the end. */
	if (fwrite(s.p, 1, s.n, stdout) != s.n || fflush(stdout) != 0)
		return tell_write_error(errno);
	text_clear(text);
	return CLI_FINE;
}

void cli_begin(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};

	file_watch_catch_faults();

	/* open() takes the lowest that is free, and these are looked at in order. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", modes[fd]);
	}
}

enum cli_exit cli_end(enum cli_exit code)
{
	bool failed_before = ferror(stdout) != 0;

	errno = 0;
	if ((fclose(stdout) != 0 || failed_before) && !write_error_told)
		return tell_write_error(errno != 0 ? errno : EIO);
	return write_error_told ? CLI_INTERNAL : code;
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

/* While something long is done: progress, and Ctrl-C that ends it. */
struct long_work {
	struct sigaction before;
	int shown;     /* percent; -1: none yet */
	bool is_shown; /* on a terminal */
};

/* Shows how far the decoding is, on a terminal, and obeys Ctrl-C. */
static bool show_progress(void *context, uint64_t done, uint64_t total)
{
	struct long_work *work = context;
	int percent = total > 0 ? (int)((double)done / (double)total * 100.0) : 100;

	if (work->is_shown && percent != work->shown) {
		(void)fprintf(stderr, "\rdecoding: %d %%\033[K", percent);
		work->shown = percent;
	}
	return !cli_interrupt_seen;
}

static void begin_work(struct long_work *work)
{
	struct sigaction action = {.sa_handler = cli_on_interrupt};

	work->shown = -1;
	work->is_shown = isatty(STDERR_FILENO) != 0;
	(void)sigaction(SIGINT, &action, &work->before);
}

static void end_work(const struct long_work *work, enum status status)
{
	(void)sigaction(SIGINT, &work->before, NULL);
	if (work->shown >= 0)
		(void)fputs("\r\033[K", stderr);
	if (status == STATUS_INTERRUPTED)
		(void)fputs("csreplay: interrupted while decoding\n", stderr);
}

/* FILE[@THREAD]; an '@' that no number follows belongs to the name. */
static void set_core_dump(const struct cli_args *args, struct snapshot_options *options)
{
	struct str value = args->values[CLI_OPTION_CORE_DUMP];

	if (!args->given[CLI_OPTION_CORE_DUMP])
		return;
	options->core_dump = value;
	for (size_t i = value.n; i-- > 1;) {
		if (value.p[i] != '@')
			continue;
		if (str_to_u64(str_skip(value, i + 1), &options->core_thread) == STATUS_OK) {
			options->core_dump.n = i;
			options->has_core_thread = true;
		}
		break;
	}
}

/* --contextidr, and --events */
static enum status set_events(const struct cli_args *args, struct snapshot_options *options)
{
	static const struct {
		const char *name;
		enum contextidr_form form;
	} forms[] = {{"pid", CONTEXTIDR_PID}, {"asid", CONTEXTIDR_ASID}, {"both", CONTEXTIDR_BOTH}};
	struct str form = args->values[CLI_OPTION_CONTEXTIDR];

	if (args->given[CLI_OPTION_EVENTS])
		options->events = args->values[CLI_OPTION_EVENTS];
	if (!args->given[CLI_OPTION_CONTEXTIDR])
		return STATUS_OK;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!str_eq(form, str_of(forms[i].name)))
			continue;
		options->contextidr = forms[i].form;
		return STATUS_OK;
	}
	(void)cli_fail(CLI_USAGE, "--contextidr \"%.*s\": expected pid, asid or both",
	               STR_ARG(form));
	return STATUS_USAGE;
}

/*
 * Opens the input again, with the files of --module where the kernel in its memory says that they
 * lie; what it was opened with is destroyed. What the first opening had to say is said by the
 * second.
 */
static enum status add_modules(const struct cli_args *args, const char *path,
                               struct input_options *options, struct diag_list *diags,
                               struct snapshot **snapshot)
{
	struct snapshot *first = *snapshot;
	size_t count = args->image_count + args->module_count;
	struct image_option *images = calloc(count, sizeof(*images));
	struct arena arena = {0};
	enum status status = images ? STATUS_OK : STATUS_NO_MEM;

	*snapshot = NULL;
	for (size_t i = 0; images && i < args->image_count; i++)
		images[i] = args->images[i];
	for (size_t i = 0; status == STATUS_OK && i < args->module_count; i++)
		status = module_image_place(first, args->modules[i], &arena, diags,
		                            &images[args->image_count + i]);
	snapshot_destroy(first);
	if (status == STATUS_OK) {
		options->snapshot.images = images;
		options->snapshot.image_count = count;
		status = input_open(path, options, diags, snapshot);
	}
	arena_fini(&arena);
	free(images);
	return status;
}

static enum status open_with_modules(const struct cli_args *args, const char *path,
                                     struct input_options *options, struct diag_list *diags,
                                     struct snapshot **snapshot)
{
	struct diag_list of_first = {0};
	enum status status = input_open(path, options, &of_first, snapshot);

	if (status == STATUS_OK)
		status = add_modules(args, path, options, diags, snapshot);
	else
		diag_list_move(diags, &of_first);
	diag_list_fini(&of_first);
	return status;
}

enum status cli_open_input(const struct cli_args *args, const char *path, struct diag_list *diags,
                           struct snapshot **snapshot)
{
	struct long_work work;
	struct input_options options = {
	        .snapshot = {.allow_outside = args->given[CLI_OPTION_ALLOW_OUTSIDE],
	                     .images = args->images,
	                     .image_count = args->image_count,
	                     .device_ranges = args->devices,
	                     .device_range_count = args->device_count},
	        .is_strict = args->given[CLI_OPTION_STRICT],
	        .history = {.progress = show_progress, .context = &work},
	};
	enum status status;

	TRY(set_events(args, &options.snapshot));
	set_core_dump(args, &options.snapshot);
	if (args->given[CLI_OPTION_SYSROOT])
		options.snapshot.sysroot = args->values[CLI_OPTION_SYSROOT];
	if (args->given[CLI_OPTION_DEBUG_DIR])
		options.snapshot.debug_folder = args->values[CLI_OPTION_DEBUG_DIR];
	begin_work(&work);
	if (args->module_count == 0)
		status = input_open(path, &options, diags, snapshot);
	else
		status = open_with_modules(args, path, &options, diags, snapshot);
	end_work(&work, status);
	return status;
}

enum cli_exit cli_open_snapshot(const struct cli_args *args, struct snapshot **snapshot)
{
	struct diag_list diags = {0};
	enum status status = cli_open_input(args, args->snapshot, &diags, snapshot);

	cli_print_diags(&diags);
	diag_list_fini(&diags);
	return exit_of(status);
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

/* Which option turns an assumption on; CLI_OPTIONS: none, since it is on. */
static const enum cli_option assumption_options[ASSUMPTIONS] = {
        [ASSUME_SINGLE_WRITER] = CLI_OPTION_SINGLE_WRITER,
        [ASSUME_HANDLER_PRESERVES] = CLI_OPTIONS,
        [ASSUME_ABI] = CLI_OPTION_ABI,
        [ASSUME_PRIVATE_LOCALS] = CLI_OPTION_PRIVATE_LOCALS,
        [ASSUME_KERNEL_PRIVATE] = CLI_OPTION_KERNEL_PRIVATE,
        [ASSUME_WAITING_TASKS] = CLI_OPTION_WAITING_TASKS,
        [ASSUME_COHERENT] = CLI_OPTION_COHERENT,
        [ASSUME_STACK_PRIVATE] = CLI_OPTION_STACK_PRIVATE,
        [ASSUME_TRACED_WRITERS] = CLI_OPTION_TRACED_WRITERS,
        [ASSUME_OWN_DUMPS] = CLI_OPTION_OWN_DUMPS,
        [ASSUME_CODE_UNCHANGED] = CLI_OPTIONS,
        [ASSUME_ONE_ADDRESS_SPACE] = CLI_OPTION_ONE_ADDRESS_SPACE,
};

static enum cli_exit check_trust(const struct cli_args *args)
{
	struct str level = args->values[CLI_OPTION_TRUST];

	if (!args->given[CLI_OPTION_TRUST] || str_eq(level, STR("proved")) ||
	    str_eq(level, STR("assumed")))
		return CLI_FINE;
	return cli_fail(CLI_USAGE, "--trust %.*s: expected proved or assumed", STR_ARG(level));
}

bool cli_assumes(const struct cli_args *args, enum assumption assumption)
{
	enum cli_option option = assumption_options[assumption];

	if (option != CLI_OPTIONS && args->given[option])
		return true;
	return assumption_is_of_code(assumption) && args->given[CLI_OPTION_TRUST] &&
	       str_eq(args->values[CLI_OPTION_TRUST], STR("assumed"));
}

enum cli_exit cli_open_session(const struct cli_args *args, const struct snapshot *snapshot,
                               struct session **session)
{
	struct diag_list diags = {0};
	struct long_work work;
	struct history_options options = {.progress = show_progress,
	                                  .context = &work,
	                                  .one_address_space =
	                                          args->given[CLI_OPTION_ONE_ADDRESS_SPACE]};
	enum cli_exit code = find_threads(args, &options.threads);
	enum status status;

	if (code == CLI_FINE)
		code = check_trust(args);
	if (code != CLI_FINE)
		return code;
	begin_work(&work);
	status = session_open(snapshot, &options, &diags, session);
	for (enum assumption i = 0; status == STATUS_OK && i < ASSUMPTIONS; i++) {
		/* What the histories were made with is in their options. */
		if (i != ASSUME_ONE_ADDRESS_SPACE && cli_assumes(args, i))
			status = session_assume(*session, i, true);
	}
	end_work(&work, status);
	cli_print_diags(&diags);
	if (status == STATUS_OK)
		cli_print_diags(session_facts(*session));
	diag_list_fini(&diags);
	return exit_of(status);
}

enum cli_exit cli_with_session(const struct cli_args *args, cli_use *use, void *context)
{
	struct snapshot *snapshot = NULL;
	struct session *session = NULL;
	enum cli_exit code = cli_open_snapshot(args, &snapshot);

	if (code == CLI_FINE)
		code = cli_open_session(args, snapshot, &session);
	if (code == CLI_FINE)
		code = use(args, session, context);
	session_destroy(session);
	snapshot_destroy(snapshot);
	return code;
}

void cli_put_number(struct text *out, const uint8_t *bytes, size_t size)
{
	while (size > 0)
		text_hex(out, bytes[--size], 2);
}

bool cli_is_tarmac(const struct cli_args *args)
{
	return args->given[CLI_OPTION_FORMAT] &&
	       str_eq(args->values[CLI_OPTION_FORMAT], STR("tarmac"));
}

enum cli_exit cli_format(const struct cli_args *args, const char *other, bool *json)
{
	struct str format = args->values[CLI_OPTION_FORMAT];
	bool writes_tarmac = (args->command->options & UINT64_C(1) << CLI_OPTION_DIALECT) != 0;

	*json = args->given[CLI_OPTION_FORMAT] && str_eq(format, STR("json"));
	if (args->given[CLI_OPTION_FORMAT] && !*json && !str_eq(format, str_of(other)))
		return cli_fail(CLI_USAGE, "%s has no format \"%.*s\"; it has %s%s and json",
		                args->command->name, STR_ARG(format), other,
		                writes_tarmac ? ", tarmac" : "");
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

void cli_note_trouble(const struct session *session, size_t core)
{
	struct text trouble = {0};

	session_trouble(session, core, &trouble);
	if (trouble.length > 0)
		cli_note("%s", trouble.data);
	text_fini(&trouble);
}

enum cli_exit cli_history_exit(const struct session *session, size_t core)
{
	const struct history *history = session_history(session, core);

	return history_length(history) == 0 && history_undecoded(history) > 0 ? CLI_INPUT
	                                                                      : CLI_FINE;
}

enum cli_exit cli_choose_core(const struct cli_args *args, const struct session *session,
                              size_t *core)
{
	struct str name = args->values[CLI_OPTION_CORE];
	size_t count = session_core_count(session);

	if (count == 0)
		return cli_fail(CLI_INPUT, "%s has no core", args->snapshot);
	for (*core = 0; *core < count; ++*core) {
		if (args->given[CLI_OPTION_CORE]
		            ? str_eq(session_core(session, *core)->device->name, name)
		            : history_length(session_history(session, *core)) > 0)
			return CLI_FINE;
	}
	*core = 0;
	if (args->given[CLI_OPTION_CORE])
		return cli_fail(CLI_USAGE, "%s has no core \"%.*s\"", args->snapshot,
		                STR_ARG(name));
	return CLI_FINE;
}
