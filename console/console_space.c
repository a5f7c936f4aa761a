/* SPDX-License-Identifier: Apache-2.0 */
/* The console's commands on address spaces: whose memory is shown, and that of buses by name. */
#include <inttypes.h>

#include "console/console_command.h"

enum {
	BYTES = 64, /* where no count is given */
	BYTES_MOST = 4096,
	LINE = 16,
};

static void say_seen_from(const struct console *console, struct text *out)
{
	text_puts(out, "memory is as seen from ");
	session_seen_from(console->session, console->core, out);
	text_char(out, '\n');
}

/* Words with commas or spaces between. False, and said why, if one of them is no key. */
static bool parse_key(struct console *console, struct str words, struct address_space *key,
                      struct text *out)
{
	while (words.n > 0) {
		size_t end = str_find(words, ' ');
		size_t comma = str_find(words, ',');
		struct str word = {words.p, comma < end ? comma : end};

		words = str_trim(str_skip(words, word.n + 1));
		if (word.n == 0 || address_space_add(word, key) == STATUS_OK)
			continue;
		console_say_usage(console,
		                  "no address space; give a name such as N, S or EL1N, context=ID, "
		                  "vmid=ID, or core for where the core itself is",
		                  out);
		return false;
	}
	return true;
}

void console_space(struct console *console, struct str args, struct text *out)
{
	struct address_space key = {.space = SPACE_ANY};

	if (args.n > 0 && str_eq(args, STR("core"))) {
		session_see(console->session, console->core, NULL);
	} else if (args.n > 0) {
		if (!parse_key(console, args, &key, out))
			return;
		session_see(console->session, console->core, &key);
	}
	say_seen_from(console, out);
	if (args.n > 0)
		console_say_stale(console, out);
}

/* A place that can be read: a memory space, or the core's memory as a key sees it. */
struct target {
	const struct memmap *memory; /* NULL: the core's */
	struct address_space key;
};

static size_t read_target(const struct console *console, const struct target *target,
                          uint64_t address, uint8_t *out, size_t size)
{
	return target->memory ? memmap_read(target->memory, SPACE_ANY, address, out, size)
	                      : session_memory_from(console->session, console->core, &target->key,
	                                            address, out, size);
}

static void dump(const struct console *console, const struct target *target, uint64_t address,
                 uint64_t count, struct text *out)
{
	uint8_t bytes[LINE];
	size_t got = LINE;

	for (uint64_t done = 0; done < count && got == LINE; done += got) {
		size_t want = count - done < LINE ? (size_t)(count - done) : LINE;

		if (address + done < address)
			return;
		got = read_target(console, target, address + done, bytes, want);
		if (got > 0)
			text_printf(out, "0x%" PRIx64 ":", address + done);
		for (size_t i = 0; i < got; i++)
			text_printf(out, " %02x", bytes[i]);
		if (got > 0)
			text_char(out, '\n');
		if (got < want)
			text_printf(out, "0x%" PRIx64 ": not known\n", address + done + got);
	}
}

void console_x(struct console *console, struct str args, struct text *out)
{
	size_t colon = args.n;
	size_t end;
	struct target target = {.key = {.space = SPACE_ANY}};
	const struct snap_memory_space *space;
	struct str name;
	uint64_t address;
	uint64_t count = BYTES;

	/* The last colon: a device may have one in its name, and spaces. */
	while (colon > 0 && args.p[colon - 1] != ':')
		colon--;
	name = (struct str){args.p, colon > 0 ? colon - 1 : 0};
	args = str_trim(str_skip(args, colon));
	end = str_find(args, ' ');
	if (colon == 0 || str_to_u64((struct str){args.p, end}, &address) != STATUS_OK ||
	    (end < args.n && str_to_u64(str_trim(str_skip(args, end + 1)), &count) != STATUS_OK)) {
		console_say_usage(console,
		                  "x SPACE:ADDRESS [COUNT], with the name of a memory space or of "
		                  "a state; `csreplay info` lists memory spaces",
		                  out);
		return;
	}
	space = snapshot_memory_space(session_snapshot(console->session), name);
	if (space)
		target.memory = space->memory;
	else if (!parse_key(console, name, &target.key, out))
		return;
	dump(console, &target, address, count < BYTES_MOST ? count : BYTES_MOST, out);
}
