/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of opcodes; see opcode.h. */
#include "arch/pattern/opcode.h"

#include <assert.h>

/* Bits that are ones in all opcodes of the row that have a flow. */
static uint32_t ones_of(const struct opcode_table *table, size_t row)
{
	const struct pattern *pattern = &table->patterns[row];
	unsigned int flow = table->rows[row].flow;

	if (flow < FLOW_RULES || !table->rules)
		return pattern->match;
	return pattern->match | pattern_field_mask(pattern, table->rules[flow - FLOW_RULES]);
}

static void note_flows(struct opcode_table *table)
{
	const struct pattern_set *set = &table->set;
	size_t keys = (size_t)1 << (table->key.high.width + table->key.low.width);

	for (size_t key = 0; key < keys; key++) {
		uint32_t ones = UINT32_MAX;

		for (size_t i = set->start[key]; i < set->start[key + 1]; i++) {
			if (table->rows[set->rows[i]].flow != FLOW_NONE)
				ones &= ones_of(table, set->rows[i]);
		}
		atomic_store_explicit(&table->ones[key], ones, memory_order_relaxed);
	}
}

/* That every table consists of patterns is tested. */
static void read_rows(struct opcode_table *table)
{
	bool is_good = true;

	for (size_t i = 0; i < table->count; i++)
		is_good = pattern_parse(table->rows[i].pattern, &table->patterns[i]) && is_good;
	is_good =
	        pattern_set_init(&table->set, table->patterns, table->count, table->key) && is_good;
	assert(is_good);
	(void)is_good;
	note_flows(table);
}

void opcode_table_read(struct opcode_table *table)
{
	if (atomic_load_explicit(&table->is_read, memory_order_acquire))
		return;
	(void)pthread_mutex_lock(&table->lock);
	if (!atomic_load_explicit(&table->is_read, memory_order_relaxed)) {
		read_rows(table);
		atomic_store_explicit(&table->is_read, true, memory_order_release);
	}
	(void)pthread_mutex_unlock(&table->lock);
}

size_t opcode_find(struct opcode_table *table, uint32_t bits)
{
	opcode_table_read(table);
	return pattern_set_find(&table->set, bits);
}
