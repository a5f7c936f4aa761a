/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that faulted; see fault.h. */
#include "replay/values/ssa/fault.h"

#include <string.h>

#include "arch/a32/a32.h"
#include "replay/values/ssa/template_code.h"

static bool is_base(const struct uop_insn *insn, unsigned int reg)
{
	for (size_t i = 0; i < insn->access_count; i++) {
		if (insn->accesses[i].address == reg)
			return true;
	}
	return false;
}

/* Stores become bytes that may have been written. */
static void drop_stores(struct uop_builder *b)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < b->insn.op_count; i++) {
		if (b->ops[i].op != UOP_STORE)
			b->ops[count++] = b->ops[i];
	}
	b->insn.op_count = (uint8_t)count;
	for (unsigned int i = 0; i < b->insn.access_count; i++) {
		struct uop_access *a = &b->accesses[i];

		if (a->kind != ACCESS_STORE)
			continue;
		a->kind = ACCESS_CLOBBER;
		a->length = a->size;
		a->size = 0;
		a->data = SLOT_NONE;
		a->when = SLOT_NONE;
	}
}

/* A single load that faults has loaded nothing. */
static void forget_loaded(struct uop_builder *b)
{
	struct uop_def defs[UOP_DEFS];
	unsigned int count = b->insn.def_count;

	memcpy(defs, b->defs, count * sizeof(defs[0]));
	b->insn.def_count = 0;
	for (unsigned int i = 0; i < count && b->insn.access_count != 1; i++) {
		if (!is_base(&b->insn, defs[i].reg))
			uop_define_unknown(b, defs[i].reg, 64);
	}
}

void fault_begin(const struct memmap *memory, uint32_t view, uint64_t address, enum isa isa,
                 struct uop_builder *b)
{
	struct template template = {
	        .address = address, .isa = (uint8_t)isa, .view = view, .it = SEM_NO_IT};

	template.size = template_size(memory, &template);
	template_code(memory, &template, b);
	b->insn.branch = (struct uop_branch){.kind = BRANCH_NONE, .slot = SLOT_NONE};
	b->insn.when = SLOT_NONE;
	drop_stores(b);
	forget_loaded(b);
}
