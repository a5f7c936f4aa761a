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

static const char decimal_pairs[] = "00010203040506070809101112131415161718192021222324"
                                    "25262728293031323334353637383940414243444546474849"
                                    "50515253545556575859606162636465666768697071727374"
                                    "75767778798081828384858687888990919293949596979899";

static const uint64_t powers_of_ten[TEXT_DECIMAL_MOST] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
};

/* Digits of a number: log10(2) of its bits, or one more. */
static unsigned int decimal_width(uint64_t value)
{
	unsigned int width = (64U - (unsigned int)__builtin_clzll(value | 1)) * 1233 >> 12;

	return width + (value >= powers_of_ten[width] || width == 0);
}

char *text_put_decimal(char *at, uint64_t value)
{
	char *end = at + decimal_width(value);

	at = end;
	for (; value >= 10; value /= 100) {
		at -= 2;
		memcpy(at, &decimal_pairs[2 * (value % 100)], 2);
	}
	/* What is left of an odd number of digits. */
	if (value > 0 || at == end)
		at[-1] = (char)('0' + value);
	return end;
}

void text_decimal(struct text *t, uint64_t value)
{
	if (text_reserve(t, TEXT_DECIMAL_MOST))
		text_end(t, text_put_decimal(t->data + t->length, value));
}
