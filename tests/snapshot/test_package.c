/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as folders: what they are told by, names, limits, what is left out. Tars made here. */
#include "scratch.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "snapshot/file/files.h"
#include "snapshot/file/package.h"

enum { BLOCK = 512 };

struct fixture {
	struct text tar;
	struct diag_list diags;
	struct package *package;
};

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	assert_non_null(*state);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	package_close(f->package);
	text_fini(&f->tar);
	diag_list_fini(&f->diags);
	free(f);
	return 0;
}

/* A ustar header; POSIX, "pax". `type` is '0' for a file, '1' and '2' for links. */
static void add_header(struct fixture *f, const char *name, uint64_t size, char type)
{
	char header[BLOCK] = {0};
	char digits[16];
	unsigned int sum = 0;

	(void)snprintf(header, 100, "%s", name);
	(void)snprintf(header + 100, 8, "%07o", 0644U);
	(void)snprintf(header + 108, 8, "%07o", 0U);
	(void)snprintf(header + 116, 8, "%07o", 0U);
	(void)snprintf(digits, sizeof(digits), "%012llo", (unsigned long long)size);
	memcpy(header + 124, digits, 12);
	(void)snprintf(header + 136, 12, "%011o", 0U);
	memset(header + 148, ' ', 8);
	header[156] = type;
	if (type == '1' || type == '2')
		(void)snprintf(header + 157, 100, "target");
	memcpy(header + 257,
	       "ustar\0"
	       "00",
	       8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)header[i];
	(void)snprintf(header + 148, 8, "%06o", sum);
	text_add(&f->tar, (struct str){header, BLOCK});
}

static void add_file(struct fixture *f, const char *name, struct str content)
{
	add_header(f, name, content.n, '0');
	text_add(&f->tar, content);
	while (f->tar.length % BLOCK != 0)
		text_char(&f->tar, '\0');
}

static void end_tar(struct fixture *f)
{
	char zeros[2 * BLOCK] = {0};

	text_add(&f->tar, (struct str){zeros, sizeof(zeros)});
	assert_false(f->tar.failed);
}

static enum status open_tar(struct fixture *f, uint64_t bytes, size_t members)
{
	struct package_limits limits = {bytes, members};

	return package_open(bytes_of(f->tar.data, f->tar.length), STR("x.tar"), &limits, &f->diags,
	                    &f->package);
}

static void assert_member(const struct fixture *f, const char *name, struct str content)
{
	size_t index = package_find(f->package, str_of(name));
	struct diag_list diags = {0};
	struct file_map map;

	assert_true(index < package_count(f->package));
	assert_int_equal(package_map(f->package, index, place_none(), &diags, &map), STATUS_OK);
	assert_int_equal(map.size, content.n);
	if (content.n > 0)
		assert_memory_equal(map.data, content.p, content.n);
	file_map_close(&map);
	assert_diags(&diags, "");
}

static void package_kind_is_told_by_content(void **state)
{
	struct fixture *f = *state;

	assert_true(package_is_archive(bytes_of("PK\3\4", 4)));
	assert_true(package_is_archive(bytes_of("PK\5\6", 4)));
	assert_true(package_is_archive(bytes_of("\x1f\x8b\x08", 3)));
	assert_true(package_is_archive(bytes_of("\xfd\x37zXZ\0", 6)));
	assert_false(package_is_archive(bytes_of("PK\3", 3)));
	assert_false(package_is_archive(bytes_of("[snapshot]\n", 11)));
	assert_false(package_is_archive(bytes_of("", 0)));
	add_header(f, "x", 0, '0');
	assert_true(package_is_archive(bytes_of(f->tar.data, f->tar.length)));
	assert_false(package_is_archive(bytes_of(f->tar.data, 261)));
}

static void assert_resolved(const char *folder, const char *name, const char *expected)
{
	struct text text = {0};

	assert_int_equal(package_resolve(str_of(folder), str_of(name), &text), expected != NULL);
	if (expected)
		assert_true(str_eq(text_str(&text), str_of(expected)));
	text_fini(&text);
}

