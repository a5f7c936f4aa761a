/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences of two histories in text and JSON. A line of text begins with a blank if both have
 * the instruction, "-" if A alone, "+" if B alone, "!" if both have it and it differs, "~" where a
 * gap accounts for what one has more.
 */
#include "cli/compare_print.h"

#include "base/json.h"

enum {
	CONTEXT = 3,      /* instructions on either side of a difference */
	LINES_MOST = 12,  /* of one side of a difference */
	LINES_SHOWN = 10, /* if there are more */
};

static const struct history *history_of(const struct compare_printer *p, int side)
{
	return session_history(p->sides[side].session, p->sides[side].core);
}

static struct str core_name(const struct compare_printer *p, int side)
{
	return session_core(p->sides[side].session, p->sides[side].core)->device->name;
}

static void put_position(struct text *out, const uint64_t *position)
{
	if (position)
		text_printf(out, "%9llu ", (unsigned long long)*position);
	else
		text_printf(out, "%9s ", "");
}

/* The instruction of `side` at its position; the other's position is shown if it is not NULL. */
static void put_line(struct compare_printer *p, char sign, const uint64_t *a, const uint64_t *b)
{
	int side = a ? COMPARE_A : COMPARE_B;
	enum core_arch arch = session_core(p->sides[side].session, p->sides[side].core)->arch;
	struct instruction insn;

	history_at(history_of(p, side), a ? *a : *b, &insn);
	text_char(p->out, sign);
	put_position(p->out, a);
	put_position(p->out, b);
	text_char(p->out, ' ');
	text_hex(p->out, insn.address, register_file_of(arch).table[REGISTER_PC].bits / 4);
	text_printf(p->out, "  %s  ", isa_name(insn.isa));
	if (insn.has_opcode) {
		text_hex(p->out, insn.opcode, 2U * insn.size);
		text_printf(p->out, "%s  ", insn.size == 2 ? "    " : "");
		disasm_text(p->disasm, insn.address, insn.opcode, insn.size, insn.isa, p->out);
	} else {
		text_char(p->out, '-');
	}
	text_char(p->out, '\n');
}

/* `count` pairs from there on, the same in both. */
static void put_context(struct compare_printer *p, uint64_t a, uint64_t b, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t first = a + i;
		uint64_t second = b + i;

		put_line(p, ' ', &first, &second);
	}
}

/* What only one side has. */
static void put_side(struct compare_printer *p, const struct compare_difference *d, int side)
{
	uint64_t count = d->count[side];
	uint64_t shown = count > LINES_MOST ? LINES_SHOWN : count;
	char sign = '+';

	if (d->is_gap)
		sign = '~';
	else if (side == COMPARE_A)
		sign = '-';
	if (d->is_gap)
		shown = count > CONTEXT ? 1 : count;
	for (uint64_t i = 0; i < shown; i++) {
		uint64_t position = d->position[side] + i;

		put_line(p, sign, side == COMPARE_A ? &position : NULL,
		         side == COMPARE_B ? &position : NULL);
	}
	if (shown < count)
		text_printf(p->out, "%c ... %llu more\n", sign,
		            (unsigned long long)(count - shown));
}

static void put_pair(struct compare_printer *p, const struct compare_difference *d)
{
	put_line(p, '!', &d->position[COMPARE_A], &d->position[COMPARE_B]);
	for (size_t i = 0; i < d->item_count; i++) {
		const struct compare_item *item = &d->items[i];

		text_printf(p->out, "!   %s", compare_aspect_name(item->aspect));
		if (item->name.n > 0)
			text_printf(p->out, " %.*s", STR_ARG(item->name));
		text_printf(p->out, ": %.*s | %.*s\n", STR_ARG(item->a), STR_ARG(item->b));
	}
}

static const char *kind_name(const struct compare_difference *d)
{
	if (d->is_pair)
		return "pair";
	if (d->is_gap)
		return "gap";
	if (d->count[COMPARE_B] == 0)
		return "only-a";
	return d->count[COMPARE_A] == 0 ? "only-b" : "replaced";
}

