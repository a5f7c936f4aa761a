/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as folders, read with libarchive (PKWARE APPNOTE 6.3; POSIX pax; RFC 1952; xz 1.1). */
#include "snapshot/file/package.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"

struct member {
	struct str name;
	uint64_t offset; /* in the unpacked file; a multiple of the page size */
	uint64_t size;
};

struct package {
	struct arena arena; /* names */
	int fd;             /* the unpacked file */
	uint64_t end;       /* of its last member */
	struct member *members;
	size_t count;
	size_t capacity;
};

/* A package while it is unpacked. */
struct unpacker {
	struct package *package;
	struct archive *archive;
	const struct package_limits *limits;
	struct place place; /* the archive */
	struct diag_list *diags;
	size_t headers; /* read so far */
	bool is_broken; /* nothing more can be read */
	uint64_t sum;   /* bytes of the members so far */
	struct text name;
};

bool package_is_archive(struct bytes file)
{
	// clang-format off
	static const struct {
		size_t offset;
		struct str magic;
	} kinds[] = {
		{0, {"PK\3\4", 4}},           /* zip */
		{0, {"PK\5\6", 4}},           /* zip without members */
		{0, {"\x1f\x8b", 2}},         /* gzip */
		{0, {"\xfd\x37zXZ\0", 6}},    /* xz */
		{257, {"ustar", 5}},          /* tar */
	};
	// clang-format on

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t end = kinds[i].offset + kinds[i].magic.n;

		if (bytes_left(&file) >= end &&
		    memcmp(file.pos + kinds[i].offset, kinds[i].magic.p, kinds[i].magic.n) == 0)
			return true;
	}
	return false;
}

bool package_resolve(struct str folder, struct str name, struct text *out)
{
	size_t begin = out->length;
	struct str rests[2] = {folder, name};

	for (int i = 0; i < 2; i++) {
		while (rests[i].p) {
			struct str part = str_next_part(&rests[i], '/');

			if (str_eq(part, STR(".."))) {
				if (out->length == begin)
					return false;
				while (out->length > begin && out->data[--out->length] != '/')
					;
				out->data[out->length] = '\0';
			} else if (part.n > 0 && !str_eq(part, STR("."))) {
				if (out->length > begin)
					text_char(out, '/');
				text_add(out, part);
			}
		}
	}
	return true;
}

static bool has_dotdot(struct str name)
{
	while (name.p) {
		if (str_eq(str_next_part(&name, '/'), STR("..")))
			return true;
	}
	return false;
}

/* What libarchive says is wrong. */
static struct str error_text(const struct unpacker *u)
{
	const char *text = archive_error_string(u->archive);

	return text ? str_trim(str_of(text)) : STR("unknown error");
}

static enum status leave_out(const struct unpacker *u, const char *why)
{
	return diag_error(u->diags, STATUS_BAD_DATA, u->place, "member \"%.*s\" %s; it is left out",
	                  STR_ARG(text_str(&u->name)), why);
}

static enum status too_large(const struct unpacker *u, uint64_t size)
{
	unsigned long long sum = u->sum + size;

	return diag_error(u->diags, STATUS_UNSUPPORTED, u->place,
	                  "with member \"%.*s\" the archive unpacks to %llu bytes or more, the "
	                  "limit is %llu",
	                  STR_ARG(text_str(&u->name)), sum, (unsigned long long)u->limits->bytes);
}

static bool leaves_archive(struct str name)
{
	return str_has_prefix(name, STR("/")) || has_dotdot(name);
}

/* Puts the member's name into u->name: as it is looked up, or else as the archive writes it. */
static enum status set_name(struct unpacker *u, struct str name)
{
	text_clear(&u->name);
	if (leaves_archive(name) || !package_resolve(STR(""), name, &u->name))
		text_add(&u->name, name);
	return text_status(&u->name);
}

/* BAD_DATA, diagnosed, if the member is to be left out. */
static enum status check_entry(const struct unpacker *u, struct archive_entry *entry)
{
	struct str name = text_str(&u->name);

	if (leaves_archive(name))
		return leave_out(u, "has a name that leads out of the archive");
	if (name.n == 0)
		return leave_out(u, "has no name");
	if (archive_entry_filetype(entry) == AE_IFLNK || archive_entry_hardlink(entry))
		return leave_out(u, "is a link");
	if (archive_entry_filetype(entry) != AE_IFREG)
		return leave_out(u, "is not a regular file");
	if (archive_entry_is_encrypted(entry))
		return leave_out(u, "is encrypted");
	if (package_find(u->package, name) < u->package->count)
		return leave_out(u, "is there already");
	return STATUS_OK;
}

static enum status cannot_unpack(const struct unpacker *u)
{
	return diag_error(u->diags, STATUS_IO, u->place, "cannot unpack member \"%.*s\": %s",
	                  STR_ARG(text_str(&u->name)), strerror(errno));
}

