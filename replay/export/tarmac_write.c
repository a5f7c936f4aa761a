/* SPDX-License-Identifier: Apache-2.0 */
/* A history as Tarmac text: events made of a history, or read again from a text. */
#include "replay/export/export.h"

#include <stdlib.h>

#include "arch/isa.h"
#include "replay/export/line_write.h"
#include "replay/tarmac/tarmac.h"

struct tarmac_writer {
	const struct history *history;
	const struct line_style *style;
	struct line_writer lines;
	uint64_t position; /* of the next instruction */
	bool has_begun;
	/* What the next instruction does, where it was looked at. */
	struct effects next;
	bool has_next;
	struct effects_reader *effects; /* NULL for trace of program flow; then: */
	struct disasm *disasm;
	struct text disassembly; /* of the instruction at hand */
	struct text name;        /* of the exception at hand */
	bool has_time;
	enum mark time;
	struct pe_context context;
	bool has_context;
	size_t next_event;
	size_t next_gap;
};

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
                               uint64_t from, struct tarmac_writer **writer)
{
	const struct history *history = session_history(session, core);
	struct tarmac_writer *w;
	enum status status = STATUS_OK;

	if (from > history_length(history))
		return STATUS_NOT_FOUND;
	w = calloc(1, sizeof(*w));
	if (!w)
		return STATUS_NO_MEM;
	w->history = history;
	w->lines.is_m = session_core(session, core)->arch == CORE_M;
	w->style = form == TARMAC_FORM_ISP ? &isp_style : &rev3_style;
	w->position = from;
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
	writer->lines.is_after = true;
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

/* The exception is that of the vector, and called so. */
static void set_vector(struct tarmac_exception *exception, enum core_arch arch, int64_t vector)
{
	const struct exception_vector *row = exception_vector_find(arch, vector);

	exception->has_vector = true;
	exception->vector = vector;
	if (row)
		exception->name = str_of(row->name);
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
		set_vector(exception, arch, vector);
	else if (str_eq_nocase(exception->name, STR("CoreEvent_RESET")))
		exception->name = STR("Reset"); /* which has no vector in AArch64 */
	w->style->event(&w->lines, event);
}

static void write_effect(struct tarmac_writer *w, const struct effect *effect, uint64_t position)
{
	struct tarmac_event event = effect->event;

	if (event.kind == TARMAC_EXCEPTION)
		write_exception_line(w, &event, position);
	else
		w->style->event(&w->lines, &event);
}

/* Reads what the next instruction does. */
static enum status look_at_next(struct tarmac_writer *w)
{
	enum status status = STATUS_OK;

	if (!w->has_next)
		status = effects_at(w->effects, w->position, &w->next);
	w->has_next = status == STATUS_OK;
	return status;
}

enum status tarmac_writer_place(struct tarmac_writer *writer, uint64_t *place)
{
	enum status status;

	*place = 0;
	if (writer->position >= history_length(writer->history))
		*place = UINT64_MAX;
	if (!writer->effects || *place > 0)
		return STATUS_OK;
	status = look_at_next(writer);
	if (status == STATUS_OK)
		*place = writer->next.instruction.offset;
	return status == STATUS_UNAVAILABLE ? STATUS_OK : status;
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

static enum status write_effects(struct tarmac_writer *w, uint64_t position)
{
	struct effects effects;
	enum status status = STATUS_OK;

	if (w->has_next && position == w->position)
		effects = w->next;
	else
		status = effects_at(w->effects, position, &effects);
	w->has_next = false;
	if (status != STATUS_OK)
		return status == STATUS_UNAVAILABLE ? STATUS_OK : status;
	if (effects.has_instruction) {
		say_security(&effects.instruction);
		w->style->event(&w->lines, &effects.instruction);
	}
	for (size_t i = 0; i < effects.count; i++)
		write_effect(w, &effects.items[i], position);
	return STATUS_OK;
}

/* From trace of program flow: events made of the history. */

static void find_time(struct tarmac_writer *w, uint64_t position, struct tarmac_event *event)
{
	event->has_timestamp = w->has_time && history_mark(w->history, w->time, position,
	                                                   &event->timestamp) == STATUS_OK;
	event->unit = w->time == MARK_CYCLES ? TARMAC_UNIT_CLK : TARMAC_UNIT_TIC;
}

static enum tarmac_mode mode_of(const struct pe_context *context)
{
	static const enum tarmac_mode a64_modes[] = {
	        [EL_0] = TARMAC_MODE_EL0T, /* it has no other stack pointer */
	        [EL_1] = TARMAC_MODE_EL1,
	        [EL_2] = TARMAC_MODE_EL2,
	        [EL_3] = TARMAC_MODE_EL3,
	};

	if (context->level == EL_UNKNOWN)
		return TARMAC_MODE_NONE;
	if (context->is_64bit)
		return a64_modes[context->level];
	if (context->level == EL_0)
		return TARMAC_MODE_USR;
	return context->level == EL_2 ? TARMAC_MODE_HYP : TARMAC_MODE_NONE;
}

static enum tarmac_security security_of(const struct pe_context *context)
{
	switch (context->security) {
	case SECURITY_NON_SECURE:
		return TARMAC_NON_SECURE;
	case SECURITY_ROOT:
		return TARMAC_ROOT;
	case SECURITY_REALM:
		return TARMAC_REALM;
	case SECURITY_SECURE:
		break;
	}
	return TARMAC_SECURE;
}

/* A failed condition that the trace shows: of AArch32 branches. A64's are executed in any case. */
static bool is_failed(const struct instruction *insn)
{
	return insn->isa != ISA_A64 && insn->is_last && !insn->executed &&
	       (insn->class == INSN_BRANCH || insn->class == INSN_BRANCH_INDIRECT);
}

static void write_instruction(struct tarmac_writer *w, const struct instruction *insn)
{
	struct tarmac_event event = {.kind = TARMAC_INSTRUCTION, .dialect = TARMAC_DIALECT_REV3};
	struct tarmac_instruction *line = &event.instruction;

	find_time(w, w->position, &event);
	*line = (struct tarmac_instruction){
	        .effect = is_failed(insn) ? TARMAC_CCFAIL : TARMAC_EXECUTED,
	        .isa = insn->isa,
	        .size = insn->size,
	        .has_address = true,
	        .address = insn->address,
	        .opcode = insn->opcode,
	};
	text_clear(&w->disassembly);
	if (insn->has_opcode)
		disasm_text(w->disasm, insn->address, insn->opcode, insn->size, insn->isa,
		            &w->disassembly);
	else
		line->effect = TARMAC_FETCH_FAILED;
	line->disassembly = text_str(&w->disassembly);
	if (w->has_context) {
		line->mode = mode_of(&w->context);
		line->security = security_of(&w->context);
	}
	w->style->event(&w->lines, &event);
}

static void classify(const struct instruction *insn, struct insn *out)
{
	static const struct insn_options options = {0};

	if (insn->isa == ISA_A64)
		insn_a64_classify((uint32_t)insn->opcode, insn->address, &options, out);
	else if (insn->isa == ISA_A32)
		insn_a32_classify((uint32_t)insn->opcode, insn->address, &options, out);
	else
		insn_t32_classify((uint32_t)insn->opcode, insn->address, &options, out);
}

/* True if an exception was taken between instruction position - 1 and `position`. */
static bool is_exception_at(const struct history *history, uint64_t position)
{
	struct history_event event;

	for (size_t i = history_event_index(history, position);
	     history_event(history, i, &event) && event.position == position; i++) {
		if (event.element.type == ELEMENT_EXCEPTION)
			return true;
	}
	return false;
}

/* Where a branch that was taken leads to: what its opcode says, or where execution goes on. */
static void write_branch(struct tarmac_writer *w, const struct instruction *insn)
{
	struct tarmac_event event = {.kind = TARMAC_BRANCH, .branch.isa = insn->isa};
	uint64_t next = w->position + 1;

	if (!insn->is_last || !insn->executed ||
	    (insn->class != INSN_BRANCH && insn->class != INSN_BRANCH_INDIRECT))
		return;
	if (insn->class == INSN_BRANCH && insn->has_opcode) {
		struct insn branch = {0};

		classify(insn, &branch);
		event.branch.target = branch.target;
		event.branch.isa = branch.next_isa;
	} else {
		struct instruction target = {.isa = insn->isa};

		if (history_gap_at(w->history, next) || is_exception_at(w->history, next) ||
		    history_pc(w->history, next, &event.branch.target) != STATUS_OK)
			return;
		if (next < history_length(w->history))
			history_at(w->history, next, &target);
		event.branch.isa = target.isa;
	}
	w->style->event(&w->lines, &event);
}

/* The next gap, if it is before instruction `position`. */
static const struct gap *next_gap(const struct tarmac_writer *w, uint64_t position)
{
	size_t count;
	const struct gap *gaps = history_gaps(w->history, &count);

	return w->next_gap < count && gaps[w->next_gap].position <= position ? &gaps[w->next_gap]
	                                                                     : NULL;
}

/* The next event; false unless it is before instruction `position`. */
static bool next_event(const struct tarmac_writer *w, uint64_t position,
                       struct history_event *event)
{
	return history_event(w->history, w->next_event, event) && event->position <= position;
}

/* True if nothing is missing between the event at hand and the instruction after it. */
static bool leads_on(const struct tarmac_writer *w)
{
	struct history_event event;

	if (next_gap(w, w->position))
		return false;
	for (size_t i = w->next_event + 1;
	     history_event(w->history, i, &event) && event.position == w->position; i++) {
		enum element_type type = event.element.type;

		if (type == ELEMENT_EXCEPTION || type == ELEMENT_ADDR_NACC ||
		    type == ELEMENT_ADDR_UNKNOWN || type == ELEMENT_I_RANGE_NOPATH ||
		    type == ELEMENT_NO_SYNC || type == ELEMENT_TRACE_ON)
			return false;
	}
	return true;
}

/* The context that the handler begins in; false unless it is said before its first instruction. */
static bool next_context(const struct tarmac_writer *w, struct pe_context *context)
{
	struct history_event event;

	for (size_t i = w->next_event + 1;
	     history_event(w->history, i, &event) && event.position == w->position; i++) {
		if (event.element.type == ELEMENT_PE_CONTEXT) {
			*context = event.element.context;
			return true;
		}
	}
	return false;
}

static struct exception_target find_target(const struct tarmac_writer *w)
{
	struct pe_context to;
	bool is_told = next_context(w, &to);
	struct exception_target target = {.level = is_told ? (int)to.level : -1, .from = -1};
	struct instruction insn;

	if (w->has_context) {
		target.from = (int)w->context.level;
		target.is_from_64bit = w->context.is_64bit;
	}
	target.is_64bit = is_told ? to.is_64bit : w->lines.is_a64;
	if (!leads_on(w) || w->position >= history_length(w->history))
		return target;
	history_at(w->history, w->position, &insn);
	target.has_address = true;
	target.address = insn.address;
	target.is_64bit = insn.isa == ISA_A64;
	return target;
}

/* What has no vector, as the document and real files call it. */
static void name_exception(struct tarmac_writer *w, const struct element *element)
{
	const struct exception_info *info = element->exception.info;

	text_clear(&w->name);
	if (!info)
		text_printf(&w->name, "Exception %u of the trace", element->exception.number);
	else if (info->kind == EXCEPTION_DEBUG)
		text_puts(&w->name, "Debug Halt Mode Entry");
	else if (info->kind == EXCEPTION_RESET)
		text_puts(&w->name, "Reset");
	else
		exception_format(info, element->exception.number, &w->name);
}

static void write_exception(struct tarmac_writer *w, const struct element *element)
{
	struct tarmac_event event = {.kind = TARMAC_EXCEPTION};
	struct exception_target target = find_target(w);
	enum core_arch arch = target.is_64bit ? CORE_A64 : CORE_A32;
	int64_t vector;

	name_exception(w, element);
	event.exception.name = text_str(&w->name);
	find_time(w, w->position, &event);
	if (exception_vector_of(element->exception.info, element->exception.number, &target,
	                        &vector))
		set_vector(&event.exception, w->lines.is_m ? CORE_M : arch, vector);
	w->style->event(&w->lines, &event);
}

static void take_event(struct tarmac_writer *w, const struct element *element, bool is_written)
{
	if (element->type == ELEMENT_PE_CONTEXT) {
		w->context = element->context;
		w->has_context = true;
	} else if (element->type == ELEMENT_EXCEPTION && is_written) {
		write_exception(w, element);
	}
}

static void take_gap(struct tarmac_writer *w, const struct gap *gap, bool is_written)
{
	w->has_context = w->has_context && !gap_loses_context(gap->reason);
	if (is_written)
		w->style->gap(&w->lines, gap);
}

/* What stands between instructions up to before instruction `position`, in the trace's order. */
static void pass_between(struct tarmac_writer *w, uint64_t position, bool is_written)
{
	for (;;) {
		const struct gap *gap = next_gap(w, position);
		struct history_event event;
		bool has_event = next_event(w, position, &event);

		if (gap && has_event &&
		    (event.position < gap->position ||
		     (event.position == gap->position && event.element.offset < gap->offset)))
			gap = NULL;
		if (gap) {
			take_gap(w, gap, is_written);
			w->next_gap++;
		} else if (has_event) {
			take_event(w, &event.element, is_written);
			w->next_event++;
		} else {
			return;
		}
	}
}

/* The text's head; for a text with data what it says before the first instruction. */
static enum status begin(struct tarmac_writer *w)
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
	w->lines.has_timestamps = w->has_time;
	w->has_next = false; /* other places are read here */
	if (w->effects && length > 0) {
		struct effects effects;

		TRY(effects_at(w->effects, 0, &effects));
		w->lines.has_timestamps = effects.instruction.has_timestamp;
	}
	w->style->begin(&w->lines);
	if (w->effects && w->position == 0)
		return write_effects(w, EFFECTS_INITIAL);
	if (!w->effects && w->position > 0)
		pass_between(w, w->position - 1, false);
	return STATUS_OK;
}

enum status tarmac_writer_next(struct tarmac_writer *writer, struct text *out)
{
	bool is_end = writer->position == history_length(writer->history);
	struct instruction insn;

	writer->lines.out = out;
	writer->lines.position = writer->position;
	if (!is_end) {
		history_at(writer->history, writer->position, &insn);
		writer->lines.is_a64 = insn.isa == ISA_A64;
	}
	if (!writer->has_begun)
		TRY(begin(writer));
	writer->has_begun = true;
	if (!writer->effects)
		pass_between(writer, writer->position, true);
	TRY(text_status(&writer->name));
	if (is_end)
		return STATUS_END;
	if (writer->effects) {
		TRY(write_effects(writer, writer->position));
	} else {
		write_instruction(writer, &insn);
		write_branch(writer, &insn);
	}
	writer->position++;
	TRY(text_status(&writer->disassembly));
	return text_status(out);
}
