/* SPDX-License-Identifier: Apache-2.0 */
/* The histories of all cores, on several threads; see histories.h. */
#include "replay/history/histories.h"

#include <stdlib.h>

#include "base/thread_pool.h"
#include "decoder/decoder.h"

/*
 * A buffer of which each core is better left to one thread: cut, each thread would walk through
 * the same code for itself. In bytes; some 50 ms.
 */
enum { BUFFER_SMALL = 2 << 20 };

/* A core's history, as one thread makes it. */
struct job {
	size_t core;
	struct diag_list diags;
	enum status status;
};

struct pool {
	const struct snapshot *snapshot;
	const struct history_options *options;
	struct history **histories;
	struct job *jobs;
	size_t job_count;
	struct thread_pool thread_pool;
};

/* A thread's view of the progress. */
struct worker {
	struct pool *pool;
	bool reports; /* the caller's own thread */
};

static bool progress(void *context, uint64_t done, uint64_t total)
{
	struct worker *worker = context;
	const struct history_options *options = worker->pool->options;

	if (worker->reports && options->progress &&
	    !options->progress(options->context, done, total))
		thread_pool_stop(&worker->pool->thread_pool);
	return !thread_pool_is_stopped(&worker->pool->thread_pool);
}

static enum status work(void *context, unsigned int member, size_t number)
{
	struct pool *pool = context;
	struct worker worker = {pool, member == 0};
	struct history_options options = {.progress = progress,
	                                  .context = &worker,
	                                  .threads = 1,
	                                  .one_address_space = pool->options->one_address_space};
	struct job *job = &pool->jobs[number];

	job->status = history_build(pool->snapshot, &pool->snapshot->cores[job->core], &options,
	                            &job->diags, &pool->histories[job->core]);
	return job->status;
}

static bool poll(void *context)
{
	struct worker worker = {context, true};

	return progress(&worker, 1, 1);
}

/* True if one thread alone should decode the core's sources, or no more than one at a time can. */
static bool is_whole(const struct snapshot *snapshot, const struct snap_core *core)
{
	for (size_t i = 0; i < core->source_count; i++) {
		const struct snap_source *source = core->sources[i];

		for (size_t j = 0; j < source->buffer_count; j++) {
			const struct snap_buffer *buffer = &snapshot->buffers[source->buffers[j]];

			if (bytes_left(&buffer->data) > BUFFER_SMALL &&
			    decoder_can_begin_at(source, buffer))
				return false;
		}
	}
	return true;
}

static enum status share_out(struct pool *pool)
{
	enum status status;

	pool->thread_pool = (struct thread_pool){.job_count = pool->job_count,
	                                         .threads = pool->options->threads,
	                                         .work = work,
	                                         .poll = poll,
	                                         .context = pool};
	status = thread_pool_work(&pool->thread_pool);
	for (size_t i = 0; i < pool->job_count; i++)
		TRY(pool->jobs[i].status);
	return status;
}

/* The cores that one thread each is to decode, if that is worth more than one thread. */
static enum status build_whole(struct pool *pool, struct diag_list *diags)
{
	const struct snapshot *snapshot = pool->snapshot;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < snapshot->core_count; i++) {
		if (!pool->histories[i] && is_whole(snapshot, &snapshot->cores[i]))
			pool->jobs[pool->job_count++].core = i;
	}
	if (pool->job_count > 1 && pool->options->threads > 1)
		status = share_out(pool);
	for (size_t i = 0; i < pool->job_count; i++)
		diag_list_move(diags, &pool->jobs[i].diags);
	return status;
}

enum status histories_build(const struct snapshot *snapshot, const struct history_options *options,
                            struct diag_list *diags, struct history **histories)
{
	struct pool pool = {.snapshot = snapshot, .options = options, .histories = histories};
	enum status status;

	pool.jobs = calloc(snapshot->core_count + 1, sizeof(*pool.jobs));
	if (!pool.jobs)
		return STATUS_NO_MEM;
	status = build_whole(&pool, diags);
	for (size_t i = 0; i < snapshot->core_count && status == STATUS_OK; i++) {
		if (!histories[i])
			status = history_build(snapshot, &snapshot->cores[i], options, diags,
			                       &histories[i]);
	}
	free(pool.jobs);
	return status;
}
