/* SPDX-License-Identifier: Apache-2.0 */
/* Following code: by hand-built memory, and against a plain walk without cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/flow/follow.h"

#define NOP    UINT32_C(0xd503201f)
#define B_SELF UINT32_C(0x14000000)
#define RET    UINT32_C(0xd65f03c0)
#define DSB    UINT32_C(0xd5033f9f)

enum { CODE = 0x400000 };

static const struct insn_options no_options = {0};

static struct memmap *memory_begin(void)
{
	struct memmap *memory = memmap_create();

	assert_non_null(memory);
	return memory;
}

static void memory_add(struct memmap *memory, uint64_t address, enum space space, const void *data,
                       size_t size)
{
	const struct mem_region region = {
	        .address = address, .length = size, .space = space, .data = data};

	assert_int_equal(memmap_add(memory, &region), STATUS_OK);
}

static struct follow *memory_end(struct memmap *memory)
{
	struct follow *follow;

	assert_int_equal(memmap_freeze(memory), STATUS_OK);
	follow = follow_create(memory, &no_options);
	assert_non_null(follow);
	return follow;
}

/* Fills `data` with little-endian opcodes. */
static void put_opcodes(uint8_t *data, size_t count, uint32_t opcode)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < 4; k++)
			data[4 * i + k] = (uint8_t)(opcode >> (8 * k));
	}
}

static void assert_walk(const struct walk *walk, uint64_t start, uint64_t end, uint32_t count,
                        bool ends_at_waypoint)
{
	assert_int_equal(walk->start, start);
	assert_int_equal(walk->end, end);
	assert_int_equal(walk->count, count);
	assert_int_equal(walk->ends_at_waypoint, ends_at_waypoint);
	assert_int_equal(walk->isa, ISA_A64);
}

static void assert_same_walk(const struct walk *a, const struct walk *b)
{
	assert_walk(a, b->start, b->end, b->count, b->ends_at_waypoint);
	if (a->count == 0)
		return;
	assert_int_equal(a->last.class, b->last.class);
	assert_int_equal(a->last.subclass, b->last.subclass);
	assert_int_equal(a->last.size, b->last.size);
	assert_int_equal(a->last.target, b->last.target);
}

/* ---- one region ---- */

struct fixture {
	uint8_t code[64]; /* 5 NOP, B_SELF, 8 NOP, DSB, RET at CODE; then nothing */
	struct memmap *memory;
	struct follow *follow;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	put_opcodes(f->code, 16, NOP);
	put_opcodes(f->code + 20, 1, B_SELF);
	put_opcodes(f->code + 56, 1, DSB);
	put_opcodes(f->code + 60, 1, RET);
	f->memory = memory_begin();
	memory_add(f->memory, CODE, SPACE_ANY, f->code, sizeof(f->code));
	f->follow = memory_end(f->memory);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	follow_destroy(f->follow);
	memmap_destroy(f->memory);
	free(f);
	return 0;
}

static enum status to_address(struct fixture *f, uint64_t start, uint64_t stop, bool inclusive,
                              struct walk *walk)
{
	return follow_to_address(f->follow, SPACE_EL1N, ISA_A64, start,
	                         (struct follow_limit){stop, inclusive}, walk);
}

static void follow_straight_code_ends_at_branch(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	for (int again = 0; again < 2; again++) {
		assert_int_equal(follow_to_waypoint(f->follow, SPACE_EL1N, ISA_A64, CODE, &walk),
		                 STATUS_OK);
		assert_walk(&walk, CODE, CODE + 24, 6, true);
		assert_int_equal(walk.last.class, INSN_BRANCH);
		assert_int_equal(walk.last.target, CODE + 20);
		assert_int_equal(walk.last.size, 4);
	}
}

static void follow_from_every_instruction_is_exact(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	for (uint32_t i = 0; i < 16; i++) {
		uint32_t end = i < 6 ? 6 : 16;

		assert_int_equal(
		        follow_to_waypoint(f->follow, SPACE_EL1N, ISA_A64, CODE + 4 * i, &walk),
		        STATUS_OK);
		assert_walk(&walk, CODE + 4 * i, CODE + 4 * end, end - i, true);
		assert_int_equal(walk.last.class, i < 6 ? INSN_BRANCH : INSN_BRANCH_INDIRECT);
	}
}

