/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the past of a session's core, what they are about, and the places that the last
 * answer named; its calls. See session.h.
 */
#include "replay/session/session_store.h"

/* The question that `next-candidate` goes on with. */
#define LAST_WRITE "last-write"

enum status session_past_names(struct session *session, size_t core, struct past_names *names)
{
	*names = (struct past_names){.history = session->histories[core]};
	TRY(session_symbols(session, &names->symbols));
	TRY(session_source_lines(session, &names->lines));
	return session_disasm(session, &names->disasm);
}

enum session_word session_past_subject(struct session *session, size_t core, struct str word,
                                       struct past_subject *subject)
{
	size_t plus = str_find(word, '+');
	struct str name = str_trim((struct str){word.p, plus});
	struct str size = str_trim(str_skip(word, plus + 1));
	const struct register_file *file = session_core_registers(session, core);
	const struct symbols *symbols;
	size_t found;

	*subject = (struct past_subject){.size = 8};
	if (register_file_find(file, name, &subject->number)) {
		if (plus < word.n)
			return SESSION_WORD_BAD_SIZE;
		if (subject->number == REGISTER_PC)
			return SESSION_WORD_FINE;
		return subject->number < file->trace &&
		                       register_slot_of(file->arch, subject->number).count > 0
		               ? SESSION_WORD_FINE
		               : SESSION_WORD_NO_VALUES;
	}
	subject->is_memory = true;
	if (str_to_u64(name, &subject->address) != STATUS_OK) {
		if (session_symbols(session, &symbols) != STATUS_OK)
			return SESSION_WORD_UNKNOWN;
		found = symbols_find_object(symbols, name, &subject->address, &subject->size);
		if (found != 1)
			return found == 0 ? SESSION_WORD_UNKNOWN : SESSION_WORD_SEVERAL;
	}
	if (session->values[core])
		subject->address = values_untagged(session->values[core], subject->address);
	if (plus < word.n && str_to_u64(size, &subject->size) != STATUS_OK)
		return SESSION_WORD_BAD_SIZE;
	return watch_is_range(subject->address, subject->size) ? SESSION_WORD_FINE
	                                                       : SESSION_WORD_BAD_SIZE;
}

enum status session_origin(struct session *session, size_t core, uint64_t position,
                           const struct past_subject *subject, struct origin *origin)
{
	*origin = (struct origin){0};
	if (core >= session->snapshot->core_count || !session->values[core])
		return STATUS_UNSUPPORTED;
	return origin_find(session->values[core], position, subject, origin);
}

/* Which may tell possible writes from others. */
static void say_assumptions(const struct session *session, size_t core, struct text *out)
{
	const char *between = "(assumptions that are off may decide: ";

	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (!assumption_is_of_code(i) || session_assumes(session, i) ||
		    values_is_implied(&session->assumptions, i) ||
		    (i == ASSUME_OWN_DUMPS &&
		     !memmap_has_own(session->snapshot->cores[core].memory)))
			continue;
		text_printf(out, "%s%s", between, assumption_name(i));
		between = ", ";
	}
	if (between[0] == ',')
		text_puts(out, ")\n");
}

/* Of another core's step where this one was before it happened. */
static uint64_t place_of_step(const struct origin_step *step)
{
	return step->other ? step->other_first : step->position;
}

enum status session_origin_text(struct session *session, size_t core, uint64_t position,
                                const struct past_subject *subject, struct text *out)
{
	struct places places = {0};
	struct past_names names;
	struct origin origin;
	enum status status = session_origin(session, core, position, subject, &origin);

	if (status == STATUS_OK)
		status = session_past_names(session, core, &names);
	for (size_t i = 0; status == STATUS_OK && i < origin.count; i++)
		places_add(&places, place_of_step(&origin.steps[i]));
	if (status == STATUS_OK)
		status = answers_keep(&session->answers, core, "origin", &places);
	if (status == STATUS_OK) {
		text_printf(out, "at position %llu it is ", (unsigned long long)position);
		past_value_text(origin.reg, &origin.value, out);
		text_puts(out, "; back from there:\n");
		origin_format(&names, &origin, out);
		if (origin.count > 0 && origin.steps[origin.count - 1].is_possible)
			say_assumptions(session, core, out);
	}
	origin_fini(&origin);
	return status;
}

