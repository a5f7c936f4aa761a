/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what is not to be trusted; see trust.h. */
#include "replay/trust/trust.h"

#include "replay/survey/survey.h"
#include "replay/trust/halt_check.h"

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

enum status trust_examine(const struct trust_of *of, struct diag_list *facts)
{
	/* An ELF file of another program would be shown as this one's code. */
	snapshot_check_images(of->snapshot, facts);
	for (size_t i = 0; i < of->snapshot->core_count; i++) {
		if (!of->values[i])
			continue;
		halt_check_places(of->histories[i], facts);
		TRY(halt_check_values(of->histories[i], of->values[i], facts));
	}
	return check_trace(of, facts);
}
