/* SPDX-License-Identifier: Apache-2.0 */
/* Cores as threads: which are, which is the first, how a client names them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "console/threads.h"
#include "tests/stub/fake_session.h"

static void assert_first(const struct session *session, size_t expected)
{
	size_t core = 99;

	assert_int_equal(threads_first(session, &core), STATUS_OK);
	assert_int_equal(core, expected);
}

/* The one with a trace, or the first of all. */
static void first_thread_is_one_with_a_trace(void **state)
{
	struct session *session = fake_session();
	size_t core = 99;

	(void)state;
	assert_first(session, 0);
	fake_session_set_traced(1);
	assert_first(session, 1);
	fake_session_set_traced(2); /* which is no thread */
	assert_first(session, 0);
	fake_session_set_traced(99);
	assert_first(session, 0);
	fake_session_set_arch(CORE_M); /* the last is no such core */
	assert_first(session, 0);
	fake_session_set_pc(false);
	assert_int_equal(threads_first(session, &core), STATUS_NOT_FOUND);
	assert_int_equal(core, 99);
}

static void core_that_is_no_thread_has_its_reason(void **state)
{
	static const struct {
		enum core_arch arch;
		const char *name;
	} cases[] = {{CORE_A64, "AArch64"}, {CORE_A32, "AArch32"}, {CORE_M, "M profile"}};
	struct session *session = fake_session();

	(void)state;
	assert_null(threads_why_not(session, 0));
	assert_string_equal(threads_why_not(session, 2), "the snapshot has no PC for it");
	assert_non_null(strstr(threads_why_not(session, 3), "this one's is AArch64"));
	assert_true(threads_has(session, 1));
	assert_false(threads_has(session, 2));
	assert_false(threads_has(session, 3));
	assert_false(threads_has(session, 4));
	for (size_t i = 1; i < 3; i++) {
		fake_session_set_arch(cases[i].arch);
		assert_null(threads_why_not(session, 0));
		assert_non_null(strstr(threads_why_not(session, 3), cases[i].name));
	}
}

/* gdb manual, "thread-id": hexadecimal, 0 is any, -1 all, and p with a process before a dot. */
static void thread_ids_are_those_of_the_protocol(void **state)
{
	static const struct {
		const char *id;
		enum thread_choice choice;
		size_t core;
	} cases[] = {
	        {"1", THREAD_ONE, 0},
	        {"2", THREAD_ONE, 1},
	        {"02", THREAD_ONE, 1},
	        {"p1.2", THREAD_ONE, 1},
	        {"p7.1", THREAD_ONE, 0},
	        {"0", THREAD_ANY, 0},
	        {"p1.0", THREAD_ANY, 0},
	        {"-1", THREAD_ALL, 0},
	        {"p1.-1", THREAD_ALL, 0},
	        {"p-1", THREAD_ALL, 0},
	        {"p1", THREAD_ALL, 0},
	        {"3", THREAD_NONE, 0},
	        {"4", THREAD_NONE, 0},
	        {"5", THREAD_NONE, 0},
	        {"ffffffffffffffff", THREAD_NONE, 0},
	        {"x", THREAD_NONE, 0},
	        {"", THREAD_NONE, 0},
	        {"p1.", THREAD_NONE, 0},
	        {"-2", THREAD_NONE, 0},
	};
	struct session *session = fake_session();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t core = 0;

		if (threads_parse(session, str_of(cases[i].id), &core) != cases[i].choice ||
		    core != cases[i].core)
			fail_msg("%s", cases[i].id);
	}
}

static void assert_described(struct session *session, const char *expected)
{
	struct text line = {0};

	threads_describe(session, 0, &line);
	assert_string_equal(line.data, expected);
	text_fini(&line);
}

/* One cluster tells nothing apart. */
static void thread_says_its_cluster_where_there_are_several(void **state)
{
	struct session *session = fake_session();

	(void)state;
	assert_described(session, "Cortex-A53, 10 instructions");
	fake_session_set_clusters(1);
	assert_described(session, "Cortex-A53, 10 instructions");
	fake_session_set_clusters(2);
	assert_described(session, "Cortex-A53, A, 10 instructions");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(first_thread_is_one_with_a_trace),
	        cmocka_unit_test(core_that_is_no_thread_has_its_reason),
	        cmocka_unit_test(thread_ids_are_those_of_the_protocol),
	        cmocka_unit_test(thread_says_its_cluster_where_there_are_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
