/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a history to its calls: walks the runs, finds out once for each distinct run how it ends,
 * and has calls_flow.c judge where that matters. In: runs, exceptions, gaps. Out: struct calls.
 */
#include <stdlib.h>

#include "replay/calls/calls_switch.h"
#include "replay/history/history.h"

enum {
	RUNS_A_QUESTION = 65536,
	VECTOR_OF_LOWER = 0x400, /* in an offset in the vectors */
	VECTOR_BITS = 0x7f,      /* that are 0 where a vector begins */
};

enum sets_sp { SETS_SP_UNASKED, SETS_SP_NO };

/* The run before the present one. */
struct last_run {
	struct exit exit; /* EXIT_PLAIN if it was not taken */
	uint64_t next;    /* where it leads if the code says that alone; valid if has_next */
	bool has_next;
};

/* What is asked of a basic block but once. */
struct node_facts {
	uint8_t exit;    /* enum exit_kind: how it ends */
	uint8_t sets_sp; /* enum sets_sp */
	uint8_t stub;    /* enum stub */
};

struct build {
	struct call_builder b;
	const struct history *history;
	struct interrupt *interrupt;
	const struct graph *graph;
	struct node_facts *facts; /* of each node of the graph */
	struct last_run last;
	size_t next_event;
	size_t next_gap;
};

/* ---- how runs end ---- */

#define A64_BR_LR     UINT32_C(0xd61f03c0)
#define A64_BR        UINT32_C(0xd61f0000) /* BR X0 */
#define A32_BX_IP     UINT32_C(0x012fff1c) /* without its condition */
#define A32_LDR_PC_IP UINT32_C(0x05bcf000) /* ldr pc, [ip, #0]!, so */
#define T32_BX_IP     UINT32_C(0x4760)
#define T32_LDR_PC_IP UINT32_C(0xf8dcf000)
#define A32_MOV_LR_PC UINT32_C(0xe1a0e00f) /* before a jump: how ARMv4 calls through a register */

static bool opcode_at(const struct build *build, const struct basic_block *block, uint32_t back,
                      uint32_t *opcode)
{
	const struct memmap *memory = history_memory(build->history);

	if (block->walk.count <= back)
		return false;
	return run_insn_opcode(memory, block,
	                       run_insn_at(memory, block, block->walk.count - 1 - back), opcode);
}

/* Loads the PC with others from a stack: LDM of any form, which a compiler has for returns alone.
 */
static bool loads_list(enum isa isa, uint32_t opcode, unsigned int size)
{
	if (isa == ISA_A32)
		return (opcode & 0x0e108000) == 0x08108000 && opcode >> 28 != 15;
	return isa == ISA_T32 && size == 4 &&
	       ((opcode & 0xffd08000) == 0xe8908000 || (opcode & 0xffd08000) == 0xe9108000);
}

/*
 * A jump through IP0 or IP1, as in the linkage tables and veneers of a linker, and as compilers
 * have it for calls in the place of their function (AAELF64 6.2, AAPCS64 6.1.1, AAPCS32 6.1.1).
 */
static bool is_veneer(enum isa isa, uint32_t opcode)
{
	if (isa == ISA_A64)
		return opcode == (A64_BR | 16 << 5) || opcode == (A64_BR | 17 << 5);
	if (isa == ISA_A32)
		return (opcode & 0x0fffffff) == A32_BX_IP || (opcode & 0x0ffff000) == A32_LDR_PC_IP;
	return isa == ISA_T32 && (opcode == T32_BX_IP || opcode == T32_LDR_PC_IP);
}

static enum exit_kind indirect_exit(const struct build *build, const struct basic_block *block)
{
	const struct walk *walk = &block->walk;
	uint32_t opcode;
	uint32_t before;

	if (!opcode_at(build, block, 0, &opcode))
		return EXIT_INDIRECT;
	if (walk->isa == ISA_A64 && opcode == A64_BR_LR)
		return EXIT_RETURN;
	if (walk->isa == ISA_A32 && opcode_at(build, block, 1, &before) && before == A32_MOV_LR_PC)
		return EXIT_CALL;
	if (is_veneer(walk->isa, opcode))
		return EXIT_VENEER;
	return loads_list(walk->isa, opcode, walk->last.size) ? EXIT_RETURN : EXIT_INDIRECT;
}

