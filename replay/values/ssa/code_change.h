/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether code, or what addresses mean, may have been something else before: in what a history
 * shows, and so also after a window of it. In: a history, whose code is read from the memory at
 * the halt.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_CODE_CHANGE_H
#define CSREPLAY_REPLAY_VALUES_SSA_CODE_CHANGE_H

#include <stdbool.h>

#include "replay/history/history.h"

struct code_changes {
	/*
	 * Code ran from memory that can be written, and so did what makes code of what was written:
	 * maintenance of the instruction cache, or an AArch32 system call, which may be Linux's
	 * cacheflush.
	 */
	bool of_code;
	bool of_byte_order; /* code ran that changes the byte order of data */
	/* Code ran that changes what addresses mean: writes of TTBR and the like, */
	bool of_translation;
	bool of_kernel;            /* of a kernel's, too, but for what UOP_KEEPS_KERNEL says, */
	bool of_tables;            /* or that */
	uint64_t same_space_from;  /* position; before it context says it is another one, */
	uint64_t same_kernel_from; /* and not by CONTEXTIDR alone */
};

/* What kernel addresses mean may have been something else. */
static inline bool code_changes_kernel(const struct code_changes *changes, bool kernel_private)
{
	return changes->of_kernel || (changes->of_tables && !kernel_private);
}

/*
 * True if code may have changed, and the history shows what is done for that: maintenance of the
 * instruction cache, or a system call near what makes the number of Linux's cacheflush.
 */
bool code_change_is_likely(const struct history *history);

/* What code_changes_of() says as of_code. */
bool code_change_of_code(const struct history *history);

/* What it says as of_byte_order. */
bool code_change_of_byte_order(const struct history *history);

/* Looks at all code of the history. */
struct code_changes code_changes_of(const struct history *history);

#endif
