/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding in pieces on several threads: the history is the one that one thread makes, in every
 * instruction, event, gap and mark. The traces are made here, of some pieces each, and damaged
 * where pieces meet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/spill_file.h"
#include "decoder/decoder.h"
#include "replay/history/history_store.h"
#include "snapshot/memmap.h"
#include "tests/history/same_history.h"
#include "tests/synth/etm4_walk.h"
#include "tests/synth/frames.h"

enum {
	PIECE = 512 << 10, /* bytes of the buffer: no piece is smaller */
	CODE = 500,        /* instructions */
	ENTRIES = 12,      /* targets of indirect branches */
	CALLS_MOST = 40,
	BASE = 0x400000,
	OUR_ID = 0x10,
	OTHER_ID = 0x22,
	FIRST_ID = 0x33,
	REGISTERS = 7,
};

/* A trace to be made. Rates are in 65536 of the instructions. */
struct recipe {
	const char *name;
	struct walk_options options;
	uint32_t size; /* bytes, at least */
	uint32_t gaps;
	uint32_t exceptions;
	uint32_t contexts;
	bool bare;
	/* Of the stream, and of the buffer. */
	void (*change)(struct buf *stream);
	void (*damage)(struct buf *buffer);
	size_t joined; /* parts that the history has at least, with several threads */
};

static const struct emit_context el0 = {.is_64bit = true, .non_secure = true};

static uint32_t seed;

