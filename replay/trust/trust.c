/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what is not to be trusted; see trust.h. */
#include "replay/trust/trust.h"

#include "base/thread_pool.h"
#include "replay/survey/survey.h"
#include "replay/trust/code_check.h"
#include "replay/trust/exchange_check.h"
#include "replay/trust/halt_check.h"
#include "replay/trust/register_check.h"
#include "replay/trust/share_check.h"

/* Trace IDs that no source claims, and cores of whose trace nothing can be decoded. */
static enum status check_trace(const struct trust_of *of, struct diag_list *facts)
{
	struct unclaimed_ids ids;
	enum status status = survey_ids(of->snapshot, of->ids, &ids);

	if (status == STATUS_OK)
		status = survey_warn_of_ids(of->snapshot, &ids, facts);
	unclaimed_ids_fini(&ids);
	for (size_t i = 0; i < of->snapshot->core_count && status == STATUS_OK; i++) {
		if (of->values[i] && history_length(of->histories[i]) == 0)
			status = survey_warn_unsynchronized(of->snapshot, &of->snapshot->cores[i],
			                                    of->ids, facts);
	}
	return status;
}

void trust_note_assumptions(const struct values_options *made, const struct values_options *usual,
                            struct diag_list *facts)
{
	struct text names = {0};

	for (enum assumption i = 0; i < ASSUMPTIONS; i++) {
		if (values_assume(made, i) && !values_assume(usual, i))
			text_printf(&names, "%s%s", names.length > 0 ? ", " : "",
			            assumption_name(i));
	}
	if (names.length > 0)
		diag_note(facts, place_none(),
		          "what is shown of the past rests on assumptions, too, that nothing "
		          "proves: %.*s",
		          STR_ARG(text_str(&names)));
	text_fini(&names);
}

/* What an image says of it is told with the image (snapshot_check_images()). */
static void check_byte_order(const struct snap_core *core, const struct values *values,
                             struct diag_list *facts)
{
	if (!values_are_big_endian(values) || core->runs_big_endian)
		return;
	diag_warning(facts, core->device->place,
	             "core \"%.*s\": its data is big endian at the halt: no value of the past is "
	             "reconstructed; a debugger, which has to be set to little endian for the "
	             "registers, "
	             "shows words of memory with their bytes reversed",
	             STR_ARG(core->device->name));
}

static enum status solve_halt(void *context, unsigned int member, size_t job)
{
	const struct trust_of *of = context;

	(void)member;
	if (of->values[job] && values_is_apart(of->values[job]))
		(void)values_solved(of->values[job], history_length(of->histories[job]));
	return STATUS_OK;
}

/* What is looked at of each core first, of several at once. */
static enum status solve_halts(const struct trust_of *of)
{
	struct trust_of context = *of;
	struct thread_pool pool = {.job_count = of->snapshot->core_count,
	                           .threads = of->threads,
	                           .work = solve_halt,
	                           .context = &context};

	return of->threads > 1 ? thread_pool_work(&pool) : STATUS_OK;
}

enum status trust_examine(const struct trust_of *of, struct diag_list *facts)
{
	/* An ELF file of another program would be shown as this one's code. */
	snapshot_check_images(of->snapshot, facts);
	snapshot_check_contradictions(of->snapshot, facts);
	for (size_t i = 0; i < of->snapshot->core_count; i++)
		register_check(&of->snapshot->cores[i], facts);
	TRY(exchange_check(of->histories, of->snapshot->core_count, facts));
	TRY(solve_halts(of));
	for (size_t i = 0; i < of->snapshot->core_count; i++) {
		if (!of->values[i])
			continue;
		check_byte_order(&of->snapshot->cores[i], of->values[i], facts);
		halt_check_places(of->histories[i], facts);
		TRY(halt_check_values(of->histories[i], of->values[i], facts));
		code_check(of->histories[i], facts);
		TRY(survey_warn_of_missing_code(of->snapshot, of->histories[i], facts));
		share_check(of->histories[i], of->values[i], facts);
	}
	return check_trace(of, facts);
}
