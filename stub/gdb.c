/* SPDX-License-Identifier: Apache-2.0 */
/* One debugger's connection: recognises the client, dispatches requests, builds replies. */
#include "stub/gdb.h"

#include <stdlib.h>

#include "base/file_watch.h"
#include "stub/isa_map.h"
#include "stub/rsp_frame.h"
#include "stub/rsp_request.h"

static gdb_handler *const handlers[RSP_UNKNOWN] = {
#define X(id, name, form, handler) handler,
#include "stub/rsp_request.def"
#undef X
};

/* Without a program gdb needs one of a kind to move in the past of a 32-bit core. */
static void make_isa_map(struct gdb *gdb)
{
	if (session_snapshot(gdb->session)->image_count > 0 ||
	    session_registers(gdb->session)->arch == CORE_A64)
		return;
	isa_map_write(gdb->session, &gdb->isa_map);
	gdb->isa_image.path = STR("/csreplay/instruction-sets.elf");
	gdb->isa_image.file = bytes_of(gdb->isa_map.data, gdb->isa_map.length);
}

void gdb_init(struct gdb *gdb)
{
	make_isa_map(gdb);
	gdb->general = *gdb->stopped;
	gdb->chosen = *gdb->stopped;
	gdb_look_at(gdb, gdb->chosen);
	session_break_clear_all(gdb->session);
	session_break_condition(gdb->session, gdb_breakpoint_counts, gdb);
	/* What is said once is said to each client. */
	session_set_together(gdb->session, session_is_together(gdb->session));
}

void gdb_fini(struct gdb *gdb)
{
	session_break_clear_all(gdb->session);
	session_break_condition(gdb->session, NULL, NULL);
	for (size_t i = 0; i < gdb->breakpoint_count; i++)
		text_fini(&gdb->breakpoints[i].conditions);
	free(gdb->breakpoints);
	text_fini(&gdb->isa_map);
	text_fini(&gdb->last_stop);
	text_fini(&gdb->branches);
	text_fini(&gdb->kept.replies);
	text_fini(&gdb->reply);
	text_fini(&gdb->out);
}

void gdb_ok(struct gdb *gdb)
{
	text_clear(&gdb->reply);
	text_puts(&gdb->reply, "OK");
}

void gdb_error(struct gdb *gdb, unsigned int number)
{
	text_clear(&gdb->reply);
	text_printf(&gdb->reply, "E%02x", number);
}

void gdb_error_text(struct gdb *gdb, const char *format, ...)
{
	va_list args;

	gdb_error(gdb, 1);
	if (gdb->client == CLIENT_LLDB)
		return;
	text_clear(&gdb->reply);
	text_puts(&gdb->reply, "E.");
	va_start(args, format);
	text_vprintf(&gdb->reply, format, args);
	va_end(args);
}

void gdb_console(struct gdb *gdb, struct str text)
{
	enum { MOST = RSP_PACKET_SIZE / 4 };
	struct text packet = {0};

	while (text.n > 0) {
		size_t count = text.n < MOST ? text.n : MOST;

		text_clear(&packet);
		text_char(&packet, 'O');
		text_hex_bytes(&packet, (const uint8_t *)text.p, count);
		rsp_frame_append(&gdb->out, text_str(&packet));
		text = str_skip(text, count);
	}
	gdb->out.failed |= packet.failed;
	text_fini(&packet);
}

void gdb_reply_part(struct gdb *gdb, struct str data, struct str window)
{
	enum { MOST = RSP_PACKET_SIZE / 2 - 1 }; /* every byte may need an escape */
	uint64_t offset;
	uint64_t length;
	size_t left;

	if (rsp_next_hex(&window, ',', &offset) != STATUS_OK ||
	    str_hex_to_u64(window, &length) != STATUS_OK || offset > data.n) {
		gdb_error(gdb, 1);
		return;
	}
	data = str_skip(data, (size_t)offset);
	left = data.n;
	if (length > MOST)
		length = MOST;
	if (data.n > length)
		data.n = (size_t)length;
	text_char(&gdb->reply, data.n < left ? 'm' : 'l');
	text_add(&gdb->reply, data);
}

const struct elf_image *gdb_program(const struct gdb *gdb)
{
	const struct snapshot *snapshot = session_snapshot(gdb->session);

	/* An object has no addresses: the user adds its symbols, with add-symbol-file. */
	for (size_t i = 0; i < snapshot->image_count; i++) {
		if (!snapshot->images[i]->is_object)
			return snapshot->images[i];
	}
	return gdb->isa_map.length > 0 && !gdb->isa_map.failed ? &gdb->isa_image : NULL;
}

/*
 * True of requests that are answered with what files hold, or with what follows from it. gdb does
 * not end where others, such as qOffsets, are refused.
 */
static bool is_of_files(enum rsp_request request)
{
	static const enum rsp_request those[] = {
	        RSP_READ_REGISTERS,
	        RSP_READ_REGISTER,
	        RSP_READ_MEMORY,
	        RSP_READ_MEMORY_BINARY,
	        RSP_BACKWARD_STEP,
	        RSP_BACKWARD_CONTINUE,
	        RSP_VCONT,
	        RSP_CONTINUE,
	        RSP_CONTINUE_SIGNAL,
	        RSP_STEP,
	        RSP_STEP_SIGNAL,
	        RSP_COMMAND,
	        RSP_FILE,
	};

	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++) {
		if (those[i] == request)
			return true;
	}
	return false;
}

/* In place of an answer that may be made of what a file was not when it was opened. */
static void refuse_changed(struct gdb *gdb, enum rsp_request request)
{
	struct text what = {0};

	if (!is_of_files(request) || !file_watch_changed(&what))
		return;
	/* Nothing of the answer is kept, nor of what it said on the console. */
	text_clear(&gdb->out);
	text_clear(&gdb->reply);
	gdb->is_changed = true;
	if (request == RSP_COMMAND && text_status(&what) == STATUS_OK) {
		text_char(&what, '\n');
		gdb_console(gdb, text_str(&what));
		gdb_ok(gdb);
	} else if (request == RSP_READ_MEMORY || request == RSP_READ_MEMORY_BINARY) {
		gdb_error(gdb, 1); /* gdb takes a text for bytes */
	} else {
		gdb_error_text(gdb, "%s",
		               text_status(&what) == STATUS_OK ? what.data : "a file changed");
	}
	text_fini(&what);
}

/* A user asks for these, and waits: no client sends them by itself at a stop. */
static bool is_asked_for(enum rsp_request request)
{
	return request == RSP_COMMAND || request == RSP_MEMORY_CRC;
}

void gdb_request(struct gdb *gdb, struct str payload)
{
	struct str args = {"", 0};
	enum rsp_request request = rsp_request_parse(payload, &args);

	if (gdb->client == CLIENT_UNKNOWN)
		gdb->client = request == RSP_NO_ACK ? CLIENT_LLDB : CLIENT_GDB;
	text_clear(&gdb->reply);
	gdb->has_inserted &= request == RSP_BACKWARD_CONTINUE;
	session_hurry(gdb->session, !is_asked_for(request));
	if (request != RSP_UNKNOWN)
		handlers[request](gdb, args);
	refuse_changed(gdb, request);
	/* Without memory for a reply nothing sound can be sent; the connection ends. */
	if (gdb->reply.failed)
		gdb->out.failed = true;
	rsp_frame_append(&gdb->out, text_str(&gdb->reply));
}
