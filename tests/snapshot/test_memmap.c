/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map: order, overlaps, spaces, ends of the address space. */
#include "scratch.h"

#include "snapshot/memmap.h"

static const uint8_t a_bytes[64] = {0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7};
static const uint8_t b_bytes[64] = {0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7};

static void add(struct memmap *map, uint64_t address, uint64_t length, enum space space,
                const uint8_t *data)
{
	struct mem_region region = {
	        .address = address, .length = length, .space = space, .data = data};

	assert_int_equal(memmap_add(map, &region), STATUS_OK);
}

static struct memmap *make(void)
{
	struct memmap *map = memmap_create();

	assert_non_null(map);
	return map;
}

static void assert_byte(const struct memmap *map, uint32_t space, uint64_t address, int expected)
{
	struct mem_span span;
	enum status status = memmap_find(map, space, address, &span);

	if (expected < 0) {
		assert_int_equal(status, STATUS_NO_MEMORY_AT);
		return;
	}
	assert_int_equal(status, STATUS_OK);
	assert_true(bytes_left(&span.bytes) > 0);
	assert_int_equal(*span.bytes.pos, expected);
}

static void memmap_empty_has_nothing(void **state)
{
	struct memmap *map = make();
	uint8_t byte;

	(void)state;
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_byte(map, SPACE_ANY, 0, -1);
	assert_int_equal(memmap_read(map, SPACE_ANY, 0, &byte, 1), 0);
	memmap_destroy(map);
	memmap_destroy(NULL);
}

static void memmap_bad_regions_are_refused(void **state)
{
	struct memmap *map = make();
	struct mem_region empty = {.address = 4, .space = SPACE_ANY, .data = a_bytes};
	struct mem_region wraps = {
	        .address = UINT64_MAX, .length = 2, .space = SPACE_ANY, .data = a_bytes};

	(void)state;
	assert_int_equal(memmap_add(map, &empty), STATUS_BAD_DATA);
	assert_int_equal(memmap_add(map, &wraps), STATUS_BAD_DATA);
	memmap_destroy(map);
}

