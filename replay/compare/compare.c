/* SPDX-License-Identifier: Apache-2.0 */
/* Two histories compared: matched stretches, and within them the aspects of each pair. */
#include "replay/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>

#include "replay/compare/alignment.h"
#include "replay/compare/compare_exceptions.h"
#include "replay/compare/compare_values.h"
#include "replay/session/session.h"
#include "replay/tarmac/tarmac.h"

_Static_assert((int)COMPARE_A == (int)ALIGNMENT_A && (int)COMPARE_B == (int)ALIGNMENT_B,
               "sides are the same");

/* What the matcher sees of a history. */
struct view {
	struct session *session;
	size_t core;
	const struct history *history;
	bool has_isa;                   /* part of the key */
	bool begins_in_gap;             /* the trace shows the end of what was executed */
	struct effects_reader *effects; /* NULL if the trace has none */
};

struct compare {
	struct view views[COMPARE_SIDES];
	struct compare_options options;
	struct alignment *alignment;
	/* The pairs that are left of a stretch that is the same. */
	uint64_t position[COMPARE_SIDES];
	uint64_t left;
	uint64_t before; /* pairs without a difference that were passed */
	bool is_joined;  /* what was passed last is a pair */
	struct compare_list list;
	struct compare_bytes bytes[COMPARE_SIDES];
	struct compare_summary summary;
};

static const char *const aspect_names[] = {
#define X(name, text, what) text,
#include "replay/compare/compare.def"
#undef X
};

const char *compare_aspect_name(enum compare_aspect aspect)
{
	return aspect_names[aspect];
}

enum status compare_aspect_of(struct str name, enum compare_aspect *aspect)
{
	for (unsigned int i = 0; i < COMPARE_ASPECTS; i++) {
		if (str_eq(name, str_of(aspect_names[i]))) {
			*aspect = (enum compare_aspect)i;
			return STATUS_OK;
		}
	}
	return STATUS_NOT_FOUND;
}

/* The address, with the instruction set where its bits are few: in the low ones of a rotation. */
static uint64_t view_key(void *context, uint64_t position)
{
	const struct view *view = context;
	struct instruction insn;

	history_at(view->history, position, &insn);
	return (insn.address << 3 | insn.address >> 61) ^ (view->has_isa ? (uint64_t)insn.isa : 0);
}

static uint64_t view_next_gap(void *context, uint64_t position)
{
	const struct view *view = context;
	struct gap gap;

	if (position == 0 && view->begins_in_gap)
		return 0;
	return history_gap(view->history, history_gap_index(view->history, position), &gap)
	               ? gap.position
	               : ALIGNMENT_NO_GAP;
}

static enum status open_view(struct view *view, const struct compare_side *side,
                             unsigned int aspects)
{
	const struct history *history = session_history(side->session, side->core);
	bool has_effects = effects_known(history);

	*view = (struct view){
	        .session = side->session,
	        .core = side->core,
	        .history = history,
	        .has_isa = (aspects & 1U << COMPARE_ISA) != 0,
	        .begins_in_gap = !has_effects,
	};
	if (side->from > history_length(view->history))
		return STATUS_NOT_FOUND;
	if (history_length(view->history) == 0) /* no trace is the end of nothing */
		view->begins_in_gap = false;
	return has_effects ? effects_open(history, &view->effects) : STATUS_OK;
}

enum status compare_open(const struct compare_side sides[COMPARE_SIDES],
                         const struct compare_options *options, struct compare **compare)
{
	struct compare *c = calloc(1, sizeof(*c));
	struct alignment_side alignment[ALIGNMENT_SIDES];
	enum status status = c ? STATUS_OK : STATUS_NO_MEM;

	for (int i = 0; i < COMPARE_SIDES && status == STATUS_OK; i++) {
		status = open_view(&c->views[i], &sides[i], options->aspects);
		alignment[i] = (struct alignment_side){
		        .key = view_key,
		        .next_gap = view_next_gap,
		        .context = &c->views[i],
		        .begin = sides[i].from,
		        .end = history_length(c->views[i].history),
		};
	}
	if (status == STATUS_OK)
		status = alignment_open(alignment, &c->alignment);
	if (status != STATUS_OK) {
		compare_close(c);
		return status;
	}
	c->options = *options;
	*compare = c;
	return STATUS_OK;
}

