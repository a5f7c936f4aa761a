/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of a window, as links between accesses. In: accesses whose address is known, the memory
 * at the halt. Out: what loads load, what stores must have stored.
 *
 * Memory is words of 8 bytes. A word has entries, the accesses to it in order, each with what the
 * word held before and behind it. Two neighbours are linked, byte by byte, if nothing between
 * them can have written the byte: then what is behind the first is what is before the second, both
 * ways. The last entry is linked with the word at the halt in the same way. What can have
 * written it are barriers: stores whose address is not known, ranges with unknown content, steps
 * that may have done anything. A barrier is none for a byte if
 *   - the known bits of its address lead elsewhere, or
 *   - it would have left another value there than the one that is found behind it, or
 *   - it goes elsewhere, or else to a word that its address was read from (link_reach.c).
 * A link that a barrier keeps closed waits for it, and is tried again when more is known of it.
 *
 * Memory that no dump holds may be a device, and is not linked. Read-only memory is known always.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SOLVER_LINK_H
#define CSREPLAY_REPLAY_VALUES_SOLVER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "replay/values/solver/interval_map.h"
#include "snapshot/memmap.h"

struct solver;

#define LINK_NONE UINT32_MAX

enum access_state {
	ACCESS_OPEN,     /* address or condition not known */
	ACCESS_ABSENT,   /* did not happen */
	ACCESS_RANGE,    /* a barrier whose place is known */
	ACCESS_PLACED,   /* has entries */
	ACCESS_UNLINKED, /* in memory that is not linked */
};

struct link_access {
	union {
		struct bits address; /* as far as known, top byte dropped; until it is PLACED */
		/* The first of one or two entries, that lie behind each other, or LINK_NONE. */
		struct {
			uint32_t first;
			uint32_t data; /* node loaded or stored; LINK_NONE: a constant */
		} placed;
	};
	uint32_t step;
	uint32_t waiting; /* first entry whose link waits for it */
	uint32_t reach;   /* of a store of unknown address, or LINK_NONE */
	uint8_t index;    /* in the instruction; ACCESS_KILL: any memory may be written */
	uint8_t state : 4;
	uint8_t tries : 4; /* to find its reach */
	uint8_t kind;      /* enum uop_access_kind */
	uint8_t size;      /* bytes; 0 for a range */
};

/* Ranges of whole words are kept apart: link_memory.ranges. */
struct link_entry {
	struct bits before;
	struct bits after;
	uint32_t access;
	uint32_t word;
	uint32_t previous; /* entries of the word, in order of accesses */
	uint32_t next;
	uint32_t wait_previous;
	uint32_t wait_next;
	uint32_t waits_for; /* access, or LINK_NONE */
	uint32_t scanned;   /* from here to the next entry no access is a barrier */
	uint8_t mask;       /* bytes of the word that it touches */
	uint8_t linked;     /* bytes linked with what comes next */
	int8_t shift;       /* of its first byte in the word */
	bool is_store;
	bool is_queued;
	bool is_news; /* more is known of `before` than when the link to it was tried */
};

enum { LINK_REACH_WORDS = 24 };

/* A store goes to the address, or hits one of the words; link_reach.c. */
struct link_reach {
	struct bits address; /* without the top byte */
	uint8_t count;
	uint64_t words[LINK_REACH_WORDS];
	uint16_t may_hit[LINK_REACH_WORDS]; /* bit i: it may go to byte i - 7 of the word */
};

/* A word of memory at the halt, of which some bytes are always the same, and some were executed. */
struct link_contents {
	struct bits value;
	uint8_t constant;
	uint8_t code;
};

struct link_word {
	uint64_t address;
	struct link_contents contents;
	struct bits end; /* at the halt */
	uint32_t first;
	uint32_t last;
	uint32_t hint;
};

struct link_memory {
	const struct memmap *map;
	enum space space;     /* that it is seen from */
	bool is_linked;       /* a single writer */
	size_t constant_from; /* step; before it read-only memory is not what it is now */
	size_t modified_code; /* steps before it ran code that was written since; 0: none */
	struct link_access *accesses;
	size_t access_count;
	uint64_t *barriers; /* bit a: access a may have written somewhere unknown */
	uint64_t *barrier_words;
	struct link_entry *entries;
	size_t entry_count;
	size_t entry_capacity;
	struct interval_map ranges; /* before entry e: 2 * e, behind it: 2 * e + 1 */
	struct link_word *words;
	size_t word_count;
	size_t word_capacity;
	uint32_t *slots; /* words by address; 0: free, else the number plus 1 */
	size_t slot_count;
	struct link_reach *reaches;
	size_t reach_count;
	size_t reach_capacity;
	size_t reach_work; /* nodes that were looked at for them */
	uint32_t *queue;
	size_t queue_count;
	size_t queue_capacity;
	enum status status; /* NO_MEM: nothing more is linked */
};

MUST_USE enum status link_init(struct solver *s, bool single_writer);
void link_fini(struct link_memory *m);
/* Gives back what was reserved for more than there is, when all is known. */
void link_trim(struct link_memory *m);
/* Looks at the accesses of a step of which something became known. */
void link_step(struct solver *s, size_t step);
/* Tries all closed links again. */
void link_retry(struct solver *s);
/* Where an access but ACCESS_KILL goes, as far as known, without the top byte. */
struct bits link_address(const struct solver *s, const struct link_access *a);
/* The word before a step. */
struct bits link_word_at(const struct solver *s, size_t step, uint64_t address);
/* An instruction cache maintenance behind a store of unknown address: the step behind it, or 0. */
size_t link_code_doubt(const struct solver *s);

#endif
