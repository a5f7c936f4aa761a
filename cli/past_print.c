/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the past, from options to forms of answers; see past_print.h. */
#include "cli/past_print.h"

#include <inttypes.h>

#include "base/json.h"
#include "cli/position_argument.h"

static enum cli_exit find_form(const struct cli_args *args, enum past_form *form)
{
	static const char *const forms[] = {"text", "tsv", "json"};

	*form = PAST_TEXT;
	if (!args->given[CLI_OPTION_FORMAT])
		return CLI_FINE;
	while (*form <= PAST_JSON && !str_eq(args->values[CLI_OPTION_FORMAT], str_of(forms[*form])))
		++*form;
	if (*form <= PAST_JSON)
		return CLI_FINE;
	return cli_fail(CLI_USAGE, "%s has no format \"%.*s\"; it has text, tsv and json",
	                args->command->name, STR_ARG(args->values[CLI_OPTION_FORMAT]));
}

static enum cli_exit find_subject(struct past_question *q)
{
	switch (session_past_subject(q->session, q->core, q->word, &q->subject)) {
	case SESSION_WORD_FINE:
		return CLI_FINE;
	case SESSION_WORD_SEVERAL:
		return cli_fail(CLI_USAGE, "--of \"%.*s\": several variables have this name",
		                STR_ARG(q->word));
	case SESSION_WORD_NO_VALUES:
		return cli_fail(CLI_USAGE,
		                "--of \"%.*s\": the past of this register is not reconstructed",
		                STR_ARG(q->word));
	case SESSION_WORD_BAD_SIZE:
		return cli_fail(CLI_USAGE,
		                "--of \"%.*s\": +SIZE is 1 to 1048576 bytes of memory, and no more "
		                "than there are",
		                STR_ARG(q->word));
	case SESSION_WORD_UNKNOWN:
		break;
	}
	return cli_fail(CLI_USAGE, "--of \"%.*s\": no register, no address and no variable",
	                STR_ARG(q->word));
}

enum cli_exit past_question_begin(const struct cli_args *args, struct session *session,
                                  struct past_question *q)
{
	enum cli_exit code;

	*q = (struct past_question){.session = session, .word = args->values[CLI_OPTION_OF]};
	if (!args->given[CLI_OPTION_OF])
		return cli_fail(CLI_USAGE, "%s needs --of", args->command->name);
	code = find_form(args, &q->form);
	if (code == CLI_FINE)
		code = cli_choose_core(args, session, &q->core);
	if (code != CLI_FINE)
		return code;
	q->length = history_length(session_history(session, q->core));
	code = cli_position(args, CLI_OPTION_AT, session, q->core, q->length, &q->at);
	if (code != CLI_FINE)
		return code;
	code = find_subject(q);
	if (code == CLI_FINE && session_past_names(session, q->core, &q->names) != STATUS_OK)
		code = cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	return code;
}

enum cli_exit past_question_range(const struct cli_args *args, const struct past_question *q,
                                  uint64_t *first, uint64_t *end)
{
	enum cli_exit code = cli_position(args, CLI_OPTION_FROM, q->session, q->core, 0, first);

	if (code == CLI_FINE)
		code = cli_position(args, CLI_OPTION_TO, q->session, q->core, q->length, end);
	if (code == CLI_FINE && *first > *end)
		return cli_fail(CLI_USAGE,
		                "--from %" PRIu64 " --to %" PRIu64 ": positions are 0 to %" PRIu64
		                ", one after the other",
		                *first, *end, q->length);
	return code;
}

enum cli_exit past_question_count(const struct cli_args *args, uint64_t otherwise, size_t *most)
{
	uint64_t count;
	enum cli_exit code = cli_number(args, CLI_OPTION_COUNT, otherwise, &count);

	*most = (size_t)count;
	return code;
}

void past_question_note_device(const struct past_question *q)
{
	struct text note = {0};

	past_device_text(&q->names, &q->subject, &note);
	if (note.length > 0)
		cli_note("%s", note.data);
	text_fini(&note);
}

enum cli_exit past_question_end(struct past_question *q, enum status status)
{
	enum cli_exit code = CLI_INTERNAL;

	if (status == STATUS_OK)
		code = cli_flush(&q->out);
	else if (status == STATUS_UNSUPPORTED)
		code = cli_fail(CLI_INPUT, "nothing is reconstructed of this: the trace has its "
		                           "values itself, or its core "
		                           "has no past");
	else
		code = cli_fail(status == STATUS_INTERRUPTED ? CLI_INTERRUPTED : CLI_INTERNAL, "%s",
		                status_text(status));
	text_fini(&q->out);
	cli_note_trouble(q->session, q->core);
	return code == CLI_FINE ? cli_history_exit(q->session, q->core) : code;
}

void past_json_code(const struct past_question *q, uint64_t pc, struct text *out)
{
	struct text name = {0};
	struct source_line line;

	json_hex(out, "pc", pc);
	symbols_format(q->names.symbols, pc, &name);
	json_str(out, "function", text_str(&name));
	out->failed |= name.failed;
	text_fini(&name);
	if (!source_lines_find(q->names.lines, pc, &line))
		return;
	json_str(out, "file", str_of(line.file));
	json_u64(out, "line", (uint64_t)line.line);
}

void past_tsv_code(const struct past_question *q, uint64_t pc, struct text *out)
{
	struct source_line line;

	text_printf(out, "\t0x%" PRIx64 "\t", pc);
	symbols_format(q->names.symbols, pc, out);
	if (source_lines_find(q->names.lines, pc, &line))
		text_printf(out, "\t%s:%d", line.file, line.line);
	else
		text_puts(out, "\t-");
}

void past_json_value(unsigned int reg, const struct past_value *value, struct text *out)
{
	struct bits b = value->bits;
	uint64_t all = bits_mask(value->width);

	if (reg == REG_NZCV) {
		b = bits_flags_packed(&b);
		all = 15;
	}
	if ((b.known & all) == 0)
		return;
	json_hex(out, "value", b.value & b.known & all);
	if ((~b.known & all) != 0)
		json_hex(out, "known", b.known & all);
	if (value->is_assumed)
		json_bool(out, "assumed", true);
}
