/* SPDX-License-Identifier: Apache-2.0 */
/* Code and translation that may have changed; see code_change.h. */
#include "replay/values/ssa/code_change.h"

#include "arch/a32/a32.h"
#include "replay/history/history.h"
#include "replay/values/ssa/control_event.h"
#include "replay/values/ssa/template_code.h"

static bool is_writable(const struct memmap *memory, const struct history_code *e)
{
	struct mem_span span;

	return memmap_find(memory, e->view, e->start, &span) != STATUS_OK ||
	       !span.region->read_only;
}

static bool is_svc(const struct template *template)
{
	if (template->isa == ISA_T32)
		return template->size == 2 && template->opcode >> 8 == 0xdf;
	return template->isa == ISA_A32 && (template->opcode & 0x0f000000) == 0x0f000000;
}

static bool makes_code(const struct memmap *memory, struct template *template)
{
	(void)memory;
	return template_maintains_icache((enum isa) template->isa, template->size,
	                                 template->opcode) ||
	       is_svc(template);
}

static bool changes_translation(const struct memmap *memory, struct template *template)
{
	struct uop_builder b;

	/* MSR and SYS, MCR and MCRR: the others need not be expanded. */
	if (template->size != 4 ||
	    (template->isa == ISA_A64 ? template->opcode >> 22 != 0xd5000000 >> 22
	                              : (template->opcode & 0x0c000000) != 0x0c000000))
		return false;
	template_code(memory, template, &b);
	return (b.insn.flags & UOP_CHANGES_TRANSLATION) != 0;
}

/* The run has such an instruction. */
static bool has_any(const struct memmap *memory, const struct history_code *e,
                    bool (*is_such)(const struct memmap *, struct template *))
{
	struct template template = {
	        .address = e->start, .isa = (uint8_t)e->isa, .view = e->view, .it = SEM_NO_IT};

	for (;;) {
		template.size = template_size(memory, &template);
		if (e->end - template.address < template.size ||
		    !template_read_opcode(memory, &template))
			return false;
		if (is_such(memory, &template))
			return true;
		if (e->end - template.address == template.size)
			return false;
		template.address += template.size;
	}
}

static bool may_change(const struct history *history)
{
	const struct memmap *memory = history_memory(history);
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
		changes = has_any(history_memory(history), &code, changes_translation);
	return changes;
}

struct code_changes code_changes_of(const struct history *history)
{
	return (struct code_changes){
	        .of_code = may_change(history),
	        .of_translation = translation_may_change(history),
	        .same_space_from = control_event_space_change(history),
	};
}
