/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder's public face: the table of protocols, and what they have in common before their
 * first byte: which buffer in which format.
 */
#include "decoder/decoder.h"

#include <stdlib.h>

#include "decoder/protocol.h"

struct decoder {
	const struct protocol_decoder *protocol;
	void *state;
	uint8_t trace_id;
	bool has_failed; /* without memory: at its end */
};

/* The protocols that this build decodes; NULL for the others. */
static const struct protocol_decoder *const protocols[] = {
        [PROTOCOL_PTM] = &ptm_decoder,
        [PROTOCOL_ETM4] = &etm4_decoder,
};

static const struct protocol_decoder *protocol_of(enum protocol protocol)
{
	return protocol < sizeof(protocols) / sizeof(protocols[0]) ? protocols[protocol] : NULL;
}

bool decoder_supports(enum protocol protocol)
{
	return protocol_of(protocol) != NULL;
}

static enum status format_of(const struct snap_source *source, const struct snap_buffer *buffer,
                             struct diag_list *diags, enum deframe_format *format)
{
	switch (buffer->format) {
	case BUFFER_CORESIGHT:
		*format = DEFRAME_CORESIGHT;
		return STATUS_OK;
	case BUFFER_SOURCE_DATA:
		*format = DEFRAME_SOURCE;
		return STATUS_OK;
	case BUFFER_DSTREAM:
	case BUFFER_OTHER:
		break;
	}
	return diag_error(
	        diags, STATUS_UNSUPPORTED, buffer->place,
	        "trace source \"%.*s\": buffer \"%.*s\" has the format \"%.*s\", which is "
	        "not decoded",
	        STR_ARG(source->device->name), STR_ARG(buffer->name), STR_ARG(buffer->format_name));
}

enum status decoder_open(const struct snapshot *snapshot, const struct snap_source *source,
                         const struct snap_buffer *buffer, const struct decoder_options *options,
                         struct diag_list *diags, struct decoder **decoder)
{
	struct protocol_input input = {
	        .source = source, .data = buffer->data, .options = *options, .diags = diags};
	struct decoder *d;
	enum status status;

	(void)snapshot;
	*decoder = NULL;
	if (!decoder_supports(source->protocol))
		return diag_error(diags, STATUS_UNSUPPORTED, source->device->place,
		                  "trace source \"%.*s\" has the type \"%.*s\" (%s), which is not "
		                  "decoded",
		                  STR_ARG(source->device->name), STR_ARG(source->device->type),
		                  protocol_name(source->protocol));
	TRY(format_of(source, buffer, diags, &input.format));
	d = calloc(1, sizeof(*d));
	if (!d)
		return STATUS_NO_MEM;
	d->protocol = protocol_of(source->protocol);
	status = d->protocol->open(&input, &d->state, &d->trace_id);
	if (status != STATUS_OK) {
		free(d);
		return status;
	}
	*decoder = d;
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	if (!decoder)
		return;
	decoder->protocol->destroy(decoder->state);
	free(decoder);
}

enum status decoder_next(struct decoder *decoder, struct element *element)
{
	enum status status;

	if (decoder->has_failed)
		return STATUS_END;
	status = decoder->protocol->next(decoder->state, element);
	decoder->has_failed = status != STATUS_OK && status != STATUS_END;
	return status;
}

uint8_t decoder_trace_id(const struct decoder *decoder)
{
	return decoder->trace_id;
}

uint64_t decoder_position(const struct decoder *decoder)
{
	return decoder->protocol->position(decoder->state);
}

bool decoder_next_address(const struct decoder *decoder, uint64_t *address)
{
	return decoder->protocol->next_address(decoder->state, address);
}
