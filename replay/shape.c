/* SPDX-License-Identifier: Apache-2.0 */
/* Interning of runs: a hash table of shape numbers over an array of shapes. */
#include "replay/shape.h"

#include <assert.h>
#include <stdlib.h>

#include "base/vec.h"

static uint64_t shape_hash(const struct shape *s)
{
	uint64_t h = s->start * UINT64_C(0x9e3779b97f4a7c15);

	h ^= (s->end << 1 | s->last_executed) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h ^= (uint64_t)s->count << 8 | s->isa;
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static bool shape_equal(const struct shape *a, const struct shape *b)
{
	return a->start == b->start && a->end == b->end && a->count == b->count &&
	       a->isa == b->isa && a->last_size == b->last_size && a->last_class == b->last_class &&
	       a->last_subclass == b->last_subclass && a->last_executed == b->last_executed;
}

/* The slot that holds `shape`, or the free one where it belongs. */
static uint32_t *find_slot(const struct shape_table *table, const struct shape *shape)
{
	size_t mask = table->slot_count - 1;
	size_t i = (size_t)shape_hash(shape) & mask;

	while (table->slots[i] != 0 && !shape_equal(&table->shapes[table->slots[i] - 1], shape))
		i = (i + 1) & mask;
	return &table->slots[i];
}

/* Keeps at least half of the slots free. */
static enum status make_room(struct shape_table *table)
{
	size_t slot_count = table->slot_count ? table->slot_count * 2 : 256;
	uint32_t *slots;

	TRY(vec_reserve((void **)&table->shapes, &table->capacity, table->count + 1,
	                sizeof(*table->shapes)));
	if (table->count + 1 <= table->slot_count / 2)
		return STATUS_OK;
	if (table->count >= UINT32_MAX - 1)
		return STATUS_NO_MEM;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return STATUS_NO_MEM;
	free(table->slots);
	table->slots = slots;
	table->slot_count = slot_count;
	for (size_t i = 0; i < table->count; i++)
		*find_slot(table, &table->shapes[i]) = (uint32_t)i + 1;
	return STATUS_OK;
}

enum status shape_intern(struct shape_table *table, const struct element *range, uint32_t *number)
{
	struct shape shape = {
	        .start = range->range.start,
	        .end = range->range.end,
	        .count = range->range.count,
	        .isa = (uint8_t)range->isa,
	        .last_size = range->range.last_size,
	        .last_class = (uint8_t)range->range.last_class,
	        .last_subclass = (uint8_t)range->range.last_subclass,
	        .last_executed = range->range.last_executed,
	};
	uint32_t *slot;

	assert(range->type == ELEMENT_INSTR_RANGE && shape.count > 0);
	TRY(make_room(table));
	slot = find_slot(table, &shape);
	if (*slot == 0) {
		table->shapes[table->count++] = shape;
		*slot = (uint32_t)table->count;
	}
	*number = *slot - 1;
	return STATUS_OK;
}

void shape_table_fini(struct shape_table *table)
{
	free(table->shapes);
	free(table->slots);
	*table = (struct shape_table){0};
}
