/* SPDX-License-Identifier: Apache-2.0 */
/* Registers to slots; see tarmac_slot.h. */
#include "replay/tarmac/tarmac_slot.h"

static const struct slot_place nowhere = {.slot = TARMAC_SLOT_NONE};

static struct slot_place place(unsigned int slot, unsigned int from, unsigned int size)
{
	return (struct slot_place){slot, (uint8_t)from, (uint8_t)size, (uint8_t)(from + size),
	                           false};
}

/* Slots of R13 and R14 by mode, A and R profile; 0 is none. */
static const struct {
	uint8_t sp;
	uint8_t lr;
} banked[] = {
        [TARMAC_MODE_NONE] = {SLOT_X + 13, SLOT_X + 14},
        [TARMAC_MODE_USR] = {SLOT_X + 13, SLOT_X + 14},
        [TARMAC_MODE_SYS] = {SLOT_X + 13, SLOT_X + 14},
        [TARMAC_MODE_HYP] = {SLOT_X + 15, SLOT_X + 14},
        [TARMAC_MODE_IRQ] = {SLOT_X + 17, SLOT_X + 16},
        [TARMAC_MODE_SVC] = {SLOT_X + 19, SLOT_X + 18},
        [TARMAC_MODE_ABT] = {SLOT_X + 21, SLOT_X + 20},
        [TARMAC_MODE_UND] = {SLOT_X + 23, SLOT_X + 22},
        [TARMAC_MODE_FIQ] = {SLOT_X + 29, SLOT_X + 30},
        [TARMAC_MODE_MON] = {SLOT_SP_MON, SLOT_LR_MON},
};

/* The stack pointer of AArch64 that is SP in the mode, or that the bank names. */
static unsigned int stack_a64(enum tarmac_mode mode)
{
	if (mode == TARMAC_MODE_EL1 || mode == TARMAC_MODE_EL1H)
		return SLOT_SP_EL + 1;
	if (mode == TARMAC_MODE_EL2 || mode == TARMAC_MODE_EL2H)
		return SLOT_SP_EL + 2;
	if (mode == TARMAC_MODE_EL3 || mode == TARMAC_MODE_EL3H)
		return SLOT_SP_EL + 3;
	return SLOT_SP_EL;
}

static unsigned int stack_m(enum tarmac_mode bank, enum tarmac_security security,
                            const struct tarmac_context *context)
{
	unsigned int slot = SLOT_SP_M;

	if (security == TARMAC_SECURITY_NOT_SAID)
		security = context->security;
	if (security == TARMAC_NON_SECURE)
		slot += 2;
	if (bank == TARMAC_MODE_MAIN)
		return slot;
	if (bank == TARMAC_MODE_PROCESS)
		return slot + 1;
	if (context->mode == TARMAC_MODE_HANDLER)
		return slot;
	return context->has_stack ? slot + context->is_process : (unsigned int)TARMAC_SLOT_NONE;
}

/* R0 to R14 of AArch32, 4 bytes each. */
static struct slot_place general32(unsigned int number, enum tarmac_mode bank,
                                   enum tarmac_security security,
                                   const struct tarmac_context *context)
{
	enum tarmac_mode mode = bank != TARMAC_MODE_NONE ? bank : context->mode;
	bool has_bank = mode < sizeof(banked) / sizeof(banked[0]) && banked[mode].sp > 0;
	unsigned int slot = SLOT_X + number;
	struct slot_place p;

	if (number > 14)
		return nowhere;
	if (number == 13 && context->arch == CORE_M)
		slot = stack_m(bank, security, context);
	else if (number >= 8 && number < 13 && mode == TARMAC_MODE_FIQ)
		slot = SLOT_X + number + 16;
	else if (number >= 13 && has_bank && context->arch != CORE_M)
		slot = number == 13 ? banked[mode].sp : banked[mode].lr;
	p = place(slot, 0, 4);
	p.whole = 8; /* what is above is not said */
	return p;
}

/* A scalar in a vector register: a part of one in AArch32, the low end of a whole one in AArch64.
 */
static struct slot_place vector(unsigned int number, unsigned int size,
                                const struct tarmac_context *context)
{
	unsigned int byte = number * size;
	struct slot_place p;

	if (context->arch != CORE_A64)
		return byte + size <= 32 * 16 ? place(SLOT_V + byte / 8, byte % 8, size) : nowhere;
	p = place(SLOT_V + 2 * number, 0, size);
	p.whole = 16;
	return p;
}

