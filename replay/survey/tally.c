/* SPDX-License-Identifier: Apache-2.0 */
/* What is decoded of a source in a buffer, and which code is missing; see survey_parts.h. */
#include <stdlib.h>

#include "replay/survey/survey_parts.h"

/* Counts the source's own bytes in the buffer. */
struct meter {
	struct deframe *deframe; /* too large for the stack */
	uint64_t bytes;
};

struct count {
	struct decoder *decoder;
	struct tally *tally;
	struct missing_code *missing; /* or NULL */
	struct meter meter;
	/* An opcode that was missing, until execution is known again. */
	bool is_lost;
	uint64_t lost_at;    /* address */
	uint64_t lost_bytes; /* on the meter */
};

/* The source's bytes before `place` of the buffer. */
static uint64_t meter_to(struct meter *meter, uint64_t place)
{
	struct deframe *d = meter->deframe;

	while (bytes_left(&d->bytes) > 0 || deframe_refill(d) == STATUS_OK) {
		if (deframe_position(d, d->bytes.pos) >= place)
			break;
		d->bytes.pos++;
		meter->bytes++;
	}
	return meter->bytes;
}

static enum status end_loss(struct count *count)
{
	if (!count->is_lost)
		return STATUS_OK;
	count->is_lost = false;
	return missing_code_add(count->missing, count->lost_at,
	                        meter_to(&count->meter, decoder_position(count->decoder)) -
	                                count->lost_bytes);
}

static enum status begin_loss(struct count *count, const struct element *element)
{
	TRY(end_loss(count));
	count->is_lost = true;
	count->lost_at = element->nacc.address;
	count->lost_bytes = meter_to(&count->meter, decoder_position(count->decoder));
	return STATUS_OK;
}

static enum status count_element(struct count *count, const struct element *element)
{
	struct tally *tally = count->tally;

	if (element->type == ELEMENT_INSTR_RANGE) {
		tally->instructions += element->range.count;
		return end_loss(count);
	}
	if (element->type == ELEMENT_NO_SYNC || element->type == ELEMENT_EO_TRACE) {
		tally->losses +=
		        element->type == ELEMENT_NO_SYNC && element->no_sync == NO_SYNC_BAD_PACKET;
		return end_loss(count);
	}
	tally->elements++;
	if (element->type == ELEMENT_ADDR_NACC && count->missing)
		return begin_loss(count, element);
	return STATUS_OK;
}

static enum status count_all(struct count *count, uint64_t most)
{
	struct decoded decoded;
	enum status status;

	while ((status = decoder_pull(count->decoder, &decoded)) == STATUS_OK) {
		for (size_t i = 0; i < decoded.batch_count; i++)
			count->tally->instructions += decoded.batches[i].instructions;
		TRY(decoded.batch_count > 0 ? end_loss(count)
		                            : count_element(count, &decoded.element));
		if (decoder_position(count->decoder) >= most)
			break;
	}
	TRY(end_loss(count));
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status open_meter(struct count *count, const struct snap_buffer *buffer,
                              enum deframe_format format)
{
	count->meter.deframe = malloc(sizeof(*count->meter.deframe));
	if (!count->meter.deframe)
		return STATUS_NO_MEM;
	deframe_init(count->meter.deframe, format, buffer->data, decoder_trace_id(count->decoder));
	return STATUS_OK;
}

enum status survey_tally(const struct snapshot *snapshot, const struct snap_source *source,
                         const struct snap_buffer *buffer, const struct tally_options *options,
                         struct diag_list *diags, struct tally *tally)
{
	const struct decoder_options decoding = decoder_options_of(buffer);
	struct count count = {.tally = tally, .missing = options->missing};
	enum deframe_format format;
	enum status status;

	*tally = (struct tally){0};
	TRY(decoder_open(snapshot, source, buffer, &decoding, diags, &count.decoder));
	if (!buffer_format(buffer, &decoding, &format))
		format = DEFRAME_SOURCE;
	status = open_meter(&count, buffer, format);
	if (status == STATUS_OK)
		status = count_all(&count, options->most);
	if (status == STATUS_OK) {
		tally->bytes = meter_to(&count.meter, options->most);
		tally->is_broken = decoder_broken_at(count.decoder, &tally->broken_at);
	}
	if (options->missing)
		options->missing->total += tally->bytes;
	free(count.meter.deframe);
	decoder_destroy(count.decoder);
	return status;
}
