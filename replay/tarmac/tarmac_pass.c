/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of one core of a Tarmac text to runs and log entries; see tarmac_pass.h. A run ends where
 * a trace decoder would end it: at a branch, an exception, or where the next address is another. It
 * is given to the history when it is known how its last instruction went.
 */
#include "replay/tarmac/tarmac_pass.h"

#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "base/vec.h"
#include "replay/tarmac/pass_parts.h"
#include "replay/tarmac/tarmac_gap.h"

enum { RUN_MOST = 1 << 16 }; /* instructions */

enum core_arch tarmac_arch_of(const struct tarmac_instruction *insn)
{
	if (insn->mode == TARMAC_MODE_THREAD || insn->mode == TARMAC_MODE_HANDLER)
		return CORE_M;
	return insn->isa == ISA_A64 ? CORE_A64 : CORE_A32;
}

enum status tarmac_pass_init(struct tarmac_pass *p, struct tarmac_core *core, enum core_arch arch)
{
	*p = (struct tarmac_pass){.core = core, .context = {.arch = arch}};
	core->arch = arch;
	p->space = tarmac_space_regime(core->index, tarmac_regime_of(&p->context));
	p->stand_in.memory = memmap_create();
	p->graph = graph_create();
	if (!p->stand_in.memory || !p->graph)
		return STATUS_NO_MEM;
	TRY(memmap_freeze(p->stand_in.memory));
	p->part = part_create(&p->stand_in, p->graph);
	return p->part ? STATUS_OK : STATUS_NO_MEM;
}

void tarmac_pass_fini(struct tarmac_pass *p)
{
	part_destroy(p->part);
	graph_destroy(p->graph);
	memmap_destroy(p->stand_in.memory);
	free(p->asides);
	free(p->blocks);
	*p = (struct tarmac_pass){0};
}

/* Runs. */

/* How the last instruction went; `next` is where execution went on, if that is known. */
static bool was_executed(const struct tarmac_run *run, const uint64_t *next)
{
	if (run->is_failed)
		return false;
	if (!pass_is_branch(run) || run->must_be_taken || run->branched)
		return true;
	if (run->was_left)
		return run->has_left_at && run->left_at != run->end;
	return next && *next != run->end;
}

/* Gives the run to the history. */
static enum status add_run(struct tarmac_pass *p, const uint64_t *next)
{
	struct tarmac_run *run = &p->run;
	struct decoded decoded = {.is_drained = true};
	struct element *e = &decoded.element;
	bool executed = was_executed(run, next);

	if (run->count == 0)
		return STATUS_OK;
	e->type = ELEMENT_INSTR_RANGE;
	e->isa = run->isa;
	e->offset = run->line;
	e->range.start = run->start;
	e->range.end = run->end;
	e->range.count = run->count;
	e->range.last_size = run->last.size;
	e->range.last_class = run->last.class;
	e->range.last_subclass = run->last.subclass;
	e->range.last_executed = executed;
	e->range.last_conditional = run->last.is_conditional;
	run->count = 0;
	TRY(part_add(p->part, &decoded));
	/* The text is complete: execution that does not follow from its code is no gap. */
	if (run->was_left || !next || (*next != run->end && !(executed && pass_is_branch(run))))
		part_break(p->part);
	return STATUS_OK;
}

/* The run, and what stands after it. */
static enum status flush_run(struct tarmac_pass *p, const uint64_t *next)
{
	TRY(add_run(p, next));
	for (size_t i = 0; i < p->aside_count; i++) {
		struct decoded decoded = {.is_drained = true};

		decoded.element.type = ELEMENT_CUSTOM;
		decoded.element.offset = p->asides[i].offset;
		decoded.element.custom = p->asides[i].text;
		TRY(part_add(p->part, &decoded));
	}
	p->aside_count = 0;
	return STATUS_OK;
}

static enum status add_aside(struct tarmac_pass *p, const struct tarmac_event *event,
                             struct str text)
{
	TRY(vec_reserve((void **)&p->asides, &p->aside_capacity, p->aside_count + 1,
	                sizeof(*p->asides)));
	p->asides[p->aside_count++] =
	        (struct tarmac_aside){text, event->offset, event->kind == TARMAC_ASYNC};
	return STATUS_OK;
}

