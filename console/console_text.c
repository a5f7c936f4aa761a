/* SPDX-License-Identifier: Apache-2.0 */
/* What the console's commands write alike; see console_command.h. */
#include "console/console_command.h"
#include "console/threads.h"

enum { WORD_MOST = 60 }; /* characters of a user's word that are repeated */

void console_wrong(struct text *out, const char *what, struct str word)
{
	if (word.n > WORD_MOST)
		word.n = WORD_MOST;
	text_puts(out, what);
	text_puts(out, " \"");
	for (size_t i = 0; i < word.n; i++)
		text_char(out, str_printable(word.p[i]));
	text_puts(out, "\"");
}

void console_say_wrong(struct console *console, const char *what, struct str word, const char *rest,
                       struct text *out)
{
	console_wrong(out, what, word);
	text_printf(out, "%s\n", rest);
	console->failed = true;
}

void console_say_status(struct console *console, enum status status, struct text *out)
{
	text_printf(out, "%s\n", status_text(status));
	console->failed = true;
}

void console_say_usage(struct console *console, const char *usage, struct text *out)
{
	text_printf(out, "%s\n", usage);
	console->failed = true;
}

const char *console_prefix(const struct console *console)
{
	return console->is_monitor ? "monitor " : "";
}

void console_say_stale(const struct console *console, struct text *out)
{
	if (!console->is_monitor || console->is_refreshed)
		return;
	text_puts(out, "(gdb notices at the next stop, or with `set stack-cache off` and "
	               "`maintenance flush register-cache` at once)\n");
}

bool console_choose(struct console *console, const struct console_choices *choices, struct str word,
                    unsigned int *choice, struct text *out)
{
	for (*choice = 0; *choice < choices->count; ++*choice) {
		if (str_eq(word, str_of(choices->all[*choice].word)))
			return true;
	}
	console_say_wrong(console, choices->wrong, word, "", out);
	return false;
}

uint64_t console_length(const struct console *console, size_t core)
{
	return history_length(session_history(console->session, core));
}

void console_core(const struct console *console, size_t core, struct text *out)
{
	text_printf(out, "%s %zu ", core == console->core ? "*" : " ", core + 1);
	threads_name(console->session, core, out);
}
