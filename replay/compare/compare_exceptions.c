/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions of two histories; see compare_exceptions.h. */
#include "replay/compare/compare_exceptions.h"

#include "arch/isa.h"
#include "replay/history/history.h"

/* What is known of an exception. */
struct known {
	bool has_vector;
	bool has_kind;
	int64_t vector;
	enum core_arch arch;
	enum exception_kind kind; /* FAULT for all that an instruction causes */
	struct str name;          /* of a text */
};

/* All that an instruction causes is one kind, and so is what interrupts it. */
static enum exception_kind broad(enum exception_kind kind)
{
	if (exception_is_synchronous(kind))
		return EXCEPTION_FAULT;
	return kind == EXCEPTION_SYSTEM ? EXCEPTION_INTERRUPT : kind;
}

static void set_kind(struct known *known, enum exception_kind kind)
{
	known->has_kind = kind != EXCEPTION_OTHER;
	known->kind = broad(kind);
}

static void know_text(struct known *known, const struct element *e)
{
	const struct exception_vector *row = NULL;

	known->name = e->exception.name;
	known->has_vector = e->exception.has_vector;
	known->vector = e->exception.vector;
	if (known->has_vector)
		row = exception_vector_find(known->arch, known->vector);
	if (row)
		set_kind(known, row->kind);
	else if (str_eq_nocase(known->name, STR("Debug Halt Mode Entry")))
		set_kind(known, EXCEPTION_DEBUG);
	else if (str_eq_nocase(known->name, STR("Reset")) ||
	         str_eq_nocase(known->name, STR("CoreEvent_RESET")))
		set_kind(known, EXCEPTION_RESET);
}

static void know(const struct compare_place *place, const struct element *e, struct known *known)
{
	struct exception_target target = {.level = -1, .from = -1};
	struct instruction insn = {.isa = ISA_UNKNOWN};

	*known = (struct known){.arch = history_core(place->history)->arch};
	if (place->position < history_length(place->history)) {
		history_at(place->history, place->position, &insn);
		target.has_address = true;
		target.address = insn.address;
		target.is_64bit = insn.isa == ISA_A64;
		if (known->arch != CORE_M)
			known->arch = target.is_64bit ? CORE_A64 : CORE_A32;
	}
	if (e->exception.name.n > 0) {
		know_text(known, e);
		return;
	}
	known->has_vector =
	        target.has_address && exception_vector_of(e->exception.info, e->exception.number,
	                                                  &target, &known->vector);
	set_kind(known, exception_kind_of(e->exception.info));
}

static bool differ(const struct known *a, const struct known *b)
{
	if (a->has_kind && b->has_kind && a->kind != b->kind)
		return true;
	if (a->has_vector && b->has_vector)
		return a->vector != b->vector;
	return !(a->has_kind && b->has_kind) && a->name.n > 0 && b->name.n > 0 &&
	       !str_eq_nocase(a->name, b->name);
}

/* "[0x18] IRQ Interrupt", or what the trace calls it; "-" for none. */
static void put(struct text *out, const struct element *e, const struct known *known)
{
	const struct exception_vector *row = NULL;

	if (!e) {
		text_char(out, '-');
		return;
	}
	if (known->has_vector) {
		row = exception_vector_find(known->arch, known->vector);
		if (known->arch == CORE_M || known->vector < 0)
			text_printf(out, "[%lld] ", (long long)known->vector);
		else
			text_printf(out, "[0x%02llx] ", (unsigned long long)known->vector);
	}
	if (known->name.n > 0)
		text_add(out, known->name);
	else if (row)
		text_puts(out, row->name);
	else if (e->exception.info)
		exception_format(e->exception.info, e->exception.number, out);
	else
		text_printf(out, "exception %u", (unsigned int)e->exception.number);
}

/* The exception `index` at the place, into `e`; NULL if there is none. */
static const struct element *exception_at(const struct compare_place *place, size_t index,
                                          struct element *e)
{
	struct history_event event;

	for (size_t i = history_event_index(place->history, place->position);
	     history_event(place->history, i, &event) && event.position == place->position; i++) {
		if (element_is_exception(&event.element) && index-- == 0) {
			*e = event.element;
			return e;
		}
	}
	return NULL;
}

static enum status add(const struct element *e[COMPARE_SIDES],
                       const struct known known[COMPARE_SIDES], struct str name,
                       struct compare_list *list)
{
	struct text texts[COMPARE_SIDES] = {{0}, {0}};
	enum status status = STATUS_OK;

	for (int i = 0; i < COMPARE_SIDES; i++) {
		put(&texts[i], e[i], &known[i]);
		if (status == STATUS_OK)
			status = text_status(&texts[i]);
	}
	if (status == STATUS_OK)
		status = compare_list_add(list, COMPARE_EXCEPTIONS, name,
		                          text_str(&texts[COMPARE_A]), text_str(&texts[COMPARE_B]));
	for (int i = 0; i < COMPARE_SIDES; i++)
		text_fini(&texts[i]);
	return status;
}

enum status compare_exceptions(const struct compare_place places[COMPARE_SIDES], struct str name,
                               struct compare_list *list)
{
	for (int i = 0; i < COMPARE_SIDES; i++) {
		if (history_has_gap_at(places[i].history, places[i].position))
			return STATUS_OK;
	}
	for (size_t index = 0;; index++) {
		struct element found[COMPARE_SIDES];
		const struct element *e[COMPARE_SIDES];
		struct known known[COMPARE_SIDES] = {{0}, {0}};

		for (int i = 0; i < COMPARE_SIDES; i++) {
			e[i] = exception_at(&places[i], index, &found[i]);
			if (e[i])
				know(&places[i], e[i], &known[i]);
		}
		if (!e[COMPARE_A] && !e[COMPARE_B])
			return STATUS_OK;
		if (!e[COMPARE_A] || !e[COMPARE_B] || differ(&known[COMPARE_A], &known[COMPARE_B]))
			TRY(add(e, known, name, list));
	}
}
