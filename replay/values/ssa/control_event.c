/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps, exceptions and changes of context as micro-operations; see control_event.h.
 */
#include "replay/values/ssa/control_event.h"

#include "arch/uop/uop.h"
#include "replay/history/history.h"
#include "replay/values/ssa/a32_exception.h"
#include "replay/values/ssa/el0_stay.h"
#include "replay/values/ssa/fault.h"
#include "replay/values/ssa/level_change.h"
#include "replay/values/ssa/template_code.h"

/* What the trace says at one position. */
struct notices {
	bool has_gap;
	bool lost; /* nothing survives */
	bool changes_space;
	bool has_return;      /* an exception return */
	bool is_after_return; /* M profile: the exception comes after it, */
	bool is_chained;      /* and is tail-chained */
	bool has_marker;      /* M profile, of an exception's data */
	unsigned int exceptions;
	struct element exception; /* the last one; valid if exceptions > 0 */
	unsigned int faults;      /* of accesses to data */
	struct element fault;     /* the last one; valid if faults > 0 */
	bool has_debug;
	struct element debug; /* after all of these: a Debug halt, as far as is known */
	enum el0_phase phase; /* of a stay at EL0 in the gap */
};

/* EL0 and EL1 have their memory in common. */
static int regime(enum exception_level level)
{
	return level == EL_UNKNOWN || level == EL_0 ? (int)EL_1 : (int)level;
}

static bool same_space(const struct pe_context *a, const struct pe_context *b)
{
	return a->security == b->security && regime(a->level) == regime(b->level) &&
	       a->has_context_id == b->has_context_id && a->has_vmid == b->has_vmid &&
	       (!a->has_context_id || a->context_id == b->context_id) &&
	       (!a->has_vmid || a->vmid == b->vmid);
}

/* The same but for CONTEXTIDR, which in AArch64 translates nothing. */
static bool same_kernel(const struct pe_context *a, const struct pe_context *b)
{
	struct pe_context of_a = *a;

	of_a.has_context_id = b->has_context_id;
	of_a.context_id = b->context_id;
	return a->is_64bit && b->is_64bit && same_space(&of_a, b);
}

/* After a reset registers are UNKNOWN, and what caches held of memory, too (Arm ARM D1.3.1). */
static bool loses_all(const struct element *e)
{
	if (e->type == ELEMENT_EXCEPTION)
		return e->exception.cancels_last || e->exception.last_resumes ||
		       exception_kind_of(e->exception.info) == EXCEPTION_RESET;
	if (e->type == ELEMENT_MEMTRANS)
		return e->memtrans == MEMTRANS_FAIL;
	return e->type == ELEMENT_NO_SYNC || e->type == ELEMENT_ADDR_NACC ||
	       e->type == ELEMENT_ADDR_UNKNOWN || e->type == ELEMENT_I_RANGE_NOPATH;
}

/* False of what says nothing of registers and memory: times, counts, data. */
static bool matters(const struct element *e)
{
	return e->type == ELEMENT_EXCEPTION || e->type == ELEMENT_EXCEPTION_RET ||
	       e->type == ELEMENT_PE_CONTEXT || loses_all(e);
}

/* To the next that matters. */
static void look_ahead(struct control_event_reader *r)
{
	struct history_event event;
	struct gap gap;

	r->ahead = history_gap(r->history, r->gap, &gap) ? gap.position : UINT64_MAX;
	for (; history_event(r->history, r->event, &event) && event.position < r->ahead;
	     r->event++) {
		if (matters(&event.element)) {
			r->ahead = event.position;
			return;
		}
	}
}

void control_event_begin(struct control_event_reader *r, const struct history *history,
                         const struct window_options *options)
{
	struct context_change change;

	*r = (struct control_event_reader){.history = history,
	                                   .handler_preserves = options->handler_preserves,
	                                   .kernel_private = options->kernel_private,
	                                   .m_core = m_core_of(history_core(history)->device)};
	r->gap = history_gap_index(history, options->from + 1);
	r->event = history_event_index(history, options->from + 1);
	r->has_context = history_last_context(history, options->from, &change);
	if (r->has_context)
		r->context = change.context;
	look_ahead(r);
}

