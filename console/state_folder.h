/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's folder for what is kept from one session to the next: $XDG_STATE_HOME/csreplay, or
 * ~/.local/state/csreplay (XDG Base Directory Specification).
 */
#ifndef CSREPLAY_CONSOLE_STATE_FOLDER_H
#define CSREPLAY_CONSOLE_STATE_FOLDER_H

#include "base/status.h"
#include "base/text.h"

/* Appends the path with `below` after it, "" or such as "/marks"; nothing if there is no folder. */
void state_folder(const char *below, struct text *path);

/*
 * The same, and makes it and the folders above it as far as they are not there, for the user alone.
 * UNSUPPORTED if there is none to make, IO, NO_MEM.
 */
MUST_USE enum status state_folder_make(const char *below, struct text *path);

#endif