static void follow_option_makes_waypoint(void **state)
{
	struct fixture *f = *state;
	const struct insn_options options = {.dsb_dmb_is_waypoint = true};
	struct follow *follow = follow_create(f->memory, &options);
	struct walk walk;

	assert_non_null(follow);
	assert_int_equal(follow_to_waypoint(follow, SPACE_EL1N, ISA_A64, CODE + 24, &walk),
	                 STATUS_OK);
	assert_walk(&walk, CODE + 24, CODE + 60, 9, true);
	assert_int_equal(walk.last.class, INSN_DSB_DMB);
	follow_destroy(follow);
}

static void follow_without_first_opcode_is_no_memory(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	for (int again = 0; again < 2; again++) {
		assert_int_equal(
		        follow_to_waypoint(f->follow, SPACE_EL1N, ISA_A64, CODE + 64, &walk),
		        STATUS_NO_MEMORY_AT);
		assert_walk(&walk, CODE + 64, CODE + 64, 0, false);
	}
}

static void follow_opcode_cut_by_hole_is_no_memory(void **state)
{
	uint8_t code[14];
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	(void)state;
	put_opcodes(code, 3, NOP);
	memset(code + 12, 0, 2);
	memory_add(memory, CODE, SPACE_ANY, code, sizeof(code));
	follow = memory_end(memory);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(follow_to_waypoint(follow, SPACE_ANY, ISA_A64, CODE, &walk),
		                 STATUS_NO_MEMORY_AT);
		assert_walk(&walk, CODE, CODE + 12, 3, false);
	}
	follow_destroy(follow);
	memmap_destroy(memory);
}

static void follow_unknown_isa_is_unsupported(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	assert_int_equal(follow_to_waypoint(f->follow, SPACE_EL1N, ISA_JAZELLE, CODE, &walk),
	                 STATUS_UNSUPPORTED);
	assert_int_equal(follow_to_address(f->follow, SPACE_EL1N, ISA_UNKNOWN, CODE,
	                                   (struct follow_limit){CODE, false}, &walk),
	                 STATUS_UNSUPPORTED);
}

static void follow_destroy_null_is_fine(void **state)
{
	(void)state;
	follow_destroy(NULL);
}

/* ---- to an address ---- */

