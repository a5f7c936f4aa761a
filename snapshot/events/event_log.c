/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a system event log; see event_log.h. */
#include "snapshot/events/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/vec.h"

enum { REGISTERS_MOST = 64, ARGUMENTS_MOST = REGISTERS_MOST + 4, ATB_ID_LAST = 0x6f };

static const struct message {
	const char *name;
	const char *arguments;
	size_t fewest;
} messages[SYSTEM_EVENTS] = {
#define X(name, text, arguments, fewest) {text, arguments, fewest},
#include "snapshot/events/event_log.def"
#undef X
};

struct reader {
	struct arena *arena;
	struct diag_list *diags;
	struct place place;
	struct system_event *events;
	size_t count;
	size_t capacity;
	/* Of the message being read. */
	struct system_event event;
	struct system_event_register registers[REGISTERS_MOST];
};

/* A message that is none: the line is left out. */
static enum status wrong(struct reader *r, const char *what, struct str text)
{
	return diag_error(r->diags, STATUS_BAD_DATA, r->place,
	                  "%s: \"%.*s\"; the message is left out", what, STR_ARG(text));
}

/* The text in quotes, or the word itself. A backslash takes the next character as it is. */
static enum status read_text(struct reader *r, struct str word, struct str *text)
{
	char *copy;
	size_t n = 0;

	if (word.n == 0 || word.p[0] != '"') {
		*text = word;
		return STATUS_OK;
	}
	copy = arena_alloc(r->arena, word.n);
	if (!copy)
		return STATUS_NO_MEM;
	for (size_t i = 1; i < word.n; i++) {
		if (word.p[i] == '"') {
			*text = (struct str){copy, n};
			return i + 1 == word.n
			               ? STATUS_OK
			               : wrong(r, "something follows a text in quotes", word);
		}
		if (word.p[i] == '\\' && i + 1 < word.n)
			i++;
		copy[n++] = word.p[i];
	}
	return wrong(r, "a text in quotes has no end", word);
}

static enum status read_number(struct reader *r, const char *what, struct str word, uint64_t *value)
{
	enum status status = str_to_u64(word, value);

	if (status == STATUS_TRUNCATED)
		return wrong(r, "a number of more than 64 bits", word);
	return status == STATUS_OK ? STATUS_OK : wrong(r, what, word);
}

static enum status read_state(struct reader *r, struct str word)
{
	static const char *const names[] = {
	        [SYSTEM_EVENT_START] = "START",
	        [SYSTEM_EVENT_END] = "END",
	        [SYSTEM_EVENT_CURRENT] = "CURRENT",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_eq_nocase(word, str_of(names[i]))) {
			r->event.state = (enum system_event_state)i;
			return STATUS_OK;
		}
	}
	return wrong(r, "not START, END or CURRENT", word);
}

/* hex:HH..., a number, or None */
static enum status read_code(struct reader *r, struct str word)
{
	struct str digits = str_skip(word, sizeof("hex:") - 1);
	size_t count = digits.n / 2;
	uint8_t *bytes;

	if (word.n == 0 || str_eq_nocase(word, STR("None")))
		return STATUS_OK;
	if (!str_has_prefix_nocase(word, STR("hex:"))) {
		r->event.code = PATCHED_CODE_ID;
		return read_number(r, "not None, hex: and bytes, or a number", word,
		                   &r->event.code_id);
	}
	bytes = arena_alloc(r->arena, digits.n + 1);
	if (!bytes)
		return STATUS_NO_MEM;
	if (hex_to_bytes(digits, bytes, &count) != STATUS_OK || 2 * count != digits.n ||
	    count != r->event.length)
		return diag_error(
		        r->diags, STATUS_BAD_DATA, r->place,
		        "code of %zu hexadecimal digits, expected those of %llu bytes; the "
		        "message is left out",
		        digits.n, (unsigned long long)r->event.length);
	r->event.code = PATCHED_CODE_BYTES;
	r->event.code_bytes = bytes_of(bytes, count);
	return STATUS_OK;
}

/* NAME=VALUE, or a number alone: ETMCR (5.8). */
static enum status read_register(struct reader *r, struct str word)
{
	struct str value = word;
	struct system_event_register *reg = &r->registers[r->event.register_count];