void compare_close(struct compare *compare)
{
	if (!compare)
		return;
	for (int i = 0; i < COMPARE_SIDES; i++) {
		effects_close(compare->views[i].effects);
		free(compare->bytes[i].items);
	}
	compare_list_fini(&compare->list);
	alignment_close(compare->alignment);
	free(compare);
}

static bool wants(const struct compare *c, enum compare_aspect aspect)
{
	return (c->options.aspects & 1U << aspect) != 0;
}

/* One instruction of a pair. */
struct half {
	struct instruction insn;
	struct effects effects;
	bool has_effects;
};

/* -1 where the trace does not say. */
static int is_executed(const struct half *half)
{
	if (half->insn.isa == ISA_A64) /* the next instruction tells of a branch, all else is */
		return -1;
	if (half->has_effects && half->effects.has_instruction)
		return half->effects.instruction.instruction.effect == TARMAC_EXECUTED;
	if (half->insn.is_last &&
	    (half->insn.class == INSN_BRANCH || half->insn.class == INSN_BRANCH_INDIRECT))
		return half->insn.executed;
	return -1;
}

static enum status compare_opcode(struct compare *c, const struct half half[COMPARE_SIDES])
{
	const struct instruction *a = &half[COMPARE_A].insn;
	const struct instruction *b = &half[COMPARE_B].insn;
	char texts[COMPARE_SIDES][20];
	size_t n[COMPARE_SIDES];

	if (!a->has_opcode || !b->has_opcode || (a->opcode == b->opcode && a->size == b->size))
		return STATUS_OK;
	for (int i = 0; i < COMPARE_SIDES; i++) {
		const struct instruction *insn = &half[i].insn;

		n[i] = (size_t)snprintf(texts[i], sizeof(texts[i]), "%0*llx", 2 * insn->size,
		                        (unsigned long long)insn->opcode);
	}
	return compare_list_add(&c->list, COMPARE_OPCODE, STR(""),
	                        (struct str){texts[COMPARE_A], n[COMPARE_A]},
	                        (struct str){texts[COMPARE_B], n[COMPARE_B]});
}

static enum status compare_executed(struct compare *c, const struct half half[COMPARE_SIDES])
{
	int a = is_executed(&half[COMPARE_A]);
	int b = is_executed(&half[COMPARE_B]);

	if (a < 0 || b < 0 || a == b)
		return STATUS_OK;
	return compare_list_add(&c->list, COMPARE_EXECUTED, STR(""), a ? STR("yes") : STR("no"),
	                        b ? STR("yes") : STR("no"));
}

static enum status compare_disassembly(struct compare *c, const struct tarmac_event *a,
                                       const struct tarmac_event *b)
{
	struct str first = str_trim(a->instruction.disassembly);
	struct str second = str_trim(b->instruction.disassembly);

	if (a->dialect != b->dialect || str_eq(first, second))
		return STATUS_OK;
	return compare_list_add(&c->list, COMPARE_DISASSEMBLY, STR(""), first, second);
}

static enum status compare_timestamps(struct compare *c, const struct tarmac_event *a,
                                      const struct tarmac_event *b)
{
	char texts[COMPARE_SIDES][24];
	size_t n[COMPARE_SIDES];

	if (!a->has_timestamp || !b->has_timestamp || a->unit != b->unit ||
	    a->timestamp == b->timestamp)
		return STATUS_OK;
	for (int i = 0; i < COMPARE_SIDES; i++)
		n[i] = (size_t)snprintf(texts[i], sizeof(texts[i]), "%llu",
		                        (unsigned long long)(i == COMPARE_A ? a : b)->timestamp);
	return compare_list_add(&c->list, COMPARE_TIMESTAMPS, STR(""),
	                        (struct str){texts[COMPARE_A], n[COMPARE_A]},
	                        (struct str){texts[COMPARE_B], n[COMPARE_B]});
}

