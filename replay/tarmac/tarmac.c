/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of Tarmac: finds a line, its timestamp and its core, and hands it to the function that
 * its first word names. In: the text. Out: events, and a diagnostic for what is malformed.
 *
 * Lines end with "\n", "\r\n" or "\r". The next "\n" is looked for once and remembered, so that
 * text of "\r" alone is not searched through for every line.
 */
#include "replay/tarmac/tarmac.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "replay/tarmac/tarmac_line.h"
#include "replay/tarmac/tarmac_reader.h"

enum {
	FOUND_MOST = 40,      /* characters of a fault that are shown */
	CLEAR_MOST = 1 << 16, /* bytes searched for '\r' at a time */
};

struct line_kind {
	struct str word;
	enum tarmac_dialect dialect;
	enum status (*read)(struct tarmac_line *line);
};

/* By how often they are met. */
static const struct line_kind kinds[] = {
#define LINE(text, dialect, read) {{text, sizeof(text) - 1}, TARMAC_DIALECT_##dialect, read},
        // clang-format off
	LINE("R", NONE, tarmac_register_line)
	LINE("IT", FM, tarmac_fm_instruction)
	LINE("ES", REV3, tarmac_rev3_step)
	LINE("LD", REV3, tarmac_rev3_memory)
	LINE("ST", REV3, tarmac_rev3_memory)
	LINE("BR", REV3, tarmac_rev3_branch)
	LINE("IS", FM, tarmac_fm_instruction)
	LINE("IF", FM, tarmac_fm_instruction)
	LINE("LA", REV3, tarmac_rev3_memory)
	LINE("SA", REV3, tarmac_rev3_memory)
	LINE("SX", REV3, tarmac_rev3_memory)
	LINE("EXC", REV3, tarmac_rev3_exception)
	LINE("E", FM, tarmac_fm_event)
	LINE("R01", RTL, tarmac_rtl_access)
	LINE("R02", RTL, tarmac_rtl_access)
	LINE("R04", RTL, tarmac_rtl_access)
	LINE("R08", RTL, tarmac_rtl_access)
	LINE("W01", RTL, tarmac_rtl_access)
	LINE("W02", RTL, tarmac_rtl_access)
	LINE("W04", RTL, tarmac_rtl_access)
	LINE("W08", RTL, tarmac_rtl_access)
	LINE("Tarmac", REV3, tarmac_rev3_header)
	LINE("SIGNAL", FM, tarmac_fm_note)
	LINE("CADI", FM, tarmac_fm_note)
	LINE("CACHE", FM, tarmac_fm_note)
	LINE("INFO_EXCEPTION_REASON", FM, tarmac_fm_note)
	LINE("TTW", FM, tarmac_fm_note)
	LINE("TLB", FM, tarmac_fm_note)
	LINE("P", FM, tarmac_fm_note)
// clang-format on
#undef LINE
};

/* Words that start with M are not listed: "MR4", "MNW4___D". */
static const struct line_kind fm_memory = {{"M", 1}, TARMAC_DIALECT_FM, tarmac_fm_memory};
static const struct line_kind rtl_memory = {{"M", 1}, TARMAC_DIALECT_RTL, tarmac_rtl_memory};

static const struct line_kind *find_kind(struct str word)
{
	if (word.n > 2 && word.p[0] == 'M')
		return word.p[1] == 'R' || word.p[1] == 'W' ? &fm_memory : &rtl_memory;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (lex_is_same(word, kinds[i].word))
			return &kinds[i];
	}
	return NULL;
}

static bool read_unit(struct str word, struct tarmac_mark *state)
{
	static const struct str units[] = {
#define TARMAC_UNIT(name, text) {text, sizeof(text) - 1},
#include "replay/tarmac/tarmac.def"
	};
	static const unsigned int count = sizeof(units) / sizeof(units[0]);

	if (word.n == 0)
		return false;
	if (lex_is_same(word, units[state->unit])) /* as in the line before */
		return true;
	for (unsigned int i = 1; i < count; i++) {
		if (lex_is_same(word, units[i])) {
			state->unit = (enum tarmac_unit)i;
			return true;
		}
	}
	return false;
}

