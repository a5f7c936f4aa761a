/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to a session made by hand: each line of the input is the payload of a packet.
 * Holds: every packet is answered by at least one frame, all frames are sound and not longer than
 * RSP_PACKET_SIZE, the replies to one packet are bounded, and the core of the last stop is a
 * thread.
 */
#include "console/threads.h"
#include "fuzz.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"
#include "tests/stub/fake_session.h"

#include <stdlib.h>

enum { REPLIES_MOST = 64, BYTES_MOST = 4 * RSP_PACKET_SIZE };

static bool never(void *context)
{
	(void)context;
	return false;
}

static void check_replies(struct str out)
{
	struct rsp_decoder decoder = {0};
	enum rsp_event event = RSP_NONE;
	size_t packets = 0;

	FUZZ_CHECK(out.n <= BYTES_MOST);
	for (size_t i = 0; i < out.n; i++) {
		event = rsp_decoder_feed(&decoder, (uint8_t)out.p[i]);
		FUZZ_CHECK(event == RSP_NONE || event == RSP_PACKET);
		packets += event == RSP_PACKET;
	}
	FUZZ_CHECK(event == RSP_PACKET && packets <= REPLIES_MOST);
	rsp_decoder_fini(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = {size > 0 ? (const char *)data : "", size};
	size_t stopped = 0;
	struct gdb gdb = {.session = fake_session(), .stopped = &stopped, .interrupted = never};

	/* `monitor mark` keeps nothing. */
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("HOME");
	gdb_init(&gdb);
	while (rest.n > 0 && !gdb.leaving) {
		size_t end = str_find(rest, '\n');

		text_clear(&gdb.out);
		gdb_request(&gdb, (struct str){rest.p, end});
		FUZZ_CHECK(text_status(&gdb.out) == STATUS_OK);
		check_replies(text_str(&gdb.out));
		FUZZ_CHECK(threads_has(gdb.session, stopped));
		rest = str_skip(rest, end < rest.n ? end + 1 : end);
	}
	gdb_fini(&gdb);
	return 0;
}
