/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What words of 8 bytes held over time, as a trace with data shows it: memory by address, registers
 * by number. In: writes and reads of some of a word's bytes, in the order in which they happened.
 * Out: the bytes at any time, as far as they are proved.
 *
 * What is proved: a write says what the bytes are from then on, a read what they were since the
 * write before it. Where a read shows other bytes than the trace has last shown, somebody else
 * wrote in between; they are known at the moment that showed them and not from there on. A loss
 * is a moment at which any word may have been written: nothing is carried over it.
 *
 * Times are numbers that the owner gives; events of one time are in the order in which they were
 * added. Stored are 16 bytes an event and 16 a word: a look at a word is two binary searches.
 * Invariants once it is finished: words are in order of key, the events of each in order of time,
 * and the first of each is of time 0 and no event, but what was there before all.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_LOG_WORD_LOG_H
#define CSREPLAY_REPLAY_TARMAC_LOG_WORD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define WORD_TIME_MOST ((UINT64_C(1) << 38) - 1)

enum word_kind {
	WORD_READ,
	WORD_WRITE,
	WORD_FETCH, /* a read that is no data access */
};

/* Masks have bit i for byte i of the word. */
struct word_event {
	uint64_t key;
	uint64_t time; /* 1 to WORD_TIME_MOST; not before that of the key's last one */
	enum word_kind kind;
	uint8_t touched;
	uint8_t known;  /* of these the bytes that the event says; within `touched` */
	uint64_t value; /* 0 where not known */
};

struct word_entry;
struct word_raw;

struct word {
	uint64_t key;
	size_t first; /* entry; the next word's is the end */
};

struct word_log {
	struct word_raw *raw; /* until it is finished */
	size_t raw_count;
	size_t raw_capacity;
	struct word *words; /* and one after the last */
	size_t word_count;
	struct word_entry *entries;
	size_t entry_count;
	uint64_t *losses; /* times */
	size_t loss_count;
	size_t loss_capacity;
	/* Asked now and then by word_log_finish(), which ends where it is false. NULL: never. */
	bool (*go_on)(void *context);
	void *go_on_context;
};

/* What a word held before the first event; returns a mask of the bytes that are known. */
typedef uint8_t word_base(void *context, uint64_t key, uint64_t *value);

/* A zeroed log is empty. NO_MEM; UNSUPPORTED after WORD_TIME_MOST. */
MUST_USE enum status word_log_add(struct word_log *log, const struct word_event *event);

/* Nothing is carried over `time`. NO_MEM. */
MUST_USE enum status word_log_lose(struct word_log *log, uint64_t time);

/*
 * Which keys an event of `key` is about: index 0 is its own, further ones are of words that a write
 * may be to, too. False after the last; there is always an own one.
 */
typedef bool word_spread(void *context, uint64_t key, unsigned int index, uint64_t *to);

/*
 * Moves each event to its own key, and makes unknown what a write touches in the other words.
 * Before word_log_finish(). NO_MEM.
 */
MUST_USE enum status word_log_spread(struct word_log *log, word_spread *keys, void *context);

/* To be called once, after the last event; `base` may be NULL: nothing is known. NO_MEM;
 * INTERRUPTED.
 */
MUST_USE enum status word_log_finish(struct word_log *log, word_base *base, void *context);

void word_log_fini(struct word_log *log);

/*
 * The word at `time`, with all events of that time; a write at time - 1 counts as one of this
 * moment. Returns a mask of the bytes that are known; others are 0 in `value`. *is_there is false
 * for a word without events, of which only the owner's base says something. O(log n).
 */
uint8_t word_log_at(const struct word_log *log, uint64_t key, uint64_t time, uint64_t *value,
                    bool *is_there);

/*
 * True if there was a loss in [from, to]: of an event at the very time of a loss nothing says which
 * of them was first.
 */
bool word_log_lost(const struct word_log *log, uint64_t from, uint64_t to);

/* An event that a search finds. */
struct word_hit {
	uint64_t key;
	uint64_t time;
	enum word_kind kind;
	uint8_t touched;
};

struct word_search {
	uint64_t key;
	uint8_t touched;    /* any of these bytes */
	unsigned int kinds; /* set of 1 << enum word_kind */
	/* Whether the event counts; asked of those that fit. NULL: all do. */
	bool (*wanted)(void *context, const struct word_hit *hit);
	void *context;
};

/* The first event with time >= `from`, or the last one with time < `from`. False if there is none.
 */
bool word_log_next(const struct word_log *log, const struct word_search *search, uint64_t from,
                   struct word_hit *hit);
bool word_log_last(const struct word_log *log, const struct word_search *search, uint64_t from,
                   struct word_hit *hit);

/* The value after event `index` of a word, unknown bytes as 0; false if there is none. */
bool word_log_value(const struct word_log *log, uint64_t key, size_t index, uint64_t *value);

#endif
