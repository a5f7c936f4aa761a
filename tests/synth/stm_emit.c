/* SPDX-License-Identifier: Apache-2.0 */
/* STM packets as nibbles; see stm_emit.h. MIPI STPv2; CoreSight STM TRM. */
#include "tests/synth/stm_emit.h"

enum {
	MASTER_DIGITS = 2,
	CHANNEL_DIGITS = 4,
	FREQUENCY_DIGITS = 8,
};

void emit_stm_nibble(struct stm_stream *out, unsigned int nibble)
{
	struct buf *bytes = &out->bytes;

	if (!out->is_high_next)
		buf_put(bytes, nibble & 0xf);
	else if (!bytes->failed)
		bytes->data[bytes->size - 1] |= (uint8_t)(nibble << 4);
	out->is_high_next = !out->is_high_next;
	out->nibbles++;
}

void emit_stm_nibbles(struct stm_stream *out, uint64_t value, unsigned int digits)
{
	while (digits-- > 0)
		emit_stm_nibble(out, (unsigned int)(value >> (4 * digits)) & 0xf);
}

static void put_time(struct stm_stream *out, const struct emit_stm_time *time)
{
	if (!time)
		return;
	if (time->digits == 14)
		emit_stm_nibble(out, 0xd);
	else if (time->digits == 16)
		emit_stm_nibble(out, 0xe);
	else
		emit_stm_nibble(out, time->digits);
	emit_stm_nibbles(out, time->value, time->digits);
}

void emit_stm_async(struct stm_stream *out, unsigned int fs)
{
	while (fs-- > 0)
		emit_stm_nibble(out, 0xf);
	emit_stm_nibble(out, 0);
}

void emit_stm_version(struct stm_stream *out, unsigned int version)
{
	emit_stm_nibbles(out, 0xf00, 3);
	emit_stm_nibble(out, version);
}

void emit_stm_frequency(struct stm_stream *out, uint32_t hertz)
{
	emit_stm_nibbles(out, 0xf08, 3);
	emit_stm_nibbles(out, hertz, FREQUENCY_DIGITS);
}

void emit_stm_master(struct stm_stream *out, unsigned int master)
{
	emit_stm_nibble(out, 0x1);
	emit_stm_nibbles(out, master, MASTER_DIGITS);
}

void emit_stm_channel_8(struct stm_stream *out, unsigned int low)
{
	emit_stm_nibble(out, 0x3);
	emit_stm_nibbles(out, low, 2);
}

void emit_stm_channel_16(struct stm_stream *out, unsigned int channel)
{
	emit_stm_nibbles(out, 0xf3, 2);
	emit_stm_nibbles(out, channel, CHANNEL_DIGITS);
}

void emit_stm_master_error(struct stm_stream *out, unsigned int error)
{
	emit_stm_nibble(out, 0x2);
	emit_stm_nibbles(out, error, 2);
}

void emit_stm_global_error(struct stm_stream *out, unsigned int error)
{
	emit_stm_nibbles(out, 0xf2, 2);
	emit_stm_nibbles(out, error, 2);
}

void emit_stm_null(struct stm_stream *out, const struct emit_stm_time *time)
{
	emit_stm_nibbles(out, time ? 0xf01 : 0x0, time ? 3 : 1);
	put_time(out, time);
}

void emit_stm_flag(struct stm_stream *out, const struct emit_stm_time *time)
{
	emit_stm_nibbles(out, time ? 0xe : 0xfe, time ? 1 : 2);
	put_time(out, time);
}

void emit_stm_trigger(struct stm_stream *out, unsigned int value, const struct emit_stm_time *time)
{
	emit_stm_nibbles(out, time ? 0xf07 : 0xf06, 3);
	emit_stm_nibbles(out, value, 2);
	put_time(out, time);
}

/* The plain and the marked form of a size are of one nibble with nothing, or with both, more. */
void emit_stm_data(struct stm_stream *out, uint64_t value, unsigned int digits, bool is_marker,
                   const struct emit_stm_time *time)
{
	static const uint8_t plain[17] = {[1] = 0xc, [2] = 0x4, [4] = 0x5, [8] = 0x6, [16] = 0x7};
	static const uint8_t marked[17] = {[1] = 0xd, [2] = 0x8, [4] = 0x9, [8] = 0xa, [16] = 0xb};

	if (is_marker != (time != NULL))
		emit_stm_nibble(out, 0xf);
	emit_stm_nibble(out, is_marker ? marked[digits] : plain[digits]);
	emit_stm_nibbles(out, value, digits);
	put_time(out, time);
}

uint64_t emit_stm_gray(uint64_t binary)
{
	return binary ^ binary >> 1;
}
