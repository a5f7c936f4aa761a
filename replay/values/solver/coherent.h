/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where stores of unknown address went, if what is known without them is coherent with it. In: a
 * window. Out: its solution under suppositions on such stores, and these.
 *
 * Stores of unknown address are what keeps most values unknown: each may have hit anything. Mostly
 * it is themselves that hide their addresses: were it known that they hit none of the pointers that
 * their addresses were read from, the addresses would follow. So first they are supposed to hit
 * nothing that accesses of known address go to, unless the same instruction is known to, and where
 * that leads no further to hit nothing at all, which gives many an address; then each of these is
 * supposed to hit what is at its address, and nothing else, until the addresses no longer change.
 * If all addresses follow again from this, without anything being supposed of the others, and
 * nothing contradicts, that is accepted; but not of stores that say where each other went, and of
 * which nothing else says it. A store whose address does not follow, or with which a
 * contradiction comes, stays what it was, a may-alias clobber. What writes a range of bytes, and a
 * store of which it is not known whether it happened, are supposed to have an address, too, and are
 * may-alias clobbers there. All of this is done for the last instructions first, and then for more
 * and more of the window.
 *
 * This is no proof: other addresses could be as coherent. So it is an assumption
 * (replay/values/assumption.def), and added to what is proved without it.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_COHERENT_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_COHERENT_H

#include "base/status.h"
#include "replay/values/solver/supposition.h"

struct history;
struct solve_options;

/*
 * As solve_init(), with what `options` allow, and under suppositions on top: those of `supposed`,
 * which hold for a part of the window and are tried first, and what is found. What is accepted
 * comes out there. If nothing can be accepted it is what solve_init() finds. The same errors;
 * solve_fini() in any case.
 */
MUST_USE enum status coherent_init(struct solver *s, const struct history *history,
                                   const struct solve_options *options,
                                   struct suppositions *supposed);

#endif
