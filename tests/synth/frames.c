/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CoreSight trace formatter; see frames.h. Of a frame's 16 bytes the even ones hold seven bits
 * of data or, with bit 0 set, a new ID; byte 15 holds, a bit an even byte, bit 0 of that data, or
 * whether the new ID begins only after the byte that follows it.
 */
#include "tests/synth/frames.h"

struct item {
	unsigned int id;
	uint8_t byte;
};

/* Who is to send next. An exhausted interleaver yields ID 0 and zeros for ever. */
struct turns {
	const struct frame_stream *streams;
	size_t count;
	size_t *offsets;
	size_t current;
	size_t sent; /* bytes in this turn */
	size_t turn;
};

struct framer {
	struct buf *out;
	unsigned int id;
	uint8_t frame[16];
};

static struct item next_item(struct turns *t)
{
	for (size_t tries = 0; tries <= t->count; tries++) {
		const struct frame_stream *s = &t->streams[t->current];
		size_t *offset = &t->offsets[t->current];

		if (*offset < s->size && (t->turn == 0 || t->sent < t->turn)) {
			t->sent++;
			return (struct item){s->id, s->data[(*offset)++]};
		}
		t->current = (t->current + 1) % t->count;
		t->sent = 0;
	}
	return (struct item){0, 0};
}

/* Writes bytes `at` and `at` + 1, and returns how many of the two items they took. */
static unsigned int put_pair(struct framer *f, unsigned int at, const struct item *items)
{
	uint8_t aux = (uint8_t)(1U << (at / 2));
	bool has_odd = at != 14;

	if (items[0].id != f->id) {
		f->id = items[0].id;
		f->frame[at] = (uint8_t)(f->id << 1 | 1);
		if (has_odd)
			f->frame[at + 1] = items[0].byte;
		return has_odd ? 1 : 0;
	}
	if (has_odd && items[1].id != f->id) {
		f->id = items[1].id;
		f->frame[at] = (uint8_t)(f->id << 1 | 1);
		f->frame[at + 1] = items[0].byte;
		f->frame[15] |= aux;
		return 1;
	}
	f->frame[at] = items[0].byte & 0xfe;
	if (items[0].byte & 1)
		f->frame[15] |= aux;
	if (has_odd)
		f->frame[at + 1] = items[1].byte;
	return has_odd ? 2 : 1;
}

void frames_put(struct buf *out, const struct frame_stream *streams, size_t count,
                const struct frame_options *options)
{
	struct turns turns = {.streams = streams, .count = count, .turn = options->turn};
	struct framer f = {.out = out};
	struct item items[2];

	turns.offsets = calloc(count, sizeof(*turns.offsets));
	if (!turns.offsets) {
		out->failed = true;
		return;
	}
	items[0] = next_item(&turns);
	items[1] = next_item(&turns);
	for (unsigned int number = 0; items[0].id != 0; number++) {
		if (options->repeat != 0 && number % options->repeat == 0)
			f.id = 0;
		for (unsigned int i = 0; i < 16; i++)
			f.frame[i] = 0;
		for (unsigned int at = 0; at < 16; at += 2) {
			for (unsigned int n = put_pair(&f, at, items); n > 0; n--) {
				items[0] = items[1];
				items[1] = next_item(&turns);
			}
		}
		buf_add(out, f.frame, sizeof(f.frame));
	}
	free(turns.offsets);
}
