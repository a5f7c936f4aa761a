/* SPDX-License-Identifier: Apache-2.0 */
/* PTM packets as bytes; see ptm_emit.h. IHI 0035, "Program flow trace protocol". */
#include "tests/synth/ptm_emit.h"

#include <stddef.h>

enum {
	H_ISYNC = 0x08,
	H_TRIGGER = 0x0c,
	H_VMID = 0x3c,
	H_TIMESTAMP = 0x42,
	H_IGNORE = 0x66,
	H_CONTEXT_ID = 0x6e,
	H_WAYPOINT = 0x72,
	H_EXCEPTION_RETURN = 0x76,
	H_ATOM = 0x80,
};

/* The first byte, `mark` and four bits of the count; then seven a byte. */
static void put_cycles(struct buf *out, unsigned int mark, uint32_t cycles)
{
	uint32_t rest = cycles >> 4;

	buf_put(out, mark | (rest != 0 ? 0x40U : 0) | (cycles & 0xf) << 2);
	if (rest == 0)
		return;
	for (; rest > 0x7f; rest >>= 7)
		buf_put(out, 0x80 | (rest & 0x7f));
	buf_put(out, rest);
}

void ptm_emit_async(struct buf *out, unsigned int zeros)
{
	for (unsigned int i = 0; i < zeros; i++)
		buf_put(out, 0);
	buf_put(out, 0x80);
}

void ptm_emit_isync(struct buf *out, const struct ptm_emit_isync *isync)
{
	buf_put(out, H_ISYNC);
	buf_le(out, isync->address | (isync->is_thumb ? 1U : 0), 4);
	buf_put(out, (isync->reason & 3) << 5 | (isync->non_secure ? 0x08U : 0) |
	                     (isync->is_alt_isa ? 0x04U : 0) | (isync->is_hyp ? 0x02U : 0) | 0x01);
	if (isync->cycles)
		put_cycles(out, 0, *isync->cycles);
	buf_le(out, isync->context_id, isync->context_id_size);
}

void ptm_emit_trigger(struct buf *out)
{
	buf_put(out, H_TRIGGER);
}

void ptm_emit_vmid(struct buf *out, unsigned int vmid)
{
	buf_put(out, H_VMID);
	buf_put(out, vmid);
}

void ptm_emit_context_id(struct buf *out, uint32_t context_id, unsigned int size)
{
	buf_put(out, H_CONTEXT_ID);
	buf_le(out, context_id, size);
}

void ptm_emit_ignore(struct buf *out)
{
	buf_put(out, H_IGNORE);
}

void ptm_emit_exception_return(struct buf *out)
{
	buf_put(out, H_EXCEPTION_RETURN);
}

void ptm_emit_timestamp(struct buf *out, uint64_t code, unsigned int size, unsigned int most,
                        bool new_clock, const uint32_t *cycles)
{
	unsigned int last = most == 9 ? 0xff : 0x3f;

	buf_put(out, H_TIMESTAMP | (new_clock ? 4U : 0));
	for (unsigned int i = 1; i < size; i++, code >>= 7)
		buf_put(out, 0x80 | (unsigned int)(code & 0x7f));
	buf_put(out, (unsigned int)(code & (size == most ? last : 0x7f)));
	if (cycles)
		put_cycles(out, 0, *cycles);
}

uint64_t ptm_emit_gray(uint64_t value)
{
	uint64_t code = 0;

	for (unsigned int i = 0; i < 64; i++) {
		unsigned int above = i == 63 ? 0 : (unsigned int)(value >> (i + 1) & 1);

		code |= (uint64_t)((value >> i & 1) != above) << i;
	}
	return code;
}

void ptm_emit_branch(struct buf *out, const struct emit_pc *pc,
                     const struct ptm_emit_exception *exception, const uint32_t *cycles)
{
	const struct ptm_emit_exception *e = exception;

	emit_pc(out, pc);
	if (e)
		buf_put(out, (e->has_more ? 0x80U : 0) | (e->is_alt_isa ? 0x40U : 0) |
		                     (e->number & 0xf) << 1 | (e->non_secure ? 1U : 0));
	if (e && e->has_more)
		buf_put(out, (e->is_hyp ? 0x20U : 0) | (e->number >> 4 & 0x1f));
	if (cycles)
		put_cycles(out, 0, *cycles);
}

void ptm_emit_waypoint(struct buf *out, const struct emit_pc *pc, const bool *alt_isa)
{
	buf_put(out, H_WAYPOINT);
	emit_pc(out, pc);
	if (alt_isa)
		buf_put(out, *alt_isa ? 0x40 : 0);
}

/* How many atoms there are is the place of the header's mark; the newest atom is in bit 1. */
void ptm_emit_atoms(struct buf *out, unsigned int bits, unsigned int count)
{
	static const uint8_t marks[] = {[1] = 0x80, [2] = 0x88, [3] = 0x90, [4] = 0xa0, [5] = 0xc0};
	unsigned int header = marks[count];

	for (unsigned int i = 0; i < count; i++) {
		if (!(bits >> i & 1))
			header |= 1U << (count - i);
	}
	buf_put(out, header);
}

void ptm_emit_cycle_atom(struct buf *out, bool e, uint32_t cycles)
{
	put_cycles(out, H_ATOM | (e ? 0 : 2U), cycles);
}
