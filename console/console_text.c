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

uint64_t console_length(const struct console *console, size_t core)
{
	return history_length(session_history(console->session, core));
}

void console_core(const struct console *console, size_t core, struct text *out)
{
	text_printf(out, "%s %zu ", core == console->core ? "*" : " ", core + 1);
	threads_name(console->session, core, out);
}