/* What only traces with data have; both do. */
static enum status compare_data(struct compare *c, const struct half half[COMPARE_SIDES])
{
	const struct tarmac_event *a = &half[COMPARE_A].effects.instruction;
	const struct tarmac_event *b = &half[COMPARE_B].effects.instruction;
	struct compare_values values[COMPARE_SIDES];

	for (int i = 0; i < COMPARE_SIDES; i++)
		values[i] = (struct compare_values){
		        .session = c->views[i].session,
		        .core = c->views[i].core,
		        .position = c->position[i],
		        .effects = &half[i].effects,
		};
	if (wants(c, COMPARE_REGISTERS))
		TRY(compare_registers(values, &c->list));
	if (wants(c, COMPARE_MEMORY))
		TRY(compare_memory(values, c->bytes, &c->list));
	if (wants(c, COMPARE_DISASSEMBLY))
		TRY(compare_disassembly(c, a, b));
	if (wants(c, COMPARE_TIMESTAMPS))
		TRY(compare_timestamps(c, a, b));
	return STATUS_OK;
}

/* True if the effects of the instruction have a say. */
static bool needs_effects(const struct compare *c, const struct half *half)
{
	const unsigned int data = 1U << COMPARE_REGISTERS | 1U << COMPARE_MEMORY |
	                          1U << COMPARE_DISASSEMBLY | 1U << COMPARE_TIMESTAMPS;

	if (wants(c, COMPARE_EXECUTED) && half->insn.isa != ISA_A64)
		return true;
	return c->views[COMPARE_A].effects && c->views[COMPARE_B].effects &&
	       (c->options.aspects & data) != 0;
}

static enum status read_half(struct compare *c, int side, struct half *half)
{
	struct view *view = &c->views[side];
	enum status status;

	half->has_effects = false;
	history_at(view->history, c->position[side], &half->insn);
	if (!view->effects || !needs_effects(c, half))
		return STATUS_OK;
	status = effects_at(view->effects, c->position[side], &half->effects);
	half->has_effects = status == STATUS_OK;
	return status == STATUS_UNAVAILABLE ? STATUS_OK : status;
}

/* The exceptions after the pair; before the first instructions of both those are compared, too. */
static enum status compare_taken(struct compare *c)
{
	struct compare_place places[COMPARE_SIDES];
	bool is_first = true;

	for (int i = 0; i < COMPARE_SIDES; i++) {
		places[i] = (struct compare_place){c->views[i].history, c->position[i]};
		is_first &= c->position[i] == 0 && !c->views[i].begins_in_gap;
	}
	if (is_first)
		TRY(compare_exceptions(places, STR("before the first instruction"), &c->list));
	for (int i = 0; i < COMPARE_SIDES; i++)
		places[i].position++;
	return compare_exceptions(places, STR(""), &c->list);
}

/* A gap that one has and the other not, before `position` of each. */
static enum status compare_gap(struct compare *c, const uint64_t position[COMPARE_SIDES],
                               struct str name)
{
	struct str texts[COMPARE_SIDES] = {STR("none"), STR("none")};
	bool has_gap[COMPARE_SIDES];

	for (int i = 0; i < COMPARE_SIDES; i++) {
		struct gap gap;

		has_gap[i] = history_gap_at(c->views[i].history, position[i], &gap);
		if (has_gap[i])
			texts[i] = str_of(gap_reason_text(gap.reason));
	}
	if (has_gap[COMPARE_A] == has_gap[COMPARE_B])
		return STATUS_OK;
	return compare_list_add(&c->list, COMPARE_GAP, name, texts[COMPARE_A], texts[COMPARE_B]);
}

/*
 * Gaps before the pair and, after the last instructions of both, those before the end. What is
 * before a trace of program flow is not known anyway, and what is after instructions that do not
 * match differs anyway.
 */
static enum status compare_gaps(struct compare *c)
{
	uint64_t after[COMPARE_SIDES];
	bool is_first = true;
	bool is_last = true;

