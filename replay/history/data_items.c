/* SPDX-License-Identifier: Apache-2.0 */
/* Values of data trace that come late, and data of what did not happen; see data_items.h. */
#include "replay/history/data_items.h"

/* A value, but not with its place: whose data it is may be out of order, too. */
static void take_late(struct data_items *items, struct history_event *events, size_t late)
{
	const struct data_trace *value = &events[late].element.data;
	unsigned int tag = value->tag % DATA_TAGS;
	struct data_trace *place = &events[items->places[tag]].element.data;

	items->last = 0;
	if (items->waiting[tag] == 0)
		return;
	if (!items->is_uncertain[tag]) {
		place->has_value = value->has_value;
		place->value = value->value;
		items->last = items->places[tag] + 1;
	}
	items->waiting[tag]--;
	items->is_uncertain[tag] &= items->waiting[tag] > 0;
}

static void take_place(struct data_items *items, unsigned int tag, size_t event)
{
	tag %= DATA_TAGS;
	items->places[tag] = event;
	items->waiting[tag]++;
	items->is_uncertain[tag] |= items->waiting[tag] > 1;
}

/* The most recent transfer was of a store exclusive that failed. */
static void take_store_failed(const struct data_items *items, struct history_event *events)
{
	if (items->last != 0)
		events[items->last - 1].element.data.is_void = true;
}

/* Something is lost, and perhaps the value for a place, and another place of its tag. */
static void forget(struct data_items *items)
{
	*items = (struct data_items){.last = 0};
}

static void take_data(struct data_items *items, struct history_event *events, size_t event)
{
	const struct data_trace *data = &events[event].element.data;

	switch (data->kind) {
	case DATA_PLACE:
		take_place(items, data->tag, event);
		break;
	case DATA_LATE:
		take_late(items, events, event);
		break;
	case DATA_STORE_FAILED:
		take_store_failed(items, events);
		break;
	case DATA_TRANSFER:
		items->last = event + 1;
		break;
	case DATA_SUPPRESSED:
		forget(items);
		break;
	case DATA_NOT_TRACED:
		break;
	}
}

void data_items_add(struct data_items *items, struct history_event *events, size_t count)
{
	enum element_type type = events[count - 1].element.type;

	if (type == ELEMENT_DATA)
		take_data(items, events, count - 1);
	else if (type == ELEMENT_NO_SYNC || type == ELEMENT_TRACE_ON)
		forget(items);
}

void data_items_cancel(struct history_event *events, size_t count, uint64_t length)
{
	for (size_t i = count; i-- > 0 && events[i].position >= length;) {
		if (events[i].element.type == ELEMENT_DATA)
			events[i].element.data.is_void = true;
	}
}