/* Of a run whose last instruction is taken. */
static enum exit_kind exit_of(const struct build *build, const struct basic_block *block)
{
	const struct insn *last = &block->walk.last;
	uint64_t address = block->walk.end - last->size;

	if (last->class != INSN_BRANCH && last->class != INSN_BRANCH_INDIRECT)
		return EXIT_PLAIN;
	if (last->is_link || last->subclass == INSN_SUB_LINK)
		return EXIT_CALL;
	if (last->subclass == INSN_SUB_A64_ERET)
		return EXIT_EXCEPTION_RETURN;
	if (last->subclass == INSN_SUB_A64_RET || last->subclass == INSN_SUB_V7_IMPLIED_RET)
		return EXIT_RETURN;
	if (last->class == INSN_BRANCH_INDIRECT)
		return last->is_return ? EXIT_EXCEPTION_RETURN : indirect_exit(build, block);
	if (block->is_odd || block->lacks_target)
		return EXIT_JUMP;
	return calls_is_entry(&build->b, last->target) &&
	                       !calls_is_one_function(&build->b, address, last->target)
	               ? EXIT_JUMP
	               : EXIT_PLAIN;
}

static enum status take_graph(struct build *build, const struct graph *graph)
{
	if (build->graph == graph)
		return STATUS_OK;
	free(build->facts);
	build->facts = calloc(graph->count, sizeof(*build->facts));
	if (!build->facts)
		return STATUS_NO_MEM;
	build->graph = graph;
	return calls_add_entries(&build->b, graph);
}

/* The address of an instruction of the block that sets SP, if there is one. */
static bool find_sp_site(const struct build *build, const struct basic_block *block, uint64_t *site)
{
	const struct memmap *memory = history_memory(build->history);
	struct run_insn insn = run_insn_at(memory, block, 0);

	for (uint32_t i = 1;; i++) {
		uint32_t opcode;

		if (run_insn_opcode(memory, block, insn, &opcode) &&
		    calls_sets_sp(block->walk.isa, opcode)) {
			*site = insn.address;
			return true;
		}
		if (i == block->walk.count)
			return false;
		insn = run_insn_after(memory, block, insn);
	}
}

static enum status note_sp(struct build *build, const struct history_run *run)
{
	const struct basic_block *block = &run->graph->nodes[run->node];
	uint8_t *sets_sp = &build->facts[run->node].sets_sp;
	uint64_t site;

	if (*sets_sp == SETS_SP_NO)
		return STATUS_OK;
	if (!find_sp_site(build, block, &site)) {
		*sets_sp = SETS_SP_NO;
		return STATUS_OK;
	}
	return calls_set_sp(&build->b, site, block->walk.start);
}

/* What the active call executes, if it has been a stub until now. */
static void note_stub(struct build *build, const struct history_run *run)
{
	struct call *top = &build->b.calls->items[build->b.top];
	uint8_t *stub = &build->facts[run->node].stub;

	if (top->stub != STUB_KEEPS && top->stub != STUB_SETS)
		return;
	if (*stub == STUB_UNASKED)
		*stub = (uint8_t)stub_of_run(history_memory(build->history),
		                             &run->graph->nodes[run->node]);
	top->stub = (uint8_t)stub_join((enum stub)top->stub, (enum stub) * stub);
}

static void note_run(struct build *build, const struct history_run *run)
{
	const struct basic_block *block = &run->graph->nodes[run->node];
	const struct walk *walk = &block->walk;
	bool is_taken = run->taken && (walk->last.class == INSN_BRANCH ||
	                               walk->last.class == INSN_BRANCH_INDIRECT);
	uint8_t *kind = &build->facts[run->node].exit;

	if (is_taken && *kind == EXIT_UNASKED)
		*kind = (uint8_t)exit_of(build, block);
	build->last = (struct last_run){
	        .exit = {.kind = is_taken ? (enum exit_kind) * kind : EXIT_PLAIN,
	                 .address = walk->end - walk->last.size,
	                 .after = walk->end},
	        .next = is_taken ? walk->last.target : walk->end,
	        .has_next = !is_taken || (walk->last.class == INSN_BRANCH && !block->is_odd),
	};
}

/* ---- between two runs ---- */

/* What lies between the last run and where execution goes on. */
struct between {
	bool has_gap; /* that no exception explains */
	bool is_off;  /* tracing was off */
	size_t exceptions;
	uint64_t to;
};

