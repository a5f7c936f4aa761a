/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of shell/shell.h: the shell's own commands, and what they share. Each is a
 * console_command.run; the console that it is given is that of a shell.
 */
#ifndef CSREPLAY_SHELL_SHELL_COMMAND_H
#define CSREPLAY_SHELL_SHELL_COMMAND_H

#include "base/file.h"
#include "console/console.h"
#include "shell/shell.h"

/* A breakpoint, or a watchpoint, which has a size. */
struct shell_stop {
	unsigned int number; /* from 1 on */
	bool is_watch;
	uint64_t address;   /* of a breakpoint */
	struct watch watch; /* of a watchpoint */
};

/* A source file that was looked for. */
struct shell_source {
	const char *name;    /* without folder, of a line table */
	struct file_map map; /* its data is NULL if it is not there */
};

struct shell {
	struct console console;  /* the first member: shell_of() */
	struct past_names names; /* of the core */
	struct shell_options options;
	struct shell_stop *stops;
	size_t stop_count;
	size_t stop_capacity;
	unsigned int stop_number; /* of the last one */
	struct shell_source *sources;
	size_t source_count;
	size_t source_capacity;
	/* Where the core was before it moved last: registers that were others there are marked. */
	size_t from_core;
	uint64_t from;
	bool has_moved;
	enum shell_wish wish;
	struct str argument;
};

static inline struct shell *shell_of(struct console *console)
{
	return (struct shell *)console;
}

/* Symbols, lines and a disassembler of the core; without memory for them there is nothing to name.
 */
static inline const struct past_names *shell_names(struct shell *shell)
{
	const struct console *console = &shell->console;

	if (session_past_names(console->session, console->core, &shell->names) != STATUS_OK)
		shell->names = (struct past_names){0};
	return &shell->names;
}

/* Moves (shell_move.c). */
void shell_step(struct console *console, struct str args, struct text *out);
void shell_reverse_step(struct console *console, struct str args, struct text *out);
void shell_continue(struct console *console, struct str args, struct text *out);
void shell_reverse_continue(struct console *console, struct str args, struct text *out);
void shell_core(struct console *console, struct str args, struct text *out);

/* Breakpoints and watchpoints (shell_breaks.c). */
void shell_break(struct console *console, struct str args, struct text *out);
void shell_watch(struct console *console, struct str args, struct text *out);
void shell_rwatch(struct console *console, struct str args, struct text *out);
void shell_awatch(struct console *console, struct str args, struct text *out);
void shell_breakpoints(struct console *console, struct str args, struct text *out);
void shell_delete(struct console *console, struct str args, struct text *out);
/* Appends "breakpoint 2, " of what is at an address. */
void shell_name_stop(const struct shell *shell, uint64_t address, struct text *out);
/* The address of a function or a number. False, and it is said, if it is neither. */
bool shell_find_code(struct shell *shell, struct str word, uint64_t *address, struct text *out);

/* What is there (shell_show.c). */
void shell_registers(struct console *console, struct str args, struct text *out);
void shell_print(struct console *console, struct str args, struct text *out);
void shell_x(struct console *console, struct str args, struct text *out);
void shell_list(struct console *console, struct str args, struct text *out);
void shell_disassemble(struct console *console, struct str args, struct text *out);
/*
 * Reads memory at the position of the core; `known` says of each byte whether it is. True if what
 * is known is in part assumed.
 */
bool shell_read_memory(const struct console *console, uint64_t address, size_t size, uint8_t *bytes,
                       bool *known);
/* Appends a line on where the core is: its name, its position, its instruction. */
void shell_here(struct shell *shell, struct text *out);

/* Variables (shell_locals.c). */
void shell_locals(struct console *console, struct str args, struct text *out);

/* Source code (shell_source.c). */
/* The line that an instruction is of; false if no image says it. */
bool shell_source_line(struct shell *shell, uint64_t pc, struct source_line *line);
/* Appends the line's number and text as a line; nothing if its file is not there. */
void shell_source_text(struct shell *shell, const struct source_line *line, struct text *out);
void shell_close_sources(struct shell *shell);
/* "FILE:LINE"; false if it is not of that form. */
bool shell_is_line(struct str word, struct str *file, int *line);
/*
 * Where code of the line begins, or of the next that has code, which is said: in each function
 * once. *places is to be freed. 0, and it is said, if there is none.
 */
size_t shell_find_line(struct shell *shell, struct str file, int line, uint64_t **places,
                       struct text *out);

/* The tables of commands: the shell's own, and that of the console. */
enum { SHELL_TABLES = 2 };
const struct console_command *shell_table(unsigned int table, size_t *count);
/* The whole name of the command that a word means; the word itself if it means none. */
struct str shell_command_name(struct str word);

#endif
