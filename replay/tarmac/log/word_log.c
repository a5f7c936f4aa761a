/* SPDX-License-Identifier: Apache-2.0 */
/* Words over time; see word_log.h. */
#include "replay/tarmac/log/word_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Bits of `when`: masks, kind, time. */
enum {
	WHEN_AFTER = 0, /* bytes known until the next entry */
	WHEN_EXACT = 8, /* bytes known at this very time; among them those of AFTER */
	WHEN_TOUCHED = 16,
	WHEN_KIND = 24,
	WHEN_TIME = 26,
	KIND_MASK = 3,
	RADIX_BITS = 8,
	RADIX = 1 << RADIX_BITS,
	DIGITS = 64 / RADIX_BITS,
};

struct word_entry {
	uint64_t when;
	uint64_t value;
};

struct word_raw {
	uint64_t key;
	struct word_entry entry; /* AFTER: what the event says */
};

static uint8_t mask_at(const struct word_entry *e, unsigned int shift)
{
	return (uint8_t)(e->when >> shift);
}

static void set_mask(struct word_entry *e, unsigned int shift, uint8_t mask)
{
	e->when = (e->when & ~(UINT64_C(0xff) << shift)) | (uint64_t)mask << shift;
}

static enum word_kind kind_of(const struct word_entry *e)
{
	return (enum word_kind)(e->when >> WHEN_KIND & KIND_MASK);
}

static uint64_t time_of(const struct word_entry *e)
{
	return e->when >> WHEN_TIME;
}

/* All bits of the bytes that the mask names. */
static uint64_t spread(uint8_t mask)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 8; i++)
		bits |= (mask & 1U << i) != 0 ? UINT64_C(0xff) << (8 * i) : 0;
	return bits;
}

/* The bytes in which the two words differ. */
static uint8_t differing(uint64_t a, uint64_t b)
{
	uint8_t mask = 0;

	for (unsigned int i = 0; i < 8; i++)
		mask |= (uint8_t)(((a ^ b) >> (8 * i) & 0xff) != 0 ? 1U << i : 0);
	return mask;
}

enum status word_log_add(struct word_log *log, const struct word_event *event)
{
	if (event->time > WORD_TIME_MOST)
		return STATUS_UNSUPPORTED;
	TRY(vec_reserve((void **)&log->raw, &log->raw_capacity, log->raw_count + 1,
	                sizeof(*log->raw)));
	log->raw[log->raw_count++] = (struct word_raw){
	        event->key,
	        {event->time << WHEN_TIME | (uint64_t)event->kind << WHEN_KIND |
	                 (uint64_t)event->touched << WHEN_TOUCHED |
	                 (uint64_t)event->known << WHEN_AFTER,
	         event->value},
	};
	return STATUS_OK;
}

enum status word_log_lose(struct word_log *log, uint64_t time)
{
	if (log->loss_count > 0 && log->losses[log->loss_count - 1] == time)
		return STATUS_OK;
	TRY(vec_reserve((void **)&log->losses, &log->loss_capacity, log->loss_count + 1,
	                sizeof(*log->losses)));
	log->losses[log->loss_count++] = time;
	return STATUS_OK;
}

bool word_log_lost(const struct word_log *log, uint64_t from, uint64_t to)
{
	size_t low = 0;
	size_t high = log->loss_count;

	/* The first loss at or after `from`. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->losses[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->loss_count && log->losses[low] <= to;
}

static void sort_digit(const struct word_raw *from, struct word_raw *to, size_t count,
                       const size_t *counts, unsigned int shift)
{
	size_t at[RADIX];
	size_t sum = 0;

	for (unsigned int i = 0; i < RADIX; i++) {
		at[i] = sum;
		sum += counts[i];
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i].key >> shift & (RADIX - 1)]++] = from[i];
}

static bool goes_on(const struct word_log *log)
{
	return !log->go_on || log->go_on(log->go_on_context);
}

/* By key, keeping the order of those that have the same: a digit at a time from the lowest up. */
static enum status sort(struct word_log *log)
{
	size_t(*counts)[RADIX] = calloc(DIGITS, sizeof(*counts));
	struct word_raw *other = malloc((log->raw_count + 1) * sizeof(*other));
	enum status status = STATUS_OK;

	if (!counts || !other) {
		free(counts);
		free(other);
		return STATUS_NO_MEM;
	}
	for (size_t i = 0; i < log->raw_count; i++) {
		for (unsigned int d = 0; d < DIGITS; d++)
			counts[d][log->raw[i].key >> (d * RADIX_BITS) & (RADIX - 1)]++;
	}
	for (unsigned int d = 0; d < DIGITS && log->raw_count > 0 && status == STATUS_OK; d++) {
		unsigned int shift = d * RADIX_BITS;
		struct word_raw *sorted = other;

		if (counts[d][log->raw[0].key >> shift & (RADIX - 1)] == log->raw_count)
			continue;
		sort_digit(log->raw, other, log->raw_count, counts[d], shift);
		other = log->raw;
		log->raw = sorted;
		status = goes_on(log) ? STATUS_OK : STATUS_INTERRUPTED;
	}
	free(counts);
	free(other);
	return status;
}

/* From the past: each entry gets what was known and what its event says. */
static void carry_forward(const struct word_log *log, struct word_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct word_entry *e = &entries[i];
		const struct word_entry *before = &entries[i - 1];
		uint8_t touched = mask_at(e, WHEN_TOUCHED);
		uint8_t says = mask_at(e, WHEN_AFTER);
		uint8_t known = mask_at(before, WHEN_EXACT);

		if (word_log_lost(log, time_of(before), time_of(e)))
			known = 0;
		if (kind_of(e) == WORD_WRITE)
			known &= (uint8_t)~touched;
		known &= (uint8_t)~says;
		e->value = (e->value & spread(says)) | (before->value & spread(known));
		set_mask(e, WHEN_EXACT, known | says);
		set_mask(e, WHEN_AFTER, known | says);
	}
}

