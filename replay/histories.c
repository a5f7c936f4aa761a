/* SPDX-License-Identifier: Apache-2.0 */
/* The histories of all cores, on several threads; see histories.h. */
#include "replay/histories.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "decoder/decoder.h"

enum { POLL_NANOSECONDS = 5 * 1000 * 1000 };

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
	atomic_size_t next_job;
	atomic_uint working; /* threads beside the caller's */
	atomic_bool is_stopped;
};

/* A thread's view of the progress. */
struct worker {
	struct pool *pool;
	pthread_t thread;
	bool reports; /* the caller's own thread */
};

static bool progress(void *context, uint64_t done, uint64_t total)
{
	struct worker *worker = context;
	const struct history_options *options = worker->pool->options;

	if (worker->reports && options->progress &&
	    !options->progress(options->context, done, total))
		atomic_store(&worker->pool->is_stopped, true);
	return !atomic_load(&worker->pool->is_stopped);
}

static void work(struct worker *worker)
{
	struct pool *pool = worker->pool;
	struct history_options options = {.progress = progress, .context = worker, .threads = 1};
	size_t i;

	while ((i = atomic_fetch_add(&pool->next_job, 1)) < pool->job_count &&
	       !atomic_load(&pool->is_stopped)) {
		struct job *job = &pool->jobs[i];

		job->status = history_build(pool->snapshot, &pool->snapshot->cores[job->core],
		                            &options, &job->diags, &pool->histories[job->core]);
		if (job->status != STATUS_OK)
			atomic_store(&pool->is_stopped, true);
	}
}

static void *run_thread(void *context)
{
	struct worker *worker = context;

	work(worker);
	atomic_fetch_sub(&worker->pool->working, 1);
	return NULL;
}

/* Works with all threads; a thread that cannot be had is done without. */
static void work_together(struct pool *pool, struct worker *workers, size_t count)
{
	const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
	size_t started = 1;

	for (size_t i = 0; i < count; i++)
		workers[i] = (struct worker){.pool = pool, .reports = i == 0};
	while (started < count) {
		atomic_fetch_add(&pool->working, 1);
		if (pthread_create(&workers[started].thread, NULL, run_thread, &workers[started]) !=
		    0) {
			atomic_fetch_sub(&pool->working, 1);
			break;
		}
		started++;
	}
	work(&workers[0]);
	while (atomic_load(&pool->working) > 0) {
		(void)progress(&workers[0], 1, 1);
		(void)nanosleep(&pause, NULL);
	}
	for (size_t i = 1; i < started; i++)
		(void)pthread_join(workers[i].thread, NULL);
}

/* True if no thread but one at a time can decode the core's sources. */
static bool is_whole(const struct snapshot *snapshot, const struct snap_core *core)
{
	for (size_t i = 0; i < core->source_count; i++) {
		const struct snap_source *source = core->sources[i];

		if (source->buffer_count > 0 &&
		    decoder_can_begin_at(source, &snapshot->buffers[source->buffers[0]]))
			return false;
	}
	return true;
}

static enum status share_out(struct pool *pool)
{
	size_t count = pool->options->threads;
	struct worker *workers;

	if (count > pool->job_count)
		count = pool->job_count;
	workers = calloc(count, sizeof(*workers));
	if (!workers)
		return STATUS_NO_MEM;
	work_together(pool, workers, count);
	free(workers);
	for (size_t i = 0; i < pool->job_count; i++)
		TRY(pool->jobs[i].status);
	return atomic_load(&pool->is_stopped) ? STATUS_INTERRUPTED : STATUS_OK;
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
