/* SPDX-License-Identifier: Apache-2.0 */
/* The dynamic instructions of a window, collected from its history; see window_dyn.h. */
#include "replay/values/ssa/window_dyn.h"

#include <stdlib.h>

#include "arch/a32/a32.h"
#include "arch/isa.h"
#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/ssa/code_change.h"
#include "replay/values/ssa/control_event.h"
#include "replay/values/ssa/level_change.h"
#include "replay/values/ssa/m_exception.h"
#include "replay/values/ssa/run_templates.h"
#include "replay/values/ssa/template_code.h"
#include "replay/values/ssa/window_template.h"

enum { RUNS_PER_POLL = 4096 }; /* of whether somebody interrupts */

#define XPSR_ICI UINT64_C(0x0600fc00) /* or the state of an IT */

/* While the dynamic instructions are collected. */
struct collect {
	struct window *w;
	struct control_event_reader control_event;
	struct control_event_from before;
	/* The last return from an exception, as one of window.inserted, plus 1, as long as one SP
	   is in use since; and the SPSR that says which. 0: there is none. */
	size_t returned;
	uint8_t spsr;
	struct uop_builder builder;
	struct it_block it;
	bool is_interrupted; /* before the instruction that was led to: see it_block_enter() */
	/* Every instruction has an atom of its own, that says whether it was executed (ETMv3). */
	bool has_atoms;
	bool is_lazy; /* M profile: stores of FP registers may be put off */
	/*
	 * Data of the history may have been big endian somewhere: then an exception, a return from
	 * one and a gap may lead from one byte order to the other.
	 */
	bool is_order_asked; /* if not, the next one is not known */
	bool may_be_big;
	bool is_little;    /* code has said so since, and exceptions are taken to little endian */
	bool has_big_data; /* data trace of the window says so */
	uint64_t big_data; /* the last position at which it does */
	/* Number plus 1 of the template of what kills all and does no more, by kill_number(). */
	uint32_t kills[4];
	/* Templates by address; open addressing. 0: free, else the template's number plus 1. */
	uint32_t *slots;
	size_t slot_count; /* power of two */
	struct run_templates runs;
	struct run_table table; /* of the part that is read */
};

static bool is_same(const struct template *a, const struct template *b)
{
	return a->address == b->address && a->isa == b->isa && a->view == b->view &&
	       a->it == b->it && a->outcome == b->outcome;
}

static size_t slot_of(const struct collect *c, const struct template *template)
{
	size_t mask = c->slot_count - 1;
	size_t at = hash_u64(template->address) & mask;

	while (c->slots[at] != 0 && !is_same(c->w->templates[c->slots[at] - 1], template))
		at = (at + 1) & mask;
	return at;
}

static enum status grow_slots(struct collect *c)
{
	uint32_t *old = c->slots;
	size_t old_count = c->slot_count;

	if (c->slots && c->w->template_count * 2 < c->slot_count)
		return STATUS_OK;
	c->slot_count = old ? old_count * 2 : 4096;
	c->slots = huge_pages_calloc(c->slot_count, sizeof(*c->slots));
	if (!c->slots) {
		c->slots = old;
		c->slot_count = old_count;
		return STATUS_NO_MEM;
	}
	for (size_t i = 0; old && i < old_count; i++) {
		if (old[i] != 0)
			c->slots[slot_of(c, c->w->templates[old[i] - 1])] = old[i];
	}
	free(old);
	return STATUS_OK;
}

/* Room for so many dynamic instructions, and the one after the last. */
static enum status reserve_dyns(struct window *w, size_t count)
{
	if (count >= UINT32_MAX / 4 - w->dyn_count)
		return STATUS_UNSUPPORTED;
	return vec_reserve((void **)&w->dyns, &w->dyn_capacity, w->dyn_count + count + 1,
	                   sizeof(*w->dyns));
}

static enum status add_dyn(struct window *w, uint32_t template)
{
	TRY(reserve_dyns(w, 1));
	w->dyns[w->dyn_count++].template = template;
	return STATUS_OK;
}

/* What the trace says of the instruction's condition: of the last one of a run, if at all. */
static enum template_outcome outcome_of(const struct collect *c, const struct walk *walk,
                                        uint32_t index, bool taken)
{
	bool is_branch =
	        walk->last.class == INSN_BRANCH || walk->last.class == INSN_BRANCH_INDIRECT;

	if (walk->isa == ISA_A64 || index + 1 != walk->count || (!is_branch && !c->has_atoms))
		return OUTCOME_UNKNOWN;
	return taken ? OUTCOME_PASSED : OUTCOME_FAILED;
}