enum status session_accesses(struct session *session, size_t core,
                             const struct past_accesses_of *of, struct past_accesses *found)
{
	*found = (struct past_accesses){0};
	if (core >= session->snapshot->core_count || !session->values[core])
		return STATUS_UNSUPPORTED;
	return past_accesses_find(session->values[core], of, found);
}

/* What is older than the answer is the next question. */
static void keep_question(struct answers *answers, const struct past_accesses_of *of,
                          const struct past_accesses *found)
{
	answers->has_question = found->count > 0;
	answers->question = *of;
	if (found->count > 0)
		answers->question.end = found->all[found->count - 1].last;
}

enum status session_next_write_text(struct session *session, size_t core, struct text *out)
{
	const struct past_accesses_of of = session->answers.question;

	if (!session->answers.has_question || session->answers.core != core)
		return STATUS_NOT_FOUND;
	return session_accesses_text(session, core, LAST_WRITE, &of, out);
}

static void say_device(const struct past_names *names, const struct past_subject *subject,
                       struct text *out)
{
	size_t before = out->length;

	past_device_text(names, subject, out);
	if (out->length > before)
		text_char(out, '\n');
}

enum status session_accesses_text(struct session *session, size_t core, const char *command,
                                  const struct past_accesses_of *of, struct text *out)
{
	struct places places = {0};
	struct past_names names;
	struct past_accesses found;
	enum status status = session_accesses(session, core, of, &found);

	if (status == STATUS_OK)
		status = session_past_names(session, core, &names);
	for (size_t i = 0; status == STATUS_OK && i < found.count; i++)
		places_add(&places, found.all[i].position);
	if (status == STATUS_OK)
		status = answers_keep(&session->answers, core, command, &places);
	if (status == STATUS_OK && found.count == 0)
		text_printf(out, "none in positions %llu to %llu\n", (unsigned long long)of->first,
		            (unsigned long long)of->end);
	if (status == STATUS_OK)
		past_accesses_format(&names, &found, out);
	if (status == STATUS_OK)
		past_others_format(&names, &found.others, out);
	if (status == STATUS_OK)
		say_device(&names, &of->subject, out);
	if (status == STATUS_OK && str_eq(str_of(command), STR(LAST_WRITE)))
		keep_question(&session->answers, of, &found);
	if (status == STATUS_OK && found.is_cut && of->most > 1)
		text_puts(out, "(and more)\n");
	if (status == STATUS_OK && of->most == 1 && found.count > 0 &&
	    found.all[0].verdict == PAST_POSSIBLE && found.reg == REG_COUNT)
		say_assumptions(session, core, out);
	past_accesses_fini(&found);
	return status;
}

enum status session_stretches(struct session *session, size_t core,
                              const struct past_stretches_of *of, struct past_stretches *found)
{
	*found = (struct past_stretches){0};
	if (core >= session->snapshot->core_count || !session->values[core])
		return STATUS_UNSUPPORTED;
	return past_stretches_find(session->values[core], of, found);
}

enum status session_stretches_text(struct session *session, size_t core,
                                   const struct past_stretches_of *of, struct text *out)
{
	struct places places = {0};
	struct past_stretches found;
	enum status status = session_stretches(session, core, of, &found);

	for (size_t i = 0; status == STATUS_OK && i < found.count; i++)
		places_add(&places, found.all[i].first);
	if (status == STATUS_OK)
		status = answers_keep(&session->answers, core, "values-of", &places);
	if (status == STATUS_OK)
		past_stretches_format(&found, out);
	if (status == STATUS_OK && found.is_cut)
		text_puts(out, "(and more)\n");
	past_stretches_fini(&found);
	return status;
}

enum status session_place_of(const struct session *session, size_t core, struct str command,
                             uint64_t number, uint64_t *position)
{
	const struct answers *answers = &session->answers;

	if (!answers->command || answers->core != core || number == 0 ||
	    number > answers->places.count ||
	    (command.n > 0 && !str_eq(command, str_of(answers->command))))
		return STATUS_NOT_FOUND;
	*position = answers->places.positions[number - 1];
	return STATUS_OK;
}

enum status session_calls(struct session *session, size_t core, const struct calls **calls)
{
	const struct symbols *symbols;

	TRY(session_symbols(session, &symbols));
	if (!session->calls[core])
		TRY(calls_build(session->histories[core], symbols, &session->interrupt,
		                &session->calls[core]));
	*calls = session->calls[core];
	return STATUS_OK;
}