static void take_exception(const struct element *e, struct notices *n)
{
	n->lost |= loses_all(e);
	n->is_after_return = n->has_return;
	n->is_chained = n->has_return && e->exception.is_tail_chained;
	n->exceptions++;
	n->exception = *e;
	if (exception_kind_of(e->exception.info) == EXCEPTION_DATA_FAULT) {
		n->faults++;
		n->fault = *e;
	}
}

/* A Debug halt was not the last thing, or does not lead on: a debugger may have changed anything.
 */
static void take_debug(struct notices *n)
{
	if (n->has_debug)
		take_exception(&n->debug, n);
	n->lost |= n->has_debug;
	n->has_debug = false;
}

static void take_event(struct control_event_reader *r, const struct element *e, struct notices *n)
{
	n->phase = el0_stay_pass(n->phase, e);
	if (e->type != ELEMENT_EXCEPTION)
		n->lost |= loses_all(e);
	if (e->type == ELEMENT_PE_CONTEXT) {
		n->lost |= r->has_context && r->context.is_64bit != e->context.is_64bit;
		n->changes_space |= r->has_context && !same_space(&r->context, &e->context);
		r->context = e->context;
		r->has_context = true;
	} else if (e->type == ELEMENT_EXCEPTION && e->exception.is_data_marker) {
		n->has_marker = true;
	} else if (e->type == ELEMENT_EXCEPTION) {
		take_debug(n);
		n->has_debug = exception_kind_of(e->exception.info) == EXCEPTION_DEBUG;
		if (n->has_debug)
			n->debug = *e;
		else
			take_exception(e, n);
	} else if (e->type == ELEMENT_EXCEPTION_RET) {
		take_debug(n);
		n->has_return = true;
	}
}

/* Tracing was off once: of a handler it may have been, if the exception comes first. */
static bool is_off(const struct gap *gap)
{
	return gap->reason == GAP_TRACE_ON && gap->merged == 0;
}

/*
 * The core was halted for a debugger, after which the snapshot was taken: that is the last thing of
 * the history, and changes neither registers nor memory (Arm ARM H2.4.1; Armv7-M ARM C1.5).
 */
static bool is_halt(const struct control_event_reader *r, uint64_t position, const uint64_t *pc,
                    const struct element *e)
{
	return position == history_length(r->history) && pc &&
	       (!e->exception.has_return_address || e->exception.return_address == *pc);
}

static struct notices take(struct control_event_reader *r, uint64_t position, const uint64_t *pc,
                           bool is_return)
{
	struct notices n = {.has_gap = false};
	uint64_t first_gap = 0; /* where the trace shows it */
	struct history_event event;
	struct gap gap;

	if (position < r->ahead)
		return n;
	n.phase = r->has_context ? el0_stay_begin(&r->context, is_return) : EL0_NOT;
	for (; history_gap(r->history, r->gap, &gap) && gap.position <= position; r->gap++) {
		if (!n.has_gap)
			first_gap = gap.offset;
		n.has_gap = true;
		n.lost |= !is_off(&gap);
		if (is_off(&gap))
			n.phase = el0_stay_off(n.phase, r->kernel_private);
		else if (!gap_lacks_opcode(gap.reason))
			n.phase = EL0_NOT;
	}
	for (; history_event(r->history, r->event, &event) && event.position <= position;
	     r->event++)
		take_event(r, &event.element, &n);
	look_ahead(r);
	if (n.has_debug && !is_halt(r, position, pc, &n.debug))
		take_debug(&n);
	n.lost |= n.has_gap && n.exceptions > 0 && first_gap < n.exception.offset;
	return n;
}

static void lose_all(struct uop_builder *b)
{
	uop_begin(b);
	b->insn.flags = UOP_KILLS_ALL;
	uop_finish(b);
}

