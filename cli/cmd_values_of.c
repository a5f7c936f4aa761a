/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay values-of --of NAME`: which value a register, memory or a variable had when: `monitor
 * values-of` without a debugger. A line or an object a stretch of positions, the youngest first.
 */
#include <inttypes.h>

#include "base/json.h"
#include "cli/past_print.h"

enum { STRETCHES_SHOWN = 100 };

static void write_one(struct past_question *q, unsigned int reg, const struct past_stretch *s)
{
	if (q->form == PAST_TSV) {
		text_printf(&q->out, "%" PRIu64 "\t%" PRIu64 "\t", s->first, s->last);
		past_value_text(reg, &s->value, &q->out);
	} else {
		json_open(&q->out, '{');
		json_u64(&q->out, "first", s->first);
		json_u64(&q->out, "last", s->last);
		past_json_value(reg, &s->value, &q->out);
		json_close(&q->out, '}');
	}
	text_char(&q->out, '\n');
}

static enum cli_exit run(const struct cli_args *args, struct session *session, void *context)
{
	struct past_question q;
	enum cli_exit code = past_question_begin(args, session, &q);
	struct past_stretches_of of = {.most = STRETCHES_SHOWN};
	struct past_stretches found;
	enum status status;

	(void)context;
	if (code == CLI_FINE)
		code = past_question_range(args, &q, &of.first, &of.last);
	if (code == CLI_FINE)
		code = past_question_count(args, STRETCHES_SHOWN, &of.most);
	if (code != CLI_FINE)
		return code;
	of.subject = q.subject;
	status = session_stretches(session, q.core, &of, &found);
	if (q.form == PAST_TEXT)
		past_stretches_format(&found, &q.out);
	if (q.form == PAST_TSV)
		text_puts(&q.out, "first\tlast\tvalue\n");
	for (size_t i = 0; q.form != PAST_TEXT && i < found.count; i++)
		write_one(&q, found.reg, &found.all[i]);
	if (found.is_cut)
		cli_note("there are more; --count shows as many as it says");
	past_stretches_fini(&found);
	return past_question_end(&q, status);
}

enum cli_exit cmd_values_of(const struct cli_args *args)
{
	return cli_with_session(args, run, NULL);
}
