/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions of a Cortex-M in a recording by qemu. In: what the log says of them, the states. Out:
 * the elements that a trace would have, and what the core stacks, which no instruction stores.
 */
#ifndef CSREPLAY_TESTS_VALUES_TRUTH_M_FRAMES_H
#define CSREPLAY_TESTS_VALUES_TRUTH_M_FRAMES_H

#include "arch/uop/uop_run.h"
#include "tests/values/truth/recording.h"

/* Before state `position`: a return, an entry, or both. */
struct m_event {
	size_t position;
	uint32_t entered; /* exception number, or 0 */
	bool returned;
	bool chained;   /* nothing was unstacked and stacked between the two */
	size_t resumed; /* state at which execution goes on after the handler; SIZE_MAX: never */
	size_t same_as; /* of an entry right after a return: the event whose frame it is, plus 1 */
	uint32_t frame;
	uint64_t sp; /* about what it was where it entered */
};

struct m_events {
	struct m_event *items;
	size_t count;
	size_t capacity;
};

/* A line of the log that is no register. */
void m_events_take(struct m_events *events, const char *line, size_t position);
/* Finds where each handler returns to, and adds the elements between. False if one never returns.
 */
bool m_events_resolve(struct m_events *events, struct recording *r);
/* The event before a state, or NULL. */
struct m_event *m_event_at(const struct m_events *events, size_t position);
/* Adds what the core stacks after instruction position - 1, which `run` executed. */
void m_event_stack(const struct m_events *events, struct m_event *event, struct recording *r,
                   const struct uop_run *run);
/* Which stack pointers there are, once the frames are known. */
void m_events_stacks(const struct m_events *events, struct recording *r);
/* Whether what is unstacked before a state is what the log shows. */
bool m_event_unstacks(const struct m_events *events, const struct m_event *event,
                      const struct recording *r);

#endif