static enum status write_at(const struct unpacker *u, const uint8_t *data, size_t size,
                            uint64_t offset)
{
	while (size > 0) {
		ssize_t done = pwrite(u->package->fd, data, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return cannot_unpack(u);
		data += done;
		size -= (size_t)done;
		offset += (uint64_t)done;
	}
	return STATUS_OK;
}

static enum status report_damage(struct unpacker *u, int result)
{
	u->is_broken = result == ARCHIVE_FATAL;
	return diag_error(u->diags, STATUS_BAD_DATA, u->place,
	                  "member \"%.*s\" is damaged: %.*s; %s left out",
	                  STR_ARG(text_str(&u->name)), STR_ARG(error_text(u)),
	                  u->is_broken ? "it and all after it are" : "it is");
}

/* Copies the data of the current member; `room` is what it may have, `*size` what it had. */
static enum status copy_data(struct unpacker *u, const struct member *member, uint64_t room,
                             uint64_t *size)
{
	const void *block;
	size_t length = 0;
	la_int64_t offset = 0;

	*size = 0;
	for (;;) {
		int result = archive_read_data_block(u->archive, &block, &length, &offset);

		if (result == ARCHIVE_EOF)
			length = 0; /* the offset is where a hole at the end of the file ends */
		else if (result != ARCHIVE_OK)
			return report_damage(u, result);
		if (offset < 0 || (uint64_t)offset > room || length > room - (uint64_t)offset) {
			*size = room + 1;
			return STATUS_OK;
		}
		TRY(write_at(u, block, length, member->offset + (uint64_t)offset));
		if ((uint64_t)offset + length > *size)
			*size = (uint64_t)offset + length;
		if (result == ARCHIVE_EOF)
			return STATUS_OK;
	}
}

/* The size of a member as the archive says it; false if it does not. */
static bool said_size(struct archive_entry *entry, uint64_t *size)
{
	*size = 0;
	if (!archive_entry_size_is_set(entry) || archive_entry_size(entry) < 0)
		return false;
	*size = (uint64_t)archive_entry_size(entry);
	return true;
}

/* Unpacks the current member. BAD_DATA, diagnosed, if it is to be left out. */
static enum status unpack_data(struct unpacker *u, struct archive_entry *entry,
                               struct member *member)
{
	uint64_t left = u->limits->bytes - u->sum;
	uint64_t said;
	bool is_said = said_size(entry, &said);

	TRY(copy_data(u, member, is_said ? said : left, &member->size));
	if (!is_said && member->size > left)
		return too_large(u, member->size);
	if (is_said && member->size != said)
		return diag_error(u->diags, STATUS_BAD_DATA, u->place,
		                  "member \"%.*s\" has %s bytes than the %llu that the archive "
		                  "says; it is left out",
		                  STR_ARG(text_str(&u->name)),
		                  member->size > said ? "more" : "fewer", (unsigned long long)said);
	return ftruncate(u->package->fd, (off_t)(member->offset + member->size)) == 0
	               ? STATUS_OK
	               : cannot_unpack(u);
}

static enum status unpack_member(struct unpacker *u, struct archive_entry *entry)
{
	struct package *package = u->package;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct member member = {.offset = (package->end + page - 1) / page * page};
	enum status status;

	TRY(check_entry(u, entry));
	member.name = arena_str(&package->arena, text_str(&u->name));
	if (!member.name.p)
		return STATUS_NO_MEM;
	TRY(vec_reserve((void **)&package->members, &package->capacity, package->count + 1,
	                sizeof(*package->members)));
	status = unpack_data(u, entry, &member);
	if (status != STATUS_OK) {
		/* Nothing of it may show in a hole of the next member. */
		return ftruncate(package->fd, (off_t)package->end) == 0 ? status : cannot_unpack(u);
	}
	package->members[package->count++] = member;
	package->end = member.offset + member.size;
	u->sum += member.size;
	return STATUS_OK;
}

/* What is left out counts against the limit too: libarchive reads over it. */
static enum status add_member(struct unpacker *u, struct archive_entry *entry)
{
	uint64_t said;
	enum status status;

	TRY(set_name(u, str_of(archive_entry_pathname(entry))));
	(void)said_size(entry, &said);
	if (said > u->limits->bytes - u->sum)
		return too_large(u, said);
	status = unpack_member(u, entry);
	if (status == STATUS_BAD_DATA)
		u->sum += said;
	return status;
}

/*
 * The next member's header, or END. BAD_DATA, diagnosed, if this one cannot be read; a warning of
 * libarchive's is of characters that the locale cannot show.
 */
static enum status next_header(struct unpacker *u, struct archive_entry **entry)
{
	int result = archive_read_next_header(u->archive, entry);

	if (result == ARCHIVE_EOF)
		return STATUS_END;
	u->is_broken = result == ARCHIVE_FATAL;
	if (++u->headers > u->limits->members)
		return diag_error(u->diags, STATUS_UNSUPPORTED, u->place,
		                  "the archive has more members than the limit of %zu",
		                  u->limits->members);
	if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
		return STATUS_OK;
	if (u->headers == 1)
		return diag_error(u->diags, STATUS_BAD_DATA, u->place,
		                  "cannot read the archive: %.*s", STR_ARG(error_text(u)));
	return diag_error(u->diags, STATUS_BAD_DATA, u->place,
	                  "the archive is damaged after member \"%.*s\": %.*s",
	                  STR_ARG(text_str(&u->name)), STR_ARG(error_text(u)));
}

static enum status unpack(struct unpacker *u)
{
	while (!u->is_broken) {
		struct archive_entry *entry;
		enum status status = next_header(u, &entry);

		if (status == STATUS_END)
			return STATUS_OK;
		if (status == STATUS_OK && archive_entry_filetype(entry) != AE_IFDIR)
			status = add_member(u, entry);
		if (status != STATUS_OK && status != STATUS_BAD_DATA)
			return status;
	}
	return u->package->count > 0 ? STATUS_OK : STATUS_BAD_DATA;
}

/* A file without a name, on disk if that can be had, else in memory. */
static int open_nameless(void)
{
	int fd = file_open_nameless();

	return fd >= 0 ? fd : memfd_create("csreplay", MFD_CLOEXEC);
}

static enum status read_archive(struct unpacker *u, struct bytes bytes)
{
	u->archive = archive_read_new();
	if (!u->archive)
		return STATUS_NO_MEM;
	if (archive_read_support_filter_gzip(u->archive) != ARCHIVE_OK ||
	    archive_read_support_filter_xz(u->archive) != ARCHIVE_OK ||
	    archive_read_support_format_tar(u->archive) != ARCHIVE_OK ||
	    archive_read_support_format_zip(u->archive) != ARCHIVE_OK ||
	    archive_read_open_memory(u->archive, bytes.pos, bytes_left(&bytes)) != ARCHIVE_OK)
		return diag_error(u->diags, STATUS_BAD_DATA, u->place,
		                  "cannot read the archive: %.*s", STR_ARG(error_text(u)));
	return unpack(u);
}

/* libarchive gives names in the locale's character set; here that is UTF-8 whatever the user's. */
static enum status read_in_utf8(struct unpacker *u, struct bytes bytes)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = (locale_t)0;
	enum status status;

	if (utf8 != (locale_t)0)
		before = uselocale(utf8);
	status = read_archive(u, bytes);
	(void)archive_read_free(u->archive);
	if (utf8 != (locale_t)0) {
		(void)uselocale(before);
		freelocale(utf8);
	}
	return status;
}

