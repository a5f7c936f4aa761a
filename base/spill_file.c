/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the process, and beyond an amount of a file; see spill_file.h. */
#include "base/spill_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/huge_pages.h"

enum {
	SLAB_PART_MOST = HUGE_PAGE / 2, /* bytes; what is larger is by itself */
	PART_ALIGN = alignof(max_align_t),
};

/* One huge page, cut into parts from its begin. */
struct spill_slab {
	uint8_t *bytes;
	size_t used;
	atomic_size_t holders; /* its parts, and the file that cuts it */
};

struct spill_file {
	pthread_mutex_t mutex;
	uint64_t memory_left;
	struct spill_slab *slab; /* that parts are cut from, or NULL */
	bool is_tried;
	int fd;       /* -1: there is none */
	uint64_t end; /* of what was taken of the file */
};

struct spill_file *spill_file_create(uint64_t memory_most)
{
	struct spill_file *spill = calloc(1, sizeof(*spill));

	if (!spill)
		return NULL;
	if (pthread_mutex_init(&spill->mutex, NULL) != 0) {
		free(spill);
		return NULL;
	}
	spill->memory_left = memory_most;
	spill->fd = -1;
	return spill;
}

static void slab_leave(struct spill_slab *slab)
{
	if (!slab || atomic_fetch_sub(&slab->holders, 1) > 1)
		return;
	free(slab->bytes);
	free(slab);
}

void spill_file_destroy(struct spill_file *spill)
{
	if (!spill)
		return;
	slab_leave(spill->slab);
	if (spill->fd >= 0)
		(void)close(spill->fd);
	(void)pthread_mutex_destroy(&spill->mutex);
	free(spill);
}

/* More of the file, whose blocks are there: a write to the mapping never lacks one. */
static bool extend(struct spill_file *spill, size_t size, uint64_t *begin)
{
	if (!spill->is_tried) {
		spill->is_tried = true;
		spill->fd = file_open_nameless();
	}
	if (spill->fd < 0)
		return false;
	if (fallocate(spill->fd, 0, (off_t)spill->end, (off_t)size) != 0) {
		(void)close(spill->fd);
		spill->fd = -1;
		return false;
	}
	*begin = spill->end;
	spill->end += size;
	return true;
}

/* False: it is to be of the process. */
static bool map_part(struct spill_file *spill, size_t mapped, uint8_t **bytes)
{
	uint64_t begin;
	void *map;

	if (!extend(spill, mapped, &begin))
		return false;
	map = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, (off_t)begin);
	*bytes = map == MAP_FAILED ? NULL : map;
	return *bytes != NULL;
}

static size_t whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static struct spill_slab *slab_create(void)
{
	struct spill_slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return NULL;
	*slab = (struct spill_slab){.bytes = huge_pages_malloc(HUGE_PAGE), .holders = 1};
	if (slab->bytes)
		return slab;
	free(slab);
	return NULL;
}

/* At least `least` bytes, at most `most`. Without memory: NULL. */
static struct spill_part cut_slab(struct spill_file *spill, size_t least, size_t most)
{
	struct spill_part part = {.bytes = NULL};
	size_t left = spill->slab ? HUGE_PAGE - spill->slab->used : 0;

	if (left < least) {
		slab_leave(spill->slab);
		spill->slab = slab_create();
		left = HUGE_PAGE;
	}
	if (!spill->slab)
		return part;
	part.slab = spill->slab;
	part.bytes = part.slab->bytes + part.slab->used;
	part.size = most < left ? most : left;
	part.slab->used += (part.size + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	atomic_fetch_add(&part.slab->holders, 1);
	return part;
}

/* Without memory yet, if it is to be of the process. */
static struct spill_part find_room(struct spill_file *spill, size_t size)
{
	struct spill_part part = {.size = size};

	if (size <= spill->memory_left)
		spill->memory_left -= size;
	else if (map_part(spill, whole_pages(size), &part.bytes))
		part.mapped = whole_pages(size);
	return part;
}

static struct spill_part take_locked(struct spill_file *spill, size_t least, size_t most)
{
	struct spill_part part = find_room(spill, most);

	if (part.mapped > 0)
		return part;
	if (least > SLAB_PART_MOST)
		part.bytes = huge_pages_malloc(most);
	else
		part = cut_slab(spill, least, most);
	spill->memory_left += most - part.size;
	return part;
}

struct spill_part spill_file_take(struct spill_file *spill, size_t least, size_t most)
{
	struct spill_part part;

	if (!spill)
		return (struct spill_part){.bytes = malloc(most), .size = most};
	(void)pthread_mutex_lock(&spill->mutex);
	part = take_locked(spill, least, most);
	(void)pthread_mutex_unlock(&spill->mutex);
	return part;
}

struct spill_part spill_file_keep(struct spill_file *spill, void *bytes, size_t size)
{
	struct spill_part part = {.size = size};

	if (spill) {
		(void)pthread_mutex_lock(&spill->mutex);
		part = find_room(spill, size);
		(void)pthread_mutex_unlock(&spill->mutex);
	}
	if (part.mapped > 0) {
		memcpy(part.bytes, bytes, size);
		free(bytes);
	} else {
		/* No more than is used, if that can be had. */
		void *trimmed = realloc(bytes, size);

		part.bytes = trimmed ? trimmed : bytes;
	}
	return part;
}

void spill_part_free(struct spill_part *part)
{
	if (part->slab)
		slab_leave(part->slab);
	else if (part->mapped == 0)
		free(part->bytes);
	else
		(void)munmap(part->bytes, part->mapped);
	*part = (struct spill_part){.bytes = NULL};
}

void spill_part_done(const struct spill_part *part)
{
	if (part->mapped > 0)
		(void)madvise(part->bytes, part->mapped, MADV_DONTNEED);
}
