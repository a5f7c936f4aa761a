/* SPDX-License-Identifier: Apache-2.0 */
/* The code graph: nodes by address, edges, targets by number, atoms, visits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decoder/flow/graph.h"

enum {
	/* More than the tables have room for at first, and than that twice. */
	NODES = 70000,
	TARGETS = 30000,
	BASE = 0x10000,
};

static struct walk walk_at(uint64_t start, uint32_t count, enum insn_class class)
{
	return (struct walk){.start = start,
	                     .end = start + 4 * (uint64_t)count,
	                     .count = count,
	                     .isa = ISA_A64,
	                     .ends_at_waypoint = true,
	                     .last = {.class = class, .size = 4}};
}

static uint32_t add(struct graph *graph, enum space space, const struct walk *walk)
{
	uint32_t node = GRAPH_NO_NODE;

	assert_int_equal(graph_add(graph, space, walk, &node), STATUS_OK);
	assert_true(node >= GRAPH_FIRST);
	return node;
}

static uint32_t add_at(struct graph *graph, uint64_t start, enum insn_class class)
{
	struct walk walk = walk_at(start, 1, class);

	return add(graph, SPACE_ANY, &walk);
}

static uint32_t intern(struct graph *graph, const struct walk *walk, bool is_new_expected)
{
	uint32_t node = GRAPH_NO_NODE;
	bool is_new = !is_new_expected;

	assert_int_equal(graph_intern(graph, SPACE_ANY, walk, &node, &is_new), STATUS_OK);
	assert_int_equal(is_new, is_new_expected);
	return node;
}

static struct graph *create(void)
{
	struct graph *graph = graph_create();

	assert_non_null(graph);
	return graph;
}

static void graph_empty_finds_nothing(void **state)
{
	struct graph *graph = create();
	struct graph_target target;

	(void)state;
	assert_int_equal(graph_find(graph, SPACE_ANY, ISA_A64, 0), GRAPH_NO_NODE);
	assert_false(graph_find_target(graph, GRAPH_FIRST, SPACE_ANY, ISA_A64, 0, &target));
	graph_destroy(graph);
	graph_destroy(NULL);
}

/* Nodes A, B, ... at every second address, in one of two spaces and instruction sets each. */
static void graph_grown_finds_every_node(void **state)
{
	struct graph *graph = create();

	(void)state;
	for (uint32_t i = 0; i < NODES; i++) {
		struct walk walk = walk_at(BASE + 8 * (uint64_t)(i / 4), 1 + i % 7, INSN_BRANCH);

		walk.isa = i & 1 ? ISA_A32 : ISA_A64;
		assert_int_equal(add(graph, i & 2 ? SPACE_EL1N : SPACE_ANY, &walk),
		                 GRAPH_FIRST + i);
	}
	for (uint32_t i = 0; i < NODES; i++) {
		enum space space = i & 2 ? SPACE_EL1N : SPACE_ANY;
		enum isa isa = i & 1 ? ISA_A32 : ISA_A64;
		uint64_t start = BASE + 8 * (uint64_t)(i / 4);

		assert_int_equal(graph_find(graph, space, isa, start), GRAPH_FIRST + i);
		assert_int_equal(graph->nodes[GRAPH_FIRST + i].walk.count, 1 + i % 7);
		assert_int_equal(graph->steps[GRAPH_FIRST + i].count, 1 + i % 7);
		assert_int_equal(graph_find(graph, space, isa, start + 4), GRAPH_NO_NODE);
		assert_int_equal(graph_find(graph, SPACE_EL2S, isa, start), GRAPH_NO_NODE);
		assert_int_equal(graph_find(graph, space, ISA_T32, start), GRAPH_NO_NODE);
	}
	assert_int_equal(graph->count, GRAPH_FIRST + NODES);
	graph_destroy(graph);
}