static void memmap_region_has_both_ends(void **state)
{
	struct memmap *map = make();

	(void)state;
	add(map, 0x1000, 8, SPACE_ANY, a_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_byte(map, SPACE_ANY, 0xfff, -1);
	assert_byte(map, SPACE_ANY, 0x1000, 0xa0);
	assert_byte(map, SPACE_EL3, 0x1007, 0xa7);
	assert_byte(map, SPACE_ANY, 0x1008, -1);
	memmap_destroy(map);
}

static void memmap_last_address_is_reached(void **state)
{
	struct memmap *map = make();
	uint8_t bytes[8];

	(void)state;
	add(map, UINT64_MAX - 3, 4, SPACE_ANY, a_bytes);
	add(map, 0, 4, SPACE_ANY, b_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_byte(map, SPACE_ANY, UINT64_MAX, 0xa3);
	assert_byte(map, SPACE_ANY, UINT64_MAX - 4, -1);
	/* Reading does not go on at address 0. */
	assert_int_equal(memmap_read(map, SPACE_ANY, UINT64_MAX - 1, bytes, sizeof(bytes)), 2);
	assert_int_equal(bytes[1], 0xa3);
	memmap_destroy(map);
}

static void memmap_earlier_region_wins(void **state)
{
	struct memmap *map = make();
	struct mem_span span;

	(void)state;
	add(map, 0x1002, 3, SPACE_ANY, a_bytes);
	add(map, 0x1000, 8, SPACE_ANY, b_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_byte(map, SPACE_ANY, 0x1001, 0xb1);
	assert_byte(map, SPACE_ANY, 0x1002, 0xa0);
	assert_byte(map, SPACE_ANY, 0x1004, 0xa2);
	assert_byte(map, SPACE_ANY, 0x1005, 0xb5);
	assert_int_equal(memmap_find(map, SPACE_ANY, 0x1000, &span), STATUS_OK);
	assert_int_equal(bytes_left(&span.bytes), 2);
	memmap_destroy(map);
}

static void memmap_spaces_are_kept_apart(void **state)
{
	struct memmap *map = make();

	(void)state;
	add(map, 0x1000, 8, SPACE_S, a_bytes);
	add(map, 0x1000, 8, SPACE_ANY, b_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_byte(map, SPACE_EL1S, 0x1000, 0xa0);
	assert_byte(map, SPACE_EL3, 0x1000, 0xa0);
	assert_byte(map, SPACE_EL1N, 0x1000, 0xb0);
	assert_byte(map, SPACE_N, 0x1000, 0xb0);
	assert_byte(map, SPACE_ANY, 0x1000, 0xa0);
	memmap_destroy(map);
}

static void memmap_read_crosses_regions_up_to_a_hole(void **state)
{
	struct memmap *map = make();
	uint8_t bytes[16];

	(void)state;
	add(map, 0x1004, 2, SPACE_ANY, b_bytes);
	add(map, 0x1000, 4, SPACE_ANY, a_bytes);
	add(map, 0x1007, 4, SPACE_ANY, a_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_int_equal(memmap_read(map, SPACE_ANY, 0x1001, bytes, sizeof(bytes)), 5);
	assert_memory_equal(bytes, "\xa1\xa2\xa3\xb0\xb1", 5);
	assert_int_equal(memmap_read(map, SPACE_ANY, 0x1006, bytes, sizeof(bytes)), 0);
	memmap_destroy(map);
}

static unsigned int count_spaces(enum space space)
{
	unsigned int count = 0;

	for (unsigned int bit = 1; bit <= 0x80; bit <<= 1)
		count += ((unsigned int)space & bit) != 0;
	return count;
}

/*
 * By the rule of memmap.h, as a plain search: where the state is known, a region of all the view's
 * states before one of some; then that of the fewest, then the first.
 */
static bool counts_before(const struct mem_region *a, const struct mem_region *b, enum space space)
{
	bool a_covers = ((unsigned int)space & ~(unsigned int)a->space) == 0;
	bool b_covers = ((unsigned int)space & ~(unsigned int)b->space) == 0;

	if (a_covers != b_covers && space != SPACE_ANY)
		return a_covers;
	return count_spaces(a->space) < count_spaces(b->space);
}

/* All states of the region have one that is for fewer, or as many and was added before it. */
static bool is_hidden(const struct mem_region *regions, size_t count, size_t at, uint64_t address)
{
	unsigned int seen = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned int spaces = count_spaces(regions[i].space);
		unsigned int own = count_spaces(regions[at].space);

		if (address - regions[i].address < regions[i].length &&
		    (spaces < own || (spaces == own && i < at)))
			seen |= (unsigned int)regions[i].space;
	}
	return ((unsigned int)regions[at].space & ~seen) == 0;
}

static size_t plain_search(const struct mem_region *regions, size_t count, enum space space,
                           uint64_t address)
{
	size_t found = count;

	for (size_t i = 0; i < count; i++) {
		if (address - regions[i].address < regions[i].length &&
		    space_meets(space, regions[i].space) &&
		    !is_hidden(regions, count, i, address) &&
		    (found == count || counts_before(&regions[i], &regions[found], space)))
			found = i;
	}
	return found;
}

/* What the map answers is what a walk through all regions finds. */
static void memmap_random_maps_agree_with_a_plain_search(void **state)
{
	static const enum space spaces[] = {SPACE_ANY, SPACE_S,    SPACE_N,    SPACE_EL1N,
	                                    SPACE_EL2, SPACE_EL1S, SPACE_ROOT, SPACE_R};
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct memmap *map = make();
		struct mem_region regions[12];
		size_t count = next_random(&seed) % 13;

		for (size_t i = 0; i < count; i++) {
			regions[i] = (struct mem_region){
			        .address = next_random(&seed) % 64,
			        .length = 1 + next_random(&seed) % 24,
			        .space = spaces[next_random(&seed) % 8],
			        .data = next_random(&seed) % 2 ? a_bytes : b_bytes,
			};
			assert_int_equal(memmap_add(map, &regions[i]), STATUS_OK);
		}
		assert_int_equal(memmap_freeze(map), STATUS_OK);
		for (uint64_t query = 0; query < 100 * 8; query++) {
			uint64_t address = query / 8;
			enum space space = spaces[query % 8];
			struct mem_span span;
			size_t i = plain_search(regions, count, space, address);

			if (memmap_find(map, space, address, &span) != STATUS_OK) {
				assert_int_equal(i, count);
				continue;
			}
			assert_true(i < count);
			assert_ptr_equal(span.bytes.pos,
			                 regions[i].data + (address - regions[i].address));
			assert_int_equal(span.region->address, regions[i].address);
			assert_true(bytes_left(&span.bytes) <=
			            regions[i].length - (address - regions[i].address));
		}
		memmap_destroy(map);
	}
}

static void bind(struct memmap *map, uint32_t id, uint32_t vmid, const uint8_t *data)
{
	struct mem_region region = {.address = 0x1000,
	                            .length = 8,
	                            .space = SPACE_ANY,
	                            .kind = REGION_IMAGE,
	                            .context = {id != 0, vmid != 0, id, vmid},
	                            .data = data};

	assert_int_equal(memmap_add(map, &region), STATUS_OK);
}

static uint32_t view_of(const struct memmap *map, bool has_id, uint32_t id, uint32_t vmid)
{
	return memmap_view(
	        map, SPACE_EL1N,
	        &(struct memory_context){
	                .has_id = has_id, .has_vmid = vmid != 0, .id = id, .vmid = vmid});
}

/* The region of the context, else that of any; where the context is not known, neither for sure. */
static void memmap_contexts_are_kept_apart(void **state)
{
	static const uint8_t c_bytes[8] = {0xc0, 0xb1};
	struct memmap *map = make();
	struct memmap *sure;

	(void)state;
	bind(map, 0, 0, b_bytes);
	bind(map, 0x100, 0, a_bytes);
	bind(map, 0x100, 7, c_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	sure = memmap_share(map, MEMMAP_SURE);
	assert_non_null(sure);
	assert_byte(sure, view_of(sure, true, 0x100, 1), 0x1000, 0xa0);
	assert_byte(sure, view_of(sure, true, 0x100, 7), 0x1000, 0xc0);
	assert_byte(sure, view_of(sure, true, 0x200, 7), 0x1000, 0xb0);
	assert_byte(sure, view_of(sure, false, 0, 0), 0x1000, -1);
	assert_true(memmap_is_ambiguous(sure, view_of(sure, false, 0, 0), 0x1000));
	assert_false(memmap_is_ambiguous(sure, view_of(sure, false, 0, 0), 0x2000));
	assert_byte(map, view_of(map, false, 0, 0), 0x1000, 0xb0);
	/* The VMID is not known, and it matters; where all hold the same it does not. */
	assert_byte(sure, view_of(sure, true, 0x100, 0), 0x1000, -1);
	assert_byte(sure, view_of(sure, true, 0x200, 0), 0x1000, 0xb0);
	assert_byte(sure, view_of(sure, true, 0x200, 0), 0x1001, 0xb1);
	/* Contexts that nobody names are one: no view more. */
	assert_int_equal(view_of(map, true, 0x300, 1), view_of(map, true, 0x400, 2));
	memmap_destroy(sure);
	memmap_destroy(map);
}

/* A dump of the context in which its core halted; `has_id`: which is known. */
static void add_halted(struct memmap *map, enum memmap_kind kind, bool has_id, uint32_t id,
                       const uint8_t *data)
{
	struct mem_region region = {.address = 0x1000,
	                            .length = 8,
	                            .space = SPACE_ANY,
	                            .kind = kind,
	                            .of_halt = true,
	                            .context = {.has_id = has_id, .id = id},
	                            .data = data};

	assert_int_equal(memmap_add(map, &region), STATUS_OK);
}

/* Each core's dump is for the context in which it halted; for others neither is, nor a third's. */
static void memmap_dumps_are_of_contexts_at_the_halt(void **state)
{
	static const uint8_t c_bytes[8] = {0xc0};
	struct memmap *map = make();
	struct memmap *many;

	(void)state;
	add_halted(map, REGION_DUMP, true, 0x100, a_bytes);
	add_halted(map, REGION_OTHERS, true, 0x200, b_bytes);
	add_halted(map, REGION_OTHERS, false, 0, c_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	many = memmap_share(map, MEMMAP_SURE_OF_MANY);
	assert_non_null(many);
	assert_byte(many, view_of(many, true, 0x100, 0), 0x1000, 0xa0);
	assert_byte(many, view_of(many, true, 0x200, 0), 0x1000, 0xb0);
	assert_byte(many, view_of(many, true, 0x300, 0), 0x1000, -1);
	assert_byte(many, view_of(many, false, 0, 0), 0x1000, -1);
	assert_true(memmap_is_ambiguous(many, view_of(many, true, 0x300, 0), 0x1000));
	memmap_destroy(many);
	memmap_destroy(map);
}

static void add_kind(struct memmap *map, enum memmap_kind kind, uint64_t address)
{
	struct mem_region region = {
	        .address = address, .length = 8, .space = SPACE_ANY, .kind = kind, .data = a_bytes};

	assert_int_equal(memmap_add(map, &region), STATUS_OK);
}

/* Own are bytes of the core's dumps that no other core dumped, and none where a core has no dumps.
 */
static void memmap_own_bytes_are_those_that_no_other_core_dumped(void **state)
{
	for (unsigned int all_dumped = 0; all_dumped < 2; all_dumped++) {
		struct memmap *map = make();
		bool own = all_dumped != 0;

		(void)state;
		add_kind(map, REGION_DUMP, 0x1000);
		add_kind(map, REGION_IMAGE, 0x1000);
		add_kind(map, REGION_DUMP, 0x1008);
		add_kind(map, REGION_OTHERS, 0x100c);
		add_kind(map, REGION_IMAGE, 0x2000);
		add_kind(map, REGION_DUMP, 0xfffffffffffffff8);
		if (own)
			memmap_set_all_dumped(map);
		assert_int_equal(memmap_freeze(map), STATUS_OK);
		assert_int_equal(memmap_has_own(map), own);
		assert_int_equal(memmap_is_own(map, 0x1000, 8), own);
		assert_int_equal(memmap_is_own(map, 0x1004, 8), own);
		assert_int_equal(memmap_is_own(map, 0xfffffffffffffff8, 8), own);
		assert_false(memmap_is_own(map, 0xfffffffffffffffc, 8));
		assert_false(memmap_is_own(map, 0xffc, 8));
		assert_false(memmap_is_own(map, 0x1008, 5));
		assert_false(memmap_is_own(map, 0x100c, 1));
		assert_false(memmap_is_own(map, 0x2000, 1));
		memmap_destroy(map);
	}
}

/* A map of no contexts has the views of its spaces, whatever contexts a trace names. */
static void memmap_views_are_as_few_as_can_be(void **state)
{
	struct memmap *map = make();

	(void)state;
	add(map, 0x1000, 8, SPACE_ANY, a_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	for (uint32_t id = 0; id < 100; id++)
		assert_int_equal(view_of(map, true, id, id), SPACE_EL1N);
	memmap_destroy(map);
}

static void memmap_too_many_contexts_are_refused(void **state)
{
	struct memmap *map = make();

	(void)state;
	for (uint32_t id = 1; id <= 300; id++)
		bind(map, id, 0, a_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_UNSUPPORTED);
	memmap_destroy(map);
}

/* Two dumps of one space: the first; of many contexts, what both hold and no more. */
static void memmap_rivals_are_found(void **state)
{
	static const uint8_t c_bytes[8] = {0xa0, 0xa1, 0xff, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7};
	struct memmap *map = make();
	struct memmap *sure;
	struct memmap *many;

	(void)state;
	add(map, 0x1000, 8, SPACE_EL1N, a_bytes);
	add(map, 0x1000, 8, SPACE_EL1N, c_bytes);
	add(map, 0x1000, 8, SPACE_ANY, b_bytes);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	sure = memmap_share(map, MEMMAP_SURE);
	many = memmap_share(sure, MEMMAP_SURE_OF_MANY);
	assert_true(memmap_has_rivals(many));
	assert_byte(sure, SPACE_EL1N, 0x1002, 0xa2);
	assert_byte(many, SPACE_EL1N, 0x1001, 0xa1);
	assert_byte(many, SPACE_EL1N, 0x1002, -1);
	assert_byte(many, SPACE_EL1N, 0x1003, 0xa3);
	/* That of all spaces is none: it says less. Nor is a state that is not known. */
	assert_byte(many, SPACE_EL2, 0x1002, 0xb2);
	assert_byte(sure, SPACE_ANY, 0x1002, -1);
	assert_byte(sure, SPACE_N, 0x1002, -1);
	assert_byte(map, SPACE_N, 0x1002, 0xb2);
	memmap_destroy(many);
	memmap_destroy(sure);
	memmap_destroy(map);
}

static void space_names_mean_what_the_format_says(void **state)
{
	/* Snapshot format 1.0, 3.2.3. */
	static const struct {
		const char *name;
		enum space space;
	} cases[] = {
	        {"", SPACE_ANY},      {"N", SPACE_N},       {"S", SPACE_S},
	        {"H", SPACE_EL2},     {"EL1N", SPACE_EL1N}, {"el1n", SPACE_EL1N},
	        {"EL1S", SPACE_EL1S}, {"EL2", SPACE_EL2},   {"EL3", SPACE_EL3},
	        {"P", SPACE_EL1N},    {"SP", SPACE_EL1S},   {"NP", SPACE_EL1N},
	};
	enum space space;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(space_parse(str_of(cases[i].name), &space), STATUS_OK);
		assert_int_equal(space, cases[i].space);
	}
	assert_int_equal(space_parse(STR("EL4"), &space), STATUS_NOT_FOUND);
	assert_string_equal(space_text(SPACE_S), "Any S");
	assert_string_equal(space_text((enum space)0x03), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(memmap_empty_has_nothing),
	        cmocka_unit_test(memmap_bad_regions_are_refused),
	        cmocka_unit_test(memmap_region_has_both_ends),
	        cmocka_unit_test(memmap_last_address_is_reached),
	        cmocka_unit_test(memmap_earlier_region_wins),
	        cmocka_unit_test(memmap_spaces_are_kept_apart),
	        cmocka_unit_test(memmap_read_crosses_regions_up_to_a_hole),
	        cmocka_unit_test(memmap_contexts_are_kept_apart),
	        cmocka_unit_test(memmap_dumps_are_of_contexts_at_the_halt),
	        cmocka_unit_test(memmap_own_bytes_are_those_that_no_other_core_dumped),
	        cmocka_unit_test(memmap_views_are_as_few_as_can_be),
	        cmocka_unit_test(memmap_too_many_contexts_are_refused),
	        cmocka_unit_test(memmap_rivals_are_found),
	        cmocka_unit_test(memmap_random_maps_agree_with_a_plain_search),
	        cmocka_unit_test(space_names_mean_what_the_format_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
