/* SPDX-License-Identifier: Apache-2.0 */
/* See completion.h. */
#include "cli/completion/completion.h"

#include <string.h>

static const struct {
	const char *command; /* NULL: all */
	const char *option;
	const char *words; /* a space between */
} rows[] = {
#define X(command, option, words) {command, option, words},
#include "cli/completion/words.def"
#undef X
};

static const char ignore_words[] = ""
#define X(id, name, what) name " "
#include "replay/compare/compare.def"
#undef X
        ;

enum kind {
	KIND_FLAG,
	KIND_WORDS,
	KIND_LIST, /* words with commas between */
	KIND_FILE,
	KIND_FOLDER,
	KIND_FREE, /* a number, a name: nothing to offer */
};

/* What is written, and where. */
struct script {
	const struct completion_tables *tables;
	struct text *out;
};

static bool is_list(const struct completion_option *option)
{
	return strcmp(option->name, "ignore") == 0;
}

/* The words that the value can be, or NULL. */
static const char *words_of(const struct completion_command *command,
                            const struct completion_option *option)
{
	if (is_list(option))
		return ignore_words;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].option, option->name) == 0 &&
		    (!rows[i].command || strcmp(rows[i].command, command->name) == 0))
			return rows[i].words;
	}
	return NULL;
}

static enum kind kind_of(const struct completion_command *command,
                         const struct completion_option *option)
{
	const char *value = option->value;

	if (!value)
		return KIND_FLAG;
	if (words_of(command, option))
		return is_list(option) ? KIND_LIST : KIND_WORDS;
	if (value[0] == '[')
		value++;
	if (strncmp(value, "ELF", 3) == 0 || strncmp(value, "FILE", 4) == 0)
		return KIND_FILE;
	return strncmp(value, "DIR", 3) == 0 ? KIND_FOLDER : KIND_FREE;
}

typedef void write_option(const struct script *s, const struct completion_command *command,
                          const struct completion_option *option);

/* Each option that the command takes, in the order of the table. */
static void each_option(const struct script *s, const struct completion_command *command,
                        write_option *write)
{
	for (size_t i = 0; i < s->tables->option_count; i++) {
		if (command->options & UINT64_C(1) << i)
			write(s, command, &s->tables->options[i]);
	}
}

/* Text in single quotes of a shell; a `special` character within gets a backslash. */
static void put_escaped(const struct script *s, const char *text, const char *special,
                        const char *quote)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			text_puts(s->out, quote);
			continue;
		}
		if (strchr(special, *text))
			text_char(s->out, '\\');
		text_char(s->out, *text);
	}
}

static void put_names(const struct script *s)
{
	for (size_t i = 0; i < s->tables->command_count; i++)
		text_printf(s->out, "%s%s", i > 0 ? " " : "", s->tables->commands[i].name);
}

/* ---- bash ---- */

static const char bash_start[] =
        "# csreplay's commands and options for bash; `csreplay --completion bash` prints this.\n"
        "# shellcheck shell=bash\n"
        "_csreplay()\n"
        "{\n"
        "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "\tlocal command=${COMP_WORDS[1]} options='' words='' before='' i\n"
        "\n"
        "\tCOMPREPLY=()\n"
        "\t# --option=value is three words.\n"
        "\tif [ \"$current\" = = ]; then\n"
        "\t\tcurrent=''\n"
        "\telif [ \"$previous\" = = ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
        "\t\tprevious=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "\tfi\n";

/* What comes after the tables: which of them are for this word. */
static const char bash_end[] =
        "\tif [ -z \"$words\" ]; then\n"
        "\t\t# Files, unless it is an option.\n"
        "\t\t[[ $current == -* ]] || return 0\n"
        "\t\twords=$options\n"
        "\tfi\n"
        "\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- \"$current\")\n"
        "}\n"
        "complete -o default -F _csreplay csreplay\n";

static void put_option_name(const struct script *s, const struct completion_command *command,
                            const struct completion_option *option)
{
	(void)command;
	text_printf(s->out, "--%s ", option->name);
}

