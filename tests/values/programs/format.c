/* SPDX-License-Identifier: Apache-2.0 */
/* A printf of our own with variable arguments, numbers in several bases, and a parser for them. */
#include <stdarg.h>

#include "program.h"

static char out[256];
static size_t length;

static void put(char c)
{
	if (length < sizeof(out) - 1)
		out[length++] = c;
	out[length] = 0;
}

NOINLINE static void number(uint64_t v, unsigned int base, int width, char pad, int is_negative)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v != 0);
	if (is_negative)
		digits[n++] = '-';
	for (; width > n; width--)
		put(pad);
	while (n > 0)
		put(digits[--n]);
}

NOINLINE static void print(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	for (; *format; format++) {
		int width = 0;
		char pad = ' ';
		int64_t v;

		if (*format != '%') {
			put(*format);
			continue;
		}
		if (*++format == '0')
			pad = *format++;
		while (*format >= '0' && *format <= '9')
			width = 10 * width + *format++ - '0';
		switch (*format) {
		case 'd':
			v = va_arg(list, int);
			number((uint64_t)(v < 0 ? -v : v), 10, width, pad, v < 0);
			break;
		case 'x':
			number(va_arg(list, unsigned int), 16, width, pad, 0);
			break;
		case 'l':
			number(va_arg(list, unsigned long long), 16, width, pad, 0);
			break;
		case 'c':
			put((char)va_arg(list, int));
			break;
		case 's':
			for (const char *s = va_arg(list, const char *); *s; s++)
				put(*s);
			break;
		default:
			put(*format);
		}
	}
	va_end(list);
}

NOINLINE static int64_t parse(const char **at)
{
	int64_t v = 0;
	int is_negative = 0;

	while (**at && (**at < '0' || **at > '9'))
		is_negative = *(*at)++ == '-';
	while (**at >= '0' && **at <= '9')
		v = 10 * v + *(*at)++ - '0';
	return is_negative ? -v : v;
}

uint32_t program(uint32_t rounds)
{
	static const char *const names[] = {"alpha", "be", "gamma-ray"};
	uint32_t random = 777;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t r = next_random(&random);
		const char *at = out;

		length = 0;
		print("%d:%5d %s|%08x%c%l", (int)round, (int)r >> 12, names[r % 3], r,
		      (int)('a' + r % 26), (unsigned long long)r * r);
		while (*at)
			sum = sum * 5 + (uint32_t)parse(&at);
	}
	return sum + (uint32_t)length;
}