static bool is_off(enum gap_reason reason)
{
	return reason == GAP_TRACE_ON || reason == GAP_DEBUG;
}

/* Finds the gaps at the boundary. */
static void take_gaps(struct build *build, struct between *between)
{
	struct gap gap;

	for (; history_gap(build->history, build->next_gap, &gap) &&
	       gap.position <= build->b.position;
	     build->next_gap++) {
		if (is_off(gap.reason) && gap.merged == 0)
			between->is_off = true;
		else
			between->has_gap = true;
	}
}

/* An untraced function was called and has returned; or it is the place where tracing began. */
static bool is_call_and_back(const struct build *build, const struct between *between)
{
	return build->last.exit.kind == EXIT_CALL && between->to == build->last.exit.after;
}

/* PendSV is there for that, and many kernels do it in SVC. */
static bool may_switch(enum exception_kind kind)
{
	return kind == EXCEPTION_CALL || kind == EXCEPTION_SYSTEM;
}

static enum status take_exception(struct build *build, const struct element *element,
                                  const struct element *next, const struct between *between)
{
	enum exception_kind kind = exception_kind_of(element->exception.info);
	bool has_to = !next || next->exception.has_return_address;
	const struct call_exception e = {
	        .return_address = element->exception.return_address,
	        .has_return = element->exception.has_return_address,
	        .to = next ? next->exception.return_address : between->to,
	        .is_chained = element->exception.is_tail_chained,
	        .is_untraced = between->is_off,
	        .is_fault = exception_is_synchronous(kind) && kind != EXCEPTION_CALL,
	        .may_switch = may_switch(kind),
	};

	/* The core was halted where it was taken; trace has no bits of misaligned addresses. */
	if (build->b.is_halt && !next && e.has_return &&
	    ((e.to ^ e.return_address) & ~UINT64_C(3)) == 0)
		return STATUS_OK;
	if (kind == EXCEPTION_RESET && has_to)
		return calls_after_gap(&build->b, e.to);
	return has_to ? calls_interrupt(&build->b, &e) : STATUS_OK;
}

static void note_context(struct build *build, const struct element *element)
{
	if (element->type == ELEMENT_PE_CONTEXT && element->context.has_context_id &&
	    !element->context.is_context_part)
		build->b.context = (struct call_context){element->context.context_id, true};
}

/* M profile: what branches to EXC_RETURN looks like any return, and the trace says what it was. */
static void note_exception_return(struct build *build, const struct element *element)
{
	if (element->type == ELEMENT_EXCEPTION_RET && build->b.is_m_profile &&
	    build->last.exit.kind != EXIT_PLAIN)
		build->last.exit.kind = EXIT_EXCEPTION_RETURN;
}

/* The next exception of the boundary, or false. */
static bool next_exception(struct build *build, struct element *element)
{
	struct history_event event;

	while (history_event(build->history, build->next_event, &event) &&
	       event.position <= build->b.position) {
		build->next_event++;
		note_context(build, &event.element);
		if (event.position < build->b.position)
			continue;
		note_exception_return(build, &event.element);
		if (!element_is_exception(&event.element))
			continue;
		*element = event.element;
		return true;
	}
	return false;
}

/* The exception says where it returns to, or what was before it does. */
static void complete(const struct build *build, struct element *element, bool is_first)
{
	if (element->exception.has_return_address || !is_first || !build->last.has_next)
		return;
	if (element->exception.is_tail_chained)
		return;
	element->exception.has_return_address = true;
	element->exception.return_address = build->last.next;
}

static enum status take_exceptions(struct build *build, struct element *first,
                                   const struct between *between)
{
	struct element next;
	bool has_next;

	complete(build, first, true);
	if (first->exception.has_return_address && !first->exception.cancels_last &&
	    build->last.exit.kind != EXIT_PLAIN)
		TRY(calls_leave(&build->b, &build->last.exit, first->exception.return_address));
	do {
		has_next = next_exception(build, &next);
		TRY(take_exception(build, first, has_next ? &next : NULL, between));
		if (has_next)
			*first = next;
	} while (has_next);
	return STATUS_OK;
}

/*
 * Tracing was off from a return from an exception to an entry from a lower exception level, at a
 * vector that is for these (Arm ARM D1.3.1.5), in one context: the lower level ran in between.
 */
