/* SPDX-License-Identifier: Apache-2.0 */
/* What questions about the past leave; see answers.h. */
#include "replay/session/answers.h"

#include <stdlib.h>

#include "base/vec.h"

void answers_fini(struct answers *answers)
{
	free(answers->places.positions);
	*answers = (struct answers){0};
}

void places_add(struct places *places, uint64_t position)
{
	if (vec_reserve((void **)&places->positions, &places->capacity, places->count + 1,
	                sizeof(*places->positions)) == STATUS_OK)
		places->positions[places->count++] = position;
	else
		places->status = STATUS_NO_MEM;
}

enum status answers_keep(struct answers *answers, size_t core, const char *command,
                         struct places *places)
{
	enum status status = places->status;

	if (status == STATUS_OK) {
		free(answers->places.positions);
		answers->places = *places;
		answers->command = command;
		answers->core = core;
	} else {
		free(places->positions);
	}
	*places = (struct places){0};
	return status;
}
