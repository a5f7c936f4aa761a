/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: m, x, M, X, qCRC. A read gives the bytes before the first unknown one, or E14 if there
 * are none: both debuggers take the short reply for what it is. There are no writes. A CRC is of
 * bytes that are all known.
 *
 * What a debugger has read it may keep and show until something runs: gdb keeps lines of 64 bytes
 * of stack and code, lldb lines of 512; what is read in other pieces neither keeps. To write
 * trace_pos runs nothing, and no packet empties these caches. gdb manual, "Caching Target Data".
 */
#include "console/threads.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"
#include "stub/rsp_request.h"

enum {
	ERROR_NO_MEMORY = 0x14,               /* the number that both debuggers expect */
	CHUNK = 512,                          /* bytes that are read at once */
	READ_MOST = RSP_PACKET_SIZE / 2 - 16, /* two digits a byte, or an escape before each */
	PIECE = 4096,                         /* bytes that are read at once for a CRC */
	LOOK_AHEAD = 1 << 16,                 /* bytes of a stack, for the size of a line */
	LINE_GDB = 64,                        /* of a debugger's cache */
	LINE_LLDB = 512,
	REPLIES_MOST = 1 << 20, /* characters that are kept to compare with */
};

#define CRC_POLYNOMIAL UINT32_C(0x04c11db7)

enum { LAST_BIT = 63 };

static uint64_t core_bit(size_t core)
{
	return UINT64_C(1) << (core < LAST_BIT ? core : LAST_BIT);
}

void gdb_look_at(struct gdb *gdb, size_t core)
{
	gdb->looked |= core_bit(core);
}

void gdb_look_away(struct gdb *gdb, size_t core)
{
	if (core < LAST_BIT)
		gdb->looked &= ~core_bit(core);
}

static struct gdb_sight sight_of(const struct gdb *gdb)
{
	if (gdb->client == CLIENT_LLDB)
		return (struct gdb_sight){gdb->chosen, gdb->looked};
	return (struct gdb_sight){gdb->general, 0};
}

/*
 * How many of the bytes, which are the core's, are the other's, too. Where they are at one time
 * what only the core knows holds for both.
 */
static size_t agree(const struct gdb *gdb, size_t core, size_t other, uint64_t address,
                    const uint8_t *bytes, size_t size)
{
	bool is_in_step = session_is_in_step(gdb->session, core, other);
	uint8_t theirs[CHUNK];
	size_t done = 0;

	while (done < size) {
		size_t known =
		        session_memory(gdb->session, other, address + done, theirs, size - done);

		for (size_t i = 0; i < known; i++) {
			if (theirs[i] != bytes[done + i])
				return done + i;
		}
		done += known;
		if (done < size && !is_in_step)
			return done;
		done += done < size;
	}
	return size;
}

/* Up to CHUNK bytes. */
static size_t read_sight(const struct gdb *gdb, const struct gdb_sight *sight, uint64_t address,
                         uint8_t *bytes, size_t size)
{
	size_t got = session_memory(gdb->session, sight->core, address, bytes, size);

	for (size_t i = 0; i < threads_count(gdb->session) && sight->looked != 0; i++) {
		if (i != sight->core && (sight->looked & core_bit(i)) != 0 &&
		    threads_is_listed(gdb->session, i))
			got = agree(gdb, sight->core, i, address, bytes, got);
	}
	return got;
}

/* The reply to a read of so many bytes, as digits or, after a 'b', as they are. */
static void answer_memory(struct gdb *gdb, const struct gdb_sight *sight, uint64_t address,
                          uint64_t length, bool binary)
{
	uint8_t chunk[CHUNK];
	uint64_t done = 0;
	size_t got = sizeof(chunk);

	if (length > READ_MOST)
		length = READ_MOST;
	if (binary)
		text_char(&gdb->reply, 'b');
	/* A short piece is the last; so is the end of the address space. */
	while (done < length && got == sizeof(chunk) && address + done >= address) {
		size_t want = sizeof(chunk);

		if (want > length - done)
			want = (size_t)(length - done);
		got = read_sight(gdb, sight, address + done, chunk, want);
		if (binary)
			text_add(&gdb->reply, (struct str){(const char *)chunk, got});
		else
			text_hex_bytes(&gdb->reply, chunk, got);
		done += got;
	}
	if (done == 0 && length > 0)
		gdb_error(gdb, ERROR_NO_MEMORY);
}

static uint64_t line_size(const struct gdb *gdb)
{
	return gdb->client == CLIENT_LLDB ? LINE_LLDB : LINE_GDB;
}

void gdb_kept_read(struct gdb *gdb, uint64_t address, uint64_t size)
{
	struct gdb_kept *kept = &gdb->kept;
	struct gdb_kept_line *line;
	uint64_t of = line_size(gdb);

	if (gdb->is_refreshed || size == 0 || address % of != 0 || size % of != 0)
		return;
	if (kept->count == GDB_KEPT_LINES ||
	    kept->replies.length + gdb->reply.length > REPLIES_MOST) {
		kept->is_full = true;
		return;
	}
	line = &kept->lines[kept->count++];
	*line = (struct gdb_kept_line){.sight = sight_of(gdb),
	                               .address = address,
	                               .size = size,
	                               .begin = kept->replies.length,
	                               .length = gdb->reply.length};
	text_add(&kept->replies, text_str(&gdb->reply));
}

