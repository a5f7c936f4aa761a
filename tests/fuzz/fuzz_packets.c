/* SPDX-License-Identifier: Apache-2.0 */
/* See fuzz_packets.h. */
#include "fuzz_packets.h"

#include "fuzz.h"

/* The bytes of a packet and no more. */
static struct bytes cut_to(struct bytes in, uint32_t size)
{
	return (struct bytes){in.begin, in.pos, in.pos + size};
}

/* Whole packets alone have one size: what bad bytes are passed over depends on what follows. */
static void show_cut(fuzz_next_packet next, void *reader, struct bytes in,
                     const struct fuzz_packet *packet)
{
	static const uint32_t sizes[] = {1, 2, 5, 11};
	struct fuzz_packet unused = {0};
	uint32_t size = packet->size - 1;

	for (unsigned int i = 0; i <= sizeof(sizes) / sizeof(sizes[0]) && size > 0; i++) {
		struct bytes part = cut_to(in, size);

		FUZZ_CHECK(next(reader, &part, &unused) == STATUS_TRUNCATED);
		FUZZ_CHECK(part.pos == in.pos);
		size = i < 4 && sizes[i] < size ? size - sizes[i] : 0;
	}
	text_fini(&unused.text);
}

static enum status read_packet(fuzz_next_packet next, void *reader, struct bytes *in,
                               struct fuzz_packet *packet)
{
	const uint8_t *begin = in->pos;
	enum status status;

	text_clear(&packet->text);
	status = next(reader, in, packet);
	if (status == STATUS_OK || status == STATUS_BAD_DATA) {
		FUZZ_CHECK(packet->size > 0);
		FUZZ_CHECK((size_t)(in->pos - begin) == packet->size);
		FUZZ_CHECK(text_status(&packet->text) == STATUS_OK && packet->text.length > 0);
		return status;
	}
	FUZZ_CHECK(in->pos == begin);
	FUZZ_CHECK(status == (bytes_left(in) == 0 ? STATUS_END : STATUS_TRUNCATED));
	return status;
}

void fuzz_packets(fuzz_next_packet next, void *once, void *cut, struct bytes in)
{
	struct fuzz_packet a = {0};
	struct fuzz_packet b = {0};
	struct bytes again = in;
	enum status status;

	do {
		struct bytes begin = in;

		status = read_packet(next, once, &in, &a);
		if (status == STATUS_OK && !a.is_searching)
			show_cut(next, cut, begin, &a);
		FUZZ_CHECK(read_packet(next, cut, &again, &b) == status);
		FUZZ_CHECK(again.pos == in.pos);
		if (status != STATUS_OK && status != STATUS_BAD_DATA)
			continue;
		FUZZ_CHECK(a.type == b.type && a.size == b.size);
		FUZZ_CHECK(str_eq(text_str(&a.text), text_str(&b.text)));
	} while (status == STATUS_OK || status == STATUS_BAD_DATA);
	text_fini(&a.text);
	text_fini(&b.text);
}
