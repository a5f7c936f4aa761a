/* SPDX-License-Identifier: Apache-2.0 */
/* Code and translation that may have changed; see code_change.h. */
#include "replay/values/ssa/code_change.h"

#include "arch/a32/a32.h"
#include "replay/history/history.h"
#include "replay/values/ssa/boundary.h"
#include "replay/values/ssa/plan_code.h"

static bool is_writable(const struct memmap *memory, const struct history_code *e)
{
	struct mem_span span;

	return memmap_find(memory, SPACE_ANY, e->start, &span) != STATUS_OK ||
	       !span.region->read_only;
}

static bool is_svc(const struct plan *plan)
{
	if (plan->isa == ISA_T32)
		return plan->size == 2 && plan->opcode >> 8 == 0xdf;
	return plan->isa == ISA_A32 && (plan->opcode & 0x0f000000) == 0x0f000000;
}

static bool makes_code(const struct memmap *memory, struct plan *plan)
{
	(void)memory;
	return plan_maintains_icache((enum isa)plan->isa, plan->size, plan->opcode) || is_svc(plan);
}

static bool changes_translation(const struct memmap *memory, struct plan *plan)
{
	struct uop_builder b;

	/* MSR and SYS, MCR and MCRR: the others need not be expanded. */
	if (plan->size != 4 || (plan->isa == ISA_A64 ? plan->opcode >> 22 != 0xd5000000 >> 22
	                                             : (plan->opcode & 0x0c000000) != 0x0c000000))
		return false;
	plan_code(memory, plan, &b);
	return (b.insn.flags & UOP_CHANGES_TRANSLATION) != 0;
}

/* The run has such an instruction. */
static bool has_any(const struct memmap *memory, const struct history_code *e,
                    bool (*is_such)(const struct memmap *, struct plan *))
{
	struct plan plan = {
	        .address = e->start, .isa = (uint8_t)e->isa, .space = SPACE_ANY, .it = SEM_NO_IT};

	for (;;) {
		plan.size = plan_size(memory, &plan);
		if (e->end - plan.address < plan.size || !plan_read_opcode(memory, &plan))
			return false;
		if (is_such(memory, &plan))
			return true;
		if (e->end - plan.address == plan.size)
			return false;
		plan.address += plan.size;
	}
}

static bool may_change(const struct history *history)
{
	const struct memmap *memory = history_core(history)->memory;
	struct history_code code;
	bool writable = false;
	bool makes = false;

	for (size_t i = 0; !writable && history_code(history, i, &code); i++)
		writable = is_writable(memory, &code);
	for (size_t i = 0; writable && !makes && history_code(history, i, &code); i++)
		makes = has_any(memory, &code, makes_code);
	return makes;
}

static bool translation_may_change(const struct history *history)
{
	struct history_code code;
	bool changes = false;

	for (size_t i = 0; !changes && history_code(history, i, &code); i++)
		changes = has_any(history_core(history)->memory, &code, changes_translation);
	return changes;
}

struct code_changes code_changes_of(const struct history *history)
{
	return (struct code_changes){
	        .of_code = may_change(history),
	        .of_translation = translation_may_change(history),
	        .same_space_from = boundary_space_change(history),
	};
}
