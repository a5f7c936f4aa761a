/* SPDX-License-Identifier: Apache-2.0 */
/* Two sequences beside each other; see the header for the method and what it costs. */
#include "replay/compare/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	FIRST_WINDOW = 64,
	WINDOW_GROWTH = 4,
	STRETCH_MOST = 1 << 16, /* positions that are reported the same at once */
	REFINE_MOST = 256, /* positions of a side within which a shorter anchor is looked for */
	REFINE_ANCHOR = 2,
	CLOSE_WINDOW = 1024, /* where a window of that size has no anchor, */
	CLOSE_ANCHOR = 3,  /* one of this length counts if it is within the first window's reach */
	ISLAND_MOST = 256, /* positions after a gap that are looked for as a whole */
	ISLAND_REACH = 16, /* so much farther than without a gap */
};

/* Keys from a position on, read ahead; after them stand end_keys if is_end. */
struct window {
	uint64_t *keys;
	size_t capacity;
	size_t read;  /* keys that are there */
	size_t count; /* of them, those to look at */
	bool is_end;  /* the side ends with it */
};

struct alignment {
	struct alignment_side sides[ALIGNMENT_SIDES];
	uint64_t at[ALIGNMENT_SIDES];
	uint64_t same; /* positions before `at` that were the same without a break */
	struct window windows[ALIGNMENT_SIDES];
	uint32_t *table; /* place in B's window + 1, by the hash of the anchor there */
	size_t table_capacity;
};

/* How far to go on in each side. */
struct jump {
	size_t a;
	size_t b;
};

static const uint64_t end_key = UINT64_MAX;
static const uint64_t hash_factor = 0x9e3779b97f4a7c15; /* odd; 2^64 / golden ratio */

enum status alignment_open(const struct alignment_side sides[ALIGNMENT_SIDES],
                           struct alignment **alignment)
{
	struct alignment *m = calloc(1, sizeof(*m));

	if (!m)
		return STATUS_NO_MEM;
	for (int i = 0; i < ALIGNMENT_SIDES; i++) {
		m->sides[i] = sides[i];
		m->at[i] = sides[i].begin;
	}
	*alignment = m;
	return STATUS_OK;
}

void alignment_close(struct alignment *alignment)
{
	if (!alignment)
		return;
	for (int i = 0; i < ALIGNMENT_SIDES; i++)
		free(alignment->windows[i].keys);
	free(alignment->table);
	free(alignment);
}

static uint64_t key_at(const struct alignment *m, int side, uint64_t position)
{
	return m->sides[side].key(m->sides[side].context, position);
}

static bool has_gap(const struct alignment *m, int side, uint64_t from, uint64_t to)
{
	uint64_t gap = m->sides[side].next_gap(m->sides[side].context, from);

	return gap != ALIGNMENT_NO_GAP && gap <= to;
}

static uint64_t left(const struct alignment *m, int side)
{
	return m->sides[side].end - m->at[side];
}

/* The window of `side` is `size` keys from here on, or all that are left. */
static enum status fill(struct alignment *m, int side, size_t size)
{
	struct window *w = &m->windows[side];
	uint64_t rest = left(m, side);
	size_t count = rest < size ? (size_t)rest : size;

	TRY(vec_reserve((void **)&w->keys, &w->capacity, count + ALIGNMENT_ANCHOR,
	                sizeof(*w->keys)));
	for (; w->read < count; w->read++)
		w->keys[w->read] = key_at(m, side, m->at[side] + w->read);
	w->count = count;
	w->is_end = count == rest;
	for (size_t i = 0; w->is_end && i < ALIGNMENT_ANCHOR; i++)
		w->keys[count + i] = end_key;
	return STATUS_OK;
}

/* How many anchors of `length` keys begin in the window, the one wholly after the end too. */
static size_t anchors(const struct window *w, size_t length)
{
	if (w->is_end)
		return w->count + 1;
	return w->count >= length ? w->count - length + 1 : 0;
}

/* The hash of `length` keys rolls on: times the factor, plus the next, minus the oldest. */
struct roll {
	uint64_t hash;
	uint64_t oldest_factor; /* hash_factor to the power of length */
	size_t length;
};

static struct roll roll_begin(const uint64_t *keys, size_t length)
{
	struct roll roll = {.oldest_factor = 1, .length = length};

