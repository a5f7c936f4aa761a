/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a core over time; see tarmac_pages.h. */
#include "replay/tarmac/tarmac_pages.h"

#include <stdlib.h>

#include "base/hash.h"

enum {
	FIRST_SLOTS = 64,
	HOLDS = 3, /* a translation holds up to the next instruction, see tarmac_store.h */
};

static const uint64_t in_page = (UINT64_C(1) << TARMAC_PAGE_BITS) - 1;

/* The page's place in the table, or the free one that it would take; there is always one. */
static struct tarmac_page *find(struct tarmac_page *table, size_t slots, uint64_t page)
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

static enum status add(struct tarmac_pages *pages, uint64_t page, uint64_t time, uint64_t physical,
                       bool is_known)
{
	return word_log_add(&pages->log, &(struct word_event){.key = page,
	                                                      .time = time,
	                                                      .kind = WORD_WRITE,
	                                                      .touched = 0xff,
	                                                      .known = is_known ? 0xff : 0,
	                                                      .value = is_known ? physical : 0});
}

enum status tarmac_pages_see(struct tarmac_pages *pages, uint64_t address, uint64_t physical,
                             uint64_t time)
{
	uint64_t number = address >> TARMAC_PAGE_BITS;
	uint64_t to = physical >> TARMAC_PAGE_BITS;
	struct tarmac_page *page;
	uint64_t before;

	TRY(grow(pages));
	page = find(pages->table, pages->slots, number);
	before = page->time != 0 ? page->physical : number;
	pages->count += page->time == 0;
	if (time <= page->time)
		time = page->time + (to != before);
	/* The log is about pages that are others, or once were. */
	if (to != before) {
		uint64_t until = page->time != 0 ? page->time + HOLDS : 1;

		pages->has_moved = true;
		if (until < time)
			TRY(add(pages, number, until, 0, false));
		TRY(add(pages, number, time, to, true));
	}
	*page = (struct tarmac_page){number, to, time};
	return STATUS_OK;
}

uint64_t tarmac_pages_now(const struct tarmac_pages *pages, uint64_t address)
{
	const struct tarmac_page *page;

	if (!pages->has_moved)
		return address;
	page = find(pages->table, pages->slots, address >> TARMAC_PAGE_BITS);
	return page->time != 0 ? page->physical << TARMAC_PAGE_BITS | (address & in_page) : address;
}

/* Up to its first event, which is of time 1 where nobody saw it so, a page is its own. */
static uint8_t own_page(void *context, uint64_t key, uint64_t *value)
{
	(void)context;
	*value = key;
	return 0xff;
}

enum status tarmac_pages_finish(struct tarmac_pages *pages)
{
	free(pages->table);
	pages->table = NULL;
	pages->slots = 0;
	return word_log_finish(&pages->log, own_page, NULL);
}

bool tarmac_pages_at(const struct tarmac_pages *pages, uint64_t address, uint64_t time,
                     uint64_t *physical)
{
	uint64_t page;
	bool is_there;
	uint8_t known;

	*physical = address;
	if (!pages->has_moved)
		return true;
	known = word_log_at(&pages->log, address >> TARMAC_PAGE_BITS, time, &page, &is_there);
	if (is_there)
		*physical = page << TARMAC_PAGE_BITS | (address & in_page);
	return !is_there || known == 0xff;
}

bool tarmac_pages_any(const struct tarmac_pages *pages, uint64_t address, size_t index,
                      uint64_t *physical)
{
	uint64_t page;

	if (!word_log_value(&pages->log, address >> TARMAC_PAGE_BITS, index, &page)) {
		*physical = address;
		return index == 0;
	}
	*physical = page << TARMAC_PAGE_BITS | (address & in_page);
	return true;
}

void tarmac_pages_fini(struct tarmac_pages *pages)
{
	free(pages->table);
	word_log_fini(&pages->log);
	*pages = (struct tarmac_pages){0};
}
