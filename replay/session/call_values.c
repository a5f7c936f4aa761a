/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and results of calls; see call_values.h. */
#include "replay/session/call_values.h"

#include <inttypes.h>

#include "replay/session/session.h"

/* The first register that passes arguments, and how many do. */
static const struct {
	unsigned int first;
	unsigned int count;
} passed[] = {
        [CORE_A64] = {A64_x0, 8},
        [CORE_A32] = {A32_r0, 4},
        [CORE_M] = {M_r0, 4},
};

static bool has_returned(const struct call *call)
{
	return call->leave != CALL_NOT_KNOWN && call->end == CALL_END_RETURN;
}

void session_call_values(const struct session *session, size_t core, const struct call *call,
                         struct call_values *values)
{
	const struct register_file *file = session_core_registers(session, core);
	unsigned int first = passed[file->arch].first;

	*values = (struct call_values){.file = file, .count = passed[file->arch].count};
	for (unsigned int i = 0; i < values->count; i++) {
		values->numbers[i] = first + i;
		values->arguments[i] = value_unknown(file->table[first + i].bits / 8);
		if (call->enter != CALL_NOT_KNOWN)
			session_register_at(session, core, call->enter, first + i,
			                    &values->arguments[i]);
	}
	values->result = value_unknown(file->table[first].bits / 8);
	values->has_result = has_returned(call);
	if (values->has_result)
		session_register_at(session, core, call->leave, first, &values->result);
}

static void write_value(const struct value *value, struct text *out)
{
	text_printf(out, "0x%" PRIx64 "%s", value_u64(value),
	            value->is_assumed ? " (assumed)" : "");
}

void call_values_format(const struct call_values *values, struct text *out)
{
	const char *between = "";

	for (unsigned int i = 0; i < values->count; i++) {
		if (!value_is_known(&values->arguments[i]))
			continue;
		text_printf(out, "%s%s=", between, values->file->table[values->numbers[i]].name);
		write_value(&values->arguments[i], out);
		between = " ";
	}
	if (!values->has_result || !value_is_known(&values->result))
		return;
	text_printf(out, "%sreturned ", between);
	write_value(&values->result, out);
}

static bool find_register(const struct register_file *file, struct str name, unsigned int *number)
{
	for (*number = 0; *number < file->trace; ++*number) {
		if (str_eq_nocase(name, str_of(file->table[*number].name)))
			return true;
	}
	return false;
}

bool session_call_filter(const struct session *session, size_t core, struct str text,
                         struct call_filter *filter)
{
	size_t at = str_find(text, '=');
	struct str name;
	struct str value = str_trim(str_skip(text, at + 1));

	*filter = (struct call_filter){.is_not = at > 0 && text.p[at - 1] == '!'};
	if (at == text.n)
		return false;
	name = str_trim((struct str){text.p, filter->is_not ? at - 1 : at});
	if (!filter->is_not) {
		if (!str_has_prefix(value, STR("=")))
			return false;
		value = str_trim(str_skip(value, 1));
	}
	filter->is_result = str_eq(name, STR("result"));
	if (!filter->is_result &&
	    !find_register(session_core_registers(session, core), name, &filter->number))
		return false;
	return str_to_u64(value, &filter->value) == STATUS_OK;
}

enum call_match session_call_matches(const struct session *session, size_t core,
                                     const struct call *call, const struct call_filter *filter)
{
	const struct register_file *file = session_core_registers(session, core);
	unsigned int number = filter->is_result ? passed[file->arch].first : filter->number;
	uint64_t position = filter->is_result ? call->leave : call->enter;
	struct value value;

	if (position == CALL_NOT_KNOWN || (filter->is_result && !has_returned(call)))
		return CALL_MATCH_NOT_KNOWN;
	session_register_at(session, core, position, number, &value);
	if (!value_is_known(&value))
		return CALL_MATCH_NOT_KNOWN;
	return (value_u64(&value) == filter->value) != filter->is_not ? CALL_MATCHES : CALL_DIFFERS;
}
