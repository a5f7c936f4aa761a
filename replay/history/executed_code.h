/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that a history ran: which runs of instructions, and which bytes of the memory map their
 * opcodes were read from.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_EXECUTED_CODE_H
#define CSREPLAY_REPLAY_HISTORY_EXECUTED_CODE_H

#include "replay/history/history_read.h"

/* Fills `code` of a history whose parts are all there; once. NO_MEM. */
MUST_USE enum status executed_code_runs(struct history *h);
/* And `executed`, if all parts read their opcodes from the memory of the history. NO_MEM. */
MUST_USE enum status executed_code_contents(struct history *h);

#endif
