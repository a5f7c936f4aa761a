/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a window, as dependences between accesses. In: accesses whose address is known, the
 * memory at the halt. Out: what loads load, what stores must have stored.
 *
 * Memory is granules, doublewords of 8 bytes that are aligned. A granule has memory versions, the
 * accesses to it in order, each with what the granule held before and after it. Two neighbours are
 * linked, byte by byte, if nothing between them can have written the byte: then what is after the
 * first is what is before the second, both ways. The last memory version is linked with the granule
 * at the halt in the same way. What can have written it are may-alias clobbers: stores whose
 * address is not known, ranges with unknown content, dynamic instructions that may have done
 * anything. A may-alias clobber is none for a byte if
 *   - the known bits of its address lead elsewhere, or
 *   - it would have left another value there than the one that is found after it, or
 *   - it goes elsewhere, or else to a granule that its address was read from (points_to.c).
 * A dependence that a may-alias clobber keeps closed waits for it, and is tried again when more is
 * known of it.
 *
 * Memory that no dump holds may be a device, and is not linked, nor is what the user says a device
 * may change: for the solver it is as if no dump held it. Read-only memory is known always.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_MEMDEP_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_MEMDEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/uop/uop.h"
#include "base/status.h"
#include "snapshot/memmap.h"

struct solver;

#define MEMDEP_NONE UINT32_MAX

enum access_state {
	ACCESS_OPEN,     /* address or condition not known */
	ACCESS_ABSENT,   /* did not happen */
	ACCESS_RANGE,    /* a may-alias clobber whose place is known */
	ACCESS_PLACED,   /* has memory versions */
	ACCESS_UNLINKED, /* in memory that is not linked */
};

struct memdep_access {
	union {
		struct bits address; /* as far as known, top byte dropped; until it is PLACED */
		/* The first of one or two memory versions, that lie one after the other, or
		 * MEMDEP_NONE. */
		struct {
			uint32_t first;
			uint32_t data; /* SSA value loaded or stored; MEMDEP_NONE: a constant */
		} placed;
	};
	uint32_t dyn;
	uint32_t waiting; /* first memory version whose dependence waits for it */
	uint32_t reach;   /* of a store of unknown address, or MEMDEP_NONE */
	uint8_t index;    /* in the instruction; ACCESS_KILL: any memory may be written */
	uint8_t state : 4;
	uint8_t tries : 4; /* to find its reach */
	uint8_t kind;      /* enum uop_access_kind */
	uint8_t size;      /* bytes; 0 for a range */
};

/* Ranges of whole granules are kept apart: memdep_memory.ranges. */
struct memory_version {
	struct bits before;
	struct bits after;
	uint32_t access;
	uint32_t granule;
	uint32_t previous; /* memory versions of the granule, in order of accesses */
	uint32_t next;
	uint32_t wait_previous;
	uint32_t wait_next;
	uint32_t waits_for; /* access, or MEMDEP_NONE */
	uint32_t scanned;   /* up to here nothing after it is a may-alias clobber */
	uint8_t mask;       /* bytes of the granule that it touches */
	uint8_t linked;     /* bytes linked with what comes next */
	int8_t shift;       /* of its first byte in the granule */
	bool is_store;
	bool is_queued;
	bool is_changed; /* more is known of `before` than when the dependence to it was tried */
};

enum {
	POINTS_TO_MOST = 24,
	POINTS_TO_ANY = 0x7fff, /* points_to_set.may_hit: any byte of the granule */
};

/* A store goes to the address, or hits one of the granules; points_to.c. */
struct points_to_set {
	struct bits address; /* without the top byte */
	uint8_t count;
	uint64_t granules[POINTS_TO_MOST];
	uint16_t may_hit[POINTS_TO_MOST]; /* bit i: it may go to byte i - 7 of the granule */
};

/* A granule of memory at the halt, of which some bytes are always the same, and some were executed.
 */
struct memdep_contents {
	struct bits value;
	uint8_t constant;
	uint8_t code;
};

struct memdep_granule {
	uint64_t address;
	struct memdep_contents contents;
	struct bits end; /* at the halt */
	uint32_t first;
	uint32_t last;
	uint32_t hint;
	bool is_stack; /* accessed through SP */
	bool is_own;   /* taken to be this core's own: memmap_is_own() */
};

struct memdep_memory {
	const struct memmap *map;
	uint32_t view;  /* that it is seen in */
	bool is_linked; /* a single writer */
	bool takes_own; /* what this core's dumps alone hold is not written by others */
	/* Dynamic instructions; before them read-only memory is not what it is now, and a
	   kernel's. */
	size_t constant_from;
	size_t kernel_constant_from;
	size_t modified_code; /* dynamic instructions before it ran code that was written since; 0:
	                         none */
	struct memdep_access *accesses;
	size_t access_count;
	uint64_t *clobbers; /* bit a: access a may have written somewhere unknown */
	uint64_t *clobber_granules;
	struct memory_version *versions;
	size_t version_count;
	size_t version_capacity;
	struct interval_map ranges; /* before memory version e: 2 * e, after it: 2 * e + 1 */
	struct memdep_granule *granules;
	size_t granule_count;
	size_t granule_capacity;
	uint32_t *slots; /* granules by address; 0: free, else the number plus 1 */
	size_t slot_count;
	struct points_to_set *points_to_sets;
	size_t points_to_count;
	size_t points_to_capacity;
	size_t points_to_work; /* SSA values that were looked at for them */
	uint32_t *queue;
	size_t queue_count;
	size_t queue_capacity;
	enum status status; /* NO_MEM: nothing more is linked */
};

MUST_USE enum status memdep_init(struct solver *s, bool single_writer, bool own_dumps);
void memdep_fini(struct memdep_memory *m);
/* Gives back what was reserved for more than there is, when all is known. */
void memdep_trim(struct memdep_memory *m);
/* Looks at the accesses of a dynamic instruction of which something became known. */
void memdep_dyn(struct solver *s, size_t dyn);
/*
 * Places the stores that are supposed to have gone somewhere (coherent.h); before all dynamic
 * instructions.
 */
void memdep_suppose(struct solver *s);
/*
 * Of a copy of a solution: looks again at the accesses of unknown place of which it supposes
 * anything. What was tried in vain may be tried again.
 */
void memdep_suppose_more(struct solver *s);
/* Tries all closed dependences again. */
void memdep_retry(struct solver *s);
/* Where an access goes, as far as known, without the top byte; nothing of ACCESS_KILL is. */
struct bits memdep_address(const struct solver *s, const struct memdep_access *a);
/* False if the whole address is known, and no store goes there: no memory of a dump, read only, or
 * code that ran. */
bool memdep_may_be_written(const struct solver *s, struct bits address);
/* Read-only memory there was, at the dynamic instruction, what it is at the halt. */
bool memdep_is_constant(const struct memdep_memory *m, size_t dyn, uint64_t address);
/* The granule before a dynamic instruction. */
struct bits memdep_granule_at(const struct solver *s, size_t dyn, uint64_t address);
/*
 * An instruction cache maintenance after a store of unknown address: the dynamic instruction after
 * it, or 0.
 */
size_t memdep_code_may_alias(const struct solver *s);

#endif
