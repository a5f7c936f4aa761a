/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of accesses.h: those of a register. An instruction under a condition of which it is not
 * known whether it held is a possible one, and so is what may have left anything in all registers.
 */
#ifndef CSREPLAY_REPLAY_PAST_REGISTER_ACCESSES_H
#define CSREPLAY_REPLAY_PAST_REGISTER_ACCESSES_H

#include "replay/past/accesses.h"

/* As past_accesses_find(), of a register. */
MUST_USE enum status register_accesses_find(struct values *values,
                                            const struct past_accesses_of *of,
                                            struct past_accesses *found);
/* One more, unless there are enough; NO_MEM. (access_list.c) */
MUST_USE enum status past_accesses_add(struct past_accesses *found,
                                       const struct past_accesses_of *of,
                                       const struct past_access *access);
#endif
