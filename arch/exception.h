/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the exceptions are that trace numbers, or that have a vector. In: a number, and how the
 * source counts. Out: a row of exception.def, which says of what kind the exception is.
 */
#ifndef CSREPLAY_ARCH_EXCEPTION_H
#define CSREPLAY_ARCH_EXCEPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "snapshot/snapshot.h"

enum exception_kind {
#define K(kind, synchronous) EXCEPTION_##kind,
#include "arch/exception.def"
	EXCEPTION_KINDS,
};

/* How sources number exceptions: by protocol and profile. */
enum exception_numbering {
	EXCEPTIONS_NONE,     /* has no exceptions */
	EXCEPTIONS_ETM4,     /* ETMv4, ETE: A and R profile */
	EXCEPTIONS_ETM4_M,   /* M profile */
	EXCEPTIONS_ETM3,     /* ETMv3, PTM: A and R profile */
	EXCEPTIONS_ETM3_OLD, /* ETMv3, in the form of ETMv1 */
	EXCEPTIONS_ETM3_M,
};

struct exception_info {
	enum exception_numbering numbering;
	uint32_t first; /* number, and the last one of its row */
	uint32_t last;
	enum exception_kind kind;
	const char *name;
	const char *fault; /* NULL: no fault of the code */
	int index;         /* of the first in the names of a range; negative: no range */
	uint32_t entry;    /* as exception.def has it */
};

/* NULL for a number that is reserved. */
const struct exception_info *exception_find(enum exception_numbering numbering, uint32_t number);

/* OTHER for NULL. */
static inline enum exception_kind exception_kind_of(const struct exception_info *info)
{
	return info ? info->kind : EXCEPTION_OTHER;
}

struct exception_vector {
	enum core_arch arch;
	enum exception_kind kind;
	int64_t first;
	int64_t last;
	const char *name;
};

/* By where the handler is entered; NULL if there is no such vector. */
const struct exception_vector *exception_vector_find(enum core_arch arch, int64_t vector);

/* True if it is the name of a vector, and not of this one, of any architecture. */
bool exception_name_contradicts(struct str name, int64_t vector);

/* Where an exception was taken to, as far as that is known. Levels are 0 to 3, or -1. */
struct exception_target {
	bool has_address; /* of the first instruction of the handler */
	bool is_64bit;    /* that is of A64 */
	uint64_t address;
	int level;
	int from; /* level that it was taken from */
	bool is_from_64bit;
};

/*
 * The vector by which exception `number` of a row was entered, of exception_vector_find(). False if
 * it has none, or if what is known does not say which: *vector is of no meaning then. `info` may be
 * NULL.
 */
bool exception_vector_of(const struct exception_info *info, uint32_t number,
                         const struct exception_target *target, int64_t *vector);

bool exception_is_synchronous(enum exception_kind kind);
/* The instruction that it is of need not have completed. */
bool exception_is_fault(enum exception_kind kind);

/* Appends the name, such as "IRQ12". */
void exception_format(const struct exception_info *info, uint32_t number, struct text *out);

#endif
