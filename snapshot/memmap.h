/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory map of one core: what each address held when the snapshot was taken.
 *
 * A map is an ordered set of regions, each a slice of a mapped file visible at an address in a
 * set of spaces, and perhaps in one context alone. Regions come from the core's own dumps, then its
 * images, then the dumps of the other cores of the snapshot. A map is built once (add, then freeze)
 * and only read afterwards, so that several threads may read it.
 *
 * Memory is looked up in a view: what a core in one state and context sees, a small number of
 * memmap_view(). Bits 0 to 7 are the enum space, so that an enum space is the view of a core whose
 * context and time are not known. Contexts that no region belongs to are one, so that a snapshot
 * without such regions has no more views than it has spaces. Where regions overlap, the one counts
 * that is for fewer: one of the core's context before one of any, one of EL1N before one of N
 * before one of all spaces; of equals the first one added. What another core's dump or the writable
 * part of an image shows comes after all others.
 *
 * Where a map cannot tell which of several contents a view has, what is found depends on the choice
 * (enum memmap_choice).
 *
 * A system event log says who owns contexts, and that memory changed while it was traced: a region
 * is there in some of the log's states. Views have when they look, too: an epoch, those states in
 * which the core may have been. Of several the latest counts; where it may have been before and
 * after a change of the bytes, that is a choice as well. At the halt, which is an epoch of its own,
 * a core's own dumps are what it sees.
 *
 * A byte that no region holds is not there; it is never zero. An image's zero-initialised part
 * (.bss) is not a region: its content at the halt is not known.
 */
#ifndef CSREPLAY_SNAPSHOT_MEMMAP_H
#define CSREPLAY_SNAPSHOT_MEMMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/events/events.h"
#include "snapshot/space.h"

struct code_past; /* snapshot/events/code_past.h */
struct memmap;
struct system_log; /* snapshot/system_log.h */

enum {
	MEMMAP_CLASSES = 256,    /* of contexts that images of the user belong to */
	MEMMAP_NOBODY = 1 << 24, /* the number of no owner */
};

struct mem_region {
	uint64_t address; /* of the first byte */
	uint64_t length;  /* bytes, at least 1; address + length - 1 does not wrap */
	enum space space;
	/* That it belongs to alone; with a log that has processes `id` is an owner's number. */
	struct memory_context context;
	/* Of a log: the states in which it is there; none: in all of them. */
	struct state_range states;
	/*
	 * A dump of the context in which its core halted, `context` if that is known: other
	 * contexts may see it, too, as threads of one process do, but nothing says so.
	 */
	bool of_halt;
	/* Contexts that no message of the log declares do not see it. */
	bool needs_owner;
	enum memmap_kind {
		REGION_DUMP,   /* of the core itself */
		REGION_IMAGE,  /* of a file */
		REGION_OTHERS, /* a dump of another core */
	} kind;
	/*
	 * The image says that the program never writes it (no PF_W), and no dump holds other
	 * bytes in the same 4 KiB of it: content that is the same at every position of the history.
	 */
	bool read_only;
	/*
	 * What the image was loaded with and the program may have written: the code that runs, but
	 * no data, neither at the halt nor before.
	 */
	bool is_initial;
	const uint8_t *data;
	/*
	 * Whose dump it is, or NULL: where regions of one owner and space hold different bytes,
	 * which of them is there is not known (MEMMAP_SURE).
	 */
	const void *owner;
	struct str origin; /* file that it comes from; lives as long as the snapshot */
};

/* True if it is not there all the time. */
static inline bool mem_region_is_passing(const struct mem_region *region)
{
	return region->states.first < region->states.end;
}

/*
 * Memory that something beside the traced cores may change at any time, or that reading changes:
 * its content at the halt says nothing of any other time. From `first` to `last`, both included, in
 * all spaces and contexts.
 */
struct device_range {
	uint64_t first;
	uint64_t last;
};

/* A stretch of memory that is there: `bytes` begins at the address asked for. */
struct mem_span {
	struct bytes bytes; /* at least one byte */
	const struct mem_region *region;
};

/* What is found where the map cannot tell which of several contents is the view's. */
enum memmap_choice {
	/* The first: as if there were one address space. */
	MEMMAP_FIRST,
	/*
	 * Nothing, where the view's state or context is not known well enough and the contents
	 * differ, and where dumps of one core contradict each other.
	 */
	MEMMAP_SURE,
	/*
	 * Nor where two dumps, or two images, of the same space differ: the core was in several
	 * contexts, and the snapshot does not say whose is which.
	 */
	MEMMAP_SURE_OF_MANY,
};

/* NULL without memory. */
struct memmap *memmap_create(void);
void memmap_destroy(struct memmap *map); /* NULL is fine */

/* Adds a region after those already there. NO_MEM; BAD_DATA if the region is empty or wraps. */
MUST_USE enum status memmap_add(struct memmap *map, const struct mem_region *region);

/*
 * Orders the regions and resolves overlaps. To be called once, before the first read. NO_MEM;
 * UNSUPPORTED if regions belong to more contexts than can be told apart (MEMMAP_CLASSES).
 */
MUST_USE enum status memmap_freeze(struct memmap *map);

