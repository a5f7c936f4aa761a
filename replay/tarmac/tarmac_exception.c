/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which vector the exceptions of Fast Models' event lines are of: "CoreEvent_SWI". In: the line's
 * name and number. Out: the vector of Tarmac Text Rev 3, 2.3.3.
 */
#include "replay/tarmac/tarmac.h"

struct part {
	struct str text; /* a part of the name, in small letters */
	int64_t vector;
};

#define PART(text, vector)                                                                         \
	{                                                                                          \
		{text, sizeof(text) - 1}, vector                                                   \
	}

static const struct str prefix = {"CoreEvent_", sizeof("CoreEvent_") - 1};

/* AArch64: from where, and what. */
static const struct part places[] = {
        PART("current_sp0_", 0x000),
        PART("current_spx_", 0x200),
        PART("lower_64_", 0x400),
        PART("lower_32_", 0x600),
};
static const struct part kinds[] = {
        PART("sync", 0x000),
        PART("irq", 0x080),
        PART("fiq", 0x100),
        PART("serror", 0x180),
};
static const struct part a32[] = {
        PART("reset", 0x00), PART("undef", 0x04),    PART("swi", 0x08),
        PART("svc", 0x08),   PART("prefetch", 0x0c), PART("data", 0x10),
        PART("hyp", 0x14),   PART("irq", 0x18),      PART("fiq", 0x1c),
};

static bool has_part(struct str name, struct str part)
{
	for (; name.n >= part.n; name = str_skip(name, 1)) {
		if (str_eq_nocase((struct str){name.p, part.n}, part))
			return true;
	}
	return false;
}

static const struct part *find_part(const struct part *parts, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (has_part(name, parts[i].text))
			return &parts[i];
	}
	return NULL;
}

static bool vector_of_name(struct str name, enum core_arch arch, int64_t *vector)
{
	const struct part *place = find_part(places, sizeof(places) / sizeof(places[0]), name);
	const struct part *kind = find_part(kinds, sizeof(kinds) / sizeof(kinds[0]), name);

	if (place && kind) {
		*vector = place->vector + kind->vector;
		return true;
	}
	place = find_part(a32, sizeof(a32) / sizeof(a32[0]), name);
	if (arch != CORE_A32 || !place)
		return false;
	*vector = place->vector;
	return true;
}

bool tarmac_exception_vector(const struct tarmac_exception *exception, enum core_arch arch,
                             int64_t *vector)
{
	enum { EXCEPTIONS_M = 512 };

	*vector = exception->vector;
	if (exception->has_vector)
		return true;
	if (!str_has_prefix(exception->name, prefix))
		return false;
	if (arch != CORE_M)
		return vector_of_name(exception->name, arch, vector);
	*vector = (int64_t)exception->number;
	return exception->has_number && exception->number > 0 && exception->number < EXCEPTIONS_M;
}

bool tarmac_exception_is_reset(const struct tarmac_exception *exception)
{
	return str_eq_nocase(exception->name, STR("reset")) ||
	       str_eq_nocase(exception->name, STR("CoreEvent_RESET"));
}

bool tarmac_exception_is_none(const struct tarmac_exception *exception)
{
	return str_eq_nocase(exception->name, STR("CoreEvent_ModeChange"));
}
