/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which sections and keys the files of a snapshot have: one table (schema.def) and its checks.
 * Snapshot format 1.0, sections 3.1 to 3.3.
 */
#ifndef CSREPLAY_SNAPSHOT_FILE_SCHEMA_H
#define CSREPLAY_SNAPSHOT_FILE_SCHEMA_H

#include <stdbool.h>

#include "base/diag.h"
#include "snapshot/file/ini.h"

enum schema_section {
#define SECTION(id, name, need, keys) SCHEMA_##id,
#include "snapshot/file/schema.def"
#undef SECTION
	SCHEMA_SECTIONS, /* how many */
};

/* True if the section's name, without regard to case, is that of `id`. */
bool schema_is(enum schema_section id, const struct ini_section *section);

/*
 * The first section of the file that is an `id`, its keys checked, or NULL. A required section
 * that is missing is an error in `diags`, a second one a warning.
 */
const struct ini_section *schema_find(enum schema_section id, const struct ini_file *file,
                                      struct diag_list *diags);

/*
 * Required keys that are missing are errors in `diags`; keys given twice, and unknown ones where
 * the table is meant to be complete, are warnings. False if a required key is missing.
 */
bool schema_check_keys(enum schema_section id, const struct ini_file *file,
                       const struct ini_section *section, struct diag_list *diags);

/* A warning for each section that is none of the `count` kinds `known`. */
void schema_check_sections(const enum schema_section *known, size_t count,
                           const struct ini_file *file, struct diag_list *diags);

#endif
