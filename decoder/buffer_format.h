/* SPDX-License-Identifier: Apache-2.0 */
/* How a buffer is packed, from what the snapshot and the user say. */
#ifndef CSREPLAY_DECODER_BUFFER_FORMAT_H
#define CSREPLAY_DECODER_BUFFER_FORMAT_H

#include <stdbool.h>

#include "decoder/flow/flow.h"
#include "decoder/frame/frame.h"
#include "snapshot/snapshot.h"

/* False for a format that is not decoded. */
bool buffer_format(const struct snap_buffer *buffer, const struct decoder_options *options,
                   enum deframe_format *format);

#endif