/* Instruction `index` of a run, without its template. */
static struct template insn_of(struct collect *c, const struct basic_block *node, uint32_t index,
                               bool taken)
{
	const struct memmap *memory = history_memory(c->w->history);
	struct run_insn insn = run_insn_at(memory, node, index);

	return (struct template){
	        .address = insn.address,
	        .size = (uint8_t)insn.size,
	        .isa = (uint8_t)node->walk.isa,
	        .view = node->view,
	        .it = SEM_NO_IT,
	        .outcome = (uint8_t)outcome_of(c, &node->walk, index, taken),
	        .is_code = true,
	};
}

static enum status template_of(struct collect *c, struct template template, uint32_t *number)
{
	size_t slot;

	TRY(grow_slots(c));
	slot = slot_of(c, &template);
	if (c->slots[slot] != 0) {
		*number = c->slots[slot] - 1;
		return STATUS_OK;
	}
	template_code(history_memory(c->w->history), &template, &c->builder);
	TRY(window_add_template(c->w, &template, &c->builder.insn, number));
	c->slots[slot] = *number + 1;
	return STATUS_OK;
}

static size_t kill_number(const struct template *template)
{
	return (template->changes_translation ? 1U : 0U) + (template->maintains_icache ? 2U : 0U);
}

/* The template of what is inserted; of the many gaps of a trace all have the same. */
static enum status inserted_template(struct collect *c, const struct template *template,
                                     uint32_t *number)
{
	const struct uop_insn *insn = &c->builder.insn;
	uint32_t *kill = &c->kills[kill_number(template)];

	if (insn->flags != UOP_KILLS_ALL || insn->def_count > 0 || insn->access_count > 0 ||
	    template->leads_on)
		return window_add_template(c->w, template, insn, number);
	if (*kill == 0) {
		TRY(window_add_template(c->w, template, insn, number));
		*kill = *number + 1;
	}
	*number = *kill - 1;
	return STATUS_OK;
}

static enum status insert_dyn(struct collect *c, uint64_t position, struct template template)
{
	struct window *w = c->w;
	uint32_t number;

	TRY(vec_reserve((void **)&w->inserted, &w->inserted_capacity, w->inserted_count + 1,
	                sizeof(*w->inserted)));
	w->inserted[w->inserted_count++] = (struct inserted){
	        .position = position, .dyn = (uint32_t)w->dyn_count, .own_sp = SLOT_NONE};
	TRY(inserted_template(c, &template, &number));
	c->before.site.has_number = false;
	c->before.site.has_operation = false;
	c->before.has_moved = false;
	return add_dyn(w, number);
}

static enum status insert_kill(struct collect *c, uint64_t position)
{
	uop_begin(&c->builder);
	c->builder.insn.flags = UOP_KILLS_ALL;
	uop_finish(&c->builder);
	return insert_dyn(c, position, (struct template){.address = 0});
}

/* Another register width: what becomes of the registers is not followed. */
static enum status add_change(struct collect *c, uint64_t position, bool is_64bit)
{
	if (!c->before.is_known || (c->before.site.isa == ISA_A64) == is_64bit)
		return STATUS_OK;
	return insert_kill(c, position);
}

static enum status insert_control_event(struct collect *c, uint64_t position, const uint64_t *pc,
                                        bool changes_translation)
{
	struct template template = {.changes_translation = changes_translation,
	                            .maintains_icache = c->control_event.maintains_icache};

	if (c->control_event.is_fault && pc) {
		template.leads_on = true;
		template.address = *pc;
		template.isa = (uint8_t)c->before.site.isa;
	}
	TRY(insert_dyn(c, position, template));
	c->w->inserted[c->w->inserted_count - 1].diversion = c->control_event.diversion;
	return STATUS_OK;
}

/*
 * A control event ends the time in which one SP was in use since an exception returned. That it was
 * the level's own is shown by what ran, or by an entry at the vectors of that (Arm ARM D1.3.1).
 */
