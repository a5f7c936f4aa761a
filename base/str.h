/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String slices and the numbers in them. A slice owns nothing: whoever made its bytes (an arena,
 * a mapped file, a literal) keeps them alive. Slices are not NUL-terminated.
 */
#ifndef CSREPLAY_BASE_STR_H
#define CSREPLAY_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
/* For printf's "%.*s". A slice longer than INT_MAX is cut. */
#define STR_ARG(s) str_print_length(s), (s).p

int str_print_length(struct str s);
struct str str_of(const char *text); /* NULL gives the empty slice */
bool str_eq(struct str a, struct str b);
char str_lower(char c);                         /* ASCII */
bool str_eq_nocase(struct str a, struct str b); /* ASCII */
/* Below 0, 0 or above 0, for qsort(): 0 is what str_eq_nocase() says is equal. */
int str_order_nocase(struct str a, struct str b);
bool str_has_prefix(struct str s, struct str prefix);
bool str_has_prefix_nocase(struct str s, struct str prefix);
bool str_has_suffix_nocase(struct str s, struct str suffix);
struct str str_trim(struct str s); /* without ASCII blanks at either end */
struct str str_skip(struct str s, size_t count);

/* `c` if it is a printable ASCII character, else '?'. */
char str_printable(char c);

/* Index of the first `c`, or s.n. */
size_t str_find(struct str s, char c);

/*
 * Cuts the part before the first `separator` off `*rest` and returns it trimmed; the last part
 * leaves `*rest` empty with p == NULL. Loop: `while (rest.p) { part = str_next_part(...); }`.
 */
struct str str_next_part(struct str *rest, char separator);

/*
 * Unsigned number in decimal or, with 0x, hexadecimal; underscores are not digits. BAD_DATA when
 * the text is not wholly a number, TRUNCATED when it does not fit in 64 bits.
 */
MUST_USE enum status str_to_u64(struct str s, uint64_t *value);

/* Hexadecimal digits without prefix, 1 to 16 of them; same statuses. */
MUST_USE enum status str_hex_to_u64(struct str s, uint64_t *value);

/* The folder that a path lies in, a part of it or ".". */
struct str str_folder(struct str path);

#endif