/* The other security state of AArch32 has thread pointers of its own. */
static void change_security(struct uop_builder *b)
{
	uop_define_unknown(b, REG_TPIDR_EL0, 64);
	uop_define_unknown(b, REG_TPIDRRO_EL0, 64);
	uop_define_unknown(b, REG_TPIDR_EL1, 64);
}

/* Monitor mode is of the Security Extensions, which the R profile does not have. */
static bool has_monitor(const struct control_event_reader *r)
{
	return !str_has_prefix_nocase(history_core(r->history)->device->type, STR("Cortex-R"));
}

/*
 * AArch32: an entry to a traced handler, or a change of the context by the instruction before,
 * which itself says what it did. False, with nothing added, if that is not known: after one that
 * was interrupted R8 to R14 are not all what they were.
 */
static bool change_mode(const struct control_event_reader *r, const struct notices *n,
                        const struct control_event_from *from, const struct pe_context *was,
                        const uint64_t *pc, struct uop_builder *b)
{
	const struct a32_entry entry = {.exception = &n->exception,
	                                .vector = pc ? (uint32_t)*pc : 1,
	                                .site = from->site,
	                                .is_isa_known = from->insn &&
	                                                !from->insn->branch.interworks &&
	                                                from->insn->branch.kind != BRANCH_RETURN,
	                                .has_monitor = has_monitor(r),
	                                .from = was,
	                                .to = &r->context};

	if (!r->has_context || !from->is_known || n->has_gap || n->has_return ||
	    n->exceptions > 1 || (b->insn.flags & UOP_KILLS_REGISTERS) != 0)
		return false;
	for (unsigned int i = 0; i < b->insn.def_count; i++) {
		if (b->insn.defs[i].reg >= 8 && b->insn.defs[i].reg < REG_V0)
			return false;
	}
	return n->exceptions == 0 || a32_exception_enter(&entry, b);
}

/* A change of level that is not followed: another SP, and its own state. */
static void lose_level(const struct control_event_from *from, bool is_other_security,
                       struct uop_builder *b)
{
	uop_define_unknown(b, REG_NZCV, 16);
	uop_define_unknown(b, REG_PSTATE, 64);
	if (from->site.isa != ISA_A64) {
		uop_mode_forget(b);
		uop_define_unknown(b, REG_A32_GE, 64);
		if (is_other_security)
			change_security(b);
		return;
	}
	uop_define_unknown(b, REG_SP, 64);
	uop_define_unknown(b, REG_VL, 64);
	for (unsigned int reg = REG_SP_EL0; reg <= REG_DAIF; reg++)
		uop_define_unknown(b, reg, 64);
}

/*
 * A change of CONTEXTIDR alone is an instruction's. In AArch64 it changes neither registers nor
 * what addresses mean: what does, TTBR0 and TTBR1, is written by instructions, too, and all are
 * traced.
 */
static bool is_context_id_alone(const struct notices *n, const struct control_event_from *from,
                                const struct pe_context *was, const struct pe_context *now)
{
	return n->exceptions == 0 && !n->has_return && !n->has_gap && from->is_known &&
	       from->site.isa == ISA_A64 && !from->is_return && !from->is_exception &&
	       (was->level == EL_1 || was->level == EL_2) && was->level == now->level &&
	       same_kernel(was, now);
}

/*
 * Entry of a handler that is traced, or a return from one, or both, from the context `was`. The
 * instruction before may have faulted: `b` has begun with what it left.
 */
