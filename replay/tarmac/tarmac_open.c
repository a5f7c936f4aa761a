/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a Tarmac text as a snapshot, and telling it from snapshots of other kinds. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "replay/tarmac/tarmac_source.h"
#include "replay/tarmac/tarmac_store.h"

static void close_core(struct tarmac_core *core)
{
	history_destroy(core->history);
	word_log_fini(&core->registers);
	tarmac_system_fini(&core->system);
	word_log_fini(&core->patched);
	tarmac_code_fini(&core->code);
	tarmac_code_fini(&core->logged);
	tarmac_pages_fini(&core->pages);
	free(core->odd);
	free(core->marks);
	free(core->turns);
	free(core);
}

static void close_source(void *extension)
{
	struct tarmac_source *source = extension;

	for (size_t i = 0; i < source->core_count; i++)
		close_core(source->cores[i]);
	free(source->cores);
	free(source->turns);
	word_log_fini(&source->memory);
	tarmac_frames_fini(&source->frames);
	tarmac_close(source->reader);
	diag_list_fini(&source->unheard);
	file_map_close(&source->map);
	free(source->path);
	free(source);
}

static enum status open_text(struct tarmac_source *source, const struct input_options *options,
                             struct diag_list *diags, struct snapshot **snapshot)
{
	struct tarmac_options reading = {.file = str_of(source->path),
	                                 .is_strict = options->is_strict};
	enum status status;

	TRY(tarmac_open(file_map_bytes(&source->map), &reading, &source->unheard, &source->reader));
	status = tarmac_read(source, options->is_strict, &options->history, &options->snapshot,
	                     diags, snapshot);
	/* Lines are read again later, but what is said of them goes to the user once. */
	diag_list_move(diags, &source->unheard);
	return status;
}

/* Takes the map over. */
static enum status open_tarmac(const char *path, struct file_map *map,
                               const struct input_options *options, struct diag_list *diags,
                               struct snapshot **snapshot)
{
	struct tarmac_source *source = calloc(1, sizeof(*source));
	enum status status = STATUS_NO_MEM;

	if (!source)
		return STATUS_NO_MEM;
	if (options->snapshot.events.n > 0)
		diag_warning(
		        diags, place_file(str_of(path)),
		        "a Tarmac text says itself what was executed: the event log is not used");
	source->map = *map;
	*map = (struct file_map){0};
	source->path = strdup(path);
	if (source->path)
		status = open_text(source, options, diags, snapshot);
	if (status != STATUS_OK) {
		close_source(source);
		return status;
	}
	(*snapshot)->extension = source;
	(*snapshot)->destroy_extension = close_source;
	return STATUS_OK;
}

enum status input_open(const char *path, const struct input_options *options,
                       struct diag_list *diags, struct snapshot **snapshot)
{
	struct diag_list unheard = {0};
	struct file_map map = {0};
	enum tarmac_dialect dialect = TARMAC_DIALECT_NONE;
	struct stat info;
	enum status status;

	*snapshot = NULL;
	status = stat(path, &info) == 0 && S_ISREG(info.st_mode)
	                 ? file_map_open(path, place_none(), &unheard, &map)
	                 : STATUS_NOT_FOUND;
	if (status == STATUS_OK)
		status = tarmac_detect(file_map_bytes(&map), &dialect);
	if (dialect != TARMAC_DIALECT_NONE)
		status = open_tarmac(path, &map, options, diags, snapshot);
	else if (status != STATUS_NO_MEM)
		status = snapshot_open(path, &options->snapshot, diags, snapshot);
	file_map_close(&map);
	diag_list_fini(&unheard);
	return status;
}

static const struct tarmac_source *source_of(const struct snapshot *snapshot)
{
	return snapshot->destroy_extension == close_source ? snapshot->extension : NULL;
}

const struct tarmac_core *input_core(const struct snapshot *snapshot, size_t index)
{
	const struct tarmac_source *source = source_of(snapshot);

	return source && index < source->core_count ? source->cores[index] : NULL;
}
