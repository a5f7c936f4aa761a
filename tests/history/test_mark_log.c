/* SPDX-License-Identifier: Apache-2.0 */
/* Marks come back as they were added, whatever was done to the log since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/history/mark_log.h"

enum { ENTRIES = 1000 };

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Positions and values that creep, jump and stay, values that fall, and some that are not known. */
static void make_entries(struct mark_entry *entries, size_t count, uint64_t position)
{
	uint64_t value = draw(3) == 0 ? UINT64_MAX - 5 : 0;

	for (size_t i = 0; i < count; i++) {
		position += draw(20) == 0 ? draw(UINT64_C(1) << 31) << draw(20) : draw(9);
		value += draw(20) == 0 ? draw(UINT64_C(1) << 31) << draw(33) : draw(17);
		value -= draw(9) == 0 ? draw(300) : 0;
		entries[i] = (struct mark_entry){position, value, draw(11) != 0};
	}
}

static void fill(struct mark_log *log, const struct mark_entry *entries, size_t count)
{
	*log = (struct mark_log){.count = 0};
	for (size_t i = 0; i < count; i++)
		assert_int_equal(mark_log_add(log, entries[i]), STATUS_OK);
}

static size_t first_at(const struct mark_entry *entries, size_t count, uint64_t position)
{
	size_t i = 0;

	while (i < count && entries[i].position < position)
		i++;
	return i;
}

/* Upwards, downwards, by leaps, and by position. */
static void assert_entries(const struct mark_log *log, const struct mark_entry *entries,
                           size_t count)
{
	static struct mark_cache cache;

	cache.count = 0;
	assert_int_equal(log->count, count);
	for (size_t i = 0; i < 3 * count; i++) {
		size_t at = i < count ? i : i < 2 * count ? 2 * count - 1 - i : (size_t)draw(count);
		struct mark_entry entry = mark_log_at(log, at, &cache);
		uint64_t p = entries[draw(count)].position + draw(3) - 1;

		assert_int_equal(entry.position, entries[at].position);
		assert_int_equal(entry.value, entries[at].value);
		assert_int_equal(entry.known, entries[at].known);
		assert_int_equal(mark_log_index(log, p, &cache), first_at(entries, count, p));
	}
	assert_int_equal(mark_log_index(log, 0, &cache), 0);
	assert_int_equal(mark_log_index(log, UINT64_MAX, &cache), count);
}

static void entries_come_back(void **state)
{
	static const size_t counts[] = {1, 2, 127, 128, 129, 130, 257, ENTRIES};
	static struct mark_entry entries[ENTRIES];
	struct mark_log log;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		make_entries(entries, counts[i], 1);
		fill(&log, entries, counts[i]);
		assert_entries(&log, entries, counts[i]);
		assert_int_equal(mark_log_end(&log), STATUS_OK);
		assert_entries(&log, entries, counts[i]);
		mark_log_fini(&log);
	}
}

/* The last entry can be changed, and what comes after it is right. */
static void the_last_entry_can_change(void **state)
{
	static struct mark_entry entries[ENTRIES];
	struct mark_log log = {.count = 0};

	(void)state;
	make_entries(entries, ENTRIES, 1);
	for (size_t i = 0; i < ENTRIES; i++) {
		struct mark_entry first = entries[i];

		first.value = draw(100);
		assert_int_equal(mark_log_add(&log, first), STATUS_OK);
		log.last.value = entries[i].value;
	}
	assert_entries(&log, entries, ENTRIES);
	mark_log_fini(&log);
}

/* Of the last one alone, of some, of more than a block of them, and of all. */
static void entries_are_clamped(void **state)
{
	static const size_t firsts[] = {ENTRIES - 1, ENTRIES - 20, 896, 895, 500, 128, 1, 0};
	static struct mark_entry entries[ENTRIES];
	struct mark_log log;

	(void)state;
	for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++) {
		uint64_t position;

		make_entries(entries, ENTRIES, 1);
		position = entries[firsts[k]].position - 1;
		fill(&log, entries, ENTRIES - 7);
		assert_int_equal(mark_log_clamp(&log, position), STATUS_OK);
		for (size_t i = ENTRIES - 7; i < ENTRIES; i++)
			assert_int_equal(mark_log_add(&log, entries[i]), STATUS_OK);
		for (size_t i = 0; i < ENTRIES - 7; i++)
			if (entries[i].position > position)
				entries[i].position = position;
		assert_entries(&log, entries, ENTRIES);
		mark_log_fini(&log);
	}
}

/* Logs of any length one after the other, and what is added after. */
static void logs_are_joined(void **state)
{
	static const size_t counts[] = {3, 128, 0, 129, 200, 1, 1, 300};
	static struct mark_entry entries[ENTRIES];
	struct mark_log log = {.count = 0};
	size_t done = 0;

	(void)state;
	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		uint64_t before = done > 0 ? entries[done - 1].position : 0;
		struct mark_log other;

		make_entries(entries + done, counts[k], 0);
		fill(&other, entries + done, counts[k]);
		for (size_t i = done; i < done + counts[k]; i++) {
			entries[i].position += before;
			entries[i].value += 50;
		}
		assert_int_equal(mark_log_join(&log, &other, before, 50), STATUS_OK);
		mark_log_fini(&other);
		done += counts[k];
	}
	make_entries(entries + done, 100, entries[done - 1].position);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(mark_log_add(&log, entries[done + i]), STATUS_OK);
	assert_entries(&log, entries, done + 100);
	mark_log_fini(&log);
}

/* What cycle counts beside each instruction are: a byte each. */
static void small_steps_are_bytes(void **state)
{
	struct mark_log log = {.count = 0};

	(void)state;
	for (uint64_t i = 0; i < ENTRIES; i++)
		assert_int_equal(mark_log_add(&log, (struct mark_entry){i, 14 * i, true}),
		                 STATUS_OK);
	assert_int_equal(log.blocks[1].bytes - log.blocks[0].bytes, MARK_BLOCK - 1);
	mark_log_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(entries_come_back),
	        cmocka_unit_test(the_last_entry_can_change),
	        cmocka_unit_test(entries_are_clamped),
	        cmocka_unit_test(logs_are_joined),
	        cmocka_unit_test(small_steps_are_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
