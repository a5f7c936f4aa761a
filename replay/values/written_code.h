/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a core wrote itself. In: the history that the code at the halt makes of its trace. Out:
 * the same trace decoded with what the code was at each time, as far as that is proved, and a gap
 * where it is not.
 *
 * Looked for only where there is a sign of it: code ran from memory that can be written, and so did
 * what the architecture requires before written code runs (struct code_changes), or a store to code
 * that ran was seen: what has no caches, or coherent ones, needs no more. Then, to a fixed point:
 *   - stores that hit code which ran say which bytes change; with what these are at the halt they
 *     are not decoded any more;
 *   - where the trace leads to such bytes, what memory held there is what was written last, if that
 *     is proved; with it the trace is decoded from that place on. What was decoded rightly before
 *     proves it, and nothing that a wrong opcode says is asked;
 *   - code that cannot have been what ran (refuted_code.h) changes, too, after that, by stores that
 *     need not be known;
 *   - after the last store the code is what it is at the halt, if decoding it shows no later store
 *     to what ran in it.
 * A byte that changes again with no address in the trace between is not known at all. Where trace,
 * code and the halt contradict each other in the end, stores that are guessed past that say the
 * same.
 *
 * Assumed is, by the name of code-unchanged, that code which no store of a proved address hit was
 * the same before: other stores, other cores and what is not traced wrote none that ran.
 */
#ifndef CSREPLAY_REPLAY_VALUES_WRITTEN_CODE_H
#define CSREPLAY_REPLAY_VALUES_WRITTEN_CODE_H

#include "replay/history/history.h"
#include "replay/values/values.h"
#include "snapshot/events/events.h"

/*
 * Replaces *history, which was built with `build`, if code changed in it, and fills `past`, which
 * must outlive it. `is_seen`: a store to code that ran is known. NO_MEM and INTERRUPTED are the
 * only failures.
 */
MUST_USE enum status written_code_follow(const struct snapshot *snapshot,
                                         const struct history_options *build,
                                         const struct values_options *allowed, bool is_seen,
                                         struct code_past *past, struct history **history);

#endif
