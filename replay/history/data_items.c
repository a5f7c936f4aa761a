/* SPDX-License-Identifier: Apache-2.0 */
/* Values of data trace that come late, and data of what did not happen; see data_items.h. */
#include "replay/history/data_items.h"

static struct history_event event_at(const struct row_log *events, size_t index)
{
	struct row_cache cache;
	struct history_event event;

	cache.bytes = NULL;
	cache.blocks = 0;
	row_log_at(events, index, &cache, &event);
	return event;
}

/* A value, but not with its place: whose data it is may be out of order, too. */
static enum status take_late(struct data_items *items, struct row_log *events,
                             const struct data_trace *value)
{
	unsigned int tag = value->tag % DATA_TAGS;
	bool is_certain = !items->is_uncertain[tag];
	struct history_event place;

	items->last = 0;
	if (items->waiting[tag] == 0)
		return STATUS_OK;
	items->waiting[tag]--;
	items->is_uncertain[tag] &= items->waiting[tag] > 0;
	if (!is_certain)
		return STATUS_OK;
	place = event_at(events, items->places[tag]);
	place.element.data.has_value = value->has_value;
	place.element.data.value = value->value;
	items->last = items->places[tag] + 1;
	return row_log_set(events, items->places[tag], &place);
}

static void take_place(struct data_items *items, unsigned int tag, size_t event)
{
	tag %= DATA_TAGS;
	items->places[tag] = event;
	items->waiting[tag]++;
	items->is_uncertain[tag] |= items->waiting[tag] > 1;
}

static enum status make_void(struct row_log *events, size_t index)
{
	struct history_event event = event_at(events, index);

	event.element.data.is_void = true;
	return row_log_set(events, index, &event);
}

/* Something is lost, and perhaps the value for a place, and another place of its tag. */
static void forget(struct data_items *items)
{
	*items = (struct data_items){.last = 0};
}

static enum status take_data(struct data_items *items, struct row_log *events,
                             const struct data_trace *data)
{
	switch (data->kind) {
	case DATA_PLACE:
		take_place(items, data->tag, events->count - 1);
		break;
	case DATA_LATE:
		return take_late(items, events, data);
	case DATA_STORE_FAILED:
		/* The most recent transfer was of a store exclusive that failed. */
		return items->last != 0 ? make_void(events, items->last - 1) : STATUS_OK;
	case DATA_TRANSFER:
		items->last = events->count;
		break;
	case DATA_SUPPRESSED:
		forget(items);
		break;
	case DATA_NOT_TRACED:
		break;
	}
	return STATUS_OK;
}

enum status data_items_add(struct data_items *items, struct row_log *events,
                           const struct element *element)
{
	if (element->type == ELEMENT_DATA)
		return take_data(items, events, &element->data);
	if (element->type == ELEMENT_NO_SYNC || element->type == ELEMENT_TRACE_ON)
		forget(items);
	return STATUS_OK;
}

enum status data_items_cancel(struct row_log *events, uint64_t length)
{
	for (size_t i = events->count; i-- > 0;) {
		struct history_event event = event_at(events, i);

		if (event.position < length)
			break;
		if (event.element.type == ELEMENT_DATA)
			TRY(make_void(events, i));
	}
	return STATUS_OK;
}
