/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeps a value from being known: where it came from and why that says nothing, where it was
 * lost, which store may have hit the memory that it was in.
 */
#include <inttypes.h>

#include "replay/history/history.h"
#include "replay/values/explain/why_walk.h"
#include "replay/values/solver/solver.h"

enum {
	DEPTH_MOST = 8,
	FEW = 16,       /* values that are listed where no more are possible */
	TRIED_BITS = 8, /* that are not known, to find these */
};

static void explain_origin(struct why_walk *w, uint32_t ssa, unsigned int depth);

/* The register or memory address that an access goes through, as the user reads it. */
static void say_base(struct why_walk *w, const struct memdep_access *a)
{
	const struct uop_access *access = memdep_access_of(&w->solver, a);

	if (access->address >= REG_COUNT) {
		text_puts(w->out, "at an address that is not known");
		return;
	}
	text_puts(w->out, "through ");
	why_name(w, access->address, w->out);
	text_puts(w->out, ", which is not known");
}

/* An access that may have written the granule. */
static void say_blocker(struct why_walk *w, uint32_t number, uint64_t address)
{
	const struct memdep_access *a = &w->solver.memory.accesses[number];
	const struct template *template = window_template(&w->solver.w, a->dyn);

	if (!why_dyn_line(w, a->dyn))
		return;
	if (a->index == ACCESS_KILL && (template->insn->flags & UOP_NOT_IN_TABLE) != 0)
		text_puts(w->out, "an opcode that the tables do not have");
	else if (a->index == ACCESS_KILL && template->changes_translation)
		text_puts(w->out, "memory before it is another address space's");
	else if (a->index == ACCESS_KILL)
		text_puts(w->out, "any memory may have changed");
	else if (a->kind == ACCESS_STORE)
		say_base(w, a);
	else
		text_puts(w->out, "writes a range with what is not known");
	text_printf(w->out, "; it may have hit 0x%" PRIx64 "\n", address);
}

/* The data of an access of which the granule's bytes are not known. */
static void say_data(struct why_walk *w, const struct memory_version *e, const char *text,
                     unsigned int depth)
{
	const struct memdep_access *a = &w->solver.memory.accesses[e->access];
	const struct uop_access *access = memdep_access_of(&w->solver, a);

	if (!why_dyn_line(w, a->dyn))
		return;
	text_printf(w->out, "%s 0x%" PRIx64 "\n", text, why_address(w, a));
	if (e->is_store && access->data < SLOT_CONSTANT)
		explain_origin(w, why_ssa(w, a->dyn, access->data), depth + 1);
}

/* Why what is found after the place does not say it. */
static void explain_after(struct why_walk *w, const struct memdep_granule *granule, uint32_t access,
                          uint32_t next, uint64_t wanted)
{
	const struct memdep_memory *m = &w->solver.memory;
	uint32_t end = next == MEMDEP_NONE ? (uint32_t)m->access_count : m->versions[next].access;
	struct bits found = next == MEMDEP_NONE ? granule->end : m->versions[next].before;
	const struct memdep_stretch in = {granule->address, access == 0 ? MEMDEP_NONE : access - 1,
	                                  end, MEMDEP_NO_HYPOTHESIS};
	struct memdep_scan r = memdep_scan(&w->solver, &in, found);

	if ((wanted & ~memdep_spread(r.open)) != 0 && r.blocker != MEMDEP_NONE)
		say_blocker(w, r.blocker, granule->address);
	else if (next != MEMDEP_NONE && m->versions[next].is_store)
		say_data(w, &m->versions[next],
		         "overwrites it, and nobody had read it:", DEPTH_MOST);
	else if (next != MEMDEP_NONE)
		say_data(w, &m->versions[next],
		         "reads it, and what it read is not known:", DEPTH_MOST);
	else if (why_line(w))
		text_printf(w->out, "%" PRIu64 "  the window ends here, before the halt\n",
		            w->solver.w.options.to);
}

