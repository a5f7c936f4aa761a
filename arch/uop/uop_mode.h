/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes of AArch32 as micro-operations: which registers are in use after an instruction or the
 * entry of an exception that changes the mode (Arm ARM G1.9.1, G1.9.2). In: modes, as slots. Out:
 * definitions.
 *
 * Slots 8 to 14 and REG_A32_SPSR are those of the mode in use, which is REG_A32_MODE. What other
 * modes have is in slots of their own, that hold while their mode is not in use: SP_hyp 15, LR_irq
 * 16, SP_irq 17, LR_svc 18, SP_svc 19, LR_abt 20, SP_abt 21, LR_und 22, SP_und 23, SP_fiq 29,
 * LR_fiq 30, SP_usr REG_SP (their numbers in AArch64, D1.20.1), REG_A32_SPSR_..., and LR_usr
 * REG_A32_LR_USR, which Hyp mode uses. 24 to 28 are R8 to R12 of FIQ mode, or of all other modes
 * while that is in use. Monitor mode's registers, ELR_hyp, and SPSR_hyp while another mode is in
 * use are not followed.
 *
 * All of this goes by the values of the slots. So the mode need not be known where the operations
 * are made, nor ever: then what depends on it is not.
 */
#ifndef CSREPLAY_ARCH_UOP_UOP_MODE_H
#define CSREPLAY_ARCH_UOP_UOP_MODE_H

#include "arch/uop/uop_build.h"

/* M[4:0] of CPSR and SPSR. */
enum a32_mode {
	A32_USR = 0x10,
	A32_FIQ = 0x11,
	A32_IRQ = 0x12,
	A32_SVC = 0x13,
	A32_MON = 0x16,
	A32_ABT = 0x17,
	A32_HYP = 0x1a,
	A32_UND = 0x1b,
	A32_SYS = 0x1f,
};

enum { A32_MODE_MASK = 0x1f }; /* where they are */
enum { A32_GE_AT = 16 };       /* GE, four bits from here on */

/*
 * From here on the mode is that of the slot, 5 bits with zeros above. Registers that the
 * instruction has defined before are those of the mode until then.
 */
void uop_mode_change(struct uop_builder *b, unsigned int mode);
/*
 * The same as an exception does it, which leaves CPSR in the SPSR of the mode, and in its LR, but
 * for Hyp mode, the value of the slot `lr`.
 */
void uop_mode_enter(struct uop_builder *b, unsigned int mode, unsigned int lr);
/*
 * Code that is not seen has run, and the mode is what it was, with its R8 to R14: what else there
 * is here, and SCR, is not known any more.
 */
void uop_mode_forget_others(struct uop_builder *b);
/* R8 to R14, the mode and all that depends on it are not known any more. */
void uop_mode_forget(struct uop_builder *b);

/* CPSR: flags, GE and mode; what else there is is not known. */
unsigned int uop_mode_cpsr(struct uop_builder *b);

/* A register of a mode. */
struct mode_register {
	enum a32_mode mode;
	unsigned int in_use; /* its slot while the mode is in use: 8 to 14, REG_A32_SPSR */
};

/* Its value before the instruction, in whatever mode. */
unsigned int uop_mode_read(struct uop_builder *b, struct mode_register reg);
void uop_mode_write(struct uop_builder *b, struct mode_register reg, unsigned int slot);

/* Appends the name, such as "sp_irq"; false if the slot is no register of this file's. */
bool uop_mode_name(unsigned int reg, struct text *out);

#endif
