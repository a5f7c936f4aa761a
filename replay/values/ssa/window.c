/* SPDX-License-Identifier: Apache-2.0 */
/* Steps, nodes and users of a window; see window.h. */
#include "replay/values/ssa/window.h"

#include <stdlib.h>
#include <string.h>

#include "arch/a32/a32.h"
#include "arch/isa.h"
#include "base/hash.h"
#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/ssa/boundary.h"
#include "replay/values/ssa/m_exception.h"
#include "replay/values/ssa/plan_code.h"
#include "replay/values/ssa/run_plans.h"
#include "replay/values/ssa/window_nodes.h"

#define CPSR_T   UINT64_C(0x20)
#define XPSR_ICI UINT64_C(0x0600fc00) /* or the state of an IT */

/* While the steps are collected. */
struct collect {
	struct window *w;
	struct boundary_reader boundary;
	struct boundary_from before;
	struct uop_builder builder;
	struct it_block it;
	/* Every instruction has an atom of its own, that says whether it was executed (ETMv3). */
	bool has_atoms;
	bool is_lazy; /* M profile: stores of FP registers may be put off */
	/* Plans by address; open addressing. 0: free, else the plan's number plus 1. */
	uint32_t *slots;
	size_t slot_count; /* power of two */
	struct run_plans runs;
	struct run_table table; /* of the part that is read */
};

static bool is_same(const struct plan *a, const struct plan *b)
{
	return a->address == b->address && a->isa == b->isa && a->space == b->space &&
	       a->it == b->it && a->outcome == b->outcome;
}

static size_t slot_of(const struct collect *c, const struct plan *plan)
{
	size_t mask = c->slot_count - 1;
	size_t at = hash_u64(plan->address) & mask;

	while (c->slots[at] != 0 && !is_same(c->w->plans[c->slots[at] - 1], plan))
		at = (at + 1) & mask;
	return at;
}

static enum status grow_slots(struct collect *c)
{
	uint32_t *old = c->slots;
	size_t old_count = c->slot_count;

	if (c->slots && c->w->plan_count * 2 < c->slot_count)
		return STATUS_OK;
	c->slot_count = old ? old_count * 2 : 4096;
	c->slots = calloc(c->slot_count, sizeof(*c->slots));
	if (!c->slots) {
		c->slots = old;
		c->slot_count = old_count;
		return STATUS_NO_MEM;
	}
	for (size_t i = 0; old && i < old_count; i++) {
		if (old[i] != 0)
			c->slots[slot_of(c, c->w->plans[old[i] - 1])] = old[i];
	}
	free(old);
	return STATUS_OK;
}

static void plan_read(struct plan *plan, unsigned int slot)
{
	if (slot >= REG_COUNT || plan->read_of[slot] != READ_NONE)
		return;
	plan->read_of[slot] = plan->reg_count;
	plan->regs[plan->reg_count++] = (uint8_t)slot;
}

static void plan_reads(struct plan *plan)
{
	const struct uop_insn *insn = plan->insn;

	memset(plan->read_of, READ_NONE, sizeof(plan->read_of));
	for (size_t i = 0; i < insn->op_count; i++) {
		plan_read(plan, insn->ops[i].a);
		plan_read(plan, insn->ops[i].b);
		plan_read(plan, insn->ops[i].c);
	}
	for (size_t i = 0; i < insn->access_count; i++) {
		plan_read(plan, insn->accesses[i].address);
		plan_read(plan, insn->accesses[i].data);
		plan_read(plan, insn->accesses[i].when);
	}
	plan->user_count = plan->reg_count;
	plan_read(plan, insn->when);
	plan_read(plan, insn->branch.slot);
	if (insn->branch.interworks)
		plan_read(plan, insn->branch.state);
}

static enum status add_plan(struct window *w, const struct plan *from, const struct uop_insn *insn,
                            uint32_t *number)
{
	struct plan *plan = arena_alloc(&w->arena, sizeof(*plan));

	if (!plan)
		return STATUS_NO_MEM;
	*plan = *from;
	plan->insn = uop_insn_store(&w->arena, insn);
	if (!plan->insn)
		return STATUS_NO_MEM;
	plan->changes_translation |= (insn->flags & UOP_CHANGES_TRANSLATION) != 0;
	plan->kills_memory = (insn->flags & UOP_KILLS_MEMORY) != 0 || plan->changes_translation;
	plan_reads(plan);
	TRY(plan_ops_make(&w->arena, plan->insn, plan->read_of, &plan->ops));
	TRY(plan_count(&w->arena, plan));
	TRY(vec_reserve((void **)&w->plans, &w->plan_capacity, w->plan_count + 1,
	                sizeof(struct plan *)));
	*number = (uint32_t)w->plan_count;
	w->plans[w->plan_count++] = plan;
	return STATUS_OK;
}

