/* SPDX-License-Identifier: Apache-2.0 */
/* See state_folder.h. */
#include "console/state_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

void state_folder(const char *below, struct text *path)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	/* A relative path in the environment is none. */
	if (state && state[0] == '/')
		text_printf(path, "%s/csreplay%s", state, below);
	else if (home && home[0] == '/')
		text_printf(path, "%s/.local/state/csreplay%s", home, below);
}

enum status state_folder_make(const char *below, struct text *path)
{
	state_folder(below, path);
	TRY(text_status(path));
	if (path->length == 0)
		return STATUS_UNSUPPORTED;
	for (size_t i = 1; i <= path->length; i++) {
		char c = path->data[i];
		int made;

		if (c != '/' && c != '\0')
			continue;
		path->data[i] = '\0';
		made = mkdir(path->data, 0700);
		path->data[i] = c;
		if (made != 0 && errno != EEXIST)
			return STATUS_IO;
	}
	return STATUS_OK;
}
