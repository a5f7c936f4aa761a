/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of positions; see position.h. */
#include "console/position.h"

#include <inttypes.h>

#include "console/console_command.h"
#include "console/marks.h"
#include "console/position_time.h"

enum { PERCENT_DIGITS = 6 };

static uint64_t here(const struct console *console)
{
	return session_position(console->session, console->core);
}

/* The last there is: the halt, but for a text that ends with an instruction. */
static uint64_t last(const struct console *console)
{
	return history_last(session_history(console->session, console->core));
}

static bool is_out_of_range(const struct console *console, struct text *wrong)
{
	text_printf(wrong, "position out of range (0..%" PRIu64 ")", last(console));
	return false;
}

static bool is_no_position(struct str word, struct text *wrong)
{
	console_wrong(wrong, "not a position:", word);
	text_puts(wrong, "; give " POSITION_FORMS);
	return false;
}

/* `from` and so many before or after it. */
static bool find_distance(const struct console *console, uint64_t from, struct str number,
                          bool is_back, uint64_t *position, struct text *wrong)
{
	uint64_t n;
	enum status status = str_to_u64(number, &n);

	if (status == STATUS_TRUNCATED)
		return is_out_of_range(console, wrong);
	if (status != STATUS_OK)
		return is_no_position(number, wrong);
	if (n > (is_back ? from : last(console) - from))
		return is_out_of_range(console, wrong);
	*position = is_back ? from - n : from + n;
	return true;
}

/* "12.5%" of N, rounded down. */
static bool find_part(const struct console *console, struct str word, uint64_t *position,
                      struct text *wrong)
{
	struct str digits = {word.p, word.n - 1};
	uint64_t whole = 100;
	uint64_t part = 0;
	bool has_point = false;

	for (size_t i = 0; i < digits.n; i++) {
		char c = digits.p[i];

		if (c == '.' && !has_point && i > 0 && digits.n - i - 1 <= PERCENT_DIGITS) {
			has_point = true;
		} else if (c >= '0' && c <= '9' && part <= whole) {
			part = 10 * part + (uint64_t)(c - '0');
			whole *= has_point ? 10 : 1;
		} else {
			return is_no_position(word, wrong);
		}
	}
	if (digits.n == 0 || digits.p[digits.n - 1] == '.')
		return is_no_position(word, wrong);
	if (part > whole)
		return is_out_of_range(console, wrong);
	*position = last(console) / whole * part + last(console) % whole * part / whole;
	return true;
}

/* Where the function's call of that number, from 1 on, begins; those of older than the trace are
 * not counted. */
static bool find_call(const struct console *console, struct str name, uint64_t number,
                      uint64_t *position)
{
	const struct calls *calls = NULL;
	uint64_t seen = 0;

	if (name.n == 0 || number == 0 ||
	    session_calls(console->session, console->core, &calls) != STATUS_OK)
		return false;
	for (uint32_t i = 0; i < calls_count(calls); i++) {
		const struct call *call = calls_get(calls, i);

		if (call->enter == CALL_NOT_KNOWN || !call_is_named(calls, call, name) ||
		    ++seen < number)
			continue;
		*position = call->enter;
		return true;
	}
	return false;
}

/* "#3" or "origin#3", a number of the last answer, or "main#3", a call. */
static bool find_numbered(const struct console *console, struct str word, size_t hash,
                          uint64_t *position, struct text *wrong)
{
	struct str name = {word.p, hash};
	uint64_t number;

	if (str_to_u64(str_skip(word, hash + 1), &number) == STATUS_OK &&
	    (session_place_of(console->session, console->core, name, number, position) ==
	             STATUS_OK ||
	     find_call(console, name, number, position)))
		return true;
	console_wrong(wrong,
	              name.n > 0 ? "no place of the last answer, and no call of a function:"
	                         : "no place of the last answer:",
	              word);
	text_puts(wrong, "; `origin` and the like number theirs");
	return false;
}

static bool find_exception(const struct console *console, uint64_t *position, struct text *wrong)
{
	const struct history *history = session_history(console->session, console->core);
	size_t i = history_event_index(history, here(console));
	struct history_event event;

	while (i > 0 && history_event(history, --i, &event)) {
		if (!element_is_exception(&event.element))
			continue;
		*position = event.position;
		return true;
	}
	text_puts(wrong, "no exception was taken before here, as far as the trace tells");
	return false;
}

static bool find_gap(const struct console *console, uint64_t *position, struct text *wrong)
{
	const struct history *history = session_history(console->session, console->core);
	size_t before = history_gap_index(history, here(console));
	struct gap gap;

	if (before == 0 || !history_gap(history, before - 1, &gap)) {
		text_puts(wrong, "there is no gap before here");
		return false;
	}
	*position = gap.position;
	return true;
}

/* General registers are there what they were at the fault. */
static bool find_crash(const struct console *console, uint64_t *position, struct text *wrong)
{
	struct crash crash;

	if (!session_crash(console->session, console->core, &crash) || !crash.is_halt ||
	    !crash.has_position) {
		text_puts(wrong, "the trace shows no fault that the core halted at");
		return false;
	}
	*position = crash.position;
	return true;
}

static bool find_mark(const struct console *console, struct str name, uint64_t *position,
                      struct text *wrong)
{
	struct marks marks;
	const struct user_mark *mark = NULL;

