/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a core at a position of its history: registers and memory, as far as they are
 * known. In: the snapshot (the state at the halt), the history, what is proved of its past
 * (values.h; NULL for nothing). Out: values with what is known.
 */
#ifndef CSREPLAY_REPLAY_SESSION_STATE_H
#define CSREPLAY_REPLAY_SESSION_STATE_H

#include "arch/isa.h"
#include "replay/history/history.h"
#include "replay/system_register/system_register.h"
#include "replay/values/values.h"

/*
 * The register before instruction `position`; of the size that it has in the register file of the
 * history's core, `number` below that file's count.
 */
void state_register(const struct history *history, struct values *values, uint64_t position,
                    unsigned int number, struct value *value);

/*
 * The same of a register beyond the table, `past` being that of the history; unknown if the core
 * has none of that name.
 */
void state_system_register(const struct history *history, struct values *values,
                           struct system_past *past, uint64_t position,
                           const struct system_register *reg, struct value *value);

/* Before instruction `position`, as seen in a view (snapshot/memmap.h), which may not be the
 * core's. */
struct state_view {
	const struct history *history;
	struct values *values; /* or NULL */
	uint64_t position;
	uint32_t view;
};

/* Copies up to `size` bytes and returns how many are known before the first that is not. */
size_t state_memory_in(const struct state_view *at, uint64_t address, void *out, size_t size);
/* The same in the view of the core at that position. */
size_t state_memory(const struct history *history, struct values *values, uint64_t position,
                    uint64_t address, void *out, size_t size);

#endif
