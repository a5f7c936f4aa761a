/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarmac Text Rev 3 written (ARM-EPM-041435): "ES" records and the lines after them. In: events.
 * Out: lines that follow the document, and its readers' habits where it leaves a choice:
 *   - a record without a timestamp has blanks in its place. The document has dashes there, which
 *     Arm's public tools take for an event of their own;
 *   - an exception that no instruction caused, and of which the source has no asynchronous event,
 * is a record of its own, "ES  EXC [0x280] ...";
 *   - lines of notes are kept as they are, for they have no effect.
 */
#include <string.h>

#include "replay/export/line_write.h"
#include "replay/tarmac/tarmac.h"

enum {
	CHUNK = 16, /* bytes that a memory line shows */
	WORD = 4,
	TIMESTAMP_DIGITS = 11,
};

/* Before every line of a record but the first. */
static const char indent[] = "                    ";

static void begin(struct line_writer *w)
{
	text_printf(w->out, "Tarmac Text Rev 3%s\n", w->has_timestamps ? "t" : "");
}

/* The begin of a record. Units that the document has not are kept. */
static void put_time(struct line_writer *w, const struct tarmac_event *event)
{
	if (!w->has_timestamps)
		return;
	if (!event->has_timestamp) {
		text_printf(w->out, "%*s", TIMESTAMP_DIGITS + (int)sizeof(" clk"), "");
		return;
	}
	text_printf(w->out, "%*llu %-3s ", TIMESTAMP_DIGITS, (unsigned long long)event->timestamp,
	            tarmac_unit_name(event->unit));
}

static void put_address(struct line_writer *w, uint64_t address)
{
	text_hex(w->out, address, w->is_a64 ? 16 : 8);
}

static const char *isa_letter(enum isa isa)
{
	switch (isa) {
	case ISA_A64:
		return "O";
	case ISA_T32:
		return "T";
	case ISA_TEE:
		return "E";
	case ISA_A32:
	case ISA_UNKNOWN:
	case ISA_JAZELLE:
		break;
	}
	return "A";
}

static void put_security(struct line_writer *w, enum tarmac_security security)
{
	switch (security) {
	case TARMAC_NON_SECURE:
		text_puts(w->out, "_ns");
		break;
	case TARMAC_ROOT:
		text_puts(w->out, "_rt");
		break;
	case TARMAC_REALM:
		text_puts(w->out, "_rl");
		break;
	case TARMAC_SECURITY_NOT_SAID:
	case TARMAC_SECURE:
		break;
	}
}

/* Blanks up to `column` characters after `begin`. */
static void pad(struct line_writer *w, size_t begin, size_t column)
{
	do
		text_char(w->out, ' ');
	while (!w->out->failed && w->out->length < begin + column);
}

/* 2.3.1, field 4: there are modes with a stack pointer only. M profile has none at all. */
static bool is_level(const struct line_writer *w, enum tarmac_mode mode)
{
	return !w->is_m && (mode == TARMAC_MODE_NONE || mode == TARMAC_MODE_EL1 ||
	                    mode == TARMAC_MODE_EL2 || mode == TARMAC_MODE_EL3);
}

static void put_instruction(struct line_writer *w, const struct tarmac_event *event)
{
	const struct tarmac_instruction *insn = &event->instruction;
	size_t mode;

	w->in_record = false;
	if (insn->size > 4) /* kept, in as many digits */
		line_lose(w, EXPORT_LOST_OPCODES);
	if (is_level(w, insn->mode))
		line_lose(w, EXPORT_LOST_LEVELS);
	put_time(w, event);
	text_puts(w->out, "ES  (");
	if (insn->has_address)
		put_address(w, insn->address);
	else if (insn->is_debug) /* of Armv8, and of Armv7 */
		line_put_text(w->out, insn->debug_register);
	else
		text_puts(w->out, w->is_a64 ? "----------------" : "--------");
	text_char(w->out, ':');
	if (insn->effect == TARMAC_FETCH_FAILED)
		text_puts(w->out, insn->size == 2 ? "----" : "--------");
	else
		text_hex(w->out, insn->opcode, 2U * insn->size);
	text_printf(w->out, ")%s %s ", insn->size == 2 ? "    " : "", isa_letter(insn->isa));
	mode = w->out->length;
	line_put_mode(w->out, insn);
	put_security(w, insn->security);
	text_char(w->out, ':');
	if (insn->effect == TARMAC_CCFAIL) {
		pad(w, mode, sizeof("el3h_ns: ") - 1);
		text_puts(w->out, "CCFAIL ");
	} else {
		pad(w, mode, sizeof("el3h_ns: CCFAIL ") - 1);
	}
	text_add(w->out, str_trim(insn->disassembly));
	text_char(w->out, '\n');
}