static void node_new_is_to_be_looked_at_alone(void **state)
{
	struct graph *graph = create();
	uint32_t node = add_at(graph, BASE, INSN_BRANCH_INDIRECT);

	(void)state;
	for (unsigned int taken = 0; taken < 2; taken++) {
		assert_int_equal(graph->steps[node].next[taken], GRAPH_ALONE);
		assert_int_equal(graph->successors[node][taken], GRAPH_NO_NODE);
		assert_false(graph_leaves(graph, node, taken));
	}
	assert_true(graph_is_indirect(graph, node, true));
	assert_false(graph_is_indirect(graph, node, false));
	assert_false(graph_is_indirect(graph, add_at(graph, BASE + 4, INSN_BRANCH), true));
	graph_destroy(graph);
}

static void odd_node_is_found_by_its_content_alone(void **state)
{
	struct graph *graph = create();
	struct walk plain = walk_at(BASE, 3, INSN_BRANCH);
	struct walk variants[8];
	uint32_t nodes[8];

	(void)state;
	for (unsigned int i = 0; i < 8; i++)
		variants[i] = plain;
	variants[1].end += 4;
	variants[2].count = 2;
	variants[3].isa = ISA_A32;
	variants[4].last.size = 2;
	variants[5].last.class = INSN_BRANCH_INDIRECT;
	variants[6].last.subclass = INSN_SUB_LINK;
	variants[7].last.is_conditional = true;
	for (unsigned int i = 0; i < 8; i++)
		nodes[i] = intern(graph, &variants[i], true);
	for (unsigned int i = 0; i < 8; i++) {
		assert_int_equal(intern(graph, &variants[i], false), nodes[i]);
		assert_true(graph->nodes[nodes[i]].is_odd);
		for (unsigned int k = 0; k < i; k++)
			assert_int_not_equal(nodes[i], nodes[k]);
	}
	graph_destroy(graph);
}

static void odd_node_and_walk_of_equal_start_are_two(void **state)
{
	struct graph *graph = create();
	struct walk walk = walk_at(BASE, 3, INSN_BRANCH);
	uint32_t odd = intern(graph, &walk, true);
	uint32_t node;

	(void)state;
	assert_int_equal(graph_find(graph, SPACE_ANY, ISA_A64, BASE), GRAPH_NO_NODE);
	node = add(graph, SPACE_ANY, &walk);
	assert_int_not_equal(node, odd);
	assert_int_equal(graph_find(graph, SPACE_ANY, ISA_A64, BASE), node);
	assert_int_equal(intern(graph, &walk, false), odd);
	graph_destroy(graph);
}

/* Of one start, so that the table's search meets all of them. */
static void odd_nodes_many_of_one_start_stay_apart(void **state)
{
	enum { COUNT = 1500 };
	struct graph *graph = create();
	uint32_t first = GRAPH_NO_NODE;

	(void)state;
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			struct walk walk = walk_at(BASE, 1 + i, INSN_OTHER);
			uint32_t node = intern(graph, &walk, pass == 0);

			first = pass == 0 && i == 0 ? node : first;
			assert_int_equal(node, first + i);
		}
	}
	graph_destroy(graph);
}

static void odd_nodes_outlive_growth(void **state)
{
	struct graph *graph = create();

	(void)state;
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < NODES / 2; i++) {
			struct walk walk = walk_at(BASE + 4 * (uint64_t)i, 1, INSN_OTHER);

			assert_int_equal(intern(graph, &walk, pass == 0), GRAPH_FIRST + i);
		}
	}
	graph_destroy(graph);
}

