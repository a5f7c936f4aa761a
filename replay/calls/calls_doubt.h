/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution goes on in the middle of a function, of which there may be several calls: a longjmp,
 * the landing pad of a C++ exception, a switch to one of many coroutines. Which of them it is the
 * flow shows when that call returns, since each returns to its own caller.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_DOUBT_H
#define CSREPLAY_REPLAY_CALLS_CALLS_DOUBT_H

#include "replay/calls/calls_stack.h"

/* Adds a call, once. */
void candidates_add(struct candidates *candidates, struct candidate candidate);
/*
 * The calls in whose function `to` lies, of the active stack (its top, which is left, is none) and
 * of those that wait. None if a function begins there.
 */
void candidates_find(const struct call_builder *b, uint64_t to, struct candidates *candidates);

/* The active stack waits, and one of the candidates, or what is not known, goes on at `to`. NO_MEM.
 */
MUST_USE enum status calls_land(struct call_builder *b, enum call_begin begin, uint64_t to,
                                struct candidates *candidates);
/* One of the candidates is what `root`, the active call, is. NO_MEM. */
MUST_USE enum status calls_doubt(struct call_builder *b, uint32_t root,
                                 const struct candidates *candidates);

/* After this site any task may return to `to`. False for site 0. */
bool calls_is_common(const struct call_builder *b, uint32_t site, uint64_t to);

/*
 * The active call, which is `root` or came in the place of it, returns to `to`, and its caller is
 * not known: if one candidate alone returns there, that was it, and `is_decided`. If several do,
 * *callers are theirs, one of which goes on now. NO_MEM.
 */
MUST_USE enum status calls_decide(struct call_builder *b, uint32_t root, uint64_t to,
                                  bool *is_decided, struct candidates *callers);
/*
 * The active stack, which is one of the candidates or another, is left a second time: all of them
 * wait no more, since which of them did is not known. NO_MEM.
 */
MUST_USE enum status calls_forget_candidates(struct call_builder *b);
/* At the end: what did not return is the only candidate, where there is but one. NO_MEM. */
MUST_USE enum status calls_decide_rest(struct call_builder *b);

#endif
