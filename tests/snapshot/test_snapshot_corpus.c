/* SPDX-License-Identifier: Apache-2.0 */
/* Every snapshot of the reference corpus loads; those with files missing say so and nothing else.
 */
#include "scratch.h"

#include <dirent.h>

#include "snapshot/snapshot.h"

static const char *const missing_files[] = {
        "a55-test-tpiu",
        "event_test",
        "juno-ret-stck",
};

static bool lacks_files(const char *name)
{
	for (size_t i = 0; i < sizeof(missing_files) / sizeof(missing_files[0]); i++) {
		if (strcmp(missing_files[i], name) == 0)
			return true;
	}
	return false;
}

static void check_snapshot(const char *path, const char *name)
{
	struct diag_list diags = {0};
	struct snapshot *snapshot;

	assert_int_equal(snapshot_open(path, NULL, &diags, &snapshot), STATUS_OK);
	for (size_t i = 0; i < diags.count; i++) {
		if (diags.items[i].severity != SEVERITY_ERROR)
			continue;
		if (lacks_files(name) && diags.items[i].status == STATUS_NOT_FOUND)
			continue;
		fail_msg("%s: %s", name, diags.items[i].text);
	}
	assert_true(!lacks_files(name) || diags.errors > 0);
	assert_true(snapshot->buffer_count > 0);
	for (size_t i = 0; i < snapshot->core_count; i++)
		assert_true(snapshot->cores[i].source_count > 0);
	for (size_t i = 0; i < snapshot->buffer_count; i++)
		assert_true(bytes_left(&snapshot->buffers[i].data) > 0);
	diag_list_fini(&diags);
	snapshot_destroy(snapshot);
}

static size_t check_folder(const char *shared, const char *name)
{
	char folder[PATH_MAX / 2];
	DIR *dir;
	const struct dirent *entry;
	size_t count = 0;

	(void)snprintf(folder, sizeof(folder), "%s/corpus/%s", shared, name);
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[PATH_MAX];

		(void)snprintf(path, sizeof(path), "%s/%s/snapshot.ini", folder, entry->d_name);
		if (access(path, R_OK) != 0)
			continue;
		check_snapshot(path, entry->d_name);
		count++;
	}
	(void)closedir(dir);
	return count;
}

static void snapshot_corpus_loads(void **state)
{
	const char *shared = getenv("CSREPLAY_SHARED");

	(void)state;
	assert_true(check_folder(shared, "opencsd") >= 27);
	assert_true(check_folder(shared, "crashes") >= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(snapshot_corpus_loads)};
	const char *shared = getenv("CSREPLAY_SHARED");

	if (!shared || access(shared, R_OK) != 0) {
		printf("SKIPPED: the reference material is not there\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