static void link_keeps_its_first_successor(void **state)
{
	struct graph *graph = create();
	uint32_t a = add_at(graph, BASE, INSN_BRANCH);
	uint32_t b = add_at(graph, BASE + 4, INSN_BRANCH);
	uint32_t c = add_at(graph, BASE + 8, INSN_BRANCH);

	(void)state;
	assert_true(graph_link(graph, a, true, b));
	assert_true(graph_link(graph, a, true, b));
	assert_false(graph_link(graph, a, true, c));
	assert_int_equal(graph->successors[a][1], b);
	/* The other outcome is another edge. */
	assert_int_equal(graph->successors[a][0], GRAPH_NO_NODE);
	assert_true(graph_link(graph, a, false, c));
	assert_false(graph_link(graph, a, false, b));
	/* To itself. */
	assert_true(graph_link(graph, b, true, b));
	/* What an atom does is another matter. */
	assert_int_equal(graph->steps[a].next[1], GRAPH_ALONE);
	graph_destroy(graph);
}

static void link_between_odd_and_walk_is_refused(void **state)
{
	struct graph *graph = create();
	struct walk walk = walk_at(BASE + 0x100, 2, INSN_OTHER);
	uint32_t odd = intern(graph, &walk, true);
	uint32_t other_odd;
	uint32_t node = add_at(graph, BASE, INSN_BRANCH);

	(void)state;
	walk.start += 8;
	walk.end += 8;
	other_odd = intern(graph, &walk, true);
	assert_false(graph_link(graph, node, true, odd));
	assert_false(graph_link(graph, odd, true, node));
	assert_int_equal(graph->successors[node][1], GRAPH_NO_NODE);
	assert_int_equal(graph->successors[odd][1], GRAPH_NO_NODE);
	assert_true(graph_link(graph, odd, true, other_odd));
	graph_destroy(graph);
}

/* `number` of `to` after `from`, the first time and again. */
static void assert_number(struct graph *graph, uint32_t from, uint32_t to, uint32_t number)
{
	uint32_t given = number + 1;

	assert_int_equal(graph_target_number(graph, from, to, &given), STATUS_OK);
	assert_int_equal(given, number);
	assert_int_equal(graph_target(graph, from, number), to);
}

static void targets_are_numbered_in_order_of_appearance(void **state)
{
	struct graph *graph = create();
	uint32_t from = add_at(graph, BASE, INSN_BRANCH_INDIRECT);
	uint32_t other = add_at(graph, BASE + 4, INSN_BRANCH_INDIRECT);
	struct graph_target target;
	uint32_t *to = calloc(TARGETS, sizeof(*to));

	(void)state;
	assert_non_null(to);
	for (uint32_t i = 0; i < TARGETS; i++)
		to[i] = add_at(graph, BASE + 0x1000 + 4 * (uint64_t)i, INSN_BRANCH);
	for (uint32_t i = 0; i < TARGETS; i++) {
		/* The other one's come in the opposite order, and the last of them is missing. */
		assert_number(graph, from, to[i], i);
		if (i > 0)
			assert_number(graph, other, to[TARGETS - i], i - 1);
	}
	for (uint32_t i = 0; i < TARGETS; i++) {
		uint64_t address = BASE + 0x1000 + 4 * (uint64_t)i;

		assert_number(graph, from, to[i], i);
		assert_true(graph_find_target(graph, from, SPACE_ANY, ISA_A64, address, &target));
		assert_int_equal(target.node, to[i]);
		assert_int_equal(target.number, i);
		assert_int_equal(
		        graph_find_target(graph, other, SPACE_ANY, ISA_A64, address, &target),
		        i > 0);
		if (i > 0)
			assert_int_equal(target.number, TARGETS - 1 - i);
		assert_false(graph_find_target(graph, from, SPACE_EL1N, ISA_A64, address, &target));
		assert_false(graph_find_target(graph, from, SPACE_ANY, ISA_A32, address, &target));
		assert_false(graph_find_target(graph, to[i], SPACE_ANY, ISA_A64, address, &target));
	}
	free(to);
	graph_destroy(graph);
}

