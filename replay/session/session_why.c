/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a value is known where a session's core is, or what keeps it unknown. In: a register or an
 * address. Out: text. What has to be reconstructed is explained by replay/values/explain. See
 * session.h.
 */
#include "replay/history/history.h"
#include "replay/session/session_store.h"
#include "replay/session/thread_view.h"

void session_trouble(const struct session *session, size_t core, struct text *out)
{
	size_t base = session_base_core(session, core);

	if (!session->values[base])
		return;
	why_trouble(session->values[base], out);
	if (out->length == 0)
		why_given_up(session->values[base], out);
}

/* The same for a register beyond the table, in the past. */
static void why_system(const struct session *session, struct session_place at,
                       const struct system_register *reg, struct text *out)
{
	if (system_register_is_halts(session->histories[at.core], session->values[at.core],
	                             &session->pasts[at.core], at.position, reg, out))
		text_puts(out, "it is what it is at the halt: only MSR and exceptions change it, "
		               "and neither they nor a gap come after this position\n");
}

/* What needs no reconstruction; false if that is not all. */
static bool why_at_once(const struct session *session, struct session_place at,
                        const struct why_subject *subject, struct text *out)
{
	const struct history *history = session->histories[at.core];
	const struct system_register *system =
	        register_system(session_core_registers(session, at.core), subject->number);

	if (!session->values[at.core])
		text_puts(out, "the trace has the data of registers and memory itself\n");
	else if (at.position == history_length(history))
		text_puts(out, "at the halt registers and memory are those of the snapshot\n");
	else if (!subject->is_memory && subject->number == REGISTER_PC)
		text_puts(out, "the trace says where execution was\n");
	else if (!subject->is_memory && system)
		why_system(session, at, system, out);
	else
		return false;
	return true;
}

enum status session_why(const struct session *session, size_t core,
                        const struct why_subject *subject, bool all, struct why_places *places,
                        struct text *out)
{
	const struct session_place at =
	        session_place(session, core, session->cursors[core].position);
	struct source_lines *lines;
	struct why_options options;
	enum status status;
	struct value value;
	uint8_t bytes[8];

	if (why_at_once(session, at, subject, out))
		return STATUS_OK;
	/* What is looked at grows as it does for the value itself. */
	if (subject->is_memory)
		(void)session_memory_at(session, at.core, at.position,
		                        subject->address & ~UINT64_C(7), bytes, sizeof(bytes));
	else
		session_register(session, core, subject->number, &value);
	lines = source_lines_open(session->snapshot->images, session->snapshot->image_count,
	                          session->snapshot->debug_folder);
	options = (struct why_options){.all = all, .lines = lines, .places = places};
	status = why_value(session->values[at.core], at.position, subject, &options, out);
	source_lines_close(lines);
	return status;
}
