/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of ITM and STM: their times, lines of text, their order; of elements made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/software_trace/software_trace.h"
#include "tests/history/made_decoder.h"

static struct snap_device device = {.name = {"UNIT", 4}};
static size_t buffers[] = {0};
static struct snap_source source = {.device = &device, .buffers = buffers, .buffer_count = 1};
static struct snap_buffer buffer = {.format = BUFFER_SOURCE_DATA};
static const struct snapshot snapshot = {
        .sources = &source, .source_count = 1, .buffers = &buffer, .buffer_count = 1};

static struct element itm(uint8_t port, uint8_t size, uint32_t value)
{
	return (struct element){
	        .type = ELEMENT_ITMTRACE,
	        .itm = {.kind = ITM_KIND_SOFTWARE, .source = port, .size = size, .value = value}};
}

static struct element dwt(uint8_t source_of, uint32_t value)
{
	struct element e = itm(source_of, 4, value);

	e.itm.kind = ITM_KIND_HARDWARE;
	return e;
}

static struct element global(uint64_t time)
{
	return (struct element){.type = ELEMENT_ITMTRACE,
	                        .has_timestamp = true,
	                        .timestamp = time,
	                        .itm = {.kind = ITM_KIND_GLOBAL_TIMESTAMP}};
}

/* Cycles since an overflow: no time of the others. */
static struct element local(uint64_t cycles)
{
	struct element e = global(cycles);

	e.itm.kind = ITM_KIND_LOCAL_TIMESTAMP;
	return e;
}

static struct element stm(uint16_t channel, uint8_t bits, uint64_t value, uint64_t time)
{
	return (struct element){.type = ELEMENT_SWTRACE,
	                        .has_timestamp = time > 0,
	                        .timestamp = time,
	                        .software = {.has_ids = true,
	                                     .master = 0x40,
	                                     .channel = channel,
	                                     .bits = bits,
	                                     .value = value}};
}

static struct element lost(void)
{
	return (struct element){.type = ELEMENT_NO_SYNC, .no_sync = NO_SYNC_BAD_PACKET};
}

/* "100..140 what" for each, a line; "-" where a bound is not known. */
static void assert_messages(enum protocol protocol, const struct element *elements, size_t count,
                            const char *expected)
{
	struct software_log *log;
	struct text out = {0};

	source.protocol = protocol;
	script.elements = elements;
	script.count = count;
	assert_int_equal(software_log_read(&snapshot, &log), STATUS_OK);
	for (size_t i = 0; i < software_log_count(log); i++) {
		const struct software_message *message = software_log_get(log, i);
		const struct moment *moment = &message->moment;

		assert_int_equal(moment->has_latest, i < software_log_timed(log));
		if (moment->has_earliest)
			text_printf(&out, "%d", (int)moment->earliest);
		text_puts(&out, "..");
		if (moment->has_latest)
			text_printf(&out, "%d", (int)moment->latest);
		text_char(&out, ' ');
		software_message_format(message, &out);
		text_char(&out, '\n');
	}
	assert_string_equal(out.length > 0 ? out.data : "", expected);
	text_fini(&out);
	software_log_destroy(log);
}

#define ASSERT_MESSAGES(protocol, expected, ...)                                                   \
	do {                                                                                       \
		const struct element elements[] = {__VA_ARGS__};                                   \
		assert_messages(protocol, elements, sizeof(elements) / sizeof(elements[0]),        \
		                expected);                                                         \
	} while (0)

static void times_of_an_itm_are_those_around(void **state)
{
	(void)state;
	ASSERT_MESSAGES(PROTOCOL_ITM,
	                "..100 UNIT port 1: 0x0005\n"
	                "100..140 UNIT DWT 2: 0x00401000\n"
	                "100..140 UNIT port 1: 0x00000006\n"
	                "140.. UNIT port 1: 0x07\n",
	                itm(1, 2, 5), global(100), dwt(2, 0x401000), local(9), itm(1, 4, 6),
	                global(140), itm(1, 1, 7));
}

