/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several solutions a window has; see assumed_solution.h. */
#include "replay/values/assumed_solution.h"

#include "replay/history/history.h"
#include "replay/values/ssa/ssa.h"

/* SSA values that are known. */
static size_t count_known(const struct solver *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->w.ssa_count; i++)
		count += s->ssa_values[i].known == UINT64_MAX;
	return count;
}

/* With waiting-tasks, too, if that does not contradict, and knows more. */
static enum status add_tasks(struct solver *s, const struct history *history,
                             const struct solve_options *options, struct suppositions *supposed)
{
	struct solver more;
	enum status status = coherent_init(&more, history, options, supposed);

	if (status == STATUS_OK && !more.has_conflict && more.w.options.from == s->w.options.from &&
	    count_known(&more) > count_known(s)) {
		solve_fini(s);
		*s = more;
		return STATUS_OK;
	}
	solve_fini(&more);
	return status;
}

enum status assumed_solution_init(struct solver *s, const struct history *history,
                                  const struct solve_options *options,
                                  struct suppositions *supposed)
{
	struct solve_options first = *options;
	enum status status;

	if (!supposed)
		return solve_init(s, history, options);
	first.waiting_tasks = false;
	status = coherent_init(s, history, &first, supposed);
	if (status != STATUS_OK || s->has_conflict || !options->waiting_tasks ||
	    !task_switches_may_be(s))
		return status;
	return add_tasks(s, history, options, supposed);
}
