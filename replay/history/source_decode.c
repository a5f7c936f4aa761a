/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding a trace source, in pieces on several threads; see source_decode.h. */
#include "replay/history/source_decode.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/thread_pool.h"
#include "base/vec.h"
#include "decoder/decoder.h"
#include "decoder/frame/frame.h"

enum {
	PIECE_LEAST = 512 << 10, /* bytes of the buffer */
	PIECE_MOST = 64 << 20,
	PIECES_PER_THREAD = 16,
	LEAD = 48 << 10, /* bytes before a piece; a multiple of a frame */
	/* What a byte of trace may become; more is made room for when it comes. */
	RUNS_PER_BYTE = 4,
	BYTES_PER_TARGET = 4,
	PULLS_PER_REPORT = 256,
	FORGET_BYTES = 16 << 20, /* decoded pages are forgotten by that much */
};

/* A piece of the trace: bytes [begin, end) of the buffer. */
struct piece {
	uint64_t begin;
	uint64_t end; /* UINT64_MAX for the last one */
	/* Of its decoding; NULL if that was not begun. */
	struct decoder *decoder;
	struct graph *graph;
	struct part_builder part;
	bool has_part;
	/* The synchronization point that it begins at, of all but the first one. */
	bool has_begin;
	uint64_t begin_sync;
	struct text begin_state;
	/* The synchronization point that it ends at, or a pause at the limit; if none of the two,
	 * the end of trace.
	 */
	bool has_end;
	bool is_paused;
	uint64_t end_sync;
	uint64_t limit;     /* of the decoder */
	uint64_t forgotten; /* pages up to here */
	uint64_t counted;   /* progress up to here */
	enum status status;
};

struct pool {
	struct source_decode *decode;
	struct piece *pieces;
	size_t piece_count;
	atomic_uint_least64_t done; /* bytes decoded */
	struct thread_pool thread_pool;
};

/* Whose work a piece is. */
struct worker {
	struct pool *pool;
	struct graph *graph;
	bool reports; /* the caller's own thread */
};

static bool report(struct pool *pool)
{
	const struct history_options *options = pool->decode->options;
	uint64_t total = bytes_left(&pool->decode->buffer->data);

	if (options->progress &&
	    !options->progress(options->context, atomic_load(&pool->done), total))
		thread_pool_stop(&pool->thread_pool);
	return !thread_pool_is_stopped(&pool->thread_pool);
}

/* Where the piece ends, in bytes of the buffer. */
static uint64_t piece_end(const struct source_decode *decode, const struct piece *piece)
{
	uint64_t total = bytes_left(&decode->buffer->data);

	return piece->end < total ? piece->end : total;
}

/* Pages of the buffer up to `position` are not needed by the piece any more. */
static void forget(const struct source_decode *decode, struct piece *piece, uint64_t position)
{
	struct bytes bytes = decode->buffer->data;

	if (!decode->buffer->is_one_file || position <= piece->forgotten ||
	    position > bytes_left(&bytes))
		return;
	bytes.end = bytes.pos + position;
	bytes.pos += piece->forgotten;
	file_forget(bytes);
	piece->forgotten = position;
}

/* The buffer is decoded up to `position`. False if the work is to end. */
static bool note_progress(const struct worker *worker, struct piece *piece, uint64_t position)
{
	struct pool *pool = worker->pool;

	if (position > piece->counted) {
		atomic_fetch_add(&pool->done, position - piece->counted);
		piece->counted = position;
	}
	if (position >= piece->forgotten + FORGET_BYTES)
		forget(pool->decode, piece, position);
	return worker->reports ? report(pool) : !thread_pool_is_stopped(&pool->thread_pool);
}

/* What is known of the IDs in the buffer. */
static struct trace_ids *ids_of(const struct source_decode *decode)
{
	return &decode->options->ids[decode->buffer - decode->snapshot->buffers];
}

/*
 * Where decoding for a piece begins. A synchronization point of PTM or ETMv3 does not say all that
 * its decoder knows there, such as the time or what ran last: synchronized before the piece, it
 * knows.
 */
static uint64_t lead_begin(const struct source_decode *decode, const struct piece *piece)
{
	if (decode->source->protocol != PROTOCOL_PTM && decode->source->protocol != PROTOCOL_ETM3)
		return piece->begin;
	return piece->begin > LEAD ? piece->begin - LEAD : 0;
}

static enum status open_decoder(struct worker *worker, struct piece *piece, struct diag_list *diags)
{
	const struct source_decode *decode = worker->pool->decode;
	struct decoder_options options = decoder_options_of(decode->buffer);

