/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frame each page of a regime is, over time, as the lines of a Tarmac text say it of one
 * core. In: pairs of frames (tarmac_frames.h), a regime's and a physical one. Out: the frame at a
 * time. So memory is kept by physical addresses, and processes, worlds, and two names of one place,
 * do not mix.
 *
 * A page that no line translates is its own frame. One whose first translation is to the same
 * address is taken to have been so before; another translation is known from the first line that
 * shows it to the last one before a different one. What changes one page may change all: with a
 * different translation of any page, and at tarmac_pages_end(), those of all others are over, and
 * each is known again from the next line that shows it.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_LOG_TARMAC_PAGES_H
#define CSREPLAY_REPLAY_TARMAC_LOG_TARMAC_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "replay/tarmac/log/word_log.h"

struct tarmac_page {
	uint32_t page; /* the regime's frame */
	uint32_t frame;
	uint32_t stand_in; /* frame for accesses since then whose lines do not say it; 0: none */
	uint64_t time;     /* last seen; 0: this place in the table is free */
};

struct tarmac_pages {
	struct tarmac_page *table; /* open addressing */
	size_t slots;
	size_t count;
	struct word_log log; /* key: the regime's frame; value: what it is */
	bool has_moved;      /* some page is not at its own address */
	uint64_t ended;      /* translations that were seen before this time last are over */
};

/*
 * A line's page and its frame at `time`, which is not before that of calls before. `is_own`: they
 * have one address. *is_first: it is the page's first translation. NO_MEM.
 */
MUST_USE enum status tarmac_pages_see(struct tarmac_pages *pages, uint32_t page, uint32_t frame,
                                      bool is_own, uint64_t time, bool *is_first);

/* From `time` on another translation may be in force. */
void tarmac_pages_end(struct tarmac_pages *pages, uint64_t time);

/* The page was seen, and its translation is over. */
bool tarmac_pages_is_over(const struct tarmac_pages *pages, uint32_t page);

/* The frame as it was seen last; the page itself if it never was. */
uint32_t tarmac_pages_now(const struct tarmac_pages *pages, uint32_t page);

/*
 * Where the stand-in of a page that was seen is kept; it goes when another translation is seen, or
 * one after the page's was over.
 */
uint32_t *tarmac_pages_stand_in(struct tarmac_pages *pages, uint32_t page);

/* To be called once, after the last line; only the functions below may be called then. NO_MEM. */
MUST_USE enum status tarmac_pages_finish(struct tarmac_pages *pages);

/* The frame at `time`; false if it is not known. */
bool tarmac_pages_at(const struct tarmac_pages *pages, uint32_t page, uint64_t time,
                     uint32_t *frame);

/*
 * Every frame that `page` was, `index` from 0, some more than once; false after the last one.
 */
bool tarmac_pages_any(const struct tarmac_pages *pages, uint32_t page, size_t index,
                      uint32_t *frame);

void tarmac_pages_fini(struct tarmac_pages *pages);

#endif
