/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal digits to bytes and back. */
#ifndef CSREPLAY_BASE_HEX_H
#define CSREPLAY_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

extern const char hex_digits[17];    /* "0123456789abcdef" */
extern const char hex_pairs[256][2]; /* the two digits of each byte */

/* 0 to 15, or -1 when `c` is no hexadecimal digit. */
int hex_digit(char c);

/*
 * Two digits a byte, in order. `*count` is the room at `out` and becomes the number of bytes
 * written. BAD_DATA on a digit that is none or an odd number of them, TRUNCATED without room.
 */
MUST_USE enum status hex_to_bytes(struct str digits, uint8_t *out, size_t *count);

#endif
