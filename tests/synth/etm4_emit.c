/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv4 instruction trace packets as bytes; see etm4_emit.h. IHI 0064 chapter 6. */
#include "tests/synth/etm4_emit.h"

#include <stddef.h>

/* Header bytes, and the first of each group of them. */
enum {
	H_EXTENSION = 0x00,
	H_TRACE_INFO = 0x01,
	H_TIMESTAMP = 0x02,
	H_TRACE_ON = 0x04,
	H_FUNCTION_RETURN = 0x05,
	H_EXCEPTION = 0x06,
	H_EXCEPTION_RETURN = 0x07,
	H_INSTRUMENTATION = 0x09,
	H_TRANSACTION_START = 0x0a,
	H_TRANSACTION_COMMIT = 0x0b,
	H_TIMESTAMP_MARKER = 0x88,
	H_SOURCE_MATCH = 0xb0,
	H_SOURCE_SHORT = 0xb4,
	H_SOURCE_32 = 0xb6,
	H_SOURCE_64 = 0xb8,
	H_CYCLES_F2 = 0x0c,
	H_CYCLES_F1 = 0x0e,
	H_CYCLES_F3 = 0x10,
	H_SYNC_NUMBERED = 0x20,
	H_SYNC_UNNUMBERED = 0x28,
	H_COMMIT = 0x2d,
	H_CANCEL_F1 = 0x2e,
	H_MISPREDICT = 0x30,
	H_CANCEL_F2 = 0x34,
	H_CANCEL_F3 = 0x38,
	H_COND_INSTR_F2 = 0x40,
	H_COND_FLUSH = 0x43,
	H_COND_RESULT_F4 = 0x44,
	H_COND_RESULT_F2 = 0x48,
	H_COND_RESULT_F3 = 0x50,
	H_COND_RESULT_F1_TWO = 0x68,
	H_COND_INSTR_F1 = 0x6c,
	H_COND_INSTR_F3 = 0x6d,
	H_COND_RESULT_F1_ONE = 0x6e,
	H_IGNORE = 0x70,
	H_EVENT = 0x70,
	H_CONTEXT = 0x80,
	H_ADDRESS_CONTEXT_32 = 0x82,
	H_ADDRESS_CONTEXT_64 = 0x85,
	H_ADDRESS_MATCH = 0x90,
	H_ADDRESS_SHORT = 0x95,
	H_ADDRESS_32 = 0x9a,
	H_ADDRESS_64 = 0x9d,
	H_Q = 0xa0,
	H_ATOMS_F6 = 0xc0,
	H_ATOMS_F5 = 0xd4,
	H_ATOMS_F2 = 0xd8,
	H_ATOMS_F4 = 0xdc,
	H_ATOMS_F1 = 0xf6,
	H_ATOMS_F3 = 0xf8,
};

/* Seven bits a byte, the low ones first; the top bit says that another byte follows. */
static void put_field(struct buf *out, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		buf_put(out, 0x80U | (unsigned int)(value & 0x7f));
	buf_put(out, (unsigned int)value);
}

void emit_async(struct buf *out)
{
	for (unsigned int i = 0; i < 11; i++)
		buf_put(out, 0);
	buf_put(out, 0x80);
}

void emit_discard(struct buf *out)
{
	buf_put(out, H_EXTENSION);
	buf_put(out, 0x03);
}

void emit_overflow(struct buf *out)
{
	buf_put(out, H_EXTENSION);
	buf_put(out, 0x05);
}

void emit_trace_info(struct buf *out, const struct emit_trace_info *info)
{
	buf_put(out, H_TRACE_INFO);
	put_field(out, info->sections);
	if (info->sections & TINFO_INFO)
		put_field(out, info->info);
	if (info->sections & TINFO_KEY)
		put_field(out, info->key);
	if (info->sections & TINFO_SPEC)
		put_field(out, info->spec);
	if (info->sections & TINFO_CYCT)
		put_field(out, info->cyct);
}

void emit_trace_on(struct buf *out)
{
	buf_put(out, H_TRACE_ON);
}

void emit_function_return(struct buf *out)
{
	buf_put(out, H_FUNCTION_RETURN);
}

void emit_exception_return(struct buf *out)
{
	buf_put(out, H_EXCEPTION_RETURN);
}

void emit_ignore(struct buf *out)
{
	buf_put(out, H_IGNORE);
}

void emit_event(struct buf *out, unsigned int events)
{
	buf_put(out, H_EVENT | (events & 0xf));
}

