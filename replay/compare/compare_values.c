/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two instructions did, side by side. Registers of the same name are compared as both traces
 * tell them. Where only one tells an update, or calls the register otherwise (W0 for X0), the
 * states of both after the instruction decide: of the registers that a debugger sees, those which
 * the instruction changed in either.
 */
#include "replay/compare/compare_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void compare_list_clear(struct compare_list *list)
{
	list->count = 0;
	arena_fini(&list->texts);
	list->texts = (struct arena){0};
}

void compare_list_fini(struct compare_list *list)
{
	free(list->items);
	arena_fini(&list->texts);
}

enum status compare_list_add(struct compare_list *list, enum compare_aspect aspect, struct str name,
                             struct str a, struct str b)
{
	struct compare_item item = {
	        .aspect = aspect,
	        .name = arena_str(&list->texts, name),
	        .a = arena_str(&list->texts, a),
	        .b = arena_str(&list->texts, b),
	};

	if (!item.name.p || !item.a.p || !item.b.p)
		return STATUS_NO_MEM;
	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	list->items[list->count++] = item;
	return STATUS_OK;
}

static bool is_listed(const struct compare_list *list, struct str name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].aspect == COMPARE_REGISTERS &&
		    str_eq_nocase(list->items[i].name, name))
			return true;
	}
	return false;
}

/* Adds an item, with `a` and `b` taken over. */
static enum status add(struct compare_list *list, enum compare_aspect aspect, struct str name,
                       struct text texts[COMPARE_SIDES])
{
	enum status status = STATUS_OK;

	for (int i = 0; i < COMPARE_SIDES && status == STATUS_OK; i++)
		status = text_status(&texts[i]);
	if (status == STATUS_OK)
		status = compare_list_add(list, aspect, name, text_str(&texts[COMPARE_A]),
		                          text_str(&texts[COMPARE_B]));
	text_fini(&texts[COMPARE_A]);
	text_fini(&texts[COMPARE_B]);
	return status;
}

/* Hexadecimal digits, highest first; "-" for one that is not wholly known. */
static void put_value(struct text *out, const uint8_t *bits, const uint8_t *known, size_t size)
{
	for (size_t i = 2 * size; i-- > 0;) {
		unsigned int shift = i % 2 * 4;
		unsigned int digit = (unsigned int)bits[i / 2] >> shift & 0xfU;
		unsigned int mask = (unsigned int)known[i / 2] >> shift & 0xfU;

		text_char(out, (char)(mask == 0xf ? "0123456789abcdef"[digit] : '-'));
	}
}

/* The effect if it updates a register, else NULL. */
static const struct tarmac_register *register_of(const struct effect *effect)
{
	return effect->event.kind == TARMAC_REGISTER ? &effect->event.reg : NULL;
}

static bool is_same_register(const struct tarmac_register *a, const struct tarmac_register *b)
{
	if (a->file != b->file || a->number != b->number || a->bank != b->bank)
		return false;
	return a->file != TARMAC_FILE_SYSTEM || str_eq_nocase(a->name, b->name);
}

/* The last update of the register after items[from], since that is what stays. */
static const struct effect *find_update(const struct effects *effects, size_t from,
                                        const struct tarmac_register *reg)
{
	const struct effect *found = NULL;

	for (size_t i = from; i < effects->count; i++) {
		const struct tarmac_register *other = register_of(&effects->items[i]);

		if (other && is_same_register(other, reg))
			found = &effects->items[i];
	}
	return found;
}

static bool differ(const struct tarmac_value *a, const struct tarmac_value *b)
{
	size_t size = a->size < b->size ? a->size : b->size;

	for (size_t i = 0; i < size; i++) {
		if ((a->bits[i] ^ b->bits[i]) & a->known[i] & b->known[i])
			return true;
	}
	return false;
}

static enum status add_register(const struct effect *a, const struct effect *b,
                                struct compare_list *list)
{
	struct text texts[COMPARE_SIDES] = {{0}, {0}};

	put_value(&texts[COMPARE_A], a->value.bits, a->value.known, a->value.size);
	put_value(&texts[COMPARE_B], b->value.bits, b->value.known, b->value.size);
	return add(list, COMPARE_REGISTERS, a->event.reg.name, texts);
}

/* Those that both update; *is_all is true if there are no others. */
static enum status compare_updates(const struct compare_values values[COMPARE_SIDES],
                                   struct compare_list *list, bool *is_all)
{
	const struct effects *a = values[COMPARE_A].effects;
	const struct effects *b = values[COMPARE_B].effects;

