/* SPDX-License-Identifier: Apache-2.0 */
/* What an opcode, a register, an exception and a system call of the Arm architecture are: the
 * public face of arch. */
#ifndef CSREPLAY_ARCH_ISA_H
#define CSREPLAY_ARCH_ISA_H

#include "arch/call_model.h"
#include "arch/disasm.h"
#include "arch/exception.h"
#include "arch/insn.h"
#include "arch/insn_set.h"
#include "arch/it_block.h"
#include "arch/register.h"
#include "arch/syndrome.h"
#include "arch/value.h"

#endif