void gdb_kept_forget(struct gdb *gdb)
{
	gdb->kept.count = 0;
	gdb->kept.is_full = false;
	text_clear(&gdb->kept.replies);
}

bool gdb_kept_is_true(struct gdb *gdb)
{
	struct gdb_kept *kept = &gdb->kept;
	bool is_true = !kept->is_full && text_status(&kept->replies) == STATUS_OK;

	if (gdb->is_refreshed)
		return true;
	for (size_t i = 0; i < kept->count && is_true; i++) {
		const struct gdb_kept_line *line = &kept->lines[i];
		struct str was = {kept->replies.data + line->begin, line->length};

		text_clear(&gdb->reply);
		answer_memory(gdb, &line->sight, line->address, line->size,
		              was.n > 0 && was.p[0] == 'b');
		is_true = str_eq(text_str(&gdb->reply), was);
	}
	text_clear(&gdb->reply);
	return is_true;
}

/* Answers "ADDRESS,LENGTH" with the known bytes from there on. */
static void reply_memory(struct gdb *gdb, struct str args, bool binary)
{
	const struct gdb_sight sight = sight_of(gdb);
	uint64_t address;
	uint64_t length;

	if (rsp_next_hex(&args, ',', &address) != STATUS_OK ||
	    str_hex_to_u64(args, &length) != STATUS_OK) {
		gdb_error(gdb, 1);
		return;
	}
	gdb_learn_order(gdb, address);
	answer_memory(gdb, &sight, address, length, binary);
	gdb_kept_read(gdb, address, length);
	gdb_watch_read(gdb, address, length);
}

void gdb_read_memory(struct gdb *gdb, struct str args)
{
	reply_memory(gdb, args, false);
}

void gdb_read_memory_binary(struct gdb *gdb, struct str args)
{
	reply_memory(gdb, args, true);
}

void gdb_write_memory(struct gdb *gdb, struct str args)
{
	(void)args;
	gdb_error(gdb, 1);
}

void gdb_write_memory_binary(struct gdb *gdb, struct str args)
{
	uint64_t address;
	uint64_t length;

	/* An empty write only asks whether the packet exists. */
	if (rsp_next_hex(&args, ',', &address) == STATUS_OK &&
	    rsp_next_hex(&args, ':', &length) == STATUS_OK && length == 0)
		gdb_ok(gdb);
	else
		gdb_error(gdb, 1);
}

/* As gdb has it: the first bit of a byte is the highest one, and nothing is inverted. */
static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		crc ^= (uint32_t)bytes[i] << 24;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 != 0 ? CRC_POLYNOMIAL : 0);
	}
	return crc;
}

/* False if not all of it is known. */
static bool crc_of(const struct gdb *gdb, uint64_t address, uint64_t left, uint32_t *crc)
{
	uint8_t piece[PIECE];

	*crc = UINT32_MAX;
	for (size_t size; left > 0; left -= size, address += size) {
		size = left < PIECE ? (size_t)left : PIECE;
		if (address + (left - 1) < address ||
		    session_memory(gdb->session, gdb->general, address, piece, size) < size)
			return false;
		*crc = crc_add(*crc, piece, size);
	}
	return true;
}

void gdb_memory_crc(struct gdb *gdb, struct str args)
{
	uint32_t crc;
	uint64_t address;
	uint64_t size;

	if (rsp_next_hex(&args, ',', &address) != STATUS_OK ||
	    str_hex_to_u64(args, &size) != STATUS_OK)
		gdb_error(gdb, 1);
	else if (!crc_of(gdb, address, size, &crc))
		gdb_error(gdb, ERROR_NO_MEMORY);
	else
		text_printf(&gdb->reply, "C%x", (unsigned int)crc);
}

uint64_t gdb_memory_line(const struct gdb *gdb, uint64_t address)
{
	uint8_t piece[PIECE];
	uint64_t end = address;
	size_t got = PIECE;

	while (got == PIECE && end - address < LOOK_AHEAD) {
		got = session_memory(gdb->session, gdb->general, end, piece, PIECE);
		end += got;
	}
	for (uint64_t line = PIECE; line > LINE_GDB; line /= 2) {
		uint64_t begin = address / line * line;

		if ((got == PIECE || end % line == 0) &&
		    session_memory(gdb->session, gdb->general, begin, piece, (size_t)line) == line)
			return line;
	}
	return LINE_GDB;
}

bool gdb_memory_is_same(const struct gdb *gdb, struct str ranges)
{
	bool is_same = ranges.n > 0;

	while (ranges.n > 0 && is_same) {
		size_t end = str_find(ranges, ' ');
		struct str one = {ranges.p, end};
		uint64_t address;
		uint64_t size;
		uint64_t wanted;
		uint32_t crc;

		is_same = rsp_next_hex(&one, ',', &address) == STATUS_OK &&
		          rsp_next_hex(&one, ',', &size) == STATUS_OK &&
		          str_hex_to_u64(one, &wanted) == STATUS_OK &&
		          crc_of(gdb, address, size, &crc) && crc == wanted;
		ranges = str_skip(ranges, end < ranges.n ? end + 1 : end);
	}
	return is_same;
}
