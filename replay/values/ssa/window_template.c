/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction templates of a window; see window_template.h. */
#include "replay/values/ssa/window_template.h"

#include <string.h>

#include "base/vec.h"
#include "replay/values/ssa/window_ssa.h"

static void template_read(struct template *template, unsigned int slot)
{
	if (slot >= REG_COUNT || template->read_of[slot] != READ_NONE)
		return;
	template->read_of[slot] = template->reg_count;
	template->regs[template->reg_count++] = (uint8_t)slot;
}

static void template_reads(struct template *template)
{
	const struct uop_insn *insn = template->insn;

	memset(template->read_of, READ_NONE, sizeof(template->read_of));
	for (size_t i = 0; i < insn->op_count; i++) {
		template_read(template, insn->ops[i].a);
		template_read(template, insn->ops[i].b);
		template_read(template, insn->ops[i].c);
	}
	for (size_t i = 0; i < insn->access_count; i++) {
		template_read(template, insn->accesses[i].address);
		template_read(template, insn->accesses[i].data);
		template_read(template, insn->accesses[i].when);
	}
	template->user_count = template->reg_count;
	template_read(template, insn->when);
	template_read(template, insn->branch.slot);
	if (insn->branch.interworks)
		template_read(template, insn->branch.state);
}

enum status window_add_template(struct window *w, const struct template *from,
                                const struct uop_insn *insn, uint32_t *number)
{
	struct template *template = arena_alloc(&w->arena, sizeof(*template));

	if (!template)
		return STATUS_NO_MEM;
	*template = *from;
	template->insn = uop_insn_store(&w->arena, insn);
	if (!template->insn)
		return STATUS_NO_MEM;
	template->changes_translation |= (insn->flags & UOP_CHANGES_TRANSLATION) != 0;
	template->kills_memory =
	        (insn->flags & UOP_KILLS_MEMORY) != 0 || template->changes_translation;
	template_reads(template);
	TRY(template_ops_make(&w->arena, template->insn, template->read_of, &template->ops));
	TRY(template_count(&w->arena, template));
	TRY(vec_reserve((void **)&w->templates, &w->template_capacity, w->template_count + 1,
	                sizeof(struct template *)));
	*number = (uint32_t)w->template_count;
	w->templates[w->template_count++] = template;
	return STATUS_OK;
}
