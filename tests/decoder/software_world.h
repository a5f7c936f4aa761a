/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of software trace: a source with one register, its bytes decoded into text. */
#ifndef CSREPLAY_TESTS_SOFTWARE_WORLD_H
#define CSREPLAY_TESTS_SOFTWARE_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"

enum {
	WORLD_ID = 0x14,
	WORLD_ELEMENTS_A_BYTE = 8, /* more than any packet makes, packets listed too */
};

struct world {
	enum protocol protocol;
	const char *register_name;
	uint32_t control; /* the register's value */
	enum buffer_format format;
	struct decoder_options options;
	bool as_json;
};

/* All elements of `data`, a line each, appended to `out`. Fails if there is no end of them. */
static void world_decode(const struct world *world, const void *data, size_t size, struct text *out)
{
	uint8_t value[4];
	struct snap_register reg = {
	        .name = str_of(world->register_name), .bits = 32, .value = value};
	struct snap_device device = {.name = STR("TRACE_0"),
	                             .class = DEVICE_TRACE_SOURCE,
	                             .registers = &reg,
	                             .register_count = 1};
	struct snap_source source = {.device = &device, .protocol = world->protocol};
	struct snap_buffer buffer = {
	        .name = STR("ETB_1"), .format = world->format, .data = bytes_of(data, size)};
	struct snapshot snapshot = {.sources = &source, .source_count = 1};
	struct diag_list diags = {0};
	struct decoder *decoder = NULL;
	struct element element;
	size_t count = 0;
	enum status status;

	for (unsigned int i = 0; i < 4; i++)
		value[i] = (uint8_t)(world->control >> (8 * i));
	status = decoder_open(&snapshot, &source, &buffer, &world->options, &diags, &decoder);
	assert_int_equal(status, STATUS_OK);
	assert_int_equal(decoder_trace_id(decoder), WORLD_ID);
	while ((status = decoder_next(decoder, &element)) == STATUS_OK) {
		assert_true(count++ <= WORLD_ELEMENTS_A_BYTE * size + 4);
		assert_true(decoder_position(decoder) <= size);
		if (world->as_json)
			element_format_json(&element, out);
		else
			element_format_text(&element, out);
		text_char(out, '\n');
	}
	assert_int_equal(status, STATUS_END);
	assert_int_equal(text_status(out), STATUS_OK);
	decoder_destroy(decoder);
	diag_list_fini(&diags);
}

static void world_assert(const struct world *world, const void *data, size_t size,
                         const char *expected)
{
	struct text out = {0};

	world_decode(world, data, size, &out);
	assert_string_equal(out.data, expected);
	text_fini(&out);
}

static uint32_t world_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Random bytes after `begin`, and `begin` with bytes changed: all come to an end. */
static void world_assert_any_bytes_end(const struct world *world, const void *begin, size_t size)
{
	enum { ROUNDS = 2000, MOST = 200 };
	uint8_t data[2 * MOST];
	uint32_t seed = 7;

	assert_true(size <= MOST);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		size_t length = size + world_random(&seed) % MOST;
		struct text out = {0};

		memcpy(data, begin, size);
		for (size_t j = size; j < length; j++)
			data[j] = (uint8_t)world_random(&seed);
		for (unsigned int j = i % 8; j > 0 && size > 0; j--)
			data[world_random(&seed) % size] = (uint8_t)world_random(&seed);
		world_decode(world, data, length, &out);
		if (world->format == BUFFER_SOURCE_DATA && !world->as_json)
			assert_non_null(strstr(out.data, "EO_TRACE( [end-of-trace])"));
		text_fini(&out);
	}
}

#endif