	options.graph = worker->graph;
	options.keeps_to_code = true;
	options.begin = lead_begin(decode, piece);
	options.stops_at_sync_points = worker->pool->piece_count > 1;
	options.memory = decode->memory;
	if (decode->options->ids)
		options.ids = *ids_of(decode);
	piece->graph = worker->graph;
	piece->forgotten = piece->begin;
	piece->counted = piece->begin;
	return decoder_open(decode->snapshot, decode->source, decode->buffer, &options, diags,
	                    &piece->decoder);
}

/*
 * As decoder_pull(), but not beyond `stop` of the buffer, where `decoded` is a pause; before it the
 * decoder pauses now and then, since it may pass over much without a word.
 */
static enum status pull(const struct worker *worker, struct piece *piece, uint64_t stop,
                        struct decoded *decoded)
{
	for (;;) {
		TRY(decoder_pull(piece->decoder, decoded));
		if (!decoded->is_paused)
			return STATUS_OK;
		if (!note_progress(worker, piece, piece->limit))
			return STATUS_INTERRUPTED;
		if (piece->limit >= stop)
			return STATUS_OK;
		piece->limit =
		        stop - piece->limit > FORGET_BYTES ? piece->limit + FORGET_BYTES : stop;
		decoder_limit(piece->decoder, piece->limit);
	}
}

/* To the first synchronization point of the piece, if there is one in it. */
static enum status find_begin(const struct worker *worker, struct piece *piece)
{
	struct decoded decoded;

	do {
		enum status status = pull(worker, piece, piece->end, &decoded);

		if (status == STATUS_END)
			return STATUS_OK;
		TRY(status);
		if (decoded.is_paused)
			return STATUS_OK;
		piece->begin_sync = decoder_sync_point_offset(piece->decoder);
	} while (!decoded.is_sync_point || piece->begin_sync < piece->begin);
	piece->has_begin = piece->begin_sync < piece->end;
	return decoder_describe_sync_point(piece->decoder, &piece->begin_state);
}

/* To the first synchronization point after `end`, to the end of trace, or to a pause at `stop`. */
static enum status fill_part(const struct worker *worker, struct piece *piece, uint64_t end,
                             uint64_t stop)
{
	unsigned int countdown = PULLS_PER_REPORT;
	struct decoded decoded;

	piece->has_end = false;
	piece->is_paused = false;
	while (!piece->has_end && !piece->is_paused) {
		enum status status = pull(worker, piece, stop, &decoded);

		if (status == STATUS_END)
			break;
		TRY(status);
		piece->is_paused = decoded.is_paused;
		if (decoded.is_sync_point) {
			piece->end_sync = decoder_sync_point_offset(piece->decoder);
			piece->has_end = piece->end_sync >= end;
		} else if (!decoded.is_paused) {
			TRY(part_add(&piece->part, &decoded));
		}
		if (--countdown > 0)
			continue;
		countdown = PULLS_PER_REPORT;
		if (!note_progress(worker, piece, decoder_position(piece->decoder)))
			return STATUS_INTERRUPTED;
	}
	return part_end(&piece->part);
}

/* A part for the piece's decoder to fill. */
static enum status begin_part(struct piece *piece, const struct source_decode *decode,
                              bool in_trace)
{
	uint64_t size = piece_end(decode, piece) - piece->begin;
	size_t room = (size_t)(size < PIECE_MOST ? size : PIECE_MOST);

	graph_begin_epoch(piece->graph);
	TRY(part_init(&piece->part, decode->core, piece->graph));
	piece->has_part = true;
	if (decode->memory)
		piece->part.memory = decode->memory;
	piece->part.marks_views = memmap_changes(piece->part.memory) ||
	                          decode->source->protocol == PROTOCOL_PTM ||
	                          decode->source->protocol == PROTOCOL_ETM3;
	part_spill_to(&piece->part, decode->options->spill);
	piece->part.in_trace = in_trace;
	piece->part.trace_id = decoder_trace_id(piece->decoder);
	piece->part.has_timestamp_cycles = decode->source->protocol == PROTOCOL_PTM;
	return outcome_log_reserve(&piece->part.log, room * RUNS_PER_BYTE, room / BYTES_PER_TARGET);
}

/*
 * The first piece's decoder is open already. A piece that has no synchronization point of its own
 * is left to the one before it; one that finds no synchronization point soon after its end pauses
 * there.
 */