void emit_exception(struct buf *out, unsigned int type, unsigned int ee, bool pending)
{
	bool is_long = type > 0x1f || pending;
	unsigned int info = (ee & 1) | (type & 0x1f) << 1 | (ee & 2) << 5;

	buf_put(out, H_EXCEPTION);
	buf_put(out, info | (is_long ? 0x80U : 0));
	if (is_long)
		buf_put(out, (type >> 5 & 0x1f) | (pending ? 0x20U : 0));
}

static void put_timestamp(struct buf *out, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i + 1 < size; i++, value >>= 7)
		buf_put(out, 0x80U | (unsigned int)(value & 0x7f));
	buf_put(out, (unsigned int)value & (size == 9 ? 0xffU : 0x7fU));
}

void emit_timestamp(struct buf *out, uint64_t value, unsigned int size)
{
	buf_put(out, H_TIMESTAMP);
	put_timestamp(out, value, size);
}

void emit_timestamp_cycles(struct buf *out, uint64_t value, unsigned int size, uint32_t cycles)
{
	buf_put(out, H_TIMESTAMP | 1);
	put_timestamp(out, value, size);
	put_field(out, cycles);
}

void emit_cycles_f1(struct buf *out, const uint32_t *commit, uint32_t cycles)
{
	buf_put(out, H_CYCLES_F1);
	if (commit)
		put_field(out, *commit);
	put_field(out, cycles);
}

void emit_cycles_f1_unknown(struct buf *out, const uint32_t *commit)
{
	buf_put(out, H_CYCLES_F1 | 1);
	if (commit)
		put_field(out, *commit);
}

void emit_cycles_f2(struct buf *out, unsigned int f, unsigned int commit, unsigned int cycles)
{
	buf_put(out, H_CYCLES_F2 | (f & 1));
	buf_put(out, (commit & 0xf) << 4 | (cycles & 0xf));
}

void emit_cycles_f3(struct buf *out, unsigned int commit, unsigned int cycles)
{
	buf_put(out, H_CYCLES_F3 | (commit & 3) << 2 | (cycles & 3));
}

void emit_commit(struct buf *out, uint32_t count)
{
	buf_put(out, H_COMMIT);
	put_field(out, count);
}

void emit_cancel_f1(struct buf *out, bool mispredict, uint32_t count)
{
	buf_put(out, H_CANCEL_F1 | (mispredict ? 1U : 0));
	put_field(out, count);
}

void emit_cancel_f2(struct buf *out, unsigned int atoms)
{
	buf_put(out, H_CANCEL_F2 | (atoms & 3));
}

void emit_cancel_f3(struct buf *out, unsigned int count, bool atom)
{
	buf_put(out, H_CANCEL_F3 | ((count - 2) & 3) << 1 | (atom ? 1U : 0));
}

void emit_mispredict(struct buf *out, unsigned int atoms)
{
	buf_put(out, H_MISPREDICT | (atoms & 3));
}

void emit_data_sync_numbered(struct buf *out, unsigned int number)
{
	buf_put(out, H_SYNC_NUMBERED | (number & 7));
}

void emit_data_sync_unnumbered(struct buf *out, unsigned int number)
{
	buf_put(out, H_SYNC_UNNUMBERED + number);
}

void emit_cond_instr_f1(struct buf *out, uint32_t key)
{
	buf_put(out, H_COND_INSTR_F1);
	put_field(out, key);
}

void emit_cond_instr_f2(struct buf *out, unsigned int code)
{
	buf_put(out, H_COND_INSTR_F2 | (code & 3));
}

void emit_cond_instr_f3(struct buf *out, unsigned int z, bool add)
{
	buf_put(out, H_COND_INSTR_F3);
	buf_put(out, (z & 0x3f) << 1 | (add ? 1U : 0));
}

void emit_cond_flush(struct buf *out)
{
	buf_put(out, H_COND_FLUSH);
}

static void put_result(struct buf *out, const struct emit_result *r)
{
	uint32_t rest = r->key >> 3;
	unsigned int first = (r->key & 7) << 4 | (r->result & 0xf);

	buf_put(out, first | (rest != 0 ? 0x80U : 0));
	if (rest != 0)
		put_field(out, rest);
}

void emit_cond_result_f1(struct buf *out, const struct emit_result *results, unsigned int count)
{
	if (count == 2)
		buf_put(out, H_COND_RESULT_F1_TWO | (results[1].ci & 1) << 1 | (results[0].ci & 1));
	else
		buf_put(out, H_COND_RESULT_F1_ONE | (results[0].ci & 1));
	for (unsigned int i = 0; i < count; i++)
		put_result(out, &results[i]);
}