static void package_name_is_resolved_in_its_folder(void **state)
{
	(void)state;
	assert_resolved("", "x.bin", "x.bin");
	assert_resolved("", "./a//b/./x.bin", "a/b/x.bin");
	assert_resolved("snap/", "x.bin", "snap/x.bin");
	assert_resolved("snap/", "../x.bin", "x.bin");
	assert_resolved("snap/", "../../x.bin", NULL);
	assert_resolved("", "..", NULL);
	assert_resolved("", "a/../../x", NULL);
	assert_resolved("", "a/b/../../c", "c");
	assert_resolved("", "a/..", "");
}

static void package_members_are_mapped(void **state)
{
	struct fixture *f = *state;
	char large[10000];

	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = (char)(i * 7 + i / 256);
	add_file(f, "./a/large.bin", (struct str){large, sizeof(large)});
	add_header(f, "a/", 0, '5');
	add_file(f, "empty", STR(""));
	add_file(f, "small", STR("hello"));
	end_tar(f);
	assert_int_equal(open_tar(f, 1 << 20, 100), STATUS_OK);
	/* It is not needed any more. */
	memset(f->tar.data, 0xff, f->tar.length);
	assert_int_equal(package_count(f->package), 3);
	assert_member(f, "a/large.bin", (struct str){large, sizeof(large)});
	assert_member(f, "empty", STR(""));
	assert_member(f, "small", STR("hello"));
	assert_int_equal(package_find(f->package, STR("none")), 3);
	assert_diags(&f->diags, "");
}

static void package_map_outlives_the_package(void **state)
{
	struct fixture *f = *state;
	struct file_map map;

	add_file(f, "x", STR("hello"));
	end_tar(f);
	assert_int_equal(open_tar(f, 100, 100), STATUS_OK);
	assert_int_equal(package_map(f->package, 0, place_none(), &f->diags, &map), STATUS_OK);
	package_close(f->package);
	f->package = NULL;
	assert_memory_equal(map.data, "hello", 5);
	file_map_close(&map);
}

/* Several files as one, whole pages moved and the rest copied; and each once more by itself. */
static void package_files_are_joined(void **state)
{
	struct fixture *f = *state;
	struct arena arena = {0};
	struct snap_files files = {
	        .arena = &arena, .folder = STR("/x.tar"), .package_folder = STR("s/")};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char pages[1];
	uint8_t *large = malloc(2 * page);
	struct bytes whole;
	struct bytes first;
	struct str path;

	assert_non_null(large);
	for (size_t i = 0; i < 2 * page; i++)
		large[i] = (uint8_t)(i * 7 + i / 256);
	add_file(f, "s/a.bin", (struct str){(const char *)large, 2 * page});
	add_file(f, "b.bin", STR("hello"));
	end_tar(f);
	assert_int_equal(open_tar(f, 1 << 20, 9), STATUS_OK);
	files.package = f->package;
	f->package = NULL; /* it is the files' now */
	files.allow_outside = true;
	assert_int_equal(snap_files_join(&files, STR("a.bin, ../b.bin,a.bin"), place_none(),
	                                 &f->diags, &whole),
	                 STATUS_OK);
	assert_int_equal(bytes_left(&whole), 4 * page + 5);
	assert_memory_equal(whole.pos, large, 2 * page);
	assert_memory_equal(whole.pos + 2 * page, "hello", 5);
	assert_memory_equal(whole.pos + 2 * page + 5, large, 2 * page);
	assert_int_equal(
	        snap_files_map(&files, STR("./a.bin"), place_none(), &f->diags, &first, &path),
	        STATUS_OK);
	assert_memory_equal(first.pos, large, 2 * page);
	assert_true(str_eq(path, STR("/x.tar/s/a.bin")));
	assert_int_equal(snap_files_map(&files, STR("b.bin"), place_line(STR("x.ini"), 3),
	                                &f->diags, &first, NULL),
	                 STATUS_NOT_FOUND);
	assert_int_equal(
	        snap_files_map(&files, STR("../../b.bin"), place_none(), &f->diags, &first, NULL),
	        STATUS_BAD_DATA);
	files.allow_outside = false;
	assert_int_equal(
	        snap_files_map(&files, STR("../b.bin"), place_none(), &f->diags, &first, NULL),
	        STATUS_BAD_DATA);
	assert_diags(&f->diags, "x.ini:3: error: cannot open \"b.bin\": the archive has no member "
	                        "\"s/b.bin\"\n"
	                        "error: \"../../b.bin\" leaves the archive\n"
	                        "error: \"../b.bin\" leaves the snapshot's folder; see "
	                        "--allow-outside\n");
	assert_int_equal(mincore((void *)(uintptr_t)whole.pos, page, pages), 0);
	snap_files_fini(&files);
	assert_int_equal(mincore((void *)(uintptr_t)whole.pos, page, pages), -1);
	arena_fini(&arena);
	free(large);
}

