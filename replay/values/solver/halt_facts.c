/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the snapshot's registers say of a window that reaches the halt. In: the registers of the
 * core's [regs]. Out: facts about the SSA values at the end of the window.
 *
 * Besides the registers of the core's table (arch/register.h) these are the system registers that
 * MRS reads into data: each level's thread pointer, in which kernels keep where the memory of a
 * processor is, and the stack pointers that are not in use, of which Linux keeps the running task
 * in SP_EL0.
 */
#include "replay/values/solver/initial_facts.h"

#include "arch/isa.h"
#include "replay/history/history.h"
#include "replay/values/solver/solver.h"

static void learn_end(struct solver *s, unsigned int reg, uint64_t value, unsigned int bits)
{
	uint32_t ssa = s->w.after[reg];
	struct bits old = s->ssa_values[ssa];

	solve_because(s, CAUSE_HALT, s->w.dyn_count, reg);
	if (!bits_learn(&s->ssa_values[ssa], value, bits_mask(bits)))
		solve_conflict(s, s->w.dyn_count, ssa, (struct bits){value, bits_mask(bits)});
	else if (s->log && s->ssa_values[ssa].known != old.known)
		provenance_ssa(s->log, ssa, s->ssa_values[ssa].known);
}

static void learn_vector(struct solver *s, unsigned int slot, const struct snap_register *reg)
{
	for (unsigned int half = 0; half < 2; half++) {
		uint64_t value = 0;

		if (reg->bits < 128)
			return;
		for (unsigned int i = 0; i < 8; i++)
			value |= (uint64_t)reg->value[8 * half + i] << 8 * i;
		learn_end(s, slot + half, value, 64);
	}
}

#define XPSR_NUMBER   UINT64_C(0x1ff)
#define CONTROL_SPSEL UINT64_C(2)
#define CONTROL_FPCA  UINT64_C(4)

/*
 * Of the M profile's two stack pointers, that which is not in use. With Security Extension the
 * names without a suffix are those of the state in use (DDI 0553, D1.2.39: DCRSR).
 */
static void learn_other_sp(struct solver *s, bool on_psp)
{
	const struct snap_register *used =
	        history_halt_register(s->w.history, on_psp ? M_psp : M_msp);
	const struct snap_register *sp = history_halt_register(s->w.history, M_sp);
	const struct snap_register *other =
	        history_halt_register(s->w.history, on_psp ? M_msp : M_psp);

	if (used && sp && snap_register_value(used) != snap_register_value(sp))
		return; /* they are of another state or moment */
	if (other)
		learn_end(s, REG_M_OTHER_SP, snap_register_value(other) & UINT32_MAX, 64);
}

/* Handlers use MSP; threads what SPSEL says. */
static void learn_m(struct solver *s)
{
	const struct snap_register *xpsr = history_halt_register(s->w.history, M_xpsr);
	const struct snap_register *control = history_halt_register(s->w.history, M_control);
	uint64_t bits = control ? snap_register_value(control) : 0;
	bool is_handler = xpsr && (snap_register_value(xpsr) & XPSR_NUMBER) != 0;
	bool on_psp = !is_handler && (bits & CONTROL_SPSEL) != 0;

	if (!xpsr)
		return;
	learn_end(s, REG_M_HANDLER, is_handler, 64);
	if (s->without != M_xpsr && s->without != WITHOUT_ALL)
		learn_end(s, REG_A32_GE, snap_register_value(xpsr) >> A32_GE_AT & 15, 64);
	if (control)
		learn_end(s, REG_M_FPCA, (bits & CONTROL_FPCA) != 0, 64);
	if (!is_handler && !control)
		return;
	learn_end(s, REG_M_ON_PSP, on_psp, 64);
	learn_other_sp(s, on_psp);
}

#define MODE_AARCH32 UINT64_C(0x10)
#define DAIF         UINT64_C(0x3c0) /* PSTATE.D, A, I and F in CPSR */
#define MODE_OWN_SP  UINT64_C(1)

/* System registers of A64 that are registers of the solver. */
struct system_slot {
	const char *name;
	uint8_t slot;
	enum exception_level sp_of; /* the level that it is the stack pointer of, or EL_UNKNOWN */
};

static const struct system_slot system_slots[] = {
        {"DCZID_EL0", REG_DCZID, EL_UNKNOWN},
        {"TPIDR_EL0", REG_TPIDR_EL0, EL_UNKNOWN},
        {"TPIDRRO_EL0", REG_TPIDRRO_EL0, EL_UNKNOWN},
        {"TPIDR_EL1", REG_TPIDR_EL1, EL_UNKNOWN},
        {"TPIDR_EL2", REG_TPIDR_EL2, EL_UNKNOWN},
        {"TPIDR_EL3", REG_TPIDR_EL3, EL_UNKNOWN},
        {"SP_EL0", REG_SP_EL0, EL_0},
        {"SP_EL1", REG_SP_EL1, EL_1},
        {"SP_EL2", REG_SP_EL2, EL_2},
};

/* Of AArch32 the upper half is zero. */
static void learn_named(struct solver *s, const char *name, unsigned int slot)
{
	const struct snap_core *core = history_core(s->w.history);
	const struct snap_register *reg = snap_device_register(core->device, str_of(name));

	if (!reg)
		return;
	if (core->arch == CORE_A64)
		learn_end(s, slot, snap_register_value(reg), reg->bits < 64 ? reg->bits : 64);
	else
		learn_end(s, slot, snap_register_value(reg) & UINT32_MAX, 64);
}

