/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay calls`: who called whom, over the whole history of a core: as a tree (text), a line or
 * an object a call (TSV, JSON lines), or the stacks with how many instructions each ran (folded),
 * which is what flame graphs are drawn from.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"

enum { FLUSH_AT = 1 << 16 };

enum form {
	FORM_TEXT,
	FORM_TSV,
	FORM_JSON,
	FORM_FOLDED,
};

struct writer {
	const struct calls *calls;
	struct session *session;
	size_t core;
	struct str function; /* only calls of this name; empty: all */
	bool has_values;     /* arguments and results are to be shown */
	bool has_filter;
	struct call_filter filter;
	uint64_t not_known; /* calls of which the filter could not be asked */
	uint64_t length;
	struct text out;
};

static void write_position(struct text *out, uint64_t position)
{
	if (position == CALL_NOT_KNOWN)
		text_char(out, '-');
	else
		text_decimal(out, position);
}

static void write_hex(struct text *out, uint64_t address)
{
	text_printf(out, "0x%" PRIx64, address);
}

static void write_tsv_value(struct text *out, const struct value *value)
{
	text_char(out, '\t');
	if (!value_is_known(value)) {
		text_char(out, '-');
		return;
	}
	write_hex(out, value_u64(value));
	text_puts(out, value->is_assumed ? " (assumed)" : "");
}

/* A column for each argument, and for the result. */
static void write_tsv_values(struct writer *w, const struct call *call)
{
	struct call_values values;

	if (!w->has_values)
		return;
	session_call_values(w->session, w->core, call, &values);
	for (unsigned int i = 0; i < values.count; i++)
		write_tsv_value(&w->out, &values.arguments[i]);
	write_tsv_value(&w->out, &values.result);
}

static void write_tsv_names(struct writer *w)
{
	const struct call none = {.enter = CALL_NOT_KNOWN, .leave = CALL_NOT_KNOWN};
	struct call_values values;

	if (!w->has_values)
		return;
	session_call_values(w->session, w->core, &none, &values);
	for (unsigned int i = 0; i < values.count; i++)
		text_printf(&w->out, "\t%s", values.file->table[values.numbers[i]].name);
	text_puts(&w->out, "\tresult");
}

static void json_value(struct text *out, const char *key, const struct value *value, bool *assumed)
{
	if (!value_is_known(value))
		return;
	json_hex(out, key, value_u64(value));
	*assumed |= value->is_assumed;
}

static void write_json_values(struct writer *w, const struct call *call)
{
	struct call_values values;
	bool assumed = false;

	if (!w->has_values)
		return;
	session_call_values(w->session, w->core, call, &values);
	json_key(&w->out, "arguments");
	json_open(&w->out, '{');
	for (unsigned int i = 0; i < values.count; i++)
		json_value(&w->out, values.file->table[values.numbers[i]].name,
		           &values.arguments[i], &assumed);
	json_close(&w->out, '}');
	json_value(&w->out, "result", &values.result, &assumed);
	if (assumed)
		json_bool(&w->out, "assumed", true);
}

static void write_tsv(struct writer *w, uint32_t index, const struct call *call)
{
	text_printf(&w->out, "%" PRIu32 "\t", index);
	if (call->parent == CALL_NONE)
		text_char(&w->out, '-');
	else
		text_decimal(&w->out, call->parent);
	text_printf(&w->out, "\t%" PRIu32 "\t", call->depth);
	write_position(&w->out, call->enter);
	text_char(&w->out, '\t');
	write_position(&w->out, call->leave);
	text_char(&w->out, '\t');
	write_position(&w->out, call->site);
	text_printf(&w->out, "\t%s\t%s\t", call_begin_text(call), call_end_text(call));
	write_hex(&w->out, call->function);
	text_char(&w->out, '\t');
	call_name(w->calls, call, &w->out);
	text_char(&w->out, '\t');
	if (call->has_return)
		write_hex(&w->out, call->return_address);
	else
		text_char(&w->out, '-');
	text_char(&w->out, '\t');
	if (call->end == CALL_END_STRAY || call->end == CALL_END_UNWOUND)
		write_hex(&w->out, call->went_to);
	else
		text_char(&w->out, '-');
	write_tsv_values(w, call);
	text_char(&w->out, '\n');
}

static void json_position(struct text *out, const char *key, uint64_t position)
{
	if (position != CALL_NOT_KNOWN)
		json_u64(out, key, position);
}

static void write_json(struct writer *w, uint32_t index, const struct call *call)
{
	struct text name = {0};

	call_name(w->calls, call, &name);
	json_open(&w->out, '{');
	json_u64(&w->out, "call", index);
	if (call->parent != CALL_NONE)
		json_u64(&w->out, "caller", call->parent);
	json_u64(&w->out, "depth", call->depth);
	json_position(&w->out, "enter", call->enter);
	json_position(&w->out, "leave", call->leave);
	json_position(&w->out, "site", call->site);
	json_str(&w->out, "begin", str_of(call_begin_text(call)));
	json_str(&w->out, "end", str_of(call_end_text(call)));
	json_hex(&w->out, "function", call->function);
	json_str(&w->out, "name", text_str(&name));
	if (call->has_return)
		json_hex(&w->out, "return_address", call->return_address);
	if (call->end == CALL_END_STRAY || call->end == CALL_END_UNWOUND)
		json_hex(&w->out, "went_to", call->went_to);
	write_json_values(w, call);
	json_close(&w->out, '}');
	text_char(&w->out, '\n');
	w->out.failed |= name.failed;
	text_fini(&name);
}

/* "    12-40      parse  [tail-call]" with two blanks a caller. */
static void write_text(struct writer *w, const struct call *call)
{
	enum { INDENT_MOST = 40 };
	uint32_t indent = call->depth < INDENT_MOST ? call->depth : INDENT_MOST;

	write_position(&w->out, call->enter);
	text_char(&w->out, '-');
	if (call->leave == CALL_NOT_KNOWN)
		text_puts(&w->out, "halt");
	else
		text_decimal(&w->out, call->leave);
	text_printf(&w->out, "\t%*s", (int)(2 * indent), "");
	if (call->depth > INDENT_MOST)
		text_printf(&w->out, "(%" PRIu32 ") ", call->depth);
	call_name(w->calls, call, &w->out);
	if (call->begin != CALL_BEGIN_CALL)
		text_printf(&w->out, "  [%s]", call_begin_text(call));
	if (call->end != CALL_END_RETURN && call->end != CALL_END_HALT) {
		struct text oddity = {0};

		call_oddity(w->calls, call, &oddity);
		text_printf(&w->out, "  {%s}",
		            oddity.length > 0 ? oddity.data : call_end_text(call));
		text_fini(&oddity);
	}
	if (w->has_values) {
		struct call_values values;

		session_call_values(w->session, w->core, call, &values);
		text_puts(&w->out, "  ");
		call_values_format(&values, &w->out);
	}
	text_char(&w->out, '\n');
}

static bool is_wanted(struct writer *w, const struct call *call)
{
	enum call_match match = CALL_MATCHES;

	if (w->function.n > 0 && !call_is_named(w->calls, call, w->function))
		return false;
	if (w->has_filter)
		match = session_call_matches(w->session, w->core, call, &w->filter);
	w->not_known += match == CALL_MATCH_NOT_KNOWN;
	return match == CALL_MATCHES;
}

static enum cli_exit write_list(struct writer *w, enum form form)
{
	if (form == FORM_TSV) {
		text_puts(&w->out, "call\tcaller\tdepth\tenter\tleave\tsite\tbegin\tend\tfunction\t"
		                   "name\treturn_address\twent_to");
		write_tsv_names(w);
		text_char(&w->out, '\n');
	}
	for (uint32_t i = 0; i < calls_count(w->calls); i++) {
		const struct call *call = calls_get(w->calls, i);
		enum cli_exit code = CLI_FINE;

		if (!is_wanted(w, call))
			continue;
		if (form == FORM_TSV)
			write_tsv(w, i, call);
		else if (form == FORM_JSON)
			write_json(w, i, call);
		else
			write_text(w, call);
		if (w->out.length >= FLUSH_AT || w->out.failed)
			code = cli_flush(&w->out);
		if (code != CLI_FINE)
			return code;
	}
	return cli_flush(&w->out);
}

/* Its callers are in the trace, but nobody knows which they are. */
static bool is_cut(const struct call *oldest)
{
	return oldest->begin == CALL_BEGIN_GAP || oldest->begin == CALL_BEGIN_LANDED ||
	       oldest->begin == CALL_BEGIN_STRAY;
}

/* The names from the outermost function to this one, with ';' between. */
static void write_stack(struct writer *w, uint32_t call, uint32_t *stack)
{
	uint32_t count = 0;

	for (; call != CALL_NONE; call = calls_get(w->calls, call)->parent)
		stack[count++] = call;
	if (count > 0 && is_cut(calls_get(w->calls, stack[count - 1])))
		text_puts(&w->out, "[unknown];");
	while (count-- > 0) {
		call_name(w->calls, calls_get(w->calls, stack[count]), &w->out);
		text_puts(&w->out, count > 0 ? ";" : "");
	}
}

/* One line a stretch of instructions in one call; who draws them adds up equal stacks. */
static enum cli_exit write_stacks(struct writer *w, uint64_t *own, uint32_t *stack)
{
	calls_count_own(w->calls, own);
	for (uint32_t i = 0; i < calls_count(w->calls); i++) {
		enum cli_exit code = CLI_FINE;

		if (own[i] == 0 || !is_wanted(w, calls_get(w->calls, i)))
			continue;
		write_stack(w, i, stack);
		text_printf(&w->out, " %" PRIu64 "\n", own[i]);
		if (w->out.length >= FLUSH_AT || w->out.failed)
			code = cli_flush(&w->out);
		if (code != CLI_FINE)
			return code;
	}
	return cli_flush(&w->out);
}

static enum cli_exit write_folded(struct writer *w)
{
	uint32_t deepest = 0;
	uint32_t *stack;
	enum cli_exit code;
	uint64_t *own = calloc((size_t)calls_count(w->calls) + 1, sizeof(*own));

	for (uint32_t i = 0; i < calls_count(w->calls); i++) {
		uint32_t depth = calls_get(w->calls, i)->depth;

		deepest = depth > deepest ? depth : deepest;
	}
	stack = calloc((size_t)deepest + 1, sizeof(*stack));
	code = own && stack ? write_stacks(w, own, stack)
	                    : cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	free(stack);
	free(own);
	return code;
}

static enum cli_exit find_filter(const struct cli_args *args, struct writer *w)
{
	struct str text = args->values[CLI_OPTION_WHERE];

	w->has_filter = args->given[CLI_OPTION_WHERE];
	if (!w->has_filter || session_call_filter(w->session, w->core, text, &w->filter))
		return CLI_FINE;
	return cli_fail(CLI_USAGE,
	                "--where \"%.*s\": expected REGISTER == NUMBER, or !=, or of `result`",
	                STR_ARG(text));
}

static enum cli_exit list(const struct cli_args *args, struct session *session, void *context)
{
	enum form form = *(const enum form *)context;
	struct writer w = {.session = session, .has_values = args->given[CLI_OPTION_ARGUMENTS]};
	enum cli_exit code = cli_choose_core(args, session, &w.core);
	enum status status;

	if (code == CLI_FINE)
		code = find_filter(args, &w);
	if (code != CLI_FINE)
		return code;
	if (args->given[CLI_OPTION_FUNCTION])
		w.function = args->values[CLI_OPTION_FUNCTION];
	status = session_calls(session, w.core, &w.calls);
	if (status != STATUS_OK)
		return cli_fail(status == STATUS_INTERRUPTED ? CLI_INTERRUPTED : CLI_INTERNAL, "%s",
		                status_text(status));
	code = form == FORM_FOLDED ? write_folded(&w) : write_list(&w, form);
	text_fini(&w.out);
	if (code == CLI_FINE && w.not_known > 0)
		cli_note("of %" PRIu64 " more calls it is not known", w.not_known);
	return code == CLI_FINE ? cli_history_exit(session, w.core) : code;
}

enum cli_exit cmd_calls(const struct cli_args *args)
{
	static const char *const forms[] = {"text", "tsv", "json", "folded"};
	enum form form = FORM_TEXT;

	if (args->given[CLI_OPTION_FORMAT]) {
		while (form <= FORM_FOLDED &&
		       !str_eq(args->values[CLI_OPTION_FORMAT], str_of(forms[form])))
			form++;
		if (form > FORM_FOLDED)
			return cli_fail(CLI_USAGE,
			                "unknown format \"%.*s\"; text, tsv, json and folded are "
			                "there",
			                STR_ARG(args->values[CLI_OPTION_FORMAT]));
	}
	return cli_with_session(args, list, &form);
}
