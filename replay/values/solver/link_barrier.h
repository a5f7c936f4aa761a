/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/values/solver/link.h: what the files of memory links share. Barriers: accesses
 * that may have written a word, and the search for them. Words: what they hold at the halt, and
 * what follows for them between two accesses.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_LINK_BARRIER_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_LINK_BARRIER_H

#include "replay/values/solver/solver.h"

enum { ACCESS_KILL = 0xff };

#define ADDRESS_BITS UINT64_C(0x00ffffffffffffff)

/* Bytes as a mask of bits. */
static inline uint64_t link_spread(uint8_t bytes)
{
	uint64_t one_each = bytes * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
	uint64_t tops = one_each + UINT64_C(0x7f7f7f7f7f7f7f7f);

	return (tops >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

/* The bytes that are wholly known. */
static inline uint8_t link_known_bytes(struct bits b)
{
	uint8_t bytes = 0;

	for (unsigned int i = 0; i < 8; i++)
		bytes |= (uint8_t)((b.known >> 8 * i & 0xff) == 0xff ? 1u << i : 0);
	return bytes;
}

/* A value whose first byte is byte `shift` of a word, as bits of that word, and back. */
static inline struct bits link_to_word(struct bits value, int shift)
{
	unsigned int by = 8u * (unsigned int)(shift < 0 ? -shift : shift);

	if (shift < 0)
		return (struct bits){value.value >> by, value.known >> by};
	return (struct bits){value.value << by, value.known << by};
}

static inline struct bits link_masked(struct bits b, uint64_t mask)
{
	return (struct bits){b.value & mask, b.known & mask};
}

/* The first `count` bytes of a word. */
static inline uint8_t link_first_bytes(uint64_t count)
{
	return (uint8_t)(count >= 8 ? 0xffu : (1u << count) - 1);
}

/* Bytes of the word that [start, start + length) has; addresses without their top byte. */
static inline uint8_t link_overlap(uint64_t word, uint64_t start, uint64_t length)
{
	uint64_t into = (word - start) & ADDRESS_BITS;   /* where the word begins in the range */
	uint64_t before = (start - word) & ADDRESS_BITS; /* and the range in the word */
	uint8_t bytes = 0;

	if (into < length)
		bytes = link_first_bytes(length - into);
	if (before > 0 && before < 8)
		bytes |= (uint8_t)(link_first_bytes(length) << before);
	return bytes;
}

/* The access is one of A32 or T32 code, whose addresses have 32 bits. */
static inline bool link_is_32bit(const struct solver *s, const struct link_access *a)
{
	return (window_plan(&s->w, a->step)->insn->flags & UOP_AARCH32) != 0;
}

void link_barrier_set(struct link_memory *m, size_t access);
void link_barrier_clear(struct link_memory *m, size_t access);
/* The last barrier before access `end`, or LINK_NONE. */
uint32_t link_barrier_before(const struct link_memory *m, uint32_t end);
const struct uop_access *link_access_of(const struct solver *s, const struct link_access *a);

/* False if the known bits and the range of its address show that it is to none of these bytes. */
bool link_may_touch(const struct solver *s, const struct link_access *a, uint64_t word,
                    uint8_t bytes);

/* Where a search for barriers ended. */
struct link_scan {
	uint8_t open;     /* bytes that none can have written */
	uint32_t clear;   /* from this access on there is no barrier for any byte */
	uint32_t blocker; /* the last one that was found, or LINK_NONE */
	bool is_supposed; /* it is so only if the supposed store hits nothing else */
};

/* A store, or LINK_NONE, that is supposed to hit nothing, or of the word these bytes alone. */
struct link_supposed {
	uint32_t store;
	uint8_t bytes;
};

#define LINK_NOTHING_SUPPOSED ((struct link_supposed){LINK_NONE, 0})

/* A word, and the accesses first < a < end. LINK_NONE as `first`: from the begin on. */
struct link_stretch {
	uint64_t word;
	uint32_t first;
	uint32_t end;
	struct link_supposed supposed;
};

/* Barriers in a stretch at whose end `found` is found in the word. */
struct link_scan link_scan(const struct solver *s, const struct link_stretch *in,
                           struct bits found);

/* Makes room for another word. NO_MEM. */
MUST_USE enum status link_grow_words(struct link_memory *m);
/* The number of the word at an address, entered if it is new. NO_MEM. */
MUST_USE enum status link_word_of(struct solver *s, uint64_t address, uint32_t *number);
/* The word of an address, be there accesses to it or not. */
struct link_word link_known_word(const struct solver *s, uint64_t address);
/* The last entry before the access, or LINK_NONE. */
uint32_t link_find_place(const struct link_memory *m, const struct link_word *word,
                         uint32_t access);
/* The word before an access, from what is found behind it and before it. */
struct bits link_between(const struct solver *s, const struct link_word *word, uint32_t access);
/* Between accesses of a word: before `access`, and behind the entry `before` or LINK_NONE. */
struct link_place {
	uint32_t access;
	uint32_t before;
};

/* The word there, from what is found behind it alone. */
struct bits link_from_behind(const struct solver *s, const struct link_word *word,
                             struct link_place at);
/* What link_between() says, if the store hits what is supposed; `is_used`: that was needed. */
struct bits link_supposing(const struct solver *s, const struct link_word *word,
                           struct link_place at, struct link_supposed supposed, bool *is_used);

/* The address that a core with its top byte ignored goes to. */
static inline uint64_t link_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 8) >> 8);
}

/* Where an access goes as far as known: without the top byte, or modulo 2^32. */
struct bits link_address_of(const struct uop_access *access, struct bits base, bool is_32bit);
/* Finds where a store of unknown address can go; false if nothing new was found. */
bool link_reach_find(struct solver *s, uint32_t store);
/* False: the store does not go to the address, which has no top byte. */
bool link_reach_has(const struct solver *s, const struct link_access *a, uint64_t at);

#endif
