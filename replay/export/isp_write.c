/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ISP RAS trace format written: records of instructions, accesses to memory and writes of
 * registers, each a line with its time. In: events. Out: lines. Nothing else has a record there:
 * exceptions and branches are not written, but counted, and so is what stands in a line as the
 * format does not have it. Three such things are written all the same, as readers of Fast Models'
 * lines know them, since a text without them would say what is not so: gaps, those too that the
 * line of a branch shows; physical addresses with operations on translations, where addresses alone
 * are not one space; and the core of a line whose core is not that of the line before. The index of
 * an instruction is that of the text, if it has one.
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

/* The begin of a line that is no instruction's: only these have a core in the format. */
static void put_begin(struct line_writer *w, const struct tarmac_event *event)
{
	put_time(w, event);
	if (!w->is_elsewhere)
		return;
	line_lose(w, EXPORT_LOST_CORES);
	text_printf(w->out, "%u ", w->core);
	w->is_elsewhere = false;
}

static void put_physical(struct line_writer *w, char before, uint64_t address,
                         enum tarmac_security security)
{
	static const char *const names[] = {
	        [TARMAC_SECURITY_NOT_SAID] = "", [TARMAC_SECURE] = "_S",
	        [TARMAC_NON_SECURE] = "_NS",     [TARMAC_ROOT] = "_RT",
	        [TARMAC_REALM] = "_RL",
	};

	line_lose(w, EXPORT_LOST_PHYSICAL);
	if (!w->has_places)
		return;
	text_char(w->out, before);
	text_hex(w->out, address, 12);
	text_puts(w->out, names[security]);
}

static void put_gap(struct line_writer *w, const struct gap *gap)
{
	w->has_target = false;
	line_lose(w, EXPORT_LOST_GAPS);
	put_begin(w, &(struct tarmac_event){.kind = TARMAC_NOTE});
	tarmac_gap_write(gap, w->out);
	text_char(w->out, '\n');
}

/*
 * An instruction that is elsewhere than the branch before it leads: lines are missing, which a
 * reader of the branch's line would see (tarmac_pass.c: after a reset a simulator may set the PC).
 */
static void check_target(struct line_writer *w, uint64_t address)
{
	if (w->has_target && w->target != address)
		put_gap(w, &(struct gap){.reason = GAP_BAD_PACKET});
	w->has_target = false;
	w->is_reset = false;
}

static void note_branch(struct line_writer *w, const struct tarmac_event *event)
{
	line_lose(w, EXPORT_LOST_BRANCHES);
	w->has_target = !w->is_reset;
	w->target = event->branch.target;
}

static void note_exception(struct line_writer *w, const struct tarmac_event *event)
{
	line_lose(w, EXPORT_LOST_EXCEPTIONS);
	w->has_target = false;
	w->is_reset = tarmac_exception_is_reset(&event->exception);
}

/* A note has no effect, unless it is a gap of the history that the text was written of. */
static void put_note(struct line_writer *w, const struct tarmac_event *event)
{
	struct gap gap;

	if (tarmac_gap_read(event, &gap))
		put_gap(w, &gap);
	else
		line_lose(w, EXPORT_LOST_NOTES);
}

/* A malformed line may have been an instruction, or not: a branch before it is still to be kept to.
 */
static void put_unknown(struct line_writer *w, const struct tarmac_event *event)
{
	bool has_target = w->has_target;

	line_lose(w, EXPORT_LOST_MALFORMED);
	if (line_hides_effect(event->word))
		put_gap(w, &(struct gap){.reason = GAP_BAD_PACKET});
	w->has_target = has_target;
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

	if (insn->is_debug) {
		line_lose(w, EXPORT_LOST_DEBUG);
		return;
	}
	if (!insn->has_address) {
		put_gap(w, &(struct gap){.reason = GAP_BAD_PACKET});
		return;
	}
	check_target(w, insn->address);
	if (!has_mode(insn))
		line_lose(w, EXPORT_LOST_MODES);
	if (is_other_mode(insn->mode))
		line_lose(w, EXPORT_LOST_OTHER_MODES);
	if (insn->effect == TARMAC_FETCH_FAILED)
		line_lose(w, EXPORT_LOST_UNFETCHED);
	put_time(w, event);
	w->is_elsewhere = false;
	text_printf(w->out, "%u %s (%llu) ", w->core, insn->effect == TARMAC_CCFAIL ? "IS" : "IT",
	            (unsigned long long)index);
	text_hex(w->out, insn->address, w->is_a64 ? 16 : 8);
	if (insn->has_physical)
		put_physical(w, ':', insn->physical, insn->physical_security);
	if (insn->has_second)
		put_physical(w, ',', insn->second, insn->physical_security);
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

	if (line_has_holes(reg->value))
		line_lose(w, EXPORT_LOST_VALUES);
	put_begin(w, event);
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

	put_begin(w, event);
	text_printf(w->out, "M%c%u", memory->is_write ? 'W' : 'R', count);
	if (memory->is_privileged)
		text_char(w->out, 'X');
	else if (memory->is_unprivileged)
		text_char(w->out, 'T');
	text_char(w->out, ' ');
	text_hex(w->out, memory->address + at, w->is_a64 ? 16 : 8);
	if (memory->has_physical)
		put_physical(w, ':', memory->physical + at, memory->security);
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

/* An operation as it is, beside physical addresses: it may end what lines say of translations. */
static void put_operation(struct line_writer *w, const struct tarmac_event *event)
{
	line_lose(w, EXPORT_LOST_NOTES);
	if (!w->has_places)
		return;
	put_begin(w, event);
	line_put_text(w->out, str_skip(event->text, (size_t)(event->word.p - event->text.p)));
	text_char(w->out, '\n');
}

static void put_event(struct line_writer *w, const struct tarmac_event *event)
{
	switch (event->kind) {
	case TARMAC_INSTRUCTION:
		put_instruction(w, event);
		break;
	case TARMAC_REGISTER:
		put_register(w, event);
		break;
	case TARMAC_MEMORY:
		put_memory(w, event);
		break;
	case TARMAC_OPERATION:
		put_operation(w, event);
		break;
	case TARMAC_UNKNOWN:
		put_unknown(w, event);
		break;
	case TARMAC_EXCEPTION:
		note_exception(w, event);
		break;
	case TARMAC_ASYNC:
		line_lose(w, EXPORT_LOST_ASYNC);
		break;
	case TARMAC_BRANCH:
		note_branch(w, event);
		break;
	case TARMAC_NOTE:
		put_note(w, event);
		break;
	case TARMAC_HEADER:
		break;
	}
}

const struct line_style isp_style = {.begin = begin, .event = put_event, .gap = put_gap};
