/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of a recording; see recording.h. */
#include "tests/values/truth/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recording_room(void *items, size_t *capacity, size_t count, size_t size)
{
	void **array = items;
	size_t want = *capacity < 1024 ? 1024 : *capacity;

	if (count < *capacity)
		return;
	while (want <= count)
		want *= 2;
	*array = realloc(*array, want * size);
	if (!*array) {
		printf("no memory\n");
		exit(2);
	}
	*capacity = want;
}

void recording_add_change(struct recording *r, const struct change *change)
{
	recording_room((void *)&r->changes, &r->change_capacity, r->change_count, sizeof(*change));
	r->changes[r->change_count++] = *change;
}

void recording_add_range(struct recording *r, struct range range)
{
	r->ranges = realloc(r->ranges, (r->range_count + 1) * sizeof(range));
	if (!r->ranges)
		exit(2);
	r->ranges[r->range_count++] = range;
}

static uint8_t *byte_at(const struct recording *r, uint64_t address)
{
	for (size_t i = 0; i < r->range_count; i++) {
		const struct range *range = &r->ranges[i];
		uint64_t offset = address - range->address;

		if (offset < range->length)
			return &range->bytes[offset];
	}
	return NULL;
}

bool range_knows(const struct recording *r, const struct range *range, uint64_t offset)
{
	return !range->known_from || range->known_from[offset] <= r->at;
}

const uint8_t *recording_byte(const struct recording *r, uint64_t address)
{
	for (size_t i = 0; i < r->range_count; i++) {
		const struct range *range = &r->ranges[i];
		uint64_t offset = address - range->address;

		if (offset < range->length)
			return range_knows(r, range, offset) ? &range->bytes[offset] : NULL;
	}
	return NULL;
}

void recording_write(struct recording *r, uint64_t address, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uint8_t *byte = byte_at(r, address + i);

		if (byte)
			*byte = bytes[i];
	}
}

void recording_go(struct recording *r, size_t at)
{
	while (r->at_change > 0 && r->changes[r->at_change - 1].step >= at) {
		const struct change *c = &r->changes[--r->at_change];

		recording_write(r, c->address, c->old, c->length);
	}
	while (r->at_change < r->change_count && r->changes[r->at_change].step < at) {
		const struct change *c = &r->changes[r->at_change++];

		recording_write(r, c->address, c->new, c->length);
	}
	r->at = at;
}

void recording_fini(struct recording *r)
{
	for (size_t i = 0; i < r->range_count; i++) {
		free(r->ranges[i].bytes);
		free(r->ranges[i].known_from);
	}
	free(r->ranges);
	free(r->states);
	free(r->vectors);
	free(r->changes);
	free(r->betweens);
	*r = (struct recording){.count = 0};
}