static void pass_return(struct collect *c, bool is_any, const uint64_t *pc)
{
	const struct control_event_reader *r = &c->control_event;
	bool is_own = c->before.sp == SP_IN_USE_OWN ||
	              (c->before.sp == SP_IN_USE_KEPT && r->is_entry && r->has_own_sp && pc &&
	               level_change_is_from_own_sp(*pc));

	if (is_own && c->returned > 0)
		c->w->inserted[c->returned - 1].own_sp = c->spsr;
	if (is_any || c->before.sp != SP_IN_USE_KEPT)
		c->returned = 0;
	c->before.sp = SP_IN_USE_KEPT;
}

static enum status add_control_event(struct collect *c, uint64_t position, const uint64_t *pc)
{
	bool changes_translation = false;
	bool is_any = control_event_next(&c->control_event, position, pc, &c->before, &c->builder,
	                                 &changes_translation);

	pass_return(c, is_any, pc);
	if (!is_any)
		return STATUS_OK;
	TRY(insert_control_event(c, position, pc, changes_translation));
	if (c->control_event.selected_by == SLOT_NONE)
		return STATUS_OK;
	c->returned = c->w->inserted_count;
	c->spsr = (uint8_t)c->control_event.selected_by;
	return STATUS_OK;
}

/* M profile: the core has stopped within an instruction of several accesses (xPSR.ICI). */
static bool is_within(const struct history *history, const uint64_t *pc)
{
	const struct snap_core *core = history_core(history);
	const struct snap_register *xpsr;
	struct template template = {.isa = ISA_T32};

	if (core->arch != CORE_M || !pc)
		return false;
	xpsr = history_halt_register(history, M_xpsr);
	if (!xpsr || (snap_register_value(xpsr) & XPSR_ICI) == 0)
		return false;
	template.view = history_view(history, history_length(history));
	template.address = *pc;
	template.size = template_size(history_memory(history), &template);
	return !template_read_opcode(history_memory(history), &template) ||
	       m_has_many_accesses(template.opcode);
}

/* Without a PC nothing says that the trace leads to the state of the snapshot. */
static enum status add_halt(struct collect *c, uint64_t position)
{
	const struct history *history = c->w->history;

	if (!history_halt_register(history, REGISTER_PC) ||
	    control_event_halts_elsewhere(history) ||
	    is_within(history, c->w->has_end_pc ? &c->w->end_pc : NULL))
		return insert_kill(c, position);
	return add_change(c, position, history_core(history)->arch == CORE_A64);
}

/* A window that ends before the halt has what lies before the instruction after it. */
static enum status add_end(struct collect *c, uint64_t position)
{
	struct instruction after;

	history_at(c->w->history, position, &after);
	TRY(add_control_event(c, position, &after.address));
	return add_change(c, position, after.isa == ISA_A64);
}

/*
 * M profile. The first FP instruction after an exception may store what the core has put off, and
 * one that an exception had interrupted may have made some of its accesses before it.
 */
static enum status enter_m(struct collect *c, struct template *template, uint64_t position,
                           bool is_interrupted)
{
	bool has_opcode = template_read_opcode(history_memory(c->w->history), template);

	c->is_lazy |= is_interrupted;
	if (has_opcode && is_interrupted && c->control_event.is_return &&
	    m_has_many_accesses(template->opcode))
		template->it = template->it == SEM_NO_IT ? M_IT_AGAIN : IT_UNKNOWN;
	if (has_opcode && m_is_vector(template->opcode))
		template->it = IT_UNKNOWN;
	if (!c->is_lazy || !c->control_event.m_core.may_have_fpu || !has_opcode ||
	    !m_is_fp(template->opcode))
		return STATUS_OK;
	c->is_lazy = template->it != SEM_NO_IT;
	m_exception_lazy(&c->builder);
	return insert_dyn(c, position, (struct template){.address = 0});
}

static bool may_be_big(struct collect *c)
{
	if (!c->is_order_asked)
		c->may_be_big = code_change_of_byte_order(c->w->history);
	c->is_order_asked = true;
	return c->may_be_big;
}

/* Any byte order from here on; what the last change leaves at the halt is what the halt says. */
static void forget_byte_order(struct collect *c)
{
	struct window *w = c->w;
	bool is_end = w->options.to == history_length(w->history);

	c->is_little = false;
	w->little_endian_from = is_end ? w->dyn_count : SIZE_MAX;
}

static void pass_interruption(struct collect *c)
{
	const struct control_event_reader *r = &c->control_event;

	if (r->is_interrupted && !r->resumes && !(r->is_entry && c->is_little) && may_be_big(c))
		forget_byte_order(c);
}

