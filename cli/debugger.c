/* SPDX-License-Identifier: Apache-2.0 */
/* See debugger.h. */
#include "cli/debugger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "snapshot/line_table/elf_sections.h"

struct debugger {
	const char *name;
	const char *programs[4]; /* the first that is there; ends in NULL */
	const char *variable;    /* of the environment: names another */
	const char *package;     /* what Debian and Ubuntu call the first that suits */
	const char *script;      /* settings and commands */
	bool has_pipe;           /* it can start the server itself */
	/* What comes before the user's arguments. */
	enum status (*add)(struct command_line *line, const struct session *session,
	                   const char *snapshot, struct str script, struct str target);
};

void command_line_fini(struct command_line *line)
{
	for (size_t i = 0; i < line->count; i++)
		free(line->words[i]);
	free((void *)line->words);
	*line = (struct command_line){0};
}

static enum status add_word(struct command_line *line, struct str word)
{
	char *copy;

	/* And for the NULL after it. */
	TRY(vec_reserve((void **)&line->words, &line->capacity, line->count + 2,
	                sizeof(*line->words)));
	copy = strndup(word.n > 0 ? word.p : "", word.n);
	line->words[line->count] = copy;
	if (!copy)
		return STATUS_NO_MEM;
	line->words[++line->count] = NULL;
	return STATUS_OK;
}

static enum status add_option(struct command_line *line, const char *option, struct str value)
{
	TRY(add_word(line, str_of(option)));
	return add_word(line, value);
}

/* The same of a value that was put together; the text is empty afterwards. */
static enum status add_text(struct command_line *line, const char *option, struct text *value)
{
	enum status status = text_status(value);

	if (status == STATUS_OK)
		status = add_option(line, option, text_str(value));
	text_fini(value);
	return status;
}

/* As both debuggers read a word of a command: in double quotes, with backslashes. */
static void add_quoted(struct text *out, struct str word)
{
	text_char(out, '"');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '"' || word.p[i] == '\\')
			text_char(out, '\\');
		text_char(out, word.p[i]);
	}
	text_char(out, '"');
}

/* It lies in a file that a debugger can open: of an archive's members this is not so. */
static bool is_readable(const struct elf_image *image)
{
	return access(image->path.p, R_OK) == 0;
}

static bool is_file(const struct elf_image *image)
{
	return !image->is_object && !image->is_core && is_readable(image);
}

/*
 * The program: the first image, which the debugger moves as the server says (qOffsets). NULL: the
 * debugger asks for it.
 */
static const struct elf_image *find_program(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->image_count; i++) {
		const struct elf_image *image = snapshot->images[i];

		if (!image->is_object)
			return is_file(image) ? image : NULL;
	}
	return NULL;
}

/* Where the sections of an object, such as a kernel module, were placed. */
static void add_sections(struct text *out, const struct elf_image *image)
{
	struct elf_sections *file = elf_sections_open(image->file);

	for (size_t i = 1; file && i < image->section_count; i++) {
		if (image->section_addresses[i] == 0)
			continue;
		text_puts(out, " -s ");
		add_quoted(out, elf_sections_name(file, i));
		text_printf(out, " 0x%" PRIx64, image->section_addresses[i]);
	}
	elf_sections_close(file);
}

static enum status add_object(struct command_line *line, const struct elf_image *image)
{
	struct text value = {0};

	text_puts(&value, "with confirm off -- add-symbol-file ");
	add_quoted(&value, image->path);
	add_sections(&value, image);
	return add_text(line, "-ex", &value);
}

/* Images beside the program have symbols, too. */
static enum status add_gdb_symbols(struct command_line *line, const struct snapshot *snapshot)
{
	bool is_first = true;

	for (size_t i = 0; i < snapshot->image_count; i++) {
		const struct elf_image *image = snapshot->images[i];
		struct text value = {0};

		if (image->is_object && is_readable(image))
			TRY(add_object(line, image));
		if (image->is_object)
			continue;
		/* The first one is the program, or what gdb asks the server for. */
		if (is_first || !is_file(image)) {
			is_first = false;
			continue;
		}
		text_puts(&value, "with confirm off -- add-symbol-file ");
		add_quoted(&value, image->path);
		text_printf(&value, " -o 0x%" PRIx64, image->load_bias);
		TRY(add_text(line, "-ex", &value));
	}
	return STATUS_OK;
}

