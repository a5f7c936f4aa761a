/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv3 packets as bytes; see etm3_emit.h. IHI 0014, "Trace port protocol of ETMv3". */
#include "tests/synth/etm3_emit.h"

#include <stddef.h>

/* Header bytes, and the first of each group of them. */
enum {
	H_CYCLE_COUNT = 0x04,
	H_ISYNC = 0x08,
	H_TRIGGER = 0x0c,
	H_DATA = 0x02,
	H_OOO_DATA = 0x00,
	H_VMID = 0x3c,
	H_TIMESTAMP = 0x42,
	H_STORE_FAIL = 0x50,
	H_OOO_PLACE = 0x50,
	H_DATA_SUPPRESSED = 0x62,
	H_IGNORE = 0x66,
	H_VALUE_NOT_TRACED = 0x6a,
	H_CONTEXT_ID = 0x6e,
	H_ISYNC_CYCLES = 0x70,
	H_EXCEPTION_RETURN = 0x76,
	H_EXCEPTION_ENTRY = 0x7e,
	H_ATOMS = 0x80,
};

/* Where an instruction set's addresses begin, and the fifth byte's mark and mask for it. */
struct pack {
	unsigned int align;
	unsigned int mark;
	unsigned int mask;
};

static const struct pack packs[] = {
        [EMIT_A32] = {2, 0x08, 0x07},
        [EMIT_T32] = {1, 0x10, 0x0f},
        [EMIT_JAZELLE] = {0, 0x20, 0x1f},
};

static unsigned int bit_if(bool condition, unsigned int bit)
{
	return condition ? bit : 0;
}

void emit_pc(struct buf *out, const struct emit_pc *pc)
{
	const struct pack *pack = &packs[pc->isa];
	uint32_t rest = pc->address >> pack->align;
	unsigned int exception = bit_if(pc->exception_follows, 0x40);

	buf_put(out, bit_if(pc->size > 1, 0x80) | (rest & 0x3f) << 1 | 1);
	rest >>= 6;
	for (unsigned int i = 1; i < pc->size && i < 4; i++) {
		if (i < pc->size - 1)
			buf_put(out, 0x80 | (rest & 0x7f));
		else if (pc->is_alt)
			buf_put(out, exception | (rest & 0x3f));
		else
			buf_put(out, rest & 0x7f);
		rest >>= 7;
	}
	if (pc->size == 5)
		buf_put(out, exception | pack->mark | (rest & pack->mask));
}

void etm3_emit_async(struct buf *out)
{
	buf_le(out, 0, 5);
	buf_put(out, 0x80);
}

static void put_cycles(struct buf *out, uint32_t cycles)
{
	for (; cycles > 0x7f; cycles >>= 7)
		buf_put(out, 0x80 | (cycles & 0x7f));
	buf_put(out, cycles);
}

void etm3_emit_cycle_count(struct buf *out, uint32_t cycles)
{
	buf_put(out, H_CYCLE_COUNT);
	put_cycles(out, cycles);
}

void etm3_emit_isync(struct buf *out, const struct etm3_emit_isync *isync)
{
	buf_put(out, isync->cycles ? H_ISYNC_CYCLES : H_ISYNC);
	if (isync->cycles)
		put_cycles(out, *isync->cycles);
	buf_le(out, isync->context_id, isync->context_id_size);
	buf_put(out, bit_if(isync->progress != NULL, 0x80) | (isync->reason & 3) << 5 |
	                     bit_if(isync->isa == EMIT_JAZELLE, 0x10) |
	                     bit_if(isync->non_secure, 0x08) | bit_if(isync->is_alt_isa, 0x04) |
	                     bit_if(isync->is_hyp, 0x02) | 0x01);
	if (isync->is_data_only)
		return;
	buf_le(out, isync->address | bit_if(isync->isa == EMIT_T32, 1), 4);
	if (isync->progress)
		emit_pc(out, isync->progress);
}

void etm3_emit_trigger(struct buf *out)
{
	buf_put(out, H_TRIGGER);
}

void etm3_emit_vmid(struct buf *out, unsigned int vmid)
{
	buf_put(out, H_VMID);
	buf_put(out, vmid);
}

void etm3_emit_context_id(struct buf *out, uint32_t context_id, unsigned int size)
{
	buf_put(out, H_CONTEXT_ID);
	buf_le(out, context_id, size);
}

void etm3_emit_ignore(struct buf *out)
{
	buf_put(out, H_IGNORE);
}

void etm3_emit_exception_entry(struct buf *out)
{
	buf_put(out, H_EXCEPTION_ENTRY);
}

void etm3_emit_exception_return(struct buf *out)
{
	buf_put(out, H_EXCEPTION_RETURN);
}

