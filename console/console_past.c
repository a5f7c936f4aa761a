/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's questions about the past: where a value was made. In: a register, an address or a
 * variable. Out: numbered lines; `seek` goes to the place of a number.
 */
#include "console/console_command.h"
#include "console/position.h"

/* Says what is wrong with the word. */
static void say_word(struct console *console, enum session_word wrong, struct str word,
                     struct text *out)
{
	static const char *const texts[] = {
	        [SESSION_WORD_FINE] = "",
	        [SESSION_WORD_UNKNOWN] = "no register, no address and no variable:",
	        [SESSION_WORD_SEVERAL] = "several variables are called",
	        [SESSION_WORD_NO_VALUES] = "the past of this register is not reconstructed:",
	        [SESSION_WORD_BAD_SIZE] = "not +SIZE of 1 to 1048576 bytes of memory:",
	};

	console_say_wrong(console, texts[wrong], word, "", out);
}

bool console_find_subject(struct console *console, struct str word, struct past_subject *subject,
                          struct text *out)
{
	enum session_word found =
	        session_past_subject(console->session, console->core, word, subject);

	if (found != SESSION_WORD_FINE)
		say_word(console, found, word, out);
	return found == SESSION_WORD_FINE;
}

static void say_status(struct console *console, enum status status, struct text *out)
{
	console->failed = true;
	if (status == STATUS_UNSUPPORTED)
		text_printf(out,
		            "not of this thread: its trace has the data itself, or it is one of a "
		            "context (`%sthreads core` shows the cores)\n",
		            console_prefix(console));
	else
		text_printf(out, "%s\n", status_text(status));
}

void console_origin(struct console *console, struct str args, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct past_subject subject;
	enum status status;

	if (args.n == 0) {
		console_say_usage(
		        console, "origin REGISTER, origin ADDRESS[+SIZE], or origin VARIABLE", out);
		return;
	}
	if (!console_find_subject(console, args, &subject, out))
		return;
	status = session_origin_text(console->session, console->core, position, &subject, out);
	if (status == STATUS_OK)
		text_printf(out, "(`%sseek #N` goes to a step)\n", console_prefix(console));
	else
		say_status(console, status, out);
}

enum { LISTED_MOST = 100 };

/* "WORD [from N] [to N]" with the range of the list; false, and it is said, if it is wrong. */
static bool find_range(struct console *console, struct str args, struct past_accesses_of *of,
                       struct text *out)
{
	struct str rest = args;
	struct str word = str_next_part(&rest, ' ');

	of->first = 0;
	of->end = session_position(console->session, console->core);
	if (!console_find_subject(console, word, &of->subject, out))
		return false;
	while (rest.p) {
		struct str key = str_next_part(&rest, ' ');
		struct str where = rest.p ? str_next_part(&rest, ' ') : key;
		uint64_t *to = str_eq(key, STR("from")) ? &of->first
		               : str_eq(key, STR("to")) ? &of->end
		                                        : NULL;

		if (!to)
			console_wrong(out, "neither from N nor to N:", key);
		if (!to || !position_parse(console, where, to, out)) {
			text_char(out, '\n');
			console->failed = true;
			return false;
		}
	}
	if (of->first > of->end)
		of->first = of->end;
	return true;
}

static void list(struct console *console, const char *command, const struct past_accesses_of *of,
                 struct text *out)
{
	enum status status =
	        session_accesses_text(console->session, console->core, command, of, out);

	if (status != STATUS_OK)
		say_status(console, status, out);
}

void console_writes(struct console *console, struct str args, struct text *out)
{
	struct past_accesses_of of = {.writes = true, .most = LISTED_MOST};

	if (args.n == 0)
		console_say_usage(console,
		                  "writes NAME [from N] [to N]: before here, the youngest first",
		                  out);
	else if (find_range(console, args, &of, out))
		list(console, "writes", &of, out);
}

void console_reads(struct console *console, struct str args, struct text *out)
{
	struct past_accesses_of of = {.reads = true, .most = LISTED_MOST};

	if (args.n == 0)
		console_say_usage(console,
		                  "reads NAME [from N] [to N]: before here, the youngest first",
		                  out);
	else if (find_range(console, args, &of, out))
		list(console, "reads", &of, out);
}

void console_last_write(struct console *console, struct str args, struct text *out)
{
	struct past_accesses_of of = {.writes = true, .most = 1};

	if (args.n == 0) {
		console_say_usage(
		        console,
		        "last-write REGISTER, last-write ADDRESS[+SIZE], or last-write VARIABLE",
		        out);
		return;
	}
	of.end = session_position(console->session, console->core);
	if (console_find_subject(console, args, &of.subject, out))
		list(console, "last-write", &of, out);
}

void console_next_candidate(struct console *console, struct str args, struct text *out)
{
	enum status status = session_next_write_text(console->session, console->core, out);

	(void)args;
	if (status == STATUS_NOT_FOUND)
		console_say_usage(console, "`last-write` first: this is the next older one", out);
	else if (status != STATUS_OK)
		say_status(console, status, out);
}

/* Goes to the first write in the direction, beside the one that the core is at. */
static void seek_write(struct console *console, struct str args, bool forward, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct past_accesses_of of = {.writes = true, .most = 1, .forward = forward};
	enum status status;

	if (args.n == 0) {
		console_say_usage(console,
		                  "next-write or previous-write of a REGISTER, ADDRESS[+SIZE] or "
		                  "VARIABLE",
		                  out);
		return;
	}
	if (!console_find_subject(console, args, &of.subject, out))
		return;
	of.first = forward ? position + 1 : 0;
	of.end = forward ? console_length(console, console->core) : position;
	if (of.first > of.end)
		of.first = of.end;
	status = session_accesses_text(console->session, console->core,
	                               forward ? "next-write" : "previous-write", &of, out);
	if (status != STATUS_OK)
		say_status(console, status, out);
	else if (session_place_of(console->session, console->core, STR(""), 1, &position) ==
	         STATUS_OK)
		console_seek(console, STR("#1"), out);
}

void console_next_write(struct console *console, struct str args, struct text *out)
{
	seek_write(console, args, true, out);
}

void console_previous_write(struct console *console, struct str args, struct text *out)
{
	seek_write(console, args, false, out);
}

void console_values_of(struct console *console, struct str args, struct text *out)
{
	struct past_accesses_of range;
	struct past_stretches_of of = {.most = LISTED_MOST};
	enum status status;

	if (args.n == 0) {
		console_say_usage(console,
		                  "values-of NAME [from N] [to N]: up to here, the youngest first",
		                  out);
		return;
	}
	if (!find_range(console, args, &range, out))
		return;
	of.subject = range.subject;
	of.first = range.first;
	of.last = range.end;
	status = session_stretches_text(console->session, console->core, &of, out);
	if (status != STATUS_OK)
		say_status(console, status, out);
}
