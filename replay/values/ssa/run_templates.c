/* SPDX-License-Identifier: Apache-2.0 */
/* Templates of whole runs; see run_templates.h. */
#include "replay/values/ssa/run_templates.h"

#include <stdlib.h>

#include "base/huge_pages.h"
#include "base/vec.h"

void run_templates_fini(struct run_templates *r)
{
	for (size_t i = 0; i < r->table_count; i++)
		free(r->tables[i].runs);
	free(r->tables);
	free(r->templates);
}

enum status run_templates_table(struct run_templates *r, const struct graph *graph,
                                struct run_table *table)
{
	for (size_t i = 0; i < r->table_count; i++) {
		if (r->tables[i].graph == graph) {
			*table = r->tables[i];
			return STATUS_OK;
		}
	}
	TRY(vec_reserve((void **)&r->tables, &r->table_capacity, r->table_count + 1,
	                sizeof(*r->tables)));
	*table = (struct run_table){graph, huge_pages_calloc(graph->count, sizeof(*table->runs))};
	if (!table->runs)
		return STATUS_NO_MEM;
	r->tables[r->table_count++] = *table;
	return STATUS_OK;
}

enum status run_templates_add(struct run_templates *r, uint32_t template)
{
	TRY(vec_reserve((void **)&r->templates, &r->template_capacity, r->template_count + 1,
	                sizeof(*r->templates)));
	r->templates[r->template_count++] = template;
	return STATUS_OK;
}
