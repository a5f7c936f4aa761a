/* SPDX-License-Identifier: Apache-2.0 */
/* A history as Tarmac text: events made of a history, or read again from a text. */
#include "replay/export/export.h"

#include <stdlib.h>

#include "replay/export/tarmac_writer.h"

/* The number that a core's name ends with. False if it does not, or if it is a large one. */
static bool trailing_number(struct str name, uint64_t *number)
{
	enum { DIGITS_MOST = 4 };
	size_t begin = name.n;

	while (begin > 0 && name.p[begin - 1] >= '0' && name.p[begin - 1] <= '9')
		begin--;
	return name.n - begin <= DIGITS_MOST &&
	       str_to_u64(str_skip(name, begin), number) == STATUS_OK;
}

/* What a record calls the core: the numbers of their names, where all have one, or their order. */
static uint32_t core_number(const struct session *session, size_t core)
{
	size_t count = session_core_count(session);
	uint64_t found = 0;
	uint64_t number;

	if (!trailing_number(session_core(session, core)->device->name, &found))
		return (uint32_t)core;
	for (size_t i = 0; i < count; i++) {
		if (!trailing_number(session_core(session, i)->device->name, &number) ||
		    (i != core && number == found))
			return (uint32_t)core;
	}
	return (uint32_t)found;
}

enum status tarmac_writer_open(const struct session *session, size_t core, enum tarmac_form form,
                               uint64_t from, uint64_t count, struct tarmac_writer **writer)
{
	const struct history *history = session_history(session, core);
	uint64_t length = history_length(history);
	struct tarmac_writer *w;
	enum status status = STATUS_OK;

	if (from > length)
		return STATUS_NOT_FOUND;
	w = calloc(1, sizeof(*w));
	if (!w)
		return STATUS_NO_MEM;
	w->history = history;
	w->lines.is_m = session_core(session, core)->arch == CORE_M;
	w->style = form == TARMAC_FORM_ISP ? &isp_style : &rev3_style;
	w->position = from;
	w->end = count < length - from ? from + count : length;
	w->is_initial = from == 0;
	w->lines.core = core_number(session, core);
	if (effects_known(w->history))
		status = effects_open(w->history, &w->effects);
	else
		w->disasm = disasm_create();
	if (status != STATUS_OK || (!w->effects && !w->disasm)) {
		tarmac_writer_close(w);
		return STATUS_NO_MEM;
	}
	*writer = w;
	return STATUS_OK;
}

void tarmac_writer_close(struct tarmac_writer *writer)
{
	if (!writer)
		return;
	effects_close(writer->effects);
	disasm_destroy(writer->disasm);
	text_fini(&writer->disassembly);
	text_fini(&writer->name);
	free(writer);
}

bool tarmac_form_has_cores(enum tarmac_form form)
{
	return form == TARMAC_FORM_ISP;
}

void tarmac_writer_follow(struct tarmac_writer *writer)
{
	writer->lines.is_elsewhere = true;
}

const struct export_losses *tarmac_writer_losses(const struct tarmac_writer *writer)
{
	return &writer->lines.lost;
}

/* The architecture of an exception's handler, which begins at `position`. */
static enum core_arch handler_arch(const struct tarmac_writer *w, uint64_t position)
{
	struct instruction insn;

	if (w->lines.is_m)
		return CORE_M;
	if (position >= history_length(w->history))
		return w->lines.is_a64 ? CORE_A64 : CORE_A32;
	history_at(w->history, position, &insn);
	return insn.isa == ISA_A64 ? CORE_A64 : CORE_A32;
}

/* From a text with data: its events. */

static void write_exception_line(struct tarmac_writer *w, struct tarmac_event *event,
                                 uint64_t position)
{
	struct tarmac_exception *exception = &event->exception;
	enum core_arch arch = handler_arch(w, position + 1);
	int64_t vector;

	if (tarmac_exception_is_none(exception))
		return;
	if (!exception->has_vector && tarmac_exception_vector(exception, arch, &vector))
		flow_set_vector(exception, arch, vector);
	else if (str_eq_nocase(exception->name, STR("CoreEvent_RESET")))
		exception->name = STR("Reset"); /* which has no vector in AArch64 */
	w->style->event(&w->lines, event);
}

/* Rev 3 says nothing where the core is Secure; other dialects have a word for it. */
static void say_security(struct tarmac_event *event)
{
	struct tarmac_instruction *insn = &event->instruction;

	if (event->dialect == TARMAC_DIALECT_REV3 && insn->mode != TARMAC_MODE_NONE &&
	    insn->mode != TARMAC_MODE_THREAD && insn->mode != TARMAC_MODE_HANDLER &&
	    insn->security == TARMAC_SECURITY_NOT_SAID)
		insn->security = TARMAC_SECURE;
}