/* Room for so many steps, and the one behind the last. */
static enum status reserve_steps(struct window *w, size_t count)
{
	if (count >= UINT32_MAX / 4 - w->step_count)
		return STATUS_UNSUPPORTED;
	return vec_reserve((void **)&w->steps, &w->step_capacity, w->step_count + count + 1,
	                   sizeof(*w->steps));
}

static enum status add_step(struct window *w, uint32_t plan)
{
	TRY(reserve_steps(w, 1));
	w->steps[w->step_count++].plan = plan;
	return STATUS_OK;
}

/* What the trace says of the instruction's condition: of the last one of a run, if at all. */
static enum plan_outcome outcome_of(const struct collect *c, const struct walk *walk,
                                    uint32_t index, bool taken)
{
	bool is_branch =
	        walk->last.class == INSN_BRANCH || walk->last.class == INSN_BRANCH_INDIRECT;

	if (walk->isa == ISA_A64 || index + 1 != walk->count || (!is_branch && !c->has_atoms))
		return OUTCOME_UNKNOWN;
	return taken ? OUTCOME_PASSED : OUTCOME_FAILED;
}

/* Instruction `index` of a run, without its plan. */
static struct plan insn_of(struct collect *c, const struct graph_node *node, uint32_t index,
                           bool taken)
{
	const struct memmap *memory = history_core(c->w->history)->memory;
	struct run_insn insn = run_insn_at(memory, &node->walk, index);

	return (struct plan){
	        .address = insn.address,
	        .size = (uint8_t)insn.size,
	        .isa = (uint8_t)node->walk.isa,
	        /* A run that was not followed has no space of its own. */
	        .space = node->is_odd ? (uint8_t)SPACE_ANY : node->space,
	        .it = SEM_NO_IT,
	        .outcome = (uint8_t)outcome_of(c, &node->walk, index, taken),
	        .is_code = true,
	};
}

static enum status plan_of(struct collect *c, struct plan plan, uint32_t *number)
{
	size_t slot;

	TRY(grow_slots(c));
	slot = slot_of(c, &plan);
	if (c->slots[slot] != 0) {
		*number = c->slots[slot] - 1;
		return STATUS_OK;
	}
	plan_code(history_core(c->w->history)->memory, &plan, &c->builder);
	TRY(add_plan(c->w, &plan, &c->builder.insn, number));
	c->slots[slot] = *number + 1;
	return STATUS_OK;
}

static enum status insert_step(struct collect *c, uint64_t position, struct plan plan)
{
	struct window *w = c->w;
	uint32_t number;

	TRY(vec_reserve((void **)&w->inserted, &w->inserted_capacity, w->inserted_count + 1,
	                sizeof(*w->inserted)));
	w->inserted[w->inserted_count++] = (struct inserted){position, (uint32_t)w->step_count};
	TRY(add_plan(w, &plan, &c->builder.insn, &number));
	c->before.site.has_number = false;
	c->before.site.has_operation = false;
	return add_step(w, number);
}

static enum status insert_kill(struct collect *c, uint64_t position)
{
	uop_begin(&c->builder);
	c->builder.insn.flags = UOP_KILLS_ALL;
	uop_finish(&c->builder);
	return insert_step(c, position, (struct plan){.address = 0});
}

/* Another register width: what becomes of the registers is not followed. */
static enum status add_change(struct collect *c, uint64_t position, bool is_64bit)
{
	if (!c->before.is_known || (c->before.site.isa == ISA_A64) == is_64bit)
		return STATUS_OK;
	return insert_kill(c, position);
}

static enum status add_boundary(struct collect *c, uint64_t position, const uint64_t *pc)
{
	struct plan plan = {.address = 0};

	if (!boundary_next(&c->boundary, position, pc, &c->before, &c->builder,
	                   &plan.changes_translation))
		return STATUS_OK;
	plan.maintains_icache = c->boundary.maintains_icache;
	if (c->boundary.is_fault && pc) {
		plan.leads_on = true;
		plan.address = *pc;
		plan.isa = (uint8_t)c->before.site.isa;
	}
	return insert_step(c, position, plan);
}

