/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay why --at N --of NAME`: how a register or a word of memory of the past is proved, or
 * what keeps it unknown: `monitor why` without a debugger.
 */
#include "cli/position_argument.h"
#include "console/console.h"

static enum cli_exit run(const struct cli_args *args, struct session *session)
{
	struct console console = {.session = session};
	enum cli_exit code = cli_choose_core(args, session, &console.core);
	struct why_subject subject;
	struct text out = {0};
	enum status status;
	uint64_t last;
	uint64_t position;

	if (code != CLI_FINE)
		return code;
	last = history_length(session_history(session, console.core));
	code = cli_position(args, CLI_OPTION_AT, session, console.core, last, &position);
	if (code != CLI_FINE)
		return code;
	if (session_seek(session, console.core, position) != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NOT_FOUND));
	if (!console_subject(&console, args->values[CLI_OPTION_OF], &subject))
		return cli_fail(CLI_USAGE, "--of \"%.*s\": no register and no address",
		                STR_ARG(args->values[CLI_OPTION_OF]));
	status = session_why(session, console.core, &subject, true, &out);
	code = status == STATUS_OK ? cli_flush(&out)
	                           : cli_fail(CLI_INTERNAL, "%s", status_text(status));
	text_fini(&out);
	return code == CLI_FINE ? cli_history_exit(session, console.core) : code;
}

enum cli_exit cmd_why(const struct cli_args *args)
{
	struct snapshot *snapshot = NULL;
	struct session *session = NULL;
	enum cli_exit code;

	if (!args->given[CLI_OPTION_OF])
		return cli_fail(CLI_USAGE, "why needs --of");
	code = cli_open_snapshot(args, &snapshot);
	if (code == CLI_FINE)
		code = cli_open_session(args, snapshot, &session);
	if (code == CLI_FINE)
		code = run(args, session);
	session_destroy(session);
	snapshot_destroy(snapshot);
	return code;
}