static bool is_stay_below(const struct build *build, const struct between *between,
                          const struct call_context *before)
{
	const struct call_context *after = &build->b.context;

	return build->last.exit.kind == EXIT_EXCEPTION_RETURN && before->is_known &&
	       after->is_known && before->id == after->id && (between->to & VECTOR_BITS) == 0 &&
	       (between->to & VECTOR_OF_LOWER) != 0 &&
	       history_core(build->history)->arch == CORE_A64;
}

/* Execution goes on at between->to, after what was run last. */
static enum status cross(struct build *build, struct between *between)
{
	const struct call_context before = build->b.context;
	struct element exception;
	bool has_exception;

	take_gaps(build, between);
	has_exception = next_exception(build, &exception);
	if (between->is_off && !between->has_gap && !has_exception &&
	    is_stay_below(build, between, &before))
		return calls_after_stay(&build->b, between->to);
	if (between->has_gap ||
	    (between->is_off && !has_exception && !is_call_and_back(build, between)))
		return calls_after_gap(&build->b, between->to);
	if (has_exception)
		return take_exceptions(build, &exception, between);
	if (between->is_off)
		return STATUS_OK;
	return build->last.exit.kind == EXIT_PLAIN
	               ? STATUS_OK
	               : calls_leave(&build->b, &build->last.exit, between->to);
}

/* The position of the next event or gap. */
static uint64_t next_mark(const struct build *build)
{
	struct history_event event;
	uint64_t mark = UINT64_MAX;
	struct gap gap;

	if (history_gap(build->history, build->next_gap, &gap))
		mark = gap.position;
	if (history_event(build->history, build->next_event, &event) && event.position < mark)
		mark = event.position;
	return mark;
}

/* Past all gaps and events up to the present run, of which the next one is at *mark. */
static void pass_marks(struct build *build, uint64_t *mark)
{
	while (build->b.position >= *mark) {
		struct between skipped = {.to = 0};
		struct element exception;

		take_gaps(build, &skipped);
		(void)next_exception(build, &exception);
		*mark = next_mark(build);
	}
}

/* From the last run to the present one, which begins at `to`; before it is a mark or not. */
static enum status come_to(struct build *build, uint64_t to, bool has_mark)
{
	struct between between = {.to = to};

	if (build->b.position == 0)
		return calls_begin(&build->b, CALL_BEGIN_FIRST, to);
	if (has_mark)
		return cross(build, &between);
	return build->last.exit.kind == EXIT_PLAIN ? STATUS_OK
	                                           : calls_leave(&build->b, &build->last.exit, to);
}

static enum status take_run(struct build *build, const struct history_run *run, uint64_t *mark)
{
	uint64_t to = run->graph->nodes[run->node].walk.start;

	build->b.position = run->position;
	TRY(take_graph(build, run->graph));
	TRY(come_to(build, to, run->position >= *mark));
	pass_marks(build, mark);
	if (build->b.context.is_known)
		TRY(calls_switch_context(&build->b, to));
	TRY(note_sp(build, run));
	note_stub(build, run);
	note_run(build, run);
	return STATUS_OK;
}

/* The halt, after the last run. */
static enum status take_halt(struct build *build)
{
	struct between between = {.to = 0};

	build->b.position = history_length(build->history);
	build->b.is_halt = true;
	if (history_pc(build->history, build->b.position, &between.to) != STATUS_OK)
		return STATUS_OK;
	if (build->b.position == 0)
		return calls_begin(&build->b, CALL_BEGIN_FIRST, between.to);
	return cross(build, &between);
}

static enum status walk(struct build *build)
{
	struct history_runs runs;
	struct history_run run;
	uint64_t mark = next_mark(build);
	uint32_t count = 0;

	history_runs_begin(&runs, build->history, 0);
	while (history_runs_next(&runs, &run)) {
		TRY(take_run(build, &run, &mark));
		if (calls_are_to_be_found_anew(build->b.switches))
			return STATUS_OK;
		if (++count % RUNS_A_QUESTION == 0 && interrupt_has_come(build->interrupt))
			return STATUS_INTERRUPTED;
	}
	return take_halt(build);
}

/* ---- the end ---- */

