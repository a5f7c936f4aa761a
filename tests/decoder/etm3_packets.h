/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of ETMv3 that tests put together, and the registers of who sent them. */
#ifndef CSREPLAY_TESTS_DECODER_ETM3_PACKETS_H
#define CSREPLAY_TESTS_DECODER_ETM3_PACKETS_H

#include <stdint.h>

/* ETMv3.5 with virtualization extensions; a context ID of one byte. */
#define CCER UINT32_C(0x34400000)

/* I-Sync: Arm state, trace on, context ID 7, address 0x10xx. */
#define AT(low)    "\x08\x07\x21" low "\x10\0\0"
#define NS_AT(low) "\x08\x07\x29" low "\x10\0\0" /* the same, Non-secure */
#define E          "\x84"
#define N          "\xc0"
#define EE         "\x88"
#define EN         "\xc4"
/* Branch addresses with an exception, to 0x1100. */
#define IRQ      "\x81\x91\x80\x80\x48\x1c"
#define PREFETCH "\x81\x91\x80\x80\x48\x16"
#define ABORT    "\x81\x91\x80\x80\x48\x38" /* cancels the last instruction */

#endif
