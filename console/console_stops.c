/* SPDX-License-Identifier: Apache-2.0 */
/* What a continue stops for beside breakpoints and watchpoints: `set gap`, and `catch`. */
#include "console/console_command.h"

static const struct console_choice policies[] = {
        [GAP_POLICY_ASK] = {"ask", "a continue stops at a gap unless tracing was off and execution "
                                   "went on at the next instruction; those are counted"},
        [GAP_POLICY_STOP] = {"stop", "a continue stops at every gap"},
        [GAP_POLICY_PASS] = {"pass", "a continue goes past gaps, and says how many; what is "
                                     "watched may have been accessed in them"},
};

static const struct console_choices policy_choices = {
        policies, sizeof(policies) / sizeof(policies[0]), "neither stop, pass nor ask:"};

void console_set_gap(struct console *console, struct str args, struct text *out)
{
	unsigned int i;

	if (args.n > 0) {
		if (!console_choose(console, &policy_choices, args, &i, out))
			return;
		session_set_gap_policy(console->session, (enum gap_policy)i);
	}
	i = session_gap_policy(console->session);
	text_printf(out, "gap is %s: %s\n", policies[i].word, policies[i].text);
}

static const struct console_choice caught[] = {
        [SESSION_CATCH_EXCEPTION] = {"exception", "exceptions and returns from them"},
        [SESSION_CATCH_CONTEXT] = {"context", "what the trace says of contexts"},
        [SESSION_CATCH_SOFTWARE] = {"software-trace", "messages of ITM, DWT and STM"},
};

static const struct console_choices caught_choices = {
        caught, SESSION_CAUGHT, "neither exception, gap, context nor software-trace:"};

static void write_caught(const struct console *console, enum session_caught what, struct text *out)
{
	text_printf(out, "catch %s is %s: a continue %s %s\n", caught[what].word,
	            session_catches(console->session, what) ? "on" : "off",
	            session_catches(console->session, what) ? "stops at" : "does not stop at",
	            caught[what].text);
}

static void catch_one(struct console *console, struct str name, bool on, struct text *out)
{
	unsigned int i;

	/* Gaps have a policy of three, which is `set gap`; here it is two of them. */
	if (str_eq(name, STR("gap"))) {
		console_set_gap(console, on ? STR("stop") : STR("ask"), out);
	} else if (console_choose(console, &caught_choices, name, &i, out)) {
		session_catch(console->session, (enum session_caught)i, on);
		write_caught(console, (enum session_caught)i, out);
		if (i == SESSION_CATCH_SOFTWARE && on)
			console_say_software(console, out);
	}
}

void console_catch(struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};
	struct str value = str_trim(str_skip(args, end));

	if (args.n == 0) {
		for (unsigned int i = 0; i < SESSION_CAUGHT; i++)
			write_caught(console, (enum session_caught)i, out);
		console_set_gap(console, STR(""), out);
	} else if (value.n == 0 || str_eq(value, STR("on")) || str_eq(value, STR("off"))) {
		catch_one(console, name, !str_eq(value, STR("off")), out);
	} else {
		console_say_wrong(console, "neither on nor off:", value, "", out);
	}
}