/* "17000 ns", "271ns", "17000", "-----------". Without any, the state's holds. */
static enum status read_timestamp(struct tarmac_line *line)
{
	struct tarmac_mark *state = line->state;
	struct bytes before = line->in;
	uint64_t timestamp;

	if (lex_at(&line->in) == '-') {
		state->has_timestamp = false;
		if (lex_is_all(lex_word(&line->in), '-'))
			return STATUS_OK;
		line->in = before;
		return tarmac_fault(line, "a timestamp");
	}
	if (!lex_decimal(&line->in, &timestamp))
		return tarmac_fault(line, "a timestamp of 64 bits");
	if (lex_is_break(&line->in)) {
		before = line->in;
		if (!read_unit(lex_word(&line->in), state)) {
			line->in = before;
			state->unit = TARMAC_UNIT_NONE;
		}
	} else if (!read_unit(lex_word(&line->in), state)) {
		line->in = before;
		return tarmac_fault(line, "a timestamp");
	}
	state->timestamp = timestamp;
	state->has_timestamp = true;
	return STATUS_OK;
}

/* "cpu0", "cluster1.cpu0", or ISP's plain number. */
static bool is_core_name(struct str word)
{
	if (lex_is_decimal(word))
		return true;
	return word.n > 0 && word.p[0] == 'c' &&
	       (str_has_prefix(word, STR("cpu")) || str_has_prefix(word, STR("core")) ||
	        str_has_prefix(word, STR("cluster")));
}

static enum status find_core(struct tarmac *t, struct tarmac_line *line, struct str name)
{
	if (t->state.core < t->core_count && lex_is_same(name, t->cores[t->state.core]))
		return STATUS_OK;
	for (uint32_t i = 0; i < t->core_count; i++) {
		if (lex_is_same(name, t->cores[i])) {
			t->state.core = i;
			return STATUS_OK;
		}
	}
	if (t->core_count == TARMAC_CORES_MOST)
		return tarmac_fault(line, "no more than 256 cores");
	t->state.core = t->core_count;
	t->cores[t->core_count++] = name;
	return STATUS_OK;
}

/* The core if there is one, and the word that says the kind. */
static enum status read_word(struct tarmac *t, struct tarmac_line *line, struct str *word)
{
	*word = lex_word(&line->in);
	if (!is_core_name(*word))
		return STATUS_OK;
	TRY(find_core(t, line, *word));
	*word = lex_word(&line->in);
	return STATUS_OK;
}

/*
 * True if the line goes on with the LD or ST of the line before: its address is in the same column.
 * Asked before there is a timestamp, which such an address may look like.
 */
static bool is_continuation(const struct tarmac_line *line, uint64_t column)
{
	struct bytes in = line->in;
	uint64_t address;

	return column > 0 && bytes_offset(&line->in) == column && lex_hex_word(&in, &address) >= 8;
}

/* Everything up to the word that says the kind, and that word. */
static enum status read_head(struct tarmac *t, struct tarmac_line *line)
{
	struct tarmac_mark *state = line->state;
	bool is_continued = state->is_continued;
	int first = lex_at(&line->in);

	state->is_continued = false;
	line->has_own_time = false;
	if (is_continued && is_continuation(line, state->column)) {
		line->event->word = (struct str){
		        (const char *)t->text.begin + state->word_place,
		        2,
		};
		return STATUS_OK;
	}
	line->has_own_time = first == '-' || (lex_class[(uint8_t)first] & LEX_DECIMAL);
	if (line->has_own_time)
		TRY(read_timestamp(line));
	return read_word(t, line, &line->event->word);
}

/* Lines that several dialects have are of that which the file is of. */
static bool is_of_file(const struct line_kind *kind, enum tarmac_dialect file)
{
	bool is_fm_kin = file == TARMAC_DIALECT_GEM5 || file == TARMAC_DIALECT_ISP;

	return kind->dialect == TARMAC_DIALECT_NONE ||
	       (kind->dialect == TARMAC_DIALECT_FM && is_fm_kin);
}

