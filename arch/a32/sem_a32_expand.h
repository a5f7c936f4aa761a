/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rows of sem_a32.def and sem_t32.def have in common: an operation is the same in both
 * instruction sets once its operands are known. Private to sem_a32*.c and sem_t32*.c.
 */
#ifndef CSREPLAY_ARCH_A32_SEM_A32_EXPAND_H
#define CSREPLAY_ARCH_A32_SEM_A32_EXPAND_H

#include "arch/pattern/opcode.h"
#include "arch/uop/uop.h"

struct arm {
	struct uop_builder *b;
	struct opcode opcode;
	uint32_t address;
	uint32_t pc;       /* what reading R15 gives */
	unsigned int when; /* slot, 1 if it is executed; SLOT_NONE: always */
	bool is_t32;
	bool in_it;
};

typedef void arm_expand(struct arm *s, unsigned int arg);

enum {
	ARM_SP = 13,
	ARM_LR = 14,
	ARM_PC = 15,
	ARM_CARRY = 2, /* condition CS */
};

/* sem_a32_common.c: registers, conditions, branches */

/* Value of a register as an operand. */
unsigned int arm_r(struct arm *s, unsigned int n);
/* Defines a register that must not be the PC. */
void arm_set(struct arm *s, unsigned int n, unsigned int slot);
/* Defines a register, or branches where it is the PC (ALUWritePC). */
void arm_set_or_branch(struct arm *s, unsigned int n, unsigned int slot);
void arm_set_unknown(struct arm *s, unsigned int n);
/* Q is part of PSTATE. */
void arm_pstate_unknown(struct arm *s);
void arm_fpscr_unknown(struct arm *s);
/* N, Z, C and V from where CPSR has them. */
void arm_set_flags(struct arm *s, unsigned int slot);
/* GE from there. */
void arm_set_ge(struct arm *s, unsigned int slot);
/* To that which the low bits of a slot have: an M of CPSR. */
void arm_change_mode(struct arm *s, unsigned int slot);

void arm_branch_to(struct arm *s, uint32_t target);
/* Bit 0 of the slot is the new T. */
void arm_branch_exchange(struct arm *s, unsigned int slot);
/* `spsr`: a slot with what CPSR becomes. */
void arm_return_from_exception(struct arm *s, unsigned int spsr);

unsigned int arm_field(struct arm *s, enum uop_op op, unsigned int slot, unsigned int lsb,
                       unsigned int len, unsigned int to);
unsigned int arm_constant(struct arm *s, uint32_t value);
/* Constants, with address or PC of the instruction in them. */
unsigned int arm_not(struct arm *s, unsigned int slot);
unsigned int arm_rotated(struct arm *s, unsigned int slot, unsigned int amount);

/* Starts, expands and completes what `condition` (14: always) says. */
void arm_run(struct arm *s, arm_expand *expand, unsigned int arg, unsigned int condition);

/* sem_a32_data.c: data processing */

/* A second operand; `carry` is bit 0 of a slot, SLOT_NONE where C stays. */
struct arm_operand {
	unsigned int slot;
	unsigned int carry;
};

enum arm_shift { ARM_LSL, ARM_LSR, ARM_ASR, ARM_ROR };

enum arm_data_op {
	DATA_AND,
	DATA_EOR,
	DATA_SUB,
	DATA_RSB,
	DATA_ADD,
	DATA_ADC,
	DATA_SBC,
	DATA_RSC,
	DATA_TST,
	DATA_TEQ,
	DATA_CMP,
	DATA_CMN,
	DATA_ORR,
	DATA_MOV,
	DATA_BIC,
	DATA_MVN,
	DATA_ORN,
};

struct arm_data {
	enum arm_data_op op;
	unsigned int rd;
	unsigned int rn; /* slot */
	bool sets_flags;
};

/* A shift by an immediate as the instruction has it: 0 of LSR and ASR is 32, of ROR is RRX. */
struct arm_operand arm_shifted(struct arm *s, unsigned int rm, enum arm_shift type,
                               unsigned int amount);
/* A shift by the low byte of a register. */
struct arm_operand arm_shifted_by(struct arm *s, unsigned int rm, enum arm_shift type,
                                  unsigned int rs, bool wants_carry);
