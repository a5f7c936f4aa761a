/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take numbered jobs; POSIX threads. */
#include "base/thread_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Short against the work that is done: what comes after it waits no longer than that. */
enum { POLL_NANOSECONDS = 500 * 1000 };

struct member {
	struct thread_pool *thread_pool;
	unsigned int number;
	pthread_t thread;
};

void thread_pool_stop(struct thread_pool *thread_pool)
{
	atomic_store(&thread_pool->is_stopped, true);
}

bool thread_pool_is_stopped(struct thread_pool *thread_pool)
{
	return atomic_load(&thread_pool->is_stopped);
}

/* Does the job and, one after the other, those that nobody has taken yet. */
static void work(const struct member *member, size_t job)
{
	struct thread_pool *thread_pool = member->thread_pool;

	while (job < thread_pool->job_count && !thread_pool_is_stopped(thread_pool)) {
		if (thread_pool->work(thread_pool->context, member->number, job) != STATUS_OK)
			thread_pool_stop(thread_pool);
		job = atomic_fetch_add(&thread_pool->next_job, 1);
	}
}

static void *run(void *context)
{
	const struct member *member = context;

	work(member, atomic_fetch_add(&member->thread_pool->next_job, 1));
	atomic_fetch_sub(&member->thread_pool->working, 1);
	return NULL;
}

/* Begins all threads but the caller's; returns how many there are with it. */
static unsigned int begin(struct thread_pool *thread_pool, struct member *members,
                          unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		members[i] = (struct member){.thread_pool = thread_pool, .number = i};
	for (unsigned int i = 1; i < count; i++) {
		atomic_fetch_add(&thread_pool->working, 1);
		if (pthread_create(&members[i].thread, NULL, run, &members[i]) != 0) {
			atomic_fetch_sub(&thread_pool->working, 1);
			return i;
		}
	}
	return count;
}

enum status thread_pool_work(struct thread_pool *thread_pool)
{
	const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
	unsigned int count = thread_pool->threads < thread_pool->job_count
	                             ? thread_pool->threads
	                             : (unsigned int)thread_pool->job_count;
	struct member *members;

	if (count == 0)
		return STATUS_OK;
	members = calloc(count, sizeof(*members));
	if (!members)
		return STATUS_NO_MEM;
	atomic_store(&thread_pool->next_job, 1);
	count = begin(thread_pool, members, count);
	work(&members[0], 0);
	while (atomic_load(&thread_pool->working) > 0) {
		if (thread_pool->poll && !thread_pool->poll(thread_pool->context))
			thread_pool_stop(thread_pool);
		(void)nanosleep(&pause, NULL);
	}
	for (unsigned int i = 1; i < count; i++)
		(void)pthread_join(members[i].thread, NULL);
	free(members);
	return thread_pool_is_stopped(thread_pool) ? STATUS_INTERRUPTED : STATUS_OK;
}
