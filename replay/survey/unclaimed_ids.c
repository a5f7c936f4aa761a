/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace IDs that no source claims: how many bytes they have, and what is known of whose they are.
 * IHI 0029; snapshot format 1.0, 3.3.4 (a source's data stream has the ID after its base ID).
 */
#include <assert.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/vec.h"
#include "decoder/decoder.h"
#include "replay/survey/survey_parts.h"

enum {
	FORGET_BYTES = 16 << 20, /* pages that were counted are forgotten by that much */
	ID_TRIGGER = 0x7d,
	FRAMES_LEAST = 16, /* random bytes are that many frames once in thousands of times */
};

bool survey_is_in(const struct snapshot *snapshot, const struct snap_source *source,
                  const struct snap_buffer *buffer)
{
	for (size_t i = 0; i < source->buffer_count; i++) {
		if (&snapshot->buffers[source->buffers[i]] == buffer)
			return true;
	}
	return false;
}

/* Piece by piece, so that a large buffer does not have to lie in memory. */
static void count_frames(const struct snap_buffer *buffer, struct id_census *census)
{
	struct bytes rest = buffer->data;

	while (bytes_left(&rest) > 0 && !census->is_broken) {
		uint64_t place = bytes_offset(&rest);
		size_t size = bytes_left(&rest) < FORGET_BYTES ? bytes_left(&rest) : FORGET_BYTES;
		struct bytes piece;

		if (bytes_take(&rest, size, &piece) != STATUS_OK)
			return;
		id_census_add(census, piece, place);
		if (buffer->is_one_file && size == FORGET_BYTES)
			file_forget(piece);
	}
}

bool survey_count_ids(const struct snap_buffer *buffer, struct id_census *census)
{
	const struct decoder_options options = decoder_options_of(buffer);
	enum deframe_format format;

	id_census_init(census);
	if (!buffer_format(buffer, &options, &format) || format == DEFRAME_SOURCE)
		return false;
	if (format == DEFRAME_CORESIGHT)
		count_frames(buffer, census);
	else
		id_census_add_buffer(census, format, buffer->data);
	return true;
}

static bool is_claimed(const struct snapshot *snapshot, const struct snap_buffer *buffer,
                       unsigned int id)
{
	for (size_t i = 0; i < snapshot->source_count; i++) {
		const struct snap_source *source = &snapshot->sources[i];
		uint8_t own;

		if (survey_is_in(snapshot, source, buffer) && snap_source_trace_id(source, &own) &&
		    own == id)
			return true;
	}
	return false;
}

/*
 * True if there is no doubt that the buffer has frames: no place where there are none, and more of
 * them than memory that is none would stand for, or a synchronization packet.
 */
static bool has_frames(const struct snap_buffer *buffer, const struct id_census *census)
{
	bool is_synced = false;

	for (unsigned int id = 0; id < TRACE_IDS; id++)
		is_synced |= trace_id_is_source(id) && census->ids[id].is_synced;
	return !census->is_broken &&
	       (is_synced || bytes_left(&buffer->data) >= (size_t)FRAMES_LEAST * FRAME_SIZE);
}

static enum status add_buffer(const struct snapshot *snapshot, size_t index,
                              struct id_census *census, struct unclaimed_ids *ids, size_t *capacity)
{
	const struct snap_buffer *buffer = &snapshot->buffers[index];

	bool is_sure;

	if (!survey_count_ids(buffer, census))
		return STATUS_OK;
	is_sure = has_frames(buffer, census);
	for (unsigned int id = 0; id < TRACE_IDS; id++) {
		const struct id_count *count = &census->ids[id];

		if (!trace_id_is_source(id) || count->bytes == 0 ||
		    !(is_sure || count->is_synced) || is_claimed(snapshot, buffer, id))
			continue;
		TRY(vec_reserve((void **)&ids->items, capacity, ids->count + 1,
		                sizeof(*ids->items)));
		ids->items[ids->count++] = (struct unclaimed_id){index, (uint8_t)id, count->bytes,
		                                                 count->first, count->last};
	}
	return STATUS_OK;
}

/* True if each ID that was seen in the buffer is claimed, and all of them were seen. */
static bool are_claimed(const struct snapshot *snapshot, const struct snap_buffer *buffer,
                        const struct trace_ids *seen)
{
	for (unsigned int id = 0; id < TRACE_IDS; id++) {
		if ((seen->bits[id / 64] >> (id % 64) & 1) != 0 && trace_id_is_source(id) &&
		    !is_claimed(snapshot, buffer, id))
			return false;
	}
	return seen->is_known;
}

enum status survey_ids(const struct snapshot *snapshot, const struct trace_ids *seen,
                       struct unclaimed_ids *ids)
{
	struct id_census *census = malloc(sizeof(*census));
	enum status status = census ? STATUS_OK : STATUS_NO_MEM;
	size_t capacity = 0;

	*ids = (struct unclaimed_ids){0};
	for (size_t i = 0; i < snapshot->buffer_count && status == STATUS_OK; i++) {
		if (!seen || !are_claimed(snapshot, &snapshot->buffers[i], &seen[i]))
			status = add_buffer(snapshot, i, census, ids, &capacity);
	}
	free(census);
	return status;
}

void unclaimed_ids_fini(struct unclaimed_ids *ids)
{
	free(ids->items);
	*ids = (struct unclaimed_ids){0};
}

/* A source with that ID that is said to be in other buffers, or NULL. */
static const struct snap_source *owner_elsewhere(const struct snapshot *snapshot, uint8_t id)
{
	for (size_t i = 0; i < snapshot->source_count; i++) {
		uint8_t own;

		assert(snapshot->sources); /* else clang-tidy takes what is returned for NULL */
		if (snap_source_trace_id(&snapshot->sources[i], &own) && own == id)
			return &snapshot->sources[i];
	}
	return NULL;
}

/* ETMv4, IHI 0064, TRCCONFIGR.DA and DV: the data stream has the ID after an even one. */
static const struct snap_source *owner_of_data(const struct snapshot *snapshot, uint8_t id)
{
	const struct snap_source *source = (id & 1) ? owner_elsewhere(snapshot, id - 1) : NULL;
	const struct snap_register *config;

	if (!source || source->protocol != PROTOCOL_ETM4)
		return NULL;
	config = snap_device_register(source->device, STR("TRCCONFIGR"));
	return config && (snap_register_value(config) >> 16 & 3) != 0 ? source : NULL;
}

/* The source whose trace ends last before this ID begins, with where it ends; or NULL. */
static const struct snap_source *owner_before(const struct snapshot *snapshot,
                                              const struct snap_buffer *buffer,
                                              const struct unclaimed_id *unclaimed,
                                              const struct id_census *census, uint64_t *end)
{
	const struct snap_source *found = NULL;

	for (size_t i = 0; i < snapshot->source_count; i++) {
		const struct snap_source *source = &snapshot->sources[i];
		uint8_t id;

		if (!survey_is_in(snapshot, source, buffer) || !snap_source_trace_id(source, &id) ||
		    census->ids[id].bytes == 0 || census->ids[id].last > unclaimed->first ||
		    (found && census->ids[id].last < *end))
			continue;
		found = source;
		*end = census->ids[id].last;
	}
	return found;
}

static void put_hint(const struct snapshot *snapshot, const struct unclaimed_id *unclaimed,
                     const struct id_census *census, struct text *out)
{
	const struct snap_buffer *buffer = &snapshot->buffers[unclaimed->buffer];
	const struct snap_source *source = owner_elsewhere(snapshot, unclaimed->id);
	uint64_t end = 0;
	uint8_t id;

	if (source) {
		text_printf(out, "; it is that of \"%.*s\", which %s",
		            STR_ARG(source->device->name),
		            snapshot->is_trace_package
		                    ? "another metadata file describes, with other buffers"
		                    : "section [source_buffers] does not say to be in this buffer");
		return;
	}
	source = owner_of_data(snapshot, unclaimed->id);
	if (source) {
		text_printf(out, "; it is that of the data trace of \"%.*s\"",
		            STR_ARG(source->device->name));
		return;
	}
	source = owner_before(snapshot, buffer, unclaimed, census, &end);
	if (source && snap_source_trace_id(source, &id))
		text_printf(out,
		            "; it begins at byte %llu, after 0x%02x of \"%.*s\" ended at byte "
		            "%llu, whose ID may have been changed",
		            (unsigned long long)unclaimed->first, id, STR_ARG(source->device->name),
		            (unsigned long long)end);
}

enum status survey_note_triggers(const struct snapshot *snapshot, struct diag_list *diags)
{
	struct id_census *census = malloc(sizeof(*census));

	if (!census)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		const struct snap_buffer *buffer = &snapshot->buffers[i];
		const struct id_count *trigger = &census->ids[ID_TRIGGER];

		if (!survey_count_ids(buffer, census) || trigger->bytes == 0 ||
		    !has_frames(buffer, census))
			continue;
		diag_note(diags, buffer->place,
		          "buffer \"%.*s\": a trigger is in its frames (ID 0x%02x), first at byte "
		          "%llu, last at byte %llu",
		          STR_ARG(buffer->name), ID_TRIGGER, (unsigned long long)trigger->first,
		          (unsigned long long)trigger->last);
	}
	free(census);
	return STATUS_OK;
}