static bool is_over(const struct tarmac_writer *w)
{
	return w->position == w->end && !(w->effects && w->is_initial);
}

/* Lines of the group; what an instruction did may not be told. */
static size_t group_lines(const struct tarmac_writer *w)
{
	return w->group.count + w->group.has_instruction;
}

/* Goes on to the next group where all lines of the one at hand are written. */
static void leave_group(struct tarmac_writer *w)
{
	if (!w->has_group || w->written < group_lines(w))
		return;
	w->has_group = false;
	w->position += !w->is_initial;
	w->is_initial = false;
}

/* Reads the next group that has lines; none is left if the writer is at its end then. */
static enum status look_at_next(struct tarmac_writer *w)
{
	while (!w->has_group && (w->is_initial || w->position < w->end)) {
		enum status status = effects_at(
		        w->effects, w->is_initial ? EFFECTS_INITIAL : w->position, &w->group);

		if (status == STATUS_UNAVAILABLE)
			w->group = (struct effects){0};
		else if (status != STATUS_OK)
			return status;
		w->has_group = true;
		w->written = 0;
		leave_group(w);
	}
	return STATUS_OK;
}

/* The next line of the group. */
static const struct tarmac_event *next_line(const struct tarmac_writer *w)
{
	size_t before = w->group.has_instruction;

	return w->written < before ? &w->group.instruction
	                           : &w->group.items[w->written - before].event;
}

enum status tarmac_writer_place(struct tarmac_writer *writer, uint64_t *place)
{
	if (writer->effects)
		TRY(look_at_next(writer));
	*place = 0;
	if (writer->effects)
		*place = is_over(writer) ? UINT64_MAX : next_line(writer)->offset;
	return STATUS_OK;
}

static void write_line(struct tarmac_writer *w)
{
	struct tarmac_event event = *next_line(w);

	if (w->written < w->group.has_instruction)
		say_security(&event);
	if (event.kind == TARMAC_EXCEPTION)
		write_exception_line(w, &event, w->is_initial ? EFFECTS_INITIAL : w->position);
	else
		w->style->event(&w->lines, &event);
	w->written++;
}

/* Lines of the group before `until`. */
static void write_group(struct tarmac_writer *w, uint64_t until)
{
	while (w->written < group_lines(w) && next_line(w)->offset < until)
		write_line(w);
	leave_group(w);
}

/* The text's head. */
static void begin(struct tarmac_writer *w)
{
	static const enum mark times[] = {MARK_CYCLES, MARK_TIMESTAMP};
	uint64_t length = history_length(w->history);
	uint64_t value;

	for (size_t i = 0; !w->effects && i < sizeof(times) / sizeof(times[0]); i++) {
		if (!w->has_time &&
		    history_mark(w->history, times[i], length, &value) == STATUS_OK) {
			w->has_time = true;
			w->time = times[i];
		}
	}
	w->lines.has_timestamps =
	        w->effects ? tarmac_has_times(history_data(w->history)) : w->has_time;
	w->lines.has_places = w->effects && tarmac_has_places(history_data(w->history));
	w->style->begin(&w->lines);
	if (!w->effects && w->position > 0)
		flow_between(w, w->position - 1, false);
	w->has_begun = true;
}

enum status tarmac_writer_next(struct tarmac_writer *writer, uint64_t until, struct text *out)
{
	uint64_t length = history_length(writer->history);
	struct instruction insn;
	bool is_end;

	if (writer->effects)
		TRY(look_at_next(writer));
	is_end = is_over(writer);
	if (is_end && writer->end < length)
		return STATUS_END;
	writer->lines.out = out;
	writer->lines.position = writer->position;
	if (writer->position < length) {
		history_at(writer->history, writer->position, &insn);
		writer->lines.is_a64 = insn.isa == ISA_A64;
	}
	if (!writer->has_begun)
		begin(writer);
	if (!writer->effects)
		flow_between(writer, writer->position, true);
	TRY(text_status(&writer->name));
	if (is_end)
		return STATUS_END;
	if (writer->effects) {
		write_group(writer, until);
	} else {
		flow_instruction(writer, &insn);
		flow_branch(writer, &insn);
		writer->position++;
	}
	TRY(text_status(&writer->disassembly));
	return text_status(out);
}
