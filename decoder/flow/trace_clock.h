/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a trace source was where in a buffer: its timestamps by their place. In: the timestamps of
 * one buffer, in order, as a first decoding without code has found them. Out: between which times
 * lies what stands at a place.
 *
 * A timestamp is not before what was traced before it, nor after the waypoint that comes next; the
 * instructions on the way to that one may be on either side (IHI 0064, "Timestamp element"; IHI
 * 0035, "Timestamp packet").
 */
#ifndef CSREPLAY_DECODER_FLOW_TRACE_CLOCK_H
#define CSREPLAY_DECODER_FLOW_TRACE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct trace_time {
	uint64_t offset; /* Idx of its packet */
	uint64_t time;
};

struct trace_clock {
	struct trace_time *items; /* by place */
	size_t count;
	size_t capacity;
	bool goes_back; /* the times are of two clocks: nothing is known */
};

void trace_clock_fini(struct trace_clock *clock);

/* The next timestamp; 0 is none (IHI 0064). NO_MEM. */
MUST_USE enum status trace_clock_add(struct trace_clock *clock, uint64_t offset, uint64_t time);

/* The first timestamp after a place of the buffer, or NULL. */
const struct trace_time *trace_clock_after(const struct trace_clock *clock, uint64_t offset);

#endif
