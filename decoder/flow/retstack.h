/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The return stack of a trace unit, as a decoder keeps it: return addresses of the last calls, so
 * that a return needs no address packet. IHI 0064, "Return stack". The trace unit's own has fewer
 * entries; what it pops, this one has.
 */
#ifndef CSREPLAY_DECODER_FLOW_RETSTACK_H
#define CSREPLAY_DECODER_FLOW_RETSTACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "decoder/element/element.h"

enum { RETSTACK_ENTRIES = 16 };

struct retstack {
	bool is_active;    /* the trace unit uses one */
	bool is_held;      /* nothing is pushed before the next address packet */
	bool must_pop;     /* an indirect branch was taken: its target is here or in a packet */
	unsigned int head; /* index of the newest entry */
	unsigned int count;
	struct {
		uint64_t address;
		enum isa isa;
	} entries[RETSTACK_ENTRIES];
};

void retstack_init(struct retstack *s, bool is_active);
void retstack_push(struct retstack *s, uint64_t address, enum isa isa);

/* An indirect branch was taken. */
void retstack_await(struct retstack *s);

/* An address packet: it is where the branch went. */
void retstack_address(struct retstack *s);

/* Synchronisation: everything is forgotten, and nothing pushed until an address is known. */
void retstack_hold(struct retstack *s);
void retstack_flush(struct retstack *s);

/* The newest entry, without removing it; NOT_FOUND if there is none. */
MUST_USE enum status retstack_top(const struct retstack *s, uint64_t *address);

/* Removes the newest entry. BAD_DATA if there is none: the trace does not fit the program. */
MUST_USE enum status retstack_pop(struct retstack *s, uint64_t *address, enum isa *isa);

/* Appends what it holds. */
void retstack_describe(const struct retstack *s, struct text *out);

#endif