	*is_all = true;
	for (size_t i = 0; i < a->count; i++) {
		const struct tarmac_register *reg = register_of(&a->items[i]);
		const struct effect *other;

		if (!reg || find_update(a, i, reg) != &a->items[i])
			continue;
		other = find_update(b, 0, reg);
		*is_all = *is_all && other;
		if (other && differ(&a->items[i].value, &other->value))
			TRY(add_register(&a->items[i], other, list));
	}
	for (size_t i = 0; i < b->count && *is_all; i++) {
		const struct tarmac_register *reg = register_of(&b->items[i]);

		*is_all = !reg || find_update(a, 0, reg);
	}
	return STATUS_OK;
}

/* The register of one side before and after the instruction. */
struct change {
	struct value before;
	struct value after;
};

/* The state after a text's last instruction may not be told; it counts as what is before. */
static enum status read_change(const struct compare_values *v, unsigned int number,
                               struct change *change)
{
	enum status status;

	TRY(session_seek(v->session, v->core, v->position));
	session_register(v->session, v->core, number, &change->before);
	status = session_seek(v->session, v->core, v->position + 1);
	if (status == STATUS_OK)
		session_register(v->session, v->core, number, &change->after);
	else
		change->after = change->before;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static bool is_changed(const struct change *c)
{
	return c->before.size != c->after.size ||
	       memcmp(c->before.bits, c->after.bits, c->after.size) != 0 ||
	       memcmp(c->before.known, c->after.known, c->after.size) != 0;
}

static enum status compare_state(const struct compare_values values[COMPARE_SIDES],
                                 const struct register_info *info, unsigned int number,
                                 struct compare_list *list)
{
	struct change c[COMPARE_SIDES];
	const struct value *a = &c[COMPARE_A].after;
	const struct value *b = &c[COMPARE_B].after;
	struct text texts[COMPARE_SIDES] = {{0}, {0}};
	bool is_different = false;

	for (int i = 0; i < COMPARE_SIDES; i++)
		TRY(read_change(&values[i], number, &c[i]));
	for (size_t i = 0; i < a->size && i < b->size; i++)
		is_different |= ((a->bits[i] ^ b->bits[i]) & a->known[i] & b->known[i]) != 0;
	if (!is_different || (!is_changed(&c[COMPARE_A]) && !is_changed(&c[COMPARE_B])) ||
	    is_listed(list, str_of(info->name)))
		return STATUS_OK;
	put_value(&texts[COMPARE_A], a->bits, a->known, a->size);
	put_value(&texts[COMPARE_B], b->bits, b->known, b->size);
	return add(list, COMPARE_REGISTERS, str_of(info->name), texts);
}

enum status compare_registers(const struct compare_values values[COMPARE_SIDES],
                              struct compare_list *list)
{
	enum core_arch arch = session_core(values[COMPARE_A].session, values[COMPARE_A].core)->arch;
	struct register_file file = register_file_of(arch);
	bool is_all;

	TRY(compare_updates(values, list, &is_all));
	if (is_all || session_core(values[COMPARE_B].session, values[COMPARE_B].core)->arch != arch)
		return STATUS_OK;
	for (unsigned int i = REGISTER_PC + 1; i < file.count; i++) {
		if (file.table[i].feature != REGISTER_TRACE)
			TRY(compare_state(values, &file.table[i], i, list));
	}
	return STATUS_OK;
}

/* By address, and in one address the last access first. */
static int compare_byte_order(const void *a, const void *b)
{
	const struct compare_byte *first = a;
	const struct compare_byte *second = b;

	if (first->address != second->address)
		return first->address < second->address ? -1 : 1;
	return (first->order < second->order) - (first->order > second->order);
}

/* The data that the instruction moved, and not what was tried in vain or fetched. */
static bool is_access(const struct effect *effect, bool is_write)
{
	const struct tarmac_memory *memory = &effect->event.memory;

	return effect->event.kind == TARMAC_MEMORY && memory->is_write == is_write &&
	       !memory->is_fetch && !memory->is_aborted && !memory->is_exclusive_failed;
}

static enum status add_bytes(struct compare_bytes *bytes, const struct effect *effect, size_t order)
{
	const struct tarmac_value *value = &effect->value;

