/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of the STM, one function a form: arguments in, nibbles at the end of a stream out.
 * MIPI STPv2; CoreSight STM TRM. Nothing but the place between two nibbles is remembered, and
 * nothing is checked: tests want to make wrong traces too.
 */
#ifndef CSREPLAY_TESTS_SYNTH_STM_EMIT_H
#define CSREPLAY_TESTS_SYNTH_STM_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/synth/buf.h"

/* Bytes of two nibbles, the low one first. The last high nibble is 0 while it is not written. */
struct stm_stream {
	struct buf bytes; /* buf_fini() frees them */
	bool is_high_next;
	size_t nibbles; /* written */
};

/* A timestamp: its low nibbles, 0 to 12, 14 or 16 of them. */
struct emit_stm_time {
	unsigned int digits;
	uint64_t value; /* as it is in the stream: binary or Gray code */
};

void emit_stm_nibble(struct stm_stream *out, unsigned int nibble);
/* The low `digits` nibbles of `value`, highest first. Any packet, well formed or not. */
void emit_stm_nibbles(struct stm_stream *out, uint64_t value, unsigned int digits);

void emit_stm_async(struct stm_stream *out, unsigned int fs); /* nibbles of 0xf, 21 or more */
void emit_stm_version(struct stm_stream *out, unsigned int version);
void emit_stm_frequency(struct stm_stream *out, uint32_t hertz);
void emit_stm_master(struct stm_stream *out, unsigned int master);
void emit_stm_channel_8(struct stm_stream *out, unsigned int low);
void emit_stm_channel_16(struct stm_stream *out, unsigned int channel);
void emit_stm_master_error(struct stm_stream *out, unsigned int error);
void emit_stm_global_error(struct stm_stream *out, unsigned int error);

/* `time` may be NULL: the form without a timestamp. */
void emit_stm_null(struct stm_stream *out, const struct emit_stm_time *time);
void emit_stm_flag(struct stm_stream *out, const struct emit_stm_time *time);
void emit_stm_trigger(struct stm_stream *out, unsigned int value, const struct emit_stm_time *time);

/* `digits` of the value: 1, 2, 4, 8 or 16. */
void emit_stm_data(struct stm_stream *out, uint64_t value, unsigned int digits, bool is_marker,
                   const struct emit_stm_time *time);

uint64_t emit_stm_gray(uint64_t binary); /* the Gray code of a number */

#endif
