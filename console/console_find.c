/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the dumps of a core hold at the halt, looked for by value: pointers to an address, and where
 * an address comes from that reads as text. In: a value. Out: lines. Memory at the halt alone: when
 * it was written is asked of `last-write`.
 */
#include <inttypes.h>

#include "console/console_command.h"

enum {
	REACH = 256,       /* bytes before an address that a pointer to it may lead to */
	REACH_MOST = 4096, /* of what the user says */
	SHOWN_MOST = 24,
	TEXT_LEAST = 4, /* characters, less may be by chance */
	AROUND = 48,    /* and what is shown of a text, in each direction */
	ADDRESS_BITS = 56,
};

/* Words of a core's dumps, one after the other. */
struct words {
	const struct snap_device *device;
	unsigned int size; /* bytes of a pointer */
	size_t dump;
	uint64_t offset; /* in it */
};

static struct words words_begin(const struct console *console, size_t core)
{
	const struct snap_core *of = session_core(console->session, core);

	return (struct words){.device = of->device, .size = of->arch == CORE_A64 ? 8 : 4};
}

/* The next aligned word, and where it is. False after the last one. */
static bool next_word(struct words *w, uint64_t *address, uint64_t *value)
{
	for (; w->dump < w->device->dump_count; w->dump++, w->offset = 0) {
		const struct snap_dump *dump = &w->device->dumps[w->dump];
		struct bytes rest = bytes_of(dump->data, dump->length);

		if (w->offset == 0)
			w->offset = -dump->address % w->size;
		if (bytes_seek(&rest, w->offset) != STATUS_OK ||
		    bytes_le(&rest, w->size, value) != STATUS_OK)
			continue;
		*address = dump->address + w->offset;
		w->offset += w->size;
		return true;
	}
	return false;
}

static bool is_printable(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

/* The characters of a value, the lowest byte first; 0 if it does not read as text. */
static size_t read_as_text(uint64_t value, char text[8])
{
	size_t length = 0;

	for (; length < 8 && is_printable((uint8_t)(value >> 8 * length)); length++)
		text[length] = (char)(value >> 8 * length);
	if (length < TEXT_LEAST || (length < 8 && value >> 8 * length != 0))
		return 0;
	return length;
}

/* The printable characters around an address of the dump that `w` is in. */
static struct str text_around(const struct words *w, uint64_t address)
{
	const struct snap_dump *dump = &w->device->dumps[w->dump];
	size_t at = (size_t)(address - dump->address);
	size_t first = at;
	size_t end = at;

	while (first > 0 && at - first < AROUND && is_printable(dump->data[first - 1]))
		first--;
	while (end < dump->length && end - at < AROUND && is_printable(dump->data[end]))
		end++;
	return (struct str){(const char *)dump->data + first, end - first};
}

/* Bits that a fetch from an address loses: the tag, and of a core of 32 bits none. */
static bool is_same(uint64_t a, uint64_t b, unsigned int size)
{
	uint64_t mask = size == 8 ? (UINT64_C(1) << ADDRESS_BITS) - 1 : UINT32_MAX;

	return ((a ^ b) & mask) == 0;
}

void console_write_text(const struct console *console, size_t core, uint64_t value,
                        struct text *out)
{
	struct words words = words_begin(console, core);
	char text[8];
	size_t length = read_as_text(value, text);
	uint64_t address;
	uint64_t word;
	uint64_t longest_at = 0;
	struct str longest = {NULL, 0};
	size_t found = 0;

	if (length == 0)
		return;
	text_printf(out, "    0x%" PRIx64 " reads as text: \"%.*s\"", value, (int)length, text);
	/* What was copied from the fault itself, into frames and logs, is not in a text. */
	while (next_word(&words, &address, &word)) {
		struct str around;

		if (!is_same(value, word, words.size))
			continue;
		found++;
		around = text_around(&words, address);
		if (around.n <= longest.n)
			continue;
		longest = around;
		longest_at = address;
	}
	if (longest.n > 0)
		text_printf(out, "; at the halt such bytes are at 0x%" PRIx64 ", in \"%.*s\"",
		            longest_at, STR_ARG(str_trim(longest)));
	if (found > 1)
		text_printf(out, ", and elsewhere (%zu)", found - 1);
	text_char(out, '\n');
}

/* What is looked for: words from first to last, the address. */
struct target {
	uint64_t first;
	uint64_t last;
};

static void write_pointer(const struct console *console, const struct target *target,
                          uint64_t address, uint64_t value, struct text *out)
{
	text_printf(out, "0x%" PRIx64 "  ", address);
	if (session_format_variable(console->session, address, out))
		text_puts(out, "  ");
	text_printf(out, "0x%" PRIx64, value);
	if (value < target->last)
		text_printf(out, ", 0x%" PRIx64 " before it", target->last - value);
	text_char(out, '\n');
}

/* Those in variables, or those that are in none; how many there are. */
static size_t write_pointers(const struct console *console, const struct target *target,
                             bool are_named, size_t shown, struct text *out)
{
	struct words words = words_begin(console, console->core);
	uint64_t address;
	uint64_t value;
	size_t count = 0;

	while (next_word(&words, &address, &value)) {
		struct text name = {0};

		if (value < target->first || value > target->last)
			continue;
		if (session_format_variable(console->session, address, &name) == are_named &&
		    ++count + shown <= SHOWN_MOST)
			write_pointer(console, target, address, value, out);
		text_fini(&name);
	}
	return count;
}

void console_pointers(struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');
	struct str rest = str_trim(str_skip(args, end));
	struct past_subject subject;
	uint64_t reach = REACH;
	struct target target;
	size_t count;

	if (args.n == 0 ||
	    (rest.n > 0 && (str_to_u64(rest, &reach) != STATUS_OK || reach > REACH_MOST))) {
		console_say_usage(console, "pointers ADDRESS|NAME [BYTES], up to 4096 before it",
		                  out);
		return;
	}
	if (!console_find_subject(console, (struct str){args.p, end}, &subject, out))
		return;
	if (!subject.is_memory) {
		console_say_wrong(console, "no address and no variable:", (struct str){args.p, end},
		                  "", out);
		return;
	}
	target = (struct target){subject.address > reach ? subject.address - reach : 1,
	                         subject.address};
	count = write_pointers(console, &target, true, 0, out);
	count += write_pointers(console, &target, false, count, out);
	if (count > SHOWN_MOST)
		text_printf(out, "(and %zu more)\n", count - SHOWN_MOST);
	if (count == 0)
		text_puts(out, "no word of the dumps at the halt\n");
}
