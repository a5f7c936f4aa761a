/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outcome log: what was appended, atom batch by atom batch, comes out run by run. By hand at
 * the borders of words and blocks, and by random walks over random graphs against a plain list of
 * runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/history/outcome_log.h"

enum {
	BASE = 0x400000,
	NODES = 1200,
	HUBS = 8, /* the first nodes end in indirect branches and lead to all */
	RUNS_MOST = 60000,
	STEPS = 6000,
};

/* A graph, an outcome log and what should be in it. */
struct world {
	struct graph *graph;
	struct outcome_log log;
	uint32_t seed;
	uint32_t *nodes;
	uint32_t *runs; /* node << 1 | taken */
	size_t count;
	uint64_t length;
	bool ends_block; /* the next run has to begin a block */
};

/* A number below `limit`. */
static uint32_t pick(struct world *w, uint32_t limit)
{
	w->seed = w->seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)w->seed * limit) >> 32);
}

static uint32_t add_node(struct world *w, uint32_t i, uint32_t count, bool is_indirect)
{
	struct walk walk = {.start = BASE + 0x1000 * (uint64_t)i,
	                    .count = count,
	                    .isa = ISA_A64,
	                    .ends_at_waypoint = true,
	                    .last = {.size = 4}};
	uint32_t node;

	walk.end = walk.start + 4 * (uint64_t)count;
	walk.last.class = is_indirect ? INSN_BRANCH_INDIRECT : INSN_BRANCH;
	assert_int_equal(graph_add(w->graph, SPACE_ANY, &walk, &node), STATUS_OK);
	w->nodes[i] = node;
	return node;
}

static void init(struct world *w, uint32_t nodes, uint32_t seed)
{
	*w = (struct world){.graph = graph_create(), .seed = seed};
	assert_non_null(w->graph);
	outcome_log_init(&w->log, w->graph);
	w->nodes = calloc(nodes, sizeof(*w->nodes));
	w->runs = calloc(RUNS_MOST, sizeof(*w->runs));
	assert_non_null(w->nodes);
	assert_non_null(w->runs);
}

static void fini(struct world *w)
{
	outcome_log_fini(&w->log);
	graph_destroy(w->graph);
	free(w->nodes);
	free(w->runs);
}

/* Hubs lead anywhere; all others to two nodes, of which half are not known at first. */
static void make_graph(struct world *w)
{
	for (uint32_t i = 0; i < NODES; i++)
		(void)add_node(w, i, 1 + pick(w, 9), i < HUBS || pick(w, 16) == 0);
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t node = w->nodes[i];

		for (unsigned int taken = 0; taken < 2; taken++) {
			uint32_t to = w->nodes[pick(w, 4) ? pick(w, NODES) : pick(w, HUBS)];

			if (graph_is_indirect(w->graph, node, taken)) {
				if (pick(w, 2))
					w->graph->steps[node].next[taken] = GRAPH_LEAVES;
			} else if (pick(w, 2)) {
				assert_true(graph_link(w->graph, node, taken, to));
				w->graph->steps[node].next[taken] = to;
			}
		}
	}
}

static uint32_t count_of(const struct world *w, uint32_t node)
{
	return w->graph->steps[node].count;
}

/* Appends the atom batch to the outcome log and to the list. */
static void append(struct world *w, const struct atom_batch *batch)
{
	uint32_t node = batch->first;

	assert_int_equal(outcome_log_append(&w->log, batch), STATUS_OK);
	for (unsigned int i = 0; i < batch->count; i++) {
		bool taken = batch->atoms >> i & 1;

		assert_true(w->count < RUNS_MOST);
		w->runs[w->count++] = node << 1 | taken;
		w->length += count_of(w, node);
		node = w->graph->steps[node].next[taken];
	}
	w->ends_block = false;
}

static struct atom_batch batch_of(const struct world *w, uint32_t node, bool taken)
{
	return (struct atom_batch){.first = node,
	                           .last = node,
	                           .atoms = taken,
	                           .instructions = count_of(w, node),
	                           .count = 1};
}

