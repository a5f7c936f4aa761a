/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of files under their mappings: small ones stay, a change of large ones is seen. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

enum { SMALL = 100, LARGE = FILE_COPY_MOST + 1 };

struct fixture {
	char folder[64];
	char path[96];
	char other[96];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strcpy(f->folder, "/tmp/csreplay-test-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof(f->path), "%s/file", f->folder);
	snprintf(f->other, sizeof(f->other), "%s/other", f->folder);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	(void)remove(f->path);
	(void)remove(f->other);
	(void)rmdir(f->folder);
	free(f);
	return 0;
}

static void write_file(const char *path, char c, off_t size)
{
	FILE *out = fopen(path, "r+b");

	if (!out)
		out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(ftruncate(fileno(out), size), 0);
	assert_int_equal(fputc(c, out), c);
	assert_int_equal(fclose(out), 0);
}

static struct file_map open_file(const struct fixture *f)
{
	struct diag_list diags = {0};
	struct file_map map = {0};

	assert_int_equal(file_map_open(f->path, place_none(), &diags, &map), STATUS_OK);
	diag_list_fini(&diags);
	return map;
}

/* Ways in which a file changes under its mapping, each in a process: what changed stays so. */
static void cut(const struct fixture *f)
{
	assert_int_equal(truncate(f->path, 4096), 0);
}

static void overwrite(const struct fixture *f)
{
	(void)usleep(20000); /* times of files are told in steps of a few milliseconds */
	write_file(f->path, 'b', LARGE);
}

static void replace(const struct fixture *f)
{
	write_file(f->other, 'a', LARGE);
	assert_int_equal(rename(f->other, f->path), 0);
}

static void take_away(const struct fixture *f)
{
	assert_int_equal(remove(f->path), 0);
}

/* What a process ends with: 0 nothing changed, 1 the change was seen and named. */
static int look(const struct fixture *f, const struct file_map *map, off_t size)
{
	const volatile char *bytes = map->data;
	struct text what = {0};
	int sum = 0;

	for (size_t i = 0; i < map->size; i += 1024)
		sum += bytes[i];
	if (!file_watch_changed(&what))
		return sum == 'a' ? 0 : 2;
	return size == LARGE && strstr(what.data, f->path) && file_watch_changed(NULL) ? 1 : 3;
}

static int after(const struct fixture *f, off_t size, void (*change)(const struct fixture *))
{
	int status;
	pid_t child;

	write_file(f->path, 'a', size);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct file_map map = open_file(f);

		file_watch_catch_faults();
		if (look(f, &map, size) != 0)
			_exit(4);
		change(f);
		status = look(f, &map, size);
		file_map_close(&map);
		_exit(status == 1 && !file_watch_changed(NULL) ? 5 : status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void watch_small_file_stays_what_it_was(void **state)
{
	const struct fixture *f = *state;

	assert_int_equal(after(f, SMALL, cut), 0);
	assert_int_equal(after(f, SMALL, overwrite), 0);
	assert_int_equal(after(f, SMALL, replace), 0);
	assert_int_equal(after(f, SMALL, take_away), 0);
	assert_int_equal(after(f, FILE_COPY_MOST, cut), 0);
}

static void watch_change_of_a_large_file_is_seen(void **state)
{
	const struct fixture *f = *state;

	assert_int_equal(after(f, LARGE, cut), 1);
	assert_int_equal(after(f, LARGE, overwrite), 1);
	assert_int_equal(after(f, LARGE, replace), 1);
	assert_int_equal(after(f, LARGE, take_away), 1);
}

static void nothing(const struct fixture *f)
{
	(void)f;
}

static void watch_file_that_stays_is_no_change(void **state)
{
	const struct fixture *f = *state;

	assert_int_equal(after(f, SMALL, nothing), 0);
	assert_int_equal(after(f, LARGE, nothing), 0);
}

/* That it changed is known when it is closed, too. */
static void close_after_change(const struct fixture *f)
{
	struct file_map map = open_file(f);

	assert_int_equal(truncate(f->path, 4096), 0);
	file_map_close(&map);
	_exit(file_watch_changed(NULL) ? 6 : 7);
}

static void watch_change_before_the_end_of_a_mapping_is_seen(void **state)
{
	assert_int_equal(after(*state, LARGE, close_after_change), 6);
}

/* Copies are bounded together, and what is closed makes room. */
static void watch_copies_are_bounded(void **state)
{
	enum { MOST = FILE_COPIES_MOST / FILE_COPY_MOST };
	const struct fixture *f = *state;
	struct file_map maps[MOST + 1];

	write_file(f->path, 'a', FILE_COPY_MOST);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i <= MOST; i++) {
			maps[i] = open_file(f);
			assert_int_equal(maps[i].copied, i < MOST ? FILE_COPY_MOST : 0);
			assert_int_equal(maps[i].watch != NULL, i == MOST);
		}
		for (unsigned int i = 0; i <= MOST; i++)
			file_map_close(&maps[i]);
	}
	assert_false(file_watch_changed(NULL));
}

/* Pages of a copy that were forgotten come back. */
static void watch_forgotten_copy_comes_back(void **state)
{
	struct file_map map;

	write_file(((struct fixture *)*state)->path, 'a', 1 << 20);
	map = open_file(*state);
	assert_int_equal(map.copied, 1 << 20);
	assert_int_equal(*(const char *)map.data, 'a');
	file_forget(file_map_bytes(&map));
	assert_int_equal(*(const char *)map.data, 'a');
	file_map_close(&map);
}

/* Another fault is what it was: the end. */
static void watch_other_faults_end_the_process(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		file_watch_catch_faults();
		(void)raise(SIGBUS);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        CASE(watch_small_file_stays_what_it_was),
	        CASE(watch_change_of_a_large_file_is_seen),
	        CASE(watch_file_that_stays_is_no_change),
	        CASE(watch_change_before_the_end_of_a_mapping_is_seen),
	        CASE(watch_copies_are_bounded),
	        CASE(watch_forgotten_copy_comes_back),
	        CASE(watch_other_faults_end_the_process),
	};
#undef CASE

	return cmocka_run_group_tests(tests, NULL, NULL);
}