	for (size_t i = 0; i < length; i++) {
		roll.hash = roll.hash * hash_factor + keys[i];
		roll.oldest_factor *= hash_factor;
	}
	return roll;
}

static void roll_on(struct roll *roll, const uint64_t *keys)
{
	roll->hash = roll->hash * hash_factor + keys[roll->length] - keys[0] * roll->oldest_factor;
}

/* A hash's place in a table of `size`, a power of two; its high bits are the good ones. */
static size_t place_of(uint64_t hash, size_t size)
{
	hash ^= hash >> 32;
	return (size_t)((hash * hash_factor) >> 32) & (size - 1);
}

static bool is_same(const uint64_t *a, const uint64_t *b, size_t length)
{
	return memcmp(a, b, length * sizeof(*a)) == 0;
}

/* Room for twice as many entries as `count`, all free. */
static enum status clear_table(struct alignment *m, size_t count, size_t *size)
{
	*size = FIRST_WINDOW;
	while (*size < 2 * count)
		*size *= 2;
	TRY(vec_reserve((void **)&m->table, &m->table_capacity, *size, sizeof(*m->table)));
	memset(m->table, 0, *size * sizeof(*m->table));
	return STATUS_OK;
}

/* The entry of the anchor at `keys`, or the free one that it belongs to. */
static uint32_t *find_entry(const struct alignment *m, size_t size, uint64_t hash,
                            const uint64_t *keys, size_t length)
{
	const uint64_t *b = m->windows[ALIGNMENT_B].keys;
	size_t place = place_of(hash, size);

	while (m->table[place] != 0 && !is_same(b + m->table[place] - 1, keys, length))
		place = (place + 1) & (size - 1);
	return &m->table[place];
}

/*
 * The first anchors of `length` keys in both windows by the sum of their distances, and of those
 * the one nearest in A. NOT_FOUND.
 */
static enum status find_anchor(struct alignment *m, size_t length, struct jump *jump)
{
	const struct window *a = &m->windows[ALIGNMENT_A];
	const struct window *b = &m->windows[ALIGNMENT_B];
	size_t a_count = anchors(a, length);
	size_t b_count = anchors(b, length);
	size_t best = SIZE_MAX;
	struct roll roll;
	size_t size;

	TRY(clear_table(m, b_count, &size));
	if (a_count == 0 || b_count == 0)
		return STATUS_NOT_FOUND;
	roll = roll_begin(b->keys, length);
	for (size_t i = 0; i < b_count; i++) {
		uint32_t *entry = find_entry(m, size, roll.hash, b->keys + i, length);

		if (*entry == 0) /* else it is at a nearer place, too */
			*entry = (uint32_t)(i + 1);
		if (i + 1 < b_count)
			roll_on(&roll, b->keys + i);
	}
	roll = roll_begin(a->keys, length);
	for (size_t i = 0; i < a_count && i < best; i++) {
		uint32_t entry = *find_entry(m, size, roll.hash, a->keys + i, length);

		if (entry != 0 && i + entry - 1 < best) {
			best = i + entry - 1;
			*jump = (struct jump){i, entry - 1};
		}
		if (i + 1 < a_count)
			roll_on(&roll, a->keys + i);
	}
	return best == SIZE_MAX ? STATUS_NOT_FOUND : STATUS_OK;
}

/*
 * `side` stands after a gap, so the other may have more: the nearest place in the other's window
 * where `side` goes on, up to its next gap. NOT_FOUND.
 */
static enum status find_island(const struct alignment *m, int side, size_t *distance)
{
	const struct window *here = &m->windows[side];
	const struct window *there = &m->windows[1 - side];
	uint64_t gap = m->sides[side].next_gap(m->sides[side].context, m->at[side] + 1);
	size_t length = here->count < ISLAND_MOST ? here->count : ISLAND_MOST;
	struct roll wanted;
	struct roll roll;

	if (gap != ALIGNMENT_NO_GAP && gap - m->at[side] < length)
		length = (size_t)(gap - m->at[side]);
	if (length == 0 || there->count < length)
		return STATUS_NOT_FOUND;
	wanted = roll_begin(here->keys, length);
	roll = roll_begin(there->keys, length);
	for (size_t i = 0;; i++) {
		if (roll.hash == wanted.hash && is_same(here->keys, there->keys + i, length)) {
			*distance = i;
			return STATUS_OK;
		}
		if (i + length == there->count)
			return STATUS_NOT_FOUND;
		roll_on(&roll, there->keys + i);
	}
}

