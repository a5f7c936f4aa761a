/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of INI sections against the table schema.def. */
#include "snapshot/file/schema.h"

enum need {
	OPTIONAL,
	REQUIRED,
};

static const struct {
	const char *name;
	enum need need;
	const char *keys;
} sections[SCHEMA_SECTIONS] = {
#define SECTION(id, name, need, keys) {name, need, keys},
#include "snapshot/file/schema.def"
#undef SECTION
};

bool schema_is(enum schema_section id, const struct ini_section *section)
{
	struct str name = str_of(sections[id].name);

	if (name.n > 0 && name.p[name.n - 1] == '*')
		return str_has_prefix_nocase(section->name, (struct str){name.p, name.n - 1});
	return str_eq_nocase(section->name, name);
}

const struct ini_section *schema_find(enum schema_section id, const struct ini_file *file,
                                      struct diag_list *diags)
{
	const struct ini_section *found = NULL;

	for (size_t i = 0; i < file->section_count; i++) {
		const struct ini_section *section = &file->sections[i];

		if (!schema_is(id, section))
			continue;
		if (!found) {
			found = section;
			(void)schema_check_keys(id, file, section, diags);
			continue;
		}
		diag_warning(diags, ini_place(file, section->line),
		             "section [%.*s] is ignored: the first is in line %llu",
		             STR_ARG(section->name), (unsigned long long)found->line);
	}
	if (!found && sections[id].need == REQUIRED)
		(void)diag_error(diags, STATUS_BAD_DATA, place_file(file->name),
		                 "section [%s] is missing", sections[id].name);
	return found;
}

/* False if the key is required and missing; all but the first are reported. */
static bool check_key(struct str key, bool required, const struct ini_file *file,
                      const struct ini_section *section, struct diag_list *diags)
{
	const struct ini_entry *first = NULL;

	for (size_t i = 0; i < section->entry_count; i++) {
		const struct ini_entry *entry = &section->entries[i];

		if (!str_eq_nocase(entry->key, key))
			continue;
		if (!first)
			first = entry;
		else
			diag_warning(diags, ini_place(file, entry->line),
			             "key \"%.*s\" is ignored: the first is in line %llu",
			             STR_ARG(entry->key), (unsigned long long)first->line);
	}
	if (first || !required)
		return true;
	(void)diag_error(diags, STATUS_BAD_DATA, ini_place(file, section->line),
	                 "section [%.*s] has no key \"%.*s\"", STR_ARG(section->name),
	                 STR_ARG(key));
	return false;
}

static bool is_one_of(const enum schema_section *known, size_t count,
                      const struct ini_section *section)
{
	for (size_t i = 0; i < count; i++) {
		if (schema_is(known[i], section))
			return true;
	}
	return false;
}

void schema_check_sections(const enum schema_section *known, size_t count,
                           const struct ini_file *file, struct diag_list *diags)
{
	for (size_t i = 0; i < file->section_count; i++) {
		const struct ini_section *section = &file->sections[i];

		if (!is_one_of(known, count, section))
			diag_warning(diags, ini_place(file, section->line),
			             "section [%.*s] is ignored", STR_ARG(section->name));
	}
}

static bool is_known(enum schema_section id, struct str key)
{
	struct str rest = str_of(sections[id].keys);

	while (rest.p) {
		struct str known = str_next_part(&rest, ' ');

		if (str_has_prefix(known, STR("!")))
			known = str_skip(known, 1);
		if (str_eq(known, STR("*")) || str_eq_nocase(known, key))
			return true;
	}
	return false;
}

bool schema_check_keys(enum schema_section id, const struct ini_file *file,
                       const struct ini_section *section, struct diag_list *diags)
{
	struct str rest = str_of(sections[id].keys);
	bool complete = true;

	while (rest.p) {
		struct str key = str_next_part(&rest, ' ');
		bool required = str_has_prefix(key, STR("!"));

		if (str_eq(key, STR("*")))
			continue;
		if (required)
			key = str_skip(key, 1);
		if (!check_key(key, required, file, section, diags))
			complete = false;
	}
	for (size_t i = 0; i < section->entry_count; i++) {
		const struct ini_entry *entry = &section->entries[i];

		if (!is_known(id, entry->key))
			diag_warning(diags, ini_place(file, entry->line),
			             "section [%.*s]: unknown key \"%.*s\" is ignored",
			             STR_ARG(section->name), STR_ARG(entry->key));
	}
	return complete;
}
