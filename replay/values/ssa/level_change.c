/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of exceptions and returns from them; see level_change.h. */
#include "replay/values/ssa/level_change.h"

enum {
	VECTOR_TABLE = 0x800, /* bytes of a table, and what it is aligned to */
	VECTOR_SIZE = 0x80,
	VECTOR_KINDS = 4, /* synchronous, IRQ, FIQ, SError */
};

/* Quarters of a table: from where an exception was taken. */
enum origin {
	ORIGIN_SP_EL0,  /* the same level, SP_EL0 in use */
	ORIGIN_OWN_SP,  /* the same level, its own SP in use */
	ORIGIN_LOWER,   /* a lower level in AArch64 */
	ORIGIN_LOWER32, /* in AArch32 */
};

/* Registers of a level; EL0 has a stack pointer alone, of EL3 that is not followed: SLOT_NONE. */
enum { DAIF_ALL = 0x3c0 };

struct level_registers {
	uint8_t sp;
	uint8_t elr;
	uint8_t spsr;
};

static const struct level_registers registers[] = {
        [EL_0] = {REG_SP_EL0, SLOT_NONE, SLOT_NONE},
        [EL_1] = {REG_SP_EL1, REG_ELR_EL1, REG_SPSR_EL1},
        [EL_2] = {REG_SP_EL2, REG_ELR_EL2, REG_SPSR_EL2},
        [EL_3] = {SLOT_NONE, REG_ELR_EL3, REG_SPSR_EL3},
};

/* From here on the register is that of a slot, or not known if there is none. */
static void define(struct uop_builder *b, unsigned int reg, unsigned int slot)
{
	if (reg == SLOT_NONE)
		return;
	if (slot == SLOT_NONE)
		uop_define_unknown(b, reg, 64);
	else if (slot != reg)
		uop_define(b, reg, slot);
}

/* What the code that an exception comes from leaves to its SPSR. */
struct left_state {
	enum exception_level level;
	bool own_sp;
	unsigned int daif; /* its slot, or SLOT_NONE */
};

/*
 * ELR and SPSR of the level that the exception is taken to. Of SPSR the mode is what came from:
 * M[4:0] is 0, the level, 0, and SP; and D, A, I and F, which are all set from here on.
 */
static void save_state(const struct level_change *c, const struct left_state *from,
                       struct uop_builder *b)
{
	const struct level_registers *to = &registers[c->to];
	unsigned int mode = (unsigned int)from->level << 2 | (from->level != EL_0 && from->own_sp);
	unsigned int spsr = uop_unknown(b, 64);

	if (!c->has_returns)
		define(b, to->elr, SLOT_NONE);
	else if (c->is_indirect)
		define(b, to->elr,
		       uop_insert(b, 64, uop_unknown(b, 64), uop_constant(b, c->returns >> 2),
		                  (struct bits_field){.lsb = 0, .len = 62, .to = 2}));
	else
		define(b, to->elr, uop_constant(b, c->returns));
	if (from->daif != SLOT_NONE)
		spsr = uop_with_daif(b, spsr, from->daif);
	define(b, to->spsr,
	       uop_insert(b, 64, spsr, uop_constant(b, mode),
	                  (struct bits_field){.lsb = 0, .len = 5, .to = 0}));
	define(b, REG_DAIF, uop_constant(b, DAIF_ALL));
	uop_define_unknown(b, REG_PSTATE, 64);
}

void level_change_forget(struct uop_builder *b)
{
	for (unsigned int level = EL_1; level <= EL_3; level++) {
		define(b, registers[level].elr, SLOT_NONE);
		define(b, registers[level].spsr, SLOT_NONE);
	}
}

static bool find_origin(const struct level_change *c, enum origin *origin)
{
	uint64_t offset = c->vector % VECTOR_TABLE;
	bool is_interrupt = offset / VECTOR_SIZE % VECTOR_KINDS != 0;

	*origin = (enum origin)(offset / VECTOR_SIZE / VECTOR_KINDS);
	return offset % VECTOR_SIZE == 0 && (c->is_unseen || is_interrupt == c->is_interrupt) &&
	       c->to >= EL_1 && *origin != ORIGIN_LOWER32;
}

bool level_change_is_from_own_sp(uint64_t vector)
{
	return vector % VECTOR_TABLE / VECTOR_SIZE / VECTOR_KINDS == ORIGIN_OWN_SP;
}

unsigned int level_change_spsr(enum exception_level level)
{
	return registers[level].spsr;
}

/* An entry alone. */
static bool enter(const struct level_change *c, enum origin origin, struct uop_builder *b)
{
	enum exception_level from = origin == ORIGIN_LOWER ? c->from : c->to;

	if (c->from != EL_UNKNOWN && (origin == ORIGIN_LOWER ? c->from >= c->to : c->from != c->to))
		return false;
	if (from == EL_UNKNOWN && c->to == EL_1)
		from = EL_0;
	/* Which SP a level between used is known or not; its SPSR.M[0] with it. */
	if (from == EL_UNKNOWN || (origin == ORIGIN_LOWER && from != EL_0 && !c->has_own_sp))
		return false;
	if (origin != ORIGIN_OWN_SP) {
		bool is_el0s = origin == ORIGIN_SP_EL0 || from == EL_0;

		define(b, is_el0s ? REG_SP_EL0 : registers[from].sp, REG_SP);
		define(b, REG_SP, registers[c->to].sp);
		/* Of a level whose own SP is in use the register of that name says nothing. */
		define(b, registers[c->to].sp, SLOT_NONE);
	}
	save_state(c,
	           &(struct left_state){from,
	                                origin == ORIGIN_OWN_SP ||
	                                        (origin == ORIGIN_LOWER && from != EL_0),
	                                REG_DAIF},
	           b);
	return true;
}

