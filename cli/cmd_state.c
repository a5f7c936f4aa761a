/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay state --batch [FILE]`: values of the past, many at once. Lines of FILE or of standard
 * input are POSITION<TAB>NAME, NAME a register, or `m` and an address in hexadecimal for the 8
 * bytes there. Each is answered with POSITION<TAB>NAME<TAB>VALUE in hexadecimal (memory as a
 * little-endian number), or `-` (--unknown) for what is not known; a fourth column says `assumed`
 * of what rests on assumptions about the code and is not proved. Negative positions count back:
 * -1 is N. Of a position that the history does not have nothing is known. A line that asks nothing
 * is not answered; it is reported, and the exit status says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "cli/cli.h"

enum { LINE_MOST = 256, FLUSH_AT = 1 << 16, REPORTS_MOST = 10 };

struct batch {
	const struct session *session;
	const struct history *history;
	size_t core;
	const struct register_file *file;
	struct str unknown;
	struct text out;
	uint64_t line;
	uint64_t bad;     /* lines that ask nothing */
	uint64_t outside; /* questions about positions that there are not */
};

/* What a line asks. */
struct question {
	uint64_t position;
	bool is_outside;
	bool is_memory;
	uint64_t address;
	unsigned int number; /* of a register */
	unsigned int size;   /* bytes of it that are asked for; 0: all */
};

/* "-1" is N. False if it is no number. */
static bool parse_position(struct str s, uint64_t last, struct question *q)
{
	bool is_negative = s.n > 0 && s.p[0] == '-';
	enum status status = str_to_u64(is_negative ? str_skip(s, 1) : s, &q->position);

	if (is_negative)
		q->position =
		        last + 1 - q->position; /* 0 and what is too large end up after `last` */
	q->is_outside = status == STATUS_TRUNCATED || q->position > last;
	return status == STATUS_OK || status == STATUS_TRUNCATED;
}

static bool find_register(const struct register_file *file, struct str name, unsigned int *number)
{
	for (*number = 0; *number < file->trace; ++*number) {
		const struct register_info *info = &file->table[*number];
		struct str names = str_of(info->snapshot_names);

		if (str_eq_nocase(name, str_of(info->name)))
			return true;
		while (names.n > 0) {
			if (str_eq_nocase(name, str_next_part(&names, '|')))
				return true;
		}
	}
	return false;
}

/* W0 to W30 are the low halves of X0 to X30. */
static bool find_half(const struct register_file *file, struct str name, unsigned int *number)
{
	uint64_t n;

	if (file->arch != CORE_A64 || name.n < 2 || (name.p[0] | 0x20) != 'w' ||
	    str_to_u64(str_skip(name, 1), &n) != STATUS_OK || n > 30)
		return false;
	*number = A64_x0 + (unsigned int)n;
	return true;
}

static bool parse_question(const struct batch *b, struct str position, struct str name,
                           struct question *q)
{
	struct str address = name.n > 0 ? str_skip(name, 1) : name;

	*q = (struct question){.position = 0};
	if (!parse_position(position, history_length(b->history), q))
		return false;
	if (find_register(b->file, name, &q->number))
		return true;
	if (find_half(b->file, name, &q->number)) {
		q->size = 4;
		return true;
	}
	if (register_system_find(b->file, name, &q->number))
		return true;
	if (str_has_prefix(address, STR("0x")))
		address = str_skip(address, 2);
	q->is_memory =
	        name.n > 1 && name.p[0] == 'm' && str_hex_to_u64(address, &q->address) == STATUS_OK;
	return q->is_memory;
}

#define ASSUMED "\tassumed"

static void answer_register(struct batch *b, const struct question *q)
{
	struct value value;

	session_register_at(b->session, b->core, q->position, q->number, &value);
	if (q->size != 0)
		value.size = (uint8_t)q->size;
	if (!value_is_known(&value)) {
		text_add(&b->out, b->unknown);
		return;
	}
	cli_put_number(&b->out, value.bits, value.size);
	if (value.is_assumed)
		text_puts(&b->out, ASSUMED);
}

static void answer_memory(struct batch *b, const struct question *q)
{
	uint8_t bytes[8];

	if (session_memory_at(b->session, b->core, q->position, q->address, bytes, sizeof(bytes)) !=
	    sizeof(bytes)) {
		text_add(&b->out, b->unknown);
		return;
	}
	cli_put_number(&b->out, bytes, sizeof(bytes));
	if (session_memory_is_assumed(b->session, b->core, q->position, q->address, sizeof(bytes)))
		text_puts(&b->out, ASSUMED);
}

static enum cli_exit answer(struct batch *b, struct str line)
{
	struct str rest = line;
	struct str position = str_next_part(&rest, '\t');
	struct str name = str_next_part(&rest, '\t');
	struct question q;

	if (!parse_question(b, position, name, &q)) {
		if (b->bad++ < REPORTS_MOST)
			cli_note("line %llu asks nothing: \"%.*s\"", (unsigned long long)b->line,
			         STR_ARG(line));
		return CLI_FINE;
	}
	text_add(&b->out, position);
	text_char(&b->out, '\t');
	text_add(&b->out, name);
	text_char(&b->out, '\t');
	b->outside += q.is_outside;
	if (q.is_outside)
		text_add(&b->out, b->unknown);
	else if (q.is_memory)
		answer_memory(b, &q);
	else
		answer_register(b, &q);
	text_char(&b->out, '\n');
	return b->out.length >= FLUSH_AT ? cli_flush(&b->out) : CLI_FINE;
}

static enum cli_exit answer_all(struct batch *b, FILE *in)
{
	char line[LINE_MOST];
	enum cli_exit code = CLI_FINE;

	while (code == CLI_FINE && fgets(line, sizeof(line), in)) {
		struct str s = str_trim(str_of(line));
		bool is_whole = strchr(line, '\n') || feof(in);

		b->line++;
		if (!is_whole)
			code = cli_fail(CLI_INPUT, "line %llu is too long",
			                (unsigned long long)b->line);
		else if (s.n > 0 && s.p[0] != '#')
			code = answer(b, s);
	}
	if (code == CLI_FINE && ferror(in))
		code = cli_fail(CLI_INPUT, "the questions cannot be read: %s", strerror(errno));
	if (code == CLI_FINE)
		code = cli_flush(&b->out);
	if (code == CLI_FINE && b->outside > 0)
		cli_note("%llu questions are about positions that the history does not have",
		         (unsigned long long)b->outside);
	if (code == CLI_FINE && b->bad > 0)
		code = cli_fail(CLI_INPUT, "%llu lines ask nothing", (unsigned long long)b->bad);
	return code;
}

static enum cli_exit run(const struct cli_args *args, const struct session *session, FILE *in)
{
	struct batch b = {.session = session, .unknown = STR("-")};
	enum cli_exit code = cli_choose_core(args, session, &b.core);

	if (code != CLI_FINE)
		return code;
	if (args->given[CLI_OPTION_UNKNOWN])
		b.unknown = args->values[CLI_OPTION_UNKNOWN];
	b.history = session_history(session, b.core);
	b.file = session_core_registers(session, b.core);
	code = answer_all(&b, in);
	cli_note_trouble(session, b.core);
	if (code == CLI_FINE)
		code = cli_history_exit(session, b.core);
	text_fini(&b.out);
	return code;
}

static enum cli_exit open_and_run(const struct cli_args *args, struct session *session,
                                  void *context)
{
	struct str name = args->values[CLI_OPTION_BATCH];
	FILE *in = name.n > 0 ? fopen(name.p, "r") : stdin;
	enum cli_exit code;

	(void)context;
	if (!in)
		return cli_fail(CLI_INPUT, "%s: %s", name.p, strerror(errno));
	code = run(args, session, in);
	if (in != stdin)
		(void)fclose(in);
	return code;
}

enum cli_exit cmd_state(const struct cli_args *args)
{
	if (!args->given[CLI_OPTION_BATCH])
		return cli_fail(CLI_USAGE, "state needs --batch");
	return cli_with_session(args, open_and_run, NULL);
}
