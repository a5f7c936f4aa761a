/* SPDX-License-Identifier: Apache-2.0 */
/* Frames on the stack; see m_exception.h. */
#include "replay/values/ssa/m_exception.h"

#include "arch/isa.h"

enum {
	SP = 13,
	LR = 14,
	PC = 15,
	BASIC_FRAME = 32,  /* bytes: R0 to R3, R12, LR, return address, xPSR */
	FP_FRAME = 104,    /* and S0 to S15, FPSCR, a word */
	FP_MOST = 168,     /* and S16 to S31 (FPCCR.TS) */
	CALLEE_FRAME = 40, /* a signature, a word, R4 to R11 */
	SCALARS = 8,       /* D registers that have S0 to S15 */

	AT_RETURN = 24,
	AT_XPSR = 28,
	XPSR_FLAGS = 28, /* bits */
	XPSR_PADDED = 9,
	RETURN_TO_SECURE = 0, /* the handler is in Secure state */
	RETURN_SPSEL = 2,
	RETURN_MODE = 3,
	RETURN_BASIC = 4,
	RETURN_DCRS = 5, /* default rules for the stacking of R4 to R11 */
	RETURN_SECURE = 6,
};

#define RETURN_ONES UINT32_C(0xffffffe1)

/* Registers in the order of a frame. */
static const uint8_t stacked[] = {0, 1, 2, 3, 12, LR};
enum { STACKED = sizeof(stacked) };

struct m_core m_core_of(const struct snap_device *device)
{
	static const struct {
		const char *type;
		struct m_core core;
	} types[] = {
	        {"Cortex-M0", {.is_followed = true, .is_aligned = true}},
	        {"Cortex-M0+", {.is_followed = true, .is_aligned = true}},
	        {"Cortex-M0PLUS", {.is_followed = true, .is_aligned = true}},
	        {"Cortex-M1", {.is_followed = true, .is_aligned = true}},
	        {"Cortex-M3", {.is_followed = true}},
	        {"Cortex-M4", {.is_followed = true, .may_have_fpu = true}},
	        {"Cortex-M7", {.is_followed = true, .may_have_fpu = true}},
	        {"Cortex-M33", {true, true, true, true, false}},
	        {"Cortex-M35P", {true, true, true, true, false}},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (str_eq_nocase(device->type, str_of(types[i].type)))
			return types[i].core;
	}
	return (struct m_core){.may_have_fpu = true};
}

/*
 * On a core with the Security Extension HardFault to UsageFault may be of the stacking itself: a
 * stack limit leaves no frame. ETMv3, which has no such core, does not say enough.
 */
static bool may_leave_no_frame(const struct m_core *core, const struct exception_info *info)
{
	return core->has_security &&
	       (info->numbering != EXCEPTIONS_ETM4_M || info->kind == EXCEPTION_FAULT);
}

enum m_exception_kind m_exception_kind_of(const struct m_core *core,
                                          const struct exception_info *info)
{
	static const uint8_t kinds[EXCEPTION_KINDS] = {
	        [EXCEPTION_CALL] = M_EXCEPTION_PLAIN,
	        [EXCEPTION_FAULT] = M_EXCEPTION_PLAIN,
	        [EXCEPTION_MONITOR] = M_EXCEPTION_PLAIN,
	        [EXCEPTION_SYSTEM] = M_EXCEPTION_PLAIN,
	        [EXCEPTION_INTERRUPT] = M_EXCEPTION_INTERRUPT,
	};

	if (!info || may_leave_no_frame(core, info))
		return M_EXCEPTION_OTHER;
	return (enum m_exception_kind)kinds[info->kind];
}

static bool is_secure(const struct m_core *core)
{
	return core->has_security && core->is_secure;
}

static unsigned int bit_of(struct uop_builder *b, unsigned int slot, unsigned int bit)
{
	return uop_field(b, UOP_FIELD, 32, slot, (struct bits_field){bit, 1, 0});
}

static unsigned int with_bit(struct uop_builder *b, unsigned int slot, unsigned int bit,
                             unsigned int value)
{
	return uop_insert(b, 32, slot, value, (struct bits_field){0, 1, bit});
}

static unsigned int negated(struct uop_builder *b, unsigned int bit)
{
	return uop_make(b, UOP_XOR, 1, bit, uop_constant(b, 1));
}