/* Where a gap lets the other side have more. NOT_FOUND. */
static enum status jump_gap(const struct alignment *m, const bool gaps[ALIGNMENT_SIDES],
                            struct jump *jump)
{
	*jump = (struct jump){0, 0};
	if (gaps[ALIGNMENT_A] && find_island(m, ALIGNMENT_A, &jump->b) == STATUS_OK)
		return STATUS_OK;
	if (gaps[ALIGNMENT_B] && find_island(m, ALIGNMENT_B, &jump->a) == STATUS_OK)
		return STATUS_OK;
	return STATUS_NOT_FOUND;
}

/*
 * Between here and the jump only long anchors were missing: a shorter one is taken, for it is
 * certain that the two are about to meet.
 */
static enum status refine(struct alignment *m, struct jump *jump)
{
	struct jump nearer;
	enum status status;

	if (jump->a < REFINE_ANCHOR || jump->b < REFINE_ANCHOR || jump->a > REFINE_MOST ||
	    jump->b > REFINE_MOST)
		return STATUS_OK;
	for (int i = 0; i < ALIGNMENT_SIDES; i++) {
		struct window *w = &m->windows[i];

		w->count = i == ALIGNMENT_A ? jump->a : jump->b;
		w->is_end = false;
	}
	status = find_anchor(m, REFINE_ANCHOR, &nearer);
	if (status == STATUS_OK)
		*jump = nearer;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/*
 * Differences may be so close to each other that no anchor lies between them: rather than to pass
 * over many positions of both sides, a short one nearby is taken. Leaves the jump if there is none,
 * which NOT_FOUND says.
 */
static enum status find_close(struct alignment *m, struct jump *jump)
{
	struct jump nearer;

	TRY(fill(m, ALIGNMENT_A, FIRST_WINDOW));
	TRY(fill(m, ALIGNMENT_B, FIRST_WINDOW));
	TRY(find_anchor(m, CLOSE_ANCHOR, &nearer));
	*jump = nearer;
	return STATUS_OK;
}

/* An anchor in windows of `size`, which are filled. NOT_FOUND. */
static enum status find_in_windows(struct alignment *m, size_t size, struct jump *jump)
{
	enum status status = find_anchor(m, ALIGNMENT_ANCHOR, jump);
	bool is_far = jump->a >= FIRST_WINDOW && jump->b >= FIRST_WINDOW;

	if (status == STATUS_OK && !is_far)
		return refine(m, jump);
	if (status == STATUS_OK)
		status = find_close(m, jump);
	else if (status == STATUS_NOT_FOUND && size == CLOSE_WINDOW)
		return find_close(m, jump);
	else
		return status;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status fill_both(struct alignment *m, size_t size)
{
	TRY(fill(m, ALIGNMENT_A, size));
	return fill(m, ALIGNMENT_B, size);
}

static bool gap_at(const struct alignment *m, int side, uint64_t position)
{
	return has_gap(m, side, position, position);
}

/*
 * As find_in_windows(), for windows of `size` that are filled here. After a gap what the other
 * side has more is looked for first, and farther. NOT_FOUND leaves in the jump all that was looked
 * at.
 */
static enum status find_within(struct alignment *m, size_t size, struct jump *jump)
{
	const bool gaps[ALIGNMENT_SIDES] = {
	        gap_at(m, ALIGNMENT_A, m->at[ALIGNMENT_A]),
	        gap_at(m, ALIGNMENT_B, m->at[ALIGNMENT_B]),
	};
	size_t far =
	        size * ISLAND_REACH < ALIGNMENT_HORIZON ? size * ISLAND_REACH : ALIGNMENT_HORIZON;

	if (gaps[ALIGNMENT_A] || gaps[ALIGNMENT_B]) {
		TRY(fill_both(m, far));
		if (jump_gap(m, gaps, jump) == STATUS_OK)
			return STATUS_OK;
	}
	TRY(fill_both(m, size));
	*jump = (struct jump){m->windows[ALIGNMENT_A].count, m->windows[ALIGNMENT_B].count};
	return find_in_windows(m, size, jump);
}

/* How far both sides go on until they meet again; over all of the horizon if they do not. */
static enum status find_jump(struct alignment *m, struct jump *jump)
{
	enum status status = STATUS_NOT_FOUND;