void etm3_emit_timestamp(struct buf *out, uint64_t time, unsigned int size, unsigned int most,
                         bool new_clock)
{
	unsigned int last = most == 9 ? 0xff : 0x3f;

	buf_put(out, H_TIMESTAMP | bit_if(new_clock, 0x04));
	for (unsigned int i = 1; i < size; i++, time >>= 7)
		buf_put(out, 0x80 | (unsigned int)(time & 0x7f));
	buf_put(out, (unsigned int)(time & (size == most ? last : 0x7f)));
}

void etm3_emit_branch(struct buf *out, const struct emit_pc *pc,
                      const struct etm3_emit_exception *exception)
{
	const struct etm3_emit_exception *e = exception;

	emit_pc(out, pc);
	if (!e)
		return;
	buf_put(out, bit_if(e->has_more || e->has_resume, 0x80) | bit_if(e->is_alt_isa, 0x40) |
	                     bit_if(e->is_cancel, 0x20) | (e->number & 0xf) << 1 |
	                     bit_if(e->non_secure, 1));
	if (e->has_more)
		buf_put(out, bit_if(e->has_resume, 0x80) | bit_if(e->is_hyp, 0x20) |
		                     (e->number >> 4 & 0x1f));
	if (e->has_resume)
		buf_put(out, 0x40 | (e->resume & 0xf));
}

void etm3_emit_old_exception(struct buf *out, uint32_t address, unsigned int number, bool cancel)
{
	uint32_t rest = address >> 2;

	buf_put(out, 0x80 | (rest & 0x3f) << 1 | 1);
	rest >>= 6;
	for (unsigned int i = 0; i < 3; i++, rest >>= 7)
		buf_put(out, 0x80 | (rest & 0x7f));
	buf_put(out, 0x80 | bit_if(cancel, 0x40) | (number & 7) << 3 | (rest & 7));
}

void etm3_emit_atoms_f1(struct buf *out, unsigned int e_count, bool n)
{
	buf_put(out, H_ATOMS | bit_if(n, 0x40) | (e_count & 0xf) << 2);
}

void etm3_emit_atoms_f2(struct buf *out, bool first, bool second)
{
	buf_put(out, H_ATOMS | 0x02 | bit_if(!first, 0x08) | bit_if(!second, 0x04));
}

void etm3_emit_cycle_atoms_f1(struct buf *out, unsigned int e_count, bool n)
{
	buf_put(out, H_ATOMS | bit_if(n, 0x40) | (e_count & 7) << 2);
}

void etm3_emit_cycle_atoms_f2(struct buf *out, bool first, bool second)
{
	buf_put(out, H_ATOMS | 0x02 | bit_if(!first, 0x08) | bit_if(!second, 0x04));
}

void etm3_emit_cycle_atoms_f3(struct buf *out, unsigned int cycles, bool e)
{
	buf_put(out, H_ATOMS | 0x20 | bit_if(e, 0x40) | ((cycles - 1) & 7) << 2);
}

void etm3_emit_cycle_atoms_f4(struct buf *out, bool e)
{
	buf_put(out, H_ATOMS | 0x12 | bit_if(!e, 0x04));
}

/* The size of a value as the headers have it. */
static unsigned int size_bits(unsigned int size)
{
	return (size == 4 ? 3 : size) << 2;
}

static void put_data_address(struct buf *out, const struct etm3_emit_data_address *at)
{
	uint32_t rest = at->address;

	for (unsigned int i = 0; i < at->size && i < 4; i++, rest >>= 7)
		buf_put(out, bit_if(i < at->size - 1, 0x80) | (rest & 0x7f));
	if (at->size == 5)
		buf_put(out, bit_if(at->is_big_endian, 0x10) | (rest & 0xf));
}

void etm3_emit_data(struct buf *out, const struct etm3_emit_data_address *at, uint32_t value,
                    unsigned int size)
{
	buf_put(out, H_DATA | bit_if(at != NULL, 0x20) | size_bits(size));
	if (at)
		put_data_address(out, at);
	buf_le(out, value, size);
}

void etm3_emit_ooo_data(struct buf *out, unsigned int tag, uint32_t value, unsigned int size)
{
	buf_put(out, H_OOO_DATA | (tag & 3) << 5 | size_bits(size));
	buf_le(out, value, size);
}

void etm3_emit_ooo_place(struct buf *out, unsigned int tag, const struct etm3_emit_data_address *at)
{
	buf_put(out, H_OOO_PLACE | bit_if(at != NULL, 0x20) | (tag & 3) << 2);
	if (at)
		put_data_address(out, at);
}

void etm3_emit_store_fail(struct buf *out)
{
	buf_put(out, H_STORE_FAIL);
}

void etm3_emit_data_suppressed(struct buf *out)
{
	buf_put(out, H_DATA_SUPPRESSED);
}

void etm3_emit_value_not_traced(struct buf *out, const struct etm3_emit_data_address *at)
{
	buf_put(out, H_VALUE_NOT_TRACED | bit_if(at != NULL, 0x10));
	if (at)
		put_data_address(out, at);
}
