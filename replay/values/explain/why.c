/* SPDX-License-Identifier: Apache-2.0 */
/* The question, the window with its log, lines; see explain.h. */
#include "replay/values/explain/explain.h"

#include <inttypes.h>
#include <string.h>

#include "arch/isa.h"
#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/explain/why_walk.h"

enum { LINES = 16, LINES_ALL = 1000 };

bool why_line(struct why_walk *w)
{
	if (w->lines == w->lines_most) {
		w->is_cut = true;
		return false;
	}
	w->lines++;
	text_puts(w->out, "  ");
	return true;
}

/* Execution goes on where it was interrupted: of the handler the trace has nothing. */
static const char *exception_text(const struct history *history, uint64_t position,
                                  const struct element *e)
{
	uint64_t pc;

	return e->exception.has_return_address && history_pc(history, position, &pc) == STATUS_OK &&
	                       pc == e->exception.return_address
	               ? "an exception whose handler was not traced"
	               : "an exception, at which not all that it changes is known";
}

/* What lies between two instructions: gaps and exceptions, or the missing state at the halt. */
static void between(const struct why_walk *w, uint64_t position)
{
	const struct history *history = w->solver.w.history;
	struct history_event event;
	struct gap gap;

	if (history_gap_at(history, position, &gap)) {
		gap_format(&gap, w->out);
		return;
	}
	for (size_t i = history_event_index(history, position);
	     history_event(history, i, &event) && event.position == position; i++) {
		if (!element_is_exception(&event.element) &&
		    event.element.type != ELEMENT_PE_CONTEXT)
			continue;
		text_puts(w->out, event.element.type == ELEMENT_EXCEPTION
		                          ? exception_text(history, position, &event.element)
		                          : "another context");
		return;
	}
	text_puts(w->out, position == history_length(history)
	                          ? "nothing says that the trace leads to the halt"
	                          : "execution did not simply go on");
}

/* The line that was begun last is about this place. */
static void note_place(struct why_walk *w, struct why_place place)
{
	struct why_places *places = w->places;

	if (!places)
		return;
	place.clause = w->out->length;
	if (vec_reserve((void **)&places->items, &places->capacity, places->count + 1,
	                sizeof(*places->items)) == STATUS_OK)
		places->items[places->count++] = place;
	else
		w->status = STATUS_NO_MEM;
}

bool why_dyn_line(struct why_walk *w, size_t dyn)
{
	const struct template *template = window_template(&w->solver.w, dyn);
	struct why_place place = {.line = w->out->length,
	                          .position = window_position_of(&w->solver.w, dyn),
	                          .pc = template->address,
	                          .has_pc = template->is_code || template->leads_on};
	struct source_line line;

	if (!why_line(w))
		return false;
	text_printf(w->out, "%" PRIu64 "  ", place.position);
	if (place.has_pc)
		text_printf(w->out, "0x%" PRIx64 "  ", template->address);
	if (place.has_pc && !template->leads_on &&
	    source_lines_find(w->source, template->address, &line))
		text_printf(w->out, "%s:%d  ", line.file, line.line);
	place.instruction = w->out->length;
	if (!place.has_pc)
		between(w, place.position);
	else if (template->leads_on)
		text_puts(w->out, "the instruction that faulted there");
	else
		disasm_text(w->disasm, template->address, template->opcode, template->size,
		            (enum isa) template->isa, w->out);
	text_puts(w->out, ": ");
	note_place(w, place);
	return true;
}

void why_name(const struct why_walk *w, unsigned int reg, struct text *out)
{
	register_slot_name(history_core(w->solver.w.history)->arch, reg, out);
}

void why_bits(struct bits b, struct text *out)
{
	if (b.known == 0) {
		text_puts(out, "something else");
		return;
	}
	text_printf(out, "0x%" PRIx64, b.value);
	if (b.known != UINT64_MAX)
		text_printf(out, " in the bits 0x%" PRIx64, b.known);
}

uint32_t why_ssa(const struct why_walk *w, size_t dyn, unsigned int slot)
{
	const struct window *window = &w->solver.w;
	const struct dyn_numbers at = window_dyn(window, dyn);

	if (slot >= SLOT_TEMP)
		return at.ssa + (slot - SLOT_TEMP);
	return window->reads[at.read + window_template(window, dyn)->read_of[slot]];
}

bool why_maker(const struct why_walk *w, uint32_t ssa, size_t *dyn)
{
	if (ssa < REG_COUNT)
		return false;
	*dyn = window_maker_of(&w->solver.w, ssa);
	return true;
}

uint64_t why_address(const struct why_walk *w, const struct memdep_access *access)
{
	return memdep_canonical(memdep_address(&w->solver, access).value);
}

