/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of the ITM and the DWT, one function a form: arguments in, bytes at the end of a
 * buffer out. Armv7-M ARM DDI 0403, appendix D4. Nothing is remembered between calls and nothing is
 * checked: tests want to make wrong traces too.
 *
 * `size` is how many bytes hold the value. Where these are 7 bits each, one more than the format
 * has room for makes a packet that is too long.
 */
#ifndef CSREPLAY_TESTS_SYNTH_ITM_EMIT_H
#define CSREPLAY_TESTS_SYNTH_ITM_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/synth/buf.h"

void emit_itm_sync(struct buf *out, unsigned int zeros); /* bytes of zero, 5 or more */
void emit_itm_overflow(struct buf *out);

/* Source packets: `size` is 1, 2 or 4. */
void emit_itm_software(struct buf *out, unsigned int port, uint32_t value, unsigned int size);
void emit_itm_hardware(struct buf *out, unsigned int discriminator, uint32_t value,
                       unsigned int size);

/* Local timestamps; tc: 1 the timestamp was delayed, 2 the packet, 3 both. */
void emit_itm_local(struct buf *out, unsigned int tc, uint64_t cycles, unsigned int size);
void emit_itm_local_short(struct buf *out, unsigned int cycles); /* 1 to 6 */

/* Bits 25:0 of the time. Both flags are in the fourth byte: `size` is 4 if one is set. */
void emit_itm_global_1(struct buf *out, uint64_t low, bool is_clock_changed, bool is_wrapped,
                       unsigned int size);
/* Bits 63:26 of the time. */
void emit_itm_global_2(struct buf *out, uint64_t high, unsigned int size);

/* Three bits of `info` are in the header, the others in `size` bytes, 0 to 4. */
void emit_itm_extension(struct buf *out, bool is_hardware, uint64_t info, unsigned int size);

#endif
