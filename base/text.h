/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing text. Writers of listings, JSON and protocol replies append to it; nothing is printed.
 * Running out of memory is remembered in `failed` and later appends do nothing, so that callers
 * check once, at the end. The text is NUL-terminated whenever `data` is not NULL.
 */
#ifndef CSREPLAY_BASE_TEXT_H
#define CSREPLAY_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"
#include "base/str.h"

struct text {
	char *data; /* owned; text_fini() frees it */
	size_t length;
	size_t capacity;
	bool failed;
};

void text_fini(struct text *t);
void text_clear(struct text *t); /* keeps the memory */
struct str text_str(const struct text *t);
/* STATUS_OK, or NO_MEM if any append failed. */
MUST_USE enum status text_status(const struct text *t);

/* Private: room for `more` bytes and the NUL. False, and `failed`, without memory. */
bool text_grow(struct text *t, size_t more);

/* Here and not in text.c: a listing is made of short pieces, most of them literals. */
static inline bool text_reserve(struct text *t, size_t more)
{
	if (!t->failed && more < t->capacity - t->length)
		return true;
	return text_grow(t, more);
}

static inline void text_add(struct text *t, struct str s)
{
	if (!text_reserve(t, s.n))
		return;
	if (s.n > 0)
		memcpy(t->data + t->length, s.p, s.n);
	t->length += s.n;
	t->data[t->length] = '\0';
}

static inline void text_char(struct text *t, char c)
{
	if (!text_reserve(t, 1))
		return;
	t->data[t->length++] = c;
	t->data[t->length] = '\0';
}

static inline void text_puts(struct text *t, const char *s)
{
	text_add(t, (struct str){s, strlen(s)});
}

/*
 * For a line of many short pieces: a place for up to `most` characters, or NULL without memory; and
 * where they end. Between the two calls the text is not to be used.
 */
static inline char *text_begin(struct text *t, size_t most)
{
	return text_reserve(t, most) ? t->data + t->length : NULL;
}

static inline void text_end(struct text *t, char *end)
{
	t->length = (size_t)(end - t->data);
	*end = '\0';
}

enum { TEXT_HEX_MOST = 16, TEXT_DECIMAL_MOST = 20 }; /* digits of a number */

/* Each returns the place after what it wrote. As text_add(), text_hex() of width 1, text_decimal().
 */
static inline char *text_put(char *at, struct str s)
{
	memcpy(at, s.p, s.n);
	return at + s.n;
}
char *text_put_hex(char *at, uint64_t value);
char *text_put_decimal(char *at, uint64_t value);

void text_printf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vprintf(struct text *t, const char *format, va_list args) PRINTF_LIKE(2, 0);
/* Lower-case hexadecimal of `value`, at least `width` digits. */
void text_hex(struct text *t, uint64_t value, unsigned int width);
/* Two lower-case digits a byte, in order. */
void text_hex_bytes(struct text *t, const uint8_t *bytes, size_t count);
void text_decimal(struct text *t, uint64_t value);

#endif
