/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/solver/memdep.h: what the files of memory dependences share. May-alias
 * clobbers: accesses that may have written a granule, and the search for them. Words: what they
 * hold at the halt, and what follows for them between two accesses.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_MEMDEP_CLOBBER_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_MEMDEP_CLOBBER_H

#include "replay/values/solver/solver.h"

enum { ACCESS_KILL = 0xff };

#define ADDRESS_BITS UINT64_C(0x00ffffffffffffff)

/* Addresses of a kernel: those that TTBR1 translates. */
#define KERNEL_HALF (UINT64_C(1) << 55)

/* Bytes as a mask of bits. */
static inline uint64_t memdep_spread(uint8_t bytes)
{
	uint64_t one_each = bytes * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
	uint64_t tops = one_each + UINT64_C(0x7f7f7f7f7f7f7f7f);

	return (tops >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

/* The bytes that are wholly known. */
static inline uint8_t memdep_known_bytes(struct bits b)
{
	uint8_t bytes = 0;

	for (unsigned int i = 0; i < 8; i++)
		bytes |= (uint8_t)((b.known >> 8 * i & 0xff) == 0xff ? 1u << i : 0);
	return bytes;
}

/* A value whose first byte is byte `shift` of a granule, as bits of that granule, and back. */
static inline struct bits memdep_to_granule(struct bits value, int shift)
{
	unsigned int by = 8u * (unsigned int)(shift < 0 ? -shift : shift);

	if (shift < 0)
		return (struct bits){value.value >> by, value.known >> by};
	return (struct bits){value.value << by, value.known << by};
}

static inline struct bits memdep_masked(struct bits b, uint64_t mask)
{
	return (struct bits){b.value & mask, b.known & mask};
}

/* The first `count` bytes of a granule. */
static inline uint8_t memdep_first_bytes(uint64_t count)
{
	return (uint8_t)(count >= 8 ? 0xffu : (1u << count) - 1);
}

/* Bytes of the granule that [start, start + length) has; addresses without their top byte. */
static inline uint8_t memdep_overlap(uint64_t granule, uint64_t start, uint64_t length)
{
	uint64_t into =
	        (granule - start) & ADDRESS_BITS; /* where the granule begins in the range */
	uint64_t before = (start - granule) & ADDRESS_BITS; /* and the range in the granule */
	uint8_t bytes = 0;

	if (into < length)
		bytes = memdep_first_bytes(length - into);
	if (before > 0 && before < 8)
		bytes |= (uint8_t)(memdep_first_bytes(length) << before);
	return bytes;
}

/* The access is one of A32 or T32 code, whose addresses have 32 bits. */
static inline bool memdep_is_32bit(const struct solver *s, const struct memdep_access *a)
{
	return (window_template(&s->w, a->dyn)->insn->flags & UOP_AARCH32) != 0;
}

/*
 * It is a store that happens, and supposed to go to an address: it has its place there before all
 * else. One under a condition and a range of bytes are may-alias clobbers there.
 */
bool memdep_is_supposed(const struct solver *s, uint32_t access);

void memdep_clobber_set(struct memdep_memory *m, size_t access);
void memdep_clobber_clear(struct memdep_memory *m, size_t access);
/* The last may-alias clobber before access `end`, or MEMDEP_NONE. */
uint32_t memdep_clobber_before(const struct memdep_memory *m, uint32_t end);
const struct uop_access *memdep_access_of(const struct solver *s, const struct memdep_access *a);

/* Bytes that a range writes at most. */
uint64_t memdep_range_length(const struct solver *s, const struct memdep_access *a);
/* False if the known bits and the range of its address show that it is to none of these bytes. */
bool memdep_may_touch(const struct solver *s, const struct memdep_access *a, uint64_t granule,
                      uint8_t bytes);

/* What may have changed any memory, or what addresses mean, has not for those of a kernel. */
bool memdep_spares_kernel(const struct solver *s, size_t dyn);

/* Why an access of unknown address is none for a granule, by what is assumed of the code. */
enum memdep_apart {
	MEMDEP_MAY_ALIAS,     /* it may be one */
	MEMDEP_APART_ABI,     /* abi.h */
	MEMDEP_APART_LITERAL, /* the same, of a constant beside code */
	MEMDEP_APART_SIGNAL,  /* the same, of what a signal has interrupted */
	MEMDEP_APART_LOCALS,  /* local_frame.h */
	MEMDEP_APART_TASK,    /* task_switch.h */
};

enum memdep_apart memdep_apart(const struct solver *s, uint64_t granule, uint32_t access);
/*
 * Which assumption takes away a doubt on one of the accesses first < a < end, if any does.
 * MEMDEP_NONE as `first`: from the start on.
 */
enum memdep_apart memdep_apart_decides(const struct solver *s, uint64_t granule, uint32_t first,
                                       uint32_t end);

/* Where a search for may-alias clobbers ended. */
struct memdep_scan {
	uint8_t open;         /* bytes that none can have written */
	uint32_t clear;       /* from this access on there is no may-alias clobber for any byte */
	uint32_t blocker;     /* the last one that was found, or MEMDEP_NONE */
	bool is_hypothetical; /* it is so only if the supposed store hits nothing else */
};

/* A store, or MEMDEP_NONE, that is supposed to hit nothing, or of the granule these bytes alone. */
struct memdep_hypothesis {
	uint32_t store;
	uint8_t bytes;
};

#define MEMDEP_NO_HYPOTHESIS ((struct memdep_hypothesis){MEMDEP_NONE, 0})

/* A granule, and the accesses first < a < end. MEMDEP_NONE as `first`: from the start on. */
struct memdep_stretch {
	uint64_t granule;
	uint32_t first;
	uint32_t end;
	struct memdep_hypothesis hypothesis;
};

/* May-alias clobbers in a stretch at whose end `found` is found in the granule. */
struct memdep_scan memdep_scan(const struct solver *s, const struct memdep_stretch *in,
                               struct bits found);

/* Nobody but this core writes the granule, all the time or at some. */
static inline bool memdep_is_linked(const struct solver *s, const struct memdep_granule *granule)
{
	return s->memory.is_linked || granule->is_own || s->others ||
	       (s->stacks.is_assumed && granule->is_stack);
}

/* Nobody but this core wrote it between two accesses; `first` and `end` as in a stretch. */
bool memdep_is_own(const struct solver *s, const struct memdep_granule *granule, uint32_t first,
                   uint32_t end);
/* memdep_scan(), with nothing open where another writer may have written in the stretch. */
struct memdep_scan memdep_scan_own(const struct solver *s, const struct memdep_granule *granule,
                                   const struct memdep_stretch *in, struct bits found);

/* Makes room for another granule. NO_MEM. */
MUST_USE enum status memdep_grow_granules(struct memdep_memory *m);
/* The number of the granule at an address, entered if it is new. NO_MEM. */
MUST_USE enum status memdep_granule_of(struct solver *s, uint64_t address, uint32_t *number);
/* The granule of an address, be there accesses to it or not. */
struct memdep_granule memdep_known_granule(const struct solver *s, uint64_t address);
/* The window is seen to have an access to the granule at an address. */
bool memdep_is_accessed(const struct memdep_memory *m, uint64_t address);
/* A store of which nothing is to be concluded of what it stores, nor of that: SUPPOSED_DOUBTFUL. */
bool memdep_is_doubtful(const struct solver *s, const struct memory_version *e);
/* The last memory version before the access, or MEMDEP_NONE. */
uint32_t memdep_find_place(const struct memdep_memory *m, const struct memdep_granule *granule,
                           uint32_t access);
/* The granule before an access, from what is found after it and before it. */
struct bits memdep_between(const struct solver *s, const struct memdep_granule *granule,
                           uint32_t access);
/* Between accesses of a granule: before `access`, and after the memory version `before` or
 * MEMDEP_NONE. */
struct memdep_place {
	uint32_t access;
	uint32_t before;
};

/* The granule there, from what is found after it alone. */
struct bits memdep_from_after(const struct solver *s, const struct memdep_granule *granule,
                              struct memdep_place at);
/*
 * As memdep_between(), under the hypothesis that the store hits the bytes that it says and nothing
 * else. *is_used: whether the answer rests on that.
 */
struct bits memdep_under_hypothesis(const struct solver *s, const struct memdep_granule *granule,
                                    struct memdep_place at, struct memdep_hypothesis hypothesis,
                                    bool *is_used);

/* The address that a core with its top byte ignored goes to. */
static inline uint64_t memdep_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 8) >> 8);
}

/* Where an access goes as far as known: without the top byte, or modulo 2^32. */
struct bits memdep_address_of(const struct uop_access *access, struct bits base, bool is_32bit);
/* Finds where a store of unknown address can go; false if nothing new was found. */
bool points_to_find(struct solver *s, uint32_t store);
/* False: the store does not go to the address, which has no top byte. */
bool points_to_has(const struct solver *s, const struct memdep_access *a, uint64_t at);

#endif
