/* SPDX-License-Identifier: Apache-2.0 */
/* Modes of AArch32; see uop_mode.h. */
#include "arch/uop/uop_mode.h"

enum {
	SP = 13,
	LR = 14,
	MODE_BITS = 5,
	FIRST_OF_FIQ = 8,  /* R8 to R12 are FIQ mode's own */
	OTHERS_OF_FIQ = 24 /* and where they are, or the other modes' */
};

struct bank {
	const char *name;
	uint8_t mode;
	uint8_t sp;
	uint8_t lr;   /* SLOT_NONE: LR_usr */
	uint8_t spsr; /* SLOT_NONE: there is none, or it is not followed */
};

static const struct bank banks[] = {
        {"usr", A32_USR, REG_SP, REG_A32_LR_USR, SLOT_NONE}, /* and of System mode */
        {"fiq", A32_FIQ, 29, 30, REG_A32_SPSR_FIQ},
        {"irq", A32_IRQ, 17, 16, REG_A32_SPSR_IRQ},
        {"svc", A32_SVC, 19, 18, REG_A32_SPSR_SVC},
        {"abt", A32_ABT, 21, 20, REG_A32_SPSR_ABT},
        {"und", A32_UND, 23, 22, REG_A32_SPSR_UND},
        {"hyp", A32_HYP, REG_BANKED, SLOT_NONE, SLOT_NONE},
};

enum { BANKS = sizeof(banks) / sizeof(banks[0]) };

static bool is_constant(unsigned int slot)
{
	return slot >= SLOT_CONSTANT && slot != SLOT_NONE;
}

/* Whether the mode is this one, as a slot; a constant if the mode is. */
static unsigned int is_mode(struct uop_builder *b, unsigned int mode, uint64_t value)
{
	if (mode == SLOT_ZERO)
		return SLOT_ZERO;
	if (is_constant(mode))
		return uop_constant(b, b->constants[mode - SLOT_CONSTANT] == value);
	return uop_equal(b, MODE_BITS, mode, uop_constant(b, value));
}

static unsigned int either(struct uop_builder *b, unsigned int a, unsigned int second)
{
	if (a == SLOT_ZERO)
		return second;
	if (is_constant(a) || second == SLOT_ZERO)
		return a;
	return is_constant(second) ? second : uop_make(b, UOP_OR, 1, a, second);
}

static unsigned int choose(struct uop_builder *b, unsigned int choice, unsigned int a,
                           unsigned int second)
{
	if (choice == SLOT_ZERO || a == second)
		return second;
	return is_constant(choice) ? a : uop_select(b, 32, choice, a, second);
}

/* SP of the bank is in use in the mode. */
static unsigned int uses_sp(struct uop_builder *b, unsigned int mode, const struct bank *bank)
{
	unsigned int is = is_mode(b, mode, bank->mode);

	return bank->mode == A32_USR ? either(b, is, is_mode(b, mode, A32_SYS)) : is;
}

/* The same of its LR, where that is known of SP. */
static unsigned int uses_lr(struct uop_builder *b, unsigned int mode, const struct bank *bank,
                            unsigned int uses)
{
	return bank->mode == A32_USR ? either(b, uses, is_mode(b, mode, A32_HYP)) : uses;
}

/* SP, LR or SPSR at a change of the mode. */
struct exchange {
	unsigned int was;   /* what of the mode before is in use, as the instruction left it */
	unsigned int found; /* what of the mode after is, or as far as that is found */
};

/*
 * With what a bank has, if it has such a register. `leaves`, `comes`: it is of the mode before, of
 * that after.
 */
static void exchange(struct uop_builder *b, struct exchange *e, unsigned int slot,
                     unsigned int leaves, unsigned int comes)
{
	unsigned int kept;

	if (slot == SLOT_NONE)
		return;
	kept = choose(b, leaves, e->was, uop_insn_after(&b->insn, slot));
	if (kept != slot)
		uop_redefine(b, slot, kept);
	e->found = choose(b, comes, kept, e->found);
}

