/* SPDX-License-Identifier: Apache-2.0 */
/* What a value that is not proved would be under assumptions that are off; see why_walk.h. */
#include <inttypes.h>

#include "replay/history/history.h"
#include "replay/values/explain/why_walk.h"
#include "replay/values/values.h"

/* Appends what is known of the subject; false, and nothing appended, if that is not all. */
static bool say_value(const struct solver *s, uint64_t position, const struct why_subject *subject,
                      struct text *out)
{
	struct register_slot at;
	struct bits bits[2] = {{0, 0}, {0, 0}};

	if (subject->is_memory) {
		bits[0] = solve_granule(s, position, subject->address & ~UINT64_C(7));
		if (bits_all_known(&bits[0], 64))
			text_printf(out, "0x%" PRIx64, bits[0].value);
		return bits_all_known(&bits[0], 64);
	}
	at = register_slot_of(history_core(s->w.history)->arch, subject->number);
	for (unsigned int i = 0; i < at.count; i++) {
		bits[i] = solve_register(s, position, at.slot + i);
		if ((why_wanted(at) & ~bits[i].known) != 0)
			return false;
	}
	if (at.count > 0)
		why_value_text(at, bits, out);
	return at.count > 0;
}

/* True if all is known with these assumptions. */
static bool say_if(struct values *values, const struct values_options *allowed, uint64_t position,
                   const struct why_subject *subject, struct text *value)
{
	struct solve_options options;
	struct solver s;
	bool known;

	if (!values_window(values, position, allowed, &options))
		return false;
	known = solve_init(&s, values_history(values), &options) == STATUS_OK &&
	        say_value(&s, position, subject, value);
	solve_fini(&s);
	return known;
}

void why_if(struct values *values, uint64_t position, const struct why_subject *subject,
            struct text *out)
{
	struct values_options all = *values_allowed(values);
	unsigned int off = 0;
	bool any = false;
	struct text value = {0};

	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		struct values_options one = *values_allowed(values);

		/* With another history this would be another question; code is no value. */
		if (values_assume(&one, i) || i == ASSUME_ONE_ADDRESS_SPACE ||
		    i == ASSUME_CODE_UNCHANGED || values_is_implied(&one, i))
			continue;
		values_set_assumption(&one, i, true);
		values_set_assumption(&all, i, true);
		off++;
		text_clear(&value);
		if (!say_if(values, &one, position, subject, &value))
			continue;
		any = true;
		text_printf(out, "  assuming %s, which is off, it is ", assumption_name(i));
		text_add(out, text_str(&value));
		text_char(out, '\n');
	}
	text_clear(&value);
	if (!any && off > 1 && say_if(values, &all, position, subject, &value)) {
		text_puts(out, "  with every assumption on, it is ");
		text_add(out, text_str(&value));
		text_char(out, '\n');
	}
	text_fini(&value);
}
