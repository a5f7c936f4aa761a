/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program as a whole, in one process: a command line on a small snapshot, of which some bytes
 * are changed. The snapshot is the bundled example, of whose trace there are the last 165
 * instructions alone (short/, made by synth from the example's truth), so that a command takes
 * milliseconds; with FUZZ_BASES in the environment it is one of that folder's folders (bases.py
 * makes them), or the one file of such a folder. The input's first byte is the command's number,
 * the second the snapshot's, each six that follow are one change (struct change); what `serve` is
 * sent is what the last ones say. Holds: no command fails for a reason of its own (CLI_INTERNAL),
 * and without a change each command is fine on the example.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "fuzz.h"
#include "whole/whole_commands.h"

enum {
	BASES_MOST = 64,
	FILES_MOST = 40, /* of a base */
	NAME_MOST = 64,
	PATH_MOST = 512,
	FILE_MOST = 1 << 20,
	GROWTH = 4096, /* bytes that a file may gain */
	CHANGE_SIZE = 6,
	CHANGES_MOST = 16,
};

struct file {
	char name[NAME_MOST];
	uint8_t *original;
	size_t original_size;
	uint8_t *bytes;
	size_t size;
	size_t room;
	bool is_written; /* as it is in `bytes` */
	bool is_changed;
};

/* A snapshot, and the folder that its files are written to. */
struct base {
	struct file files[FILES_MOST];
	size_t file_count;
	char folder[NAME_MOST];
};

/* One change, as it lies in the input: which file, what is done to it, where, and a value. */
struct change {
	uint8_t file;
	uint8_t kind;
	uint16_t at;
	uint16_t value;
};

static struct base bases[BASES_MOST];
static size_t base_count;
static char scratch[NAME_MOST / 2];

static void path_of(const char *folder, const char *name, char path[PATH_MOST])
{
	FUZZ_CHECK(snprintf(path, PATH_MOST, "%s/%s", folder, name) < PATH_MOST);
}

static void remove_scratch(void)
{
	char path[PATH_MOST];

	for (size_t i = 0; i < base_count; i++) {
		for (size_t k = 0; k < bases[i].file_count; k++) {
			path_of(bases[i].folder, bases[i].files[k].name, path);
			(void)unlink(path);
			free(bases[i].files[k].original);
			free(bases[i].files[k].bytes);
		}
		(void)rmdir(bases[i].folder);
	}
	whole_clean();
	(void)rmdir(scratch);
}

static void add_file(struct base *base, const char *name, FILE *in)
{
	struct file *file = &base->files[base->file_count];

	FUZZ_CHECK(base->file_count < FILES_MOST && strlen(name) < NAME_MOST);
	file->original = malloc(FILE_MOST);
	FUZZ_CHECK(file->original);
	file->original_size = fread(file->original, 1, FILE_MOST, in);
	FUZZ_CHECK(file->original_size < FILE_MOST && fclose(in) == 0);
	file->original = realloc(file->original, file->original_size + 1);
	file->room = file->original_size + GROWTH;
	file->bytes = malloc(file->room);
	FUZZ_CHECK(file->original && file->bytes);
	strcpy(file->name, name);
	file->is_changed = true; /* until it is as the original */
	base->file_count++;
}

static struct base *add_base(void)
{
	struct base *base = &bases[base_count];

	FUZZ_CHECK(base_count < BASES_MOST);
	snprintf(base->folder, sizeof(base->folder), "%s/%zu", scratch, base_count);
	FUZZ_CHECK(mkdir(base->folder, 0700) == 0);
	base_count++;
	return base;
}

/* Files of `folder`, but for those that `instead` (or NULL) has; of its texts only what a snapshot
 * has. */
static void read_base(const char *folder, const char *instead)
{
	struct base *base = add_base();
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	FUZZ_CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char path[PATH_MOST];
		FILE *in = NULL;

		if (name[0] != '.' && !(instead && (strstr(name, ".c") || strstr(name, ".gz")))) {
			path_of(instead ? instead : folder, name, path);
			in = fopen(path, "rb");
			path_of(folder, name, path);
			in = in ? in : fopen(path, "rb");
			FUZZ_CHECK(in);
			add_file(base, name, in);
		}
		free(entries[i]);
	}
	free(entries);
}

static void read_bases(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	FUZZ_CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		char path[PATH_MOST];

		path_of(folder, entries[i]->d_name, path);
		if (entries[i]->d_name[0] != '.')
			read_base(path, NULL);
		free(entries[i]);
	}
	free(entries);
}

static void begin(void)
{
	const char *folder = getenv("FUZZ_BASES");

	snprintf(scratch, sizeof(scratch), "%s/csreplay-fuzz-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_CHECK(mkdtemp(scratch) && atexit(remove_scratch) == 0);
	whole_prepare(scratch);
	if (folder)
		read_bases(folder);
	else
		read_base(CSREPLAY_EXAMPLE, CSREPLAY_SHORT);
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
	if (file->size - (end - at) + length > file->room)
		return;
	memmove(file->bytes + at + length, file->bytes + end, file->size - end);
	memcpy(file->bytes + at, word, length);
	file->size = file->size - (end - at) + length;
}

/* The `count` bytes at `at` twice. */
static void change_twice(struct file *file, size_t at, size_t count)
{
	if (count > file->size - at || count > file->room - file->size)
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
static void write_files(struct base *base)
{
	for (size_t i = 0; i < base->file_count; i++) {
		struct file *file = &base->files[i];
		char path[PATH_MOST];
		int out;

		if (file->is_written && !file->is_changed)
			continue;
		path_of(base->folder, file->name, path);
		out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		FUZZ_CHECK(out >= 0);
		FUZZ_CHECK(write(out, file->bytes, file->size) == (ssize_t)file->size);
		FUZZ_CHECK(close(out) == 0);
		file->is_written = !file->is_changed;
	}
}

/* Returns how many changes there were. */
static size_t change_files(struct base *base, struct bytes *in)
{
	size_t count = 0;

	for (size_t i = 0; i < base->file_count; i++) {
		struct file *file = &base->files[i];

		if (!file->is_changed)
			continue;
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
		change_file(&base->files[change.file % base->file_count], &change);
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = bytes_of(data, size);
	size_t number = fuzz_number(&in, 1) % whole_commands();
	char path[PATH_MOST];
	struct base *base;
	size_t changes;
	int code;

	if (base_count == 0)
		begin();
	base = &bases[fuzz_number(&in, 1) % base_count];
#if CSREPLAY_SANDBOX /* it would confine this process */
	if (whole_is_server(number))
		return 0;
#endif
	changes = change_files(base, &in);
	write_files(base);
	path_of(base->folder, base->file_count == 1 ? base->files[0].name : "", path);
	code = whole_run(number, path, in);
	FUZZ_CHECK(changes > 0 || code == CLI_FINE || getenv("FUZZ_BASES"));
	return 0;
}
