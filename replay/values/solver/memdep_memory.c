/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a window from its start to its end: the accesses of all dynamic instructions, none
 * of which has a place yet, and what is given back. In: the window. Out: memdep_memory; see
 * memdep.h.
 */
#include <stdlib.h>

#include "base/huge_pages.h"
#include "replay/history/history.h"
#include "replay/values/solver/memdep_clobber.h"

static void init_access(struct solver *s, size_t dyn, uint32_t index)
{
	struct memdep_memory *m = &s->memory;
	const struct window *w = &s->w;
	const struct template *template = window_template(w, dyn);
	const struct uop_access *from = template->insn->accesses;
	size_t number = window_access(w, dyn) + index;
	struct memdep_access a = {
	        .dyn = (uint32_t)dyn,
	        .index = template->kills_memory ? ACCESS_KILL : (uint8_t)index,
	        .kind = template->kills_memory ? ACCESS_CLOBBER : from[index].kind,
	        .size = template->kills_memory ? 0 : from[index].size,
	        .waiting = MEMDEP_NONE,
	        .reach = MEMDEP_NONE,
	};

	m->accesses[number] = a;
	if (a.kind != ACCESS_LOAD && supposed_of(s, (uint32_t)number) != SUPPOSED_NOWHERE &&
	    !memdep_is_supposed(s, (uint32_t)number))
		memdep_clobber_set(m, number);
}

enum status memdep_init(struct solver *s, bool single_writer, bool own_dumps)
{
	struct memdep_memory *m = &s->memory;
	const struct window *w = &s->w;

	*m = (struct memdep_memory){.map = history_memory(w->history),
	                            .is_linked = single_writer,
	                            .takes_own = own_dumps};
	m->view = memmap_view_at_halt(m->map, history_view(w->history, w->options.to));
	m->access_count = w->access_count;
	m->accesses = huge_pages_malloc((m->access_count + 1) * sizeof(*m->accesses));
	m->clobbers = calloc(m->access_count / 64 + 64, sizeof(*m->clobbers));
	m->clobber_granules = calloc(m->access_count / 4096 + 2, sizeof(*m->clobber_granules));
	if (!m->accesses || !m->clobbers || !m->clobber_granules)
		return STATUS_NO_MEM;
	for (size_t dyn = 0; dyn < w->dyn_count; dyn++) {
		uint32_t count = window_template(w, dyn)->access_count;

		if (window_template(w, dyn)->changes_translation) {
			m->constant_from = dyn + 1;
			if (!memdep_spares_kernel(s, dyn))
				m->kernel_constant_from = dyn + 1;
		}
		for (uint32_t i = 0; i < count; i++)
			init_access(s, dyn, i);
	}
	if (s->after.of_translation || s->after.same_space_from > w->options.to)
		m->constant_from = w->dyn_count + 1;
	if (code_changes_kernel(&s->after, w->options.kernel_private) ||
	    s->after.same_kernel_from > w->options.to)
		m->kernel_constant_from = w->dyn_count + 1;
	TRY(interval_map_init(&m->ranges, 4 * m->access_count + 4));
	return memdep_grow_granules(m);
}

void memdep_trim(struct memdep_memory *m)
{
	struct memory_version *versions;

	free(m->queue);
	m->queue = NULL;
	m->queue_count = 0;
	m->queue_capacity = 0;
	if (m->version_count == 0)
		return;
	versions = realloc(m->versions, m->version_count * sizeof(*versions));
	if (!versions)
		return;
	m->versions = versions;
	m->version_capacity = m->version_count;
}

void memdep_fini(struct memdep_memory *m)
{
	free(m->accesses);
	free(m->clobbers);
	free(m->clobber_granules);
	free(m->versions);
	free(m->granules);
	free(m->slots);
	free(m->points_to_sets);
	free(m->queue);
	interval_map_fini(&m->ranges);
}
