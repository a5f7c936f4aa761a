/* SPDX-License-Identifier: Apache-2.0 */
/* Code that was written while it was traced: its bytes by time, and what a memory map shows of
 * them. */
#include "scratch.h"

#include "snapshot/memmap.h"

static const uint8_t halt_bytes[16] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7};

static void add(struct code_past *past, uint64_t first, uint64_t last, bool is_new)
{
	bool found = false;

	assert_int_equal(code_past_add(past, first, last, &found), STATUS_OK);
	assert_int_equal(found, is_new);
}

static struct code_time *time_of(struct code_past *past, uint64_t place)
{
	struct code_time *time = NULL;

	assert_int_equal(code_past_time(past, place, &time), STATUS_OK);
	assert_int_equal(time->place, place);
	return time;
}

static void past_ranges_are_apart_and_in_order(void **state)
{
	struct code_past past = {0};

	(void)state;
	add(&past, 0x20, 0x23, true);
	add(&past, 0x10, 0x13, true);
	add(&past, 0x11, 0x12, false);
	add(&past, 0x18, 0x1b, true);
	assert_int_equal(past.range_count, 3);
	assert_int_equal(past.size, 12);
	assert_int_equal(code_past_range(&past, 0x14)->first, 0x18);
	assert_int_equal(code_past_range(&past, 0x20)->offset, 8);
	assert_null(code_past_range(&past, 0x24));
	/* Over two of them, and to the end of the address space. */
	add(&past, 0x12, 0x19, true);
	assert_int_equal(past.range_count, 2);
	assert_int_equal(past.ranges[0].first, 0x10);
	assert_int_equal(past.ranges[0].last, 0x1b);
	add(&past, UINT64_MAX - 1, UINT64_MAX, true);
	assert_int_equal(past.size, 12 + 4 + 2);
	code_past_fini(&past);
}

static void past_times_are_by_place_and_end_with_new_bytes(void **state)
{
	struct code_past past = {0};

	(void)state;
	add(&past, 0x10, 0x13, true);
	time_of(&past, 50)->bytes[0] = 5;
	time_of(&past, 20)->bytes[0] = 2;
	assert_int_equal(time_of(&past, 50)->bytes[0], 5);
	assert_int_equal(past.time_count, 2);
	assert_int_equal(code_past_find(&past, 19), 0);
	assert_int_equal(code_past_find(&past, 20), 1);
	assert_int_equal(code_past_find(&past, 49), 1);
	assert_int_equal(code_past_find(&past, 50), 2);
	add(&past, 0x10, 0x12, false);
	assert_int_equal(past.time_count, 2);
	add(&past, 0x10, 0x14, true);
	assert_int_equal(past.time_count, 0);
	code_past_fini(&past);
}

/* A map with 16 bytes from 0x1000 on, in which 0x1004 to 0x1007 were written. */
struct scene {
	struct memmap *base;
	struct memmap *map;
	struct code_past past;
};

static void make_scene(struct scene *s, bool has_contexts)
{
	struct mem_region region = {
	        .address = 0x1000, .length = 16, .space = SPACE_ANY, .data = halt_bytes};
	struct code_time *time;

	*s = (struct scene){.base = memmap_create()};
	assert_non_null(s->base);
	assert_int_equal(memmap_add(s->base, &region), STATUS_OK);
	region.address = 0x2000;
	region.context = (struct memory_context){.has_id = true, .id = 7};
	if (has_contexts)
		assert_int_equal(memmap_add(s->base, &region), STATUS_OK);
	assert_int_equal(memmap_freeze(s->base), STATUS_OK);
	add(&s->past, 0x1004, 0x1007, true);
	time = time_of(&s->past, 100);
	time->bytes[0] = 0x11;
	time->bytes[1] = 0x12;
	time->known[0] = CODE_KNOWN;
	time->known[1] = CODE_KNOWN;
	time->bytes[2] = 0x13;
	time->known[2] = CODE_DOUBTED;
	time_of(&s->past, 200)->is_final = true;
	s->map = memmap_share(s->base, MEMMAP_SURE);
	assert_non_null(s->map);
	memmap_set_past(s->map, &s->past);
}

static void end_scene(struct scene *s)
{
	memmap_destroy(s->map);
	memmap_destroy(s->base);
	code_past_fini(&s->past);
}

/* What the core sees from a place on, in context 7. */
static uint32_t view_from(const struct scene *s, uint64_t place)
{
	struct memory_context context = {.has_id = true, .id = 7};

	return memmap_view_at(s->map, SPACE_EL1N, &context, memmap_epoch_of_place(s->map, place));
}

static void assert_reads(const struct scene *s, uint32_t view, uint64_t address, const void *bytes,
                         size_t count)
{
	uint8_t found[16];

	assert_int_equal(memmap_read(s->map, view, address, found, sizeof(found)), count);
	if (count > 0)
		assert_memory_equal(found, bytes, count);
}

static void past_is_seen_in_its_time(void **state)
{
	static const uint8_t then[2] = {0x11, 0x12};

	(void)state;
	for (int has_contexts = 0; has_contexts < 2; has_contexts++) {
		struct scene s;
		uint32_t before;
		uint32_t at_halt;

		make_scene(&s, has_contexts != 0);
		before = view_from(&s, 99);
		at_halt = memmap_view_at_halt(s.map, before);
		/* Nothing is known before the first place; what was not written is there. */
		assert_reads(&s, before, 0x1000, halt_bytes, 4);
		assert_reads(&s, before, 0x1004, NULL, 0);
		assert_reads(&s, before, 0x1008, halt_bytes + 8, 8);
		assert_int_equal(memmap_lack_at(s.map, before, 0x1004), MEMMAP_LACKS_PAST);
		assert_int_equal(memmap_lack_at(s.map, before, 0x3000), MEMMAP_LACKS_BYTES);
		assert_reads(&s, view_from(&s, 100), 0x1004, then, 2);
		assert_reads(&s, view_from(&s, 199), 0x1006, NULL, 0);
		assert_false(memmap_view_is_final(s.map, view_from(&s, 199)));
		assert_true(memmap_view_is_final(s.map, view_from(&s, 200)));
		assert_reads(&s, view_from(&s, 200), 0x1000, halt_bytes, 16);
		assert_reads(&s, at_halt, 0x1000, halt_bytes, 16);
		assert_reads(&s, view_from(&s, 100), 0x2000, halt_bytes, has_contexts ? 16 : 0);
		/* Another map of the same regions has no past, whatever the view says. */
		assert_int_equal(memmap_read(s.base, at_halt, 0x1000, &(uint8_t[16]){0}, 16), 16);
		assert_true(memmap_is_past(s.map, 0x1007));
		assert_false(memmap_is_past(s.map, 0x1008));
		assert_false(memmap_is_past(s.base, 0x1004));
		end_scene(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(past_ranges_are_apart_and_in_order),
	        cmocka_unit_test(past_times_are_by_place_and_end_with_new_bytes),
	        cmocka_unit_test(past_is_seen_in_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