/* Which memory is a device's; `ranges` must outlive the map, and those that share its regions. */
void memmap_set_devices(struct memmap *map, const struct device_range *ranges, size_t count);
/* How many of these bytes come before the first one that a device may change: 0 to `size`. */
size_t memmap_before_device(const struct memmap *map, uint64_t address, size_t size);

/*
 * Before memmap_freeze(): every other core of the snapshot has dumps, which are regions of the map,
 * and so there is memory that no other core's dumps hold.
 */
void memmap_set_all_dumped(struct memmap *map);
/* The core's own dumps hold all of these bytes and no other core's dump any of them, where every
 * core has dumps. */
bool memmap_is_own(const struct memmap *map, uint64_t address, uint64_t size);
/* There are such bytes. */
bool memmap_has_own(const struct memmap *map);

/*
 * The same regions, read with another choice; a map as it is frozen takes the first. `map` must
 * outlive it. NULL without memory.
 */
struct memmap *memmap_share(const struct memmap *map, enum memmap_choice choice);

/*
 * Of a shared map without a log: code that changed while it was traced. `past` must outlive the map
 * and stay as it is. Views have an epoch then, too: the number of a time of `past` (code_past.h), 0
 * before the first of them, and the halt's, at which all is what the snapshot has.
 */
void memmap_set_past(struct memmap *map, const struct code_past *past);
/* What was set, or NULL. */
const struct code_past *memmap_past(const struct memmap *map);
/* True if the byte there is one that changed while it was traced. */
bool memmap_is_past(const struct memmap *map, uint64_t address);
/* The epoch from a place of the trace on. */
uint32_t memmap_epoch_of_place(const struct memmap *map, uint64_t place);
/* That of a view; and the view with that of the halt in its place, if code changed at all. */
uint32_t memmap_past_epoch(const struct memmap *map, uint32_t view);
uint32_t memmap_view_at_halt(const struct memmap *map, uint32_t view);
/* The code that the view sees is as it is at the halt. */
bool memmap_view_is_final(const struct memmap *map, uint32_t view);

/* Before memmap_freeze(): regions belong to owners and states of this log, which outlives the map.
 */
void memmap_set_log(struct memmap *map, const struct system_log *log);

/* True if what a core sees depends on when. */
bool memmap_has_epochs(const struct memmap *map);
/* That, or code that changed (memmap_set_past()): what is seen depends on the time. */
bool memmap_changes(const struct memmap *map);

/* A time that is not before *earliest nor after *latest (NULL: not known) and not the halt. */
uint32_t memmap_epoch(const struct memmap *map, const uint64_t *earliest, const uint64_t *latest);
uint32_t memmap_epoch_at_halt(const struct memmap *map);

/* What a core sees in a state and a context, at any time. */
uint32_t memmap_view(const struct memmap *map, enum space space,
                     const struct memory_context *context);
/* The same in an epoch; 0: at any time. */
uint32_t memmap_view_at(const struct memmap *map, enum space space,
                        const struct memory_context *context, uint32_t epoch);

/*
 * The memory at `address` as seen in `view`, up to the end of its region or to where another
 * region begins or ends; more of the same region may follow. NO_MEMORY_AT if there is none, or if
 * the choice is not to guess. O(log n).
 */
MUST_USE enum status memmap_find(const struct memmap *map, uint32_t view, uint64_t address,
                                 struct mem_span *span);

/* What was found last: the bytes of a view from an address on. Zeroed before its first use. */
struct mem_recent {
	struct mem_span span;
	uint64_t address;
	uint32_t view;
	bool is_found;
};

/*
 * As memmap_find(), for who looks up addresses that lie near each other: mostly what was found last
 * says it too.
 */
MUST_USE enum status memmap_find_near(const struct memmap *map, uint32_t view, uint64_t address,
                                      struct mem_recent *recent, struct mem_span *span);

/* True if nothing is found at `address` because there are several contents. */
bool memmap_is_ambiguous(const struct memmap *map, uint32_t view, uint64_t address);

/* The lowest address above this one at which a region begins or ends; false if there is none. */
bool memmap_next(const struct memmap *map, uint64_t address, uint64_t *next);

/* Why of an opcode at an address a byte is not found, the first of at most four. */
enum memmap_lack {
	MEMMAP_LACKS_BYTES,   /* the snapshot has none there */
	MEMMAP_LACKS_CHOICE,  /* it has several contents */
	MEMMAP_LACKS_PAST,    /* it was written later, and what it was then is not known */
	MEMMAP_LACKS_TIME,    /* they changed, and nothing says whether before or after */
	MEMMAP_LACKS_OWNER,   /* the log declares nothing for the context */
	MEMMAP_LACKS_CONTEXT, /* nothing says whose process it is */
};
enum memmap_lack memmap_lack_at(const struct memmap *map, uint32_t view, uint64_t address);

/* True if MEMMAP_SURE_OF_MANY may find less than MEMMAP_SURE. */
bool memmap_has_rivals(const struct memmap *map);

/* True if some of its regions belong to a context. */
bool memmap_has_contexts(const struct memmap *map);

/* Copies up to `size` bytes, across regions; returns how many there were before the first hole. */
size_t memmap_read(const struct memmap *map, uint32_t view, uint64_t address, void *out,
                   size_t size);
/* The 4 bytes there, little endian: an opcode of A64 or A32, say. False if one of them is not. */
bool memmap_read_word(const struct memmap *map, uint32_t view, uint64_t address, uint32_t *word);

#endif