/* From the future: a read says what was there since the write before it. */
static void carry_backward(const struct word_log *log, struct word_entry *entries, size_t count,
                           uint8_t *reads)
{
	uint64_t value = 0;
	uint8_t known = 0;

	for (size_t i = count; i-- > 0;) {
		struct word_entry *e = &entries[i];
		uint8_t after = mask_at(e, WHEN_AFTER);
		uint8_t differs;
		uint8_t learned;

		if (i + 1 < count && word_log_lost(log, time_of(e), time_of(&entries[i + 1])))
			known = 0;
		learned = known & (uint8_t)~after;
		differs = known & after & differing(value, e->value);
		e->value |= value & spread(learned);
		set_mask(e, WHEN_EXACT, mask_at(e, WHEN_EXACT) | learned);
		set_mask(e, WHEN_AFTER, (after | learned) & (uint8_t)~differs);
		if (kind_of(e) == WORD_WRITE) {
			known &= (uint8_t)~mask_at(e, WHEN_TOUCHED);
		} else {
			value = (value & ~spread(reads[i])) | (e->value & spread(reads[i]));
			known |= reads[i];
		}
	}
}

/* The entries of one word; `reads` is room for as many masks. */
static void settle(const struct word_log *log, struct word_entry *entries, size_t count,
                   uint8_t *reads)
{
	for (size_t i = 0; i < count; i++)
		reads[i] = i > 0 && kind_of(&entries[i]) != WORD_WRITE
		                   ? mask_at(&entries[i], WHEN_AFTER)
		                   : 0;
	carry_forward(log, entries, count);
	carry_backward(log, entries, count, reads);
}

static size_t count_words(const struct word_log *log, size_t *longest)
{
	size_t count = 0;
	size_t begin = 0;

	*longest = 0;
	for (size_t i = 0; i < log->raw_count; i++) {
		if (i == 0 || log->raw[i].key != log->raw[i - 1].key) {
			count++;
			begin = i;
		}
		if (i + 1 - begin > *longest)
			*longest = i + 1 - begin;
	}
	return count;
}

static struct word_entry first_entry(word_base *base, void *context, uint64_t key)
{
	struct word_entry e = {0};
	uint8_t known = base ? base(context, key, &e.value) : 0;

	e.value &= spread(known);
	set_mask(&e, WHEN_EXACT, known);
	set_mask(&e, WHEN_AFTER, known);
	return e;
}

static enum status fill(struct word_log *log, word_base *base, void *context, uint8_t *reads)
{
	size_t next;

	for (size_t i = 0; i < log->raw_count; i = next) {
		struct word *word = &log->words[log->word_count++];

		*word = (struct word){log->raw[i].key, log->entry_count};
		log->entries[log->entry_count++] = first_entry(base, context, word->key);
		for (next = i; next < log->raw_count && log->raw[next].key == word->key; next++)
			log->entries[log->entry_count++] = log->raw[next].entry;
		settle(log, &log->entries[word->first], log->entry_count - word->first, reads);
		if (!goes_on(log))
			return STATUS_INTERRUPTED;
	}
	log->words[log->word_count] = (struct word){UINT64_MAX, log->entry_count};
	return STATUS_OK;
}

/* The entry of a write of the same bytes, of which nothing is known. */
static struct word_entry veiled(struct word_entry entry)
{
	set_mask(&entry, WHEN_AFTER, 0);
	entry.value = 0;
	return entry;
}

