/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What past values may rest on beside the snapshot and the trace: a table of names
 * (assumption.def). In: a name that a user gives. Out: which one it is, and what it says.
 */
#ifndef CSREPLAY_REPLAY_VALUES_ASSUMPTION_H
#define CSREPLAY_REPLAY_VALUES_ASSUMPTION_H

#include <stdbool.h>

#include "base/str.h"

enum assumption {
#define X(name, text, is_of_code, what) ASSUME_##name,
#include "replay/values/assumption.def"
#undef X
	ASSUMPTIONS, /* how many */
};

const char *assumption_name(enum assumption assumption);
/* It is of the code that ran: what rests on it is assumed, and not proved. */
bool assumption_is_of_code(enum assumption assumption);
/* What is taken for granted, a clause. */
const char *assumption_text(enum assumption assumption);
/* The assumption of that name, or ASSUMPTIONS. */
enum assumption assumption_find(struct str name);

#endif