static const struct {
	struct str name;
	enum m_register number;
	enum tarmac_slot slot;
} by_name[] = {
        {{"primask", 7}, M_primask, SLOT_PRIMASK},
        {{"basepri", 7}, M_basepri, SLOT_BASEPRI},
        {{"faultmask", 9}, M_faultmask, SLOT_FAULTMASK},
        {{"control", 7}, M_control, SLOT_CONTROL},
};

static struct slot_place named(struct str name)
{
	for (unsigned int i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		if (str_eq_nocase(name, by_name[i].name))
			return place(by_name[i].slot, 0, 4);
	}
	return nowhere;
}

/* `size`: of a scalar in a vector register. */
static struct slot_place slot_of(const struct tarmac_register *reg, unsigned int size,
                                 const struct tarmac_context *context)
{
	enum tarmac_mode mode = reg->bank != TARMAC_MODE_NONE ? reg->bank : context->mode;
	struct slot_place p;

	switch (reg->file) {
	case TARMAC_FILE_X:
		return reg->number < 31 ? place(SLOT_X + reg->number, 0, 8) : nowhere;
	case TARMAC_FILE_W:
		p = place(reg->number < 31 ? SLOT_X + reg->number : stack_a64(mode), 0, 4);
		p.whole = 8;
		p.zeroes = true;
		return p;
	case TARMAC_FILE_SP:
		return place(stack_a64(mode), 0, 8);
	case TARMAC_FILE_R:
		return general32(reg->number, reg->bank, reg->security, context);
	case TARMAC_FILE_PSR:
	case TARMAC_FILE_XPSR:
		return place(SLOT_PSR, 0, 4);
	case TARMAC_FILE_FPSR:
		return place(SLOT_FPSR, 0, 4);
	case TARMAC_FILE_FPCR:
		return place(SLOT_FPCR, 0, 4);
	case TARMAC_FILE_FPSCR:
		return place(SLOT_FPSCR, 0, 4);
	case TARMAC_FILE_B:
	case TARMAC_FILE_H:
	case TARMAC_FILE_S:
	case TARMAC_FILE_D:
		return vector(reg->number, size, context);
	case TARMAC_FILE_Q:
	case TARMAC_FILE_V:
	case TARMAC_FILE_Z:
		return place(SLOT_V + 2U * reg->number, 0, 16);
	case TARMAC_FILE_SYSTEM:
		return named(reg->name);
	case TARMAC_FILE_PC:
	case TARMAC_FILE_SPSR:
	case TARMAC_FILE_ELR:
	case TARMAC_FILE_P:
	case TARMAC_FILE_FFR:
	case TARMAC_FILES:
		break;
	}
	return nowhere;
}

struct slot_place tarmac_slot_of(const struct tarmac_register *reg,
                                 const struct tarmac_context *context)
{
	return slot_of(reg, reg->value ? reg->value->size : 0, context);
}

/* The bank that a register of the M profile's file is, whatever the mode. */
static enum tarmac_mode bank_of(const struct register_file *file, unsigned int number)
{
	if (file->arch != CORE_M || (number != M_msp && number != M_psp))
		return TARMAC_MODE_NONE;
	return number == M_msp ? TARMAC_MODE_MAIN : TARMAC_MODE_PROCESS;
}

static struct slot_place system_of_number(const struct register_file *file, unsigned int number)
{
	for (unsigned int i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		if (file->arch == CORE_M && by_name[i].number == number)
			return place(by_name[i].slot, 0, file->table[number].bits / 8);
	}
	return nowhere;
}

struct slot_place tarmac_slot_of_number(const struct register_file *file, unsigned int number,
                                        const struct tarmac_context *context)
{
	const struct register_info *info = &file->table[number];
	struct tarmac_context as_file = *context;
	struct tarmac_register reg = {.file = (enum tarmac_file)info->tarmac_file,
	                              .number = info->tarmac_number,
	                              .bank = bank_of(file, number)};

	as_file.arch = file->arch;
	if (reg.file == TARMAC_FILE_SYSTEM)
		return system_of_number(file, number);
	return slot_of(&reg, info->bits / 8, &as_file);
}

enum {
	CONTEXT_MODE = 0, /* bytes of SLOT_MODE */
	CONTEXT_SECURITY = 1,
	CONTEXT_STACK = 2,
	CONTEXT_REGIME = 3,
};

bool tarmac_is_el2(enum tarmac_mode mode)
{
	return mode == TARMAC_MODE_HYP || mode == TARMAC_MODE_EL2 || mode == TARMAC_MODE_EL2T ||
	       mode == TARMAC_MODE_EL2H;
}

