/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items of data trace among the events of a history: late values at their places, and what belongs
 * to nothing. ETMv3, IHI 0014, 7.4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/session/made_session.h"

enum { MOST = 12 };

static struct element item(enum data_kind kind, uint8_t tag, bool has_value, uint64_t value)
{
	struct element e = {.type = ELEMENT_DATA};

	e.data = (struct data_trace){
	        .kind = kind, .tag = tag, .has_value = has_value, .value = value};
	return e;
}

static struct element place(uint8_t tag)
{
	return item(DATA_PLACE, tag, false, 0);
}

static struct element late(uint8_t tag, uint64_t value)
{
	return item(DATA_LATE, tag, true, value);
}

static struct element transfer(uint64_t value)
{
	return item(DATA_TRANSFER, 0, true, value);
}

static struct element store_failed(void)
{
	return item(DATA_STORE_FAILED, 0, false, 0);
}

static struct element overflowed(void)
{
	return (struct element){.type = ELEMENT_TRACE_ON, .trace_on = TRACE_ON_OVERFLOW};
}

/*
 * The items come after a NOP. `expected` has a letter each: v the value 0x10 plus its place in the
 * list is there, - none is, x it is void; of all others than transfers and places a dot.
 */
static void assert_items(const struct element *items, size_t count, const char *expected)
{
	struct element elements[MOST + 1] = {range(0x1000, 1, INSN_OTHER, true)};
	struct history_event event;
	struct fixture f;

	memcpy(elements + 1, items, count * sizeof(*items));
	leads_to(0x1004);
	open_fixture(&f, elements, count + 1);
	assert_int_equal(history_event_count(f.history), count);
	for (size_t i = 0; history_event(f.history, i, &event); i++) {
		const struct data_trace *traced = &event.element.data;
		char letter = '-';

		assert_int_equal(event.position, 1);
		if (event.element.type != ELEMENT_DATA ||
		    (traced->kind != DATA_TRANSFER && traced->kind != DATA_PLACE))
			letter = '.';
		else if (traced->is_void)
			letter = 'x';
		else if (traced->has_value)
			letter = traced->value == 0x10 + i ? 'v' : '?';
		assert_int_equal(letter, expected[i]);
	}
	close_fixture(&f);
}

#define ASSERT_ITEMS(expected, ...)                                                                \
	do {                                                                                       \
		const struct element items[] = {__VA_ARGS__};                                      \
                                                                                                   \
		assert_items(items, sizeof(items) / sizeof(items[0]), (expected));                 \
	} while (false)

static void late_value_is_at_its_place(void **state)
{
	(void)state;
	ASSERT_ITEMS("v.", place(1), late(1, 0x10));
	ASSERT_ITEMS("v-v..", place(1), place(2), place(3), late(3, 0x12), late(1, 0x10));
	ASSERT_ITEMS("v.v.", place(1), late(1, 0x10), place(1), late(1, 0x12));
	ASSERT_ITEMS("-.", place(1), late(2, 0x10));
	ASSERT_ITEMS(".-", late(1, 0x11), place(1));
}

/* The last of these lists has a place after all that waited have their values. */
static void of_two_places_neither_has_a_certain_value(void **state)
{
	(void)state;
	ASSERT_ITEMS("--..", place(1), place(1), late(1, 0x10), late(1, 0x11));
	ASSERT_ITEMS("--.-..", place(1), place(1), late(1, 0x10), place(1), late(1, 0x11),
	             late(1, 0x13));
	ASSERT_ITEMS("--..v.", place(1), place(1), late(1, 0), late(1, 0), place(1), late(1, 0x14));
}

static void what_waited_before_a_loss_gets_no_value(void **state)
{
	(void)state;
	ASSERT_ITEMS("-..", place(1), overflowed(), late(1, 0x10));
	ASSERT_ITEMS("-.v.", place(1), overflowed(), place(1), late(1, 0x12));
	ASSERT_ITEMS("-..", place(1), item(DATA_SUPPRESSED, 0, false, 0), late(1, 0x10));
}

static void failed_store_stores_nothing(void **state)
{
	(void)state;
	ASSERT_ITEMS("vx.", transfer(0x10), transfer(0), store_failed());
	ASSERT_ITEMS("xv..", place(1), transfer(0x11), late(1, 0), store_failed());
	ASSERT_ITEMS("--...", place(1), place(1), late(1, 0), store_failed(), late(1, 0));
}

/* An abort cancels the second NOP: its data are of nothing, those of the first are. */
static void data_of_what_was_cancelled_are_void(void **state)
{
	struct element elements[] = {range(0x1000, 1, INSN_OTHER, true),
	                             transfer(0x10),
	                             range(0x1004, 1, INSN_OTHER, true),
	                             transfer(0x11),
	                             {.type = ELEMENT_EXCEPTION}};
	struct history_event event;
	struct fixture f;

	(void)state;
	elements[4].exception.cancels_last = true;
	leads_to(0x1008);
	open_fixture(&f, elements, 5);
	assert_int_equal(history_length(f.history), 1);
	assert_int_equal(history_event_count(f.history), 3);
	assert_true(history_event(f.history, 0, &event));
	assert_false(event.element.data.is_void);
	assert_true(history_event(f.history, 1, &event));
	assert_true(event.element.data.is_void);
	assert_int_equal(event.position, 1);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(late_value_is_at_its_place),
	        cmocka_unit_test(of_two_places_neither_has_a_certain_value),
	        cmocka_unit_test(what_waited_before_a_loss_gets_no_value),
	        cmocka_unit_test(failed_store_stores_nothing),
	        cmocka_unit_test(data_of_what_was_cancelled_are_void),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
