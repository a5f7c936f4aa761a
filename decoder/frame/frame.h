/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of one trace ID out of a trace buffer, and which IDs it has: the public face of frame. */
#ifndef CSREPLAY_DECODER_FRAME_FRAME_H
#define CSREPLAY_DECODER_FRAME_FRAME_H

#include "decoder/frame/deframe.h"
#include "decoder/frame/id_census.h"

#endif
