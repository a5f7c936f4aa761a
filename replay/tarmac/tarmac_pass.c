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
#include "replay/tarmac/tarmac_gap.h"

enum {
	RUN_MOST = 1 << 16, /* instructions */
	SHORTEST_OPCODE = 2,
	LONGEST_OPCODE = 4,
};

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
	*p = (struct tarmac_pass){0};
}

/* Runs. */

static bool is_branch(const struct tarmac_run *run)
{
	return run->last.class == INSN_BRANCH || run->last.class == INSN_BRANCH_INDIRECT;
}

/* How the last instruction went; `next` is where execution went on, if that is known. */
static bool was_executed(const struct tarmac_run *run, const uint64_t *next)
{
	if (run->is_failed)
		return false;
	if (!is_branch(run) || run->must_be_taken || run->branched)
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
	if (run->was_left || !next || (*next != run->end && !(executed && is_branch(run))))
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

static void classify(enum isa isa, uint64_t opcode, uint64_t address, struct insn *insn)
{
	static const struct insn_options options = {0};

	if (isa == ISA_A64)
		insn_a64_classify((uint32_t)opcode, address, &options, insn);
	else if (isa == ISA_A32)
		insn_a32_classify((uint32_t)opcode, address, &options, insn);
	else if (isa == ISA_T32 || isa == ISA_TEE)
		insn_t32_classify((uint32_t)opcode, address, &options, insn);
}

/* A branch that an opcode alone makes taken; of T32 an IT block may put any under a condition. */
static bool must_be_taken(const struct insn *insn, enum isa isa, uint64_t opcode)
{
	if (isa == ISA_A64)
		return insn->class == INSN_BRANCH_INDIRECT || (opcode & 0x7c000000) == 0x14000000;
	return isa == ISA_A32 && !insn->is_conditional;
}

/* Little-endian bytes of the opcode, in memory's order. */
static uint64_t memory_order(const struct tarmac_instruction *insn)
{
	bool halfwords = insn->isa == ISA_T32 || insn->isa == ISA_TEE;

	return halfwords && insn->size == LONGEST_OPCODE
	               ? (insn->opcode >> 16 | insn->opcode << 16) & 0xffffffff
	               : insn->opcode;
}

static enum status add_word(struct tarmac_tick *tick, const struct word_event *event)
{
	return event->touched != 0 ? word_log_add(tick->memory, event) : STATUS_OK;
}

/* The frame that the core's address is, as far as lines said so. */
static enum status frame_of(struct tarmac_pass *p, uint64_t address, struct tarmac_tick *tick,
                            uint32_t *frame)
{
	TRY(tarmac_frame_of(tick->frames, p->space, address >> TARMAC_PAGE_BITS, frame));
	*frame = tarmac_pages_now(&p->core->pages, *frame);
	return STATUS_OK;
}

/* A line says the physical address of an address. */
static enum status see_page(struct tarmac_pass *p, uint64_t address, uint64_t physical,
                            enum tarmac_security security, struct tarmac_tick *tick)
{
	uint64_t page = address >> TARMAC_PAGE_BITS;
	uint64_t to = physical >> TARMAC_PAGE_BITS;
	uint32_t from;
	uint32_t frame;
	bool is_first;

	/* What a Non-secure core accesses is Non-secure. */
	if (security == TARMAC_SECURITY_NOT_SAID && p->context.security == TARMAC_NON_SECURE)
		security = TARMAC_NON_SECURE;
	TRY(tarmac_frame_of(tick->frames, p->space, page, &from));
	TRY(tarmac_frame_of(tick->frames, tarmac_space_physical(security), to, &frame));
	TRY(tarmac_pages_see(&p->core->pages, from, frame, page == to, 2 * tick->clock, &is_first));
	if (is_first && page == to)
		tarmac_frames_join(tick->frames, from, frame);
	return STATUS_OK;
}

/* Logs bytes of memory by the places that they are; `event` says when and what kind. */
static enum status add_bytes(struct tarmac_pass *p, const struct tarmac_value *value,
                             uint64_t address, struct word_event event, struct tarmac_tick *tick)
{
	uint32_t frame = 0;

	for (unsigned int i = 0; i < value->size; i++) {
		uint64_t at = address + i;

		if (i > 0 && at % 8 == 0) {
			TRY(add_word(tick, &event));
			event.touched = event.known = 0;
			event.value = 0;
		}
		if (i == 0 || at % 8 == 0)
			TRY(frame_of(p, at, tick, &frame));
		event.key = tarmac_frame_key(frame, at);
		if (value->touched[i] != 0)
			event.touched |= (uint8_t)(1U << at % 8);
		if (value->known[i] != 0xff)
			continue;
		event.known |= (uint8_t)(1U << at % 8);
		event.value |= (uint64_t)value->bits[i] << (8 * (at % 8));
	}
	return add_word(tick, &event);
}

/* The opcode of an address that had another: `value` has its bytes. */
static enum status add_patched(struct tarmac_pass *p, const struct tarmac_value *value,
                               uint64_t address)
{
	struct word_event event = {.time = 2 * p->core->length + 2, .kind = WORD_WRITE};

	for (unsigned int i = 0; i < value->size; i++) {
		uint64_t at = address + i;

		if (i > 0 && at % 8 == 0) {
			TRY(word_log_add(&p->core->patched, &event));
			event.touched = 0;
			event.value = 0;
		}
		event.key = at / 8;
		event.touched |= (uint8_t)(1U << at % 8);
		event.known = event.touched;
		event.value |= (uint64_t)value->bits[i] << (8 * (at % 8));
	}
	return word_log_add(&p->core->patched, &event);
}

/* True if the log of memory has these bytes of the place, and none else were there. */
static enum status is_logged(struct tarmac_pass *p, uint64_t address, uint64_t bytes,
                             unsigned int size, struct tarmac_tick *tick, bool *logged)
{
	const uint64_t in_page = (UINT64_C(1) << TARMAC_PAGE_BITS) - 1;
	enum tarmac_code_update update;
	uint32_t frame;

	*logged = false;
	if ((address & in_page) + size > in_page + 1)
		return STATUS_OK;
	TRY(frame_of(p, address, tick, &frame));
	TRY(tarmac_code_add(&p->core->logged,
	                    (uint64_t)frame << TARMAC_PAGE_BITS | (address & in_page), bytes, size,
	                    &update));
	*logged = update == CODE_SEEN;
	return STATUS_OK;
}

/* Where the line says that the instruction is. */
static enum status see_pages(struct tarmac_pass *p, const struct tarmac_instruction *insn,
                             struct tarmac_tick *tick)
{
	if (insn->has_physical)
		TRY(see_page(p, insn->address, insn->physical, insn->physical_security, tick));
	if (insn->has_second)
		TRY(see_page(p, insn->address + SHORTEST_OPCODE, insn->second,
		             insn->physical_security, tick));
	return STATUS_OK;
}

/* The bytes are logged where they are new, or are not always the same. */
static enum status add_code(struct tarmac_pass *p, const struct tarmac_instruction *insn,
                            struct tarmac_tick *tick, bool *is_changed)
{
	struct tarmac_value value = {.size = insn->size};
	uint64_t bytes = memory_order(insn);
	enum tarmac_code_update update;
	bool logged;

	TRY(see_pages(p, insn, tick));
	TRY(tarmac_code_add(&p->core->code, insn->address, bytes, insn->size, &update));
	*is_changed = update == CODE_CHANGED;
	TRY(is_logged(p, insn->address, bytes, insn->size, tick, &logged));
	if (logged && !*is_changed)
		return STATUS_OK;
	for (unsigned int i = 0; i < value.size; i++) {
		value.bits[i] = (uint8_t)(bytes >> (8 * i));
		value.touched[i] = value.known[i] = 0xff;
	}
	if (*is_changed)
		TRY(add_patched(p, &value, insn->address));
	return add_bytes(p, &value, insn->address,
	                 (struct word_event){.time = 2 * tick->clock, .kind = WORD_FETCH}, tick);
}

static enum status set_context(struct tarmac_pass *p, const struct tarmac_context *context,
                               uint64_t time)
{
	struct slot_now *now = &p->now[SLOT_MODE];
	uint8_t known;
	uint64_t packed = tarmac_context_pack(context, &known);
	uint64_t bits = (known & 4U) != 0 ? 0xffffffff : 0xff00ffff;

	p->context = *context;
	p->context.regime = tarmac_regime_of(context);
	p->context.has_hypervisor |= tarmac_is_el2(context->mode);
	if (now->value == packed && now->known == bits)
		return STATUS_OK;
	*now = (struct slot_now){packed, bits};
	return word_log_add(&p->core->registers, &(struct word_event){.key = SLOT_MODE,
	                                                              .time = time,
	                                                              .kind = WORD_WRITE,
	                                                              .touched = 0xff,
	                                                              .known = known,
	                                                              .value = packed});
}

/* A core that is in AArch64 state at any time has its registers. */
static void note_arch(struct tarmac_core *core, enum core_arch arch)
{
	if (core->length == 0 || arch == CORE_M || (arch == CORE_A64 && core->arch == CORE_A32))
		core->arch = arch;
}

/* The mode that CPSR says; A and R profile. */
static enum tarmac_mode mode_now(const struct tarmac_pass *p)
{
	const struct slot_now *psr = &p->now[SLOT_PSR];

	if (p->context.arch == CORE_M || (psr->known & 0x1f) != 0x1f)
		return TARMAC_MODE_NONE;
	return tarmac_mode_of_psr(psr->value);
}

/* The mode that the line says, and the state that its instruction set is of. */
static enum status note_mode(struct tarmac_pass *p, const struct tarmac_event *event)
{
	const struct tarmac_instruction *insn = &event->instruction;
	struct tarmac_context context = p->context;

	/* Where the line does not say one it is that of CPSR. */
	if (insn->mode == TARMAC_MODE_NONE && insn->mode_text.n > 0)
		context.mode = mode_now(p);
	if (insn->mode != TARMAC_MODE_NONE)
		context.mode = insn->mode;
	if (insn->mode_text.n > 0)
		context.security = insn->security;
	if (insn->mode != TARMAC_MODE_NONE && event->dialect == TARMAC_DIALECT_REV3 &&
	    insn->security == TARMAC_SECURITY_NOT_SAID)
		context.security = TARMAC_SECURE;
	context.arch = tarmac_arch_of(insn);
	note_arch(p->core, context.arch);
	TRY(set_context(p, &context, 2 * p->core->length + 2));
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
	return is_fetched ? add_code(p, line, tick, &is_changed) : STATUS_OK;
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
	run->must_be_taken = is_branch(run) && must_be_taken(insn, line->isa, line->opcode);
	run->is_over = is_branch(run) || run->is_failed || line->effect == TARMAC_FETCH_FAILED ||
	               line->size > LONGEST_OPCODE || run->count == RUN_MOST;
}

static enum status add_instruction(struct tarmac_pass *p, const struct tarmac_event *event,
                                   struct tarmac_tick *tick)
{
	const struct tarmac_instruction *line = &event->instruction;
	struct tarmac_run *run = &p->run;
	bool has_opcode = line->effect != TARMAC_FETCH_FAILED &&
	                  (line->size == SHORTEST_OPCODE || line->size == LONGEST_OPCODE);
	unsigned int size = line->size == SHORTEST_OPCODE ? SHORTEST_OPCODE : LONGEST_OPCODE;
	struct insn insn = {.size = (uint8_t)size};
	bool is_changed = false;

	TRY(note_mode(p, event));
	if (has_opcode) {
		classify(line->isa, line->opcode, line->address, &insn);
		insn.size = (uint8_t)size;
		TRY(add_code(p, line, tick, &is_changed));
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

static uint64_t time_after(const struct tarmac_pass *p)
{
	return 2 * p->core->length + 1;
}

static bool is_reset(struct str name)
{
	return str_eq_nocase(name, STR("reset")) || str_eq_nocase(name, STR("CoreEvent_RESET"));
}

static enum status add_exception(struct tarmac_pass *p, const struct tarmac_event *event)
{
	const struct tarmac_exception *line = &event->exception;
	struct decoded decoded = {.is_drained = true};
	struct element *e = &decoded.element;
	struct tarmac_run *run = &p->run;

	if (p->aside_count > 0 && p->asides[p->aside_count - 1].is_async)
		p->aside_count--;
	run->was_left = true;
	run->has_left_at |= line->has_address;
	run->left_at = line->has_address ? line->address : run->left_at;
	TRY(flush_run(p, NULL));
	part_break(p->part);
	if (p->context.arch == CORE_M && is_reset(line->name)) {
		struct tarmac_context context = p->context;

		/* CONTROL is 0, so SP is MSP (Armv8-M ARM, TakeReset). */
		context.has_stack = true;
		context.is_process = false;
		TRY(set_context(p, &context, time_after(p)));
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
	TRY(flush_run(p, NULL));
	return part_add_gap(p->part, (struct gap){.reason = GAP_BAD_PACKET, .offset = offset});
}

/* Registers. */

/* 8 bytes of an array of the value, from byte `at`. */
static uint64_t word_of(const uint8_t *bytes, unsigned int size, unsigned int at)
{
	uint64_t word = 0;

	for (unsigned int i = 0; i < 8 && at + i < size; i++)
		word |= (uint64_t)bytes[at + i] << (8 * i);
	return word;
}

static uint8_t whole_bytes(uint64_t bits)
{
	uint8_t mask = 0;

	for (unsigned int i = 0; i < 8; i++)
		mask |= (uint8_t)((bits >> (8 * i) & 0xff) == 0xff ? 1U << i : 0);
	return mask;
}

static enum status write_slot(struct tarmac_pass *p, unsigned int slot, uint64_t touched,
                              struct slot_now update)
{
	struct slot_now *now = &p->now[slot];
	struct slot_now then = {(now->value & ~touched) | (update.value & touched),
	                        (now->known & ~touched) | (update.known & touched)};

	if (then.value == now->value && then.known == now->known)
		return STATUS_OK;
	*now = then;
	return word_log_add(&p->core->registers,
	                    &(struct word_event){.key = slot,
	                                         .time = time_after(p),
	                                         .kind = WORD_WRITE,
	                                         .touched = 0xff,
	                                         .known = whole_bytes(then.known),
	                                         .value = then.value});
}

static uint64_t low_bytes(unsigned int count)
{
	return count >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * count)) - 1;
}

static enum status write_register(struct tarmac_pass *p, const struct slot_place *place,
                                  const struct tarmac_value *value)
{
	unsigned int size = value->size < place->size ? value->size : place->size;

	for (unsigned int at = 0; at < place->whole; at += 8) {
		/* Byte `at` of the place; `from` is not 0 only in places of one slot. */
		unsigned int shift = 8U * place->from;
		unsigned int left = size > at ? size - at : 0;
		uint64_t inside = low_bytes(left) << shift;
		uint64_t all = low_bytes(place->whole - at) & ~((UINT64_C(1) << shift) - 1);
		struct slot_now update = {word_of(value->bits, size, at) << shift,
		                          word_of(value->known, size, at) << shift};
		uint64_t touched = word_of(value->touched, size, at) << shift;
		uint64_t above = all & ~inside;

		if (place->zeroes)
			update.known |= above;
		TRY(write_slot(p, place->slot + at / 8, touched | above, update));
	}
	return STATUS_OK;
}

/* N, Z, C, V, Q and GE: what APSR has of the program status register (Arm ARM G8.2.12). */
static enum status write_flags(struct tarmac_pass *p, const struct slot_place *place,
                               const struct tarmac_value *value)
{
	static const uint8_t flags[4] = {0, 0, 0x0f, 0xf8};
	struct tarmac_value masked = {.size = sizeof(flags)};

	for (unsigned int i = 0; i < sizeof(flags) && i < value->size; i++) {
		masked.bits[i] = value->bits[i] & flags[i];
		masked.known[i] = value->known[i] & flags[i];
		masked.touched[i] = value->touched[i] & flags[i];
	}
	return write_register(p, place, &masked);
}

/* M profile: which stack pointer is SP, as far as a line proves it. */
static enum status note_stack(struct tarmac_pass *p, const struct tarmac_register *reg,
                              const struct slot_place *place)
{
	struct tarmac_context context = p->context;
	bool is_msr = (p->run.opcode & 0xffe0d000) == 0xf3808000;
	const struct slot_now *control = &p->now[SLOT_CONTROL];

	if (place->slot == SLOT_CONTROL && (control->known & 2) != 0) {
		context.has_stack = true;
		context.is_process = (control->value & 2) != 0;
	} else if (reg->file == TARMAC_FILE_R && reg->number == 13 && !is_msr &&
	           reg->bank != TARMAC_MODE_NONE && context.mode == TARMAC_MODE_THREAD &&
	           p->run.count > 0 && !p->run.was_left) {
		/* What is no MSR writes the one that is SP. */
		context.has_stack = true;
		context.is_process = reg->bank == TARMAC_MODE_PROCESS;
	}
	return set_context(p, &context, time_after(p));
}

static enum status add_register(struct tarmac_pass *p, const struct tarmac_event *event)
{
	const struct tarmac_register *reg = &event->reg;
	struct slot_place place = tarmac_slot_of(reg, &p->context);
	struct tarmac_context context = p->context;
	enum tarmac_mode mode;

	TRY(tarmac_system_add(&p->core->system, &p->core->registers, reg, &place, time_after(p)));
	if (place.slot == TARMAC_SLOT_NONE)
		return STATUS_OK;
	TRY(reg->file == TARMAC_FILE_PSR && reg->number == TARMAC_APSR
	            ? write_flags(p, &place, reg->value)
	            : write_register(p, &place, reg->value));
	if (place.slot >= SLOT_V || (place.slot >= SLOT_FPSR && place.slot <= SLOT_FPSCR))
		p->core->features |= 1U << REGISTER_FPU;
	if (place.slot >= SLOT_SP_M && place.slot < SLOT_PSR)
		p->core->features |= 1U << REGISTER_SYSTEM;
	if (context.arch == CORE_M)
		return note_stack(p, reg, &place);
	mode = place.slot == SLOT_PSR ? mode_now(p) : TARMAC_MODE_NONE;
	if (mode == TARMAC_MODE_NONE)
		return STATUS_OK;
	context.mode = mode;
	/* Of the states below it EL3 chooses the security state, and what goes up comes from one.
	 */
	if (tarmac_is_el3(mode) != tarmac_is_el3(p->context.mode))
		context.security = TARMAC_SECURITY_NOT_SAID;
	return set_context(p, &context, time_after(p));
}

static enum status lose_registers(struct tarmac_pass *p)
{
	memset(p->now, 0, sizeof(p->now));
	p->context.has_stack = false;
	return word_log_lose(&p->core->registers, time_after(p));
}

/* Memory. */

static enum status add_memory(struct tarmac_pass *p, const struct tarmac_event *event,
                              struct tarmac_tick *tick)
{
	const struct tarmac_memory *line = &event->memory;
	struct word_event e = {.kind = line->is_write ? WORD_WRITE : WORD_READ};

	if (line->is_aborted || line->is_exclusive_failed)
		return STATUS_OK;
	if (line->is_fetch)
		e.kind = WORD_FETCH;
	tick->has_written |= line->is_write;
	e.time = 2 * tick->clock + tick->has_written;
	if (line->has_physical)
		TRY(see_page(p, line->address, line->physical, line->security, tick));
	if (!line->is_write && tarmac_value_is_whole(line->value)) {
		p->run.has_loaded = true;
		p->run.loaded = tarmac_value_u64(line->value);
	}
	return add_bytes(p, line->value, line->address, e, tick);
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
		TRY(lose_registers(p));
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
	TRY(flush_run(p, NULL));
	TRY(part_add_gap(p->part, gap));
	TRY(lose_registers(p));
	return word_log_lose(tick->memory, 2 * tick->clock + 1);
}

enum status tarmac_pass_add(struct tarmac_pass *p, const struct tarmac_event *event,
                            struct tarmac_tick *tick)
{
	switch (event->kind) {
	case TARMAC_INSTRUCTION:
		if (event->instruction.is_debug)
			return add_debug(p, event);
		return event->instruction.has_address ? add_instruction(p, event, tick)
		                                      : add_gap(p, event->offset);
	case TARMAC_REGISTER:
		return add_register(p, event);
	case TARMAC_MEMORY:
		return add_memory(p, event, tick);
	case TARMAC_EXCEPTION:
		return tarmac_exception_is_none(&event->exception)
		               ? add_aside(p, event, event->exception.name)
		               : add_exception(p, event);
	case TARMAC_BRANCH:
		p->run.branched = true;
		return STATUS_OK;
	case TARMAC_UNKNOWN:
		return add_unknown(p, event, tick);
	case TARMAC_ASYNC:
		return add_aside(p, event, event->exception.name);
	case TARMAC_HEADER:
	case TARMAC_OPERATION:
		break;
	case TARMAC_NOTE:
		return add_note(p, event, tick);
	}
	return STATUS_OK;
}

/* Where the text's last instruction leads. */

/* Value of the register that an indirect branch of A64 goes to (C6.2: BR, BLR, RET). */
static bool target_a64(const struct tarmac_pass *p, uint64_t *target)
{
	unsigned int number = (unsigned int)(p->run.opcode >> 5 & 31);
	const struct slot_now *now = &p->now[SLOT_X + number];

	/* Plain ones; a link register that the branch itself writes is not the one that it read. */
	if ((p->run.opcode & 0xff9ffc1f) != 0xd61f0000 || number == 31 ||
	    (p->run.last.is_link && number == 30) || now->known != UINT64_MAX)
		return false;
	*target = now->value;
	return true;
}

/* BX, BLX and loads of the PC. */
static bool target_a32(const struct tarmac_pass *p, uint64_t *target)
{
	uint64_t opcode = p->run.opcode;
	bool is_a32 = p->run.isa == ISA_A32;
	unsigned int number = (unsigned int)(is_a32 ? opcode & 15 : opcode >> 3 & 15);
	struct tarmac_register reg = {.file = TARMAC_FILE_R, .number = (uint8_t)number};
	struct slot_place place;

	if (p->run.has_loaded) {
		*target = p->run.loaded & ~UINT64_C(1);
		return true;
	}
	if (is_a32 ? (opcode & 0x0fffffd0) != 0x012fff10 : (opcode & 0xff07) != 0x4700)
		return false;
	place = tarmac_slot_of(&reg, &p->context);
	if (place.slot == TARMAC_SLOT_NONE || (p->run.last.is_link && number == 14) ||
	    (p->now[place.slot].known & UINT32_MAX) != UINT32_MAX)
		return false;
	*target = p->now[place.slot].value & UINT32_MAX & ~UINT64_C(1);
	return true;
}

static bool find_end(const struct tarmac_pass *p, uint64_t *end)
{
	const struct tarmac_run *run = &p->run;

	/* A run that an exception left is with the history already. */
	if (run->count == 0)
		return false;
	*end = run->end;
	if (!is_branch(run) || run->is_failed)
		return true;
	if (run->last.class == INSN_BRANCH) {
		/* What failed its condition says so in AArch32, but for CBZ and CBNZ. */
		bool is_compare = run->isa == ISA_T32 && (run->opcode & 0xf500) == 0xb100;

		*end = run->last.target;
		return run->must_be_taken || run->branched || (run->isa != ISA_A64 && !is_compare);
	}
	return run->isa == ISA_A64 ? target_a64(p, end) : target_a32(p, end);
}

enum status tarmac_pass_end(struct tarmac_pass *p, bool *has_end, uint64_t *end)
{
	*has_end = find_end(p, end);
	TRY(flush_run(p, *has_end ? end : NULL));
	return part_end(p->part);
}