static void exchange_banks(struct uop_builder *b, unsigned int was, unsigned int mode,
                           unsigned int is_same)
{
	struct exchange sp = {uop_insn_after(&b->insn, SP), uop_unknown(b, 32)};
	struct exchange lr = {uop_insn_after(&b->insn, LR), uop_unknown(b, 32)};
	struct exchange spsr = {uop_insn_after(&b->insn, REG_A32_SPSR), uop_unknown(b, 32)};

	for (const struct bank *bank = banks; bank < banks + BANKS; bank++) {
		unsigned int leaves = uses_sp(b, was, bank);
		unsigned int comes = uses_sp(b, mode, bank);

		exchange(b, &sp, bank->sp, leaves, comes);
		exchange(b, &spsr, bank->spsr, leaves, comes);
		if (bank->lr != SLOT_NONE)
			exchange(b, &lr, bank->lr, uses_lr(b, was, bank, leaves),
			         uses_lr(b, mode, bank, comes));
	}
	uop_redefine(b, SP, choose(b, is_same, sp.was, sp.found));
	uop_redefine(b, LR, choose(b, is_same, lr.was, lr.found));
	uop_redefine(b, REG_A32_SPSR, choose(b, is_same, spsr.was, spsr.found));
}

/* FIQ mode is entered or left: all of its R8 to R12 and of the others' change places. */
static void exchange_fiq(struct uop_builder *b, unsigned int was, unsigned int mode)
{
	unsigned int was_fiq = is_mode(b, was, A32_FIQ);
	unsigned int is_fiq = is_mode(b, mode, A32_FIQ);
	unsigned int changes = is_fiq;

	if (was_fiq == SLOT_ZERO && is_fiq == SLOT_ZERO)
		return;
	if (was_fiq != SLOT_ZERO)
		changes = uop_make(b, UOP_XOR, 1, was_fiq, is_fiq);
	for (unsigned int n = FIRST_OF_FIQ; n < SP; n++) {
		unsigned int slot = OTHERS_OF_FIQ + n - FIRST_OF_FIQ;
		unsigned int used = uop_insn_after(&b->insn, n);
		unsigned int other = uop_insn_after(&b->insn, slot);

		uop_redefine(b, n, choose(b, changes, other, used));
		uop_redefine(b, slot, choose(b, changes, used, other));
	}
}

void uop_mode_change(struct uop_builder *b, unsigned int mode)
{
	unsigned int was = uop_insn_after(&b->insn, REG_A32_MODE);
	unsigned int is_same = uop_equal(b, MODE_BITS, was, mode);

	exchange_banks(b, was, mode, is_same);
	exchange_fiq(b, was, mode);
	uop_redefine(b, REG_A32_MODE, mode);
}

void uop_mode_enter(struct uop_builder *b, unsigned int mode, unsigned int lr)
{
	unsigned int cpsr = uop_mode_cpsr(b);
	unsigned int is_hyp = is_mode(b, mode, A32_HYP);

	uop_mode_change(b, mode);
	uop_redefine(b, LR, choose(b, is_hyp, uop_insn_after(&b->insn, LR), lr));
	uop_redefine(b, REG_A32_SPSR, cpsr);
}

void uop_mode_forget_others(struct uop_builder *b)
{
	for (unsigned int reg = REG_BANKED; reg <= REG_SP; reg++)
		uop_define_unknown(b, reg, 32);
	for (unsigned int reg = REG_A32_SPSR; reg <= REG_A32_SCR; reg++)
		uop_define_unknown(b, reg, 32);
}

void uop_mode_forget(struct uop_builder *b)
{
	for (unsigned int reg = FIRST_OF_FIQ; reg <= LR; reg++)
		uop_define_unknown(b, reg, 32);
	uop_mode_forget_others(b);
	uop_define_unknown(b, REG_A32_MODE, 64);
}

