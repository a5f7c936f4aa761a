/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers: g, p, P. A register is sent whole or not at all: gdb takes 'x' digits for a wholly
 * unknown one and reads a half unknown one as zeros; lldb takes an error instead. The one register
 * that can be written is trace_pos, which is the seek.
 */
#include <inttypes.h>

#include "base/hex.h"
#include "stub/gdb.h"
#include "stub/rsp_request.h"
#include "stub/target_desc.h"

enum { ERROR_NO_REGISTER = 0x45 };

static void reverse(uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint8_t byte = bytes[i];

		bytes[i] = bytes[count - 1 - i];
		bytes[count - 1 - i] = byte;
	}
}

/* An address of code near the PC, but for the top byte, which gdb takes for a tag. */
static bool is_near(uint64_t address, const struct value *pc)
{
	enum { NEAR = 64, TAG = 8 }; /* bytes, bits */

	return ((address - value_u64(pc) + NEAR) & (UINT64_MAX >> TAG)) < (uint64_t)2 * NEAR;
}

/*
 * gdb takes the byte order from its program, and says it to nobody. Where it is the other one gdb
 * takes the PC for the reversed address, and reads code there. No memory of a snapshot is there.
 */
void gdb_learn_order(struct gdb *gdb, uint64_t address)
{
	struct value pc;
	uint8_t byte;

	if (gdb->client != CLIENT_GDB || !gdb->has_sent_pc)
		return;
	session_register(gdb->session, gdb->general, REGISTER_PC, &pc);
	if (!value_is_known(&pc) || is_near(address, &pc))
		return;
	reverse(pc.bits, pc.size);
	if (!is_near(address, &pc) ||
	    session_memory(gdb->session, gdb->general, address, &byte, 1) > 0)
		return;
	gdb->is_big = !gdb->is_big;
	gdb->has_sent_pc = false;
	gdb->tells_order = true;
}

void gdb_tell_order(struct gdb *gdb)
{
	bool tells =
	        gdb->tells_order && !gdb->is_refreshed; /* the script says it, and reads anew */

	gdb->tells_order = false;
	if (!tells)
		return;
	gdb_console(gdb, gdb->is_big ? STR("csreplay: gdb takes the core for big endian, as its "
	                                   "program is: registers that it showed until now were "
	                                   "reversed, from here on they are right\n")
	                             : STR("csreplay: gdb takes the core for little endian: "
	                                   "registers that it showed until now were reversed, from "
	                                   "here on they are right\n"));
}

void gdb_add_register(struct gdb *gdb, size_t core, unsigned int number)
{
	struct value value;

	session_register(gdb->session, core, number, &value);
	if (value_is_known(&value)) {
		if (gdb->is_big)
			reverse(value.bits, value.size);
		text_hex_bytes(&gdb->reply, value.bits, value.size);
		gdb->has_sent_pc |= number == REGISTER_PC;
		return;
	}
	for (unsigned int i = 0; i < 2U * value.size; i++)
		text_char(&gdb->reply, 'x');
}

void gdb_read_registers(struct gdb *gdb, struct str args)
{
	const struct register_file *file = session_registers(gdb->session);

	(void)args;
	for (unsigned int i = 0; i < file->count; i++) {
		if (register_file_has(file, i))
			gdb_add_register(gdb, gdb->general, i);
	}
}

/* Reads a register number that the description has. */
static bool parse_register(const struct gdb *gdb, struct str digits, unsigned int *number)
{
	uint64_t n;

	if (str_hex_to_u64(digits, &n) != STATUS_OK ||
	    !register_file_has(session_registers(gdb->session), n))
		return false;
	*number = (unsigned int)n;
	return true;
}

void gdb_read_register(struct gdb *gdb, struct str args)
{
	unsigned int number;
	struct value value;

	if (!parse_register(gdb, args, &number)) {
		gdb_error(gdb, ERROR_NO_REGISTER);
		return;
	}
	session_register(gdb->session, gdb->general, number, &value);
	if (gdb->client == CLIENT_LLDB && !value_is_known(&value))
		gdb_error(gdb, 1);
	else
		gdb_add_register(gdb, gdb->general, number);
}

void gdb_refuse_write(struct gdb *gdb, struct str args)
{
	(void)args;
	gdb_error_text(gdb, "the replay is read-only");
}

/* Nothing tells the client that memory is another now: it is told to have that read anew. */
static void refuse_stale(struct gdb *gdb, uint64_t from, uint64_t position)
{
	if (session_seek(gdb->session, gdb->general, from) != STATUS_OK)
		gdb->out.failed = true; /* it was there: the connection ends */
	gdb_error_text(gdb,
	               "memory that gdb keeps would be stale: `monitor seek %" PRIu64
	               "' and stepi; or `set stack-cache off', `set code-cache off', stepi, and "
	               "this again; or "
	               "`seek %" PRIu64 "' of csreplay's gdbinit",
	               position, position);
}

static void seek(struct gdb *gdb, struct str digits)
{
	uint64_t from = session_position(gdb->session, gdb->general);
	uint8_t bytes[8] = {0};
	size_t count = sizeof(bytes);
	uint64_t position = 0;

	if (hex_to_bytes(digits, bytes, &count) != STATUS_OK) {
		gdb_error(gdb, 1);
		return;
	}
	if (gdb->is_big)
		reverse(bytes, count);
	for (size_t i = 0; i < count; i++)
		position |= (uint64_t)bytes[i] << (8 * i);
	/* A script has its client read anew by writing what is there. */
	if (position != from &&
	    session_seek_alone(gdb->session, gdb->general, position) != STATUS_OK) {
		gdb_error_text(gdb, "position out of range (0..%" PRIu64 ")",
		               history_length(session_history(gdb->session, gdb->general)));
	} else if (!gdb_kept_is_true(gdb)) {
		refuse_stale(gdb, from, position);
	} else {
		gdb_went(gdb, gdb->general);
		gdb_look_away(gdb, gdb->general);
		gdb_ok(gdb);
	}
}

void gdb_write_register(struct gdb *gdb, struct str args)
{
	struct str digits = rsp_next(&args, '=');
	unsigned int number;

	if (!parse_register(gdb, digits, &number))
		gdb_error(gdb, ERROR_NO_REGISTER);
	else if (number == session_registers(gdb->session)->trace + TRACE_POSITION)
		seek(gdb, args);
	else
		gdb_refuse_write(gdb, args);
}