/* What lies before the instruction that comes next. */
static enum status lead_to(struct collect *c, uint64_t position, uint64_t address, enum isa isa)
{
	c->is_interrupted = true;
	if (position <= c->w->options.from)
		return STATUS_OK;
	TRY(add_control_event(c, position, &address));
	TRY(add_change(c, position, isa == ISA_A64));
	c->is_interrupted = c->control_event.is_interrupted;
	pass_interruption(c);
	return STATUS_OK;
}

static void pass_byte_order(struct collect *c, const struct template *template)
{
	switch ((enum data_order) template->byte_order) {
	case DATA_ORDER_KEPT:
		break;
	case DATA_ORDER_LITTLE:
		c->w->little_endian_from = c->w->dyn_count;
		c->is_little = true;
		break;
	case DATA_ORDER_BIG:
		c->is_little = false;
		c->w->little_endian_from = SIZE_MAX;
		break;
	case DATA_ORDER_UNKNOWN:
		forget_byte_order(c);
		break;
	case DATA_ORDER_RESTORED:
		if (may_be_big(c))
			forget_byte_order(c);
		break;
	}
}

/* The instruction that lead_to() led to. */
static enum status collect_insn(struct collect *c, struct template template, uint64_t position)
{
	struct window *w = c->w;
	uint32_t number;

	if (template.isa == ISA_T32) {
		it_block_enter(&c->it, history_memory(w->history), template.view, template.address,
		               c->is_interrupted);
		template.it = (uint8_t)it_block_condition(&c->it);
	}
	if (history_core(w->history)->arch == CORE_M)
		TRY(enter_m(c, &template, position, c->is_interrupted));
	TRY(template_of(c, template, &number));
	TRY(add_dyn(w, number));
	if (template.isa == ISA_T32)
		it_block_pass(&c->it, w->templates[number]->opcode, template.address,
		              template.size);
	pass_byte_order(c, w->templates[number]);
	control_event_from_pass(&c->before, w->templates[number]);
	return STATUS_OK;
}

/* The instructions of a run one by one. The first one was led to if `is_led`. */
static enum status collect_each(struct collect *c, const struct basic_block *node, uint64_t first,
                                bool taken, bool is_led)
{
	const struct window_options *o = &c->w->options;

	for (uint32_t i = 0; i < node->walk.count; i++) {
		struct template template;

		if (first + i < o->from || first + i >= o->to)
			continue;
		template = insn_of(c, node, i, taken);
		if (i > 0 || !is_led)
			TRY(lead_to(c, first + i, template.address, node->walk.isa));
		TRY(collect_insn(c, template, first + i));
	}
	return STATUS_OK;
}

/* What is known before an instruction of a run of what was not known before the run, and was. */
struct run_entry {
	struct control_event_from without;
	struct control_event_from with;
	struct it_block it;
};

/* The template of an instruction of a run that is entered; what it leaves is in *entry. */
static enum status enter_insn(struct collect *c, const struct basic_block *node, uint32_t index,
                              bool taken, struct run_entry *entry, uint32_t *number)
{
	struct template template = insn_of(c, node, index, taken);
	const struct template *entered;

	if (template.isa == ISA_T32)
		template.it = (uint8_t)it_block_condition(&entry->it);
	if (history_core(c->w->history)->arch == CORE_M)
		TRY(enter_m(c, &template, 0, false));
	TRY(template_of(c, template, number));
	entered = c->w->templates[*number];
	if (template.isa == ISA_T32)
		it_block_pass(&entry->it, entered->opcode, template.address, template.size);
	control_event_from_pass(&entry->without, entered);
	control_event_from_pass(&entry->with, entered);
	return STATUS_OK;
}

static enum status enter_end(struct collect *c, const struct basic_block *node, bool taken,
                             const struct run_entry *entry, struct run_template *run)
{
	struct run_entry end = *entry;
	struct run_end *ends = &run->ends[taken];

	TRY(enter_insn(c, node, node->walk.count - 1, taken, &end, &ends->last));
	run->is_stepwise |= c->w->templates[ends->last]->byte_order != DATA_ORDER_KEPT;
	run->it_after = end.it;
	control_event_from_effects(ends, &end.without, &end.with);
	return STATUS_OK;
}

