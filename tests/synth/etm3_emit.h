/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of ETMv3, one function a form: arguments in, bytes at the end of a buffer out.
 * IHI 0014, "Trace port protocol of ETMv3". Nothing is remembered between calls and nothing is
 * checked: tests want to make wrong traces too.
 */
#ifndef CSREPLAY_TESTS_SYNTH_ETM3_EMIT_H
#define CSREPLAY_TESTS_SYNTH_ETM3_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/synth/buf.h"

/* How an address is packed: by the alignment of the instructions. */
enum emit_isa {
	EMIT_A32,
	EMIT_T32,
	EMIT_JAZELLE,
};

/* An instruction address in 1 to 5 bytes. */
struct emit_pc {
	enum emit_isa isa;
	uint32_t address;
	unsigned int size;      /* bytes */
	bool is_alt;            /* alternative encoding: bit 6 of the last byte is no address bit */
	bool exception_follows; /* sets that bit, or that of the fifth byte */
};

/* What follows the address of a branch with exception. */
struct etm3_emit_exception {
	unsigned int number; /* 9 bits; the high ones need `has_more` */
	bool non_secure;
	bool is_cancel;
	bool is_alt_isa;
	bool has_more; /* a byte 1 */
	bool is_hyp;
	bool has_resume; /* a byte 2 */
	unsigned int resume;
};

enum {
	EMIT_PERIODIC,
	EMIT_TRACE_ON,
	EMIT_OVERFLOW,
	EMIT_DEBUG_EXIT,
};

struct etm3_emit_isync {
	unsigned int reason;
	enum emit_isa isa;
	uint32_t address;
	bool is_data_only; /* no address */
	bool non_secure;
	bool is_alt_isa;
	bool is_hyp;
	unsigned int context_id_size; /* the configuration's */
	uint32_t context_id;
	const uint32_t *cycles;         /* or NULL: the packet without cycle count */
	const struct emit_pc *progress; /* or NULL: the next instruction after a load or store */
};

/* A data address in 1 to 5 bytes; only five of them say the byte order. */
struct etm3_emit_data_address {
	uint32_t address;
	unsigned int size;
	bool is_big_endian;
};

void emit_pc(struct buf *out, const struct emit_pc *pc);

void etm3_emit_async(struct buf *out);
void etm3_emit_cycle_count(struct buf *out, uint32_t cycles);
void etm3_emit_isync(struct buf *out, const struct etm3_emit_isync *isync);
void etm3_emit_trigger(struct buf *out);
void etm3_emit_vmid(struct buf *out, unsigned int vmid);
void etm3_emit_context_id(struct buf *out, uint32_t context_id, unsigned int size);
void etm3_emit_ignore(struct buf *out);
void etm3_emit_exception_entry(struct buf *out);
void etm3_emit_exception_return(struct buf *out);

/*
 * `size` bytes of the time; `most` is 9 where times have 64 bits and 7 where 48, and that many
 * bytes hold all of them. `new_clock`: the clock's frequency has changed.
 */
void etm3_emit_timestamp(struct buf *out, uint64_t time, unsigned int size, unsigned int most,
                         bool new_clock);

/* `exception` or NULL; it needs a `pc` that says so. */
void etm3_emit_branch(struct buf *out, const struct emit_pc *pc,
                      const struct etm3_emit_exception *exception);
/* A branch to an exception as ETMv1 numbers it: five bytes, Arm state. */
void etm3_emit_old_exception(struct buf *out, uint32_t address, unsigned int number, bool cancel);

/* P-headers. Format 1 ends with an N if `n`; two atoms are the older one first, true is E. */
void etm3_emit_atoms_f1(struct buf *out, unsigned int e_count, bool n);
void etm3_emit_atoms_f2(struct buf *out, bool first, bool second);
void etm3_emit_cycle_atoms_f1(struct buf *out, unsigned int e_count, bool n);
void etm3_emit_cycle_atoms_f2(struct buf *out, bool first, bool second);
void etm3_emit_cycle_atoms_f3(struct buf *out, unsigned int cycles, bool e); /* 1 to 8 cycles */
void etm3_emit_cycle_atoms_f4(struct buf *out, bool e);

/* Data; `at` is NULL without address, and a value has 0, 1, 2 or 4 bytes. */
void etm3_emit_data(struct buf *out, const struct etm3_emit_data_address *at, uint32_t value,
                    unsigned int size);
void etm3_emit_ooo_data(struct buf *out, unsigned int tag, uint32_t value, unsigned int size);
void etm3_emit_ooo_place(struct buf *out, unsigned int tag,
                         const struct etm3_emit_data_address *at);
void etm3_emit_store_fail(struct buf *out);
void etm3_emit_data_suppressed(struct buf *out);
void etm3_emit_value_not_traced(struct buf *out, const struct etm3_emit_data_address *at);

#endif
