/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay last-write`, `writes` and `reads` of a register, of memory or of a variable: the
 * monitor commands of these names without a debugger. A line or an object an access, the youngest
 * first.
 */
#include <inttypes.h>

#include "base/json.h"
#include "cli/past_print.h"

enum { ACCESSES_SHOWN = 100 };

enum what {
	LAST_WRITE,
	WRITES,
	READS,
};

static void write_tsv(struct past_question *q, const struct past_accesses *found,
                      const struct past_access *a)
{
	text_printf(&q->out, "%" PRIu64 "\t%" PRIu64 "\t%s", a->position, a->last,
	            past_verdict_word(a->verdict));
	if (a->code.is_there)
		past_tsv_code(q, a->code.pc, &q->out);
	else
		text_puts(&q->out, "\t-\t-\t-");
	text_char(&q->out, '\t');
	past_value_text(found->reg, &a->value, &q->out);
	text_puts(&q->out, "\t-\t-\n");
}

static const char *other_verdict(const struct other_writer *writer)
{
	return past_verdict_word(writer->store.is_proved ? PAST_PROVED : PAST_ASSUMED);
}

static void write_other_tsv(struct past_question *q, const struct other_writer *writer)
{
	text_printf(&q->out, "%" PRIu64 "\t%" PRIu64 "\t%s", writer->store.position,
	            writer->store.position, other_verdict(writer));
	past_tsv_code(q, writer->code.pc, &q->out);
	text_char(&q->out, '\t');
	past_value_text(REG_COUNT, &writer->value, &q->out);
	text_printf(&q->out, "\t%.*s\t%" PRIu64 "-%" PRIu64 "\n",
	            STR_ARG(history_core(writer->history)->device->name), writer->store.first,
	            writer->store.last);
}

static void write_other_json(struct past_question *q, const struct other_writer *writer)
{
	json_open(&q->out, '{');
	json_str(&q->out, "core", history_core(writer->history)->device->name);
	json_u64(&q->out, "position", writer->store.position);
	json_str(&q->out, "verdict", str_of(other_verdict(writer)));
	past_json_code(q, writer->code.pc, &q->out);
	past_json_value(REG_COUNT, &writer->value, &q->out);
	json_u64(&q->out, "own_first", writer->store.first);
	json_u64(&q->out, "own_last", writer->store.last);
	json_close(&q->out, '}');
	text_char(&q->out, '\n');
}

static void write_json(struct past_question *q, const struct past_accesses *found,
                       const struct past_access *a)
{
	json_open(&q->out, '{');
	json_u64(&q->out, "position", a->position);
	if (a->verdict == PAST_BLIND)
		json_u64(&q->out, "last", a->last);
	json_str(&q->out, "verdict", str_of(past_verdict_word(a->verdict)));
	if (a->code.is_there)
		past_json_code(q, a->code.pc, &q->out);
	past_json_value(found->reg, &a->value, &q->out);
	json_close(&q->out, '}');
	text_char(&q->out, '\n');
}

static void write_accesses(struct past_question *q, const struct past_accesses *found)
{
	if (q->form == PAST_TEXT) {
		past_accesses_format(&q->names, found, &q->out);
		if (found->count == 0)
			text_puts(&q->out, "none\n");
		past_others_format(&q->names, &found->others, &q->out);
		return;
	}
	if (q->form == PAST_TSV)
		text_puts(
		        &q->out,
		        "position\tlast\tverdict\tpc\tfunction\tsource\tvalue\tcore\tmeanwhile\n");
	for (size_t i = 0; i < found->count; i++) {
		if (q->form == PAST_TSV)
			write_tsv(q, found, &found->all[i]);
		else
			write_json(q, found, &found->all[i]);
	}
	for (size_t i = 0; i < found->others.count; i++) {
		if (q->form == PAST_TSV)
			write_other_tsv(q, &found->others.all[i]);
		else
			write_other_json(q, &found->others.all[i]);
	}
}

/* What the text says in lines of their own; other forms have none but those of accesses. */
static void note_others(const struct other_writers *found)
{
	const char *doubt = past_others_doubt(found);

	if (found->is_cut)
		cli_note("other cores wrote it before that, too; --count shows as many as it says");
	if (doubt)
		cli_note("%s", doubt);
}

/* --from, --to and --count of a list; --at and --count of `last-write`. */
static enum cli_exit find_range(const struct cli_args *args, const struct past_question *q,
                                enum what what, struct past_accesses_of *of)
{
	enum cli_exit code =
	        past_question_count(args, what == LAST_WRITE ? 1 : ACCESSES_SHOWN, &of->most);

	of->end = q->at;
	if (code == CLI_FINE && what != LAST_WRITE)
		code = past_question_range(args, q, &of->first, &of->end);
	return code;
}

static enum cli_exit run(const struct cli_args *args, struct session *session, void *context)
{
	enum what what = *(const enum what *)context;
	struct past_question q;
	enum cli_exit code = past_question_begin(args, session, &q);
	struct past_accesses_of of = {.reads = what == READS, .writes = what != READS};
	struct past_accesses found;
	enum status status;

	if (code == CLI_FINE)
		code = find_range(args, &q, what, &of);
	if (code != CLI_FINE)
		return code;
	of.subject = q.subject;
	status = session_accesses(session, q.core, &of, &found);
	if (status == STATUS_OK)
		write_accesses(&q, &found);
	if (status == STATUS_OK && found.is_cut && what != LAST_WRITE)
		cli_note("there may be more; --count shows as many as it says");
	if (status == STATUS_OK && q.form != PAST_TEXT)
		note_others(&found.others);
	if (status == STATUS_OK)
		past_question_note_device(&q);
	past_accesses_fini(&found);
	return past_question_end(&q, status);
}

enum cli_exit cmd_last_write(const struct cli_args *args)
{
	enum what what = LAST_WRITE;

	return cli_with_session(args, run, &what);
}

enum cli_exit cmd_writes(const struct cli_args *args)
{
	enum what what = WRITES;

	return cli_with_session(args, run, &what);
}

enum cli_exit cmd_reads(const struct cli_args *args)
{
	enum what what = READS;

	return cli_with_session(args, run, &what);
}