static void put_register(struct line_writer *w, const struct tarmac_register *reg)
{
	text_puts(w->out, indent);
	text_printf(w->out, "R %.*s ", STR_ARG(reg->name));
	if (reg->context.n > 0)
		text_printf(w->out, "(%.*s) ", STR_ARG(reg->context));
	line_put_register(w->out, reg->value);
	text_char(w->out, '\n');
}

static const char *access_word(const struct tarmac_memory *memory)
{
	if (memory->is_write && memory->is_exclusive_failed)
		return "SX";
	if (memory->is_aborted)
		return memory->is_write ? "SA" : "LA";
	return memory->is_write ? "ST" : "LD";
}

/* The byte at offset `at` of the value, which may lie outside of it. */
static void put_byte(struct line_writer *w, const struct tarmac_value *value, int64_t at)
{
	if (at < 0 || at >= value->size || value->touched[at] == 0)
		text_puts(w->out, "..");
	else if (value->known[at] != 0xff)
		text_puts(w->out, "##");
	else
		text_hex(w->out, value->bits[at], 2);
}

static void put_physical(struct line_writer *w, const struct tarmac_memory *memory, uint64_t chunk)
{
	static const char *const names[] = {
	        [TARMAC_SECURITY_NOT_SAID] = "", [TARMAC_SECURE] = "S:",
	        [TARMAC_NON_SECURE] = "NS:",     [TARMAC_ROOT] = "RT:",
	        [TARMAC_REALM] = "RL:",
	};
	uint64_t first = memory->address & ~(uint64_t)(CHUNK - 1);

	if (!memory->has_physical)
		return;
	text_printf(w->out, "    %s", names[memory->security]);
	text_hex(w->out, (memory->physical & ~(uint64_t)(CHUNK - 1)) + (chunk - first), 10);
	if (memory->attributes.n > 0 && memory->attributes.p[0] != '/')
		text_puts(w->out, "    ");
	text_add(w->out, memory->attributes);
}

/* The bytes that an aborted access was about, where no value says: its line's size, "MR4". */
static void make_unknown(const struct tarmac_event *event, struct tarmac_value *value)
{
	struct str word = event->word;
	uint64_t size = 0;

	while (word.n > 0 && (*word.p < '0' || *word.p > '9'))
		word = str_skip(word, 1);
	while (word.n > 0 && (word.p[word.n - 1] < '0' || word.p[word.n - 1] > '9'))
		word.n--;
	if (str_to_u64(word, &size) != STATUS_OK || size == 0 || size > CHUNK)
		size = 1;
	*value = (struct tarmac_value){.size = (uint16_t)size};
	memset(value->touched, 0xff, size);
}

/* A line for each aligned chunk that has a byte of the access. */
static void put_memory(struct line_writer *w, const struct tarmac_event *event)
{
	struct tarmac_memory memory = event->memory;
	uint64_t first = memory.address & ~(uint64_t)(CHUNK - 1);
	struct tarmac_value unknown;

	if (memory.is_fetch) { /* the instruction's own line shows it */
		line_lose(w, EXPORT_LOST_FETCHES);
		return;
	}
	/* Attributes are those of the physical address. */
	if (memory.is_privileged || memory.is_unprivileged ||
	    (memory.is_exclusive && !memory.is_exclusive_failed) ||
	    (memory.attributes.n > 0 &&
	     (!memory.has_physical || event->dialect != TARMAC_DIALECT_REV3)))
		line_lose(w, EXPORT_LOST_ATTRIBUTES);
	if (memory.value->size == 0) {
		make_unknown(event, &unknown);
		memory.value = &unknown;
	}
	if (event->dialect != TARMAC_DIALECT_REV3)
		memory.attributes.n = 0;
	for (uint64_t chunk = 0; chunk < memory.address - first + memory.value->size;
	     chunk += CHUNK) {
		text_puts(w->out, indent);
		text_printf(w->out, "%s ", access_word(&memory));
		put_address(w, first + chunk);
		for (int i = CHUNK; i-- > 0;) {
			if (i % WORD == WORD - 1)
				text_char(w->out, ' ');
			put_byte(w, memory.value,
			         (int64_t)chunk + i - (int64_t)(memory.address - first));
		}
		put_physical(w, &memory, first + chunk);
		text_char(w->out, '\n');
	}
}