/* Why what was there before does not say it. */
static void explain_before(struct why_walk *w, const struct memdep_granule *granule,
                           uint32_t access, uint32_t before, unsigned int depth)
{
	const struct memdep_memory *m = &w->solver.memory;
	struct memdep_stretch in = {granule->address, MEMDEP_NONE, access, MEMDEP_NO_HYPOTHESIS};
	struct memdep_scan r;

	if (before == MEMDEP_NONE) {
		if (why_line(w))
			text_printf(w->out,
			            "%" PRIu64 "  nothing is known to have been there from "
			            "here on, where what is looked at begins\n",
			            w->solver.w.options.from);
		return;
	}
	in.first = m->versions[before].access;
	r = memdep_scan(&w->solver, &in, (struct bits){0, 0});
	if (r.open != 0xff && r.blocker != MEMDEP_NONE)
		say_blocker(w, r.blocker, granule->address);
	else
		say_data(w, &m->versions[before],
		         m->versions[before].is_store ? "stores there what is not known:"
		                                      : "reads it, and what it read is not known:",
		         depth);
}

/* The user says of one of these bytes that a device may change it. */
static bool is_device(const struct why_walk *w, uint64_t granule, uint64_t wanted)
{
	for (unsigned int i = 0; i < 8; i++) {
		if ((wanted >> 8 * i & 0xff) != 0 &&
		    memmap_before_device(w->solver.memory.map, granule + i, 1) == 0)
			return true;
	}
	return false;
}

/* Nobody else wrote the granule between this memory version of it, or the start, and the next. */
static bool is_own(const struct why_walk *w, const struct memdep_granule *granule, uint32_t before)
{
	const struct memdep_memory *m = &w->solver.memory;
	uint32_t next = before == MEMDEP_NONE ? granule->first : m->versions[before].next;

	return memdep_is_own(&w->solver, granule,
	                     before == MEMDEP_NONE ? MEMDEP_NONE : m->versions[before].access,
	                     next == MEMDEP_NONE ? (uint32_t)m->access_count
	                                         : m->versions[next].access);
}

/* The memory version of a granule before a dynamic instruction, or MEMDEP_NONE. */
static uint32_t version_before(const struct why_walk *w, const struct memdep_granule *granule,
                               size_t dyn)
{
	uint32_t access = window_access(&w->solver.w, dyn);

	return access == 0 ? MEMDEP_NONE : memdep_find_place(&w->solver.memory, granule, access);
}

/*
 * The reason that lies in the granule itself, `own` if nobody else wrote it in the meantime; false
 * if there is none.
 */
static bool is_barred(struct why_walk *w, const struct memdep_granule *granule, bool own,
                      uint64_t wanted)
{
	bool no_dump = (wanted & ~granule->contents.value.known) != 0;

	if (own && !no_dump)
		return false;
	if (!why_line(w))
		return true;
	if (is_device(w, granule->address, wanted))
		text_printf(w->out,
		            "0x%" PRIx64 " is in the memory of a device, which may change it "
		            "at any time (--device)\n",
		            granule->address);
	else if (no_dump)
		text_printf(w->out, "no dump holds all of 0x%" PRIx64 ": it may be a device\n",
		            granule->address);
	else if (w->solver.stacks.is_assumed && granule->is_stack)
		text_puts(w->out,
		          "SP went to another stack and came back from memory: meanwhile another "
		          "core may have run on this one\n");
	else
		text_puts(w->out, "single-writer is off: another core may have written it\n");
	return true;
}

static void explain_granule(struct why_walk *w, size_t dyn, uint64_t address, uint64_t wanted,
                            unsigned int depth)
{
	const struct memdep_memory *m = &w->solver.memory;
	struct memdep_granule granule = memdep_known_granule(&w->solver, address);
	uint32_t access = window_access(&w->solver.w, dyn);
	uint32_t before = version_before(w, &granule, dyn);
	uint32_t next = before == MEMDEP_NONE ? granule.first : m->versions[before].next;

	if (is_barred(w, &granule, is_own(w, &granule, before), wanted))
		return;
	/* What asks is perhaps the next one itself. */
	if (next == MEMDEP_NONE || m->accesses[m->versions[next].access].dyn != dyn)
		explain_after(w, &granule, access, next, wanted);
	explain_before(w, &granule, access, before, depth);
}

