/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disassembly, one instruction a line: "mnemonic operands" in lower case with one blank between,
 * spelled as capstone does it, and addresses that are relative to the PC as gdb writes them,
 * without "#": "bl 0x400580", "adrp x0, 0x411000", "ldr x1, 0x400600".
 *
 * A T32 opcode that the A and R profiles do not have is shown as what the M profile has.
 *
 * What capstone does not know reads as a directive that an assembler takes: ".inst 0xd65f0bff";
 * for T32 ".inst.n 0xbf00" and ".inst.w 0xf3af8000", first halfword first.
 */
#ifndef CSREPLAY_ARCH_DISASM_H
#define CSREPLAY_ARCH_DISASM_H

#include <stdint.h>

#include "arch/insn_set.h"
#include "base/text.h"

struct disasm;

/* NULL without memory. One object serves one thread. */
struct disasm *disasm_create(void);
void disasm_destroy(struct disasm *disasm); /* NULL is fine */

/*
 * Appends the instruction at `address`. `bits` is the opcode. It has `size` bytes (2 or 4) and is
 * as arch/insn.h takes it: a T32 opcode of 4 bytes has its first halfword in the high half. Of 8
 * bytes, which no instruction set has, it is a directive.
 */
void disasm_text(struct disasm *disasm, uint64_t address, uint64_t bits, unsigned int size,
                 enum isa isa, struct text *out);

#endif