/* At one address there may be several odd nodes, and the address does not say which. */
static void target_odd_has_its_number_but_no_address(void **state)
{
	struct graph *graph = create();
	uint32_t from = add_at(graph, BASE, INSN_BRANCH_INDIRECT);
	struct walk one = walk_at(BASE + 0x100, 1, INSN_OTHER);
	struct walk two = walk_at(BASE + 0x100, 2, INSN_OTHER);
	uint32_t odd_one = intern(graph, &one, true);
	uint32_t odd_two = intern(graph, &two, true);
	struct graph_target target;
	uint32_t node;

	(void)state;
	assert_number(graph, from, odd_one, 0);
	assert_number(graph, from, odd_two, 1);
	assert_false(graph_find_target(graph, from, SPACE_ANY, ISA_A64, BASE + 0x100, &target));
	node = add_at(graph, BASE + 0x100, INSN_BRANCH);
	assert_number(graph, from, node, 2);
	assert_true(graph_find_target(graph, from, SPACE_ANY, ISA_A64, BASE + 0x100, &target));
	assert_int_equal(target.node, node);
	assert_int_equal(target.number, 2);
	assert_number(graph, from, odd_two, 1);
	assert_number(graph, from, odd_one, 0);
	graph_destroy(graph);
}

static unsigned int run(struct graph *graph, uint32_t *at, uint32_t atoms, unsigned int count,
                        struct atom_batch *batch)
{
	*batch = (struct atom_batch){.first = 77};
	assert_int_equal(graph_reserve_visits(graph, 32), STATUS_OK);
	return graph_run(graph, at, atoms, count, batch);
}

static void run_stops_after_a_run_that_leaves(void **state)
{
	struct graph *graph = create();
	uint32_t a = add_at(graph, BASE, INSN_BRANCH);
	uint32_t b = add_at(graph, BASE + 4, INSN_BRANCH_INDIRECT);
	uint32_t at = a;
	struct atom_batch batch;

	(void)state;
	graph->steps[a].next[0] = b;
	graph->steps[b].next[1] = GRAPH_LEAVES;
	assert_true(graph_leaves(graph, b, true));
	assert_int_equal(run(graph, &at, 0xfffffffe, 32, &batch), 2);
	assert_int_equal(at, GRAPH_LEAVES);
	assert_int_equal(batch.first, a);
	assert_int_equal(batch.last, b);
	assert_int_equal(batch.atoms, 2);
	assert_int_equal(batch.count, 2);
	assert_int_equal(batch.instructions, 2);
	assert_int_equal(graph->visited_count, 2);
	graph_destroy(graph);
}

static void run_stops_before_a_run_to_be_looked_at(void **state)
{
	struct graph *graph = create();
	struct walk walk = walk_at(BASE, 5, INSN_BRANCH);
	uint32_t a = add(graph, SPACE_ANY, &walk);
	uint32_t b = add_at(graph, BASE + 0x20, INSN_BRANCH);
	uint32_t at = b;
	struct atom_batch batch;

	(void)state;
	assert_int_equal(run(graph, &at, 1, 1, &batch), 0);
	assert_int_equal(at, b);
	assert_int_equal(graph->visited_count, 0);
	graph->steps[a].next[1] = b;
	at = a;
	assert_int_equal(run(graph, &at, 7, 3, &batch), 1);
	assert_int_equal(at, b);
	assert_int_equal(batch.last, a);
	assert_int_equal(batch.atoms, 1);
	assert_int_equal(batch.instructions, 5);
	assert_int_equal(graph->visited_count, 1);
	assert_int_equal(graph->visited[0], a);
	graph_destroy(graph);
}

