/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without libFuzzer, as an ordinary test. In: files, or folders of files. Each
 * is run as it is, cut short, and changed in ways that a fixed seed chooses. Out: how many inputs
 * were run; the target itself ends the program if a property does not hold.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum {
	CUTS = 32,
	CHANGED = 200,
	CHANGES_MOST = 6, /* in one input */
	GROWTH = 64,      /* bytes that an input may gain */
	SIZE_MOST = 1 << 20,
	PATH_MOST = 4096,
};

struct input {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

static uint64_t seed = 1;
static unsigned long runs;

/* A number below `limit` (xorshift64). */
static size_t pick(size_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return limit > 0 ? (size_t)(seed % limit) : 0;
}

/* Runs a copy of exactly that size, so that a sanitizer sees every read beyond it. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	FUZZ_CHECK(copy);
	memcpy(copy, bytes, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static void change(struct input *input)
{
	static const uint8_t odd[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	size_t at = pick(input->size);
	size_t count = 1 + pick(8);

	if (count > input->size - at)
		count = input->size - at;
	switch (input->size > 0 ? pick(5) : 5) {
	case 0:
		input->bytes[at] ^= (uint8_t)(1U << pick(8));
		break;
	case 1:
		input->bytes[at] = odd[pick(sizeof(odd))];
		break;
	case 2:
		input->bytes[at] = (uint8_t)pick(256);
		break;
	case 3: /* without a few bytes */
		memmove(input->bytes + at, input->bytes + at + count, input->size - at - count);
		input->size -= count;
		break;
	case 4: /* a few bytes twice */
		if (count > input->room - input->size)
			break;
		memmove(input->bytes + at + count, input->bytes + at, input->size - at);
		input->size += count;
		break;
	default:
		break;
	}
}

static void run_changed(const struct input *original)
{
	struct input input = {.room = original->size + GROWTH};

	input.bytes = malloc(input.room);
	FUZZ_CHECK(input.bytes);
	for (unsigned int i = 0; i < CHANGED; i++) {
		size_t changes = 1 + pick(CHANGES_MOST);

		memcpy(input.bytes, original->bytes, original->size);
		input.size = original->size;
		while (changes-- > 0)
			change(&input);
		run(input.bytes, input.size);
	}
	free(input.bytes);
}

static void run_input(const struct input *input)
{
	run(input->bytes, input->size);
	for (unsigned int i = 0; i < CUTS; i++)
		run(input->bytes, pick(input->size));
	run_changed(input);
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct input input = {.bytes = malloc(SIZE_MOST)};

	FUZZ_CHECK(input.bytes);
	if (!file) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(EXIT_FAILURE);
	}
	input.size = fread(input.bytes, 1, SIZE_MOST, file);
	fclose(file);
	fprintf(stderr, "%s\n", path); /* the one to blame, if it is the last line */
	run_input(&input);
	free(input.bytes);
}

/* In an order that does not depend on the file system. */
static void run_folder(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	FUZZ_CHECK(count >= 0);
	for (int i = 0; i < count; i++) {
		char name[PATH_MOST];

		if (entries[i]->d_name[0] != '.' &&
		    snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name) < PATH_MOST)
			run_file(name);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat info;

		if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode))
			run_folder(argv[i]);
		else
			run_file(argv[i]);
	}
	printf("%lu inputs\n", runs);
	return runs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
