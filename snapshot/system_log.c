/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a system event log and its images; see system_log.h and load.h. */
#include "snapshot/system_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "snapshot/load.h"

struct log_loader {
	struct loader *loader;
	struct system_log *log;
	const struct snapshot_options *options;
	struct snap_files *beside; /* files beside that of --events, or NULL */
};

/* The last part of a file's name. */
static struct str base_name(struct str name)
{
	struct str rest = name;
	struct str last = name;

	while (rest.p)
		last = str_next_part(&rest, '/');
	return last;
}

static struct str without_slashes(struct str name)
{
	while (str_has_prefix(name, STR("/")))
		name = str_skip(name, 1);
	return name;
}

/* The folder of `path`, without symbolic links, in the arena. */
static enum status folder_of(struct loader *loader, const char *path, struct str *folder)
{
	char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (!real && errno == ENOMEM)
		return STATUS_NO_MEM;
	if (!slash) {
		free(real);
		return STATUS_NOT_FOUND;
	}
	slash[slash == real ? 1 : 0] = '\0';
	*folder = arena_str(loader->arena, str_of(real));
	free(real);
	return folder->p ? STATUS_OK : STATUS_NO_MEM;
}

/* The file of --events. */
static enum status map_given(struct log_loader *l, struct bytes *content)
{
	struct snapshot_private *private = l->loader->snapshot->private;
	struct str path = arena_str(l->loader->arena, l->options->events);
	enum status status;

	if (!path.p)
		return STATUS_NO_MEM;
	l->log->path = path;
	status = file_map_open(path.p, place_none(), l->loader->diags, &private->events);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_USAGE;
	*content = file_map_bytes(&private->events);
	private->beside.arena = l->loader->arena;
	status = folder_of(l->loader, path.p, &private->beside.folder);
	if (status == STATUS_OK)
		l->beside = &private->beside;
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

static enum status map_log(struct log_loader *l, struct bytes *content)
{
	if (l->options->events.n > 0)
		return map_given(l, content);
	l->log->path = STR(SYSTEM_LOG_NAME);
	return snap_files_map(l->loader->files, STR(SYSTEM_LOG_NAME), place_none(),
	                      l->loader->diags, content, NULL);
}

/* The build ID in hexadecimal is what the message says, but for signs between the digits. */
static bool is_uuid(const struct elf_image *image, struct str uuid)
{
	static const char hex[] = "0123456789abcdef";
	struct bytes id = elf_image_build_id(image);
	size_t digits = 2 * bytes_left(&id);
	size_t at = 0;

	for (size_t i = 0; i < uuid.n; i++) {
		struct str digit = {uuid.p + i, 1};
		uint8_t byte;

		if (uuid.p[i] == '-' || uuid.p[i] == ' ' || uuid.p[i] == ':')
			continue;
		if (at == digits || bytes_peek(&id, at / 2, &byte) != STATUS_OK ||
		    !str_eq_nocase(digit, (struct str){&hex[byte >> (at % 2 ? 0 : 4) & 0xf], 1}))
			return false;
		at++;
	}
	return digits > 0 && at == digits;
}

/* An image of --image that nobody says where to put. */
static bool is_free(const struct image_option *option)
{
	return !option->has_load_address && option->section_count == 0 && !option->context.has_id &&
	       !option->context.has_vmid;
}

/* The image of --image that the message names, by its UUID or by its file's name; or NULL. */
static struct elf_image *find_given(const struct log_loader *l, const struct system_event *e)
{
	struct snapshot *snapshot = l->loader->snapshot;
	struct elf_image *found = NULL;

	for (size_t i = 0; i < l->options->image_count; i++) {
		struct elf_image *image = snapshot->images[i];

		if (!is_free(&l->options->images[i]))
			continue;
		if (is_uuid(image, e->uuid))
			return image;
		if (!found && e->image.n > 0 && str_eq(base_name(image->path), base_name(e->image)))
			found = image;
	}
	return found;
}

/* The file in the snapshot or beside the log, by its whole name or the last part of it. */
static enum status map_image(const struct log_loader *l, struct str name, struct bytes *file,
                             struct str *path)
{
	struct snap_files *const folders[] = {l->loader->files, l->beside};
	const struct str names[] = {without_slashes(name), base_name(name)};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		for (size_t j = 0; folders[i] && j < sizeof(names) / sizeof(names[0]); j++) {
			struct diag_list unheard = {0};
			enum status status = STATUS_NOT_FOUND;

			if (names[j].n > 0 && folders[i]->folder.n > 0)
				status = snap_files_map(folders[i], names[j], place_none(),
				                        &unheard, file, path);
			diag_list_fini(&unheard);
			if (status == STATUS_OK || status == STATUS_NO_MEM)
				return status;
		}
	}
	return STATUS_NOT_FOUND;
}

