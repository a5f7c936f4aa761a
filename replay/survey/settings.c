/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which setting would decode what is hardly decoded. A setting is tried on the first bytes of the
 * buffer; it is named only if it decodes many times as much as the snapshot's own, without what a
 * wrong one leads to: bad packets.
 */
#include <stdlib.h>

#include "replay/survey/survey_parts.h"

enum {
	TRIAL_BYTES = 1 << 20,
	/* Less than that may be an accident. */
	AMOUNT_LEAST = 8,
	TIMES_LEAST = 4,
	ELEMENTS_PER_LOSS = 64,
};

static const struct tally_options first_bytes = {.most = TRIAL_BYTES};

struct trials {
	const struct snapshot *snapshot;
	const struct unclaimed_ids *ids;
	struct diag_list *diags;
	struct id_census *census; /* of the buffer that is tried */
};

/* A source's trace, taken out of its buffer. */
struct extract {
	struct snap_buffer buffer; /* of one source's bytes */
	uint8_t *bytes;
};

static uint64_t amount(const struct tally *tally)
{
	return tally->instructions + tally->elements;
}

static bool is_better(const struct tally *other, const struct tally *own)
{
	return amount(other) >= AMOUNT_LEAST && amount(other) / TIMES_LEAST >= amount(own) &&
	       other->losses <= amount(other) / ELEMENTS_PER_LOSS;
}

/* The bytes of one ID, up to TRIAL_BYTES; NO_MEM. */
static enum status take_out(const struct snap_buffer *buffer, enum deframe_format format,
                            uint8_t id, struct extract *extract)
{
	struct deframe *d = malloc(sizeof(*d));
	size_t count = 0;

	extract->bytes = malloc(TRIAL_BYTES);
	if (!d || !extract->bytes) {
		free(d);
		free(extract->bytes);
		return STATUS_NO_MEM;
	}
	deframe_init(d, format, buffer->data, id);
	while (count < TRIAL_BYTES && (bytes_left(&d->bytes) > 0 || deframe_refill(d) == STATUS_OK))
		extract->bytes[count++] = *d->bytes.pos++;
	free(d);
	extract->buffer = *buffer;
	extract->buffer.format = BUFFER_SOURCE_DATA;
	extract->buffer.data = bytes_of(extract->bytes, count);
	return STATUS_OK;
}

/* Decodes the buffer, seen as `format` and of that ID, as the trace of `source`. */
static enum status try_as(const struct trials *t, const struct snap_source *source,
                          const struct snap_buffer *buffer, enum deframe_format format, uint8_t id,
                          struct tally *tally)
{
	struct diag_list unheard = {0};
	struct extract extract;
	enum status status;

