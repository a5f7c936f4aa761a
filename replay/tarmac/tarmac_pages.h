/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which physical page each page of addresses is, over time, as the lines of a Tarmac text say it of
 * one core. In: pairs of addresses. Out: the physical address at a time. So memory is kept by
 * physical addresses, and processes, and two names of one place, do not mix.
 *
 * An address whose page no line translates is its own physical address. A page that is its own is
 * taken to be so until a line says otherwise; another translation is known from the first line
 * that shows it to the last one before a different one.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_PAGES_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "replay/tarmac/word_log.h"

enum { TARMAC_PAGE_BITS = 12 };

struct tarmac_page {
	uint64_t page; /* number, of the address */
	uint64_t physical;
	uint64_t time; /* last seen; 0: this place in the table is free */
};

struct tarmac_pages {
	struct tarmac_page *table; /* open addressing */
	size_t slots;
	size_t count;
	struct word_log log;
	bool has_moved; /* some page is not its own */
};

/* A line's address and its physical one at `time`, which is not before that of calls before. */
MUST_USE enum status tarmac_pages_see(struct tarmac_pages *pages, uint64_t address,
                                      uint64_t physical, uint64_t time);

/* The physical address as it was seen last; the address itself if it never was. */
uint64_t tarmac_pages_now(const struct tarmac_pages *pages, uint64_t address);

/* To be called once, after the last line; only the functions below may be called then. NO_MEM. */
MUST_USE enum status tarmac_pages_finish(struct tarmac_pages *pages);

/* The physical address at `time`; false if it is not known. */
bool tarmac_pages_at(const struct tarmac_pages *pages, uint64_t address, uint64_t time,
                     uint64_t *physical);

/*
 * Every physical address that `address` had, `index` from 0, some more than once; false after the
 * last one.
 */
bool tarmac_pages_any(const struct tarmac_pages *pages, uint64_t address, size_t index,
                      uint64_t *physical);

void tarmac_pages_fini(struct tarmac_pages *pages);

#endif
