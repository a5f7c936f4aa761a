/* SPDX-License-Identifier: Apache-2.0 */
/* Options that are positions: --at, --from and --to, written as console/position.h says. */
#ifndef CSREPLAY_CLI_POSITION_ARGUMENT_H
#define CSREPLAY_CLI_POSITION_ARGUMENT_H

#include "cli/cli.h"

/*
 * The option's position of a core's history, or `otherwise` if it was not given. Relative ones
 * are from where the core is. CLI_USAGE, and it is said, if it is none.
 */
enum cli_exit cli_position(const struct cli_args *args, enum cli_option option,
                           struct session *session, size_t core, uint64_t otherwise,
                           uint64_t *position);

/* The same of a word that is the option's value, or a part of it. */
enum cli_exit cli_position_of(enum cli_option option, struct str word, struct session *session,
                              size_t core, uint64_t *position);

#endif
