/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that rows of sem_a64.def name: each turns the opcodes of one encoding family into
 * micro-operations. A function that finds a reserved field calls opcode_reject(). Private to
 * sem_a64*.c.
 */
#ifndef CSREPLAY_ARCH_A64_SEM_A64_EXPAND_H
#define CSREPLAY_ARCH_A64_SEM_A64_EXPAND_H

#include "arch/pattern/opcode.h"
#include "arch/uop/uop.h"

struct sem {
	struct uop_builder *b;
	uint64_t address;
	struct opcode opcode;
};

enum {
	/* Below this bit no pointer authentication code reaches: addresses have as many at least.
	 */
	PAC_FREE_BITS = 16,
};

typedef void sem_expand(struct sem *s, unsigned int arg);

/* sf: 32 or 64 bits. */
static inline unsigned int sem_width(const struct sem *s)
{
	return FLAG(s, sf) ? 64 : 32;
}

/* Slot of the general register n that is ZR as number 31; where that is SP it is n itself. */
static inline unsigned int sem_x(unsigned int n)
{
	return n == 31 ? SLOT_ZERO : n;
}

/* Defines the general register n, or nothing where that is ZR. */
static inline void sem_set_x(struct sem *s, unsigned int n, unsigned int slot)
{
	if (n != 31)
		uop_define(s->b, n, slot);
}

static inline void sem_set_x_unknown(struct sem *s, unsigned int n, unsigned int width)
{
	if (n != 31)
		uop_define_unknown(s->b, n, width);
}

static inline void sem_set_v(struct sem *s, unsigned int v, unsigned int low, unsigned int high)
{
	uop_define(s->b, slot_of_vector(v, 0), low);
	uop_define(s->b, slot_of_vector(v, 1), high);
}

static inline void sem_set_v_unknown(struct sem *s, unsigned int v)
{
	uop_define_unknown(s->b, slot_of_vector(v, 0), 64);
	uop_define_unknown(s->b, slot_of_vector(v, 1), 64);
}

static inline struct uop_place sem_place_after(struct uop_place at, int64_t bytes)
{
	return (struct uop_place){at.base, at.offset + bytes};
}

/* sem_a64.c */
sem_expand sem_nothing, sem_kill;
/* The value of a register `slot` extended (option as in C6: UXTB .. SXTX) and shifted left. */
unsigned int sem_extended(struct sem *s, unsigned int width, unsigned int slot, unsigned int option,
                          unsigned int shift);

/* sem_a64_integer.c: data processing, immediate and register */
sem_expand sem_adr, sem_add_immediate, sem_logical_immediate, sem_move_wide, sem_bitfield,
        sem_extract, sem_logical_register, sem_add_shifted, sem_add_extended, sem_add_carry,
        sem_rmif, sem_setf, sem_conditional_compare, sem_conditional_select, sem_multiply,
        sem_multiply_long, sem_multiply_high, sem_divide, sem_shift_variable, sem_crc, sem_swizzle,
        sem_count_leading, sem_x_unknown;

/* sem_a64_pointer.c: authentication codes and tags */
sem_expand sem_add_tag, sem_x_low, sem_subp, sem_irg;

/* sem_a64_memory.c: loads and stores */
sem_expand sem_literal, sem_pair, sem_single_immediate, sem_single_unsigned, sem_single_register,
        sem_single_tagged, sem_exclusive, sem_exclusive_pair, sem_ordered, sem_compare_swap,
        sem_compare_swap_pair, sem_atomic, sem_swap, sem_load_acquire_rcpc, sem_memory_copy,
        sem_tag_load, sem_tag_store;
/* Of `bytes`, at most 16; a load zeroes the rest of the register. */
void sem_load_vector(struct sem *s, unsigned int v, unsigned int bytes, struct uop_place at);
void sem_store_vector(struct sem *s, unsigned int v, unsigned int bytes, struct uop_place at);

/* sem_a64_structure.c: loads and stores of structures of vectors */
sem_expand sem_vector_multiple, sem_vector_single;

/* How many bytes on a direct branch goes. */
uint64_t sem_branch_offset(const struct pattern *pattern, uint32_t opcode);

/* sem_a64_system.c: branches, exceptions and system instructions */
sem_expand sem_branch, sem_branch_conditional, sem_compare_branch, sem_test_branch,
        sem_branch_register, sem_branch_opaque, sem_return_pac, sem_exception, sem_exception_return,
        sem_link_pac, sem_link_key, sem_x17_pac, sem_hint_x, sem_map_flags, sem_pstate, sem_daif,
        sem_svcr, sem_spsel, sem_sys, sem_sysl, sem_mrs, sem_msr;

/* sem_a64_simd.c: floating point and vectors; everything but moves is unknown */
sem_expand sem_fp_general, sem_fp_fixed, sem_fp_move, sem_fp_sign, sem_fp_immediate, sem_fp_compare,
        sem_fp_conditional_compare, sem_fp_select, sem_fp_unknown, sem_vector_unknown,
        sem_vector_copy, sem_vector_copy_scalar, sem_vector_logic, sem_vector_add,
        sem_vector_immediate;

/* sem_a64_lanes.c: vector operations that string functions are made of */
sem_expand sem_vector_lanes, sem_vector_negate, sem_vector_pairs, sem_vector_compare,
        sem_vector_choose, sem_vector_compare_zero, sem_vector_not, sem_vector_extract,
        sem_vector_narrow;

/* sem_a64_elements.c: vector operations that compilers make of loops over integers */
enum { VECTOR_RIGHT, VECTOR_LEFT, VECTOR_RIGHT_ADD };
enum { PERMUTE_UZP, PERMUTE_TRN, PERMUTE_ZIP };
sem_expand sem_vector_shift, sem_vector_shift_scalar, sem_vector_widen, sem_vector_permute,
        sem_vector_reverse, sem_vector_sum_halves;

/* sem_a64_products.c: sums and products of elements, of as many bits or twice as many */
sem_expand sem_vector_multiply, sem_vector_multiply_index, sem_vector_long, sem_vector_long_index,
        sem_vector_sum, sem_vector_pairs_long;

/* sem_a64_sve.c */
sem_expand sem_sve_vector_length, sem_sve_count, sem_sve_unknown, sem_sve_while, sem_sve_load,
        sem_sve_store, sem_sve_scatter, sem_sve_store_register;

#endif