/* An instruction of Debug state: it is in no memory, so it is no part of the program's flow. */
static enum status add_debug(struct tarmac_pass *p, const struct tarmac_event *event)
{
	size_t begin = (size_t)(event->word.p - event->text.p);

	return add_aside(p, event, str_trim(str_skip(event->text, begin)));
}

/* A core that is in AArch64 state at any time has its registers. */
static void note_arch(struct tarmac_core *core, enum core_arch arch)
{
	if (core->length == 0 || arch == CORE_M || (arch == CORE_A64 && core->arch == CORE_A32))
		core->arch = arch;
}

/* The mode that the line says, and the state that its instruction set is of. */
static enum status note_mode(struct tarmac_pass *p, const struct tarmac_event *event)
{
	const struct tarmac_instruction *insn = &event->instruction;
	struct tarmac_context context = p->context;

	TRY(pass_check_psr(p, insn));
	/* Where the line does not say one it is that of CPSR. */
	if (insn->mode == TARMAC_MODE_NONE && insn->mode_text.n > 0)
		context.mode = pass_mode_now(p);
	if (insn->mode != TARMAC_MODE_NONE)
		context.mode = insn->mode;
	if (insn->mode_text.n > 0)
		context.security = insn->security;
	if (insn->mode != TARMAC_MODE_NONE && event->dialect == TARMAC_DIALECT_REV3 &&
	    insn->security == TARMAC_SECURITY_NOT_SAID)
		context.security = TARMAC_SECURE;
	context.arch = tarmac_arch_of(insn);
	note_arch(p->core, context.arch);
	TRY(pass_set_context(p, &context, 2 * p->core->length + 2));
	p->space = tarmac_space_regime(p->core->index, p->context.regime);
	return STATUS_OK;
}

/* An opcode of 64 bits is data to the memory map; one that was not fetched is none. */
static enum status note_odd(struct tarmac_pass *p, const struct tarmac_instruction *line,
                            struct tarmac_tick *tick)
{
	struct tarmac_core *core = p->core;
	bool is_fetched = line->effect != TARMAC_FETCH_FAILED;
	bool is_changed;

	TRY(vec_reserve((void **)&core->odd, &core->odd_capacity, core->odd_count + 1,
	                sizeof(*core->odd)));
	core->odd[core->odd_count++] = (struct tarmac_odd){core->length, line->opcode,
	                                                   is_fetched ? line->size : (uint8_t)0};
	return is_fetched ? pass_code(p, line, tick, &is_changed) : STATUS_OK;
}

static void extend_run(struct tarmac_pass *p, const struct tarmac_event *event, unsigned int size,
                       const struct insn *insn)
{
	const struct tarmac_instruction *line = &event->instruction;
	struct tarmac_run *run = &p->run;

	if (run->count == 0)
		*run = (struct tarmac_run){.start = line->address, .line = event->offset};
	run->end = line->address + size;
	run->isa = line->isa;
	run->count++;
	run->last = *insn;
	run->opcode = line->opcode;
	run->has_loaded = false;
	run->is_failed = line->effect == TARMAC_CCFAIL;
	run->must_be_taken = insn_must_branch(line->isa, (uint32_t)line->opcode, insn);
	run->is_over = pass_is_branch(run) || run->is_failed ||
	               line->effect == TARMAC_FETCH_FAILED || line->size > LONGEST_OPCODE ||
	               run->count == RUN_MOST;
}

/* Lines are missing here, and with them what they did; to memory up to `time`. */
static enum status lose_lines(struct tarmac_pass *p, struct gap gap, struct word_log *memory,
                              uint64_t time)
{
	p->target.is_said = false;
	TRY(flush_run(p, NULL));
	TRY(part_add_gap(p->part, gap));
	TRY(pass_lose_registers(p));
	return word_log_lose(memory, time);
}

/* The instruction has to be where the branch before it leads. */
static enum status check_target(struct tarmac_pass *p, const struct tarmac_event *event,
                                struct tarmac_tick *tick)
{
	bool is_there = !p->target.is_said || p->target.address == event->instruction.address;

