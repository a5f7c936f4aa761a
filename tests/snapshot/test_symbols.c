/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by address, from symbol tables made by hand, whole and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/support/made_symbols.h"

static const struct made_function functions[] = {
        {"main", 0x1000, 0x20, 2}, {"inner", 0x1008, 0, 0},  {"$x", 0x1000, 0, 0},
        {"start", 0x1020, 0, 0},   {"after", 0x1040, 8, 2},  {"data", 0x1050, 8, 1},
        {"alias", 0x1000, 0, 0},   {"ifunc", 0x1060, 4, 10},
};

enum { COUNT = sizeof(functions) / sizeof(functions[0]) };

static void assert_formats(const struct symbols *symbols, uint64_t address, const char *want)
{
	struct text out = {0};

	symbols_format(symbols, address, &out);
	assert_string_equal(out.data, want);
	text_fini(&out);
}

static void symbols_give_the_function_that_has_the_address(void **state)
{
	static const struct {
		uint64_t address;
		const char *text;
	} cases[] = {
	        {0xfff, "0xfff"},      {0x1000, "main"},   {0x1008, "main+0x8"},
	        {0x101f, "main+0x1f"}, {0x1020, "start"},  {0x103f, "start+0x1f"},
	        {0x1047, "after+0x7"}, {0x1048, "0x1048"}, {0x1050, "0x1050"},
	        {0x1060, "ifunc"},     {0x1064, "0x1064"},
	};
	struct symbols *symbols;

	(void)state;
	make_functions(functions, COUNT);
	assert_int_equal(symbols_open(made_images, 1, &symbols), STATUS_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_formats(symbols, cases[i].address, cases[i].text);
	assert_formats(NULL, 0x1000, "0x1000");
	symbols_close(symbols);
}

static void symbols_move_with_their_image_and_drop_the_bit_of_t32(void **state)
{
	static const struct made_function odd[] = {{"t32", 0x1001, 4, 2}};
	struct symbols *symbols;

	(void)state;
	make_functions(odd, 1);
	made_image.machine = 40;
	made_image.load_bias = 0x10000;
	assert_int_equal(symbols_open(made_images, 1, &symbols), STATUS_OK);
	assert_formats(symbols, 0x11000, "t32");
	assert_formats(symbols, 0x1000, "0x1000");
	symbols_close(symbols);
}

/* As `_init` of .init, after which .plt comes. */
static void symbol_without_a_size_ends_with_its_section(void **state)
{
	struct symbols *symbols;

	(void)state;
	make_functions(functions, COUNT);
	put(0x3c, 2, 4);
	put_section(3, 1, 0, 0x10, 0);
	put(0x40 + 3 * 0x40 + 16, 8, 0x1020);
	put(MADE_SYMBOLS + 3 * 24 + 6, 2, 3);
	assert_int_equal(symbols_open(made_images, 1, &symbols), STATUS_OK);
	assert_formats(symbols, 0x102f, "start+0xf");
	assert_formats(symbols, 0x1030, "0x1030");
	symbols_close(symbols);
}

/* Of two processes with an image each at one address, nothing says which is meant. */
static void symbols_of_two_contexts_at_an_address_are_none(void **state)
{
	static struct elf_image other;
	struct elf_image *both[] = {&made_image, &other};
	struct symbols *symbols;

	(void)state;
	make_functions(functions, COUNT);
	other = made_image;
	other.context.has_id = true;
	assert_int_equal(symbols_open(both, 2, &symbols), STATUS_OK);
	assert_formats(symbols, 0x1000, "0x1000");
	symbols_close(symbols);
	other.context.has_id = false;
	assert_int_equal(symbols_open(both, 2, &symbols), STATUS_OK);
	assert_formats(symbols, 0x1000, "main");
	symbols_close(symbols);
}

/* What is left of a file that ends anywhere is read, and nothing beyond it. */
static void symbols_of_a_file_cut_short_are_those_that_are_there(void **state)
{
	struct symbols *symbols;
	struct function_symbol found;

	(void)state;
	make_functions(functions, COUNT);
	for (size_t size = 0; size < MADE_SIZE; size += 5) {
		made_image.file = bytes_of(made_file, size);
		assert_int_equal(symbols_open(made_images, 1, &symbols), STATUS_OK);
		assert_false(symbols_find(symbols, 0x1000, &found) && size < MADE_NAMES);
		symbols_close(symbols);
	}
	put(0x40 + 0x40 + 24, 8, UINT64_MAX - 8);
	made_image.file = bytes_of(made_file, MADE_SIZE);
	assert_int_equal(symbols_open(made_images, 1, &symbols), STATUS_OK);
	assert_false(symbols_find(symbols, 0x1000, &found));
	symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(symbols_give_the_function_that_has_the_address),
	        cmocka_unit_test(symbols_move_with_their_image_and_drop_the_bit_of_t32),
	        cmocka_unit_test(symbol_without_a_size_ends_with_its_section),
	        cmocka_unit_test(symbols_of_two_contexts_at_an_address_are_none),
	        cmocka_unit_test(symbols_of_a_file_cut_short_are_those_that_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
