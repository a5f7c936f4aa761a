/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of SSA values, reads and accesses, and users; see window_ssa.h. */
#include "replay/values/ssa/window_ssa.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

/* The numbers of the dynamic instructions of a block fit the fields of struct dyn_insn. */
static_assert((DYN_BLOCK - 1) * (UOP_TEMPS + UOP_DEFS + REG_COUNT) < 1 << DYN_SSA_BITS, "nodes");
static_assert((DYN_BLOCK - 1) * REG_COUNT < 1 << DYN_READ_BITS, "reads");
static_assert((DYN_BLOCK - 1) * UOP_ACCESSES < 1 << DYN_ACCESS_BITS, "accesses");

static bool is_constant(const struct uop_def *def)
{
	return def->slot >= SLOT_CONSTANT;
}

static bool is_copy(const struct uop_def *def)
{
	return def->slot < REG_COUNT;
}

enum status template_count(struct arena *arena, struct template *template)
{
	const struct uop_insn *insn = template->insn;
	bool any_constant = false;
	struct template_def *defs;

	template->kills_registers = (insn->flags & UOP_KILLS_REGISTERS) != 0;
	template->access_count = template->kills_memory ? 1 : insn->access_count;
	template->ssa_count = insn->temp_count;
	template->def_count = insn->def_count;
	if (insn->def_count > 0) {
		defs = arena_alloc(arena, insn->def_count * sizeof(*defs));
		if (!defs)
			return STATUS_NO_MEM;
		template->defs = defs;
		for (unsigned int i = 0; i < insn->def_count; i++) {
			const struct uop_def *def = &insn->defs[i];

			any_constant |= is_constant(def);
			template->has_copies |= is_copy(def);
			defs[i] = (struct template_def){.reg = def->reg, .is_copy = is_copy(def)};
			if (is_copy(def))
				defs[i].from = def->slot;
			else if (is_constant(def))
				defs[i].from = (uint16_t)(insn->temp_count + i);
			else
				defs[i].from = (uint16_t)(def->slot - SLOT_TEMP);
		}
	}
	template->defines_constant = any_constant;
	if (template->kills_registers || any_constant)
		template->ssa_count = (uint16_t)(template->ssa_count + insn->def_count);
	template->killed_ssa = template->ssa_count;
	if (template->kills_registers)
		template->ssa_count = (uint16_t)(template->ssa_count + REG_COUNT);
	return STATUS_OK;
}

void window_advance(const struct window *w, size_t dyn, uint32_t now[REG_COUNT])
{
	const struct template *template = window_template(w, dyn);
	uint32_t ssa = window_dyn(w, dyn).ssa;
	uint32_t after[UOP_DEFS];

	/* Both registers of a swap are read before one of them is written. */
	if (template->has_copies) {
		for (unsigned int i = 0; i < template->def_count; i++)
			after[i] = template->defs[i].is_copy ? now[template->defs[i].from] : 0;
	}
	if (template->kills_registers) {
		for (uint32_t reg = 0; reg < REG_COUNT; reg++)
			now[reg] = ssa + template->killed_ssa + reg;
	}
	for (unsigned int i = 0; i < template->def_count; i++) {
		const struct template_def *def = &template->defs[i];

		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): is_copy: has_copies */
		now[def->reg] = def->is_copy ? after[i] : ssa + def->from;
	}
}

static enum status number_dyns(struct window *w)
{
	uint32_t ssa = REG_COUNT;
	uint32_t read = 0;
	uint32_t access = 0;
	struct dyn_block *block = NULL;

	w->dyn_blocks = malloc((w->dyn_count / DYN_BLOCK + 1) * sizeof(*w->dyn_blocks));
	if (!w->dyn_blocks)
		return STATUS_NO_MEM;
	for (size_t s = 0; s <= w->dyn_count; s++) {
		const struct template *template;

		if (s % DYN_BLOCK == 0) {
			block = &w->dyn_blocks[s / DYN_BLOCK];
			*block = (struct dyn_block){ssa, read, access};
		}
		w->dyns[s].numbers = (ssa - block->ssa) | (read - block->read) << DYN_SSA_BITS |
		                     (access - block->access) << (DYN_SSA_BITS + DYN_READ_BITS);
		if (s == w->dyn_count)
			break;
		if (ssa > UINT32_MAX / 4 || read > UINT32_MAX / 4)
			return STATUS_UNSUPPORTED;
		template = window_template(w, s);
		ssa += template->ssa_count;
		read += template->reg_count;
		access += template->access_count;
	}
	w->ssa_count = ssa;
	w->read_count = read;
	w->access_count = access;
	return STATUS_OK;
}

