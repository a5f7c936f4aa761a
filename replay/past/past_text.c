/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as text; see past_text.h. */
#include "replay/past/past_text.h"

#include <inttypes.h>

void past_register_text(const struct past_names *names, unsigned int reg, struct text *out)
{
	if (reg == REG_COUNT)
		text_puts(out, "pc");
	else
		register_slot_name(history_core(names->history)->arch, reg, out);
}

void past_value_text(unsigned int reg, const struct past_value *value, struct text *out)
{
	struct bits b = value->bits;
	uint64_t all = bits_mask(value->width);

	if (reg == REG_NZCV) {
		b = bits_flags_packed(&b);
		all = 15;
	}
	if ((b.known & all) == 0) {
		text_puts(out, "not known");
		return;
	}
	text_printf(out, "0x%" PRIx64, b.value & b.known & all);
	if ((~b.known & all) != 0)
		text_printf(out, " in the bits 0x%" PRIx64, b.known & all);
	if (value->is_assumed)
		text_puts(out, " (assumed)");
}

void past_code_text(const struct past_names *names, const struct past_code *code, struct text *out)
{
	struct source_line line;

	symbols_format(names->symbols, code->pc, out);
	if (source_lines_find(names->lines, code->pc, &line))
		text_printf(out, "  %s:%d", line.file, line.line);
	if (!names->disasm)
		return;
	text_puts(out, "  ");
	disasm_text(names->disasm, code->pc, code->opcode, code->size, (enum isa)code->isa, out);
}

void past_device_text(const struct past_names *names, const struct past_subject *subject,
                      struct text *out)
{
	if (subject->is_memory &&
	    memmap_before_device(history_memory(names->history), subject->address, subject->size) <
	            subject->size)
		text_printf(out,
		            "0x%" PRIx64 " is in the memory of a device, which may have written it "
		            "between these, too (--device)",
		            subject->address);
}

static void write_bytes(const struct origin_step *s, struct text *out)
{
	text_printf(out, "%" PRIu64 " byte%s", s->size, s->size == 1 ? "" : "s");
	if (s->is_somewhere)
		text_puts(out, " somewhere in it");
	else
		text_printf(out, " at 0x%" PRIx64, s->address);
}

/* "stored 0x5 in the 8 bytes at 0x41f0a8" */
static void write_result(const struct past_names *names, const struct origin_step *s,
                         struct text *out)
{
	if (s->is_memory) {
		text_puts(out, "stored ");
		past_value_text(REG_COUNT, &s->value, out);
		text_puts(out, ", ");
		write_bytes(s, out);
		return;
	}
	past_register_text(names, s->reg, out);
	text_puts(out, " = ");
	past_value_text(s->reg, &s->value, out);
	if (s->kind == ORIGIN_LOAD) {
		text_puts(out, ", loaded from ");
		write_bytes(s, out);
	}
}

static void write_sources(const struct past_names *names, const struct origin_step *s,
                          struct text *out)
{
	for (unsigned int i = 0; i < s->source_count; i++) {
		text_puts(out, i == 0 ? ": " : ", ");
		past_register_text(names, s->sources[i].reg, out);
		text_puts(out, " = ");
		past_value_text(s->sources[i].reg, &s->sources[i].value, out);
	}
}

static void write_instruction(const struct past_names *names, const struct origin_step *s,
                              struct text *out)
{
	past_code_text(names, &s->code, out);
	text_puts(out, ": ");
	if (s->kind == ORIGIN_CANDIDATES)
		write_bytes(s, out);
	else
		write_result(names, s, out);
}

/* What of the step is no proof. */
static void write_doubt(const struct origin_step *s, struct text *out)
{
	if (s->kind == ORIGIN_CANDIDATES)
		text_printf(out, ": this is the youngest of %s%" PRIu64,
		            s->possible >= PAST_WRITES_COUNTED ? "at least " : "", s->possible);
	else if (s->is_candidate)
		text_puts(out, "; possible: its address is not known, but no other write can have "
		               "left what is found");
	else if (s->possible > 0)
		text_printf(out, "; possible: %" PRIu64 " younger write%s may have been to it",
		            s->possible, s->possible == 1 ? "" : "s");
}

static void write_core(const struct history *history, struct text *out)
{
	text_printf(out, "%.*s ", STR_ARG(history_core(history)->device->name));
}

static void write_meanwhile(uint64_t first, uint64_t last, struct text *out)
{
	text_printf(out, "; this core was at %" PRIu64 " to %" PRIu64 " then", first, last);
}

