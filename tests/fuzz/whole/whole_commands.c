/* SPDX-License-Identifier: Apache-2.0 */
/* The program's command lines in this process; see whole_commands.h. */
#include "whole_commands.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/cli.h"
#include "fuzz.h"
#include "whole_packets.h"

enum { WORDS_MOST = 12, PATH_MOST = 512, SENT_MOST = 8192 };

/* main() of the program, and what it begins and ends with: here streams stay open. */
int whole_main(int argc, char **argv);
void whole_begin(void);
enum cli_exit whole_end(enum cli_exit code);

void whole_begin(void)
{
}

enum cli_exit whole_end(enum cli_exit code)
{
	(void)fflush(stdout);
	return code;
}

static const char questions_text[] =
        "-1\tPC\n-1\tX0\n-2\tX0\n-2\tSP\n-100\tX1\n-100\tm401648\n5\tX0\n5\tLR\n-2\tm5500800c80\n";
static char questions[PATH_MOST];
static char marks[PATH_MOST]; /* the folder of the server's marks, which it leaves empty */
static FILE *nobody;          /* reads what commands say on stderr */

/* Words of a command line; NULL ends one. The snapshot comes after them. */
static const char another[] = "SNAPSHOT"; /* stands for the snapshot's path */
static const char *const commands[][WORDS_MOST] = {
        {"info"},
        {"info", "--format", "json"},
        {"check"},
        {"check", "--format", "json"},
        {"decode"},
        {"decode", "--format", "json"},
        {"history", "--count", "50", "--registers"},
        {"history", "--from", "100", "--format", "json"},
        {"export", "--count", "200"},
        {"calls"},
        {"state", "--batch", questions},
        {"why", "--of", "x0"},
        {"why", "--of", "x0", "--format", "json", "--trust", "assumed"},
        {"origin", "--of", "x0"},
        {"last-write", "--of", "sp"},
        {"writes", "--of", "x0"},
        {"reads", "--of", "x0"},
        {"values-of", "--of", "x0"},
        {"shell", "--command", "info; back 10; registers; stack; crash; threads; gaps"},
        {"compare", "--registers", "--memory", "--max", "20", another},
        {"history", "--format", "tarmac", "--count", "50"},
        {"decode", "--packets"},
        {"serve", "--listen", "stdio"},
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

size_t whole_commands(void)
{
	return COMMANDS;
}

bool whole_is_server(size_t number)
{
	return strcmp(commands[number][0], "serve") == 0;
}

void whole_prepare(const char *scratch)
{
	int in = memfd_create("stdin", 0);
	FILE *out;

	FUZZ_CHECK(snprintf(questions, sizeof(questions), "%s/questions", scratch) < PATH_MOST);
	FUZZ_CHECK(snprintf(marks, sizeof(marks), "%s/csreplay", scratch) < PATH_MOST);
	out = fopen(questions, "w");
	FUZZ_CHECK(out);
	(void)fputs(questions_text, out);
	FUZZ_CHECK(fclose(out) == 0);
	FUZZ_CHECK(in >= 0 && dup2(in, STDIN_FILENO) == STDIN_FILENO && close(in) == 0);
	nobody = fopen("/dev/null", "w");
	FUZZ_CHECK(nobody && freopen("/dev/null", "w", stdout));
	/* Marks of the user are no part of it. */
	FUZZ_CHECK(setenv("XDG_STATE_HOME", scratch, 1) == 0);
}

void whole_clean(void)
{
	(void)unlink(questions);
	(void)rmdir(marks);
}

/* What a debugger sends, framed. */
static void write_stdin(struct bytes *changes)
{
	char sent[SENT_MOST];
	size_t size = whole_packets(sent, sizeof(sent), changes);

	FUZZ_CHECK(ftruncate(STDIN_FILENO, 0) == 0);
	FUZZ_CHECK(pwrite(STDIN_FILENO, sent, size, 0) == (ssize_t)size);
	FUZZ_CHECK(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
}

int whole_run(size_t number, const char *snapshot, struct bytes changes)
{
	char words[WORDS_MOST + 2][PATH_MOST];
	char *argv[WORDS_MOST + 3] = {words[0]};
	FILE *real = stderr;
	int argc = 1;
	int code;

	FUZZ_CHECK(strlen(snapshot) < PATH_MOST);
	strcpy(words[0], "csreplay");
	for (size_t i = 0; commands[number][i]; i++, argc++)
		argv[argc] =
		        strcpy(words[argc],
		               commands[number][i] == another ? snapshot : commands[number][i]);
	argv[argc] = strcpy(words[argc], snapshot);
	argc++;
	argv[argc] = NULL;
	if (whole_is_server(number))
		write_stdin(&changes);
	/* What fails here, and sanitizers, are heard. */
	stderr = nobody;
	code = whole_main(argc, argv);
	stderr = real;
	if (code != CLI_FINE && code != CLI_INPUT && code != CLI_USAGE)
		fprintf(stderr, "%s: exit status %d\n", commands[number][0], code);
	FUZZ_CHECK(code == CLI_FINE || code == CLI_INPUT || code == CLI_USAGE);
	return code;
}