static enum status find_makers(struct window *w)
{
	size_t count = w->ssa_count / MAKER_BLOCK + (size_t)2;
	size_t block = 0;

	w->makers = arena_alloc(&w->arena, count * sizeof(*w->makers));
	if (!w->makers)
		return STATUS_NO_MEM;
	for (size_t s = 0; s < w->dyn_count; s++) {
		uint32_t end = window_dyn(w, s + 1).ssa;

		while (block * MAKER_BLOCK < end)
			w->makers[block++] = (uint32_t)s;
	}
	while (block < count)
		w->makers[block++] = w->dyn_count > 0 ? (uint32_t)(w->dyn_count - 1) : 0;
	return STATUS_OK;
}

/* Also counts the users of each SSA value in `counts`. */
static enum status find_reads(struct window *w, uint32_t *counts)
{
	size_t checkpoints = w->dyn_count / WINDOW_CHECKPOINT + 1;
	uint32_t *now = w->after;

	w->reads = arena_alloc(&w->arena, (w->read_count + (size_t)1) * sizeof(*w->reads));
	w->checkpoints = malloc(checkpoints * sizeof(*w->checkpoints));
	if (!w->reads || !w->checkpoints)
		return STATUS_NO_MEM;
	for (uint32_t reg = 0; reg < REG_COUNT; reg++)
		now[reg] = reg;
	for (size_t s = 0; s < w->dyn_count; s++) {
		const struct template *template = window_template(w, s);
		struct dyn_numbers at = window_dyn(w, s);

		if (s % WINDOW_CHECKPOINT == 0)
			memcpy(w->checkpoints[s / WINDOW_CHECKPOINT], now, sizeof(w->after));
		for (unsigned int i = 0; i < template->reg_count; i++)
			w->reads[at.read + i] = now[template->regs[i]];
		for (unsigned int i = 0; i < template->user_count; i++)
			counts[w->reads[at.read + i]]++;
		for (unsigned int i = 0; i < template->insn->temp_count; i++)
			counts[at.ssa + i]++;
		window_advance(w, s, now);
	}
	if (w->dyn_count % WINDOW_CHECKPOINT == 0)
		memcpy(w->checkpoints[w->dyn_count / WINDOW_CHECKPOINT], now, sizeof(w->after));
	return STATUS_OK;
}

/*
 * Makes of numbers of users the places after the last one of each SSA value; one without has one.
 */
static uint32_t place_users(const struct window *w, uint32_t *ends)
{
	uint32_t sum = 0;

	for (uint32_t ssa = 0; ssa < w->ssa_count; ssa++) {
		if (ssa % USER_BLOCK == 0)
			w->user_blocks[ssa / USER_BLOCK] = sum;
		sum += ends[ssa] > 0 ? ends[ssa] : 1;
		ends[ssa] = sum;
	}
	return sum;
}

static void put_users(struct window *w, uint32_t *ends)
{
	for (uint32_t ssa = 0; ssa < w->ssa_count; ssa++)
		w->users[ends[ssa] - 1] = USER_NONE | USER_LAST;
	for (size_t s = w->dyn_count; s-- > 0;) {
		const struct template *template = window_template(w, s);
		struct dyn_numbers at = window_dyn(w, s);

		for (unsigned int i = 0; i < template->user_count; i++) {
			uint32_t *user = &w->users[--ends[w->reads[at.read + i]]];

			*user = (uint32_t)s | (*user & USER_LAST);
		}
		for (unsigned int i = 0; i < template->insn->temp_count; i++) {
			uint32_t *user = &w->users[--ends[at.ssa + i]];

			*user = (uint32_t)s | (*user & USER_LAST);
		}
	}
}

enum status window_number(struct window *w)
{
	uint32_t *ends;
	enum status status;
	uint32_t count;

	TRY(number_dyns(w));
	TRY(find_makers(w));
	ends = huge_pages_calloc(w->ssa_count, sizeof(*ends));
	w->user_blocks = malloc((w->ssa_count / USER_BLOCK + (size_t)1) * sizeof(*w->user_blocks));
	status = ends && w->user_blocks ? find_reads(w, ends) : STATUS_NO_MEM;
	if (status == STATUS_OK) {
		count = place_users(w, ends);
		w->users = arena_alloc(&w->arena, ((size_t)count + 1) * sizeof(*w->users));
		status = w->users ? STATUS_OK : STATUS_NO_MEM;
	}
	if (status == STATUS_OK)
		put_users(w, ends);
	free(ends);
	return status;
}