/* Going back it is another clock; lost bytes may have held anything. */
static void nothing_is_said_across_what_is_not_known(void **state)
{
	(void)state;
	ASSERT_MESSAGES(PROTOCOL_ITM,
	                "90..95 UNIT port 1: 0x03\n"
	                "..200 UNIT port 1: 0x05\n"
	                ".. UNIT port 1: 0x02\n"
	                "95.. UNIT port 1: 0x04\n",
	                global(100), itm(1, 1, 2), global(90), itm(1, 1, 3), global(95),
	                itm(1, 1, 4), lost(), itm(1, 1, 5), global(200));
}

static void times_of_an_stm_are_its_own(void **state)
{
	(void)state;
	ASSERT_MESSAGES(PROTOCOL_STM,
	                "..100 UNIT master 0x40 channel 0x01: 0x01\n"
	                "100..100 UNIT master 0x40 channel 0x01: 0x00000002\n"
	                "100..120 UNIT master 0x40 channel 0x07: 0x3\n"
	                "120..120 UNIT master 0x40 channel 0x01: 0x04\n",
	                stm(1, 8, 1, 0), stm(1, 32, 2, 100), stm(7, 4, 3, 0), stm(1, 8, 4, 120));
}

static void text_is_taken_as_lines(void **state)
{
	(void)state;
	ASSERT_MESSAGES(PROTOCOL_ITM,
	                "..20 UNIT port 0: \"hi there\"\n"
	                "10..20 UNIT port 3: 0x41\n"
	                "10..20 UNIT port 3: 0x80\n"
	                "20.. UNIT port 0: \"ok\"\n",
	                itm(0, 1, 'h'), global(10), itm(3, 1, 'A'), itm(0, 4, 0x68742069),
	                itm(0, 2, 0x7265), itm(3, 1, 0x80), itm(0, 4, 0x0a0d65), global(20),
	                itm(0, 1, 'o'), itm(0, 1, 'k'), itm(0, 1, 0));
}

/* Words of small numbers, letters among them, are numbers. */
static void numbers_are_no_text(void **state)
{
	(void)state;
	ASSERT_MESSAGES(PROTOCOL_ITM, ".. UNIT port 0: 0x00000041\n.. UNIT port 0: 0x00000062\n",
	                itm(0, 4, 'A'), itm(0, 4, 'b'));
	ASSERT_MESSAGES(PROTOCOL_ITM, ".. UNIT port 0: 0x31\n.. UNIT port 0: 0x32\n",
	                itm(0, 1, '1'), itm(0, 1, '2'));
}

static void line_ends_where_bytes_were_lost(void **state)
{
	struct element after_overflow = itm(0, 1, 'c');

	(void)state;
	after_overflow.itm.is_overflow = true;
	ASSERT_MESSAGES(PROTOCOL_ITM,
	                ".. UNIT port 0: \"a\"\n.. UNIT port 0: \"b\"\n.. UNIT port 0: \"cd\"\n",
	                itm(0, 1, 'a'), lost(), itm(0, 1, 'b'), after_overflow, itm(0, 1, 'd'));
}

static void errors_and_markers_of_an_stm_are_named(void **state)
{
	struct element trigger = stm(1, 8, 5, 0);
	struct element error = stm(1, 8, 6, 0);
	struct element marker = stm(2, 0, 0, 0);
	struct element frequency = stm(1, 32, 1000, 0);

	(void)state;
	trigger.software.is_trigger = true;
	error.software.is_global_error = true;
	error.software.has_ids = false;
	marker.software.is_marker = true;
	frequency.software.is_frequency = true;
	ASSERT_MESSAGES(PROTOCOL_STM,
	                ".. UNIT master 0x40 channel 0x01: 0x05, trigger\n"
	                ".. UNIT: 0x06, error: messages were lost\n"
	                ".. UNIT master 0x40 channel 0x02: marker\n",
	                trigger, frequency, error, marker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(times_of_an_itm_are_those_around),
	        cmocka_unit_test(nothing_is_said_across_what_is_not_known),
	        cmocka_unit_test(times_of_an_stm_are_its_own),
	        cmocka_unit_test(text_is_taken_as_lines),
	        cmocka_unit_test(numbers_are_no_text),
	        cmocka_unit_test(line_ends_where_bytes_were_lost),
	        cmocka_unit_test(errors_and_markers_of_an_stm_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