enum status package_open(struct bytes archive, struct str name, const struct package_limits *limits,
                         struct diag_list *diags, struct package **package)
{
	static const struct package_limits most = {UINT64_C(8) << 30, 10000};
	struct package *opened = calloc(1, sizeof(*opened));
	struct unpacker u = {.package = opened,
	                     .limits = limits ? limits : &most,
	                     .place = place_file(name),
	                     .diags = diags};
	enum status status;

	if (!opened)
		return STATUS_NO_MEM;
	opened->fd = open_nameless();
	if (opened->fd < 0)
		status = diag_error(diags, STATUS_IO, u.place, "cannot unpack the archive: %s",
		                    strerror(errno));
	else
		status = read_in_utf8(&u, archive);
	text_fini(&u.name);
	if (status == STATUS_OK)
		*package = opened;
	else
		package_close(opened);
	return status;
}

void package_close(struct package *package)
{
	if (!package)
		return;
	if (package->fd >= 0)
		(void)close(package->fd);
	arena_fini(&package->arena);
	free(package->members);
	free(package);
}

size_t package_count(const struct package *package)
{
	return package->count;
}

struct str package_member(const struct package *package, size_t index)
{
	return package->members[index].name;
}

size_t package_find(const struct package *package, struct str name)
{
	size_t i = 0;

	while (i < package->count && !str_eq(package->members[i].name, name))
		i++;
	return i;
}

enum status package_map(const struct package *package, size_t index, struct place place,
                        struct diag_list *diags, struct file_map *map)
{
	const struct member *member = &package->members[index];
	void *data;

	*map = (struct file_map){.size = (size_t)member->size};
	if (map->size == 0)
		return STATUS_OK;
	data = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, package->fd, (off_t)member->offset);
	if (data == MAP_FAILED) {
		*map = (struct file_map){0};
		return diag_error(diags, STATUS_IO, place, "cannot map member \"%.*s\": %s",
		                  STR_ARG(member->name), strerror(errno));
	}
	map->data = data;
	return STATUS_OK;
}
