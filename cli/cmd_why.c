/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay why --at N --of NAME`: how a register or a word of memory of the past is proved, or
 * what keeps it unknown: `monitor why` without a debugger. Lines, or one object of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/position_argument.h"
#include "console/console.h"

/* A question, on its way to its answer. */
struct why_question {
	struct session *session;
	size_t core;
	uint64_t position;
	struct str of;
	struct why_subject subject;
};

enum { GRANULE = 8 }; /* bytes of memory that an answer is about */

/* "known", and if it is "value" and "tier". */
static void write_value(const struct why_question *q, struct text *out)
{
	uint8_t bytes[GRANULE] = {0};
	struct value value = {.is_assumed = false};
	uint64_t address = q->subject.address & ~UINT64_C(7);
	bool is_known;

	if (q->subject.is_memory) {
		is_known = session_memory_at(q->session, q->core, q->position, address, bytes,
		                             sizeof(bytes)) == sizeof(bytes);
		value.size = sizeof(bytes);
		memcpy(value.bits, bytes, sizeof(bytes));
		value.is_assumed =
		        is_known && session_memory_is_assumed(q->session, q->core, q->position,
		                                              address, sizeof(bytes));
	} else {
		session_register(q->session, q->core, q->subject.number, &value);
		is_known = value_is_known(&value);
	}
	json_bool(out, "known", is_known);
	if (!is_known)
		return;
	json_key(out, "value");
	text_puts(out, "\"0x");
	for (size_t i = value.size; i-- > 0;)
		text_printf(out, "%02x", value.bits[i]);
	text_char(out, '"');
	json_bool(out, "assumed", value.is_assumed);
}

/* A line of the answer; of one that is about a place, what that is. */
static void write_line(struct str line, size_t begin, const struct why_place *place,
                       struct text *out)
{
	json_item(out);
	json_open(out, '{');
	if (place) {
		size_t instruction = place->instruction - begin;
		size_t clause = place->clause - begin;

		json_u64(out, "position", place->position);
		if (place->has_pc)
			json_hex(out, "pc", place->pc);
		json_str(out, place->has_pc ? "instruction" : "between",
		         (struct str){line.p + instruction, clause - instruction - 2});
		line = str_skip(line, clause);
	}
	json_str(out, "text", str_trim(line));
	json_close(out, '}');
}

static void write_lines(struct str text, const struct why_places *places, struct text *out)
{
	struct str rest = text;
	size_t next = 0;

	json_key(out, "why");
	json_open(out, '[');
	while (rest.n > 0) {
		size_t begin = (size_t)(rest.p - text.p);
		size_t end = str_find(rest, '\n');
		bool has_place = next < places->count && places->items[next].line == begin;

		write_line((struct str){rest.p, end}, begin,
		           has_place ? &places->items[next] : NULL, out);
		next += has_place;
		rest = str_skip(rest, end + 1);
	}
	json_close(out, ']');
}

static void write_json(const struct why_question *q, struct str text,
                       const struct why_places *places, struct text *out)
{
	json_open(out, '{');
	json_str(out, "core", session_core(q->session, q->core)->device->name);
	json_u64(out, "position", q->position);
	json_str(out, "of", q->of);
	if (q->subject.is_memory)
		json_hex(out, "address", q->subject.address & ~UINT64_C(7));
	write_value(q, out);
	write_lines(text, places, out);
	json_close(out, '}');
	text_char(out, '\n');
}

static enum cli_exit find_question(const struct cli_args *args, struct why_question *q)
{
	struct console console = {.session = q->session};
	enum cli_exit code = cli_choose_core(args, q->session, &q->core);
	uint64_t last;

	if (code != CLI_FINE)
		return code;
	last = history_last(session_history(q->session, q->core));
	code = cli_position(args, CLI_OPTION_AT, q->session, q->core, last, &q->position);
	if (code != CLI_FINE)
		return code;
	if (session_seek(q->session, q->core, q->position) != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NOT_FOUND));
	console.core = q->core;
	q->of = args->values[CLI_OPTION_OF];
	if (!console_subject(&console, q->of, &q->subject))
		return cli_fail(CLI_USAGE, "--of \"%.*s\": no register and no address",
		                STR_ARG(q->of));
	return CLI_FINE;
}

static enum cli_exit answer(const struct why_question *q, bool is_json)
{
	struct why_places places = {0};
	struct text lines = {0};
	struct text out = {0};
	enum status status = session_why(q->session, q->core, &q->subject, true,
	                                 is_json ? &places : NULL, &lines);
	enum cli_exit code;

	if (status == STATUS_OK && is_json)
		status = text_status(&lines);
	if (status == STATUS_OK && is_json)
		write_json(q, text_str(&lines), &places, &out);
	code = status == STATUS_OK ? cli_flush(is_json ? &out : &lines)
	                           : cli_fail(CLI_INTERNAL, "%s", status_text(status));
	text_fini(&lines);
	text_fini(&out);
	free(places.items);
	return code == CLI_FINE ? cli_history_exit(q->session, q->core) : code;
}

static enum cli_exit run(const struct cli_args *args, struct session *session, void *context)
{
	struct why_question q = {.session = session};
	enum cli_exit code = find_question(args, &q);

	return code == CLI_FINE ? answer(&q, *(const bool *)context) : code;
}

enum cli_exit cmd_why(const struct cli_args *args)
{
	bool is_json;
	enum cli_exit code;

	if (!args->given[CLI_OPTION_OF])
		return cli_fail(CLI_USAGE, "why needs --of");
	code = cli_format(args, "text", &is_json);
	return code == CLI_FINE ? cli_with_session(args, run, &is_json) : code;
}
