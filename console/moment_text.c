/* SPDX-License-Identifier: Apache-2.0 */
/* See moment_text.h. */
#include "console/moment_text.h"

#include <inttypes.h>

void moment_text(const struct moment *moment, struct text *out)
{
	if (!moment->has_earliest && !moment->has_latest)
		text_puts(out, "time unknown");
	else if (!moment->has_earliest)
		text_printf(out, "time up to %" PRIu64, moment->latest);
	else if (!moment->has_latest)
		text_printf(out, "time %" PRIu64 " or later", moment->earliest);
	else if (moment->earliest == moment->latest)
		text_printf(out, "time %" PRIu64, moment->earliest);
	else
		text_printf(out, "time %" PRIu64 " to %" PRIu64, moment->earliest, moment->latest);
	if (moment->has_estimate)
		text_printf(out, ", about %" PRIu64 " by cycles", moment->estimate);
}
