/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a user wants an end of what takes long. In: a function that is asked now and then. Out:
 * its first yes, which stays.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_INTERRUPT_H
#define CSREPLAY_REPLAY_HISTORY_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>

struct interrupt {
	bool (*asked)(void *); /* NULL: nobody interrupts */
	void *context;
	bool has_come;
};

/* NULL is fine: nobody interrupts. */
static inline bool interrupt_has_come(struct interrupt *interrupt)
{
	if (!interrupt)
		return false;
	if (!interrupt->has_come && interrupt->asked)
		interrupt->has_come = interrupt->asked(interrupt->context);
	return interrupt->has_come;
}

#endif
