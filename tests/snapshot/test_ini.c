/* SPDX-License-Identifier: Apache-2.0 */
/* The INI adapter: what real snapshots write, and each trap of inih. */
#include "scratch.h"

#include "snapshot/file/ini.h"

struct fixture {
	struct arena arena;
	struct diag_list diags;
	struct ini_file file;
};

static void load(struct fixture *f, const char *content, size_t size)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(
	        ini_load(&f->arena, STR("x.ini"), (struct str){content, size}, &f->diags, &f->file),
	        STATUS_OK);
}

/* The file as text, "[section:line]" and "key|value|line" a line each, and the diagnostics. */
static void assert_parses(const char *content, size_t size, const char *expected, const char *diags)
{
	struct fixture f;
	struct text text = {0};

	load(&f, content, size);
	text_puts(&text, "");
	for (size_t i = 0; i < f.file.section_count; i++) {
		const struct ini_section *section = &f.file.sections[i];

		text_printf(&text, "[%.*s:%llu]\n", STR_ARG(section->name),
		            (unsigned long long)section->line);
		for (size_t j = 0; j < section->entry_count; j++)
			text_printf(&text, "%.*s|%.*s|%llu\n", STR_ARG(section->entries[j].key),
			            STR_ARG(section->entries[j].value),
			            (unsigned long long)section->entries[j].line);
	}
	assert_string_equal(text.data ? text.data : "", expected);
	assert_diags(&f.diags, diags);
	text_fini(&text);
	arena_fini(&f.arena);
}

#define PARSES(content, expected, diags)                                                           \
	assert_parses((content), sizeof(content) - 1, (expected), (diags))

static void ini_plain_file_gives_entries_with_lines(void **state)
{
	(void)state;
	PARSES("; remark\n\n[a]\nk=v\n# other\n[b]\nx = y z \n", "[a:3]\nk|v|4\n[b:6]\nx|y z|7\n",
	       "");
}

static void ini_register_keys_are_joined_at_their_colon(void **state)
{
	(void)state;
	PARSES("[regs]\nPC(size:64)=0x80\nD0 (id:90, size:64) = 0x1\nR(77)=1\nQ (0x20, "
	       "size:64)=2\n",
	       "[regs:1]\nPC(size:64)|0x80|2\nD0 (id:90, size:64)|0x1|3\nR(77)|1|4\n"
	       "Q (0x20, size:64)|2|5\n",
	       "");
}

static void ini_colons_in_values_stay(void **state)
{
	(void)state;
	PARSES("[s]\ncpu=@address:0x12\nlocation=dap:2,ap:1\nC:0=a\n",
	       "[s:1]\ncpu|@address:0x12|2\nlocation|dap:2,ap:1|3\nC:0|a|4\n", "");
}

static void ini_colon_for_equals_is_odd(void **state)
{
	(void)state;
	PARSES("[s]\nk: v\n", "[s:1]\nk|v|2\n",
	       "x.ini:2: warning: \"k:v\" has a : where = is expected\n");
	/* It is the first that is in no parentheses; if there is none, the first. */
	PARSES("[s]\nR(size:64): 5\nR((a:1)b:2): 6\n", "[s:1]\nR(size:64)|5|2\nR((a:1)b:2)|6|3\n",
	       "x.ini:2: warning: \"R(size:64): 5\" has a : where = is expected\n"
	       "x.ini:3: warning: \"R((a:1)b:2): 6\" has a : where = is expected\n");
	PARSES("[s]\na)b: 5\nR(size:64\n", "[s:1]\na)b|5|2\nR(size|64|3\n",
	       "x.ini:2: warning: \"a)b:5\" has a : where = is expected\n"
	       "x.ini:3: warning: \"R(size:64\" has a : where = is expected\n");
}

static void ini_repeated_sections_and_keys_are_kept_apart(void **state)
{
	(void)state;
	PARSES("[dump]\nk=1\nk=2\n[dump]\nk=3\n[empty]\n",
	       "[dump:1]\nk|1|2\nk|2|3\n[dump:4]\nk|3|5\n[empty:6]\n", "");
}

