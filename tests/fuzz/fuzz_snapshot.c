/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot's folder, from five files that the input holds one after the other with a line "%%"
 * between: snapshot.ini, cpu.ini, source.ini, trace.ini, data.bin. Holds: it opens, or there is an
 * error; what it then refers to is there (all bytes of registers, dumps, buffers and memory maps
 * can be read; sources and cores point into the snapshot); all of its trace is decoded.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz.h"
#include "replay/survey/survey.h"
#include "snapshot/snapshot.h"
#include "tests/support/memmap_regions.h"

enum { FILES = 5 };

static const char *const names[FILES] = {"snapshot.ini", "cpu.ini", "source.ini", "trace.ini",
                                         "data.bin"};

/* One for the life of the process. */
static char folder[64];

static void in_folder(const char *name, char path[128])
{
	FUZZ_CHECK(snprintf(path, 128, "%s/%s", folder, name) < 128);
}

static void remove_folder(void)
{
	char path[128];

	for (unsigned int i = 0; i < FILES; i++) {
		in_folder(names[i], path);
		(void)unlink(path);
	}
	(void)rmdir(folder);
}

static void make_folder(void)
{
	if (folder[0] != '\0')
		return;
	/* In memory where there is such a place: it is a hundred times as fast. */
	snprintf(folder, sizeof(folder), "%s/csreplay-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_CHECK(mkdtemp(folder));
	FUZZ_CHECK(atexit(remove_folder) == 0);
}

static void write_file(const char *name, struct str content)
{
	char path[128];
	FILE *file;

	in_folder(name, path);
	file = fopen(path, "wb");
	FUZZ_CHECK(file);
	FUZZ_CHECK(fwrite(content.p, 1, content.n, file) == content.n);
	FUZZ_CHECK(fclose(file) == 0);
}

/* What is before the next line "%%", which is cut off too. */
static struct str next_file(struct str *rest)
{
	struct str separator = STR("%%\n");

	for (size_t i = 0; i < rest->n; i++) {
		struct str file = {rest->p, i};

		if (!str_has_prefix(str_skip(*rest, i), separator))
			continue;
		*rest = str_skip(*rest, i + separator.n);
		return file;
	}
	separator = *rest;
	*rest = (struct str){"", 0};
	return separator;
}

static void check_bytes(const uint8_t *data, uint64_t size, uint64_t *sum)
{
	for (uint64_t i = 0; i < size; i++)
		*sum += data[i];
}

static void check_device(const struct snap_device *device, uint64_t *sum)
{
	for (size_t i = 0; i < device->register_count; i++) {
		const struct snap_register *reg = &device->registers[i];

		FUZZ_CHECK(reg->is_contested || snap_device_register(device, reg->name));
		check_bytes(reg->value, (reg->bits + 7) / 8, sum);
		*sum += snap_register_value(reg);
	}
	for (size_t i = 0; i < device->dump_count; i++)
		check_bytes(device->dumps[i].data, device->dumps[i].length, sum);
}

static void check_core(const struct snapshot *snapshot, const struct snap_core *core, uint64_t *sum)
{
	size_t count;
	struct mem_region *regions = memmap_regions(core->memory, &count);

	FUZZ_CHECK(core == &snapshot->cores[core->index]);
	for (size_t i = 0; i < count; i++) {
		FUZZ_CHECK(regions[i].length > 0);
		FUZZ_CHECK(regions[i].address + (regions[i].length - 1) >= regions[i].address);
		check_bytes(regions[i].data, regions[i].length, sum);
	}
	free(regions);
	for (size_t i = 0; i < core->source_count; i++) {
		size_t index = (size_t)(core->sources[i] - snapshot->sources);

		FUZZ_CHECK(index < snapshot->source_count);
	}
}

static void check_source(const struct snapshot *snapshot, const struct snap_source *source)
{
	uint8_t trace_id;

	FUZZ_CHECK(source->device);
	FUZZ_CHECK(!source->core || source->core == &snapshot->cores[source->core->index]);
	FUZZ_CHECK(!snap_source_trace_id(source, &trace_id) || trace_id < 0x80);
	for (size_t i = 0; i < source->buffer_count; i++)
		FUZZ_CHECK(source->buffers[i] < snapshot->buffer_count);
}

static void check_snapshot(const struct snapshot *snapshot)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->device_count; i++)
		check_device(&snapshot->devices[i], &sum);
	for (size_t i = 0; i < snapshot->core_count; i++)
		check_core(snapshot, &snapshot->cores[i], &sum);
	for (size_t i = 0; i < snapshot->source_count; i++)
		check_source(snapshot, &snapshot->sources[i]);
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		const struct bytes *data = &snapshot->buffers[i].data;

		check_bytes(data->pos, bytes_left(data), &sum);
	}
}

static void print_diags(const struct diag_list *diags)
{
	struct text text = {0};

	for (size_t i = 0; i < diags->count; i++)
		diag_format(&diags->items[i], &text);
	FUZZ_CHECK(text_status(&text) == STATUS_OK);
	text_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = {size > 0 ? (const char *)data : "", size};
	struct snapshot_options options = {0};
	struct diag_list diags = {0};
	struct snapshot *snapshot = NULL;
	enum status status;

	make_folder();
	for (unsigned int i = 0; i < FILES; i++)
		write_file(names[i], next_file(&rest));
	status = snapshot_open(folder, &options, &diags, &snapshot);
	FUZZ_CHECK((status == STATUS_OK) == (snapshot != NULL));
	FUZZ_CHECK(status == STATUS_OK || diags.errors > 0);
	if (snapshot) {
		check_snapshot(snapshot);
		snapshot_check(snapshot, &diags);
		status = survey_trace(snapshot, &diags);
		FUZZ_CHECK(status == STATUS_OK);
	}
	print_diags(&diags);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	return 0;
}