/* Opens what the message names: the file that was given, or one that is found. */
static enum status open_file(const struct log_loader *l, const struct system_event *e,
                             const struct elf_image *given, struct elf_image **image)
{
	struct diag_list *diags = l->loader->diags;
	struct bytes file;
	struct str path;
	enum status status;

	if (given)
		return elf_image_open_bytes(given->file, given->path, e->place, diags, image);
	status = map_image(l, e->image, &file, &path);
	if (status == STATUS_OK)
		return elf_image_open_bytes(file, path, e->place, diags, image);
	if (status == STATUS_NOT_FOUND)
		diag_warning(diags, e->place,
		             "%s: image \"%.*s\" is neither in the snapshot nor beside the log: "
		             "its code is missing; see --image",
		             system_event_name(e->kind), STR_ARG(e->image));
	return status;
}

/* The base address counts for images that can lie anywhere (5.5.2). */
static enum status place_image(const struct log_loader *l, const struct system_event *e,
                               struct elf_image *image)
{
	if (!image->is_movable || elf_image_move(image, e->address) == STATUS_OK)
		return STATUS_OK;
	return diag_error(l->loader->diags, STATUS_BAD_DATA, e->place,
	                  "%s: at 0x%llx image \"%.*s\" goes beyond the end of the address space",
	                  system_event_name(e->kind), (unsigned long long)e->address,
	                  STR_ARG(e->image));
}

/* Its code is that of another version. */
static bool is_other_version(const struct log_loader *l, const struct system_event *e,
                             const struct elf_image *image)
{
	struct bytes id = elf_image_build_id(image);

	if (e->uuid.n == 0 || bytes_left(&id) == 0 || is_uuid(image, e->uuid))
		return false;
	diag_warning(l->loader->diags, e->place,
	             "%s: image \"%.*s\" has another build ID than %.*s: it is left out",
	             system_event_name(e->kind), STR_ARG(image->path), STR_ARG(e->uuid));
	return true;
}

/* *image stays NULL if there is none to be used. NO_MEM. */
static enum status open_image(struct log_loader *l, const struct system_event *e,
                              struct elf_image **image)
{
	struct system_log *log = l->log;
	struct elf_image *given = find_given(l, e);
	enum status status;

	TRY(vec_reserve((void **)&log->images, &log->image_capacity, log->image_count + 1,
	                sizeof(struct elf_image *)));
	status = open_file(l, e, given, image);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	log->images[log->image_count++] = *image;
	if (is_other_version(l, e, *image) || place_image(l, e, *image) != STATUS_OK) {
		*image = NULL;
		return STATUS_OK;
	}
	/* Its symbols go along, and its code is where the log says alone. */
	if (given && !given->is_logged)
		given->is_logged =
		        !given->is_movable || elf_image_move(given, e->address) == STATUS_OK;
	return STATUS_OK;
}

static enum status add_image(struct log_loader *l, const struct logged_code *code)
{
	const struct system_event *e = code->event;
	struct elf_image *image = NULL;

	TRY(open_image(l, e, &image));
	for (size_t i = 0; image && i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];
		struct code_piece piece = {
		        .pid = e->pid,
		        .address = segment->address,
		        .last = segment->address + (segment->file_size - 1),
		        .states = code->states,
		        .data = segment->data,
		        .origin = image->path,
		        .is_initial = segment->writable,
		};

		if (segment->file_size > 0)
			TRY(code_pieces_add(&l->log->pieces, &piece,
			                    e->state == SYSTEM_EVENT_START));
	}
	return STATUS_OK;
}

