/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that take numbered jobs; POSIX threads. */
#include "replay/history/crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { POLL_NANOSECONDS = 5 * 1000 * 1000 };

struct member {
	struct crew *crew;
	unsigned int number;
	pthread_t thread;
};

void crew_stop(struct crew *crew)
{
	atomic_store(&crew->is_stopped, true);
}

bool crew_is_stopped(struct crew *crew)
{
	return atomic_load(&crew->is_stopped);
}

/* Does the job and, one after the other, those that nobody has taken yet. */
static void work(const struct member *member, size_t job)
{
	struct crew *crew = member->crew;

	while (job < crew->job_count && !crew_is_stopped(crew)) {
		if (crew->work(crew->context, member->number, job) != STATUS_OK)
			crew_stop(crew);
		job = atomic_fetch_add(&crew->next_job, 1);
	}
}

static void *run(void *context)
{
	const struct member *member = context;

	work(member, atomic_fetch_add(&member->crew->next_job, 1));
	atomic_fetch_sub(&member->crew->working, 1);
	return NULL;
}

/* Begins all threads but the caller's; returns how many there are with it. */
static unsigned int begin(struct crew *crew, struct member *members, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		members[i] = (struct member){.crew = crew, .number = i};
	for (unsigned int i = 1; i < count; i++) {
		atomic_fetch_add(&crew->working, 1);
		if (pthread_create(&members[i].thread, NULL, run, &members[i]) != 0) {
			atomic_fetch_sub(&crew->working, 1);
			return i;
		}
	}
	return count;
}

enum status crew_work(struct crew *crew)
{
	const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
	unsigned int count =
	        crew->threads < crew->job_count ? crew->threads : (unsigned int)crew->job_count;
	struct member *members;

	if (count == 0)
		return STATUS_OK;
	members = calloc(count, sizeof(*members));
	if (!members)
		return STATUS_NO_MEM;
	atomic_store(&crew->next_job, 1);
	count = begin(crew, members, count);
	work(&members[0], 0);
	while (atomic_load(&crew->working) > 0) {
		if (!crew->poll(crew->context))
			crew_stop(crew);
		(void)nanosleep(&pause, NULL);
	}
	for (unsigned int i = 1; i < count; i++)
		(void)pthread_join(members[i].thread, NULL);
	free(members);
	return crew_is_stopped(crew) ? STATUS_INTERRUPTED : STATUS_OK;
}
