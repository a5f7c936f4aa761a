/* SPDX-License-Identifier: Apache-2.0 */
/* Windows in both tiers, and registers in them; see past_window.h. */
#include "replay/past/past_window.h"

#include "replay/history/history.h"

enum { DYNS_PER_POLL = 1 << 14 };

bool past_window_at(struct values *values, uint64_t position, struct past_place *place)
{
	const struct solver *s = values_solved(values, position);

	*place = (struct past_place){.window = {s, NULL}};
	if (!s || s->has_conflict || position < s->w.options.from || position > s->w.options.to)
		return false;
	place->window.assumed = values_assumed(values);
	place->dyn = window_dyn_of(&s->w, position);
	return true;
}

enum status past_status(const struct values *values)
{
	if (interrupt_has_come(values_allowed(values)->interrupt))
		return STATUS_INTERRUPTED;
	return values_status(values);
}

bool past_window_older(struct values *values, struct past_place *place)
{
	uint64_t position = past_dyns(&place->window)->options.from;

	if (position == 0 || !past_window_at(values, position - 1, place))
		return false;
	place->dyn = window_dyn_of(past_dyns(&place->window), position);
	return true;
}

unsigned int past_register_width(struct values *values, unsigned int reg)
{
	if (reg == REG_NZCV)
		return 16;
	return history_core(values_history(values))->arch == CORE_A64 || reg >= REG_V0 ? 64 : 32;
}

struct past_code past_code_of(const struct window *w, size_t dyn)
{
	const struct template *template = window_template(w, dyn);

	return (struct past_code){
	        .is_there = template->is_code,
	        .pc = template->address,
	        .opcode = template->opcode,
	        .size = template->size,
	        .isa = template->isa,
	};
}

/* Of a slot that is no constant. */
static struct bits slot_bits(const struct solver *s, size_t dyn, unsigned int slot,
                             unsigned int width)
{
	uint32_t ssa = slot < REG_COUNT ? window_ssa_of(&s->w, dyn, slot)
	                                : window_dyn(&s->w, dyn).ssa + (slot - SLOT_TEMP);

	return memdep_masked(s->ssa_values[ssa], bits_mask(width));
}

/*
 * What is proved stays: where a limit or a conflict ended the search of the assumed tier, that
 * knows less.
 */
static void add_assumed(struct past_value *value, struct bits assumed)
{
	uint64_t more = assumed.known & ~value->bits.known;

	value->bits.known |= more;
	value->bits.value |= assumed.value & more;
	value->is_assumed = more != 0;
}

struct past_value past_slot(const struct past_window *window, size_t dyn, unsigned int slot,
                            unsigned int width)
{
	struct past_value value = {.width = width};

	if (slot >= SLOT_CONSTANT) {
		const struct uop_insn *insn = window_template(past_dyns(window), dyn)->insn;

		value.bits = bits_of(slot < SLOT_ZERO ? insn->constants[slot - SLOT_CONSTANT] : 0);
		return value;
	}
	value.bits = slot_bits(window->proved, dyn, slot, width);
	/* An assumption about what an event writes numbers SSA values in its own way. */
	if (!past_value_is_known(&value) && window->assumed)
		add_assumed(&value, slot_bits(window->assumed, dyn, slot, width));
	return value;
}

struct past_value past_address(const struct past_window *window, uint32_t number)
{
	const struct memdep_memory *m = &window->proved->memory;
	struct past_value value = {
	        .bits = memdep_address(window->proved, &m->accesses[number]),
	        .width = 56,
	};

	if (!past_value_is_known(&value) && window->assumed) {
		value.bits =
		        memdep_address(window->assumed, &window->assumed->memory.accesses[number]);
		value.is_assumed = past_value_is_known(&value);
	}
	value.bits.value = memdep_canonical(value.bits.value);
	return value;
}

static struct bits memory_at(const struct solver *s, size_t dyn, uint64_t address,
                             unsigned int size)
{
	unsigned int shift = 8 * (unsigned int)(address & 7);
	struct bits low = memdep_granule_at(s, dyn, address & ~UINT64_C(7));
	struct bits high = {0, 0};

	low = (struct bits){low.value >> shift, low.known >> shift};
	if (shift > 0 && shift / 8 + size > 8)
		high = memdep_granule_at(s, dyn, (address & ~UINT64_C(7)) + 8);
	if (shift > 0) {
		low.value |= high.value << (64 - shift);
		low.known |= high.known << (64 - shift);
	}
	return memdep_masked(low, bits_mask(8 * size));
}

bool past_is_device(const struct past_place *place, uint64_t address, uint64_t size)
{
	return memmap_before_device(place->window.proved->memory.map, address, size) < size;
}

struct past_value past_bytes(const struct past_window *window, size_t dyn, uint64_t address,
                             unsigned int size)
{
	struct past_value value = {
	        .bits = memory_at(window->proved, dyn, address, size),
	        .width = 8 * size,
	};

	if (!past_value_is_known(&value) && window->assumed)
		add_assumed(&value, memory_at(window->assumed, dyn, address, size));
	return value;
}

bool past_writes(const struct window *w, size_t dyn, unsigned int reg)
{
	const struct template *template = window_template(w, dyn);

	if (template->kills_registers)
		return true;
	for (unsigned int i = 0; i < template->def_count; i++) {
		if (template->defs[i].reg == reg)
			return true;
	}
	return false;
}

enum status past_last_write(const struct past_window *window, size_t end, unsigned int reg,
                            size_t *dyn)
{
	const struct window *w = past_dyns(window);

	for (size_t s = end; s-- > 0;) {
		if (past_writes(w, s, reg)) {
			*dyn = s;
			return STATUS_OK;
		}
		if (s % DYNS_PER_POLL == 0 &&
		    interrupt_has_come(window->proved->w.options.interrupt))
			return STATUS_INTERRUPTED;
	}
	return STATUS_NOT_FOUND;
}
