/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: what is kept, for which history, and in which file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "console/console.h"
#include "console/marks.h"
#include "tests/stub/fake_session.h"

static struct text out;
static char folder[] = "/tmp/csreplay-marks-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	assert_non_null(mkdtemp(folder));
	return setenv("XDG_STATE_HOME", folder, 1);
}

static int tear_down(void **state)
{
	char command[80];

	(void)state;
	text_fini(&out);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const char *run(struct session *session, size_t core, const char *line)
{
	struct console console = {
	        .session = session, .core = core, .is_monitor = true, .is_refreshed = true};

	text_clear(&out);
	text_puts(&out, "");
	console_run(&console, str_of(line), &out);
	return out.data;
}

static void marks_are_positions_by_name(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_string_equal(run(session, 0, "marks"),
	                    "no marks; `mark NAME` makes one of the position\n");
	assert_string_equal(run(session, 0, "mark fault"), "fault is position 10\n");
	assert_string_equal(run(session, 0, "mark before -3"), "before is position 7\n");
	assert_non_null(strstr(run(session, 0, "seek before"), "* 1 cpu_0: position 7 of 10"));
	assert_string_equal(run(session, 0, "mark before 3"), "before is position 3\n");
	assert_non_null(strstr(run(session, 0, "gaps before..fault"), "gap before position 4"));
	(void)run(session, 0, "marks");
	assert_non_null(strstr(out.data, "* 1 cpu_0: before is "));
	assert_true(strstr(out.data, "fault is ") > strstr(out.data, "before is "));
	/* A mark is of a core. */
	assert_string_equal(run(session, 1, "seek fault"),
	                    "the mark \"fault\" is of the core cpu_0\n");
	assert_string_equal(run(session, 0, "unmark fault"), "");
	assert_string_equal(run(session, 0, "unmark fault"),
	                    "no mark \"fault\"; `marks` lists them\n");
	assert_non_null(strstr(run(session, 0, "seek fault"), "not a position"));
}

static void names_that_are_positions_are_none(void **state)
{
	static const char *const names[] = {"7", "-x", "a#1", "50%", "@1", "a/b", "+", "\x80"};
	struct session *session = fake_session();
	char line[80];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(line, sizeof(line), "mark %s", names[i]);
		assert_non_null(strstr(run(session, 0, line), "no name:"));
	}
	assert_non_null(strstr(run(session, 0, "mark"), "no name:"));
	assert_non_null(strstr(run(session, 0, "mark end"), "a position by itself: \"end\""));
	assert_non_null(strstr(run(session, 0, "mark crash"), "a position by itself: \"crash\""));
	assert_non_null(strstr(run(session, 0, "mark x 11"), "out of range"));
	memset(line, 'a', sizeof(line));
	memcpy(line, "mark ", 5);
	line[5 + 65] = '\0';
	assert_non_null(strstr(run(session, 0, line), "no name:"));
	line[5 + 64] = '\0';
	assert_non_null(strstr(run(session, 0, line), "is position 10"));
}

/* A history of another length is another one, and its positions are. */
static void another_history_has_marks_of_its_own(void **state)
{
	struct session *session = fake_session();
	struct text first = {0};
	struct text second = {0};

	(void)state;
	marks_path(session, &first);
	(void)run(session, 0, "mark here");
	fake_session_set_gaps(3);
	marks_path(session, &second);
	assert_string_not_equal(first.data, second.data);
	assert_non_null(strstr(run(session, 0, "marks"), "no marks"));
	assert_non_null(strstr(run(fake_session(), 0, "marks"), "here is "));
	text_fini(&first);
	text_fini(&second);
}

/* What another program, or a hand, put there: lines that are no marks are passed over. */
static void a_damaged_file_gives_what_is_sound(void **state)
{
	struct session *session = fake_session();
	struct text path = {0};
	struct stat status;
	FILE *file;

	(void)state;
	(void)run(session, 0, "mark here");
	marks_path(session, &path);
	assert_int_equal(stat(path.data, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	file = fopen(path.data, "a");
	assert_non_null(file);
	(void)fputs("x\ny\t1\nz\t9\t1\nlate\t1\t11\nlow\t0\t1\n7\t1\t1\nfine\t1\t2\nend", file);
	assert_int_equal(fclose(file), 0);
	(void)run(session, 0, "marks");
	assert_non_null(strstr(out.data, "fine is "));
	assert_non_null(strstr(out.data, "here is "));
	assert_null(strstr(out.data, "late"));
	assert_null(strstr(out.data, "low"));
	assert_null(strstr(out.data, "7 is"));
	text_fini(&path);
}

static void without_a_folder_it_is_said(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_int_equal(setenv("XDG_STATE_HOME", "/dev/null", 1), 0);
	assert_non_null(strstr(run(session, 0, "mark a"), "cannot be read or written"));
	assert_int_equal(setenv("XDG_STATE_HOME", "relative", 1), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_non_null(strstr(run(session, 0, "mark a"), "set XDG_STATE_HOME or HOME"));
	assert_non_null(strstr(run(session, 0, "marks"), "set XDG_STATE_HOME or HOME"));
	assert_non_null(strstr(run(session, 0, "seek a"), "not a position"));
	assert_int_equal(setenv("HOME", folder, 1), 0);
	assert_string_equal(run(session, 0, "mark a"), "a is position 10\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(marks_are_positions_by_name, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(names_that_are_positions_are_none, set_up,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(another_history_has_marks_of_its_own, set_up,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(a_damaged_file_gives_what_is_sound, set_up,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(without_a_folder_it_is_said, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
