/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of traced elements that await their commit (IHI 0064, "Speculation"): P0 elements,
 * which the core may still cancel, and what lies between them. Oldest first; atoms that one packet
 * holds are one entry.
 */
#ifndef CSREPLAY_DECODER_ETM4_ETM4_P0_H
#define CSREPLAY_DECODER_ETM4_ETM4_P0_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/etm4/etm4_pkt.h"

enum p0_kind {
	/* P0 elements: each counts in commits and cancels. */
	P0_ATOMS,
	P0_EXCEPTION,
	P0_Q,
	P0_FUNCTION_RETURN,
	P0_UNSEEN, /* traced before the decoder synchronised */
	P0_SOURCE, /* ETE: a branch that was taken, by its own address */
	/* A P0 element on Armv7-M alone. */
	P0_EXCEPTION_RETURN,
	/* ETE. A P0 element if TRCIDR0.COMMTRANS says so. */
	P0_TRANSACTION_START,
	/* No P0 elements, and gone with the ones that they belong to. */
	P0_ADDRESS,
	P0_CONTEXT,
	P0_TRACE_ON,
	P0_TRACE_INFO,
	P0_TRANSACTION_INIT, /* the trace begins inside of one */
	P0_TRANSACTION_COMMIT,
	P0_TRANSACTION_FAIL,
	/* No P0 elements, and true even if execution was cancelled. */
	P0_EVENT,
	P0_CYCLES,
	P0_TIMESTAMP,
	P0_MARKER,
	P0_INSTRUMENTATION,
};

struct p0 {
	enum p0_kind kind;
	uint32_t count;   /* ATOMS, UNSEEN: how many; at least 1. Q: instructions */
	uint64_t index;   /* Idx of its packet */
	bool is_p0;       /* counts in commits and cancels */
	bool has_cycles;  /* TIMESTAMP */
	bool has_address; /* Q; CONTEXT: `isa` is that of the address that comes next */
	uint32_t atoms;   /* ATOMS: bit 0 is the oldest */
	uint32_t value;   /* EVENT, MARKER; CYCLES, TIMESTAMP: cycles; EXCEPTION: its number */
	uint8_t isa;      /* ADDRESS, Q, CONTEXT: IS */
	uint8_t level;    /* INSTRUMENTATION */
	bool is_target;   /* EXCEPTION: the return address is the last branch's target too */
	bool is_reset;    /* EXCEPTION: PE reset of ETE, which no address follows */
	uint64_t address; /* ADDRESS, Q, SOURCE; TIMESTAMP, INSTRUMENTATION: its value */
	struct etm4_context context; /* CONTEXT */
};

struct p0_queue {
	struct p0 *items;
	size_t head; /* index of the oldest */
	size_t tail; /* index after the newest */
	size_t capacity;
};

/*
 * More entries than that no trace unit can have in doubt, and none need be kept that are not in
 * doubt: the bound of the queue.
 */
enum { P0_MOST = 1 << 16 };

static inline bool p0_is_empty(const struct p0_queue *q)
{
	return q->head == q->tail;
}

/* Adds after the newest. NO_MEM. */
MUST_USE enum status p0_push(struct p0_queue *q, const struct p0 *item);

/* The oldest one; NULL if there is none. Valid until the next push. */
struct p0 *p0_oldest(struct p0_queue *q);
void p0_drop_oldest(struct p0_queue *q); /* fine if there is none */
void p0_clear(struct p0_queue *q);
void p0_fini(struct p0_queue *q);

/*
 * Removes the newest `count` P0 elements and what lies between and after them, except what holds
 * in any case. Returns how many P0 elements were missing.
 */
uint32_t p0_cancel(struct p0_queue *q, uint32_t count);

/*
 * Turns the newest atom, E to N or N to E, and removes addresses after it. False if there is
 * neither an atom nor an unseen element.
 */
bool p0_mispredict(struct p0_queue *q);

#endif