void emit_cond_result_f2(struct buf *out, unsigned int k, unsigned int token)
{
	buf_put(out, H_COND_RESULT_F2 | (k & 1) << 2 | (token & 3));
}

void emit_cond_result_f3(struct buf *out, unsigned int tokens)
{
	buf_put(out, H_COND_RESULT_F3 | (tokens >> 8 & 0xf));
	buf_put(out, tokens & 0xff);
}

void emit_cond_result_f4(struct buf *out, unsigned int token)
{
	buf_put(out, H_COND_RESULT_F4 | (token & 3));
}

void emit_context_same(struct buf *out)
{
	buf_put(out, H_CONTEXT);
}

static void put_context(struct buf *out, const struct emit_context *c)
{
	buf_put(out, (c->level & 3) | (c->is_64bit ? 0x10U : 0) | (c->non_secure ? 0x20U : 0) |
	                     (c->vmid_size ? 0x40U : 0) | (c->context_id_size ? 0x80U : 0));
	buf_le(out, c->vmid, c->vmid_size);
	buf_le(out, c->context_id, c->context_id_size);
}

void emit_context(struct buf *out, const struct emit_context *context)
{
	buf_put(out, H_CONTEXT | 1);
	put_context(out, context);
}

/* `size` bytes, 4 or 8, with the bits that are always zero squeezed out of the low two. */
static void put_address(struct buf *out, unsigned int is, uint64_t address, unsigned int size)
{
	if (is == 0) {
		buf_put(out, address >> 2 & 0x7f);
		buf_put(out, address >> 9 & 0x7f);
	} else {
		buf_put(out, address >> 1 & 0x7f);
		buf_put(out, address >> 8 & 0xff);
	}
	buf_le(out, address >> 16, size - 2);
}

static void put_short_address(struct buf *out, unsigned int is, uint64_t address, unsigned int size)
{
	uint64_t rest = address >> (is == 0 ? 2 : 1);

	buf_put(out, (unsigned int)(rest & 0x7f) | (size == 2 ? 0x80U : 0));
	if (size == 2)
		buf_put(out, rest >> 7 & 0xff);
}

void emit_address_match(struct buf *out, unsigned int entry)
{
	buf_put(out, H_ADDRESS_MATCH | (entry & 3));
}

void emit_address_short(struct buf *out, unsigned int is, uint64_t address, unsigned int size)
{
	buf_put(out, H_ADDRESS_SHORT + is);
	put_short_address(out, is, address, size);
}

void emit_address_32(struct buf *out, unsigned int is, uint64_t address)
{
	buf_put(out, H_ADDRESS_32 + is);
	put_address(out, is, address, 4);
}

void emit_address_64(struct buf *out, unsigned int is, uint64_t address)
{
	buf_put(out, H_ADDRESS_64 + is);
	put_address(out, is, address, 8);
}

void emit_address_context_32(struct buf *out, unsigned int is, uint64_t address,
                             const struct emit_context *context)
{
	buf_put(out, H_ADDRESS_CONTEXT_32 + is);
	put_address(out, is, address, 4);
	put_context(out, context);
}

void emit_address_context_64(struct buf *out, unsigned int is, uint64_t address,
                             const struct emit_context *context)
{
	buf_put(out, H_ADDRESS_CONTEXT_64 + is);
	put_address(out, is, address, 8);
	put_context(out, context);
}

void emit_instrumentation(struct buf *out, unsigned int level, uint64_t value)
{
	buf_put(out, H_INSTRUMENTATION);
	buf_put(out, level);
	buf_le(out, value, 8);
}

void emit_transaction_start(struct buf *out)
{
	buf_put(out, H_TRANSACTION_START);
}

void emit_transaction_commit(struct buf *out)
{
	buf_put(out, H_TRANSACTION_COMMIT);
}

void emit_transaction_fail(struct buf *out)
{
	buf_put(out, H_EXCEPTION);
	buf_put(out, 0x18 << 1);
	buf_put(out, 0);
}

void emit_pe_reset(struct buf *out)
{
	buf_put(out, H_EXCEPTION);
	buf_put(out, 0);
	buf_put(out, 0);
}

void emit_timestamp_marker(struct buf *out)
{
	buf_put(out, H_TIMESTAMP_MARKER);
}

void emit_source_match(struct buf *out, unsigned int entry)
{
	buf_put(out, H_SOURCE_MATCH | (entry & 3));
}

