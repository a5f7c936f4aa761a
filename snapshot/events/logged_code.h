/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lay in each address space over time, as a system event log says. In: the images and patches
 * of the log with where their bytes are. Out: pieces, of which no two of one process lie over each
 * other in the same state, but for what the log itself says twice; and places, which say of each
 * stretch of addresses who had something there. Trace metadata, sections 5.5 and 5.7.
 *
 * What is loaded or patched over something takes its place; where code was patched that an image
 * held, the patch goes with the image.
 */
#ifndef CSREPLAY_SNAPSHOT_LOGGED_CODE_H
#define CSREPLAY_SNAPSHOT_LOGGED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "snapshot/events/process_log.h"

struct code_piece {
	uint64_t pid; /* 0: the kernel, which all processes have */
	uint64_t address;
	uint64_t last; /* its last byte's address */
	struct state_range states;
	const uint8_t *data; /* NULL: what lay there is not in the log */
	struct str origin;   /* the image's file, or the log's */
	bool is_initial;     /* the process may have written it (mem_region.is_initial) */
	bool is_patch;
};

struct code_pieces {
	struct code_piece *items;
	size_t count;
	size_t capacity;
};

/* Addresses first to last. */
struct code_place {
	uint64_t first;
	uint64_t last;
	bool has_kernel;
	bool has_process;
	bool has_several; /* processes */
	uint64_t pid;     /* the one process, if it is one; not the kernel */
	/* Since when nothing was loaded, patched or taken away there, of the kernel, of processes
	 */
	uint32_t kernel_since;
	uint32_t since;
	bool lacks_kernel_bytes; /* what is there in the last state was patched without its code */
	bool lacks_bytes;
};

struct code_places {
	struct code_place *items; /* by address, apart */
	size_t count;
	size_t capacity;
};

void code_pieces_fini(struct code_pieces *pieces);
void code_places_fini(struct code_places *places);

/*
 * Lays `piece` over those already there, which began no later than it. `replaces`: and over those
 * that begin in the same state. NO_MEM.
 */
MUST_USE enum status code_pieces_add(struct code_pieces *pieces, const struct code_piece *piece,
                                     bool replaces);

/* The places of all pieces; `states` of the log. NO_MEM. */
MUST_USE enum status code_pieces_places(const struct code_pieces *pieces, uint32_t states,
                                        struct code_places *places);

/* The first place that ends at or after an address, or places->count. */
size_t code_places_find(const struct code_places *places, uint64_t address);

#endif
