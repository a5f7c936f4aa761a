/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of Tarmac share: the events of a text, and what is in them. */
#ifndef CSREPLAY_TESTS_TARMAC_TARMAC_WORLD_H
#define CSREPLAY_TESTS_TARMAC_TARMAC_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "replay/tarmac/tarmac.h"

struct world {
	struct tarmac *reader;
	struct diag_list diags;
	struct tarmac_event event; /* the last one */
};

static inline void world_open_bytes(struct world *w, struct bytes text, bool is_strict)
{
	struct tarmac_options options = {.file = STR("t.tarmac"), .is_strict = is_strict};

	*w = (struct world){0};
	assert_int_equal(tarmac_open(text, &options, &w->diags, &w->reader), STATUS_OK);
}

static inline void world_open(struct world *w, const char *text)
{
	world_open_bytes(w, bytes_of(text, strlen(text)), false);
}

static inline void world_close(struct world *w)
{
	tarmac_close(w->reader);
	diag_list_fini(&w->diags);
}

static inline const struct tarmac_event *world_next(struct world *w, enum tarmac_kind kind)
{
	assert_int_equal(tarmac_next(w->reader, &w->event), STATUS_OK);
	assert_string_equal(tarmac_kind_name(w->event.kind), tarmac_kind_name(kind));
	return &w->event;
}

static inline void world_end(struct world *w)
{
	assert_int_equal(tarmac_next(w->reader, &w->event), STATUS_END);
	assert_int_equal(tarmac_next(w->reader, &w->event), STATUS_END);
}

static inline void assert_str(struct str found, const char *expected)
{
	assert_int_equal(found.n, strlen(expected));
	assert_memory_equal(found.p, expected, found.n);
}

static inline char digit_of(unsigned int touched, unsigned int known, unsigned int bits)
{
	if (!touched)
		return '-';
	if (!known)
		return 'x';
	return hex_digits[bits];
}

/* A value as digits, highest first: '-' not touched, 'x' not known. */
static inline void assert_value(const struct tarmac_value *value, const char *expected)
{
	char found[2 * TARMAC_VALUE_MOST + 1];
	size_t n = 0;

	for (unsigned int i = value->size; i-- > 0;) {
		for (unsigned int half = 0; half < 2; half++) {
			unsigned int shift = half == 0 ? 4 : 0;
			unsigned int known = (unsigned int)value->known[i] >> shift & 0xf;
			unsigned int touched = (unsigned int)value->touched[i] >> shift & 0xf;
			unsigned int bits = (unsigned int)value->bits[i] >> shift & 0xf;

			assert_true(known == 0 || known == 0xf);
			assert_true(touched == 0 || touched == 0xf);
			assert_true((bits & ~known) == 0 && (known & ~touched) == 0);
			found[n++] = digit_of(touched, known, bits);
		}
	}
	found[n] = '\0';
	assert_string_equal(found, expected);
}

#endif