static void package_odd_members_are_left_out(void **state)
{
	struct fixture *f = *state;

	add_file(f, "x", STR("first"));
	add_file(f, "../up", STR("bad"));
	add_file(f, "/etc/abs", STR("bad"));
	add_file(f, "a/../../up", STR("bad"));
	add_file(f, "a/../b", STR("bad"));
	add_header(f, "soft", 0, '2');
	add_header(f, "hard", 0, '1');
	add_header(f, "fifo", 0, '6');
	add_header(f, "device", 0, '3');
	add_file(f, "./x", STR("second"));
	add_file(f, "./", STR(""));
	add_file(f, "y", STR("last"));
	end_tar(f);
	assert_int_equal(open_tar(f, 100, 100), STATUS_OK);
	assert_int_equal(package_count(f->package), 2);
	assert_member(f, "x", STR("first"));
	assert_member(f, "y", STR("last"));
	assert_diags(
	        &f->diags,
	        "x.tar: error: member \"../up\" has a name that leads out of the archive; it is "
	        "left out\n"
	        "x.tar: error: member \"/etc/abs\" has a name that leads out of the archive; it "
	        "is left out\n"
	        "x.tar: error: member \"a/../../up\" has a name that leads out of the archive; "
	        "it is left out\n"
	        "x.tar: error: member \"a/../b\" has a name that leads out of the archive; it is "
	        "left out\n"
	        "x.tar: error: member \"soft\" is a link; it is left out\n"
	        "x.tar: error: member \"hard\" is a link; it is left out\n"
	        "x.tar: error: member \"fifo\" is not a regular file; it is left out\n"
	        "x.tar: error: member \"device\" is not a regular file; it is left out\n"
	        "x.tar: error: member \"x\" is there already; it is left out\n");
}

static void package_at_the_limits_opens(void **state)
{
	struct fixture *f = *state;

	add_file(f, "a", STR("12345"));
	add_file(f, "b", STR("12345"));
	end_tar(f);
	assert_int_equal(open_tar(f, 10, 2), STATUS_OK);
	assert_diags(&f->diags, "");
}

static void package_over_the_limit_of_bytes_is_refused(void **state)
{
	struct fixture *f = *state;

	add_file(f, "a", STR("12345"));
	add_file(f, "b", STR("12345"));
	end_tar(f);
	assert_int_equal(open_tar(f, 9, 2), STATUS_UNSUPPORTED);
	assert_null(f->package);
	assert_diags(&f->diags,
	             "x.tar: error: with member \"b\" the archive unpacks to 10 bytes or "
	             "more, the limit is 9\n");
}

/* Reading over it costs as much as unpacking it. */
static void package_what_is_left_out_counts(void **state)
{
	struct fixture *f = *state;

	add_file(f, "../a", STR("12345"));
	add_file(f, "b", STR("12345"));
	end_tar(f);
	assert_int_equal(open_tar(f, 9, 2), STATUS_UNSUPPORTED);
	assert_null(f->package);
}

static void package_over_the_limit_of_members_is_refused(void **state)
{
	struct fixture *f = *state;

	add_file(f, "a", STR(""));
	add_header(f, "b/", 0, '5');
	end_tar(f);
	assert_int_equal(open_tar(f, 9, 1), STATUS_UNSUPPORTED);
	assert_null(f->package);
	assert_diags(&f->diags, "x.tar: error: the archive has more members than the limit of 1\n");
}

