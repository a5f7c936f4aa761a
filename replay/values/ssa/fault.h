/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instruction leaves after whose access to memory faulted: the architecture says of the
 * bytes that it would have stored, and of the registers that it would have loaded, that some may be
 * as if it had been executed (Arm ARM, effects of data-aborted instructions). The base register is
 * what it was.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_FAULT_H
#define CSREPLAY_REPLAY_VALUES_SSA_FAULT_H

#include "arch/uop/uop.h"
#include "decoder/element/element.h"
#include "snapshot/memmap.h"

/*
 * Begins `b` with the effects of the instruction at `address`, as it is seen in `view`, which the
 * caller finishes. One that memory does not hold, or that is in no table, may have done anything.
 */
void fault_begin(const struct memmap *memory, uint32_t view, uint64_t address, enum isa isa,
                 struct uop_builder *b);

#endif