/* Where gdb looks for sources: the snapshot, what it lies in, and the program's folder. */
static enum status add_gdb_sources(struct command_line *line, const char *snapshot,
                                   const struct elf_image *program)
{
	TRY(add_option(line, "-d", str_folder(str_of(snapshot))));
	TRY(add_option(line, "-d", str_of(snapshot)));
	return program ? add_option(line, "-d", str_folder(program->path)) : STATUS_OK;
}

static enum status add_gdb(struct command_line *line, const struct session *session,
                           const char *snapshot, struct str script, struct str target)
{
	const struct elf_image *program = find_program(session_snapshot(session));
	struct text value = {0};

	TRY(add_word(line, STR("-q")));
	/* The program is the one that is served: gdb need not read it again to see that. */
	TRY(add_option(line, "-iex", STR("set exec-file-mismatch off")));
	TRY(add_gdb_sources(line, snapshot, program));
	if (program)
		TRY(add_word(line, program->path));
	TRY(add_option(line, "-x", script));
	TRY(add_gdb_symbols(line, session_snapshot(session)));
	text_puts(&value, "target remote ");
	text_add(&value, target);
	return add_text(line, "-ex", &value);
}

static enum status add_lldb(struct command_line *line, const struct session *session,
                            const char *snapshot, struct str script, struct str target)
{
	const struct elf_image *program = find_program(session_snapshot(session));
	struct text value = {0};

	(void)snapshot;
	TRY(add_word(line, STR("-Q")));
	TRY(add_option(line, "-S", script));
	if (program) {
		TRY(add_option(line, "-f", program->path));
		/* Names of sources are often relative to the folder of the build. */
		text_puts(&value, "settings append target.source-map . ");
		add_quoted(&value, str_folder(program->path));
		TRY(add_text(line, "-o", &value));
	}
	text_puts(&value, "process connect --plugin gdb-remote unix-connect://");
	text_add(&value, target);
	return add_text(line, "-o", &value);
}

const struct debugger debugger_gdb = {
        "gdb", {"gdb-multiarch", "gdb"}, "CSREPLAY_GDB", "gdb-multiarch", "gdbinit", true, add_gdb};
const struct debugger debugger_lldb = {
        "lldb", {"lldb", "lldb-22"}, "CSREPLAY_LLDB", "lldb", "lldbinit", false, add_lldb};

/* The program is there: a path, or a name in a folder of PATH. */
static bool is_there(const char *program)
{
	struct str rest = str_of(getenv("PATH"));
	bool found = false;

	if (strchr(program, '/'))
		return access(program, X_OK) == 0;
	while (!found && rest.p) {
		struct str folder = str_next_part(&rest, ':');
		struct text path = {0};

		text_add(&path, folder.n > 0 ? folder : STR("."));
		text_printf(&path, "/%s", program);
		found = text_status(&path) == STATUS_OK && access(path.data, X_OK) == 0;
		text_fini(&path);
	}
	return found;
}

/* NULL if none is there. */
static const char *find_debugger(const struct debugger *debugger)
{
	const char *named = getenv(debugger->variable);

	if (named && named[0] != '\0')
		return is_there(named) ? named : NULL;
	for (size_t i = 0; debugger->programs[i]; i++) {
		if (is_there(debugger->programs[i]))
			return debugger->programs[i];
	}
	return NULL;
}

enum cli_exit debugger_check(const struct debugger *debugger)
{
	const char *named = getenv(debugger->variable);

	if (find_debugger(debugger))
		return CLI_FINE;
	if (named && named[0] != '\0')
		return cli_fail(CLI_INPUT, "%s is \"%s\", which is no program that can be run",
		                debugger->variable, named);
	return cli_fail(CLI_INPUT,
	                "neither %s nor %s is there: install the package %s (Debian, Ubuntu: `apt "
	                "install %s`), or name one in %s",
	                debugger->programs[0], debugger->programs[1], debugger->package,
	                debugger->package, debugger->variable);
}