static void change_level(struct control_event_reader *r, const struct notices *n,
                         const struct control_event_from *from, const struct pe_context *was,
                         const uint64_t *pc, struct uop_builder *b)
{
	const struct element *e = &n->exception;
	enum exception_kind kind = exception_kind_of(e->exception.info);
	struct level_change change = {
	        .is_return = from->is_return,
	        .has_entry = n->exceptions > 0 || n->phase == EL0_BACK,
	        .has_stay = n->has_gap,
	        .is_unseen = n->phase == EL0_BACK,
	        .spares_kernel = r->kernel_private,
	        .has_own_sp = r->has_own_sp,
	        .vector = pc ? *pc : 1,
	        .returns = e->exception.return_address,
	        .has_returns = kind != EXCEPTION_FAULT && e->exception.has_return_address,
	        .is_indirect = n->has_gap || from->is_return || !from->insn ||
	                       from->insn->branch.kind == BRANCH_INDIRECT,
	        .is_interrupt = kind == EXCEPTION_INTERRUPT || kind == EXCEPTION_ERROR,
	        .from = was->level,
	        .to = r->context.level,
	};
	bool is_followed = from->site.isa == ISA_A64 && r->has_context && from->is_known &&
	                   !n->has_return && n->exceptions <= 1 && kind != EXCEPTION_DEBUG &&
	                   kind != EXCEPTION_RESET && (b->insn.flags & UOP_KILLS_REGISTERS) == 0 &&
	                   uop_insn_after(&b->insn, REG_SP) == REG_SP;

	if (from->site.isa != ISA_A64 && change_mode(r, n, from, was, pc, b)) {
		if (was->security != r->context.security)
			change_security(b);
		return;
	}
	r->has_own_sp = false;
	if (is_followed && level_change_define(&change, b, &r->has_own_sp)) {
		if (change.is_return && !change.has_entry && !change.has_stay && change.to >= EL_1)
			r->selected_by = level_change_spsr(change.from);
		return;
	}
	if (n->has_gap)
		lose_all(b);
	else
		lose_level(from, was->security != r->context.security, b);
}

/*
 * Begins with what the instruction left that faulted. After a branch to an address in a register
 * the instruction set of AArch32 is not known.
 */
static void begin_fault(const struct control_event_reader *r, const struct notices *n,
                        const struct control_event_from *from, struct uop_builder *b)
{
	enum isa isa = from->site.isa;

	if (n->faults == 0)
		uop_begin(b);
	else if (n->faults == 1 && n->fault.exception.has_return_address && from->is_known &&
	         (isa == ISA_A64 || !from->insn->branch.interworks))
		fault_begin(history_memory(r->history), from->view,
		            n->fault.exception.return_address, isa, b);
	else
		lose_all(b);
}

/* Where no handler runs: one that exceptions lead to there came after one that is not traced. */
static bool is_at_el0(const struct control_event_reader *r)
{
	return r->has_context && r->context.level == EL_0;
}

/*
 * A system call may be one of a program to Linux: that of an operating system without user mode
 * runs other tasks. Where levels are not traced the halt may say that there is none.
 */
static bool may_call_linux(const struct control_event_reader *r)
{
	const struct snap_register *cpsr;

	if (r->has_context && r->context.level != EL_UNKNOWN)
		return r->context.level == EL_0;
	if (history_core(r->history)->arch != CORE_A32)
		return true;
	cpsr = history_halt_register(r->history, A32_cpsr);
	return !cpsr || (snap_register_value(cpsr) & A32_MODE_MASK) == A32_USR;
}

/*
 * The handler of an interrupt ran unseen and came back. Its entry wrote registers of some level
 * that no handler restores; and what ran at EL1 or above may have data in common with it. False if
 * nothing changed.
 */
static bool pass_interrupt(const struct control_event_reader *r,
                           const struct control_event_from *from, struct uop_builder *b)
{
	bool is_a64 = from->site.isa == ISA_A64;

	if (is_a64 && is_at_el0(r))
		return false;
	uop_begin(b);
	if (is_a64)
		level_change_forget(b);
	else
		uop_mode_forget_others(b);
	if (!is_at_el0(r))
		b->insn.flags |= UOP_KILLS_MEMORY;
	uop_finish(b);
	return true;
}

/*
 * Execution goes on at the preferred return address of the one exception: its handler ran unseen,
 * or the history ends there. False if nothing changed.
 */
