/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay check`: everything that is wrong with a snapshot, on stderr, and the count on stdout.
 * Ends with 1 if there is an error: a debugger or a trace decoder would lack something.
 */
#include "cli/cli.h"
#include "replay/survey/survey.h"
#include "replay/tarmac/tarmac.h"

enum { PARTED_TOLD = 4 };

static size_t count_warnings(const struct diag_list *diags)
{
	size_t count = 0;

	for (size_t i = 0; i < diags->count; i++)
		count += diags->items[i].severity == SEVERITY_WARNING;
	return count;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

struct parted {
	const struct session *session;
	struct diag_list *diags;
	size_t count;
};

static void note_parted(void *context, size_t core, uint32_t context_id, struct str why)
{
	struct parted *parted = context;

	if (++parted->count <= PARTED_TOLD)
		diag_note(parted->diags, place_none(), "what %.*s ran in context 0x%x is %.*s",
		          STR_ARG(session_core(parted->session, core)->device->name),
		          (unsigned int)context_id, STR_ARG(why));
}

/* Contexts whose parts on several cores are no one thread, the first of them with the reason. */
static enum status check_contexts(struct session *session, struct diag_list *diags)
{
	struct parted parted = {session, diags, 0};

	TRY(session_visit_parted(session, note_parted, &parted));
	if (parted.count > PARTED_TOLD)
		diag_note(diags, place_none(), "and so are %zu more; `csreplay info` lists them",
		          parted.count - PARTED_TOLD);
	return STATUS_OK;
}

/* What the histories show: code of several processes or that was written, and threads. */
static enum status check_histories(const struct snapshot *snapshot, struct diag_list *diags)
{
	const struct history_options options = {.threads = 1};
	struct diag_list said_before = {0};
	struct session *session = NULL;
	enum status status = session_open(snapshot, &options, &said_before, &session);

	for (size_t i = 0; status == STATUS_OK && i < session_core_count(session); i++)
		session_tell_code(session, i, diags);
	if (status == STATUS_OK)
		status = check_contexts(session, diags);
	session_destroy(session);
	diag_list_fini(&said_before);
	return status;
}

/* The files, then what can be decoded of the trace, and what that shows. */
static enum status check(const struct snapshot *snapshot, struct diag_list *diags)
{
	snapshot_check(snapshot, diags);
	TRY(survey_trace(snapshot, diags));
	return check_histories(snapshot, diags);
}

enum cli_exit cmd_check(const struct cli_args *args)
{
	struct diag_list diags = {0};
	struct text out = {0};
	struct snapshot *snapshot;
	enum status status = cli_open_input(args, args->snapshot, &diags, &snapshot);
	size_t warnings;
	enum cli_exit code;

	/* A Tarmac text has its data in it; what it lacks are diagnostics of its lines. */
	if (status == STATUS_OK && input_core(snapshot, 0))
		text_printf(&out, "%.*s\n", STR_ARG(snapshot->description));
	else if (status == STATUS_OK)
		status = check(snapshot, &diags);
	cli_print_diags(&diags);
	if (status == STATUS_USAGE) {
		diag_list_fini(&diags);
		text_fini(&out);
		return CLI_USAGE;
	}
	warnings = count_warnings(&diags);
	text_printf(&out, "%zu error%s, %zu warning%s\n", diags.errors, plural(diags.errors),
	            warnings, plural(warnings));
	code = cli_flush(&out);
	if (code == CLI_FINE && status == STATUS_NO_MEM)
		code = cli_fail(CLI_INTERNAL, "%s", status_text(status));
	else if (code == CLI_FINE && (status != STATUS_OK || diags.errors > 0))
		code = CLI_INPUT;
	text_fini(&out);
	diag_list_fini(&diags);
	snapshot_destroy(snapshot);
	return code;
}