static void warn_of_id(const struct snapshot *snapshot, const struct unclaimed_id *unclaimed,
                       const struct id_census *census, struct diag_list *diags)
{
	const struct snap_buffer *buffer = &snapshot->buffers[unclaimed->buffer];
	struct text hint = {0};

	put_hint(snapshot, unclaimed, census, &hint);
	diag_warning(diags, buffer->place,
	             "buffer \"%.*s\": trace ID 0x%02x has %llu byte%s and no trace source; "
	             "not decoded%.*s",
	             STR_ARG(buffer->name), unclaimed->id, (unsigned long long)unclaimed->bytes,
	             unclaimed->bytes == 1 ? "" : "s", STR_ARG(text_str(&hint)));
	text_fini(&hint);
}

enum status survey_warn_of_ids(const struct snapshot *snapshot, const struct unclaimed_ids *ids,
                               struct diag_list *diags)
{
	struct id_census *census = malloc(sizeof(*census));

	if (!census)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < ids->count; i++) {
		const struct unclaimed_id *unclaimed = &ids->items[i];

		if (i == 0 || ids->items[i - 1].buffer != unclaimed->buffer)
			(void)survey_count_ids(&snapshot->buffers[unclaimed->buffer], census);
		warn_of_id(snapshot, unclaimed, census, diags);
	}
	free(census);
	return STATUS_OK;
}
