/* SPDX-License-Identifier: Apache-2.0 */
/* ITM and DWT packets as bytes; see itm_emit.h. Armv7-M ARM DDI 0403, appendix D4. */
#include "tests/synth/itm_emit.h"

enum {
	H_OVERFLOW = 0x70,
	H_LOCAL = 0xc0,
	H_GLOBAL_1 = 0x94,
	H_GLOBAL_2 = 0xb4,
	H_EXTENSION = 0x08,
	SOURCE_HARDWARE = 0x04,
	EXTENSION_HARDWARE = 0x04,
	MORE = 0x80, /* another byte follows */
};

/* `size` bytes of seven bits, the low ones first. */
static void put_sevens(struct buf *out, uint64_t value, unsigned int size)
{
	for (; size > 0; size--, value >>= 7)
		buf_put(out, (unsigned int)(value & 0x7f) | (size > 1 ? MORE : 0));
}

void emit_itm_sync(struct buf *out, unsigned int zeros)
{
	for (; zeros > 0; zeros--)
		buf_put(out, 0);
	buf_put(out, 0x80);
}

void emit_itm_overflow(struct buf *out)
{
	buf_put(out, H_OVERFLOW);
}

static void put_source(struct buf *out, unsigned int header, uint32_t value, unsigned int size)
{
	buf_put(out, header | (size == 4 ? 3 : size));
	buf_le(out, value, size);
}

void emit_itm_software(struct buf *out, unsigned int port, uint32_t value, unsigned int size)
{
	put_source(out, port << 3, value, size);
}

void emit_itm_hardware(struct buf *out, unsigned int discriminator, uint32_t value,
                       unsigned int size)
{
	put_source(out, discriminator << 3 | SOURCE_HARDWARE, value, size);
}

void emit_itm_local(struct buf *out, unsigned int tc, uint64_t cycles, unsigned int size)
{
	buf_put(out, H_LOCAL | tc << 4);
	put_sevens(out, cycles, size);
}

void emit_itm_local_short(struct buf *out, unsigned int cycles)
{
	buf_put(out, cycles << 4);
}

void emit_itm_global_1(struct buf *out, uint64_t low, bool is_clock_changed, bool is_wrapped,
                       unsigned int size)
{
	uint64_t flags = (is_clock_changed ? 1U : 0) | (is_wrapped ? 2U : 0);

	buf_put(out, H_GLOBAL_1);
	put_sevens(out, low | flags << 26, size);
}

void emit_itm_global_2(struct buf *out, uint64_t high, unsigned int size)
{
	buf_put(out, H_GLOBAL_2);
	put_sevens(out, high, size);
}

void emit_itm_extension(struct buf *out, bool is_hardware, uint64_t info, unsigned int size)
{
	buf_put(out, H_EXTENSION | (unsigned int)(info & 7) << 4 |
	                     (is_hardware ? EXTENSION_HARDWARE : 0) | (size > 0 ? MORE : 0));
	put_sevens(out, info >> 3, size);
}
