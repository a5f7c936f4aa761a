/* SPDX-License-Identifier: Apache-2.0 */
/* Segments and their holes; see elf_segment.h. */
#include "snapshot/elf_object/elf_segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct bytes elf_segments_code(const struct elf_segments *segments, uint64_t address)
{
	for (size_t i = 0; i < segments->count; i++) {
		const struct elf_segment *s = &segments->items[i];

		if (address - s->address < s->file_size)
			return bytes_of(s->data + (address - s->address),
			                (size_t)(s->file_size - (address - s->address)));
	}
	return bytes_of(NULL, 0);
}

enum status elf_holes_add(struct elf_holes *holes, uint64_t address, uint64_t size)
{
	if (size == 0 || address + size < address)
		return STATUS_OK;
	TRY(vec_reserve((void **)&holes->items, &holes->capacity, holes->count + 1,
	                sizeof(*holes->items)));
	holes->items[holes->count++] = (struct elf_hole){address, address + size};
	return STATUS_OK;
}

/* Segments by address, by pointers to them. */
static int compare_segments(const void *left, const void *right)
{
	const struct elf_segment *const *a = left;
	const struct elf_segment *const *b = right;

	return (*a)->address < (*b)->address ? -1 : (*a)->address > (*b)->address;
}

/* The bytes of the file that both have and that differ; `a` begins no later. */
static enum status add_difference(struct elf_holes *holes, const struct elf_segment *a,
                                  const struct elf_segment *b)
{
	uint64_t skip = b->address - a->address;
	uint64_t begin = 0;
	uint64_t end;

	if (skip >= a->file_size)
		return STATUS_OK;
	end = a->file_size - skip < b->file_size ? a->file_size - skip : b->file_size;
	if (memcmp(a->data + skip, b->data, (size_t)end) == 0)
		return STATUS_OK;
	while (a->data[skip + begin] == b->data[begin])
		begin++;
	while (a->data[skip + end - 1] == b->data[end - 1])
		end--;
	return elf_holes_add(holes, b->address + begin, end - begin);
}

/*
 * Each is held against that one of those before it which reaches furthest: it has all of their
 * bytes from here on, and was held against them.
 */
enum status elf_holes_add_rivals(struct elf_holes *holes, const struct elf_segments *segments)
{
	const struct elf_segment **sorted = calloc(segments->count, sizeof(struct elf_segment *));
	const struct elf_segment *reach = NULL;
	enum status status = STATUS_OK;
	size_t count = 0;

	if (!sorted)
		return segments->count == 0 ? STATUS_OK : STATUS_NO_MEM;
	for (size_t i = 0; i < segments->count; i++) {
		if (segments->items[i].file_size > 0)
			sorted[count++] = &segments->items[i];
	}
	if (count > 1)
		qsort(sorted, count, sizeof(struct elf_segment *), compare_segments);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		const struct elf_segment *s = sorted[i];

		if (reach)
			status = add_difference(holes, reach, s);
		if (!reach ||
		    s->address + (s->file_size - 1) > reach->address + (reach->file_size - 1))
			reach = s;
	}
	free(sorted);
	return status;
}

static int compare(const void *left, const void *right)
{
	const struct elf_hole *a = left;
	const struct elf_hole *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Sorted, and none touches another. */
static void merge(struct elf_holes *holes)
{
	size_t count = 0;

	if (holes->count > 0)
		qsort(holes->items, holes->count, sizeof(*holes->items), compare);
	for (size_t i = 0; i < holes->count; i++) {
		struct elf_hole *last = count > 0 ? &holes->items[count - 1] : NULL;

		if (!last || last->end < holes->items[i].begin)
			holes->items[count++] = holes->items[i];
		else if (last->end < holes->items[i].end)
			last->end = holes->items[i].end;
	}
	holes->count = count;
}

/* The segments that are left. */
struct rest {
	struct elf_segments segments;
	size_t capacity;
};

/* The part of a segment from `begin` to `end`, offsets in it. */
static enum status add_part(struct rest *rest, const struct elf_segment *whole, uint64_t begin,
                            uint64_t end)
{
	struct elf_segment part = *whole;

	if (begin >= end)
		return STATUS_OK;
	part.address += begin;
	part.memory_size = end - begin;
	part.file_size = begin >= whole->file_size ? 0
	                 : end < whole->file_size  ? end - begin
	                                           : whole->file_size - begin;
	if (part.file_size > 0)
		part.data += begin;
	TRY(vec_reserve((void **)&rest->segments.items, &rest->capacity, rest->segments.count + 1,
	                sizeof(*rest->segments.items)));
	rest->segments.items[rest->segments.count++] = part;
	return STATUS_OK;
}

static enum status cut_segment(const struct elf_holes *holes, const struct elf_segment *s,
                               struct rest *rest, uint64_t *bytes)
{
	uint64_t from = 0;

	for (size_t i = 0; i < holes->count; i++) {
		const struct elf_hole *hole = &holes->items[i];
		uint64_t begin = hole->begin > s->address ? hole->begin - s->address : 0;
		uint64_t end = hole->end > s->address ? hole->end - s->address : 0;

		end = end < s->memory_size ? end : s->memory_size;
		if (begin >= end)
			continue;
		TRY(add_part(rest, s, from, begin));
		from = end;
		*bytes += end - begin;
	}
	return add_part(rest, s, from, s->memory_size);
}

enum status elf_holes_cut(struct elf_holes *holes, struct elf_segments *segments, uint64_t *bytes)
{
	struct rest rest = {.capacity = 0};
	enum status status = STATUS_OK;

	*bytes = 0;
	merge(holes);
	for (size_t i = 0; i < segments->count && status == STATUS_OK; i++)
		status = cut_segment(holes, &segments->items[i], &rest, bytes);
	if (status != STATUS_OK || rest.segments.count == 0) {
		free(rest.segments.items);
		return status;
	}
	free(segments->items);
	*segments = rest.segments;
	return STATUS_OK;
}
