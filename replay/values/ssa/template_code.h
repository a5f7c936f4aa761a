/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an instruction of a run to its micro-operations: in, where it lies and under which IT it
 * is; out, what the tables of its instruction set (replay/sem*.h) say of the opcode there.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_TEMPLATE_CODE_H
#define CSREPLAY_REPLAY_VALUES_SSA_TEMPLATE_CODE_H

#include "arch/uop/uop.h"
#include "replay/values/ssa/window.h"

/* Bytes of the instruction at the template's address, isa and space; 4 where memory does not say.
 */
uint8_t template_size(const struct memmap *memory, const struct template *template);
/*
 * The opcode for the template's address, isa, space and size: memory may hold several at an
 * address, as seen from several spaces. False if it holds none.
 */
bool template_read_opcode(const struct memmap *memory, struct template *template);

/* IC IVAU and the like; the opcode is as template_read_opcode() reads it. */
bool template_maintains_icache(enum isa isa, unsigned int size, uint32_t opcode);

/*
 * It only raises an exception (UDF). Not of T32, where an IT may have skipped it; the opcode is as
 * template_read_opcode() reads it.
 */
bool template_is_undefined(enum isa isa, uint32_t opcode);

/* What an instruction makes of the byte order of data. */
enum data_order {
	DATA_ORDER_KEPT,
	DATA_ORDER_LITTLE,
	DATA_ORDER_BIG,
	DATA_ORDER_UNKNOWN, /* it writes CPSR.E, or does where its condition holds */
	/* A return from an exception, or may be: the order that the code had where it was left. */
	DATA_ORDER_RESTORED,
};

/* SETEND, MSR of CPSR_x, what makes CPSR of an SPSR or of memory; the opcode is as
 * template_read_opcode() reads it. */
enum data_order template_byte_order(enum isa isa, unsigned int size, uint32_t opcode);

/*
 * Fills `b` for the template's address, isa, space, size and it, and in the template opcode,
 * maintains_icache and byte_order. An opcode that memory does not hold kills everything.
 */
void template_code(const struct memmap *memory, struct template *template, struct uop_builder *b);

#endif
