/* SPDX-License-Identifier: Apache-2.0 */
/* What all who load a part of a snapshot need: arrays, .ini files, numbers of them. See load.h. */
#include "snapshot/load.h"

#include "snapshot/file/schema.h"

enum status load_array(struct loader *loader, size_t count, size_t size, void **items)
{
	if (count > SIZE_MAX / size)
		return STATUS_NO_MEM;
	*items = arena_alloc(loader->arena, count > 0 ? count * size : 1);
	return *items ? STATUS_OK : STATUS_NO_MEM;
}

enum status load_ini(struct loader *loader, struct str name, struct place place,
                     struct ini_file *file)
{
	struct bytes bytes;
	struct str content;

	TRY(snap_files_map(loader->files, name, place, loader->diags, &bytes, NULL));
	content = (struct str){(const char *)bytes.pos, bytes_left(&bytes)};
	return ini_load(loader->arena, name, content, loader->diags, file);
}

enum status load_number(struct loader *loader, const struct ini_file *file,
                        const struct ini_section *section, struct str key, uint64_t *value)
{
	const struct ini_entry *entry = ini_section_find(section, key);
	enum status status;

	if (!entry)
		return STATUS_OK;
	status = str_to_u64(ini_unquote(entry->value), value);
	if (status == STATUS_OK)
		return STATUS_OK;
	return diag_error(loader->diags, STATUS_BAD_DATA, ini_place(file, entry->line),
	                  "section [%.*s]: %.*s \"%.*s\" %s", STR_ARG(section->name), STR_ARG(key),
	                  STR_ARG(entry->value),
	                  status == STATUS_TRUNCATED ? "does not fit in 64 bits"
	                                             : "is not a number");
}
