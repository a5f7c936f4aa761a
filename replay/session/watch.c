/* SPDX-License-Identifier: Apache-2.0 */
/* Watchpoints; see watch.h. */
#include "replay/session/watch.h"

#include "base/vec.h"
#include "replay/tarmac/tarmac.h"

/* Index of the watchpoint, or count. */
static size_t find(const struct watch_list *list, const struct watch *watch)
{
	size_t i = 0;

	while (i < list->count && !watch_is_same(&list->items[i], watch))
		i++;
	return i;
}

bool watch_is_range(uint64_t address, uint64_t size)
{
	return size > 0 && size <= WATCH_MOST && address + (size - 1) >= address;
}

enum status watch_add(struct watch_list *list, const struct watch *watch)
{
	if (!watch_is_range(watch->address, watch->size))
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

static bool find_in_data(const struct watch *watch, const struct tarmac_core *data,
                         const struct values_range *range, struct values_access *found)
{
	struct tarmac_target target = {watch->address, watch->size, kinds_of(watch->kind)};
	struct tarmac_access access;

	if (tarmac_find_access(data, range->forward, range->forward ? range->first : range->last,
	                       &target, &access) != STATUS_OK)
		return false;
	*found = (struct values_access){.position = access.position, .address = access.address};
	return found->position >= range->first && found->position < range->last;
}

static struct values_target target_of(const struct watch *watch)
{
	return (struct values_target){watch->address, watch->size, watch->kind != WATCH_WRITE,
	                              watch->kind != WATCH_READ};
}

/* What a visit is to find. */
struct wanted {
	const struct watch_pass *pass;
	struct values_access *access;
	bool is_found;
};

static bool take(void *context, const struct values_access *access)
{
	struct wanted *wanted = context;
	const struct watch_pass *pass = wanted->pass;

	wanted->is_found = access->verdict == VALUES_PROVED ||
	                   (pass && !pass->passes(pass->context, pass->core, access));
	if (wanted->is_found)
		*wanted->access = *access;
	return !wanted->is_found;
}

static bool find_one(const struct watch *watch, const struct watch_source *source,
                     const struct values_range *range, const struct watch_pass *pass,
                     struct values_access *access)
{
	const struct values_target target = target_of(watch);
	struct wanted wanted = {pass, access, false};

	if (source->data)
		return find_in_data(watch, source->data, range, access);
	return source->values &&
	       values_visit_accesses(source->values, range, &target, take, &wanted) == STATUS_OK &&
	       wanted.is_found;
}

static uint64_t stop_of(const struct watch_list *list, const struct values_access *access,
                        bool forward)
{
	bool after = access->verdict == VALUES_PROVED ? list->stops_after
	                                              : access->verdict == VALUES_POSSIBLE;

	return access->position + (forward == after);
}

/* True if a move meets the one before the other; of one instruction what is proved. */
static bool is_before(const struct values_access *a, const struct values_access *b, bool forward)
{
	if (a->position != b->position)
		return (a->position < b->position) == forward;
	return a->verdict == VALUES_PROVED && b->verdict != VALUES_PROVED;
}

bool watch_find(const struct watch_list *list, const struct watch_source *source,
                const struct values_range *range, const struct watch_pass *pass,
                struct watch_hit *hit)
{
	bool found = false;

	for (size_t i = 0; i < list->count; i++) {
		struct values_access access;

		if (!find_one(&list->items[i], source, range, pass, &access) ||
		    (found && !is_before(&access, &hit->access, range->forward)))
			continue;
		found = true;
		*hit = (struct watch_hit){.watch = list->items[i],
		                          .access = access,
		                          .stop = stop_of(list, &access, range->forward)};
	}
	return found;
}

void watch_may_alias(const struct watch_list *list, const struct watch_source *source,
                     const struct values_range *range, struct values_may_alias *doubt)
{
	*doubt = (struct values_may_alias){0};
	for (size_t i = 0; source->values && i < list->count; i++) {
		const struct values_target target = target_of(&list->items[i]);
		struct values_may_alias one;

		values_find_may_alias(source->values, range, &target, &one);
		if (one.count > 0 &&
		    (doubt->count == 0 || (range->forward ? one.position < doubt->position
		                                          : one.position > doubt->position)))
			doubt->position = one.position;
		doubt->count += one.count;
		doubt->elsewhere += one.elsewhere;
		if (one.blind_first < one.blind_last) {
			doubt->blind_first = one.blind_first;
			doubt->blind_last = one.blind_last;
		}
	}
}
