/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an ELF file; its first 8 are not part of the file but a load address, if they are
 * not 0. Holds: it opens, or there is one error; every segment lies in the file, or is a copy of a
 * part of it, is not larger there than in memory and does not wrap, wherever it is moved. Lines of
 * an object have a file and a number.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "snapshot/source_lines.h"

static void check_image(const struct elf_image *image)
{
	uint8_t sum = 0;

	FUZZ_CHECK(image->segment_count > 0);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *s = &image->segments[i];

		FUZZ_CHECK(s->memory_size > 0 && s->file_size <= s->memory_size);
		FUZZ_CHECK(s->address + (s->memory_size - 1) >= s->address);
		FUZZ_CHECK(s->file_size <= (uint64_t)(image->file.end - image->file.begin));
		if (!image->is_object) {
			FUZZ_CHECK(s->data >= image->file.begin);
			FUZZ_CHECK(s->file_size <= (uint64_t)(image->file.end - s->data));
		}
		for (uint64_t k = 0; k < s->file_size; k++)
			sum = (uint8_t)(sum + s->data[k]);
	}
	(void)sum;
}

/* An object's line table is relocated; no other file is looked for. */
static void read_lines(struct elf_image *image)
{
	struct source_lines *lines;
	struct source_line line;

	if (!image->is_object)
		return;
	lines = source_lines_open(&image, 1, STR(""));
	for (size_t i = 0; i < image->segment_count; i++) {
		if (source_lines_find(lines, image->segments[i].address, &line))
			FUZZ_CHECK(line.line > 0 && strlen(line.file) > 0);
	}
	source_lines_close(lines);
}

static void open_image(const char *path, const uint64_t *load_address, uint64_t bias)
{
	struct diag_list diags = {0};
	struct elf_image *image = NULL;
	enum status status = elf_image_open(path, load_address, place_none(), &diags, &image);

	FUZZ_CHECK((status == STATUS_OK) == (image != NULL));
	FUZZ_CHECK(diags.errors == (status == STATUS_OK ? 0 : 1));
	if (image) {
		check_image(image);
		read_lines(image);
		(void)!elf_image_move(image, bias);
		check_image(image);
	}
	elf_image_close(image);
	diag_list_fini(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = bytes_of(data, size);
	uint64_t load_address = fuzz_number(&in, 8);
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, in.pos, bytes_left(&in)) == (ssize_t)bytes_left(&in));
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	open_image(path, load_address != 0 ? &load_address : NULL, ~load_address);
	close(fd);
	return 0;
}