/* Enters a run that no IT block leads into. */
static enum status enter_run(struct collect *c, const struct basic_block *node,
                             struct run_template *run)
{
	struct run_entry entry = {
	        .with = control_event_from_any(),
	        .it = {.next = node->walk.start},
	};
	size_t first = c->runs.template_count + 1;

	if (first + node->walk.count >= UINT32_MAX)
		return STATUS_UNSUPPORTED;
	for (uint32_t i = 0; i + 1 < node->walk.count; i++) {
		uint32_t number;

		TRY(enter_insn(c, node, i, true, &entry, &number));
		TRY(run_templates_add(&c->runs, number));
		run->is_stepwise |= entry.without.is_exception || entry.without.is_return ||
		                    c->w->templates[number]->byte_order != DATA_ORDER_KEPT ||
		                    entry.without.sp == SP_IN_USE_SELECTED;
		run->has_own_sp |= entry.without.sp == SP_IN_USE_OWN;
	}
	for (int taken = 0; taken < 2; taken++)
		TRY(enter_end(c, node, taken != 0, &entry, run));
	run->first = (uint32_t)first;
	return STATUS_OK;
}

/* What collect_each() does, for a run within which nothing lies between two instructions. */
static enum status copy_run(struct collect *c, const struct run_template *run, uint32_t count,
                            bool taken)
{
	struct window *w = c->w;
	/* There are none before the last of a run of one. */
	const uint32_t *templates = count > 1 ? &c->runs.templates[run->first - 1] : NULL;
	const struct run_end *end = &run->ends[taken];

	TRY(reserve_dyns(w, count));
	for (uint32_t i = 0; i + 1 < count; i++)
		w->dyns[w->dyn_count++].template = templates[i];
	w->dyns[w->dyn_count++].template = end->last;
	control_event_from_pass_run(&c->before, run, taken, w->templates[end->last]);
	return STATUS_OK;
}

/* The run that was led to has the templates that it has whenever it is executed. */
static bool is_like_others(struct collect *c, const struct basic_block *node)
{
	const struct history *history = c->w->history;

	if (history_core(history)->arch == CORE_M &&
	    (c->is_interrupted || (c->is_lazy && c->control_event.m_core.may_have_fpu)))
		return false;
	if (node->walk.isa != ISA_T32)
		return true;
	it_block_enter(&c->it, history_memory(history), node->view, node->walk.start,
	               c->is_interrupted);
	return it_block_condition(&c->it) == SEM_NO_IT;
}

static enum status collect_run(struct collect *c, uint32_t number, uint64_t first, bool taken)
{
	const struct window_options *o = &c->w->options;
	const struct basic_block *node = &c->table.graph->nodes[number];
	struct run_template *run = &c->table.runs[number];
	uint64_t end = first + node->walk.count;

	if (first < o->from || end > o->to)
		return collect_each(c, node, first, taken, false);
	TRY(lead_to(c, first, node->walk.start, node->walk.isa));
	if (control_event_ahead(&c->control_event) < end || !is_like_others(c, node))
		return collect_each(c, node, first, taken, true);
	if (run->first == 0)
		TRY(enter_run(c, node, run));
	if (run->is_stepwise)
		return collect_each(c, node, first, taken, true);
	if (node->walk.isa == ISA_T32)
		c->it = run->it_after;
	return copy_run(c, run, node->walk.count, taken);
}

static enum status collect_runs(struct collect *c)
{
	const struct window_options *o = &c->w->options;
	struct history_runs runs;
	struct history_run run;
	unsigned int count = 0;

	history_runs_begin(&runs, c->w->history, o->from);
	while (history_runs_next(&runs, &run) && run.position < o->to) {
		if (++count % RUNS_PER_POLL == 0 && interrupt_has_come(o->interrupt))
			return STATUS_INTERRUPTED;
		if (run.graph != c->table.graph)
			TRY(run_templates_table(&c->runs, run.graph, &c->table));
		TRY(collect_run(c, run.node, run.position, run.taken));
	}
	return STATUS_OK;
}

static bool has_atoms(const struct snap_core *core)
{
	for (size_t i = 0; i < core->source_count; i++) {
		if (core->sources[i]->protocol != PROTOCOL_ETM3)
			return false;
	}
	return core->source_count > 0;
}

/* Gives back what was reserved in vain. */
static enum status trim_dyns(struct window *w)
{
	struct dyn_insn *dyns;

