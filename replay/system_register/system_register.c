/* SPDX-License-Identifier: Apache-2.0 */
/* Names and the past of system registers; see system_register.h. */
#include "replay/system_register/system_register.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/tarmac/tarmac.h"

enum { BITS_MOST = 128 };

void system_registers_fini(struct system_register_list *list)
{
	free(list->items);
	arena_fini(&list->names);
	*list = (struct system_register_list){.items = NULL};
}

/* The name of a debugger or of the snapshot is that of a row of the table. */
static bool is_in_table(const struct register_file *file, struct str name)
{
	for (unsigned int i = 0; i < file->count; i++) {
		struct str names = str_of(file->table[i].snapshot_names);

		if (str_eq_nocase(name, str_of(file->table[i].name)))
			return true;
		while (names.n > 0) {
			if (str_eq_nocase(name, str_next_part(&names, '|')))
				return true;
		}
	}
	return false;
}

/* What an XML attribute and a debugger's expression can have. */
static struct str debugger_name(struct system_register_list *list, struct str name)
{
	char *text = arena_alloc(&list->names, name.n + 2);
	size_t n = 0;

	if (!text)
		return (struct str){NULL, 0};
	if (name.p[0] >= '0' && name.p[0] <= '9')
		text[n++] = '_';
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c < 'a' || c > 'z') && (c < '0' || c > '9'))
			c = '_';
		text[n++] = c;
	}
	return (struct str){text, n};
}

/* The index of the name, or where it belongs. */
static size_t place_of(const struct system_register_list *list, struct str name)
{
	size_t low = 0;
	size_t high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(list->items[middle].name.p, name.p) < 0) /* the arena's end in NUL */
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static unsigned int whole_bits(unsigned int bits)
{
	unsigned int whole = 8;

	while (whole < bits)
		whole *= 2;
	return whole;
}

enum status system_registers_add(struct system_register_list *list,
                                 const struct register_file *file, struct str name,
                                 unsigned int bits)
{
	struct system_register reg = {.source_name = name, .bits = whole_bits(bits)};
	struct system_register *at;
	size_t place;

	if (name.n == 0 || bits == 0 || bits > BITS_MOST || is_in_table(file, name))
		return STATUS_OK;
	reg.name = debugger_name(list, name);
	if (!reg.name.p)
		return STATUS_NO_MEM;
	TRY(vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)));
	place = place_of(list, reg.name);
	at = &list->items[place];
	if (place < list->count && str_eq(at->name, reg.name)) {
		at->bits = at->bits > reg.bits ? at->bits : reg.bits;
		return STATUS_OK;
	}
	memmove(at + 1, at, (list->count - place) * sizeof(*at));
	*at = reg;
	list->count++;
	return STATUS_OK;
}

enum status system_registers_add_core(struct system_register_list *list,
                                      const struct register_file *file,
                                      const struct history *history)
{
	const struct snap_device *device = history_core(history)->device;
	const struct tarmac_core *data = history_data(history);
	size_t count = data ? tarmac_system_count(data) : device->register_count;

	for (size_t i = 0; i < count; i++) {
		unsigned int bits = data ? 0 : device->registers[i].bits;
		struct str name =
		        data ? tarmac_system_name(data, i, &bits) : device->registers[i].name;

		TRY(system_registers_add(list, file, name, bits));
	}
	return STATUS_OK;
}

/* An exception is taken after the last instruction. Debug state, in which a core halts, is none. */
static bool ends_in_exception(const struct history *history)
{
	struct history_event event;
	uint64_t length = history_length(history);

	for (size_t i = history_event_index(history, length); history_event(history, i, &event);
	     i++) {
		if (event.element.type == ELEMENT_EXCEPTION &&
		    exception_kind_of(event.element.exception.info) != EXCEPTION_DEBUG)
			return true;
	}
	return false;
}

/* What changes a register. */
enum change {
	CHANGE_ANYTHING,
	CHANGE_MSR,   /* and instructions like it, alone */
	CHANGE_TAKEN, /* they, and the taking of an exception */
};

static enum change change_of(struct str name)
{
	static const struct {
		const char *name;
		enum change change;
	} rows[] = {
#define KEPT(name)  {name, CHANGE_MSR},
#define TAKEN(name) {name, CHANGE_TAKEN},
#include "replay/system_register/system_register.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (str_eq_nocase(name, str_of(rows[i].name)))
			return rows[i].change;
	}
	return CHANGE_ANYTHING;
}

/* Of the handler of an exception after the last instruction, nothing was executed. */
static bool changes_system(const struct history *history, const struct history_event *event)
{
	const struct element *e = &event->element;

	if (e->type == ELEMENT_EXCEPTION)
		return event->position < history_length(history) ||
		       exception_kind_of(e->exception.info) == EXCEPTION_RESET;
	return e->type == ELEMENT_EXCEPTION_RET;
}

