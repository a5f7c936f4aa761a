/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal digits to bytes and back. */
#include "base/hex.h"

const char hex_digits[17] = "0123456789abcdef";

/* clang-format off */
#define ROW(h) \
	{h, '0'}, {h, '1'}, {h, '2'}, {h, '3'}, {h, '4'}, {h, '5'}, {h, '6'}, {h, '7'}, \
	{h, '8'}, {h, '9'}, {h, 'a'}, {h, 'b'}, {h, 'c'}, {h, 'd'}, {h, 'e'}, {h, 'f'}
/* clang-format on */

const char hex_pairs[256][2] = {
        ROW('0'), ROW('1'), ROW('2'), ROW('3'), ROW('4'), ROW('5'), ROW('6'), ROW('7'),
        ROW('8'), ROW('9'), ROW('a'), ROW('b'), ROW('c'), ROW('d'), ROW('e'), ROW('f'),
};
#undef ROW

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

enum status hex_to_bytes(struct str digits, uint8_t *out, size_t *count)
{
	if (digits.n % 2 != 0)
		return STATUS_BAD_DATA;
	if (digits.n / 2 > *count)
		return STATUS_TRUNCATED;
	for (size_t i = 0; i < digits.n / 2; i++) {
		int high = hex_digit(digits.p[2 * i]);
		int low = hex_digit(digits.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return STATUS_BAD_DATA;
		out[i] = (uint8_t)(high << 4 | low);
	}
	*count = digits.n / 2;
	return STATUS_OK;
}