static enum status add_patch(struct log_loader *l, const struct logged_code *code)
{
	const struct system_event *e = code->event;
	struct code_piece piece = {
	        .pid = e->pid,
	        .address = e->address,
	        .last = e->address + (e->length - 1),
	        .states = code->states,
	        .data = e->code == PATCHED_CODE_BYTES ? e->code_bytes.pos : NULL,
	        .origin = l->log->path,
	        .is_initial = true,
	        .is_patch = true,
	};

	return code_pieces_add(&l->log->pieces, &piece, true);
}

static int compare_code(const void *a, const void *b)
{
	const struct logged_code *x = a;
	const struct logged_code *y = b;

	if (x->states.first != y->states.first)
		return x->states.first < y->states.first ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* All code that the log names, by when it came. */
static enum status add_code(struct log_loader *l)
{
	const struct process_log *processes = &l->log->processes;
	struct logged_code *order;

	if (processes->code_count == 0)
		return STATUS_OK;
	TRY(load_array(l->loader, processes->code_count, sizeof(*order), (void **)&order));
	memcpy(order, processes->code, processes->code_count * sizeof(*order));
	qsort(order, processes->code_count, sizeof(*order), compare_code);
	for (size_t i = 0; i < processes->code_count; i++)
		TRY(order[i].event->kind == SYSTEM_EVENT_PATCH_CODE ? add_patch(l, &order[i])
		                                                    : add_image(l, &order[i]));
	return code_pieces_places(&l->log->pieces, processes->states, &l->log->places);
}

static int compare_pids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static enum status find_owners(struct log_loader *l)
{
	const struct snapshot *snapshot = l->loader->snapshot;
	struct system_log *log = l->log;
	size_t most = log->pieces.count + snapshot->mapped_images;
	size_t kept = 0;
	uint64_t pid;

	TRY(load_array(l->loader, most, sizeof(*log->owners), (void **)&log->owners));
	for (size_t i = 0; i < log->pieces.count; i++) {
		if (log->pieces.items[i].pid != 0)
			log->owners[log->owner_count++] = log->pieces.items[i].pid;
	}
	for (size_t i = 0; i < snapshot->mapped_images; i++) {
		const struct memory_context *context = &snapshot->images[i]->context;

		if (context->has_id && system_log_process(log, context->id, &pid) == STATUS_OK)
			log->owners[log->owner_count++] = pid;
	}
	qsort(log->owners, log->owner_count, sizeof(*log->owners), compare_pids);
	for (size_t i = 0; i < log->owner_count; i++) {
		if (kept == 0 || log->owners[kept - 1] != log->owners[i])
			log->owners[kept++] = log->owners[i];
	}
	log->owner_count = kept;
	return STATUS_OK;
}

enum status system_log_process(const struct system_log *log, uint32_t id, uint64_t *pid)
{
	struct state_range halt = {log->processes.states - 1, log->processes.states};

	return process_log_owner(&log->processes, log->form, id, halt, pid);
}

size_t system_log_owner(const struct system_log *log, uint64_t pid)
{
	size_t low = 0;
	size_t high = log->owner_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->owners[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->owner_count && log->owners[low] == pid ? low : log->owner_count;
}

enum status load_system_log(struct loader *loader, const struct snapshot_options *options)
{
	struct log_loader l = {.loader = loader, .options = options};
	struct bytes content;
	enum status status;

	if (options->events.n == 0 &&
	    !(loader->snapshot->is_trace_package && load_has_file(loader, SYSTEM_LOG_NAME)))
		return STATUS_OK;
	TRY(load_array(loader, 1, sizeof(*l.log), (void **)&l.log));
	status = map_log(&l, &content);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM || status == STATUS_USAGE ? status : STATUS_OK;
	l.log->form = options->contextidr;
	loader->snapshot->log = l.log;
	TRY(event_log_read(loader->arena, l.log->path,
	                   (struct str){(const char *)content.pos, bytes_left(&content)},
	                   loader->diags, &l.log->events));
	TRY(process_log_make(loader->arena, &l.log->events, &l.log->processes));
	TRY(add_code(&l));
	return find_owners(&l);
}

void load_system_log_fini(struct system_log *log)
{
	if (!log)
		return;
	code_pieces_fini(&log->pieces);
	code_places_fini(&log->places);
	for (size_t i = 0; i < log->image_count; i++)
		elf_image_close(log->images[i]);
	free(log->images);
}
