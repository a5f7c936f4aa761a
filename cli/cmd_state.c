/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay state --batch [FILE]`: values of the past, many at once. Lines of FILE or of standard
 * input are POSITION<TAB>NAME, NAME a register, or `m` and an address in hexadecimal for the 8
 * bytes there. Each is answered with POSITION<TAB>NAME<TAB>VALUE in hexadecimal (memory as a
 * little-endian number), or `-` for what is not proved. Negative positions count back from N.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "replay/register.h"

enum { LINE_MOST = 256, FLUSH_AT = 1 << 16 };

struct batch {
	const struct session *session;
	const struct history *history;
	size_t core;
	struct register_file file;
	struct text out;
	uint64_t line;
};

/* "-1" is N. A number behind N is none. */
static bool parse_position(struct str s, uint64_t last, uint64_t *position)
{
	bool is_negative = s.n > 0 && s.p[0] == '-';
	uint64_t n;

	if (str_to_u64(is_negative ? str_skip(s, 1) : s, &n) != STATUS_OK)
		return false;
	if (n > last + (is_negative ? 1 : 0) || (is_negative && n == 0))
		return false;
	*position = is_negative ? last + 1 - n : n;
	return true;
}

static bool find_register(const struct register_file *file, struct str name, unsigned int *number)
{
	if (str_eq_nocase(name, STR("lr")) && file->arch == CORE_A64)
		name = STR("x30");
	for (*number = 0; *number < file->trace; ++*number) {
		if (str_eq_nocase(name, str_of(file->table[*number].name)))
			return true;
	}
	return false;
}

static void answer_register(struct batch *b, uint64_t position, unsigned int number)
{
	struct value value;

	session_register_at(b->session, b->core, position, number, &value);
	if (!value_is_known(&value)) {
		text_char(&b->out, '-');
		return;
	}
	for (unsigned int i = value.size; i-- > 0;)
		text_hex(&b->out, value.bits[i], 2);
}

static void answer_memory(struct batch *b, uint64_t position, uint64_t address)
{
	uint8_t bytes[8];

	if (session_memory_at(b->session, b->core, position, address, bytes, sizeof(bytes)) !=
	    sizeof(bytes)) {
		text_char(&b->out, '-');
		return;
	}
	for (unsigned int i = sizeof(bytes); i-- > 0;)
		text_hex(&b->out, bytes[i], 2);
}

static enum cli_exit answer(struct batch *b, struct str line)
{
	struct str rest = line;
	struct str position = str_next_part(&rest, '\t');
	struct str name = str_next_part(&rest, '\t');
	unsigned int number;
	uint64_t address;
	uint64_t at;

	if (!parse_position(position, history_length(b->history), &at))
		return cli_fail(CLI_INPUT, "line %llu: \"%.*s\" is no position of the history",
		                (unsigned long long)b->line, STR_ARG(position));
	text_add(&b->out, position);
	text_char(&b->out, '\t');
	text_add(&b->out, name);
	text_char(&b->out, '\t');
	if (find_register(&b->file, name, &number))
		answer_register(b, at, number);
	else if (name.n > 1 && name.p[0] == 'm' &&
	         str_hex_to_u64(str_skip(name, 1), &address) == STATUS_OK)
		answer_memory(b, at, address);
	else
		return cli_fail(CLI_INPUT, "line %llu: \"%.*s\" is no register and no memory",
		                (unsigned long long)b->line, STR_ARG(name));
	text_char(&b->out, '\n');
	return b->out.length >= FLUSH_AT ? cli_flush(&b->out) : CLI_FINE;
}

static enum cli_exit answer_all(struct batch *b, FILE *in)
{
	char line[LINE_MOST];
	enum cli_exit code = CLI_FINE;

	while (code == CLI_FINE && fgets(line, sizeof(line), in)) {
		struct str s = str_trim(str_of(line));

		b->line++;
		if (s.n == sizeof(line) - 1)
			code = cli_fail(CLI_INPUT, "line %llu is too long",
			                (unsigned long long)b->line);
		else if (s.n > 0 && s.p[0] != '#')
			code = answer(b, s);
	}
	if (code == CLI_FINE && ferror(in))
		code = cli_fail(CLI_INPUT, "the questions cannot be read: %s", strerror(errno));
	if (code == CLI_FINE)
		code = cli_flush(&b->out);
	return code;
}

static enum cli_exit run(const struct cli_args *args, const struct session *session, FILE *in)
{
	struct batch b = {.session = session};
	enum cli_exit code = cli_choose_core(args, session, &b.core);

	if (code != CLI_FINE)
		return code;
	b.history = session_history(session, b.core);
	b.file = register_file_of(session_core(session, b.core)->arch);
	code = answer_all(&b, in);
	cli_note_trouble(session, b.core);
	text_fini(&b.out);
	return code;
}

enum cli_exit cmd_state(const struct cli_args *args)
{
	struct str name = args->values[CLI_OPTION_BATCH];
	struct snapshot *snapshot = NULL;
	struct session *session = NULL;
	FILE *in = stdin;
	enum cli_exit code;

	if (!args->given[CLI_OPTION_BATCH])
		return cli_fail(CLI_USAGE, "state needs --batch");
	code = cli_open_snapshot(args, &snapshot);
	if (code == CLI_FINE)
		code = cli_open_session(args, snapshot, &session);
	if (code == CLI_FINE && name.n > 0)
		in = fopen(name.p, "r");
	if (code == CLI_FINE && !in)
		code = cli_fail(CLI_INPUT, "%s: %s", name.p, strerror(errno));
	if (code == CLI_FINE)
		code = run(args, session, in);
	if (in && in != stdin)
		(void)fclose(in);
	session_destroy(session);
	snapshot_destroy(snapshot);
	return code;
}
