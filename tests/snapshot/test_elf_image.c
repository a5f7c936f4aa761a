/* SPDX-License-Identifier: Apache-2.0 */
/* ELF images: both classes, both byte orders, load addresses, files that lie. */
#include "scratch.h"

#include "elf_bytes.h"
#include "snapshot/elf_image.h"

enum { FILE_SIZE = 512 };

static const struct elf_part two_parts[] = {
        {PF_R | PF_X, 256, 0x10000, 64, 64},
        {PF_R | PF_W, 320, 0x20000, 16, 4096},
};

struct fixture {
	struct scratch scratch;
	struct diag_list diags;
	struct elf_image *image;
	uint8_t file[FILE_SIZE];
	char path[PATH_MAX];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	scratch_open(&f->scratch);
	(void)scratch_path(&f->scratch, "x.elf", f->path);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	elf_image_close(f->image);
	diag_list_fini(&f->diags);
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static enum status open_file(struct fixture *f, const uint64_t *load_address)
{
	elf_image_close(f->image);
	f->image = NULL;
	scratch_write(&f->scratch, "x.elf", f->file, sizeof(f->file));
	return elf_image_open(f->path, load_address, place_none(), &f->diags, &f->image);
}

static void build(struct fixture *f, bool is_64bit, bool big_endian, uint16_t machine)
{
	elf_build(f->file, sizeof(f->file), &(struct elf_form){is_64bit, big_endian, machine},
	          two_parts, 2);
}

/* The message with the file's name in it, which differs from run to run. */
static void assert_refused(struct fixture *f, enum status status, const char *message)
{
	char expected[PATH_MAX + 200];

	assert_int_equal(open_file(f, NULL), status);
	assert_null(f->image);
	(void)snprintf(expected, sizeof(expected), "error: ELF \"%s\"%s\n", f->path, message);
	assert_diags(&f->diags, expected);
}

static void elf_image_every_form_is_read(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++) {
		bool is_64bit = i & 1;

		build(f, is_64bit, i & 2, is_64bit ? EM_AARCH64 : EM_ARM);
		memset(f->file + 256, 0x5a, 64);
		assert_int_equal(open_file(f, NULL), STATUS_OK);
		assert_int_equal(f->image->is_64bit, is_64bit);
		assert_int_equal(f->image->machine, is_64bit ? EM_AARCH64 : EM_ARM);
		assert_int_equal(f->image->entry, 0x10000);
		assert_int_equal(f->image->load_bias, 0);
		assert_true(str_eq(f->image->path, str_of(f->path)));
		assert_int_equal(f->image->segment_count, 2);
		assert_int_equal(f->image->segments[0].address, 0x10000);
		assert_int_equal(f->image->segments[0].file_size, 64);
		assert_true(f->image->segments[0].executable);
		assert_false(f->image->segments[0].writable);
		assert_int_equal(f->image->segments[0].data[63], 0x5a);
		assert_int_equal(f->image->segments[1].memory_size, 4096);
		assert_true(f->image->segments[1].writable);
	}
	assert_diags(&f->diags, "");
}

static void elf_image_load_address_moves_all(void **state)
{
	struct fixture *f = *state;
	uint64_t load = UINT64_C(0xffffff8000000000);

	build(f, true, false, EM_AARCH64);
	assert_int_equal(open_file(f, &load), STATUS_OK);
	assert_int_equal(f->image->segments[0].address, load);
	assert_int_equal(f->image->segments[1].address, load + 0x10000);
	assert_int_equal(f->image->entry, load);
	assert_int_equal(f->image->load_bias, load - 0x10000);
}

static void elf_image_load_address_too_high_is_refused(void **state)
{
	struct fixture *f = *state;
	uint64_t load = UINT64_MAX - 0x10000;

	build(f, true, false, EM_AARCH64);
	assert_int_equal(open_file(f, &load), STATUS_BAD_DATA);
	assert_int_equal(f->diags.errors, 1);
}

static void elf_image_of_another_machine_is_refused(void **state)
{
	struct fixture *f = *state;

	build(f, true, false, EM_X86_64);
	assert_refused(f, STATUS_UNSUPPORTED,
	               " is for machine 62, expected 183 (AArch64) or 40 (Arm)");
}

/* BE-32: what would be shown as instructions are other ones. */
static void elf_image_of_big_endian_code_is_refused(void **state)
{
	struct fixture *f = *state;

	build(f, false, true, EM_ARM);
	memset(f->file + offsetof(Elf32_Ehdr, e_flags), 0, 4);
	assert_refused(f, STATUS_UNSUPPORTED,
	               ": its code is big endian, too (BE-32: linked without --be8)");
}

static void elf_image_of_text_is_refused(void **state)
{
	struct fixture *f = *state;

	memset(f->file, 'x', sizeof(f->file));
	assert_refused(f, STATUS_BAD_DATA, ": not an ELF file");
}

static void elf_image_without_segments_is_refused(void **state)
{
	struct fixture *f = *state;

	build(f, true, false, EM_AARCH64);
	f->file[56] = 0; /* e_phnum */
	assert_refused(f, STATUS_BAD_DATA, ": it has no loadable segment");
}