/* AArch32 has no vectors above; the handler of one taken from it to AArch64 has. */
static enum core_arch arch_of(const struct line_writer *w, const struct tarmac_exception *exception)
{
	enum { A32_VECTORS = 0x20 };

	if (w->is_m)
		return CORE_M;
	return w->is_a64 || exception->vector >= A32_VECTORS ? CORE_A64 : CORE_A32;
}

/* Taken between instructions, so it is a record of its own. */
static bool is_asynchronous(const struct line_writer *w, const struct tarmac_event *event)
{
	const struct tarmac_exception *exception = &event->exception;
	const struct exception_vector *row;

	if (event->dialect == TARMAC_DIALECT_REV3)
		return exception->is_record;
	if (!exception->has_vector)
		return true;
	row = exception_vector_find(arch_of(w, exception), exception->vector);
	return row && !exception_is_synchronous(row->kind);
}

/* "Reset" and "Debug Halt Mode Entry" have no vector in AArch64, the latter nowhere. */
static bool needs_vector(const struct tarmac_exception *exception)
{
	return !str_eq_nocase(exception->name, STR("Reset")) &&
	       !str_eq_nocase(exception->name, STR("Debug Halt Mode Entry"));
}

static void put_exception(struct line_writer *w, const struct tarmac_event *event)
{
	const struct tarmac_exception *exception = &event->exception;

	if (!w->in_record && is_asynchronous(w, event)) {
		put_time(w, event);
		text_puts(w->out, "ES  ");
	} else {
		text_puts(w->out, indent);
	}
	w->in_record = false;
	text_puts(w->out, "EXC ");
	if (exception->has_vector && (w->is_m || exception->vector < 0))
		text_printf(w->out, "[%lld] ", (long long)exception->vector);
	else if (exception->has_vector)
		text_printf(w->out, "[0x%0*llx] ", arch_of(w, exception) == CORE_A64 ? 3 : 2,
		            (unsigned long long)exception->vector);
	else if (needs_vector(exception))
		line_lose(w, EXPORT_LOST_VECTORS);
	line_put_text(w->out, exception->name);
	text_char(w->out, '\n');
}

/* 2.3.2: a record; what it leads to is a line of it. */
static void put_async(struct line_writer *w, const struct tarmac_event *event)
{
	put_time(w, event);
	text_puts(w->out, "ES  ");
	line_put_text(w->out, event->exception.name);
	text_char(w->out, '\n');
	w->in_record = true;
}

static void put_branch(struct line_writer *w, const struct tarmac_branch *branch)
{
	text_puts(w->out, indent);
	text_puts(w->out, "BR (");
	text_hex(w->out, branch->target, branch->isa == ISA_A64 ? 16 : 8);
	text_printf(w->out, ") %s\n", isa_letter(branch->isa));
}

/* Operations and notes, as they are. */
static void put_other(struct line_writer *w, const struct tarmac_event *event)
{
	size_t before = (size_t)(event->word.p - event->text.p);

	text_puts(w->out, indent);
	line_put_text(w->out, str_skip(event->text, before));
	text_char(w->out, '\n');
}

static void put_gap(struct line_writer *w, const struct gap *gap)
{
	text_puts(w->out, indent);
	tarmac_gap_write(gap, w->out);
	text_char(w->out, '\n');
}

/* A malformed line may have hidden an effect, unless it is of no kind that is known. */
static void put_unknown(struct line_writer *w, struct str word)
{
	line_lose(w, EXPORT_LOST_MALFORMED);
	if (line_hides_effect(word))
		put_gap(w, &(struct gap){.reason = GAP_BAD_PACKET});
}

static void put_event(struct line_writer *w, const struct tarmac_event *event)
{
	switch (event->kind) {
	case TARMAC_INSTRUCTION:
		put_instruction(w, event);
		break;
	case TARMAC_REGISTER:
		put_register(w, &event->reg);
		break;
	case TARMAC_MEMORY:
		put_memory(w, event);
		break;
	case TARMAC_EXCEPTION:
		put_exception(w, event);
		break;
	case TARMAC_ASYNC:
		put_async(w, event);
		break;
	case TARMAC_BRANCH:
		put_branch(w, &event->branch);
		break;
	case TARMAC_UNKNOWN:
		put_unknown(w, event->word);
		break;
	case TARMAC_OPERATION:
	case TARMAC_NOTE:
		put_other(w, event);
		break;
	case TARMAC_HEADER:
		break;
	}
}

const struct line_style rev3_style = {.begin = begin, .event = put_event, .gap = put_gap};
