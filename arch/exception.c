/* SPDX-License-Identifier: Apache-2.0 */
/* The table of exceptions; see exception.h. */
#include "arch/exception.h"

enum {
	NO_RANGE = -1,
	FIRST_INTERRUPT = 16, /* number of an interrupt 0 of the M profile */
};

static const struct exception_info rows[] = {
#define ON(vector) (1U << (vector) / 4)
#define X(numbering, number, kind, name, fault, entry)                                             \
	{EXCEPTIONS_##numbering, number, number, EXCEPTION_##kind, name, fault, NO_RANGE, entry},
#define R(numbering, first, last, kind, name, index)                                               \
	{EXCEPTIONS_##numbering, first, last, EXCEPTION_##kind, name, NULL, index, 0},
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

static const struct exception_vector vectors[] = {
#define V(arch, first, last, kind, name) {CORE_##arch, EXCEPTION_##kind, first, last, name},
#include "arch/exception.def"
};

const struct exception_vector *exception_vector_find(enum core_arch arch, int64_t vector)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (vectors[i].arch == arch && vectors[i].first <= vector &&
		    vector <= vectors[i].last)
			return &vectors[i];
	}
	return NULL;
}

bool exception_name_contradicts(struct str name, int64_t vector)
{
	bool is_known = false;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (!str_eq(name, str_of(vectors[i].name)))
			continue;
		is_known = true;
		if (vectors[i].first <= vector && vector <= vectors[i].last)
			return false;
	}
	return is_known;
}

static bool is_m(enum exception_numbering numbering)
{
	return numbering == EXCEPTIONS_ETM4_M || numbering == EXCEPTIONS_ETM3_M;
}

static bool vector_m(const struct exception_info *info, uint32_t number, int64_t *vector)
{
	*vector = info->entry;
	if (info->index >= 0)
		*vector = FIRST_INTERRUPT + info->index + (int64_t)(number - info->first);
	return *vector > 0;
}

/* AArch32: the one that the address is of, or the only one. */
static bool vector_a32(const struct exception_info *info, const struct exception_target *target,
                       int64_t *vector)
{
	unsigned int set = info->entry;
	unsigned int low = (unsigned int)target->address & 0x1fU;

	if (target->level >= 0 && target->level != 2) /* not Hyp mode */
		set &= ~ON(0x14);
	if (target->has_address && low % 4 == 0 && (set & ON(low)) != 0) {
		*vector = low;
		return true;
	}
	if (set == 0 || (set & (set - 1)) != 0)
		return false;
	for (*vector = 0; ON((unsigned int)*vector) != set;)
		*vector += 4;
	return true;
}

/* Which of the four of a place in the table of AArch64. */
static int64_t offset_a64(const struct exception_info *info)
{
	if (info->entry == ON(0x18))
		return 0x080;
	if (info->entry == ON(0x1c))
		return 0x100;
	return info->kind == EXCEPTION_ERROR ? 0x180 : 0x000;
}

static bool vector_a64(const struct exception_info *info, const struct exception_target *target,
                       int64_t *vector)
{
	/* EL0 takes none itself. */
	bool has_levels = target->from == 0 || (target->level >= 0 && target->from >= 0);
	bool rises = target->from == 0 || target->from < target->level;
	int64_t low = (int64_t)(target->address & 0x7ff);
	int64_t offset = offset_a64(info);

	if (info->entry == 0 || info->kind == EXCEPTION_RESET)
		return false;
	*vector = low;
	if (target->has_address && low % 0x200 == offset &&
	    (!has_levels || rises == (low >= 0x400)))
		return true;
	/*
	 * The level right below tells how wide it is, and above EL0 of AArch64 all are of it; of
	 * the same level the stack pointer is not known.
	 */
	*vector = offset + (target->is_from_64bit ? 0x400 : 0x600);
	return (has_levels && target->from + 1 == target->level) ||
	       (target->from == 0 && target->is_from_64bit);
}

bool exception_vector_of(const struct exception_info *info, uint32_t number,
                         const struct exception_target *target, int64_t *vector)
{
	if (!info)
		return false;
	if (is_m(info->numbering))
		return vector_m(info, number, vector);
	return target->is_64bit ? vector_a64(info, target, vector)
	                        : vector_a32(info, target, vector);
}

bool exception_is_synchronous(enum exception_kind kind)
{
	static const bool synchronous[EXCEPTION_KINDS] = {
#define K(kind, synchronous) [EXCEPTION_##kind] = (synchronous),
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