	*reg = (struct system_event_register){.name = STR("ETMCR")};
	if (str_find(word, '=') < word.n)
		reg->name = str_next_part(&value, '=');
	if (reg->name.n == 0)
		return wrong(r, "a register without a name", word);
	TRY(read_number(r, "not a register's value", str_trim(value), &reg->value));
	r->event.register_count++;
	return STATUS_OK;
}

static enum status read_trace_id(struct reader *r, struct str word)
{
	uint64_t id;

	TRY(read_number(r, "not an ATB ID", word, &id));
	if (id == 0 || id > ATB_ID_LAST)
		return wrong(r, "not an ATB ID of 1 to 111", word);
	r->event.trace_id = (uint8_t)id;
	return STATUS_OK;
}

static enum status read_argument(struct reader *r, char kind, struct str word)
{
	struct system_event *e = &r->event;

	switch (kind) {
	case 's':
		return read_state(r, word);
	case 'p':
		return read_number(r, "not a process ID", word, &e->pid);
	case 't':
		return read_number(r, "not a thread ID", word, &e->tid);
	case 'a':
		return read_number(r, "not an ASID", word, &e->asid);
	case 'b':
		return read_number(r, "not an address", word, &e->address);
	case 'l':
		return read_number(r, "not a length", word, &e->length);
	case 'f':
		return read_text(r, word, &e->image);
	case 'u':
		return read_text(r, word, &e->uuid);
	case 'c':
		return read_code(r, word);
	case 'o':
		return read_trace_id(r, word);
	case 'i':
		return read_text(r, word, &e->source);
	default:
		return read_register(r, word);
	}
}

/* Cuts the argument before the next comma that is in no text off `rest`; its p is NULL after the
 * last. */
static struct str next_argument(struct str *rest)
{
	bool quoted = false;
	struct str word;

	for (size_t i = 0; i < rest->n; i++) {
		if (rest->p[i] == '\\' && quoted)
			i++;
		else if (rest->p[i] == '"')
			quoted = !quoted;
		else if (rest->p[i] == ',' && !quoted) {
			word = (struct str){rest->p, i};
			*rest = str_skip(*rest, i + 1);
			return str_trim(word);
		}
	}
	word = *rest;
	*rest = (struct str){NULL, 0};
	return str_trim(word);
}

/* What stands between the parentheses. */
static enum status read_arguments(struct reader *r, const struct message *message, struct str text)
{
	size_t known = strlen(message->arguments);
	bool repeats = message->arguments[known - 1] == 'r';
	struct str rest = text;
	size_t count = 0;

	for (; rest.p; count++) {
		struct str word = next_argument(&rest);
		char kind = message->arguments[count < known ? count : known - 1];

		if (count == ARGUMENTS_MOST || (count >= known && !repeats))
			return diag_error(r->diags, STATUS_BAD_DATA, r->place,
			                  "%s has more than %zu arguments; the message is left out",
			                  message->name, repeats ? ARGUMENTS_MOST : known);
		TRY(read_argument(r, kind, word));
	}
	if (count < message->fewest)
		return diag_error(
		        r->diags, STATUS_BAD_DATA, r->place,
		        "%s has %zu arguments, expected at least %zu; the message is left out",
		        message->name, count, message->fewest);
	return STATUS_OK;
}

static enum status check_range(struct reader *r)
{
	const struct system_event *e = &r->event;

	if (e->kind != SYSTEM_EVENT_PATCH_CODE)
		return STATUS_OK;
	if (e->length == 0 || e->address + (e->length - 1) < e->address)
		return diag_error(
		        r->diags, STATUS_BAD_DATA, r->place,
		        "code of %llu bytes at 0x%llx is nowhere; the message is left out",
		        (unsigned long long)e->length, (unsigned long long)e->address);
	return STATUS_OK;
}

static enum status keep_event(struct reader *r)
{
	size_t size = r->event.register_count * sizeof(r->registers[0]);
	struct system_event_register *copy;

	if (size > 0) {
		copy = arena_alloc(r->arena, size);
		if (!copy)
			return STATUS_NO_MEM;
		memcpy(copy, r->registers, size);
		r->event.registers = copy;
	}
	TRY(vec_reserve((void **)&r->events, &r->capacity, r->count + 1, sizeof(r->event)));
	r->events[r->count++] = r->event;
	return STATUS_OK;
}

