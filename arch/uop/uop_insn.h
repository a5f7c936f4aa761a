/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions as micro-operations: what the reconstruction of values knows of an opcode. One
 * struct uop_insn says, for one (address, opcode, instruction set), what an execution of it does.
 * It holds no state: made once, it serves every execution.
 *
 * Operands are slots. A slot is a register *as it was before the instruction*, a temporary, a
 * constant, or zero. Micro-operations write temporaries alone, each one exactly once and before
 * it is read, so that one temporary is one node of the solver, `temp_count` of them an execution.
 * Which registers the instruction changes is the list of definitions: (register, slot) says that
 * from here on the register has the value of the slot. A move is therefore a definition without a
 * micro-operation: both registers name the same node. A register in no definition is unchanged.
 *
 *	ldr w1, [x2], #4	temp 0 = ADD x2, 4, 0; temp 1 = LOAD access 0 {x2 + 0, 4 bytes};
 *				x1 is temp 1, x2 is temp 0
 *
 * What is not known is said, never left out: an unknown result is an UNKNOWN micro-operation, and
 * an opcode that the tables do not have has UOP_KILLS_REGISTERS and UOP_KILLS_MEMORY and no
 * definitions. With one of these flags, what `defs` and `accesses` hold comes on top.
 *
 * A32 and T32: R0 to R14 of the mode in use are 0 to 14, 32 bits each; PC is no register but a
 * constant. A predicated instruction is SELECT with the old value, accesses with `when`, and
 * a branch under a condition. A load whose `when` is false has a temporary that nothing selects.
 * Registers of other modes have the numbers from REG_BANKED on.
 */
#ifndef CSREPLAY_ARCH_UOP_UOP_INSN_H
#define CSREPLAY_ARCH_UOP_UOP_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/uop/bits.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

enum uop_op {
#define X(name, parameter, text) UOP_##name,
#include "arch/uop/uop.def"
#undef X
	UOP_OPS,
};

/* Slots 0 to 127: registers. X0 to X30 are 0 to 30. Values are 64 bits unless said otherwise. */
enum uop_register {
	REG_X0 = 0,
	REG_BANKED = 15, /* to 31: AArch32 registers of modes that are not in use; uop_mode.h */
	REG_X16 = 16,
	REG_X17 = 17,
	/* M profile, which has no other modes' registers; 0 or 1, but for the first: */
	REG_M_OTHER_SP = 16, /* the one of MSP and PSP that is not in use */
	REG_M_ON_PSP = 17,   /* PSP is in use, as it never is by a handler */
	REG_M_HANDLER = 18,  /* Handler mode */
	REG_M_FPCA = 19,     /* CONTROL.FPCA: an entry stacks the registers of the FPU */
	REG_LR = 30,
	REG_SP = 31, /* the SP in use */
	REG_NZCV,    /* flags as bits.h has them: 16 bits, one of them set */
	REG_PSTATE,  /* all else of PSTATE and CPSR that has no slot; never read as an operand */
	REG_FPSR,
	REG_FPCR,
	REG_VL,    /* bytes of an SVE vector */
	REG_DCZID, /* DCZID_EL0, which no instruction writes: DC ZVA's block */
	REG_TPIDR_EL0,
	REG_TPIDRRO_EL0,
	REG_TPIDR_EL1,
	REG_TPIDR_EL2,
	REG_TPIDR_EL3,
	/* SP of a level that it is not in use at; where it is, REG_SP holds its value */
	REG_SP_EL0,
	REG_SP_EL1,
	REG_SP_EL2,
	/* By name: with VHE, EL1's may mean EL2's, so that a write makes the other unknown. */
	REG_ELR_EL1,
	REG_ELR_EL2,
	REG_ELR_EL3,
	REG_SPSR_EL1,
	REG_SPSR_EL2,
	REG_SPSR_EL3,
	/* Where nothing but EL1 and EL0 ran since they were written: no level above has them
	   under these names. */
	REG_SCTLR_EL1,
	REG_TCR_EL1,
	REG_DAIF, /* PSTATE.D, A, I and F in bits 9 to 6; the others are 0 */
	/*
	 * Of the SVE predicates P0 to P7: a number of bytes of a vector after which no element
	 * is active. It bounds what a store can write and says nothing else of the predicate.
	 */
	REG_P0,
	REG_NAMED_END = REG_P0 + 8,
	REG_V0 = 64, /* two slots a register: V0 bits 63..0, V0 bits 127..64, V1 ... */
	REG_COUNT = 128,
	/* AArch32 but for the M profile, which has no SVE: uop_mode.h. */
	REG_A32_MODE = REG_P0,       /* M[4:0] of CPSR */
	REG_A32_SPSR = REG_P0 + 1,   /* of the mode in use */
	REG_A32_LR_USR = REG_P0 + 2, /* while a mode is in use that has another LR */
	REG_A32_SPSR_FIQ = REG_P0 + 3,
	REG_A32_SPSR_IRQ,
	REG_A32_SPSR_SVC,
	REG_A32_SPSR_ABT,
	REG_A32_SPSR_UND,
	REG_A32_SCR, /* the secure configuration register: what goes to Monitor mode */
	/* CPSR.GE, and xPSR's, which SADD8 and its kin set and SEL reads: 4 bits */
	REG_A32_GE = REG_VL,
};

