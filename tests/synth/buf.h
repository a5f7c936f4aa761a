/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing buffer of bytes, for everything that the encoder writes. Running out of memory is
 * remembered in `failed`, so that writers check once, at the end.
 */
#ifndef CSREPLAY_TESTS_SYNTH_BUF_H
#define CSREPLAY_TESTS_SYNTH_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"

struct buf {
	uint8_t *data; /* owned; buf_fini() frees it */
	size_t size;
	size_t capacity;
	bool failed;
};

static inline void buf_put(struct buf *b, unsigned int byte)
{
	if (b->failed ||
	    vec_reserve((void **)&b->data, &b->capacity, b->size + 1, 1) != STATUS_OK) {
		b->failed = true;
		return;
	}
	b->data[b->size++] = (uint8_t)byte;
}

static inline void buf_add(struct buf *b, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_put(b, bytes[i]);
}

/* The low `count` bytes of `value`, the lowest first. */
static inline void buf_le(struct buf *b, uint64_t value, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		buf_put(b, (unsigned int)(value >> (8 * i)) & 0xff);
}

static inline void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

#endif