void why_unknown_granule(struct why_walk *w, size_t dyn, uint64_t address, uint64_t wanted)
{
	explain_granule(w, dyn, address, wanted, 0);
}

/* A value that an instruction loads. */
static void explain_load(struct why_walk *w, size_t dyn, uint32_t number, unsigned int depth)
{
	const struct memdep_access *a = &w->solver.memory.accesses[number];
	const struct uop_access *access = memdep_access_of(&w->solver, a);
	struct memdep_granule granule;
	uint64_t address;

	if (!why_dyn_line(w, dyn))
		return;
	if ((~memdep_address(&w->solver, a).known & ADDRESS_BITS) != 0) {
		text_puts(w->out, "loads it ");
		say_base(w, a);
		text_char(w->out, '\n');
		if (access->address < SLOT_CONSTANT)
			explain_origin(w, why_ssa(w, dyn, access->address), depth + 1);
		return;
	}
	address = why_address(w, a);
	text_printf(w->out, "loads it from 0x%" PRIx64 ", which is not known then\n", address);
	granule = memdep_known_granule(&w->solver, address & ~UINT64_C(7));
	if (is_barred(w, &granule, is_own(w, &granule, version_before(w, &granule, dyn)),
	              memdep_spread(memdep_overlap(granule.address, address, a->size))))
		return;
	explain_granule(w, dyn, granule.address, 0, depth + 1);
}

/* The first operand of the micro-operation that makes the SSA value of which not all is known. */
static bool unknown_operand(const struct why_walk *w, size_t dyn, uint32_t ssa, uint32_t *operand)
{
	const struct window *window = &w->solver.w;
	const struct dyn_numbers at = window_dyn(window, dyn);
	const struct template_ops *ops = &window_template(window, dyn)->ops;

	for (unsigned int i = 0; i < ops->count; i++) {
		const struct operand *o = ops->ops[i].operands;

		if (o[0].kind != OPERAND_TEMP || at.ssa + o[0].index != ssa)
			continue;
		for (unsigned int k = 1; k < OPERANDS; k++) {
			if (o[k].kind != OPERAND_READ && o[k].kind != OPERAND_TEMP)
				continue;
			*operand = o[k].kind == OPERAND_TEMP ? at.ssa + o[k].index
			                                     : window->reads[at.read + o[k].index];
			if (w->solver.ssa_values[*operand].known != UINT64_MAX)
				return true;
		}
	}
	return false;
}

/* What a dynamic instruction that kills registers is. */
static void say_kill(struct why_walk *w, size_t dyn)
{
	const struct template *template = window_template(&w->solver.w, dyn);

	if (!why_dyn_line(w, dyn))
		return;
	if (template->is_code && (template->insn->flags & UOP_NOT_IN_TABLE) != 0)
		text_puts(w->out,
		          "an opcode that the tables do not have: anything may have changed\n");
	else
		text_puts(w->out, "nothing is known to be the same before and after it\n");
}

/* Where an unknown value came from, as far as that does not say it. */
static void explain_origin(struct why_walk *w, uint32_t ssa, unsigned int depth)
{
	const struct window *window = &w->solver.w;
	size_t dyn;
	const struct uop_insn *insn;
	uint32_t operand;

	if (depth > DEPTH_MOST)
		return;
	if (!why_maker(w, ssa, &dyn)) {
		if (why_line(w))
			text_printf(w->out, "%" PRIu64 "  it is from before what is looked at\n",
			            window->options.from);
		return;
	}
	insn = window_template(window, dyn)->insn;
	if ((insn->flags & UOP_KILLS_REGISTERS) != 0 &&
	    ssa >= window_dyn(window, dyn).ssa + insn->temp_count + insn->def_count) {
		say_kill(w, dyn);
		return;
	}
	for (uint32_t i = 0; i < insn->access_count; i++) {
		if (insn->accesses[i].kind == ACCESS_LOAD && insn->accesses[i].data >= SLOT_TEMP &&
		    window_dyn(window, dyn).ssa + (insn->accesses[i].data - SLOT_TEMP) == ssa &&
		    !window_template(window, dyn)->kills_memory) {
			explain_load(w, dyn, window_access(window, dyn) + i, depth);
			return;
		}
	}
	if (unknown_operand(w, dyn, ssa, &operand)) {
		if (operand < window_dyn(window, dyn).ssa && why_dyn_line(w, dyn))
			text_puts(w->out, "makes it of what is not known\n");
		explain_origin(w, operand, depth + (operand < window_dyn(window, dyn).ssa ? 1 : 0));
	} else if (why_dyn_line(w, dyn)) {
		text_puts(w->out, "its result is not reconstructed\n");
	}
}

