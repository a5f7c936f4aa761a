/* SPDX-License-Identifier: Apache-2.0 */
/* See position_time.h. */
#include "console/position_time.h"

#include <inttypes.h>

#include "console/console_command.h"

/* How many of it are a second: a power of ten. */
static const struct {
	const char *name;
	unsigned int digits;
} units[] = {{"ns", 9}, {"us", 6}, {"ms", 3}, {"s", 0}};

/* "1.5us-before-end" */
struct distance {
	uint64_t mantissa;   /* 15 */
	unsigned int digits; /* of a second: 7 */
	bool from_end;
};

void position_say_no_time(enum status status, uint64_t position, struct text *out)
{
	if (status == STATUS_BAD_DATA)
		text_printf(out, "its timestamps go back at position %" PRIu64, position);
	else
		text_puts(out, "its trace says nothing of time");
}

static bool take_end(struct str *word, const char *end)
{
	struct str tail = str_of(end);

	if (word->n < tail.n || !str_eq(str_skip(*word, word->n - tail.n), tail))
		return false;
	word->n -= tail.n;
	return true;
}

static bool parse_number(struct str word, struct distance *distance)
{
	bool has_point = false;

	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];

		if (c == '.' && !has_point && i > 0 && i + 1 < word.n) {
			has_point = true;
			continue;
		}
		if (c < '0' || c > '9' || distance->mantissa > UINT64_MAX / 10 - 1)
			return false;
		distance->mantissa = 10 * distance->mantissa + (uint64_t)(c - '0');
		distance->digits += has_point;
	}
	return word.n > 0;
}

static bool parse_distance(struct str word, struct distance *distance)
{
	*distance = (struct distance){.from_end = take_end(&word, "-before-end")};
	if (!distance->from_end && !take_end(&word, "-after-begin"))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!take_end(&word, units[i].name))
			continue;
		distance->digits = units[i].digits;
		return parse_number(word, distance);
	}
	return false;
}

/* Rounded down; false if that is more than fits. */
static bool ticks_of(const struct distance *distance, uint64_t hz, uint64_t *ticks)
{
	uint64_t seconds = 1;
	uint64_t rest;

	for (unsigned int i = 0; i < distance->digits; i++) {
		if (seconds > UINT64_MAX / 10)
			return false;
		seconds *= 10;
	}
	rest = distance->mantissa % seconds;
	if (hz == 0 || distance->mantissa / seconds > UINT64_MAX / hz || rest > UINT64_MAX / hz)
		return false;
	*ticks = distance->mantissa / seconds * hz + rest * hz / seconds;
	return true;
}

/* The core's first and last timestamp. False if there is none, or none that can be counted from. */
static bool find_ends(const struct console *console, uint64_t *begin, uint64_t *end)
{
	struct moment first = session_moment(console->session, console->core, 0);
	struct moment last = session_moment(console->session, console->core,
	                                    console_length(console, console->core));

	*begin = first.latest;
	*end = last.earliest;
	return first.has_latest && last.has_earliest && *begin <= *end;
}

static bool say(const struct console *console, const char *why, struct text *wrong)
{
	console_core(console, console->core, wrong);
	text_printf(wrong, ": %s", why);
	return false;
}

/* The time at a distance from one of the ends. */
static bool find_distance(const struct console *console, const struct distance *distance,
                          uint64_t *time, struct text *wrong)
{
	uint64_t hz = session_snapshot(console->session)->timestamp_hz;
	uint64_t begin;
	uint64_t end;
	uint64_t ticks;

	if (!find_ends(console, &begin, &end))
		return say(console, "its trace does not say when it begins and ends", wrong);
	if (hz == 0) {
		text_printf(wrong,
		            "the snapshot does not say how long a tick of its timestamps is "
		            "(frequency in "
		            "section [timestamp] of trace.ini); @TIME takes ticks: %" PRIu64
		            " to %" PRIu64 " are there",
		            begin, end);
		return false;
	}
	if (!ticks_of(distance, hz, &ticks) || ticks > end - begin) {
		console_core(console, console->core, wrong);
		text_printf(wrong,
		            ": between its first timestamp and its last are %" PRIu64
		            " ticks of 1/%" PRIu64 " s, which is less",
		            end - begin, hz);
		return false;
	}
	*time = distance->from_end ? end - ticks : begin + ticks;
	return true;
}

bool position_find_time(const struct console *console, struct str word, uint64_t *position,
                        struct text *wrong)
{
	struct distance distance;
	uint64_t time;
	uint64_t first;
	uint64_t last;
	enum status status;

	if (parse_distance(str_skip(word, 1), &distance)) {
		if (!find_distance(console, &distance, &time, wrong))
			return false;
	} else if (str_to_u64(str_skip(word, 1), &time) != STATUS_OK) {
		console_wrong(wrong, "not a time:", word);
		text_puts(wrong, "; give @ and a number, or such as @10us-before-end and "
		                 "@1.5ms-after-begin");
		return false;
	}
	status = session_positions_at(console->session, console->core, time, &first, &last);
	if (status == STATUS_OK) {
		*position = first;
		return true;
	}
	console_core(console, console->core, wrong);
	text_puts(wrong, ": ");
	position_say_no_time(status, first, wrong);
	return false;
}
