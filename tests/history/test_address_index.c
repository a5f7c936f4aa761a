/* SPDX-License-Identifier: Apache-2.0 */
/* The address index: which group of blocks ran which nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/history/address_index.h"

enum {
	GROUPS = 300,
	NODES = 2000, /* numbers below */
};

static struct address_index *create(void)
{
	struct address_index *index = address_index_create();

	assert_non_null(index);
	return index;
}

static void add(struct address_index *index, size_t first_block, const uint32_t *nodes,
                size_t count)
{
	assert_int_equal(address_index_add(index, first_block, nodes, count), STATUS_OK);
}

static bool meets(const struct address_index *index, size_t group, uint32_t node)
{
	return address_index_meets(index, group, &node, 1);
}

static void index_empty_has_no_group(void **state)
{
	struct address_index *index = create();

	(void)state;
	assert_int_equal(address_index_groups(index), 0);
	address_index_destroy(index);
	address_index_destroy(NULL);
}

static void group_meets_its_nodes_alone(void **state)
{
	static const uint32_t nodes[] = {70000, 2, UINT32_MAX, 9, 2, 65536, 9};
	static const uint32_t others[] = {0, 1, 3, 8, 10, 65535, 65537, 69999, 70001, 0x7fffffff};
	struct address_index *index = create();

	(void)state;
	add(index, 0, nodes, sizeof(nodes) / sizeof(nodes[0]));
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		assert_true(meets(index, 0, nodes[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(meets(index, 0, others[i]));
	/* One of many is enough, none of none is not. */
	assert_false(address_index_meets(index, 0, others, sizeof(others) / sizeof(others[0])));
	assert_true(address_index_meets(index, 0, (const uint32_t[]){1, 3, 9}, 3));
	assert_false(address_index_meets(index, 0, nodes, 0));
	address_index_destroy(index);
}

static void group_without_nodes_meets_nothing(void **state)
{
	struct address_index *index = create();

	(void)state;
	add(index, 0, NULL, 0);
	assert_int_equal(address_index_groups(index), 1);
	assert_false(meets(index, 0, 0));
	assert_false(meets(index, 0, 2));
	address_index_destroy(index);
}

static void group_of_block_is_the_last_that_begins_before_it(void **state)
{
	static const size_t first[] = {0, 1, 5, 5, 100, SIZE_MAX / 2};
	static const struct {
		size_t block;
		size_t group;
	} cases[] = {{0, 0},
	             {1, 1},
	             {4, 1},
	             {5, 3},
	             {99, 3},
	             {100, 4},
	             {101, 4},
	             {SIZE_MAX / 2 - 1, 4},
	             {SIZE_MAX / 2, 5},
	             {SIZE_MAX, 5}};
	struct address_index *index = create();

	(void)state;
	for (uint32_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		add(index, first[i], &i, 1);
	assert_int_equal(address_index_groups(index), sizeof(first) / sizeof(first[0]));
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		assert_int_equal(address_index_first_block(index, i), first[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(address_index_group_of(index, cases[i].block), cases[i].group);
	address_index_destroy(index);
}

struct listed {
	uint32_t nodes[NODES];
	size_t count;
};

static void list(void *context, uint32_t node)
{
	struct listed *listed = context;

	assert_true(listed->count < NODES);
	listed->nodes[listed->count++] = node;
}

/* Many groups, sparse ones and such with all nodes in a row. */
static void groups_many_keep_their_nodes(void **state)
{
	struct address_index *index = create();
	bool(*is_in)[NODES] = calloc(GROUPS, sizeof(*is_in));
	struct listed *listed = malloc(sizeof(*listed));
	uint32_t *nodes = calloc(NODES, sizeof(*nodes));
	uint32_t seed = 1;

	(void)state;
	assert_non_null(is_in);
	assert_non_null(listed);
	assert_non_null(nodes);
	for (size_t group = 0; group < GROUPS; group++) {
		size_t count = 0;

		/* From the highest on: the order is of no importance. */
		for (uint32_t node = NODES; node-- > 0;) {
			seed = seed * 1664525 + 1013904223;
			is_in[group][node] = (seed >> 16) % GROUPS < group;
			if (is_in[group][node])
				nodes[count++] = node;
		}
		add(index, 3 * group, nodes, count);
	}
	for (size_t group = 0; group < GROUPS; group++) {
		size_t count = 0;

		*listed = (struct listed){0};
		address_index_nodes(index, group, list, listed);
		for (uint32_t node = 0; node < NODES; node++) {
			assert_int_equal(meets(index, group, node), is_in[group][node]);
			if (is_in[group][node])
				assert_int_equal(listed->nodes[count++], node);
		}
		assert_int_equal(listed->count, count);
		assert_int_equal(address_index_group_of(index, 3 * group + 2), group);
	}
	free(nodes);
	free(listed);
	free(is_in);
	address_index_destroy(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(index_empty_has_no_group),
	        cmocka_unit_test(group_meets_its_nodes_alone),
	        cmocka_unit_test(group_without_nodes_meets_nothing),
	        cmocka_unit_test(group_of_block_is_the_last_that_begins_before_it),
	        cmocka_unit_test(groups_many_keep_their_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