/* Callers that came to light late have later numbers than those that they called. */
static void count_depths(struct calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		calls->items[i].depth = CALL_NONE;
	for (size_t i = 0; i < calls->count; i++) {
		uint32_t depth = 0;
		uint32_t call = (uint32_t)i;

		while (call != CALL_NONE && calls->items[call].depth == CALL_NONE) {
			call = calls->items[call].parent;
			depth++;
		}
		depth += call == CALL_NONE ? 0 : calls->items[call].depth + 1;
		for (call = (uint32_t)i; call != CALL_NONE && calls->items[call].depth == CALL_NONE;
		     call = calls->items[call].parent)
			calls->items[call].depth = --depth;
	}
}

static void end_suspended(struct call_builder *b)
{
	for (size_t i = 0; i < b->suspended_count; i++) {
		struct call *call = &b->calls->items[b->suspended[i].call];

		if (call->end == CALL_END_HALT)
			call->end = CALL_END_SUSPENDED;
	}
}

static uint32_t number_of(const struct calls *c, const uint32_t *numbers, uint32_t call)
{
	while (call != CALL_NONE && c->items[call].is_merged)
		call = c->items[call].replaced;
	return call == CALL_NONE ? CALL_NONE : numbers[call];
}

/* With these numbers; what is of one call is one. */
static void join_segments(struct calls *c, const uint32_t *numbers)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->segment_count; i++) {
		struct call_segment segment = c->segments[i];

		segment.call = number_of(c, numbers, segment.call);
		if (kept == 0 || c->segments[kept - 1].call != segment.call)
			c->segments[kept++] = segment;
	}
	c->segment_count = kept;
}

/* Takes out the calls that were found to be others. */
static enum status drop_merged(struct calls *c)
{
	uint32_t *numbers = calloc(c->count + 1, sizeof(*numbers));
	uint32_t kept = 0;

	if (!numbers)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < c->count; i++) {
		numbers[i] = kept;
		kept += !c->items[i].is_merged;
	}
	for (size_t i = 0; i < c->count; i++) {
		if (c->items[i].is_merged)
			continue;
		c->items[i].parent = number_of(c, numbers, c->items[i].parent);
		c->items[i].replaced = number_of(c, numbers, c->items[i].replaced);
	}
	join_segments(c, numbers);
	c->first_stray = number_of(c, numbers, c->first_stray);
	for (size_t i = 0; i < c->count; i++) {
		if (!c->items[i].is_merged)
			c->items[numbers[i]] = c->items[i];
	}
	c->count = kept;
	free(numbers);
	return STATUS_OK;
}

/* NOT_FOUND if it takes more than the active switches to explain the history: switches->shown. */
static enum status build_with(const struct history *history, const struct symbols *symbols,
                              struct interrupt *interrupt, struct switches *switches,
                              struct calls **calls)
{
	struct build build = {
	        .history = history,
	        .interrupt = interrupt,
	        .b = {.top = CALL_NONE,
	              .is_m_profile = history_core(history)->arch == CORE_M,
	              .has_stubs = history_core(history)->arch == CORE_A32,
	              .switches = switches},
	};
	struct calls *made = calloc(1, sizeof(*made));
	enum status status;

	if (!made)
		return STATUS_NO_MEM;
	made->history = history;
	made->symbols = symbols;
	made->first_stray = CALL_NONE;
	build.b.calls = made;
	status = walk(&build);
	if (status == STATUS_OK && calls_are_to_be_found_anew(switches))
		status = STATUS_NOT_FOUND;
	if (status == STATUS_OK)
		status = calls_decide_rest(&build.b);
	end_suspended(&build.b);
	if (status == STATUS_OK)
		status = drop_merged(made);
	count_depths(made);
	free(build.facts);
	free(build.b.returns);
	free(build.b.entries);
	free(build.b.doubts);
	free(build.b.candidates);
	if (status != STATUS_OK) {
		calls_destroy(made);
		return status;
	}
	*calls = made;
	return STATUS_OK;
}

enum status calls_build(const struct history *history, const struct symbols *symbols,
                        struct interrupt *interrupt, struct calls **calls)
{
	struct switches switches = {.count = 0};
	enum status status;

	do {
		calls_activate(&switches);
		status = build_with(history, symbols, interrupt, &switches, calls);
	} while (status == STATUS_NOT_FOUND && calls_are_to_be_found_anew(&switches));
	return status;
}
