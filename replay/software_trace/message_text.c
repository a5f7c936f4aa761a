/* SPDX-License-Identifier: Apache-2.0 */
/* See message_text.h. */
#include "replay/software_trace/message_text.h"

#include <stdlib.h>

#include "base/vec.h"

enum { LINE_MOST = 4096 };

/* Which channel software wrote to: those of one number are one. False: it is no such write. */
static bool channel_of(const struct software_message *message, uint32_t *channel)
{
	const struct element *e = &message->element;

	if (e->type == ELEMENT_ITMTRACE) {
		*channel = e->itm.source;
		return e->itm.kind == ITM_KIND_SOFTWARE;
	}
	*channel = (uint32_t)e->software.master << 16 | e->software.channel;
	return e->software.has_ids && e->software.bits >= 8;
}

/* Its bytes, in the order in which they lie in memory. */
static size_t bytes_of_message(const struct software_message *message, uint8_t bytes[8])
{
	const struct element *e = &message->element;
	bool is_itm = e->type == ELEMENT_ITMTRACE;
	uint64_t value = is_itm ? e->itm.value : e->software.value;
	size_t size = is_itm ? e->itm.size : e->software.bits / 8U;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	return size;
}

static int compare_channels(const void *left, const void *right)
{
	const struct software_message *a = left;
	const struct software_message *b = right;
	uint32_t of_a = 0;
	uint32_t of_b = 0;
	bool has_a = channel_of(a, &of_a);
	bool has_b = channel_of(b, &of_b);

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (has_a != has_b)
		return has_a ? 1 : -1;
	if (of_a != of_b && has_a)
		return of_a < of_b ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_same_channel(const struct software_message *a, const struct software_message *b)
{
	uint32_t of_a;
	uint32_t of_b;

	return channel_of(a, &of_a) && channel_of(b, &of_b) && a->source == b->source &&
	       of_a == of_b;
}

static bool is_control(uint8_t byte)
{
	return byte == '\n' || byte == '\r' || byte == '\t' || byte == 0x1b;
}

/* All bytes are text, with at least one letter; words may be filled up with zeros. */
static bool is_text(const struct software_message *messages, size_t count)
{
	uint64_t printable = 0;
	uint64_t letters = 0;
	uint64_t zeros = 0;

	for (size_t i = 0; i < count; i++) {
		uint8_t bytes[8];
		size_t size = bytes_of_message(&messages[i], bytes);

		for (size_t j = 0; j < size; j++) {
			uint8_t byte = bytes[j];

			if ((byte < ' ' || byte > '~') && byte != 0 && !is_control(byte))
				return false;
			zeros += byte == 0;
			printable += byte != 0;
			letters += (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
		}
	}
	return letters > 0 && printable > 1 && printable > zeros;
}

/* A line that is put together. */
struct line {
	struct text text;
	bool is_begun;
	struct software_message message;
};

static enum status end_line(struct line *line, struct software_messages *out, struct arena *arena)
{
	if (!line->is_begun)
		return STATUS_OK;
	TRY(text_status(&line->text));
	line->message.text = STR("");
	if (line->text.length > 0)
		line->message.text = arena_str(arena, text_str(&line->text));
	if (!line->message.text.p)
		return STATUS_NO_MEM;
	TRY(vec_reserve((void **)&out->items, &out->capacity, out->count + 1, sizeof(*out->items)));
	out->items[out->count++] = line->message;
	text_clear(&line->text);
	line->is_begun = false;
	return STATUS_OK;
}

static enum status add_byte(struct line *line, const struct software_message *message, uint8_t byte,
                            struct software_messages *out, struct arena *arena)
{
	if (byte == 0)
		return end_line(line, out, arena);
	if (!line->is_begun)
		line->message = *message;
	line->is_begun = true;
	line->message.element = message->element;
	line->message.moment.has_latest = message->moment.has_latest;
	line->message.moment.latest = message->moment.latest;
	if (byte == '\n' || line->text.length == LINE_MOST)
		TRY(end_line(line, out, arena));
	else if (byte != '\r')
		text_char(&line->text, (char)byte);
	return STATUS_OK;
}

/* The lines of a channel. */
static enum status join(const struct software_message *messages, size_t count,
                        struct software_messages *out, struct arena *arena)
{
	struct line line = {.is_begun = false};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		uint8_t bytes[8];
		size_t size = bytes_of_message(&messages[i], bytes);

		if (messages[i].is_cut)
			status = end_line(&line, out, arena);
		for (size_t j = 0; j < size && status == STATUS_OK; j++)
			status = add_byte(&line, &messages[i], bytes[j], out, arena);
	}
	if (status == STATUS_OK)
		status = end_line(&line, out, arena);
	text_fini(&line.text);
	return status;
}

static enum status keep(const struct software_message *messages, size_t count,
                        struct software_messages *out)
{
	TRY(vec_reserve((void **)&out->items, &out->capacity, out->count + count,
	                sizeof(*out->items)));
	for (size_t i = 0; i < count; i++)
		out->items[out->count++] = messages[i];
	return STATUS_OK;
}

static enum status join_all(const struct software_messages *messages, struct software_messages *out,
                            struct arena *arena)
{
	for (size_t begin = 0, end = 1; begin < messages->count; begin = end++) {
		const struct software_message *first = &messages->items[begin];

		while (end < messages->count && is_same_channel(first, &messages->items[end]))
			end++;
		TRY(is_same_channel(first, first) && is_text(first, end - begin)
		            ? join(first, end - begin, out, arena)
		            : keep(first, end - begin, out));
	}
	return STATUS_OK;
}

enum status messages_join_text(struct software_messages *messages, struct arena *arena)
{
	struct software_messages joined = {0};
	enum status status;

	if (messages->count > 1)
		qsort(messages->items, messages->count, sizeof(*messages->items), compare_channels);
	status = join_all(messages, &joined, arena);
	free(messages->items);
	*messages = joined;
	return status;
}
