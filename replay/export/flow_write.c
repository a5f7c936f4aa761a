/* SPDX-License-Identifier: Apache-2.0 */
/* A history of trace of program flow as Tarmac text: events made of it. See tarmac_writer.h. */
#include "replay/export/tarmac_writer.h"

void flow_set_vector(struct tarmac_exception *exception, enum core_arch arch, int64_t vector)
{
	const struct exception_vector *row = exception_vector_find(arch, vector);

	exception->has_vector = true;
	exception->vector = vector;
	if (row)
		exception->name = str_of(row->name);
}

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

void flow_instruction(struct tarmac_writer *w, const struct instruction *insn)
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

/* True if an exception was taken between instruction position - 1 and `position`. */
static bool is_exception_at(const struct history *history, uint64_t position)
{
	struct history_event event;

	for (size_t i = history_event_index(history, position);
	     history_event(history, i, &event) && event.position == position; i++) {
		if (element_is_exception(&event.element))
			return true;
	}
	return false;
}

void flow_branch(struct tarmac_writer *w, const struct instruction *insn)
{
	struct tarmac_event event = {.kind = TARMAC_BRANCH, .branch.isa = insn->isa};
	uint64_t next = w->position + 1;

	if (!insn->is_last || !insn->executed ||
	    (insn->class != INSN_BRANCH && insn->class != INSN_BRANCH_INDIRECT))
		return;
	if (insn->class == INSN_BRANCH && insn->has_opcode) {
		static const struct insn_options options = {0};
		struct insn branch = {0};

		(void)insn_classify(insn->isa, (uint32_t)insn->opcode, insn->address, &options,
		                    &branch);
		event.branch.target = branch.target;
		event.branch.isa = branch.next_isa;
	} else {
		struct instruction target = {.isa = insn->isa};

		if (history_has_gap_at(w->history, next) || is_exception_at(w->history, next) ||
		    history_pc(w->history, next, &event.branch.target) != STATUS_OK)
			return;
		if (next < history_length(w->history))
			history_at(w->history, next, &target);
		event.branch.isa = target.isa;
	}
	w->style->event(&w->lines, &event);
}

/* The next gap; false unless it is before instruction `position`. */
static bool next_gap(const struct tarmac_writer *w, uint64_t position, struct gap *gap)
{
	return history_gap(w->history, w->next_gap, gap) && gap->position <= position;
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
	struct gap gap;

	if (next_gap(w, w->position, &gap))
		return false;
	for (size_t i = w->next_event + 1;
	     history_event(w->history, i, &event) && event.position == w->position; i++) {
		enum element_type type = event.element.type;

		if (element_is_exception(&event.element) || type == ELEMENT_ADDR_NACC ||
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
		flow_set_vector(&event.exception, w->lines.is_m ? CORE_M : arch, vector);
	w->style->event(&w->lines, &event);
}

static void take_event(struct tarmac_writer *w, const struct element *element, bool is_written)
{
	if (element->type == ELEMENT_PE_CONTEXT) {
		w->context = element->context;
		w->has_context = true;
	} else if (element_is_exception(element) && is_written) {
		write_exception(w, element);
	}
}

static void take_gap(struct tarmac_writer *w, const struct gap *gap, bool is_written)
{
	w->has_context = w->has_context && !gap_loses_context(gap->reason);
	if (is_written)
		w->style->gap(&w->lines, gap);
}

void flow_between(struct tarmac_writer *w, uint64_t position, bool is_written)
{
	for (;;) {
		struct gap gap;
		struct history_event event;
		bool has_gap = next_gap(w, position, &gap);
		bool has_event = next_event(w, position, &event);

		if (has_gap && has_event &&
		    (event.position < gap.position ||
		     (event.position == gap.position && event.element.offset < gap.offset)))
			has_gap = false;
		if (has_gap) {
			take_gap(w, &gap, is_written);
			w->next_gap++;
		} else if (has_event) {
			take_event(w, &event.element, is_written);
			w->next_event++;
		} else {
			return;
		}
	}
}
