/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of an instruction, read again from the text; see effects.h. */
#include "replay/tarmac/effects.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/tarmac/tarmac_source.h"
#include "replay/tarmac/tarmac_store.h"

struct effects_reader {
	const struct tarmac_core *core;
	struct effect *items;
	size_t count;
	size_t capacity;
	/* Where the reading stands: the line of instruction `next` is the one at the mark. */
	struct tarmac_mark mark;
	uint64_t next;
	bool has_mark;
};

bool effects_known(const struct history *history)
{
	return history_data(history) != NULL;
}

enum status effects_open(const struct history *history, struct effects_reader **reader)
{
	struct effects_reader *r;

	if (!effects_known(history))
		return STATUS_UNSUPPORTED;
	r = calloc(1, sizeof(*r));
	if (!r)
		return STATUS_NO_MEM;
	r->core = history_data(history);
	*reader = r;
	return STATUS_OK;
}

void effects_close(struct effects_reader *reader)
{
	if (!reader)
		return;
	free(reader->items);
	free(reader);
}

/* The next event of the core, with its place; the reader is shared, so it is put there first. */
static enum status next_event(struct effects_reader *r, struct tarmac_mark *mark,
                              struct tarmac_event *event)
{
	const struct tarmac_source *source = r->core->source;
	enum status status;

	do {
		tarmac_tell(source->reader, mark);
		status = tarmac_next(source->reader, event);
		/* Malformed lines were reported when the text was read first. */
		if (status == STATUS_BAD_DATA || status == STATUS_TRUNCATED)
			status = STATUS_OK;
	} while (status == STATUS_OK && event->core != r->core->index);
	return status;
}

static enum status keep(struct effects_reader *r, const struct tarmac_event *event)
{
	struct effect *effect;

	TRY(vec_reserve((void **)&r->items, &r->capacity, r->count + 1, sizeof(*r->items)));
	effect = &r->items[r->count++];
	effect->event = *event;
	if (event->kind == TARMAC_REGISTER)
		effect->value = *event->reg.value;
	else if (event->kind == TARMAC_MEMORY && event->memory.value)
		effect->value = *event->memory.value;
	return STATUS_OK;
}

/* Reads up to the line of the next instruction, which the mark is then at. */
static enum status collect(struct effects_reader *r)
{
	struct tarmac_event event;

	r->count = 0;
	for (;;) {
		enum status status = next_event(r, &r->mark, &event);

		if (status == STATUS_END || (status == STATUS_OK && tarmac_is_counted(&event)))
			return STATUS_OK;
		TRY(status);
		TRY(keep(r, &event));
	}
}

/* Values move as the array grows, so events are pointed to them at the end. */
static void tie_values(struct effects_reader *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct effect *effect = &r->items[i];

		if (effect->event.kind == TARMAC_REGISTER)
			effect->event.reg.value = &effect->value;
		else if (effect->event.kind == TARMAC_MEMORY)
			effect->event.memory.value = &effect->value;
	}
}

/* Puts the shared reader at the line of instruction `position`, and reads it. */
static enum status find_instruction(struct effects_reader *r, uint64_t position,
                                    struct tarmac_event *event)
{
	const struct tarmac_core *core = r->core;
	size_t index = (size_t)(position / TARMAC_MARK_STEP);

	if (index >= core->mark_count)
		return STATUS_UNAVAILABLE;
	if (!r->has_mark || r->next > position || r->next / TARMAC_MARK_STEP < index) {
		r->mark = core->marks[index];
		r->next = index * TARMAC_MARK_STEP;
	}
	r->has_mark = false;
	tarmac_seek(core->source->reader, &r->mark);
	for (;;) {
		enum status status = next_event(r, &r->mark, event);

		if (status == STATUS_END)
			return STATUS_UNAVAILABLE;
		TRY(status);
		if (!tarmac_is_counted(event))
			continue;
		if (r->next == position)
			return STATUS_OK;
		r->next++;
	}
}

static enum status read_initial(struct effects_reader *r)
{
	/* The mark of a reader at the text's start. */
	static const struct tarmac_mark begin = {0};

	r->mark = begin;
	tarmac_seek(r->core->source->reader, &r->mark);
	r->has_mark = false;
	TRY(collect(r));
	r->next = 0;
	r->has_mark = true;
	return STATUS_OK;
}

enum status effects_at(struct effects_reader *reader, uint64_t position, struct effects *effects)
{
	*effects = (struct effects){0};
	if (position == EFFECTS_INITIAL) {
		TRY(read_initial(reader));
	} else {
		TRY(find_instruction(reader, position, &effects->instruction));
		TRY(collect(reader));
		effects->has_instruction = true;
		reader->next = position + 1;
		reader->has_mark = true;
	}
	tie_values(reader);
	effects->items = reader->items;
	effects->count = reader->count;
	return STATUS_OK;
}

bool tarmac_has_times(const struct tarmac_core *core)
{
	return core->times.has_any;
}

bool tarmac_has_clock(const struct tarmac_core *core)
{
	return core->times.has_any && !core->times.goes_back && !core->source->has_units;
}

enum status tarmac_timestamp(const struct tarmac_core *core, uint64_t position, uint64_t *timestamp)
{
	struct effects_reader r = {.core = core};
	struct tarmac_event event;

	TRY(find_instruction(&r, position, &event));
	if (!event.has_timestamp)
		return STATUS_UNAVAILABLE;
	*timestamp = event.timestamp;
	return STATUS_OK;
}