/* How many entries there are with those of other words; `to` gets them, unless it is NULL. */
static size_t spread_all(const struct word_log *log, word_spread *keys, void *context,
                         struct word_raw *to)
{
	size_t count = 0;

	for (size_t i = 0; i < log->raw_count; i++) {
		struct word_raw raw = log->raw[i];

		for (unsigned int k = 0; keys(context, log->raw[i].key, k, &raw.key); k++) {
			if (to)
				to[count] = raw;
			count++;
			if (kind_of(&raw.entry) != WORD_WRITE)
				break;
			raw.entry = veiled(raw.entry);
		}
	}
	return count;
}

enum status word_log_spread(struct word_log *log, word_spread *keys, void *context)
{
	size_t count = spread_all(log, keys, context, NULL);
	struct word_raw *raw;

	if (count == log->raw_count) { /* each goes where it is */
		spread_all(log, keys, context, log->raw);
		return STATUS_OK;
	}
	raw = malloc((count + 1) * sizeof(*raw));
	if (!raw)
		return STATUS_NO_MEM;
	spread_all(log, keys, context, raw);
	free(log->raw);
	log->raw = raw;
	log->raw_count = log->raw_capacity = count;
	return STATUS_OK;
}

enum status word_log_finish(struct word_log *log, word_base *base, void *context)
{
	size_t longest;
	size_t words;
	uint8_t *reads;
	enum status status;

	TRY(sort(log));
	words = count_words(log, &longest);
	reads = malloc(longest + 1);
	log->words = malloc((words + 1) * sizeof(*log->words));
	log->entries = malloc((log->raw_count + words + 1) * sizeof(*log->entries));
	if (!reads || !log->words || !log->entries) {
		free(reads);
		return STATUS_NO_MEM;
	}
	status = fill(log, base, context, reads);
	free(reads);
	free(log->raw);
	log->raw = NULL;
	log->raw_count = 0;
	log->raw_capacity = 0;
	log->go_on = NULL;
	return status;
}

void word_log_fini(struct word_log *log)
{
	free(log->raw);
	free(log->words);
	free(log->entries);
	free(log->losses);
	*log = (struct word_log){0};
}

static const struct word *find_word(const struct word_log *log, uint64_t key)
{
	size_t low = 0;
	size_t high = log->word_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (log->words[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->word_count && log->words[low].key == key ? &log->words[low] : NULL;
}

/* The first entry of the word with time >= `time`, or its end. */
static size_t find_entry(const struct word_log *log, const struct word *word, uint64_t time)
{
	size_t low = word->first;
	size_t high = word[1].first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (time_of(&log->entries[middle]) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint8_t word_log_at(const struct word_log *log, uint64_t key, uint64_t time, uint64_t *value,
                    bool *is_there)
{
	const struct word *word = find_word(log, key);
	const struct word_entry *e;
	uint8_t known;
	bool is_exact;

	*value = 0;
	*is_there = word != NULL;
	if (!word)
		return 0;
	e = &log->entries[find_entry(log, word, time + 1) - 1];
	is_exact = time_of(e) == time || (kind_of(e) == WORD_WRITE && time_of(e) + 1 == time);
	known = mask_at(e, is_exact ? WHEN_EXACT : WHEN_AFTER);
	if (word_log_lost(log, time_of(e), time))
		known = 0;
	*value = e->value & spread(known);
	return known;
}

static bool fits(const struct word_log *log, const struct word_search *search, size_t index,
                 struct word_hit *hit)
{
	const struct word_entry *e = &log->entries[index];

	*hit = (struct word_hit){search->key, time_of(e), kind_of(e), mask_at(e, WHEN_TOUCHED)};
	return (hit->touched & search->touched) != 0 && (search->kinds >> hit->kind & 1U) != 0 &&
	       (!search->wanted || search->wanted(search->context, hit));
}

bool word_log_next(const struct word_log *log, const struct word_search *search, uint64_t from,
                   struct word_hit *hit)
{
	const struct word *word = find_word(log, search->key);

	for (size_t i = word ? find_entry(log, word, from) : 0; word && i < word[1].first; i++) {
		if (fits(log, search, i, hit))
			return true;
	}
	return false;
}

bool word_log_last(const struct word_log *log, const struct word_search *search, uint64_t from,
                   struct word_hit *hit)
{
	const struct word *word = find_word(log, search->key);

	for (size_t i = word ? find_entry(log, word, from) : 0; word && i-- > word->first;) {
		if (fits(log, search, i, hit))
			return true;
	}
	return false;
}

bool word_log_value(const struct word_log *log, uint64_t key, size_t index, uint64_t *value)
{
	const struct word *word = find_word(log, key);

	if (!word || index >= word[1].first - word->first)
		return false;
	*value = log->entries[word->first + index].value;
	return true;
}