static enum status decode_piece(struct worker *worker, struct piece *piece)
{
	struct pool *pool = worker->pool;
	uint64_t stop = piece->end;

	if (piece->end != UINT64_MAX)
		stop += piece->end - piece->begin;
	if (!piece->decoder) {
		struct diag_list diags = {0}; /* the first piece's decoder said it all */
		enum status status = open_decoder(worker, piece, &diags);

		diag_list_fini(&diags);
		TRY(status);
	}
	/* A source that cannot be cut has no limits either. */
	piece->limit = pool->piece_count > 1 ? piece->begin : UINT64_MAX;
	if (pool->piece_count > 1)
		decoder_limit(piece->decoder, piece->limit);
	if (piece->begin > 0) {
		TRY(find_begin(worker, piece));
		if (!piece->has_begin)
			return STATUS_OK;
	}
	TRY(begin_part(piece, pool->decode, piece->begin > 0));
	TRY(fill_part(worker, piece, piece->end, stop));
	/* One that is paused goes on. */
	return piece->is_paused ? STATUS_OK : outcome_log_settle(&piece->part.log);
}

static struct worker worker_of(struct pool *pool, unsigned int member)
{
	return (struct worker){pool, pool->decode->graphs[member], member == 0};
}

static enum status work(void *context, unsigned int member, size_t job)
{
	struct pool *pool = context;
	struct worker worker = worker_of(pool, member);
	struct piece *piece = &pool->pieces[job];

	piece->status = decode_piece(&worker, piece);
	if (bytes_left(&pool->decode->buffer->data) >= FORGET_BYTES)
		forget(pool->decode, piece, piece_end(pool->decode, piece));
	return piece->status;
}

static bool poll(void *context)
{
	return report(context);
}

/* The part goes to the caller's list. */
static enum status give_part(struct source_decode *decode, struct piece *piece)
{
	TRY(vec_reserve((void **)&decode->parts, &decode->part_capacity, decode->part_count + 1,
	                sizeof(*decode->parts)));
	TRY(outcome_log_settle(&piece->part.log));
	decode->parts[decode->part_count++] = piece->part;
	piece->has_part = false;
	return STATUS_OK;
}

/* True if what the piece's decoder knows at its end is what the next one began with. */
static enum status continues(struct piece *piece, const struct piece *next, bool *fits)
{
	struct text state = {0};
	enum status status = decoder_describe_sync_point(piece->decoder, &state);

	*fits = status == STATUS_OK && next->has_begin && next->begin_sync == piece->end_sync &&
	        piece->part.in_trace && str_eq(text_str(&state), text_str(&next->begin_state));
	text_fini(&state);
	return status;
}

/* The piece that the decoder of one that has not ended comes to next; NULL: to the end of trace. */
static struct piece *next_piece(const struct pool *pool, struct piece *piece)
{
	const struct piece *end = pool->pieces + pool->piece_count;
	struct piece *next = piece + 1;

	if (piece->has_end) {
		while (next->end <= piece->end_sync)
			next++;
		return next;
	}
	while (next < end && (!next->has_begin || next->end <= piece->limit))
		next++;
	return next < end ? next : NULL;
}

/* The piece's decoder goes on through `next`, which did not fit. */
static enum status go_through(const struct worker *worker, struct piece *piece,
                              const struct piece *next)
{
	const struct source_decode *decode = worker->pool->decode;

	TRY(begin_part(piece, decode, decode->parts[decode->part_count - 1].in_trace));
	return fill_part(worker, piece, next->end, UINT64_MAX);
}

/* From a piece on: to its end, or else to the next one, which is not used if it does not fit. */
static enum status join_next(struct pool *pool, const struct worker *worker, struct piece **piece)
{
	struct piece *next = next_piece(pool, *piece);
	bool fits;

	if (!(*piece)->has_end)
		return fill_part(worker, *piece, next ? next->begin : UINT64_MAX, UINT64_MAX);
	TRY(continues(*piece, next, &fits));
	TRY(give_part(pool->decode, *piece));
	if (!fits)
		return go_through(worker, *piece, next);
	*piece = next;
	return STATUS_OK;
}

/*
 * The parts in order. A piece whose start is not where the one before it came to is not used: that
 * one's decoder goes on through it.
 */
static enum status join_pieces(struct pool *pool, const struct worker *worker)
{
	struct source_decode *decode = pool->decode;
	struct piece *piece = &pool->pieces[0];

	while (piece->has_end || piece->is_paused)
		TRY(join_next(pool, worker, &piece));
	decode->has_next = decoder_next_address(piece->decoder, &decode->next);
	return give_part(decode, piece);
}