/* A number below `limit`. */
static uint32_t pick(uint32_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

/* A program of branches and fillers, and a walk through it. */
struct program {
	uint32_t opcodes[CODE];
	enum { FILL, B, BL, CONDITIONAL, INDIRECT, CALL_INDIRECT, RET } kinds[CODE];
	uint32_t targets[CODE];
	uint32_t entries[ENTRIES];
	uint32_t calls[CALLS_MOST];
	uint32_t depth;
};

static uint32_t encode(struct program *p, uint32_t i)
{
	uint32_t offset = p->targets[i] - i;

	switch (p->kinds[i]) {
	case B:
		return 0x14000000 | (offset & 0x3ffffff);
	case BL:
		return 0x94000000 | (offset & 0x3ffffff);
	case CONDITIONAL:
		return 0x54000000 | (offset & 0x7ffff) << 5 | pick(14);
	case INDIRECT:
		return 0xd61f0020;
	case CALL_INDIRECT:
		return 0xd63f0020;
	case RET:
		return 0xd65f03c0;
	case FILL:
		break;
	}
	return 0xd503201f;
}

static void make_program(struct program *p)
{
	static const unsigned int kinds[] = {CONDITIONAL, CONDITIONAL,   CONDITIONAL, B,   BL,
	                                     BL,          CALL_INDIRECT, INDIRECT,    RET, RET};

	p->depth = 0;
	for (uint32_t i = 0; i < CODE; i++) {
		p->kinds[i] = pick(3) == 0 ? kinds[pick(sizeof(kinds) / sizeof(kinds[0]))]
		                           : (unsigned int)FILL;
		if (i == CODE - 1)
			p->kinds[i] = B;
		p->targets[i] = pick(CODE - 1);
		p->opcodes[i] = encode(p, i);
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		p->entries[i] = pick(CODE);
}

static uint32_t next_of(struct program *p, uint32_t i)
{
	if ((p->kinds[i] == BL || p->kinds[i] == CALL_INDIRECT) && p->depth < CALLS_MOST)
		p->calls[p->depth++] = i + 1;
	switch (p->kinds[i]) {
	case B:
	case BL:
		return p->targets[i];
	case CONDITIONAL:
		return pick(2) ? p->targets[i] : i + 1;
	case RET:
		return p->depth > 0 && pick(10) ? p->calls[--p->depth] : p->entries[pick(ENTRIES)];
	case INDIRECT:
	case CALL_INDIRECT:
		return p->entries[pick(ENTRIES)];
	case FILL:
		break;
	}
	return i + 1;
}

/* What comes between two instructions, now and then. Returns where the walk goes on. */
static uint32_t interrupt(const struct recipe *recipe, struct program *p, struct walk_state *w,
                          bool is_branch, uint32_t next)
{
	uint64_t address = BASE + 4 * (uint64_t)next;

	if (pick(65536) < recipe->exceptions) {
		walk_exception(w, 14, address);
		if (pick(2))
			walk_gap(w, address);
		return p->entries[pick(ENTRIES)];
	}
	if (is_branch && pick(65536) < recipe->gaps) {
		switch (pick(3)) {
		case 0:
			walk_gap(w, address);
			break;
		case 1:
			walk_overflow(w, address);
			break;
		default:
			walk_discard(w, address);
		}
		return p->entries[pick(ENTRIES)];
	}
	if (pick(65536) < recipe->contexts) {
		struct emit_context context = recipe->options.context;

		context.context_id = pick(5);
		context.level = pick(2);
		walk_context(w, &context);
	}
	return next;
}

static void make_stream(const struct recipe *recipe, struct program *p, struct buf *stream)
{
	struct walk_state w;
	uint32_t at = 0;

	make_program(p);
	walk_init(&w, stream, &(struct code){BASE, (const uint8_t *)p->opcodes, sizeof(p->opcodes)},
	          1, &recipe->options);
	/* No packet is kept back long, so that the size tells where the walk is. */
	while (stream->size < recipe->size) {
		bool is_branch = p->kinds[at] != FILL;

		assert_int_equal(walk_step(&w, BASE + 4 * (uint64_t)at), STATUS_OK);
		at = interrupt(recipe, p, &w, is_branch, next_of(p, at));
	}
	walk_exception(&w, 12, BASE + 4 * (uint64_t)at);
	walk_end(&w);
	assert_false(stream->failed);
}

/* A snapshot of one core with that trace. */
struct world {
	struct program program;
	struct buf stream;
	struct buf frames;
	struct snapshot snapshot;
	struct snap_core core;
	struct snap_device core_device;
	struct snap_source source;
	struct snap_source *sources[1];
	struct snap_device device;
	struct snap_register registers[REGISTERS];
	uint8_t values[REGISTERS][4];
	struct snap_buffer buffer;
	size_t buffers[1];
};

static void set_registers(struct world *w, const struct walk_options *o)
{
	const struct {
		const char *name;
		uint32_t value;
	} values[REGISTERS] = {
	        {"TRCCONFIGR",
	         1U | (o->branch_broadcast ? 1U << 3 : 0) | (o->cycles_every ? 1U << 4 : 0) |
	                 (o->context.context_id_size ? 1U << 6 : 0) |
	                 (o->timestamp_every ? 1U << 11 : 0) | (o->return_stack ? 1U << 12 : 0)},
	        {"TRCTRACEIDR", OUR_ID},
	        {"TRCIDR0", 0x28000ea1},
	        {"TRCIDR1", 0x4100f423},
	        {"TRCIDR2", 0x00000488},
	        {"TRCIDR8", o->speculation},
	        {"TRCAUTHSTATUS", 0xcc},
	};

	for (unsigned int i = 0; i < REGISTERS; i++) {
		for (unsigned int k = 0; k < 4; k++)
			w->values[i][k] = (uint8_t)(values[i].value >> (8 * k));
		w->registers[i] = (struct snap_register){
		        .name = str_of(values[i].name), .bits = 32, .value = w->values[i]};
	}
	w->device = (struct snap_device){.name = STR("ETM_0"),
	                                 .class = DEVICE_TRACE_SOURCE,
	                                 .registers = w->registers,
	                                 .register_count = REGISTERS};
}

static void set_snapshot(struct world *w, const struct recipe *recipe)
{
	struct mem_region region = {.address = BASE,
	                            .length = sizeof(w->program.opcodes),
	                            .space = SPACE_ANY,
	                            .data = (const uint8_t *)w->program.opcodes};

	set_registers(w, &recipe->options);
	w->core_device = (struct snap_device){
	        .name = STR("cpu_0"), .class = DEVICE_CORE, .type = STR("Cortex-A53")};
	w->core = (struct snap_core){.device = &w->core_device,
	                             .arch = CORE_A64,
	                             .memory = memmap_create(),
	                             .sources = w->sources,
	                             .source_count = 1};
	assert_non_null(w->core.memory);
	assert_int_equal(memmap_add(w->core.memory, &region), STATUS_OK);
	assert_int_equal(memmap_freeze(w->core.memory), STATUS_OK);
	w->source = (struct snap_source){.device = &w->device,
	                                 .protocol = PROTOCOL_ETM4,
	                                 .core = &w->core,
	                                 .buffers = w->buffers,
	                                 .buffer_count = 1};
	w->sources[0] = &w->source;
	w->buffer = (struct snap_buffer){
	        .name = STR("ETB_0"),
	        .format = recipe->bare ? BUFFER_SOURCE_DATA : BUFFER_CORESIGHT,
	        .data = recipe->bare ? bytes_of(w->stream.data, w->stream.size)
	                             : bytes_of(w->frames.data, w->frames.size)};
	w->snapshot.cores = &w->core;
	w->snapshot.core_count = 1;
	w->snapshot.buffers = &w->buffer;
	w->snapshot.buffer_count = 1;
}

static struct world *open_world(const struct recipe *recipe)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	seed = 1;
	make_stream(recipe, &w->program, &w->stream);
	if (recipe->change)
		recipe->change(&w->stream);
	if (!recipe->bare)
		frames_put(&w->frames,
		           &(struct frame_stream){OUR_ID, w->stream.data, w->stream.size}, 1,
		           &(struct frame_options){.repeat = 7});
	if (recipe->damage)
		recipe->damage(recipe->bare ? &w->stream : &w->frames);
	set_snapshot(w, recipe);
	return w;
}

static void close_world(struct world *w)
{
	memmap_destroy(w->core.memory);
	buf_fini(&w->stream);
	buf_fini(&w->frames);
	free(w);
}

/* `spill` may be NULL. */
static struct history *build_with(const struct world *w, unsigned int threads,
                                  struct trace_ids *ids, struct spill_file *spill)
{
	const struct history_options options = {.threads = threads, .ids = ids, .spill = spill};
	struct diag_list diags = {0};
	struct history *history = NULL;

	assert_int_equal(history_build(&w->snapshot, &w->core, &options, &diags, &history),
	                 STATUS_OK);
	assert_int_equal(diags.errors, 0);
	diag_list_fini(&diags);
	return history;
}

static struct history *build(const struct world *w, unsigned int threads, struct trace_ids *ids)
{
	return build_with(w, threads, ids, NULL);
}

/* With all of its logs in a file, which is closed before anybody reads them. */
static struct history *build_spilled(const struct world *w, unsigned int threads)
{
	struct spill_file *spill = spill_file_create(0);
	struct history *history;

	assert_non_null(spill);
	history = build_with(w, threads, NULL, spill);
	spill_file_destroy(spill);
	return history;
}

/* Searches from where parts meet find what is next to it on either side. */
static void assert_parts_are_searched(const struct history *h)
{
	for (size_t i = 1; i < h->part_count; i++) {
		uint64_t position = h->parts[i].position;
		uint64_t pc[2];
		uint64_t found;

		assert_int_equal(history_pc(h, position - 1, &pc[0]), STATUS_OK);
		assert_int_equal(history_pc(h, position, &pc[1]), STATUS_OK);
		for (unsigned int k = 0; k < 2; k++) {
			struct history_search search = {.addresses = &pc[k], .address_count = 1};

			assert_int_equal(history_find_backward(h, &search, position + k, 0, &found),
			                 STATUS_OK);
			assert_int_equal(found, position - 1 + k);
			assert_int_equal(history_find_forward(h, &search, position - 2 + k,
			                                      h->length, &found),
			                 STATUS_OK);
			assert_int_equal(found, position - 1 + k);
		}
	}
}

static void check_recipe(const struct recipe *recipe)
{
	static const unsigned int threads[] = {2, 3, 8};
	struct world *w = open_world(recipe);
	struct history *expected = build(w, 1, NULL);

	assert_true(expected->part_count <= 1);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct history *history;

		if (TEST_SHARE > 1 && threads[i] != 3) /* where even one takes a minute */
			continue;
		history = i == 1 ? build_spilled(w, threads[i]) : build(w, threads[i], NULL);

		if (history->part_count < recipe->joined)
			fail_msg("%s: %zu parts, expected %zu", recipe->name, history->part_count,
			         recipe->joined);
		assert_histories_equal(expected, history);
		assert_parts_are_searched(history);
		history_destroy(history);
	}
	history_destroy(expected);
	close_world(w);
}