static enum status read_line(struct tarmac *t, struct tarmac_line *line)
{
	struct tarmac_event *event = line->event;
	enum status status = read_head(t, line);
	const struct line_kind *kind;
	struct bytes after = line->in;

	/* A record of Rev 3 has its own time, or none; other lines are of the record before. */
	if (!line->has_own_time && LEX_IS(event->word, "ES"))
		t->state.has_timestamp = false;
	event->core = t->state.core;
	event->has_timestamp = t->state.has_timestamp;
	event->timestamp = t->state.timestamp;
	event->unit = t->state.unit;
	event->rest = lex_rest(&after);
	if (status != STATUS_OK)
		return status;
	kind = event->word.n > 0 ? find_kind(event->word) : NULL;
	if (!kind) {
		line->fault = (struct tarmac_fault){"a kind of line", event->word, 0, 0};
		return STATUS_BAD_DATA;
	}
	event->dialect = kind->dialect;
	if (is_of_file(kind, t->dialect))
		event->dialect = t->dialect;
	return kind->read(line);
}

static void quote(struct str found, struct text *out)
{
	size_t count = found.n < FOUND_MOST ? found.n : FOUND_MOST;

	text_char(out, '"');
	for (size_t i = 0; i < count; i++)
		text_char(out, str_printable(found.p[i]));
	text_puts(out, count < found.n ? "...\"" : "\"");
}

static void describe(const struct tarmac_fault *fault, struct text *out)
{
	if (fault->expected)
		text_printf(out, "expected %s, found ", fault->expected);
	quote(fault->found, out);
	if (!fault->expected)
		text_printf(out, ": %" PRIu64 " digits, expected %" PRIu64, fault->digits_found,
		            fault->digits_expected);
}

static void report(const struct tarmac *t, const struct tarmac_line *line, enum status status)
{
	struct place place = place_line(t->options.file, line->event->line);
	const char *kind = tarmac_kind_name(line->event->kind);
	struct text text = {0};

	if (!t->diags)
		return;
	place.offset = line->event->offset;
	describe(&line->fault, &text);
	if (line->event->is_unended)
		text_puts(&text, "; the text ends here");
	if (t->options.is_strict)
		(void)diag_error(t->diags, status, place, "%s line: %s", kind,
		                 text.data ? text.data : "");
	else
		diag_warning(t->diags, place, "%s line: %s", kind, text.data ? text.data : "");
	text_fini(&text);
}

/* The event of a line that is wrong: none of what was read of it so far counts. */
static enum status reject(struct tarmac *t, const struct tarmac_line *line)
{
	struct tarmac_event *event = line->event;
	enum status status = event->is_unended ? STATUS_TRUNCATED : STATUS_BAD_DATA;

	report(t, line, status);
	t->stats.malformed++;
	event->kind = TARMAC_UNKNOWN;
	event->dialect = TARMAC_DIALECT_NONE;
	memset(&event->instruction, 0, sizeof(event->instruction));
	return t->options.is_strict ? status : STATUS_OK;
}

void tarmac_report_oddities(const struct tarmac *t, struct diag_list *diags)
{
	static const char *const texts[TARMAC_ODDITIES][2] = {
#define TARMAC_ODDITY(name, what, outcome) {what, outcome},
#include "replay/tarmac/tarmac.def"
	};

	for (unsigned int i = 0; i < TARMAC_ODDITIES; i++) {
		const struct tarmac_odd_lines *odd = &t->odd[i];
		struct text text = {0};

		if (odd->count == 0)
			continue;
		text_printf(&text, "%s ", texts[i][0]);
		quote(odd->word, &text);
		text_printf(&text, " %s", texts[i][1]);
		if (odd->count > 1)
			text_printf(&text, "; %" PRIu64 " lines have one", odd->count);
		diag_warning(diags, place_line(t->options.file, odd->line), "%s",
		             text.data ? text.data : "");
		text_fini(&text);
	}
}

