/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces: which security states and exception levels see a piece of memory.
 * Snapshot format 1.0, section 3.2.3 ("space") and 4.1.
 */
#ifndef CSREPLAY_SNAPSHOT_SPACE_H
#define CSREPLAY_SNAPSHOT_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

enum space {
#define X(name, bits, text) SPACE_##name = (bits),
#include "snapshot/space.def"
#undef X
};

/*
 * Which process and which virtual machine: CONTEXTIDR and VMID, as trace tells them. Of memory:
 * whose it is alone; what is not there does not matter. Of a core: where it is; what is not there
 * is not known.
 */
struct memory_context {
	bool has_id;
	bool has_vmid;
	uint32_t id;
	uint32_t vmid;
	bool is_part; /* `id` is the low bits of CONTEXTIDR that were traced: 8 or 16 */
};

/* A key: who looks, or who alone has a piece of memory. */
struct address_space {
	enum space space;
	struct memory_context context;
};

/*
 * Narrows a key by one word of a user: NAME or space=NAME, context=ID, vmid=ID. NOT_FOUND if the
 * word is none of these, BAD_DATA if its number or name is wrong.
 */
MUST_USE enum status address_space_add(struct str word, struct address_space *key);

/* Text of a set, such as "EL1N"; "?" for a set without a name. */
const char *space_text(enum space space);

/*
 * The space that a snapshot's dump names ("N", "S", "H", "EL1N", ..., "P", "SP", "NP"), without
 * regard to case. Empty is SPACE_ANY. NOT_FOUND if the format knows no such space.
 */
MUST_USE enum status space_parse(struct str name, enum space *space);

static inline bool space_meets(enum space a, enum space b)
{
	return ((unsigned int)a & (unsigned int)b) != 0;
}

#endif