	TRY(take_out(buffer, format, id, &extract));
	status = survey_tally(t->snapshot, source, &extract.buffer, &first_bytes, &unheard, tally);
	free(extract.bytes);
	diag_list_fini(&unheard);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

/* The first bytes as the snapshot says. */
static enum status try_own(const struct trials *t, const struct snap_source *source,
                           const struct snap_buffer *buffer, struct tally *tally)
{
	struct diag_list unheard = {0};
	enum status status =
	        survey_tally(t->snapshot, source, buffer, &first_bytes, &unheard, tally);

	diag_list_fini(&unheard);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

static void say_format(const struct trials *t, const struct snap_source *source,
                       const struct snap_buffer *buffer, const char *format,
                       const struct tally *other, const struct tally *own)
{
	diag_warning(t->diags, buffer->place,
	             "buffer \"%.*s\" is said to have the format \"%.*s\"; taken as \"%s\", %llu "
	             "instructions and %llu other elements of \"%.*s\" are decoded, instead of "
	             "%llu and %llu: say format=%s%s",
	             STR_ARG(buffer->name), STR_ARG(buffer->format_name), format,
	             (unsigned long long)other->instructions, (unsigned long long)other->elements,
	             STR_ARG(source->device->name), (unsigned long long)own->instructions,
	             (unsigned long long)own->elements, format,
	             t->snapshot->is_trace_package ? " in section [buffer] of the metadata" : "");
}

/* True if all of the buffer is frames, with few IDs, one of which is a trace. */
static bool is_framed(const struct trials *t, const struct snap_buffer *buffer)
{
	enum { SOURCES_MOST = 32 };
	size_t sources = 0;
	bool is_synced = false;

	id_census_init(t->census);
	id_census_add_buffer(t->census, DEFRAME_CORESIGHT, buffer->data);
	for (unsigned int i = 0; i < TRACE_IDS; i++) {
		sources += trace_id_is_source(i) && t->census->ids[i].bytes > 0;
		is_synced |= trace_id_is_source(i) && t->census->ids[i].is_synced;
	}
	return !t->census->is_broken && sources <= SOURCES_MOST && is_synced;
}

/* A buffer that is said to be frames, tried as one source's bytes, and the other way round. */
static enum status try_format(const struct trials *t, const struct snap_source *source,
                              const struct snap_buffer *buffer, bool *is_found)
{
	bool is_raw = buffer->format == BUFFER_SOURCE_DATA;
	bool has_frames = is_framed(t, buffer);
	struct tally own;
	struct tally other;
	uint8_t id;

	if (!snap_source_trace_id(source, &id) || buffer->format == BUFFER_OTHER ||
	    (has_frames && !is_raw))
		return STATUS_OK;
	TRY(try_own(t, source, buffer, &own));
	TRY(try_as(t, source, buffer, is_raw ? DEFRAME_CORESIGHT : DEFRAME_SOURCE, id, &other));
	*is_found = is_better(&other, &own) || (has_frames && own.losses > 0 && other.losses == 0 &&
	                                        amount(&other) >= AMOUNT_LEAST);
	if (*is_found)
		say_format(t, source, buffer, is_raw ? "coresight" : "source_data", &other, &own);
	return STATUS_OK;
}

static void say_id(const struct trials *t, const struct snap_source *source, uint8_t own_id,
                   const struct unclaimed_id *unclaimed, const struct tally *tally)
{
	const struct snap_buffer *buffer = &t->snapshot->buffers[unclaimed->buffer];
	struct str reg = snap_source_id_name(source);

	diag_warning(t->diags, source->device->place,
	             "trace source \"%.*s\" has the trace ID 0x%02x, of which its buffers have no "
	             "byte; taken as its trace, 0x%02x of buffer \"%.*s\" is decoded to %llu "
	             "instructions and %llu other elements: %.*s may have to say 0x%02x",
	             STR_ARG(source->device->name), own_id, unclaimed->id, STR_ARG(buffer->name),
	             (unsigned long long)tally->instructions, (unsigned long long)tally->elements,
	             STR_ARG(reg), unclaimed->id);
}

/* A source of which there is no byte, tried with the IDs that are nobody's. */
static enum status try_ids(const struct trials *t, const struct snap_source *source)
{
	static const struct tally none;
	uint8_t own_id;

	if (!snap_source_trace_id(source, &own_id))
		return STATUS_OK;
	for (size_t i = 0; i < t->ids->count; i++) {
		const struct unclaimed_id *unclaimed = &t->ids->items[i];
		const struct snap_buffer *buffer = &t->snapshot->buffers[unclaimed->buffer];
		const struct decoder_options options = decoder_options_of(buffer);
		enum deframe_format format;
		struct tally tally;

		if (!survey_is_in(t->snapshot, source, buffer) ||
		    !buffer_format(buffer, &options, &format))
			continue;
		TRY(try_as(t, source, buffer, format, unclaimed->id, &tally));
		if (is_better(&tally, &none))
			say_id(t, source, own_id, unclaimed, &tally);
	}
	return STATUS_OK;
}

/* True if one of the source's buffers has a byte of it. */
static bool occurs(const struct trials *t, const struct snap_source *source)
{
	uint8_t id;

	if (!snap_source_trace_id(source, &id))
		return true;
	for (size_t i = 0; i < source->buffer_count; i++) {
		const struct snap_buffer *buffer = &t->snapshot->buffers[source->buffers[i]];

		if (!survey_count_ids(buffer, t->census) || t->census->ids[id].bytes > 0)
			return true;
	}
	return false;
}

static enum status try_source(const struct trials *t, const struct snap_source *source)
{
	bool is_found = false;

	for (size_t i = 0; i < source->buffer_count && !is_found; i++)
		TRY(try_format(t, source, &t->snapshot->buffers[source->buffers[i]], &is_found));
	if (is_found || source->buffer_count == 0 || occurs(t, source))
		return STATUS_OK;
	return try_ids(t, source);
}

enum status survey_try_settings(const struct snapshot *snapshot, const struct unclaimed_ids *ids,
                                struct diag_list *diags)
{
	struct trials t = {snapshot, ids, diags, malloc(sizeof(*t.census))};
	enum status status = t.census ? STATUS_OK : STATUS_NO_MEM;

	for (size_t i = 0; i < snapshot->source_count && status == STATUS_OK; i++)
		status = try_source(&t, &snapshot->sources[i]);
	free(t.census);
	return status;
}