struct arm_operand arm_immediate(struct arm *s, uint32_t value);
/* N and Z of a result, C of bit 0 of `carry` or as it was, V as it was. */
void arm_set_logical_flags(struct arm *s, unsigned int result, unsigned int width,
                           unsigned int carry);
void arm_data(struct arm *s, struct arm_data data, struct arm_operand second);

/* sem_a32_multiply.c: multiplications, extensions, bit fields and all else on registers */
void arm_multiply(struct arm *s, unsigned int rd, unsigned int product, unsigned int ra,
                  bool sets_flags);
struct arm_long {
	unsigned int low, high, rn, rm;
	bool is_signed, accumulates, sets_flags;
};
void arm_multiply_long(struct arm *s, struct arm_long product);
/* The halves (bits 0 and 1 of `tops`: of rn, of rm) as signed numbers, multiplied. */
unsigned int arm_product_of_halves(struct arm *s, unsigned int rn, unsigned int rm,
                                   unsigned int tops);
unsigned int arm_product_word_half(struct arm *s, unsigned int rn, unsigned int rm, bool top);
/* Of low halves, plus or minus that of the high ones; Rm's change places. */
unsigned int arm_two_products(struct arm *s, unsigned int rn, unsigned int rm, bool swaps,
                              bool subtracts);
void arm_sum_of_products(struct arm *s, unsigned int rd, unsigned int products, unsigned int ra);
/* Adds with a possible Q. */
void arm_accumulate(struct arm *s, unsigned int rd, unsigned int product, unsigned int ra);
void arm_accumulate_long(struct arm *s, unsigned int low, unsigned int high, unsigned int product);
void arm_product_top(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm,
                     unsigned int ra, unsigned int kind);
void arm_umaal(struct arm *s, unsigned int low, unsigned int high, unsigned int rn,
               unsigned int rm);
/* kind: 0 SXTB16, 2 SXTB, 3 SXTH, 4 UXTB16, 6 UXTB, 7 UXTH; ra 15: nothing is added */
void arm_extend(struct arm *s, unsigned int kind, unsigned int rd, unsigned int ra, unsigned int rm,
                unsigned int rotation);
enum arm_reverse { REVERSE_BYTES, REVERSE_HALVES, REVERSE_BITS, REVERSE_SIGNED };
void arm_reverse(struct arm *s, enum arm_reverse kind, unsigned int rd, unsigned int rm);
void arm_bit_field(struct arm *s, enum uop_op op, unsigned int rd, unsigned int rn,
                   unsigned int lsb, unsigned int len);
void arm_divide(struct arm *s, enum uop_op op, unsigned int rd, unsigned int rn, unsigned int rm);
void arm_clz(struct arm *s, unsigned int rd, unsigned int rm);
void arm_crc(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm, unsigned int bytes,
             bool castagnoli);
void arm_move_top(struct arm *s, unsigned int rd, uint32_t value);
void arm_pack_halves(struct arm *s, unsigned int rd, unsigned int rn, unsigned int shifted,
                     bool top_is_rn);
/* sem_a32_media.c: bytes and halves, saturation */

/* To a number of `bits`. */
void arm_saturate(struct arm *s, unsigned int rd, unsigned int shifted, unsigned int bits,
                  bool is_unsigned);
struct arm_saturating {
	unsigned int rd;
	unsigned int rn; /* the one that is doubled, or subtracted */
	unsigned int rm;
	bool doubles;
	bool subtracts;
};
void arm_saturating_sum(struct arm *s, struct arm_saturating sum);
void arm_absolute_differences(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm,
                              unsigned int ra);
/* SSAT16, USAT16: each half to a number of `bits`. */
void arm_saturate_halves(struct arm *s, unsigned int rd, unsigned int rn, unsigned int bits,
                         bool is_unsigned);

/* What becomes of each sum or difference. */
enum arm_parallel_kind { PARALLEL_PLAIN = 1, PARALLEL_SATURATES, PARALLEL_HALVES };

struct arm_parallel {
	unsigned int rd, rn, rm;
	enum arm_parallel_kind kind;
	bool is_unsigned;
	unsigned int size;      /* bits of a lane: 8 or 16 */
	unsigned int subtracts; /* bit i: lane i is a difference */
	bool exchanges;         /* lanes of Rm change places: ASX, SAX */
};

