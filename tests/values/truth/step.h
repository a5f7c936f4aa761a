/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One instruction of a recording: its opcode, what it is for the flow, what it does. In: recording
 * and state. Out: the tables' view of it.
 */
#ifndef CSREPLAY_TESTS_VALUES_TRUTH_STEP_H
#define CSREPLAY_TESTS_VALUES_TRUTH_STEP_H

#include "arch/insn.h"
#include "arch/register.h"
#include "arch/uop/uop_build.h"
#include "arch/value.h"
#include "replay/values/solver/solver.h"
#include "tests/values/truth/recording.h"

enum {
	STEP_FLAGS = GENERAL,
	STEP_VECTORS, /* V0 or D0 on */
	STEP_NOTHING = 200,
};

struct insn_view {
	uint64_t address;
	uint32_t opcode;
	unsigned int size;
	bool has_opcode;
	struct insn insn;
	struct uop_builder builder; /* of step_expand() */
};

/* Place in struct state of a register of the file. */
unsigned int step_register_index(enum core_arch arch, unsigned int number);

void step_read(const struct recording *r, size_t at, struct insn_view *step);
/* The same, were these its bytes. */
void step_read_bytes(const struct recording *r, size_t at, const uint8_t *bytes,
                     struct insn_view *step);
/* A32 and T32: it has a condition, in its opcode or by an IT, and that holds. */
bool step_has_condition(const struct recording *r, size_t at, const struct insn_view *step);
bool step_is_executed(const struct recording *r, size_t at, const struct insn_view *step);
/* And what it does. */
void step_expand(const struct recording *r, size_t at, struct insn_view *step);
/* Register by place in struct state. */
bool step_uses(const struct insn_view *step, unsigned int index);
/* Register by number in the file. */
bool step_defines(const struct recording *r, size_t at, unsigned int number);
bool step_has_between(const struct recording *r, size_t position);

/* As values_register(), of one window. */
void step_window_register(const struct solver *s, uint64_t position,
                          const struct register_file *file, unsigned int number,
                          struct value *value);

#endif
