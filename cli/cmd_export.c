/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay export`: the history of a core in the form of other tools. `csreplay history --format
 * tarmac` is the same.
 */
#include "cli/cli.h"
#include "replay/export/export.h"
#include "replay/tarmac/tarmac.h"

enum { FLUSH_AT = 1 << 16 };

static enum cli_exit parse_form(const struct cli_args *args, enum tarmac_form *form)
{
	struct str dialect = args->values[CLI_OPTION_DIALECT];

	*form = TARMAC_FORM_REV3;
	if (args->given[CLI_OPTION_FORMAT] && !cli_is_tarmac(args))
		return cli_fail(CLI_USAGE, "%s has no format \"%.*s\"; it has tarmac",
		                args->command->name, STR_ARG(args->values[CLI_OPTION_FORMAT]));
	if (!args->given[CLI_OPTION_DIALECT] || str_eq(dialect, STR("rev3")))
		return CLI_FINE;
	*form = TARMAC_FORM_ISP;
	if (!str_eq(dialect, STR("isp")))
		return cli_fail(CLI_USAGE, "no dialect \"%.*s\" is written; rev3 and isp are",
		                STR_ARG(dialect));
	return CLI_FINE;
}

static enum cli_exit write_lines(struct tarmac_writer *writer, uint64_t count)
{
	struct text out = {0};
	enum status status = STATUS_OK;
	enum cli_exit code = CLI_FINE;

	for (uint64_t i = 0; i < count && status == STATUS_OK && code == CLI_FINE; i++) {
		status = tarmac_writer_next(writer, &out);
		if (out.length >= FLUSH_AT)
			code = cli_flush(&out);
	}
	if (status != STATUS_OK && status != STATUS_END)
		code = cli_fail(CLI_INTERNAL, "%s", status_text(status));
	if (code == CLI_FINE)
		code = cli_flush(&out);
	text_fini(&out);
	return code;
}

/* Gaps have no record in that format. */
static void note_gaps(const struct session *session, size_t core)
{
	size_t count;

	(void)history_gaps(session_history(session, core), &count);
	if (count > 0)
		cli_note("%zu gaps are not written: the format of ISP RAS has no line for them",
		         count);
}

/* `context`: the form. */
static enum cli_exit write_tarmac(const struct cli_args *args, struct session *session,
                                  void *context)
{
	enum tarmac_form form = *(const enum tarmac_form *)context;
	struct tarmac_writer *writer = NULL;
	uint64_t from = 0;
	uint64_t count = UINT64_MAX;
	size_t core = 0;
	enum cli_exit code = cli_choose_core(args, session, &core);
	enum status status;

	if (code == CLI_FINE)
		code = cli_number(args, CLI_OPTION_FROM, 0, &from);
	if (code == CLI_FINE)
		code = cli_number(args, CLI_OPTION_COUNT, UINT64_MAX, &count);
	if (code != CLI_FINE)
		return code;
	status = tarmac_writer_open(session, core, form, from, &writer);
	if (status == STATUS_NOT_FOUND)
		return cli_fail(CLI_USAGE, "position %llu is after the end of the history, %llu",
		                (unsigned long long)from,
		                (unsigned long long)history_length(session_history(session, core)));
	if (status != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(status));
	if (form == TARMAC_FORM_ISP)
		note_gaps(session, core);
	code = write_lines(writer, count);
	tarmac_writer_close(writer);
	if (code == CLI_FINE)
		code = cli_history_exit(session, core);
	return code;
}

enum cli_exit cmd_export(const struct cli_args *args)
{
	enum tarmac_form form;
	enum cli_exit code = parse_form(args, &form);

	return code == CLI_FINE ? cli_with_session(args, write_tarmac, &form) : code;
}