/* 1 if the frame is without the registers of the FPU. */
static unsigned int is_basic(const struct m_core *core, struct uop_builder *b,
                             unsigned int exc_return)
{
	return core->may_have_fpu ? bit_of(b, exc_return, RETURN_BASIC) : uop_constant(b, 1);
}

/* Of Secure state it may be larger by S16 to S31. */
static unsigned int size_of(const struct m_core *core, struct uop_builder *b, unsigned int basic)
{
	unsigned int with_fp;

	if (!core->may_have_fpu)
		return uop_constant(b, BASIC_FRAME);
	with_fp = is_secure(core) ? uop_unknown(b, 32) : uop_constant(b, FP_FRAME);
	return uop_select(b, 32, basic, uop_constant(b, BASIC_FRAME), with_fp);
}

static void forget_state(const struct m_core *core, struct uop_builder *b)
{
	unsigned int scalars = is_secure(core) ? 2 * SCALARS : SCALARS;

	uop_define_unknown(b, REG_PSTATE, 64);
	if (!core->may_have_fpu)
		return;
	uop_define_unknown(b, REG_FPSR, 64);
	for (unsigned int d = 0; d < scalars; d++)
		uop_define_unknown(b, REG_V0 + d, 64);
}

/* And what a handler finds in all that is stacked, which is not said. */
static void forget_interrupted(const struct m_core *core, struct uop_builder *b)
{
	forget_state(core, b);
	uop_define_unknown(b, REG_NZCV, 16);
	uop_define_unknown(b, REG_A32_GE, 64);
	for (unsigned int i = 0; i + 1 < STACKED; i++)
		uop_define_unknown(b, stacked[i], 32);
}

/*
 * What the core puts into LR. PSP is of threads; with Security Extension SPSEL of a handler's own
 * may be set. `on_psp`: the frame is there.
 */
static unsigned int make_exc_return(const struct m_core *core, struct uop_builder *b,
                                    unsigned int *on_psp)
{
	unsigned int psp = REG_M_ON_PSP;
	unsigned int mode = uop_make(b, UOP_OR, 1, psp, negated(b, REG_M_HANDLER));
	unsigned int spsel = psp;
	unsigned int slot = uop_constant(b, RETURN_ONES);

	*on_psp = psp;
	if (core->has_security) {
		spsel = uop_make(b, UOP_OR, 1, psp,
		                 uop_make(b, UOP_AND, 1, REG_M_HANDLER, uop_unknown(b, 1)));
		slot = with_bit(b, slot, RETURN_TO_SECURE, uop_unknown(b, 1));
		slot = with_bit(b, slot, RETURN_SECURE, uop_constant(b, is_secure(core) ? 1 : 0));
	}
	if (is_secure(core))
		slot = with_bit(b, slot, RETURN_DCRS, uop_unknown(b, 1));
	slot = with_bit(b, slot, RETURN_SPSEL, spsel);
	slot = with_bit(b, slot, RETURN_MODE, mode);
	if (!core->may_have_fpu)
		return with_bit(b, slot, RETURN_BASIC, uop_constant(b, 1));
	return with_bit(b, slot, RETURN_BASIC, negated(b, REG_M_FPCA));
}

/* R4 to R11, if they were not stacked below the frame. */
static void keep_callee(struct uop_builder *b, unsigned int dcrs)
{
	for (unsigned int reg = 4; reg <= 11; reg++)
		uop_define(b, reg, uop_select(b, 32, dcrs, reg, uop_unknown(b, 32)));
}

/* What an entry leaves as the SP that the frame is on, and does below the frame. */
static unsigned int stack_callee(const struct m_core *core, struct uop_builder *b,
                                 unsigned int exc_return, unsigned int frame)
{
	unsigned int dcrs;

	if (!is_secure(core))
		return frame;
	dcrs = bit_of(b, exc_return, RETURN_DCRS);
	uop_clobber_when(b, (struct uop_place){frame, -CALLEE_FRAME}, CALLEE_FRAME, 0,
	                 (struct uop_access){.when = (uint8_t)dcrs});
	keep_callee(b, dcrs);
	return uop_select(b, 32, dcrs, frame,
	                  uop_sum(b, 32, frame, uop_constant(b, CALLEE_FRAME), true));
}

