/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for a test's files, and diagnostics as one text. Test code: it ends on any failure. */
#ifndef CSREPLAY_TESTS_SNAPSHOT_SCRATCH_H
#define CSREPLAY_TESTS_SNAPSHOT_SCRATCH_H

/* cmocka.h needs what is before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/text.h"

struct scratch {
	char folder[PATH_MAX / 2]; /* absolute, without symbolic links */
};

static inline void scratch_open(struct scratch *scratch)
{
	char name[] = "/tmp/csreplay-test-XXXXXX";
	char *real;

	assert_non_null(mkdtemp(name));
	real = realpath(name, NULL);
	assert_non_null(real);
	(void)snprintf(scratch->folder, sizeof(scratch->folder), "%s", real);
	free(real);
}

static inline const char *scratch_path(const struct scratch *scratch, const char *name,
                                       char path[PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%s/%s", scratch->folder, name);
	return path;
}

static inline void scratch_write(const struct scratch *scratch, const char *name, const void *data,
                                 size_t size)
{
	char path[PATH_MAX];
	FILE *file = fopen(scratch_path(scratch, name, path), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static inline void scratch_text(const struct scratch *scratch, const char *name, const char *text)
{
	scratch_write(scratch, name, text, strlen(text));
}

static inline int scratch_remove_one(const char *path, const struct stat *info, int kind,
                                     struct FTW *ftw)
{
	(void)info;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void scratch_close(struct scratch *scratch)
{
	assert_int_equal(
	        nftw(scratch->folder, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), 0);
}

/* All diagnostics, a line each, and empties the list. The caller frees the text. */
static inline char *diags_take(struct diag_list *diags)
{
	struct text text = {0};

	text_puts(&text, "");
	for (size_t i = 0; i < diags->count; i++) {
		diag_format(&diags->items[i], &text);
		text_char(&text, '\n');
	}
	assert_false(text.failed);
	diag_list_fini(diags);
	return text.data ? text.data : strdup("");
}

static inline void assert_diags(struct diag_list *diags, const char *expected)
{
	char *text = diags_take(diags);

	assert_string_equal(text, expected);
	free(text);
}

/* A generator with a fixed beginning, so that each run sees the same numbers. */
static inline uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

#endif
