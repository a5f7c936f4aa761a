/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of images: lines, each the argument of an --image, up to a line "%%"; what is after it is
 * the ELF file that all of them name. Holds: an argument is read, or the word that is wrong lies in
 * it; what was read lies in it too; a snapshot with those images opens, or there is an error; each
 * image that it has is as the argument says, and all bytes of its core's memory can be read.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/image_argument.h"
#include "fuzz.h"
#include "tests/support/memmap_regions.h"

enum { IMAGES_MOST = 8 };

/* One for the life of the process. */
static char folder[64];
static const char *const names[] = {"snapshot.ini", "cpu.ini"};
static const char *const texts[] = {
        "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\n",
        "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x1000\n"
        "SP(size:64)=0\nCPSR=0x3C5\n",
};

static void in_folder(unsigned int i, char path[128])
{
	FUZZ_CHECK(snprintf(path, 128, "%s/%s", folder, names[i]) < 128);
}

static void remove_folder(void)
{
	char path[128];

	for (unsigned int i = 0; i < 2; i++) {
		in_folder(i, path);
		(void)unlink(path);
	}
	(void)rmdir(folder);
}

static void make_folder(void)
{
	if (folder[0] != '\0')
		return;
	snprintf(folder, sizeof(folder), "%s/csreplay-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_CHECK(mkdtemp(folder));
	FUZZ_CHECK(atexit(remove_folder) == 0);
	for (unsigned int i = 0; i < 2; i++) {
		char path[128];
		FILE *file;

		in_folder(i, path);
		file = fopen(path, "wb");
		FUZZ_CHECK(file && fputs(texts[i], file) >= 0 && fclose(file) == 0);
	}
}

static bool is_within(struct str part, struct str whole)
{
	return part.p >= whole.p && part.n <= (size_t)(whole.p + whole.n - part.p);
}

/* True if the line is one image; its sections are the caller's in any case. */
static bool read_line(struct str line, struct image_option *image)
{
	struct str wrong = {NULL, 0};
	enum status status = image_argument_parse(line, image, &wrong);

	FUZZ_CHECK(is_within(image->path, line));
	for (size_t i = 0; i < image->section_count; i++)
		FUZZ_CHECK(is_within(image->sections[i].name, line) &&
		           image->sections[i].name.n > 0);
	FUZZ_CHECK(status == STATUS_OK || is_within(wrong, line));
	return status == STATUS_OK;
}

static size_t read_lines(struct str *rest, struct image_option *images)
{
	size_t count = 0;

	while (rest->n > 0) {
		size_t end = str_find(*rest, '\n');
		struct str line = {rest->p, end};
		struct image_option image = {.section_count = 0};

		*rest = str_skip(*rest, end + 1);
		if (str_eq(line, STR("%%")))
			break;
		if (line.n > 0 && read_line(line, &image) && count < IMAGES_MOST)
			images[count++] = image;
		else
			free(image.sections);
	}
	return count;
}

static void check_memory(const struct snapshot *snapshot)
{
	size_t count;
	struct mem_region *regions = memmap_regions(snapshot->cores[0].memory, &count);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		FUZZ_CHECK(regions[i].length > 0);
		FUZZ_CHECK(regions[i].address + (regions[i].length - 1) >= regions[i].address);
		for (uint64_t k = 0; regions[i].data && k < regions[i].length; k++)
			sum += regions[i].data[k];
	}
	free(regions);
	FUZZ_CHECK(sum <= UINT64_MAX - 1);
}

static void open_with(const struct image_option *images, size_t count)
{
	const struct snapshot_options options = {.images = images, .image_count = count};
	struct diag_list diags = {0};
	struct snapshot *snapshot = NULL;
	enum status status = snapshot_open(folder, &options, &diags, &snapshot);

	FUZZ_CHECK((status == STATUS_OK) == (snapshot != NULL));
	FUZZ_CHECK(status == STATUS_OK || diags.errors > 0);
	if (snapshot) {
		FUZZ_CHECK(snapshot->image_count <= count);
		for (size_t i = 0; i < snapshot->image_count; i++)
			FUZZ_CHECK(snapshot->images[i]->segment_count > 0);
		check_memory(snapshot);
		snapshot_check(snapshot, &diags);
	}
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = {size > 0 ? (const char *)data : "", size};
	struct image_option images[IMAGES_MOST];
	size_t count = read_lines(&rest, images);
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	make_folder();
	FUZZ_CHECK(fd >= 0 && write(fd, rest.p, rest.n) == (ssize_t)rest.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < count; i++)
		images[i].path = str_of(path);
	open_with(images, count);
	close(fd);
	for (size_t i = 0; i < count; i++)
		free(images[i].sections);
	return 0;
}