/* Where csreplay itself lies, without its name; empty if that cannot be told. */
static void add_own_folder(struct text *out)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path));

	if (length > 0 && (size_t)length < sizeof(path)) {
		path[length] = '\0';
		text_add(out, str_folder(str_of(path)));
	}
}

/* The script beside what is installed, in the source tree, or where it is to be installed. */
static bool find_script(const char *name, struct text *path)
{
	for (int i = 0; i < 3; i++) {
		text_clear(path);
		if (i == 0) {
			add_own_folder(path);
			text_printf(path, "/../share/csreplay/%s", name);
		} else {
			text_printf(path, "%s/%s", i == 1 ? CSREPLAY_SOURCE : CSREPLAY_DATA, name);
		}
		if (text_status(path) == STATUS_OK && access(path->data, R_OK) == 0)
			return true;
	}
	return false;
}

enum cli_exit debugger_command(const struct debugger *debugger, const struct cli_args *args,
                               const struct session *session, struct str target,
                               struct command_line *line)
{
	const char *program = find_debugger(debugger);
	struct text script = {0};
	enum status status;

	*line = (struct command_line){0};
	if (!find_script(debugger->script, &script)) {
		text_fini(&script);
		return cli_fail(CLI_INPUT, "%s is not there; it is installed in %s",
		                debugger->script, CSREPLAY_DATA);
	}
	status = add_word(line, str_of(program ? program : debugger->programs[0]));
	if (status == STATUS_OK)
		status = debugger->add(line, session, args->snapshot, text_str(&script), target);
	for (char **word = args->rest; status == STATUS_OK && word && *word; word++)
		status = add_word(line, str_of(*word));
	text_fini(&script);
	return status == STATUS_OK ? CLI_FINE : cli_fail(CLI_INTERNAL, "%s", status_text(status));
}

/* A word as a shell reads it. */
static void add_shell_word(struct text *out, const char *word)
{
	if (word[0] != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                                    "0123456789_@%+=:,./-") == strlen(word)) {
		text_puts(out, word);
		return;
	}
	text_char(out, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			text_puts(out, "'\\''");
		else
			text_char(out, *word);
	}
	text_char(out, '\'');
}

/* `csreplay serve` with the options that the user gave; ELF is one more --image. */
static void add_serve(struct text *out, const struct cli_args *args, const char *listen)
{
	struct text own = {0};

	add_own_folder(&own);
	text_puts(&own, "/csreplay");
	add_shell_word(out, own.data ? own.data : "csreplay");
	text_fini(&own);
	text_printf(out, " serve --listen %s", listen);
	for (char **word = args->argv + 1; *word && word + 1 != args->rest; word++) {
		if (strcmp(*word, "--print") == 0)
			continue;
		text_puts(out, *word == args->second ? " --image " : " ");
		add_shell_word(out, *word);
	}
}

enum cli_exit debugger_print(const struct debugger *debugger, const struct cli_args *args,
                             const struct session *session)
{
	const char *where = "unix:/tmp/csreplay.sock";
	struct text target = {0};
	struct text out = {0};
	struct command_line line;
	enum cli_exit code;

	if (debugger->has_pipe) {
		text_puts(&target, "| ");
		add_serve(&target, args, "stdio");
	} else {
		add_serve(&out, args, where);
		text_puts(&out, " --once &\n");
		text_puts(&target, where + strlen("unix:"));
	}
	code = debugger_command(debugger, args, session, text_str(&target), &line);
	for (size_t i = 0; i < line.count; i++) {
		text_puts(&out, i > 0 ? " " : "");
		add_shell_word(&out, line.words[i]);
	}
	text_char(&out, '\n');
	if (code == CLI_FINE)
		code = cli_flush(&out);
	command_line_fini(&line);
	text_fini(&target);
	text_fini(&out);
	return code;
}
