/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a Tarmac trace, of any dialect. Holds: every line that is not blank is one event,
 * lines and offsets rise, the slices of an event lie in the text, its value has no known bit that
 * it is not about, each UNKNOWN event has its diagnostic, being strict changes nothing but the
 * statuses, and a mark leads back to the same event.
 */
#include "fuzz.h"
#include "replay/tarmac/tarmac.h"

struct run {
	struct tarmac *reader;
	struct diag_list diags;
	struct bytes text;
	uint64_t events;
	uint64_t unknown;
};

static void check_slice(const struct run *run, struct str slice)
{
	const char *begin = (const char *)run->text.begin;

	if (slice.n > 0)
		FUZZ_CHECK(slice.p >= begin && slice.p + slice.n <= (const char *)run->text.end);
}

static void check_value(const struct tarmac_value *value)
{
	FUZZ_CHECK(value->size <= TARMAC_VALUE_MOST);
	for (unsigned int i = 0; i < value->size; i++) {
		FUZZ_CHECK((value->known[i] & ~value->touched[i]) == 0);
		FUZZ_CHECK((value->bits[i] & ~value->known[i]) == 0);
	}
}

static void check_register(const struct run *run, const struct tarmac_register *reg)
{
	check_slice(run, reg->name);
	check_slice(run, reg->context);
	FUZZ_CHECK(reg->file < TARMAC_FILES && reg->number < 32 && reg->value->size > 0);
	FUZZ_CHECK(tarmac_mode_name(reg->bank)[0] != '?');
	check_value(reg->value);
}

static void check_event(struct run *run, const struct tarmac_event *event)
{
	check_slice(run, event->text);
	check_slice(run, event->word);
	check_slice(run, event->rest);
	FUZZ_CHECK(event->core < tarmac_core_count(run->reader));
	if (event->kind == TARMAC_REGISTER) {
		check_register(run, &event->reg);
	} else if (event->kind == TARMAC_MEMORY) {
		check_slice(run, event->memory.attributes);
		check_value(event->memory.value);
		FUZZ_CHECK(event->memory.value->size > 0 || event->memory.is_aborted);
	} else if (event->kind == TARMAC_INSTRUCTION) {
		check_slice(run, event->instruction.mode_text);
		check_slice(run, event->instruction.disassembly);
		FUZZ_CHECK(event->instruction.size > 0 && event->instruction.isa != ISA_UNKNOWN);
	} else if (event->kind == TARMAC_EXCEPTION || event->kind == TARMAC_ASYNC) {
		check_slice(run, event->exception.name);
		check_slice(run, event->exception.mode_text);
	}
	run->unknown += event->kind == TARMAC_UNKNOWN;
	run->events++;
}

/* Lines of the text that are not blank, by bytes; as editors count them. */
static uint64_t count_lines(struct bytes text)
{
	uint64_t lines = 0;
	bool is_blank = true;

	for (const uint8_t *p = text.begin; p < text.end; p++) {
		bool is_end = *p == '\n' || *p == '\r';

		lines += is_end && !is_blank;
		is_blank = is_end ||
		           (is_blank && (*p == ' ' || *p == '\t' || *p == '\v' || *p == '\f'));
	}
	return lines + !is_blank;
}

static void open_run(struct run *run, struct bytes text, bool is_strict)
{
	struct tarmac_options options = {.file = STR("x"), .is_strict = is_strict};

	*run = (struct run){.text = text};
	FUZZ_CHECK(tarmac_open(text, &options, &run->diags, &run->reader) == STATUS_OK);
}

static void close_run(struct run *run)
{
	tarmac_close(run->reader);
	diag_list_fini(&run->diags);
}

/* The same event, from a mark: with one more diagnostic if it is UNKNOWN. */
static void check_mark(struct run *run, const struct tarmac_mark *mark,
                       const struct tarmac_event *event)
{
	struct tarmac_mark after;
	struct tarmac_event again;

	tarmac_tell(run->reader, &after);
	tarmac_seek(run->reader, mark);
	FUZZ_CHECK(tarmac_next(run->reader, &again) == STATUS_OK);
	FUZZ_CHECK(again.kind == event->kind && again.line == event->line);
	FUZZ_CHECK(again.offset == event->offset && again.core == event->core);
	FUZZ_CHECK(again.word.p == event->word.p && again.word.n == event->word.n);
	FUZZ_CHECK(again.has_timestamp == event->has_timestamp);
	tarmac_seek(run->reader, &after);
	run->unknown += again.kind == TARMAC_UNKNOWN;
}

/* The next event of both, which differ in the status only. False at the end. */
static bool next_of_both(struct run *run, struct run *strict, struct tarmac_event *event)
{
	struct tarmac_event other;
	enum status status = tarmac_next(strict->reader, &other);

	if (tarmac_next(run->reader, event) == STATUS_END) {
		FUZZ_CHECK(status == STATUS_END);
		return false;
	}
	FUZZ_CHECK((status == STATUS_OK) == (event->kind != TARMAC_UNKNOWN));
	FUZZ_CHECK(other.kind == event->kind && other.line == event->line);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes text = bytes_of(size > 0 ? data : (const uint8_t *)"", size);
	struct run run;
	struct run strict;
	struct tarmac_event event;
	struct tarmac_mark mark;
	uint64_t line = 0;
	uint64_t after = 0;

	open_run(&run, text, false);
	open_run(&strict, text, true);
	tarmac_tell(run.reader, &mark);
	while (next_of_both(&run, &strict, &event)) {
		FUZZ_CHECK(event.line > line && event.offset >= after);
		line = event.line;
		after = event.offset + event.text.n;
		check_event(&run, &event);
		check_mark(&run, &mark, &event);
		tarmac_tell(run.reader, &mark);
	}
	FUZZ_CHECK(run.events == count_lines(text));
	FUZZ_CHECK(run.diags.count + run.diags.dropped == run.unknown);
	FUZZ_CHECK(2 * strict.diags.errors == run.unknown);
	close_run(&strict);
	close_run(&run);
	return 0;
}
