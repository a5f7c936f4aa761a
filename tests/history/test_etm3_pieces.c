/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv3 decoded in pieces on several threads: the history is the one that one thread makes. The
 * traces are made of random packets, with exceptions that cancel what was executed before them
 * everywhere, after synchronization points above all, and with times, contexts and bad packets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"
#include "replay/history/history_store.h"
#include "snapshot/memmap.h"
#include "tests/history/same_history.h"
#include "tests/synth/etm3_emit.h"

enum {
	PIECE = 512 << 10, /* bytes of the buffer: no piece is smaller */
	SIZE = 5 * PIECE,
	CODE = 4096, /* instructions of A32 */
	BASE = 0x20000,
	REGISTERS = 4,
	SYNC_EVERY = 900, /* bytes */
	CR_TIMESTAMP = 1 << 28,
	CR_CONTEXT_ID = 3 << 14,
	CR_CYCLES = 1 << 12,
	CR_DATA = 3 << 2,
};

struct world {
	uint32_t code[CODE];
	uint8_t values[REGISTERS][4];
	struct snap_register registers[REGISTERS];
	struct snap_device core_device;
	struct snap_device device;
	struct snap_core core;
	struct snap_source source;
	struct snap_source *sources[1];
	struct snap_buffer buffer;
	size_t buffers[1];
	struct snapshot snapshot;
	struct buf trace;
	uint64_t time;
	uint32_t seed;
};

/* A number below `limit`. */
static uint32_t pick(struct world *w, uint32_t limit)
{
	w->seed = w->seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)w->seed * limit) >> 32);
}

/* NOP, B back a little, BNE on a little, BX LR. */
static void make_code(struct world *w)
{
	for (uint32_t i = 0; i < CODE; i++) {
		uint32_t kind = pick(w, 16);

		w->code[i] = kind == 0   ? 0xeafffff0U
		             : kind == 1 ? 0x1a000004U
		             : kind == 2 ? 0xe12fff1eU
		                         : 0xe320f000U;
	}
}

static uint32_t any_address(struct world *w)
{
	return BASE + 4 * (16 + pick(w, CODE - 64));
}

static void put_branch(struct world *w, bool cancels)
{
	struct emit_pc pc = {.isa = EMIT_A32, .address = any_address(w), .size = 5};
	struct etm3_emit_exception exception = {.number = pick(w, 2) ? 1 : 8, .is_cancel = cancels};

	pc.exception_follows = cancels || pick(w, 8) == 0;
	etm3_emit_branch(&w->trace, &pc, pc.exception_follows ? &exception : NULL);
}

static void put_sync(struct world *w)
{
	struct etm3_emit_isync isync = {.reason = pick(w, 40) ? EMIT_PERIODIC : EMIT_OVERFLOW,
	                                .isa = EMIT_A32,
	                                .address = any_address(w),
	                                .non_secure = true,
	                                .context_id_size = 4,
	                                .context_id = pick(w, 3)};

	etm3_emit_async(&w->trace);
	etm3_emit_isync(&w->trace, &isync);
	if (pick(w, 2))
		put_branch(w, true);
}

static void put_atoms(struct world *w, bool has_cycles)
{
	if (has_cycles && pick(w, 3) == 0)
		etm3_emit_cycle_atoms_f3(&w->trace, 1 + pick(w, 8), pick(w, 2) == 0);
	else if (has_cycles)
		etm3_emit_cycle_atoms_f1(&w->trace, 1 + pick(w, 4), pick(w, 2) == 0);
	else
		etm3_emit_atoms_f1(&w->trace, 1 + pick(w, 12), pick(w, 2) == 0);
}

static void put_packet(struct world *w, bool has_cycles)
{
	switch (pick(w, 32)) {
	case 0:
	case 1:
	case 2:
		put_branch(w, false);
		break;
	case 3:
		put_branch(w, true);
		break;
	case 4:
		w->time += pick(w, 1000);
		etm3_emit_timestamp(&w->trace, w->time, 2 + pick(w, 6), 7, false);
		break;
	case 5:
		etm3_emit_context_id(&w->trace, pick(w, 3), 4);
		break;
	case 6:
		if (pick(w, 100) == 0)
			buf_put(&w->trace, 0x66); /* it means nothing */
		break;
	default:
		put_atoms(w, has_cycles);
	}
}