bool tarmac_is_el3(enum tarmac_mode mode)
{
	return mode == TARMAC_MODE_MON || mode == TARMAC_MODE_EL3 || mode == TARMAC_MODE_EL3T ||
	       mode == TARMAC_MODE_EL3H;
}

/* Whose translations a mode's addresses go through. */
enum level {
	LEVEL_NOT_SAID,
	LEVEL_EL1, /* and EL0 */
	LEVEL_EL2,
	LEVEL_EL3,
	LEVEL_EL0, /* by itself */
	LEVEL_M,   /* addresses are physical */
};

static enum level level_of(const struct tarmac_context *context)
{
	enum tarmac_mode mode = context->mode;

	if (mode == TARMAC_MODE_NONE)
		return LEVEL_NOT_SAID;
	if (mode == TARMAC_MODE_THREAD || mode == TARMAC_MODE_HANDLER)
		return LEVEL_M;
	if (mode == TARMAC_MODE_EL0 || mode == TARMAC_MODE_EL0T || mode == TARMAC_MODE_USR)
		return context->has_hypervisor ? LEVEL_EL0 : LEVEL_EL1;
	if (tarmac_is_el2(mode))
		return LEVEL_EL2;
	/* Monitor mode and the Secure ones of AArch32 share one (G5.1.2). */
	return tarmac_is_el3(mode) && mode != TARMAC_MODE_MON ? LEVEL_EL3 : LEVEL_EL1;
}

uint8_t tarmac_regime_of(const struct tarmac_context *context)
{
	enum level level = level_of(context);
	unsigned int security = context->security;

	if (level == LEVEL_EL3 || level == LEVEL_M)
		security = TARMAC_SECURITY_NOT_SAID;
	else if (context->mode == TARMAC_MODE_MON)
		security = TARMAC_SECURE;
	return (uint8_t)(level * (TARMAC_REALM + 1) + security);
}

uint64_t tarmac_context_pack(const struct tarmac_context *context, uint8_t *known)
{
	*known = 1U << CONTEXT_MODE | 1U << CONTEXT_SECURITY | 1U << CONTEXT_REGIME;
	*known |= (uint8_t)(context->has_stack ? 1U << CONTEXT_STACK : 0);
	return (uint64_t)context->mode << (8 * CONTEXT_MODE) |
	       (uint64_t)context->security << (8 * CONTEXT_SECURITY) |
	       (uint64_t)(context->has_stack && context->is_process) << (8 * CONTEXT_STACK) |
	       (uint64_t)tarmac_regime_of(context) << (8 * CONTEXT_REGIME);
}

void tarmac_context_unpack(uint64_t packed, uint8_t known, struct tarmac_context *context)
{
	context->mode = TARMAC_MODE_NONE;
	context->security = TARMAC_SECURITY_NOT_SAID;
	if (known & 1U << CONTEXT_MODE)
		context->mode = (enum tarmac_mode)(packed >> (8 * CONTEXT_MODE) & 0xff);
	if (known & 1U << CONTEXT_SECURITY)
		context->security = (enum tarmac_security)(packed >> (8 * CONTEXT_SECURITY) & 0xff);
	context->has_stack = (known & 1U << CONTEXT_STACK) != 0;
	context->is_process = (packed >> (8 * CONTEXT_STACK) & 1U) != 0;
	context->regime = 0;
	if (known & 1U << CONTEXT_REGIME)
		context->regime = (uint8_t)(packed >> (8 * CONTEXT_REGIME) & 0xff);
}

enum tarmac_mode tarmac_mode_of_psr(uint64_t psr)
{
	/* By M[4:0]: SPSR_ELx of AArch64 (C5.2.19) and CPSR (G8.2.33). */
	static const uint8_t modes[32] = {
	        [0] = TARMAC_MODE_EL0T,  [4] = TARMAC_MODE_EL1T, [5] = TARMAC_MODE_EL1H,
	        [8] = TARMAC_MODE_EL2T,  [9] = TARMAC_MODE_EL2H, [12] = TARMAC_MODE_EL3T,
	        [13] = TARMAC_MODE_EL3H, [16] = TARMAC_MODE_USR, [17] = TARMAC_MODE_FIQ,
	        [18] = TARMAC_MODE_IRQ,  [19] = TARMAC_MODE_SVC, [22] = TARMAC_MODE_MON,
	        [23] = TARMAC_MODE_ABT,  [26] = TARMAC_MODE_HYP, [27] = TARMAC_MODE_UND,
	        [31] = TARMAC_MODE_SYS,
	};

	return (enum tarmac_mode)modes[psr & 0x1f];
}
