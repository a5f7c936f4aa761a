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

void console_say_stale(struct text *out)
{
	text_puts(out, "(gdb notices at the next stop, or with `set stack-cache off` and "
	               "`maintenance flush register-cache` at once)\n");
}

bool console_choose(const struct console_choice *choices, unsigned int count, struct str word,
                    const char *wrong, unsigned int *choice, struct text *out)
{
	for (*choice = 0; *choice < count; ++*choice) {
		if (str_eq(word, str_of(choices[*choice].word)))
			return true;
	}
	console_wrong(out, wrong, word);
	text_char(out, '\n');
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