	for (int i = 0; i < COMPARE_SIDES; i++) {
		after[i] = c->position[i] + 1;
		is_first &= c->position[i] == 0 && !c->views[i].begins_in_gap;
		is_last &= after[i] == history_length(c->views[i].history);
	}
	if (c->is_joined || is_first)
		TRY(compare_gap(c, c->position, STR("before it")));
	return is_last ? compare_gap(c, after, STR("after it")) : STATUS_OK;
}

/* Fills the list with what differs in the pair at hand. */
static enum status compare_pair(struct compare *c)
{
	struct half half[COMPARE_SIDES];

	compare_list_clear(&c->list);
	for (int i = 0; i < COMPARE_SIDES; i++)
		TRY(read_half(c, i, &half[i]));
	if (wants(c, COMPARE_OPCODE))
		TRY(compare_opcode(c, half));
	if (wants(c, COMPARE_EXECUTED))
		TRY(compare_executed(c, half));
	if (wants(c, COMPARE_EXCEPTIONS))
		TRY(compare_taken(c));
	if (wants(c, COMPARE_GAP))
		TRY(compare_gaps(c));
	c->is_joined = true;
	if (half[COMPARE_A].has_effects && half[COMPARE_B].has_effects)
		TRY(compare_data(c, half));
	return STATUS_OK;
}

static void count_items(struct compare *c)
{
	unsigned int seen = 0;

	c->summary.pairs++;
	for (size_t i = 0; i < c->list.count; i++) {
		unsigned int bit = 1U << c->list.items[i].aspect;

		c->summary.by_aspect[c->list.items[i].aspect] += (seen & bit) == 0;
		seen |= bit;
	}
}

/* Passes pairs up to one that differs: *found. */
static enum status compare_stretch(struct compare *c, struct compare_difference *difference,
                                   bool *found)
{
	*found = false;
	while (c->left > 0 && !*found) {
		TRY(compare_pair(c));
		*found = c->list.count > 0;
		if (*found) {
			count_items(c);
			*difference = (struct compare_difference){
			        .is_pair = true,
			        .position = {c->position[COMPARE_A], c->position[COMPARE_B]},
			        .count = {1, 1},
			        .before = c->before,
			        .items = c->list.items,
			        .item_count = c->list.count,
			};
		}
		c->before = *found ? 0 : c->before + 1;
		c->left--;
		c->summary.matched++;
		for (int i = 0; i < COMPARE_SIDES; i++)
			c->position[i]++;
	}
	return STATUS_OK;
}

static void take_different(struct compare *c, const struct alignment_stretch *stretch,
                           struct compare_difference *difference)
{
	bool is_gap = stretch->is_gap && !c->options.is_strict;

	*difference = (struct compare_difference){
	        .is_gap = is_gap,
	        .position = {stretch->position[COMPARE_A], stretch->position[COMPARE_B]},
	        .count = {stretch->count[COMPARE_A], stretch->count[COMPARE_B]},
	        .before = c->before,
	};
	c->before = 0;
	c->is_joined = false;
	if (is_gap)
		c->summary.gaps++;
	else
		c->summary.stretches++;
	for (int i = 0; i < COMPARE_SIDES; i++) {
		if (is_gap)
			c->summary.in_gap[i] += stretch->count[i];
		else
			c->summary.only[i] += stretch->count[i];
	}
}

enum status compare_next(struct compare *compare, struct compare_difference *difference)
{
	for (;;) {
		struct alignment_stretch stretch;
		enum status status;
		bool found;

		TRY(compare_stretch(compare, difference, &found));
		if (found)
			return STATUS_OK;
		status = alignment_next(compare->alignment, &stretch);
		if (status != STATUS_OK) {
			*difference = (struct compare_difference){.before = compare->before};
			return status;
		}
		if (!stretch.is_same) {
			take_different(compare, &stretch, difference);
			return STATUS_OK;
		}
		compare->left = stretch.count[COMPARE_A];
		for (int i = 0; i < COMPARE_SIDES; i++)
			compare->position[i] = stretch.position[i];
	}
}

struct compare_summary compare_summary(const struct compare *compare)
{
	return compare->summary;
}

bool compare_is_equal(const struct compare_summary *summary)
{
	return summary->pairs == 0 && summary->stretches == 0;
}
