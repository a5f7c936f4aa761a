/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over a Tarmac text: writes of registers, and the context that they and the lines say,
 * become entries of the core's log, by slot. See pass_parts.h.
 */
#include <string.h>

#include "replay/tarmac/pass_parts.h"

enum tarmac_mode pass_mode_now(const struct tarmac_pass *p)
{
	const struct slot_now *psr = &p->now[SLOT_PSR];

	if (p->context.arch == CORE_M || (psr->known & 0x1f) != 0x1f)
		return TARMAC_MODE_NONE;
	return tarmac_mode_of_psr(psr->value);
}

/* Bits of CPSR (Arm ARM, G8.2.33) and xPSR (Armv8-M ARM, XPSR). */
enum {
	PSR_T = 0x20,
	PSR_IPSR = 0x1ff,
};

static bool is_refuted(const struct tarmac_pass *p, const struct tarmac_instruction *insn)
{
	const struct slot_now *psr = &p->now[SLOT_PSR];
	enum tarmac_mode mode = pass_mode_now(p);

	if (insn->mode == TARMAC_MODE_THREAD || insn->mode == TARMAC_MODE_HANDLER)
		return (psr->known & PSR_IPSR) == PSR_IPSR &&
		       ((psr->value & PSR_IPSR) != 0) != (insn->mode == TARMAC_MODE_HANDLER);
	if (p->context.arch == CORE_M)
		return false;
	if (insn->isa != ISA_A64 && (psr->known & PSR_T) != 0 &&
	    ((psr->value & PSR_T) != 0) != (insn->isa == ISA_T32))
		return true;
	return insn->mode != TARMAC_MODE_NONE && mode != TARMAC_MODE_NONE && mode != insn->mode;
}

/* What parts of CPSR or xPSR hold is not known by their own names any more. */
static enum status hide_psr_parts(struct tarmac_pass *p)
{
	return tarmac_system_hide_psr(&p->core->system, &p->core->registers, pass_time_after(p));
}

enum status pass_check_psr(struct tarmac_pass *p, const struct tarmac_instruction *insn)
{
	if (!is_refuted(p, insn))
		return STATUS_OK;
	p->now[SLOT_PSR] = (struct slot_now){0, 0};
	TRY(hide_psr_parts(p));
	return word_log_add(&p->core->registers, &(struct word_event){.key = SLOT_PSR,
	                                                              .time = pass_time_after(p),
	                                                              .kind = WORD_WRITE,
	                                                              .touched = 0xff});
}

enum status pass_set_context(struct tarmac_pass *p, const struct tarmac_context *context,
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
	                                         .time = pass_time_after(p),
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

/* N, Z, C, V, Q and GE (Arm ARM G8.2.12). */
static const uint32_t apsr_bits = 0xf80f0000;

/*
 * A register that is some bits of the program status register, at their places there. A line that
 * has something else at others has not that form, and does not say what they are.
 */
static enum status write_psr_bits(struct tarmac_pass *p, const struct tarmac_value *value,
                                  uint32_t bits)
{
	const uint64_t known = word_of(value->known, value->size, 0);
	const uint64_t word = word_of(value->bits, value->size, 0) & known;
	bool is_placed =
	        value->size >= sizeof(bits) && (bits == apsr_bits || (word & ~(uint64_t)bits) == 0);
	uint64_t touched = is_placed ? bits & word_of(value->touched, value->size, 0) : bits;

	TRY(write_slot(p, SLOT_PSR, touched, (struct slot_now){word, is_placed ? known : 0}));
	return bits == apsr_bits ? hide_psr_parts(p) : STATUS_OK;
}

static enum status lose_slot(struct tarmac_pass *p, unsigned int slot)
{
	return write_slot(p, slot, UINT64_MAX, (struct slot_now){0, 0});
}

/* Registers with slots of their own that have bits of this one. */
static enum status write_relatives(struct tarmac_pass *p, unsigned int slot)
{
	if (slot == SLOT_PSR)
		return hide_psr_parts(p);
	/* Arm ARM, FPSCR: it is mapped to FPSR and FPCR. */
	if (slot == SLOT_FPSR || slot == SLOT_FPCR)
		return lose_slot(p, SLOT_FPSCR);
	if (slot != SLOT_FPSCR || p->context.arch == CORE_M)
		return STATUS_OK;
	TRY(lose_slot(p, SLOT_FPSR));
	return lose_slot(p, SLOT_FPCR);
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
	return pass_set_context(p, &context, pass_time_after(p));
}

/* Where CPSR says the mode it is the core's. */
static enum status note_psr(struct tarmac_pass *p)
{
	struct tarmac_context context = p->context;
	enum tarmac_mode mode = pass_mode_now(p);

	if (mode == TARMAC_MODE_NONE)
		return STATUS_OK;
	context.mode = mode;
	/* Of the states below it EL3 chooses the security state, and what goes up comes from one.
	 */
	if (tarmac_is_el3(mode) != tarmac_is_el3(p->context.mode))
		context.security = TARMAC_SECURITY_NOT_SAID;
	return pass_set_context(p, &context, pass_time_after(p));
}

/* Bits of the program status register that the register is; 0 if it is none, or all of it. */
static uint32_t psr_part(const struct tarmac_register *reg)
{
	if (reg->file == TARMAC_FILE_PSR && reg->number == TARMAC_APSR)
		return apsr_bits;
	return reg->file == TARMAC_FILE_SYSTEM ? tarmac_system_psr_part(reg->name) : 0;
}

static enum status write_place(struct tarmac_pass *p, const struct slot_place *place,
                               const struct tarmac_register *reg)
{
	uint32_t part = psr_part(reg);

	if (part != 0)
		return write_psr_bits(p, reg->value, part);
	if (place->slot == TARMAC_SLOT_NONE)
		return STATUS_OK;
	TRY(write_register(p, place, reg->value));
	return write_relatives(p, place->slot);
}

enum status pass_register(struct tarmac_pass *p, const struct tarmac_event *event)
{
	const struct tarmac_register *reg = &event->reg;
	struct slot_place place = tarmac_slot_of(reg, &p->context);

	TRY(tarmac_system_add(&p->core->system, &p->core->registers, reg, &place,
	                      pass_time_after(p)));
	if (tarmac_system_is_translation(reg->name))
		pass_end_translations(p);
	TRY(write_place(p, &place, reg));
	if (place.slot == TARMAC_SLOT_NONE && psr_part(reg) == 0)
		return STATUS_OK;
	if ((place.slot >= SLOT_V && place.slot < SLOT_COUNT) ||
	    (place.slot >= SLOT_FPSR && place.slot <= SLOT_FPSCR))
		p->core->features |= 1U << REGISTER_FPU;
	if (place.slot >= SLOT_SP_M && place.slot < SLOT_PSR)
		p->core->features |= 1U << REGISTER_SYSTEM;
	if (p->context.arch == CORE_M)
		return note_stack(p, reg, &place);
	return place.slot == SLOT_PSR || place.slot == TARMAC_SLOT_NONE ? note_psr(p) : STATUS_OK;
}

enum status pass_lose_registers(struct tarmac_pass *p)
{
	memset(p->now, 0, sizeof(p->now));
	p->context.has_stack = false;
	return word_log_lose(&p->core->registers, pass_time_after(p));
}