void origin_step_text(const struct past_names *names, const struct origin_step *s, struct text *out)
{
	if (s->other)
		write_core(s->other, out);
	text_printf(out, "%" PRIu64 "  ", s->position);
	if (s->code.is_there) {
		write_instruction(names, s, out);
		if (origin_is_end(s->kind))
			text_printf(out, ": %s", origin_text(s->kind));
		write_sources(names, s, out);
	} else if (s->size > 0) {
		write_bytes(s, out);
		text_printf(out, ": %s", origin_text(s->kind));
	} else {
		past_register_text(names, s->reg, out);
		text_printf(out, ": %s", origin_text(s->kind));
	}
	if (s->is_part)
		text_puts(out, "; the other bytes are of other writes");
	if (s->repeats > 0)
		text_printf(out, "; in a loop, %" PRIu64 " time%s before it, the first at %" PRIu64,
		            s->repeats, s->repeats == 1 ? "" : "s", s->oldest);
	if (s->other)
		write_meanwhile(s->other_first, s->other_last, out);
	if (s->other && s->is_possible)
		text_puts(out, "; possible: other writes may be younger");
	write_doubt(s, out);
}

void origin_format(const struct past_names *names, const struct origin *origin, struct text *out)
{
	for (size_t i = 0; i < origin->count; i++) {
		text_printf(out, "#%-3zu ", i + 1);
		origin_step_text(names, &origin->steps[i], out);
		text_char(out, '\n');
	}
}

static void write_access(const struct past_names *names, const struct past_accesses *found,
                         const struct past_access *access, struct text *out)
{
	bool is_placed = access->verdict == PAST_PROVED || access->verdict == PAST_ASSUMED;
	struct gap gap;

	text_printf(out, "%" PRIu64, access->position);
	if (access->verdict == PAST_BLIND) {
		text_printf(out, " to %" PRIu64 "  nothing is known of what was %s here",
		            access->last, "written or read");
		return;
	}
	text_puts(out, "  ");
	if (access->code.is_there)
		past_code_text(names, &access->code, out);
	else if (history_gap_at(names->history, access->position + 1, &gap))
		gap_format(&gap, out);
	else
		text_puts(out, "a system call, an exception or the like after it");
	text_printf(out, ": %s", access->is_write ? "write" : "read");
	if (!is_placed && access->is_write && found->reg == REG_COUNT)
		text_puts(out, " of what is ");
	else
		text_puts(out, access->is_write ? ", after it " : " of ");
	past_value_text(found->reg, &access->value, out);
	if (access->verdict == PAST_POSSIBLE)
		text_puts(out, found->reg == REG_COUNT
		                       ? "; possible: its address is not known"
		                       : "; possible: whether it was done is not known");
	else if (access->verdict == PAST_ASSUMED)
		text_puts(out, "; its address is assumed");
}

void past_accesses_format(const struct past_names *names, const struct past_accesses *found,
                          struct text *out)
{
	for (size_t i = 0; i < found->count; i++) {
		text_printf(out, "#%-3zu ", i + 1);
		write_access(names, found, &found->all[i], out);
		text_char(out, '\n');
	}
}

static void write_other(const struct past_names *names, const struct other_writer *writer,
                        struct text *out)
{
	write_core(writer->history, out);
	text_printf(out, "%" PRIu64 "  ", writer->store.position);
	past_code_text(names, &writer->code, out);
	text_puts(out, ": write of ");
	past_value_text(REG_COUNT, &writer->value, out);
	write_meanwhile(writer->store.first, writer->store.last, out);
	text_char(out, '\n');
}

const char *past_others_doubt(const struct other_writers *found)
{
	if (found->is_unknown)
		return "other cores may have written it: their traces do not say what they did all "
		       "that time";
	if (found->is_open)
		return "other cores executed stores of unknown address meanwhile, which may have "
		       "written it";
	return NULL;
}

void past_others_format(const struct past_names *names, const struct other_writers *found,
                        struct text *out)
{
	const char *doubt = past_others_doubt(found);

	if (found->count > 0)
		text_puts(out, "other cores wrote it, too:\n");
	for (size_t i = 0; i < found->count; i++)
		write_other(names, &found->all[i], out);
	if (found->is_cut)
		text_puts(out, "(and older)\n");
	if (doubt)
		text_printf(out, "(%s)\n", doubt);
}

void past_stretches_format(const struct past_stretches *found, struct text *out)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct past_stretch *s = &found->all[i];

		text_printf(out, "#%-3zu %" PRIu64 " to %" PRIu64 "  ", i + 1, s->first, s->last);
		past_value_text(found->reg, &s->value, out);
		text_char(out, '\n');
	}
}
