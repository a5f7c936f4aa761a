/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the data trace says of a window: addresses and values of loads and stores. In: the DATA
 * events of the history, the window's instructions. Out: facts about the addresses' bases and about
 * what was loaded or stored.
 *
 * The rule (ETMv3, IHI 0014, 7.4): data packets are of the last instruction traced that transfers
 * data, one packet each 32 bits, at rising addresses unless a packet has another. An instruction
 * has its facts if all of its transfers are there and fit it: as many as it makes, at the distances
 * at which it makes them, none wider than it. Else nothing is said: where part of a load or store
 * of several words was filtered out, where an instruction between may have transferred data that
 * this program cannot know (a coprocessor's, or one that no table has), after an exception or a
 * gap, of data that are big endian, and of store exclusives.
 */
#include "replay/values/solver/initial_facts.h"

#include "arch/isa.h"
#include "replay/history/history.h"

enum { TRANSFERS_MOST = 32 };

#define NOBODY SIZE_MAX

/* A transfer of up to 32 bits that an instruction makes. */
struct transfer {
	uint8_t access;
	uint8_t lsb; /* of its first byte in what the access loads or stores */
	uint8_t bytes;
	int64_t offset; /* to the base */
};

struct transfers {
	struct transfer items[TRANSFERS_MOST]; /* at rising addresses */
	size_t count;
	unsigned int base; /* slot */
};

/* The items since the last instruction that transfers data. */
struct group {
	size_t dyn; /* or NOBODY */
	struct data_trace items[TRANSFERS_MOST];
	size_t count; /* may be more than there is room for */
};

/* MCR, MRC, MCRR, MRRC: a unit may trace what they transfer, which is no memory. Table 4.2. */
static bool is_coprocessor_transfer(const struct template *template)
{
	uint32_t opcode = template->opcode;

	return template->size == 4 &&
	       ((opcode & 0x0f000010) == 0x0e000010 || (opcode & 0x0fe00000) == 0x0c400000);
}

static bool add_transfer(struct transfers *t, struct transfer item)
{
	size_t at = t->count;

	if (t->count == TRANSFERS_MOST)
		return false;
	for (; at > 0 && t->items[at - 1].offset > item.offset; at--)
		t->items[at] = t->items[at - 1];
	t->items[at] = item;
	t->count++;
	return true;
}

static bool add_access(struct transfers *t, const struct uop_insn *insn, uint8_t number)
{
	const struct uop_access *access = &insn->accesses[number];
	uint8_t done = 0;

	if (access->kind == ACCESS_CLOBBER || access->address != t->base ||
	    (access->when != SLOT_NONE && access->when != insn->when))
		return false;
	while (done < access->size) {
		uint8_t rest = (uint8_t)(access->size - done);
		uint8_t bytes = rest < 4 ? rest : 4;

		if (!add_transfer(t, (struct transfer){number, (uint8_t)(8 * done), bytes,
		                                       (int64_t)access->offset + done}))
			return false;
		done = (uint8_t)(done + bytes);
	}
	return true;
}

/* The transfers of an instruction; false if what it transfers, and in which order, is not certain.
 */
static bool transfers_of(const struct template *template, struct transfers *t)
{
	const struct uop_insn *insn = template->insn;

	t->count = 0;
	t->base = insn->access_count > 0 ? insn->accesses[0].address : SLOT_NONE;
	for (uint8_t i = 0; i < insn->access_count; i++) {
		if (!add_access(t, insn, i))
			return false;
	}
	for (size_t i = 1; i < t->count; i++) {
		if (t->items[i].offset < t->items[i - 1].offset + t->items[i - 1].bytes)
			return false;
	}
	return t->count > 0;
}

/*
 * Which transfer each item is, and where the first one goes. Without addresses they come at rising
 * ones; but some cores load a PC before all else.
 */
static bool match(const struct group *g, const struct transfers *t, bool loads_pc,
                  size_t which[TRANSFERS_MOST], uint32_t *first)
{
	bool has_addresses = g->items[0].has_address;
	uint32_t addresses[TRANSFERS_MOST] = {0};
	uint32_t seen = 0;

	*first = UINT32_MAX;
	for (size_t i = 0; i < t->count; i++) {
		const struct data_trace *item = &g->items[i];

		if (item->has_address && !has_addresses)
			return false;
		addresses[i] = item->has_address ? (uint32_t)item->address
		               : i > 0           ? addresses[i - 1] + 4
		                                 : 0;
		*first = addresses[i] < *first ? addresses[i] : *first;
	}
	for (size_t i = 0; i < t->count; i++) {
		size_t n = 0;

		while (has_addresses && n < t->count &&
		       t->items[n].offset - t->items[0].offset != (int64_t)(addresses[i] - *first))
			n++;
		which[i] = has_addresses ? n : i;
		if (which[i] == t->count || (seen >> which[i] & 1) != 0)
			return false;
		seen |= UINT32_C(1) << which[i];
	}
	return has_addresses || t->count == 1 || !loads_pc;
}

/* No item is of something else, or of what did not happen. */
static bool fits(const struct group *g, const struct transfers *t,
                 const size_t which[TRANSFERS_MOST])
{
	for (size_t i = 0; i < t->count; i++) {
		const struct data_trace *item = &g->items[i];

		if (item->is_void || item->is_big_endian ||
		    (item->has_value &&
		     (item->value & ~bits_mask(8u * t->items[which[i]].bytes)) != 0))
			return false;
	}
	return true;
}

static void learn_value(struct solver *s, size_t dyn, const struct transfer *t, uint64_t value)
{
	const struct uop_access *access = &window_template(&s->w, dyn)->insn->accesses[t->access];
	uint64_t mask = bits_mask(8u * t->bytes) << t->lsb;

	solve_because(s, CAUSE_DATA_TRACE, dyn, access->data);
	solve_learn(s, dyn, access->data, (struct bits){value << t->lsb & mask, mask});
}

/* The group is whole: no more items come that are of its instruction. */
static void end_group(struct solver *s, struct group *g)
{
	const struct template *template;
	size_t which[TRANSFERS_MOST];
	struct transfers t;
	uint32_t first;

	if (g->dyn == NOBODY || g->count == 0)
		return;
	template = window_template(&s->w, g->dyn);
	if (!transfers_of(template, &t) || g->count != t.count ||
	    !match(g, &t, template->insn->branch.kind != BRANCH_NONE, which, &first) ||
	    !fits(g, &t, which))
		return;
	if (g->items[0].has_address) {
		uint32_t base = first - (uint32_t)t.items[0].offset;

		solve_because(s, CAUSE_DATA_TRACE, g->dyn, t.base);
		solve_learn(s, g->dyn, t.base, (struct bits){base, bits_mask(32)});
	}
	for (size_t i = 0; i < t.count; i++) {
		if (g->items[i].has_value)
			learn_value(s, g->dyn, &t.items[which[i]], g->items[i].value);
	}
}

/* Whom the items after an instruction are of. */
static void take_dyn(struct solver *s, struct group *g, size_t dyn)
{
	const struct template *template = window_template(&s->w, dyn);
	bool is_certain = template->insn->when == SLOT_NONE || template->outcome == OUTCOME_PASSED;

	if (template->outcome == OUTCOME_FAILED)
		return;
	if (template->is_code && template->insn->access_count == 0 && !template->kills_memory &&
	    !template->kills_registers && !is_coprocessor_transfer(template))
		return;
	end_group(s, g);
	*g = (struct group){.dyn = NOBODY};
	if (template->is_code && is_certain && !template->kills_memory &&
	    !template->kills_registers && !is_coprocessor_transfer(template))
		g->dyn = dyn;
}

static void take_item(struct group *g, const struct data_trace *item)
{
	if (item->kind != DATA_TRANSFER && item->kind != DATA_PLACE &&
	    item->kind != DATA_NOT_TRACED)
		return;
	if (g->count < TRANSFERS_MOST)
		g->items[g->count] = *item;
	g->count++;
}

/* Data of an instruction that aborts are to be ignored (7.4.9), though it was not cancelled. */
static bool is_data_fault(const struct element *e)
{
	return e->type == ELEMENT_EXCEPTION &&
	       exception_kind_of(e->exception.info) == EXCEPTION_DATA_FAULT;
}

static void take_event(struct solver *s, struct group *g, const struct element *e)
{
	switch ((int)e->type) {
	case ELEMENT_DATA:
		take_item(g, &e->data);
		break;
	case ELEMENT_PE_CONTEXT:
	case ELEMENT_TIMESTAMP:
	case ELEMENT_CYCLE_COUNT:
	case ELEMENT_EVENT:
		break;
	default:
		/* Exceptions stack, tracing began anew: what follows is of something else. */
		if (!is_data_fault(e))
			end_group(s, g);
		*g = (struct group){.dyn = NOBODY};
	}
}

void data_facts(struct solver *s)
{
	const struct history *history = s->w.history;
	struct group g = {.dyn = NOBODY};
	struct history_event event;
	size_t count = history_event_count(history);
	size_t index = history_event_index(history, s->w.options.from + 1);
	uint64_t position = s->w.options.from;

	for (size_t dyn = 0; dyn < s->w.dyn_count && index < count; dyn++) {
		take_dyn(s, &g, dyn);
		if (!window_template(&s->w, dyn)->is_code)
			continue;
		position++;
		for (; history_event(history, index, &event) && event.position == position; index++)
			take_event(s, &g, &event.element);
	}
	end_group(s, &g);
}
