/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of its buffers a source's trace is read from; see source_buffers.h. Buffers are compared
 * as they are unpacked, with a rolling hash (Karp, Rabin 1987), so that of large ones no more than
 * a window lies in memory.
 */
#include "decoder/source_buffers.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/buffer_format.h"
#include "decoder/decoder.h"
#include "decoder/frame/frame.h"

/* An odd multiplier; the hash of bytes b0...bn is their polynomial in it, modulo 2^64. */
#define HASH_BASE UINT64_C(0x9e3779b97f4a7c15)

enum reader {
	AHEAD,  /* of the larger buffer: the window's end */
	BEHIND, /* and its begin */
	LARGE,
	SMALL,
	READERS,
};

/* What a buffer has of the source. */
struct content {
	size_t buffer; /* index in the snapshot */
	bool is_known; /* false: its format is not decoded */
	enum deframe_format format;
	uint64_t length; /* bytes of the source */
	uint64_t hash;   /* of all of them */
};

struct chooser {
	const struct snapshot *snapshot;
	const struct snap_source *source;
	uint8_t trace_id;
	struct content *contents; /* one for each buffer of the source */
	struct deframe *readers;  /* READERS, too large for the stack */
};

static const struct snap_buffer *buffer_of(const struct chooser *c, const struct content *content)
{
	return &c->snapshot->buffers[content->buffer];
}

static struct deframe *begin(const struct chooser *c, enum reader which,
                             const struct content *content)
{
	struct deframe *d = &c->readers[which];

	deframe_init(d, content->format, buffer_of(c, content)->data, c->trace_id);
	return d;
}

/* The source's next byte; false after the last one, or where there are no frames any more. */
static inline bool next_byte(struct deframe *d, uint8_t *byte)
{
	while (bytes_left(&d->bytes) == 0) {
		if (deframe_refill(d) != STATUS_OK)
			return false;
	}
	*byte = *d->bytes.pos++;
	return true;
}

static void measure(const struct chooser *c, struct content *content)
{
	struct deframe *reader = begin(c, AHEAD, content);
	uint8_t byte;

	while (next_byte(reader, &byte)) {
		content->hash = content->hash * HASH_BASE + byte;
		content->length++;
	}
}

/* True if the bytes of `small` are those of `large` from `at` on. */
static bool is_at(const struct chooser *c, const struct content *large, uint64_t at,
                  const struct content *small)
{
	struct deframe *in_large = begin(c, LARGE, large);
	struct deframe *in_small = begin(c, SMALL, small);
	uint8_t a;
	uint8_t b;

	for (uint64_t i = 0; i < at && next_byte(in_large, &a); i++)
		;
	while (next_byte(in_small, &b)) {
		if (!next_byte(in_large, &a) || a != b)
			return false;
	}
	return true;
}

/* HASH_BASE to the power of `exponent`. */
static uint64_t power_of_base(uint64_t exponent)
{
	uint64_t square = HASH_BASE;
	uint64_t power = 1;

	for (; exponent > 0; exponent >>= 1, square *= square)
		power *= exponent & 1 ? square : 1;
	return power;
}

/* True if the source's bytes in `small` are found, as a whole, in `large`. */
static bool holds(const struct chooser *c, const struct content *large, const struct content *small)
{
	uint64_t leaving = power_of_base(small->length);
	struct deframe *ahead = begin(c, AHEAD, large);
	struct deframe *behind = begin(c, BEHIND, large);
	uint64_t hash = 0;
	uint8_t in;
	uint8_t out;

	if (!large->is_known || !small->is_known || small->length > large->length)
		return false;
	for (uint64_t i = 1; next_byte(ahead, &in); i++) {
		hash = hash * HASH_BASE + in;
		if (i > small->length && next_byte(behind, &out))
			hash -= out * leaving;
		if (i >= small->length && hash == small->hash &&
		    is_at(c, large, i - small->length, small))
			return true;
	}
	return false;
}

