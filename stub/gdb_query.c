/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handshake, identity and threads: qSupported, qC, H, T, qfThreadInfo, D, k and their like; and
 * qRcmd, which is gdb's `monitor`.
 */
#include <inttypes.h>

#include "base/hex.h"
#include "console/console.h"
#include "console/threads.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"
#include "stub/rsp_request.h"

void gdb_supported(struct gdb *gdb, struct str args)
{
	while (args.n > 0) {
		struct str feature = rsp_next(&args, ';');

		gdb->has_swbreak |= str_eq(feature, STR("swbreak+"));
		gdb->has_hwbreak |= str_eq(feature, STR("hwbreak+"));
	}
	text_printf(&gdb->reply,
	            "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;"
	            "ReverseStep+;ReverseContinue+;swbreak+;hwbreak+;vContSupported+;"
	            "ConditionalBreakpoints+;binary-upload+",
	            (unsigned int)RSP_PACKET_SIZE);
	if (gdb_program(gdb))
		text_puts(&gdb->reply, ";qXfer:exec-file:read+");
}

void gdb_no_ack(struct gdb *gdb, struct str args)
{
	(void)args;
	gdb->no_ack = true;
	gdb_ok(gdb);
}

/* "1": the client did not start the program, so it detaches where it would kill. */
void gdb_attached(struct gdb *gdb, struct str args)
{
	(void)args;
	text_puts(&gdb->reply, "1");
}

void gdb_offsets(struct gdb *gdb, struct str args)
{
	const struct elf_image *program = gdb_program(gdb);
	unsigned long long bias = program ? program->load_bias : 0;

	(void)args;
	text_printf(&gdb->reply, "Text=%llx;Data=%llx;Bss=%llx", bias, bias, bias);
}

/*
 * lldb asks. It would step over an access by itself, and forward also when it runs backward, if it
 * were not told that a stop for it comes after it.
 */
void gdb_host_info(struct gdb *gdb, struct str args)
{
	(void)args;
	if (session_can_watch(gdb->session))
		text_printf(&gdb->reply,
		            "endian:little;ptrsize:%d;watchpoint_exceptions_received:after;",
		            session_registers(gdb->session)->arch == CORE_A64 ? 8 : 4);
}

void gdb_symbol(struct gdb *gdb, struct str args)
{
	(void)args;
	gdb_ok(gdb);
}

void gdb_select_thread(struct gdb *gdb, struct str args)
{
	bool resumes = str_has_prefix(args, STR("c"));
	size_t core = 0;
	enum thread_choice choice = threads_parse(gdb->session, str_skip(args, 1), &core);

	if (choice == THREAD_NONE || (!resumes && !str_has_prefix(args, STR("g")))) {
		gdb_error(gdb, 1);
		return;
	}
	if (resumes) {
		gdb->has_resume = choice == THREAD_ONE;
		gdb->resume = core;
	} else if (choice == THREAD_ONE) {
		gdb->general = core;
		gdb_look_at(gdb, core);
	}
	gdb_ok(gdb);
}

void gdb_thread_alive(struct gdb *gdb, struct str args)
{
	size_t core;

	if (threads_parse(gdb->session, args, &core) != THREAD_ONE) {
		gdb_error(gdb, 1);
		return;
	}
	gdb->chosen = core;
	gdb_ok(gdb);
}

void gdb_current_thread(struct gdb *gdb, struct str args)
{
	(void)args;
	text_printf(&gdb->reply, "QC%zx", gdb->general + 1);
}

void gdb_first_threads(struct gdb *gdb, struct str args)
{
	char separator = 'm';

	(void)args;
	for (size_t i = 0; i < threads_count(gdb->session); i++) {
		if (!threads_is_listed(gdb->session, i))
			continue;
		text_printf(&gdb->reply, "%c%zx", separator, i + 1);
		separator = ',';
	}
}

void gdb_more_threads(struct gdb *gdb, struct str args)
{
	(void)args;
	text_puts(&gdb->reply, "l");
}

void gdb_thread_extra(struct gdb *gdb, struct str args)
{
	struct text line = {0};
	size_t core;

	if (threads_parse(gdb->session, args, &core) != THREAD_ONE) {
		gdb_error(gdb, 1);
		return;
	}
	threads_name(gdb->session, core, &line);
	text_puts(&line, ": ");
	threads_describe(gdb->session, core, &line);
	threads_place(gdb->session, core, gdb->chosen, &line);
	text_hex_bytes(&gdb->reply, (const uint8_t *)line.data, line.length);
	text_fini(&line);
}

void gdb_detach(struct gdb *gdb, struct str args)
{
	(void)args;
	gdb->leaving = true;
	gdb_ok(gdb);
}

/* gdb does not wait for an answer and takes none amiss; lldb wants to see an exit. */
void gdb_kill(struct gdb *gdb, struct str args)
{
	(void)args;
	gdb->leaving = true;
	text_puts(&gdb->reply, "X09");
}