static void ini_last_line_needs_no_newline(void **state)
{
	(void)state;
	PARSES("[s]\nk=v", "[s:1]\nk|v|2\n", "");
}

static void ini_windows_file_is_read(void **state)
{
	(void)state;
	PARSES("\xef\xbb\xbf[s]\r\nk=v\r\n\r\nl=w\r\n", "[s:1]\nk|v|2\nl|w|4\n", "");
}

static void ini_indented_lines_are_no_continuations(void **state)
{
	(void)state;
	PARSES("[s]\nk=v\n  l=w\n\tm=x\n  [t]\n  n=y\n",
	       "[s:1]\nk|v|2\nl|w|3\nm|x|4\n[t:5]\nn|y|6\n", "");
}

static void ini_comments_after_values_are_cut(void **state)
{
	(void)state;
	PARSES("[s] ; one\nk=v ; two\nl=w # three\nm=a;b#c\n", "[s:1]\nk|v|2\nl|w|3\nm|a;b#c|4\n",
	       "");
}

static void ini_bad_lines_are_reported_and_skipped(void **state)
{
	(void)state;
	PARSES("[s]\nnonsense\nk=v\n=w\n", "[s:1]\nk|v|3\n",
	       "x.ini:2: error: expected KEY=VALUE, got \"nonsense\"\n"
	       "x.ini:4: error: \"=w\" has no key\n");
}

static void ini_key_before_sections_is_an_error(void **state)
{
	(void)state;
	PARSES("k=v\n[s]\n", "[s:2]\n", "x.ini:1: error: key \"k\" is before the first section\n");
}

static void ini_open_section_header_takes_no_keys_of_another(void **state)
{
	(void)state;
	PARSES("[a]\nk=1\n[b\nk=2\n", "[a:1]\nk|1|2\n[:3]\nk|2|4\n",
	       "x.ini:3: error: \"[b\" has no closing ]\n");
}

static void ini_nul_byte_is_an_error(void **state)
{
	(void)state;
	PARSES("[s]\nk=\0v\nl=w\n", "[s:1]\nl|w|3\n",
	       "x.ini:2: error: the line holds a NUL byte; expected text\n");
}

static void ini_empty_file_has_no_section(void **state)
{
	(void)state;
	PARSES("", "", "");
}

/* A line of `key_size` and `value_size` bytes comes back whole. */
static void check_long_line(size_t key_size, size_t value_size, const char *values)
{
	struct fixture f;
	size_t size = key_size + 1 + value_size;
	char *content = malloc(size + 5);
	size_t kinds = strlen(values);

	assert_non_null(content);
	memcpy(content, "[s]\n", 4);
	memset(content + 4, 'k', key_size);
	content[4 + key_size] = '=';
	for (size_t i = 0; i < value_size; i++)
		content[5 + key_size + i] = values[i % kinds];
	content[4 + size] = '\n';
	load(&f, content, size + 5);
	assert_int_equal(f.diags.count, 0);
	assert_int_equal(f.file.sections[0].entry_count, 1);
	assert_int_equal(f.file.sections[0].entries[0].key.n, key_size);
	assert_int_equal(f.file.sections[0].entries[0].value.n, value_size);
	assert_memory_equal(f.file.sections[0].entries[0].value.p, content + 5 + key_size,
	                    value_size);
	diag_list_fini(&f.diags);
	arena_fini(&f.arena);
	free(content);
}

static void ini_long_lines_come_back_whole(void **state)
{
	(void)state;
	for (size_t i = 150; i < 450; i++)
		check_long_line(4, i, "abcdefg");
	check_long_line(60, 5000, "abc,");
	check_long_line(190, 400, "x");
	check_long_line(197, 1, "x");
	/* Places where a piece must not begin or end. */
	check_long_line(1, 1001, "ab c");
	check_long_line(1, 1001, "a;#b");
	check_long_line(1, 1001, "=:[]");
}