/* Some bytes changed within `reach` of each place where pieces meet. */
static void change_near_borders(struct buf *buf, uint32_t reach, uint32_t count)
{
	for (size_t border = PIECE; border < buf->size - reach; border += PIECE) {
		for (uint32_t i = 0; i < count; i++) {
			size_t at = border + pick(2 * reach) - reach;

			/* Of frames, the data: bit 0 of an even byte makes an ID of it. */
			buf->data[at] ^= (uint8_t)((1 + pick(127)) << 1);
		}
	}
}

static void change_close(struct buf *buf)
{
	change_near_borders(buf, 32, 2);
}

static void change_around(struct buf *buf)
{
	change_near_borders(buf, 12000, 12);
}

/* Anything, anywhere in the data. */
static void change_everywhere(struct buf *buf)
{
	for (size_t at = 5000; at < buf->size; at += 1 + pick(20000))
		buf->data[at] ^= (uint8_t)(1U << pick(8));
}

/* The stream's syncs lose a byte, all but one in eight. */
static void change_syncs(struct buf *stream)
{
	unsigned int zeros = 0;

	for (size_t i = 0; i < stream->size; i++) {
		if (zeros >= 11 && stream->data[i] == 0x80 && i > 100 && pick(8))
			stream->data[i] = 0x81;
		zeros = stream->data[i] == 0 ? zeros + 1 : 0;
	}
}