/* The gaps that the other has more in, but for the start of the trace. */
static void put_gaps(struct compare_printer *p, const struct compare_difference *d)
{
	for (int side = 0; side < COMPARE_SIDES; side++) {
		bool is_found = false;
		struct gap gap;

		if (d->count[1 - side] == 0)
			continue;
		for (uint64_t i = 0; !is_found && i <= d->count[side]; i++)
			is_found = history_gap_at(history_of(p, side), d->position[side] + i, &gap);
		text_printf(p->out, ", %s: %s", side == COMPARE_A ? "A" : "B",
		            is_found ? gap_reason_text(gap.reason) : "no trace");
	}
}

static void put_head(struct compare_printer *p, const struct compare_difference *d)
{
	text_printf(p->out, "@@ A %llu B %llu", (unsigned long long)d->position[COMPARE_A],
	            (unsigned long long)d->position[COMPARE_B]);
	if (d->is_gap)
		put_gaps(p, d);
	text_puts(p->out, " @@\n");
}

static void print_text(struct compare_printer *p, const struct compare_difference *d)
{
	uint64_t lead = d->before < CONTEXT ? d->before : CONTEXT;
	bool goes_on =
	        p->has_last && d->before <= (uint64_t)2 * CONTEXT && !d->is_gap && !p->last.is_gap;

	if (goes_on)
		lead = d->before;
	else
		compare_print_tail(p, d->before > lead ? d->before - lead : 0);
	if (!goes_on)
		put_head(p, d);
	put_context(p, d->position[COMPARE_A] - lead, d->position[COMPARE_B] - lead, lead);
	if (d->is_pair) {
		put_pair(p, d);
		return;
	}
	put_side(p, d, COMPARE_A);
	put_side(p, d, COMPARE_B);
}

static void put_json_instruction(struct compare_printer *p, int side, uint64_t position)
{
	struct text disassembly = {0};
	struct instruction insn;

	history_at(history_of(p, side), position, &insn);
	json_item(p->out);
	json_open(p->out, '{');
	json_u64(p->out, "index", position);
	json_hex(p->out, "pc", insn.address);
	json_str(p->out, "isa", str_of(isa_name(insn.isa)));
	if (insn.has_opcode) {
		disasm_text(p->disasm, insn.address, insn.opcode, insn.size, insn.isa,
		            &disassembly);
		json_hex(p->out, "opcode", insn.opcode);
		json_str(p->out, "disassembly", text_str(&disassembly));
	}
	json_close(p->out, '}');
	text_fini(&disassembly);
}

static void put_json_side(struct compare_printer *p, const struct compare_difference *d, int side)
{
	uint64_t count = d->count[side];
	uint64_t shown = count > LINES_MOST ? LINES_SHOWN : count;

	json_key(p->out, side == COMPARE_A ? "a" : "b");
	json_open(p->out, '{');
	json_u64(p->out, "position", d->position[side]);
	json_u64(p->out, "count", count);
	json_key(p->out, "instructions");
	json_open(p->out, '[');
	for (uint64_t i = 0; i < shown; i++)
		put_json_instruction(p, side, d->position[side] + i);
	json_close(p->out, ']');
	json_close(p->out, '}');
}

static void print_json(struct compare_printer *p, const struct compare_difference *d)
{
	text_puts(p->out, p->has_last ? ",\n" : "\n");
	json_open(p->out, '{');
	json_str(p->out, "kind", str_of(kind_name(d)));
	put_json_side(p, d, COMPARE_A);
	put_json_side(p, d, COMPARE_B);
	json_key(p->out, "items");
	json_open(p->out, '[');
	for (size_t i = 0; i < d->item_count; i++) {
		const struct compare_item *item = &d->items[i];

		json_item(p->out);
		json_open(p->out, '{');
		json_str(p->out, "aspect", str_of(compare_aspect_name(item->aspect)));
		json_str(p->out, "name", item->name);
		json_str(p->out, "a", item->a);
		json_str(p->out, "b", item->b);
		json_close(p->out, '}');
	}
	json_close(p->out, ']');
	json_close(p->out, '}');
}

