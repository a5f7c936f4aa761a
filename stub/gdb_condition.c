/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of breakpoints: gdb sends them with Z0 and Z1, so that those that do not hold cost
 * no stop. gdb evaluates them again at a stop, so one that cannot be evaluated is a stop. gdb
 * manual, section "Packets", `Z0`.
 */
#include "base/hex.h"
#include "stub/agent_expression.h"
#include "stub/gdb.h"
#include "stub/rsp_request.h"

enum {
	LENGTH_SIZE = 4,
	CONDITIONS_MOST = 1 << 16, /* bytes */
};

/* "X4,22032700" at the beginning of `*rest`; false if it is none. */
static bool add_condition(struct str *rest, struct text *out)
{
	uint64_t length;

	if (!str_has_prefix(*rest, STR("X")))
		return false;
	*rest = str_skip(*rest, 1);
	if (rsp_next_hex(rest, ',', &length) != STATUS_OK || length == 0 ||
	    length > CONDITIONS_MOST || rest->n < 2 * length ||
	    out->length + length > CONDITIONS_MOST)
		return false;
	for (unsigned int i = 0; i < LENGTH_SIZE; i++)
		text_char(out, (char)(length >> (8 * i) & 0xff));
	for (uint64_t i = 0; i < length; i++) {
		uint8_t byte;
		size_t size = 1;

		if (hex_to_bytes((struct str){rest->p, 2}, &byte, &size) != STATUS_OK)
			return false;
		text_char(out, (char)byte);
		*rest = str_skip(*rest, 2);
	}
	return true;
}

void gdb_set_conditions(struct gdb_breakpoint *breakpoint, struct str packet)
{
	struct text *conditions = &breakpoint->conditions;

	text_clear(conditions);
	while (packet.n > 0) {
		if (!add_condition(&packet, conditions) ||
		    (packet.n > 0 && packet.p[0] != ';' && packet.p[0] != 'X')) {
			text_clear(conditions);
			return;
		}
		if (packet.n > 0 && packet.p[0] == ';')
			packet = str_skip(packet, 1);
	}
	if (text_status(conditions) != STATUS_OK) {
		text_fini(conditions);
		*conditions = (struct text){0};
	}
}

/* Where a condition is evaluated. */
struct evaluation {
	const struct session *session;
	size_t core;
	uint64_t position;
};

static bool read_register(void *context, unsigned int number, uint64_t *value)
{
	const struct evaluation *place = context;
	struct value found;

	if (!register_file_has(session_registers(place->session), number))
		return false;
	session_register_at(place->session, place->core, place->position, number, &found);
	if (!value_is_known(&found) || found.size > sizeof(*value))
		return false;
	*value = value_u64(&found);
	return true;
}

static bool read_memory(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
	const struct evaluation *place = context;
	uint8_t data[sizeof(*value)];
	struct bytes in;

	if (session_memory_at(place->session, place->core, place->position, address, data, size) <
	    size)
		return false;
	in = bytes_of(data, size);
	return bytes_le(&in, size, value) == STATUS_OK;
}

static bool counts(const struct gdb_breakpoint *breakpoint, struct evaluation *place)
{
	const struct agent_target target = {read_register, read_memory, place};
	struct bytes rest = bytes_of(breakpoint->conditions.data, breakpoint->conditions.length);
	struct bytes code;
	uint64_t length;

	if (bytes_left(&rest) == 0)
		return true;
	while (bytes_le(&rest, LENGTH_SIZE, &length) == STATUS_OK &&
	       bytes_take(&rest, (size_t)length, &code) == STATUS_OK) {
		if (agent_evaluate(code, &target) != AGENT_FAILS)
			return true;
	}
	return false;
}

bool gdb_breakpoint_counts(void *context, size_t core, uint64_t position)
{
	const struct gdb *gdb = context;
	struct evaluation place = {gdb->session, core, position};
	bool is_found = false;
	struct value pc;

	session_register_at(gdb->session, core, position, REGISTER_PC, &pc);
	for (size_t i = 0; i < gdb->breakpoint_count; i++) {
		if (gdb->breakpoints[i].address != value_u64(&pc))
			continue;
		if (counts(&gdb->breakpoints[i], &place))
			return true;
		is_found = true;
	}
	return !is_found;
}