static bool resumed(struct control_event_reader *r, uint64_t position, const struct notices *n,
                    const struct control_event_from *from, struct uop_builder *b)
{
	const struct element *e = &n->exception;
	enum exception_kind kind = exception_kind_of(e->exception.info);
	bool again = from->is_known && from->address == e->exception.return_address;

	if (kind == EXCEPTION_CALL) {
		if (!from->is_known || !may_call_linux(r) || !call_model_system(&from->site, b)) {
			r->maintains_icache = from->is_known && call_model_may_flush(&from->site);
			lose_all(b);
		}
		return true;
	}
	/* An SVC has taken an exception of its own, which the trace does not show. */
	if (kind == EXCEPTION_INTERRUPT && r->handler_preserves && !from->is_exception)
		return pass_interrupt(r, from, b);
	/* The halt is that of the fault itself. */
	if (!from->is_exception && position == history_length(r->history) &&
	    exception_is_fault(kind) && !again) {
		begin_fault(r, n, from, b);
		uop_finish(b);
		r->is_fault = n->faults > 0 && (b->insn.flags & UOP_KILLS_REGISTERS) == 0;
		return n->faults > 0;
	}
	lose_all(b);
	return true;
}

/* Execution may have come to this address from the instruction. */
static bool leads_to(const struct control_event_from *from, uint64_t address)
{
	const struct uop_branch *branch = &from->insn->branch;
	bool is_after = address == from->address + from->size;

	if (branch->kind == BRANCH_NONE || branch->kind == BRANCH_EXCEPTION)
		return is_after || (from->insn->flags & UOP_NOT_IN_TABLE) != 0;
	if (branch->kind == BRANCH_DIRECT || branch->kind == BRANCH_CONDITIONAL)
		return address == branch->target || (is_after && branch->kind != BRANCH_DIRECT);
	return true;
}

/* Where an exception of the M profile was taken: ETMv3 does not say it of all. */
static bool taken_at(const struct control_event_from *from, const struct element *e,
                     uint32_t *address)
{
	unsigned int kind;

	*address = (uint32_t)e->exception.return_address;
	if (!from->is_known || !from->insn || (from->insn->flags & UOP_KILLS_REGISTERS) != 0)
		return false;
	if (e->exception.has_return_address)
		return leads_to(from, *address);
	*address = (uint32_t)from->address + from->size;
	kind = from->insn->branch.kind;
	if (kind == BRANCH_DIRECT)
		*address = (uint32_t)from->insn->branch.target;
	return kind == BRANCH_NONE || kind == BRANCH_EXCEPTION || kind == BRANCH_DIRECT;
}

/* What an exception comes before, of the opcode: it may have been begun. */
static bool read_interrupted(const struct control_event_reader *r, uint64_t address, uint32_t view,
                             uint32_t *opcode)
{
	const struct memmap *memory = history_memory(r->history);
	struct template template = {.isa = ISA_T32, .view = view, .address = address};

	template.size = template_size(memory, &template);
	if (!template_read_opcode(memory, &template))
		return false;
	*opcode = template.opcode;
	return true;
}

static bool enter_m(const struct control_event_reader *r, const struct element *e,
                    const struct control_event_from *from, struct uop_builder *b)
{
	uint32_t address;
	uint32_t opcode;

	if (m_exception_kind_of(&r->m_core, e->exception.info) == M_EXCEPTION_OTHER ||
	    !taken_at(from, e, &address) || !read_interrupted(r, address, from->view, &opcode))
		return false;
	m_exception_enter(&r->m_core, address, opcode, b);
	return true;
}

/*
 * A return, and with it another entry: what is unstacked and stacked again, or in tail-chaining
 * neither, is the same. ETMv3 does not tell the two apart.
 */
static bool return_m(const struct control_event_reader *r, const struct notices *n,
                     const struct control_event_from *from, struct uop_builder *b)
{
	const struct element *e = &n->exception;
	uint32_t opcode;

	if (n->exceptions == 1 && !n->is_chained &&
	    (!n->is_after_return || !e->exception.has_return_address ||
	     m_exception_kind_of(&r->m_core, e->exception.info) == M_EXCEPTION_OTHER ||
	     !read_interrupted(r, e->exception.return_address, from->view, &opcode) ||
	     m_has_many_accesses(opcode)))
		return false;
	m_exception_return(&r->m_core, from->site.opcode, n->exceptions == 1, b);
	return true;
}

