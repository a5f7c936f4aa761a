/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of ETMv4 and ETE instruction trace, one function a form: arguments in, bytes at the
 * end of a buffer out. IHI 0064 chapter 6 (instruction trace packets). Nothing is remembered
 * between calls and nothing is checked: tests want to make wrong traces too.
 *
 * IS is the instruction set bit of an address: 0 for A64 and A32 (addresses of words), 1 for T32.
 */
#ifndef CSREPLAY_TESTS_SYNTH_ETM4_EMIT_H
#define CSREPLAY_TESTS_SYNTH_ETM4_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/synth/buf.h"

/* What a context says. The sizes are the configuration's; 0 leaves the field out. */
struct emit_context {
	unsigned int level; /* exception level */
	bool is_64bit;
	bool non_secure;
	unsigned int vmid_size; /* bytes */
	unsigned int context_id_size;
	uint32_t vmid;
	uint32_t context_id;
};

/* The sections of a Trace Info packet that are present: bits of its control byte. */
enum {
	TINFO_INFO = 1,
	TINFO_KEY = 2,
	TINFO_SPEC = 4,
	TINFO_CYCT = 8,
};

struct emit_trace_info {
	unsigned int sections;
	uint32_t info;
	uint32_t key;
	uint32_t spec; /* speculation depth at this point */
	uint32_t cyct; /* cycle count threshold */
};

void emit_async(struct buf *out);
void emit_discard(struct buf *out);
void emit_overflow(struct buf *out);
void emit_trace_info(struct buf *out, const struct emit_trace_info *info);
void emit_trace_on(struct buf *out);
void emit_function_return(struct buf *out);
void emit_exception_return(struct buf *out);
void emit_ignore(struct buf *out);
void emit_event(struct buf *out, unsigned int events);

/*
 * Exception, without the address packet that follows it. `ee` is 1 when that is the preferred
 * return address, 2 when it is the target of the last branch as well. The short form is used if
 * the type fits in it and `pending` is false.
 */
void emit_exception(struct buf *out, unsigned int type, unsigned int ee, bool pending);

/* The low 7 x `size` bits of the time, size 1 to 9 bytes (9 of them hold all 64 bits). */
void emit_timestamp(struct buf *out, uint64_t value, unsigned int size);
void emit_timestamp_cycles(struct buf *out, uint64_t value, unsigned int size, uint32_t cycles);

/* Format 1; `commit` is left out where the trace unit does not commit by cycle counts. */
void emit_cycles_f1(struct buf *out, const uint32_t *commit, uint32_t cycles);
void emit_cycles_f1_unknown(struct buf *out, const uint32_t *commit);
void emit_cycles_f2(struct buf *out, unsigned int f, unsigned int commit, unsigned int cycles);
void emit_cycles_f3(struct buf *out, unsigned int commit, unsigned int cycles);

void emit_commit(struct buf *out, uint32_t count);
void emit_cancel_f1(struct buf *out, bool mispredict, uint32_t count);
void emit_cancel_f2(struct buf *out, unsigned int atoms);
void emit_cancel_f3(struct buf *out, unsigned int count, bool atom); /* count 2 to 5 */
void emit_mispredict(struct buf *out, unsigned int atoms);           /* 0, 1 E, 2 EE, 3 N */
void emit_data_sync_numbered(struct buf *out, unsigned int number);
void emit_data_sync_unnumbered(struct buf *out, unsigned int number);

/* One conditional result of format 1: 4 bits of result after their key. */
struct emit_result {
	unsigned int ci;
	uint32_t key;
	unsigned int result;
};

void emit_cond_instr_f1(struct buf *out, uint32_t key);
void emit_cond_instr_f2(struct buf *out, unsigned int code);
void emit_cond_instr_f3(struct buf *out, unsigned int z, bool add);
void emit_cond_flush(struct buf *out);
void emit_cond_result_f1(struct buf *out, const struct emit_result *results, unsigned int count);
void emit_cond_result_f2(struct buf *out, unsigned int k, unsigned int token);
void emit_cond_result_f3(struct buf *out, unsigned int tokens); /* 12 bits */
void emit_cond_result_f4(struct buf *out, unsigned int token);

void emit_context_same(struct buf *out);
void emit_context(struct buf *out, const struct emit_context *context);

void emit_address_match(struct buf *out, unsigned int entry);
void emit_address_short(struct buf *out, unsigned int is, uint64_t address, unsigned int size);
void emit_address_32(struct buf *out, unsigned int is, uint64_t address);
void emit_address_64(struct buf *out, unsigned int is, uint64_t address);
void emit_address_context_32(struct buf *out, unsigned int is, uint64_t address,
                             const struct emit_context *context);
void emit_address_context_64(struct buf *out, unsigned int is, uint64_t address,
                             const struct emit_context *context);

void emit_q(struct buf *out); /* neither count nor address */
void emit_q_count(struct buf *out, uint32_t count);
void emit_q_match(struct buf *out, unsigned int entry, uint32_t count);
void emit_q_short(struct buf *out, unsigned int is, uint64_t address, unsigned int size,
                  uint32_t count);
void emit_q_32(struct buf *out, unsigned int is, uint64_t address, uint32_t count);

/* What ETE adds (Arm ARM DDI 0487, D5). Exceptions of the types 0 and 0x18 have a form of their
 * own. */
void emit_instrumentation(struct buf *out, unsigned int level, uint64_t value);
void emit_transaction_start(struct buf *out);
void emit_transaction_commit(struct buf *out);
void emit_transaction_fail(struct buf *out);
void emit_pe_reset(struct buf *out);
void emit_timestamp_marker(struct buf *out);
void emit_source_match(struct buf *out, unsigned int entry);
void emit_source_short(struct buf *out, unsigned int is, uint64_t address, unsigned int size);
void emit_source_32(struct buf *out, unsigned int is, uint64_t address);
void emit_source_64(struct buf *out, unsigned int is, uint64_t address);

/* Atom formats. Bit 0 of `bits` is the oldest atom, 1 is E; patterns are named oldest first. */
void emit_atoms_f1(struct buf *out, unsigned int bits);
void emit_atoms_f2(struct buf *out, unsigned int bits);
void emit_atoms_f3(struct buf *out, unsigned int bits);
void emit_atoms_f4(struct buf *out, unsigned int code); /* 0 NEEE, 1 NNNN, 2 NENE, 3 ENEN */
void emit_atoms_f5(struct buf *out, unsigned int code); /* 1 NNNNN, 2 NENEN, 3 ENENE, 5 NEEEE */
void emit_atoms_f6(struct buf *out, unsigned int e_count, bool last_is_n); /* 3 to 23, then one */

/*
 * The `count` atoms of `bits` (up to 64, bit 0 the oldest) in as few packets as the formats give.
 */
void emit_atoms(struct buf *out, uint64_t bits, unsigned int count);

#endif