	TRY(vec_reserve((void **)&bytes->items, &bytes->capacity, bytes->count + value->size + 1,
	                sizeof(*bytes->items)));
	for (size_t i = 0; i < value->size; i++) {
		if (value->touched[i] == 0)
			continue;
		bytes->items[bytes->count++] = (struct compare_byte){
		        .address = effect->event.memory.address + i,
		        .order = order,
		        .bits = value->bits[i],
		        .is_known = value->known[i] == 0xff,
		};
	}
	return STATUS_OK;
}

/* All bytes that were read, or written, each once, by address. */
static enum status collect(const struct effects *effects, bool is_write,
                           struct compare_bytes *bytes)
{
	size_t kept = 0;

	bytes->count = 0;
	for (size_t i = 0; i < effects->count; i++) {
		if (is_access(&effects->items[i], is_write))
			TRY(add_bytes(bytes, &effects->items[i], i));
	}
	if (bytes->count == 0)
		return STATUS_OK;
	qsort(bytes->items, bytes->count, sizeof(*bytes->items), compare_byte_order);
	for (size_t i = 1; i < bytes->count; i++) {
		if (bytes->items[i].address != bytes->items[kept].address)
			bytes->items[++kept] = bytes->items[i];
	}
	bytes->count = kept + 1;
	return STATUS_OK;
}

/* The bytes of both sides at one address; either may be NULL. Moves both indexes on. */
struct byte_pair {
	uint64_t address;
	const struct compare_byte *side[COMPARE_SIDES];
};

static bool next_pair(const struct compare_bytes bytes[COMPARE_SIDES], size_t next[COMPARE_SIDES],
                      struct byte_pair *pair)
{
	bool is_any = false;

	for (int i = 0; i < COMPARE_SIDES; i++) {
		pair->side[i] = next[i] < bytes[i].count ? &bytes[i].items[next[i]] : NULL;
		if (pair->side[i] && (!is_any || pair->side[i]->address < pair->address))
			pair->address = pair->side[i]->address;
		is_any |= pair->side[i] != NULL;
	}
	for (int i = 0; i < COMPARE_SIDES; i++) {
		if (pair->side[i] && pair->side[i]->address != pair->address)
			pair->side[i] = NULL;
		if (pair->side[i])
			next[i]++;
	}
	return is_any;
}

static bool is_byte_different(const struct byte_pair *pair)
{
	const struct compare_byte *a = pair->side[COMPARE_A];
	const struct compare_byte *b = pair->side[COMPARE_B];

	if (!a || !b)
		return true;
	return a->is_known && b->is_known && a->bits != b->bits;
}

static void put_byte(struct text *out, const struct compare_byte *byte)
{
	if (!byte)
		text_puts(out, "..");
	else if (!byte->is_known)
		text_puts(out, "##");
	else
		text_hex(out, byte->bits, 2);
}

/* Different bytes in a row, in the order of memory. */
struct byte_run {
	uint64_t begin;
	uint64_t end; /* after the last one; begin if there is none */
	struct text texts[COMPARE_SIDES];
};

static enum status end_run(struct byte_run *run, bool is_write, struct compare_list *list)
{
	struct text name = {0};
	enum status status;

	if (run->begin == run->end)
		return STATUS_OK;
	text_printf(&name, "%s 0x%llx", is_write ? "write" : "read",
	            (unsigned long long)run->begin);
	status = add(list, COMPARE_MEMORY, text_str(&name), run->texts);
	if (status == STATUS_OK)
		status = text_status(&name);
	text_fini(&name);
	*run = (struct byte_run){0};
	return status;
}

static enum status compare_accesses(const struct compare_bytes bytes[COMPARE_SIDES], bool is_write,
                                    struct compare_list *list)
{
	size_t next[COMPARE_SIDES] = {0, 0};
	struct byte_run run = {0};
	struct byte_pair pair = {0};

	while (next_pair(bytes, next, &pair)) {
		if (!is_byte_different(&pair))
			continue;
		if (run.begin == run.end || pair.address != run.end) {
			TRY(end_run(&run, is_write, list));
			run.begin = pair.address;
		}
		run.end = pair.address + 1;
		for (int i = 0; i < COMPARE_SIDES; i++)
			put_byte(&run.texts[i], pair.side[i]);
	}
	return end_run(&run, is_write, list);
}

enum status compare_memory(const struct compare_values values[COMPARE_SIDES],
                           struct compare_bytes bytes[COMPARE_SIDES], struct compare_list *list)
{
	for (int is_write = 0; is_write < 2; is_write++) {
		for (int i = 0; i < COMPARE_SIDES; i++)
			TRY(collect(values[i].effects, is_write != 0, &bytes[i]));
		TRY(compare_accesses(bytes, is_write != 0, list));
	}
	return STATUS_OK;
}
