/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines of code: those of the example's program, moved ones, files that lie or have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot/source_lines.h"

enum { SET_LABEL = 0x400300, LINE = 134, SIZE_MOST = 1 << 20, FLIPS = 300 };

static struct elf_image *open_example(void)
{
	const char *source = getenv("CSREPLAY_SOURCE");
	struct diag_list diags = {0};
	struct elf_image *image = NULL;
	char path[4096];

	assert_non_null(source);
	(void)snprintf(path, sizeof(path), "%s/examples/sensorhub/sensorhub.elf", source);
	assert_int_equal(elf_image_open(path, NULL, place_none(), &diags, &image), STATUS_OK);
	diag_list_fini(&diags);
	return image;
}

static void lines_address_has_file_and_line(void **state)
{
	struct elf_image *image = open_example();
	struct source_lines *lines = source_lines_open(&image, 1, STR(""));
	struct source_line line;

	(void)state;
	assert_true(source_lines_find(lines, SET_LABEL, &line));
	assert_string_equal(line.file, "sensorhub.c");
	assert_int_equal(line.line, LINE);
	assert_false(source_lines_find(lines, 0x100, &line));
	assert_false(source_lines_find(lines, UINT64_MAX, &line));
	source_lines_close(lines);
	elf_image_close(image);
}

/* Both are closed: a sanitizer sees what is left of either. */
static void lines_of_several_images_are_found(void **state)
{
	struct elf_image *images[] = {open_example(), open_example()};
	struct source_lines *lines;
	struct source_line line;

	(void)state;
	assert_int_equal(elf_image_move(images[0], 0x10000000), STATUS_OK);
	assert_int_equal(elf_image_move(images[1], 0x20000000), STATUS_OK);
	lines = source_lines_open(images, 2, STR(""));
	for (uint64_t base = 0x10000000; base <= 0x20000000; base += 0x10000000) {
		assert_true(source_lines_find(lines, base + SET_LABEL, &line));
		assert_int_equal(line.line, LINE);
	}
	source_lines_close(lines);
	elf_image_close(images[0]);
	elf_image_close(images[1]);
}

static void lines_move_with_the_image(void **state)
{
	struct elf_image *image = open_example();
	struct source_lines *lines;
	struct source_line line;

	(void)state;
	assert_int_equal(elf_image_move(image, 0x10000000), STATUS_OK);
	lines = source_lines_open(&image, 1, STR(""));
	assert_true(source_lines_find(lines, 0x10000000 + SET_LABEL, &line));
	assert_int_equal(line.line, LINE);
	assert_false(source_lines_find(lines, SET_LABEL, &line));
	source_lines_close(lines);
	elf_image_close(image);
}

static void lines_of_no_image_are_none(void **state)
{
	struct source_lines *lines = source_lines_open(NULL, 0, STR(""));
	struct source_line line;

	(void)state;
	assert_false(source_lines_find(lines, SET_LABEL, &line));
	assert_false(source_lines_find(NULL, SET_LABEL, &line));
	source_lines_close(lines);
}

/* Nothing of a broken file may be read beyond its end; what it says may be nonsense. */
static void lines_of_a_broken_file_do_no_harm(void **state)
{
	struct elf_image *image = open_example();
	struct bytes whole = image->file;
	size_t size = bytes_left(&whole);
	uint8_t *copy = malloc(size);
	uint32_t random = 1;

	(void)state;
	assert_non_null(copy);
	assert_true(size < SIZE_MOST);
	for (unsigned int i = 0; i < FLIPS; i++) {
		struct source_lines *lines;
		struct source_line line;

		memcpy(copy, whole.pos, size);
		for (unsigned int k = 0; k < 8; k++) {
			random = random * 1664525 + 1013904223;
			copy[(random >> 4) % size] = (uint8_t)(random >> 24);
		}
		image->file = bytes_of(copy, i % 4 == 0 ? size - random % (size / 2) : size);
		lines = source_lines_open(&image, 1, STR(""));
		if (source_lines_find(lines, SET_LABEL, &line))
			assert_true(strlen(line.file) < SIZE_MOST);
		source_lines_close(lines);
	}
	image->file = whole;
	elf_image_close(image);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lines_address_has_file_and_line),
	        cmocka_unit_test(lines_of_several_images_are_found),
	        cmocka_unit_test(lines_move_with_the_image),
	        cmocka_unit_test(lines_of_no_image_are_none),
	        cmocka_unit_test(lines_of_a_broken_file_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
