/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of PTM, one function a form: arguments in, bytes at the end of a buffer out.
 * IHI 0035, "Program flow trace protocol". Nothing is remembered between calls and nothing is
 * checked: tests want to make wrong traces too. `cycles` is NULL where the trace unit is not
 * cycle-accurate.
 */
#ifndef CSREPLAY_TESTS_SYNTH_PTM_EMIT_H
#define CSREPLAY_TESTS_SYNTH_PTM_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/synth/buf.h"
#include "tests/synth/etm3_emit.h"

struct ptm_emit_isync {
	unsigned int reason; /* EMIT_PERIODIC and so on */
	uint32_t address;
	bool is_thumb;
	bool non_secure;
	bool is_alt_isa;
	bool is_hyp;
	const uint32_t *cycles;
	unsigned int context_id_size; /* the configuration's */
	uint32_t context_id;
};

struct ptm_emit_exception {
	unsigned int number; /* 9 bits; the high ones need `has_more` */
	bool non_secure;
	bool is_alt_isa;
	bool has_more; /* a second byte */
	bool is_hyp;
};

void ptm_emit_async(struct buf *out, unsigned int zeros); /* five or more */
void ptm_emit_isync(struct buf *out, const struct ptm_emit_isync *isync);
void ptm_emit_trigger(struct buf *out);
void ptm_emit_vmid(struct buf *out, unsigned int vmid);
void ptm_emit_context_id(struct buf *out, uint32_t context_id, unsigned int size);
void ptm_emit_ignore(struct buf *out);
void ptm_emit_exception_return(struct buf *out);

/*
 * `size` bytes of the time; `most` is 9 where times have 64 bits and 7 where 48, and that many
 * bytes hold all of them. `new_clock`: the clock's frequency has changed.
 */
void ptm_emit_timestamp(struct buf *out, uint64_t code, unsigned int size, unsigned int most,
                        bool new_clock, const uint32_t *cycles);
uint64_t ptm_emit_gray(uint64_t value); /* as a time's Gray code */

/* The addresses are of `is_alt`. `exception` or NULL; it needs a `pc` that says so. */
void ptm_emit_branch(struct buf *out, const struct emit_pc *pc,
                     const struct ptm_emit_exception *exception, const uint32_t *cycles);
/* `alt_isa` or NULL; it needs a `pc` of five bytes that says so. */
void ptm_emit_waypoint(struct buf *out, const struct emit_pc *pc, const bool *alt_isa);

/* One to five atoms: bit 0 of `bits` is the oldest, 1 is E. */
void ptm_emit_atoms(struct buf *out, unsigned int bits, unsigned int count);
void ptm_emit_cycle_atom(struct buf *out, bool e, uint32_t cycles);

#endif