/* A dynamic instruction from which on the register is another one; false if there is none. */
static bool is_redefined(const struct uop_insn *insn, unsigned int reg)
{
	if ((insn->flags & UOP_KILLS_REGISTERS) != 0)
		return true;
	for (unsigned int i = 0; i < insn->def_count; i++) {
		if (insn->defs[i].reg == reg)
			return true;
	}
	return false;
}

/* Where the register's value was lost. */
static void explain_loss(struct why_walk *w, size_t dyn, unsigned int reg)
{
	const struct window *window = &w->solver.w;

	while (dyn < window->dyn_count && !is_redefined(window_template(window, dyn)->insn, reg))
		dyn++;
	if (dyn < window->dyn_count) {
		if ((window_template(window, dyn)->insn->flags & UOP_KILLS_REGISTERS) != 0) {
			say_kill(w, dyn);
		} else if (why_dyn_line(w, dyn)) {
			text_puts(w->out, "overwrites it, and nothing before says what it was\n");
		}
	} else if (why_line(w)) {
		text_printf(w->out, "%" PRIu64 "  %s ", window->options.to,
		            window->options.to == history_length(window->history)
		                    ? "the halt: the snapshot does not have"
		                    : "what is looked at ends before the halt, with");
		why_name(w, reg, w->out);
		text_char(w->out, '\n');
	}
}

/* The values that fit what is known of one, rising; FEW + 1 of them if there are more than FEW. */
static size_t possible_values(struct bits b, struct interval range, uint64_t mask,
                              uint64_t values[FEW + 1])
{
	uint64_t unknown = ~b.known & mask;
	uint64_t part = 0;
	size_t count = 0;

	if (__builtin_popcountll(unknown) > TRIED_BITS)
		return FEW + 1;
	/* All subsets of the unknown bits, in order. */
	do {
		uint64_t value = (b.value & b.known & mask) | part;

		if (value - range.first <= interval_span(range))
			values[count++] = value;
		part = (part - unknown) & unknown;
	} while (part != 0 && count <= FEW);
	return count;
}

/* The bits of a general register. */
static uint64_t register_mask(const struct why_walk *w)
{
	return bits_mask(history_core(w->solver.w.history)->arch == CORE_A64 ? 64 : 32);
}

/* That x1 is one of 0x8 and 0x9, say, or what is known of its bits. */
static void say_partly_known(struct why_walk *w, uint32_t ssa, unsigned int reg)
{
	uint64_t mask = register_mask(w);
	struct bits b = memdep_masked(w->solver.ssa_values[ssa], mask);
	struct interval range = interval_map_get(&w->solver.intervals, ssa);
	uint64_t values[FEW + 1];
	size_t count = possible_values(b, range, mask, values);

	why_name(w, reg, w->out);
	text_puts(w->out, " is ");
	if (count < 2 || count > FEW) {
		why_bits(b, w->out);
	} else {
		text_printf(w->out, "one of %zu:", count);
		for (size_t i = 0; i < count; i++)
			text_printf(w->out, "%s 0x%" PRIx64, i > 0 ? "," : "", values[i]);
	}
	text_char(w->out, '\n');
}

void why_unknown_register(struct why_walk *w, size_t dyn, unsigned int reg)
{
	uint32_t ssa = window_ssa_of(&w->solver.w, dyn, reg);

	if ((w->solver.ssa_values[ssa].known & register_mask(w)) != 0 && reg != REG_NZCV &&
	    why_line(w))
		say_partly_known(w, ssa, reg);
	explain_loss(w, dyn, reg);
	explain_origin(w, ssa, 0);
}
