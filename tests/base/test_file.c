/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files: what is there, and each thing that is no regular file. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

enum { PAGES = 6 };

struct fixture {
	char folder[64];
	char path[96];
	struct diag_list diags;
	struct file_map map;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->folder, "/tmp/csreplay-test-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof(f->path), "%s/file", f->folder);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	file_map_close(&f->map);
	diag_list_fini(&f->diags);
	(void)remove(f->path);
	(void)rmdir(f->folder);
	free(f);
	return 0;
}

static void write_file(const struct fixture *f, const char *data, size_t size)
{
	FILE *out = fopen(f->path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* The message is `before`, the quoted path, `after`. */
static void assert_refused(struct fixture *f, enum status status, const char *before,
                           const char *after)
{
	struct text want = {0};
	struct text got = {0};

	assert_int_equal(file_map_open(f->path, place_line(STR("a.ini"), 3), &f->diags, &f->map),
	                 status);
	assert_int_equal(f->diags.errors, 1);
	assert_null(f->map.data);
	diag_format(&f->diags.items[0], &got);
	text_printf(&want, "a.ini:3: error: %s\"%s\"%s", before, f->path, after);
	assert_string_equal(got.data, want.data);
	text_fini(&want);
	text_fini(&got);
}

static void file_content_is_mapped(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;
	uint64_t value = 0;

	write_file(f, "abc", 3);
	assert_int_equal(file_map_open(f->path, place_none(), &f->diags, &f->map), STATUS_OK);
	bytes = file_map_bytes(&f->map);
	assert_int_equal(bytes_left(&bytes), 3);
	assert_int_equal(bytes_le(&bytes, 3, &value), STATUS_OK);
	assert_int_equal(value, 0x636261);
	assert_int_equal(f->diags.count, 0);
	file_map_close(&f->map);
	assert_null(f->map.data);
	assert_int_equal(f->map.size, 0);
}

static void file_closed_is_mapped_no_more(void **state)
{
	struct fixture *f = *state;
	unsigned char pages[1];
	void *data;

	write_file(f, "abc", 3);
	assert_int_equal(file_map_open(f->path, place_none(), &f->diags, &f->map), STATUS_OK);
	data = f->map.data;
	assert_int_equal(mincore(data, 3, pages), 0);
	file_map_close(&f->map);
	assert_int_equal(mincore(data, 3, pages), -1);
}

static void file_empty_has_no_bytes(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;
	uint8_t byte;

	write_file(f, "", 0);
	assert_int_equal(file_map_open(f->path, place_none(), &f->diags, &f->map), STATUS_OK);
	bytes = file_map_bytes(&f->map);
	assert_int_equal(bytes_u8(&bytes, &byte), STATUS_END);
}

static void file_missing_is_not_found(void **state)
{
	assert_refused(*state, STATUS_NOT_FOUND, "cannot open ", ": No such file or directory");
}

static void file_that_is_a_folder_is_io(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(f->path, 0700), 0);
	assert_refused(f, STATUS_IO, "", " is not a regular file");
}

/* A FIFO without a writer would hold up a plain open() for ever. */
static void file_that_is_a_fifo_is_io(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkfifo(f->path, 0600), 0);
	assert_refused(f, STATUS_IO, "", " is not a regular file");
}

static void file_below_a_file_is_io(void **state)
{
	struct fixture *f = *state;
	char path[128];

	write_file(f, "abc", 3);
	snprintf(path, sizeof(path), "%s/x", f->path);
	assert_int_equal(file_map_open(path, place_none(), &f->diags, &f->map), STATUS_IO);
	assert_int_equal(f->diags.errors, 1);
}

static void file_close_of_zeroed_map_is_fine(void **state)
{
	struct fixture *f = *state;

	file_map_close(&f->map);
	assert_null(f->map.data);
}

/* Of private pages that were written, those that are forgotten have the file's bytes again. */
static void file_forget_gives_whole_pages_back(void **state)
{
	/* From a page and a byte after its start, to another. */
	static const struct {
		unsigned int page[2];
		int byte[2];
		size_t first; /* of the pages that are given back */
		size_t after;
	} cases[] = {
	        {{0, 4}, {0, 0}, 0, 4},  {{0, 4}, {0, -1}, 0, 3}, {{0, 4}, {1, 0}, 1, 4},
	        {{0, 4}, {9, 1}, 1, 4},  {{1, 2}, {0, 0}, 1, 2},  {{1, 3}, {-1, 1}, 1, 3},
	        {{1, 3}, {1, -1}, 0, 0}, {{1, 1}, {-1, 1}, 0, 0}, {{0, 0}, {10, 20}, 0, 0},
	        {{0, 0}, {0, 0}, 0, 0},
	};
	struct fixture *f = *state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = PAGES * page;
	char *content = malloc(size);

	assert_non_null(content);
	memset(content, 'f', size);
	write_file(f, content, size);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = open(f->path, O_RDONLY | O_CLOEXEC);
		char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		size_t begin = cases[i].page[0] * page + (size_t)cases[i].byte[0];
		size_t end = cases[i].page[1] * page + (size_t)cases[i].byte[1];

		assert_ptr_not_equal(map, MAP_FAILED);
		(void)close(fd);
		memset(map, 'w', size);
		file_forget(bytes_of(map + begin, end - begin));
		for (size_t k = 0; k < size; k++) {
			bool is_back = k / page >= cases[i].first && k / page < cases[i].after;

			if (map[k] != (is_back ? 'f' : 'w'))
				fail_msg("case %zu: byte %zu is '%c'", i, k, map[k]);
		}
		assert_int_equal(munmap(map, size), 0);
	}
	free(content);
}

/* Where standard input is closed a file may get its number. */
static void file_of_descriptor_0_is_one_as_well(void **state)
{
	struct fixture *f = *state;
	int input = dup(STDIN_FILENO);

	write_file(f, "abc", 3);
	(void)close(STDIN_FILENO);
	assert_int_equal(file_map_open(f->path, place_none(), &f->diags, &f->map), STATUS_OK);
	assert_int_equal(f->map.size, 3);
	if (input >= 0) {
		assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
		(void)close(input);
	}
}

/* As many as there may be descriptors, and more: each is closed after its mapping. */
static void file_descriptors_are_given_back(void **state)
{
	struct fixture *f = *state;
	int before = dup(STDERR_FILENO);
	int after;

	write_file(f, "abc", 3);
	assert_int_equal(close(before), 0);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(file_map_open(f->path, place_none(), &f->diags, &f->map),
		                 STATUS_OK);
		file_map_close(&f->map);
	}
	assert_int_equal(file_map_open(f->folder, place_none(), &f->diags, &f->map), STATUS_IO);
	after = dup(STDERR_FILENO);
	assert_int_equal(after, before);
	assert_int_equal(close(after), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        CASE(file_content_is_mapped),
	        CASE(file_closed_is_mapped_no_more),
	        CASE(file_empty_has_no_bytes),
	        CASE(file_missing_is_not_found),
	        CASE(file_that_is_a_folder_is_io),
	        CASE(file_that_is_a_fifo_is_io),
	        CASE(file_below_a_file_is_io),
	        CASE(file_close_of_zeroed_map_is_fine),
	        CASE(file_forget_gives_whole_pages_back),
	        CASE(file_of_descriptor_0_is_one_as_well),
	        CASE(file_descriptors_are_given_back),
	};
#undef CASE

	return cmocka_run_group_tests(tests, NULL, NULL);
}