/* From one sync to the next, in another order, so that no two fit. */
static void change_order(struct buf *stream)
{
	struct buf out = {0};
	size_t begin = 0;
	unsigned int zeros = 0;

	for (size_t i = 12; i < stream->size; i++) {
		bool is_sync = zeros >= 11 && stream->data[i] == 0x80;

		zeros = stream->data[i] == 0 ? zeros + 1 : 0;
		if (!is_sync)
			continue;
		if (pick(4))
			buf_add(&out, stream->data + begin, i - 11 - begin);
		begin = i - 11;
	}
	buf_fini(stream);
	*stream = out;
}

/* After each sync, an address where the code does not lead; and code that is not there. */
static void change_addresses(struct buf *stream)
{
	struct buf out = {0};
	unsigned int zeros = 0;

	for (size_t i = 0; i < stream->size; i++) {
		bool is_sync = zeros >= 11 && stream->data[i] == 0x80 && i > 100;

		zeros = stream->data[i] == 0 ? zeros + 1 : 0;
		buf_put(&out, stream->data[i]);
		if (!is_sync)
			continue;
		emit_trace_info(&out, &(struct emit_trace_info){.sections = 1});
		emit_address_context_64(&out, 0, BASE + 4 * (CODE - 1), &el0);
		for (unsigned int k = 0; k < 3; k++) {
			emit_atoms(&out, 1, 1);
			if (pick(8) == 0)
				emit_trace_on(&out);
			emit_address_64(&out, 0, pick(4) ? BASE + 4 * (uint64_t)pick(CODE) : 0x10);
		}
		/* All begins anew. */
		for (unsigned int k = 0; k < 11; k++)
			buf_put(&out, 0);
		buf_put(&out, 0x80);
	}
	buf_fini(stream);
	*stream = out;
}

/* Before each sync a loss, which is over with the next TRACE_ON, some way after it. */
static void change_losses(struct buf *stream)
{
	struct buf out = {0};
	unsigned int zeros = 0;

	for (size_t i = 0; i < stream->size; i++) {
		bool is_sync = zeros >= 11 && stream->data[i] == 0x80 && i > 100;

		zeros = stream->data[i] == 0 ? zeros + 1 : 0;
		buf_put(&out, stream->data[i]);
		if (!is_sync)
			continue;
		out.size -= 12;
		emit_overflow(&out);
		emit_async(&out);
		emit_trace_info(&out, &(struct emit_trace_info){.sections = 1});
		emit_address_context_64(&out, 0, BASE + 4 * (CODE - 1), &el0);
		emit_atoms(&out, 3, 2);
		emit_trace_on(&out);
		emit_async(&out);
	}
	buf_fini(stream);
	*stream = out;
}

#define CONTEXT                                                                                    \
	{                                                                                          \
		.is_64bit = true, .non_secure = true                                               \
	}

