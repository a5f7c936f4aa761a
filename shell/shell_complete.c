/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that complete a line. What may stand after a command's name is read from its arguments as
 * the tables and `help` have them: kinds of things in capitals, words that are meant as they are.
 */
#include <string.h>

#include "console/console_command.h"
#include "console/marks.h"
#include "console/position.h"
#include "console/threads.h"
#include "shell/shell_command.h"

/* A word that is to be completed. */
struct search {
	struct shell *shell;
	struct str prefix;
	shell_word *visit;
	void *context;
};

static void offer(const struct search *search, struct str word)
{
	if (word.n > 0 && str_has_prefix(word, search->prefix))
		search->visit(search->context, word);
}

static void offer_commands(const struct search *search)
{
	for (unsigned int table = 0; table < SHELL_TABLES; table++) {
		size_t count;
		const struct console_command *commands = shell_table(table, &count);

		for (size_t i = 0; i < count; i++)
			offer(search, str_of(commands[i].name));
	}
}

static void offer_registers(const struct search *search)
{
	const struct console *console = &search->shell->console;
	const struct register_file *file = session_core_registers(console->session, console->core);

	for (unsigned int i = 0; i < file->trace; i++) {
		if (register_file_has(file, i))
			offer(search, str_of(file->table[i].name));
	}
	for (unsigned int i = 0; i < file->system_count; i++)
		offer(search, file->system[i].name);
}

static void offer_marks(const struct search *search)
{
	struct marks marks;

	/* Without a file of them there are none to offer. */
	if (marks_read(search->shell->console.session, &marks) == STATUS_OK) {
		for (size_t i = 0; i < marks.count; i++)
			offer(search, marks.all[i].name);
	}
	marks_fini(&marks);
}

static void offer_positions(const struct search *search)
{
	for (size_t i = 0; position_word(i); i++)
		offer(search, str_of(position_word(i)));
	offer_marks(search);
}

/* Symbols of one kind. */
struct symbol_search {
	const struct search *search;
	bool functions;
};

static void take_symbol(void *context, struct str name, uint64_t address, bool is_function)
{
	const struct symbol_search *symbols = context;

	(void)address;
	if (is_function == symbols->functions)
		offer(symbols->search, name);
}

static void offer_symbols(const struct search *search, bool functions)
{
	struct symbol_search symbols = {search, functions};

	symbols_visit(shell_names(search->shell)->symbols, search->prefix, take_symbol, &symbols);
}

static void offer_functions(const struct search *search)
{
	offer_symbols(search, true);
}

static void offer_variables(const struct search *search)
{
	offer_symbols(search, false);
}

static void offer_cores(const struct search *search)
{
	const struct session *session = search->shell->console.session;
	struct text name = {0};

	for (size_t i = 0; i < threads_count(session); i++) {
		text_clear(&name);
		if (threads_is_listed(session, i))
			threads_name(session, i, &name);
		offer(search, text_str(&name));
	}
	text_fini(&name);
}

static void offer_assumptions(const struct search *search)
{
	for (enum assumption i = 0; i < ASSUMPTIONS; i++)
		offer(search, str_of(assumption_name(i)));
}

/* What words in capitals stand for; of several kinds there is a row each. */
static const struct {
	const char *kind;
	void (*offer)(const struct search *search);
} kinds[] = {
        {"ADDR", offer_variables},     {"ASSUMPTION", offer_assumptions},
        {"COMMAND", offer_commands},   {"CORE", offer_cores},
        {"FUNCTION", offer_functions}, {"MARK", offer_marks},
        {"NAME", offer_registers},     {"NAME", offer_variables},
        {"POSITION", offer_positions}, {"RANGE", offer_positions},
        {"REG", offer_registers},      {"VARIABLE", offer_variables},
};

static bool is_in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* The next word of a command's arguments: letters, and '-' between them. */
static struct str next_word(struct str *arguments)
{
	struct str word = {arguments->p, 0};

	while (arguments->n > 0 && !is_in_word(arguments->p[0]))
		*arguments = str_skip(*arguments, 1);
	word.p = arguments->p;
	while (word.n < arguments->n && is_in_word(word.p[word.n]))
		word.n++;
	*arguments = str_skip(*arguments, word.n);
	return word;
}

static void offer_arguments(const struct search *search, struct str arguments)
{
	while (arguments.n > 0) {
		struct str word = next_word(&arguments);

		if (word.n > 1 && word.p[0] >= 'a' && word.p[0] <= 'z')
			offer(search, word);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			if (str_eq(word, str_of(kinds[i].kind)))
				kinds[i].offer(search);
		}
	}
}

size_t shell_complete(struct shell *shell, struct str line, shell_word *visit, void *context)
{
	size_t start = line.n;
	struct search search = {shell, {0}, visit, context};
	struct str before;
	struct str name;

	while (start > 0 && line.p[start - 1] != ' ')
		start--;
	search.prefix = str_skip(line, start);
	before = str_trim((struct str){line.p, start});
	if (before.n == 0) {
		offer_commands(&search);
		return start;
	}
	name = shell_command_name((struct str){before.p, str_find(before, ' ')});
	for (unsigned int table = 0; table < SHELL_TABLES; table++) {
		size_t count;
		const struct console_command *commands = shell_table(table, &count);

		for (size_t i = 0; i < count; i++) {
			if (str_eq(name, str_of(commands[i].name)))
				offer_arguments(&search, str_of(commands[i].args));
		}
	}
	return start;
}