/* All that a reader may ask of the outcome log. */
static void check(const struct world *w)
{
	const struct outcome_log *log = &w->log;
	struct outcome_log_run *runs = calloc(LOG_BLOCK_RUNS, sizeof(*runs));
	uint64_t position = 0;
	size_t at = 0;

	assert_non_null(runs);
	assert_int_equal(log->run_count, w->count);
	assert_int_equal(log->length, w->length);
	for (size_t block = 0; block < log->block_count; block++) {
		uint32_t count = outcome_log_block_runs(log, block);

		assert_in_range(count, 1, LOG_BLOCK_RUNS);
		assert_int_equal(log->blocks[block].position, position);
		assert_int_equal(outcome_log_find_block(log, position), block);
		assert_int_equal(outcome_log_expand(log, block, runs), count);
		for (uint32_t i = 0; i < count; i++, at++) {
			assert_true(at < w->count);
			assert_int_equal(runs[i].node, w->runs[at] >> 1);
			assert_int_equal(runs[i].taken, w->runs[at] & 1);
			assert_int_equal(log->blocks[block].position + runs[i].offset, position);
			position += count_of(w, runs[i].node);
		}
		assert_int_equal(outcome_log_find_block(log, position - 1), block);
	}
	assert_int_equal(at, w->count);
	assert_int_equal(position, w->length);
	free(runs);
}

/* Two nodes that lead to each other and to themselves: taken to the first one. */
static void make_pair(struct world *w)
{
	uint32_t a = add_node(w, 0, 3, false);
	uint32_t b = add_node(w, 1, 1, false);

	for (uint32_t i = 0; i < 2; i++) {
		assert_true(graph_link(w->graph, w->nodes[i], true, a));
		assert_true(graph_link(w->graph, w->nodes[i], false, b));
		w->graph->steps[w->nodes[i]].next[1] = a;
		w->graph->steps[w->nodes[i]].next[0] = b;
	}
}

/* An atom batch of `count` runs through the graph, from where the outcome log stands. */
static void append_run(struct world *w, uint32_t from, unsigned int count, bool follows)
{
	uint32_t at = from;
	uint32_t atoms = pick(w, UINT32_MAX);
	struct atom_batch batch = {.follows = follows};

	assert_int_equal(graph_reserve_visits(w->graph, 32), STATUS_OK);
	/* One that the graph does not lead through is an atom batch by itself, as the flow makes
	 * it. */
	if (graph_run(w->graph, &at, atoms, count, &batch) == 0)
		batch = batch_of(w, from, atoms & 1);
	append(w, &batch);
}

static uint32_t next_of_pair(const struct world *w)
{
	return w->log.last_taken ? w->nodes[0] : w->nodes[1];
}

static void outcome_log_empty_has_no_block(void **state)
{
	struct world w;

	(void)state;
	init(&w, 1, 1);
	check(&w);
	assert_int_equal(w.log.block_count, 0);
	outcome_log_trim(&w.log);
	check(&w);
	fini(&w);
}

static void batches_of_any_size_at_any_bit_come_out(void **state)
{
	struct world w;

	(void)state;
	for (unsigned int size = 1; size <= 32; size++) {
		init(&w, 2, size);
		make_pair(&w);
		append_run(&w, w.nodes[0], 1 + size % 3, false);
		for (unsigned int i = 0; i < 400; i++)
			append_run(&w, next_of_pair(&w), size, true);
		check(&w);
		fini(&w);
	}
}

static void block_full_begins_the_next(void **state)
{
	struct world w;

	(void)state;
	init(&w, 2, 1);
	make_pair(&w);
	append_run(&w, w.nodes[0], 32, false);
	while (w.count < LOG_BLOCK_RUNS)
		append_run(&w, next_of_pair(&w), 32, true);
	assert_int_equal(w.log.block_count, 1);
	check(&w);
	append_run(&w, next_of_pair(&w), 1, true);
	assert_int_equal(w.log.block_count, 2);
	assert_int_equal(outcome_log_block_runs(&w.log, 0), LOG_BLOCK_RUNS);
	/* An atom batch is not parted: what would not fit whole begins the next block. */
	while (w.count < 2 * LOG_BLOCK_RUNS - 3)
		append_run(&w, next_of_pair(&w), 4, true);
	assert_int_equal(w.log.block_count, 2);
	append_run(&w, next_of_pair(&w), 5, true);
	assert_int_equal(w.log.block_count, 3);
	check(&w);
	fini(&w);
}

