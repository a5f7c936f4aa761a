/* SPDX-License-Identifier: Apache-2.0 */
/* The share of register values that is known; see share_check.h. */
#include "replay/trust/share_check.h"

#include <string.h>

#include "arch/isa.h"
#include "replay/values/solver/solver.h"

enum {
	SAMPLES = 100,  /* positions, evenly spread over the window */
	LITTLE = 5,     /* percent: hardly anything; good snapshots have 9 to 100 */
	WORTH_IT = 100, /* instructions: of a shorter window a share says nothing */
};

struct share {
	uint64_t asked;
	uint64_t known;
};

/* General registers but the PC, which is always known, and the flags: by their SSA values. */
static void ask(const struct solver *s, const uint32_t ssa_values[REG_COUNT], enum core_arch arch,
                struct share *share)
{
	const struct register_file file = register_file_of(arch);

	for (unsigned int i = REGISTER_PC + 1; i < file.trace; i++) {
		const struct register_slot slot = register_slot_of(arch, i);
		uint64_t mask = bits_mask(slot.bits);

		if (strcmp(file.table[i].group, "general") != 0 || slot.count != 1 || slot.is_flags)
			continue;
		share->asked++;
		share->known += (s->ssa_values[ssa_values[slot.slot]].known & mask) == mask;
	}
}

void share_check(const struct history *history, struct values *values, struct diag_list *facts)
{
	const struct snap_core *core = history_core(history);
	const struct solver *s = values_solved(values, history_length(history));
	struct share share = {0, 0};
	uint32_t ssa_values[REG_COUNT];
	size_t before = SIZE_MAX;
	uint64_t from;
	uint64_t count;

	if (!s || s->has_conflict)
		return;
	from = s->w.options.from;
	count = s->w.options.to - from;
	for (uint64_t i = 0; i < SAMPLES && count >= WORTH_IT; i++) {
		size_t dyn = window_dyn_of(&s->w, from + count * i / SAMPLES);

		window_ssa_at(&s->w, dyn, ssa_values, before);
		before = dyn;
		ask(s, ssa_values, core->arch, &share);
	}
	if (share.known * 100 >= share.asked * LITTLE)
		return;
	diag_warning(
	        facts, core->device->place,
	        "core \"%.*s\": of general registers in the last %llu instructions %llu %% are "
	        "known",
	        STR_ARG(core->device->name), (unsigned long long)count,
	        (unsigned long long)(share.known * 100 / share.asked));
}
