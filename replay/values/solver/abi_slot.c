/* SPDX-License-Identifier: Apache-2.0 */
/* Where functions have saved registers, as long as they are active; see abi.h. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/values/solver/memdep_clobber.h"

enum {
	BL_BITS = 0x25, /* the upper 6 of its opcode */
	FRAME_RECORD = 16,
	GRANULES_MOST = 32, /* granules of a call */
};

static int compare_slots(const void *a, const void *b)
{
	const struct abi_slot *x = a;
	const struct abi_slot *y = b;

	if (x->granule != y->granule)
		return x->granule < y->granule ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

void abi_slot_sort(struct abi *abi)
{
	qsort(abi->slots, abi->slot_count, sizeof(*abi->slots), compare_slots);
}

static bool add_slot(struct solver *s, struct abi_slot slot)
{
	struct abi *abi = &s->abi;

	if (vec_reserve((void **)&abi->slots, &abi->slot_capacity, abi->slot_count + 1,
	                sizeof(*abi->slots)) != STATUS_OK) {
		s->memory.status = STATUS_NO_MEM;
		return false;
	}
	abi->slots[abi->slot_count++] = slot;
	return true;
}

/* An open store through SP: it may be the one that saves. */
static bool is_saving(const struct solver *s, const struct memdep_access *a)
{
	const struct template *template = window_template(&s->w, a->dyn);

	return uop_insn_uses(template->insn, sp_track_sp(template));
}

/*
 * After the last access before `end` that may have written the granule, of those whose address is
 * known or through SP.
 */
static uint32_t last_store(const struct solver *s, uint64_t granule, uint32_t end)
{
	const struct memdep_memory *m = &s->memory;
	uint32_t found = 0;
	struct memdep_granule known = memdep_known_granule(s, granule);
	uint32_t at = end;

	for (uint32_t e = memdep_find_place(m, &known, end); e != MEMDEP_NONE;
	     e = m->versions[e].previous) {
		if (!m->versions[e].is_store)
			continue;
		found = m->versions[e].access + 1;
		break;
	}
	while (at > found) {
		at = memdep_clobber_before(m, at);
		if (at == MEMDEP_NONE || at < found)
			break;
		if ((m->accesses[at].index == ACCESS_KILL || is_saving(s, &m->accesses[at])) &&
		    memdep_may_touch(s, &m->accesses[at], granule, 0xff))
			return at + 1;
	}
	return found;
}

/* Granules that the loads of one call found what it had saved in. */
struct saved {
	struct {
		uint64_t granule;
		uint32_t last; /* the first of these loads */
		uint8_t bytes; /* that they load */
	} items[GRANULES_MOST];
	size_t count;
};

static void note_load(const struct solver *s, uint32_t access, struct saved *saved)
{
	const struct memdep_memory *m = &s->memory;

	if (m->accesses[access].state != ACCESS_PLACED)
		return;
	for (uint32_t e = m->accesses[access].placed.first;
	     e < m->version_count && m->versions[e].access == access; e++) {
		uint64_t granule = m->granules[m->versions[e].granule].address;
		size_t i = 0;

		while (i < saved->count && saved->items[i].granule != granule)
			i++;
		if (i == GRANULES_MOST)
			return;
		if (i == saved->count) {
			saved->items[i].granule = granule;
			saved->items[i].last = access;
			saved->items[i].bytes = 0;
			saved->count++;
		}
		saved->items[i].bytes |= m->versions[e].mask;
	}
}

/* Where all these loads went is known. */
static bool are_placed(const struct solver *s, const struct abi_call *call)
{
	for (uint32_t i = 0; i < call->restore_count; i++) {
		uint32_t dyn = s->abi.restores[call->restores + i];

		for (uint32_t a = window_access(&s->w, dyn); a < window_access(&s->w, dyn + 1);
		     a++) {
			if (s->memory.accesses[a].state == ACCESS_OPEN)
				return false;
		}
	}
	return true;
}

bool abi_slot_call(struct solver *s, struct abi_call *call)
{
	uint32_t first = window_access(&s->w, call->begin);
	struct saved saved = {.count = 0};
	bool any = false;

	if (call->is_done || !are_placed(s, call))
		return false;
	call->is_done = true;
	for (uint32_t i = 0; i < call->restore_count; i++) {
		uint32_t dyn = s->abi.restores[call->restores + i];

		for (uint32_t a = window_access(&s->w, dyn); a < window_access(&s->w, dyn + 1); a++)
			note_load(s, a, &saved);
	}
	for (size_t i = 0; i < saved.count; i++) {
		struct abi_slot slot = {
		        saved.items[i].granule,
		        last_store(s, saved.items[i].granule, saved.items[i].last),
		        saved.items[i].last,
		};

		/* Before it was saved there may have been a local variable of who called it last.
		 */
		if (slot.first < first)
			slot.first = first;
		/* Beside a register of 4 bytes there may be one, too. */
		if (saved.items[i].bytes == 0xff)
			any |= add_slot(s, slot);
	}
	return any;
}

/* The slot that an access lies in, or NULL. */
static const struct abi_slot *find_slot(const struct abi_slot *slots, size_t count,
                                        uint64_t granule, uint32_t access)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct abi_slot *slot = &slots[middle];

		if (slot->granule < granule || (slot->granule == granule && slot->first <= access))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || slots[low - 1].granule != granule || slots[low - 1].last <= access)
		return NULL;
	return &slots[low - 1];
}

