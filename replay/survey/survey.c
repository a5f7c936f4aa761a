/* SPDX-License-Identifier: Apache-2.0 */
/* All of a snapshot's trace decoded, to see what is not; see survey.h. */
#include "replay/survey/survey.h"

#include <stdlib.h>

#include "replay/survey/survey_parts.h"

struct survey {
	const struct snapshot *snapshot;
	struct diag_list *diags;
	/* Of the sources of the core that is looked at. */
	uint64_t bytes;
	uint64_t decoded;                 /* instructions, and elements that say something */
	const struct snap_source *source; /* the first with bytes, or NULL */
};

static bool is_same_place(const struct place *a, const struct place *b)
{
	return str_eq(a->file, b->file) && a->line == b->line && a->has_offset == b->has_offset &&
	       (!a->has_offset || a->offset == b->offset);
}

/* True if as much, or more, is said of the place already. */
static bool is_said(const struct diag_list *diags, const struct diag *diag)
{
	for (size_t i = 0; i < diags->count; i++) {
		if (diags->items[i].severity >= diag->severity &&
		    is_same_place(&diags->items[i].place, &diag->place))
			return true;
	}
	return false;
}

/* What the decoder says of a source, but for what the check of the files has said before. */
static void say_new(struct survey *s, const struct diag_list *said)
{
	size_t before = s->diags->count;

	for (size_t i = 0; i < said->count; i++) {
		const struct diag *diag = &said->items[i];
		const struct diag_list known = {.items = s->diags->items, .count = before};

		if (is_said(&known, diag))
			continue;
		if (diag->severity == SEVERITY_ERROR)
			(void)diag_error(s->diags, diag->status, diag->place, "%s", diag->text);
		else if (diag->severity == SEVERITY_WARNING)
			diag_warning(s->diags, diag->place, "%s", diag->text);
		else
			diag_note(s->diags, diag->place, "%s", diag->text);
	}
}

static enum status decode_buffer(struct survey *s, const struct snap_source *source,
                                 const struct snap_buffer *buffer, struct missing_code *missing)
{
	const struct tally_options options = {.most = UINT64_MAX, .missing = missing};
	struct diag_list said = {0};
	struct tally tally;
	enum status status = survey_tally(s->snapshot, source, buffer, &options, &said, &tally);

	say_new(s, &said);
	diag_list_fini(&said);
	if (status == STATUS_OK) {
		s->bytes += tally.bytes;
		s->decoded += tally.instructions + tally.elements + tally.losses;
		if (!s->source && tally.bytes > 0)
			s->source = source;
	}
	if (status == STATUS_OK && tally.is_broken)
		diag_warning(s->diags, place_offset(buffer->file, tally.broken_at),
		             "buffer \"%.*s\": there are no formatter frames from here on; nothing "
		             "after is decoded",
		             STR_ARG(buffer->name));
	return status;
}

static enum status decode_source(struct survey *s, const struct snap_source *source,
                                 struct missing_code *missing)
{
	size_t *buffers = calloc(source->buffer_count + 1, sizeof(*buffers));
	enum status status = STATUS_NO_MEM;
	size_t count = 0;

	if (buffers)
		status = source_buffers_choose(s->snapshot, source, s->diags, buffers, &count);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = decode_buffer(s, source, &s->snapshot->buffers[buffers[i]], missing);
	free(buffers);
	/* One that cannot be decoded has been told. */
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}

/* Of what there is of the core's trace nothing can be decoded. */
static void tell_unsynchronized(const struct survey *s, const struct snap_core *core)
{
	if (s->source && s->decoded == 0)
		diag_warning(
		        s->diags, s->source->device->place,
		        "nothing is known of what \"%.*s\" executed: trace source \"%.*s\" has "
		        "%llu byte%s in its buffer, but no synchronization point from which they "
		        "could be decoded, as where a buffer has wrapped or other sources filled "
		        "it (a shorter synchronization period or a larger buffer keeps one)",
		        STR_ARG(core->device->name), STR_ARG(s->source->device->name),
		        (unsigned long long)s->bytes, s->bytes == 1 ? "" : "s");
}

static enum status decode_core(struct survey *s, const struct snap_core *core)
{
	struct missing_code missing = {0};
	enum status status = STATUS_OK;

	s->bytes = s->decoded = 0;
	s->source = NULL;
	for (size_t i = 0; i < core->source_count && status == STATUS_OK; i++)
		status = decode_source(s, core->sources[i], &missing);
	if (status == STATUS_OK)
		status = missing_code_report(&missing, s->snapshot, core, s->diags);
	missing_code_fini(&missing);
	if (status == STATUS_OK)
		tell_unsynchronized(s, core);
	return status;
}

/* False if no byte of the core's sources is in their buffers, as decoding them has seen. */
static bool may_have_bytes(const struct snap_core *core, const struct trace_ids *seen)
{
	for (size_t i = 0; i < core->source_count; i++) {
		const struct snap_source *source = core->sources[i];
		uint8_t id;

		for (size_t j = 0; j < source->buffer_count; j++) {
			const struct trace_ids *ids = &seen[source->buffers[j]];

			if (!ids->is_known || !snap_source_trace_id(source, &id) ||
			    (ids->bits[id / 64] >> (id % 64) & 1) != 0)
				return true;
		}
	}
	return false;
}

enum status survey_warn_unsynchronized(const struct snapshot *snapshot,
                                       const struct snap_core *core, const struct trace_ids *seen,
                                       struct diag_list *diags)
{
	struct diag_list unheard = {0};
	struct survey s = {.snapshot = snapshot, .diags = &unheard};
	enum status status = STATUS_OK;

	if (may_have_bytes(core, seen))
		status = decode_core(&s, core);
	diag_list_fini(&unheard);
	s.diags = diags;
	if (status == STATUS_OK)
		tell_unsynchronized(&s, core);
	return status;
}

static enum status decode_all(struct survey *s)
{
	for (size_t i = 0; i < s->snapshot->core_count; i++)
		TRY(decode_core(s, &s->snapshot->cores[i]));
	for (size_t i = 0; i < s->snapshot->source_count; i++) {
		if (!s->snapshot->sources[i].core)
			TRY(decode_source(s, &s->snapshot->sources[i], NULL));
	}
	return STATUS_OK;
}

enum status survey_trace(const struct snapshot *snapshot, struct diag_list *diags)
{
	struct survey s = {.snapshot = snapshot, .diags = diags};
	struct unclaimed_ids ids;
	enum status status = survey_ids(snapshot, NULL, &ids);

	if (status == STATUS_OK)
		status = survey_warn_of_ids(snapshot, &ids, diags);
	if (status == STATUS_OK)
		status = survey_note_triggers(snapshot, diags);
	if (status == STATUS_OK)
		status = survey_try_settings(snapshot, &ids, diags);
	if (status == STATUS_OK)
		status = survey_try_dumps(snapshot, diags);
	if (status == STATUS_OK)
		status = decode_all(&s);
	unclaimed_ids_fini(&ids);
	return status;
}