	p->is_reset = false;
	if (!is_there && p->astray++ == 0) {
		p->first_astray = event->line;
		p->astray_at = event->instruction.address;
		p->astray_target = p->target.address;
	}
	p->target.is_said = false;
	if (is_there)
		return STATUS_OK;
	/* Before what the instruction itself reads. */
	return lose_lines(p, (struct gap){.reason = GAP_BAD_PACKET, .offset = event->offset},
	                  tick->memory, 2 * tick->clock - 1);
}

static enum status add_instruction(struct tarmac_pass *p, const struct tarmac_event *event,
                                   struct tarmac_tick *tick)
{
	static const struct insn_options options = {0};
	const struct tarmac_instruction *line = &event->instruction;
	struct tarmac_run *run = &p->run;
	bool has_opcode = line->effect != TARMAC_FETCH_FAILED &&
	                  (line->size == SHORTEST_OPCODE || line->size == LONGEST_OPCODE);
	unsigned int size = line->size == SHORTEST_OPCODE ? SHORTEST_OPCODE : LONGEST_OPCODE;
	struct insn insn = {.size = (uint8_t)size};
	bool is_changed = false;

	TRY(check_target(p, event, tick));
	TRY(note_mode(p, event));
	if (has_opcode) {
		(void)insn_classify(line->isa, (uint32_t)line->opcode, line->address, &options,
		                    &insn);
		insn.size = (uint8_t)size;
		TRY(pass_code(p, line, tick, &is_changed));
	} else {
		TRY(note_odd(p, line, tick));
	}
	if (run->is_over || run->was_left || p->aside_count > 0 || line->address != run->end ||
	    line->isa != run->isa || is_changed)
		TRY(flush_run(p, &line->address));
	extend_run(p, event, size, &insn);
	/* Sizes inside a run are read from memory, which holds other bytes than ran here. */
	run->is_over |= is_changed;
	p->core->length++;
	return STATUS_OK;
}

/* Exceptions, gaps: what is between runs. */

static enum status add_exception(struct tarmac_pass *p, const struct tarmac_event *event)
{
	const struct tarmac_exception *line = &event->exception;
	struct decoded decoded = {.is_drained = true};
	struct element *e = &decoded.element;
	struct tarmac_run *run = &p->run;

	if (p->aside_count > 0 && p->asides[p->aside_count - 1].is_async)
		p->aside_count--;
	p->target.is_said = false;
	p->is_reset = tarmac_exception_is_reset(line);
	run->was_left = true;
	run->has_left_at |= line->has_address;
	run->left_at = line->has_address ? line->address : run->left_at;
	TRY(flush_run(p, NULL));
	part_break(p->part);
	if (p->context.arch == CORE_M && tarmac_exception_is_reset(line)) {
		struct tarmac_context context = p->context;

		/* CONTROL is 0, so SP is MSP (Armv8-M ARM, TakeReset). */
		context.has_stack = true;
		context.is_process = false;
		TRY(pass_set_context(p, &context, pass_time_after(p)));
	}
	e->type = ELEMENT_EXCEPTION;
	e->offset = event->offset;
	e->exception.name = line->name;
	e->exception.has_vector =
	        tarmac_exception_vector(line, p->context.arch, &e->exception.vector);
	e->exception.number = (uint32_t)(line->has_number ? line->number : (uint64_t)line->vector);
	e->exception.is_unnumbered = !line->has_number && !line->has_vector;
	e->exception.has_return_address = line->has_address;
	e->exception.return_address = line->has_address ? line->address : 0;
	return part_add(p->part, &decoded);
}

static enum status add_gap(struct tarmac_pass *p, uint64_t offset)
{
	p->target.is_said = false;
	TRY(flush_run(p, NULL));
	return part_add_gap(p->part, (struct gap){.reason = GAP_BAD_PACKET, .offset = offset});
}