static void run_takes_up_to_32_atoms(void **state)
{
	struct graph *graph = create();
	struct walk walk = walk_at(BASE, 3, INSN_BRANCH);
	uint32_t a = add(graph, SPACE_ANY, &walk);
	uint32_t b = add_at(graph, BASE + 0x20, INSN_BRANCH);
	struct atom_batch batch;

	(void)state;
	/* Taken leads to a, not taken to b, from either. */
	graph->steps[a].next[0] = graph->steps[b].next[0] = b;
	graph->steps[a].next[1] = graph->steps[b].next[1] = a;
	for (unsigned int count = 1; count <= 32; count++) {
		uint32_t atoms = 0x9e3779b9;
		uint32_t at = a;
		uint32_t instructions = 3; /* the first run is of a */
		uint32_t last = a;

		for (unsigned int i = 0; i + 1 < count; i++) {
			last = atoms >> i & 1 ? a : b;
			instructions += last == a ? 3 : 1;
		}
		assert_int_equal(run(graph, &at, atoms, count, &batch), count);
		assert_int_equal(batch.count, count);
		assert_int_equal(batch.atoms, count == 32 ? atoms : atoms & ((1U << count) - 1));
		assert_int_equal(batch.instructions, instructions);
		assert_int_equal(batch.last, last);
		assert_int_equal(at, atoms >> (count - 1) & 1 ? a : b);
	}
	graph_destroy(graph);
}

static void visits_are_noted_once_an_epoch(void **state)
{
	struct graph *graph = create();
	uint32_t a = add_at(graph, BASE, INSN_BRANCH);
	uint32_t b = add_at(graph, BASE + 4, INSN_BRANCH);
	uint32_t at = a;
	struct atom_batch batch;

	(void)state;
	graph->steps[a].next[1] = a;
	assert_int_equal(graph_visit(graph, b), STATUS_OK);
	assert_int_equal(run(graph, &at, 0xff, 8, &batch), 8);
	assert_int_equal(graph_visit(graph, a), STATUS_OK);
	assert_int_equal(graph_visit(graph, b), STATUS_OK);
	assert_int_equal(graph->visited_count, 2);
	assert_int_equal(graph->visited[0], b);
	assert_int_equal(graph->visited[1], a);
	graph->was_retracted = true;
	graph_begin_epoch(graph);
	assert_int_equal(graph->visited_count, 0);
	assert_false(graph->was_retracted);
	assert_int_equal(run(graph, &at, 0xff, 8, &batch), 8);
	assert_int_equal(graph->visited_count, 1);
	assert_int_equal(graph->visited[0], a);
	graph_destroy(graph);
}

static void visits_have_room_for_all_nodes(void **state)
{
	struct graph *graph = create();

	(void)state;
	for (uint32_t i = 0; i < NODES; i++)
		assert_int_equal(add_at(graph, BASE + 4 * (uint64_t)i, INSN_BRANCH),
		                 GRAPH_FIRST + i);
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < NODES; i++)
			assert_int_equal(graph_visit(graph, GRAPH_FIRST + i), STATUS_OK);
		assert_int_equal(graph->visited_count, NODES);
		for (uint32_t i = 0; i < NODES; i++)
			assert_int_equal(graph->visited[i], GRAPH_FIRST + i);
		graph_begin_epoch(graph);
	}
	graph_destroy(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(graph_empty_finds_nothing),
	        cmocka_unit_test(graph_grown_finds_every_node),
	        cmocka_unit_test(node_new_is_to_be_looked_at_alone),
	        cmocka_unit_test(odd_node_is_found_by_its_content_alone),
	        cmocka_unit_test(odd_node_and_walk_of_equal_start_are_two),
	        cmocka_unit_test(odd_nodes_many_of_one_start_stay_apart),
	        cmocka_unit_test(odd_nodes_outlive_growth),
	        cmocka_unit_test(link_keeps_its_first_successor),
	        cmocka_unit_test(link_between_odd_and_walk_is_refused),
	        cmocka_unit_test(targets_are_numbered_in_order_of_appearance),
	        cmocka_unit_test(target_odd_has_its_number_but_no_address),
	        cmocka_unit_test(run_stops_after_a_run_that_leaves),
	        cmocka_unit_test(run_stops_before_a_run_to_be_looked_at),
	        cmocka_unit_test(run_takes_up_to_32_atoms),
	        cmocka_unit_test(visits_are_noted_once_an_epoch),
	        cmocka_unit_test(visits_have_room_for_all_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
