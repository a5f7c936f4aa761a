/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a struct uop_insn piece by piece, with room for the largest. Each function returns the
 * slot of what it made. What does not fit is remembered and ends in an instruction that kills
 * everything.
 */
#ifndef CSREPLAY_ARCH_UOP_UOP_BUILD_H
#define CSREPLAY_ARCH_UOP_UOP_BUILD_H

#include "arch/uop/uop_insn.h"

struct uop_builder {
	struct uop_insn insn; /* points into the arrays below: do not copy the builder */
	struct uop ops[UOP_MICRO_OPS];
	struct uop_access accesses[UOP_ACCESSES];
	struct uop_def defs[UOP_DEFS];
	uint64_t constants[UOP_CONSTANTS];
	bool overflow; /* it did not fit, or is no instruction */
};

/* An instruction that does nothing. */
void uop_begin(struct uop_builder *b);
/* Turns it into one that kills all if it did not fit, and completes what it uses. */
void uop_finish(struct uop_builder *b);

unsigned int uop_constant(struct uop_builder *b, uint64_t value);
/* Appends `op` with a new temporary as its result. */
unsigned int uop_emit(struct uop_builder *b, struct uop op);
/* An operation without numbers; slots that it does not have are SLOT_NONE. */
unsigned int uop_make(struct uop_builder *b, enum uop_op op, unsigned int width, unsigned int a,
                      unsigned int second);
unsigned int uop_unknown(struct uop_builder *b, unsigned int width);
/* a + second, or a - second. */
unsigned int uop_sum(struct uop_builder *b, unsigned int width, unsigned int a, unsigned int second,
                     bool subtract);
/* a with the field, unsigned or signed, the rest being zero. */
unsigned int uop_field(struct uop_builder *b, enum uop_op op, unsigned int width, unsigned int a,
                       struct bits_field field);
/* `base` with the field of `a` in it. */
unsigned int uop_insert(struct uop_builder *b, unsigned int width, unsigned int base,
                        unsigned int a, struct bits_field field);
/* PSTATE.D, A, I and F, which MSR and SPSRs have in bits 9 to 6, as REG_DAIF; and with them. */
unsigned int uop_daif(struct uop_builder *b, unsigned int a);
unsigned int uop_with_daif(struct uop_builder *b, unsigned int base, unsigned int daif);
/* `choice` ? a : second. */
unsigned int uop_select(struct uop_builder *b, unsigned int width, unsigned int choice,
                        unsigned int a, unsigned int second);
unsigned int uop_condition(struct uop_builder *b, unsigned int condition);
/* 1 if the low `width` bits are equal. */
unsigned int uop_equal(struct uop_builder *b, unsigned int width, unsigned int a,
                       unsigned int second);

/* Where an access goes: base slot and byte offset. */
struct uop_place {
	unsigned int base;
	int64_t offset;
};

unsigned int uop_load(struct uop_builder *b, struct uop_place at, unsigned int size);
void uop_store(struct uop_builder *b, struct uop_place at, unsigned int size, unsigned int data);
/* A store that happens under the condition that `when` and `when_value` of `condition` are. */
void uop_store_when(struct uop_builder *b, struct uop_place at, unsigned int size,
                    unsigned int data, struct uop_access condition);
/* `length` bytes from the place on, whose base is taken with `align` low bits zero. */
void uop_clobber(struct uop_builder *b, struct uop_place at, uint32_t length, unsigned int align);
/* The same under a condition. */
void uop_clobber_when(struct uop_builder *b, struct uop_place at, uint32_t length,
                      unsigned int align, struct uop_access condition);
/* As far as `length`, but no more bytes than the value of `bound`. */
void uop_clobber_bounded(struct uop_builder *b, struct uop_place at, uint32_t length,
                         unsigned int bound);

/* Says that the instruction reads the slot, where no micro-operation does. */
void uop_use(struct uop_builder *b, unsigned int slot);

/*
 * The register has the slot's value from here on. A second definition of it in the same instruction
 * is what the architecture calls constrained unpredictable, and leaves it unknown.
 */
void uop_define(struct uop_builder *b, unsigned int reg, unsigned int slot);
void uop_define_unknown(struct uop_builder *b, unsigned int reg, unsigned int width);
/* The same in place of what the instruction has defined of the register so far. */
void uop_redefine(struct uop_builder *b, unsigned int reg, unsigned int slot);

#endif
