/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the Tarmac reader makes of a file, for the scripts of tests.
 *
 *	tarmac_print lines FILE    each line, and after it its events as the golden list has them
 *	tarmac_print count FILE    how many events of each kind there are, and of what they are
 *
 * "lines" leaves out lines that are empty or begin with '#': what is between two examples.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "replay/tarmac/tarmac.h"

enum {
	PART_MOST = 8, /* bytes that one memory event of the list has */
};

static void print_instruction(const struct tarmac_event *event)
{
	static const char *const effects[] = {"executed", "ccfail", "fetchfail"};
	static const char *const isas[] = {"?", "A64", "ARM", "Thumb", "?", "?"};
	const struct tarmac_instruction *i = &event->instruction;

	printf("* InstructionEvent time=%" PRIu64 " effect=%s pc=%" PRIx64
	       " iset=%s width=%u instruction=%" PRIx64 " disassembly=\"%.*s\"\n",
	       event->timestamp, effects[i->effect], i->address, isas[i->isa], 8U * i->size,
	       i->opcode, STR_ARG(i->disassembly));
}

/* The list's name of a register, or NULL if it has none of the kind. */
static const char *register_name(const struct tarmac_register *reg)
{
	static const enum tarmac_file unlisted[] = {
	        TARMAC_FILE_SYSTEM,
	        TARMAC_FILE_XPSR,
	        TARMAC_FILE_SPSR,
	        TARMAC_FILE_ELR,
	};
	static const enum tarmac_file single[] = {
	        TARMAC_FILE_PSR,
	        TARMAC_FILE_FPCR,
	        TARMAC_FILE_FPSCR,
	};
	static char name[16];

	for (size_t i = 0; i < sizeof(unlisted) / sizeof(unlisted[0]); i++) {
		if (reg->file == unlisted[i])
			return NULL;
	}
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
		if (reg->file == single[i])
			return tarmac_file_name(reg->file);
	}
	if (reg->file == TARMAC_FILE_SP)
		return "xsp";
	(void)snprintf(name, sizeof(name), "%s%u", tarmac_file_name(reg->file), reg->number);
	return name;
}

/* One event for each group of bytes that the line is about; FPCR has four bytes there. */
static void print_register(const struct tarmac_event *event)
{
	const struct tarmac_value *value = event->reg.value;
	const char *name = register_name(&event->reg);
	unsigned int size = event->reg.file == TARMAC_FILE_FPCR ? 4 : value->size;

	for (unsigned int at = 0; name && at < size;) {
		unsigned int end = at;

		while (end < size && value->touched[end])
			end++;
		if (end > at) {
			printf("* RegisterEvent time=%" PRIu64 " reg=%s offset=%u bytes=",
			       event->timestamp, name, at);
			for (unsigned int i = end; i > at; i--)
				printf("%02x%s", value->bits[i - 1], i - 1 > at ? ":" : "\n");
		}
		at = end > at ? end : at + 1;
	}
}

static void print_part(const struct tarmac_event *event, unsigned int at, unsigned int size)
{
	const struct tarmac_value *value = event->memory.value;
	uint64_t contents = 0;

	for (unsigned int i = at + size; i > at; i--)
		contents = contents << 8 | value->bits[i - 1];
	printf("* MemoryEvent time=%" PRIu64 " read=%s known=%s addr=%" PRIx64
	       " size=%u contents=%" PRIx64 "\n",
	       event->timestamp, event->memory.is_write ? "false" : "true",
	       value->known[at] ? "true" : "false", event->memory.address + at, size, contents);
}

/* A chunk of Rev 3: from its last byte down, groups of bytes known alike, of up to eight. */
static void print_chunk(const struct tarmac_event *event)
{
	const struct tarmac_value *value = event->memory.value;

	for (unsigned int end = value->size; end > 0;) {
		unsigned int at = end - 1;

		if (!value->touched[at]) {
			end--;
			continue;
		}
		while (at > 0 && end - at < PART_MOST && value->touched[at - 1] &&
		       value->known[at - 1] == value->known[at])
			at--;
		print_part(event, at, end - at);
		end = at;
	}
}

static void print_memory(const struct tarmac_event *event)
{
	unsigned int size = event->memory.value->size;

	if (event->memory.is_aborted)
		printf("* TextOnlyEvent time=%" PRIu64 " type=\"ABORTED\" text=\"%.*s %.*s\"\n",
		       event->timestamp, STR_ARG(event->word), STR_ARG(event->rest));
	else if (event->memory.is_fetch)
		printf("* TextOnlyEvent time=%" PRIu64 " type=\"%.*s\" text=\"%.*s %.*s\"\n",
		       event->timestamp, STR_ARG(event->word), STR_ARG(event->word),
		       STR_ARG(event->rest));
	else if (event->dialect == TARMAC_DIALECT_REV3)
		print_chunk(event);
	else
		for (unsigned int at = 0; at < size; at += PART_MOST)
			print_part(event, at, size - at < PART_MOST ? size - at : PART_MOST);
}