static void close_pieces(struct pool *pool)
{
	for (size_t i = 0; i < pool->piece_count; i++) {
		struct piece *piece = &pool->pieces[i];

		decoder_destroy(piece->decoder);
		text_fini(&piece->begin_state);
		if (piece->has_part)
			part_fini(&piece->part);
	}
}

/* The pieces together have seen all of the buffer. */
static void note_ids(const struct pool *pool)
{
	struct trace_ids ids = {.is_known = true};

	if (!pool->decode->options->ids || ids_of(pool->decode)->is_known)
		return;
	for (size_t i = 0; i < pool->piece_count && ids.is_known; i++) {
		struct trace_ids seen = {.is_known = false};
		uint64_t offset;

		if (pool->pieces[i].decoder && !decoder_broken_at(pool->pieces[i].decoder, &offset))
			seen = decoder_seen_ids(pool->pieces[i].decoder);
		ids.is_known = seen.is_known;
		ids.bits[0] |= seen.bits[0];
		ids.bits[1] |= seen.bits[1];
	}
	*ids_of(pool->decode) = ids;
}

static enum status decode_pieces(struct pool *pool)
{
	struct source_decode *decode = pool->decode;
	struct worker worker = worker_of(pool, 0);
	enum status status = open_decoder(&worker, &pool->pieces[0], decode->diags);

	if (status != STATUS_OK)
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	decode->is_opened = true;
	status = thread_pool_work(&pool->thread_pool);
	for (size_t i = 0; i < pool->piece_count; i++)
		TRY(pool->pieces[i].status);
	TRY(status);
	note_ids(pool);
	return join_pieces(pool, &worker);
}

/* How many bytes a piece has, a multiple of a frame; all, if the source cannot be cut. */
static uint64_t piece_size(const struct source_decode *decode, unsigned int threads)
{
	uint64_t size = bytes_left(&decode->buffer->data);
	uint64_t piece = size / ((uint64_t)threads * PIECES_PER_THREAD);

	/* One thread cuts too, so that pages are given back and Ctrl-C is seen. */
	if ((threads < 2 && size <= PIECE_MOST) ||
	    memmap_changes(decode->memory ? decode->memory : decode->core->memory) ||
	    !decoder_can_begin_at(decode->source, decode->buffer))
		return size;
	if (piece < PIECE_LEAST)
		piece = PIECE_LEAST;
	if (piece > PIECE_MOST)
		piece = PIECE_MOST;
	return piece / FRAME_SIZE * FRAME_SIZE;
}

static void cut(struct piece *pieces, size_t count, uint64_t size)
{
	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct piece){.begin = i * size,
		                           .end = i + 1 < count ? (i + 1) * size : UINT64_MAX};
}

static enum status add_graphs(struct source_decode *decode, size_t count)
{
	decode->graphs = calloc(count, sizeof(struct graph *));
	if (!decode->graphs)
		return STATUS_NO_MEM;
	for (size_t i = 0; i < count; i++) {
		struct graph *graph = graph_create();

		if (!graph)
			return STATUS_NO_MEM;
		decode->graphs[decode->graph_count++] = graph;
	}
	return STATUS_OK;
}

enum status source_decode(struct source_decode *decode)
{
	unsigned int threads = decode->options->threads > 0 ? decode->options->threads : 1;
	uint64_t total = bytes_left(&decode->buffer->data);
	uint64_t size = piece_size(decode, threads);
	size_t count = total > 0 ? (size_t)((total + size - 1) / size) : 1;
	struct pool pool = {.decode = decode, .piece_count = count};
	enum status status;

	pool.thread_pool = (struct thread_pool){.job_count = count,
	                                        .threads = threads,
	                                        .work = work,
	                                        .poll = poll,
	                                        .context = &pool};
	pool.pieces = calloc(count, sizeof(*pool.pieces));
	if (!pool.pieces)
		return STATUS_NO_MEM;
	cut(pool.pieces, count, size);
	status = add_graphs(decode, threads < count ? threads : count);
	if (status == STATUS_OK)
		status = decode_pieces(&pool);
	close_pieces(&pool);
	free(pool.pieces);
	return status;
}

void source_decode_fini(struct source_decode *decode)
{
	for (size_t i = 0; i < decode->part_count; i++)
		part_fini(&decode->parts[i]);
	for (size_t i = 0; i < decode->graph_count; i++)
		graph_destroy(decode->graphs[i]);
	free(decode->parts);
	free(decode->graphs);
}
