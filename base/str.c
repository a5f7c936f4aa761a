/* SPDX-License-Identifier: Apache-2.0 */
/* String slices and number parsing. */
#include "base/str.h"

#include <limits.h>
#include <string.h>

#include "base/hex.h"

char str_lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

int str_print_length(struct str s)
{
	return s.n > INT_MAX ? INT_MAX : (int)s.n;
}

struct str str_of(const char *text)
{
	return text ? (struct str){text, strlen(text)} : (struct str){"", 0};
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_eq_nocase(struct str a, struct str b)
{
	return a.n == b.n && str_has_prefix_nocase(a, b);
}

int str_order_nocase(struct str a, struct str b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++) {
		int order = (unsigned char)str_lower(a.p[i]) - (unsigned char)str_lower(b.p[i]);

		if (order != 0)
			return order;
	}
	return a.n < b.n ? -1 : a.n > b.n;
}

bool str_has_prefix(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_has_prefix_nocase(struct str s, struct str prefix)
{
	if (s.n < prefix.n)
		return false;
	for (size_t i = 0; i < prefix.n; i++) {
		if (str_lower(s.p[i]) != str_lower(prefix.p[i]))
			return false;
	}
	return true;
}

bool str_has_suffix_nocase(struct str s, struct str suffix)
{
	return s.n >= suffix.n && str_has_prefix_nocase(str_skip(s, s.n - suffix.n), suffix);
}

struct str str_trim(struct str s)
{
	while (s.n > 0 && is_blank(s.p[0]))
		s = str_skip(s, 1);
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_skip(struct str s, size_t count)
{
	if (count > s.n)
		count = s.n;
	/* The empty slice may be NULL, which nothing may be added to. */
	if (count == 0)
		return s;
	return (struct str){s.p + count, s.n - count};
}

char str_printable(char c)
{
	if (c >= ' ' && c <= '~')
		return c;
	return '?';
}

size_t str_find(struct str s, char c)
{
	const char *hit = s.n > 0 ? memchr(s.p, c, s.n) : NULL;

	return hit ? (size_t)(hit - s.p) : s.n;
}

struct str str_next_part(struct str *rest, char separator)
{
	size_t cut = str_find(*rest, separator);
	struct str part = {rest->p, cut};

	*rest = cut < rest->n ? str_skip(*rest, cut + 1) : (struct str){NULL, 0};
	return str_trim(part);
}

static enum status digits_to_u64(struct str s, unsigned int base, uint64_t *value)
{
	uint64_t v = 0;
	bool fits = true;

	if (s.n == 0)
		return STATUS_BAD_DATA;
	for (size_t i = 0; i < s.n; i++) {
		int digit = hex_digit(s.p[i]);

		if (digit < 0 || (unsigned int)digit >= base)
			return STATUS_BAD_DATA;
		/* Goes on: what is no number is not one that is too large. */
		fits = fits && v <= (UINT64_MAX - (unsigned int)digit) / base;
		v = v * base + (unsigned int)digit;
	}
	if (!fits)
		return STATUS_TRUNCATED;
	*value = v;
	return STATUS_OK;
}

enum status str_to_u64(struct str s, uint64_t *value)
{
	if (str_has_prefix_nocase(s, STR("0x")))
		return digits_to_u64(str_skip(s, 2), 16, value);
	return digits_to_u64(s, 10, value);
}

enum status str_hex_to_u64(struct str s, uint64_t *value)
{
	return digits_to_u64(s, 16, value);
}

struct str str_folder(struct str path)
{
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	if (path.n == 0)
		return STR(".");
	return (struct str){path.p, path.n > 1 ? path.n - 1 : 1};
}
