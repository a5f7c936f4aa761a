/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/ssa/window.h: the instruction templates of a window. In: what an
 * instruction is, or what lies between two, and its micro-operations. Out: a template that belongs
 * to the window's arena, with the registers that it reads, and what its dynamic instructions have.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_TEMPLATE_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_TEMPLATE_H

#include "replay/values/ssa/window.h"

/*
 * Adds one. `from` has its address and flags, `insn` is copied; *number is its index in
 * w->templates. NO_MEM.
 */
MUST_USE enum status window_add_template(struct window *w, const struct template *from,
                                         const struct uop_insn *insn, uint32_t *number);

#endif
