/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only mappings of whole files (POSIX mmap), or of copies (Linux memfd_create, sendfile). */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_size_t copies; /* bytes of all */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * A copy as a file in memory, so that its pages can be forgotten and moved as those of a file; -1
 * if there is to be none, or none can be had.
 */
static int copy_file(int fd, size_t size)
{
	size_t left = size;
	int copy;

	if (size > FILE_COPY_MOST || atomic_fetch_add(&copies, size) > FILE_COPIES_MOST - size) {
		if (size <= FILE_COPY_MOST)
			(void)atomic_fetch_sub(&copies, size);
		return -1;
	}
	copy = memfd_create("csreplay", MFD_CLOEXEC);
	while (copy >= 0 && left > 0) {
		ssize_t sent = sendfile(copy, fd, NULL, left);

		if (sent <= 0) {
			(void)close(copy);
			copy = -1;
		} else {
			left -= (size_t)sent;
		}
	}
	if (copy < 0)
		(void)atomic_fetch_sub(&copies, size);
	return copy;
}

/* The copy, or else the file. */
static enum status map_whole(int fd, int copy, const char *path, const struct stat *info,
                             struct file_map *map)
{
	size_t size = (size_t)info->st_size;
	void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, copy >= 0 ? copy : fd, 0);

	if (data == MAP_FAILED)
		return STATUS_IO;
	*map = (struct file_map){.data = data, .size = size, .copied = copy >= 0 ? size : 0};
	if (copy < 0)
		map->watch = file_watch_add(path, info);
	if (copy >= 0 || map->watch)
		return STATUS_OK;
	file_map_close(map);
	return STATUS_NO_MEM;
}

static enum status map_descriptor(int fd, const char *path, struct place shown_at,
                                  struct diag_list *diags, struct file_map *map)
{
	enum status status;
	struct stat after;
	struct stat info;
	int copy;

	if (fstat(fd, &info) != 0)
		return diag_error(diags, STATUS_IO, shown_at, "cannot read \"%s\": %s", path,
		                  strerror(errno));
	if (!S_ISREG(info.st_mode))
		return diag_error(diags, STATUS_IO, shown_at, "\"%s\" is not a regular file", path);
	*map = (struct file_map){0};
	if (info.st_size == 0)
		return STATUS_OK;
	copy = copy_file(fd, (size_t)info.st_size);
	status = map_whole(fd, copy, path, &info, map);
	if (copy >= 0)
		(void)close(copy);
	if (status == STATUS_IO) {
		if (copy >= 0)
			(void)atomic_fetch_sub(&copies, (size_t)info.st_size);
		return diag_error(diags, STATUS_IO, shown_at, "cannot map \"%s\": %s", path,
		                  strerror(errno));
	}
	if (status == STATUS_OK && (fstat(fd, &after) != 0 || !is_same(&info, &after))) {
		file_map_close(map);
		return diag_error(diags, STATUS_IO, shown_at, "\"%s\" changed while it was read",
		                  path);
	}
	return status;
}

enum status file_map_open(const char *path, struct place shown_at, struct diag_list *diags,
                          struct file_map *map)
{
	/* O_NONBLOCK: a FIFO in a file's place must not hang the open; it is refused after. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum status status;

	if (fd < 0)
		return diag_error(diags, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, shown_at,
		                  "cannot open \"%s\": %s", path, strerror(errno));
	status = map_descriptor(fd, path, shown_at, diags, map);
	(void)close(fd);
	return status;
}

void file_map_close(struct file_map *map)
{
	if (map->data)
		(void)munmap(map->data, map->size);
	(void)atomic_fetch_sub(&copies, map->copied);
	file_watch_remove(map->watch);
	*map = (struct file_map){0};
}

int file_open_nameless(void)
{
	const char *folder = getenv("TMPDIR");

	return open(folder ? folder : "/var/tmp", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC,
	            S_IRUSR | S_IWUSR);
}

void file_map_join(struct file_map *whole, struct file_map *part)
{
	whole->copied += part->copied;
	whole->watch = file_watch_join(whole->watch, part->watch);
	*part = (struct file_map){0};
}

void file_forget(struct bytes bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	size_t head = (size_t)((page - (uintptr_t)bytes.pos % page) % page);
	size_t tail = (size_t)((uintptr_t)bytes.end % page);
	size_t size = bytes_left(&bytes);

	/* Advice: what is not taken costs memory and nothing else. */
	if (size <= head + tail)
		return;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): no const there, though nothing is written */
	(void)madvise((void *)(uintptr_t)(bytes.pos + head), size - head - tail, MADV_DONTNEED);
}
