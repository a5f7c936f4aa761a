/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay compare A B`: where two traces of any kinds differ, as diff would say it. Ends with 0
 * if they do not, 1 if they do.
 */
#include <stdlib.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/compare_print.h"
#include "cli/position_argument.h"
#include "replay/tarmac/tarmac.h"

enum {
	FLUSH_AT = 1 << 16,
	SHOWN_MOST = 100, /* differences, without --max */
};

/* One of the two, opened. */
struct input {
	struct snapshot *snapshot;
	struct session *session;
	size_t core; /* that is compared at the moment */
	uint64_t from;
	bool *is_done; /* a core: it has no trace, or has its counterpart */
};

struct comparison {
	const struct cli_args *args;
	struct input inputs[COMPARE_SIDES];
	bool json;
	uint64_t compared; /* pairs of cores */
	uint64_t different;
	uint64_t undecoded; /* cores whose trace cannot be, of both */
	struct compare_options options;
	uint64_t most; /* differences to show */
	struct text out;
};

/* "X:Y" for A and B, or "X" for both. */
static struct str part_of(struct str value, int side)
{
	size_t colon = str_find(value, ':');

	if (colon == value.n)
		return value;
	return side == COMPARE_A ? (struct str){value.p, colon} : str_skip(value, colon + 1);
}

static enum cli_exit parse_from(const struct cli_args *args, int side, struct input *input)
{
	struct str part = part_of(args->values[CLI_OPTION_FROM], side);

	if (!args->given[CLI_OPTION_FROM])
		return CLI_FINE;
	return cli_position_of(CLI_OPTION_FROM, part, input->session, input->core, &input->from);
}

/* The aspects to compare: those by default, and what options put in and take out. */
static enum cli_exit parse_aspects(struct comparison *run)
{
	const struct cli_args *args = run->args;
	unsigned int *aspects = &run->options.aspects;
	struct str rest = args->values[CLI_OPTION_IGNORE];

	*aspects = COMPARE_DEFAULT;
	if (args->given[CLI_OPTION_REGISTERS])
		*aspects |= 1U << COMPARE_REGISTERS;
	if (args->given[CLI_OPTION_MEMORY])
		*aspects |= 1U << COMPARE_MEMORY;
	run->options.is_strict = args->given[CLI_OPTION_STRICT];
	if (run->options.is_strict)
		*aspects |= 1U << COMPARE_EXCEPTIONS | 1U << COMPARE_GAP |
		            1U << COMPARE_DISASSEMBLY | 1U << COMPARE_TIMESTAMPS;
	while (args->given[CLI_OPTION_IGNORE] && rest.p) {
		struct str name = str_next_part(&rest, ',');
		enum compare_aspect aspect;

		if (compare_aspect_of(name, &aspect) != STATUS_OK)
			return cli_fail(CLI_USAGE,
			                "--ignore: \"%.*s\" is not compared; see `csreplay "
			                "compare --help`",
			                STR_ARG(name));
		*aspects &= ~(1U << aspect);
	}
	return CLI_FINE;
}

static enum cli_exit open_input(struct comparison *run, int side)
{
	struct cli_args args = *run->args;
	struct input *input = &run->inputs[side];
	enum cli_exit code;

	args.snapshot = side == COMPARE_A ? args.snapshot : args.second;
	code = cli_open_snapshot(&args, &input->snapshot);
	if (code == CLI_FINE)
		code = cli_open_session(&args, input->snapshot, &input->session);
	if (code != CLI_FINE)
		return code;
	args.values[CLI_OPTION_CORE] = part_of(args.values[CLI_OPTION_CORE], side);
	code = cli_choose_core(&args, input->session, &input->core);
	if (code == CLI_FINE)
		code = parse_from(&args, side, input);
	input->is_done = calloc(session_core_count(input->session) + 1, sizeof(bool));
	if (code == CLI_FINE && !input->is_done)
		return cli_fail(CLI_INTERNAL, "out of memory");
	return code;
}

