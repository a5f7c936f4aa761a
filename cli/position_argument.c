/* SPDX-License-Identifier: Apache-2.0 */
/* See position_argument.h. */
#include "cli/position_argument.h"

#include "console/position.h"

static const char *const names[] = {
#define X(option, name, value, text) [CLI_OPTION_##option] = (name),
#include "cli/options.def"
#undef X
};

enum cli_exit cli_position_of(enum cli_option option, struct str word, struct session *session,
                              size_t core, uint64_t *position)
{
	const struct console console = {.session = session, .core = core};
	struct text wrong = {0};
	enum cli_exit code = CLI_FINE;

	if (!position_parse(&console, word, position, &wrong))
		code = cli_fail(CLI_USAGE, "--%s \"%.*s\": %.*s", names[option], STR_ARG(word),
		                STR_ARG(text_str(&wrong)));
	text_fini(&wrong);
	return code;
}

enum cli_exit cli_position(const struct cli_args *args, enum cli_option option,
                           struct session *session, size_t core, uint64_t otherwise,
                           uint64_t *position)
{
	*position = otherwise;
	if (!args->given[option])
		return CLI_FINE;
	return cli_position_of(option, args->values[option], session, core, position);
}
