/* SPDX-License-Identifier: Apache-2.0 */
/* A list of files with what stat() said of them, and the handler of SIGBUS; see file_watch.h. */
#include "base/file_watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file_watch {
	struct file_watch *next;  /* of all */
	struct file_watch *chain; /* of the same mapping */
	struct stat before;
	char path[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file_watch *watches; /* under the lock, as is `said` */
static struct text said;           /* of the first change */
static bool is_changed;
static atomic_bool has_fault;

struct file_watch *file_watch_add(const char *path, const struct stat *info)
{
	size_t size = strlen(path) + 1;
	struct file_watch *watch = malloc(sizeof(*watch) + size);

	if (!watch)
		return NULL;
	watch->chain = NULL;
	watch->before = *info;
	memcpy(watch->path, path, size);
	(void)pthread_mutex_lock(&lock);
	watch->next = watches;
	watches = watch;
	(void)pthread_mutex_unlock(&lock);
	return watch;
}

struct file_watch *file_watch_join(struct file_watch *chain, struct file_watch *more)
{
	struct file_watch *last = more;

	if (!more)
		return chain;
	while (last->chain)
		last = last->chain;
	last->chain = chain;
	return more;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* The time of the inode too: that of the content can be set back. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       is_same_time(a->st_mtim, b->st_mtim) && is_same_time(a->st_ctim, b->st_ctim);
}

static void look(const struct file_watch *watch)
{
	static const char advice[] = "nothing of it is shown; load the snapshot again";
	struct stat now;
	bool is_there = stat(watch->path, &now) == 0;
	int error = errno;

	if (is_changed || (is_there && is_same(&watch->before, &now)))
		return;
	is_changed = true;
	if (!is_there)
		text_printf(&said, "\"%s\" was taken away while it was in use (%s): %s",
		            watch->path, strerror(error), advice);
	else
		text_printf(&said,
		            "\"%s\" changed while it was in use (it had %lld bytes and has %lld): "
		            "%s",
		            watch->path, (long long)watch->before.st_size, (long long)now.st_size,
		            advice);
}

static void forget(const struct file_watch *watch)
{
	struct file_watch **at = &watches;

	while (*at != watch)
		at = &(*at)->next;
	*at = watch->next;
}

void file_watch_remove(struct file_watch *chain)
{
	(void)pthread_mutex_lock(&lock);
	while (chain) {
		struct file_watch *next = chain->chain;

		look(chain);
		forget(chain);
		free(chain);
		chain = next;
	}
	(void)pthread_mutex_unlock(&lock);
}

bool file_watch_changed(struct text *what)
{
	bool changed;

	(void)pthread_mutex_lock(&lock);
	for (const struct file_watch *watch = watches; watch; watch = watch->next)
		look(watch);
	if (!is_changed && atomic_load(&has_fault)) {
		is_changed = true;
		text_puts(&said, "a part of a mapped file could not be read: nothing is shown; "
		                 "load the snapshot again");
	}
	changed = is_changed;
	if (changed && what && text_status(&said) == STATUS_OK)
		text_add(what, text_str(&said));
	(void)pthread_mutex_unlock(&lock);
	return changed;
}

/*
 * A mapped page has nothing behind it: zeros are put there, and what is made of them is not sent,
 * for it is a change. mmap() is a plain system call, which a handler may make. Anything else ends
 * the process as it would have.
 */
static void on_fault(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)info->si_addr - (uintptr_t)info->si_addr % page;
	int error = errno;

	(void)context;
	atomic_store(&has_fault, true);
	if (info->si_code != BUS_ADRERR ||
	    mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	            MAP_FAILED) {
		(void)signal(number, SIG_DFL);
		(void)raise(number);
	}
	errno = error;
}

void file_watch_catch_faults(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	(void)sigaction(SIGBUS, &action, NULL);
}
