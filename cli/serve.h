/* SPDX-License-Identifier: Apache-2.0 */
/* What `serve` and the commands that start a debugger do before they serve (cmd_serve.c). */
#ifndef CSREPLAY_CLI_SERVE_H
#define CSREPLAY_CLI_SERVE_H

#include "cli/cli.h"
#include "stub/transport.h"

/* Checks images and that there is a core to serve, and says what is wrong. */
enum cli_exit serve_check(struct session *session);
/* Says on stderr what each core halted at, as far as that is known. */
void serve_introduce(struct session *session);

/* Prints the diagnostics, and what they mean for the command; frees them. */
enum cli_exit serve_report(struct diag_list *diags, enum status status);

/*
 * Gives up what a server does not need that has its snapshot (sandbox/sandbox.h): other files than
 * those of the snapshot, of images and of debug files, and the user's state folder; programs;
 * sockets. With `owns_folder` the folder of its socket is to be removed, too. What the kernel
 * refuses is noted.
 */
void serve_confine(const struct cli_args *args, const struct session *session,
                   const struct transport *transport, bool owns_folder);

#endif