unsigned int uop_mode_cpsr(struct uop_builder *b)
{
	const struct bits_field flags = {.lsb = 0, .len = 4, .to = 28};
	const struct bits_field ge = {.lsb = 0, .len = 4, .to = A32_GE_AT};
	const struct bits_field mode = {.lsb = 0, .len = MODE_BITS, .to = 0};
	unsigned int packed = uop_make(b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);
	unsigned int cpsr = uop_insert(b, 32, uop_unknown(b, 32), packed, flags);

	cpsr = uop_insert(b, 32, cpsr, REG_A32_GE, ge);
	return uop_insert(b, 32, cpsr, uop_insn_after(&b->insn, REG_A32_MODE), mode);
}

static const struct bank *bank_of(enum a32_mode mode)
{
	for (size_t i = 0; i < BANKS; i++) {
		if (banks[i].mode == (mode == A32_SYS ? A32_USR : mode))
			return &banks[i];
	}
	return NULL;
}

/* Where a register of a mode is while that is not in use, and whether it is. */
struct place {
	unsigned int slot;   /* SLOT_NONE: it is not followed */
	unsigned int in_use; /* 1 or 0 */
};

static struct place place_of_banked(struct uop_builder *b, struct mode_register reg)
{
	const struct bank *bank = bank_of(reg.mode);
	struct place place = {SLOT_NONE, SLOT_NONE};

	if (bank && reg.in_use == LR && bank->lr == SLOT_NONE)
		bank = bank_of(A32_USR);
	if (!bank) {
		place.in_use = is_mode(b, REG_A32_MODE, reg.mode);
		return place;
	}
	place.slot = reg.in_use == SP ? bank->sp : reg.in_use == LR ? bank->lr : bank->spsr;
	place.in_use = uses_sp(b, REG_A32_MODE, bank);
	if (reg.in_use == LR)
		place.in_use = uses_lr(b, REG_A32_MODE, bank, place.in_use);
	return place;
}

static struct place place_of(struct uop_builder *b, struct mode_register reg)
{
	struct place place = {OTHERS_OF_FIQ + reg.in_use - FIRST_OF_FIQ, SLOT_NONE};

	if (reg.in_use >= SP)
		return place_of_banked(b, reg);
	place.in_use = is_mode(b, REG_A32_MODE, A32_FIQ);
	if (reg.mode != A32_FIQ)
		place.in_use = uop_make(b, UOP_XOR, 1, place.in_use, uop_constant(b, 1));
	return place;
}

unsigned int uop_mode_read(struct uop_builder *b, struct mode_register reg)
{
	struct place place = place_of(b, reg);

	return uop_select(b, 32, place.in_use, reg.in_use,
	                  place.slot == SLOT_NONE ? uop_unknown(b, 32) : place.slot);
}

void uop_mode_write(struct uop_builder *b, struct mode_register reg, unsigned int slot)
{
	struct place place = place_of(b, reg);

	uop_define(b, reg.in_use, uop_select(b, 32, place.in_use, slot, reg.in_use));
	if (place.slot != SLOT_NONE)
		uop_define(b, place.slot, uop_select(b, 32, place.in_use, place.slot, slot));
}

bool uop_mode_name(unsigned int reg, struct text *out)
{
	if (reg == REG_A32_MODE || reg == REG_A32_SPSR || reg == REG_A32_SCR) {
		text_puts(out, reg == REG_A32_MODE ? "mode" : reg == REG_A32_SPSR ? "spsr" : "scr");
		return true;
	}
	for (const struct bank *bank = banks; bank < banks + BANKS; bank++) {
		const char *name = reg == bank->sp     ? "sp"
		                   : reg == bank->lr   ? "lr"
		                   : reg == bank->spsr ? "spsr"
		                                       : NULL;

		if (name) {
			text_printf(out, "%s_%s", name, bank->name);
			return true;
		}
	}
	if (reg < OTHERS_OF_FIQ || reg >= OTHERS_OF_FIQ + SP - FIRST_OF_FIQ)
		return false;
	text_printf(out, "r%u_fiq", reg - OTHERS_OF_FIQ + FIRST_OF_FIQ);
	return true;
}