static bool try_m(const struct control_event_reader *r, const struct notices *n, bool resumes,
                  const struct control_event_from *from, struct uop_builder *b)
{
	const struct element *e = &n->exception;

	if (!r->m_core.is_followed || n->lost || n->changes_space || n->exceptions > 1 ||
	    (n->has_marker && n->exceptions == 0) || !from->is_known ||
	    (r->m_core.has_security && !r->has_context))
		return false;
	if (n->has_gap) {
		if (!resumes || n->has_return || !r->handler_preserves ||
		    m_exception_kind_of(&r->m_core, e->exception.info) != M_EXCEPTION_INTERRUPT)
			return false;
		m_exception_unseen(b);
		return true;
	}
	if (n->exceptions == 1 && !n->has_return)
		return enter_m(r, e, from, b);
	return return_m(r, n, from, b);
}

/* Exceptions of the M profile. */
static void m_control_event(const struct control_event_reader *r, const struct notices *n,
                            bool resumes, const struct control_event_from *from,
                            struct uop_builder *b)
{
	if (!try_m(r, n, resumes, from, b))
		lose_all(b);
}

/* What ran unseen may have done anything, or the instruction before may not have completed. */
static bool is_not_followed(const struct control_event_reader *r, const struct notices *n,
                            const struct control_event_from *from)
{
	const struct element *e = &n->exception;

	if (n->has_gap || (from->is_exception && n->exceptions == 0) ||
	    (n->exceptions > 0 && is_at_el0(r)))
		return true;
	return n->exceptions > 0 && from->is_known && e->exception.has_return_address &&
	       e->exception.return_address == from->address &&
	       exception_is_fault(exception_kind_of(e->exception.info));
}

/* Execution goes on where it was: false if nothing changed. */
static bool go_on(struct control_event_reader *r, uint64_t position, const struct notices *n,
                  const struct control_event_from *from, struct uop_builder *b)
{
	bool is_any = true;

	if (from->is_return)
		lose_all(b);
	else
		is_any = resumed(r, position, n, from, b);
	r->has_own_sp &= !is_any || (b->insn.flags & UOP_KILLS_REGISTERS) == 0;
	return is_any;
}

/* A change of level, with what ran unseen at EL0 or what the instruction before it left. */
static bool follow(struct control_event_reader *r, const struct notices *n,
                   const struct control_event_from *from, const struct pe_context *was,
                   const uint64_t *pc, struct uop_builder *b)
{
	if (n->has_gap)
		uop_begin(b);
	else
		begin_fault(r, n, from, b);
	change_level(r, n, from, was, pc, b);
	uop_finish(b);
	return true;
}

static void note(struct control_event_reader *r, const struct notices *n, bool resumes)
{
	r->is_interrupted = n->has_gap || n->exceptions > 0 || n->has_return;
	r->resumes = resumes && !n->lost;
	r->is_entry = n->exceptions > 0 && !n->has_gap && !n->has_return && !n->lost;
	r->is_return = n->has_return;
}

/* Of a program of Linux whose kernel is not traced. */
static void note_diversion(struct control_event_reader *r, const struct notices *n,
                           const struct control_event_from *from, const uint64_t *pc)
{
	const struct element *e = &n->exception;
	enum exception_kind kind = exception_kind_of(e->exception.info);
	bool is_elsewhere = n->exceptions == 1 && n->has_gap && !n->lost && !n->has_return &&
	                    !n->changes_space && pc && from->is_known &&
	                    e->exception.has_return_address && *pc != e->exception.return_address &&
	                    may_call_linux(r);

	r->diversion = (struct diversion){.interrupted = e->exception.return_address,
	                                  .exception = (uint8_t)kind};
	if (!is_elsewhere)
		return;
	if (kind == EXCEPTION_CALL && call_model_is_sigreturn(&from->site))
		r->diversion.kind = DIVERSION_SIGRETURN;
	else if (exception_is_fault(kind) ||
	         (kind == EXCEPTION_CALL && call_model_sends_signal(&from->site)))
		r->diversion.kind = DIVERSION_SIGNAL;
	else if (kind == EXCEPTION_CALL || kind == EXCEPTION_INTERRUPT)
		r->diversion.kind = DIVERSION_ELSEWHERE;
}

