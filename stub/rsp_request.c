/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the remote serial protocol; the table is rsp_request.def. */
#include "stub/rsp_request.h"

enum form {
	LETTER,
	WORD,
};

static const struct {
	struct str name;
	enum form form;
} table[RSP_UNKNOWN] = {
#define X(id, name, form, handler) {{name, sizeof(name) - 1}, form},
#include "stub/rsp_request.def"
#undef X
};

enum rsp_request rsp_request_parse(struct str payload, struct str *args)
{
	size_t word = 0;

	while (word < payload.n && payload.p[word] != ':' && payload.p[word] != ';' &&
	       payload.p[word] != ',')
		word++;
	for (unsigned int i = 0; i < RSP_UNKNOWN; i++) {
		if (table[i].form == WORD ? !str_eq((struct str){payload.p, word}, table[i].name)
		                          : !str_has_prefix(payload, table[i].name))
			continue;
		*args = str_skip(payload, table[i].form == WORD && word < payload.n
		                                  ? word + 1
		                                  : table[i].name.n);
		return (enum rsp_request)i;
	}
	return RSP_UNKNOWN;
}

struct str rsp_next(struct str *rest, char separator)
{
	size_t length = str_find(*rest, separator);
	struct str part = {rest->p, length};

	*rest = str_skip(*rest, length < rest->n ? length + 1 : length);
	return part;
}

enum status rsp_next_hex(struct str *rest, char separator, uint64_t *value)
{
	return str_hex_to_u64(rsp_next(rest, separator), value);
}
