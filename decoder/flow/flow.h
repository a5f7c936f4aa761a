/* SPDX-License-Identifier: Apache-2.0 */
/* Walking code as trace says, and what decoders of protocols have in common: the public face of
 * flow. */
#ifndef CSREPLAY_DECODER_FLOW_FLOW_H
#define CSREPLAY_DECODER_FLOW_FLOW_H

#include "decoder/flow/atom_run.h"
#include "decoder/flow/batch_list.h"
#include "decoder/flow/decoded.h"
#include "decoder/flow/etm_drive.h"
#include "decoder/flow/etm_queue.h"
#include "decoder/flow/etm_registers.h"
#include "decoder/flow/follow.h"
#include "decoder/flow/graph.h"
#include "decoder/flow/protocol.h"
#include "decoder/flow/retstack.h"
#include "decoder/flow/trace_clock.h"

#endif
