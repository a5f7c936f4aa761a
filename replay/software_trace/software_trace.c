/* SPDX-License-Identifier: Apache-2.0 */
/* See software_trace.h. */
#include "replay/software_trace/software_trace.h"

#include <stdlib.h>

#include "decoder/decoder.h"
#include "replay/software_trace/message_text.h"

struct software_log {
	struct software_messages messages;
	size_t timed;
	struct arena arena; /* of lines */
};

static int compare(const void *left, const void *right)
{
	const struct software_message *a = left;
	const struct software_message *b = right;

	if (a->moment.has_latest != b->moment.has_latest)
		return a->moment.has_latest ? -1 : 1;
	if (a->moment.has_latest && a->moment.latest != b->moment.latest)
		return a->moment.latest < b->moment.latest ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static enum status read_source(const struct snapshot *snapshot, const struct snap_source *source,
                               struct software_messages *messages)
{
	struct diag_list unheard = {0};
	size_t *chosen = calloc(source->buffer_count + 1, sizeof(*chosen));
	enum status status = STATUS_NO_MEM;
	size_t count = 0;

	if (chosen)
		status = source_buffers_choose(snapshot, source, &unheard, chosen, &count);
	diag_list_fini(&unheard);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = messages_read(snapshot, source, &snapshot->buffers[chosen[i]], messages);
	free(chosen);
	return status;
}

static enum status read_all(const struct snapshot *snapshot, struct software_log *log)
{
	struct software_messages *messages = &log->messages;

	for (size_t i = 0; i < snapshot->source_count; i++) {
		const struct snap_source *source = &snapshot->sources[i];

		if (source->protocol == PROTOCOL_ITM || source->protocol == PROTOCOL_STM)
			TRY(read_source(snapshot, source, messages));
	}
	TRY(messages_join_text(messages, &log->arena));
	if (messages->count > 1)
		qsort(messages->items, messages->count, sizeof(*messages->items), compare);
	while (log->timed < messages->count && messages->items[log->timed].moment.has_latest)
		log->timed++;
	return STATUS_OK;
}

enum status software_log_read(const struct snapshot *snapshot, struct software_log **log)
{
	struct software_log *made = calloc(1, sizeof(*made));
	enum status status;

	if (!made)
		return STATUS_NO_MEM;
	status = read_all(snapshot, made);
	if (status == STATUS_OK)
		*log = made;
	else
		software_log_destroy(made);
	return status;
}

void software_log_destroy(struct software_log *log)
{
	if (!log)
		return;
	free(log->messages.items);
	arena_fini(&log->arena);
	free(log);
}

size_t software_log_count(const struct software_log *log)
{
	return log->messages.count;
}

const struct software_message *software_log_get(const struct software_log *log, size_t i)
{
	return &log->messages.items[i];
}

size_t software_log_timed(const struct software_log *log)
{
	return log->timed;
}

static void format_itm(const struct software_message *message, struct text *out)
{
	const struct itm_trace *itm = &message->element.itm;

	text_printf(out, itm->kind == ITM_KIND_SOFTWARE ? " port %u: " : " DWT %u: ",
	            (unsigned int)itm->source);
	if (message->text.p)
		return;
	text_puts(out, "0x");
	text_hex(out, itm->value, 2U * itm->size);
	if (itm->is_overflow)
		text_puts(out, ", messages before it were lost");
}

static void format_stm(const struct software_message *message, struct text *out)
{
	const struct software_trace *stm = &message->element.software;
	const char *comma = "";

	if (stm->has_ids)
		text_printf(out, " master 0x%02x channel 0x%02x: ", (unsigned int)stm->master,
		            (unsigned int)stm->channel);
	else
		text_puts(out, ": ");
	if (message->text.p)
		return;
	if (stm->bits > 0) {
		text_puts(out, "0x");
		text_hex(out, stm->value, stm->bits / 4U);
		comma = ", ";
	}
	if (stm->is_trigger)
		text_printf(out, "%strigger", comma);
	else if (stm->is_master_error || stm->is_global_error)
		text_printf(out, "%serror: messages were lost", comma);
	else if (stm->is_marker)
		text_printf(out, "%smarker", comma);
}

void software_message_format(const struct software_message *message, struct text *out)
{
	text_add(out, message->source->device->name);
	if (message->element.type == ELEMENT_ITMTRACE)
		format_itm(message, out);
	else
		format_stm(message, out);
	if (!message->text.p)
		return;
	text_char(out, '"');
	for (size_t i = 0; i < message->text.n; i++) {
		char c = message->text.p[i];

		if (c == '\t')
			c = ' ';
		text_char(out, str_printable(c));
	}
	text_char(out, '"');
}
