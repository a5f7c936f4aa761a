/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an ELF core file. Holds: there are threads, or one error; every slice lies in the
 * file and is as long as what is read of it; mappings have names. Then as a snapshot of its own:
 * its cores have registers and memory of the file; build IDs of modules lie in their first pages.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "snapshot/elf_core/elf_core.h"
#include "snapshot/elf_image.h"
#include "snapshot/snapshot.h"

static void check_slice(const struct elf_image *image, const struct bytes *slice, size_t least)
{
	size_t size = bytes_left(slice);
	uint8_t sum = 0;

	if (size == 0)
		return;
	FUZZ_CHECK(size >= least);
	FUZZ_CHECK(slice->pos >= image->file.begin && slice->end <= image->file.end);
	for (const uint8_t *p = slice->pos; p < slice->end; p++)
		sum = (uint8_t)(sum + *p);
	(void)sum;
}

static void check_core(const struct elf_image *image, const struct elf_core *core)
{
	FUZZ_CHECK(core->thread_count > 0);
	for (size_t i = 0; i < core->thread_count; i++) {
		const struct elf_thread *thread = &core->threads[i];

		FUZZ_CHECK(bytes_left(&thread->general) == (core->is_64bit ? 272 : 72));
		check_slice(image, &thread->general, 72);
		check_slice(image, &thread->signal, 4);
		check_slice(image, &thread->fp, 520);
		check_slice(image, &thread->vfp, 260);
		check_slice(image, &thread->tls, 4);
		check_slice(image, &thread->pac, 16);
		check_slice(image, &thread->siginfo, 24);
	}
	for (size_t i = 0; i < core->mapping_count; i++)
		FUZZ_CHECK(core->mappings[i].path.p != NULL);
}

static void read_core(const uint8_t *data, size_t size)
{
	struct diag_list diags = {0};
	struct arena arena = {0};
	struct elf_image *image = NULL;
	struct elf_core_notes notes;
	struct elf_core core;
	enum status status = elf_image_open_bytes(bytes_of(data, size), STR("core"), place_none(),
	                                          &diags, &image);

	if (status == STATUS_OK && image->is_core) {
		notes = (struct elf_core_notes){image->notes, image->note_count, image->is_64bit,
		                                place_none()};
		status = elf_core_read(&notes, &arena, &diags, &core);
		if (status == STATUS_OK)
			check_core(image, &core);
	}
	elf_image_close(image);
	arena_fini(&arena);
	diag_list_fini(&diags);
}

static void open_snapshot(const char *path)
{
	struct diag_list diags = {0};
	struct snapshot *snapshot = NULL;
	enum status status = snapshot_open(path, NULL, &diags, &snapshot);

	FUZZ_CHECK((status == STATUS_OK) == (snapshot != NULL));
	FUZZ_CHECK(status == STATUS_OK || diags.errors > 0);
	for (size_t i = 0; snapshot && i < snapshot->core_count; i++) {
		const struct snap_device *device = snapshot->cores[i].device;
		uint64_t sum = 0;

		FUZZ_CHECK(device->register_count > 0 && snapshot->cores[i].memory);
		for (size_t j = 0; j < device->register_count; j++)
			sum += snap_register_value(&device->registers[j]);
		(void)sum;
	}
	for (size_t i = 0; snapshot && i < snapshot->module_count; i++) {
		const struct snap_module *module = &snapshot->modules[i];

		FUZZ_CHECK(bytes_left(&module->build_id) <= bytes_left(&module->header));
		FUZZ_CHECK(module->path.p != NULL);
	}
	if (snapshot)
		snapshot_check(snapshot, &diags);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	int fd;

	/* Others than core files are snapshots of other kinds, which have targets of their own. */
	if (size < 18 || memcmp(data, "\177ELF", 4) != 0)
		return 0;
	read_core(data, size);
	fd = memfd_create("core", 0);
	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	open_snapshot(path);
	(void)close(fd);
	return 0;
}
