/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder's copy of a trace unit's return stack. IHI 0064, "Return stack". */
#include "decoder/flow/retstack.h"

void retstack_init(struct retstack *s, bool is_active)
{
	*s = (struct retstack){.is_active = is_active};
}

void retstack_push(struct retstack *s, uint64_t address, enum isa isa)
{
	if (!s->is_active || s->is_held)
		return;
	s->head = (s->head + 1) % RETSTACK_ENTRIES;
	s->entries[s->head].address = address;
	s->entries[s->head].isa = isa;
	if (s->count < RETSTACK_ENTRIES)
		s->count++;
	s->must_pop = false;
}

void retstack_await(struct retstack *s)
{
	s->must_pop = s->is_active;
}

void retstack_address(struct retstack *s)
{
	s->must_pop = false;
	s->is_held = false;
}

void retstack_hold(struct retstack *s)
{
	s->is_held = true;
	retstack_flush(s);
}

void retstack_flush(struct retstack *s)
{
	s->count = 0;
	s->must_pop = false;
}

enum status retstack_top(const struct retstack *s, uint64_t *address)
{
	if (s->count == 0)
		return STATUS_NOT_FOUND;
	*address = s->entries[s->head].address;
	return STATUS_OK;
}

enum status retstack_pop(struct retstack *s, uint64_t *address, enum isa *isa)
{
	s->must_pop = false;
	if (s->count == 0)
		return STATUS_BAD_DATA;
	*address = s->entries[s->head].address;
	*isa = s->entries[s->head].isa;
	s->head = (s->head + RETSTACK_ENTRIES - 1) % RETSTACK_ENTRIES;
	s->count--;
	return STATUS_OK;
}

void retstack_describe(const struct retstack *s, struct text *out)
{
	text_printf(out, "stack active %d held %d pop %d:", s->is_active, s->is_held, s->must_pop);
	for (unsigned int i = 0; i < s->count; i++) {
		unsigned int entry = (s->head + RETSTACK_ENTRIES - i) % RETSTACK_ENTRIES;

		text_printf(out, " %llx %s", (unsigned long long)s->entries[entry].address,
		            isa_name(s->entries[entry].isa));
	}
	text_add(out, STR("\n"));
}