	if (!marks_is_name(name))
		return is_no_position(name, wrong);
	/* Without a file of marks there is none of the name. */
	if (marks_read(console->session, &marks) == STATUS_OK)
		mark = marks_find(&marks, name);
	if (!mark) {
		(void)is_no_position(name, wrong);
	} else if (mark->core != console->core) {
		console_wrong(wrong, "the mark", name);
		text_puts(wrong, " is of the core ");
		text_add(wrong, session_core(console->session, mark->core)->device->name);
		mark = NULL;
	} else {
		*position = mark->position;
	}
	marks_fini(&marks);
	return mark != NULL;
}

/* "back N" and "forward N" */
static bool split_move(struct str word, bool *is_back, struct str *number)
{
	size_t end = str_find(word, ' ');
	struct str verb = {word.p, end};

	*is_back = str_eq(verb, STR("back"));
	*number = str_trim(str_skip(word, end));
	return end < word.n && (*is_back || str_eq(verb, STR("forward")));
}

static bool find_begin(const struct console *console, uint64_t *position, struct text *wrong)
{
	(void)console;
	(void)wrong;
	*position = 0;
	return true;
}

static bool find_end(const struct console *console, uint64_t *position, struct text *wrong)
{
	(void)wrong;
	*position = last(console);
	return true;
}

/* Words that no mark can be called. Those without `find` name a position with a number after them.
 */
static const struct {
	const char *name;
	bool (*find)(const struct console *console, uint64_t *position, struct text *wrong);
} words[] = {
        {"begin", find_begin}, {"end", find_end},     {"exception", find_exception},
        {"gap", find_gap},     {"crash", find_crash}, {"back", NULL},
        {"forward", NULL},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

const char *position_word(size_t i)
{
	return i < WORDS ? words[i].name : NULL;
}

static bool find_word(const struct console *console, struct str word, uint64_t *position,
                      struct text *wrong)
{
	for (size_t i = 0; i < WORDS; i++) {
		if (words[i].find && str_eq(word, str_of(words[i].name)))
			return words[i].find(console, position, wrong);
	}
	return find_mark(console, word, position, wrong);
}

bool position_is_form(struct str word)
{
	for (size_t i = 0; i < WORDS; i++) {
		if (str_eq(word, str_of(words[i].name)))
			return true;
	}
	return str_eq(word, STR("all"));
}

bool position_parse(const struct console *console, struct str word, uint64_t *position,
                    struct text *wrong)
{
	uint64_t found = *position;
	size_t hash = str_find(word, '#');
	struct str number;
	bool is_back;
	bool is_found;

	if (word.n == 0)
		return is_no_position(word, wrong);
	if (word.p[0] == '@')
		is_found = position_find_time(console, word, &found, wrong);
	else if (word.p[word.n - 1] == '%')
		is_found = find_part(console, word, &found, wrong);
	else if (hash < word.n)
		is_found = find_numbered(console, word, hash, &found, wrong);
	else if (word.p[0] == '-')
		is_found = find_distance(console, last(console), str_skip(word, 1), true, &found,
		                         wrong);
	else if (word.p[0] == '+')
		is_found = find_distance(console, here(console), str_skip(word, 1), false, &found,
		                         wrong);
	else if (split_move(word, &is_back, &number))
		is_found = find_distance(console, here(console), number, is_back, &found, wrong);
	else if (word.p[0] >= '0' && word.p[0] <= '9')
		is_found = find_distance(console, 0, word, false, &found, wrong);
	else
		is_found = find_word(console, word, &found, wrong);
	if (is_found && found > last(console))
		is_found = is_out_of_range(console, wrong);
	if (is_found)
		*position = found;
	return is_found;
}

/* Where the dots of "FROM..TO" are; word.n if it has none. */
static size_t find_dots(struct str word)
{
	for (size_t i = 0; i + 1 < word.n; i++) {
		if (word.p[i] == '.' && word.p[i + 1] == '.')
			return i;
	}
	return word.n;
}

/* "A-B" and "A-" of numbers, which need not be positions that there are. */
static bool parse_numbers(struct str word, struct position_range *range)
{
	size_t dash = str_find(word, '-');
	struct str second = str_trim(str_skip(word, dash + 1));

	range->to = UINT64_MAX;
	return dash > 0 &&
	       str_to_u64(str_trim((struct str){word.p, dash}), &range->from) == STATUS_OK &&
	       (dash == word.n || second.n == 0 || str_to_u64(second, &range->to) == STATUS_OK);
}

bool position_parse_range(const struct console *console, struct str word,
                          struct position_range *range, struct text *wrong)
{
	struct position_range found = {0, UINT64_MAX};
	size_t dots = find_dots(word);
	struct str first = str_trim((struct str){word.p, dots});
	struct str second = str_trim(str_skip(word, dots + 2));
	struct text why = {0};
	bool is_right = str_eq(word, STR("all"));

	if (!is_right && dots < word.n) {
		is_right = (first.n == 0 || position_parse(console, first, &found.from, wrong)) &&
		           (second.n == 0 || position_parse(console, second, &found.to, wrong));
	} else if (!is_right && parse_numbers(word, &found)) {
		is_right = true;
		if (str_find(word, '-') == word.n)
			found.to = found.from;
	} else if (!is_right) {
		found.from = 0;
		is_right = position_parse(console, word, &found.from, &why);
		found.to = found.from;
		if (!is_right) {
			console_wrong(wrong, "not a range of positions:", word);
			text_puts(wrong, "; give a position, FROM..TO, FROM.. or all");
		}
	}
	text_fini(&why);
	if (is_right)
		*range = found;
	return is_right;
}