/* M profile: the core has stopped within an instruction of several accesses (xPSR.ICI). */
static bool is_within(const struct snap_core *core, const uint64_t *pc)
{
	const struct snap_register *xpsr = snap_device_any_register(core->device, STR("XPSR"));
	struct plan plan = {.isa = ISA_T32, .space = SPACE_ANY};

	if (core->arch != CORE_M || !pc || !xpsr || (snap_register_value(xpsr) & XPSR_ICI) == 0)
		return false;
	plan.address = *pc;
	plan.size = plan_size(core->memory, &plan);
	return !plan_read_opcode(core->memory, &plan) || m_has_many_accesses(plan.opcode);
}

/* Without a PC nothing says that the trace leads to the state of the snapshot. */
static enum status add_halt(struct collect *c, uint64_t position)
{
	const struct snap_core *core = history_core(c->w->history);

	if (!snap_device_any_register(core->device, STR("PC|R15")) ||
	    is_within(core, c->w->has_end_pc ? &c->w->end_pc : NULL))
		return insert_kill(c, position);
	return add_change(c, position, core->arch == CORE_A64);
}

/* A window that ends before the halt has what lies in front of the instruction behind it. */
static enum status add_end(struct collect *c, uint64_t position)
{
	struct instruction behind;

	history_at(c->w->history, position, &behind);
	TRY(add_boundary(c, position, &behind.address));
	return add_change(c, position, behind.isa == ISA_A64);
}

/* Keeps the constant that a register has behind the instruction, or loses what was known. */
static void pass_constant(const struct uop_insn *insn, unsigned int reg, bool *has, uint64_t *value)
{
	unsigned int slot = uop_insn_after(insn, reg);

	if (slot == SLOT_ZERO || (slot >= SLOT_CONSTANT && slot < SLOT_ZERO)) {
		*has = true;
		*value = slot == SLOT_ZERO ? 0 : insn->constants[slot - SLOT_CONSTANT];
	} else if (slot != reg || (insn->flags & UOP_KILLS_REGISTERS) != 0) {
		*has = false;
	}
}

/* What the next boundary needs to know of an instruction. */
static void pass(struct boundary_from *before, const struct plan *plan)
{
	const struct uop_insn *insn = plan->insn;
	struct call_site *site = &before->site;

	before->address = plan->address;
	before->size = plan->size;
	before->is_exception = insn->branch.kind == BRANCH_EXCEPTION;
	before->is_known = true;
	before->insn = insn;
	site->isa = (enum isa)plan->isa;
	site->opcode = plan->opcode;
	pass_constant(insn, plan->isa == ISA_A64 ? 8 : 7, &site->has_number, &site->number);
	pass_constant(insn, REG_X0, &site->has_operation, &site->operation);
}

/*
 * M profile. The first FP instruction behind an exception may store what the core has put off, and
 * one that an exception had interrupted may have made some of its accesses before it.
 */
static enum status enter_m(struct collect *c, struct plan *plan, uint64_t position,
                           bool is_interrupted)
{
	bool has_opcode = plan_read_opcode(history_core(c->w->history)->memory, plan);

	c->is_lazy |= is_interrupted;
	if (has_opcode && is_interrupted && c->boundary.is_return &&
	    m_has_many_accesses(plan->opcode))
		plan->it = IT_UNKNOWN;
	if (has_opcode && m_is_vector(plan->opcode))
		plan->it = IT_UNKNOWN;
	if (!c->is_lazy || !c->boundary.m_core.may_have_fpu || !has_opcode ||
	    !m_is_fp(plan->opcode))
		return STATUS_OK;
	c->is_lazy = plan->it != SEM_NO_IT;
	m_exception_lazy(&c->builder);
	return insert_step(c, position, (struct plan){.address = 0});
}

static enum status collect_insn(struct collect *c, struct plan plan, uint64_t position)
{
	struct window *w = c->w;
	bool is_interrupted = true;
	uint32_t number;

	if (position > w->options.from) {
		TRY(add_boundary(c, position, &plan.address));
		TRY(add_change(c, position, plan.isa == ISA_A64));
		is_interrupted = c->boundary.is_interrupted;
	}
	if (plan.isa == ISA_T32) {
		it_block_enter(&c->it, history_core(w->history)->memory, (enum space)plan.space,
		               plan.address, is_interrupted);
		plan.it = (uint8_t)it_block_condition(&c->it);
	}
	if (history_core(w->history)->arch == CORE_M)
		TRY(enter_m(c, &plan, position, is_interrupted));
	TRY(plan_of(c, plan, &number));
	TRY(add_step(w, number));
	if (plan.isa == ISA_T32)
		it_block_pass(&c->it, w->plans[number]->opcode, plan.address, plan.size);
	if (w->plans[number]->sets_endian)
		w->little_endian_from = w->plans[number]->is_big_endian ? SIZE_MAX : w->step_count;
	pass(&c->before, w->plans[number]);
	return STATUS_OK;
}