/* 9 GiB in 1.5 KiB: refused by what its header says. */
static void package_bomb_is_refused(void **state)
{
	struct fixture *f = *state;

	add_header(f, "bomb", UINT64_C(9) << 30, '0');
	end_tar(f);
	assert_int_equal(package_open(bytes_of(f->tar.data, f->tar.length), STR("x.tar"), NULL,
	                              &f->diags, &f->package),
	                 STATUS_UNSUPPORTED);
	assert_null(f->package);
	assert_diags(&f->diags, "x.tar: error: with member \"bomb\" the archive unpacks to "
	                        "9663676416 bytes or more, the limit is 8589934592\n");
}

/* What is whole is there; what is cut is reported. */
static void package_cut_tar_keeps_what_is_whole(void **state)
{
	struct fixture *f = *state;
	size_t end_of_a;
	size_t end_of_b;

	add_file(f, "a", STR("hello"));
	end_of_a = f->tar.length;
	add_file(f, "b", STR("world"));
	end_of_b = f->tar.length;
	end_tar(f);
	for (size_t length = 0; length < end_of_b; length += 64) {
		f->tar.length = length;
		if (open_tar(f, 100, 100) == STATUS_OK) {
			assert_true(length >= BLOCK + 64);
			assert_member(f, "a", STR("hello"));
			assert_true(length == end_of_a || f->diags.errors > 0);
		} else {
			assert_true(length < end_of_a);
			assert_true(f->diags.errors > 0);
		}
		diag_list_fini(&f->diags);
		package_close(f->package);
		f->package = NULL;
	}
}

/* As on a file system that is full: no file may become larger than `room`. */
static enum status open_tar_in(struct fixture *f, rlim_t room)
{
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	struct rlimit before;
	struct rlimit full;
	enum status status;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	full = (struct rlimit){room, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	status = open_tar(f, 1000000, 100);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, handler);
	return status;
}

static void package_that_cannot_be_written_is_an_error(void **state)
{
	enum { SIZE = 100000 };
	struct fixture *f = *state;
	char *content = calloc(1, SIZE);

	assert_non_null(content);
	add_file(f, "a", STR("hello"));
	add_file(f, "folder/b", (struct str){content, SIZE});
	end_tar(f);
	free(content);
	assert_int_equal(open_tar_in(f, SIZE / 2), STATUS_IO);
	assert_null(f->package);
	assert_diags(&f->diags,
	             "x.tar: error: cannot unpack member \"folder/b\": File too large\n");
	diag_list_fini(&f->diags);
	assert_int_equal(open_tar_in(f, 2 * (rlim_t)SIZE), STATUS_OK);
	assert_int_equal(package_count(f->package), 2);
}

/* An empty member writes nothing, but it has its place: at a page, after the limit. */
static void package_that_has_no_room_for_a_member_is_an_error(void **state)
{
	struct fixture *f = *state;

	add_file(f, "a", STR("hello"));
	add_file(f, "b", STR(""));
	end_tar(f);
	assert_int_equal(open_tar_in(f, 100), STATUS_IO);
	assert_diags(&f->diags, "x.tar: error: cannot unpack member \"b\": File too large\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(package_kind_is_told_by_content),
	        CASE(package_name_is_resolved_in_its_folder),
	        CASE(package_members_are_mapped),
	        CASE(package_map_outlives_the_package),
	        CASE(package_files_are_joined),
	        CASE(package_odd_members_are_left_out),
	        CASE(package_at_the_limits_opens),
	        CASE(package_over_the_limit_of_bytes_is_refused),
	        CASE(package_what_is_left_out_counts),
	        CASE(package_over_the_limit_of_members_is_refused),
	        CASE(package_bomb_is_refused),
	        CASE(package_cut_tar_keeps_what_is_whole),
	        CASE(package_that_cannot_be_written_is_an_error),
	        CASE(package_that_has_no_room_for_a_member_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