void gdb_vkill(struct gdb *gdb, struct str args)
{
	gdb_detach(gdb, args);
}

/* The command may have made other threads: where the client was, the same is now. */
static void follow_threads(struct gdb *gdb)
{
	size_t core = gdb->chosen;
	size_t other;

	gdb->waits &= threads_is_listed(gdb->session, gdb->waiting_core);
	if (threads_is_listed(gdb->session, core))
		return;
	other = session_shows_thread_views(gdb->session)
	                ? session_thread_view_at(gdb->session, core)
	                : session_base_core(gdb->session, core);
	session_follow(gdb->session, core, other);
	*gdb->stopped = other;
	gdb->general = other;
	gdb->chosen = other;
	gdb_look_at(gdb, other);
	gdb->has_resume = false;
}

/*
 * A command of the console. A script says by "--reread COMMAND" that it reads all anew after this
 * one, and by `help --raw` in gdb that it does so after each; lldb's does so after its own
 * commands, not after lldb's `monitor`.
 */
static void run_command(struct gdb *gdb, struct str line, struct text *out)
{
	const struct str reread = STR("--reread ");
	bool rereads = str_has_prefix(line, reread);
	struct console console = {.session = gdb->session,
	                          .core = gdb->chosen,
	                          .is_monitor = true,
	                          .is_refreshed = gdb->is_refreshed || rereads,
	                          .takes_others = gdb->takes_others};

	console_run(&console, rereads ? str_skip(line, reread.n) : line, out);
	if (console.is_refreshed && !rereads)
		gdb->is_refreshed = gdb->client == CLIENT_GDB;
	gdb->takes_others = console.takes_others;
	if (console.went)
		gdb_went(gdb, console.core);
	if (console.waits) {
		gdb->waits = true;
		gdb->waiting_core = console.core;
		gdb->waiting_position = console.waiting_position;
	}
}

/* The served program if it has another build ID than this, in hex digits; else "same". */
static void compare_program(const struct gdb *gdb, struct str wanted, struct text *out)
{
	const struct elf_image *program = gdb_program(gdb);
	struct text digits = {0};

	if (program) {
		struct bytes id = elf_image_build_id(program);

		text_hex_bytes(&digits, id.pos, bytes_left(&id));
	}
	if (program && digits.length > 0 && !str_eq(text_str(&digits), wanted))
		text_add(out, program->path);
	else
		text_puts(out, "same");
	text_char(out, '\n');
	text_fini(&digits);
}

/*
 * Of the stub's own among these, false if it is another: "--same ADDRESS,LENGTH,CRC ...",
 * "--line ADDRESS" and "--program BUILD-ID".
 */
static bool run_own(struct gdb *gdb, struct str line, struct text *out)
{
	const struct str same = STR("--same ");
	const struct str size = STR("--line ");
	const struct str program = STR("--program ");
	uint64_t address;

	if (str_has_prefix(line, same))
		text_puts(out,
		          gdb_memory_is_same(gdb, str_skip(line, same.n)) ? "same\n" : "other\n");
	else if (str_has_prefix(line, size) &&
	         str_hex_to_u64(str_skip(line, size.n), &address) == STATUS_OK)
		text_printf(out, "%" PRIu64 "\n", gdb_memory_line(gdb, address));
	else if (str_has_prefix(line, program))
		compare_program(gdb, str_skip(line, program.n), out);
	else
		return false;
	return true;
}

/*
 * For a script, which counts packets: "--each COMMAND;COMMAND...", each answer ended by a line with
 * a semicolon.
 */
static void run_line(struct gdb *gdb, struct str line, struct text *out)
{
	const struct str each = STR("--each ");

	if (!str_has_prefix(line, each)) {
		run_command(gdb, line, out);
		return;
	}
	line = str_skip(line, each.n);
	while (line.n > 0) {
		size_t end = str_find(line, ';');
		struct str one = str_trim((struct str){line.p, end});

		if (!run_own(gdb, one, out))
			run_command(gdb, one, out);
		text_puts(out, ";\n");
		line = str_skip(line, end < line.n ? end + 1 : end);
	}
}

void gdb_command(struct gdb *gdb, struct str args)
{
	struct text line = {0};
	struct text out = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i + 1 < args.n && status == STATUS_OK; i += 2) {
		uint8_t byte;
		size_t room = 1;

		status = hex_to_bytes((struct str){args.p + i, 2}, &byte, &room);
		if (status == STATUS_OK)
			text_char(&line, (char)byte);
	}
	if (status != STATUS_OK || args.n % 2 != 0) {
		gdb_error(gdb, 1);
	} else {
		run_line(gdb, text_str(&line), &out);
		follow_threads(gdb);
		gdb_console(gdb, text_str(&out));
		gdb_ok(gdb);
	}
	text_fini(&line);
	text_fini(&out);
}