/*
 * ELR and SPSR are not among them: a last exception may have written them, and with VHE their names
 * mean those of another level. Of the stack pointer in use what a debugger has under the name of
 * its level may be old. SCTLR_EL1 and TCR_EL1 count for EL0 where that is under EL1 (HCR_EL2.TGE).
 */
static void learn_system(struct solver *s)
{
	const struct snap_register *cpsr = history_halt_register(s->w.history, A64_cpsr);
	uint64_t mode = cpsr ? snap_register_value(cpsr) : MODE_AARCH32;
	enum exception_level level = (enum exception_level)(mode >> 2 & 3);
	enum exception_level used = (mode & MODE_OWN_SP) != 0 ? level : EL_0;

	if ((mode & MODE_AARCH32) != 0)
		return;
	for (size_t i = 0; i < sizeof(system_slots) / sizeof(system_slots[0]); i++) {
		if (system_slots[i].sp_of != used)
			learn_named(s, system_slots[i].name, system_slots[i].slot);
	}
	if (s->without != A64_cpsr)
		learn_end(s, REG_DAIF, mode & DAIF, 64);
	if (level == EL_1) {
		learn_named(s, "SCTLR_EL1", REG_SCTLR_EL1);
		learn_named(s, "TCR_EL1", REG_TCR_EL1);
	}
}

/* A register of the modes of A32 that are not in use. */
static void learn_banked(struct solver *s, enum a32_mode used)
{
#define B(name, mode, slot)                                                                        \
	{                                                                                          \
		name, mode, slot                                                                   \
	}
	static const struct {
		const char *name;
		uint8_t mode;
		uint8_t slot;
	} rows[] = {
	        B("SP_USR", A32_USR, REG_SP), B("LR_USR", A32_USR, REG_A32_LR_USR),
	        B("LR_IRQ", A32_IRQ, 16),     B("SP_IRQ", A32_IRQ, 17),
	        B("LR_SVC", A32_SVC, 18),     B("SP_SVC", A32_SVC, 19),
	        B("LR_ABT", A32_ABT, 20),     B("SP_ABT", A32_ABT, 21),
	        B("LR_UND", A32_UND, 22),     B("SP_UND", A32_UND, 23),
	        B("R8_FIQ", A32_FIQ, 24),     B("R9_FIQ", A32_FIQ, 25),
	        B("R10_FIQ", A32_FIQ, 26),    B("R11_FIQ", A32_FIQ, 27),
	        B("R12_FIQ", A32_FIQ, 28),    B("SP_FIQ", A32_FIQ, 29),
	        B("LR_FIQ", A32_FIQ, 30),
	};
#undef B

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool is_usr = rows[i].mode == A32_USR;

		if (used != rows[i].mode && !(is_usr && (used == A32_SYS || used == A32_HYP)))
			learn_named(s, rows[i].name, rows[i].slot);
	}
}

static void learn_modes(struct solver *s)
{
	const struct snap_register *cpsr = history_halt_register(s->w.history, A32_cpsr);

	if (!cpsr || s->without == A32_cpsr || s->without == WITHOUT_ALL)
		return;
	learn_end(s, REG_A32_MODE, snap_register_value(cpsr) & A32_MODE_MASK, 64);
	learn_end(s, REG_A32_GE, snap_register_value(cpsr) >> A32_GE_AT & 15, 64);
	learn_banked(s, (enum a32_mode)(snap_register_value(cpsr) & A32_MODE_MASK));
}

/*
 * The thread pointers of A32. There is one of each in either security state: where that changes
 * they are lost (replay/values/ssa/control_event.h).
 */
static void learn_threads(struct solver *s)
{
	static const struct {
		const char *name;
		uint8_t slot;
	} rows[] = {
	        {"TPIDRURW", REG_TPIDR_EL0},
	        {"TPIDRURO", REG_TPIDRRO_EL0},
	        {"TPIDRPRW", REG_TPIDR_EL1},
	        {"HTPIDR", REG_TPIDR_EL2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		learn_named(s, rows[i].name, rows[i].slot);
}

/* Read in Non-secure state it need not be what it is. */
static void learn_scr(struct solver *s)
{
	struct context_change last;

	if (history_last_context(s->w.history, history_length(s->w.history), &last) &&
	    last.context.security == SECURITY_SECURE)
		learn_named(s, "SCR", REG_A32_SCR);
}

static void learn_a32(struct solver *s)
{
	learn_modes(s);
	learn_scr(s);
	learn_threads(s);
}

void halt_facts(struct solver *s)
{
	const struct snap_core *core = history_core(s->w.history);
	const struct register_file file = register_file_of(core->arch);

	for (unsigned int i = 0; i < file.trace; i++) {
		const struct snap_register *reg = history_halt_register(s->w.history, i);
		struct register_slot at = register_slot_of(core->arch, i);
		unsigned int known;
		uint64_t value;

		if (!reg || at.count == 0 ||
		    (i != REGISTER_PC && (i == s->without || s->without == WITHOUT_ALL)))
			continue;
		value = snap_register_value(reg);
		known = register_known_bits(&file, i, reg);
		if (at.count == 2)
			learn_vector(s, at.slot, reg);
		else if (at.is_flags)
			learn_end(s, at.slot, (uint64_t)1 << (value >> 28 & 15), 64);
		else
			learn_end(s, at.slot, value & bits_mask(at.bits),
			          known < file.table[i].bits || core->arch == CORE_A64 ? known
			                                                               : 64);
	}
	if (core->arch == CORE_M)
		learn_m(s);
	else if (core->arch == CORE_A64)
		learn_system(s);
	else
		learn_a32(s);
}