static void break_is_in_the_block_and_end_begins_one(void **state)
{
	struct world w;

	(void)state;
	init(&w, 2, 3);
	make_pair(&w);
	append_run(&w, w.nodes[0], 5, false);
	outcome_log_break(&w.log);
	append_run(&w, w.nodes[1], 5, false);
	assert_int_equal(w.log.block_count, 1);
	assert_int_equal(w.log.break_count, 2);
	outcome_log_end_block(&w.log);
	append_run(&w, next_of_pair(&w), 5, true);
	assert_int_equal(w.log.block_count, 2);
	append_run(&w, next_of_pair(&w), 5, true);
	assert_int_equal(w.log.block_count, 2);
	assert_int_equal(w.log.break_count, 2);
	/* To where the code does not lead. */
	append_run(&w, w.log.last_taken ? w.nodes[1] : w.nodes[0], 5, false);
	assert_int_equal(w.log.block_count, 2);
	assert_int_equal(w.log.break_count, 4);
	/* At a block's end it is the block's first run. */
	outcome_log_break(&w.log);
	outcome_log_end_block(&w.log);
	append_run(&w, w.nodes[0], 5, false);
	assert_int_equal(w.log.block_count, 3);
	assert_int_equal(w.log.break_count, 4);
	check(&w);
	fini(&w);
}

/* Numbers of one byte, the first of five, and one that another node's atom batch names. */
static void target_numbers_short_and_long_come_out(void **state)
{
	enum { TARGETS = 600 };
	struct world w;
	struct atom_batch batch;
	uint32_t hub;

	(void)state;
	init(&w, TARGETS + 1, 1);
	hub = add_node(&w, TARGETS, 2, true);
	for (uint32_t i = 0; i < TARGETS; i++) {
		uint32_t node = add_node(&w, i, 1 + i % 5, false);

		assert_true(graph_link(w.graph, node, false, hub));
	}
	for (uint32_t i = 0; i < 3 * TARGETS; i++) {
		batch = batch_of(&w, hub, true);
		append(&w, &batch);
		/* Known to the atom batch, to be looked up, and of another node's targets. */
		batch = batch_of(&w, w.nodes[i * 7 % TARGETS], false);
		batch.from = i < TARGETS ? GRAPH_NO_NODE : i % 2 ? hub : w.nodes[0];
		batch.number = i < TARGETS || i % 2 ? i % TARGETS : 99999;
		append(&w, &batch);
	}
	check(&w);
	assert_int_equal(w.log.block_count, 2);
	for (uint32_t i = 0; i < TARGETS; i++)
		assert_int_equal(graph_target(w.graph, hub, i), w.nodes[i * 7 % TARGETS]);
	assert_int_equal(w.log.targets[254], 254);
	assert_int_equal(w.log.targets[255], 255);
	assert_int_equal(w.log.targets[256], 255);
	assert_int_equal(w.log.targets[260], 255);
	assert_int_equal(w.log.targets[261], 0);
	assert_int_equal(w.log.targets[262], 1);
	fini(&w);
}

static void drop(struct world *w)
{
	outcome_log_drop_last(&w->log);
	w->length -= count_of(w, w->runs[--w->count] >> 1);
}

static void drop_of_the_only_run_leaves_nothing(void **state)
{
	struct world w;

	(void)state;
	init(&w, 2, 1);
	make_pair(&w);
	append_run(&w, w.nodes[0], 1, false);
	drop(&w);
	assert_int_equal(w.log.block_count, 0);
	check(&w);
	append_run(&w, w.nodes[1], 7, false);
	check(&w);
	fini(&w);
}

