/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers and memory of a session's cores, at their positions or others, and who sees the memory
 * that is shown. Out: values with what is known. See session.h and state.h.
 */
#include "replay/history/history.h"
#include "replay/session/session_store.h"
#include "replay/session/state.h"
#include "replay/session/thread_view.h"

/* Who knows of a core's past at a position. */
static struct values *values_at(const struct session *session, size_t core, uint64_t position)
{
	struct values *values = session->values[core];

	if (!session->hurries || !values || values_is_near(values, position))
		return values;
	return session->near[core];
}

void session_register_at(const struct session *session, size_t core, uint64_t position,
                         unsigned int number, struct value *value)
{
	const struct session_place at = session_place(session, core, position);
	const struct history *history = session->histories[at.core];
	const struct register_file *file = session_core_registers(session, core);
	const struct system_register *system = register_system(file, number);

	/* What the trace says, and the position, are those of the view. */
	if (!system && file->table[number].feature == REGISTER_TRACE)
		state_register(session->histories[core], NULL, position, number, value);
	else if (system)
		state_system_register(history, values_at(session, at.core, at.position),
		                      &session->pasts[at.core], at.position, system, value);
	else
		state_register(history, values_at(session, at.core, at.position), at.position,
		               number, value);
}

void session_register(const struct session *session, size_t core, unsigned int number,
                      struct value *value)
{
	session_register_at(session, core, session->cursors[core].position, number, value);
}

const struct register_file *session_registers(const struct session *session)
{
	return &session->registers[session->served];
}

const struct register_file *session_core_registers(const struct session *session, size_t core)
{
	return &session->registers[session_core(session, core)->arch];
}

size_t session_memory_at(const struct session *session, size_t core, uint64_t position,
                         uint64_t address, void *out, size_t size)
{
	const struct session_place at = session_place(session, core, position);

	return state_memory(session->histories[at.core], values_at(session, at.core, at.position),
	                    at.position, address, out, size);
}

bool session_memory_is_assumed(const struct session *session, size_t core, uint64_t position,
                               uint64_t address, size_t size)
{
	struct values *values = session->values[session_place(session, core, position).core];
	uint8_t bytes[64];
	size_t proved = 0;

	if (!values || !session_trusts_assumed(session))
		return false;
	values_proved_only(values, true);
	while (proved < size) {
		size_t count = size - proved < sizeof(bytes) ? size - proved : sizeof(bytes);

		if (session_memory_at(session, core, position, address + proved, bytes, count) <
		    count)
			break;
		proved += count;
	}
	values_proved_only(values, false);
	return proved < size;
}

void session_see(struct session *session, size_t core, const struct address_space *from)
{
	session->eyes[core].are_given = from != NULL;
	if (from)
		session->eyes[core].from = *from;
}

static void write_states(enum space states, struct text *out)
{
	const char *name = space_text(states);
	const char *between = "";

	if (name[0] != '?') {
		text_puts(out, name);
		return;
	}
	for (unsigned int bit = 1; bit < SPACE_ANY; bit <<= 1) {
		if (((unsigned int)states & bit) == 0)
			continue;
		text_printf(out, "%s%s", between, space_text((enum space)bit));
		between = " or ";
	}
}

void session_seen_from(const struct session *session, size_t core, struct text *out)
{
	const struct session_place at =
	        session_place(session, core, session->cursors[core].position);
	const struct history *history = session->histories[at.core];
	struct address_space from = session->eyes[core].from;

	if (!session->eyes[core].are_given)
		from = (struct address_space){
		        (enum space)(history_view(history, at.position) & SPACE_ANY),
		        history_context(history, at.position)};
	write_states(from.space, out);
	if (from.context.has_id)
		text_printf(out, ", context 0x%x", from.context.id);
	if (from.context.has_vmid)
		text_printf(out, ", VMID 0x%x", from.context.vmid);
}

size_t session_memory_from(const struct session *session, size_t core,
                           const struct address_space *from, uint64_t address, void *out,
                           size_t size)
{
	const struct session_place at =
	        session_place(session, core, session->cursors[core].position);
	const struct history *history = session->histories[at.core];
	const struct state_view view = {
	        history, values_at(session, at.core, at.position), at.position,
	        memmap_view(history_memory(history), from->space, &from->context)};

	return state_memory_in(&view, address, out, size);
}

size_t session_memory(const struct session *session, size_t core, uint64_t address, void *out,
                      size_t size)
{
	if (session->eyes[core].are_given)
		return session_memory_from(session, core, &session->eyes[core].from, address, out,
		                           size);
	return session_memory_at(session, core, session->cursors[core].position, address, out,
	                         size);
}
