/* SPDX-License-Identifier: Apache-2.0 */
/* Packets in, replies out: a connection without a socket, to a session made by hand. */
#ifndef CSREPLAY_TESTS_STUB_GDB_RIG_H
#define CSREPLAY_TESTS_STUB_GDB_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_session.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"

static struct {
	struct gdb gdb;
	size_t stopped;
	struct text replies; /* payloads of the last request's frames, a newline between */
	unsigned int runs_left;
	bool was_told; /* the session knew during a run that it may be interrupted */
} rig;

static inline bool interrupt_after_some(void *context)
{
	(void)context;
	rig.was_told = fake_session_is_asking();
	return rig.runs_left-- == 0;
}

static inline int set_up(void **state)
{
	(void)state;
	memset(&rig, 0, sizeof(rig));
	rig.runs_left = 1000;
	rig.gdb = (struct gdb){.session = fake_session(),
	                       .stopped = &rig.stopped,
	                       .interrupted = interrupt_after_some};
	gdb_init(&rig.gdb);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	gdb_fini(&rig.gdb);
	text_fini(&rig.replies);
	return 0;
}

/* The payloads that the request is answered with. */
static inline struct str ask_bytes(struct str request)
{
	struct rsp_decoder decoder = {0};

	text_clear(&rig.gdb.out);
	gdb_request(&rig.gdb, request);
	text_clear(&rig.replies);
	text_puts(&rig.replies, "");
	for (size_t i = 0; i < rig.gdb.out.length; i++) {
		enum rsp_event event = rsp_decoder_feed(&decoder, (uint8_t)rig.gdb.out.data[i]);

		assert_int_not_equal(event, RSP_BAD_CHECKSUM);
		if (event != RSP_PACKET)
			continue;
		if (rig.replies.length > 0)
			text_char(&rig.replies, '\n');
		text_add(&rig.replies, text_str(&decoder.payload));
	}
	rsp_decoder_fini(&decoder);
	return text_str(&rig.replies);
}

static inline const char *ask(const char *request)
{
	struct str reply = ask_bytes(str_of(request));

	return reply.n > 0 ? reply.p : "";
}

static inline void connect_gdb(void)
{
	assert_non_null(
	        strstr(ask("qSupported:swbreak+;hwbreak+;xmlRegisters=i386"), "PacketSize=20000;"));
	assert_int_equal(rig.gdb.client, CLIENT_GDB);
}

static inline void connect_lldb(void)
{
	assert_string_equal(ask("QStartNoAckMode"), "OK");
	assert_int_equal(rig.gdb.client, CLIENT_LLDB);
	(void)ask("qSupported:xmlRegisters=i386,arm;multiprocess+;swbreak+;hwbreak+");
}

/* The session begins anew with cores of this architecture and no program. */
static inline void connect_gdb_to(enum core_arch arch)
{
	gdb_fini(&rig.gdb);
	fake_session_set_arch(arch);
	rig.gdb = (struct gdb){.session = rig.gdb.session, .stopped = &rig.stopped};
	gdb_init(&rig.gdb);
	connect_gdb();
}

static inline void hex_of(struct text *out, const char *name)
{
	text_hex_bytes(out, (const uint8_t *)name, strlen(name));
}

/* Little endian, `size` bytes of the file. */
static inline uint32_t file_number(struct str file, size_t offset, unsigned int size)
{
	uint32_t value = 0;

	assert_true(offset + size <= file.n);
	for (unsigned int i = 0; i < size; i++)
		value |= (uint32_t)(uint8_t)file.p[offset + i] << (8 * i);
	return value;
}

#endif
