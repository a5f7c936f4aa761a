/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay check`: everything that is wrong with a snapshot, on stderr, and the count on stdout;
 * as JSON all of it is on stdout, a line each. Ends with 1 if there is an error: a debugger or a
 * trace decoder would lack something.
 */
#include <string.h>

#include "base/json.h"
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

/* docs/schema/check.schema.json */
static void write_json(const struct diag *diag, struct text *out)
{
	const struct place *place = &diag->place;

	json_open(out, '{');
	json_str(out, "severity", str_of(severity_name(diag->severity)));
	if (place->file.n > 0)
		json_str(out, "file", place->file);
	if (place->line > 0)
		json_u64(out, "line", place->line);
	if (place->has_offset)
		json_u64(out, "offset", place->offset);
	json_str(out, "text", str_of(diag->text));
	text_puts(out, "}\n");
}

static void write_all_json(const struct diag_list *diags, struct text *out)
{
	for (size_t i = 0; i < diags->count; i++)
		write_json(&diags->items[i], out);
	if (diags->dropped == 0)
		return;
	json_open(out, '{');
	json_u64(out, "dropped", diags->dropped);
	text_puts(out, "}\n");
}

/* What is to be printed at the end: lines, or how many there were. */
static void write_result(const struct diag_list *diags, bool json, struct text *out)
{
	size_t warnings = count_warnings(diags);

	if (json)
		write_all_json(diags, out);
	else
		text_printf(out, "%zu error%s, %zu warning%s\n", diags->errors,
		            plural(diags->errors), warnings, plural(warnings));
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

/* The same text; or of the same core that code is missing, which survey_trace() says by ranges. */
static bool says(const struct diag *said, const struct diag *fact)
{
	return strcmp(said->text, fact->text) == 0 ||
	       (strstr(said->text, SURVEY_MISSING_CODE) &&
	        strstr(fact->text, SURVEY_MISSING_CODE) &&
	        str_eq(said->place.file, fact->place.file) && said->place.line == fact->place.line);
}

/* What was not said of the files. */
static void add_facts(const struct session *session, struct diag_list *diags)
{
	const struct diag_list *facts = session_facts(session);

	for (size_t i = 0; i < facts->count; i++) {
		const struct diag *fact = &facts->items[i];
		size_t at = 0;

		while (at < diags->count && !says(&diags->items[at], fact))
			at++;
		if (at == diags->count)
			diag_warning(diags, fact->place, "%s", fact->text);
	}
}

/* What the histories show: what contradicts them, code of several processes or that was written,
 * and threads. */
static enum status check_histories(const struct snapshot *snapshot, struct diag_list *diags)
{
	const struct history_options options = {.threads = 1};
	struct diag_list said_before = {0};
	struct session *session = NULL;
	enum status status = session_open(snapshot, &options, &said_before, &session);

	if (status == STATUS_OK)
		add_facts(session, diags);
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
	enum status status;
	bool json = false;
	enum cli_exit code = cli_format(args, "text", &json);

	if (code != CLI_FINE)
		return code;
	status = cli_open_input(args, args->snapshot, &diags, &snapshot);
	/* A Tarmac text has its data in it; what it lacks are diagnostics of its lines. */
	if (status == STATUS_OK && !input_core(snapshot, 0))
		status = check(snapshot, &diags);
	else if (status == STATUS_OK && !json)
		text_printf(&out, "%.*s\n", STR_ARG(snapshot->description));
	if (!json || status == STATUS_USAGE)
		cli_print_diags(&diags);
	if (status == STATUS_USAGE) {
		diag_list_fini(&diags);
		text_fini(&out);
		return CLI_USAGE;
	}
	write_result(&diags, json, &out);
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
