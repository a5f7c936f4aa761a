/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a protocol's decoder is to decoder.c: a row of functions. Each protocol is one file
 * (etm4_decode.c) that joins deframer, packets and flow.
 */
#ifndef CSREPLAY_DECODER_FLOW_PROTOCOL_H
#define CSREPLAY_DECODER_FLOW_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "decoder/element/element.h"
#include "decoder/flow/decoded.h"
#include "decoder/flow/trace_clock.h"
#include "decoder/frame/frame.h"
#include "snapshot/snapshot.h"

/* What a decoder is opened on. */
struct protocol_input {
	const struct snap_source *source;
	struct bytes data;
	enum deframe_format format;
	struct decoder_options options;
	/* When was what, where code changes with time; or NULL. It outlives the decoder. */
	const struct trace_clock *clock;
	bool joins_batches; /* an atom batch's Idx need be that of its first packet only */
	struct diag_list *diags;
};

struct protocol_decoder {
	const char *name; /* such as "ETMv4"; NULL if this build has none */
	/* As the functions of decoder.h; `*state` is the decoder's own. */
	enum status (*open)(const struct protocol_input *input, void **state, uint8_t *trace_id);
	void (*destroy)(void *state);
	/* One of the two: elements alone, or atom batches through input->options.graph too. */
	enum status (*next)(void *state, struct element *element);
	enum status (*pull)(void *state, struct decoded *decoded);
	uint64_t (*position)(const void *state);
	bool (*next_address)(const void *state, uint64_t *address);
	const uint64_t *(*seen_ids)(const void *state); /* as struct deframe's; NULL: not told */
	/* As decoder_can_begin_at(), of a source of the protocol; NULL: of each. */
	bool (*can_begin)(const struct snap_source *source);
	/* As decoder_limit() and its like; NULL if it has no synchronization points. */
	void (*limit)(void *state, uint64_t end);
	uint64_t (*sync_point_offset)(const void *state);
	void (*describe_sync_point)(const void *state, struct text *out);
};

extern const struct protocol_decoder etm3_decoder;
extern const struct protocol_decoder etm4_decoder;
extern const struct protocol_decoder itm_decoder;
extern const struct protocol_decoder ptm_decoder;
extern const struct protocol_decoder stm_decoder;

#endif
