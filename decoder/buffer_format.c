/* SPDX-License-Identifier: Apache-2.0 */
/* How a buffer is packed; see buffer_format.h. */
#include "decoder/buffer_format.h"

#include "decoder/decoder.h"

/* From a trace port, as the user says. */
static enum deframe_format port_format(const struct decoder_options *options)
{
	if (options->dstream)
		return options->tpiu_hsync ? DEFRAME_DSTREAM_HSYNC : DEFRAME_DSTREAM;
	return options->tpiu_hsync ? DEFRAME_TPIU_HSYNC : DEFRAME_TPIU;
}

bool buffer_format(const struct snap_buffer *buffer, const struct decoder_options *options,
                   enum deframe_format *format)
{
	bool is_port = options->tpiu || options->tpiu_hsync || options->dstream;

	if (is_port && buffer->format != BUFFER_SOURCE_DATA) {
		*format = port_format(options);
		return true;
	}
	switch (buffer->format) {
	case BUFFER_CORESIGHT:
		*format = DEFRAME_CORESIGHT;
		return true;
	case BUFFER_SOURCE_DATA:
		*format = DEFRAME_SOURCE;
		return true;
	case BUFFER_DSTREAM:
		/* As OpenCSD takes it: that the blocks are still there, the user must say. */
		*format = DEFRAME_TPIU;
		return true;
	case BUFFER_OTHER:
		break;
	}
	return false;
}

struct decoder_options decoder_options_of(const struct snap_buffer *buffer)
{
	return (struct decoder_options){.dstream = buffer->format == BUFFER_DSTREAM};
}