/*
 * The frame is below SP, and lower by 4 if it would not be aligned to 8 and the core does that
 * (CCR.STKALIGN). `padded` is whether it did.
 */
static unsigned int frame_below(const struct m_core *core, struct uop_builder *b, unsigned int size,
                                unsigned int *padded)
{
	unsigned int place = uop_sum(b, 32, SP, size, true);
	unsigned int odd = bit_of(b, place, 2);

	*padded = odd;
	if (core->is_aligned)
		return with_bit(b, place, 2, SLOT_ZERO);
	*padded = uop_make(b, UOP_AND, 1, odd, uop_unknown(b, 1));
	return with_bit(b, place, 2, uop_make(b, UOP_XOR, 1, odd, *padded));
}

/* LDM, POP, STM, PUSH; of 32 bits all of their group, with LDRD and STRD; VLDM, VSTM and all FP. */
bool m_has_many_accesses(uint32_t opcode)
{
	if (opcode <= UINT16_MAX)
		return (opcode & 0xf600) == 0xb400 || (opcode & 0xf000) == 0xc000;
	return opcode >> 25 == 0x74 || m_is_fp(opcode);
}

/* LDM, STM, PUSH and POP. */
struct m_list {
	uint16_t registers;
	uint8_t base;
	bool is_load;
	bool writes_back;
	bool is_below; /* accesses are below the base */
};

static bool list_of(uint32_t opcode, struct m_list *list)
{
	bool is_stack = (opcode & 0xf600) == 0xb400;

	if (opcode > UINT16_MAX) {
		*list = (struct m_list){.registers = (uint16_t)opcode,
		                        .base = opcode >> 16 & 15,
		                        .is_load = (opcode >> 20 & 1) != 0,
		                        .writes_back = (opcode >> 21 & 1) != 0,
		                        .is_below = (opcode >> 24 & 1) != 0};
		return opcode >> 25 == 0x74 && (opcode >> 22 & 1) == 0 &&
		       (opcode >> 24 & 1) != (opcode >> 23 & 1);
	}
	*list = (struct m_list){.registers = opcode & 0xff,
	                        .base = is_stack ? SP : opcode >> 8 & 7,
	                        .is_load = (opcode >> 11 & 1) != 0,
	                        .writes_back = true,
	                        .is_below = is_stack && (opcode >> 11 & 1) == 0};
	if (is_stack && (opcode >> 8 & 1) != 0)
		list->registers |= (uint16_t)(1U << (list->is_load ? PC : LR));
	/* LDM of its base does not write it back. */
	if (list->is_load && (list->registers >> list->base & 1) != 0)
		list->writes_back = false;
	return is_stack || (opcode & 0xf000) == 0xc000;
}

static uint32_t list_bytes(const struct m_list *list)
{
	uint32_t bytes = 0;

	for (unsigned int reg = 0; reg <= PC; reg++)
		bytes += (list->registers >> reg & 1) != 0 ? 4 : 0;
	return bytes;
}

/* Memory that it stores to, all or some of it. */
static void clobber_list(struct uop_builder *b, const struct m_list *list)
{
	int64_t offset = list->is_below ? -(int64_t)list_bytes(list) : 0;

	if (!list->is_load && list->registers != 0)
		uop_clobber(b, (struct uop_place){list->base, offset}, list_bytes(list), 0);
}

static void stack_frame(struct uop_builder *b, unsigned int frame, uint32_t return_address,
                        unsigned int padded, unsigned int lost)
{
	unsigned int flags = uop_make(b, UOP_PACK, 4, REG_NZCV, SLOT_NONE);
	unsigned int xpsr =
	        uop_insert(b, 32, uop_unknown(b, 32), flags, (struct bits_field){0, 4, XPSR_FLAGS});

	xpsr = uop_insert(b, 32, xpsr, REG_A32_GE, (struct bits_field){0, 4, A32_GE_AT});
	for (unsigned int i = 0; i < STACKED; i++)
		uop_store(b, (struct uop_place){frame, 4 * (int64_t)i}, 4,
		          (lost >> stacked[i] & 1) != 0 ? uop_unknown(b, 32) : stacked[i]);
	uop_store(b, (struct uop_place){frame, AT_RETURN}, 4, uop_constant(b, return_address));
	uop_store(b, (struct uop_place){frame, AT_XPSR}, 4, with_bit(b, xpsr, XPSR_PADDED, padded));
}

