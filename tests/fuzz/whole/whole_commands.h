/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as a whole in this process: the command lines that a damaged snapshot goes through,
 * `serve` among them. In: a snapshot's path, and bytes that damage what a debugger sends. Out: the
 * exit status; output goes nowhere. Standard input and output are this file's from the first call
 * on.
 */
#ifndef CSREPLAY_TESTS_FUZZ_WHOLE_COMMANDS_H
#define CSREPLAY_TESTS_FUZZ_WHOLE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* How many command lines there are; numbers below are theirs. */
size_t whole_commands(void);

/* It confines this process where the build has a sandbox: nothing runs after it. It is the last. */
bool whole_is_server(size_t number);

/* Begins: `scratch` is a folder for what is asked and for marks of the user, and outlives all runs.
 */
void whole_prepare(const char *scratch);

/* Removes what whole_prepare() made in its folder. */
void whole_clean(void);

/*
 * Runs the command line on the snapshot, with what is in `changes` (whole_packets.h) on standard
 * input, and returns its exit status; ends the process if that is not one of a sound program.
 */
int whole_run(size_t number, const char *snapshot, struct bytes changes);

#endif
