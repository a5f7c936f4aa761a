/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The INI files of a snapshot: sections of KEY=VALUE lines, each with its line number. Read with
 * inih (ini.c is the only file that includes it). Snapshot format 1.0, section 3.
 *
 * Sections and keys are kept in the order of the file and may repeat; what may repeat is for
 * schema.h to say. A comment is a line that begins with ';' or '#', or such a sign after a blank.
 */
#ifndef CSREPLAY_SNAPSHOT_FILE_INI_H
#define CSREPLAY_SNAPSHOT_FILE_INI_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"

struct ini_entry {
	struct str key; /* such as "PC(size:64)" */
	struct str value;
	uint64_t line;
};

struct ini_section {
	struct str name;
	uint64_t line;
	struct ini_entry *entries;
	size_t entry_count;
};

struct ini_file {
	struct str name; /* for messages */
	struct ini_section *sections;
	size_t section_count;
};

/*
 * Parses `content`; everything in `file` lies in the arena. Lines that cannot be read are errors
 * in `diags` and are left out. Fails only with NO_MEM.
 */
MUST_USE enum status ini_load(struct arena *arena, struct str name, struct str content,
                              struct diag_list *diags, struct ini_file *file);

/*
 * The same for a file in which ":" may stand for "=". ini_load() accepts that too, but warns.
 */
MUST_USE enum status ini_load_either(struct arena *arena, struct str name, struct str content,
                                     struct diag_list *diags, struct ini_file *file);

/* The first entry called `key`, without regard to case, or NULL. */
const struct ini_entry *ini_section_find(const struct ini_section *section, struct str key);

/* The value of the first entry called `key`, without quotes around it; empty if there is none. */
struct str ini_section_value(const struct ini_section *section, struct str key);

/* `value` without the quotes around it. */
struct str ini_unquote(struct str value);

static inline struct place ini_place(const struct ini_file *file, uint64_t line)
{
	return place_line(file->name, line);
}

#endif