	m->windows[ALIGNMENT_A].read = 0;
	m->windows[ALIGNMENT_B].read = 0;
	for (size_t size = FIRST_WINDOW; status == STATUS_NOT_FOUND && size <= ALIGNMENT_HORIZON;
	     size *= WINDOW_GROWTH)
		status = find_within(m, size, jump);
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/*
 * What one side has more may as well begin earlier, as long as its last positions are those before
 * it (another turn of a loop): true if the other side has a gap at such a place.
 */
static bool slides_to_gap(const struct alignment *m, int longer, uint64_t count)
{
	int shorter = 1 - longer;
	uint64_t at = m->at[shorter];

	if (!has_gap(m, shorter, at - m->same, at))
		return false;
	for (uint64_t i = 0;; i++) {
		if (has_gap(m, shorter, at - i, at - i))
			return true;
		if (i == m->same || key_at(m, shorter, at - i - 1) !=
		                            key_at(m, longer, m->at[longer] + count - i - 1))
			return false;
	}
}

/*
 * Both have instructions that the other has not: that is what two losses leave, one after the
 * other, if the one that lost first is the one that goes on first.
 */
static bool are_two_losses(const struct alignment *m, const uint64_t count[ALIGNMENT_SIDES])
{
	for (int i = 0; i < ALIGNMENT_SIDES; i++) {
		if (m->at[i] + count[i] == m->sides[i].end)
			return false;
	}
	for (int i = 0; i < ALIGNMENT_SIDES; i++) {
		if (gap_at(m, i, m->at[i]) && gap_at(m, 1 - i, m->at[1 - i] + count[1 - i]))
			return true;
	}
	return false;
}

/* True if gaps account for the different stretch. */
static bool is_gap(const struct alignment *m, const uint64_t count[ALIGNMENT_SIDES])
{
	int longer = count[ALIGNMENT_A] > 0 ? ALIGNMENT_A : ALIGNMENT_B;

	if (count[ALIGNMENT_A] > 0 && count[ALIGNMENT_B] > 0)
		return are_two_losses(m, count);
	return slides_to_gap(m, longer, count[longer]);
}

static uint64_t count_same(const struct alignment *m)
{
	uint64_t most = left(m, ALIGNMENT_A) < left(m, ALIGNMENT_B) ? left(m, ALIGNMENT_A)
	                                                            : left(m, ALIGNMENT_B);
	uint64_t count = 0;

	while (count < most && count < STRETCH_MOST &&
	       key_at(m, ALIGNMENT_A, m->at[ALIGNMENT_A] + count) ==
	               key_at(m, ALIGNMENT_B, m->at[ALIGNMENT_B] + count))
		count++;
	return count;
}

enum status alignment_next(struct alignment *alignment, struct alignment_stretch *stretch)
{
	struct alignment_stretch s = {
	        .position = {alignment->at[ALIGNMENT_A], alignment->at[ALIGNMENT_B]}};

	s.count[ALIGNMENT_A] = count_same(alignment);
	s.count[ALIGNMENT_B] = s.count[ALIGNMENT_A];
	s.is_same = s.count[ALIGNMENT_A] > 0;
	if (!s.is_same) {
		struct jump jump;

		if (left(alignment, ALIGNMENT_A) == 0 && left(alignment, ALIGNMENT_B) == 0)
			return STATUS_END;
		if (left(alignment, ALIGNMENT_A) == 0 || left(alignment, ALIGNMENT_B) == 0) {
			s.count[ALIGNMENT_A] = left(alignment, ALIGNMENT_A);
			s.count[ALIGNMENT_B] = left(alignment, ALIGNMENT_B);
		} else {
			TRY(find_jump(alignment, &jump));
			s.count[ALIGNMENT_A] = jump.a;
			s.count[ALIGNMENT_B] = jump.b;
		}
		s.is_gap = is_gap(alignment, s.count);
	}
	alignment->same = s.is_same ? alignment->same + s.count[ALIGNMENT_A] : 0;
	for (int i = 0; i < ALIGNMENT_SIDES; i++)
		alignment->at[i] += s.count[i];
	*stretch = s;
	return STATUS_OK;
}
