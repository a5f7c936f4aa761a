/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: m, x, M, X, qCRC. A read gives the bytes before the first unknown one, or E14 if there
 * are none: both debuggers take the short reply for what it is. There are no writes. A CRC is of
 * bytes that are all known.
 */
#include "stub/gdb.h"
#include "stub/rsp_frame.h"
#include "stub/rsp_request.h"

enum {
	ERROR_NO_MEMORY = 0x14,               /* the number that both debuggers expect */
	READ_MOST = RSP_PACKET_SIZE / 2 - 16, /* two digits a byte, or an escape before each */
	PIECE = 4096,                         /* bytes that are read at once for a CRC */
};

#define CRC_POLYNOMIAL UINT32_C(0x04c11db7)

/*
 * Answers "ADDRESS,LENGTH" with the known bytes from there on: two hexadecimal digits each, or as
 * they are after a 'b'.
 */
static void reply_memory(struct gdb *gdb, struct str args, bool binary)
{
	uint8_t chunk[512];
	uint64_t address;
	uint64_t length;
	uint64_t done = 0;
	size_t got = sizeof(chunk);

	if (rsp_next_hex(&args, ',', &address) != STATUS_OK ||
	    str_hex_to_u64(args, &length) != STATUS_OK) {
		gdb_error(gdb, 1);
		return;
	}
	if (length > READ_MOST)
		length = READ_MOST;
	if (binary)
		text_char(&gdb->reply, 'b');
	/* A short piece is the last; so is the end of the address space. */
	while (done < length && got == sizeof(chunk) && address + done >= address) {
		size_t want = sizeof(chunk);

		if (want > length - done)
			want = (size_t)(length - done);
		got = session_memory(gdb->session, gdb->general, address + done, chunk, want);
		if (binary)
			text_add(&gdb->reply, (struct str){(const char *)chunk, got});
		else
			text_hex_bytes(&gdb->reply, chunk, got);
		done += got;
	}
	if (done == 0 && length > 0)
		gdb_error(gdb, ERROR_NO_MEMORY);
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

void gdb_memory_crc(struct gdb *gdb, struct str args)
{
	uint8_t piece[PIECE];
	uint32_t crc = UINT32_MAX;
	uint64_t address;
	uint64_t left;

	if (rsp_next_hex(&args, ',', &address) != STATUS_OK ||
	    str_hex_to_u64(args, &left) != STATUS_OK) {
		gdb_error(gdb, 1);
		return;
	}
	for (size_t size; left > 0; left -= size, address += size) {
		size = left < PIECE ? (size_t)left : PIECE;
		if (address + (left - 1) < address ||
		    session_memory(gdb->session, gdb->general, address, piece, size) < size) {
			gdb_error(gdb, ERROR_NO_MEMORY);
			return;
		}
		crc = crc_add(crc, piece, size);
	}
	text_printf(&gdb->reply, "C%x", (unsigned int)crc);
}
