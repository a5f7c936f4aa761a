/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion scripts for shells, made from the tables of commands and options, so that they name
 * what there is and nothing else. What an option's value is follows from its name in the help: ELF
 * and FILE are files, DIR is a folder; words.def lists words.
 */
#ifndef CSREPLAY_CLI_COMPLETION_COMPLETION_H
#define CSREPLAY_CLI_COMPLETION_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct completion_option {
	const char *name;  /* without dashes */
	const char *value; /* as the help names it, or NULL for a flag */
	const char *help;
	bool repeats; /* may be given more than once */
};

struct completion_command {
	const char *name;
	const char *summary;
	uint64_t options; /* bit N: it takes options[N]; bits above option_count are ignored */
};

struct completion_tables {
	const struct completion_option *options;
	size_t option_count; /* at most 64 */
	const struct completion_command *commands;
	size_t command_count;
};

/*
 * Appends the script of `shell`, which is bash, zsh or fish; STATUS_UNSUPPORTED, and nothing, for
 * another. What `out` cannot hold is its text_status().
 */
MUST_USE enum status completion_write(const char *shell, const struct completion_tables *tables,
                                      struct text *out);

#endif