static const struct history *history_of(const struct input *input, size_t core)
{
	return session_history(input->session, core);
}

static struct str name_of(const struct input *input, size_t core)
{
	return session_core(input->session, core)->device->name;
}

/* Cores that have trace and no history of it. With --core the chosen ones alone matter. */
static void report_undecoded(struct comparison *run)
{
	for (int side = 0; side < COMPARE_SIDES; side++) {
		const struct input *input = &run->inputs[side];

		for (size_t i = 0; i < session_core_count(input->session); i++) {
			if ((run->args->given[CLI_OPTION_CORE] && i != input->core) ||
			    cli_history_exit(input->session, i) == CLI_FINE)
				continue;
			run->undecoded++;
			(void)cli_fail(CLI_INPUT,
			               "%s: core \"%.*s\" is not compared: its trace cannot be "
			               "decoded",
			               side == COMPARE_A ? run->args->snapshot : run->args->second,
			               STR_ARG(name_of(input, i)));
		}
	}
}

/* Of several pairs of cores each must have the position. */
static enum cli_exit check_from(const struct comparison *run)
{
	for (int side = 0; side < COMPARE_SIDES; side++) {
		const struct input *input = &run->inputs[side];

		if (input->from > history_length(history_of(input, input->core)))
			return cli_fail(CLI_USAGE,
			                "%s: position %llu is after the end of the history",
			                side == COMPARE_A ? run->args->snapshot : run->args->second,
			                (unsigned long long)input->from);
	}
	return CLI_FINE;
}

/* Values can be compared only where both traces have them. */
static void note_what_is_missing(const struct comparison *run)
{
	const unsigned int values = 1U << COMPARE_REGISTERS | 1U << COMPARE_MEMORY;

	for (int side = 0; side < COMPARE_SIDES; side++) {
		const struct input *input = &run->inputs[side];

		if ((run->options.aspects & values) != 0 &&
		    !effects_known(session_history(input->session, input->core)))
			cli_note("%s is trace of program flow: its registers and memory are not "
			         "compared",
			         side == COMPARE_A ? run->args->snapshot : run->args->second);
	}
}

/* How many of the instructions after the difference are the same, for context. */
static uint64_t count_after(const struct comparison *run, const struct compare_difference *d)
{
	enum { MOST = 3 };
	uint64_t count = 0;

	while (count < MOST) {
		struct instruction insn[COMPARE_SIDES];

		for (int i = 0; i < COMPARE_SIDES; i++) {
			const struct input *input = &run->inputs[i];
			const struct history *history =
			        session_history(input->session, input->core);
			uint64_t position = d->position[i] + d->count[i] + count;

			if (position >= history_length(history))
				return count;
			history_at(history, position, &insn[i]);
		}
		if (insn[COMPARE_A].address != insn[COMPARE_B].address)
			return count;
		count++;
	}
	return count;
}

/* What one step of the loop below leaves. */
struct progress {
	uint64_t shown;
	uint64_t hidden; /* differences, and not what gaps account for */
	bool is_full;    /* no more is shown */
	bool is_whole;   /* all was compared */
	bool is_over;
};

static void take(struct comparison *run, struct compare_printer *printer,
                 const struct compare_difference *d, struct progress *progress)
{
	bool is_first = run->args->given[CLI_OPTION_FIRST] && !d->is_gap;

	if (progress->shown < run->most || is_first) {
		compare_print(printer, d);
		progress->shown++;
	} else {
		if (!progress->is_full)
			compare_print_tail(printer, d->before);
		progress->is_full = true;
		progress->hidden += !d->is_gap;
	}
	if (!is_first)
		return;
	compare_print_tail(printer, count_after(run, d));
	progress->is_over = true;
}

static enum cli_exit print_all(struct comparison *run, struct compare *compare,
                               struct compare_printer *printer)
{
	struct progress progress = {0};
	struct compare_summary summary;
	enum cli_exit code = CLI_FINE;

