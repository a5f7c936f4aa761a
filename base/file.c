/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only mappings of whole files (POSIX mmap). */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status map_descriptor(int fd, const char *path, struct place shown_at,
                                  struct diag_list *diags, struct file_map *map)
{
	struct stat info;
	void *data;

	if (fstat(fd, &info) != 0)
		return diag_error(diags, STATUS_IO, shown_at, "cannot read \"%s\": %s", path,
		                  strerror(errno));
	if (!S_ISREG(info.st_mode))
		return diag_error(diags, STATUS_IO, shown_at, "\"%s\" is not a regular file", path);
	*map = (struct file_map){NULL, (size_t)info.st_size};
	if (map->size == 0)
		return STATUS_OK;
	data = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		*map = (struct file_map){0};
		return diag_error(diags, STATUS_IO, shown_at, "cannot map \"%s\": %s", path,
		                  strerror(errno));
	}
	map->data = data;
	return STATUS_OK;
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
	*map = (struct file_map){0};
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