	TRY(reserve_dyns(w, 0));
	w->dyn_capacity = w->dyn_count + 1;
	dyns = realloc(w->dyns, w->dyn_capacity * sizeof(*dyns));
	if (!dyns)
		return STATUS_NO_MEM;
	w->dyns = dyns;
	return STATUS_OK;
}

/* How many inserted dynamic instructions belong to positions up to this one. */
static size_t inserted_until(const struct window *w, uint64_t position)
{
	size_t low = 0;
	size_t high = w->inserted_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->inserted[middle].position <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t window_dyn_of(const struct window *w, uint64_t position)
{
	return (size_t)(position - w->options.from) + inserted_until(w, position);
}

/* Data trace that says that an access was big endian (ETMv3, IHI 0014, 7.4.4): it was so at least
 * up to there. */
static bool has_big_data(const struct collect *c, uint64_t *position)
{
	const struct window_options *o = &c->w->options;
	const struct history *h = c->w->history;
	size_t i = history_event_index(h, o->from + 1);
	struct history_event event;
	bool is_found = false;

	for (; c->has_atoms && history_event(h, i, &event) && event.position <= o->to; i++) {
		const struct element *e = &event.element;

		if (e->type != ELEMENT_DATA || !e->data.has_address || !e->data.is_big_endian)
			continue;
		is_found = true;
		*position = event.position;
	}
	return is_found;
}

static void pass_data(struct collect *c)
{
	struct window *w = c->w;
	size_t dyn = window_dyn_of(w, c->big_data);

	if (w->options.to != history_length(w->history))
		w->little_endian_from = SIZE_MAX;
	else if (w->little_endian_from < dyn)
		w->little_endian_from = dyn;
}

/* After all that is in the window. */
static void end_byte_order(struct collect *c)
{
	struct window *w = c->w;

	if (c->has_big_data)
		pass_data(c);
	if (w->little_endian_from > w->dyn_count)
		w->little_endian_from = w->dyn_count;
}

/* A window begins after the SETEND that a larger one was cut at. */
static bool begins_little(struct collect *c)
{
	uint64_t from = c->w->options.from;
	struct history_runs runs;
	struct history_run run;
	struct template template;

	if (from == 0 || history_core(c->w->history)->arch == CORE_M)
		return false;
	history_runs_begin(&runs, c->w->history, from - 1);
	if (!history_runs_next(&runs, &run) || run.position >= from)
		return false;
	template = insn_of(c, &run.graph->nodes[run.node], (uint32_t)(from - 1 - run.position),
	                   run.taken);
	return template_read_opcode(history_memory(c->w->history), &template) &&
	       template_byte_order((enum isa) template.isa, template.size, template.opcode) ==
	               DATA_ORDER_LITTLE;
}

static enum status collect(struct collect *c)
{
	struct window *w = c->w;
	const struct history *h = w->history;
	uint64_t length = history_length(h);
	bool is_end = w->options.to == length;

	c->it.next = UINT64_MAX;
	c->has_atoms = has_atoms(history_core(h));
	c->is_little = begins_little(c);
	c->has_big_data = history_core(h)->arch != CORE_M && has_big_data(c, &c->big_data);
	c->may_be_big = c->has_big_data;
	c->is_order_asked = c->has_big_data;
	control_event_begin(&c->control_event, h, &w->options);
	TRY(reserve_dyns(w, (size_t)(w->options.to - w->options.from)));
	TRY(collect_runs(c));
	/* Before what lies after the window there may be an exception. */
	w->has_end_pc = is_end && history_pc(h, length, &w->end_pc) == STATUS_OK;
	w->end_untraced = history_untraced_bits(h);
	w->end_pc &= ~w->end_untraced;
	w->end_isa = is_end ? history_halt_isa(h) : ISA_UNKNOWN;
	if (is_end && w->options.from < length) {
		TRY(add_control_event(c, length, w->has_end_pc ? &w->end_pc : NULL));
		pass_interruption(c);
	}
	if (is_end)
		TRY(add_halt(c, length));
	else if (w->options.from < w->options.to)
		TRY(add_end(c, w->options.to));
	end_byte_order(c);
	return trim_dyns(w);
}

enum status window_collect(struct window *w)
{
	struct collect *c = calloc(1, sizeof(*c));
	enum status status;

	if (!c)
		return STATUS_NO_MEM;
	c->w = w;
	status = collect(c);
	free(c->slots);
	run_templates_fini(&c->runs);
	free(c);
	return status;
}
