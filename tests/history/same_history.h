/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two histories are the same in all that a reader may ask, however they are stored: every
 * run, gap, event and mark. Out: the cmocka test that asks fails at the first difference.
 */
#ifndef CSREPLAY_TESTS_HISTORY_SAME_HISTORY_H
#define CSREPLAY_TESTS_HISTORY_SAME_HISTORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/history/run_count.h"

/* Goes through all runs of a history. */
struct reader {
	const struct history *history;
	size_t part;
	size_t block;
	uint32_t run;
	uint32_t count;
	struct outcome_log_run runs[LOG_BLOCK_RUNS];
};

static const struct walk *next_run(struct reader *r, bool *taken)
{
	const struct history *h = r->history;
	const struct outcome_log *log;

	while (r->run == r->count) {
		if (r->part < h->part_count && r->block == h->parts[r->part].log.block_count) {
			r->part++;
			r->block = 0;
		}
		if (r->part == h->part_count)
			return NULL;
		r->count = outcome_log_expand(&h->parts[r->part].log, r->block++, r->runs);
		r->run = 0;
	}
	log = &h->parts[r->part].log;
	*taken = r->runs[r->run].taken;
	return &log->graph->nodes[r->runs[r->run++].node].walk;
}

static void assert_runs_equal(const struct history *a, const struct history *b)
{
	struct reader *readers = calloc(2, sizeof(*readers));
	uint64_t position = 0;
	const struct walk *left;
	const struct walk *right;
	bool taken[2] = {false};

	assert_non_null(readers);
	readers[0].history = a;
	readers[1].history = b;
	do {
		left = next_run(&readers[0], &taken[0]);
		right = next_run(&readers[1], &taken[1]);
		assert_int_equal(!left, !right);
		if (!left)
			break;
		if (left->start != right->start || left->count != right->count ||
		    left->end != right->end || left->isa != right->isa || taken[0] != taken[1] ||
		    left->last.class != right->last.class)
			fail_msg("position %llu: %llx, %u, expected %llx, %u",
			         (unsigned long long)position, (unsigned long long)right->start,
			         right->count, (unsigned long long)left->start, left->count);
		position += left->count;
	} while (true);
	assert_int_equal(position, a->length);
	free(readers);
}

static void assert_gaps_equal(const struct history *a, const struct history *b)
{
	struct gap left;
	struct gap right;

	for (size_t i = 0; history_gap(a, i, &left) && history_gap(b, i, &right); i++) {
		struct text texts[2] = {0};

		gap_format(&left, &texts[0]);
		gap_format(&right, &texts[1]);
		assert_string_equal(texts[0].data, texts[1].data);
		text_fini(&texts[0]);
		text_fini(&texts[1]);
	}
	assert_int_equal(history_gap_count(a), history_gap_count(b));
}

static void assert_events_equal(const struct history *a, const struct history *b)
{
	struct history_event events[2];
	struct text texts[2] = {0};

	for (size_t i = 0; history_event(a, i, &events[0]) && history_event(b, i, &events[1]);
	     i++) {
		for (unsigned int k = 0; k < 2; k++) {
			text_clear(&texts[k]);
			text_printf(&texts[k], "%llu: ", (unsigned long long)events[k].position);
			element_format_text(&events[k].element, &texts[k]);
		}
		assert_string_equal(texts[0].data, texts[1].data);
	}
	text_fini(&texts[0]);
	text_fini(&texts[1]);
	assert_int_equal(history_event_count(a), history_event_count(b));
}

/* At each position at which one of the two changes. */
static void assert_marks_equal(const struct history *a, const struct history *b)
{
	for (unsigned int mark = 0; mark < MARK_COUNT; mark++) {
		const struct history *sides[2] = {a, b};

		for (unsigned int k = 0; k < 2; k++) {
			for (size_t i = 0; i < sides[k]->notes.marks[mark].count; i++) {
				uint64_t position = history_mark_entry(sides[k], mark, i).position;
				uint64_t left = 0;
				uint64_t right = 0;

				assert_int_equal(history_mark(a, mark, position, &left),
				                 history_mark(b, mark, position, &right));
				assert_int_equal(left, right);
			}
		}
	}
}

static int compare_codes(const void *left, const void *right)
{
	const struct history_code *a = left;
	const struct history_code *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (int)a->isa - (int)b->isa;
}

/* The runs of a history by address, each once; the caller frees them. */
static struct history_code *sorted_codes(const struct history *h, size_t *count)
{
	struct history_code *codes = test_calloc(h->code_count + 1, sizeof(*codes));
	size_t kept = 0;

	*count = 0;
	while (history_code(h, *count, &codes[*count]))
		++*count;
	qsort(codes, *count, sizeof(*codes), compare_codes);
	for (size_t i = 0; i < *count; i++) {
		if (kept == 0 || compare_codes(&codes[kept - 1], &codes[i]) != 0)
			codes[kept++] = codes[i];
	}
	*count = kept;
	return codes;
}

static void assert_codes_equal(const struct history *a, const struct history *b)
{
	size_t left_count;
	size_t right_count;
	struct history_code *left = sorted_codes(a, &left_count);
	struct history_code *right = sorted_codes(b, &right_count);

	assert_int_equal(left_count, right_count);
	for (size_t i = 0; i < left_count; i++)
		assert_int_equal(compare_codes(&left[i], &right[i]), 0);
	test_free(left);
	test_free(right);
}

static void assert_histories_equal(const struct history *a, const struct history *b)
{
	assert_runs_equal(a, b);
	assert_gaps_equal(a, b);
	assert_events_equal(a, b);
	assert_marks_equal(a, b);
	assert_int_equal(a->length, b->length);
	assert_int_equal(history_run_count(a), history_run_count(b));
	assert_int_equal(a->has_end, b->has_end);
	assert_int_equal(a->end_address, b->end_address);
	assert_int_equal(a->executed_count, b->executed_count);
	assert_codes_equal(a, b);
}

#endif
