/* SPDX-License-Identifier: Apache-2.0 */
/* The table of assumptions; see assumption.h. */
#include "replay/values/assumption.h"

static const struct {
	const char *name;
	bool is_of_code;
	const char *text;
} rows[ASSUMPTIONS] = {
#define X(id, name, is_of_code, text) {name, is_of_code, text},
#include "replay/values/assumption.def"
#undef X
};

const char *assumption_name(enum assumption assumption)
{
	return rows[assumption].name;
}

bool assumption_is_of_code(enum assumption assumption)
{
	return rows[assumption].is_of_code;
}

const char *assumption_text(enum assumption assumption)
{
	return rows[assumption].text;
}

enum assumption assumption_find(struct str name)
{
	unsigned int i = 0;

	while (i < ASSUMPTIONS && !str_eq(name, str_of(rows[i].name)))
		i++;
	return (enum assumption)i;
}
