/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solution under more suppositions. In: a window that is solved to the fixed point, and
 * suppositions on its accesses (supposition.h) beyond those that it was solved under. Out: the
 * fixed point with these, found from the old one: facts are only ever added, so that what was known
 * holds still, and what is new alone is run. The window itself is not copied.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_EXTENSION_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_EXTENSION_H

#include <stdbool.h>

#include "base/status.h"

struct solver;
struct suppositions;

/*
 * `of` was solved without a log, without a conflict, and strictly; it has the window, and must
 * outlive `s`. Of `supposed`, which must outlive `s`, what is said of accesses whose place is known
 * is not looked at. NO_MEM, INTERRUPTED; solve_fini() in any case.
 */
MUST_USE enum status solve_extend(struct solver *s, const struct solver *of,
                                  const struct suppositions *supposed, bool is_lenient);
/*
 * `s`, which extends `of` directly or through others, takes its place and its window, and is
 * finished by that.
 */
void solve_replace(struct solver *of, struct solver *s);

#endif