static void note_copy(const struct chooser *c, const struct content *large,
                      const struct content *small, struct diag_list *diags)
{
	const struct snap_buffer *buffer = buffer_of(c, small);
	const struct snap_buffer *used = buffer_of(c, large);

	diag_note(diags, buffer->place,
	          "trace source \"%.*s\": its %llu bytes in buffer \"%.*s\" are found in its %llu "
	          "bytes in \"%.*s\"; the same trace, which is used once",
	          STR_ARG(c->source->device->name), (unsigned long long)small->length,
	          STR_ARG(buffer->name), (unsigned long long)large->length, STR_ARG(used->name));
}

/* Takes a buffer's content in, after those in kept[0] to kept[count - 1]; returns how many then. */
static size_t keep(const struct chooser *c, size_t added, size_t *kept, size_t count,
                   struct diag_list *diags)
{
	const struct content *content = &c->contents[added];
	size_t left = 0;

	if (content->is_known && content->length == 0)
		return count;
	for (size_t i = 0; i < count; i++) {
		const struct content *earlier = &c->contents[kept[i]];

		if (holds(c, earlier, content)) {
			note_copy(c, earlier, content, diags);
			return count;
		}
		if (holds(c, content, earlier))
			note_copy(c, content, earlier, diags);
		else
			kept[left++] = kept[i];
	}
	kept[left++] = added;
	return left;
}

static void choose(const struct chooser *c, struct diag_list *diags, size_t *chosen, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < c->source->buffer_count; i++) {
		struct content *content = &c->contents[i];
		const struct decoder_options options =
		        decoder_options_of(&c->snapshot->buffers[c->source->buffers[i]]);

		content->buffer = c->source->buffers[i];
		content->is_known =
		        buffer_format(buffer_of(c, content), &options, &content->format);
		if (content->is_known)
			measure(c, content);
		*count = keep(c, i, chosen, *count, diags);
	}
	if (*count == 0)
		chosen[(*count)++] = 0;
	for (size_t i = 0; i < *count; i++)
		chosen[i] = c->source->buffers[chosen[i]];
}

/* Those in which the source's bytes are no other source's, too. */
static size_t own_buffers(const struct snapshot *snapshot, const struct snap_source *source,
                          size_t *buffers)
{
	size_t count = 0;

	for (size_t i = 0; i < source->buffer_count; i++) {
		if (!snap_source_shares_id(snapshot, source, source->buffers[i]))
			buffers[count++] = source->buffers[i];
	}
	return count;
}

/* As source_buffers_choose(), of c->source's own buffers. */
static enum status choose_own(struct chooser *c, struct diag_list *diags, size_t *chosen,
                              size_t *count)
{
	enum status status = STATUS_NO_MEM;

	*count = c->source->buffer_count;
	if (*count > 0)
		memcpy(chosen, c->source->buffers, *count * sizeof(*chosen));
	if (*count < 2 || !snap_source_trace_id(c->source, &c->trace_id))
		return STATUS_OK;
	c->contents = calloc(*count, sizeof(*c->contents));
	c->readers = calloc(READERS, sizeof(*c->readers));
	if (c->contents && c->readers) {
		choose(c, diags, chosen, count);
		status = STATUS_OK;
	}
	free(c->contents);
	free(c->readers);
	return status;
}

enum status source_buffers_choose(const struct snapshot *snapshot, const struct snap_source *source,
                                  struct diag_list *diags, size_t *chosen, size_t *count)
{
	struct snap_source own = *source;
	struct chooser c = {.snapshot = snapshot, .source = &own};
	size_t *buffers = calloc(source->buffer_count + 1, sizeof(*buffers));
	enum status status;

	*count = 0;
	if (!buffers)
		return STATUS_NO_MEM;
	own.buffer_count = own_buffers(snapshot, source, buffers);
	own.buffers = buffers;
	status = choose_own(&c, diags, chosen, count);
	free(buffers);
	return status;
}
