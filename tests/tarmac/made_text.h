/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarmac texts made by a test, opened as sessions. In: a text. Out: what is known of registers and
 * memory at a position. Everything is of the one `rig`, which tear_down() empties.
 */
#ifndef CSREPLAY_TESTS_TARMAC_MADE_TEXT_H
#define CSREPLAY_TESTS_TARMAC_MADE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/session/session.h"
#include "replay/session/state.h"
#include "replay/tarmac/effects.h"
#include "replay/tarmac/tarmac_source.h"

static struct {
	struct snapshot *snapshot;
	struct session *session;
	struct diag_list diags;
	bool stops; /* at the progress report of index `polls` */
	unsigned int polls;
} rig;

static inline bool stop_later(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	assert_true(done <= total);
	if (rig.polls == 0)
		return false;
	rig.polls--;
	return true;
}

static inline enum status open_with(const char *text, bool is_strict)
{
	char path[] = "/tmp/csreplay-tarmac-XXXXXX";
	int fd = mkstemp(path);
	struct input_options options = {
	        .is_strict = is_strict,
	        .history = {.progress = rig.stops ? stop_later : NULL},
	};
	const struct history_options building = {0};
	enum status status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
	status = input_open(path, &options, &rig.diags, &rig.snapshot);
	(void)unlink(path);
	if (status == STATUS_OK)
		assert_int_equal(session_open(rig.snapshot, &building, &rig.diags, &rig.session),
		                 STATUS_OK);
	return status;
}

static inline void open_text(const char *text)
{
	assert_int_equal(open_with(text, false), STATUS_OK);
}

static inline int tear_down(void **state)
{
	(void)state;
	session_destroy(rig.session);
	snapshot_destroy(rig.snapshot);
	diag_list_fini(&rig.diags);
	memset(&rig, 0, sizeof(rig));
	return 0;
}

static inline struct value register_of(size_t core, uint64_t position, unsigned int number)
{
	struct value value;

	state_register(session_history(rig.session, core), NULL, position, number, &value);
	return value;
}

static inline void check_known(uint64_t position, unsigned int number, uint64_t expected)
{
	struct value value = register_of(0, position, number);

	assert_true(value_is_known(&value));
	assert_int_equal(value_u64(&value), expected);
}

static inline void check_unknown(uint64_t position, unsigned int number)
{
	struct value value = register_of(0, position, number);

	assert_false(value_is_known(&value));
	for (unsigned int i = 0; i < value.size; i++)
		assert_int_equal(value.bits[i] & ~value.known[i], 0);
}

/* How many of 4 bytes are known from `address` on, and what they are. */
static inline size_t memory_of(size_t core, uint64_t position, uint64_t address, uint32_t *word)
{
	uint8_t b[4] = {0};
	size_t count =
	        state_memory(session_history(rig.session, core), NULL, position, address, b, 4);

	*word = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	return count;
}

static inline void check_memory(uint64_t position, uint64_t address, uint32_t expected)
{
	uint32_t word;

	assert_int_equal(memory_of(0, position, address, &word), 4);
	assert_int_equal(word, expected);
}

static inline void check_no_memory(uint64_t position, uint64_t address)
{
	uint32_t word;

	assert_int_equal(memory_of(0, position, address, &word), 0);
}

#define IT(n, address, opcode, mode) #n " clk IT (" #n ") " address " " opcode " O " mode " : NOP\n"
#define NOP(n, address)              IT(n, address, "d503201f", "EL1h_s")

#endif
