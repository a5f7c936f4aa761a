/* SPDX-License-Identifier: Apache-2.0 */
/* What a continue does with accesses that may be to what is watched: a setting of the console. */
#include "console/console_command.h"

static const struct console_choice choices[] = {
        [POSSIBLE_STOP] = {"stop", "a continue stops at what may be an access to what is watched, "
                                   "once a source line"},
        [POSSIBLE_REPORT] = {"report", "what may be an access to what is watched is listed, and "
                                       "no hit before it is shown as the last"},
        [POSSIBLE_SKIP] = {"skip", "what may be an access to what is watched is counted, and the "
                                   "hit that is shown may not be the last"},
};

static const struct console_choices possible_choices = {
        choices, sizeof(choices) / sizeof(choices[0]), "neither stop, report nor skip:"};

void console_possible_writes(struct console *console, struct str args, struct text *out)
{
	unsigned int i;

	if (args.n > 0) {
		if (!console_choose(console, &possible_choices, args, &i, out))
			return;
		session_set_possible(console->session, (enum possible_access)i);
	}
	i = session_possible(console->session);
	text_printf(out, "possible-writes is %s: %s\n", choices[i].word, choices[i].text);
}