static void ini_key_over_the_line_limit_is_an_error(void **state)
{
	struct text content = {0};

	(void)state;
	text_puts(&content, "[s]\n");
	for (int i = 0; i < 198; i++)
		text_char(&content, 'k');
	text_puts(&content, "=v\nl=w\n");
	assert_parses(content.data, content.length, "[s:1]\nl|w|3\n",
	              "x.ini:2: error: key \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...\" is 198 "
	              "bytes, expected at most 197\n");
	text_fini(&content);
}

static void ini_value_without_a_place_to_cut_is_an_error(void **state)
{
	struct text content = {0};

	(void)state;
	text_puts(&content, "[s]\nk=v");
	for (int i = 0; i < 300; i++)
		text_char(&content, ' ');
	text_puts(&content, "w\nl=x\n");
	assert_parses(content.data, content.length, "[s:1]\nl|x|3\n",
	              "x.ini:2: error: the value is longer than 199 bytes and cannot be cut\n");
	text_fini(&content);
}

static void ini_long_section_name_is_kept(void **state)
{
	struct fixture f;
	char content[300];

	(void)state;
	memset(content, 'n', sizeof(content));
	content[0] = '[';
	content[sizeof(content) - 1] = ']';
	load(&f, content, sizeof(content));
	assert_int_equal(f.file.section_count, 1);
	assert_int_equal(f.file.sections[0].name.n, sizeof(content) - 2);
	arena_fini(&f.arena);
}

static void ini_lookup_ignores_case_and_quotes(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "[s]\nFile = \"a b.bin\"\n", 20);
	assert_true(str_eq(ini_section_value(&f.file.sections[0], STR("fILE")), STR("a b.bin")));
	assert_int_equal(ini_section_value(&f.file.sections[0], STR("none")).n, 0);
	assert_null(ini_section_find(&f.file.sections[0], STR("none")));
	arena_fini(&f.arena);
}

/* Whatever the bytes are, loading ends, and each line is there at most once. */
static void ini_random_bytes_are_survived(void **state)
{
	static const char alphabet[] = "=:()[];# \t\n\n\r,\"kv0\0\xef";
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char content[600];
		size_t size = next_random(&seed) % sizeof(content);
		size_t entries = 0;
		size_t lines = 1;
		struct fixture f;

		for (size_t i = 0; i < size; i++) {
			content[i] = alphabet[next_random(&seed) % (sizeof(alphabet) - 1)];
			lines += content[i] == '\n';
		}
		load(&f, content, size);
		for (size_t i = 0; i < f.file.section_count; i++)
			entries += f.file.sections[i].entry_count;
		assert_true(entries + f.file.section_count <= lines);
		diag_list_fini(&f.diags);
		arena_fini(&f.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ini_plain_file_gives_entries_with_lines),
	        cmocka_unit_test(ini_register_keys_are_joined_at_their_colon),
	        cmocka_unit_test(ini_colons_in_values_stay),
	        cmocka_unit_test(ini_colon_for_equals_is_odd),
	        cmocka_unit_test(ini_repeated_sections_and_keys_are_kept_apart),
	        cmocka_unit_test(ini_last_line_needs_no_newline),
	        cmocka_unit_test(ini_windows_file_is_read),
	        cmocka_unit_test(ini_indented_lines_are_no_continuations),
	        cmocka_unit_test(ini_comments_after_values_are_cut),
	        cmocka_unit_test(ini_bad_lines_are_reported_and_skipped),
	        cmocka_unit_test(ini_key_before_sections_is_an_error),
	        cmocka_unit_test(ini_open_section_header_takes_no_keys_of_another),
	        cmocka_unit_test(ini_nul_byte_is_an_error),
	        cmocka_unit_test(ini_empty_file_has_no_section),
	        cmocka_unit_test(ini_long_lines_come_back_whole),
	        cmocka_unit_test(ini_key_over_the_line_limit_is_an_error),
	        cmocka_unit_test(ini_value_without_a_place_to_cut_is_an_error),
	        cmocka_unit_test(ini_long_section_name_is_kept),
	        cmocka_unit_test(ini_lookup_ignores_case_and_quotes),
	        cmocka_unit_test(ini_random_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