static void make_trace(struct world *w, bool has_cycles)
{
	size_t synced = 0;

	put_sync(w);
	while (w->trace.size < SIZE) {
		if (w->trace.size - synced > SYNC_EVERY) {
			synced = w->trace.size;
			put_sync(w);
		}
		put_packet(w, has_cycles);
	}
	assert_false(w->trace.failed);
}

static void set_registers(struct world *w, uint32_t cr)
{
	static const char *const names[REGISTERS] = {"ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR"};
	const uint32_t values[REGISTERS] = {cr, 0x10400000, 0x4114f250, 0x10};

	for (size_t i = 0; i < REGISTERS; i++) {
		for (unsigned int k = 0; k < 4; k++)
			w->values[i][k] = (uint8_t)(values[i] >> (8 * k));
		w->registers[i] = (struct snap_register){
		        .name = str_of(names[i]), .bits = 32, .value = w->values[i]};
	}
}

static struct world *open_world(uint32_t cr, uint32_t seed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct mem_region region = {.address = BASE, .length = sizeof(w->code), .space = SPACE_ANY};

	assert_non_null(w);
	w->seed = seed;
	make_code(w);
	make_trace(w, (cr & CR_CYCLES) != 0);
	set_registers(w, cr);
	region.data = (const uint8_t *)w->code;
	w->core_device = (struct snap_device){
	        .name = STR("cpu_0"), .class = DEVICE_CORE, .type = STR("Cortex-A7")};
	w->core = (struct snap_core){.device = &w->core_device,
	                             .arch = CORE_A32,
	                             .memory = memmap_create(),
	                             .sources = w->sources,
	                             .source_count = 1};
	assert_non_null(w->core.memory);
	assert_int_equal(memmap_add(w->core.memory, &region), STATUS_OK);
	assert_int_equal(memmap_freeze(w->core.memory), STATUS_OK);
	w->device = (struct snap_device){.name = STR("ETM_0"),
	                                 .class = DEVICE_TRACE_SOURCE,
	                                 .registers = w->registers,
	                                 .register_count = REGISTERS};
	w->source = (struct snap_source){.device = &w->device,
	                                 .protocol = PROTOCOL_ETM3,
	                                 .core = &w->core,
	                                 .buffers = w->buffers,
	                                 .buffer_count = 1};
	w->sources[0] = &w->source;
	w->buffer = (struct snap_buffer){.name = STR("ETB_0"),
	                                 .format = BUFFER_SOURCE_DATA,
	                                 .data = bytes_of(w->trace.data, w->trace.size)};
	w->snapshot = (struct snapshot){
	        .cores = &w->core, .core_count = 1, .buffers = &w->buffer, .buffer_count = 1};
	return w;
}

static void close_world(struct world *w)
{
	memmap_destroy(w->core.memory);
	buf_fini(&w->trace);
	free(w);
}

static struct history *build(const struct world *w, unsigned int threads)
{
	const struct history_options options = {.threads = threads};
	struct diag_list diags = {0};
	struct history *history = NULL;

	assert_int_equal(history_build(&w->snapshot, &w->core, &options, &diags, &history),
	                 STATUS_OK);
	diag_list_fini(&diags);
	return history;
}

/* With as many parts, at least; one: it is not cut. */
static void check(uint32_t cr, uint32_t seed, size_t parts)
{
	static const unsigned int threads[] = {2, 3};
	struct world *w = open_world(cr, seed);
	struct history *expected = build(w, 1);

	assert_int_equal(expected->part_count, 1);
	assert_true(history_length(expected) > SIZE / 4);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct history *history = build(w, threads[i]);

		assert_true(parts == 1 ? history->part_count == 1 : history->part_count >= parts);
		assert_histories_equal(expected, history);
		history_destroy(history);
	}
	history_destroy(expected);
	close_world(w);
}

static void pieces_join_wherever_something_is_cancelled(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 3; seed++)
		check(CR_TIMESTAMP | CR_CONTEXT_ID, seed, 4);
}

static void pieces_join_with_cycle_counts(void **state)
{
	(void)state;
	check(CR_TIMESTAMP | CR_CONTEXT_ID | CR_CYCLES, 4, 4);
}

static void data_trace_is_not_cut(void **state)
{
	(void)state;
	check(CR_TIMESTAMP | CR_CONTEXT_ID | CR_DATA, 5, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pieces_join_wherever_something_is_cancelled),
	        cmocka_unit_test(pieces_join_with_cycle_counts),
	        cmocka_unit_test(data_trace_is_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