static void bash_commands(const struct script *s)
{
	text_puts(
	        s->out,
	        "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tmapfile -t COMPREPLY < <(compgen -W '");
	put_names(s);
	text_puts(s->out, " help --help --version' -- \"$current\")\n\t\treturn 0\n\tfi\n");
	text_puts(s->out, "\t# What comes after -- is the debugger's.\n"
	                  "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	                  "\t\t[ \"${COMP_WORDS[i]}\" != -- ] || return 0\n"
	                  "\tdone\n"
	                  "\tcase $command in\n");
	for (size_t i = 0; i < s->tables->command_count; i++) {
		text_printf(s->out, "\t%s) options='", s->tables->commands[i].name);
		each_option(s, &s->tables->commands[i], put_option_name);
		text_puts(s->out, "' ;;\n");
	}
	text_puts(s->out, "\thelp) words='");
	put_names(s);
	text_puts(s->out, "' ;;\n\t--version) words=-v ;;\n\tesac\n");
}

static void bash_value(const struct script *s, const struct completion_command *command,
                       const struct completion_option *option)
{
	switch (kind_of(command, option)) {
	case KIND_FLAG:
		break;
	case KIND_WORDS:
		text_printf(s->out, "\t%s--%s) words='%s' ;;\n", command->name, option->name,
		            words_of(command, option));
		break;
	case KIND_LIST:
		text_printf(s->out,
		            "\t%s--%s)\n\t\twords='%s'\n"
		            "\t\tif [[ $current == *,* ]]; then\n"
		            "\t\t\tbefore=${current%%,*},\n"
		            "\t\t\tcurrent=${current##*,}\n"
		            "\t\tfi\n\t\t;;\n",
		            command->name, option->name, words_of(command, option));
		break;
	case KIND_FILE:
		text_printf(s->out, "\t%s--%s) return 0 ;;\n", command->name, option->name);
		break;
	case KIND_FOLDER:
		text_printf(s->out,
		            "\t%s--%s)\n\t\tcompopt -o filenames 2>/dev/null\n"
		            "\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
		            "\t\treturn 0\n\t\t;;\n",
		            command->name, option->name);
		break;
	case KIND_FREE:
		text_printf(s->out,
		            "\t%s--%s)\n\t\tcompopt +o default 2>/dev/null\n\t\treturn 0\n\t\t;;\n",
		            command->name, option->name);
		break;
	}
}

static void write_bash(const struct script *s)
{
	text_puts(s->out, bash_start);
	bash_commands(s);
	text_puts(s->out, "\tcase $command$previous in\n");
	for (size_t i = 0; i < s->tables->command_count; i++)
		each_option(s, &s->tables->commands[i], bash_value);
	text_puts(s->out, "\tesac\n");
	text_puts(s->out, bash_end);
}

/* ---- zsh ---- */

static void zsh_value(const struct script *s, const struct completion_command *command,
                      const struct completion_option *option)
{
	const char *value = option->value;
	enum kind kind = kind_of(command, option);

	/* Of a flag there is no text. */
	if (kind == KIND_FLAG || !value)
		return;
	text_puts(s->out, value[0] == '[' ? "::" : ":");
	put_escaped(s, value, "[]:\\", "'\\''");
	text_char(s->out, ':');
	if (kind == KIND_WORDS)
		text_printf(s->out, "(%s)", words_of(command, option));
	else if (kind == KIND_LIST)
		text_printf(s->out, "_values -s , aspect %s", words_of(command, option));
	else if (kind == KIND_FILE)
		text_puts(s->out, "_files");
	else if (kind == KIND_FOLDER)
		text_puts(s->out, "_files -/");
}

static void zsh_option(const struct script *s, const struct completion_command *command,
                       const struct completion_option *option)
{
	text_printf(s->out, "\t\t\t'%s--%s%s[", option->repeats ? "*" : "", option->name,
	            option->value ? "=" : "");
	put_escaped(s, option->help, "[]:\\", "'\\''");
	text_char(s->out, ']');
	zsh_value(s, command, option);
	text_puts(s->out, "' \\\n");
}

static void zsh_command(const struct script *s, const struct completion_command *command)
{
	text_printf(s->out, "\t%s)\n\t\t_arguments \\\n", command->name);
	each_option(s, command, zsh_option);
	text_puts(s->out, "\t\t\t'*:SNAPSHOT:_files'\n\t\t;;\n");
}

static void write_zsh(const struct script *s)
{
	text_puts(s->out,
	          "#compdef csreplay\n"
	          "# csreplay's commands and options for zsh; `csreplay --completion zsh` prints "
	          "this.\n"
	          "_csreplay() {\n"
	          "\tlocal -a commands\n"
	          "\tlocal command=$words[2]\n"
	          "\tcommands=(\n");
	for (size_t i = 0; i < s->tables->command_count; i++) {
		text_printf(s->out, "\t\t'%s:", s->tables->commands[i].name);
		put_escaped(s, s->tables->commands[i].summary, ":\\", "'\\''");
		text_puts(s->out, "'\n");
	}
	text_puts(s->out, "\t)\n"
	                  "\tif (( CURRENT == 2 )) || [[ $command == help ]]; then\n"
	                  "\t\t_describe -t commands command commands\n"
	                  "\t\t(( CURRENT > 2 )) || compadd - help --help --version\n"
	                  "\t\treturn\n"
	                  "\tfi\n"
	                  "\tshift words\n"
	                  "\t(( CURRENT-- ))\n"
	                  "\tcase $command in\n");
	for (size_t i = 0; i < s->tables->command_count; i++)
		zsh_command(s, &s->tables->commands[i]);
	text_puts(s->out, "\tesac\n}\n_csreplay \"$@\"\n");
}

/* ---- fish ---- */

static void fish_start(const struct script *s, const char *command)
{
	text_printf(s->out, "complete -c csreplay -n '__fish_seen_subcommand_from %s' ", command);
}

static void fish_option(const struct script *s, const struct completion_command *command,
                        const struct completion_option *option)
{
	enum kind kind = kind_of(command, option);
	const char *words = words_of(command, option);

	fish_start(s, command->name);
	text_printf(s->out, "-l %s", option->name);
	if (kind == KIND_WORDS || kind == KIND_LIST)
		text_printf(s->out, " -x -a '%s'", words);
	else if (kind == KIND_FILE && option->value && option->value[0] != '[')
		text_puts(s->out, " -r -F");
	else if (kind == KIND_FOLDER)
		text_puts(s->out, " -x -a '(__fish_complete_directories)'");
	else if (kind == KIND_FREE)
		text_puts(s->out, " -x");
	text_puts(s->out, " -d '");
	put_escaped(s, option->help, "\\", "\\'");
	text_puts(s->out, "'\n");
}

static void write_fish(const struct script *s)
{
	text_puts(
	        s->out,
	        "# csreplay's commands and options for fish; `csreplay --completion fish` prints "
	        "this.\n"
	        "complete -c csreplay -n __fish_use_subcommand -f -l help -d 'show the commands'\n"
	        "complete -c csreplay -n __fish_use_subcommand -f -l version -d 'name the "
	        "version'\n"
	        "complete -c csreplay -n __fish_use_subcommand -f -a help -d 'explain a "
	        "command'\n");
	fish_start(s, "help");
	text_puts(s->out, "-f -a '");
	put_names(s);
	text_puts(s->out, "'\n");
	for (size_t i = 0; i < s->tables->command_count; i++) {
		text_printf(s->out, "complete -c csreplay -n __fish_use_subcommand -f -a %s -d '",
		            s->tables->commands[i].name);
		put_escaped(s, s->tables->commands[i].summary, "\\", "\\'");
		text_puts(s->out, "'\n");
		each_option(s, &s->tables->commands[i], fish_option);
	}
}

enum status completion_write(const char *shell, const struct completion_tables *tables,
                             struct text *out)
{
	static const struct {
		const char *shell;
		void (*write)(const struct script *s);
	} writers[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
	const struct script script = {tables, out};

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		if (strcmp(writers[i].shell, shell) == 0) {
			writers[i].write(&script);
			return STATUS_OK;
		}
	}
	return STATUS_UNSUPPORTED;
}