static void follow_to_address_stops_in_front(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	assert_int_equal(to_address(f, CODE, CODE + 12, false, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 12, 3, false);
	assert_int_equal(walk.last.class, INSN_OTHER);
	assert_int_equal(to_address(f, CODE, CODE + 20, false, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 20, 5, false);
}

static void follow_to_address_inclusive_stops_after(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	assert_int_equal(to_address(f, CODE, CODE + 12, true, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 16, 4, false);
	assert_int_equal(to_address(f, CODE, CODE + 20, true, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 24, 6, true);
	assert_int_equal(walk.last.class, INSN_BRANCH);
	assert_int_equal(to_address(f, CODE, CODE, true, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 4, 1, false);
}

static void follow_to_own_start_is_empty(void **state)
{
	struct fixture *f = *state;
	struct walk walk;

	assert_int_equal(to_address(f, CODE + 8, CODE + 8, false, &walk), STATUS_OK);
	assert_walk(&walk, CODE + 8, CODE + 8, 0, false);
	/* Nothing is read, so nothing is missed. */
	assert_int_equal(to_address(f, 0x10, 0x10, false, &walk), STATUS_OK);
	assert_walk(&walk, 0x10, 0x10, 0, false);
	assert_int_equal(to_address(f, 0x10, 0x10, true, &walk), STATUS_NO_MEMORY_AT);
	assert_walk(&walk, 0x10, 0x10, 0, false);
}

static void follow_to_address_not_met_ends_at_waypoint(void **state)
{
	struct fixture *f = *state;
	const uint64_t stops[] = {CODE + 28, CODE - 4, CODE + 10, 0, UINT64_MAX};
	struct walk walk;

	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		assert_int_equal(to_address(f, CODE, stops[i], i % 2 == 0, &walk), STATUS_OK);
		assert_walk(&walk, CODE, CODE + 24, 6, true);
	}
	/* After the branch and at it: both come together. */
	assert_int_equal(to_address(f, CODE, CODE + 24, false, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 24, 6, true);
}

static void follow_to_address_at_hole_is_reached(void **state)
{
	uint8_t code[16];
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	(void)state;
	put_opcodes(code, 4, NOP);
	memory_add(memory, CODE, SPACE_ANY, code, sizeof(code));
	follow = memory_end(memory);
	assert_int_equal(follow_to_address(follow, SPACE_ANY, ISA_A64, CODE,
	                                   (struct follow_limit){CODE + 16, false}, &walk),
	                 STATUS_OK);
	assert_walk(&walk, CODE, CODE + 16, 4, false);
	assert_int_equal(follow_to_address(follow, SPACE_ANY, ISA_A64, CODE,
	                                   (struct follow_limit){CODE + 16, true}, &walk),
	                 STATUS_NO_MEMORY_AT);
	assert_walk(&walk, CODE, CODE + 16, 4, false);
	assert_int_equal(follow_to_address(follow, SPACE_ANY, ISA_A64, CODE,
	                                   (struct follow_limit){CODE + 20, false}, &walk),
	                 STATUS_NO_MEMORY_AT);
	assert_walk(&walk, CODE, CODE + 16, 4, false);
	follow_destroy(follow);
	memmap_destroy(memory);
}

/* ---- several regions, spaces ---- */

static void follow_over_region_borders_is_one_walk(void **state)
{
	uint8_t code[24];
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	(void)state;
	put_opcodes(code, 5, NOP);
	put_opcodes(code + 20, 1, RET);
	/* Borders between two opcodes (8), within one (14, 15) and within the last (21). */
	memory_add(memory, CODE, SPACE_ANY, code, 8);
	memory_add(memory, CODE + 8, SPACE_ANY, code + 8, 6);
	memory_add(memory, CODE + 14, SPACE_ANY, code + 14, 1);
	memory_add(memory, CODE + 15, SPACE_ANY, code + 15, 6);
	memory_add(memory, CODE + 21, SPACE_ANY, code + 21, 3);
	follow = memory_end(memory);
	assert_int_equal(follow_to_waypoint(follow, SPACE_EL2, ISA_A64, CODE, &walk), STATUS_OK);
	assert_walk(&walk, CODE, CODE + 24, 6, true);
	assert_int_equal(walk.last.class, INSN_BRANCH_INDIRECT);
	assert_int_equal(walk.last.subclass, INSN_SUB_A64_RET);
	follow_destroy(follow);
	memmap_destroy(memory);
}

static void follow_same_address_in_two_spaces_is_two_walks(void **state)
{
	uint8_t secure[8];
	uint8_t normal[16];
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	(void)state;
	put_opcodes(secure, 1, NOP);
	put_opcodes(secure + 4, 1, B_SELF);
	put_opcodes(normal, 3, NOP);
	put_opcodes(normal + 12, 1, RET);
	memory_add(memory, CODE, SPACE_EL1S, secure, sizeof(secure));
	memory_add(memory, CODE, SPACE_EL1N, normal, sizeof(normal));
	follow = memory_end(memory);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(follow_to_waypoint(follow, SPACE_EL1S, ISA_A64, CODE, &walk),
		                 STATUS_OK);
		assert_walk(&walk, CODE, CODE + 8, 2, true);
		assert_int_equal(follow_to_waypoint(follow, SPACE_EL1N, ISA_A64, CODE, &walk),
		                 STATUS_OK);
		assert_walk(&walk, CODE, CODE + 16, 4, true);
		assert_int_equal(follow_to_waypoint(follow, SPACE_EL3, ISA_A64, CODE, &walk),
		                 STATUS_NO_MEMORY_AT);
	}
	follow_destroy(follow);
	memmap_destroy(memory);
}

static void follow_over_end_of_address_space_wraps(void **state)
{
	const uint64_t top = UINT64_MAX - 15;
	uint8_t high[16];
	uint8_t low[8];
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	(void)state;
	put_opcodes(high, 4, NOP);
	put_opcodes(low, 1, NOP);
	put_opcodes(low + 4, 1, RET);
	memory_add(memory, top, SPACE_EL1N, high, sizeof(high));
	memory_add(memory, top, SPACE_EL1S, high, sizeof(high));
	memory_add(memory, 0, SPACE_EL1N, low, sizeof(low));
	follow = memory_end(memory);
	assert_int_equal(follow_to_waypoint(follow, SPACE_EL1N, ISA_A64, top, &walk), STATUS_OK);
	assert_walk(&walk, top, 8, 6, true);
	assert_int_equal(follow_to_waypoint(follow, SPACE_EL1S, ISA_A64, top, &walk),
	                 STATUS_NO_MEMORY_AT);
	assert_walk(&walk, top, 0, 4, false);
	assert_int_equal(follow_to_address(follow, SPACE_EL1N, ISA_A64, top,
	                                   (struct follow_limit){top + 8, false}, &walk),
	                 STATUS_OK);
	assert_walk(&walk, top, top + 8, 2, false);
	assert_int_equal(follow_to_address(follow, SPACE_EL1N, ISA_A64, top,
	                                   (struct follow_limit){0, false}, &walk),
	                 STATUS_OK);
	assert_walk(&walk, top, 0, 4, false);
	assert_int_equal(follow_to_address(follow, SPACE_EL1N, ISA_A64, top,
	                                   (struct follow_limit){4, true}, &walk),
	                 STATUS_OK);
	assert_walk(&walk, top, 8, 6, true);
	follow_destroy(follow);
	memmap_destroy(memory);
}

/* ---- long code ---- */

static void follow_zeros_without_end_is_bad_data(void **state)
{
	const size_t size = 8 * 1024 * 1024;
	uint8_t *zeros = calloc(1, size);
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct follow *fresh;
	struct walk walk;
	struct walk other;

	(void)state;
	assert_non_null(zeros);
	memory_add(memory, CODE, SPACE_ANY, zeros, size);
	follow = memory_end(memory);
	/* The test's time limit is what a walk to the end for each of them would break. */
	for (uint64_t i = 0; i < 20000; i++)
		assert_int_equal(
		        follow_to_waypoint(follow, SPACE_ANY, ISA_A64, CODE + 180 * i, &walk),
		        STATUS_BAD_DATA);
	assert_int_equal(follow_to_waypoint(follow, SPACE_ANY, ISA_A64, CODE + 0x1004, &walk),
	                 STATUS_BAD_DATA);
	assert_true(walk.count >= FOLLOW_LIMIT);
	assert_true(walk.count < FOLLOW_LIMIT + 16384);
	assert_int_equal(walk.end - walk.start, 4 * (uint64_t)walk.count);
	/* What was walked before does not change what a walk holds. */
	fresh = follow_create(memory, &no_options);
	assert_non_null(fresh);
	assert_int_equal(follow_to_waypoint(fresh, SPACE_ANY, ISA_A64, CODE + 0x1004, &other),
	                 STATUS_BAD_DATA);
	assert_same_walk(&walk, &other);
	/* Before the limit an address is met. */
	assert_int_equal(follow_to_address(follow, SPACE_ANY, ISA_A64, CODE,
	                                   (struct follow_limit){CODE + 0x300004, false}, &walk),
	                 STATUS_OK);
	assert_walk(&walk, CODE, CODE + 0x300004, 0xc0001, false);
	follow_destroy(fresh);
	follow_destroy(follow);
	memmap_destroy(memory);
	free(zeros);
}

static void follow_more_starts_than_cache_holds_is_exact(void **state)
{
	const size_t count = 1024 * 1024;
	uint8_t *code = malloc(4 * count);
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	(void)state;
	assert_non_null(code);
	put_opcodes(code, count, B_SELF);
	memory_add(memory, CODE, SPACE_ANY, code, 4 * count);
	follow = memory_end(memory);
	for (size_t i = 0; i < count + 1000; i++) {
		uint64_t start = CODE + 4 * (i % count);

		assert_int_equal(follow_to_waypoint(follow, SPACE_ANY, ISA_A64, start, &walk),
		                 STATUS_OK);
		assert_walk(&walk, start, start + 4, 1, true);
		assert_int_equal(walk.last.target, start);
	}
	follow_destroy(follow);
	memmap_destroy(memory);
	free(code);
}

/* ---- against a plain walk ---- */

static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 8;
}

/* What follow_to_address() must give, without cache and stretches. */
static enum status plain_walk(const struct memmap *memory, uint64_t start, uint64_t stop,
                              bool inclusive, struct walk *walk)
{
	uint8_t raw[4];

	*walk = (struct walk){.start = start, .end = start, .isa = ISA_A64};
	for (;;) {
		bool is_stop = walk->end == stop;

		if (is_stop && !inclusive)
			return STATUS_OK;
		if (memmap_read(memory, SPACE_ANY, walk->end, raw, 4) < 4)
			return STATUS_NO_MEMORY_AT;
		insn_a64_classify((uint32_t)raw[0] | (uint32_t)raw[1] << 8 |
		                          (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24,
		                  walk->end, &no_options, &walk->last);
		walk->end += 4;
		walk->count++;
		walk->ends_at_waypoint = walk->last.class != INSN_OTHER;
		if (is_stop || walk->ends_at_waypoint)
			return STATUS_OK;
	}
}

/* Code with a branch every few or every many thousand instructions, and holes. */
static void follow_random_code_as_plain_walk(void **state)
{
	const size_t count = 64 * 1024;
	uint8_t *code = malloc(4 * count);
	struct memmap *memory = memory_begin();
	struct follow *follow;
	uint32_t random = 7;
	uint64_t at = CODE;

	(void)state;
	assert_non_null(code);
	for (size_t i = 0; i < count; i++) {
		uint32_t rarity = i < count / 2 ? 7 : 9000;

		put_opcodes(code + 4 * i, 1, next_random(&random) % rarity == 0 ? RET : NOP);
	}
	for (size_t done = 0; done < 4 * count;) {
		size_t size = 1 + next_random(&random) % 40000;

		if (size > 4 * count - done)
			size = 4 * count - done;
		memory_add(memory, at, SPACE_ANY, code + done, size);
		done += size;
		at += size;
		if (next_random(&random) % 4 == 0)
			at += 4096;
	}
	follow = memory_end(memory);
	for (int i = 0; i < 4000; i++) {
		uint64_t start = CODE + next_random(&random) % (at - CODE + 64) / 4 * 4;
		uint64_t ahead = next_random(&random) % (i % 2 ? 64 : 80000);
		uint64_t stop = start + ahead / 4 * 4;
		struct walk want;
		struct walk walk;
		/* An odd address is never met. */
		enum status status = plain_walk(memory, start, UINT64_MAX, false, &want);

		assert_int_equal(follow_to_waypoint(follow, SPACE_ANY, ISA_A64, start, &walk),
		                 status);
		assert_same_walk(&walk, &want);
		for (int inclusive = 0; inclusive < 2; inclusive++) {
			status = plain_walk(memory, start, stop, inclusive, &want);
			assert_int_equal(follow_to_address(follow, SPACE_ANY, ISA_A64, start,
			                                   (struct follow_limit){stop, inclusive},
			                                   &walk),
			                 status);
			assert_same_walk(&walk, &want);
		}
	}
	follow_destroy(follow);
	memmap_destroy(memory);
	free(code);
}

/* T32: ite ne; bxne lr is the second one under it; the same code without the IT in front. */
static void walk_over_it_block_says_conditional_where_asked(void **state)
{
	static const uint8_t code[] = {0x14, 0xbf, 0x00, 0xbf, 0x70, 0x47};
	static const struct insn_options asked = {.it_is_conditional = true};
	struct memmap *memory = memory_begin();
	struct follow *plain;
	struct follow *follow;
	struct walk walk;

	(void)state;
	memory_add(memory, CODE, SPACE_ANY, code, sizeof(code));
	plain = memory_end(memory);
	follow = follow_create(memory, &asked);
	assert_non_null(follow);
	assert_int_equal(follow_to_waypoint(follow, SPACE_ANY, ISA_T32, CODE, &walk), STATUS_OK);
	assert_int_equal(walk.count, 3);
	assert_true(walk.last.is_conditional);
	assert_int_equal(follow_to_waypoint(follow, SPACE_ANY, ISA_T32, CODE + 2, &walk),
	                 STATUS_OK);
	assert_int_equal(walk.count, 2);
	assert_false(walk.last.is_conditional);
	assert_int_equal(follow_to_waypoint(plain, SPACE_ANY, ISA_T32, CODE, &walk), STATUS_OK);
	assert_int_equal(walk.count, 3);
	assert_false(walk.last.is_conditional);
	follow_destroy(plain);
	follow_destroy(follow);
	memmap_destroy(memory);
}

/* Code at CODE, and where a walk to `stop` ends as execution can have gone. */
static void assert_certain(enum isa isa, const void *code, size_t size, uint64_t start,
                           uint64_t stop, enum status expected, uint64_t end)
{
	struct memmap *memory = memory_begin();
	struct follow *follow;
	struct walk walk;

	memory_add(memory, CODE, SPACE_ANY, code, size);
	follow = memory_end(memory);
	assert_int_equal(follow_certain(follow, SPACE_ANY, isa, CODE + start, CODE + stop, &walk),
	                 expected);
	assert_int_equal(walk.start, CODE + start);
	assert_int_equal(walk.end, CODE + end);
	if (walk.count > 0 && isa != ISA_T32)
		assert_int_equal(walk.count, (end - start) / 4);
	follow_destroy(follow);
	memmap_destroy(memory);
}

/* What has to branch ends the walk, what may fall through does not. */
static void certain_walk_passes_no_branch_that_has_to_be_taken(void **state)
{
	static const struct {
		enum isa isa;
		uint32_t opcode;
		bool passes;
	} cases[] = {
	        {ISA_A64, NOP, true},         {ISA_A64, B_SELF, false},
	        {ISA_A64, 0x94000000, false}, {ISA_A64, RET, false},
	        {ISA_A64, 0xd61f0020, false}, {ISA_A64, 0xd69f03e0, false},
	        {ISA_A64, 0x54000040, true},  {ISA_A64, 0xb4000040, true},
	        {ISA_A64, 0x36000040, true},  {ISA_A64, 0x74010040, true}, /* CBGT W0, W1 */
	        {ISA_A64, DSB, true},         {ISA_A64, 0xd4000001, true}, /* SVC */
	        {ISA_A32, 0xe1a00000, true},  {ISA_A32, 0xea000000, false},
	        {ISA_A32, 0x0a000000, true},  {ISA_A32, 0xe12fff1e, false},
	        {ISA_A32, 0x112fff1e, true},  {ISA_A32, 0xfa000000, false}, /* BLX */
	        {ISA_A32, 0xe8bd8010, false}, {ISA_A32, 0x08bd8010, true},  /* POP {R4, PC} */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t code[12];

		put_opcodes(code, 3, cases[i].isa == ISA_A64 ? NOP : 0xe1a00000);
		put_opcodes(code + 4, 1, cases[i].opcode);
		assert_certain(cases[i].isa, code, sizeof(code), 0, 12,
		               cases[i].passes ? STATUS_OK : STATUS_NOT_FOUND,
		               cases[i].passes ? 12 : 4);
		assert_certain(cases[i].isa, code, sizeof(code), 0, 8,
		               cases[i].passes ? STATUS_OK : STATUS_NOT_FOUND,
		               cases[i].passes ? 8 : 4);
		assert_certain(cases[i].isa, code, sizeof(code), 0, 4, STATUS_OK, 4);
		assert_certain(cases[i].isa, code, sizeof(code), 0, 16,
		               cases[i].passes ? STATUS_NO_MEMORY_AT : STATUS_NOT_FOUND,
		               cases[i].passes ? 12 : 4);
	}
}

/* An address within an instruction is not reached, and a branch that an IT covers may be passed. */
static void certain_walk_of_t32_keeps_to_whole_instructions(void **state)
{
	static const uint16_t code[] = {
	        0xbf00,         /*  0: nop */
	        0xe890, 0x0006, /*  2: ldm.w r0, {r1, r2} */
	        0xbf08,         /*  6: it eq */
	        0x4770,         /*  8: bxeq lr */
	        0xd0fe,         /* 10: beq */
	        0xbf00,         /* 12: nop */
	        0xe7fe,         /* 14: b */
	        0xbf00,         /* 16: nop */
	        0xe890,         /* 18: half of an instruction */
	};
	static const struct {
		uint64_t start;
		uint64_t stop;
		enum status expected;
		uint64_t end;
	} cases[] = {
	        {0, 2, STATUS_OK, 2},
	        {0, 4, STATUS_NOT_FOUND, 2},
	        {2, 4, STATUS_NOT_FOUND, 2},
	        {0, 6, STATUS_OK, 6},
	        {0, 14, STATUS_OK, 14},
	        {8, 14, STATUS_OK, 14}, /* whoever came to 8 may have been in the block */
	        {0, 16, STATUS_NOT_FOUND, 14},
	        {12, 18, STATUS_NOT_FOUND, 14},
	        {16, 22, STATUS_NO_MEMORY_AT, 18},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_certain(ISA_T32, code, sizeof(code), cases[i].start, cases[i].stop,
		               cases[i].expected, cases[i].end);
}

/* Megabytes of zeros are no code that anybody ran. */
static void certain_walk_is_not_longer_than_any_program(void **state)
{
	size_t size = 4 * ((size_t)FOLLOW_LIMIT + 2);
	uint8_t *code = calloc(1, size);

	(void)state;
	assert_non_null(code);
	assert_certain(ISA_A32, code, size, 0, 4 * (uint64_t)FOLLOW_LIMIT, STATUS_OK,
	               4 * (uint64_t)FOLLOW_LIMIT);
	assert_certain(ISA_A32, code, size, 0, 4 * (uint64_t)FOLLOW_LIMIT + 4, STATUS_NOT_FOUND, 0);
	free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	        CASE(follow_straight_code_ends_at_branch),
	        CASE(follow_from_every_instruction_is_exact),
	        CASE(follow_option_makes_waypoint),
	        CASE(follow_without_first_opcode_is_no_memory),
	        CASE(follow_unknown_isa_is_unsupported),
	        CASE(follow_to_address_stops_in_front),
	        CASE(follow_to_address_inclusive_stops_after),
	        CASE(follow_to_own_start_is_empty),
	        CASE(follow_to_address_not_met_ends_at_waypoint),
#undef CASE
	        cmocka_unit_test(follow_destroy_null_is_fine),
	        cmocka_unit_test(follow_opcode_cut_by_hole_is_no_memory),
	        cmocka_unit_test(follow_to_address_at_hole_is_reached),
	        cmocka_unit_test(follow_over_region_borders_is_one_walk),
	        cmocka_unit_test(follow_same_address_in_two_spaces_is_two_walks),
	        cmocka_unit_test(follow_over_end_of_address_space_wraps),
	        cmocka_unit_test(follow_zeros_without_end_is_bad_data),
	        cmocka_unit_test(follow_more_starts_than_cache_holds_is_exact),
	        cmocka_unit_test(follow_random_code_as_plain_walk),
	        cmocka_unit_test(walk_over_it_block_says_conditional_where_asked),
	        cmocka_unit_test(certain_walk_passes_no_branch_that_has_to_be_taken),
	        cmocka_unit_test(certain_walk_of_t32_keeps_to_whole_instructions),
	        cmocka_unit_test(certain_walk_is_not_longer_than_any_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
