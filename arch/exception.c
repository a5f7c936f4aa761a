/* SPDX-License-Identifier: Apache-2.0 */
/* The table of exceptions; see exception.h. */
#include "arch/exception.h"

enum { NO_RANGE = -1 };

static const struct exception_info rows[] = {
#define X(numbering, number, kind, name, fault)                                                    \
	{EXCEPTIONS_##numbering, number, number, EXCEPTION_##kind, name, fault, NO_RANGE},
#define R(numbering, first, last, kind, name, index)                                               \
	{EXCEPTIONS_##numbering, first, last, EXCEPTION_##kind, name, NULL, index},
#include "arch/exception.def"
};

const struct exception_info *exception_find(enum exception_numbering numbering, uint32_t number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].numbering == numbering && rows[i].first <= number &&
		    number <= rows[i].last)
			return &rows[i];
	}
	return NULL;
}

const struct exception_vector *exception_vector_find(enum core_arch arch, int64_t vector)
{
	static const struct exception_vector vectors[] = {
#define V(arch, first, last, kind, name) {CORE_##arch, first, last, EXCEPTION_##kind, name},
#include "arch/exception.def"
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (vectors[i].arch == arch && vectors[i].first <= vector &&
		    vector <= vectors[i].last)
			return &vectors[i];
	}
	return NULL;
}

bool exception_is_synchronous(enum exception_kind kind)
{
	static const bool synchronous[EXCEPTION_KINDS] = {
#define K(kind, synchronous) [EXCEPTION_##kind] = synchronous,
#include "arch/exception.def"
	};

	return synchronous[kind];
}

bool exception_is_fault(enum exception_kind kind)
{
	return kind == EXCEPTION_FAULT || kind == EXCEPTION_DATA_FAULT;
}

void exception_format(const struct exception_info *info, uint32_t number, struct text *out)
{
	text_puts(out, info->name);
	if (info->index >= 0)
		text_printf(out, "%u", (unsigned int)info->index + number - info->first);
}