bool control_event_next(struct control_event_reader *r, uint64_t position, const uint64_t *pc,
                        const struct control_event_from *from, struct uop_builder *b,
                        bool *changes_space)
{
	const struct pe_context was =
	        r->has_context ? r->context : (struct pe_context){.level = EL_UNKNOWN};
	bool had_own_sp =
	        from->sp >= SP_IN_USE_OWN_SINCE || (from->sp == SP_IN_USE_KEPT && r->has_own_sp);
	struct notices n = take(r, position, pc, from->is_return);
	const struct element *e = &n.exception;
	bool resumes = n.exceptions == 1 && pc && e->exception.has_return_address &&
	               *pc == e->exception.return_address;
	bool is_stay = n.has_gap && el0_stay_is_proved(n.phase) && !n.changes_space;

	n.changes_space &= n.lost || !is_context_id_alone(&n, from, &was, &r->context);
	*changes_space = n.changes_space;
	r->has_own_sp = false;
	note(r, &n, resumes);
	note_diversion(r, &n, from, pc);
	r->selected_by = SLOT_NONE;
	r->maintains_icache = false;
	r->is_fault = false;
	if (history_core(r->history)->arch == CORE_M &&
	    (r->is_interrupted || n.lost || n.changes_space || n.has_marker)) {
		r->m_core.is_secure = r->context.security == SECURITY_SECURE;
		m_control_event(r, &n, resumes, from, b);
		return true;
	}
	r->has_own_sp = had_own_sp;
	if (is_stay)
		return follow(r, &n, from, &was, pc, b);
	if (n.lost || ((n.exceptions > 1 || n.changes_space) && n.has_gap)) {
		r->has_own_sp = false;
		lose_all(b);
		return true;
	}
	if (n.changes_space) {
		(void)follow(r, &n, from, &was, pc, b);
		if ((b->insn.flags & UOP_KILLS_MEMORY) == 0 && same_kernel(&was, &r->context))
			b->insn.flags |= UOP_SPARES_KERNEL;
		b->insn.flags |= UOP_KILLS_MEMORY;
		return true;
	}
	if (resumes)
		return go_on(r, position, &n, from, b);
	if (!r->is_interrupted && !n.has_debug && from->is_exception && pc &&
	    *pc == from->address + from->size &&
	    call_model_semihosting(&from->site, history_core(r->history)->arch == CORE_M, b))
		return true;
	if (is_not_followed(r, &n, from)) {
		r->has_own_sp = false;
		lose_all(b);
		return true;
	}
	if (n.exceptions > 0 || n.has_return || from->is_return)
		return follow(r, &n, from, &was, pc, b);
	return false;
}

bool control_event_halts_elsewhere(const struct history *history)
{
	uint64_t length = history_length(history);
	uint64_t traced;

	return history_mark(history, MARK_VIEW, length, &traced) == STATUS_OK &&
	       (traced & SPACE_ANY & history_view(history, length)) == 0;
}

uint64_t control_event_space_change(const struct history *history, bool of_kernel)
{
	struct context_change change;
	struct pe_context before = {.level = EL_UNKNOWN};
	bool has_before = false;
	uint64_t position = 0;

	if (control_event_halts_elsewhere(history))
		return history_length(history);
	for (size_t i = 0; history_context_change(history, i, &change); i++) {
		if (has_before && !same_space(&before, &change.context) &&
		    !(of_kernel && same_kernel(&before, &change.context)))
			position = change.position;
		before = change.context;
		has_before = true;
	}
	return position;
}

uint64_t control_event_ahead(const struct control_event_reader *r)
{
	return r->ahead;
}