/* Why an access is none for a granule, and by which assumption. */
static const struct {
	const char *text;
	enum assumption assumption;
} aparts[] = {
        [MEMDEP_MAY_ALIAS] = {"", ASSUME_ABI},
        [MEMDEP_APART_ABI] = {"a function keeps registers", ASSUME_ABI},
        [MEMDEP_APART_LITERAL] = {"code keeps the constants beside it", ASSUME_ABI},
        [MEMDEP_APART_SIGNAL] = {"the handler of a signal keeps what it interrupts", ASSUME_ABI},
        [MEMDEP_APART_LOCALS] = {"nothing points at a local variable", ASSUME_PRIVATE_LOCALS},
        [MEMDEP_APART_TASK] = {"nobody writes what a waiting task has saved", ASSUME_WAITING_TASKS},
};

const char *why_apart_text(enum memdep_apart apart)
{
	return aparts[apart].text;
}

const char *why_apart_name(enum memdep_apart apart)
{
	return assumption_name(aparts[apart].assumption);
}

void why_rests_on(struct why_walk *w, const char *format, ...)
{
	struct text line = {0};
	va_list args;

	if (!w->leaves)
		return;
	if (w->leaves->length == 0)
		text_char(w->leaves, '\n');
	text_char(&line, '\n');
	va_start(args, format);
	text_vprintf(&line, format, args);
	va_end(args);
	text_char(&line, '\n');
	if (line.data && w->leaves->data && !strstr(w->leaves->data, line.data))
		text_puts(w->leaves, line.data + 1);
	text_fini(&line);
}

uint64_t why_wanted(struct register_slot at)
{
	return at.is_flags ? 0xffff : bits_mask(at.count == 2 ? 64 : at.bits);
}

void why_value_text(struct register_slot at, const struct bits slots[2], struct text *out)
{
	if (at.is_flags)
		text_printf(out, "0x%" PRIx64, bits_flags_packed(&slots[0]).value << 28);
	else if (at.count == 2)
		text_printf(out, "0x%" PRIx64 "%016" PRIx64, slots[1].value, slots[0].value);
	else
		text_printf(out, "0x%" PRIx64, slots[0].value);
}

/* What is asked. */
struct question {
	struct values *values;
	uint64_t position;
	const struct why_subject *subject;
};

/* What of the subject is known is not all proved. */
static bool is_assumed(const struct question *q)
{
	struct values *values = q->values;
	const struct why_subject *subject = q->subject;
	uint64_t position = q->position;
	uint64_t address = subject->address & ~UINT64_C(7);
	uint8_t bytes[8];
	struct value value;
	size_t proved;
	size_t known;

	if (!subject->is_memory) {
		values_register(values, position, subject->number, &value);
		return value.is_assumed;
	}
	/* The window that is explained is to stay. */
	values_keep_windows(values, true);
	values_proved_only(values, true);
	proved = values_memory(values, position, address, bytes, sizeof(bytes));
	values_proved_only(values, false);
	known = values_memory(values, position, address, bytes, sizeof(bytes));
	values_keep_windows(values, false);
	return known > proved;
}

/* Of what is known: "proved", or "assumed". */
static const char *how_known(struct why_walk *w, const struct question *q)
{
	w->is_assumed = is_assumed(q);
	return w->is_assumed ? "assumed" : "proved";
}

/* "x3 at position 20 is 0x5, proved:". */
static void say_register(struct why_walk *w, const struct question *q, const char *name,
                         struct register_slot at, const struct bits slots[2], bool known)
{
	const char *is = at.is_flags ? "are" : "is";

	text_printf(w->out, "%s%s at position %" PRIu64 " %s ", at.is_flags ? "the flags in " : "",
	            name, q->position, is);
	if (!known) {
		text_puts(w->out, "not known:\n");
		return;
	}
	why_value_text(at, slots, w->out);
	text_printf(w->out, ", %s:\n", how_known(w, q));
}

/* True if it is known; the same below. */
static bool explain_register(struct why_walk *w, const struct question *q, const char *name,
                             struct register_slot at)
{
	size_t dyn = window_dyn_of(&w->solver.w, q->position);
	unsigned int unknown = at.count;
	struct bits slots[2] = {{0, 0}, {0, 0}};
	uint32_t ssa_values[2];

	for (unsigned int i = at.count; i-- > 0;) {
		ssa_values[i] = window_ssa_of(&w->solver.w, dyn, at.slot + i);
		slots[i] = w->solver.ssa_values[ssa_values[i]];
		if ((why_wanted(at) & ~slots[i].known) != 0)
			unknown = i;
	}
	say_register(w, q, name, at, slots, unknown == at.count);
	if (unknown < at.count) {
		why_unknown_register(w, dyn, at.slot + unknown);
		return false;
	}
	for (unsigned int i = 0; i < at.count; i++)
		why_known_ssa(w, ssa_values[i], why_wanted(at));
	return true;
}

static bool explain_granule(struct why_walk *w, const struct question *q)
{
	size_t dyn = window_dyn_of(&w->solver.w, q->position);
	uint64_t granule = q->subject->address & ~UINT64_C(7);
	struct bits b = memdep_granule_at(&w->solver, dyn, granule);

	text_printf(w->out, "the 8 bytes at 0x%" PRIx64, granule);
	if (b.known == UINT64_MAX) {
		text_printf(w->out, ", 0x%" PRIx64 ", are %s:\n", b.value, how_known(w, q));
		why_known_granule(w, dyn, granule, UINT64_MAX);
		return true;
	}
	if (b.known != 0) {
		text_puts(w->out, ", ");
		why_bits(b, w->out);
		text_char(w->out, ',');
	}
	text_puts(w->out, " are not all known:\n");
	why_unknown_granule(w, dyn, granule, ~b.known);
	return false;
}

