/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a core over time; see tarmac_pages.h. */
#include "replay/tarmac/log/tarmac_pages.h"

#include <stdlib.h>

#include "base/hash.h"

enum {
	FIRST_SLOTS = 64,
	HOLDS = 3, /* a translation holds up to the next instruction, see tarmac_store.h */
};

/* The page's place in the table, or the free one that it would take; there is always one. */
static struct tarmac_page *find(struct tarmac_page *table, size_t slots, uint32_t page)
{
	size_t i = hash_u64(page);

	while (table[i & (slots - 1)].time != 0 && table[i & (slots - 1)].page != page)
		i++;
	return &table[i & (slots - 1)];
}

static enum status grow(struct tarmac_pages *pages)
{
	size_t slots = pages->slots > 0 ? 2 * pages->slots : FIRST_SLOTS;
	struct tarmac_page *table;

	if (2 * (pages->count + 1) <= pages->slots)
		return STATUS_OK;
	table = calloc(slots, sizeof(*table));
	if (!table)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < pages->slots; i++) {
		if (pages->table[i].time != 0)
			*find(table, slots, pages->table[i].page) = pages->table[i];
	}
	free(pages->table);
	pages->table = table;
	pages->slots = slots;
	return STATUS_OK;
}

static enum status add(struct tarmac_pages *pages, uint32_t page, uint64_t time, uint32_t frame,
                       bool is_known)
{
	return word_log_add(&pages->log, &(struct word_event){.key = page,
	                                                      .time = time,
	                                                      .kind = WORD_WRITE,
	                                                      .touched = 0xff,
	                                                      .known = is_known ? 0xff : 0,
	                                                      .value = is_known ? frame : 0});
}

/* The page's first translation. */
static enum status add_first(struct tarmac_pages *pages, uint32_t page, uint32_t frame, bool is_own,
                             uint64_t time)
{
	pages->count++;
	pages->has_moved |= !is_own;
	if (is_own)
		return add(pages, page, 1, frame, true);
	if (time > 1)
		TRY(add(pages, page, 1, 0, false));
	return add(pages, page, time, frame, true);
}

static bool is_over(const struct tarmac_pages *pages, const struct tarmac_page *seen)
{
	return seen->time != 0 && seen->time < pages->ended;
}

/* It is elsewhere now: who is there now has others elsewhere, too. */
static void move(struct tarmac_pages *pages, const struct tarmac_page *seen, uint64_t *time)
{
	pages->has_moved = true;
	if (*time <= seen->time)
		*time = seen->time + 1;
	if (!is_over(pages, seen))
		tarmac_pages_end(pages, *time);
}

enum status tarmac_pages_see(struct tarmac_pages *pages, uint32_t page, uint32_t frame, bool is_own,
                             uint64_t time, bool *is_first)
{
	struct tarmac_page *seen;

	TRY(grow(pages));
	seen = find(pages->table, pages->slots, page);
	*is_first = seen->time == 0;
	if (*is_first) {
		TRY(add_first(pages, page, frame, is_own, time));
	} else if (frame != seen->frame || is_over(pages, seen)) {
		if (frame != seen->frame)
			move(pages, seen, &time);
		if (seen->time + HOLDS < time)
			TRY(add(pages, page, seen->time + HOLDS, 0, false));
		TRY(add(pages, page, time, frame, true));
		seen->stand_in = 0;
	} else if (time <= seen->time) {
		time = seen->time;
	}
	seen->page = page;
	seen->frame = frame;
	seen->time = time;
	return STATUS_OK;
}

uint32_t *tarmac_pages_stand_in(struct tarmac_pages *pages, uint32_t page)
{
	return &find(pages->table, pages->slots, page)->stand_in;
}

void tarmac_pages_end(struct tarmac_pages *pages, uint64_t time)
{
	if (time > pages->ended)
		pages->ended = time;
}

bool tarmac_pages_is_over(const struct tarmac_pages *pages, uint32_t page)
{
	return pages->slots > 0 && is_over(pages, find(pages->table, pages->slots, page));
}

uint32_t tarmac_pages_now(const struct tarmac_pages *pages, uint32_t page)
{
	const struct tarmac_page *seen;

	if (pages->slots == 0)
		return page;
	seen = find(pages->table, pages->slots, page);
	return seen->time != 0 ? seen->frame : page;
}

enum status tarmac_pages_finish(struct tarmac_pages *pages)
{
	for (size_t i = 0; i < pages->slots; i++) {
		const struct tarmac_page *seen = &pages->table[i];

		if (is_over(pages, seen))
			TRY(add(pages, seen->page, seen->time + HOLDS, 0, false));
	}
	free(pages->table);
	pages->table = NULL;
	pages->slots = 0;
	return word_log_finish(&pages->log, NULL, NULL);
}

bool tarmac_pages_at(const struct tarmac_pages *pages, uint32_t page, uint64_t time,
                     uint32_t *frame)
{
	uint64_t value;
	bool is_there;
	uint8_t known = word_log_at(&pages->log, page, time, &value, &is_there);

	*frame = is_there ? (uint32_t)value : page;
	return !is_there || known == 0xff;
}

bool tarmac_pages_any(const struct tarmac_pages *pages, uint32_t page, size_t index,
                      uint32_t *frame)
{
	uint64_t value;

	/* The log's first entry of a page is of no line. */
	if (!word_log_value(&pages->log, page, index + 1, &value)) {
		*frame = page;
		return index == 0;
	}
	*frame = (uint32_t)value;
	return true;
}

void tarmac_pages_fini(struct tarmac_pages *pages)
{
	free(pages->table);
	word_log_fini(&pages->log);
	*pages = (struct tarmac_pages){0};
}
