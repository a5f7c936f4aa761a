/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a debugger sends to a server of the example, as a whole: it takes every reply for right. In:
 * bytes that stand in place of some of it. Out: frames.
 */
#ifndef CSREPLAY_TESTS_FUZZ_WHOLE_PACKETS_H
#define CSREPLAY_TESTS_FUZZ_WHOLE_PACKETS_H

#include <stddef.h>

#include "base/bytes.h"

/*
 * Writes the frames to `out`, at most `room` bytes, and returns how many. Each three bytes of
 * `changes` are a packet's number, a place in it and what is there.
 */
size_t whole_packets(char *out, size_t room, struct bytes *changes);

#endif
