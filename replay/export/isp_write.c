/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ISP RAS trace format written: records of instructions, accesses to memory and writes of
 * registers, each a line with its time. In: events. Out: lines. Nothing else has a record there:
 * exceptions, branches and gaps are not written, but counted, and so is what stands in a line as
 * the format does not have it. The index of an instruction is that of the text, if it has one. Only
 * an instruction's record says its core; the others are of the instruction before them.
 */

#include "replay/export/line_write.h"

enum { ACCESS_MOST = 8 }; /* bytes */

static void begin(struct line_writer *w)
{
	(void)w;
}

/* "clk" is the index of the instruction, so that is the time where the trace has none. */
static void put_time(struct line_writer *w, const struct tarmac_event *event)
{
	uint64_t time = event->has_timestamp ? event->timestamp : w->position + 1;
	bool has_unit = event->has_timestamp && event->unit != TARMAC_UNIT_NONE;

	text_decimal(w->out, time);
	text_printf(w->out, " %s ", has_unit ? tarmac_unit_name(event->unit) : "clk");
}

static const char *isa_letter(enum isa isa)
{
	if (isa == ISA_A64)
		return "X";
	return isa == ISA_T32 || isa == ISA_TEE ? "T" : "A";
}

static const char *security_suffix(enum tarmac_security security)
{
	switch (security) {
	case TARMAC_SECURE:
		return "_s";
	case TARMAC_NON_SECURE:
		return "_ns";
	case TARMAC_ROOT:
		return "_rt";
	case TARMAC_REALM:
		return "_rl";
	case TARMAC_SECURITY_NOT_SAID:
		break;
	}
	return "";
}

/* Modes of AArch64 have names of their own there; the format's security states are two. */
static bool has_mode(const struct tarmac_instruction *insn)
{
	return insn->mode != TARMAC_MODE_NONE && insn->security != TARMAC_ROOT &&
	       insn->security != TARMAC_REALM;
}

/* True for a mode that the format's list has not; it is written all the same. */
static bool is_other_mode(enum tarmac_mode mode)
{
	static const bool listed[] = {
	        [TARMAC_MODE_USR] = true, [TARMAC_MODE_FIQ] = true, [TARMAC_MODE_IRQ] = true,
	        [TARMAC_MODE_SVC] = true, [TARMAC_MODE_MON] = true, [TARMAC_MODE_ABT] = true,
	        [TARMAC_MODE_UND] = true, [TARMAC_MODE_SYS] = true,
	};

	return mode != TARMAC_MODE_NONE && (mode >= sizeof(listed) || !listed[mode]);
}

static void put_instruction(struct line_writer *w, const struct tarmac_event *event)
{
	const struct tarmac_instruction *insn = &event->instruction;
	uint64_t index = insn->has_index ? insn->index : w->position + 1;

	if (!insn->has_address) {
		line_lose(w, insn->is_debug ? EXPORT_LOST_DEBUG : EXPORT_LOST_GAPS);
		return;
	}
	w->has_begun = true;
	if (!has_mode(insn))
		line_lose(w, EXPORT_LOST_MODES);
	if (is_other_mode(insn->mode))
		line_lose(w, EXPORT_LOST_OTHER_MODES);
	if (insn->effect == TARMAC_FETCH_FAILED)
		line_lose(w, EXPORT_LOST_UNFETCHED);
	if (insn->has_physical)
		line_lose(w, EXPORT_LOST_PHYSICAL);
	put_time(w, event);
	text_printf(w->out, "%u %s (%llu) ", w->core, insn->effect == TARMAC_CCFAIL ? "IS" : "IT",
	            (unsigned long long)index);
	text_hex(w->out, insn->address, w->is_a64 ? 16 : 8);
	text_char(w->out, ' ');
	if (insn->effect == TARMAC_FETCH_FAILED)
		text_puts(w->out, insn->size == 2 ? "----" : "--------");
	else
		text_hex(w->out, insn->opcode, 2U * insn->size);
	text_printf(w->out, " %s ", isa_letter(insn->isa));
	line_put_mode(w->out, insn);
	text_printf(w->out, "%s : ", security_suffix(insn->security));
	text_add(w->out, str_trim(insn->disassembly));
	text_char(w->out, '\n');
}

