/* SPDX-License-Identifier: Apache-2.0 */
/* `csreplay info`: what a snapshot holds, as aligned tables or as one JSON object. */
#include "cli/cli.h"
#include "cli/info_report.h"

enum { CONTEXTS_TOLD = 8 };

/* A note, if what the trace calls several contexts all have the one code of the snapshot. */
static void note_contexts(const struct session *session, size_t core)
{
	const struct history *history = session_history(session, core);
	uint32_t ids[CONTEXTS_TOLD];
	size_t known = 0;
	bool more = false;
	struct context_change change;
	struct text list = {0};

	for (size_t i = 0; !more && history_context_change(history, i, &change); i++) {
		size_t at = 0;

		if (!change.context.has_context_id)
			continue;
		while (at < known && ids[at] != change.context.context_id)
			at++;
		more = at == CONTEXTS_TOLD;
		if (at == known && !more) {
			ids[known++] = change.context.context_id;
			text_printf(&list, "%s0x%x", at > 0 ? ", " : "", ids[at]);
		}
	}
	if (known > 1 && !memmap_has_contexts(history_memory(history)))
		cli_note("core \"%.*s\": one code map serves the contexts %.*s%s; --image "
		         "ELF,context=ID gives one of its own",
		         STR_ARG(session_core(session, core)->device->name),
		         STR_ARG(text_str(&list)), more ? " and others" : "");
	text_fini(&list);
}

/* `context`: a bool, JSON is wanted. */
static enum cli_exit report(const struct cli_args *args, struct session *session, void *context)
{
	struct text out = {0};
	struct info_report report = {
	        .snapshot = session_snapshot(session), .session = session, .out = &out};
	enum cli_exit code;

	(void)args;
	if (survey_ids(report.snapshot, session_trace_ids(session), &report.unclaimed_ids) !=
	    STATUS_OK)
		out.failed = true;
	else if (*(const bool *)context)
		info_write_json(&report);
	else
		info_write_text(&report);
	unclaimed_ids_fini(&report.unclaimed_ids);
	code = cli_flush(&out);
	text_fini(&out);
	for (size_t i = 0; i < session_core_count(session); i++)
		note_contexts(session, i);
	return code;
}

enum cli_exit cmd_info(const struct cli_args *args)
{
	bool json;
	enum cli_exit code = cli_format(args, "text", &json);

	return code == CLI_FINE ? cli_with_session(args, report, &json) : code;
}