/* The last position with a gap, an exception or a return from one before it. */
static uint64_t last_event(const struct history *history)
{
	size_t i = history_event_count(history);
	struct history_event event;
	size_t gaps = history_gap_count(history);
	struct gap gap;
	uint64_t last = gaps > 0 && history_gap(history, gaps - 1, &gap) ? gap.position : 0;

	while (i-- > 0 && history_event(history, i, &event) && event.position > last) {
		if (changes_system(history, &event))
			last = event.position;
	}
	return last;
}

/*
 * MSR (register) but of NZCV, DAIF and the like, FPCR and FPSR; MSRR; and what generates an
 * exception: SVC to DCPS, UDF. Arm ARM C4.1, C5.2.
 */
static bool may_change(uint32_t opcode)
{
	if ((opcode & 0xffffff00) == 0xd51b4200 || (opcode & 0xffffff00) == 0xd51b4400)
		return false;
	return (opcode & 0xffb00000) == 0xd5100000 || (opcode & 0xff000000) == 0xd4000000 ||
	       (opcode & 0xffff0000) == 0;
}

struct addresses {
	uint64_t *items;
	size_t count;
	size_t capacity;
};

/* The instruction there may change a register, or is not known. */
static bool is_change(const struct history *history, uint32_t view, uint64_t address)
{
	uint32_t opcode;

	return !memmap_read_word(history_memory(history), view, address, &opcode) ||
	       may_change(opcode);
}

static enum status add_code(const struct history *history, const struct history_code *code,
                            struct addresses *found)
{
	uint64_t count =
	        (code->end - code->start) / 4; /* the end may be that of all addresses, 0 */

	for (uint64_t i = 0; i < count; i++) {
		if (!is_change(history, code->view, code->start + 4 * i))
			continue;
		TRY(vec_reserve((void **)&found->items, &found->capacity, found->count + 1,
		                sizeof(*found->items)));
		found->items[found->count++] = code->start + 4 * i;
	}
	return STATUS_OK;
}

/* UNSUPPORTED if not all is A64. */
static enum status find_code(const struct history *history, struct addresses *found)
{
	struct history_code code;

	for (size_t i = 0; history_code(history, i, &code); i++) {
		if (code.isa != ISA_A64)
			return STATUS_UNSUPPORTED;
		TRY(add_code(history, &code, found));
	}
	return STATUS_OK;
}

static uint64_t find_past(const struct history *history)
{
	uint64_t length = history_length(history);
	uint64_t from = last_event(history);
	struct addresses found = {0};
	struct history_search search = {0};
	uint64_t position;
	enum status status;

	if (history_core(history)->arch != CORE_A64 || from == length)
		return length;
	status = find_code(history, &found);
	search.addresses = found.items;
	search.address_count = found.count;
	if (status == STATUS_OK && found.count > 0)
		status = history_find_backward(history, &search, length, from, &position);
	else if (status == STATUS_OK)
		status = STATUS_NOT_FOUND;
	free(found.items);
	if (status == STATUS_OK)
		return position + 1;
	return status == STATUS_NOT_FOUND ? from : length;
}

/* What keeps the value of the past from being that of the halt; NULL: nothing. */
static const char *obstacle(const struct history *history, struct values *values,
                            const struct system_past *past, uint64_t position,
                            const struct system_register *reg)
{
	enum change change = change_of(reg->source_name);

	if (position == history_length(history))
		return NULL;
	if (!snap_device_register(history_core(history)->device, reg->source_name))
		return "the snapshot does not have it of this core";
	if (change == CHANGE_ANYTHING)
		return "known at the halt alone: more than MSR and exceptions may change it";
	if (change == CHANGE_TAKEN && ends_in_exception(history))
		return "known at the halt alone: the exception there has written it";
	if (past->from == history_length(history))
		return "known at the halt alone: just before it there is an MSR, an exception, a "
		       "return from one or a gap, or not all of the trace is of A64 code";
	if (position < past->from)
		return "an MSR, an exception, a return from one or a gap comes after this position";
	if (!values || !values_has_code(values, position))
		return "code was written after this position: an MSR may have been in it";
	return NULL;
}

bool system_register_is_halts(const struct history *history, struct values *values,
                              struct system_past *past, uint64_t position,
                              const struct system_register *reg, struct text *why)
{
	const char *found;

	if (!past->is_known && position < history_length(history))
		*past = (struct system_past){true, find_past(history)};
	found = obstacle(history, values, past, position, reg);
	if (found && why)
		text_printf(why, "%s\n", found);
	return found == NULL;
}