/* A malformed line: what it may have hidden is not known any more. */
static enum status add_unknown(struct tarmac_pass *p, const struct tarmac_event *event,
                               struct tarmac_tick *tick)
{
	static const char *const instructions[] = {"IT", "IS", "IF", "ES"};
	static const char *const accesses[] = {"LD", "ST", "LA", "SA", "SX"};
	struct str word = event->word;
	bool is_instruction = false;
	bool is_access = word.n >= 2 && word.p[0] == 'M' && word.p[1] != '_';

	for (unsigned int i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++)
		is_instruction |= str_eq(word, str_of(instructions[i]));
	for (unsigned int i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		is_access |= str_eq(word, str_of(accesses[i]));
	if (word.n == 3 && (word.p[0] == 'R' || word.p[0] == 'W'))
		is_access = true; /* R08, of RTL */
	/* Of a line that was cut the word may be too. */
	if (event->is_unended && !is_access && !str_eq(word, STR("R")))
		is_instruction = true;
	if (is_instruction)
		TRY(add_gap(p, event->offset));
	if (is_instruction || str_eq(word, STR("R")))
		TRY(pass_lose_registers(p));
	if (is_instruction || is_access)
		TRY(word_log_lose(tick->memory, 2 * tick->clock + 1));
	return STATUS_OK;
}

/* A note has no effect, unless it is a gap of the history that the text was written of. */
static enum status add_note(struct tarmac_pass *p, const struct tarmac_event *event,
                            struct tarmac_tick *tick)
{
	struct gap gap;

	if (!tarmac_gap_read(event, &gap))
		return STATUS_OK;
	return lose_lines(p, gap, tick->memory, 2 * tick->clock + 1);
}

static bool begins_record(enum tarmac_kind kind)
{
	return kind == TARMAC_INSTRUCTION || kind == TARMAC_EXCEPTION || kind == TARMAC_ASYNC;
}

static void note_time(struct tarmac_times *times, const struct tarmac_event *event)
{
	bool is_first = !times->has_any;
	bool is_odd;

	if (!event->has_timestamp || !begins_record(event->kind))
		return;
	is_odd = !is_first && (event->unit != times->unit || event->timestamp < times->last);
	if (is_odd && !times->is_mixed && !times->goes_back) {
		times->is_mixed = event->unit != times->unit;
		times->goes_back = !times->is_mixed;
		times->other = event->unit;
		times->odd_line = event->line;
	}
	if (is_first) {
		times->unit = event->unit;
		times->odd_line = event->line;
	}
	times->has_any = true;
	times->last = event->timestamp;
}

enum status tarmac_pass_add(struct tarmac_pass *p, const struct tarmac_event *event,
                            struct tarmac_tick *tick)
{
	note_time(&p->core->times, event);
	switch (event->kind) {
	case TARMAC_INSTRUCTION:
		if (event->instruction.is_debug)
			return add_debug(p, event);
		return event->instruction.has_address ? add_instruction(p, event, tick)
		                                      : add_gap(p, event->offset);
	case TARMAC_REGISTER:
		return pass_register(p, event);
	case TARMAC_MEMORY:
		return pass_memory(p, event, tick);
	case TARMAC_EXCEPTION:
		return tarmac_exception_is_none(&event->exception)
		               ? add_aside(p, event, event->exception.name)
		               : add_exception(p, event);
	case TARMAC_BRANCH:
		p->run.branched = true;
		/* After a reset a simulator may set the PC that it starts at. */
		p->target = (struct tarmac_way){event->branch.target, !p->is_reset};
		return STATUS_OK;
	case TARMAC_UNKNOWN:
		return add_unknown(p, event, tick);
	case TARMAC_ASYNC:
		return add_aside(p, event, event->exception.name);
	case TARMAC_OPERATION:
		if (tarmac_system_is_translation(event->reg.name))
			pass_end_translations(p);
		return STATUS_OK;
	case TARMAC_HEADER:
		break;
	case TARMAC_NOTE:
		return add_note(p, event, tick);
	}
	return STATUS_OK;
}

enum status tarmac_pass_end(struct tarmac_pass *p, bool *has_end, uint64_t *end)
{
	*has_end = pass_find_end(p, end);
	TRY(flush_run(p, *has_end ? end : NULL));
	return part_end(p->part);
}