enum {
	UOP_TEMPS = 102,
	UOP_CONSTANTS = 24,
	UOP_MICRO_OPS = 102,
	UOP_ACCESSES = 16,
	UOP_DEFS = 64,

	SLOT_TEMP = REG_COUNT, /* temporary i is SLOT_TEMP + i */
	SLOT_CONSTANT = SLOT_TEMP + UOP_TEMPS,
	SLOT_ZERO = 254,
	SLOT_NONE = 255, /* operand that the operation does not have */
};

static inline unsigned int slot_of_vector(unsigned int v, unsigned int half)
{
	return REG_V0 + 2 * v + half;
}

struct uop {
	uint8_t op;    /* enum uop_op */
	uint8_t width; /* bits of the result, 1 to 64: all above are zero. 16 for flags */
	uint8_t dst;   /* slot of a temporary; SLOT_NONE for STORE */
	uint8_t a, b, c;
	/* The parameter of the operation; uop.def says which one it has. */
	union {
		uint8_t access;    /* index in `accesses` */
		uint8_t size;      /* bits */
		uint8_t count;     /* bits; CRC32, CRC32C: bytes */
		uint8_t amount;    /* bits */
		uint8_t direction; /* enum bits_shift */
		struct uop_field {
			uint8_t lsb, len, to; /* as in struct bits_field */
		} field;
		uint8_t flip;
		uint8_t condition;
		struct uop_lanes {
			uint8_t kind; /* enum bits_lane_kind */
			uint8_t condition;
			uint8_t size; /* bits of a lane */
		} lanes;
		struct uop_narrow {
			uint8_t size; /* bits of a lane of the result */
			uint8_t lsb;
		} narrow;
		uint8_t flag_map; /* enum bits_flag_map */
	};
};

enum uop_access_kind {
	ACCESS_LOAD,
	ACCESS_STORE,
	/* Bytes in [address + offset, + length) may have been written, with what is unknown. */
	ACCESS_CLOBBER,
};

/* Accesses are in the order in which they happen; LOAD and STORE micro-operations name them. */
struct uop_access {
	uint8_t kind;    /* enum uop_access_kind */
	uint8_t size;    /* bytes: 1, 2, 4 or 8; 0 for CLOBBER */
	uint8_t address; /* slot of the base. A top byte that the core ignores is still in it */
	/*
	 * LOAD: the temporary; STORE: its low bytes are stored; CLOBBER: unless SLOT_NONE, no more
	 * bytes than its value from the first on, if that is less than `length`
	 */
	uint8_t data;
	/* If not SLOT_NONE it happens only if bit 0 of this slot is `when_value`. */
	uint8_t when;
	bool when_value;
	/* CLOBBER: this many low bits of the base are taken as zero (a block of unknown size). */
	uint8_t align;
	int32_t offset;  /* bytes, added to the base modulo 2^64 (2^32 outside A64) */
	uint32_t length; /* CLOBBER only */
};

enum uop_branch_kind {
	BRANCH_NONE,        /* the next instruction follows */
	BRANCH_DIRECT,      /* unconditional, to `target` */
	BRANCH_CONDITIONAL, /* to `target` if bit 0 of `slot` is `taken_value` */
	BRANCH_INDIRECT,    /* to the value of `slot` */
	BRANCH_EXCEPTION,   /* SVC, HVC, SMC, BRK, UDF ...: to a handler, if it completes at all */
	BRANCH_RETURN,      /* ERET and the like: to an ELR, in another state */
	/* A32, T32: to the value of `slot` if bit 0 of `when` is set, else the next one follows. */
	BRANCH_CONDITIONAL_INDIRECT,
};

