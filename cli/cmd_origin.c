/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay origin --of NAME [--at N]`: where a value of the past was made: `monitor origin`
 * without a debugger. A line or an object a step, the youngest first.
 */
#include <inttypes.h>

#include "base/json.h"
#include "cli/past_print.h"

static void write_place(const struct past_question *q, const struct origin_step *s,
                        struct text *out)
{
	if (s->is_memory && s->is_somewhere)
		text_printf(out, "-+%" PRIu64, s->size);
	else if (s->is_memory)
		text_printf(out, "0x%" PRIx64 "+%" PRIu64, s->address, s->size);
	else
		past_register_text(&q->names, s->reg, out);
}

static void write_tsv(struct past_question *q, const struct origin_step *s, size_t number)
{
	struct text *out = &q->out;

	text_printf(out, "%zu\t%" PRIu64 "\t%s", number, s->position, origin_word(s->kind));
	if (s->code.is_there)
		past_tsv_code(q, s->code.pc, out);
	else
		text_puts(out, "\t-\t-\t-");
	text_char(out, '\t');
	write_place(q, s, out);
	text_char(out, '\t');
	past_value_text(s->reg, &s->value, out);
	text_printf(out, "\t%" PRIu64 "\t%" PRIu64 "\n", s->possible, s->repeats);
}

static void write_sources(struct past_question *q, const struct origin_step *s)
{
	struct text name = {0};

	json_key(&q->out, "sources");
	json_open(&q->out, '[');
	for (unsigned int i = 0; i < s->source_count; i++) {
		json_item(&q->out);
		json_open(&q->out, '{');
		text_clear(&name);
		past_register_text(&q->names, s->sources[i].reg, &name);
		json_str(&q->out, "register", text_str(&name));
		past_json_value(s->sources[i].reg, &s->sources[i].value, &q->out);
		json_close(&q->out, '}');
	}
	json_close(&q->out, ']');
	q->out.failed |= name.failed;
	text_fini(&name);
}

static void write_json(struct past_question *q, const struct origin_step *s, size_t number)
{
	struct text name = {0};
	struct text *out = &q->out;

	json_open(out, '{');
	json_u64(out, "step", number);
	json_u64(out, "position", s->position);
	if (s->other) {
		json_str(out, "core", history_core(s->other)->device->name);
		json_u64(out, "own_first", s->other_first);
		json_u64(out, "own_last", s->other_last);
	}
	json_str(out, "kind", str_of(origin_word(s->kind)));
	if (s->code.is_there)
		past_json_code(q, s->code.pc, out);
	if (!s->is_memory) {
		past_register_text(&q->names, s->reg, &name);
		json_str(out, "register", text_str(&name));
	}
	if (s->size > 0 && (s->is_memory || s->kind == ORIGIN_LOAD)) {
		if (!s->is_somewhere)
			json_hex(out, "address", s->address);
		json_u64(out, "size", s->size);
	}
	past_json_value(s->is_memory ? REG_COUNT : s->reg, &s->value, out);
	if (s->is_part)
		json_bool(out, "part", true);
	if (s->possible > 0)
		json_u64(out, "possible_writes", s->possible);
	if (s->is_possible)
		json_bool(out, "proved", false);
	if (s->repeats > 0) {
		json_u64(out, "repeats", s->repeats);
		json_u64(out, "oldest", s->oldest);
	}
	if (s->source_count > 0)
		write_sources(q, s);
	json_close(out, '}');
	text_char(out, '\n');
	out->failed |= name.failed;
	text_fini(&name);
}

static void write_origin(struct past_question *q, const struct origin *origin)
{
	if (q->form == PAST_TEXT) {
		text_printf(&q->out, "%.*s at position %" PRIu64 " is ", STR_ARG(q->word), q->at);
		past_value_text(origin->reg, &origin->value, &q->out);
		text_puts(&q->out, "; back from there:\n");
		origin_format(&q->names, origin, &q->out);
		return;
	}
	if (q->form == PAST_TSV)
		text_puts(&q->out, "step\tposition\tkind\tpc\tfunction\tsource\tplace\tvalue\t"
		                   "possible_writes\trepeats\n");
	for (size_t i = 0; i < origin->count; i++) {
		if (q->form == PAST_TSV)
			write_tsv(q, &origin->steps[i], i + 1);
		else
			write_json(q, &origin->steps[i], i + 1);
	}
}

static enum cli_exit run(const struct cli_args *args, struct session *session, void *context)
{
	struct past_question q;
	enum cli_exit code = past_question_begin(args, session, &q);
	struct origin origin;
	enum status status;

	(void)context;
	if (code != CLI_FINE)
		return code;
	status = session_origin(session, q.core, q.at, &q.subject, &origin);
	if (status == STATUS_OK)
		write_origin(&q, &origin);
	origin_fini(&origin);
	return past_question_end(&q, status);
}

enum cli_exit cmd_origin(const struct cli_args *args)
{
	return cli_with_session(args, run, NULL);
}
