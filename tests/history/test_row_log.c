/* SPDX-License-Identifier: Apache-2.0 */
/* Rows come back as they were added, whatever was done to the log since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/history/row_log.h"

enum { ROWS = 1000, WORDS = 5, KINDS = 3 };

struct row {
	uint64_t words[WORDS];
};

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Rows at rising positions, of which many share one; words that stay, creep, and jump. */
static void make_rows(struct row *rows, size_t count, uint64_t position)
{
	for (size_t i = 0; i < count; i++) {
		position += draw(3) == 0 ? draw(4) : 0;
		rows[i].words[0] = position;
		rows[i].words[1] = 7 * i;
		rows[i].words[2] = draw(5) == 0 ? draw(UINT64_C(1) << 31) << draw(33) : 12;
		rows[i].words[3] = draw(2) == 0 ? UINT64_MAX - draw(3) : 0;
		rows[i].words[4] = UINT64_C(1) << 63;
	}
}

static void fill(struct row_log *log, const struct row *rows, size_t count)
{
	row_log_init(log, sizeof(struct row));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(row_log_add(log, (unsigned int)(i % KINDS), &rows[i]), STATUS_OK);
}

static size_t first_at(const struct row *rows, size_t count, uint64_t position)
{
	size_t i = 0;

	while (i < count && rows[i].words[0] < position)
		i++;
	return i;
}

/* Upwards, downwards, by leaps, and by position. */
static void assert_rows(const struct row_log *log, const struct row *rows, size_t count)
{
	static struct row_cache cache;
	struct row row;

	cache.bytes = NULL;
	assert_int_equal(log->count, count);
	for (size_t i = 0; i < 3 * count; i++) {
		size_t at = i < count ? i : i < 2 * count ? 2 * count - 1 - i : i * 37 % count;

		row_log_at(log, at, &cache, &row);
		assert_memory_equal(&row, &rows[at], sizeof(row));
	}
	for (uint64_t p = 0; count > 0 && p <= rows[count - 1].words[0] + 1; p++)
		assert_int_equal(row_log_index(log, p, &cache), first_at(rows, count, p));
}

static void rows_come_back(void **state)
{
	static const size_t counts[] = {0, 1, 127, 128, 129, 256, ROWS};
	struct row rows[ROWS];
	struct row_log log;

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		make_rows(rows, counts[i], i);
		fill(&log, rows, counts[i]);
		assert_rows(&log, rows, counts[i]);
		assert_int_equal(row_log_end(&log), STATUS_OK);
		assert_rows(&log, rows, counts[i]);
		row_log_fini(&log);
	}
}

static void rows_can_be_replaced(void **state)
{
	struct row rows[ROWS];
	struct row_log log;

	(void)state;
	make_rows(rows, ROWS, 5);
	fill(&log, rows, ROWS);
	for (size_t i = 0; i < ROWS; i += 1 + (size_t)draw(40)) {
		rows[i].words[2] = draw(1 << 20);
		rows[i].words[3] ^= 1;
		assert_int_equal(row_log_set(&log, i, &rows[i]), STATUS_OK);
	}
	assert_rows(&log, rows, ROWS);
	row_log_fini(&log);
}

/* What a row can differ in from the last of its kind is told; and where one of these is replaced.
 */
static void rows_say_what_differs(void **state)
{
	static const unsigned int masks[KINDS] = {1U << 2, 1U << 1 | 1U << 3, ROW_ANY};
	struct row rows[ROWS];
	struct row_log log;

	(void)state;
	make_rows(rows, ROWS, 7);
	row_log_init(&log, sizeof(struct row));
	for (size_t i = 0; i < ROWS; i++) {
		unsigned int mask = masks[i % KINDS];

		rows[i].words[4] = 0; /* or it would be coded with each row */

		/* Now and then it differs from what the row before was replaced by. */
		for (unsigned int k = 1; i >= KINDS && k < WORDS; k++) {
			if (!(mask >> k & 1))
				rows[i].words[k] = rows[i - KINDS].words[k];
		}
		assert_int_equal(draw(40) == 0
		                         ? row_log_add(&log, (unsigned int)(i % KINDS), &rows[i])
		                         : row_log_add_alike(&log, (unsigned int)(i % KINDS), mask,
		                                             &rows[i]),
		                 STATUS_OK);
		if (draw(50) != 0 || i < KINDS)
			continue;
		rows[i - KINDS].words[4] = draw(1 << 20);
		assert_int_equal(row_log_set(&log, i - KINDS, &rows[i - KINDS]), STATUS_OK);
	}
	assert_rows(&log, rows, ROWS);
	row_log_fini(&log);
}

/* Also where a block lies after the new end as a whole, and rows are added again. */
static void no_row_is_after_what_was_clamped(void **state)
{
	struct row rows[ROWS];
	struct row_log log;

	(void)state;
	make_rows(rows, ROWS, 0);
	for (size_t i = ROWS - 300; i < ROWS; i++)
		rows[i].words[0] = rows[ROWS - 300].words[0];
	fill(&log, rows, ROWS - 20);
	assert_int_equal(row_log_clamp(&log, rows[ROWS - 300].words[0] - 1), STATUS_OK);
	for (size_t i = 0; i < ROWS - 20; i++) {
		if (rows[i].words[0] >= rows[ROWS - 300].words[0] && i != ROWS - 300)
			rows[i].words[0] = rows[ROWS - 300].words[0] - 1;
	}
	rows[ROWS - 300].words[0]--;
	for (size_t i = ROWS - 20; i < ROWS; i++)
		assert_int_equal(row_log_add_alike(&log, 0, ROW_ANY, &rows[i]), STATUS_OK);
	assert_rows(&log, rows, ROWS);
	row_log_fini(&log);
}

static void logs_join(void **state)
{
	struct row rows[ROWS];
	struct row_log log;
	struct row_log other;
	size_t first = 300;

	(void)state;
	make_rows(rows, ROWS, 3);
	fill(&log, rows, first);
	for (size_t count = 0; first + count <= ROWS; count += 233) {
		fill(&other, rows + first, count);
		for (size_t i = first; i < first + count; i++) {
			rows[i].words[0] += 1000;
			rows[i].words[1] += 50;
		}
		assert_int_equal(row_log_join(&log, &other, 1000, 50), STATUS_OK);
		assert_int_equal(other.count, 0);
		row_log_fini(&other);
		first += count;
	}
	assert_true(first == ROWS - 1);
	assert_rows(&log, rows, first);
	/* A block with something to add is read, changed, and clamped as any other. */
	rows[first - 200].words[4] = 9;
	assert_int_equal(row_log_set(&log, first - 200, &rows[first - 200]), STATUS_OK);
	assert_rows(&log, rows, first);
	row_log_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_come_back),
	        cmocka_unit_test(rows_can_be_replaced),
	        cmocka_unit_test(rows_say_what_differs),
	        cmocka_unit_test(no_row_is_after_what_was_clamped),
	        cmocka_unit_test(logs_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