static void finish(struct uop_builder *b)
{
	uop_finish(b);
	b->insn.flags |= UOP_AARCH32;
}

static void enter_handler(const struct m_core *core, struct uop_builder *b)
{
	uop_define(b, REG_M_ON_PSP, SLOT_ZERO);
	uop_define(b, REG_M_HANDLER, uop_constant(b, 1));
	if (core->may_have_fpu)
		uop_define(b, REG_M_FPCA, SLOT_ZERO);
}

void m_exception_enter(const struct m_core *core, uint32_t return_address, uint32_t opcode,
                       struct uop_builder *b)
{
	unsigned int on_psp;
	unsigned int exc_return;
	unsigned int basic;
	unsigned int frame;
	unsigned int lowest;
	unsigned int padded;
	struct m_list list = {.registers = 0};
	bool is_list = m_has_many_accesses(opcode) && list_of(opcode, &list);
	unsigned int lost = is_list && list.is_load ? list.registers : 0;

	uop_begin(b);
	if (is_list)
		clobber_list(b, &list);
	exc_return = make_exc_return(core, b, &on_psp);
	basic = is_basic(core, b, exc_return);
	frame = frame_below(core, b, size_of(core, b, basic), &padded);
	stack_frame(b, frame, return_address, padded, lost);
	if (core->may_have_fpu)
		uop_clobber_when(b, (struct uop_place){frame, BASIC_FRAME},
		                 (is_secure(core) ? FP_MOST : FP_FRAME) - BASIC_FRAME, 0,
		                 (struct uop_access){.when = (uint8_t)basic});
	lowest = stack_callee(core, b, exc_return, frame);
	forget_interrupted(core, b);
	uop_define(b, LR, exc_return);
	uop_define(b, SP, uop_select(b, 32, on_psp, REG_M_OTHER_SP, lowest));
	uop_define(b, REG_M_OTHER_SP, uop_select(b, 32, on_psp, lowest, REG_M_OTHER_SP));
	enter_handler(core, b);
	for (unsigned int reg = 4; reg <= 11; reg++) {
		if ((lost >> reg & 1) != 0)
			uop_define_unknown(b, reg, 32);
	}
	finish(b);
	if (m_has_many_accesses(opcode) && !is_list)
		b->insn.flags |= UOP_KILLS_ALL;
}

void m_exception_again(uint32_t opcode, struct uop_builder *b)
{
	struct m_list list;
	bool is_list = list_of(opcode, &list);
	bool is_below = list.is_below;

	uop_begin(b);
	clobber_list(b, &list);
	for (unsigned int reg = 0; reg <= LR && list.is_load; reg++) {
		if ((list.registers >> reg & 1) != 0)
			uop_define_unknown(b, reg, 32);
	}
	if (list.writes_back)
		uop_define(b, list.base,
		           uop_sum(b, 32, list.base, uop_constant(b, list_bytes(&list)), is_below));
	if (list.is_load && (list.registers >> PC & 1) != 0)
		b->insn.branch = (struct uop_branch){.kind = BRANCH_INDIRECT,
		                                     .slot = (uint8_t)uop_unknown(b, 32),
		                                     .target_bits = 32,
		                                     .when = SLOT_NONE};
	finish(b);
	if (!is_list)
		b->insn.flags |= UOP_KILLS_ALL;
}

/* The EXC_RETURN that an instruction put into the PC. */
static unsigned int exc_return_of(struct uop_builder *b, uint32_t opcode)
{
	bool is_pop = (opcode & 0xff00) == 0xbd00 && opcode <= UINT16_MAX;
	bool is_load = (opcode & 0xffff8000) == 0xe8bd8000 || opcode == 0xf85dfb04;

	if ((opcode & 0xff87) == 0x4700 && opcode <= UINT16_MAX && (opcode >> 3 & 15) < 15)
		return opcode >> 3 & 15;
	/* The PC was the last word popped, and is still there. */
	if (is_pop || is_load)
		return uop_load(b, (struct uop_place){SP, -4}, 4);
	return uop_unknown(b, 32);
}

static void chain(const struct m_core *core, struct uop_builder *b, unsigned int exc_return)
{
	forget_interrupted(core, b);
	/* What came before decides where R4 to R11 are from now on. */
	if (is_secure(core))
		exc_return = with_bit(b, exc_return, RETURN_DCRS, uop_unknown(b, 1));
	uop_define(b, LR, exc_return);
	enter_handler(core, b);
}

