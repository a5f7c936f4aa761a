/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements of all sources of one buffer, merged by the place in the buffer at which each was
 * complete; at the same place, by trace ID.
 */
#include "decoder/listing.h"

#include <stdlib.h>

struct entry {
	struct decoder *decoder;
	struct element element; /* the next one, if has_element */
	bool has_element;
	uint64_t position; /* at which the element was complete */
};

struct listing {
	struct entry *entries;
	size_t count;
	struct entry *last;  /* whose element was given out, and is to be advanced; or NULL */
	struct entry *after; /* of the others the one that is the first; or NULL */
	/* A source found that the buffer is no frames from here on: the others' ends too. */
	bool is_broken;
	uint64_t broken_at;
};

static bool is_in_buffer(const struct snapshot *snapshot, const struct snap_source *source,
                         const struct snap_buffer *buffer)
{
	for (size_t i = 0; i < source->buffer_count; i++) {
		if (&snapshot->buffers[source->buffers[i]] == buffer)
			return true;
	}
	return false;
}

static void note_break(struct listing *listing, const struct entry *entry)
{
	uint64_t at;

	if (!decoder_broken_at(entry->decoder, &at) ||
	    (listing->is_broken && at >= listing->broken_at))
		return;
	listing->is_broken = true;
	listing->broken_at = at;
}

static enum status advance(struct listing *listing, struct entry *entry)
{
	enum status status = decoder_next(entry->decoder, &entry->element);

	entry->has_element = status == STATUS_OK;
	entry->position = decoder_position(entry->decoder);
	if (status == STATUS_END)
		note_break(listing, entry);
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status add_source(struct listing *listing, const struct snapshot *snapshot,
                              const struct snap_source *source, const struct snap_buffer *buffer,
                              const struct decoder_options *options, struct diag_list *diags)
{
	struct entry *entry = &listing->entries[listing->count];
	enum status status;

	if (snap_source_shares_id(snapshot, source, (size_t)(buffer - snapshot->buffers))) {
		(void)diag_error(diags, STATUS_BAD_DATA, source->device->place,
		                 "the trace ID of trace source \"%.*s\" is that of another source "
		                 "in buffer \"%.*s\": neither of them is decoded",
		                 STR_ARG(source->device->name), STR_ARG(buffer->name));
		return STATUS_OK;
	}
	status = decoder_open(snapshot, source, buffer, options, diags, &entry->decoder);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	listing->count++;
	return advance(listing, entry);
}

static enum status add_sources(struct listing *listing, const struct snapshot *snapshot,
                               const struct snap_buffer *buffer, const struct snap_source *only,
                               const struct decoder_options *options, struct diag_list *diags)
{
	for (size_t i = 0; i < snapshot->source_count; i++) {
		const struct snap_source *source = &snapshot->sources[i];

		if ((!only || only == source) && is_in_buffer(snapshot, source, buffer))
			TRY(add_source(listing, snapshot, source, buffer, options, diags));
	}
	return STATUS_OK;
}

enum status listing_open(const struct snapshot *snapshot, const struct snap_buffer *buffer,
                         const struct snap_source *only, const struct decoder_options *options,
                         struct diag_list *diags, struct listing **listing)
{
	struct listing *l = calloc(1, sizeof(*l));
	enum status status = STATUS_OK;

	*listing = NULL;
	if (!l)
		return STATUS_NO_MEM;
	if (snapshot->source_count > 0) {
		l->entries = calloc(snapshot->source_count, sizeof(*l->entries));
		status = l->entries ? add_sources(l, snapshot, buffer, only, options, diags)
		                    : STATUS_NO_MEM;
	}
	if (status != STATUS_OK) {
		listing_destroy(l);
		return status;
	}
	*listing = l;
	return STATUS_OK;
}

void listing_destroy(struct listing *listing)
{
	if (!listing)
		return;
	for (size_t i = 0; i < listing->count; i++)
		decoder_destroy(listing->entries[i].decoder);
	free(listing->entries);
	free(listing);
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	if (a->position != b->position)
		return a->position < b->position;
	return decoder_trace_id(a->decoder) < decoder_trace_id(b->decoder);
}

/* The first of all, and which is after it. */
static struct entry *choose(struct listing *listing)
{
	struct entry *first = NULL;

	listing->after = NULL;
	for (size_t i = 0; i < listing->count; i++) {
		struct entry *entry = &listing->entries[i];

		if (!entry->has_element)
			continue;
		if (!first || is_before(entry, first)) {
			listing->after = first;
			first = entry;
		} else if (!listing->after || is_before(entry, listing->after)) {
			listing->after = entry;
		}
	}
	return first;
}

enum status listing_next(struct listing *listing, struct element *element)
{
	struct entry *first = listing->last;

	if (first)
		TRY(advance(listing, first));
	if (!first || !first->has_element || (listing->after && !is_before(first, listing->after)))
		first = choose(listing);
	listing->last = NULL;
	if (!first || (listing->is_broken && first->position > listing->broken_at))
		return STATUS_END;
	listing->last = first;
	*element = first->element;
	return STATUS_OK;
}

bool listing_broken_at(const struct listing *listing, uint64_t *offset)
{
	*offset = listing->broken_at;
	return listing->is_broken;
}
