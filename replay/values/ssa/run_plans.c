/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of whole runs; see run_plans.h. */
#include "replay/values/ssa/run_plans.h"

#include <stdlib.h>

#include "base/vec.h"

void run_plans_fini(struct run_plans *r)
{
	for (size_t i = 0; i < r->table_count; i++)
		free(r->tables[i].runs);
	free(r->tables);
	free(r->plans);
}

enum status run_plans_table(struct run_plans *r, const struct graph *graph, struct run_table *table)
{
	for (size_t i = 0; i < r->table_count; i++) {
		if (r->tables[i].graph == graph) {
			*table = r->tables[i];
			return STATUS_OK;
		}
	}
	TRY(vec_reserve((void **)&r->tables, &r->table_capacity, r->table_count + 1,
	                sizeof(*r->tables)));
	*table = (struct run_table){graph, calloc(graph->count, sizeof(*table->runs))};
	if (!table->runs)
		return STATUS_NO_MEM;
	r->tables[r->table_count++] = *table;
	return STATUS_OK;
}

enum status run_plans_add(struct run_plans *r, uint32_t plan)
{
	TRY(vec_reserve((void **)&r->plans, &r->plan_capacity, r->plan_count + 1,
	                sizeof(*r->plans)));
	r->plans[r->plan_count++] = plan;
	return STATUS_OK;
}
