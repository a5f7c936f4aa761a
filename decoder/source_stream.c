/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of a source that overlap become one; see source_stream.h. The source's bytes are taken
 * out of their frames first, so that places of packets are places in them.
 */
#include "decoder/source_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decoder/buffer_format.h"
#include "decoder/decoder.h"
#include "decoder/frame/frame.h"

/* The source's bytes of one buffer or more. */
struct source_join {
	struct snap_buffer buffer; /* of unformatted data: these bytes */
	uint8_t *bytes;
	size_t size;
	size_t capacity;
};

struct maker {
	const struct snapshot *snapshot;
	const struct snap_source *source;
	struct diag_list *diags;
	struct source_streams *streams;
};

/* Two timestamps, one after the other. */
struct step {
	uint64_t from;
	uint64_t to;
	uint64_t place; /* of the second, in the source's bytes */
};

static void wrap(struct source_join *join, const struct snap_buffer *buffer)
{
	join->buffer = *buffer;
	join->buffer.format = BUFFER_SOURCE_DATA;
	join->buffer.is_one_file = false;
	join->buffer.data = bytes_of(join->bytes, join->size);
}

/* The source's bytes in a buffer. UNSUPPORTED for a format that is not decoded. */
static enum status take_bytes(const struct maker *m, const struct snap_buffer *buffer,
                              struct source_join *join)
{
	const struct decoder_options options = decoder_options_of(buffer);
	struct deframe *d;
	enum deframe_format format;
	enum status status = STATUS_OK;
	uint8_t id;

	*join = (struct source_join){.size = 0};
	if (!snap_source_trace_id(m->source, &id) || !buffer_format(buffer, &options, &format))
		return STATUS_UNSUPPORTED;
	d = malloc(sizeof(*d));
	if (!d)
		return STATUS_NO_MEM;
	deframe_init(d, format, buffer->data, id);
	while (status == STATUS_OK && deframe_refill(d) == STATUS_OK) {
		size_t more = bytes_left(&d->bytes);

		status = vec_reserve((void **)&join->bytes, &join->capacity, join->size + more, 1);
		if (status != STATUS_OK)
			break;
		memcpy(join->bytes + join->size, d->bytes.pos, more);
		join->size += more;
		d->bytes.pos += more;
	}
	free(d);
	wrap(join, buffer);
	return status;
}

/* What it is about was said, or will be, where the source is decoded. */
static enum status open_quietly(const struct maker *m, const struct source_join *join,
                                struct decoder **decoder)
{
	const struct decoder_options options = {.dstream = false};
	struct diag_list unheard = {0};
	enum status status =
	        decoder_open(m->snapshot, m->source, &join->buffer, &options, &unheard, decoder);

	diag_list_fini(&unheard);
	return status;
}

/* 0 says that the time is not known. */
static bool is_step(uint64_t from, uint64_t to)
{
	return from != 0 && from < to;
}

/*
 * The first step to a later time, if `wanted` is NULL, else the one that `wanted` says. NOT_FOUND
 * if there is none or, against what timestamps are, more than one.
 */
static enum status find_step(const struct maker *m, const struct source_join *join,
                             const struct step *wanted, struct step *found)
{
	struct decoder *decoder;
	struct decoded decoded;
	uint64_t last = 0;
	size_t count = 0;
	enum status status;

	TRY(open_quietly(m, join, &decoder));
	while ((status = decoder_pull(decoder, &decoded)) == STATUS_OK) {
		uint64_t now = decoded.element.timestamp;

		if (decoded.batch_count > 0 || decoded.is_sync_point ||
		    decoded.element.type != ELEMENT_TIMESTAMP)
			continue;
		if (wanted ? last == wanted->from && now == wanted->to : is_step(last, now)) {
			*found = (struct step){last, now, decoded.element.offset};
			count++;
		}
		last = now;
		if (count > 0 && !wanted)
			break;
	}
	decoder_destroy(decoder);
	if (status == STATUS_NO_MEM)
		return status;
	return count == 1 ? STATUS_OK : STATUS_NOT_FOUND;
}

/* How many bytes of the end of `first` are the beginning of `second`. NOT_FOUND: none, provably. */
static enum status find_overlap(const struct maker *m, const struct source_join *first,
                                const struct source_join *second, size_t *overlap,
                                struct step *step)
{
	struct step there;

