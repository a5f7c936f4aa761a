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
#include "replay/values.h"

enum { LINE_MOST = 256, FLUSH_AT = 1 << 16 };

struct batch {
	const struct session *session;
	const struct history *history;
	struct values *values;
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
	uint64_t pc;

	values_register(b->values, position, number, &value);
	if (number == REGISTER_PC && history_pc(b->history, position, &pc) == STATUS_OK)
		value = value_of_u64(pc, value.size);
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

	if (values_memory(b->values, position, address, bytes, sizeof(bytes)) != sizeof(bytes)) {
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
	struct text trouble = {0};
	struct values_options options;
	size_t core = 0;
	enum cli_exit code = cli_choose_core(args, session, &core);

	if (code != CLI_FINE)
		return code;
	options = values_options_of(session_core_count(session));
	options.single_writer |= args->given[CLI_OPTION_SINGLE_WRITER];
	b.history = session_history(session, core);
	b.file = register_file_of(session_core(session, core)->arch);
	b.values = values_create(b.history, &options);
	if (!b.values)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	code = answer_all(&b, in);
	values_trouble(b.values, &trouble);
	if (trouble.length > 0)
		cli_note("%s", trouble.data);
	text_fini(&trouble);
	text_fini(&b.out);
	values_destroy(b.values);
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
