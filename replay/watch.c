/* SPDX-License-Identifier: Apache-2.0 */
/* Watchpoints; see watch.h. */
#include "replay/watch.h"

#include "base/vec.h"
#include "replay/tarmac_source.h"

static bool is_same(const struct watch *a, const struct watch *b)
{
	return a->kind == b->kind && a->address == b->address && a->size == b->size;
}

/* Index of the watchpoint, or count. */
static size_t find(const struct watch_list *list, const struct watch *watch)
{
	size_t i = 0;

	while (i < list->count && !is_same(&list->items[i], watch))
		i++;
	return i;
}

enum status watch_add(struct watch_list *list, const struct watch *watch)
{
	if (watch->size == 0 || watch->size > WATCH_MOST)
		return STATUS_UNSUPPORTED;
	if (find(list, watch) < list->count)
		return STATUS_OK;
	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	list->items[list->count++] = *watch;
	return STATUS_OK;
}

void watch_remove(struct watch_list *list, const struct watch *watch)
{
	size_t i = find(list, watch);

	if (i < list->count)
		list->items[i] = list->items[--list->count];
}

static unsigned int kinds_of(enum watch_kind kind)
{
	static const unsigned int kinds[] = {
	        [WATCH_WRITE] = 1U << WORD_WRITE,
	        [WATCH_READ] = 1U << WORD_READ,
	        [WATCH_ACCESS] = 1U << WORD_WRITE | 1U << WORD_READ,
	};

	return kinds[kind];
}

bool watch_find(const struct watch_list *list, const struct tarmac_core *data,
                enum direction direction, uint64_t position, struct watch_hit *hit)
{
	bool forward = direction == DIRECTION_FORWARD;
	bool found = false;

	for (size_t i = 0; data && i < list->count; i++) {
		const struct watch *watch = &list->items[i];
		struct tarmac_target target = {watch->address, watch->size, kinds_of(watch->kind)};
		struct tarmac_access access;

		if (tarmac_find_access(data, forward, position, &target, &access) != STATUS_OK)
			continue;
		if (found &&
		    (forward ? access.position >= hit->position : access.position <= hit->position))
			continue;
		found = true;
		*hit = (struct watch_hit){.watch = *watch,
		                          .address = access.address,
		                          .position = access.position,
		                          .stop = access.position + (forward == list->stops_after)};
	}
	return found;
}