static void print_event(const struct tarmac_event *event)
{
	switch (event->kind) {
	case TARMAC_INSTRUCTION:
		print_instruction(event);
		break;
	case TARMAC_REGISTER:
		print_register(event);
		break;
	case TARMAC_MEMORY:
		print_memory(event);
		break;
	case TARMAC_EXCEPTION:
	case TARMAC_ASYNC:
		printf("* ExceptionEvent time=%" PRIu64 "\n", event->timestamp);
		break;
	case TARMAC_BRANCH:
	case TARMAC_NOTE:
		printf("* TextOnlyEvent time=%" PRIu64 " type=\"%.*s\" text=\"%.*s\"\n",
		       event->timestamp, STR_ARG(event->word), STR_ARG(event->rest));
		break;
	case TARMAC_OPERATION: /* the list has the names of system operations only */
		if (str_eq(event->word, STR("R")))
			printf("Parse warning: unsupported system operation '%.*s'\n",
			       STR_ARG(event->reg.name));
		break;
	case TARMAC_HEADER:
		break;
	case TARMAC_UNKNOWN:
		printf("! malformed\n");
		break;
	}
}

/* Without comments and empty lines. */
static struct bytes filter(struct bytes text, char *out)
{
	struct str rest = {(const char *)text.begin, bytes_left(&text)};
	size_t size = 0;

	while (rest.n > 0) {
		size_t n = str_find(rest, '\n');

		n += n < rest.n ? 1 : 0;
		if (rest.p[0] != '#' && rest.p[0] != '\n') {
			memcpy(out + size, rest.p, n);
			size += n;
		}
		rest = str_skip(rest, n);
	}
	return bytes_of(out, size);
}

static void print_lines(struct bytes text)
{
	struct tarmac_options options = {.file = STR("x")};
	struct diag_list diags = {0};
	struct tarmac_event event;
	struct tarmac *reader;

	if (tarmac_open(text, &options, &diags, &reader) != STATUS_OK)
		exit(EXIT_FAILURE);
	while (tarmac_next(reader, &event) == STATUS_OK) {
		printf("--- Tarmac line: %.*s\n", STR_ARG(event.text));
		print_event(&event);
	}
	for (size_t i = 0; i < diags.count; i++)
		(void)fprintf(stderr, "%" PRIu64 ": %s\n", diags.items[i].place.line,
		              diags.items[i].text);
	diag_list_fini(&diags);
	tarmac_close(reader);
}

struct counts {
	uint64_t kinds[TARMAC_NOTE + 1];
	uint64_t effects[TARMAC_FETCH_FAILED + 1];
	uint64_t files[TARMAC_FILES];
	uint64_t reads, writes, aborted, bytes;
	uint64_t addresses; /* of instructions, added up */
	uint64_t values;    /* low 64 bits of registers, added up */
};

static void count_event(struct counts *counts, const struct tarmac_event *event)
{
	counts->kinds[event->kind]++;
	if (event->kind == TARMAC_INSTRUCTION) {
		counts->effects[event->instruction.effect]++;
		counts->addresses += event->instruction.address;
	} else if (event->kind == TARMAC_REGISTER) {
		counts->files[event->reg.file]++;
		counts->values += tarmac_value_u64(event->reg.value);
	} else if (event->kind == TARMAC_MEMORY) {
		counts->reads += !event->memory.is_write;
		counts->writes += event->memory.is_write;
		counts->aborted += event->memory.is_aborted;
		for (unsigned int i = 0; i < event->memory.value->size; i++)
			counts->bytes += event->memory.value->touched[i] != 0;
	}
}

static void print_counts(const struct tarmac *reader, const struct counts *counts)
{
	printf("dialect %s\n", tarmac_dialect_name(tarmac_dialect(reader)));
	printf("lines %" PRIu64 "\n", tarmac_stats(reader).lines);
	for (unsigned int i = 0; i <= TARMAC_NOTE; i++)
		printf("kind %s %" PRIu64 "\n", tarmac_kind_name((enum tarmac_kind)i),
		       counts->kinds[i]);
	printf("ccfail %" PRIu64 "\n", counts->effects[TARMAC_CCFAIL]);
	for (unsigned int i = 0; i < TARMAC_FILES; i++)
		printf("file %s %" PRIu64 "\n", tarmac_file_name((enum tarmac_file)i),
		       counts->files[i]);
	printf("reads %" PRIu64 "\nwrites %" PRIu64 "\naborted %" PRIu64 "\nbytes %" PRIu64 "\n",
	       counts->reads, counts->writes, counts->aborted, counts->bytes);
	printf("addresses %016" PRIx64 "\nvalues %016" PRIx64 "\n", counts->addresses,
	       counts->values);
}

static void print_count(struct bytes text)
{
	struct tarmac_options options = {.file = STR("x")};
	struct counts counts = {0};
	struct diag_list diags = {0};
	struct tarmac_event event;
	struct tarmac *reader;

	if (tarmac_open(text, &options, &diags, &reader) != STATUS_OK)
		exit(EXIT_FAILURE);
	while (tarmac_next(reader, &event) == STATUS_OK)
		count_event(&counts, &event);
	print_counts(reader, &counts);
	diag_list_fini(&diags);
	tarmac_close(reader);
}

int main(int argc, char **argv)
{
	struct diag_list diags = {0};
	struct file_map map;
	char *filtered;

	if (argc != 3 || file_map_open(argv[2], place_none(), &diags, &map) != STATUS_OK) {
		(void)fprintf(stderr, "usage: tarmac_print lines|count FILE\n");
		return EXIT_FAILURE;
	}
	if (strcmp(argv[1], "lines") == 0) {
		filtered = malloc(map.size + 1);
		if (!filtered)
			return EXIT_FAILURE;
		print_lines(filter(file_map_bytes(&map), filtered));
		free(filtered);
	} else {
		print_count(file_map_bytes(&map));
	}
	file_map_close(&map);
	diag_list_fini(&diags);
	return EXIT_SUCCESS;
}
