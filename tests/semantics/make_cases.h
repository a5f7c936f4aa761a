/* SPDX-License-Identifier: Apache-2.0 */
/* Random cases for the test of instruction semantics; see case.h. */
#ifndef CSREPLAY_TESTS_SEMANTICS_MAKE_CASES_H
#define CSREPLAY_TESTS_SEMANTICS_MAKE_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "tests/semantics/case.h"

struct random {
	uint64_t state;
};

uint64_t random_next(struct random *r);
/* 0 .. limit - 1 */
uint64_t random_below(struct random *r, uint64_t limit);

/*
 * A case of row `row` of the table, or with a number after the last row one of any opcode. The
 * case goes to slot `index`.
 */
void make_case(struct random *r, size_t row, uint64_t index, struct test_case *out);
/* The same for A32 and T32. */
void make_case_a32(struct random *r, enum case_isa isa, size_t row, uint64_t index,
                   struct test_case *out);

#endif
