/* SPDX-License-Identifier: Apache-2.0 */
/* See message_read.h. */
#include "replay/software_trace/message_read.h"

#include "base/vec.h"
#include "decoder/decoder.h"

/* What is known of time at a place of the trace. */
struct clock_state {
	size_t first; /* of the messages that wait for the next timestamp */
	bool is_known;
	uint64_t time; /* the last timestamp */
	bool is_cut;   /* bytes were lost since the last message */
};

static bool is_message(const struct element *element)
{
	if (element->type == ELEMENT_ITMTRACE)
		return element->itm.kind == ITM_KIND_SOFTWARE ||
		       element->itm.kind == ITM_KIND_HARDWARE;
	if (element->type != ELEMENT_SWTRACE || element->software.is_frequency)
		return false;
	return element->software.bits > 0 || element->software.is_marker ||
	       element->software.is_trigger || element->software.is_master_error ||
	       element->software.is_global_error;
}

/* A local timestamp counts cycles. */
static bool is_time(const struct element *element)
{
	if (!element->has_timestamp || element->timestamp == 0)
		return false;
	return element->type == ELEMENT_SWTRACE || (element->type == ELEMENT_ITMTRACE &&
	                                            element->itm.kind == ITM_KIND_GLOBAL_TIMESTAMP);
}

/* What came since the timestamp before was before this one. */
static void take_time(struct software_messages *messages, struct clock_state *clock, uint64_t time)
{
	bool goes_back = clock->is_known && time < clock->time;

	for (size_t i = clock->first; i < messages->count; i++) {
		struct moment *moment = &messages->items[i].moment;

		moment->has_earliest &= !goes_back;
		moment->has_latest = !goes_back;
		moment->latest = time;
	}
	clock->first = messages->count;
	clock->is_known = true;
	clock->time = time;
}

static enum status add(struct software_messages *messages, const struct snap_source *source,
                       const struct element *element, struct clock_state *clock)
{
	struct software_message message = {
	        .source = source, .element = *element, .order = messages->count};

	TRY(vec_reserve((void **)&messages->items, &messages->capacity, messages->count + 1,
	                sizeof(*messages->items)));
	message.is_cut =
	        clock->is_cut || (element->type == ELEMENT_ITMTRACE && element->itm.is_overflow);
	clock->is_cut = false;
	message.moment.has_earliest = clock->is_known;
	message.moment.earliest = clock->time;
	messages->items[messages->count++] = message;
	return STATUS_OK;
}

static enum status take(struct software_messages *messages, const struct snap_source *source,
                        const struct element *element, struct clock_state *clock)
{
	bool has_time = is_time(element);

	/* Of bytes that were lost nothing is known, nor of what is before and after them. */
	if (element->type == ELEMENT_NO_SYNC)
		*clock = (struct clock_state){.first = messages->count, .is_cut = true};
	/* An STM's timestamp is the message's own. */
	if (has_time && element->type == ELEMENT_SWTRACE)
		take_time(messages, clock, element->timestamp);
	if (is_message(element))
		TRY(add(messages, source, element, clock));
	if (has_time)
		take_time(messages, clock, element->timestamp);
	return STATUS_OK;
}

enum status messages_read(const struct snapshot *snapshot, const struct snap_source *source,
                          const struct snap_buffer *buffer, struct software_messages *messages)
{
	const struct decoder_options options = decoder_options_of(buffer);
	struct diag_list unheard = {0}; /* `csreplay decode` and `check` say it */
	struct clock_state clock = {.first = messages->count};
	struct decoder *decoder;
	struct element element;
	enum status status = decoder_open(snapshot, source, buffer, &options, &unheard, &decoder);

	diag_list_fini(&unheard);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	while ((status = decoder_next(decoder, &element)) == STATUS_OK &&
	       (status = take(messages, source, &element, &clock)) == STATUS_OK)
		;
	decoder_destroy(decoder);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}
