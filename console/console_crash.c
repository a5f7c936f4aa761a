/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each core halted at, in words: the fault, where in the code, what the status registers say,
 * the task, and the way from the fault to the halt as the flow shows it. In: a session. Out: lines.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/threads.h"

enum { FRAMES_MOST = 16, WIDTH = 110 };

/* The instruction that it is of; of a fetch the branch that went there. */
static bool find_place(const struct crash *crash, uint64_t *address)
{
	*address = crash->has_branch ? crash->branch : crash->pc;
	return crash->is_halt && (crash->has_branch || crash->has_pc);
}

static void write_place(struct console *console, const struct crash *crash, struct text *out)
{
	uint64_t address;

	if (!find_place(crash, &address))
		return;
	text_puts(out, crash->has_branch ? "    branched to from " : "    at ");
	session_format_address(console->session, address, out);
	text_char(out, '\n');
}

/* ESR_EL1, and of the same level where it was taken and the address. */
static void write_registers(const struct console *console, size_t core, const struct crash *crash,
                            struct text *out)
{
	static const char *const names[] = {"ESR", "FAR", "ELR", "SPSR"};
	const struct snap_device *device = session_core(console->session, core)->device;
	const char *between = "    ";

	if (crash->source != CRASH_REGISTERS || !crash->is_halt ||
	    !str_has_prefix(str_of(crash->status), STR("ESR_EL")))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct text name = {0};
		const struct snap_register *reg;

		text_printf(&name, "%s_EL%d", names[i], crash->level);
		reg = snap_device_register(device, text_str(&name));
		if (reg) {
			text_printf(out, "%s%.*s 0x%" PRIx64, between, STR_ARG(text_str(&name)),
			            snap_register_value(reg));
			between = ", ";
		}
		text_fini(&name);
	}
	text_puts(out, between[0] == ',' ? "\n" : "");
}

static void write_task(struct console *console, size_t core, uint64_t position, struct text *out)
{
	struct session_task task;

	if (!session_task(console->session, core, position, &task))
		return;
	text_puts(out, "    runs ");
	session_task_format(&task, out);
	text_char(out, '\n');
}

/* Who called whom at a position, the innermost first, as far as calls and returns show it. */
static void write_callers(struct console *console, size_t core, uint64_t position, const char *what,
                          struct text *out)
{
	const struct calls *calls;
	struct call_frame newer = {.call = CALL_NONE};
	struct call_frame frame;
	const char *between = "";
	size_t line = out->length;

	if (session_calls(console->session, core, &calls) != STATUS_OK)
		return;
	for (uint32_t level = 0; level < FRAMES_MOST; level++) {
		if (calls_frame(calls, position, level, &frame) != STATUS_OK)
			break;
		if (level == 0)
			text_printf(out, "    %s: ", what);
		if (out->length - line > WIDTH) {
			text_puts(out, "\n       ");
			line = out->length;
		}
		text_puts(out, between);
		call_frame_format(calls, &frame, level > 0 ? &newer : NULL, out);
		newer = frame;
		between = calls_get(calls, frame.call)->is_exception ? " | " : " < ";
	}
	text_puts(out, between[0] != '\0' ? "\n" : "");
}

static void write_way(struct console *console, size_t core, const struct crash *crash,
                      struct text *out)
{
	uint64_t length = console_length(console, core);

	if (crash && crash->has_position) {
		text_printf(out,
		            "    taken at position %" PRIu64 ", %" PRIu64
		            " instructions before the halt: `%sseek crash` goes there\n",
		            crash->position, length - crash->position, console_prefix(console));
	}
	write_callers(console, core, length, "halted in", out);
}

static void write_line(const struct console *console, size_t core, const struct crash *crash,
                       struct text *out)
{
	console_core(console, core, out);
	text_puts(out, ": ");
	if (crash)
		crash_format(crash, out);
	else
		text_puts(out, "neither registers nor trace say why it halted");
	text_char(out, '\n');
}

bool console_write_crash(struct console *console, size_t core, struct text *out)
{
	struct crash crash;

	if (!session_crash(console->session, core, &crash))
		return false;
	write_line(console, core, &crash, out);
	return true;
}

void console_crash(struct console *console, struct str args, struct text *out)
{
	(void)args;
	for (size_t i = 0; i < session_core_count(console->session); i++) {
		struct crash crash;
		bool is_known = session_crash(console->session, i, &crash);

		write_line(console, i, is_known ? &crash : NULL, out);
		if (is_known) {
			write_place(console, &crash, out);
			if (crash.is_halt && crash.has_address)
				console_write_text(console, i, crash.address, out);
			write_registers(console, i, &crash, out);
		}
		write_task(console, i, console_length(console, i), out);
		write_way(console, i, is_known ? &crash : NULL, out);
	}
}
