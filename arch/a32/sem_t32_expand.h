/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that rows of sem_t32.def name, beside those of sem_a32_expand.h. */
#ifndef CSREPLAY_ARCH_A32_SEM_T32_EXPAND_H
#define CSREPLAY_ARCH_A32_SEM_T32_EXPAND_H

#include "arch/a32/sem_a32_expand.h"

/* sem_t32_narrow.c: 16 bits */
arm_expand t16_add_sub, t16_shift, t16_immediate, t16_data, t16_high, t16_literal,
        t16_single_register, t16_single, t16_single_sp, t16_address, t16_adjust_sp,
        t16_compare_branch, t16_extend, t16_push, t16_pop, t16_reverse, t16_multiple, t16_branch;

/* sem_t32_memory.c: loads, stores, branches, system */
arm_expand t32_srs, t32_rfe, t32_multiple, t32_test_target, t32_exclusive, t32_table_branch,
        t32_exclusive_sized, t32_dual, t32_literal, t32_single, t32_pac, t32_msr, t32_mrs, t32_bxj,
        t32_branch_conditional, t32_branch;

/* sem_t32.c: data processing */
arm_expand t32_data_shifted, t32_data_immediate, t32_adr, t32_add_wide, t32_move_wide, t32_saturate,
        t32_extract, t32_insert, t32_shift_register, t32_extend, t32_select, t32_reverse, t32_clz,
        t32_crc, t32_multiply, t32_half, t32_two_products, t32_absolute_differences, t32_parallel,
        t32_saturating_sum, t32_word_half, t32_product_top, t32_multiply_long, t32_divide,
        t32_half_long, t32_two_products_long, t32_umaal;

#endif