void emit_source_short(struct buf *out, unsigned int is, uint64_t address, unsigned int size)
{
	buf_put(out, H_SOURCE_SHORT + is);
	put_short_address(out, is, address, size);
}

void emit_source_32(struct buf *out, unsigned int is, uint64_t address)
{
	buf_put(out, H_SOURCE_32 + is);
	put_address(out, is, address, 4);
}

void emit_source_64(struct buf *out, unsigned int is, uint64_t address)
{
	buf_put(out, H_SOURCE_64 + is);
	put_address(out, is, address, 8);
}

void emit_q(struct buf *out)
{
	buf_put(out, H_Q | 0xf);
}

void emit_q_count(struct buf *out, uint32_t count)
{
	buf_put(out, H_Q | 0xc);
	put_field(out, count);
}

void emit_q_match(struct buf *out, unsigned int entry, uint32_t count)
{
	buf_put(out, H_Q | (entry & 3));
	put_field(out, count);
}

void emit_q_short(struct buf *out, unsigned int is, uint64_t address, unsigned int size,
                  uint32_t count)
{
	buf_put(out, (H_Q | 0x5) + is);
	put_short_address(out, is, address, size);
	put_field(out, count);
}

void emit_q_32(struct buf *out, unsigned int is, uint64_t address, uint32_t count)
{
	buf_put(out, (H_Q | 0xa) + is);
	put_address(out, is, address, 4);
	put_field(out, count);
}

void emit_atoms_f1(struct buf *out, unsigned int bits)
{
	buf_put(out, H_ATOMS_F1 | (bits & 1));
}

void emit_atoms_f2(struct buf *out, unsigned int bits)
{
	buf_put(out, H_ATOMS_F2 | (bits & 3));
}

void emit_atoms_f3(struct buf *out, unsigned int bits)
{
	buf_put(out, H_ATOMS_F3 | (bits & 7));
}

void emit_atoms_f4(struct buf *out, unsigned int code)
{
	buf_put(out, H_ATOMS_F4 | (code & 3));
}

void emit_atoms_f5(struct buf *out, unsigned int code)
{
	buf_put(out, H_ATOMS_F5 | (code & 4) << 3 | (code & 3));
}

void emit_atoms_f6(struct buf *out, unsigned int e_count, bool last_is_n)
{
	buf_put(out, H_ATOMS_F6 | (last_is_n ? 0x20U : 0) | ((e_count - 3) & 0x1f));
}

/* The patterns of formats 4 and 5 (bit 0 the oldest), as emit_atoms() tries them. */
// clang-format off
static const struct {
	unsigned int count;
	unsigned int bits;
	unsigned int code;
} patterns[] = {
	{5, 0x1e, 5}, {5, 0x00, 1}, {5, 0x0a, 2}, {5, 0x15, 3},
	{4, 0x0e, 0}, {4, 0x00, 1}, {4, 0x0a, 2}, {4, 0x05, 3},
};
// clang-format on

static unsigned int leading_e(uint64_t bits, unsigned int count)
{
	unsigned int n = 0;

	while (n < count && (bits >> n & 1) != 0)
		n++;
	return n;
}

/* Emits one packet and returns how many atoms it took. */
static unsigned int put_atom_packet(struct buf *out, uint64_t bits, unsigned int count)
{
	unsigned int e = leading_e(bits, count);

	if (e > 23)
		e = 23;
	if (e >= 3 && count > e) {
		emit_atoms_f6(out, e, (bits >> e & 1) == 0);
		return e + 1;
	}
	if (e >= 4) {
		emit_atoms_f6(out, e - 1, false);
		return e;
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		uint64_t mask = (UINT64_C(1) << patterns[i].count) - 1;

		if (count < patterns[i].count || (bits & mask) != patterns[i].bits)
			continue;
		if (patterns[i].count == 5)
			emit_atoms_f5(out, patterns[i].code);
		else
			emit_atoms_f4(out, patterns[i].code);
		return patterns[i].count;
	}
	if (count >= 3)
		emit_atoms_f3(out, (unsigned int)bits);
	else if (count == 2)
		emit_atoms_f2(out, (unsigned int)bits);
	else
		emit_atoms_f1(out, (unsigned int)bits);
	return count < 3 ? count : 3;
}

void emit_atoms(struct buf *out, uint64_t bits, unsigned int count)
{
	while (count > 0) {
		unsigned int taken = put_atom_packet(out, bits, count);

		bits = taken < 64 ? bits >> taken : 0;
		count -= taken;
	}
}
