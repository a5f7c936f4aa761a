/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of two cores that are exchanged; see exchange_check.h. */
#include "replay/trust/exchange_check.h"

/* The trace of the one leads to the halt of the other, and not to its own. */
static enum status fits(const struct history *trace, const struct history *halt, bool *is_fit)
{
	const struct snap_register *pc = history_halt_register(halt, REGISTER_PC);

	*is_fit = false;
	if (!pc || history_core(trace)->arch != history_core(halt)->arch)
		return STATUS_OK;
	return history_leads_to(trace, snap_register_value(pc), is_fit);
}

enum status exchange_check(struct history *const *histories, size_t count, struct diag_list *facts)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			const struct snap_device *a = history_core(histories[i])->device;
			const struct snap_device *b = history_core(histories[j])->device;
			bool is_fit;

			TRY(fits(histories[i], histories[j], &is_fit));
			if (is_fit)
				TRY(fits(histories[j], histories[i], &is_fit));
			if (is_fit)
				diag_warning(facts, a->place,
				             "the trace of core \"%.*s\" leads to the halt of core "
				             "\"%.*s\", and that one's to the halt of \"%.*s\": "
				             "their trace IDs, or their trace sources, may be "
				             "exchanged",
				             STR_ARG(a->name), STR_ARG(b->name), STR_ARG(a->name));
		}
	}
	return STATUS_OK;
}
