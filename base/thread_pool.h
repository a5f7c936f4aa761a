/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take numbered jobs, one after the other, until there are none. The caller's thread
 * is one of them, the first, and has job 0. In: jobs. Out: whether all were done.
 */
#ifndef CSREPLAY_BASE_THREAD_POOL_H
#define CSREPLAY_BASE_THREAD_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct thread_pool {
	/* To be set. */
	size_t job_count;
	unsigned int threads; /* at least 1; more than jobs are not used */
	/* Does a job on thread `member`, from 0; any failure ends the work of all. */
	enum status (*work)(void *context, unsigned int member, size_t job);
	/*
	 * What the caller's thread does now and then while others work; false ends the work. May be
	 * NULL.
	 */
	bool (*poll)(void *context);
	void *context;
	/* Private. */
	atomic_size_t next_job;
	atomic_uint working; /* threads beside the caller's */
	atomic_bool is_stopped;
};

/* Ends the work: no job is begun any more. */
void thread_pool_stop(struct thread_pool *thread_pool);
bool thread_pool_is_stopped(struct thread_pool *thread_pool);

/*
 * Does all jobs. INTERRUPTED if the work was ended before, whatever ended it; NO_MEM. A thread that
 * cannot be had is done without.
 */
MUST_USE enum status thread_pool_work(struct thread_pool *thread_pool);

#endif