bool abi_slot_is_kept(const struct solver *s, uint64_t granule, uint32_t access)
{
	const struct abi *abi = &s->abi;
	const struct memdep_access *a = &s->memory.accesses[access];

	if (abi->slot_count + abi->live_count == 0 || a->index == ACCESS_KILL ||
	    a->kind != ACCESS_STORE || is_saving(s, a))
		return false;
	return find_slot(abi->slots, abi->slot_count, granule, access) ||
	       find_slot(abi->live, abi->live_count, granule, access);
}

/* What memory holds at the halt; false if that is not known. */
static bool read_end(const struct solver *s, uint64_t address, uint64_t *value)
{
	struct bits end = memdep_known_granule(s, address & ~UINT64_C(7)).contents.value;

	*value = end.value;
	return address % 4 == 0 && bits_all_known(&end, 64);
}

/* After a call. */
static bool is_return_address(const struct solver *s, uint64_t address)
{
	uint64_t code;
	uint32_t opcode;

	if (!read_end(s, address - 4, &code))
		return false;
	opcode = (uint32_t)(code >> 8 * ((address - 4) & 4));
	/* BL; BLR, BLRAA and the like */
	return opcode >> 26 == BL_BITS || (opcode & 0xfefff800) == 0xd63f0800 ||
	       (opcode & 0xfffffc1f) == 0xd63f0000;
}

/* Of an exception whose entry the window has: what stored the word had the address in ELR. */
static bool is_interrupted(const struct solver *s, uint64_t granule, uint64_t address)
{
	uint32_t end = last_store(s, granule, (uint32_t)s->memory.access_count);
	struct bits elr;

	if (end == 0)
		return false;
	elr = s->ssa_values[window_ssa_of(&s->w, s->memory.accesses[end - 1].dyn, REG_ELR_EL1)];
	return ~elr.known == 0 && elr.value == address;
}

static bool add_live(struct solver *s, size_t *count, uint64_t granule)
{
	struct abi *abi = &s->abi;
	struct abi_slot slot = {granule, last_store(s, granule, (uint32_t)s->memory.access_count),
	                        (uint32_t)s->memory.access_count};

	if (*count == abi->live_count)
		abi->live[abi->live_count++] = slot;
	else if (abi->live[*count].first > slot.first)
		abi->live[*count].first = slot.first;
	else
		return ++*count == 0;
	++*count;
	return true;
}

bool abi_slot_live(struct solver *s)
{
	const struct bits *fp = &s->ssa_values[s->w.after[29]];
	const struct bits *sp = &s->ssa_values[s->w.after[REG_SP]];
	uint64_t at = fp->value;
	uint64_t least;
	size_t count = 0;
	bool any = false;

	if (s->w.options.to != history_length(s->w.history) || s->w.end_isa != ISA_A64 ||
	    (fp->known & sp->known) != UINT64_MAX || s->has_conflict)
		return false;
	for (least = sp->value; at >= least && at % 16 == 0 && count < ABI_LIVE_MOST;) {
		uint64_t next;
		uint64_t after;

		if (!read_end(s, at, &next) || !read_end(s, at + 8, &after) ||
		    (!is_return_address(s, after) && !is_interrupted(s, at + 8, after)))
			break;
		any |= add_live(s, &count, at);
		any |= add_live(s, &count, at + 8);
		least = at + FRAME_RECORD;
		at = next;
	}
	return any;
}
