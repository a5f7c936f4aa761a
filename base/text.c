/* SPDX-License-Identifier: Apache-2.0 */
/* A growing text; see text.h for how it fails. */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

enum { PRINTED = 48 }; /* characters that most formatted pieces have at most */

bool text_grow(struct text *t, size_t more)
{
	size_t capacity = t->capacity;
	size_t need;
	char *data;

	if (t->failed)
		return false;
	/* Half of all is more than there is, and leaves room for the sums below. */
	if (more > SIZE_MAX / 2 - t->length - 1) {
		t->failed = true;
		return false;
	}
	need = t->length + more + 1;
	if (need <= capacity)
		return true;
	while (capacity < need)
		capacity = capacity < 64 ? 64 : capacity + capacity / 2;
	data = realloc(t->data, capacity);
	if (!data) {
		t->failed = true;
		return false;
	}
	t->data = data;
	t->capacity = capacity;
	return true;
}

void text_fini(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}

void text_clear(struct text *t)
{
	t->length = 0;
	t->failed = false;
	if (t->data)
		t->data[0] = '\0';
}

struct str text_str(const struct text *t)
{
	return (struct str){t->data ? t->data : "", t->length};
}

enum status text_status(const struct text *t)
{
	return t->failed ? STATUS_NO_MEM : STATUS_OK;
}

void text_vprintf(struct text *t, const char *format, va_list args)
{
	va_list again;
	int length;

	/* Room for most; what needs more is formatted a second time. */
	if (!text_reserve(t, PRINTED))
		return;
	va_copy(again, args);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): does not see that it is copied */
	length = vsnprintf(t->data + t->length, PRINTED + 1, format, again);
	va_end(again);
	if (length > PRINTED && text_reserve(t, (size_t)length))
		(void)vsnprintf(t->data + t->length, (size_t)length + 1, format, args);
	if (length < 0 || t->failed) {
		t->data[t->length] = '\0';
		t->failed = true;
		return;
	}
	t->length += (size_t)length;
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(t, format, args);
	va_end(args);
}

/* Exactly so many digits. */
static char *put_hex(char *at, uint64_t value, unsigned int digits)
{
	char *end = at + digits;

	at = end;
	for (; digits >= 2; digits -= 2, value >>= 8) {
		at -= 2;
		memcpy(at, hex_pairs[value & 0xff], 2);
	}
	if (digits > 0)
		at[-1] = hex_digits[value & 15];
	return end;
}

static unsigned int hex_width(uint64_t value)
{
	return value == 0 ? 1 : (67U - (unsigned int)__builtin_clzll(value)) / 4;
}

char *text_put_hex(char *at, uint64_t value)
{
	return put_hex(at, value, hex_width(value));
}

void text_hex(struct text *t, uint64_t value, unsigned int width)
{
	unsigned int digits = hex_width(value);

	if (digits < width)
		digits = width;
	if (text_reserve(t, digits))
		text_end(t, put_hex(t->data + t->length, value, digits));
}

void text_hex_bytes(struct text *t, const uint8_t *bytes, size_t count)
{
	if (count > (SIZE_MAX - 1) / 2 || !text_reserve(t, 2 * count)) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		t->data[t->length++] = hex_digits[bytes[i] >> 4];
		t->data[t->length++] = hex_digits[bytes[i] & 15];
	}
	t->data[t->length] = '\0';
}

char *text_put_decimal(char *at, uint64_t value)
{
	char digits[TEXT_DECIMAL_MOST];
	char *first = digits + TEXT_DECIMAL_MOST;

	/* Two digits a division. */
	for (; value >= 10; value /= 100) {
		unsigned int pair = (unsigned int)(value % 100);

		*--first = (char)('0' + pair % 10);
		*--first = (char)('0' + pair / 10);
	}
	if (value > 0 || first == digits + TEXT_DECIMAL_MOST)
		*--first = (char)('0' + value);
	return text_put(at, (struct str){first, (size_t)(digits + TEXT_DECIMAL_MOST - first)});
}

void text_decimal(struct text *t, uint64_t value)
{
	if (text_reserve(t, TEXT_DECIMAL_MOST))
		text_end(t, text_put_decimal(t->data + t->length, value));
}