/* An exception that comes before the first instruction after a return. */
static bool return_and_enter(const struct level_change *c, enum origin origin,
                             struct uop_builder *b)
{
	/* Back where it was: at the same level, or by way of EL0. */
	if (c->from != c->to || !c->has_own_sp || origin == ORIGIN_SP_EL0 ||
	    (origin == ORIGIN_LOWER && c->to != EL_1))
		return false;
	save_state(c,
	           &(struct left_state){origin == ORIGIN_LOWER ? EL_0 : c->to,
	                                origin == ORIGIN_OWN_SP,
	                                uop_daif(b, registers[c->from].spsr)},
	           b);
	return true;
}

static bool leave(const struct level_change *c, struct uop_builder *b)
{
	unsigned int own;
	unsigned int sp = REG_SP_EL0;

	if (c->from < EL_1 || c->to == EL_UNKNOWN || c->to > c->from || !c->has_own_sp)
		return false;
	own = c->to == c->from ? REG_SP : registers[c->to].sp;
	if (c->to != EL_0 && own == SLOT_NONE)
		sp = SLOT_NONE;
	else if (c->to != EL_0)
		sp = uop_select(b, 64,
		                uop_field(b, UOP_FIELD, 1, registers[c->from].spsr,
		                          (struct bits_field){.lsb = 0, .len = 1, .to = 0}),
		                own, REG_SP_EL0);
	/* What is in use, or may be, is not in the register of its name. */
	define(b, registers[c->from].sp, c->to == c->from ? (unsigned int)SLOT_NONE : REG_SP);
	if (c->to != c->from)
		define(b, registers[c->to].sp, SLOT_NONE);
	define(b, REG_SP, sp);
	define(b, REG_DAIF, uop_daif(b, registers[c->from].spsr));
	uop_define_unknown(b, REG_PSTATE, 64);
	return true;
}

/*
 * From EL1 or EL0 to EL0, and from there perhaps to EL1. What the entry of an exception writes is
 * as if its code were known: but any address may have been branched to.
 */
static bool stay(const struct level_change *c, enum origin origin, struct uop_builder *b)
{
	static const uint8_t kept[] = {REG_DCZID,     REG_TPIDRRO_EL0, REG_TPIDR_EL1, REG_TPIDR_EL2,
	                               REG_TPIDR_EL3, REG_SP_EL2,      REG_ELR_EL2,   REG_ELR_EL3,
	                               REG_SPSR_EL2,  REG_SPSR_EL3,    REG_SCTLR_EL1, REG_TCR_EL1};
	unsigned int own = !c->is_return ? REG_SP_EL1 : c->has_own_sp ? REG_SP : SLOT_NONE;

	if (c->from != (c->is_return ? EL_1 : EL_0) ||
	    (c->has_entry ? c->to != EL_1 || origin != ORIGIN_LOWER : c->to != EL_0))
		return false;
	b->insn.flags |= UOP_KILLS_ALL;
	if (c->spares_kernel)
		b->insn.flags |= UOP_SPARES_KERNEL;
	for (size_t i = 0; i < sizeof(kept); i++)
		uop_define(b, kept[i], kept[i]);
	if (c->has_entry) {
		save_state(c, &(struct left_state){EL_0, false, SLOT_NONE}, b);
	} else {
		uop_define(b, REG_ELR_EL1, REG_ELR_EL1);
		uop_define(b, REG_SPSR_EL1, REG_SPSR_EL1);
	}
	if (own != SLOT_NONE)
		uop_define(b, c->has_entry ? REG_SP : REG_SP_EL1, own);
	return true;
}

bool level_change_define(const struct level_change *change, struct uop_builder *b, bool *has_own_sp)
{
	static const uint8_t redirected[] = {REG_ELR_EL1, REG_SPSR_EL1, REG_SCTLR_EL1, REG_TCR_EL1,
	                                     REG_VL};
	enum origin origin = ORIGIN_LOWER;
	bool is_known;

	if (change->has_entry && !find_origin(change, &origin))
		return false;
	if (change->has_stay)
		is_known = stay(change, origin, b);
	else if (!change->has_entry)
		is_known = change->is_return && leave(change, b);
	else if (change->is_return)
		is_known = return_and_enter(change, origin, b);
	else
		is_known = enter(change, origin, b);
	/* With VHE the names of EL1's registers mean EL2's at EL2; vectors may have another length.
	 */
	if (is_known && (change->from > EL_1 || change->to > EL_1)) {
		for (size_t i = 0; i < sizeof(redirected); i++)
			define(b, redirected[i], SLOT_NONE);
	}
	*has_own_sp = is_known && change->has_entry;
	return is_known;
}