static enum status collect_each(struct collect *c, const struct graph_node *node, uint64_t first,
                                bool taken)
{
	const struct window_options *o = &c->w->options;

	for (uint32_t i = 0; i < node->walk.count; i++) {
		if (first + i >= o->from && first + i < o->to)
			TRY(collect_insn(c, insn_of(c, node, i, taken), first + i));
	}
	return STATUS_OK;
}

/* From what is known of a constant behind the run if it was not and if it was known before. */
static struct run_constant constant_of(bool without, bool with, uint64_t value)
{
	return (struct run_constant){without ? RUN_SETS : with ? RUN_KEEPS : RUN_LOSES, value};
}

static void pass_run(const struct run_constant *run, bool *has, uint64_t *value)
{
	if (run->effect == RUN_SETS)
		*value = run->value;
	*has = run->effect == RUN_SETS || (run->effect == RUN_KEEPS && *has);
}

/* Enters a run of A64 code. */
static enum status enter_run(struct collect *c, const struct graph_node *node, struct run_plan *run)
{
	struct boundary_from without = {.is_known = false};
	struct boundary_from with = {.site = {.has_number = true, .has_operation = true}};
	size_t first = c->runs.plan_count + 1;

	if (first + node->walk.count >= UINT32_MAX)
		return STATUS_UNSUPPORTED;
	for (uint32_t i = 0; i < node->walk.count; i++) {
		uint32_t number;

		TRY(plan_of(c, insn_of(c, node, i, true), &number));
		TRY(run_plans_add(&c->runs, number));
		run->is_interrupted |= without.is_exception;
		pass(&without, c->w->plans[number]);
		pass(&with, c->w->plans[number]);
	}
	run->first = (uint32_t)first;
	run->number =
	        constant_of(without.site.has_number, with.site.has_number, without.site.number);
	run->operation = constant_of(without.site.has_operation, with.site.has_operation,
	                             without.site.operation);
	return STATUS_OK;
}

/* What collect_each() does, for a run within which nothing lies between two instructions. */
static enum status copy_run(struct collect *c, const struct run_plan *run, uint32_t count,
                            uint64_t first)
{
	struct window *w = c->w;
	const uint32_t *plans = &c->runs.plans[run->first - 1];
	struct call_site site;

	if (first > w->options.from) {
		TRY(add_boundary(c, first, &w->plans[plans[0]]->address));
		TRY(add_change(c, first, true));
	}
	TRY(reserve_steps(w, count));
	for (uint32_t i = 0; i < count; i++)
		w->steps[w->step_count++].plan = plans[i];
	site = c->before.site;
	pass_run(&run->number, &site.has_number, &site.number);
	pass_run(&run->operation, &site.has_operation, &site.operation);
	pass(&c->before, w->plans[plans[count - 1]]);
	c->before.site.has_number = site.has_number;
	c->before.site.number = site.number;
	c->before.site.has_operation = site.has_operation;
	c->before.site.operation = site.operation;
	return STATUS_OK;
}

static enum status collect_run(struct collect *c, uint32_t number, uint64_t first, bool taken)
{
	const struct window_options *o = &c->w->options;
	const struct graph_node *node = &c->table.graph->nodes[number];
	struct run_plan *run = &c->table.runs[number];
	uint64_t end = first + node->walk.count;

	if (node->walk.isa != ISA_A64 || first < o->from || end > o->to)
		return collect_each(c, node, first, taken);
	if (run->first == 0)
		TRY(enter_run(c, node, run));
	if (run->is_interrupted || boundary_ahead(&c->boundary, first) < end)
		return collect_each(c, node, first, taken);
	return copy_run(c, run, node->walk.count, first);
}

static enum status collect_runs(struct collect *c)
{
	const struct window_options *o = &c->w->options;
	struct history_runs runs;
	struct history_run run;

	history_runs_begin(&runs, c->w->history, o->from);
	while (history_runs_next(&runs, &run) && run.position < o->to) {
		if (run.graph != c->table.graph)
			TRY(run_plans_table(&c->runs, run.graph, &c->table));
		TRY(collect_run(c, run.node, run.position, run.taken));
	}
	return STATUS_OK;
}

/* What the CPSR says; nothing else does. */
static enum isa halt_isa(const struct snap_core *core)
{
	const struct snap_register *cpsr;