struct uop_branch {
	uint8_t kind;        /* enum uop_branch_kind */
	uint8_t slot;        /* SLOT_NONE: nothing follows from where it went */
	uint8_t taken_value; /* CONDITIONAL */
	/*
	 * INDIRECT: the low bits in which the register and the PC after it agree. 64, of which
	 * the solver has to drop the top 8 where the core may ignore them (TBI); fewer where
	 * a pointer authentication code is in the register.
	 */
	uint8_t target_bits;
	uint8_t when; /* CONDITIONAL_INDIRECT */
	/*
	 * A32, T32, of the indirect kinds: bit 0 of `state` is 1 if T32 follows, 0 if A32 does.
	 * `slot` itself has no such bit: it is the PC.
	 */
	bool interworks;
	uint8_t state;
	uint64_t target;
};

enum uop_flags {
	UOP_KILLS_REGISTERS = 1, /* every register of enum uop_register may have changed */
	UOP_KILLS_MEMORY = 2,    /* any memory may have been written */
	UOP_KILLS_ALL = 3,
	/* What addresses mean changes: a TTBR, TCR, SCTLR or HCR was written, a TLBI done. */
	UOP_CHANGES_TRANSLATION = 4,
	UOP_EXCLUSIVE = 8, /* LDXR, STXR and the like: a store that also depends on a monitor */
	UOP_ATOMIC = 16,   /* another agent cannot come between its load and its store */
	UOP_ORDERED = 32,  /* acquire or release */
	UOP_NOT_IN_TABLE = 64,
	UOP_AARCH32 = 128, /* A32 or T32: addresses have 32 bits */
	/*
	 * With UOP_KILLS_MEMORY or UOP_CHANGES_TRANSLATION: but for memory at addresses with bit 55
	 * set, those of a kernel.
	 */
	UOP_SPARES_KERNEL = 256,
	/*
	 * The same of a kernel that translates its own addresses alike in all of its tables, and
	 * gives address space identifiers to users alone: TTBR1, and TLBI by ASID.
	 */
	UOP_KEEPS_KERNEL = 512,
};

struct uop_def {
	uint8_t reg;
	uint8_t slot;
};

/* Plain data; the arrays belong to whoever made it (uop_insn_store() puts them in an arena). */
struct uop_insn {
	uint16_t flags; /* set of enum uop_flags */
	uint8_t op_count;
	uint8_t access_count;
	uint8_t def_count;
	uint8_t constant_count;
	uint8_t temp_count;
	uint8_t when; /* A32, T32: bit 0 of this slot is 1 where it is executed; SLOT_NONE: always
	               */
	struct uop_branch branch;
	/*
	 * Registers that it reads; bit r % 64 of word r / 64. Of operations whose result is
	 * unknown, general registers and SP alone.
	 */
	uint64_t uses[2];
	const struct uop *ops;
	const struct uop_access *accesses;
	const struct uop_def *defs; /* each register at most once */
	const uint64_t *constants;  /* slot SLOT_CONSTANT + i */
};

static inline bool uop_insn_uses(const struct uop_insn *insn, unsigned int reg)
{
	return (insn->uses[reg / 64] >> reg % 64 & 1) != 0;
}

/* The slot that `reg` has the value of afterwards: itself where it is unchanged. */
unsigned int uop_insn_after(const struct uop_insn *insn, unsigned int reg);

/* A copy in one piece, valid as long as the arena; NULL without memory. */
const struct uop_insn *uop_insn_store(struct arena *arena, const struct uop_insn *insn);

/*
 * Refines the result and the operands of one micro-operation, in both directions. Arguments that
 * the operation does not have are not looked at and may be NULL; several may be the same object.
 * False if they contradict each other. LOAD, STORE and UNKNOWN learn nothing but the width.
 */
MUST_USE bool uop_refine(const struct uop *op, struct bits *dst, struct bits *a, struct bits *b,
                         struct bits *c);

/* Name of a micro-operation such as "ADD", and of a register such as "x0", "sp", "v3.hi". */
const char *uop_op_name(enum uop_op op);
void uop_register_name(unsigned int reg, struct text *out);
/* One line of text an item, for tests and `monitor why`. */
void uop_insn_format(const struct uop_insn *insn, struct text *out);

#endif
