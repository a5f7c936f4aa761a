/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's questions about the past: where a value was made. In: a register, an address or a
 * variable. Out: numbered lines; `seek` goes to the place of a number.
 */
#include "stub/console_command.h"

/* Says what is wrong with the word. */
static void say_word(enum session_word wrong, struct str word, struct text *out)
{
	static const char *const texts[] = {
	        [SESSION_WORD_FINE] = "",
	        [SESSION_WORD_UNKNOWN] = "no register, no address and no variable:",
	        [SESSION_WORD_SEVERAL] = "several variables are called",
	        [SESSION_WORD_NO_VALUES] = "the past of this register is not reconstructed:",
	        [SESSION_WORD_BAD_SIZE] = "not +SIZE of 1 to 1048576 bytes of memory:",
	};

	console_wrong(out, texts[wrong], word);
	text_char(out, '\n');
}

/* False, and it is said, if the word is nothing to ask about. */
static bool find_subject(const struct console *console, struct str word,
                         struct past_subject *subject, struct text *out)
{
	enum session_word found =
	        session_past_subject(console->session, console->core, word, subject);

	if (found != SESSION_WORD_FINE)
		say_word(found, word, out);
	return found == SESSION_WORD_FINE;
}

static void say_status(enum status status, struct text *out)
{
	if (status == STATUS_UNSUPPORTED)
		text_puts(out, "not of this thread: its trace has the data itself, or it is one of "
		               "a context (`monitor threads core` shows the cores)\n");
	else
		text_printf(out, "%s\n", status_text(status));
}

void console_origin(const struct console *console, struct str args, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct past_subject subject;
	enum status status;

	if (args.n == 0) {
		text_puts(out, "origin REGISTER, origin ADDRESS[+SIZE], or origin VARIABLE\n");
		return;
	}
	if (!find_subject(console, args, &subject, out))
		return;
	status = session_origin_text(console->session, console->core, position, &subject, out);
	if (status == STATUS_OK)
		text_puts(out, "(`monitor seek #N` goes to a step)\n");
	else
		say_status(status, out);
}

bool console_place(const struct console *console, struct str word, uint64_t *position,
                   struct text *out)
{
	size_t hash = str_find(word, '#');
	uint64_t number;

	if (str_to_u64(str_skip(word, hash + 1), &number) == STATUS_OK &&
	    session_place_of(console->session, console->core, (struct str){word.p, hash}, number,
	                     position) == STATUS_OK)
		return true;
	console_wrong(out, "no place of the last answer:", word);
	text_puts(out, "; `origin` and the like number theirs\n");
	return false;
}