/* At every bit around the borders of a word and of a block. */
static void drop_at_borders_leaves_the_rest(void **state)
{
	struct world w;

	(void)state;
	for (unsigned int count = 60; count <= LOG_BLOCK_RUNS + 3; count++) {
		if (count == 70)
			count = LOG_BLOCK_RUNS - 3;
		init(&w, 2, count);
		make_pair(&w);
		append_run(&w, w.nodes[0], 1, false);
		while (w.count < count)
			append_run(&w, next_of_pair(&w), 1, true);
		drop(&w);
		check(&w);
		append_run(&w, next_of_pair(&w), 32, true);
		assert_true(w.log.block_count > 1);
		check(&w);
		fini(&w);
	}
}

static void drop_after_an_indirect_branch_leaves_the_rest(void **state)
{
	struct world w;
	struct atom_batch batch;

	(void)state;
	init(&w, 3, 1);
	(void)add_node(&w, 0, 2, true);
	(void)add_node(&w, 1, 3, true);
	(void)add_node(&w, 2, 4, true);
	for (uint32_t i = 0; i < 100; i++) {
		batch = batch_of(&w, w.nodes[i % 3], true);
		append(&w, &batch);
		if (i % 10 == 9)
			drop(&w);
	}
	check(&w);
	assert_int_equal(w.log.block_count, 10);
	fini(&w);
}

/* From where the outcome log stands to a node that the graph may lead to, or that it does not. */
static void append_next(struct world *w)
{
	uint32_t last = w->log.last;
	bool taken = w->log.last_taken;
	uint32_t next = w->log.is_open ? w->graph->steps[last].next[taken] : GRAPH_ALONE;
	struct atom_batch batch;

	if (next >= GRAPH_FIRST) {
		append_run(w, next, 1 + pick(w, 32), true);
		return;
	}
	batch = batch_of(w, w->nodes[pick(w, NODES)], pick(w, 2));
	if (w->log.is_open && graph_is_indirect(w->graph, last, taken) && pick(w, 2)) {
		batch.from = last;
		assert_int_equal(graph_target_number(w->graph, last, batch.first, &batch.number),
		                 STATUS_OK);
	}
	append(w, &batch);
}

static void step(struct world *w)
{
	size_t blocks = w->log.block_count;

	switch (pick(w, 64)) {
	case 0:
		outcome_log_break(&w->log);
		break;
	case 1:
		outcome_log_end_block(&w->log);
		w->ends_block = true;
		break;
	case 2:
		if (w->log.is_open) {
			drop(w);
			w->ends_block = true;
		}
		break;
	case 3:
		outcome_log_trim(&w->log);
		break;
	case 4:
		assert_int_equal(
		        outcome_log_reserve(&w->log, pick(w, 4 * RUNS_MOST), pick(w, 100000)),
		        STATUS_OK);
		break;
	case 5: /* leaves a word's last bits to the drop that comes next */
		append_run(w, w->nodes[pick(w, NODES)], 1, false);
		break;
	default: {
		bool ends_block = w->ends_block;
		size_t count = w->count;

		append_next(w);
		if (ends_block && w->count > count)
			assert_int_equal(w->log.block_count, blocks + 1);
	}
	}
}

static void walks_random_come_out(void **state)
{
	size_t runs = 0;
	size_t targets = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 12; seed++) {
		struct world w;

		init(&w, NODES, seed);
		make_graph(&w);
		for (unsigned int i = 0; i < STEPS && w.count < RUNS_MOST - 64; i++) {
			step(&w);
			if (pick(&w, 500) == 0)
				check(&w);
		}
		outcome_log_trim(&w.log);
		check(&w);
		runs += w.count;
		targets += w.log.target_count;
		fini(&w);
	}
	assert_true(runs > 12 * STEPS / 2);
	assert_true(targets > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(outcome_log_empty_has_no_block),
	        cmocka_unit_test(batches_of_any_size_at_any_bit_come_out),
	        cmocka_unit_test(block_full_begins_the_next),
	        cmocka_unit_test(break_is_in_the_block_and_end_begins_one),
	        cmocka_unit_test(target_numbers_short_and_long_come_out),
	        cmocka_unit_test(drop_of_the_only_run_leaves_nothing),
	        cmocka_unit_test(drop_at_borders_leaves_the_rest),
	        cmocka_unit_test(drop_after_an_indirect_branch_leaves_the_rest),
	        cmocka_unit_test(walks_random_come_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
