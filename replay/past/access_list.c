/* SPDX-License-Identifier: Apache-2.0 */
/* The list of an answer; see accesses.h and register_accesses.h. */
#include <stdlib.h>

#include "base/vec.h"
#include "replay/past/register_accesses.h"

const char *past_verdict_word(enum past_verdict verdict)
{
	static const char *const words[] = {
#define X(name, word) word,
#include "replay/past/accesses.def"
#undef X
	};

	return words[verdict];
}

enum status past_accesses_add(struct past_accesses *found, const struct past_accesses_of *of,
                              const struct past_access *access)
{
	if (found->count == of->most) {
		found->is_cut = true;
		return STATUS_OK;
	}
	TRY(vec_reserve((void **)&found->all, &found->capacity, found->count + 1,
	                sizeof(*found->all)));
	found->all[found->count++] = *access;
	return STATUS_OK;
}

void past_accesses_fini(struct past_accesses *found)
{
	free(found->all);
	other_writers_fini(&found->others);
	*found = (struct past_accesses){0};
}
