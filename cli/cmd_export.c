/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay export`: the history of cores in the form of other tools. `csreplay history --format
 * tarmac` is the same.
 */
#include <stdlib.h>

#include "cli/position_argument.h"
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

/* The cores that are written, beside each other. */
struct exporting {
	struct session *session;
	enum tarmac_form form;
	uint64_t count; /* instructions of each */
	struct tarmac_writer **writers;
	bool *is_over; /* of each */
	size_t writer_count;
	size_t written; /* the writer whose line is the last one */
	size_t core;    /* of the last writer */
	struct text out;
};

/* Of several cores each begins at its own position: "-10" is ten before its halt. */
static enum cli_exit open_writer(const struct cli_args *args, struct exporting *e, size_t core)
{
	uint64_t from;
	enum cli_exit code = cli_position(args, CLI_OPTION_FROM, e->session, core, 0, &from);
	enum status status;

	if (code != CLI_FINE)
		return code;
	status = tarmac_writer_open(e->session, core, e->form, from, e->count,
	                            &e->writers[e->writer_count]);
	if (status != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(status));
	e->writer_count++;
	e->core = core;
	return CLI_FINE;
}

/* Cores that a trace tells of. */
static size_t count_traced(const struct session *session)
{
	size_t count = 0;

	for (size_t i = 0; i < session_core_count(session); i++)
		count += history_length(session_history(session, i)) > 0;
	return count;
}

/* All with trace, where lines say their core; else the one that was chosen. */
static enum cli_exit open_writers(const struct cli_args *args, struct exporting *e)
{
	size_t traced = count_traced(e->session);
	enum cli_exit code = CLI_FINE;
	size_t core;

	if (args->given[CLI_OPTION_CORE] || traced < 2) {
		code = cli_choose_core(args, e->session, &core);
		return code == CLI_FINE ? open_writer(args, e, core) : code;
	}
	if (!tarmac_form_has_cores(e->form))
		return cli_fail(
		        CLI_USAGE,
		        "%s has %zu cores with trace, and lines of Tarmac Text Rev 3 do not "
		        "say their core: choose one with --core NAME, or --dialect isp",
		        args->snapshot, traced);
	for (core = 0; core < session_core_count(e->session) && code == CLI_FINE; core++) {
		if (history_length(session_history(e->session, core)) > 0)
			code = open_writer(args, e, core);
	}
	return code;
}

/* The writer whose line is next, writer_count if there is none; and where another one's is. */
static enum status choose_next(const struct exporting *e, size_t *next, uint64_t *until)
{
	uint64_t lowest = UINT64_MAX;

	*next = e->writer_count;
	*until = UINT64_MAX;
	for (size_t i = 0; i < e->writer_count; i++) {
		uint64_t place = 0;

		if (e->is_over[i])
			continue;
		if (e->writer_count > 1)
			TRY(tarmac_writer_place(e->writers[i], &place));
		if (*next < e->writer_count && place >= lowest) {
			*until = place < *until ? place : *until;
			continue;
		}
		*until = lowest;
		*next = i;
		lowest = place;
	}
	return STATUS_OK;
}

static enum status write_next(struct exporting *e, bool *is_done)
{
	enum status status;
	uint64_t until;
	size_t next;

	TRY(choose_next(e, &next, &until));
	*is_done = next == e->writer_count;
	if (*is_done)
		return STATUS_OK;
	if (e->writer_count > 1 && next != e->written)
		tarmac_writer_follow(e->writers[next]);
	e->written = next;
	status = tarmac_writer_next(e->writers[next], until, &e->out);
	e->is_over[next] = status == STATUS_END;
	return status == STATUS_END ? STATUS_OK : status;
}

static enum cli_exit write_lines(struct exporting *e)
{
	enum cli_exit code = CLI_FINE;
	enum status status = STATUS_OK;
	bool is_done = false;

	e->written = e->writer_count;
	while (status == STATUS_OK && code == CLI_FINE && !is_done) {
		status = write_next(e, &is_done);
		if (e->out.length >= FLUSH_AT)
			code = cli_flush(&e->out);
	}
	if (status != STATUS_OK)
		code = cli_fail(CLI_INTERNAL, "%s", status_text(status));
	return code == CLI_FINE ? cli_flush(&e->out) : code;
}

/* What the dialect cannot say is said once. */
static enum cli_exit note_losses(const struct exporting *e)
{
	enum cli_exit code = CLI_FINE;
	struct export_losses sum = {{0}};
	struct text what = {0};

	for (size_t i = 0; i < e->writer_count; i++) {
		const struct export_losses *losses = tarmac_writer_losses(e->writers[i]);

		for (unsigned int k = 0; k < EXPORT_LOSSES; k++)
			sum.count[k] += losses->count[k];
	}
	export_losses_write(&sum, &what);
	if (text_status(&what) != STATUS_OK)
		code = cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	else if (what.length > 0)
		cli_note("%s has no place for %s",
		         e->form == TARMAC_FORM_ISP ? "the format of ISP RAS" : "Tarmac Text Rev 3",
		         what.data);
	text_fini(&what);
	return code;
}

/* Cores of a text with data share memory; of the others' writes the text that is written has none.
 */
static void note_others(const struct exporting *e)
{
	if (e->writer_count == 1 && count_traced(e->session) > 1 &&
	    effects_known(session_history(e->session, e->core)))
		cli_note("what other cores wrote to memory is not in this text: a place that they "
		         "share holds an older value where it is read back; --dialect isp without "
		         "--core writes all cores");
}

static enum cli_exit write_all(const struct cli_args *args, struct exporting *e)
{
	enum cli_exit code = cli_number(args, CLI_OPTION_COUNT, UINT64_MAX, &e->count);

	if (code == CLI_FINE)
		code = open_writers(args, e);
	if (code == CLI_FINE)
		code = write_lines(e);
	if (code == CLI_FINE)
		code = note_losses(e);
	if (code == CLI_FINE)
		note_others(e);
	/* Of several, each has a history. */
	return code == CLI_FINE ? cli_history_exit(e->session, e->core) : code;
}

/* `context`: the form. */
static enum cli_exit write_tarmac(const struct cli_args *args, struct session *session,
                                  void *context)
{
	size_t cores = session_core_count(session);
	struct exporting e = {
	        .session = session,
	        .form = *(const enum tarmac_form *)context,
	        .writers = calloc(cores + 1, sizeof(struct tarmac_writer *)),
	        .is_over = calloc(cores + 1, sizeof(bool)),
	};
	enum cli_exit code = e.writers && e.is_over ? write_all(args, &e)
	                                            : cli_fail(CLI_INTERNAL, "out of memory");

	for (size_t i = 0; i < e.writer_count; i++)
		tarmac_writer_close(e.writers[i]);
	free(e.writers);
	free(e.is_over);
	text_fini(&e.out);
	return code;
}

enum cli_exit cmd_export(const struct cli_args *args)
{
	enum tarmac_form form;
	enum cli_exit code = parse_form(args, &form);

	return code == CLI_FINE ? cli_with_session(args, write_tarmac, &form) : code;
}