	if (core->arch != CORE_A32)
		return core->arch == CORE_M ? ISA_T32 : ISA_A64;
	cpsr = snap_device_any_register(core->device, STR("CPSR"));
	if (!cpsr)
		return ISA_UNKNOWN;
	return (snap_register_value(cpsr) & CPSR_T) != 0 ? ISA_T32 : ISA_A32;
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
static enum status trim_steps(struct window *w)
{
	struct step *steps;

	TRY(reserve_steps(w, 0));
	w->step_capacity = w->step_count + 1;
	steps = realloc(w->steps, w->step_capacity * sizeof(*steps));
	if (!steps)
		return STATUS_NO_MEM;
	w->steps = steps;
	return STATUS_OK;
}

static enum status collect(struct collect *c)
{
	struct window *w = c->w;
	const struct history *h = w->history;
	uint64_t length = history_length(h);
	bool is_end = w->options.to == length;

	c->it.next = UINT64_MAX;
	c->has_atoms = has_atoms(history_core(h));
	boundary_begin(&c->boundary, h, w->options.from, w->options.handler_preserves);
	TRY(reserve_steps(w, (size_t)(w->options.to - w->options.from)));
	TRY(collect_runs(c));
	/* In front of what lies behind the window there may be an exception. */
	w->has_end_pc = is_end && history_pc(h, length, &w->end_pc) == STATUS_OK;
	w->end_isa = is_end ? halt_isa(history_core(h)) : ISA_UNKNOWN;
	if (is_end && w->options.from < length)
		TRY(add_boundary(c, length, w->has_end_pc ? &w->end_pc : NULL));
	if (is_end)
		TRY(add_halt(c, length));
	else if (w->options.from < w->options.to)
		TRY(add_end(c, w->options.to));
	if (w->little_endian_from > w->step_count)
		w->little_endian_from = w->step_count;
	return trim_steps(w);
}

enum status window_init(struct window *w, const struct history *history,
                        const struct window_options *options)
{
	struct collect *c = calloc(1, sizeof(*c));
	enum status status;

	*w = (struct window){.history = history, .options = *options};
	if (!c)
		return STATUS_NO_MEM;
	c->w = w;
	status = collect(c);
	free(c->slots);
	run_plans_fini(&c->runs);
	free(c);
	TRY(status);
	return window_number(w);
}

void window_fini(struct window *w)
{
	free(w->plans);
	free(w->steps);
	free(w->inserted);
	free(w->reads);
	free(w->users);
	free(w->user_blocks);
	free(w->step_blocks);
	free(w->checkpoints);
	arena_fini(&w->arena);
}

/* How many inserted steps belong to positions up to this one. */
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

size_t window_step_of(const struct window *w, uint64_t position)
{
	return (size_t)(position - w->options.from) + inserted_until(w, position);
}

uint64_t window_position_of(const struct window *w, size_t step)
{
	size_t low = 0;
	size_t high = w->inserted_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->inserted[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	return w->options.from + step - low;
}

size_t window_maker_of(const struct window *w, uint32_t node)
{
	size_t low = 0;
	size_t high = w->step_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (window_step(w, middle).node <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void window_nodes_at(const struct window *w, size_t step, uint32_t now[REG_COUNT], size_t from)
{
	size_t checkpoint = step / WINDOW_CHECKPOINT;

	if (step == w->step_count) {
		memcpy(now, w->after, sizeof(w->after));
		return;
	}
	if (from > step || from < checkpoint * WINDOW_CHECKPOINT) {
		memcpy(now, w->checkpoints[checkpoint], sizeof(w->checkpoints[checkpoint]));
		from = checkpoint * WINDOW_CHECKPOINT;
	}
	for (; from < step; from++)
		window_advance(w, from, now);
}

uint32_t window_node_of(const struct window *w, size_t step, unsigned int reg)
{
	uint32_t now[REG_COUNT];

	window_nodes_at(w, step, now, SIZE_MAX);
	return now[reg];
}

bool window_next_pc(const struct window *w, size_t step, uint64_t *pc)
{
	if (step + 1 < w->step_count) {
		const struct plan *next = window_plan(w, step + 1);

		*pc = next->address;
		return next->is_code || next->leads_on;
	}
	*pc = w->end_pc;
	return w->has_end_pc && step + 1 == w->step_count;
}

enum isa window_next_isa(const struct window *w, size_t step)
{
	const struct plan *next;

	if (step + 1 < w->step_count) {
		next = window_plan(w, step + 1);
		return next->is_code || next->leads_on ? (enum isa)next->isa : ISA_UNKNOWN;
	}
	return step + 1 == w->step_count ? w->end_isa : ISA_UNKNOWN;
}
