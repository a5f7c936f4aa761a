/* SPDX-License-Identifier: Apache-2.0 */
/* Names to files: what may be opened, what is mapped once, several files as one. */
#include "scratch.h"

#include <sys/stat.h>

#include "snapshot/file/files.h"

struct fixture {
	struct scratch scratch;
	struct arena arena;
	struct diag_list diags;
	struct snap_files files;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	scratch_open(&f->scratch);
	f->files.arena = &f->arena;
	f->files.folder = str_of(f->scratch.folder);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	snap_files_fini(&f->files);
	arena_fini(&f->arena);
	diag_list_fini(&f->diags);
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static enum status map(struct fixture *f, const char *name, struct bytes *bytes)
{
	return snap_files_map(&f->files, str_of(name), place_line(STR("x.ini"), 7), &f->diags,
	                      bytes, NULL);
}

static void files_name_inside_is_mapped_once(void **state)
{
	struct fixture *f = *state;
	struct bytes first;
	struct bytes again;
	char path[PATH_MAX];

	assert_int_equal(mkdir(scratch_path(&f->scratch, "d", path), 0700), 0);
	scratch_text(&f->scratch, "d/x.bin", "hello");
	assert_int_equal(map(f, "d/x.bin", &first), STATUS_OK);
	assert_int_equal(map(f, "d/../d/./x.bin", &again), STATUS_OK);
	assert_ptr_equal(first.pos, again.pos);
	assert_int_equal(bytes_left(&first), 5);
	assert_memory_equal(first.pos, "hello", 5);
	assert_diags(&f->diags, "");
}

static void files_empty_file_has_no_bytes(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;

	scratch_text(&f->scratch, "x.bin", "");
	assert_int_equal(map(f, "x.bin", &bytes), STATUS_OK);
	assert_int_equal(bytes_left(&bytes), 0);
}

static void files_names_that_lead_outside_are_refused(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;
	char path[PATH_MAX];

	assert_int_equal(symlink("/etc/passwd", scratch_path(&f->scratch, "link", path)), 0);
	assert_int_equal(map(f, "../x", &bytes), STATUS_BAD_DATA);
	assert_int_equal(map(f, "a/../../x", &bytes), STATUS_BAD_DATA);
	assert_int_equal(map(f, "/etc/passwd", &bytes), STATUS_BAD_DATA);
	assert_int_equal(map(f, "link", &bytes), STATUS_BAD_DATA);
	assert_diags(
	        &f->diags,
	        "x.ini:7: error: \"../x\" leaves the snapshot's folder; see --allow-outside\n"
	        "x.ini:7: error: \"a/../../x\" leaves the snapshot's folder; see "
	        "--allow-outside\n"
	        "x.ini:7: error: \"/etc/passwd\" leaves the snapshot's folder; see "
	        "--allow-outside\n"
	        "x.ini:7: error: \"link\" leaves the snapshot's folder; see --allow-outside\n");
}

/* A folder whose name begins as the snapshot's does is outside it. */
static void files_neighbour_with_the_same_beginning_is_outside(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;
	char path[PATH_MAX];

	assert_int_equal(mkdir(scratch_path(&f->scratch, "snap", path), 0700), 0);
	assert_int_equal(mkdir(scratch_path(&f->scratch, "snap2", path), 0700), 0);
	scratch_text(&f->scratch, "snap2/x.bin", "x");
	assert_int_equal(symlink("../snap2/x.bin", scratch_path(&f->scratch, "snap/l", path)), 0);
	f->files.folder = str_of(scratch_path(&f->scratch, "snap", path));
	assert_int_equal(map(f, "l", &bytes), STATUS_BAD_DATA);
}

static void files_outside_is_open_when_allowed(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;
	char path[PATH_MAX];

	scratch_text(&f->scratch, "x.bin", "x");
	assert_int_equal(mkdir(scratch_path(&f->scratch, "d", path), 0700), 0);
	f->files.folder = str_of(scratch_path(&f->scratch, "d", path));
	f->files.allow_outside = true;
	assert_int_equal(map(f, "../x.bin", &bytes), STATUS_OK);
	assert_int_equal(bytes_left(&bytes), 1);
}

static void files_what_is_no_file_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;
	char path[PATH_MAX];

	assert_int_equal(mkfifo(scratch_path(&f->scratch, "fifo", path), 0700), 0);
	assert_int_equal(map(f, "none.bin", &bytes), STATUS_NOT_FOUND);
	assert_int_equal(map(f, "", &bytes), STATUS_BAD_DATA);
	assert_diags(&f->diags,
	             "x.ini:7: error: cannot open \"none.bin\": No such file or directory\n"
	             "x.ini:7: error: the name of a file is empty\n");
	assert_int_equal(map(f, "fifo", &bytes), STATUS_IO);
	assert_int_equal(map(f, ".", &bytes), STATUS_IO);
}

/* Files of `sizes` bytes are one after the other, whatever their sizes. */
static void check_join(struct fixture *f, const size_t *sizes, size_t count)
{
	uint8_t *expected = NULL;
	size_t total = 0;
	struct text names = {0};
	struct bytes bytes;

	for (size_t i = 0; i < count; i++) {
		char name[32];

		expected = realloc(expected, total + sizes[i] + 1);
		assert_non_null(expected);
		for (size_t j = 0; j < sizes[i]; j++)
			expected[total + j] = (uint8_t)(i * 37 + j * 11 + j / 256);
		(void)snprintf(name, sizeof(name), "part%zu", i);
		scratch_write(&f->scratch, name, expected + total, sizes[i]);
		text_printf(&names, "%s%s", i > 0 ? ", " : "", name);
		total += sizes[i];
	}
	assert_int_equal(
	        snap_files_join(&f->files, text_str(&names), place_none(), &f->diags, &bytes),
	        STATUS_OK);
	assert_int_equal(bytes_left(&bytes), total);
	assert_memory_equal(bytes.pos, expected, total);
	free(expected);
	text_fini(&names);
}

static void files_join_gives_one_piece(void **state)
{
	struct fixture *f = *state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	check_join(f, (size_t[]){16, 32}, 2);
	check_join(f, (size_t[]){page, page}, 2);
	check_join(f, (size_t[]){2 * page, 3 * page + 5, 16}, 3);
	check_join(f, (size_t[]){page + 1, 2 * page, page - 1, 3 * page, 7}, 5);
	check_join(f, (size_t[]){0, page, 0, 10, 0}, 5);
	check_join(f, (size_t[]){0, 0}, 2);
	assert_diags(&f->diags, "");
}

static void files_join_of_a_missing_file_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct bytes bytes;

	scratch_text(&f->scratch, "x.bin", "x");
	assert_int_equal(
	        snap_files_join(&f->files, STR("x.bin,y.bin"), place_none(), &f->diags, &bytes),
	        STATUS_NOT_FOUND);
	assert_diags(&f->diags, "error: cannot open \"y.bin\": No such file or directory\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(files_name_inside_is_mapped_once),
	        CASE(files_empty_file_has_no_bytes),
	        CASE(files_names_that_lead_outside_are_refused),
	        CASE(files_neighbour_with_the_same_beginning_is_outside),
	        CASE(files_outside_is_open_when_allowed),
	        CASE(files_what_is_no_file_is_an_error),
	        CASE(files_join_gives_one_piece),
	        CASE(files_join_of_a_missing_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
