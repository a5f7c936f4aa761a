/* SPDX-License-Identifier: Apache-2.0 */
/* Names of address spaces. */
#include "snapshot/space.h"

#include <stddef.h>

/*
 * What a snapshot may call a space. The older names (H, P, NP, SP) mean what OpenCSD's snapshot
 * reader takes them for, so that both decode a snapshot alike.
 */
static const struct {
	const char *name;
	enum space space;
} names[] = {
        {"", SPACE_ANY},    {"ANY", SPACE_ANY},   {"S", SPACE_S},       {"N", SPACE_N},
        {"R", SPACE_R},     {"EL1S", SPACE_EL1S}, {"EL1N", SPACE_EL1N}, {"EL1R", SPACE_EL1R},
        {"EL2", SPACE_EL2}, {"EL2N", SPACE_EL2},  {"EL2S", SPACE_EL2S}, {"EL2R", SPACE_EL2R},
        {"EL3", SPACE_EL3}, {"ROOT", SPACE_ROOT}, {"H", SPACE_EL2},     {"P", SPACE_EL1N},
        {"NP", SPACE_EL1N}, {"SP", SPACE_EL1S},
};

const char *space_text(enum space space)
{
	static const struct {
		unsigned int bits;
		const char *text;
	} texts[] = {
#define X(name, bits, text) {bits, text},
#include "snapshot/space.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].bits == (unsigned int)space)
			return texts[i].text;
	}
	return "?";
}

enum status space_parse(struct str name, enum space *space)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!str_eq_nocase(name, str_of(names[i].name)))
			continue;
		*space = names[i].space;
		return STATUS_OK;
	}
	return STATUS_NOT_FOUND;
}