/* "NAME(ARGUMENT, ...)" */
static enum status read_message(struct reader *r, struct str text)
{
	size_t open = str_find(text, '(');
	struct str name = str_trim((struct str){text.p, open});
	struct str arguments = str_skip(text, open + 1);
	unsigned int kind = 0;

	while (kind < SYSTEM_EVENTS && !str_eq_nocase(name, str_of(messages[kind].name)))
		kind++;
	if (open == text.n || arguments.n == 0 || arguments.p[arguments.n - 1] != ')')
		return wrong(r, "not of the form [TIME] NAME(ARGUMENT, ...)", text);
	if (kind == SYSTEM_EVENTS)
		return wrong(r, "no message is called so", name);
	r->event.kind = (enum system_event_kind)kind;
	arguments.n--;
	TRY(read_arguments(r, &messages[kind], arguments));
	TRY(check_range(r));
	return keep_event(r);
}

/* A line that is neither empty nor a comment. */
static enum status read_line(struct reader *r, struct str line)
{
	size_t blank = 0;

	r->event = (struct system_event){.place = r->place, .code_bytes = bytes_of("", 0)};
	if (line.p[0] >= '0' && line.p[0] <= '9') {
		while (blank < line.n && line.p[blank] != ' ' && line.p[blank] != '\t')
			blank++;
		TRY(read_number(r, "not a time", (struct str){line.p, blank}, &r->event.time));
		r->event.has_time = true;
		line = str_trim(str_skip(line, blank));
	}
	return read_message(r, line);
}

static int compare_times(const void *a, const void *b)
{
	const struct system_event *x = a;
	const struct system_event *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place.line < y->place.line ? -1 : x->place.line > y->place.line;
}

/* By time, if every event has one; else the order in which they are written is all there is. */
static void order_events(struct reader *r)
{
	bool is_ordered = true;

	for (size_t i = 1; i < r->count && is_ordered; i++) {
		if (r->events[i].time >= r->events[i - 1].time || !r->events[i].has_time)
			continue;
		is_ordered = false;
		diag_warning(r->diags, r->events[i].place,
		             "time %llu is before %llu of the message before it; the order of time "
		             "counts",
		             (unsigned long long)r->events[i].time,
		             (unsigned long long)r->events[i - 1].time);
	}
	if (!is_ordered)
		qsort(r->events, r->count, sizeof(r->events[0]), compare_times);
}

/* The first message without a time makes those of all others useless. */
static bool check_times(struct reader *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->events[i].has_time)
			continue;
		if (r->count > 1 && r->events[i == 0 ? 1 : 0].has_time)
			diag_warning(
			        r->diags, r->events[i].place,
			        "the message has no time, others have: the order in which they "
			        "are written counts");
		return false;
	}
	return true;
}

static enum status read_lines(struct reader *r, struct str content)
{
	while (content.n > 0) {
		size_t end = str_find(content, '\n');
		struct str line = str_trim((struct str){content.p, end});

		r->place.line++;
		if (line.n > 0 && line.p[0] != '#' && read_line(r, line) == STATUS_NO_MEM)
			return STATUS_NO_MEM;
		content = str_skip(content, end < content.n ? end + 1 : end);
	}
	return STATUS_OK;
}

static enum status keep_log(struct reader *r, bool has_times, struct event_log *log)
{
	struct system_event *events = NULL;

	if (r->count > 0) {
		events = arena_alloc(r->arena, r->count * sizeof(*events));
		if (!events)
			return STATUS_NO_MEM;
		memcpy(events, r->events, r->count * sizeof(*events));
	}
	*log = (struct event_log){.events = events, .count = r->count, .has_times = has_times};
	return STATUS_OK;
}

enum status event_log_read(struct arena *arena, struct str name, struct str content,
                           struct diag_list *diags, struct event_log *log)
{
	struct reader *r = calloc(1, sizeof(*r));
	enum status status;

	if (!r)
		return STATUS_NO_MEM;
	r->arena = arena;
	r->diags = diags;
	r->place = place_file(name);
	status = read_lines(r, content);
	if (status == STATUS_OK) {
		bool has_times = check_times(r);

		if (has_times)
			order_events(r);
		status = keep_log(r, has_times, log);
	}
	free(r->events);
	free(r);
	return status;
}

const char *system_event_name(enum system_event_kind kind)
{
	return messages[kind].name;
}
