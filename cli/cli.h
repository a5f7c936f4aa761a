/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: `csreplay COMMAND [OPTIONS] SNAPSHOT`. One table of commands, one of options;
 * help and parsing come from both. Results go to stdout, diagnostics to stderr.
 */
#ifndef CSREPLAY_CLI_CLI_H
#define CSREPLAY_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text.h"
#include "replay/session/session.h"
#include "snapshot/snapshot.h"

enum cli_exit {
	CLI_FINE = 0,
	CLI_INPUT = 1, /* the input has errors */
	CLI_USAGE = 2,
	CLI_INTERNAL = 3,
	CLI_INTERRUPTED = 130, /* Ctrl-C before there was a result; what shells use */
};

enum cli_option {
#define X(id, name, value, help) CLI_OPTION_##id,
#include "cli/options.def"
#undef X
	CLI_OPTIONS, /* how many */
};

/* In the options of a command: it takes two SNAPSHOT arguments, A and B. */
#define CLI_TAKES_TWO (UINT64_C(1) << 63)
/* It takes a SNAPSHOT and may have an ELF file, and after `--` another program's arguments. */
#define CLI_TAKES_ELF (UINT64_C(1) << 62)
_Static_assert(CLI_OPTIONS < 62, "options, CLI_TAKES_TWO and CLI_TAKES_ELF are bits of 64");

struct cli_args;

struct cli_command {
	const char *name;
	const char *summary; /* one line, lower case */
	const char *details; /* further help, or NULL; lines end in newlines */
	enum cli_exit (*run)(const struct cli_args *args);
	uint64_t options; /* bit (1 << CLI_OPTION_...) for each that it takes, or CLI_TAKES_... */
};

struct cli_args {
	const struct cli_command *command;
	bool given[CLI_OPTIONS];
	struct str values[CLI_OPTIONS]; /* valid if given and no flag */
	struct image_option *images;    /* --image, in order */
	size_t image_count;
	struct str *modules; /* --module, in order */
	size_t module_count;
	struct device_range *devices; /* --device, in order */
	size_t device_count;
	const char *snapshot; /* the SNAPSHOT argument */
	const char *second;   /* the second one, if the command takes two; or the ELF file */
	char **rest; /* what comes after `--`, if that is another program's; ends in NULL */
	char **argv; /* the command's name and all after it; ends in NULL */
};

/* Ctrl-C has come while cli_on_interrupt() was the handler of SIGINT. */
extern volatile sig_atomic_t cli_interrupt_seen;
void cli_on_interrupt(int signal_number);

/* Prints every diagnostic on stderr, and how many were dropped. */
void cli_print_diags(const struct diag_list *diags);

/* CLI_INPUT, and it is said, if a file that was opened is not what it was: what was made from it is
 * not shown. */
enum cli_exit cli_check_files(void);
/* Writes the text to stdout and empties it. CLI_INTERNAL if it had failed or cannot be written. */
enum cli_exit cli_flush(struct text *text);

/*
 * First of all: a standard stream that the caller closed is opened on /dev/null the wrong way
 * round, so that no other file gets its number and what is written to it fails.
 */
void cli_begin(void);

/*
 * Last of all: closes stdout. `code`, or CLI_INTERNAL if anything could not be written, which is
 * told once.
 */
enum cli_exit cli_end(enum cli_exit code);

/* Prints "csreplay: error: ..." on stderr and returns `code`. */
enum cli_exit cli_fail(enum cli_exit code, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * Opens a SNAPSHOT argument of any kind with --image, --allow-outside and --strict, with progress
 * on a terminal and Ctrl-C obeyed; input_open()'s statuses.
 */
MUST_USE enum status cli_open_input(const struct cli_args *args, const char *path,
                                    struct diag_list *diags, struct snapshot **snapshot);

/*
 * Opens args->snapshot with --image and --allow-outside and prints what is wrong with it.
 * CLI_FINE with *snapshot set, even if there were diagnostics that leave something to work with.
 */
enum cli_exit cli_open_snapshot(const struct cli_args *args, struct snapshot **snapshot);

/*
 * Opens a session on the snapshot with --threads, with progress on a terminal and Ctrl-C obeyed;
 * prints diagnostics.
 */
enum cli_exit cli_open_session(const struct cli_args *args, const struct snapshot *snapshot,
                               struct session **session);

/* The options turn the assumption on, one by one or by --trust. */
bool cli_assumes(const struct cli_args *args, enum assumption assumption);

/* What a command does with the session on its SNAPSHOT; `context` is its own. */
typedef enum cli_exit cli_use(const struct cli_args *args, struct session *session, void *context);

/* Opens args->snapshot and a session on it as the two above do, and closes them after `use`. */
enum cli_exit cli_with_session(const struct cli_args *args, cli_use *use, void *context);

/* A little-endian number in hexadecimal, all its digits. */
void cli_put_number(struct text *out, const uint8_t *bytes, size_t size);

/* --format: true in *json for "json", false for `other`; anything else is a usage error. */
enum cli_exit cli_format(const struct cli_args *args, const char *other, bool *json);

/* True for --format tarmac; a command that has it asks before cli_format(). */
bool cli_is_tarmac(const struct cli_args *args);

/* A numeric option, or `otherwise` if it was not given; a usage error if it is no number. */
enum cli_exit cli_number(const struct cli_args *args, enum cli_option option, uint64_t otherwise,
                         uint64_t *value);

/* Prints "csreplay: note: ..." on stderr. */
void cli_note(const char *format, ...) PRINTF_LIKE(1, 2);

/* A note, if nothing of the core's past can be reconstructed. */
void cli_note_trouble(const struct session *session, size_t core);

/*
 * CLI_INPUT if the core has no history because its trace cannot be decoded, which was said when the
 * session was opened; else CLI_FINE.
 */
enum cli_exit cli_history_exit(const struct session *session, size_t core);

/* The core of --core, or the first that has instructions, or the first. */
enum cli_exit cli_choose_core(const struct cli_args *args, const struct session *session,
                              size_t *core);

/* The commands; each in its own file. */
enum cli_exit cmd_serve(const struct cli_args *args);
enum cli_exit cmd_shell(const struct cli_args *args);
enum cli_exit cmd_gdb(const struct cli_args *args);
enum cli_exit cmd_lldb(const struct cli_args *args);
enum cli_exit cmd_info(const struct cli_args *args);
enum cli_exit cmd_check(const struct cli_args *args);
enum cli_exit cmd_decode(const struct cli_args *args);
enum cli_exit cmd_history(const struct cli_args *args);
enum cli_exit cmd_compare(const struct cli_args *args);
enum cli_exit cmd_export(const struct cli_args *args);
enum cli_exit cmd_state(const struct cli_args *args);
enum cli_exit cmd_calls(const struct cli_args *args);
enum cli_exit cmd_origin(const struct cli_args *args);
enum cli_exit cmd_last_write(const struct cli_args *args);
enum cli_exit cmd_writes(const struct cli_args *args);
enum cli_exit cmd_reads(const struct cli_args *args);
enum cli_exit cmd_values_of(const struct cli_args *args);
enum cli_exit cmd_why(const struct cli_args *args);

#endif