static bool explain(struct why_walk *w, const struct question *q)
{
	enum core_arch arch = history_core(w->solver.w.history)->arch;
	const struct window_options *window = &w->solver.w.options;
	struct register_slot at;
	const char *name;

	if (q->position < window->from) {
		text_printf(w->out,
		            "not known: nothing is before position %" PRIu64
		            ", where code or the byte order of data changed\n",
		            window->from);
		return false;
	}
	if (q->subject->is_memory)
		return explain_granule(w, q);
	name = register_file_of(arch).table[q->subject->number].name;
	at = register_slot_of(arch, q->subject->number);
	if (at.count > 0)
		return explain_register(w, q, name, at);
	text_printf(w->out, "%s is not reconstructed\n", name);
	return false;
}

/* The window, solved with a log. */
static enum status begin(struct why_walk *w, const struct history *history,
                         const struct solve_options *options)
{
	struct solve_options o = *options;

	w->disasm = disasm_create();
	if (!w->disasm)
		return STATUS_NO_MEM;
	o.log = &w->log;
	TRY(solve_init(&w->solver, history, &o));
	return w->log.status;
}

static void end(struct why_walk *w)
{
	solve_fini(&w->solver);
	provenance_fini(&w->log);
	disasm_destroy(w->disasm);
}

void why_trouble(const struct values *values, struct text *out)
{
	struct solve_options options;
	struct text both = {0};
	uint64_t position;

	if (values_status(values) != STATUS_OK) {
		text_puts(out, status_text(values_status(values)));
	} else if (values_conflict(values, &options, &position)) {
		text_printf(out,
		            "snapshot and trace disagree at position %llu: no value of the past is "
		            "shown",
		            (unsigned long long)position);
		if (why_disagreement(values_history(values), &options, &both) == STATUS_OK)
			text_add(out, text_str(&both));
		text_fini(&both);
	}
}

void why_given_up(const struct values *values, struct text *out)
{
	struct solve_options options;
	struct text both = {0};
	enum assumption assumption;
	uint64_t position;

	if (!values_given_up(values, &assumption, &options, &position))
		return;
	text_printf(out,
	            "the assumption %s does not hold at position %" PRIu64
	            ": it is given up here, and what rests on it is not shown",
	            assumption_name(assumption), position);
	if (why_disagreement(values_history(values), &options, &both) == STATUS_OK)
		text_add(out, text_str(&both));
	text_fini(&both);
}

static void say_not_reconstructed(const struct values *values, struct text *out)
{
	struct text trouble = {0};

	why_trouble(values, &trouble);
	text_puts(out, "not known: values of this core's past are not reconstructed");
	if (trouble.length > 0)
		text_printf(out, ": %s", trouble.data);
	text_puts(out, "\n");
	text_fini(&trouble);
}

/* Which assumptions the answer rests on; an assumption that is in the chain is named there, too. */
static void say_assumed(const struct values *values, struct text *out)
{
	const char *before = "  this is assumed, and not proved: it rests on";

	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (!values_rests_on(values, i))
			continue;
		text_printf(out, "%s %s (%s)", before, assumption_name(i), assumption_text(i));
		before = ",";
	}
	text_char(out, '\n');
}

enum status why_value(struct values *values, uint64_t position, const struct why_subject *subject,
                      const struct why_options *how, struct text *out)
{
	struct why_walk w = {.out = out,
	                     .lines_most = how->all ? LINES_ALL : LINES,
	                     .source = how->lines,
	                     .places = how->places};
	const struct question question = {values, position, subject};
	struct solve_options options;
	enum status status;
	bool is_known = true;

	if (!values_window(values, position, values_allowed(values), &options)) {
		say_not_reconstructed(values, out);
		return STATUS_OK;
	}
	status = begin(&w, values_history(values), &options);
	if (status == STATUS_OK && w.solver.has_conflict)
		why_conflict(&w);
	else if (status == STATUS_OK)
		is_known = explain(&w, &question);
	if (w.is_cut)
		text_puts(out, how->all ? "  ...\n" : "  ... (`why -v` shows more)\n");
	if (!is_known)
		why_if(values, position, subject, out);
	else if (status == STATUS_OK && w.is_assumed)
		say_assumed(values, out);
	end(&w);
	return status == STATUS_OK ? w.status : status;
}

enum status why_disagreement(const struct history *history, const struct solve_options *options,
                             struct text *out)
{
	struct why_walk w = {.out = out};
	enum status status = begin(&w, history, options);

	if (status == STATUS_OK && w.solver.has_conflict)
		why_conflict_short(&w);
	end(&w);
	return status == STATUS_OK ? w.status : status;
}
