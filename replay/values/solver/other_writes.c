/* SPDX-License-Identifier: Apache-2.0 */
/* Granules and cache lines of other cores; see other_writes.h. */
#include "replay/values/solver/other_writes.h"

#include <stdlib.h>

#include "base/vec.h"

void other_writes_fini(struct other_writes *writes)
{
	free(writes->known.items);
	free(writes->open.items);
	free(writes->unseen.items);
	free(writes->ran.items);
	free(writes->used.numbers);
	free(writes->pointed.numbers);
	*writes = (struct other_writes){.from = 0};
}

enum status other_writes_add(struct other_write_list *list, const struct other_write *write)
{
	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	list->items[list->count++] = *write;
	return STATUS_OK;
}

enum status line_set_add(struct line_set *set, uint64_t address, uint64_t size)
{
	uint64_t last = (address + size - 1) / CACHE_LINE;

	for (uint64_t line = address / CACHE_LINE; line <= last; line++) {
		/* Most use the line again that they used last. */
		if (set->count > 0 && set->numbers[set->count - 1] == line)
			continue;
		TRY(vec_reserve((void **)&set->numbers, &set->capacity, set->count + 1,
		                sizeof(*set->numbers)));
		set->numbers[set->count++] = line;
	}
	return STATUS_OK;
}

static int compare(const void *left, const void *right)
{
	const struct other_write *a = left;
	const struct other_write *b = right;

	if (a->granule != b->granule)
		return a->granule < b->granule ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return 0;
}

static void sort_list(struct other_write_list *list)
{
	size_t kept = 0;

	if (list->count == 0)
		return;
	qsort(list->items, list->count, sizeof(*list->items), compare);
	for (size_t i = 1; i < list->count; i++) {
		struct other_write *last = &list->items[kept];
		const struct other_write *next = &list->items[i];

		if (next->granule != last->granule || next->first > last->last)
			list->items[++kept] = *next;
		else if (next->last > last->last)
			last->last = next->last;
	}
	list->count = kept + 1;
}

static int compare_lines(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return a == b ? 0 : a < b ? -1 : 1;
}

void line_set_sort(struct line_set *set)
{
	size_t kept = 0;

	if (set->count == 0)
		return;
	qsort(set->numbers, set->count, sizeof(*set->numbers), compare_lines);
	for (size_t i = 1; i < set->count; i++) {
		if (set->numbers[i] != set->numbers[kept])
			set->numbers[++kept] = set->numbers[i];
	}
	set->count = kept + 1;
}

static bool has_line(const struct line_set *set, uint64_t line)
{
	return set->count > 0 &&
	       bsearch(&line, set->numbers, set->count, sizeof(line), compare_lines);
}

void other_writes_sort(struct other_writes *writes)
{
	sort_list(&writes->known);
	sort_list(&writes->open);
	sort_list(&writes->unseen);
	sort_list(&writes->ran);
	line_set_sort(&writes->used);
	line_set_sort(&writes->pointed);
}

/* One of the list is of the granule, and of one of these positions. */
static bool has(const struct other_write_list *list, uint64_t granule, uint64_t first,
                uint64_t last)
{
	size_t low = 0;
	size_t high = list->count;

	/* The first that does not end before. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct other_write *at = &list->items[middle];

		if (at->granule < granule || (at->granule == granule && at->last < first))
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->items[low].granule == granule &&
	       list->items[low].first <= last;
}

bool other_writes_are_open(const struct other_writes *writes, uint64_t first, uint64_t last)
{
	return has(&writes->open, 0, first, last);
}

bool other_writes_are_unseen(const struct other_writes *writes, uint64_t first, uint64_t last)
{
	return first < writes->from || has(&writes->unseen, 0, first, last);
}

bool other_writes_none_ran(const struct other_writes *writes, uint32_t number, uint64_t first,
                           uint64_t last)
{
	return !other_writes_are_unseen(writes, first, last) &&
	       !has(&writes->ran, number, first, last) &&
	       !has(&writes->ran, OTHER_TASK_ANY, first, last);
}

bool other_writes_none(const struct other_writes *writes, uint64_t granule, bool uses,
                       uint64_t first, uint64_t last)
{
	uint64_t line = granule / CACHE_LINE;

	if (first < writes->from || has(&writes->known, granule, first, last))
		return false;
	if (!other_writes_are_open(writes, first, last) &&
	    !other_writes_are_unseen(writes, first, last))
		return true;
	return uses && !has_line(&writes->used, line) && !has_line(&writes->pointed, line);
}
