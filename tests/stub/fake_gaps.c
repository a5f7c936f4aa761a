/* SPDX-License-Identifier: Apache-2.0 */
/* The gaps of a fake session's histories; see fake_session.h. */
#include "fake_session.h"

const struct gap fake_gap = {.position = FAKE_GAP, .reason = GAP_OVERFLOW, .offset = 77};

static struct gap many_gaps[FAKE_GAPS_MOST];
static size_t gap_count;
static bool has_halt_gap;

void fake_session_set_halt_gap(bool has_gap)
{
	has_halt_gap = has_gap;
}

void fake_session_set_gaps(size_t count)
{
	gap_count = count;
	for (size_t i = 0; i < count; i++)
		many_gaps[i] = (struct gap){
		        .position = i,
		        .reason = (enum gap_reason)(i % (GAP_HALT + 1)),
		};
}

size_t history_gap_count(const struct history *history)
{
	if (history_length(history) == 0)
		return 0;
	return gap_count > 0 ? gap_count : 1;
}

size_t history_gap_count_of(const struct history *history, enum gap_reason reason)
{
	size_t count = 0;
	struct gap gap;

	for (size_t i = 0; history_gap(history, i, &gap); i++)
		count += gap.reason == reason;
	return count;
}

bool history_gap(const struct history *history, size_t index, struct gap *gap)
{
	if (index >= history_gap_count(history))
		return false;
	*gap = gap_count > 0 ? many_gaps[index] : fake_gap;
	return true;
}

size_t history_gap_index(const struct history *history, uint64_t position)
{
	struct gap gap;
	size_t index = 0;

	while (history_gap(history, index, &gap) && gap.position < position)
		index++;
	return index;
}

bool history_has_gap_at(const struct history *history, uint64_t position)
{
	return history_length(history) > 0 &&
	       (position == FAKE_GAP || (has_halt_gap && position == FAKE_LENGTH));
}

bool history_gap_at(const struct history *history, uint64_t position, struct gap *gap)
{
	*gap = fake_gap;
	return history_has_gap_at(history, position);
}
