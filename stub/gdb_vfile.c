/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vFile: the client reads the images of the snapshot as files. A name is compared with those of
 * the images that are mapped already; no file is opened, so no other can be. gdb manual, "Host I/O
 * Packets" and "File-I/O Remote Protocol Extension".
 */
#include "base/hex.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"
#include "stub/rsp_request.h"

enum {
	FILE_ENOENT = 2, /* error numbers of the protocol */
	FILE_EBADF = 9,
	FILE_EINVAL = 22,
	FILE_EMFILE = 24,
	FILE_EROFS = 30,
	MODE_REGULAR_READABLE = 0100444,
	NAME_MOST = 4096,
	READ_MOST = RSP_PACKET_SIZE / 2 - 32, /* every byte may need an escape */
};

static void reply_error(struct gdb *gdb, unsigned int number)
{
	text_printf(&gdb->reply, "F-1,%x", number);
}

static const struct elf_image *find_image(const struct gdb *gdb, struct str name)
{
	const struct snapshot *snapshot = session_snapshot(gdb->session);
	const struct elf_image *program = gdb_program(gdb);

	if (program && str_eq(program->path, name))
		return program;
	for (size_t i = 0; i < snapshot->image_count; i++) {
		if (str_eq(snapshot->images[i]->path, name))
			return snapshot->images[i];
	}
	return NULL;
}

/* NAME,FLAGS,MODE with the name in hexadecimal; only flags 0, reading, are granted. */
static void file_open(struct gdb *gdb, struct str args)
{
	uint8_t name[NAME_MOST];
	size_t length = sizeof(name);
	struct str digits = rsp_next(&args, ',');
	const struct elf_image *image = NULL;
	uint64_t flags;
	unsigned int fd = 0;

	if (hex_to_bytes(digits, name, &length) == STATUS_OK)
		image = find_image(gdb, (struct str){(const char *)name, length});
	while (fd < GDB_FILES && gdb->files[fd])
		fd++;
	if (rsp_next_hex(&args, ',', &flags) != STATUS_OK) {
		reply_error(gdb, FILE_EINVAL);
	} else if (!image) {
		reply_error(gdb, FILE_ENOENT);
	} else if (flags != 0) {
		reply_error(gdb, FILE_EROFS);
	} else if (fd == GDB_FILES) {
		reply_error(gdb, FILE_EMFILE);
	} else {
		gdb->files[fd] = image;
		text_printf(&gdb->reply, "F%x", fd);
	}
}

/* The open file whose number ends at ',' or the end, or NULL. */
static const struct elf_image **parse_file(struct gdb *gdb, struct str *args)
{
	uint64_t fd;

	if (rsp_next_hex(args, ',', &fd) != STATUS_OK || fd >= GDB_FILES || !gdb->files[fd])
		return NULL;
	return &gdb->files[fd];
}

/* `size` is 1 to 8 bytes. */
static void add_big_endian(struct text *out, uint64_t value, unsigned int size)
{
	while (size-- > 0)
		text_char(out, (char)(value >> (8 * size)));
}

static void file_status(struct gdb *gdb, struct str args)
{
	const struct elf_image **file = parse_file(gdb, &args);
	uint64_t size;

	if (!file) {
		reply_error(gdb, FILE_EBADF);
		return;
	}
	size = (uint64_t)((*file)->file.end - (*file)->file.begin);
	text_puts(&gdb->reply, "F40;");
	add_big_endian(&gdb->reply, 0, 4); /* device */
	add_big_endian(&gdb->reply, 0, 4); /* inode */
	add_big_endian(&gdb->reply, MODE_REGULAR_READABLE, 4);
	add_big_endian(&gdb->reply, 1, 4); /* links */
	add_big_endian(&gdb->reply, 0, 8); /* user, group */
	add_big_endian(&gdb->reply, 0, 4); /* device type */
	add_big_endian(&gdb->reply, size, 8);
	add_big_endian(&gdb->reply, 512, 8); /* block size */
	add_big_endian(&gdb->reply, (size + 511) / 512, 8);
	add_big_endian(&gdb->reply, 0, 8); /* times of access and modification */
	add_big_endian(&gdb->reply, 0, 4); /* time of change */
}

/* FD,COUNT,OFFSET */
static void file_read(struct gdb *gdb, struct str args)
{
	const struct elf_image **file = parse_file(gdb, &args);
	struct bytes part;
	uint64_t count;
	uint64_t offset;

	if (!file) {
		reply_error(gdb, FILE_EBADF);
		return;
	}
	if (rsp_next_hex(&args, ',', &count) != STATUS_OK ||
	    str_hex_to_u64(args, &offset) != STATUS_OK) {
		reply_error(gdb, FILE_EINVAL);
		return;
	}
	part = (*file)->file;
	if (offset > (uint64_t)(part.end - part.begin) ||
	    bytes_seek(&part, (size_t)offset) != STATUS_OK)
		part.pos = part.end;
	if (count > READ_MOST)
		count = READ_MOST;
	if (count > bytes_left(&part))
		count = bytes_left(&part);
	text_printf(&gdb->reply, "F%llx;", (unsigned long long)count);
	text_add(&gdb->reply, (struct str){(const char *)part.pos, (size_t)count});
}

static void file_close(struct gdb *gdb, struct str args)
{
	const struct elf_image **file = parse_file(gdb, &args);

	if (!file) {
		reply_error(gdb, FILE_EBADF);
		return;
	}
	*file = NULL;
	text_puts(&gdb->reply, "F0");
}

/* There is one file system. */
static void file_system(struct gdb *gdb, struct str args)
{
	(void)args;
	text_puts(&gdb->reply, "F0");
}

static const struct {
	const char *name;
	gdb_handler *handler;
} operations[] = {
        {"open", file_open},   {"fstat", file_status}, {"pread", file_read},
        {"close", file_close}, {"setfs", file_system},
};

enum { OPERATION_COUNT = sizeof(operations) / sizeof(operations[0]) };

void gdb_file(struct gdb *gdb, struct str args)
{
	struct str name = rsp_next(&args, ':');

	for (size_t i = 0; i < OPERATION_COUNT; i++) {
		if (str_eq(name, str_of(operations[i].name)))
			operations[i].handler(gdb, args);
	}
}
