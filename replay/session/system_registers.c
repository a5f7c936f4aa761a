/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that no register file has; see system_registers.h. */
#include "replay/session/system_registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/tarmac/tarmac.h"

enum { BITS_MOST = 128 };

/* What an XML attribute and a debugger's expression can have. */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_')
			return false;
	}
	return name.n > 0 && (name.p[0] < '0' || name.p[0] > '9');
}

static bool is_of_file(const struct register_file *file, struct str name)
{
	for (unsigned int i = 0; i < file->count; i++) {
		if (str_eq_nocase(name, str_of(file->table[i].name)))
			return true;
	}
	return false;
}

static enum status add(struct system_registers *list, const struct register_file *file,
                       struct str name, unsigned int bits)
{
	size_t index;

	if (!is_name(name) || is_of_file(file, name) || bits == 0 || bits > BITS_MOST)
		return STATUS_OK;
	if (system_registers_find(list, name, &index)) {
		if (list->items[index].bits < bits)
			list->items[index].bits = bits;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	name = arena_str(&list->texts, name);
	if (!name.p)
		return STATUS_NO_MEM;
	list->items[list->count++] = (struct system_register){name, bits};
	return STATUS_OK;
}

enum status system_registers_add(struct system_registers *list, const struct register_file *file,
                                 const struct history *history)
{
	const struct tarmac_core *core = history_data(history);
	size_t count = core ? tarmac_system_count(core) : 0;

	for (size_t i = 0; i < count; i++) {
		unsigned int bits;
		struct str name = tarmac_system_name(core, i, &bits);

		TRY(add(list, file, name, bits));
	}
	return STATUS_OK;
}

static int compare_names(const void *left, const void *right)
{
	const struct system_register *a = left;
	const struct system_register *b = right;

	return strcmp(a->name.p, b->name.p); /* the arena's end in NUL */
}

void system_registers_finish(struct system_registers *list)
{
	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare_names);
}

void system_registers_fini(struct system_registers *list)
{
	free(list->items);
	arena_fini(&list->texts);
	*list = (struct system_registers){0};
}

bool system_registers_find(const struct system_registers *list, struct str name, size_t *index)
{
	for (*index = 0; *index < list->count; ++*index) {
		if (str_eq_nocase(name, list->items[*index].name))
			return true;
	}
	return false;
}

void system_register_at(const struct system_register *reg, const struct history *history,
                        uint64_t position, struct value *value)
{
	const struct tarmac_core *core = history_data(history);
	unsigned int size = reg->bits / 8;
	size_t index;

	*value = value_unknown(size);
	if (!core || !tarmac_system_find(core, reg->name, &index))
		return;
	tarmac_system_at(core, position, index, value);
	/* A core whose register is narrower does not say what is above. */
	value->size = (uint8_t)size;
}
