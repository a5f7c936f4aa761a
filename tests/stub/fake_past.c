/* SPDX-License-Identifier: Apache-2.0 */
/* What the session of fake_session.h answers to questions about the past and about thread views. */
#include "fake_session.h"

void session_format_address(struct session *s, uint64_t address, struct text *out)
{
	(void)s;
	text_printf(out, "code+0x%llx", (unsigned long long)address);
}

bool session_format_variable(struct session *s, uint64_t address, struct text *out)
{
	(void)s;
	(void)out;
	return address == UINT64_MAX;
}

enum status session_calls(struct session *s, size_t core, const struct calls **calls)
{
	(void)s;
	(void)core;
	(void)calls;
	return STATUS_UNSUPPORTED;
}

/* "x3", "name" of memory, and a word for each way of being none. */
enum session_word session_past_subject(struct session *s, size_t core, struct str word,
                                       struct past_subject *subject)
{
	static const char *const wrong[] = {"", "unknown", "several", "no-values", "bad-size"};

	(void)s;
	(void)core;
	*subject = (struct past_subject){.number = 4, .size = 8};
	for (unsigned int i = 1; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (str_eq(word, str_of(wrong[i])))
			return (enum session_word)i;
	}
	subject->is_memory = !str_eq(word, STR("x3"));
	return SESSION_WORD_FINE;
}

enum status session_origin_text(struct session *s, size_t core, uint64_t position,
                                const struct past_subject *subject, struct text *text)
{
	(void)s;
	if (fake_session_is_exhausted())
		return STATUS_NO_MEM;
	if (core > 0)
		return STATUS_UNSUPPORTED;
	text_printf(text, "origin of %s at %llu\n", subject->is_memory ? "memory" : "a register",
	            (unsigned long long)position);
	return STATUS_OK;
}

enum status session_accesses_text(struct session *s, size_t core, const char *command,
                                  const struct past_accesses_of *of, struct text *text)
{
	(void)s;
	if (core > 0)
		return STATUS_UNSUPPORTED;
	text_printf(text, "%s of %llu to %llu, %zu %s%s\n", command, (unsigned long long)of->first,
	            (unsigned long long)of->end, of->most, of->writes ? "writes" : "reads",
	            of->forward ? " forward" : "");
	return STATUS_OK;
}

enum status session_stretches_text(struct session *s, size_t core,
                                   const struct past_stretches_of *of, struct text *text)
{
	(void)s;
	if (core > 0)
		return STATUS_UNSUPPORTED;
	text_printf(text, "values of %llu to %llu, %zu\n", (unsigned long long)of->first,
	            (unsigned long long)of->last, of->most);
	return STATUS_OK;
}

enum status session_next_write_text(struct session *s, size_t core, struct text *text)
{
	(void)s;
	if (core > 0)
		return STATUS_NOT_FOUND;
	text_puts(text, "older\n");
	return STATUS_OK;
}

/* Of the numbers 1 to 3 of "origin". */
enum status session_place_of(const struct session *s, size_t core, struct str command,
                             uint64_t number, uint64_t *position)
{
	(void)s;
	(void)core;
	*position = 2 * number;
	return number > 0 && number < 4 && (command.n == 0 || str_eq(command, STR("origin")))
	               ? STATUS_OK
	               : STATUS_NOT_FOUND;
}

/* No contexts: threads are the cores. */
size_t session_thread_view_count(const struct session *s)
{
	(void)s;
	return 0;
}

bool session_context(const struct session *s, size_t core, uint32_t *context_id)
{
	(void)s;
	(void)core;
	(void)context_id;
	return false;
}

size_t session_base_core(const struct session *s, size_t core)
{
	(void)s;
	return core;
}

bool session_ran_on(const struct session *s, size_t core, size_t base)
{
	(void)s;
	return core == base;
}

void session_why_parted(const struct session *s, size_t core, struct text *out)
{
	(void)s;
	(void)core;
	(void)out;
}

bool session_shows_thread_views(const struct session *s)
{
	(void)s;
	return false;
}

enum status session_show_thread_views(struct session *s, bool on)
{
	(void)s;
	(void)on;
	return STATUS_OK;
}

size_t session_thread_view_at(const struct session *s, size_t core)
{
	(void)s;
	return core;
}

void session_follow(struct session *s, size_t from, size_t to)
{
	(void)s;
	(void)from;
	(void)to;
}

static char hurries[16];
static size_t hurry_count;

/* A '+' where the session began to hurry, a '-' where it ended to; the next answer begins anew. */
const char *fake_session_hurries(void)
{
	hurries[hurry_count] = '\0';
	hurry_count = 0;
	return hurries;
}

void session_hurry(struct session *s, bool on)
{
	(void)s;
	if (hurry_count + 1 < sizeof(hurries))
		hurries[hurry_count++] = on ? '+' : '-';
}

bool session_prepare(struct session *s)
{
	(void)s;
	return false;
}
