/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as a whole, in one process: a command on the bundled example, of which some bytes are
 * changed. Of its trace there are the last 165 instructions alone (short/, made by synth from the
 * example's truth), so that a command takes milliseconds. The input's first byte is the command's
 * number, each six that follow are one change (struct change); what `serve` is sent is what the
 * last ones say. With FUZZ_ALL_COMMANDS in the environment each input goes through all commands.
 * Holds: no command fails for a reason of its own (CLI_INTERNAL), and without a change each command
 * is fine.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "fuzz.h"
#include "whole_packets.h"

enum {
	FILES_MOST = 8,
	NAME_MOST = 64,
	PATH_MOST = 160,
	FILE_MOST = 1 << 15,
	CHANGE_SIZE = 6,
	CHANGES_MOST = 16,
	WORDS_MOST = 12,
	SENT_MOST = 8192,
};

struct file {
	char name[NAME_MOST];
	uint8_t original[FILE_MOST];
	size_t original_size;
	uint8_t bytes[FILE_MOST];
	size_t size;
	bool is_written; /* as it is in `bytes` */
	bool is_changed;
};

/* One change, as it lies in the input: which file, what is done to it, where, and a value. */
struct change {
	uint8_t file;
	uint8_t kind;
	uint16_t at;
	uint16_t value;
};

static struct file files[FILES_MOST];
static size_t file_count;
static char folder[NAME_MOST];
static char questions[PATH_MOST];
static FILE *nobody; /* reads what commands say on stderr */

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

/* Words of a command line; NULL ends one. The folder comes after them. */
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
#if !CSREPLAY_SANDBOX /* it would confine this process */
        {"serve", "--listen", "stdio"},
#endif
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void path_of(const char *name, char path[PATH_MOST])
{
	FUZZ_CHECK(snprintf(path, PATH_MOST, "%s/%s", folder, name) < PATH_MOST);
}

static void remove_folder(void)
{
	char path[PATH_MOST];

	for (size_t i = 0; i < file_count; i++) {
		path_of(files[i].name, path);
		(void)unlink(path);
	}
	(void)unlink(questions);
	(void)rmdir(folder);
}

static void read_example(const char *name)
{
	struct file *file = &files[file_count];
	char path[PATH_MOST * 4];
	FILE *in;

	FUZZ_CHECK(file_count < FILES_MOST && strlen(name) < NAME_MOST);
	FUZZ_CHECK(snprintf(path, sizeof(path), "%s/%s", CSREPLAY_SHORT, name) < (int)sizeof(path));
	in = fopen(path, "rb");
	if (!in) {
		FUZZ_CHECK(snprintf(path, sizeof(path), "%s/%s", CSREPLAY_EXAMPLE, name) <
		           (int)sizeof(path));
		in = fopen(path, "rb");
	}
	FUZZ_CHECK(in);
	file->original_size = fread(file->original, 1, FILE_MOST, in);
	FUZZ_CHECK(file->original_size < FILE_MOST && fclose(in) == 0);
	strcpy(file->name, name);
	file_count++;
}

static void read_examples(void)
{
	struct dirent **entries;
	int count = scandir(CSREPLAY_EXAMPLE, &entries, NULL, alphasort);

	FUZZ_CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		const char *end = strrchr(entries[i]->d_name, '.');

		if (end && (strcmp(end, ".ini") == 0 || strcmp(end, ".bin") == 0 ||
		            strcmp(end, ".elf") == 0))
			read_example(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

/* Once: the folder, what is asked, a stdin that can be written again, and a stdout for nobody. */
static void begin(void)
{
	int in = memfd_create("stdin", 0);
	FILE *out;

	snprintf(folder, sizeof(folder), "%s/csreplay-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_CHECK(mkdtemp(folder) && atexit(remove_folder) == 0);
	snprintf(questions, sizeof(questions), "%s.questions", folder);
	out = fopen(questions, "w");
	FUZZ_CHECK(out);
	(void)fputs("-1\tPC\n-1\tX0\n-2\tX0\n-2\tSP\n-100\tX1\n-100\tm401648\n5\tX0\n", out);
	FUZZ_CHECK(fclose(out) == 0);
	FUZZ_CHECK(in >= 0 && dup2(in, STDIN_FILENO) == STDIN_FILENO && close(in) == 0);
	nobody = fopen("/dev/null", "w");
	FUZZ_CHECK(nobody && freopen("/dev/null", "w", stdout));
	/* Marks of the user are no part of it. */
	FUZZ_CHECK(setenv("XDG_STATE_HOME", folder, 1) == 0);
	read_examples();
}

/* `word` in place of the number that is at `at` or comes after it. */
static void change_number(struct file *file, size_t at, const char *word)
{
	size_t length = strlen(word);
	size_t end;

	while (at < file->size && (file->bytes[at] < '0' || file->bytes[at] > '9'))
		at++;
	for (end = at; end < file->size && strchr("0123456789abcdefABCDEFx", file->bytes[end]) &&
	               file->bytes[end];)
		end++;
	if (file->size - (end - at) + length > FILE_MOST)
		return;
	memmove(file->bytes + at + length, file->bytes + end, file->size - end);
	memcpy(file->bytes + at, word, length);
	file->size = file->size - (end - at) + length;
}

/* The `count` bytes at `at` twice. */
static void change_twice(struct file *file, size_t at, size_t count)
{
	if (count > file->size - at || count > FILE_MOST - file->size)
		return;
	memmove(file->bytes + at + count, file->bytes + at, file->size - at);
	file->size += count;
}

static void change_file(struct file *file, const struct change *change)
{
	static const char *const numbers[] = {
	        "0", "1", "0xffffffffffffffff",  "0x8000000000000000", "0x7fffffff", "-1",
	        "",  "7", "99999999999999999999"};
	static const uint8_t words[][4] = {
	        {0xff, 0xff, 0xff, 0xff}, {0}, {0, 0, 0, 0x80}, {0, 0, 0, 1}};
	size_t at = file->size > 0 ? change->at % file->size : 0;
	size_t count = 1 + change->value % 64;

	if (file->size == 0)
		return;
	switch (change->kind % 7) {
	case 0:
		file->bytes[at] ^= (uint8_t)(1U << change->value % 8);
		break;
	case 1:
		file->bytes[at] = (uint8_t)change->value;
		break;
	case 2:
		for (size_t i = 0; i < 4 && at + i < file->size; i++)
			file->bytes[at + i] = words[change->value % 4][i];
		break;
	case 3:
		change_number(file, at, numbers[change->value % 9]);
		break;
	case 4:
		change_twice(file, at, count);
		break;
	case 5: /* without some bytes */
		count = count < file->size - at ? count : file->size - at;
		memmove(file->bytes + at, file->bytes + at + count, file->size - at - count);
		file->size -= count;
		break;
	default: /* cut, or swapped with what comes after */
		if (change->value % 8 == 0)
			file->size = at;
		else if (at + 1 < file->size)
			file->bytes[at] = file->bytes[at + 1];
	}
	file->is_changed = true;
}

/* Files that are as they lie there are not written again. */
static void write_files(void)
{
	for (size_t i = 0; i < file_count; i++) {
		struct file *file = &files[i];
		char path[PATH_MOST];
		FILE *out;

		if (file->is_written && !file->is_changed)
			continue;
		path_of(file->name, path);
		out = fopen(path, "wb");
		FUZZ_CHECK(out);
		FUZZ_CHECK(fwrite(file->bytes, 1, file->size, out) == file->size);
		FUZZ_CHECK(fclose(out) == 0);
		file->is_written = !file->is_changed;
	}
}

static size_t change_files(struct bytes *in)
{
	size_t count = 0;

	for (size_t i = 0; i < file_count; i++) {
		struct file *file = &files[i];

		memcpy(file->bytes, file->original, file->original_size);
		file->size = file->original_size;
		file->is_changed = false;
	}
	for (; bytes_left(in) >= CHANGE_SIZE && count < CHANGES_MOST; count++) {
		struct change change;

		change.file = (uint8_t)fuzz_number(in, 1);
		change.kind = (uint8_t)fuzz_number(in, 1);
		change.at = (uint16_t)fuzz_number(in, 2);
		change.value = (uint16_t)fuzz_number(in, 2);
		change_file(&files[change.file % file_count], &change);
	}
	return count;
}

/* What a debugger sends, framed; what the input has left over stands in place of bytes of it. */
static void write_stdin(struct bytes left)
{
	char sent[SENT_MOST];
	size_t size = whole_packets(sent, sizeof(sent), &left);

	FUZZ_CHECK(ftruncate(STDIN_FILENO, 0) == 0);
	FUZZ_CHECK(pwrite(STDIN_FILENO, sent, size, 0) == (ssize_t)size);
	FUZZ_CHECK(lseek(STDIN_FILENO, 0, SEEK_SET) == 0);
}

static void run(size_t number, size_t changes)
{
	char words[WORDS_MOST][PATH_MOST];
	char *argv[WORDS_MOST + 2] = {words[0]};
	FILE *real = stderr;
	int argc = 1;
	int code;

	strcpy(words[0], "csreplay");
	for (size_t i = 0; commands[number][i]; i++, argc++)
		argv[argc] = strcpy(words[argc], commands[number][i]);
	argv[argc] = strcpy(words[argc], folder);
	argc++;
	argv[argc] = NULL;
	/* What fails here, and sanitizers, are heard. */
	stderr = nobody;
	code = whole_main(argc, argv);
	stderr = real;
	FUZZ_CHECK(code == CLI_FINE || code == CLI_INPUT || code == CLI_USAGE);
	FUZZ_CHECK(changes > 0 || code == CLI_FINE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = bytes_of(data, size);
	size_t number = fuzz_number(&in, 1) % COMMANDS;
	bool all = getenv("FUZZ_ALL_COMMANDS") != NULL;
	size_t changes;

	if (file_count == 0)
		begin();
	changes = change_files(&in);
	write_files();
	for (size_t i = all ? 0 : number; i < (all ? COMMANDS : number + 1); i++) {
		write_stdin(in);
		run(i, changes);
	}
	return 0;
}