void compare_print_begin(struct compare_printer *p)
{
	static const char *const signs[COMPARE_SIDES] = {"---", "+++"};
	static const char *const keys[COMPARE_SIDES] = {"a", "b"};

	if (p->json)
		json_open(p->out, '{');
	for (int side = 0; side < COMPARE_SIDES; side++) {
		uint64_t length = history_length(history_of(p, side));
		struct str core = core_name(p, side);

		if (!p->json) {
			text_printf(p->out, "%s %s, core %.*s, %llu instructions\n", signs[side],
			            p->names[side], STR_ARG(core), (unsigned long long)length);
			continue;
		}
		json_key(p->out, keys[side]);
		json_open(p->out, '{');
		json_str(p->out, "name", str_of(p->names[side]));
		json_str(p->out, "core", core);
		json_u64(p->out, "instructions", length);
		json_close(p->out, '}');
	}
	if (!p->json)
		return;
	json_key(p->out, "differences");
	json_open(p->out, '[');
}

void compare_print(struct compare_printer *p, const struct compare_difference *difference)
{
	if (p->json)
		print_json(p, difference);
	else
		print_text(p, difference);
	p->last = *difference;
	p->has_last = true;
}

void compare_print_tail(struct compare_printer *p, uint64_t after)
{
	const struct compare_difference *d = &p->last;

	if (p->has_last && !p->json)
		put_context(p, d->position[COMPARE_A] + d->count[COMPARE_A],
		            d->position[COMPARE_B] + d->count[COMPARE_B],
		            after < CONTEXT ? after : CONTEXT);
}

static void summary_json(struct compare_printer *p, const struct compare_summary *s,
                         uint64_t hidden, bool is_whole)
{
	text_puts(p->out, "\n");
	json_close(p->out, ']');
	json_key(p->out, "summary");
	json_open(p->out, '{');
	json_bool(p->out, "equal", compare_is_equal(s));
	json_bool(p->out, "complete", is_whole);
	json_u64(p->out, "differences", s->pairs + s->stretches);
	json_u64(p->out, "hidden", hidden);
	json_u64(p->out, "matched", s->matched);
	json_u64(p->out, "pairs", s->pairs);
	json_u64(p->out, "stretches", s->stretches);
	json_u64(p->out, "only_a", s->only[COMPARE_A]);
	json_u64(p->out, "only_b", s->only[COMPARE_B]);
	json_u64(p->out, "gaps", s->gaps);
	json_u64(p->out, "in_gap_a", s->in_gap[COMPARE_A]);
	json_u64(p->out, "in_gap_b", s->in_gap[COMPARE_B]);
	for (unsigned int i = 0; i < COMPARE_ASPECTS; i++)
		json_u64(p->out, compare_aspect_name((enum compare_aspect)i), s->by_aspect[i]);
	json_close(p->out, '}');
	json_close(p->out, '}');
	text_char(p->out, '\n');
}

static void summary_text(struct compare_printer *p, const struct compare_summary *s,
                         uint64_t hidden)
{
	static const char *const names[COMPARE_SIDES] = {"A", "B"};

	if (hidden > 0)
		text_printf(p->out, "... %llu more differences\n", (unsigned long long)hidden);
	text_printf(p->out, "matched: %llu instructions\n", (unsigned long long)s->matched);
	for (unsigned int i = 0; i < COMPARE_ASPECTS; i++) {
		if (s->by_aspect[i] > 0)
			text_printf(p->out, "of these differ in %s: %llu\n",
			            compare_aspect_name((enum compare_aspect)i),
			            (unsigned long long)s->by_aspect[i]);
	}
	for (int side = 0; side < COMPARE_SIDES; side++) {
		if (s->only[side] > 0)
			text_printf(p->out, "only in %s: %llu instructions\n", names[side],
			            (unsigned long long)s->only[side]);
		if (s->in_gap[side] > 0)
			text_printf(p->out, "only in %s, where %s has gaps: %llu instructions\n",
			            names[side], names[1 - side],
			            (unsigned long long)s->in_gap[side]);
	}
}

void compare_print_summary(struct compare_printer *p, const struct compare_summary *summary,
                           uint64_t hidden, bool is_whole)
{
	uint64_t count = summary->pairs + summary->stretches;

	if (p->json) {
		summary_json(p, summary, hidden, is_whole);
		return;
	}
	summary_text(p, summary, hidden);
	if (compare_is_equal(summary))
		text_puts(p->out, "equal\n");
	else if (!is_whole)
		text_puts(p->out, "different; not looked further than the first difference\n");
	else
		text_printf(p->out, "different in %llu place%s\n", (unsigned long long)count,
		            count == 1 ? "" : "s");
}