void arm_parallel(struct arm *s, const struct arm_parallel *p);
/* SEL: bytes of Rn where GE is set, of Rm elsewhere. */
void arm_select_bytes(struct arm *s, unsigned int rd, unsigned int rn, unsigned int rm);
/* `ra` 15: nothing is added. */
void arm_extend_two(struct arm *s, enum uop_op op, unsigned int rd, unsigned int ra,
                    unsigned int rotated);

/* sem_a32_memory.c */
struct arm_transfer {
	unsigned int rt;
	unsigned int bytes; /* 8: two words, of rt and rt2 */
	unsigned int rt2;
	bool is_load;
	bool is_signed;
};

struct arm_address {
	unsigned int rn;
	unsigned int index; /* slot, SLOT_NONE for the immediate */
	uint32_t immediate;
	bool adds;
	bool is_before; /* the offset counts for the access */
	bool writes_back;
};

void arm_transfer(struct arm *s, const struct arm_transfer *t, const struct arm_address *a);

struct arm_multiple {
	unsigned int rn;
	unsigned int list;
	bool is_load;
	bool is_up;
	bool is_before;
	bool writes_back;
	bool is_user; /* R8 to R14 are User mode's */
};

void arm_multiple(struct arm *s, const struct arm_multiple *m);
/* LDREX, STREX, LDA, STL and the like; rd is the status, 15 where there is none. */
void arm_exclusive(struct arm *s, const struct arm_transfer *t, struct uop_place at,
                   unsigned int rd);
void arm_swap(struct arm *s, unsigned int rt, unsigned int rt2, unsigned int rn,
              unsigned int bytes);
/* Bits of the address of SRS and RFE: 0 before, 1 up. */
void arm_srs(struct arm *s, unsigned int before_up, bool writes_back);
void arm_rfe(struct arm *s, unsigned int rn, unsigned int before_up, bool writes_back);

/* sem_a32_system.c: rows that are alike in both sets, as those of the two files after it */
arm_expand arm_nothing, arm_kill, arm_exception, arm_eret, arm_pstate, arm_cps, arm_coprocessor,
        arm_coprocessor_pair, arm_branch_register, arm_mrs, arm_msr, arm_mrs_banked, arm_msr_banked;
/* Registers of other modes, by the number that M and M1 make. */
void arm_banked_read(struct arm *s, unsigned int rd, unsigned int number);
void arm_banked_write(struct arm *s, unsigned int rn, unsigned int number);
/* What bytes of CPSR or SPSR `fields` (c, x, s, f as bits 0 to 3) of a register change. */
void arm_msr_fields(struct arm *s, unsigned int slot, unsigned int fields);
void arm_msr_saved(struct arm *s, unsigned int slot, unsigned int fields);

/* sem_a32_vfp.c: floating point */
static inline unsigned int arm_slot_of_d(unsigned int d)
{
	return REG_V0 + d;
}

/* Number of a D register: the bit that stands alone is the highest. */
static inline unsigned int arm_number_of_d(uint32_t bit, uint32_t rest)
{
	return bit << 4 | rest;
}

void arm_forget_d(struct arm *s, unsigned int d);
/* Both halves of the Q register that D register `d` is in. */
void arm_forget_pair(struct arm *s, unsigned int d);
/* VFPExpandImm of an imm8, to 64 or 32 bits. */
uint64_t arm_vfp_immediate(unsigned int imm8, bool is_double);
/*
 * MVE of the M profile has Q0 to Q7 in the same opcodes as Advanced SIMD, and there a VPT block or
 * a loop may leave lanes as they were.
 */
bool arm_may_be_predicated(const struct arm *s, unsigned int d);
/* The low `bits` of a slot in every lane of 64 bits. */
unsigned int arm_in_each_lane(struct arm *s, unsigned int value, unsigned int bits);
arm_expand arm_vfp_memory, arm_vfp_pair, arm_vfp_data, arm_vfp_move;

/* sem_a32_neon.c: Advanced SIMD */
/* The argument of arm_neon_data. */
enum { NEON_OTHER, NEON_EXCHANGES, NEON_LOGICAL, NEON_CONSTANT };
arm_expand arm_neon_data, arm_neon_memory, arm_neon_complex;

#endif
