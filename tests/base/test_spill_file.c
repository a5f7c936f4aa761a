/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the process and of a file without a name: what is written comes back, after the file is
 * closed, too, and where none can be made all is of the process.
 */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/spill_file.h"

enum { SIZE = 100000, PARTS = 5 };

static void fill(const struct spill_part *part, unsigned int seed)
{
	for (size_t i = 0; i < part->size; i++)
		part->bytes[i] = (uint8_t)(i * 7 + seed);
}

static void assert_filled(const struct spill_part *part, unsigned int seed)
{
	for (size_t i = 0; i < part->size; i++)
		assert_int_equal(part->bytes[i], (uint8_t)(i * 7 + seed));
}

/* KiB of the mapping around the part that are in this process' memory, as the kernel says. */
static unsigned long resident(const struct spill_part *part)
{
	static const char key[] = "Rss:";
	unsigned long at = (unsigned long)(uintptr_t)part->bytes;
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long kib = 0;
	bool is_here = false;
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		char *end;
		unsigned long begin = strtoul(line, &end, 16);

		if (*end == '-')
			is_here = begin <= at && at < strtoul(end + 1, NULL, 16);
		else if (is_here && strncmp(line, key, sizeof(key) - 1) == 0)
			kib = strtoul(line + sizeof(key) - 1, NULL, 10);
	}
	assert_int_equal(fclose(maps), 0);
	return kib;
}

static void what_is_more_than_memory_is_of_the_file(void **state)
{
	struct spill_file *spill = spill_file_create(2 * SIZE);
	struct spill_part parts[PARTS];

	(void)state;
	assert_non_null(spill);
	for (unsigned int i = 0; i < PARTS; i++) {
		parts[i] = spill_file_take(spill, SIZE, SIZE);
		assert_non_null(parts[i].bytes);
		assert_int_equal(parts[i].mapped > 0, i >= 2);
		fill(&parts[i], i);
		if (i == 3)
			assert_true(resident(&parts[i]) * 1024 >= SIZE / 2);
		spill_part_done(&parts[i]);
		if (i == 3)
			assert_int_equal(resident(&parts[i]), 0);
	}
	spill_file_destroy(spill);
	for (unsigned int i = 0; i < PARTS; i++) {
		assert_filled(&parts[i], i);
		spill_part_free(&parts[i]);
		assert_null(parts[i].bytes);
	}
}

static void what_is_kept_is_moved_or_taken_over(void **state)
{
	struct spill_file *spill = spill_file_create(SIZE);

	(void)state;
	assert_non_null(spill);
	for (unsigned int i = 0; i < 2; i++) {
		struct spill_part plain = {.bytes = malloc(2 * SIZE), .size = SIZE};
		struct spill_part part;

		assert_non_null(plain.bytes);
		fill(&plain, i);
		part = spill_file_keep(spill, plain.bytes, SIZE);
		assert_int_equal(part.mapped > 0, i == 1);
		assert_filled(&part, i);
		spill_part_free(&part);
	}
	spill_file_destroy(spill);
}

/* Parts of one slab are apart, and stay when others of it, or the file, are gone. */
static void parts_of_memory_are_apart(void **state)
{
	enum { COUNT = 100, LEAST = 1000, MOST = 200001 };
	struct spill_file *spill = spill_file_create(UINT64_MAX);
	struct spill_part parts[COUNT];

	(void)state;
	assert_non_null(spill);
	for (unsigned int i = 0; i < COUNT; i++) {
		parts[i] = spill_file_take(spill, LEAST, MOST);
		assert_non_null(parts[i].bytes);
		assert_true(parts[i].size >= LEAST && parts[i].size <= MOST);
		assert_int_equal((uintptr_t)parts[i].bytes % alignof(max_align_t), 0);
		assert_int_equal(parts[i].mapped, 0);
		fill(&parts[i], i);
	}
	spill_file_destroy(spill);
	for (unsigned int i = 0; i < COUNT; i += 2)
		spill_part_free(&parts[i]);
	for (unsigned int i = 1; i < COUNT; i += 2) {
		assert_filled(&parts[i], i);
		spill_part_free(&parts[i]);
	}
}

/* What is larger than a slab is by itself. */
static void a_large_part_is_whole(void **state)
{
	enum { LARGE = 5000000 };
	struct spill_file *spill = spill_file_create(UINT64_MAX);
	struct spill_part part;

	(void)state;
	assert_non_null(spill);
	part = spill_file_take(spill, LARGE, LARGE);
	assert_non_null(part.bytes);
	assert_int_equal(part.size, LARGE);
	fill(&part, 3);
	assert_filled(&part, 3);
	spill_part_free(&part);
	spill_file_destroy(spill);
}

static void without_a_folder_all_is_of_the_process(void **state)
{
	struct spill_file *spill = spill_file_create(0);
	struct spill_part part;

	(void)state;
	assert_non_null(spill);
	assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
	part = spill_file_take(spill, SIZE, SIZE);
	assert_non_null(part.bytes);
	assert_int_equal(part.mapped, 0);
	fill(&part, 1);
	spill_part_done(&part);
	assert_filled(&part, 1);
	spill_part_free(&part);
	assert_int_equal(unsetenv("TMPDIR"), 0);
	spill_file_destroy(spill);
	part = spill_file_take(NULL, SIZE, SIZE);
	assert_non_null(part.bytes);
	spill_part_free(&part);
	spill_file_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_more_than_memory_is_of_the_file),
	        cmocka_unit_test(what_is_kept_is_moved_or_taken_over),
	        cmocka_unit_test(parts_of_memory_are_apart),
	        cmocka_unit_test(a_large_part_is_whole),
	        cmocka_unit_test(without_a_folder_all_is_of_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