	if (first->size == 0 || second->size == 0)
		return STATUS_NOT_FOUND;
	TRY(find_step(m, second, NULL, step));
	TRY(find_step(m, first, step, &there));
	if (there.place < step->place)
		return STATUS_NOT_FOUND;
	*overlap = first->size - (size_t)(there.place - step->place);
	if (*overlap > second->size ||
	    memcmp(first->bytes + (first->size - *overlap), second->bytes, *overlap) != 0)
		return STATUS_NOT_FOUND;
	return STATUS_OK;
}

static enum status append(struct source_join *join, const struct source_join *more, size_t overlap)
{
	size_t added = more->size - overlap;

	TRY(vec_reserve((void **)&join->bytes, &join->capacity, join->size + added, 1));
	memcpy(join->bytes + join->size, more->bytes + overlap, added);
	join->size += added;
	wrap(join, &join->buffer);
	return STATUS_OK;
}

/* The other way round they would be one. */
static enum status warn_of_order(const struct maker *m, const struct source_join *first,
                                 const struct source_join *second)
{
	struct step step;
	size_t overlap;
	enum status status = find_overlap(m, second, first, &overlap, &step);

	if (status == STATUS_OK)
		diag_warning(m->diags, second->buffer.place,
		             "trace source \"%.*s\": buffer \"%.*s\" goes on in \"%.*s\", which is "
		             "given before it; section [source_buffers] says the order",
		             STR_ARG(m->source->device->name), STR_ARG(second->buffer.name),
		             STR_ARG(first->buffer.name));
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

static void note_join(const struct maker *m, const struct source_join *first,
                      const struct source_join *second, size_t overlap, const struct step *step)
{
	diag_note(
	        m->diags, second->buffer.place,
	        "trace source \"%.*s\": the first %zu of its bytes in buffer \"%.*s\" are the last "
	        "in "
	        "\"%.*s\", with the timestamps 0x%llx and 0x%llx; they are one trace, and nothing "
	        "is missing",
	        STR_ARG(m->source->device->name), overlap, STR_ARG(second->buffer.name),
	        STR_ARG(first->buffer.name), (unsigned long long)step->from,
	        (unsigned long long)step->to);
}

/* A stream of its own, or the end of the one before. */
static enum status add_buffer(struct maker *m, size_t index)
{
	struct source_streams *streams = m->streams;
	struct source_join *own = &streams->joins[streams->count];
	struct source_join *last = streams->count > 0 ? own - 1 : NULL;
	struct step step;
	size_t overlap;
	enum status status = take_bytes(m, &m->snapshot->buffers[index], own);

	if (status == STATUS_OK && last)
		status = find_overlap(m, last, own, &overlap, &step);
	if (status == STATUS_OK && last) {
		note_join(m, last, own, overlap, &step);
		streams->items[streams->count - 1].is_joined = true;
		status = append(last, own, overlap);
		free(own->bytes);
		own->bytes = NULL;
		return status;
	}
	if (status == STATUS_NOT_FOUND && last)
		status = warn_of_order(m, last, own);
	if (status == STATUS_NO_MEM)
		return status;
	streams->items[streams->count++].buffer = &m->snapshot->buffers[index];
	return STATUS_OK;
}

/* Only joined bytes are decoded from here. */
static void settle(struct source_streams *streams)
{
	for (size_t i = 0; i < streams->count; i++) {
		if (streams->items[i].is_joined) {
			streams->items[i].buffer = &streams->joins[i].buffer;
			continue;
		}
		free(streams->joins[i].bytes);
		streams->joins[i].bytes = NULL;
	}
}

enum status source_streams_make(const struct snapshot *snapshot, const struct snap_source *source,
                                const size_t *chosen, size_t count, struct diag_list *diags,
                                struct source_streams *streams)
{
	struct maker m = {snapshot, source, diags, streams};

	*streams = (struct source_streams){
	        .items = calloc(count + 1, sizeof(*streams->items)),
	        .joins = calloc(count + 1, sizeof(*streams->joins)),
	        .room = count,
	};
	if (!streams->items || !streams->joins)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < count; i++) {
		if (count > 1)
			TRY(add_buffer(&m, chosen[i]));
		else
			streams->items[streams->count++].buffer = &snapshot->buffers[chosen[i]];
	}
	settle(streams);
	return STATUS_OK;
}

void source_streams_fini(struct source_streams *streams)
{
	for (size_t i = 0; streams->joins && i < streams->room; i++)
		free(streams->joins[i].bytes);
	free(streams->items);
	free(streams->joins);
}