/* The first '\n' from `begin` on, or the end. */
static const uint8_t *find_newline(struct tarmac *t, const uint8_t *begin)
{
	if (!t->newline || t->newline < begin) {
		t->newline = memchr(begin, '\n', (size_t)(t->text.end - begin));
		if (!t->newline)
			t->newline = t->text.end;
	}
	return t->newline;
}

/* The first '\r' from `begin` on, or `stop`. */
static const uint8_t *find_return(struct tarmac *t, const uint8_t *begin, const uint8_t *stop)
{
	const uint8_t *from = t->clear && t->clear > begin ? t->clear : begin;

	while (from < stop) {
		size_t left = (size_t)(t->text.end - from);
		size_t window = left < CLEAR_MOST ? left : CLEAR_MOST;
		const uint8_t *hit = memchr(from, '\r', window);

		from = hit ? hit : from + window;
		t->clear = from;
		if (hit)
			return hit < stop ? hit : stop;
	}
	return stop;
}

/* Nothing is known of it but its place. By fields, which is quicker than as a whole. */
static void start_event(const struct tarmac *t, struct tarmac_event *event, struct str text)
{
	_Static_assert(sizeof(*event) == offsetof(struct tarmac_event, instruction) +
	                                         sizeof(event->instruction),
	               "the largest part is the instruction's");
	event->kind = TARMAC_UNKNOWN;
	event->dialect = TARMAC_DIALECT_NONE;
	event->unit = TARMAC_UNIT_NONE;
	event->has_timestamp = false;
	event->is_unended = false;
	event->core = 0;
	event->timestamp = 0;
	event->line = t->state.lines;
	event->offset = t->state.offset;
	event->text = text;
	event->word = (struct str){text.p, 0};
	event->rest = (struct str){text.p, 0};
	event->instruction = (struct tarmac_instruction){0};
}

/* The line at the state's offset, which goes after it. */
static enum status next_line(struct tarmac *t, struct tarmac_event *event)
{
	const uint8_t *begin = t->text.begin + t->state.offset;
	const uint8_t *end = t->text.end;
	const uint8_t *newline;
	const uint8_t *stop;

	if (begin == end)
		return STATUS_END;
	newline = find_newline(t, begin);
	stop = find_return(t, begin, newline);
	t->state.lines++;
	start_event(t, event, (struct str){(const char *)begin, (size_t)(stop - begin)});
	event->is_unended = stop == end;
	if (stop + 1 == newline && newline < end) /* "\r\n" */
		stop++;
	t->state.offset = (uint64_t)(stop - t->text.begin) + (stop < end ? 1 : 0);
	return STATUS_OK;
}

enum status tarmac_next(struct tarmac *t, struct tarmac_event *event)
{
	struct tarmac_line line;

	line.event = event;
	line.value = &t->value;
	line.state = &t->state;
	line.last = &t->last;
	line.odd = t->odd;
	line.is_isp = t->dialect == TARMAC_DIALECT_ISP;
	do {
		TRY(next_line(t, event));
		line.in = bytes_of(event->text.p, event->text.n);
	} while (lex_peek(&line.in) < 0);
	if (read_line(t, &line) != STATUS_OK)
		return reject(t, &line);
	return STATUS_OK;
}

void tarmac_close(struct tarmac *t)
{
	free(t);
}

enum tarmac_dialect tarmac_dialect(const struct tarmac *t)
{
	return t->dialect;
}

struct tarmac_stats tarmac_stats(const struct tarmac *t)
{
	struct tarmac_stats stats = t->stats;

	stats.lines = t->state.lines;
	return stats;
}

uint32_t tarmac_core_count(const struct tarmac *t)
{
	return t->core_count > 0 ? t->core_count : 1;
}

struct str tarmac_core_name(const struct tarmac *t, uint32_t core)
{
	return core < t->core_count ? t->cores[core] : (struct str){"", 0};
}

void tarmac_tell(const struct tarmac *t, struct tarmac_mark *mark)
{
	*mark = t->state;
}

void tarmac_seek(struct tarmac *t, const struct tarmac_mark *mark)
{
	t->state = *mark;
	t->newline = NULL;
	t->clear = NULL;
}
