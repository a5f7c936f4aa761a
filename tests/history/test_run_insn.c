/* SPDX-License-Identifier: Apache-2.0 */
/* Where the instructions of a run begin, for runs of one size and of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/history/run_insn.h"

/* 0x8000: nop; bl 0x8006; nop; nop.w; bx lr */
static const uint8_t code[] = {0x00, 0xbf, 0x00, 0xf0, 0x00, 0xf8, 0x00,
                               0xbf, 0xaf, 0xf3, 0x00, 0x80, 0x70, 0x47};

static struct memmap *map_code(void)
{
	struct mem_region region = {.address = 0x8000,
	                            .length = sizeof(code),
	                            .space = SPACE_ANY,
	                            .data = code,
	                            .origin = STR("test")};
	struct memmap *map = memmap_create();

	assert_int_equal(memmap_add(map, &region), STATUS_OK);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	return map;
}

static void assert_insn(const struct memmap *map, const struct basic_block *block, uint32_t index,
                        struct run_insn expected)
{
	struct run_insn insn = run_insn_at(map, block, index);
	uint32_t found;

	assert_int_equal(insn.address, expected.address);
	assert_int_equal(insn.size, expected.size);
	assert_true(run_insn_find(map, block, expected.address, &found));
	assert_int_equal(found, index);
}

static void run_of_mixed_t32_follows_opcodes(void **state)
{
	const struct basic_block block = {.walk = {.start = 0x8000,
	                                           .end = 0x800e,
	                                           .count = 5,
	                                           .isa = ISA_T32,
	                                           .last = {.size = 2}},
	                                  .view = SPACE_ANY};
	const struct run_insn expected[] = {
	        {0x8000, 2}, {0x8002, 4}, {0x8006, 2}, {0x8008, 4}, {0x800c, 2}};
	const uint32_t opcodes[] = {0xbf00, 0xf000f800, 0xbf00, 0xf3af8000, 0x4770};
	struct memmap *map = map_code();
	uint32_t index;
	uint32_t opcode;

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		assert_insn(map, &block, i, expected[i]);
		assert_true(run_insn_opcode(map, &block, expected[i], &opcode));
		assert_int_equal(opcode, opcodes[i]);
	}
	/* The second halfword of a wide one, an odd address, and both sides of the run. */
	assert_false(run_insn_find(map, &block, 0x8004, &index));
	assert_false(run_insn_find(map, &block, 0x800a, &index));
	assert_false(run_insn_find(map, &block, 0x8001, &index));
	assert_false(run_insn_find(map, &block, 0x7ffe, &index));
	assert_false(run_insn_find(map, &block, 0x800e, &index));
	memmap_destroy(map);
}

static void run_that_ends_in_wide_t32_is_sound(void **state)
{
	const struct basic_block block = {.walk = {.start = 0x8000,
	                                           .end = 0x8006,
	                                           .count = 2,
	                                           .isa = ISA_T32,
	                                           .last = {.size = 4}},
	                                  .view = SPACE_ANY};
	struct memmap *map = map_code();
	uint32_t index;

	(void)state;
	assert_insn(map, &block, 0, (struct run_insn){0x8000, 2});
	assert_insn(map, &block, 1, (struct run_insn){0x8002, 4});
	assert_false(run_insn_find(map, &block, 0x8004, &index));
	memmap_destroy(map);
}

static void run_of_one_size_needs_no_memory(void **state)
{
	const struct basic_block wide = {.walk = {.start = UINT64_C(0xfffffffffffffff0),
	                                          .end = UINT64_C(0xfffffffffffffffc),
	                                          .count = 3,
	                                          .isa = ISA_A64,
	                                          .last = {.size = 4}},
	                                 .view = SPACE_ANY};
	const struct basic_block narrow = {.walk = {.start = 0x100,
	                                            .end = 0x106,
	                                            .count = 3,
	                                            .isa = ISA_T32,
	                                            .last = {.size = 2}},
	                                   .view = SPACE_ANY};
	struct memmap *map = map_code();
	uint32_t index;
	uint32_t opcode;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		assert_insn(map, &wide, i, (struct run_insn){wide.walk.start + 4 * (uint64_t)i, 4});
		assert_insn(map, &narrow, i,
		            (struct run_insn){narrow.walk.start + 2 * (uint64_t)i, 2});
	}
	assert_false(run_insn_find(map, &wide, wide.walk.start + 2, &index));
	assert_false(run_insn_opcode(map, &narrow, run_insn_at(map, &narrow, 0), &opcode));
	memmap_destroy(map);
}

/* A dump of other code than was executed: whatever its opcodes say, no address leaves the run. */
static void run_over_hole_ends(void **state)
{
	const struct basic_block block = {.walk = {.start = 0x9000,
	                                           .end = 0x900a,
	                                           .count = 4,
	                                           .isa = ISA_T32,
	                                           .last = {.size = 2}},
	                                  .view = SPACE_ANY};
	struct memmap *map = map_code();
	uint32_t index;

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		assert_in_range(run_insn_at(map, &block, i).address, block.walk.start,
		                block.walk.end - 1);
	assert_true(run_insn_find(map, &block, 0x9008, &index));
	assert_int_equal(index, 3);
	memmap_destroy(map);
}

/* nop.w; nop in the one space, three NOPs in the other: where instructions begin, and which. */
static void run_is_read_in_the_space_that_it_was_fetched_from(void **state)
{
	static const uint8_t wide_first[] = {0xaf, 0xf3, 0x00, 0x80, 0x00, 0xbf, 0x70, 0x47};
	static const uint8_t narrow[] = {0x00, 0xbf, 0x01, 0x30, 0x02, 0x30, 0x70, 0x47};
	const struct mem_region regions[] = {
	        {.address = 0x8000, .length = 8, .space = SPACE_EL1S, .data = wide_first},
	        {.address = 0x8000, .length = 8, .space = SPACE_EL1N, .data = narrow}};
	struct basic_block secure = {.walk = {.start = 0x8000,
	                                      .end = 0x8008,
	                                      .count = 3,
	                                      .isa = ISA_T32,
	                                      .last = {.size = 2}},
	                             .view = SPACE_EL1S};
	struct basic_block normal = secure;
	struct memmap *map = memmap_create();
	uint32_t opcode;

	(void)state;
	normal.view = SPACE_EL1N;
	/* The last one is found from the end, so that there are four. */
	normal.walk.count = 4;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(memmap_add(map, &regions[i]), STATUS_OK);
	assert_int_equal(memmap_freeze(map), STATUS_OK);
	assert_insn(map, &secure, 1, (struct run_insn){0x8004, 2});
	assert_insn(map, &normal, 1, (struct run_insn){0x8002, 2});
	assert_true(run_insn_opcode(map, &secure, run_insn_at(map, &secure, 0), &opcode));
	assert_int_equal(opcode, 0xf3af8000);
	assert_true(run_insn_opcode(map, &normal, run_insn_at(map, &normal, 1), &opcode));
	assert_int_equal(opcode, 0x3001);
	memmap_destroy(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(run_of_mixed_t32_follows_opcodes),
	        cmocka_unit_test(run_that_ends_in_wide_t32_is_sound),
	        cmocka_unit_test(run_of_one_size_needs_no_memory),
	        cmocka_unit_test(run_over_hole_ends),
	        cmocka_unit_test(run_is_read_in_the_space_that_it_was_fetched_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