	compare_print_begin(printer);
	while (!progress.is_over) {
		struct compare_difference difference;
		enum status status = compare_next(compare, &difference);

		if (status == STATUS_END) {
			if (!progress.is_full)
				compare_print_tail(printer, difference.before);
			progress.is_whole = true;
			break;
		}
		if (status != STATUS_OK)
			return cli_fail(CLI_INTERNAL, "%s", status_text(status));
		take(run, printer, &difference, &progress);
		if (run->out.length >= FLUSH_AT || run->out.failed)
			code = cli_flush(&run->out);
		if (code != CLI_FINE)
			return code;
	}
	summary = compare_summary(compare);
	compare_print_summary(printer, &summary, progress.hidden, progress.is_whole);
	code = cli_flush(&run->out);
	if (code == CLI_FINE && !compare_is_equal(&summary))
		return CLI_INPUT;
	return code;
}

/* The two cores that the inputs are at. */
static enum cli_exit compare(struct comparison *run)
{
	struct compare_printer printer = {.out = &run->out, .json = run->json};
	struct compare *compare = NULL;
	enum cli_exit code = check_from(run);
	enum status status;

	if (code != CLI_FINE)
		return code;

	for (int i = 0; i < COMPARE_SIDES; i++) {
		printer.sides[i] = (struct compare_side){
		        .session = run->inputs[i].session,
		        .core = run->inputs[i].core,
		        .from = run->inputs[i].from,
		};
		printer.names[i] = i == COMPARE_A ? run->args->snapshot : run->args->second;
	}
	if (run->compared++ == 0)
		note_what_is_missing(run);
	printer.disasm = disasm_create();
	status = printer.disasm ? compare_open(printer.sides, &run->options, &compare)
	                        : STATUS_NO_MEM;
	if (status == STATUS_OK)
		code = print_all(run, compare, &printer);
	else
		code = cli_fail(CLI_INTERNAL, "%s", status_text(status));
	compare_close(compare);
	disasm_destroy(printer.disasm);
	run->different += code == CLI_INPUT;
	return code;
}

/* Cores that have trace and no counterpart yet. */
static size_t mark_traced(struct input *input)
{
	size_t count = 0;

	for (size_t i = 0; i < session_core_count(input->session); i++) {
		input->is_done[i] = history_length(history_of(input, i)) == 0;
		count += !input->is_done[i];
	}
	return count;
}

/* The first core that has no counterpart yet; of that name, unless it is NULL. */
static bool find_core(const struct input *input, const struct str *name, size_t *core)
{
	for (*core = 0; *core < session_core_count(input->session); ++*core) {
		if (!input->is_done[*core] && (!name || str_eq(name_of(input, *core), *name)))
			return true;
	}
	return false;
}

/* The next two cores: those of one name first, then in their order. */
static bool next_pair(struct comparison *run)
{
	struct input *a = &run->inputs[COMPARE_A];
	struct input *b = &run->inputs[COMPARE_B];
	bool is_found = false;

	for (a->core = 0; a->core < session_core_count(a->session) && !is_found; a->core++) {
		struct str name = name_of(a, a->core);

		is_found = !a->is_done[a->core] && find_core(b, &name, &b->core);
	}
	if (is_found)
		a->core--;
	else if (!find_core(a, NULL, &a->core) || !find_core(b, NULL, &b->core))
		return false;
	a->is_done[a->core] = true;
	b->is_done[b->core] = true;
	return true;
}