static void put_lower(struct text *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		text_char(out, str_lower(s.p[i]));
}

/* The bank, which other dialects have in parentheses, is a part of the name. */
static void put_register(struct line_writer *w, const struct tarmac_event *event)
{
	const struct tarmac_register *reg = &event->reg;

	/* It would be of whichever core has the record before. */
	if (!w->has_begun && w->is_after) {
		line_lose(w, EXPORT_LOST_INITIAL);
		return;
	}
	if (line_has_holes(reg->value))
		line_lose(w, EXPORT_LOST_VALUES);
	put_time(w, event);
	text_puts(w->out, "R ");
	put_lower(w->out, reg->name);
	if (reg->context.n > 0 && reg->bank != TARMAC_MODE_NONE)
		text_printf(w->out, "_%s", tarmac_mode_name(reg->bank));
	text_char(w->out, ' ');
	line_put_register(w->out, reg->value);
	text_char(w->out, '\n');
}

/* A record of `count` bytes from `at` on, a power of two. */
static void put_piece(struct line_writer *w, const struct tarmac_event *event, unsigned int at,
                      unsigned int count, bool is_known)
{
	const struct tarmac_memory *memory = &event->memory;

	put_time(w, event);
	text_printf(w->out, "M%c%u", memory->is_write ? 'W' : 'R', count);
	if (memory->is_privileged)
		text_char(w->out, 'X');
	else if (memory->is_unprivileged)
		text_char(w->out, 'T');
	text_char(w->out, ' ');
	text_hex(w->out, memory->address + at, w->is_a64 ? 16 : 8);
	text_char(w->out, ' ');
	for (unsigned int i = count; i-- > 0;) {
		if (is_known)
			text_hex(w->out, memory->value->bits[at + i], 2);
		else
			text_puts(w->out, "xx");
	}
	text_char(w->out, '\n');
}

static void put_memory(struct line_writer *w, const struct tarmac_event *event)
{
	const struct tarmac_memory *memory = &event->memory;
	unsigned int at = 0;
	bool has_holes = false;

	if (memory->is_fetch || memory->is_aborted || memory->is_exclusive_failed) {
		line_lose(w, memory->is_fetch ? EXPORT_LOST_FETCHES : EXPORT_LOST_ACCESSES);
		return;
	}
	if (memory->has_physical)
		line_lose(w, EXPORT_LOST_PHYSICAL);
	if (memory->is_exclusive || memory->attributes.n > 0)
		line_lose(w, EXPORT_LOST_ATTRIBUTES);
	while (at < memory->value->size) {
		bool is_known = false;
		unsigned int count = line_known_bytes(memory->value, at, ACCESS_MOST, &is_known);
		unsigned int piece = ACCESS_MOST;

		while (piece > count)
			piece /= 2;
		if (piece > 0)
			put_piece(w, event, at, piece, is_known);
		has_holes |= piece > 0 && !is_known;
		at += piece > 0 ? piece : 1;
	}
	if (has_holes)
		line_lose(w, EXPORT_LOST_VALUES);
}

static void put_event(struct line_writer *w, const struct tarmac_event *event)
{
	static const enum export_loss losses[] = {
	        [TARMAC_EXCEPTION] = EXPORT_LOST_EXCEPTIONS,
	        [TARMAC_ASYNC] = EXPORT_LOST_ASYNC,
	        [TARMAC_BRANCH] = EXPORT_LOST_BRANCHES,
	        [TARMAC_OPERATION] = EXPORT_LOST_NOTES,
	        [TARMAC_NOTE] = EXPORT_LOST_NOTES,
	        [TARMAC_UNKNOWN] = EXPORT_LOST_MALFORMED,
	};

	if (event->kind == TARMAC_INSTRUCTION)
		put_instruction(w, event);
	else if (event->kind == TARMAC_REGISTER)
		put_register(w, event);
	else if (event->kind == TARMAC_MEMORY)
		put_memory(w, event);
	else if (event->kind != TARMAC_HEADER)
		line_lose(w, losses[event->kind]);
}

static void put_gap(struct line_writer *w, const struct gap *gap)
{
	(void)gap;
	line_lose(w, EXPORT_LOST_GAPS);
}

const struct line_style isp_style = {.begin = begin, .event = put_event, .gap = put_gap};