static void elf_image_segment_beyond_the_file_is_refused(void **state)
{
	struct fixture *f = *state;
	struct elf_part part = {PF_R, 500, 0x1000, 64, 64};

	elf_build(f->file, sizeof(f->file), &(struct elf_form){true, false, EM_AARCH64}, &part, 1);
	assert_refused(f, STATUS_BAD_DATA, ": a segment ends at byte 0x234, the file at 0x200");
}

static void elf_image_segment_that_wraps_is_refused(void **state)
{
	struct fixture *f = *state;
	struct elf_part parts[] = {
	        {PF_R, 256, UINT64_MAX - 10, 64, 64},
	        {PF_R, 256, 0x1000, 64, 32},
	        {PF_R, UINT64_MAX - 3, 0x1000, 64, 64},
	        {PF_R, 256, 0, UINT64_MAX - 100, UINT64_MAX - 100},
	};

	elf_build(f->file, sizeof(f->file), &(struct elf_form){true, false, EM_AARCH64}, &parts[0],
	          1);
	assert_refused(f, STATUS_BAD_DATA, ": a segment goes beyond the end of the address space");
	elf_build(f->file, sizeof(f->file), &(struct elf_form){true, false, EM_AARCH64}, &parts[1],
	          1);
	assert_refused(f, STATUS_BAD_DATA, ": a segment is larger in the file than in memory");
	for (size_t i = 2; i < 4; i++) {
		elf_build(f->file, sizeof(f->file), &(struct elf_form){true, false, EM_AARCH64},
		          &parts[i], 1);
		assert_int_equal(open_file(f, NULL), STATUS_BAD_DATA);
	}
}

static void elf_image_missing_file_is_an_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(elf_image_open("/none.elf", NULL, place_none(), &f->diags, &f->image),
	                 STATUS_NOT_FOUND);
	assert_diags(&f->diags, "error: cannot open \"/none.elf\": No such file or directory\n");
}

/* Whatever a changed file says, its segments lie in it. */
static void elf_image_random_changes_are_survived(void **state)
{
	struct fixture *f = *state;
	uint64_t seed = 3;

	for (int round = 0; round < 1500; round++) {
		build(f, round & 1, round & 2, round & 1 ? EM_AARCH64 : EM_ARM);
		for (uint32_t i = 0; i <= next_random(&seed) % 4; i++)
			f->file[next_random(&seed) % 180] = (uint8_t)next_random(&seed);
		if (open_file(f, NULL) != STATUS_OK) {
			assert_int_equal(f->diags.errors, 1);
			diag_list_fini(&f->diags);
			continue;
		}
		for (size_t i = 0; i < f->image->segment_count; i++) {
			const struct elf_segment *segment = &f->image->segments[i];
			uint64_t offset = (uint64_t)(segment->data - f->image->file.begin);

			assert_true(offset <= FILE_SIZE);
			assert_true(segment->file_size <= FILE_SIZE - offset);
			assert_true(segment->file_size <= segment->memory_size);
		}
	}
}

/*
 * Of a 32-bit Arm kernel three sets of vectors are linked at one address, one of which it copies
 * there: what they hold alike is known, and no more.
 */
static void elf_image_segments_of_one_address_have_what_they_agree_on(void **state)
{
	static const struct elf_part parts[] = {
	        {PF_R | PF_X, 256, 0x10000, 64, 64},
	        {PF_R | PF_X, 384, 0xffff0000, 32, 32},
	        {PF_R | PF_X, 320, 0x10010, 16, 16}, /* within the first one */
	        {PF_R | PF_X, 416, 0xffff0000, 32, 32},
	        {PF_R | PF_X, 448, 0xffff0008, 32, 32}, /* as the one before says it */
	};
	static const struct {
		uint64_t address;
		uint64_t size;
	} left[] = {{0x10000, 0x14},    {0x10018, 0x28},    {0xffff0000, 4},
	            {0xffff000c, 0x14}, {0x10010, 4},       {0x10018, 8},
	            {0xffff0000, 4},    {0xffff000c, 0x14}, {0xffff000c, 0x1c}};
	struct fixture *f = *state;

	elf_build(f->file, sizeof(f->file), &(struct elf_form){false, false, EM_ARM}, parts, 5);
	f->file[320 + 4] = f->file[320 + 7] = 0xea;
	memset(f->file + 384 + 4, 1, 8);
	memset(f->file + 416 + 4, 2, 8);
	memset(f->file + 448, 2, 4);
	assert_int_equal(open_file(f, NULL), STATUS_OK);
	assert_int_equal(f->image->segment_count, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(f->image->segments[i].address, left[i].address);
		assert_int_equal(f->image->segments[i].file_size, left[i].size);
	}
	assert_int_equal(f->diags.count, 1);
	assert_int_equal(f->diags.errors, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(elf_image_every_form_is_read),
	        CASE(elf_image_load_address_moves_all),
	        CASE(elf_image_load_address_too_high_is_refused),
	        CASE(elf_image_of_another_machine_is_refused),
	        CASE(elf_image_of_big_endian_code_is_refused),
	        CASE(elf_image_of_text_is_refused),
	        CASE(elf_image_without_segments_is_refused),
	        CASE(elf_image_segment_beyond_the_file_is_refused),
	        CASE(elf_image_segment_that_wraps_is_refused),
	        CASE(elf_image_missing_file_is_an_error),
	        CASE(elf_image_random_changes_are_survived),
	        CASE(elf_image_segments_of_one_address_have_what_they_agree_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