/* Cores that only one of the two has. */
static bool put_alone(struct comparison *run, int side)
{
	struct input *input = &run->inputs[side];
	bool is_any = false;
	size_t core;

	if (run->json) {
		json_key(&run->out, side == COMPARE_A ? "only_a" : "only_b");
		json_open(&run->out, '[');
	}
	for (; find_core(input, NULL, &core); input->is_done[core] = true) {
		uint64_t length = history_length(history_of(input, core));

		is_any = true;
		if (!run->json) {
			text_printf(&run->out, "only in %c: core %.*s, %llu instructions\n",
			            side == COMPARE_A ? 'A' : 'B', STR_ARG(name_of(input, core)),
			            (unsigned long long)length);
			continue;
		}
		json_item(&run->out);
		json_open(&run->out, '{');
		json_str(&run->out, "core", name_of(input, core));
		json_u64(&run->out, "instructions", length);
		json_close(&run->out, '}');
	}
	if (run->json)
		json_close(&run->out, ']');
	return is_any;
}

static enum cli_exit put_sum(struct comparison *run, bool is_whole)
{
	bool is_equal = run->different == 0 && run->undecoded == 0;
	enum cli_exit code;

	is_whole = is_whole && run->undecoded == 0;
	if (run->json)
		json_close(&run->out, ']');
	/* What was not looked at is not known to be alone. */
	for (int side = 0; side < COMPARE_SIDES && is_whole; side++)
		is_equal = !put_alone(run, side) && is_equal;
	if (run->json) {
		json_bool(&run->out, "equal", is_equal);
		json_bool(&run->out, "complete", is_whole);
		json_close(&run->out, '}');
		text_char(&run->out, '\n');
	} else {
		text_printf(&run->out, "%llu of %llu pairs of cores differ\n",
		            (unsigned long long)run->different, (unsigned long long)run->compared);
	}
	code = cli_flush(&run->out);
	return code == CLI_FINE && !is_equal ? CLI_INPUT : code;
}

/* Each pair of cores, and then what is to be said of all. */
static enum cli_exit compare_all(struct comparison *run)
{
	enum cli_exit code = CLI_FINE;
	bool ends = false;

	if (run->json) {
		json_open(&run->out, '{');
		json_key(&run->out, "cores");
		json_open(&run->out, '[');
	}
	while (!ends && next_pair(run)) {
		if (run->json && run->compared > 0)
			text_char(&run->out, ',');
		code = compare(run);
		if (code != CLI_FINE && code != CLI_INPUT)
			return code;
		ends = code == CLI_INPUT && run->args->given[CLI_OPTION_FIRST];
	}
	return put_sum(run, !ends);
}

/* The cores that the user chose, or all that have trace. */
static enum cli_exit compare_cores(struct comparison *run)
{
	size_t counts[COMPARE_SIDES];
	enum cli_exit code;

	for (int i = 0; i < COMPARE_SIDES; i++)
		counts[i] = mark_traced(&run->inputs[i]);
	report_undecoded(run);
	if (!run->args->given[CLI_OPTION_CORE] &&
	    (counts[COMPARE_A] >= 2 || counts[COMPARE_B] >= 2))
		return compare_all(run);
	for (int i = 0; i < COMPARE_SIDES; i++) {
		if (cli_history_exit(run->inputs[i].session, run->inputs[i].core) != CLI_FINE)
			return CLI_INPUT;
	}
	code = compare(run);
	return code == CLI_FINE && run->undecoded > 0 ? CLI_INPUT : code;
}

enum cli_exit cmd_compare(const struct cli_args *args)
{
	struct comparison run = {.args = args};
	enum cli_exit code = cli_format(args, "text", &run.json);

	if (code == CLI_FINE)
		code = parse_aspects(&run);
	if (code == CLI_FINE)
		code = cli_number(args, CLI_OPTION_MAX, SHOWN_MOST, &run.most);
	for (int i = 0; i < COMPARE_SIDES && code == CLI_FINE; i++)
		code = open_input(&run, i);
	if (code == CLI_FINE)
		code = compare_cores(&run);
	for (int i = 0; i < COMPARE_SIDES; i++) {
		free(run.inputs[i].is_done);
		session_destroy(run.inputs[i].session);
		snapshot_destroy(run.inputs[i].snapshot);
	}
	text_fini(&run.out);
	return code;
}