static unsigned int frame_at(const struct m_core *core, struct uop_builder *b,
                             unsigned int exc_return, unsigned int on_psp)
{
	unsigned int frame = uop_select(b, 32, on_psp, REG_M_OTHER_SP, SP);
	unsigned int dcrs;

	if (core->is_aligned)
		frame = with_bit(b, frame, 2, SLOT_ZERO);
	if (!is_secure(core))
		return frame;
	dcrs = bit_of(b, exc_return, RETURN_DCRS);
	keep_callee(b, dcrs);
	return uop_select(b, 32, dcrs, frame,
	                  uop_sum(b, 32, frame, uop_constant(b, CALLEE_FRAME), false));
}

static void unstack(const struct m_core *core, struct uop_builder *b, unsigned int exc_return)
{
	unsigned int spsel = bit_of(b, exc_return, RETURN_SPSEL);
	unsigned int mode = bit_of(b, exc_return, RETURN_MODE);
	unsigned int on_psp = core->has_security ? uop_make(b, UOP_AND, 1, spsel, mode) : spsel;
	unsigned int basic = is_basic(core, b, exc_return);
	unsigned int size = size_of(core, b, basic);
	unsigned int frame = frame_at(core, b, exc_return, on_psp);
	unsigned int pc = uop_load(b, (struct uop_place){frame, AT_RETURN}, 4);
	unsigned int xpsr = uop_load(b, (struct uop_place){frame, AT_XPSR}, 4);
	unsigned int flags =
	        uop_field(b, UOP_FIELD, 4, xpsr, (struct bits_field){XPSR_FLAGS, 4, 0});
	unsigned int above = uop_sum(b, 32, frame, size, false);
	unsigned int odd =
	        uop_make(b, UOP_OR, 1, bit_of(b, above, 2), bit_of(b, xpsr, XPSR_PADDED));

	for (unsigned int i = 0; i < STACKED; i++)
		uop_define(b, stacked[i],
		           uop_load(b, (struct uop_place){frame, 4 * (int64_t)i}, 4));
	uop_define(b, REG_NZCV, uop_make(b, UOP_UNPACK, 16, flags, SLOT_NONE));
	uop_define(b, REG_A32_GE,
	           uop_field(b, UOP_FIELD, 32, xpsr, (struct bits_field){A32_GE_AT, 4, 0}));
	uop_define(b, SP, with_bit(b, above, 2, odd));
	uop_define(b, REG_M_OTHER_SP, uop_select(b, 32, on_psp, SP, REG_M_OTHER_SP));
	uop_define(b, REG_M_ON_PSP, on_psp);
	uop_define(b, REG_M_HANDLER, negated(b, mode));
	if (core->may_have_fpu)
		uop_define(b, REG_M_FPCA, negated(b, basic));
	forget_state(core, b);
	/* Bit 0 of the word does not matter. */
	b->insn.branch = (struct uop_branch){
	        .kind = BRANCH_INDIRECT,
	        .slot = (uint8_t)uop_field(b, UOP_FIELD, 32, pc, (struct bits_field){1, 31, 1}),
	        .target_bits = 32,
	        .when = SLOT_NONE,
	};
}

void m_exception_return(const struct m_core *core, uint32_t opcode, bool is_chained,
                        struct uop_builder *b)
{
	unsigned int exc_return;

	uop_begin(b);
	exc_return = exc_return_of(b, opcode);
	if (is_chained)
		chain(core, b, exc_return);
	else
		unstack(core, b, exc_return);
	finish(b);
}

/* Its frame and whatever else it has on the stack are where SP is, or where the other one is. */
void m_exception_unseen(struct uop_builder *b)
{
	uop_begin(b);
	finish(b);
	b->insn.flags |= UOP_KILLS_MEMORY;
}

void m_exception_lazy(struct uop_builder *b)
{
	uop_begin(b);
	uop_define_unknown(b, REG_FPSR, 64);
	/* What comes sets it, but with FPCCR.ASPEN clear. */
	uop_define(b, REG_M_FPCA, uop_make(b, UOP_OR, 1, REG_M_FPCA, uop_unknown(b, 1)));
	finish(b);
	b->insn.flags |= UOP_KILLS_MEMORY;
}