static const struct recipe recipes[] = {
        {.name = "plain",
         .options = {.sync_bytes = 4096, .context = CONTEXT},
         .size = 7 * PIECE / 2,
         .joined = 4},
        {.name = "bare",
         .options = {.sync_bytes = 4096, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .bare = true,
         .joined = 3},
        {.name = "return stack",
         .options = {.sync_bytes = 3000, .return_stack = 8, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .joined = 3},
        {.name = "timestamps, cycles, contexts, gaps, exceptions",
         .options = {.sync_bytes = 3000,
                     .timestamp_every = 200,
                     .cycles_every = 90,
                     .context = {.is_64bit = true,
                                 .non_secure = true,
                                 .context_id_size = 4,
                                 .context_id = 7}},
         .size = 5 * PIECE / 2,
         .gaps = 100,
         .exceptions = 200,
         .contexts = 100,
         .joined = 3},
        {.name = "branch broadcast",
         .options = {.sync_bytes = 5000, .branch_broadcast = true, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .joined = 3},
        {.name = "speculation",
         .options = {.sync_bytes = 4000, .speculation = 8, .context = CONTEXT},
         .size = 5 * PIECE / 2},
        {.name = "syncs farther apart than a piece",
         .options = {.sync_bytes = PIECE + PIECE / 3, .context = CONTEXT},
         .size = 4 * PIECE,
         .joined = 3},
        {.name = "one sync", .options = {.context = CONTEXT}, .size = 5 * PIECE / 2},
        {.name = "damage at borders",
         .options = {.sync_bytes = 4096, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .damage = change_close,
         .joined = 3},
        {.name = "damage around borders",
         .options = {.sync_bytes = 4096, .return_stack = 4, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .damage = change_around,
         .joined = 3},
        {.name = "damage around borders, bare",
         .options = {.sync_bytes = 4096, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .bare = true,
         .damage = change_around,
         .joined = 3},
        {.name = "damage everywhere",
         .options = {.sync_bytes = 4096, .timestamp_every = 500, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .gaps = 20,
         .change = change_everywhere,
         .joined = 3},
        {.name = "syncs lost",
         .options = {.sync_bytes = 30000, .context = CONTEXT},
         .size = 7 * PIECE / 2,
         .change = change_syncs,
         .joined = 2},
        {.name = "syncs that do not fit",
         .options = {.sync_bytes = 4096, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .change = change_order,
         .joined = 2},
        {.name = "addresses that do not fit",
         .options = {.sync_bytes = 1000, .context = CONTEXT},
         .size = 7 * PIECE / 2,
         .change = change_addresses,
         .joined = 2},
        {.name = "loss known from before a sync",
         .options = {.sync_bytes = 1000, .context = CONTEXT},
         .size = 5 * PIECE / 2,
         .change = change_losses,
         .joined = 2},
};

/* Each recipe is a test of its own name. */
static void history_of_threads_is_that_of_one(void **state)
{
	check_recipe(*state);
}

/* Buffer: mostly another's trace, ours at its very end, or not at all. */
static void source_rare_is_found_at_the_end(void **state)
{
	const struct recipe recipe = {
	        .options = {.sync_bytes = 1000, .context = CONTEXT}, .size = 4000, .joined = 1};
	struct world *w = open_world(&recipe);
	struct buf other = {0};

	(void)state;
	for (size_t i = 0; i < 3 * PIECE; i++)
		buf_put(&other, pick(256));
	buf_fini(&w->frames);
	frames_put(&w->frames,
	           (const struct frame_stream[]){{FIRST_ID, other.data, 100},
	                                         {OTHER_ID, other.data, other.size},
	                                         {OUR_ID, w->stream.data, w->stream.size}},
	           3, &(struct frame_options){0});
	w->buffer.data = bytes_of(w->frames.data, w->frames.size);
	for (unsigned int absent = 0; absent < 2; absent++) {
		struct trace_ids ids[4] = {0};
		struct history *histories[4];

		for (unsigned int i = 0; i < 4; i++) {
			histories[i] = build(w, 1U << i, &ids[i]);
			assert_true(ids[i].is_known);
			assert_int_equal(ids[i].bits[0] >> OUR_ID & 1, !absent);
			assert_int_equal(ids[i].bits[0] >> OTHER_ID & 1, 1);
			assert_int_equal(ids[i].bits[0] >> FIRST_ID & 1, 1);
			assert_memory_equal(ids[i].bits, ids[0].bits, sizeof(ids[0].bits));
		}
		assert_int_equal(history_length(histories[0]) == 0, absent);
		for (unsigned int i = 0; i < 4; i++) {
			/* Once more, with what is known by now. */
			struct history *again = build(w, 1 + i, &ids[i]);

			assert_histories_equal(histories[0], histories[i]);
			assert_histories_equal(histories[0], again);
			history_destroy(again);
		}
		for (unsigned int i = 0; i < 4; i++)
			history_destroy(histories[i]);
		/* Without its own part of the buffer. */
		w->buffer.data = bytes_of(w->frames.data, 3 * PIECE);
	}
	buf_fini(&other);
	close_world(w);
}

enum {
	LARGE = 17 << 20, /* a buffer whose pages are given back */
};

/* The world's frames at the start of private memory, and at its end too if `both`. */
static uint8_t *place_frames(const struct world *w, uint8_t *memory, size_t size, bool both)
{
	memset(memory, 0, size);
	memcpy(memory, w->frames.data, w->frames.size);
	if (both)
		memcpy(memory + size - w->frames.size, w->frames.data, w->frames.size);
	return memory;
}

/* As `build`, of those bytes; the IDs in them are not known. */
static struct history *build_of(struct world *w, const uint8_t *memory, size_t size,
                                bool is_one_file, unsigned int threads)
{
	w->buffer.data = bytes_of(memory, size);
	w->buffer.is_one_file = is_one_file;
	return build(w, threads, NULL);
}

/*
 * Anonymous memory stands for a mapped file: what was given back reads as zeros, where a file's
 * bytes would come again. Nothing is given back before it was decoded.
 */
static void pages_of_large_files_are_given_back(void **state)
{
	const struct recipe recipe = {.options = {.sync_bytes = 1000, .context = CONTEXT},
	                              .size = 20000};
	const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
	struct world *w = open_world(&recipe);
	uint8_t *memory = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, anonymous, -1, 0);

	(void)state;
	assert_ptr_not_equal(memory, MAP_FAILED);
	for (unsigned int threads = 1; threads <= 2; threads++) {
		bool both = threads == 1;
		struct history *expected;
		struct history *history;

		expected = build_of(w, place_frames(w, memory, LARGE, both), LARGE, false, threads);
		assert_true(history_length(expected) > 1000);
		assert_memory_equal(memory, w->frames.data, w->frames.size);
		history = build_of(w, memory, LARGE, true, threads);
		assert_histories_equal(expected, history);
		for (size_t i = 0; i < LARGE; i++) {
			if (memory[i] != 0)
				fail_msg("byte %zu is there still", i);
		}
		history_destroy(history);
		/* A small one is not worth it. */
		history = build_of(w, place_frames(w, memory, LARGE, false), (16 << 20) - 16, true,
		                   threads);
		assert_memory_equal(memory, w->frames.data, w->frames.size);
		history_destroy(history);
		history_destroy(expected);
	}
	assert_int_equal(munmap(memory, LARGE), 0);
	close_world(w);
}

struct progress {
	uint64_t calls;
	uint64_t last;
	uint64_t stop; /* at this call; 0: never */
};

static bool note_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *progress = context;

	assert_true(done >= progress->last && done <= total);
	progress->last = done;
	return ++progress->calls != progress->stop;
}

static void build_that_is_stopped_is_interrupted(void **state)
{
	const struct recipe recipe = {.options = {.sync_bytes = 4096, .context = CONTEXT},
	                              .size = 5 * PIECE / 2};
	struct world *w = open_world(&recipe);

	(void)state;
	for (unsigned int threads = 1; threads <= 3; threads++) {
		for (uint64_t stop = 0; stop < 4; stop++) {
			struct progress progress = {.stop = stop};
			const struct history_options options = {.progress = note_progress,
			                                        .context = &progress,
			                                        .threads = threads};
			struct diag_list diags = {0};
			struct history *history = NULL;
			enum status status =
			        history_build(&w->snapshot, &w->core, &options, &diags, &history);

			assert_int_equal(status, stop ? STATUS_INTERRUPTED : STATUS_OK);
			assert_true(progress.calls >= (stop ? stop : 3));
			if (status == STATUS_OK)
				history_destroy(history);
			diag_list_fini(&diags);
		}
	}
	close_world(w);
}

int main(void)
{
	enum { RECIPES = sizeof(recipes) / sizeof(recipes[0]) };
	struct CMUnitTest tests[RECIPES + 3];

	for (size_t i = 0; i < RECIPES; i++)
		tests[i] = (struct CMUnitTest){.name = recipes[i].name,
		                               .test_func = history_of_threads_is_that_of_one,
		                               .initial_state = (void *)(uintptr_t)&recipes[i]};
	tests[RECIPES] = (struct CMUnitTest)cmocka_unit_test(source_rare_is_found_at_the_end);
	tests[RECIPES + 1] =
	        (struct CMUnitTest)cmocka_unit_test(build_that_is_stopped_is_interrupted);
	tests[RECIPES + 2] =
	        (struct CMUnitTest)cmocka_unit_test(pages_of_large_files_are_given_back);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
