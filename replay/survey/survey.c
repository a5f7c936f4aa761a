/* SPDX-License-Identifier: Apache-2.0 */
/* All of a snapshot's trace decoded, to see what is not; see survey.h. */
#include "replay/survey/survey.h"

#include <stdlib.h>

#include "replay/survey/survey_parts.h"

struct survey {
	const struct snapshot *snapshot;
	struct diag_list *diags;
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

static enum status decode_core(struct survey *s, const struct snap_core *core)
{
	struct missing_code missing = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < core->source_count && status == STATUS_OK; i++)
		status = decode_source(s, core->sources[i], &missing);
	if (status == STATUS_OK)
		status = missing_code_report(&missing, s->snapshot, core, s->diags);
	missing_code_fini(&missing);
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
	struct survey s = {snapshot, diags};
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
